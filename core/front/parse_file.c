/*
 * parse_file.c - finds the functions in a text.
 *
 * Input: any text: a program, a log, a page with programs in it. Output: a FrontFile with a syntax
 * tree for each function. Lines outside of functions matter only where they open a class or a
 * function, import a name, or say who made the trace below; all else is skipped.
 */
#include "syntax.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- parameters */

static void add_symbol(FrontFunction *fn, Arena *a, Str name, uint32_t *cap)
{
    for (uint32_t i = 0; i < fn->nsymbols; i++)
        if (str_eq(fn->symbols[i], name))
            return;
    if (fn->nsymbols == *cap) {
        *cap = *cap ? *cap * 2 : 8;
        Str *more = new_array(a, Str, *cap);
        if (fn->nsymbols)
            memcpy(more, fn->symbols, fn->nsymbols * sizeof *more);
        fn->symbols = more;
    }
    ((Str *)fn->symbols)[fn->nsymbols++] = name;
}

/* Every name in e that is no function of sizes (Max, FloorDiv) is a symbol. */
static void collect_symbols(Parser *p, const Expr *e, uint32_t *cap)
{
    if (!e)
        return;
    switch (e->kind) {
    case EX_name:
        add_symbol(p->fn, p->arena, p->names[e->sym], cap);
        return;
    case EX_unary:
        collect_symbols(p, e->bin.a, cap);
        return;
    case EX_binary:
        collect_symbols(p, e->bin.a, cap);
        collect_symbols(p, e->bin.b, cap);
        return;
    case EX_call:
        for (uint32_t i = 0; i < e->call.n; i++)
            collect_symbols(p, e->call.args[i].value, cap);
        return;
    default:
        return;
    }
}

static void symbols_of(Parser *p, const Ann *a, uint32_t *cap)
{
    if (!a)
        return;
    if (a->kind == ANN_symbol)
        collect_symbols(p, a->value, cap);
    for (uint32_t i = 0; i < a->rank; i++)
        collect_symbols(p, a->dims[i].expr, cap);
}

/* "s0: torch.SymInt" is a symbol of its own name. */
static const Ann *symint_annotation(Parser *p, const Ann *a, Tok name)
{
    if (a->kind != ANN_none || !str_is(parse_text(p, a->off, a->len), "torch.SymInt"))
        return a;
    Ann *s = arena_copy(p->arena, a, sizeof *a);
    s->kind = ANN_symbol;
    s->value = new_of(p->arena, Expr);
    *s->value = (Expr){.kind = EX_name, .height = 1, .off = name.off, .len = name.len};
    s->value->sym = parse_sym(p, parse_text(p, name.off, name.len));
    return s;
}

static ParamDecl parse_param(Parser *p)
{
    ParamDecl d = {.off = p->tok.off};
    if (parse_is(p, OP1('*')) || parse_is(p, OP2('*', '*')))
        d.stars = (uint8_t)parse_take(p).len;
    if (p->tok.kind != TOK_name) {
        if (d.stars == 1 && parse_is(p, OP1(',')))
            return d; /* a bare '*': keyword-only parameters follow */
        parse_unexpected(p, "a parameter's name");
        return d;
    }
    Tok name = p->tok;
    d.sym = parse_sym(p, parse_tok_text(p));
    parse_note_number(p, parse_tok_text(p));
    parse_own_name(p);
    if (parse_accept(p, OP1(':'))) {
        d.ann = parse_annotation(p);
        if (d.ann)
            d.ann = symint_annotation(p, d.ann, name);
    }
    if (parse_accept(p, OP1('=')))
        d.dflt = parse_expr(p);
    d.len = p->last_end - d.off;
    return d;
}

static bool first_of_name(Parser *p, Map *seen, ParamDecl d)
{
    Str name = p->names[d.sym];
    bool fresh;
    map_put(seen, name, &fresh);
    if (!fresh)
        parse_error(p, d.off, d.len, "duplicate-parameter", "there are two parameters '%.*s'",
                    STR(name));
    return fresh;
}

static void parse_params(Parser *p)
{
    uint32_t n = 0, cap = 0, symbol_cap = 0;
    Map seen = {0};
    ParamDecl *params = NULL;
    while (!p->bad && !parse_is(p, OP1(')'))) {
        ParamDecl d = {0};
        if (!parse_accept(p, OP1('/')))
            d = parse_param(p);
        if (p->bad)
            break;
        if (d.sym) {
            if (!first_of_name(p, &seen, d))
                break;
            if (n == cap) {
                cap = cap ? cap * 2 : 16;
                ParamDecl *more = new_array(p->arena, ParamDecl, cap);
                if (n)
                    memcpy(more, params, n * sizeof *more);
                params = more;
            }
            params[n++] = d;
            symbols_of(p, d.ann, &symbol_cap);
        }
        if (!parse_accept(p, OP1(',')))
            break;
    }
    map_free(&seen);
    parse_expect(p, OP1(')'), "',' or ')'");
    p->fn->params = params;
    p->fn->nparams = n;
}

/* ----------------------------------------------------------------------------------- functions */

static void add_function(FrontFile *f, FrontFunction *fn, bool nested)
{
    FrontFunction ***list = nested ? &f->nested : &f->functions;
    uint32_t *n = nested ? &f->nnested : &f->n, *cap = nested ? &f->nested_cap : &f->cap;
    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 8;
        FrontFunction **more = new_array(&f->arena, FrontFunction *, *cap);
        if (*n)
            memcpy(more, *list, *n * sizeof *more);
        *list = more;
    }
    (*list)[(*n)++] = fn;
}

/* At "def": the signature, then the body. */
static void parse_function(Parser *p, const ClassDecl *cls, const FrontFunction *header)
{
    FrontFunction *fn = new_of(p->arena, FrontFunction);
    uint32_t col = p->tok.col;
    *fn = *header;
    fn->file = p->file;
    fn->cls = cls;
    fn->off = p->tok.off;
    p->fn = fn;
    parse_take(p);
    fn->name = p->tok.kind == TOK_name ? parse_tok_text(p) : S("?");
    if (p->tok.kind != TOK_name)
        parse_unexpected(p, "a function's name");
    parse_own_name(p);
    parse_expect(p, OP1('('), "'('");
    parse_params(p);
    if (parse_accept(p, OP2('-', '>')))
        parse_annotation(p);
    parse_expect(p, OP1(':'), "':'");
    if (!p->bad)
        parse_body(p, fn, col);
    p->bad = false;
    p->nstack = 0;
    p->nesting = 0;
    fn->len = p->last_end > fn->off ? p->last_end - fn->off : 0;
    fn->sym_names = p->names ? arena_copy(p->arena, p->names, (fn->nsyms + 1) * sizeof *p->names)
                             : new_of(p->arena, Str);
    add_function(p->file, fn, fn->cls && fn->cls->outer);
    p->fn = NULL;
}

/* ---------------------------------------------------------------------------------------- file */

typedef struct Scan {
    Parser p;
    const ClassDecl *cls; /* innermost open class */
    FrontFunction header; /* what comments said about the next function */
} Scan;

static const FrontFunction no_header = {.plan_bytes = -1};

/* "class NAME(...):", also behind a file name as in logs. Returns the class's name, "" = none. */
static Str class_name(Str line)
{
    Str s = str_trim(line);
    size_t at = str_starts(s, "class ") ? 0 : SIZE_MAX;
    for (size_t i = str_find(s, ' ', 0); at == SIZE_MAX && i != SIZE_MAX;
         i = str_find(s, ' ', i + 1))
        if (str_starts(str_sub(s, i, SIZE_MAX), " class ") && str_ends(s, "):"))
            at = i + 1;
    if (at == SIZE_MAX)
        return (Str){0};
    s = str_sub(s, at + 6, SIZE_MAX);
    size_t end = 0;
    while (end < s.n && s.p[end] != '(' && s.p[end] != ':')
        end++;
    return end < s.n ? str_trim(str_sub(s, 0, end)) : (Str){0};
}

static void close_classes(Scan *sc, uint32_t col)
{
    while (sc->cls && sc->cls->col >= col)
        sc->cls = sc->cls->outer;
}

static void open_class(Scan *sc, Str name, uint32_t col)
{
    close_classes(sc, col);
    ClassDecl *c = new_of(sc->p.arena, ClassDecl);
    *c = (ClassDecl){name, col, sc->cls};
    sc->cls = c;
}

/* Functions that set things up and compute nothing of the program. */
static bool is_helper(Str line)
{
    Str name = str_trim(str_sub(line, 4, SIZE_MAX));
    return str_starts(name, "__") || str_starts(name, "load_args");
}

static uint32_t next_line(Str text, uint32_t pos)
{
    size_t nl = str_find(text, '\n', pos);
    return nl == SIZE_MAX ? (uint32_t)text.n : (uint32_t)nl + 1;
}

/* Where the scan goes on after a function: the line of the token that ended it. */
static uint32_t after_function(const Scan *sc, Str text, uint32_t def_line)
{
    uint32_t at = sc->p.tok.off < text.n ? sc->p.tok.off : (uint32_t)text.n;
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    uint32_t least = next_line(text, def_line);
    return at > least ? at : least;
}

static uint32_t scan_line(Scan *sc, Str text, uint32_t pos)
{
    uint32_t next = next_line(text, pos), col = 0;
    Str line = str_sub(text, pos, next - pos);
    uint32_t prefix = lex_log_prefix(line.p, line.p + line.n);
    line = str_sub(line, prefix, SIZE_MAX);
    while (col < line.n && (line.p[col] == ' ' || line.p[col] == '\t'))
        col++;
    line = str_sub(line, col, SIZE_MAX);
    if (str_starts(line, "def ")) {
        if (is_helper(line))
            return next;
        parse_begin(&sc->p, pos, (uint32_t)text.n);
        sc->p.lx.only_prefixed = prefix > 0;
        close_classes(sc, sc->p.tok.col);
        parse_function(&sc->p, sc->cls, &sc->header);
        sc->header = no_header;
        return after_function(sc, text, pos);
    }
    Str name = line.n && line.p[0] != '#' ? class_name(line) : (Str){0};
    if (name.n)
        open_class(sc, name, col);
    else if (str_starts(line, "import ") || str_starts(line, "from "))
        parse_import(sc->p.file, line);
    else if (str_starts(line, "# "))
        comment_header(str_sub(line, 2, SIZE_MAX), &sc->header);
    return next;
}

/* Files of other programs, by the end of their names, and the way from them to a text. */
static const struct {
    const char *ending, *what, *help;
} foreign[] = {
    {".safetensors", "tensors, no program", "bind FILE"},
    {".npy", "a tensor, no program", "bind FILE"},
    {".pt2", "an archive of torch.export",
     "write str(exported_program) to a .py file and load that"},
    {".pt", "a file of torch.save", "write gm.print_readable() to a .py file and load that"},
    {".pth", "a file of torch.save", "write gm.print_readable() to a .py file and load that"},
    {".onnx", "an ONNX model", "export the model by torch.export and load str(exported_program)"},
};

static void refuse_binary(const Source *src, Diag *d)
{
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
        if (!str_ends(src->name, foreign[i].ending))
            continue;
        DiagItem *item = diag_error(d, DIAG_load, (Span){0}, "binary-file", "%.*s is %s",
                                    STR(src->name), foreign[i].what);
        if (strcmp(foreign[i].help, "bind FILE") == 0)
            diag_help(d, item, "bind %.*s", STR(src->name));
        else
            diag_help(d, item, "%s", foreign[i].help);
        return;
    }
    diag_help(d, diag_error(d, DIAG_load, (Span){0}, "binary-file", "%.*s is not a text file",
                            STR(src->name)),
              "load a .py file: a graph printed by PyTorch or a trace of Thunder");
}

static bool readable(const Source *src, Diag *d)
{
    Str text = src->text;
    Span at = {src, 0, 0};
    if (text.n > FRONT_MOST_BYTES) {
        diag_error(d, DIAG_load, at, "too-large", "%.*s is larger than 1 GiB", STR(src->name));
        return false;
    }
    if (str_trim(text).n == 0) {
        diag_error(d, DIAG_load, at, "empty-file", "%.*s is empty", STR(src->name));
        return false;
    }
    if (memchr(text.p, 0, text.n < 4096 ? text.n : 4096)) {
        refuse_binary(src, d);
        return false;
    }
    return true;
}

static bool has_untyped(const FrontFunction *fn)
{
    bool any = false;
    for (uint32_t i = 0; i < fn->nparams; i++)
        any |= !fn->params[i].ann && !str_is(fn->sym_names[fn->params[i].sym], "self");
    return any;
}

static bool is_named_by_another(const FrontFile *f, const FrontFunction *fn)
{
    bool named = false;
    for (uint32_t i = 0; i < f->n && !named; i++)
        named = f->functions[i] != fn && map_get(&f->functions[i]->syms, fn->name);
    return named;
}

/* Functions that others name, and whose arguments have types only there, are no programs. */
static void set_helpers_apart(FrontFile *f)
{
    bool *helper = new_array(&f->arena, bool, f->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        FrontFunction *fn = f->functions[i];
        helper[i] = !fn->cls && has_untyped(fn) && is_named_by_another(f, fn);
    }
    for (uint32_t i = 0; i < f->n; i++) {
        if (helper[i])
            add_function(f, f->functions[i], true);
        else
            f->functions[n++] = f->functions[i];
    }
    f->n = n;
}

FrontFile *front_parse(const Source *src, Diag *d)
{
    FrontFile *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    f->src = src;
    if (!readable(src, d))
        return f;
    uint32_t before = d->nerrors;
    Scan sc = {.p = {.file = f, .arena = &f->arena, .diag = d}, .header = no_header};
    uint32_t pos = str_starts(src->text, "\xef\xbb\xbf") ? 3 : 0; /* a byte order mark */
    while (pos < src->text.n)
        pos = scan_line(&sc, src->text, pos);
    parser_free(&sc.p);
    set_helpers_apart(f);
    if (f->n == 0 && d->nerrors == before) {
        Span at = {src, 0, 0};
        bool fx = str_starts(str_trim(src->text), "graph():");
        DiagItem *item =
            fx ? diag_error(d, DIAG_load, at, "unsupported",
                            "%.*s is in the notation of str(graph)", STR(src->name))
               : diag_error(d, DIAG_load, at, "no-program", "no function found in %.*s",
                            STR(src->name));
        diag_note(d, item, "%s",
                  fx ? "load what gm.print_readable() prints"
                     : "a program starts with a line such as: def forward(self, x: "
                       "\"f32[2, 3]\"):");
        diag_help(d, item, "help formats");
    }
    return f;
}

void front_free(FrontFile *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->n; i++)
        map_free(&f->functions[i]->syms);
    for (uint32_t i = 0; i < f->nnested; i++)
        map_free(&f->nested[i]->syms);
    map_free(&f->imports);
    arena_free(&f->arena);
    free(f);
}

uint32_t front_count(const FrontFile *f)
{
    return f->n;
}

const FrontFunction *front_function(const FrontFile *f, uint32_t i)
{
    return i < f->n ? f->functions[i] : NULL;
}

Str front_name(const FrontFunction *fn)
{
    return fn->name;
}

Span front_span(const FrontFunction *fn)
{
    return front_at(fn->file, fn->off, fn->len);
}

const Str *front_symbols(const FrontFunction *fn, uint32_t *n)
{
    *n = fn->nsymbols;
    return fn->symbols;
}

bool front_param_shape(const FrontFunction *fn, uint32_t i, Str *name, uint32_t *rank,
                       int64_t dims[MAX_RANK], Str sym[MAX_RANK])
{
    *name = (Str){0};
    *rank = 0;
    if (i >= fn->nparams)
        return false;
    *name = fn->sym_names[fn->params[i].sym];
    const Ann *a = fn->params[i].ann;
    if (!a || a->kind != ANN_tensor || a->rank > MAX_RANK)
        return false;
    *rank = a->rank;
    for (uint32_t k = 0; k < a->rank; k++) {
        const Expr *e = a->dims[k].expr;
        dims[k] = !e ? a->dims[k].size : e->kind == EX_name ? -1 : -2;
        sym[k] = !e                   ? (Str){0}
                 : e->kind == EX_name ? fn->sym_names[e->sym]
                                      : str_sub(fn->file->src->text, e->off, e->len);
    }
    return true;
}
