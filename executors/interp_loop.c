/*
 * interp_loop.c - the driver of elementwise kernels.
 *
 * Input: operands of one shape (or 0-d) in any layout. Output: a contiguous result. One idea:
 * elements are taken in chunks that fit the cache, converted to a computation type, run through the
 * operator's loop, and rounded to the result's dtype on the way out; dtypes are looked at once a
 * chunk.
 */
#include "interp.h"

enum { MAX_OPERANDS = 3 };

LoopType loop_type(DType d)
{
    return dtype_is_complex(d) ? LOOP_c128 : dtype_is_float(d) ? LOOP_f64 : LOOP_i64;
}

size_t loop_size(LoopType t)
{
    return t == LOOP_c128 ? 16 : 8;
}

void load(const Walk *w, LoopType type, int64_t start, int64_t n, void *buf)
{
    if (type == LOOP_f64)
        walk_get_f64(w, start, n, buf);
    else if (type == LOOP_i64)
        walk_get_i64(w, start, n, buf);
    else
        walk_get_c128(w, start, n, buf);
}

void store(const Walk *w, LoopType type, int64_t start, int64_t n, const void *buf)
{
    if (type == LOOP_f64)
        walk_set_f64(w, start, n, buf);
    else if (type == LOOP_i64)
        walk_set_i64(w, start, n, buf);
    else
        walk_set_c128(w, start, n, buf);
}

/* Everything that one elementwise call needs to run any of its chunks. */
typedef struct Plan {
    LoopFn *fn;
    LoopInfo info;
    int n;
    Walk in[MAX_OPERANDS], out;
    LoopType in_type[MAX_OPERANDS], out_type;
} Plan;

/* Elements start.. of w where they lie, when they are in the computation type already. */
static void *in_place(const Walk *w, LoopType type, int64_t start)
{
    static const DType of[] = {DT_f64, DT_i64, DT_c128};
    bool dense = w->rank == 1 && w->strides[0] == 1;
    return dense && w->dtype == of[type] ? w->base + start * (int64_t)w->size : NULL;
}

static void run_chunk(const Plan *p, int64_t start, int64_t n)
{
    _Alignas(64) double buf[MAX_OPERANDS + 1][2 * WALK_CHUNK];
    void *in[MAX_OPERANDS];
    for (int i = 0; i < p->n; i++) {
        in[i] = in_place(&p->in[i], p->in_type[i], start);
        if (in[i])
            continue;
        in[i] = buf[i];
        load(&p->in[i], p->in_type[i], start, n, buf[i]);
    }
    void *out = in_place(&p->out, p->out_type, start);
    p->fn(&p->info, n, out ? out : buf[MAX_OPERANDS], in);
    if (!out)
        store(&p->out, p->out_type, start, n, buf[MAX_OPERANDS]);
}

/* Takes the operands, and finds the dtype that the program computes in. */
static bool take_operands(Interp *x, const Elementwise *e, int n, Tensor **in, DType *dtype)
{
    int first = e->condition ? 1 : 0;
    bool from_tensor = false;
    *dtype = DT_none;
    for (int i = 0; i < n; i++) {
        in[i] = in_tensor(x, i);
        if (!in[i])
            return false;
        if (i < first)
            continue;
        bool number = in_is_number(x, i);
        DType d = number ? in[i]->dtype : (DType)x->t->values[x->node->args[i].v].type.dtype;
        if (!number && !from_tensor)
            *dtype = d;
        else if (number && !from_tensor &&
                 (*dtype == DT_none || dtype_info[d].category > dtype_info[*dtype].category))
            *dtype = d;
        from_tensor |= !number;
    }
    return true;
}

static LoopType choose_loop(const Elementwise *e, DType dtype, LoopFn **fn)
{
    LoopType type = loop_type(dtype);
    if (type == LOOP_i64 && !e->i64)
        type = LOOP_f64;
    *fn = type == LOOP_f64            ? e->f64
          : type == LOOP_c128         ? e->c128
          : dtype == DT_u64 && e->u64 ? e->u64
                                      : e->i64;
    return type;
}

static LoopType result_loop(const Elementwise *e, LoopType type)
{
    switch (e->result) {
    case TO_bool:
        return LOOP_i64;
    case TO_real:
        return type == LOOP_c128 ? LOOP_f64 : type;
    case TO_complex:
        return LOOP_c128;
    default:
        return type;
    }
}

/* Operand i seen in the result's shape: a 0-d one is repeated. */
static void walk_operand(Walk *w, const Tensor *t, const Tensor *out)
{
    static const int64_t zeros[MAX_RANK];
    if (t->rank == 0 && out->rank != 0)
        walk_init_view(w, t, out->rank, out->shape, zeros, 0);
    else
        walk_init(w, t);
}

bool elementwise(Interp *x, const Elementwise *e, int noperands)
{
    Tensor *in[MAX_OPERANDS];
    DType dtype;
    volatile int zero_division = 0;
    if (!take_operands(x, e, noperands, in, &dtype))
        return false;
    Plan p = {.n = noperands, .info = {.dtype = dtype, .zero_division = &zero_division}};
    LoopType type = choose_loop(e, dtype, &p.fn);
    if (!p.fn)
        return fail(x, "unsupported-dtype", "prims.%s is not defined for %s", x->node->op->name,
                    dtype_info[dtype].name);
    Tensor *out = out_unset(x, 0);
    if (!out)
        return false;
    p.out_type = result_loop(e, type);
    walk_init(&p.out, out);
    for (int i = 0; i < noperands; i++) {
        p.in_type[i] = i == 0 && e->condition ? LOOP_i64 : type;
        walk_operand(&p.in[i], in[i], out);
    }
    int64_t numel = tensor_numel(out), chunks = (numel + WALK_CHUNK - 1) / WALK_CHUNK;
    PARALLEL_FOR(numel >= PARALLEL_FROM)
    for (int64_t c = 0; c < chunks; c++) {
        int64_t start = c * WALK_CHUNK, left = numel - start;
        if (!stopped(x))
            run_chunk(&p, start, left < WALK_CHUNK ? left : WALK_CHUNK);
    }
    if (zero_division)
        return fail(x, "zero-division", "prims.%s: integer division by zero", x->node->op->name);
    return true;
}
