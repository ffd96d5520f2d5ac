/*
 * text_c_points.c - the statements of a loop body: one constant for each point.
 *
 * Input: points of a nest. Output: lines for the innermost loop (body) or, where no inner loop
 * matters to them, for the loops around it (head).
 */
#include "inject.h"
#include "text_c.h"

#include <stdio.h>

enum { MAX_NAME = 48 };

void c_indent(StrBuf *b, uint32_t depth)
{
    sb_pad(b, ' ', (size_t)4 * depth);
}

/* Whether what depends on these loops belongs into the innermost loop. */
bool c_is_inner(const Text *x, uint64_t deps)
{
    uint64_t inner = x->reduced;
    if (x->column)
        return true;
    return inner == 0 || (deps & inner) != 0;
}

void c_pragma(const Text *x, uint32_t depth, const char *what, const char *clauses,
                         StrBuf *b)
{
    c_indent(b, depth);
    sb_printf(b, "#pragma omp %s%s%s\n", what, clauses, x->angles ? " reduction(|:far)" : "");
}

/* ------------------------------------------------------------------------------------- points */

static void print_var(Text *x, uint32_t var)
{
    Nest *s = x->s;
    const Var *v = &s->vars[var];
    bool inner = c_is_inner(x, v->deps);
    if (var_is_loop(v) || x->var_printed[var] & (inner ? IN_body : IN_head))
        return;
    x->var_printed[var] |= inner ? IN_body : IN_head;
    for (uint32_t i = 0; i < v->of.n; i++)
        print_var(x, v->of.terms[i].var);
    if (v->role == VAR_loaded)
        c_point(x, v->point);
    StrBuf *b = inner ? &x->body : &x->head;
    c_indent(b, inner ? x->body_depth : x->depth);
    if (v->role == VAR_loaded && v->in_range) {
        sb_printf(b, "const int64_t q%u = v%u;\n", var, v->point);
        return;
    }
    if (v->role == VAR_loaded) {
        sb_printf(b, "const int64_t q%u = index_i(v%u, %lld, &bad);\n", var, v->point,
                  (long long)v->extent);
        return;
    }
    sb_printf(b, "const int64_t q%u = (", var);
    form_print(s, v->of, b);
    sb_printf(b, ") / %lld;\n", (long long)v->by);
}

void c_vars(Text *x, Form f)
{
    for (uint32_t i = 0; i < f.n; i++)
        print_var(x, f.terms[i].var);
}

void c_element(const Text *x, const char *array, uint32_t number, Form f, StrBuf *out)
{
    sb_printf(out, "%s%u[", array, number);
    form_print(x->s, f, out);
    sb_putc(out, ']');
}

uint32_t c_input(Text *x, const Point *p)
{
    uint32_t input = 0;
    while (input < x->s->ninputs && x->s->inputs[input] != p->v)
        input++;
    x->loaded |= (uint64_t)1 << input;
    return input;
}

/* In memory it is an integer that the prelude converts. */
static bool is_coded(DType d)
{
    return c_is_narrow(d) && d != DT_f16;
}

static void print_load(Text *x, uint32_t i, StrBuf *e)
{
    const Point *p = &x->s->points[i];
    bool coded = is_coded(p->dtype);
    if (coded)
        sb_printf(e, "from_%s(", dtype_info[p->dtype].name);
    else if (p->dtype == DT_f16)
        sb_puts(e, "(float)");
    if (c_is_tile(x, p))
        sb_printf(e, "tile%u[k][j]", i);
    else if (c_is_panel(x, p))
        c_panel_element(x, i, e);
    else
        c_element(x, "in", c_input(x, p), p->form, e);
    sb_puts(e, coded ? ")" : "");
}

/* A number that is no value of the trace. */
static bool is_literal(const Point *p)
{
    return p->kind == POINT_number && p->v == 0;
}

static void print_cast(const Point *p, const Point *a, const char *arg, StrBuf *e)
{
    if (p->dtype == DT_b8)
        sb_printf(e, "%s != 0", arg);
    else if (c_is_narrow(p->dtype))
        sb_printf(e, "round_%s((float)%s)", dtype_info[p->dtype].name, arg);
    else if (dtype_is_float(a->dtype) && dtype_is_int(p->dtype) && p->dtype != DT_u64)
        sb_printf(e, "(%s)(int64_t)%s", c_type(p->dtype), arg);
    else
        sb_printf(e, "(%s)%s", c_type(p->dtype), arg);
}

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

void c_operand(const Text *x, uint32_t i, StrBuf *out)
{
    char name[MAX_NAME];
    operand_name(x, i, name);
    sb_puts(out, name);
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

static const Op *op_of(const Text *x, const Point *p)
{
    return p->kind == POINT_op && p->step == STEP_prim ? x->s->r->t->nodes[p->node].op : NULL;
}

bool c_is_exp(const Text *x, const Point *p)
{
    const Op *op = op_of(x, p);
    DType in = op ? expr_dtype(x->s->r->t, &x->s->r->t->nodes[p->node]) : DT_none;
    return op && op->id == PRIM_exp && dtype_is_float(in) && in != DT_f64;
}

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
    case STEP_quotient:
        if (p->dtype == DT_f32 && !c_is_inner(x, x->s->points[p->a[1]].deps))
            sb_printf(e, "quotient_f(%s, %s)", args[0], args[1]);
        else
            sb_printf(e, "%s / %s", args[0], args[1]);
        return;
    case STEP_sqrt:
        sb_printf(e, "sqrt_d(%s)", args[0]);
        return;
    case STEP_equal:
        sb_printf(e, "%s == %s", args[0], args[1]);
        return;
    case STEP_prim:
        break;
    default:
        step_print(t, p, args, e);
        return;
    }
    const Node *n = &t->nodes[p->node];
    DType in = expr_dtype(t, n);
    bool below = c_is_exp(x, p) && nest_is_shifted(x->s, p->a[0]);
    bool rounds = x->o->eager_rounding && c_is_narrow(p->dtype);
    if (rounds)
        sb_printf(e, "round_%s(", dtype_info[p->dtype].name);
    else if (p->dtype == DT_b8)
        sb_putc(e, '(');
    else if (dtype_is_int(p->dtype))
        sb_printf(e, "(%s)(", c_type(p->dtype));
    if (below)
        sb_printf(e, "exp_below_f(%s)", args[0]);
    else
        expr_print(DIALECT_c, n->op, in, args, e);
    if (p->dtype == DT_b8)
        sb_puts(e, ") != 0");
    else if (rounds || dtype_is_int(p->dtype))
        sb_putc(e, ')');
}

/* Whether it is a function of an angle that the prelude computes for angles of moderate size. */
bool c_is_angle(const Text *x, const Point *p)
{
    return nest_is_angle(x->s, p);
}

static void print_expression(Text *x, uint32_t i, StrBuf *e)
{
    const Point *p = &x->s->points[i];
    switch (p->kind) {
    case POINT_load:
        print_load(x, i, e);
        break;
    case POINT_number:
        number_print(p->number, p->dtype, e);
        break;
    case POINT_index:
        form_print(x->s, p->form, e);
        break;
    case POINT_reduce:
        if (x->flight && !p->across) {
            sb_printf(e, "(%s)end%u[i%d & %d]", c_type(p->dtype), i, c_row_loop(x),
                      FLIGHT_SLOTS - 1);
            break;
        }
        sb_printf(e, "(%s)acc%u", c_type(p->dtype), i);
        if (p->across && !p->whole)
            sb_printf(e, "[i%d]", x->last_reduced);
        else if (x->column && !p->whole)
            sb_puts(e, "[j]");
        break;
    case POINT_scan:
        sb_printf(e, "(%s)scan%u_%u%s", c_type(p->dtype), i, x->pass, x->column ? "[j]" : "");
        break;
    case POINT_op:
        print_op(x, p, e);
        break;
    }
}

static bool is_kept(const Text *x, uint32_t i)
{
    return x->step[i] || (x->keep[i] && x->pass > x->keep[i]);
}

void c_declare_kept(Text *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!x->keep[i])
            continue;
        c_indent(x->out, x->depth);
        sb_printf(x->out, "%s keep%u", c_type(x->s->points[i].dtype), i);
        if (c_kept_rows(x, i) > 1)
            sb_printf(x->out, "[%u]", c_kept_rows(x, i));
        sb_printf(x->out, "[%lld] __attribute__((aligned(%d)));\n", (long long)x->s->reduced_numel,
                  LINE);
    }
}

/* The element of the array that a point is kept in. */
static void print_kept(const Text *x, uint32_t i, StrBuf *b)
{
    uint32_t rows = c_kept_rows(x, i);
    if (x->step[i]) {
        sb_printf(b, "step%u[%sj]", i, x->line ? "l + " : "");
        return;
    }
    sb_printf(b, "keep%u", i);
    if (rows > 1)
        sb_printf(b, "[i%d %% %u]", c_row_loop(x), rows);
    sb_printf(b, "[i%d]", x->last_reduced);
}

/* Statements that belong to the value: it is kept for later passes; its angle is looked at. */
static void print_after(Text *x, uint32_t i, bool inner, StrBuf *b)
{
    const Point *p = &x->s->points[i];
    uint32_t depth = inner ? x->body_depth : x->depth;
    if (x->keep[i] && !is_kept(x, i)) {
        c_indent(b, depth);
        print_kept(x, i, b);
        sb_printf(b, " = v%u;\n", i);
    }
    if (x->angles && c_is_angle(x, p) && !is_kept(x, i)) {
        char angle[MAX_NAME];
        operand_name(x, p->a[0], angle);
        c_indent(b, depth);
        sb_printf(b, "far |= is_far(%s);\n", angle);
    }
}

void c_point(Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    bool inner = c_is_inner(x, p->deps);
    if (is_literal(p) || x->printed[i] & (inner ? IN_body : IN_head))
        return;
    x->printed[i] |= inner ? IN_body : IN_head;
    if (p->kind != POINT_reduce && !is_kept(x, i) && x->never != i + 1) {
        for (uint32_t k = 0; k < p->na; k++)
            c_point(x, p->a[k]);
        c_vars(x, p->form);
        if (p->kind == POINT_scan)
            c_scan(x, i);
    }
    StrBuf e = {0};
    if (is_kept(x, i))
        print_kept(x, i, &e);
    else if (x->never == i + 1)
        sb_puts(&e, "0");
    else
        print_expression(x, i, &e);
    StrBuf *b = inner ? &x->body : &x->head;
    c_indent(b, inner ? x->body_depth : x->depth);
    sb_printf(b, "const %s v%u = %s;", c_type(p->dtype), i, sb_cstr(&e));
    if (p->v)
        sb_printf(b, " // %.*s", STR(value_get(x->s->r->t, p->v)->name));
    sb_putc(b, '\n');
    sb_free(&e);
    print_after(x, i, inner, b);
}

/* An exponential that is put into an array in the pass under way, and in this pass is needed from
 * there only. */
static bool is_exp_of_row(const Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    bool rounds = x->o->eager_rounding && c_is_narrow(p->dtype);
    if (x->keep[i] != x->pass || x->early || rounds || !c_is_exp(x, p))
        return false;
    for (uint32_t q = i + 1; q < x->s->npoints; q++)
        for (uint32_t k = 0; k < x->s->points[q].na; k++)
            if (x->s->points[q].a[k] == i && x->s->points[q].kind != POINT_reduce &&
                x->needed[q] >> x->pass & 1)
                return false;
    return true;
}

bool c_has_exps(const Text *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (c_ends_now(x, &x->s->points[i]) && c_sums_apart(x) &&
            is_exp_of_row(x, x->s->points[i].a[0]))
            return true;
    return false;
}

void c_term(Text *x, uint32_t i)
{
    char of[MAX_NAME];
    if (!x->exps || !is_exp_of_row(x, i)) {
        c_point(x, i);
        return;
    }
    if (x->printed[i] & IN_body)
        return;
    c_point(x, x->s->points[i].a[0]);
    x->printed[i] |= IN_body;
    operand_name(x, x->s->points[i].a[0], of);
    c_indent(&x->body, x->body_depth);
    print_kept(x, i, &x->body);
    sb_printf(&x->body, " = %s;\n", of);
}

void c_take_exps(Text *x, uint32_t depth)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!(x->printed[i] & IN_body) || !is_exp_of_row(x, i))
            continue;
        const Point *p = &x->s->points[i];
        bool below = nest_is_shifted(x->s, p->a[0]);
        c_indent(x->out, depth);
        sb_printf(x->out, "exp%s_row(&keep%u[", below ? "_below" : "", i);
        if (c_kept_rows(x, i) > 1)
            sb_printf(x->out, "i%d %% %u][", c_row_loop(x), c_kept_rows(x, i));
        sb_puts(x->out, "b], m);");
        if (p->v)
            sb_printf(x->out, " // %.*s", STR(value_get(x->s->r->t, p->v)->name));
        sb_putc(x->out, '\n');
    }
}

/* A row of a streamed output is collected in an array first; see rows in text_c.c. */
void c_store(Text *x, const Store *st, StrBuf *b, uint32_t depth)
{
    DType d = (DType)value_get(x->s->r->t, x->s->r->outs[st->out])->type.dtype;
    c_indent(b, depth);
    if (x->rows & 1u << st->out)
        sb_printf(b, "row%u[j]", st->out);
    else
        c_element(x, "out", st->out, st->form, b);
    if (is_coded(d))
        sb_printf(b, " = to_%s(v%u);\n", dtype_info[d].name, st->point);
    else
        sb_printf(b, " = %sv%u;\n", d == DT_f16 ? "(_Float16)" : "", st->point);
}

/* ----------------------------------------------------------------------------------- questions */

bool c_reports(const Text *x, const Point *p)
{
    const Op *op = op_of(x, p);
    bool divides = op && (op->id == PRIM_div || op->id == PRIM_fmod || op->id == PRIM_remainder);
    return divides && !dtype_is_float(expr_dtype(x->s->r->t, &x->s->r->t->nodes[p->node]));
}

bool c_is_place(const Text *x, const Point *p, char name[24])
{
    const Op *op = op_of(x, p);
    if (p->kind != POINT_op || (p->step != STEP_equal && !(op && op->id == PRIM_eq)))
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        const Point *at = &x->s->points[p->a[k]], *with = &x->s->points[p->a[!k]];
        bool place = at->kind == POINT_index && at->form.n == 1 && at->form.c == 0 &&
                     form_factor(at->form, (uint32_t)x->last_reduced) == 1;
        if (place && at->dtype == DT_i64 && with->dtype == DT_i64 && !is_literal(with) &&
            !c_is_inner(x, with->deps)) {
            snprintf(name, 24, "v%u", p->a[!k]);
            return true;
        }
    }
    return false;
}

bool c_is_dear(const Text *x, const Point *p)
{
    static const uint32_t dear[] = {
        PRIM_exp,  PRIM_log,  PRIM_tanh,  PRIM_erf,  PRIM_sin,  PRIM_cos,   PRIM_tan,
        PRIM_pow,  PRIM_exp2, PRIM_log2,  PRIM_sqrt, PRIM_div,  PRIM_rsqrt, PRIM_log1p,
        PRIM_sinh, PRIM_cosh, PRIM_expm1, PRIM_erfc, PRIM_atan, PRIM_fmod,  PRIM_remainder,
    };
    const Op *op = op_of(x, p);
    for (size_t i = 0; op && i < ARRAY_LEN(dear); i++)
        if (op->id == dear[i])
            return true;
    return false;
}
