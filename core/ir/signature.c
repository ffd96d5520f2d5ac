/*
 * signature.c - signature texts of the tables, and binding written arguments to them.
 *
 * Input: "input>a:T, dim, *, dtype:D=None" and the arguments of a call as written. Output: the
 * arguments in canonical order, defaults filled in. See Signature in ir.h for the notation.
 */
#include "ir.h"

#include <math.h>
#include <string.h>

static const char type_letters[] = " TNViIbLQDstf"; /* indexed by ParamType */

/* "(-2 -1)": ints without commas, which stand between parameters. */
static bool parse_ints(Arena *a, Str s, Arg *out)
{
    Arg items[MAX_RANK];
    uint32_t n = 0;
    while (s.n && n < MAX_RANK) {
        Str item = str_trim(str_cut(&s, ' '));
        int64_t i;
        if (!str_to_i64(item, &i))
            return false;
        items[n++] = A_INT(i);
    }
    *out = (Arg){.kind = ARG_tuple, .n = n, .items = arena_copy(a, items, n * sizeof *items)};
    return true;
}

static bool parse_default(Arena *a, Str s, Arg *out)
{
    static const struct {
        const char *word;
        Arg value;
    } words[] = {
        {"None", {.kind = ARG_none}},           {"True", {.kind = ARG_bool, .i = 1}},
        {"False", {.kind = ARG_bool, .i = 0}},  {"inf", {.kind = ARG_float, .f = INFINITY}},
        {"-inf", {.kind = ARG_float, .f = -INFINITY}}, {"()", {.kind = ARG_tuple}},
        {"[]", {.kind = ARG_list}},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(s, words[i].word)) {
            *out = words[i].value;
            return true;
        }
    if (s.n >= 2 && s.p[0] == '\'' && s.p[s.n - 1] == '\'') {
        *out = (Arg){.kind = ARG_str, .n = (uint32_t)s.n - 2,
                     .s = arena_str(a, str_sub(s, 1, s.n - 2)).p};
        return true;
    }
    if (s.n > 2 && s.p[0] == '(' && s.p[s.n - 1] == ')')
        return parse_ints(a, str_sub(s, 1, s.n - 2), out);
    int64_t i;
    double f;
    if (str_to_i64(s, &i)) {
        *out = A_INT(i);
        return true;
    }
    if (str_to_f64(s, &f)) {
        *out = A_FLOAT(f);
        return true;
    }
    DType d = dtype_parse(s);
    *out = A_DTYPE(d);
    return d != DT_none;
}

static bool split_param(Arena *a, Str item, Param *p)
{
    size_t eq = str_find(item, '=', 0);
    if (eq != SIZE_MAX) {
        p->has_default = true;
        if (!parse_default(a, str_trim(str_sub(item, eq + 1, SIZE_MAX)), &p->dflt))
            return false;
        item = str_trim(str_sub(item, 0, eq));
    }
    size_t colon = str_find(item, ':', 0);
    if (colon != SIZE_MAX) {
        const char *letter =
            colon + 2 == item.n ? strchr(type_letters + 1, item.p[colon + 1]) : NULL;
        if (!letter)
            return false;
        p->type = (uint8_t)(letter - type_letters);
        item = str_sub(item, 0, colon);
    }
    p->name = item;
    return item.n > 0;
}

static bool set_target(Param *p, uint32_t index, const Signature *canonical)
{
    size_t arrow = str_find(p->name, '>', 0);
    Str target = p->name;
    if (arrow != SIZE_MAX) {
        target = str_sub(p->name, arrow + 1, SIZE_MAX);
        p->name = str_sub(p->name, 0, arrow);
    }
    p->target = -1;
    if (!canonical) {
        p->target = (int)index;
        return true;
    }
    if (str_is(target, "_"))
        return true;
    for (uint32_t i = 0; i < canonical->n; i++) {
        if (!str_eq(canonical->params[i].name, target))
            continue;
        const Param *c = &canonical->params[i];
        p->target = (int)i;
        if (p->type == PT_any)
            p->type = c->type;
        if (!p->has_default && c->has_default) { /* so that None is taken where it is the default */
            p->has_default = true;
            p->dflt = c->dflt;
        }
        return true;
    }
    return false;
}

bool signature_parse(Arena *a, const char *text, const Signature *canonical, Signature *out,
                     Diag *d)
{
    Param params[MAX_PARAMS];
    uint32_t n = 0;
    bool keyword_only = false;
    Str rest = str_from(text);
    while (rest.n) {
        Str item = str_trim(str_cut(&rest, ','));
        if (item.n == 0)
            continue;
        if (str_is(item, "*")) {
            keyword_only = true;
            continue;
        }
        Param p = {.keyword_only = keyword_only};
        p.variadic = item.p[0] == '*';
        p.fixed = item.p[0] == '!';
        if (p.variadic || p.fixed)
            item = str_sub(item, 1, SIZE_MAX);
        if (n == MAX_PARAMS || !split_param(a, item, &p) || !set_target(&p, n, canonical)) {
            diag_error(d, DIAG_usage, (Span){0}, "bad-signature",
                       "cannot read parameter '%.*s' of signature (%s)", STR(item), text);
            return false;
        }
        params[n++] = p;
    }
    *out = (Signature){arena_copy(a, params, n * sizeof *params), n, str_from(text)};
    return true;
}

static void print_default(Arg a, StrBuf *out)
{
    switch (a.kind) {
    case ARG_int:
        sb_printf(out, "%lld", (long long)a.i);
        return;
    case ARG_bool:
        sb_puts(out, a.i ? "True" : "False");
        return;
    case ARG_float:
        sb_python_float(out, a.f);
        return;
    case ARG_str:
        sb_printf(out, "'%.*s'", STR(arg_str(a)));
        return;
    case ARG_dtype:
        sb_printf(out, "torch.%s", dtype_info[a.dtype].full_name);
        return;
    case ARG_tuple:
    case ARG_list:
        sb_putc(out, a.kind == ARG_list ? '[' : '(');
        for (uint32_t i = 0; i < a.n; i++) {
            sb_puts(out, i ? ", " : "");
            print_default(a.items[i], out);
        }
        sb_putc(out, a.kind == ARG_list ? ']' : ')');
        return;
    default:
        sb_puts(out, "None");
    }
}

void signature_print(const Signature *sig, StrBuf *out)
{
    bool star = false, any = false;
    for (uint32_t i = 0; i < sig->n; i++) {
        const Param *p = &sig->params[i];
        if (p->fixed)
            continue;
        sb_puts(out, any ? ", " : "");
        any = true;
        if (p->keyword_only && !star)
            sb_puts(out, "*, ");
        star |= p->keyword_only;
        sb_printf(out, "%s%.*s", p->variadic ? "*" : "", STR(p->name));
        if (p->type == PT_true || p->type == PT_false) {
            sb_puts(out, p->type == PT_true ? "=True" : "=False");
        } else if (p->has_default) {
            sb_putc(out, '=');
            print_default(p->dflt, out);
        }
    }
}

/* ----------------------------------------------------------------------------------- binding */

static bool all_items(const Build *b, Arg a, bool (*test)(const Build *, Arg))
{
    if (!arg_is_seq(a))
        return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (!test(b, a.items[i]))
            return false;
    return true;
}

static bool is_tensor(const Build *b, Arg a)
{
    return arg_is_tensor(b, a);
}

static bool is_int(const Build *b, Arg a)
{
    if (a.kind == ARG_value) {
        const Type *t = &b->t->values[a.v].type;
        return t->kind == VALUE_number && dtype_is_exact(t->dtype);
    }
    return a.kind == ARG_int || a.kind == ARG_bool;
}

static bool is_number(const Build *b, Arg a)
{
    return arg_is_number(a) ||
           (a.kind == ARG_value && b->t->values[a.v].type.kind == VALUE_number);
}

static bool arg_fits(const Build *b, const Param *p, Arg a)
{
    if (a.kind == ARG_none && p->has_default && p->dflt.kind == ARG_none)
        return true;
    switch ((ParamType)p->type) {
    case PT_any:
        return true;
    case PT_tensor:
        return is_tensor(b, a);
    case PT_number:
        return is_number(b, a);
    case PT_scalar:
        return is_tensor(b, a) || is_number(b, a);
    case PT_int:
        return is_int(b, a);
    case PT_ints:
        return is_int(b, a) || all_items(b, a, is_int);
    case PT_bool:
        return a.kind == ARG_bool || a.kind == ARG_int;
    case PT_tensors:
        return all_items(b, a, is_tensor);
    case PT_seq:
        return arg_is_seq(a);
    case PT_dtype:
        return a.kind == ARG_dtype;
    case PT_str:
        return a.kind == ARG_str;
    case PT_true:
    case PT_false:
        return a.kind == ARG_bool && (a.i != 0) == (p->type == PT_true);
    }
    return false;
}

static const char *expected(ParamType type)
{
    static const char *const words[] = {
        "anything", "a tensor", "a number", "a tensor or a number", "an int",
        "an int or a sequence of ints", "True or False", "a sequence of tensors",
        "a sequence", "a dtype", "a string", "True", "False"};
    return words[type];
}

static void describe(const Build *b, Arg a, StrBuf *out)
{
    static const char *const kinds[] = {
        [ARG_none] = "None", [ARG_int] = "an int", [ARG_float] = "a float", [ARG_bool] = "a bool",
        [ARG_complex] = "a complex number", [ARG_str] = "a string", [ARG_dtype] = "a dtype",
        [ARG_device] = "a device", [ARG_tuple] = "a tuple", [ARG_list] = "a list",
        [ARG_dict] = "a dict", [ARG_slice] = "a slice", [ARG_ellipsis] = "...",
        [ARG_word] = "a name"};
    if (a.kind != ARG_value) {
        sb_puts(out, kinds[a.kind]);
        return;
    }
    const Value *v = &b->t->values[a.v];
    sb_printf(out, "%.*s: ", STR(v->name));
    type_print(&v->type, &v->known, out);
}

typedef struct Binding {
    const Arg *pos, *kw;
    const Str *kw_names;
    const Span *spans;
    uint32_t npos, nkw;
    Arg out[MAX_PARAMS];
    Span out_spans[MAX_PARAMS];
    bool set[MAX_PARAMS];
    StrBuf why;      /* why this candidate does not fit */
    Span why_span;
    uint32_t reached; /* arguments that did fit */
} Binding;

static bool misfit(Binding *bd, Span at)
{
    bd->why_span = at;
    return false;
}

/* out= asks for the result in a tensor that is there already; None asks for nothing. */
static bool refuse_out(Binding *bd, Str name, Arg a, Span at)
{
    if (!str_is(name, "out") || a.kind == ARG_none)
        return false;
    sb_puts(&bd->why, "cannot write into 'out': use its result, or copy that with Tensor.copy_");
    misfit(bd, at);
    return true;
}

static bool bind_one(const Build *b, Binding *bd, const Param *p, Arg a, Span at)
{
    if (!arg_fits(b, p, a)) {
        sb_printf(&bd->why, "argument '%.*s' must be %s, not ", STR(p->name),
                  expected((ParamType)p->type));
        describe(b, a, &bd->why);
        return misfit(bd, at);
    }
    if (p->target < 0 && refuse_out(bd, p->name, a, at))
        return false;
    bd->reached++;
    if (p->target < 0)
        return true;
    if (bd->set[p->target]) {
        sb_printf(&bd->why, "argument '%.*s' is given twice", STR(p->name));
        return misfit(bd, at);
    }
    bd->set[p->target] = true;
    bd->out[p->target] = a;
    bd->out_spans[p->target] = at;
    return true;
}

static bool bind_positional(Build *b, Binding *bd, const Signature *sig)
{
    uint32_t i = 0;
    for (uint32_t p = 0; p < sig->n && i < bd->npos; p++) {
        const Param *param = &sig->params[p];
        if (param->keyword_only || param->fixed)
            continue;
        Span at = bd->spans ? bd->spans[i] : b->span;
        Arg a = bd->pos[i];
        if (param->variadic) {
            if (!(bd->npos - i == 1 && arg_is_seq(a)))
                a = arg_tuple(b->t, bd->pos + i, bd->npos - i);
            if (bd->spans)
                at = span_join(at, bd->spans[bd->npos - 1]);
            i = bd->npos;
        } else {
            i++;
        }
        if (!bind_one(b, bd, param, a, at))
            return false;
    }
    if (i < bd->npos) {
        sb_printf(&bd->why, "takes %u positional argument%s, %u given", i, plural(i),
                  bd->npos);
        return misfit(bd, bd->spans ? bd->spans[i] : b->span);
    }
    return true;
}

static bool bind_keywords(const Build *b, Binding *bd, const Signature *sig)
{
    for (uint32_t k = 0; k < bd->nkw; k++) {
        Span at = bd->spans ? bd->spans[bd->npos + k] : b->span;
        const Param *param = NULL;
        for (uint32_t p = 0; p < sig->n && !param; p++)
            if (!sig->params[p].fixed && str_eq(sig->params[p].name, bd->kw_names[k]))
                param = &sig->params[p];
        if (!param && str_is(bd->kw_names[k], "out")) {
            if (refuse_out(bd, bd->kw_names[k], bd->kw[k], at))
                return false;
            continue;
        }
        if (!param) {
            sb_printf(&bd->why, "has no argument '%.*s'", STR(bd->kw_names[k]));
            return misfit(bd, at);
        }
        if (!bind_one(b, bd, param, bd->kw[k], at))
            return false;
    }
    return true;
}

/* What a spelling calls the operator's parameter number target. */
static Str name_of(const Signature *sig, uint32_t target, const Signature *canonical)
{
    for (uint32_t p = 0; p < sig->n; p++)
        if (sig->params[p].target == (int)target && !sig->params[p].fixed)
            return sig->params[p].name;
    return canonical->params[target].name;
}

/* Defaults: the spelling's own, then the canonical ones. */
static bool bind_defaults(const Build *b, Binding *bd, const Signature *sig,
                          const Signature *canonical)
{
    for (uint32_t p = 0; p < sig->n; p++) {
        const Param *param = &sig->params[p];
        if (param->target < 0 || bd->set[param->target] || !param->has_default)
            continue;
        bd->set[param->target] = true;
        bd->out[param->target] = param->dflt;
    }
    for (uint32_t p = 0; p < canonical->n; p++) {
        const Param *param = &canonical->params[p];
        if (bd->set[p])
            continue;
        if (param->variadic)
            bd->out[p] = (Arg){.kind = ARG_tuple};
        else if (param->has_default)
            bd->out[p] = param->dflt;
        else {
            sb_printf(&bd->why, "needs argument '%.*s'", STR(name_of(sig, p, canonical)));
            return misfit(bd, b->span);
        }
    }
    return true;
}

static bool bind_candidate(Build *b, Binding *bd, const Spelling *s)
{
    memset(bd->set, 0, sizeof bd->set);
    for (uint32_t i = 0; i < s->op->sig.n; i++)
        bd->out_spans[i] = b->span;
    sb_clear(&bd->why);
    bd->reached = 0;
    return bind_positional(b, bd, &s->sig) && bind_keywords(b, bd, &s->sig) &&
           bind_defaults(b, bd, &s->sig, &s->op->sig);
}

const Op *op_bind(Build *b, const Spelling *candidates, const Arg *pos, uint32_t npos,
                  const Str *kw_names, const Arg *kw, uint32_t nkw, const Span *spans,
                  Arg out[MAX_PARAMS], Span out_spans[MAX_PARAMS])
{
    Binding bd = {.pos = pos, .kw = kw, .kw_names = kw_names, .spans = spans, .npos = npos,
                  .nkw = nkw};
    StrBuf best_why = {0};
    Span best_span = b->span;
    const Spelling *best = NULL;
    uint32_t best_reached = 0;
    for (const Spelling *s = candidates; s; s = s->next) {
        if (bind_candidate(b, &bd, s)) {
            memcpy(out, bd.out, s->op->sig.n * sizeof *out);
            memcpy(out_spans, bd.out_spans, s->op->sig.n * sizeof *out_spans);
            sb_free(&bd.why);
            sb_free(&best_why);
            return s->op;
        }
        if (best && bd.reached <= best_reached)
            continue;
        best = s;
        best_reached = bd.reached;
        best_span = bd.why_span;
        sb_clear(&best_why);
        sb_add(&best_why, sb_str(&bd.why));
    }
    if (!b->failed) {
        DiagItem *item = diag_error(b->diag, DIAG_load, best_span, "bad-argument", "%.*s %s",
                                    STR(candidates->name), sb_cstr(&best_why));
        sb_clear(&best_why);
        signature_print(&best->sig, &best_why);
        diag_note(b->diag, item, "signature: %.*s(%s)", STR(best->name),
                  best_why.n ? sb_cstr(&best_why) : "");
        diag_help(b->diag, item, "ops %s", best->op->name);
    }
    b->failed = true;
    sb_free(&bd.why);
    sb_free(&best_why);
    return NULL;
}
