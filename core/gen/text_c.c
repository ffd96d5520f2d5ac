/*
 * text_c.c - the C text of a loop nest.
 *
 * Input: points, stores and loops. Output: one function. Three shapes: "pointwise" (parallel loops
 * only, the last one vectorised), "row" (the last loop is reduced: results of reductions are
 * scalars), "column" (the last loop is parallel: blocks of it, results of reductions are arrays
 * over a block). A reduction costs a pass over the reduced loops; points are computed again in each
 * pass that needs them.
 */
#include "inject.h"
#include "nest.h"

#include <stdio.h>
#include <string.h>

enum { PARALLEL_FROM = 1 << 15, FEW_TURNS = 4, BLOCK = 256 };

typedef struct Text {
    Nest *s;
    const GenOptions *o;
    StrBuf *out;
    StrBuf body;      /* statements of the innermost loop under way */
    StrBuf head;      /* statements before it, in the parallel loops */
    uint8_t *printed; /* by point: IN_head, IN_body */
    uint8_t var_printed[MAX_VARS];
    uint64_t reduced; /* mask of the reduced loops */
    bool column;
    int32_t block;    /* the loop that column blocks run over; -1 = none */
    uint32_t depth, body_depth;
    bool parallel;    /* worth threads */
    bool parallel_inside; /* the threads share the reduced loops */
    bool angles; /* it tells when an angle is too large for the functions of the prelude */
} Text;

enum { IN_head = 1, IN_body = 2 };

static void indent(StrBuf *b, uint32_t depth)
{
    sb_pad(b, ' ', (size_t)4 * depth);
}

/* Whether what depends on these loops belongs into the innermost loop. */
static bool is_inner(const Text *x, uint64_t deps)
{
    uint64_t inner = x->reduced;
    if (x->column)
        return true;
    return inner == 0 || (deps & inner) != 0;
}

/* "#pragma omp WHAT": loops that all add to what the kernel reports. */
static void print_pragma(const Text *x, uint32_t depth, const char *what, const char *clauses,
                         StrBuf *b)
{
    indent(b, depth);
    sb_printf(b, "#pragma omp %s%s%s\n", what, clauses, x->angles ? " reduction(|:far)" : "");
}

/* ------------------------------------------------------------------------------------- points */

static void print_point(Text *x, uint32_t i);

static void print_var(Text *x, uint32_t var)
{
    Nest *s = x->s;
    const Var *v = &s->vars[var];
    bool inner = is_inner(x, v->deps);
    if (var_is_loop(v) || x->var_printed[var] & (inner ? IN_body : IN_head))
        return;
    x->var_printed[var] |= inner ? IN_body : IN_head;
    for (uint32_t i = 0; i < v->of.n; i++)
        print_var(x, v->of.terms[i].var);
    if (v->role == VAR_loaded)
        print_point(x, v->point);
    StrBuf *b = inner ? &x->body : &x->head;
    indent(b, inner ? x->body_depth : x->depth);
    if (v->role == VAR_loaded) {
        sb_printf(b, "const int64_t q%u = index_i(v%u, %lld, &bad);\n", var, v->point,
                  (long long)v->extent);
        return;
    }
    sb_printf(b, "const int64_t q%u = (", var);
    form_print(s, v->of, b);
    sb_printf(b, ") / %lld;\n", (long long)v->by);
}

static void print_vars(Text *x, Form f)
{
    for (uint32_t i = 0; i < f.n; i++)
        print_var(x, f.terms[i].var);
}

static void print_element(Text *x, const char *array, uint32_t number, Form f, StrBuf *out)
{
    sb_printf(out, "%s%u[", array, number);
    form_print(x->s, f, out);
    sb_putc(out, ']');
}

static void print_load(Text *x, const Point *p, StrBuf *e)
{
    uint32_t input = 0;
    while (input < x->s->ninputs && x->s->inputs[input] != p->v)
        input++;
    sb_puts(e, p->dtype == DT_bf16 ? "from_bf16(" : p->dtype == DT_f16 ? "(float)" : "");
    print_element(x, "in", input, p->form, e);
    sb_puts(e, p->dtype == DT_bf16 ? ")" : "");
}

/* A number that is no value of the trace. */
static bool is_literal(const Point *p)
{
    return p->kind == POINT_number && p->v == 0;
}

static void print_cast(const Point *p, const Point *a, const char *arg, StrBuf *e)
{
    bool narrow = p->dtype == DT_bf16 || p->dtype == DT_f16;
    if (p->dtype == DT_b8)
        sb_printf(e, "%s != 0", arg);
    else if (narrow && a->kind != POINT_number)
        sb_printf(e, "round_%s((float)%s)", dtype_info[p->dtype].name, arg);
    else if (dtype_is_float(a->dtype) && dtype_is_int(p->dtype) && p->dtype != DT_u64)
        sb_printf(e, "(%s)(int64_t)%s", c_type(p->dtype), arg);
    else
        sb_printf(e, "(%s)%s", c_type(p->dtype), arg);
}

enum { MAX_NAME = 48 };

/* A number stands where it is used, in parentheses when it is negative. */
static void operand_name(const Text *x, uint32_t i, char name[MAX_NAME])
{
    const Point *p = &x->s->points[i];
    StrBuf n = {0};
    if (is_literal(p)) {
        number_print(p->number, p->dtype, &n);
        bool bare = n.p[0] != '-' && n.p[0] != '(';
        snprintf(name, MAX_NAME, bare ? "%s" : "(%s)", sb_cstr(&n));
    } else {
        snprintf(name, MAX_NAME, "v%u", i);
    }
    sb_free(&n);
}

#ifdef THUNDER_INJECT
/* Faults of tests: a wrong expression in place of the right one; false = none here. */
static bool print_wrong(Text *x, const Point *p, const char *const *args, StrBuf *e)
{
    const Nest *s = x->s;
    Str name = value_get(s->r->t, p->v)->name;
    const Point *a = &s->points[p->a[0]];
    char of[2][MAX_NAME] = {"", ""};
    uint32_t last = s->nloops;
    while (last > 0 && s->vars[last - 1].extent == 1)
        last--;
    for (uint32_t i = 0; p->na && i < a->na && i < 2; i++)
        operand_name(x, a->a[i], of[i]);
    if (p->na == 2 && a->na == 2 && INJECT(kernel_contracted, name))
        sb_printf(e, "__builtin_fmaf(%s, %s, -%s)", of[0], of[1], args[1]);
    else if (p->na == 2 && a->na == 2 && INJECT(kernel_epilogue, name))
        sb_printf(e, "(%s + %s) * %s", of[0], args[1], of[1]);
    else if (INJECT(kernel_negative_zero, name))
        sb_printf(e, "0 - %s", args[0]);
    else if (p->na == 2 && INJECT(kernel_scalar, name))
        sb_printf(e, "%s * (int)%s", args[0], args[1]);
    else if (p->na == 3 && last && INJECT(kernel_mask, name))
        sb_printf(e, "%s || i%u == %lld ? %s : %s", args[0], last - 1,
                  (long long)s->vars[last - 1].extent - 1, args[1], args[2]);
    return e->n > 0;
}
#else
#define print_wrong(x, p, args, e) false
#endif

static void print_op(Text *x, const Point *p, StrBuf *e)
{
    char names[3][MAX_NAME];
    const char *args[3] = {names[0], names[1], names[2]};
    for (uint32_t i = 0; i < p->na; i++) {
        operand_name(x, p->a[i], names[i]);
    }
    const Trace *t = x->s->r->t;
    if (print_wrong(x, p, args, e))
        return;
    switch (p->step) {
    case STEP_cast:
        print_cast(p, &x->s->points[p->a[0]], args[0], e);
        return;
    case STEP_scale:
        sb_printf(e, "%s / ", args[0]);
        number_print(p->number, DT_f64, e);
        return;
    case STEP_square_difference:
        sb_printf(e, "(%s - %s) * (%s - %s)", args[0], args[1], args[0], args[1]);
        return;
    case STEP_sqrt:
        sb_printf(e, "sqrt_d(%s)", args[0]);
        return;
    case STEP_equal:
        sb_printf(e, "%s == %s", args[0], args[1]);
        return;
    case STEP_select:
        sb_printf(e, "%s ? %s : %s", args[0], args[1], args[2]);
        return;
    case STEP_add:
        sb_printf(e, "%s + %s", args[0], args[1]);
        return;
    case STEP_prim:
        break;
    }
    const Node *n = &t->nodes[p->node];
    DType in = expr_dtype(t, n);
    bool rounds = x->o->eager_rounding && (p->dtype == DT_bf16 || p->dtype == DT_f16);
    if (rounds)
        sb_printf(e, "round_%s(", dtype_info[p->dtype].name);
    else if (p->dtype == DT_b8)
        sb_putc(e, '(');
    else if (dtype_is_int(p->dtype))
        sb_printf(e, "(%s)(", c_type(p->dtype));
    expr_print(DIALECT_c, n->op, in, args, e);
    if (p->dtype == DT_b8)
        sb_puts(e, ") != 0");
    else if (rounds || dtype_is_int(p->dtype))
        sb_putc(e, ')');
}

/* Whether it is a function of an angle that the prelude computes for angles of moderate size. */
static bool is_angle(const Text *x, const Point *p)
{
    if (p->kind != POINT_op || p->step != STEP_prim)
        return false;
    const Node *n = &x->s->r->t->nodes[p->node];
    bool angle = n->op->id == PRIM_sin || n->op->id == PRIM_cos || n->op->id == PRIM_tan;
    return angle && expr_dtype(x->s->r->t, n) != DT_f64;
}

static void print_point(Text *x, uint32_t i);

static void print_expression(Text *x, uint32_t i, StrBuf *e)
{
    const Point *p = &x->s->points[i];
    switch (p->kind) {
    case POINT_load:
        print_load(x, p, e);
        break;
    case POINT_number:
        number_print(p->number, p->dtype, e);
        break;
    case POINT_index:
        form_print(x->s, p->form, e);
        break;
    case POINT_reduce:
        sb_printf(e, "(%s)acc%u%s", c_type(p->dtype), i, x->column ? "[j]" : "");
        break;
    case POINT_op:
        print_op(x, p, e);
        break;
    }
}

static void print_point(Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    bool inner = is_inner(x, p->deps);
    if (is_literal(p) || x->printed[i] & (inner ? IN_body : IN_head))
        return;
    x->printed[i] |= inner ? IN_body : IN_head;
    if (p->kind != POINT_reduce)
        for (uint32_t k = 0; k < p->na; k++)
            print_point(x, p->a[k]);
    print_vars(x, p->form);
    StrBuf e = {0};
    print_expression(x, i, &e);
    StrBuf *b = inner ? &x->body : &x->head;
    indent(b, inner ? x->body_depth : x->depth);
    sb_printf(b, "const %s v%u = %s;", c_type(p->dtype), i, sb_cstr(&e));
    if (p->v)
        sb_printf(b, " // %.*s", STR(value_get(x->s->r->t, p->v)->name));
    sb_putc(b, '\n');
    sb_free(&e);
    if (x->angles && is_angle(x, p)) {
        indent(b, inner ? x->body_depth : x->depth);
        char angle[MAX_NAME];
        operand_name(x, p->a[0], angle);
        sb_printf(b, "far |= is_far(%s);\n", angle);
    }
}

static void print_store(Text *x, const Store *st, StrBuf *b, uint32_t depth)
{
    DType d = (DType)value_get(x->s->r->t, x->s->r->outs[st->out])->type.dtype;
    indent(b, depth);
    print_element(x, "out", st->out, st->form, b);
    if (d == DT_bf16)
        sb_printf(b, " = to_bf16(v%u);\n", st->point);
    else
        sb_printf(b, " = %sv%u;\n", d == DT_f16 ? "(_Float16)" : "", st->point);
}

/* ---------------------------------------------------------------------------------- reductions */

static bool is_extreme(const Point *p)
{
    return p->fold == FOLD_max || p->fold == FOLD_min;
}

static bool has_nan_flag(const Point *p)
{
    return is_extreme(p) && dtype_is_float(p->dtype);
}

/* Sums of f32 are collected in double; those of f16 and bf16 in float while they are short. A
 * product leaves the range of f32 for good, as it does in PyTorch. */
static const char *acc_type(const Text *x, const Point *p)
{
    if (is_extreme(p))
        return c_type(p->dtype);
    if (p->fold == FOLD_any || p->fold == FOLD_all)
        return "int";
    if (!dtype_is_float(p->dtype))
        return c_type(p->dtype);
    if (p->fold == FOLD_prod)
        return c_type(p->dtype);
    bool narrow = p->dtype == DT_f16 || p->dtype == DT_bf16;
    return narrow && x->s->reduced_numel <= 1 << 14 ? "float" : "double";
}

/* Whether the order of the elements decides if a part of the result becomes infinite or zero. */
static bool leaves_range(const Point *p)
{
    return p->fold == FOLD_prod && dtype_is_float(p->dtype);
}

static void print_start(const Text *x, const Point *p, StrBuf *b)
{
    static const struct {
        DType d;
        const char *least, *most;
    } ends[] = {
        {DT_b8, "0", "1"},
        {DT_u8, "0", "255"},
        {DT_i8, "-128", "127"},
        {DT_i16, "-32768", "32767"},
        {DT_u16, "0", "65535"},
        {DT_i32, "-__INT32_MAX__ - 1", "__INT32_MAX__"},
        {DT_u32, "0", "4294967295u"},
        {DT_i64, "INT64_MIN", "__INT64_MAX__"},
        {DT_u64, "0", "18446744073709551615u"},
    };
    bool wrong = INJECT(kernel_start, value_get(x->s->r->t, p->v)->name);
    if (!is_extreme(p)) {
        sb_puts(b, p->fold == FOLD_prod || p->fold == FOLD_all ? "1" : "0");
    } else if (dtype_is_float(p->dtype)) {
        sb_puts(b, wrong ? "0" : p->fold == FOLD_max ? "-__builtin_inf()" : "__builtin_inf()");
    } else {
        for (size_t i = 0; i < ARRAY_LEN(ends); i++)
            if (ends[i].d == p->dtype)
                sb_puts(b, p->fold == FOLD_max ? ends[i].least : ends[i].most);
    }
}

static void print_update(Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    const char *at = x->column ? "[j]" : "";
    uint32_t v = p->a[0];
    StrBuf *b = &x->body;
    indent(b, x->body_depth);
    switch (p->fold) {
    case FOLD_sum:
        sb_printf(b, "acc%u%s += v%u;\n", i, at, v);
        break;
    case FOLD_prod:
        sb_printf(b, "acc%u%s *= v%u;\n", i, at, v);
        break;
    case FOLD_any:
        sb_printf(b, "acc%u%s |= v%u != 0;\n", i, at, v);
        break;
    case FOLD_all:
        sb_printf(b, "acc%u%s &= v%u != 0;\n", i, at, v);
        break;
    case FOLD_max:
    case FOLD_min:
        sb_printf(b, "acc%u%s = v%u %c acc%u%s ? v%u : acc%u%s;\n", i, at, v,
                  p->fold == FOLD_max ? '>' : '<', i, at, v, i, at);
        if (has_nan_flag(p)) {
            indent(b, x->body_depth);
            sb_printf(b, "nan%u%s |= v%u != v%u;\n", i, at, v, v);
        }
        break;
    }
}

static void print_acc(Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    StrBuf *b = &x->head;
    indent(b, x->depth);
    if (x->column) {
        sb_printf(b, "%s acc%u[%d];\n", acc_type(x, p), i, BLOCK);
        if (has_nan_flag(p)) {
            indent(b, x->depth);
            sb_printf(b, "int nan%u[%d];\n", i, BLOCK);
        }
        indent(b, x->depth);
        sb_printf(b, "for (int64_t j = 0; j < m; j++)%s\n", has_nan_flag(p) ? " {" : "");
        indent(b, x->depth + 1);
        sb_printf(b, "acc%u[j] = ", i);
        print_start(x, p, b);
        sb_puts(b, ";\n");
        if (has_nan_flag(p)) {
            indent(b, x->depth + 1);
            sb_printf(b, "nan%u[j] = 0;\n", i);
            indent(b, x->depth);
            sb_puts(b, "}\n");
        }
        return;
    }
    sb_printf(b, "%s acc%u = ", acc_type(x, p), i);
    print_start(x, p, b);
    sb_puts(b, ";\n");
    if (has_nan_flag(p)) {
        indent(b, x->depth);
        sb_printf(b, "int nan%u = 0;\n", i);
    }
}

static void print_clause(const Text *x, uint32_t i, StrBuf *b)
{
    static const char *const signs[] = {"+", "*", "max", "min", "|", "&"};
    const Point *p = &x->s->points[i];
    sb_printf(b, " reduction(%s:acc%u)", signs[p->fold], i);
    if (has_nan_flag(p))
        sb_printf(b, " reduction(|:nan%u)", i);
}

/* After the loops: NaN wins, and a scalar of a row is known in the parallel loops. */
static void print_nan(Text *x, uint32_t i, StrBuf *b)
{
    if (!has_nan_flag(&x->s->points[i]))
        return;
    indent(b, x->depth);
    const char *wide = x->s->points[i].dtype == DT_f64 ? "" : "f";
    if (x->column)
        sb_printf(b,
                  "for (int64_t j = 0; j < m; j++)\n"
                  "%*sacc%u[j] = nan%u[j] ? __builtin_nan%s(\"\") : acc%u[j];\n",
                  4 * (int)x->depth + 4, "", i, i, wide, i);
    else
        sb_printf(b, "acc%u = nan%u ? __builtin_nan%s(\"\") : acc%u;\n", i, i, wide, i);
}

/* ---------------------------------------------------------------------------------------- loops */

static void print_for(const Text *x, uint32_t var, uint32_t depth, StrBuf *b)
{
    indent(b, depth);
    sb_printf(b, "for (int64_t i%u = 0; i%u < %lld; i%u++) {\n", var, var,
              (long long)x->s->vars[var].extent, var);
}

static void close_loops(StrBuf *b, uint32_t depth, uint32_t n)
{
    while (n--) {
        indent(b, depth + n);
        sb_puts(b, "}\n");
    }
}

static uint32_t loops_of(const Text *x, Role role, uint32_t *vars)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (x->s->vars[i].role == role && x->s->vars[i].extent != 1 && (int32_t)i != x->block)
            vars[n++] = i;
    return n;
}

/* Statements of the body; in braces where no loop keeps their names from those of other passes. */
static void add_body(Text *x, bool braces)
{
    if (braces) {
        indent(x->out, x->depth);
        sb_puts(x->out, "{\n");
    }
    sb_add(x->out, sb_str(&x->body));
    if (braces) {
        indent(x->out, x->depth);
        sb_puts(x->out, "}\n");
    }
}

/* The statements of one pass, in the reduced loops; they are in x->body already. accs: the
 * reductions that it makes. */
static void print_pass_loops(Text *x, const uint32_t *accs, uint32_t naccs)
{
    uint32_t vars[MAX_LOOPS], n = loops_of(x, VAR_reduced, vars), depth = x->depth;
    StrBuf clauses = {0}, *b = x->out;
    bool in_order = false;
    for (uint32_t i = 0; i < naccs && !x->column; i++) {
        print_clause(x, accs[i], &clauses);
        in_order |= leaves_range(&x->s->points[accs[i]]);
    }
    for (uint32_t i = 0; i < n; i++) {
        bool last = i + 1 == n && !x->column && !in_order;
        bool threads = i == 0 && x->parallel_inside;
        if (threads || last) {
            print_pragma(x, depth, threads ? last ? "parallel for simd" : "parallel for" : "simd",
                         sb_cstr(&clauses), b);
        }
        print_for(x, vars[i], depth++, b);
    }
    if (x->column) {
        print_pragma(x, depth, "simd", "", b);
        indent(b, depth++);
        sb_puts(b, "for (int64_t j = 0; j < m; j++) {\n");
        indent(b, depth);
        sb_printf(b, "const int64_t i%d = b + j;\n", x->block);
        n++;
    }
    add_body(x, n == 0);
    close_loops(b, depth - n, n);
    sb_free(&clauses);
}

/* Body statements stand as deep as all loops that may be around them. */
static void begin_body(Text *x, bool over_reduced)
{
    uint32_t vars[MAX_LOOPS], n = over_reduced ? loops_of(x, VAR_reduced, vars) : 0;
    sb_clear(&x->body);
    x->body_depth = x->depth + n + (x->column ? 1 : 0);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        x->printed[i] &= (uint8_t)~IN_body;
    for (uint32_t i = 0; i < MAX_VARS; i++)
        x->var_printed[i] &= (uint8_t)~IN_body;
}

static void flush_head(Text *x)
{
    sb_add(x->out, sb_str(&x->head));
    sb_clear(&x->head);
}

/* All reductions that are known after `pass` passes, and not before. */
static void print_reduce_pass(Text *x, uint32_t pass)
{
    uint32_t accs[MAX_POINTS], n = 0;
    begin_body(x, true);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_reduce || p->pass != pass)
            continue;
        accs[n++] = i;
        print_acc(x, i);
        print_point(x, p->a[0]);
        print_update(x, i);
    }
    flush_head(x);
    print_pass_loops(x, accs, n);
    for (uint32_t i = 0; i < n; i++)
        print_nan(x, accs[i], x->out);
}

static void print_outer_stores(Text *x)
{
    bool any = false;
    begin_body(x, false);
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        if (form_deps(x->s, st->form) & x->reduced || x->reduced == 0)
            continue;
        if (!x->column && is_inner(x, x->s->points[st->point].deps))
            continue;
        print_vars(x, st->form);
        print_point(x, st->point);
        print_store(x, st, x->column ? &x->body : &x->head, x->column ? x->body_depth : x->depth);
        any = true;
    }
    flush_head(x);
    if (!any || !x->column)
        return;
    indent(x->out, x->depth);
    sb_puts(x->out, "for (int64_t j = 0; j < m; j++) {\n");
    indent(x->out, x->depth + 1);
    sb_printf(x->out, "const int64_t i%d = b + j;\n", x->block);
    sb_add(x->out, sb_str(&x->body));
    close_loops(x->out, x->depth, 1);
}

static void print_full_stores(Text *x)
{
    bool any = false;
    begin_body(x, true);
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        if (x->reduced && !(form_deps(x->s, st->form) & x->reduced))
            continue;
        print_vars(x, st->form);
        print_point(x, st->point);
        print_store(x, st, &x->body, x->body_depth);
        any = true;
    }
    flush_head(x);
    if (!any)
        return;
    if (x->reduced)
        print_pass_loops(x, NULL, 0);
    else
        add_body(x, x->s->reduces);
}

static uint32_t count_passes(const Nest *s)
{
    uint32_t passes = 0;
    for (uint32_t i = 0; i < s->npoints; i++)
        passes = s->points[i].pass > passes ? s->points[i].pass : passes;
    return passes;
}

/* How the loops are shared among threads, and which one is taken in blocks. */
static void choose_shape(Text *x)
{
    Nest *s = x->s;
    int32_t last = -1, last_parallel = -1;
    for (uint32_t i = 0; i < s->nloops; i++) {
        if (s->vars[i].extent == 1)
            continue;
        last = (int32_t)i;
        if (s->vars[i].role == VAR_parallel)
            last_parallel = (int32_t)i;
        else
            x->reduced |= (uint64_t)1 << i;
    }
    if (s->reduces && s->reduced_numel != 1 && last >= 0 && last == last_parallel)
        x->column = true;
    x->block = x->column ? last : -1;
    x->parallel = s->full_numel >= PARALLEL_FROM;
    x->parallel_inside = x->parallel && s->reduces && !x->column && s->outer_numel < FEW_TURNS &&
                         s->reduced_numel >= PARALLEL_FROM;
}

/* Opens the parallel loops; returns how many. */
static uint32_t open_parallel(Text *x)
{
    uint32_t vars[MAX_LOOPS], n = loops_of(x, VAR_parallel, vars);
    bool simd_last = x->reduced == 0 && n > 0;
    uint32_t shared = n - (simd_last && n > 1) + x->column;
    int64_t turns = 1;
    for (uint32_t i = 0; i + (simd_last && n > 1) < n; i++)
        turns *= x->s->vars[vars[i]].extent;
    bool inner_threads = simd_last && n > 1 && turns < FEW_TURNS;
    bool threads = x->parallel && !x->parallel_inside && shared > 0;
    if (threads && !inner_threads) {
        char clause[32] = "";
        if (shared > 1)
            snprintf(clause, sizeof clause, " collapse(%u)", shared);
        print_pragma(x, x->depth, simd_last && n == 1 ? "parallel for simd" : "parallel for",
                     clause, x->out);
    } else if (simd_last && n == 1) {
        print_pragma(x, x->depth, "simd", "", x->out);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (simd_last && n > 1 && i + 1 == n)
            print_pragma(x, x->depth, threads && inner_threads ? "parallel for simd" : "simd", "",
                         x->out);
        print_for(x, vars[i], x->depth++, x->out);
    }
    if (x->column) {
        int64_t size = x->s->vars[x->block].extent;
        int64_t block = size >= 8 * BLOCK ? BLOCK : size >= 256 ? 64 : 16;
        indent(x->out, x->depth++);
        sb_printf(x->out, "for (int64_t b = 0; b < %lld; b += %lld) {\n", (long long)size,
                  (long long)block);
        indent(x->out, x->depth);
        sb_printf(x->out, "const int64_t m = %lld - b < %lld ? %lld - b : %lld;\n",
                  (long long)size, (long long)block, (long long)size, (long long)block);
        n++;
    }
    return n;
}

static void print_parameters(Text *x)
{
    const Region *r = x->s->r;
    for (uint32_t i = 0; i < x->s->ninputs; i++) {
        const Value *v = value_get(r->t, x->s->inputs[i]);
        sb_printf(x->out, "    const %s *restrict in%u = in[%u]; // %.*s: ",
                  c_storage((DType)v->type.dtype), i, i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
    for (uint32_t i = 0; i < r->nouts; i++) {
        const Value *v = value_get(r->t, r->outs[i]);
        sb_printf(x->out, "    %s *restrict out%u = out[%u]; // %.*s: ",
                  c_storage((DType)v->type.dtype), i, i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
}

static void print_function(Text *x, const char *symbol)
{
    sb_printf(x->out, "int %s(void *const *in, void *const *out)\n{\n", symbol);
    print_parameters(x);
    sb_puts(x->out, "    volatile int bad = 0; // an integer was divided by zero\n");
    if (x->angles)
        sb_puts(x->out, "    int far = 0; // an angle is too large for the functions used here\n");
    x->depth = 1;
    uint32_t opened = open_parallel(x), passes = count_passes(x->s);
    for (uint32_t pass = 1; pass <= passes; pass++)
        print_reduce_pass(x, pass);
    print_full_stores(x);
    print_outer_stores(x);
    close_loops(x->out, 1, opened);
    sb_puts(x->out, "    (void)in;\n");
    sb_puts(x->out, x->angles ? "    return bad | far << 2;\n}\n" : "    return bad;\n}\n");
}

bool gen_c(const Region *r, const GenOptions *o, const char *symbol, StrBuf *out, StrBuf *why)
{
    Nest s;
    if (!nest_build(&s, r, why)) {
        nest_free(&s);
        return false;
    }
    nest_merge_loops(&s);
    Text x = {.s = &s, .o = o, .out = out, .block = -1};
    x.printed = new_array(&s.arena, uint8_t, s.npoints + 1);
    choose_shape(&x);
    for (uint32_t i = 0; i < s.npoints; i++)
        x.angles |= is_angle(&x, &s.points[i]);
    print_function(&x, symbol);
    sb_free(&x.body);
    sb_free(&x.head);
    nest_free(&s);
    return true;
}
