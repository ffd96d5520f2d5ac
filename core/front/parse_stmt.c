/*
 * parse_stmt.c - statements and function bodies.
 *
 * Input: tokens, comments among them. Output: Stmt lists in which the deeper comment lines of
 * Thunder's text are the children (the decomposition) of the statement above them.
 */
#include "syntax.h"

#include <string.h>

/* ---------------------------------------------------------------------------------- statements */

static Stmt *make_stmt(Parser *p, StmtKind kind, const Tok *at)
{
    Stmt *s = new_of(p->arena, Stmt);
    s->kind = (uint8_t)kind;
    s->off = at->off;
    s->col = at->col;
    return s;
}

static Stmt *close_stmt(Parser *p, Stmt *s)
{
    s->len = p->last_end > s->off ? p->last_end - s->off : 0;
    return p->bad ? NULL : s;
}

static bool is_target(const Expr *e)
{
    switch (e->kind) {
    case EX_name:
    case EX_attr:
    case EX_index:
        return true;
    case EX_tuple:
    case EX_list:
        for (uint32_t i = 0; i < e->seq.n; i++)
            if (!is_target(e->seq.items[i]))
                return false;
        return true;
    default:
        return false;
    }
}

static void check_target(Parser *p, const Expr *e)
{
    if (!p->bad && !is_target(e))
        parse_error(p, e->off, e->len, "syntax", "cannot assign to this expression");
}

static bool ends_statement(const Parser *p)
{
    return p->tok.kind == TOK_newline || p->tok.kind == TOK_end || p->tok.kind == TOK_comment ||
           parse_is(p, OP1(';'));
}

static void set_targets(Parser *p, Stmt *s, Expr *const *targets, uint32_t n)
{
    s->targets = arena_copy(p->arena, targets, n * sizeof *targets);
    s->ntargets = n;
}

/* a = b = c = value; the first target and its '=' are read already. */
static Stmt *parse_chain(Parser *p, Stmt *s, Expr *first)
{
    enum { MAX_CHAIN = 4096 };
    Expr *few[16], **targets = few;
    uint32_t n = 0, cap = ARRAY_LEN(few);
    Expr *e = first;
    do {
        check_target(p, e);
        if (n == cap) {
            Expr **more = new_array(p->arena, Expr *, cap * 4);
            memcpy(more, targets, n * sizeof *targets);
            targets = more;
            cap *= 4;
        }
        targets[n++] = e;
        e = parse_expr_list(p);
    } while (parse_accept(p, OP1('=')) && n < MAX_CHAIN);
    set_targets(p, s, targets, n);
    s->value = e;
    return close_stmt(p, s);
}

/* The operator of an augmented assignment ("+=" gives '+'), 0 = none. */
static uint32_t augmented_op(const Parser *p)
{
    if (p->bad || p->tok.kind != TOK_op || p->tok.len < 2)
        return 0;
    uint32_t last = p->tok.op >> (8 * (p->tok.len - 1));
    uint32_t op = p->tok.op & ((1u << (8 * (p->tok.len - 1))) - 1);
    bool compares = op == OP1('<') || op == OP1('>') || op == OP1('=') || op == OP1('!');
    return last == OP1('=') && !compares ? op : 0;
}

static Stmt *parse_del(Parser *p, Stmt *s)
{
    s->kind = ST_del;
    parse_take(p);
    Expr *e = parse_expr_list(p);
    check_target(p, e);
    if (!p->bad && (e->kind == EX_tuple || e->kind == EX_list))
        set_targets(p, s, e->seq.items, e->seq.n);
    else
        set_targets(p, s, &e, 1);
    return close_stmt(p, s);
}

static Stmt *parse_return(Parser *p, Stmt *s)
{
    s->kind = ST_return;
    parse_take(p);
    if (!ends_statement(p))
        s->value = parse_expr_list(p);
    return close_stmt(p, s);
}

/* One simple statement at the current token; NULL after an error. */
static Stmt *parse_statement(Parser *p)
{
    Stmt *s = make_stmt(p, ST_expr, &p->tok);
    if (parse_is_word(p, "del"))
        return parse_del(p, s);
    if (parse_is_word(p, "return"))
        return parse_return(p, s);
    if (parse_is_word(p, "pass")) {
        s->kind = ST_pass;
        parse_take(p);
        return close_stmt(p, s);
    }
    Expr *e = parse_expr_list(p);
    uint32_t op = augmented_op(p);
    if (op) {
        parse_take(p);
        check_target(p, e);
        s->kind = ST_augment;
        s->op = op;
        set_targets(p, s, &e, 1);
        s->value = parse_expr_list(p);
        return close_stmt(p, s);
    }
    if (parse_accept(p, OP1(':'))) {
        check_target(p, e);
        s->ann = parse_annotation(p);
        s->kind = ST_type;
        set_targets(p, s, &e, 1);
    }
    if (!parse_accept(p, OP1('='))) {
        s->value = s->kind == ST_type ? NULL : e;
        return close_stmt(p, s);
    }
    s->kind = ST_assign;
    return parse_chain(p, s, e);
}

/* ---------------------------------------------------------------------------------------- body */

enum { MAX_LEVELS = 64 };

typedef struct Body {
    FrontFunction *fn;
    Stmt *last;
    const SrcLoc *loc;
    uint32_t region; /* of what follows, by the same comment */
    Stmt *open[MAX_LEVELS]; /* the statement above and its decomposition lines, outermost first */
    uint32_t nopen;
} Body;

static void append(Body *b, Stmt *s)
{
    s->loc = b->loc;
    s->region = s->region ? s->region : b->region;
    if (b->last)
        b->last->next = s;
    else
        b->fn->body = s;
    b->last = s;
}

static void append_child(Stmt *parent, Stmt *s)
{
    s->loc = parent->loc;
    if (parent->last_child)
        parent->last_child->next = s;
    else
        parent->children = s;
    parent->last_child = s;
}

/* A commented line at indentation col belongs to the nearest line above that is less indented. */
static bool attach(Body *b, Stmt *s, uint32_t col)
{
    while (b->nopen && b->open[b->nopen - 1]->col >= col)
        b->nopen--;
    if (b->nopen == 0)
        return false;
    append_child(b->open[b->nopen - 1], s);
    s->col = col;
    if (s->kind != ST_type && b->nopen < MAX_LEVELS)
        b->open[b->nopen++] = s;
    return true;
}

static void comment_line(Parser *p, Body *b, Tok comment)
{
    const SrcLoc *loc = NULL;
    Str text = parse_text(p, comment.off + 1, comment.len - 1);
    CommentKind kind = comment_classify(p, text, &loc);
    if (kind == COMMENT_location) {
        b->loc = loc;
        b->region = comment_region(text);
    }
    if (kind != COMMENT_type && kind != COMMENT_statement)
        return;
    if (kind == COMMENT_statement && (b->nopen == 0 || comment.col <= b->open[0]->col))
        return; /* code that somebody commented out */
    ParseMark m = parse_enter(p, comment.off + 1, comment.off + comment.len);
    Stmt *s = parse_statement(p);
    if (s && p->tok.kind == TOK_comment)
        comment_trailer(p, p->tok, s);
    else if (s && p->tok.kind != TOK_end)
        parse_unexpected(p, "the end of the line");
    p->bad = false;
    parse_leave(p, m);
    if (!s)
        return;
    Stmt *top = b->nopen ? b->open[0] : NULL;
    bool inside = top && comment.col > top->col && attach(b, s, comment.col);
    if (!inside && kind == COMMENT_type)
        append(b, s);
}

/* After an error: to the next line, brackets forgotten. */
static void recover(Parser *p)
{
    p->bad = false;
    p->nstack = 0;
    p->nesting = 0;
    while (p->tok.kind != TOK_newline && p->tok.kind != TOK_end) {
        p->lx.depth = 0;
        parse_take(p);
    }
    p->lx.resync = false;
}

/* The statements of one line. Returns true when one of them was a return. */
static bool statement_line(Parser *p, Body *b)
{
    bool returned = false;
    Stmt *s = NULL;
    uint32_t col = p->tok.col;
    while (!p->bad && !returned) {
        s = parse_statement(p);
        if (!s)
            break;
        s->col = col;
        append(b, s);
        returned = s->kind == ST_return;
        if (!parse_accept(p, OP1(';')) || p->tok.kind == TOK_newline || p->tok.kind == TOK_end)
            break;
    }
    if (!p->bad && p->tok.kind == TOK_comment) {
        comment_trailer(p, p->tok, b->last);
        parse_take(p);
    }
    if (!p->bad && !returned && p->tok.kind != TOK_newline && p->tok.kind != TOK_end)
        parse_unexpected(p, "the end of the statement");
    b->nopen = 0;
    if (b->last && !p->bad) {
        b->open[0] = b->last;
        b->nopen = 1;
    }
    if (p->bad)
        recover(p);
    return returned;
}

static bool begins_outside(const Parser *p, bool flat, uint32_t def_col)
{
    if (!p->tok.first || p->tok.kind == TOK_comment)
        return false;
    return (!flat && p->tok.col <= def_col) || parse_is_word(p, "def") ||
           parse_is_word(p, "class") || parse_is(p, OP1('@'));
}

void parse_body(Parser *p, FrontFunction *fn, uint32_t def_col)
{
    Body b = {.fn = fn};
    bool any = false, flat = false, returned = false;
    while (!returned && p->tok.kind != TOK_end) {
        if (p->tok.kind == TOK_newline) {
            parse_take(p);
            continue;
        }
        if (p->tok.kind == TOK_comment) {
            Tok comment = parse_take(p);
            comment_line(p, &b, comment);
            continue;
        }
        if (!any && p->tok.first && p->tok.col <= def_col)
            flat = true; /* the text lost its indentation */
        any = true;
        if (begins_outside(p, flat, def_col))
            break;
        if (parse_is_word(p, "import") || parse_is_word(p, "from")) {
            Str rest = {p->lx.text + p->tok.off, p->lx.end - p->tok.off};
            parse_import((FrontFile *)fn->file, str_cut(&rest, '\n'));
            recover(p);
            continue;
        }
        returned = statement_line(p, &b);
    }
    if (!returned && fn->nerrors == 0)
        parse_error(p, p->last_end, 0, "truncated", "function %.*s ends without a return statement",
                    STR(fn->name));
    p->bad = false;
}

/* ------------------------------------------------------------------------------------- imports */

static void add_import(FrontFile *f, Str module, Str item)
{
    Str rest = item, name = str_trim(item), alias = name;
    size_t as = SIZE_MAX;
    for (size_t at = str_find(item, ' ', 0); at != SIZE_MAX; at = str_find(item, ' ', at + 1))
        if (str_starts(str_sub(item, at, SIZE_MAX), " as "))
            as = at;
    if (as != SIZE_MAX) {
        name = str_trim(str_sub(rest, 0, as));
        alias = str_trim(str_sub(rest, as + 4, SIZE_MAX));
    } else if (module.n == 0) {
        return; /* import a.b: the name a means itself */
    }
    if (name.n == 0 || alias.n == 0 || name.p[0] == '*')
        return;
    Str *full = new_of(&f->arena, Str);
    *full = module.n ? arena_printf(&f->arena, "%.*s.%.*s", STR(module), STR(name))
                     : arena_str(&f->arena, name);
    if (!str_eq(*full, alias))
        map_put(&f->imports, alias, NULL)->p = full;
}

void parse_import(FrontFile *f, Str line)
{
    Str module = {0};
    Str rest = str_cut(&line, '#');
    rest = str_trim(str_cut(&rest, ';'));
    if (str_starts(rest, "from ")) {
        rest = str_sub(rest, 5, SIZE_MAX);
        module = str_cut(&rest, ' ');
        rest = str_trim(rest);
        if (!str_starts(rest, "import"))
            return;
    }
    rest = str_trim(str_sub(rest, 6, SIZE_MAX));
    if (str_starts(rest, "("))
        rest = str_sub(rest, 1, SIZE_MAX);
    if (str_ends(rest, ")"))
        rest.n--;
    while (rest.n)
        add_import(f, module, str_cut(&rest, ','));
}
