/*
 * fold_rules.c - reads the patterns of fold.def and matches them.
 *
 * Input: texts such as "x * neg(y)" and a node. Output: whether the node is an instance, with what
 * in place of the variables. Grammar, loosest first: compare = sum [(== | != | < | <= | > | >=)
 * sum]     sum = product {(+ | -) product} product = power {(* | /) power} power = atom [** atom]
 *   atom = [-] number | True | False | letter | name ( compare {, compare} ) | ( compare )
 */
#include "fold_rules.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const char *p;
    Arena *arena;
    const Registry *reg;
} Reader;

static Term read_compare(Reader *r);

static bool take(Reader *r, const char *word)
{
    size_t n = strlen(word);
    while (*r->p == ' ')
        r->p++;
    if (strncmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static Term call(Reader *r, const char *name, size_t len, const Term *kids, uint32_t n)
{
    char qualified[64] = "prims.";
    assert(len + 7 < sizeof qualified);
    memcpy(qualified + 6, name, len);
    const Op *op = registry_find(r->reg, str_from(qualified));
    assert(op && n <= op->sig.n);
    return (Term){
        .kind = TERM_call, .op = op, .n = n, .kids = arena_copy(r->arena, kids, n * sizeof *kids)};
}

static Term call2(Reader *r, const char *name, Term a, Term b)
{
    return call(r, name, strlen(name), (const Term[]){a, b}, 2);
}

static Term read_name(Reader *r)
{
    const char *name = r->p;
    Term kids[4];
    uint32_t n = 0;
    while (isalnum((unsigned char)*r->p) || *r->p == '_')
        r->p++;
    size_t len = (size_t)(r->p - name);
    if (!take(r, "(")) {
        assert(len == 1 && islower((unsigned char)*name));
        return (Term){.kind = TERM_variable, .variable = (uint32_t)(*name - 'a')};
    }
    do {
        assert(n < ARRAY_LEN(kids));
        kids[n++] = read_compare(r);
    } while (take(r, ","));
    bool closed = take(r, ")");
    assert(closed);
    (void)closed;
    return call(r, name, len, kids, n);
}

static Term read_atom(Reader *r)
{
    if (take(r, "(")) {
        Term inner = read_compare(r);
        take(r, ")");
        return inner;
    }
    if (take(r, "True"))
        return (Term){.kind = TERM_bool, .number = 1};
    if (take(r, "False"))
        return (Term){.kind = TERM_bool};
    if (isdigit((unsigned char)*r->p) || *r->p == '-') {
        char *end;
        double number = strtod(r->p, &end);
        r->p = end;
        return (Term){.kind = TERM_number, .number = number};
    }
    return read_name(r);
}

static Term read_power(Reader *r)
{
    Term a = read_atom(r);
    return take(r, "**") ? call2(r, "pow", a, read_atom(r)) : a;
}

static Term read_product(Reader *r)
{
    Term a = read_power(r);
    for (;;) {
        if (take(r, "*"))
            a = call2(r, "mul", a, read_power(r));
        else if (take(r, "/"))
            a = call2(r, "div", a, read_power(r));
        else
            return a;
    }
}

static Term read_sum(Reader *r)
{
    Term a = read_product(r);
    for (;;) {
        if (take(r, "+"))
            a = call2(r, "add", a, read_product(r));
        else if (take(r, "-"))
            a = call2(r, "sub", a, read_product(r));
        else
            return a;
    }
}

static Term read_compare(Reader *r)
{
    static const char *const ops[][2] = {{"==", "eq"}, {"!=", "ne"}, {"<=", "le"},
                                         {">=", "ge"}, {"<", "lt"},  {">", "gt"}};
    Term a = read_sum(r);
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        if (take(r, ops[i][0]))
            return call2(r, ops[i][1], a, read_sum(r));
    return a;
}

static Term parse_term(Fold *f, const char *text)
{
    Reader r = {text, &f->scratch, f->in->reg};
    Term t = read_compare(&r);
    assert(*r.p == '\0');
    return t;
}

/* ------------------------------------------------------------------------------------- rules */

typedef struct RuleRow {
    const char *text, *pattern, *replacement;
    uint32_t conditions, prim;
    FoldFn *fn;
} RuleRow;

#define RULE(...)
#define CODE(prim, function, text) FoldFn function;
#include "fold.def"
#undef RULE
#undef CODE

static const RuleRow rows[] = {
#define RULE(pattern, replacement, conditions)                                                     \
    {pattern " -> " replacement, pattern, replacement, conditions, 0, NULL},
#define CODE(prim, function, text) {text, NULL, NULL, 0, PRIM_##prim, function},
#include "fold.def"
#undef RULE
#undef CODE
};

void fold_rules(Fold *f)
{
    int last[PRIM_COUNT];
    f->nrules = ARRAY_LEN(rows);
    f->rules = new_array(&f->scratch, FoldRule, f->nrules);
    f->first = new_array(&f->scratch, int, PRIM_COUNT);
    for (uint32_t i = 0; i < PRIM_COUNT; i++)
        f->first[i] = last[i] = -1;
    for (uint32_t i = 0; i < f->nrules; i++) {
        FoldRule *r = &f->rules[i];
        *r = (FoldRule){
            .text = rows[i].text, .conditions = rows[i].conditions, .fn = rows[i].fn, .next = -1};
        uint32_t prim = rows[i].prim;
        if (!r->fn) {
            r->pattern = parse_term(f, rows[i].pattern);
            r->replacement = parse_term(f, rows[i].replacement);
            prim = r->pattern.op->id;
        }
        if (last[prim] < 0)
            f->first[prim] = (int)i;
        else
            f->rules[last[prim]].next = (int)i;
        last[prim] = (int)i;
    }
}

/* ---------------------------------------------------------------------------------- matching */

typedef struct WrittenSearch {
    const Alias *alias;
    bool found;
} WrittenSearch;

static void find_written(ValueId v, void *user)
{
    WrittenSearch *w = user;
    w->found |= w->alias->written[w->alias->root[v]];
}

/* Whether what a node computed can be computed again later: not where a write came between. */
static bool holds_later(const Fold *f, const Node *n)
{
    WrittenSearch w = {&f->alias, false};
    if (!f->early_writes)
        return true;
    for (uint32_t i = 0; i < n->nargs; i++)
        arg_each_value(n->args[i], find_written, &w);
    arg_each_value(n->out, find_written, &w);
    return !w.found;
}

const Node *made_by_prim(const Fold *f, Arg a, uint32_t id)
{
    if (a.kind != ARG_value || a.v >= f->in->nvalues || f->made_by[a.v] == NO_NODE)
        return NULL;
    NodeId n = single_prim(f->t, f->made_by[a.v]);
    const Node *leaf = n == NO_NODE ? NULL : &f->t->nodes[n];
    return leaf && leaf->op->id == id && holds_later(f, leaf) ? leaf : NULL;
}

/* The number that an operand is everywhere: a literal, a known number, a filled tensor. */
static bool number_of(const Fold *f, Arg a, double *out)
{
    if (a.kind == ARG_value && f->t->values[a.v].type.kind == VALUE_number)
        a = f->t->values[a.v].known;
    if (a.kind == ARG_value) {
        const Node *full = made_by_prim(f, a, PRIM_full);
        return full && full->args[1].kind != ARG_value && number_of(f, full->args[1], out);
    }
    if (a.kind != ARG_int && a.kind != ARG_float && a.kind != ARG_bool)
        return false;
    *out = a.kind == ARG_float ? a.f : (double)a.i;
    return true;
}

static bool match(const Fold *f, const Term *p, Arg a, Arg bound[26]);

static bool match_call(const Fold *f, const Term *p, const Node *leaf, Arg bound[26])
{
    Arg before[26];
    bool fits = true;
    memcpy(before, bound, sizeof before);
    for (uint32_t i = 0; fits && i < p->n; i++)
        fits = match(f, &p->kids[i], leaf->args[i], bound);
    if (fits || p->n != 2 || !(leaf->op->flags & OP_COMMUTATIVE))
        return fits;
    memcpy(bound, before, sizeof before);
    return match(f, &p->kids[0], leaf->args[1], bound) &&
           match(f, &p->kids[1], leaf->args[0], bound);
}

static bool match(const Fold *f, const Term *p, Arg a, Arg bound[26])
{
    double number;
    switch (p->kind) {
    case TERM_variable:
        if (arg_is_none(bound[p->variable])) {
            bound[p->variable] = a;
            return arg_is_value(a) || arg_is_number(a);
        }
        return arg_equal(bound[p->variable], a);
    case TERM_number:
    case TERM_bool:
        return number_of(f, a, &number) && number == p->number &&
               signbit(number) == signbit(p->number);
    default: {
        const Node *leaf = made_by_prim(f, a, p->op->id);
        return leaf && match_call(f, p, leaf, bound);
    }
    }
}

/* Whether a rule with these conditions is right for operands of dtype d. */
static bool dtype_fits(uint32_t conditions, DType d)
{
    const DTypeInfo *info = &dtype_info[d];
    bool is_int = info->category == CAT_INT, is_float = info->category == CAT_FLOAT;
    if (d >= DT_COUNT)
        return false;
    if (conditions & FOR_int)
        return is_int;
    if (conditions & FOR_bool)
        return info->category == CAT_BOOL;
    if (conditions & FOR_float)
        return is_float;
    if (conditions & FOR_real)
        return is_int || is_float;
    if (conditions & FOR_signed)
        return (is_int && info->is_signed) || is_float || info->category == CAT_COMPLEX;
    return true;
}

static bool conditions_hold(const Fold *f, const FoldRule *r, const Arg bound[26])
{
    Build b = {.t = f->t};
    for (uint32_t i = 0; i < 26; i++)
        if (arg_is_value(bound[i]) &&
            !dtype_fits(r->conditions & ~(uint32_t)FAST, (DType)arg_type(&b, bound[i]).dtype))
            return false;
    return true;
}

static Arg instance(const Term *t, const Arg bound[26])
{
    if (t->kind == TERM_variable)
        return bound[t->variable];
    if (t->kind == TERM_bool)
        return A_BOOL(t->number != 0);
    assert(t->kind == TERM_number); /* replacements are one call at most */
    return A_FLOAT(t->number);
}

bool fold_matches(Fold *f, const FoldRule *r, const Node *leaf, Replacement *out)
{
    Arg bound[26];
    *out = (Replacement){0};
    if (r->fn)
        return r->fn(f, leaf, out);
    memset(bound, 0, sizeof bound);
    if (!match_call(f, &r->pattern, leaf, bound) || !conditions_hold(f, r, bound))
        return false;
    if (r->replacement.kind != TERM_call) {
        out->value = instance(&r->replacement, bound);
        return arg_is_value(out->value);
    }
    out->op = r->replacement.op;
    for (uint32_t i = 0; i < r->replacement.n; i++)
        out->args[i] = instance(&r->replacement.kids[i], bound);
    return true;
}
