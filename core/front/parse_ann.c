/*
 * parse_ann.c - type annotations: PyTorch's "f32[8, s0][16, 1]cuda:0" and "Sym(s0)", Thunder's
 * "cuda:0 f32[8, 4]" and "int 5".
 *
 * Input: tokens, or a string literal whose inside is read as tokens. Output: an Ann. Text that is
 * no type of ours (torch.Tensor, Optional[int]) says nothing; a type that is spoilt is an error.
 */
#include "syntax.h"

#include <string.h>

static bool text_is(const Parser *p, Tok t, const char *s)
{
    return t.kind == TOK_name && str_is(parse_text(p, t.off, t.len), s);
}

static Tok look_ahead(const Parser *p)
{
    Lexer ahead = p->lx;
    return lex_next(&ahead);
}

/* NAME or NAME:INDEX when it names a device; consumes it then. */
static bool parse_device(Parser *p, Device *out)
{
    if (p->bad || p->tok.kind != TOK_name)
        return false;
    Str name = parse_tok_text(p);
    Device d;
    if (!device_parse(name, &d))
        return false;
    Tok first = parse_take(p);
    if (parse_is(p, OP1(':')) && look_ahead(p).kind == TOK_int) {
        parse_take(p);
        Tok index = parse_take(p);
        Str whole = parse_text(p, first.off, index.off + index.len - first.off);
        if (!device_parse(whole, &d))
            parse_error(p, first.off, (uint32_t)whole.n, "syntax", "no such device");
    }
    *out = d;
    return true;
}

/* thunder.devices.Device(type='cuda', index=1), as Thunder prints the device of a future. */
static bool parse_device_call(Parser *p, Device *out)
{
    if (p->bad || p->tok.kind != TOK_name || !str_is(parse_tok_text(p), "thunder"))
        return false;
    StrBuf name = {0};
    while (!p->bad && p->tok.kind != TOK_end) {
        Tok t = parse_take(p);
        if (t.kind == TOK_string) {
            Str s = lex_string(p->arena, parse_text(p, t.off, t.len));
            sb_add(&name, s);
        } else if (t.kind == TOK_int) {
            sb_putc(&name, ':');
            sb_add(&name, parse_text(p, t.off, t.len));
        } else if (t.kind == TOK_op && t.op == OP1(')')) {
            break;
        }
    }
    bool ok = device_parse(sb_str(&name), out);
    sb_free(&name);
    return ok;
}

static const Dim *parse_dims(Parser *p, uint32_t *n)
{
    Dim few[MAX_RANK], *dims = few; /* more than MAX_RANK sizes are refused later, as a type */
    uint32_t cap = MAX_RANK;
    *n = 0;
    parse_take(p);
    while (!p->bad && !parse_is(p, OP1(']'))) {
        if (*n == cap) {
            Dim *more = new_array(p->arena, Dim, cap * 2);
            memcpy(more, dims, *n * sizeof *dims);
            dims = more;
            cap *= 2;
        }
        Expr *e = parse_expr(p);
        bool number = e->kind == EX_literal && e->literal.kind == ARG_int;
        dims[(*n)++] = (Dim){number ? e->literal.i : -1, number ? NULL : e};
        if (!parse_accept(p, OP1(',')))
            break;
    }
    parse_expect(p, OP1(']'), "']' after the sizes");
    return arena_copy(p->arena, dims, *n * sizeof *dims);
}

/* dtype[dims][strides]device; the device may stand in front already. */
static void parse_tensor(Parser *p, Ann *a)
{
    a->kind = ANN_tensor;
    a->dtype = (uint8_t)dtype_parse(parse_tok_text(p));
    if (a->dtype == DT_none)
        parse_error(p, p->tok.off, p->tok.len, "unknown-dtype", "'%.*s' is no dtype",
                    STR(parse_tok_text(p)));
    parse_take(p);
    a->dims = parse_dims(p, &a->rank);
    if (parse_is(p, OP1('['))) {
        uint32_t n;
        a->strides = parse_dims(p, &n);
        a->has_strides = true;
        if (n != a->rank)
            parse_error(p, a->off, p->last_end - a->off, "syntax", "%u sizes but %u strides",
                        a->rank, n);
    }
    if (parse_device(p, &a->device))
        a->has_device = true;
}

/* Thunder's "int 5", "float ?", "bool True". */
static bool parse_number(Parser *p, Ann *a)
{
    static const struct {
        const char *word;
        DType dtype;
    } words[] = {{"int", DT_i64}, {"float", DT_f64}, {"bool", DT_b8}, {"complex", DT_c128}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!parse_is_word(p, words[i].word))
            continue;
        Tok next = look_ahead(p);
        if (next.kind == TOK_end || next.kind == TOK_newline)
            return false;
        parse_take(p);
        a->kind = ANN_number;
        a->dtype = (uint8_t)words[i].dtype;
        if (!parse_accept(p, OP1('?')))
            a->value = parse_expr(p);
        return true;
    }
    return false;
}

static bool parse_word(Parser *p, Ann *a)
{
    static const struct {
        const char *word;
        AnnKind kind;
    } words[] = {{"str", ANN_str},         {"tuple", ANN_collection},      {"list", ANN_collection},
                 {"dict", ANN_collection}, {"Collection", ANN_collection}, {"Any", ANN_any}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (parse_is_word(p, words[i].word)) {
            a->kind = (uint8_t)words[i].kind;
            parse_take(p);
            return true;
        }
    if (parse_is(p, OP1('<'))) {
        a->kind = ANN_any;
        return true;
    }
    return false;
}

/* Sym(expr), or Subclass(tensor, ...) whose tensor counts. */
static bool parse_wrapped(Parser *p, Ann *a)
{
    Tok next = look_ahead(p);
    if (p->tok.kind != TOK_name || next.kind != TOK_op || next.op != OP1('('))
        return false;
    bool symbol = parse_is_word(p, "Sym");
    parse_take(p);
    parse_take(p);
    if (symbol) {
        a->kind = ANN_symbol;
        a->value = parse_expr(p);
        parse_expect(p, OP1(')'), "')' after Sym(...");
        return true;
    }
    next = look_ahead(p);
    if (p->tok.kind == TOK_name && next.kind == TOK_op && next.op == OP1('['))
        parse_tensor(p, a);
    while (!p->bad && p->tok.kind != TOK_end && p->lx.depth)
        parse_take(p);
    parse_accept(p, OP1(')'));
    return true;
}

static void parse_type(Parser *p, Ann *a, bool quoted)
{
    if (text_is(p, p->tok, "FUTURE")) {
        a->future = true;
        parse_take(p);
        a->has_device = parse_device_call(p, &a->device);
    }
    if (parse_number(p, a) || parse_word(p, a) || parse_wrapped(p, a))
        return;
    if (!a->has_device && look_ahead(p).kind != TOK_end)
        a->has_device = parse_device(p, &a->device);
    Tok next = look_ahead(p);
    bool bracket = p->tok.kind == TOK_name && next.kind == TOK_op && next.op == OP1('[');
    if (bracket && (quoted || dtype_parse(parse_tok_text(p)) != DT_none))
        parse_tensor(p, a);
}

/* A bare annotation that is no type of ours: past it. */
static void skip_bare(Parser *p)
{
    uint32_t depth = p->lx.depth;
    while (!p->bad && p->tok.kind != TOK_end && p->tok.kind != TOK_newline &&
           p->tok.kind != TOK_comment) {
        if (p->tok.kind == TOK_bad)
            parse_unexpected(p, "a type");
        bool ends = parse_is(p, OP1('=')) || parse_is(p, OP1(',')) || parse_is(p, OP1(')')) ||
                    parse_is(p, OP1(';')) || parse_is(p, OP1(':'));
        if (ends && p->lx.depth <= depth)
            return;
        parse_take(p);
    }
}

const Ann *parse_annotation(Parser *p)
{
    Ann *a = new_of(p->arena, Ann);
    *a = (Ann){.kind = ANN_none, .dtype = DT_none, .off = p->tok.off};
    if (p->tok.kind == TOK_string) {
        uint32_t from, len, off = p->tok.off;
        lex_string_inside(parse_tok_text(p), &from, &len);
        a->len = p->tok.len;
        parse_take(p);
        ParseMark m = parse_enter(p, off + from, off + from + len);
        parse_type(p, a, true);
        if (a->kind == ANN_tensor && !p->bad && p->tok.kind != TOK_end)
            parse_unexpected(p, "the end of the type");
        parse_leave(p, m);
        return p->bad ? NULL : a;
    }
    parse_type(p, a, false);
    if (a->kind == ANN_none)
        skip_bare(p);
    a->len = p->last_end > a->off ? p->last_end - a->off : 0;
    return p->bad ? NULL : a;
}
