/*
 * parse_expr.c - the parser's basics and Python's expressions.
 *
 * Input: tokens. Output: Expr trees. After an error `bad` is set and every token looks like the
 * end, so that all loops unwind at once; the statement loop then goes on with the next line.
 */
#include "syntax.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- basics */

Str parse_text(const Parser *p, uint32_t off, uint32_t len)
{
    return (Str){p->file->src->text.p + off, len};
}

Str parse_tok_text(const Parser *p)
{
    return parse_text(p, p->tok.off, p->tok.len);
}

void parse_begin(Parser *p, uint32_t from, uint32_t to)
{
    lex_init(&p->lx, p->file->src->text, from, to);
    p->tok = lex_next(&p->lx);
    p->last_end = from;
}

Tok parse_take(Parser *p)
{
    Tok t = p->tok;
    if (p->bad)
        return t;
    p->last_end = t.off + t.len;
    p->tok = lex_next(&p->lx);
    return t;
}

ParseMark parse_enter(Parser *p, uint32_t from, uint32_t to)
{
    ParseMark m = {p->lx, p->tok, p->last_end};
    lex_init(&p->lx, p->file->src->text, from, to);
    p->lx.line_start = false; /* it is the middle of a line: no log prefix here */
    p->tok = lex_next(&p->lx);
    p->last_end = from;
    return m;
}

void parse_leave(Parser *p, ParseMark m)
{
    p->lx = m.lx;
    p->tok = m.tok;
    p->last_end = m.last_end;
}

bool parse_is(const Parser *p, uint32_t op)
{
    return !p->bad && p->tok.kind == TOK_op && p->tok.op == op;
}

bool parse_is_word(const Parser *p, const char *word)
{
    return !p->bad && p->tok.kind == TOK_name && str_is(parse_tok_text(p), word);
}

bool parse_accept(Parser *p, uint32_t op)
{
    if (!parse_is(p, op))
        return false;
    parse_take(p);
    return true;
}

bool parse_expect(Parser *p, uint32_t op, const char *what)
{
    if (parse_accept(p, op))
        return true;
    parse_unexpected(p, what);
    return false;
}

void parse_error(Parser *p, uint32_t off, uint32_t len, const char *code, const char *fmt, ...)
{
    if (p->bad)
        return;
    p->bad = true;
    if (p->silent)
        return;
    va_list ap;
    va_start(ap, fmt);
    DiagItem *item =
        diag_vadd(p->diag, SEV_error, DIAG_load, front_at(p->file, off, len), code, fmt, ap);
    va_end(ap);
    if (p->fn) {
        p->fn->nerrors++;
        if (p->fn->name.n)
            diag_note(p->diag, item, "in function %.*s", STR(p->fn->name));
    }
}

void parse_unexpected(Parser *p, const char *wanted)
{
    Str text = parse_tok_text(p);
    switch (p->tok.kind) {
    case TOK_end:
        parse_error(p, p->last_end, 0, "truncated", "expected %s, but the text ends here", wanted);
        return;
    case TOK_newline:
    case TOK_comment:
        parse_error(p, p->last_end, 0, "syntax", "expected %s before the end of the line%s", wanted,
                    p->lx.resync ? " (a bracket is not closed)" : "");
        return;
    case TOK_bad:
        if (text.n > 1) {
            parse_error(p, p->tok.off, p->tok.len, "syntax", "this string does not end");
            return;
        }
        parse_error(p, p->tok.off, 1, "syntax", "unexpected character '%.*s'",
                    (unsigned char)*text.p >= 0x20 && *text.p != 0x7f ? 1 : 0, text.p);
        return;
    default:
        text.n = text.n > 40 ? 40 : text.n;
        parse_error(p, p->tok.off, p->tok.len, "syntax", "expected %s, not '%.*s'", wanted,
                    STR(text));
    }
}

void parser_free(Parser *p)
{
    free(p->names);
    free(p->stack);
}

void parse_note_number(Parser *p, Str name)
{
    FrontFunction *fn = p->fn;
    size_t i = 0;
    while (i < name.n && ((name.p[i] | 32) >= 'a' && (name.p[i] | 32) <= 'z'))
        i++;
    int64_t number;
    if (i > 0 && i < name.n && name.n - i <= 9 && str_to_i64(str_sub(name, i, SIZE_MAX), &number) &&
        number >= 0 && (uint64_t)number > fn->max_number)
        fn->max_number = (uint64_t)number;
}

uint32_t parse_sym(Parser *p, Str name)
{
    bool fresh;
    MapEntry *e = map_put(&p->fn->syms, name, &fresh);
    if (!fresh)
        return (uint32_t)e->u;
    if (p->fn->nsyms + 1 >= p->names_cap) {
        p->names_cap = p->names_cap ? p->names_cap * 2 : 256;
        p->names = mem_resize(p->names, p->names_cap * sizeof *p->names);
        p->names[0] = (Str){0};
    }
    e->u = ++p->fn->nsyms;
    p->names[e->u] = e->key;
    return (uint32_t)e->u;
}

/* --------------------------------------------------------------------------------- making trees */

static Expr *make(Parser *p, ExprKind kind, uint32_t off)
{
    Expr *e = new_of(p->arena, Expr);
    e->kind = (uint8_t)kind;
    e->off = off;
    return e;
}

/* Sets the extent of e, and its height above its highest child. */
static Expr *close(Parser *p, Expr *e, uint32_t child_height)
{
    e->len = p->last_end > e->off ? p->last_end - e->off : 0;
    if (child_height >= MAX_HEIGHT)
        parse_error(p, e->off, e->len < 40 ? e->len : 40, "too-deep",
                    "this expression is nested deeper than %d levels", MAX_HEIGHT);
    e->height = (uint16_t)(child_height + 1);
    return e;
}

static uint32_t height(const Expr *e)
{
    return e ? e->height : 0;
}

static Expr *literal(Parser *p, Arg a)
{
    uint32_t off = p->tok.off;
    parse_take(p);
    Expr *e = make(p, EX_literal, off);
    e->literal = a;
    return close(p, e, 0);
}

static void push(Parser *p, Expr *e)
{
    if (p->nstack == p->stack_cap) {
        p->stack_cap = p->stack_cap ? p->stack_cap * 2 : 256;
        p->stack = mem_resize(p->stack, p->stack_cap * sizeof *p->stack);
    }
    p->stack[p->nstack++] = e;
}

/* Takes the items pushed since mark as the children of e. */
static Expr *close_seq(Parser *p, Expr *e, uint32_t mark)
{
    uint32_t highest = 0;
    for (uint32_t i = mark; i < p->nstack; i++)
        if (height(p->stack[i]) > highest)
            highest = height(p->stack[i]);
    e->seq.n = p->nstack - mark;
    e->seq.items = arena_copy(p->arena, p->stack + mark, e->seq.n * sizeof *e->seq.items);
    p->nstack = mark;
    return close(p, e, highest);
}

/* ------------------------------------------------------------------------------------ literals */

static Expr *parse_int(Parser *p)
{
    char buf[80];
    size_t n = 0;
    Str s = parse_tok_text(p);
    for (size_t i = 0; i < s.n && n + 1 < sizeof buf; i++)
        if (s.p[i] != '_')
            buf[n++] = s.p[i];
    buf[n] = 0;
    int base = 10;
    const char *digits = buf;
    if (n > 2 && buf[0] == '0' && strchr("xXbBoO", buf[1])) {
        base = (buf[1] | 32) == 'x' ? 16 : (buf[1] | 32) == 'b' ? 2 : 8;
        digits += 2;
    }
    char *end;
    errno = 0;
    unsigned long long v = strtoull(digits, &end, base);
    if (*end || end == digits)
        parse_error(p, p->tok.off, p->tok.len, "syntax", "this is not a number");
    /* 2**63 stays as it is: with a minus in front it is the smallest int. */
    else if (errno || v > (unsigned long long)INT64_MAX + 1)
        parse_error(p, p->tok.off, p->tok.len, "int-too-large", "this int has more than 64 bits");
    return literal(p, A_INT((int64_t)v));
}

static Expr *parse_float(Parser *p)
{
    char buf[400];
    size_t n = 0;
    Str s = parse_tok_text(p);
    bool imaginary = p->tok.kind == TOK_imag;
    for (size_t i = 0; i < s.n - imaginary && n + 1 < sizeof buf; i++)
        if (s.p[i] != '_')
            buf[n++] = s.p[i];
    buf[n] = 0;
    double v = strtod(buf, NULL);
    if (!imaginary)
        return literal(p, A_FLOAT(v));
    Arg *parts = new_array(p->arena, Arg, 2);
    parts[0] = A_FLOAT(0.0);
    parts[1] = A_FLOAT(v);
    return literal(p, (Arg){.kind = ARG_complex, .n = 2, .items = parts});
}

static Expr *parse_string(Parser *p)
{
    StrBuf all = {0};
    Str s = lex_string(p->arena, parse_tok_text(p));
    uint32_t off = p->tok.off;
    Expr *e = literal(p, (Arg){.kind = ARG_str, .n = (uint32_t)s.n, .s = s.p});
    while (!p->bad && p->tok.kind == TOK_string) { /* adjacent literals are one string */
        if (all.n == 0)
            sb_add(&all, s);
        sb_add(&all, lex_string(p->arena, parse_tok_text(p)));
        parse_take(p);
    }
    if (all.n) {
        s = arena_str(p->arena, sb_str(&all));
        e->literal = (Arg){.kind = ARG_str, .n = (uint32_t)s.n, .s = s.p};
        e->off = off;
        close(p, e, 0);
    }
    sb_free(&all);
    return e;
}

static bool is_reserved(Str s)
{
    static const char *const words[] = {
        "None",   "True",   "False", "lambda",   "if",       "else",   "for", "while",
        "with",   "yield",  "await", "try",      "async",    "return", "def", "class",
        "import", "del",    "pass",  "and",      "or",       "in",     "is",  "raise",
        "assert", "global", "break", "nonlocal", "continue",
    };
    if (s.n < 2 || s.n > 8)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i][0] == s.p[0] && str_is(s, words[i]))
            return true;
    return false;
}

void parse_own_name(Parser *p)
{
    Str s = parse_tok_text(p);
    if (is_reserved(s))
        parse_error(p, p->tok.off, p->tok.len, "unsupported",
                    "'%.*s' is not part of straight-line programs", STR(s));
    parse_take(p);
}

static Expr *parse_name(Parser *p)
{
    static const struct {
        const char *word;
        Arg value;
    } words[] = {
        {"None", {.kind = ARG_none}},
        {"True", {.kind = ARG_bool, .i = 1}},
        {"False", {.kind = ARG_bool, .i = 0}},
        {"Ellipsis", {.kind = ARG_ellipsis}},
    };
    Str s = parse_tok_text(p);
    for (size_t i = 0; i < ARRAY_LEN(words) && *s.p <= 'T'; i++)
        if (str_is(s, words[i].word))
            return literal(p, words[i].value);
    uint32_t off = p->tok.off;
    parse_own_name(p);
    Expr *e = make(p, EX_name, off);
    e->sym = parse_sym(p, s);
    parse_note_number(p, s);
    return close(p, e, 0);
}

/* --------------------------------------------------------------------------------------- atoms */

static Expr *parse_items(Parser *p, ExprKind kind, uint32_t off, uint32_t mark, uint32_t closer,
                         const char *what)
{
    while (!p->bad && !parse_is(p, closer)) {
        push(p, parse_expr(p));
        if (!parse_accept(p, OP1(',')))
            break;
    }
    parse_expect(p, closer, what);
    return close_seq(p, make(p, kind, off), mark);
}

static Expr *parse_paren(Parser *p)
{
    uint32_t off = p->tok.off, mark = p->nstack;
    parse_take(p);
    if (parse_accept(p, OP1(')')))
        return close_seq(p, make(p, EX_tuple, off), mark);
    Expr *inner = parse_expr(p);
    if (parse_is(p, OP1(','))) {
        parse_take(p);
        push(p, inner);
        return parse_items(p, EX_tuple, off, mark, OP1(')'), "')'");
    }
    parse_expect(p, OP1(')'), "')'");
    inner->off = off;
    inner->len = p->last_end - off;
    return inner;
}

static Expr *parse_braces(Parser *p)
{
    uint32_t off = p->tok.off, mark = p->nstack;
    ExprKind kind = EX_dict;
    parse_take(p);
    while (!p->bad && !parse_is(p, OP1('}'))) {
        push(p, parse_expr(p));
        if (p->nstack == mark + 1 && !parse_is(p, OP1(':')))
            kind = EX_set;
        if (kind == EX_dict) {
            parse_expect(p, OP1(':'), "':'");
            push(p, parse_expr(p));
        }
        if (!parse_accept(p, OP1(',')))
            break;
    }
    parse_expect(p, OP1('}'), "'}'");
    return close_seq(p, make(p, kind, off), mark);
}

static Expr *parse_atom(Parser *p)
{
    uint32_t off = p->tok.off;
    switch (p->tok.kind) {
    case TOK_int:
        return parse_int(p);
    case TOK_float:
    case TOK_imag:
        return parse_float(p);
    case TOK_string:
        return parse_string(p);
    case TOK_name:
        return parse_name(p);
    default:
        break;
    }
    if (parse_is(p, OP3('.', '.', '.')))
        return literal(p, (Arg){.kind = ARG_ellipsis});
    if (parse_is(p, OP1('(')))
        return parse_paren(p);
    if (parse_is(p, OP1('['))) {
        parse_take(p);
        return parse_items(p, EX_list, off, p->nstack, OP1(']'), "']'");
    }
    if (parse_is(p, OP1('{')))
        return parse_braces(p);
    if (parse_accept(p, OP1('%'))) { /* %t5: a value by its name */
        if (p->tok.kind == TOK_name)
            return parse_name(p);
        parse_unexpected(p, "a value's name after '%'");
    }
    parse_unexpected(p, "an expression");
    return close(p, make(p, EX_literal, off), 0);
}

/* ------------------------------------------------------------------------------------ postfixes */

/* Whether the next tokens are NAME '=' (a keyword argument). */
static bool at_keyword(Parser *p)
{
    if (p->tok.kind != TOK_name)
        return false;
    Lexer ahead = p->lx;
    Tok t = lex_next(&ahead);
    return t.kind == TOK_op && t.op == OP1('=');
}

static Expr *parse_call(Parser *p, Expr *fn)
{
    Argument args[64], *all = args;
    uint32_t n = 0, cap = ARRAY_LEN(args), highest = fn->height;
    parse_take(p);
    while (!p->bad && !parse_is(p, OP1(')'))) {
        Argument a = {0};
        if (parse_is(p, OP1('*')) || parse_is(p, OP2('*', '*')))
            a.stars = (uint8_t)parse_take(p).len;
        if (at_keyword(p)) {
            a.keyword = parse_sym(p, parse_tok_text(p));
            parse_take(p);
            parse_take(p);
        }
        a.value = parse_expr(p);
        if (n == cap) {
            Argument *more = new_array(p->arena, Argument, cap * 2);
            memcpy(more, all, n * sizeof *all);
            all = more;
            cap *= 2;
        }
        all[n++] = a;
        if (a.value->height > highest)
            highest = a.value->height;
        if (!parse_accept(p, OP1(',')))
            break;
    }
    parse_expect(p, OP1(')'), "',' or ')'");
    Expr *e = make(p, EX_call, fn->off);
    e->call.fn = fn;
    e->call.n = n;
    e->call.args = arena_copy(p->arena, all, n * sizeof *all);
    return close(p, e, highest);
}

/* One item of a subscript: an expression, or start:stop:step. */
static Expr *parse_slice_item(Parser *p)
{
    uint32_t off = p->tok.off, mark = p->nstack;
    Expr *parts[3] = {0};
    uint32_t n = 0;
    if (!parse_is(p, OP1(':')))
        parts[0] = parse_expr(p);
    if (!parse_is(p, OP1(':')))
        return parts[0] ? parts[0] : close(p, make(p, EX_literal, off), 0);
    while (n < 2 && parse_accept(p, OP1(':'))) {
        n++;
        if (!parse_is(p, OP1(':')) && !parse_is(p, OP1(',')) && !parse_is(p, OP1(']')))
            parts[n] = parse_expr(p);
    }
    for (uint32_t i = 0; i < 3; i++)
        push(p, parts[i]);
    return close_seq(p, make(p, EX_slice, off), mark);
}

static Expr *parse_index(Parser *p, Expr *obj)
{
    parse_take(p);
    uint32_t off = p->tok.off, mark = p->nstack;
    Expr *key = parse_slice_item(p);
    if (parse_is(p, OP1(','))) {
        push(p, key);
        while (parse_accept(p, OP1(',')) && !parse_is(p, OP1(']')))
            push(p, parse_slice_item(p));
        key = close_seq(p, make(p, EX_tuple, off), mark);
    }
    parse_expect(p, OP1(']'), "']'");
    Expr *e = make(p, EX_index, obj->off);
    e->index.obj = obj;
    e->index.key = key;
    return close(p, e, obj->height > key->height ? obj->height : key->height);
}

/* a.b.c as one name, also where the text has blanks between the parts. */
static uint32_t dotted_sym(Parser *p, const Expr *e)
{
    const Expr *parts[MAX_NESTING];
    uint32_t n = 0;
    for (const Expr *x = e; x->kind == EX_attr && n < MAX_NESTING; x = x->attr.obj)
        parts[n++] = x;
    const Expr *root = n ? parts[n - 1]->attr.obj : e;
    if (root->kind != EX_name)
        return 0;
    StrBuf b = {0};
    sb_add(&b, p->names[root->sym]);
    while (n--) {
        sb_putc(&b, '.');
        sb_add(&b, p->names[parts[n]->attr.sym]);
    }
    uint32_t sym = parse_sym(p, sb_str(&b));
    sb_free(&b);
    return sym;
}

static Expr *parse_postfix(Parser *p)
{
    Expr *e = parse_atom(p);
    while (!p->bad) {
        if (parse_is(p, OP1('('))) {
            e = parse_call(p, e);
        } else if (parse_is(p, OP1('['))) {
            e = parse_index(p, e);
        } else if (parse_accept(p, OP1('.'))) {
            if (p->tok.kind != TOK_name) {
                parse_unexpected(p, "a name after '.'");
                break;
            }
            Expr *attr = make(p, EX_attr, e->off);
            attr->attr.obj = e;
            attr->attr.sym = parse_sym(p, parse_tok_text(p));
            parse_own_name(p);
            e = close(p, attr, e->height);
            if (!p->bad && !parse_is(p, OP1('.')))
                e->attr.path = dotted_sym(p, e);
        } else {
            break;
        }
    }
    return e;
}

/* ------------------------------------------------------------------------------------ operators */

static Expr *binary(Parser *p, ExprKind kind, uint32_t op, Expr *a, Expr *b)
{
    Expr *e = make(p, kind, a->off);
    e->bin.a = a;
    e->bin.b = b;
    e->bin.op = op;
    return close(p, e, a->height > b->height ? a->height : b->height);
}

static bool enter(Parser *p)
{
    if (++p->nesting > MAX_NESTING)
        parse_error(p, p->tok.off, p->tok.len, "too-deep", "nested deeper than %d levels",
                    MAX_NESTING);
    return !p->bad;
}

static Expr *parse_unary(Parser *p)
{
    uint32_t off = p->tok.off;
    if (parse_is(p, OP1('-')) || parse_is(p, OP1('+')) || parse_is(p, OP1('~'))) {
        uint32_t op = parse_take(p).op;
        enter(p);
        Expr *a = p->bad ? close(p, make(p, EX_literal, off), 0) : parse_unary(p);
        p->nesting--;
        Expr *e = make(p, EX_unary, off);
        e->bin.a = a;
        e->bin.op = op;
        return close(p, e, a->height);
    }
    Expr *base = parse_postfix(p);
    if (!parse_accept(p, OP2('*', '*')))
        return base;
    enter(p);
    Expr *power = p->bad ? base : parse_unary(p);
    p->nesting--;
    return binary(p, EX_binary, OP2('*', '*'), base, power);
}

/* Binding strength of a binary operator; 0 = none. "!" stands for "not in" and "is not". */
static int precedence(const Parser *p)
{
    if (p->bad)
        return 0;
    if (p->tok.kind == TOK_name)
        return parse_is_word(p, "or")                                                        ? 1
               : parse_is_word(p, "and")                                                     ? 2
               : parse_is_word(p, "is") || parse_is_word(p, "in") || parse_is_word(p, "not") ? 4
                                                                                             : 0;
    if (p->tok.kind != TOK_op)
        return 0;
    switch (p->tok.op) {
    case OP1('<'):
    case OP1('>'):
    case OP2('<', '='):
    case OP2('>', '='):
    case OP2('=', '='):
    case OP2('!', '='):
        return 4;
    case OP1('|'):
        return 5;
    case OP1('^'):
        return 6;
    case OP1('&'):
        return 7;
    case OP2('<', '<'):
    case OP2('>', '>'):
        return 8;
    case OP1('+'):
    case OP1('-'):
        return 9;
    case OP1('*'):
    case OP1('/'):
    case OP1('%'):
    case OP1('@'):
    case OP2('/', '/'):
        return 10;
    default:
        return 0;
    }
}

/* The operator at hand: its characters, or OP2 of the first letters of a word operator. */
static uint32_t take_operator(Parser *p)
{
    Tok t = parse_take(p);
    if (t.kind == TOK_op)
        return t.op;
    char c = *parse_text(p, t.off, 1).p;
    if (c == 'i' && parse_is_word(p, "not")) {
        parse_take(p);
        return OP3('i', 's', '!');
    }
    if (c == 'n') {
        if (!parse_is_word(p, "in"))
            parse_unexpected(p, "'in' after 'not'");
        else
            parse_take(p);
        return OP3('i', 'n', '!');
    }
    return c == 'i' ? OP2('i', parse_text(p, t.off, 2).p[1]) : OP1(c);
}

static Expr *parse_binary(Parser *p, int least);

static Expr *parse_not(Parser *p)
{
    uint32_t off = p->tok.off;
    parse_take(p);
    Expr *e = make(p, EX_unary, off);
    e->bin.op = OP1('!');
    e->bin.a = enter(p) ? parse_binary(p, 4) : close(p, make(p, EX_literal, off), 0);
    p->nesting--;
    return close(p, e, e->bin.a->height);
}

static Expr *parse_binary(Parser *p, int least)
{
    Expr *a = parse_is_word(p, "not") && least <= 4 ? parse_not(p) : parse_unary(p);
    int strength;
    Expr *compared = NULL; /* right operand of the last comparison: a < b < c */
    while ((strength = precedence(p)) >= least && strength) {
        uint32_t op = take_operator(p);
        Expr *b = parse_binary(p, strength + 1);
        if (strength <= 2) {
            a = binary(p, strength == 1 ? EX_or : EX_and, op, a, b);
        } else if (strength == 4 && compared) {
            a = binary(p, EX_and, op, a, binary(p, EX_binary, op, compared, b));
        } else {
            a = binary(p, EX_binary, op, a, b);
        }
        compared = strength == 4 ? b : NULL;
    }
    return a;
}

Expr *parse_expr(Parser *p)
{
    uint32_t off = p->tok.off;
    Expr *e = enter(p) ? parse_binary(p, 1) : close(p, make(p, EX_literal, off), 0);
    p->nesting--;
    if (parse_is_word(p, "if") || parse_is_word(p, "for"))
        parse_error(p, p->tok.off, p->tok.len, "unsupported",
                    "'%.*s' is not part of straight-line programs", STR(parse_tok_text(p)));
    return e;
}

Expr *parse_expr_list(Parser *p)
{
    uint32_t off = p->tok.off, mark = p->nstack;
    Expr *first = parse_expr(p);
    if (!parse_is(p, OP1(',')))
        return first;
    push(p, first);
    while (parse_accept(p, OP1(','))) {
        if (p->tok.kind != TOK_name && p->tok.kind != TOK_int && p->tok.kind != TOK_float &&
            p->tok.kind != TOK_string && p->tok.kind != TOK_imag && !parse_is(p, OP1('(')) &&
            !parse_is(p, OP1('[')) && !parse_is(p, OP1('{')) && !parse_is(p, OP1('-')) &&
            !parse_is(p, OP1('~')) && !parse_is(p, OP3('.', '.', '.')))
            break; /* a trailing comma */
        push(p, parse_expr(p));
    }
    return close_seq(p, make(p, EX_tuple, off), mark);
}
