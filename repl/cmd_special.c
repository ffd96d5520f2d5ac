/*
 * cmd_special.c - compare --special: signed zeros, subnormals, NaN, infinities and extreme
 * magnitudes through every input.
 *
 * Input: two operands of compare. Output: a row for each class of values and each input (or group
 * of inputs, where there are many): how many values differ, the first of them, and what it is. A
 * quarter of the elements are replaced, drawn from a seed; the bindings come back afterwards.
 */
#include "compare.h"

#include <float.h>
#include <math.h>

typedef struct SpecialClass {
    const char *name;
    double values[4]; /* of f32; see value_for */
} SpecialClass;

static const SpecialClass classes[] = {
    {"signed zeros", {0.0, -0.0, 0.0, -0.0}},
    {"subnormals", {0x1p-149, -0x1p-149, 0x1p-127, -0x1p-130}},
    {"NaN", {NAN, NAN, NAN, NAN}},
    {"infinities", {INFINITY, -INFINITY, INFINITY, -INFINITY}},
    {"largest", {FLT_MAX, -FLT_MAX, FLT_MAX / 2, -0x1p64}},
    {"smallest normal", {0x1p-126, -0x1p-126, 0x1p-125, -0x1p-124}},
};

/* The value of class c for a dtype: powers of two scaled from the range of f32 to its own. */
static double value_for(const SpecialClass *c, uint32_t i, DType d)
{
    double x = c->values[i], normal = dtype_smallest_normal(d);
    if (x == 0 || !isfinite(x) || d == DT_f32 || normal == 0)
        return x;
    if (fabs(x) < 1)
        return d == DT_bf16 && fabs(x) < 0x1p-126 ? copysign(0x1p-133, x) : x / 0x1p-126 * normal;
    return x / FLT_MAX * dtype_info[d].largest;
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static Tensor *with_class(const Tensor *x, const SpecialClass *c, uint64_t seed)
{
    Tensor *t = tensor_clone(x);
    int64_t n = t ? tensor_numel(t) : 0;
    char *at = t ? tensor_data(t) : NULL;
    uint64_t state = seed * 2654435761u + 1;
    draw(&state);
    for (int64_t i = 0; i < n; i++, at += dtype_info[x->dtype].bytes)
        if (n < 4 || draw(&state) % 4 == 0)
            elem_set_f64(at, x->dtype, value_for(c, (uint32_t)(draw(&state) % 4), x->dtype));
    return t;
}

/* --------------------------------------------------------------------------------------- inputs */

enum { FEW_INPUTS = 8 };

typedef struct Inputs {
    const Value *values[512];
    Tensor *bound[512]; /* what was bound before */
    uint32_t n;
} Inputs;

static bool collect_inputs(Repl *r, Program *p, const Trace *t, Inputs *in)
{
    for (uint32_t i = 0; i < t->ninputs && in->n < ARRAY_LEN(in->values); i++) {
        const Value *v = &t->values[t->inputs[i]];
        Tensor *x = program_binding(p, t->inputs[i]);
        if (v->type.kind != VALUE_tensor || !dtype_is_float((DType)v->type.dtype))
            continue;
        if (!x) {
            fail_with(r, DIAG_usage, "unbound-input", "input %.*s has no value", STR(v->name));
            fail_help(r, "bind --random");
            return false;
        }
        in->values[in->n] = v;
        in->bound[in->n++] = tensor_ref(x);
    }
    if (!in->n)
        fail_with(r, DIAG_usage, "no-input", "the program has no floating-point input");
    return in->n > 0;
}

static bool put_back(Repl *r, Program *p, Inputs *in)
{
    bool good = true;
    for (uint32_t i = 0; i < in->n; i++) {
        good &= program_bind_tensor(p, in->values[i]->name, in->bound[i], &r->diag);
        tensor_unref(in->bound[i]);
    }
    return good;
}

/* Inputs that get special values together: one by one when they are few, else parameters and the
 * others. */
static bool in_group(const Inputs *in, uint32_t i, uint32_t group)
{
    if (in->n <= FEW_INPUTS)
        return i == group;
    bool parameter = in->values[i]->flags & VF_PARAMETER;
    return parameter == (group == 0);
}

static uint32_t group_count(const Inputs *in)
{
    return in->n <= FEW_INPUTS ? in->n : 2;
}

static void group_name(const Inputs *in, uint32_t group, StrBuf *out)
{
    if (in->n <= FEW_INPUTS)
        sb_printf(out, "%%%.*s", STR(in->values[group]->name));
    else
        sb_puts(out, group == 0 ? "parameters" : "other inputs");
}

/* -------------------------------------------------------------------------------------- one row */

typedef struct Found {
    uint32_t compared, differ, signs; /* signs: zeros of another sign in a result */
    ValueId first;                    /* of y */
    Assessed judged;
} Found;

static int64_t other_signs(const Tensor *a, const Tensor *b)
{
    int64_t n = 0;
    if (!dtype_is_float(a->dtype) || a->dtype != b->dtype || tensor_numel(a) != tensor_numel(b))
        return 0;
    Tensor *x = tensor_cast(a, DT_f64), *y = tensor_cast(b, DT_f64);
    const double *p = tensor_data(x), *q = tensor_data(y);
    for (int64_t i = 0, m = tensor_numel(x); i < m; i++)
        n += p[i] == 0 && q[i] == 0 && signbit(p[i]) != signbit(q[i]);
    tensor_unref(x);
    tensor_unref(y);
    return n;
}

static void compare_all(Repl *r, Program *p, Operand *x, Operand *y, Tolerance tol, Found *f)
{
    const Trace *t = x->run->t;
    const ValueId *origin_map = map_origins(r, y->run);
    for (ValueId v = 1; v < t->nvalues; v++) {
        ValueId w = x->run->values[v] && !trace_is_input(t, v)
                        ? partner_of(x->run, v, y->run, origin_map)
                        : 0;
        if (!w)
            continue;
        Comparison c = compare_pair(x, y, x->run->values[v], y->run->values[w], tol);
        f->compared++;
        f->signs += x->rounding == y->rounding &&
                    other_signs(x->run->values[v], y->run->values[w]) > 0;
        if (!c.equal && !f->differ++)
            f->first = w;
    }
    Assessing g;
    if (f->first && assessing_begin(r, p, x, y, &g)) {
        f->judged = assess_value(g.assess, f->first);
        assessing_end(&g);
    }
}

/* Both sides on the present bindings; false after an error. */
static bool run_both(Repl *r, Program *p, Operand *x, Operand *y, Tolerance tol, Found *f)
{
    Run a = {0}, b = {0};
    RunOptions oa = {.rounding = x->rounding, .keep_values = true, .executors = x->executors};
    RunOptions ob = {.rounding = y->rounding, .keep_values = true, .executors = y->executors};
    bool good = session_run(r->session, p, x->st, &oa, &a, &r->diag) &&
                session_run(r->session, p, y->st, &ob, &b, &r->diag);
    if (good) {
        x->run = &a;
        y->run = &b;
        compare_all(r, p, x, y, tol, f);
    }
    run_free(&a);
    run_free(&b);
    return good;
}

static void special_row(Table *t, const Inputs *in, uint32_t group, const SpecialClass *c,
                        const Found *f, const Trace *names)
{
    StrBuf name = {0};
    group_name(in, group, &name);
    cell_str(t, STYLE_none, sb_str(&name));
    cell(t, STYLE_none, "%s", c->name);
    cell(t, STYLE_none, "%u", f->compared);
    cell(t, f->differ ? STYLE_error : STYLE_dim, "%u", f->differ);
    cell(t, f->signs ? STYLE_warn : STYLE_dim, "%u", f->signs);
    if (f->first)
        cell(t, STYLE_error, "%%%.*s", STR(names->values[f->first].name));
    else
        cell_str(t, STYLE_dim, (Str){0});
    cell(t, f->judged.word == CAUSE_wrong ? STYLE_error : STYLE_none, "%s",
         f->first ? cause_word(f->judged.word) : "");
    sb_free(&name);
}

bool compare_special(Repl *r, const Args *a, Program *p, Operand *x, Operand *y, Tolerance tol)
{
    int64_t seed = 1;
    Inputs in = {0};
    if (!option_int(r, a, "--seed", 0, INT64_MAX, &seed))
        return false;
    if (!collect_inputs(r, p, y->st->trace, &in))
        return false;
    Table t = table_begin(r, "special", "input<,class,compared#,differ#,signs#,first,verdict");
    uint32_t wrong = 0, rows = 0;
    bool good = true;
    uint32_t groups = group_count(&in);
    for (uint32_t g = 0; g < groups && good; g++) {
        for (size_t c = 0; c < ARRAY_LEN(classes) && good; c++) {
            for (uint32_t i = 0; i < in.n && good; i++) {
                Tensor *s = in_group(&in, i, g)
                                ? with_class(in.bound[i], &classes[c], (uint64_t)seed * 100 + i)
                                : tensor_ref(in.bound[i]);
                good = s && program_bind_tensor(p, in.values[i]->name, s, &r->diag);
                tensor_unref(s);
            }
            Found f = {0};
            progress(r, "special values", g * ARRAY_LEN(classes) + c,
                     groups * ARRAY_LEN(classes));
            good = good && run_both(r, p, x, y, tol, &f);
            wrong += f.differ > 0 || f.signs > 0;
            rows++;
            if (good && (f.differ || f.signs || arg_flag(a, "--all")))
                special_row(&t, &in, g, &classes[c], &f, y->st->trace);
        }
    }
    good &= put_back(r, p, &in);
    if (t.n)
        table_end(&t);
    if (good)
        sentence(r, "%.*s against %.*s: %u run%s with special values, %u differ (seed %lld)\n",
              STR(x->name), STR(y->name), rows, plural(rows), wrong, (long long)seed);
    r->check_failed = wrong > 0;
    return good && !wrong;
}
