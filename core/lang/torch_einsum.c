/*
 * torch_einsum.c - decomposition of einsum and tensordot into diagonals, sums and matrix products.
 *
 * Input: an equation over letters. Output: pairs of operands contracted from left to right, each as
 * a batch of matrix products over the letters that both have.
 */
#include "notation.h"

#include <string.h>

enum { MAX_TERMS = 16, LETTERS = 128 };

typedef struct Einsum {
    Arg operand[MAX_TERMS];
    Str term[MAX_TERMS]; /* letters of each operand; '.' stands for one dimension of ... */
    uint32_t n;
    Str out;
    int64_t size[LETTERS]; /* of each letter, -1 = not met */
} Einsum;

/* "ab...c" with the dimensions of ... written as the letters 1, 2, ... aligned at the right. */
static Str spelled_term(Build *b, Str term, uint32_t dots, uint32_t width)
{
    StrBuf s = {0};
    for (size_t i = 0; i < term.n; i++) {
        if (term.p[i] == ' ')
            continue;
        if (term.p[i] != '.') {
            sb_putc(&s, term.p[i]);
            continue;
        }
        for (uint32_t k = width - dots; k < width; k++)
            sb_putc(&s, (char)(1 + k));
        while (i + 1 < term.n && (term.p[i + 1] == '.' || term.p[i + 1] == ' '))
            i++;
    }
    Str text = arena_str(&b->t->arena, sb_str(&s));
    sb_free(&s);
    return text;
}

static uint32_t count_letters(Str term, bool *dots)
{
    uint32_t n = 0;
    *dots = false;
    for (size_t i = 0; i < term.n; i++) {
        *dots = *dots || term.p[i] == '.';
        n += term.p[i] != '.' && term.p[i] != ' ';
    }
    return n;
}

/* Without "->": all letters that occur once, in alphabetical order, after those of "...". */
static Str implied_output(Build *b, const Einsum *e, uint32_t width)
{
    StrBuf s = {0};
    uint32_t count[LETTERS] = {0};
    for (uint32_t i = 0; i < e->n; i++)
        for (size_t k = 0; k < e->term[i].n; k++)
            count[(unsigned char)e->term[i].p[k] % LETTERS]++;
    for (uint32_t k = 0; k < width; k++)
        sb_putc(&s, (char)(1 + k));
    for (int c = 'A'; c <= 'z'; c++)
        if (count[c] == 1)
            sb_putc(&s, (char)c);
    Str text = arena_str(&b->t->arena, sb_str(&s));
    sb_free(&s);
    return text;
}

static bool parse_equation(Build *b, Str equation, Arg operands, Einsum *e)
{
    Str raw[MAX_TERMS], left = equation, right = {0};
    uint32_t dots[MAX_TERMS], width = 0;
    bool arrow = false, has_dots;
    for (size_t i = 0; i + 1 < equation.n; i++)
        if (equation.p[i] == '-' && equation.p[i + 1] == '>') {
            left = str_sub(equation, 0, i);
            right = str_sub(equation, i + 2, SIZE_MAX);
            arrow = true;
        }
    *e = (Einsum){.n = operands.n};
    if (operands.n == 0 || operands.n > MAX_TERMS) {
        build_error(b, 1, "einsum(): must provide between one and %d operands", MAX_TERMS);
        return false;
    }
    for (uint32_t i = 0; i < e->n; i++) {
        raw[i] = str_cut(&left, ',');
        uint32_t letters = count_letters(raw[i], &has_dots), rank = cl_rank(b, operands.items[i]);
        if (letters > rank || (!has_dots && letters != rank)) {
            build_error(b, 1,
                        "einsum(): the number of subscripts in the equation (%u) does not "
                        "match the number of dimensions (%u) for operand %u",
                        letters, rank, i);
            return false;
        }
        dots[i] = has_dots ? rank - letters : 0;
        width = dots[i] > width ? dots[i] : width;
        e->operand[i] = operands.items[i];
    }
    if (left.n) {
        build_error(b, 0, "einsum(): more operands in the equation than provided");
        return false;
    }
    for (uint32_t i = 0; i < e->n; i++)
        e->term[i] = spelled_term(b, raw[i], dots[i], width);
    e->out = arrow ? spelled_term(b, right, width, width) : implied_output(b, e, width);
    return true;
}

static bool has_letter(Str s, char c)
{
    return str_find(s, c, 0) != SIZE_MAX;
}

/* Sizes of letters; 1 stretches. */
static void measure(Build *b, Einsum *e)
{
    for (int c = 0; c < LETTERS; c++)
        e->size[c] = -1;
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t k = 0; k < e->term[i].n; k++) {
            int64_t *have = &e->size[(unsigned char)e->term[i].p[k] % LETTERS];
            int64_t size = cl_size(b, e->operand[i], k);
            if (*have > 1 && size != 1 && size != *have)
                build_error(b, 1,
                            "einsum(): subscript %c has size %lld for operand %u which does "
                            "not broadcast with previously seen size %lld",
                            e->term[i].p[k], (long long)size, i, (long long)*have);
            if (*have < 0 || size != 1)
                *have = size;
        }
    for (size_t k = 0; k < e->out.n; k++)
        if (e->size[(unsigned char)e->out.p[k] % LETTERS] < 0)
            build_error(b, 0,
                        "einsum(): output subscript %c does not appear in the equation for "
                        "any input operand",
                        e->out.p[k]);
}

/* A letter that an operand has twice is a diagonal. */
static void take_diagonals(Build *b, Einsum *e, uint32_t i)
{
    for (size_t j = 0; j < e->term[i].n; j++)
        for (size_t k = j + 1; k < e->term[i].n; k++) {
            if (e->term[i].p[j] != e->term[i].p[k])
                continue;
            char c = e->term[i].p[j];
            StrBuf s = {0};
            for (size_t m = 0; m < e->term[i].n; m++)
                if (m != j && m != k)
                    sb_putc(&s, e->term[i].p[m]);
            sb_putc(&s, c);
            e->operand[i] = cl_diagonal(b, e->operand[i], 0, (int64_t)j, (int64_t)k);
            e->term[i] = arena_str(&b->t->arena, sb_str(&s));
            sb_free(&s);
            take_diagonals(b, e, i);
            return;
        }
}

/* The operand with its dimensions in the order of letters; those that it lacks have size 1. */
static Arg arranged(Build *b, Arg x, Str term, Str letters)
{
    Dims order = {0}, added = {0};
    for (size_t i = 0; i < letters.n; i++) {
        size_t at = str_find(term, letters.p[i], 0);
        if (at == SIZE_MAX)
            added.v[added.n++] = (int64_t)i;
        else
            order.v[order.n++] = (int64_t)at;
    }
    return cl_unsqueeze_at(b, cl_permute(b, x, &order), &added);
}

/* Letters by their part in a product of x and y: kept by both, summed, only of x, only of y. */
typedef struct Roles {
    char batch[LETTERS], summed[LETTERS], left[LETTERS], right[LETTERS];
    size_t nbatch, nsummed, nleft, nright;
} Roles;

static Str joined3(Build *b, Str a, Str c, Str d)
{
    return arena_printf(&b->t->arena, "%.*s%.*s%.*s", STR(a), STR(c), STR(d));
}

static int64_t size_of(const Einsum *e, const char *letters, size_t n)
{
    int64_t size = 1;
    for (size_t i = 0; i < n; i++)
        size *= e->size[(unsigned char)letters[i] % LETTERS];
    return size;
}

static Dims sizes_of(const Einsum *e, Str letters)
{
    Dims d = {.n = (uint32_t)letters.n};
    for (size_t i = 0; i < letters.n; i++)
        d.v[i] = e->size[(unsigned char)letters.p[i] % LETTERS];
    return d;
}

/* Stretched to the sizes of its letters and reshaped to a batch of matrices. */
static Arg as_matrices(Build *b, const Einsum *e, Arg x, Str letters, int64_t batch, int64_t rows,
                       int64_t cols)
{
    Dims full = sizes_of(e, letters), flat = {.n = 3, .v = {batch, rows, cols}};
    return cl_reshape(b, cl_expand(b, x, &full), &flat);
}

/* Sums away the letters of term i that nobody else needs. */
static void drop_own_letters(Build *b, Einsum *e, uint32_t i, Str needed)
{
    Dims dims = {0};
    StrBuf s = {0};
    for (size_t k = 0; k < e->term[i].n; k++) {
        if (has_letter(needed, e->term[i].p[k]))
            sb_putc(&s, e->term[i].p[k]);
        else
            dims.v[dims.n++] = (int64_t)k;
    }
    if (dims.n)
        e->operand[i] = cl_reduce(b, PRIM_sum, e->operand[i], &dims, false);
    e->term[i] = arena_str(&b->t->arena, sb_str(&s));
    sb_free(&s);
}

/* Sorts the letters of two terms by what becomes of them. */
static Roles roles_of(Str x, Str y, Str needed)
{
    Roles r = {.nbatch = 0};
    for (size_t i = 0; i < x.n; i++) {
        char c = x.p[i];
        if (!has_letter(y, c))
            r.left[r.nleft++] = c;
        else if (has_letter(needed, c))
            r.batch[r.nbatch++] = c;
        else
            r.summed[r.nsummed++] = c;
    }
    for (size_t i = 0; i < y.n; i++)
        if (!has_letter(x, y.p[i]))
            r.right[r.nright++] = y.p[i];
    return r;
}

/* Replaces terms 0 and 1 by their product, keeping the letters in `needed`. */
static void contract(Build *b, Einsum *e, Str needed)
{
    drop_own_letters(b, e, 0, joined3(b, needed, e->term[1], (Str){0}));
    drop_own_letters(b, e, 1, joined3(b, needed, e->term[0], (Str){0}));
    Str x = e->term[0], y = e->term[1];
    Roles r = roles_of(x, y, needed);
    Str batch = {r.batch, r.nbatch}, left = {r.left, r.nleft}, right = {r.right, r.nright};
    Str summed = {r.summed, r.nsummed};
    Str lx = joined3(b, batch, left, summed), ly = joined3(b, batch, summed, right);
    Str out = joined3(b, batch, left, right);
    Dims full = sizes_of(e, out);
    int64_t nb = size_of(e, r.batch, r.nbatch), nl = size_of(e, r.left, r.nleft);
    int64_t ns = size_of(e, r.summed, r.nsummed), nr = size_of(e, r.right, r.nright);
    Arg product;
    if (r.nsummed == 0) { /* nothing to sum: elementwise */
        product = MUL(arranged(b, e->operand[0], x, out), arranged(b, e->operand[1], y, out));
        product = cl_expand(b, product, &full);
    } else {
        Arg mx = as_matrices(b, e, arranged(b, e->operand[0], x, lx), lx, nb, nl, ns);
        Arg my = as_matrices(b, e, arranged(b, e->operand[1], y, ly), ly, nb, ns, nr);
        product = cl_reshape(b, cl_matmul(b, mx, my), &full);
    }
    e->operand[0] = product;
    e->term[0] = out;
}

DECOMPOSE(d_einsum)
{
    Einsum e;
    DType compute, result;
    if (!parse_equation(b, arg_str(args[0]), args[1], &e))
        return A_NONE;
    measure(b, &e);
    cl_promote(b, args[1].items, args[1].n, PROMOTE_PRESERVE, &compute, &result);
    for (uint32_t i = 0; i < e.n && !b->failed; i++)
        take_diagonals(b, &e, i);
    while (e.n > 1 && !b->failed) {
        Str needed = e.out;
        for (uint32_t i = 2; i < e.n; i++)
            needed = joined3(b, needed, e.term[i], (Str){0});
        contract(b, &e, needed);
        memmove(e.operand + 1, e.operand + 2, (e.n - 2) * sizeof *e.operand);
        memmove(e.term + 1, e.term + 2, (e.n - 2) * sizeof *e.term);
        e.n--;
    }
    if (b->failed)
        return A_NONE;
    drop_own_letters(b, &e, 0, e.out);
    Arg out = arranged(b, e.operand[0], e.term[0], e.out);
    return b->around ? out : TO(out, result); /* under autocast as the products gave it */
}

/* The dimensions of x and y that are summed over, pair by pair: two lists, or the last n of x and
 * the first n of y. */
static bool read_summed(Build *b, Arg x, Arg y, Arg dims, Dims *dx, Dims *dy)
{
    uint32_t rx = cl_rank(b, x), ry = cl_rank(b, y);
    if (arg_is_seq(dims) && dims.n == 2) {
        *dx = cl_ints(b, dims.items[0], 2);
        *dy = cl_ints(b, dims.items[1], 2);
    } else {
        int64_t n = cl_int(b, dims, 2);
        if (n < 0 || n > rx || n > ry) {
            build_error(b, 2, "tensordot expects dims >= 0 and at most the rank of both tensors");
            return false;
        }
        for (int64_t i = 0; i < n; i++) {
            dx->v[dx->n++] = rx - n + i;
            dy->v[dy->n++] = i;
        }
    }
    if (dx->n != dy->n) {
        build_error(b, 2, "both dimension lists should have same length");
        return false;
    }
    for (uint32_t i = 0; i < dx->n; i++) {
        dx->v[i] = cl_dim(b, dx->v[i], rx, 2);
        dy->v[i] = cl_dim(b, dy->v[i], ry, 2);
        int64_t nx = cl_size(b, x, dx->v[i]), ny = cl_size(b, y, dy->v[i]);
        if (nx != ny)
            build_error(b, 1,
                        "contracted dimensions need to match, but first has size %lld in dim "
                        "%lld and second has size %lld in dim %lld",
                        (long long)nx, (long long)dx->v[i], (long long)ny, (long long)dy->v[i]);
    }
    return !b->failed;
}

/* Appends the dimensions of x that are not summed to `kept` and their sizes to `out`; returns how
 * many elements they have together. */
static int64_t keep_others(Build *b, Arg x, const Dims *summed, Dims *kept, Dims *out)
{
    int64_t n = 1;
    for (uint32_t i = 0, rank = cl_rank(b, x); i < rank; i++) {
        if (cl_dims_have(summed, i))
            continue;
        kept->v[kept->n++] = i;
        out->v[out->n++] = cl_size(b, x, i);
        n *= cl_size(b, x, i);
    }
    return n;
}

/* One matrix product: [others of x, summed] times [summed, others of y]. */
DECOMPOSE(d_tensordot)
{
    Arg x = args[0], y = args[1];
    Dims dx = {0}, dy = {0}, px = {0}, py = {0}, out = {0}, others = {0};
    if (!read_summed(b, x, y, args[2], &dx, &dy))
        return A_NONE;
    int64_t inner = 1;
    for (uint32_t i = 0; i < dx.n; i++)
        inner *= cl_size(b, x, dx.v[i]);
    int64_t nx = keep_others(b, x, &dx, &px, &out), ny = keep_others(b, y, &dy, &others, &out);
    if (b->failed || out.n > MAX_RANK)
        return A_NONE;
    py = dy;
    for (uint32_t i = 0; i < dx.n; i++)
        px.v[px.n++] = dx.v[i];
    for (uint32_t i = 0; i < others.n; i++)
        py.v[py.n++] = others.v[i];
    Dims mx = {.n = 2, .v = {nx, inner}}, my = {.n = 2, .v = {inner, ny}};
    x = cl_reshape(b, cl_permute(b, x, &px), &mx);
    y = cl_reshape(b, cl_permute(b, y, &py), &my);
    return cl_reshape(b, cl_matmul(b, x, y), &out);
}
