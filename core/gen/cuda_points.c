/*
 * cuda_points.c - loads, expressions and stores inside the loop over chunks.
 *
 * What is the same for all turns of that loop goes into the head; what is the same for the elements
 * of a chunk, and accesses of whole chunks, into the chunk part; the rest into the loop over the
 * elements j of a chunk. Each point is printed once in a body, behind its operands.
 */
#include "cuda.h"

#include <stdio.h>

enum { IN_head = 1, IN_chunk = 2, IN_element = 4, ARRAY_head = 8, ARRAY_chunk = 16 };

const char *cuda_storage(DType d)
{
    return c_is_narrow(d) ? dtype_info[d].name : c_storage(d);
}

/* What a point of this dtype is computed in. */
static const char *cuda_type(DType d)
{
    return c_type(d);
}

/* Variances of narrow floats are collected in float: threads sum few elements each, and the squares
 * are of differences from the mean. */
static DType working_dtype(const Cuda *x, const Point *p)
{
    if (p->dtype != DT_f64 || p->v || p->na == 0)
        return p->dtype;
    const Point *a = &x->s->points[p->a[0]];
    if (p->kind == POINT_op && (p->step == STEP_prim || p->step == STEP_draw))
        return p->dtype;
    if (p->kind == POINT_op && p->step == STEP_cast)
        return dtype_is_float(a->dtype) ? DT_f32 : DT_f64;
    if (p->kind == POINT_op && p->step == STEP_select) /* of what is chosen, not of the condition */
        return x->dtypes[p->a[1]] == x->dtypes[p->a[2]] ? (DType)x->dtypes[p->a[1]] : DT_f64;
    return x->dtypes[p->a[0]];
}

enum { COARSE_bf16 = 1, COARSE_f16 = 2, COARSE_none = 3 };

static void need_at_least(Cuda *x, uint32_t i, uint8_t how)
{
    if (how > x->coarse[i])
        x->coarse[i] = how;
}

static uint8_t coarse_of(DType d)
{
    return d == DT_bf16 ? COARSE_bf16 : d == DT_f16 ? COARSE_f16 : COARSE_none;
}

/* No larger than 1, so what its exponent is off by hardly shows in a sum. */
bool cuda_is_softmax_term(const Cuda *x, uint32_t i)
{
    const Trace *t = x->s->r->t;
    const Point *p = &x->s->points[i];
    if (p->kind != POINT_op || p->step != STEP_prim || t->nodes[p->node].op->id != PRIM_exp)
        return false;
    const Point *a = &x->s->points[p->a[0]];
    if (a->kind != POINT_op || a->step != STEP_prim || t->nodes[a->node].op->id != PRIM_sub)
        return false;
    const Point *b = &x->s->points[a->a[1]];
    return b->kind == POINT_reduce && b->fold == FOLD_max;
}

void cuda_find_coarse(Cuda *x)
{
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        DType d = (DType)value_get(x->s->r->t, x->s->r->outs[st->out])->type.dtype;
        need_at_least(x, st->point, coarse_of(d));
    }
    for (uint32_t i = x->s->npoints; i-- > 0;) {
        const Point *p = &x->s->points[i];
        bool cast = p->kind == POINT_op && p->step == STEP_cast;
        uint8_t how = cast && coarse_of(p->dtype) < x->coarse[i] ? coarse_of(p->dtype)
                                                                 : x->coarse[i];
        for (uint32_t k = 0; k < p->na; k++) {
            bool sum = p->kind == POINT_reduce && p->fold == FOLD_sum &&
                       cuda_is_softmax_term(x, p->a[k]);
            need_at_least(x, p->a[k], !x->needed[i] ? 0 : sum ? COARSE_f16 : how);
        }
    }
}

void cuda_find_dtypes(Cuda *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++)
        x->dtypes[i] = (uint8_t)working_dtype(x, &x->s->points[i]);
}

static DType dtype_of(const Cuda *x, uint32_t i)
{
    return (DType)x->dtypes[i];
}

/* ---------------------------------------------------------------------------- index arithmetic */

static bool is_multiple(const Cuda *x, Form f, int64_t n);

/* An index moved into its range goes along with the elements of a chunk when chunks lie wholly
 * inside or wholly outside: outside, any chunk may be read instead. */
static bool goes_along(const Cuda *x, uint32_t var)
{
    const Var *v = &x->s->vars[var];
    int64_t step;
    return v->role == VAR_loaded && v->in_range && x->vector > 1 && v->extent % x->vector == 0 &&
           cuda_step(x, v->of, &step) && step == 1 && is_multiple(x, v->of, x->vector);
}

/* Whether the form is a multiple of n at the first element of every chunk. */
static bool is_multiple(const Cuda *x, Form f, int64_t n)
{
    bool good = f.c % n == 0;
    for (uint32_t i = 0; i < f.n; i++)
        good = good && ((int32_t)f.terms[i].var == x->w || goes_along(x, f.terms[i].var)
                            ? (n <= (int64_t)x->vector)
                            : f.terms[i].k % n == 0);
    return good;
}

static bool depends_on_chunk(const Cuda *x, uint32_t var)
{
    return x->w >= 0 && (x->s->vars[var].deps >> x->w & 1);
}

/* Whether a derived variable is the same for all elements of a chunk. */
static bool is_fixed_in_chunk(const Cuda *x, uint32_t var)
{
    const Var *v = &x->s->vars[var];
    int64_t step;
    if (!depends_on_chunk(x, var))
        return true;
    if (v->role == VAR_loaded)
        return !x->elements[v->point];
    if (!cuda_step(x, v->of, &step))
        return false;
    return step == 0 || (step == 1 && v->by % x->vector == 0 && is_multiple(x, v->of, x->vector));
}

bool cuda_step(const Cuda *x, Form f, int64_t *step)
{
    *step = 0;
    for (uint32_t i = 0; i < f.n && x->vector > 1; i++) {
        if ((int32_t)f.terms[i].var == x->w || goes_along(x, f.terms[i].var))
            *step += f.terms[i].k;
        else if (!var_is_loop(&x->s->vars[f.terms[i].var]) &&
                 !is_fixed_in_chunk(x, f.terms[i].var))
            return false;
    }
    return true;
}

bool cuda_is_vector(const Cuda *x, Form f)
{
    int64_t step;
    return x->vector > 1 && cuda_step(x, f, &step) && step == 1 && is_multiple(x, f, x->vector);
}

static bool varies(const Cuda *x, uint64_t deps)
{
    return (deps & x->inner) != 0;
}

static StrBuf *buffer(Cuda *x, bool element, bool inner, uint32_t *depth)
{
    *depth = element ? x->inner_depth + (x->vector > 1) : inner ? x->inner_depth : x->depth;
    return element ? &x->element : inner ? &x->chunk : &x->head;
}

/* The text into which a statement goes, indented. */
static StrBuf *begin_line(Cuda *x, bool element, bool inner)
{
    uint32_t depth;
    StrBuf *b = buffer(x, element, inner, &depth);
    sb_pad(b, ' ', (size_t)4 * depth);
    return b;
}

static uint8_t mark_of(bool element, bool inner)
{
    return element ? IN_element : inner ? IN_chunk : IN_head;
}

/* A number below 2^31 with larger steps on the way: in unsigned arithmetic these cancel. */
static void print_unsigned_form(const Cuda *x, Form f, StrBuf *b)
{
    sb_printf(b, "(int)(%uu", (uint32_t)f.c);
    for (uint32_t i = 0; i < f.n; i++) {
        Term t = f.terms[i];
        sb_printf(b, " %c %lldu * %c%u", t.k < 0 ? '-' : '+', (long long)(t.k < 0 ? -t.k : t.k),
                  var_is_loop(&x->s->vars[t.var]) ? 'i' : 'q', t.var);
    }
    sb_putc(b, ')');
}

void cuda_print_form(const Cuda *x, Form f, bool element, StrBuf *b)
{
    int64_t step = 0;
    if (!x->wide_index && cuda_is_wide_form(x, f))
        print_unsigned_form(x, f, b);
    else
        form_print(x->s, f, b);
    for (uint32_t i = 0; i < f.n && element && x->vector > 1; i++)
        if ((int32_t)f.terms[i].var == x->w || goes_along(x, f.terms[i].var))
            step += f.terms[i].k;
    if (step == 0)
        return;
    sb_puts(b, step < 0 ? " - " : " + ");
    if (step != 1 && step != -1)
        sb_printf(b, "%lld * ", (long long)(step < 0 ? -step : step));
    sb_putc(b, 'j');
}

static const char *index_type(const Cuda *x)
{
    return x->wide_index ? "int64_t" : "int";
}

static void print_var(Cuda *x, uint32_t var)
{
    const Var *v = &x->s->vars[var];
    if (var_is_loop(v))
        return;
    bool along = goes_along(x, var), inner = varies(x, v->deps);
    bool element = !along && !is_fixed_in_chunk(x, var);
    if (x->var_printed[var] & mark_of(element, inner))
        return;
    x->var_printed[var] |= mark_of(element, inner);
    for (uint32_t i = 0; i < v->of.n; i++)
        print_var(x, v->of.terms[i].var);
    if (v->role == VAR_loaded && !along)
        cuda_print_point(x, v->point);
    StrBuf *b = begin_line(x, element, inner);
    if (along) {
        sb_printf(b, "const %s q%u = into_range(", index_type(x), var);
        cuda_print_form(x, v->of, false, b);
        sb_printf(b, ", %lld);\n", (long long)v->extent - x->vector);
        return;
    }
    if (v->role == VAR_loaded) {
        sb_printf(b, "const %s q%u = (%s)index_i(v%u, %lld, &bad);\n", index_type(x), var,
                  index_type(x), v->point, (long long)v->extent);
        return;
    }
    sb_printf(b, "const %s q%u = (", index_type(x), var);
    cuda_print_form(x, v->of, element, b);
    sb_printf(b, ") / %lld;\n", (long long)v->by);
}

static void print_vars(Cuda *x, Form f)
{
    for (uint32_t i = 0; i < f.n; i++)
        print_var(x, f.terms[i].var);
}

/* -------------------------------------------------------------------------------------- levels */

static bool in_memory(const Cuda *x, const Point *p)
{
    return p->kind == POINT_reduce && p->pass < x->pass;
}

static bool changes_in_chunk(const Cuda *x, Form f)
{
    int64_t step;
    return x->vector > 1 && (!cuda_step(x, f, &step) || step != 0);
}

static bool point_is_element(const Cuda *x, const Point *p)
{
    if (p->kind == POINT_load || p->kind == POINT_index)
        return changes_in_chunk(x, p->form);
    if (in_memory(x, p))
        return changes_in_chunk(x, x->outer);
    if (p->kind == POINT_reduce)
        return x->shape == CUDA_column && x->vector > 1;
    for (uint32_t k = 0; k < p->na; k++)
        if (x->elements[p->a[k]])
            return true;
    return false;
}

void cuda_find_elements(Cuda *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++)
        x->elements[i] = point_is_element(x, &x->s->points[i]);
}

/* --------------------------------------------------------------------------------- expressions */

static void print_number(Arg number, DType d, StrBuf *e)
{
    double f = number.kind == ARG_float ? number.f : (double)number.i;
    const char *suffix = d == DT_f64 ? "D" : "F";
    if (dtype_is_float(d) && f != f)
        sb_printf(e, "NAN_%s", suffix);
    else if (dtype_is_float(d) && f - f != 0)
        sb_printf(e, "%sINF_%s", f < 0 ? "-" : "", suffix);
    else
        number_print(number, d, e);
}

uint32_t cuda_input_number(const Cuda *x, uint32_t i)
{
    uint32_t input = 0;
    while (input < x->s->ninputs && x->s->inputs[input] != x->s->points[i].v)
        input++;
    return input;
}

static void array_name(const Cuda *x, uint32_t i, StrBuf *b)
{
    const Point *p = &x->s->points[i];
    sb_printf(b, p->kind == POINT_load ? "in%u" : "red%u",
              p->kind == POINT_load ? cuda_input_number(x, i) : i);
}

static const char *storage_of(const Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    return p->kind == POINT_load ? cuda_storage(p->dtype) : cuda_acc_type(x, i);
}

/* An input that does not fit the cache and is read in one pass by a kernel that leaves nothing of
 * that size there either: what earlier kernels left is what later ones may still find. */
static bool is_read_once(const Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    uint64_t all = x->line_mask | x->row_mask;
    if (p->kind != POINT_load || x->full_stores || x->passes > 1 || x->by_warp ||
        (p->deps & all) != all || nest_input_is_under(x->s, cuda_input_number(x, i)))
        return false;
    const Type *type = &value_get(x->s->r->t, p->v)->type;
    return type_numel(type) * dtype_info[p->dtype].bytes >= x->g->l2;
}

/* "load<8>(in0 + i1)" of the chunk, or "in0[i1 + j]" of an element. */
static void print_read(const Cuda *x, uint32_t i, Form f, bool vector, StrBuf *b)
{
    if (vector)
        sb_printf(b, is_read_once(x, i) ? "load_passing<%u>(" : "load<%u>(", x->vector);
    array_name(x, i, b);
    sb_puts(b, vector ? " + " : "[");
    cuda_print_form(x, f, !vector && x->elements[i], b);
    sb_puts(b, vector ? ")" : "]");
}

/* A load whose elements lie apart along the loop of chunks, or the other way around: chunks from
 * `start` on hold those of a chunk, of which element j is number `first` + `step` * j. */
typedef struct Window {
    Form start;
    int64_t step, first, elements;
} Window;

/* Whether the window lies in the input in every turn of the loops. */
static bool is_inside(const Cuda *x, uint32_t i, const Window *w)
{
    int64_t least = w->start.c, most = w->start.c;
    for (uint32_t k = 0; k < w->start.n; k++) {
        Term t = w->start.terms[k];
        const Var *v = &x->s->vars[t.var];
        if (!var_is_loop(v))
            return false;
        int64_t last = v->extent - ((int32_t)t.var == x->w ? x->vector : 1);
        *(t.k < 0 ? &least : &most) += t.k * last;
    }
    const Type *type = &value_get(x->s->r->t, x->s->points[i].v)->type;
    return least >= 0 && most + w->elements <= type_numel(type);
}

static bool find_window(const Cuda *x, uint32_t i, Window *w)
{
    enum { FARTHEST = 4 };
    const Point *p = &x->s->points[i];
    int64_t v = x->vector, step;
    if (p->kind != POINT_load || v == 1 || !cuda_step(x, p->form, &step) || step == 0 ||
        step == 1 || step > FARTHEST || step < -FARTHEST)
        return false;
    int64_t apart = step < 0 ? -step : step, back = step < 0 ? apart * (v - 1) : 0;
    int64_t offset = ((p->form.c - back) % v + v) % v;
    *w = (Window){.start = form_add(x->s, p->form, form_const(-back - offset), 1), .step = step,
                  .first = offset + back, .elements = apart * v};
    return offset < apart && is_multiple(x, w->start, v) && is_inside(x, i, w);
}

bool cuda_is_window(const Cuda *x, uint32_t point)
{
    Window w;
    return find_window(x, point, &w);
}

/* The chunks of a window as "wideN", once in a body; the element of them that is wanted. */
static void print_window(Cuda *x, uint32_t i, const Window *w, bool inner, StrBuf *e)
{
    uint8_t mark = inner ? ARRAY_chunk : ARRAY_head;
    sb_printf(e, "wide%u.x[", i);
    if (w->first)
        sb_printf(e, "%lld %c ", (long long)w->first, w->step < 0 ? '-' : '+');
    if (w->step != -1)
        sb_printf(e, "%lld * ", (long long)(w->step < 0 ? -w->step : w->step));
    sb_puts(e, "j]");
    if (x->printed[i] & mark)
        return;
    x->printed[i] |= mark;
    StrBuf *b = begin_line(x, false, inner);
    sb_printf(b, "const Vec<%s, %lld> wide%u = load<%lld>(", storage_of(x, i),
              (long long)w->elements, i, (long long)w->elements);
    array_name(x, i, b);
    sb_puts(b, " + ");
    cuda_print_form(x, w->start, false, b);
    sb_puts(b, ");\n");
}

void cuda_print_keep(Cuda *x, uint32_t i, const char *place, bool async)
{
    Form f = x->s->points[i].form;
    bool vector = cuda_is_vector(x, f);
    Window w;
    print_vars(x, f);
    StrBuf *b = begin_line(x, !vector && x->vector > 1, true);
    if (vector && async) {
        sb_printf(b, "copy_async(&%c%u[%s], ", x->keep_letter, i, place);
        array_name(x, i, b);
        sb_puts(b, " + ");
        cuda_print_form(x, f, false, b);
        sb_puts(b, ");\n");
        return;
    }
    sb_printf(b, "%c%u[%s]%s = ", x->keep_letter, i, place,
              vector          ? ""
              : x->vector > 1 ? ".x[j]"
                              : ".x[0]");
    if (find_window(x, i, &w))
        print_window(x, i, &w, true, b);
    else
        print_read(x, i, f, vector, b);
    sb_puts(b, ";\n");
}

/* A chunk that waits in shared memory comes back as a whole. */
static void print_shared_chunk(Cuda *x, uint32_t i)
{
    if (x->printed[i] & ARRAY_chunk)
        return;
    x->printed[i] |= ARRAY_chunk;
    sb_pad(&x->chunk, ' ', (size_t)4 * x->inner_depth);
    sb_printf(&x->chunk, "const Vec<%s, %u> s%u = a%u[%s];\n", storage_of(x, i), x->vector, i, i,
              x->kept_now);
}

/* A load, or a result that waits in scratch memory. */
static void print_access(Cuda *x, uint32_t i, Form f, StrBuf *e)
{
    const char *at = x->vector > 1 ? "j" : "0";
    if (x->turned[i]) {
        uint32_t n = cuda_tile_chunks(x), v = x->vector;
        sb_printf(e, "get(tile%u[c %% %u * %u%s][c / %u ^ c %% %u].x[c / %u %% %u])", i, n, v,
                  v > 1 ? " + j" : "", n * v, n, n, v);
        return;
    }
    if (x->kept_now && x->kept[i] && x->plan.keep == KEEP_shared) {
        sb_printf(e, "get(s%u, %s)", i, at);
        print_shared_chunk(x, i);
        return;
    }
    if (x->kept_now && (x->kept[i] || x->stays[i])) {
        sb_printf(e, "get(a%u[%s], %s)", i, x->stays[i] ? "k" : x->kept_now, at);
        return;
    }
    bool inner = varies(x, x->s->points[i].deps);
    uint8_t mark = inner ? ARRAY_chunk : ARRAY_head;
    Window w;
    print_vars(x, f);
    if (!cuda_is_vector(x, f)) {
        sb_puts(e, "get(");
        if (!in_memory(x, &x->s->points[i]) && find_window(x, i, &w))
            print_window(x, i, &w, inner, e);
        else
            print_read(x, i, f, false, e);
        sb_putc(e, ')');
        return;
    }
    sb_printf(e, "get(a%u, j)", i);
    if (x->printed[i] & mark)
        return;
    x->printed[i] |= mark;
    StrBuf *b = begin_line(x, false, inner);
    sb_printf(b, "const Vec<%s, %u> a%u = ", storage_of(x, i), x->vector, i);
    print_read(x, i, f, true, b);
    sb_puts(b, ";\n");
}

static void print_cast(DType d, const Point *a, const char *arg, StrBuf *e)
{
    if (d == DT_b8)
        sb_printf(e, "%s != 0", arg);
    else if (c_is_narrow(d))
        sb_printf(e, "round_%s((float)%s)", dtype_info[d].name, arg);
    else if (dtype_is_float(a->dtype) && dtype_is_int(d) && d != DT_u64)
        sb_printf(e, "(%s)(int64_t)%s", cuda_type(d), arg);
    else
        sb_printf(e, "(%s)%s", cuda_type(d), arg);
}

/* The function for results that will be rounded to bf16 or f16 anyway; NULL = the usual one. */
static const char *coarse_function(const Cuda *x, uint32_t i, uint32_t op)
{
    if (dtype_of(x, i) == DT_f64 || x->coarse[i] == COARSE_none || x->o->eager_rounding)
        return NULL;
    return op == PRIM_exp                                     ? "exp_coarse"
           : op == PRIM_div                                   ? "div_coarse"
           : op == PRIM_tanh && x->coarse[i] == COARSE_bf16 ? "tanh_coarse"
                                                              : NULL;
}

/* A power with a known exponent, where multiplications give it. */
static bool print_power(const Cuda *x, const Point *p, const char *base, StrBuf *e)
{
    const Point *exponent = &x->s->points[p->a[1]];
    Arg n = exponent->number;
    return exponent->kind == POINT_number &&
           expr_print_power(n.kind == ARG_float ? n.f : (double)n.i, base, e);
}

/* An index compared with a loop: with 32 bits where these are enough. */
static bool print_same_index(Cuda *x, const Point *p, uint32_t op, const char *const *args,
                             StrBuf *e)
{
    uint32_t loop = x->s->points[p->a[1]].kind == POINT_index ? 1 : 0;
    const Point *a = &x->s->points[p->a[loop]];
    bool positive = a->form.c >= 0;
    for (uint32_t i = 0; i < a->form.n; i++)
        positive = positive && a->form.terms[i].k >= 0;
    if ((op != PRIM_eq && op != PRIM_ne) || x->wide_index || a->kind != POINT_index || !positive ||
        x->s->points[p->a[!loop]].dtype != DT_i64)
        return false;
    sb_printf(e, "as_index(%s) %s ", args[!loop], op == PRIM_eq ? "==" : "!=");
    print_vars(x, a->form);
    cuda_print_form(x, a->form, x->elements[p->a[loop]], e);
    return true;
}

static void print_prim(Cuda *x, uint32_t i, const char *const *args, StrBuf *e)
{
    const Point *p = &x->s->points[i];
    const Trace *t = x->s->r->t;
    const Node *n = &t->nodes[p->node];
    const char *coarse = coarse_function(x, i, n->op->id);
    if (coarse && dtype_is_float(expr_dtype(t, n))) {
        sb_printf(e, "%s(%s%s%s)", coarse, args[0], p->na > 1 ? ", " : "",
                  p->na > 1 ? args[1] : "");
        return;
    }
    bool rounds = x->o->eager_rounding && c_is_narrow(p->dtype);
    bool whole = dtype_is_int(p->dtype);
    if (rounds)
        sb_printf(e, "round_%s(", dtype_info[p->dtype].name);
    else if (whole)
        sb_printf(e, "(%s)(", cuda_type(p->dtype));
    else if (p->dtype == DT_b8)
        sb_putc(e, '(');
    bool same = p->na == 2 && print_same_index(x, p, n->op->id, args, e);
    bool power = n->op->id == PRIM_pow && dtype_is_float(expr_dtype(t, n)) &&
                 print_power(x, p, args[0], e);
    if (!power && !same)
        expr_print(DIALECT_cuda, n->op, expr_dtype(t, n), args, e);
    sb_puts(e, p->dtype == DT_b8 ? ") != 0" : rounds || whole ? ")" : "");
}

static bool compares_indices(const Cuda *x, const Point *p)
{
    return p->kind == POINT_op && p->step == STEP_equal &&
           x->s->points[p->a[0]].kind == POINT_index && x->s->points[p->a[1]].kind == POINT_index;
}

/* Indices are compared as they are: with 32 bits where these are enough. */
static void print_equal(Cuda *x, const Point *p, StrBuf *e)
{
    if (!compares_indices(x, p)) {
        sb_printf(e, "v%u == v%u", p->a[0], p->a[1]);
        return;
    }
    for (uint32_t k = 0; k < 2; k++) {
        Form f = x->s->points[p->a[k]].form;
        print_vars(x, f);
        sb_puts(e, k ? " == " : "");
        cuda_print_form(x, f, x->elements[p->a[k]], e);
    }
}

static void print_op(Cuda *x, uint32_t i, StrBuf *e)
{
    const Point *p = &x->s->points[i];
    char names[3][16];
    const char *args[3] = {names[0], names[1], names[2]};
    DType d = dtype_of(x, i);
    for (uint32_t k = 0; k < p->na; k++)
        snprintf(names[k], sizeof names[k], "v%u", p->a[k]);
    switch (p->step) {
    case STEP_cast:
        print_cast(d, &x->s->points[p->a[0]], args[0], e);
        break;
    case STEP_scale:
        sb_printf(e, "%s / ", args[0]);
        print_number(p->number, d, e);
        break;
    case STEP_quotient:
        sb_printf(e, "%s / %s", args[0], args[1]);
        break;
    case STEP_sqrt:
        sb_printf(e, "sqrt_%s(%s)", d == DT_f64 ? "d" : "f", args[0]);
        break;
    case STEP_equal:
        print_equal(x, p, e);
        break;
    case STEP_prim:
        print_prim(x, i, args, e);
        break;
    default:
        step_print(x->s->r->t, p, args, e);
    }
}

static void print_expression(Cuda *x, uint32_t i, StrBuf *e)
{
    const Point *p = &x->s->points[i];
    if (p->kind == POINT_load) {
        print_access(x, i, p->form, e);
    } else if (p->kind == POINT_number) {
        print_number(p->number, p->dtype, e);
    } else if (p->kind == POINT_index) {
        print_vars(x, p->form);
        cuda_print_form(x, p->form, x->elements[i], e);
    } else if (p->kind == POINT_reduce && in_memory(x, p)) {
        sb_printf(e, "(%s)", cuda_type(dtype_of(x, i)));
        print_access(x, i, x->outer, e);
    } else if (p->kind == POINT_reduce) {
        sb_printf(e, "(%s)acc%u%s", cuda_type(dtype_of(x, i)), i, cuda_acc_at(x, i));
    } else {
        print_op(x, i, e);
    }
}

void cuda_print_point(Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    bool element = x->elements[i], inner = varies(x, p->deps);
    if (x->printed[i] & mark_of(element, inner))
        return;
    x->printed[i] |= mark_of(element, inner);
    bool alone = p->kind == POINT_reduce || compares_indices(x, p);
    for (uint32_t k = 0; k < p->na && !alone; k++)
        cuda_print_point(x, p->a[k]);
    StrBuf e = {0};
    print_expression(x, i, &e);
    StrBuf *b = begin_line(x, element, inner);
    sb_printf(b, "const %s v%u = %s;", cuda_type(dtype_of(x, i)), i, sb_cstr(&e));
    if (p->v)
        sb_printf(b, " // %.*s", STR(value_get(x->s->r->t, p->v)->name));
    sb_putc(b, '\n');
    sb_free(&e);
}

/* A variance, f64 in the nest, that is a float here: storing it rounds it. */
static uint32_t stored_point(const Cuda *x, const Store *st)
{
    const Point *p = &x->s->points[st->point];
    DType d = (DType)value_get(x->s->r->t, x->s->r->outs[st->out])->type.dtype;
    bool cast = p->kind == POINT_op && p->step == STEP_cast && c_is_narrow(d) && p->dtype == d;
    return cast && dtype_of(x, p->a[0]) == DT_f32 ? p->a[0] : st->point;
}

void cuda_print_store(Cuda *x, uint32_t i)
{
    const Store *st = &x->s->stores[i];
    uint32_t point = stored_point(x, st);
    print_vars(x, st->form);
    cuda_print_point(x, point);
    bool element = changes_in_chunk(x, st->form);
    bool vector = cuda_is_vector(x, st->form);
    const char *guard = x->ragged && nest_is_full(x->s, st) ? "if (live) " : "";
    StrBuf *b = begin_line(x, element, true);
    if (vector) {
        sb_printf(b, "b%u[j] = v%u;\n", st->out, point);
        sb_pad(&x->chunk, ' ', (size_t)4 * x->inner_depth);
        sb_printf(&x->chunk, "%s b%u[%u];\n", cuda_type(dtype_of(x, point)), st->out,
                  x->vector);
        sb_pad(&x->after, ' ', (size_t)4 * x->inner_depth);
        sb_printf(&x->after, "%sstore<%u>(out%u + ", guard, x->vector, st->out);
        cuda_print_form(x, st->form, false, &x->after);
        sb_printf(&x->after, ", b%u);\n", st->out);
        return;
    }
    sb_printf(b, "%sset(out%u[", guard, st->out);
    cuda_print_form(x, st->form, element, b);
    sb_printf(b, "], v%u);\n", point);
}

void cuda_print_whole(Cuda *x, uint32_t i)
{
    uint32_t row = x->s->points[i].a[0];
    print_vars(x, x->outer);
    cuda_print_point(x, row);
    bool element = changes_in_chunk(x, x->outer);
    StrBuf *b = begin_line(x, element, true);
    sb_printf(b, "((%s *)(scratch + %lld))[", cuda_acc_type(x, i), (long long)x->parts[i]);
    cuda_print_form(x, x->outer, element, b);
    sb_printf(b, "] = v%u;\n", row);
}

/* ---------------------------------------------------------------------------------- reductions */

static bool is_extreme(const Point *p)
{
    return p->fold == FOLD_max || p->fold == FOLD_min;
}

const char *cuda_acc_at(const Cuda *x, uint32_t i)
{
    if (x->shape == CUDA_row && x->s->points[i].across)
        return x->vector > 1 ? "[k][j]" : "[k][0]";
    if (x->shape == CUDA_row)
        return x->plan.together > 1 ? "[r]" : "";
    return x->vector > 1 ? "[j]" : "[0]";
}

const char *cuda_acc_type(const Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    if (p->fold == FOLD_prod && dtype_is_float(p->dtype))
        return "double"; /* products leave the range of float sooner than they are done */
    return p->fold == FOLD_any || p->fold == FOLD_all ? "int" : cuda_type(dtype_of(x, i));
}

const char *cuda_fold(const Point *p)
{
    static const char *const names[] = {"Sum", "Prod", "Max", "Min", "Any", "All"};
    return names[p->fold];
}

void cuda_print_start(const Cuda *x, uint32_t i, StrBuf *b)
{
    const Point *p = &x->s->points[i];
    DType d = dtype_of(x, i);
    bool max = p->fold == FOLD_max;
    int bits = d < DT_COUNT ? 8 * dtype_info[d].bytes : 0;
    if (!is_extreme(p))
        sb_puts(b, p->fold == FOLD_prod || p->fold == FOLD_all ? "1" : "0");
    else if (dtype_is_float(d))
        sb_printf(b, "%sINF_%s", max ? "-" : "", d == DT_f64 ? "D" : "F");
    else if (d == DT_b8)
        sb_puts(b, max ? "0" : "1");
    else if (!dtype_info[d].is_signed)
        sb_printf(b, max ? "0" : "(%s)-1", cuda_type(d));
    else
        sb_printf(b, max ? "(%s)((%s)1 << %d)" : "(%s)~((%s)1 << %d)", cuda_type(d),
                  bits == 64 ? "uint64_t" : "uint32_t", bits - 1);
}

void cuda_print_update(Cuda *x, uint32_t i)
{
    const char *at = cuda_acc_at(x, i);
    const Point *p = &x->s->points[i];
    bool element = x->vector > 1;
    uint32_t depth, v = p->a[0];
    StrBuf *b = buffer(x, element, true, &depth);
    if (x->online[i]) {
        cuda_print_online(x, i, b, depth);
        return;
    }
    sb_pad(b, ' ', (size_t)4 * depth);
    if (p->fold == FOLD_sum || p->fold == FOLD_prod)
        sb_printf(b, "acc%u%s %c= v%u;\n", i, at, p->fold == FOLD_sum ? '+' : '*', v);
    else if (is_extreme(p))
        sb_printf(b, "acc%u%s = %s(acc%u%s, v%u);\n", i, at,
                  p->fold == FOLD_max ? "larger" : "smaller", i, at, v);
    else
        sb_printf(b, "acc%u%s %c= v%u != 0;\n", i, at, p->fold == FOLD_any ? '|' : '&', v);
}

/* ----------------------------------------------------------------------------------- the bodies */

void cuda_begin_body(Cuda *x)
{
    sb_clear(&x->chunk);
    sb_clear(&x->element);
    sb_clear(&x->after);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        x->printed[i] &= IN_head | ARRAY_head;
    for (uint32_t i = 0; i < MAX_VARS; i++)
        x->var_printed[i] &= IN_head;
}

void cuda_flush_head(Cuda *x)
{
    sb_add(x->out, sb_str(&x->head));
    sb_clear(&x->head);
}

void cuda_flush_body(Cuda *x)
{
    sb_add(x->out, sb_str(&x->chunk));
    if (x->element.n && x->vector > 1) {
        sb_pad(x->out, ' ', (size_t)4 * x->inner_depth);
        sb_puts(x->out, "#pragma unroll\n");
        sb_pad(x->out, ' ', (size_t)4 * x->inner_depth);
        sb_printf(x->out, "for (int j = 0; j < %u; j++) {\n", x->vector);
    }
    sb_add(x->out, sb_str(&x->element));
    if (x->element.n && x->vector > 1) {
        sb_pad(x->out, ' ', (size_t)4 * x->inner_depth);
        sb_puts(x->out, "}\n");
    }
    sb_add(x->out, sb_str(&x->after));
}
