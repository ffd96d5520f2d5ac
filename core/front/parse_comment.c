/*
 * parse_comment.c - what comments say: source locations of both systems, types, decompositions,
 * executors and the memory plan.
 *
 * Input: the text of one comment. Output: its kind, and the fact in it. Anything else is a remark,
 * and remarks are skipped.
 */
#include "syntax.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- locations */

static size_t find_text(Str s, const char *what, size_t from)
{
    size_t n = strlen(what);
    for (size_t at = str_find(s, what[0], from); at != SIZE_MAX; at = str_find(s, what[0], at + 1))
        if (s.n - at >= n && memcmp(s.p + at, what, n) == 0)
            return at;
    return SIZE_MAX;
}

/* Splits "PATH:LINE rest" at the first colon that a number follows and `after` accepts. */
static bool split_line(Str s, bool (*after)(Str rest), SrcLoc *loc, Str *rest)
{
    for (size_t at = str_find(s, ':', 0); at != SIZE_MAX; at = str_find(s, ':', at + 1)) {
        size_t end = at + 1;
        while (end < s.n && s.p[end] >= '0' && s.p[end] <= '9')
            end++;
        int64_t line;
        if (at == 0 || end == at + 1 || !str_to_i64(str_sub(s, at + 1, end - at - 1), &line) ||
            line > INT32_MAX || !after(str_sub(s, end, SIZE_MAX)))
            continue;
        loc->file = str_trim(str_sub(s, 0, at));
        if (loc->file.n == 0 || str_find(loc->file, '\t', 0) != SIZE_MAX)
            continue;
        loc->line = (uint32_t)line;
        *rest = str_sub(s, end, SIZE_MAX);
        return true;
    }
    return false;
}

static bool torch_rest(Str rest)
{
    return rest.n == 0 || str_starts(rest, " in ") || str_starts(rest, ", code:");
}

static bool thunder_rest(Str rest)
{
    return str_starts(rest, ": \t");
}

/* Pasted text has blanks for the tab, or lost it with an empty line of code. */
static bool pasted_rest(Str rest)
{
    return str_starts(rest, ":  ") || str_is(str_trim(rest), ":");
}

/* "File: model.py:31 in forward, code: y = self.fc(x)" */
static bool torch_location(Str s, SrcLoc *loc)
{
    Str rest;
    size_t at = str_starts(s, "File: ") ? 0 : find_text(s, " File: ", 0);
    if (at == SIZE_MAX ||
        !split_line(str_sub(s, at + (at ? 7 : 6), SIZE_MAX), torch_rest, loc, &rest))
        return false;
    size_t code = find_text(rest, ", code:", 0);
    if (str_starts(rest, " in "))
        loc->func = str_sub(rest, 4, code == SIZE_MAX ? SIZE_MAX : code - 4);
    if (code != SIZE_MAX)
        loc->code = str_trim(str_sub(rest, code + 7, SIZE_MAX));
    return true;
}

/* "model.py:31: \t    y = self.fc(x)" */
static bool thunder_location(Str s, bool (*rest_fits)(Str), SrcLoc *loc)
{
    Str rest;
    if (!split_line(s, rest_fits, loc, &rest))
        return false;
    loc->code = str_trim(str_sub(rest, 1, SIZE_MAX));
    return true;
}

/* ------------------------------------------------------------------------------ classification */

static size_t skip_dotted(Str s)
{
    size_t i = 0;
    while (i < s.n && (lex_is_name_char(s.p[i]) || (s.p[i] == '.' && i > 0)))
        i++;
    return i;
}

/* NAME: "type", and nothing else but a trailer. */
static bool is_type(Str s)
{
    size_t i = skip_dotted(s);
    return i > 0 && s.n > i + 3 && s.p[i] == ':' && s.p[i + 1] == ' ' &&
           (s.p[i + 2] == '"' || s.p[i + 2] == '\'');
}

/* Whether s reads like a statement of a decomposition: "x = f(", "(a, b) = f(", "[a] = f(",
 * "prims.f(", "del a". */
static bool is_statement(Str s)
{
    if (str_starts(s, "del ") || str_starts(s, "return "))
        return true;
    if (s.n && (s.p[0] == '(' || s.p[0] == '[')) {
        size_t close = str_find(s, s.p[0] == '(' ? ')' : ']', 0);
        return close != SIZE_MAX &&
               str_starts(str_sub(s, close, SIZE_MAX), s.p[0] == '(' ? ") = " : "] = ");
    }
    size_t i = skip_dotted(s);
    if (i == 0 || i >= s.n)
        return false;
    if (s.p[i] == '(')
        return memchr(s.p, '.', i) != NULL;
    if (str_starts(str_sub(s, i, SIZE_MAX), " = "))
        return find_text(s, "(", i) != SIZE_MAX || find_text(s, "[", i) != SIZE_MAX;
    return false;
}

CommentKind comment_classify(Parser *p, Str text, const SrcLoc **loc)
{
    Str s = str_trim(text);
    SrcLoc found = {0};
    if (str_starts(s, "No stacktrace found")) {
        *loc = NULL;
        return COMMENT_location;
    }
    bool type = is_type(s), statement = !type && is_statement(s);
    if (torch_location(s, &found) || thunder_location(s, thunder_rest, &found) ||
        (!type && !statement && thunder_location(s, pasted_rest, &found))) {
        *loc = arena_copy(p->arena, &found, sizeof found);
        return COMMENT_location;
    }
    return type ? COMMENT_type : statement ? COMMENT_statement : COMMENT_other;
}

static uint32_t region_flags(int64_t number, bool kept)
{
    enum { MOST = 1 << 20 };
    bool good = number > 0 && number < MOST;
    return good ? (uint32_t)number << NF_REGION_SHIFT | (kept ? NF_KEPT : 0) : 0;
}

/* "ac_graph_id: 1 - PREFER_RECOMPUTE File: ...": nodes of checkpoint 1, which are computed again
 * unless it says SAVE. */
uint32_t comment_region(Str text)
{
    static const char id[] = "ac_graph_id: ";
    int64_t number;
    Str s = str_trim(text);
    if (!str_starts(s, id))
        return 0;
    s = str_sub(s, sizeof id - 1, SIZE_MAX);
    Str digits = str_cut(&s, ' ');
    bool kept = str_starts(s, "- MUST_SAVE") || str_starts(s, "- PREFER_SAVE");
    return str_to_i64(digits, &number) && number < INT32_MAX ? region_flags(number + 1, kept) : 0;
}

/* ------------------------------------------------------------------------------------ trailers */

/* As many entries as a list from here on may have. */
static uint32_t most_entries(const Parser *p)
{
    uint32_t n = 1;
    for (uint32_t i = p->lx.pos; i < p->lx.end; i++)
        n += p->lx.text[i] == ',';
    return n;
}

static void read_offsets(Parser *p, Stmt *s)
{
    uint32_t n = 0, cap = most_entries(p);
    int64_t *offsets = new_array(p->arena, int64_t, cap);
    do {
        if (p->tok.kind == TOK_int && str_to_i64(parse_tok_text(p), &offsets[n]))
            parse_take(p);
        else if (parse_accept(p, OP1('-')))
            offsets[n] = -1;
        else
            return;
        n++;
    } while (parse_accept(p, OP1(',')) && n < cap);
    s->offsets = offsets;
    s->noffsets = n;
}

static bool read_strides(Parser *p, Strides *to)
{
    int64_t strides[MAX_RANK];
    while (to->rank < MAX_RANK && p->tok.kind == TOK_int &&
           str_to_i64(parse_tok_text(p), &strides[to->rank])) {
        to->rank++;
        parse_take(p);
        parse_accept(p, OP1(','));
    }
    to->strides = arena_copy(p->arena, strides, to->rank * sizeof *strides);
    return parse_accept(p, OP1(')'));
}

static void read_layouts(Parser *p, Stmt *s)
{
    Strides layouts[MAX_OUTPUTS] = {{0}};
    uint32_t n = 0;
    parse_take(p);
    do {
        if (!parse_accept(p, OP1('-')) &&
            !(parse_accept(p, OP1('(')) && read_strides(p, &layouts[n])))
            return;
        n++;
    } while (parse_accept(p, OP1(',')) && n < MAX_OUTPUTS);
    s->layouts = arena_copy(p->arena, layouts, n * sizeof *layouts);
    s->nlayouts = n;
}

/* "over x,-": whose places the results take. */
static void read_over(Parser *p, Stmt *s)
{
    uint32_t n = 0, cap = most_entries(p) + 1;
    if (p->tok.kind != TOK_name || !str_is(parse_tok_text(p), "over"))
        return;
    parse_take(p);
    Str *over = new_array(p->arena, Str, cap);
    do {
        if (p->tok.kind == TOK_name)
            over[n] = parse_tok_text(p);
        else if (p->tok.kind != OP1('-'))
            return;
        parse_take(p);
        n++;
    } while (parse_accept(p, OP1(',')) && n < cap);
    s->over = over;
    s->nover = n;
}

static void read_region(Parser *p, Stmt *s)
{
    int64_t number;
    if (p->tok.kind != TOK_name || !str_is(parse_tok_text(p), "region"))
        return;
    parse_take(p);
    if (p->tok.kind != TOK_int || !str_to_i64(parse_tok_text(p), &number))
        return;
    parse_take(p);
    bool kept = p->tok.kind == TOK_name && str_is(parse_tok_text(p), "kept");
    if (kept)
        parse_take(p);
    s->region = region_flags(number, kept);
}

void comment_trailer(Parser *p, Tok comment, Stmt *s)
{
    Str text = parse_text(p, comment.off + 1, comment.len - 1);
    Str trimmed = str_trim(text);
    bool region = str_starts(trimmed, "region ");
    if (!is_type(trimmed) && !region && !str_starts(trimmed, "@") && !str_starts(trimmed, "+"))
        return;
    ParseMark m = parse_enter(p, comment.off + 1, comment.off + comment.len);
    if (p->tok.kind == TOK_name && !region) {
        parse_take(p);
        parse_take(p);
        const Ann *ann = parse_annotation(p);
        if (!s->ann)
            s->ann = ann;
    }
    read_region(p, s);
    if (parse_accept(p, OP1('@')) && p->tok.kind == TOK_name) {
        s->executor = parse_tok_text(p);
        parse_take(p);
    }
    if (parse_accept(p, OP1('+')))
        read_offsets(p, s);
    if (p->tok.kind == TOK_name && str_is(parse_tok_text(p), "strides"))
        read_layouts(p, s);
    read_over(p, s);
    parse_leave(p, m);
}

void comment_header(Str text, FrontFunction *pending)
{
    static const char made[] = "Constructed by ", plan[] = "Memory plan: ";
    Str s = str_trim(text);
    int64_t number;
    if (str_starts(s, plan)) {
        Str rest = str_sub(s, sizeof plan - 1, SIZE_MAX);
        if (str_to_i64(str_cut(&rest, ' '), &number) && number >= 0)
            pending->plan_bytes = number;
        return;
    }
    if (!str_starts(s, made))
        return;
    s = str_sub(s, sizeof made - 1, SIZE_MAX);
    size_t took = find_text(s, " (took ", 0);
    pending->made_by = str_sub(s, 0, took == SIZE_MAX ? SIZE_MAX : took);
    if (took == SIZE_MAX)
        return;
    Str rest = str_sub(s, took + 7, SIZE_MAX);
    if (str_to_i64(str_cut(&rest, ' '), &number) && number >= 0 && number < INT64_MAX / 1000000)
        pending->made_ns = (uint64_t)number * (str_starts(rest, "micro") ? 1000u : 1000000u);
}
