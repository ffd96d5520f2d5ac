/*
 * prim_lab.h - a bench for prims: tensors written as text, one call compiled from text, run by
 * interp.
 *
 * A tensor is "DTYPE[SIZES] ELEMENTS", e.g. "f32[2,3] 1 2 3 4 5 nan" or "c64[1] 1+2j"; fewer
 * elements than the tensor has are repeated from the first on.
 */
#ifndef PRIM_LAB_H
#define PRIM_LAB_H

#include "support.h"

#include "executors.h"
#include "front.h"
#include "lang.h"
#include "tensor.h"

#include <math.h>
#include <stdio.h>

enum { LAB_INPUTS = 5, LAB_OUTPUTS = 3 };

typedef struct PrimLab {
    Registry reg;
    Diag d;
    StrBuf text;
    Source src;
    FrontFile *file;
    Trace *t;
    Tensor **values;
    Rounding rounding;
    Arg outputs[8];
    uint32_t noutputs;
} PrimLab;

static inline void lab_open(PrimLab *l)
{
    *l = (PrimLab){.rounding = ROUND_dtype};
    registry_init(&l->reg);
    lang_register(&l->reg, &l->d);
    ck_no_errors(&l->d);
}

/* Forgets the program, not the registry. */
static inline void lab_clear(PrimLab *l)
{
    for (uint32_t v = 0; l->values && v < l->t->nvalues; v++)
        tensor_unref(l->values[v]);
    free(l->values);
    l->values = NULL;
    trace_unref(l->t);
    l->t = NULL;
    if (l->file)
        front_free(l->file);
    l->file = NULL;
    sb_free(&l->text);
    diag_clear(&l->d);
}

static inline void lab_close(PrimLab *l)
{
    lab_clear(l);
    registry_free(&l->reg);
}

static inline void read_element(const char **p, void *at, DType d)
{
    char *end;
    if (!dtype_is_inexact(d)) {
        long long v = d == DT_u64 ? (long long)strtoull(*p, &end, 0) : strtoll(*p, &end, 0);
        ck_assert_msg(end != *p, "no integer at '%s'", *p);
        elem_set_i64(at, d, v);
    } else {
        double c[2] = {strtod(*p, &end), 0};
        ck_assert_msg(end != *p, "no number at '%s'", *p);
        if (dtype_is_complex(d) && (*end == '+' || *end == '-')) {
            c[1] = strtod(end, &end);
            end += *end == 'j';
        }
        elem_set_c128(at, d, c);
    }
    *p = end + strspn(end, " ");
}

/* A tensor from its text. */
static inline Tensor *lab_tensor(const char *text)
{
    int64_t shape[MAX_RANK];
    uint32_t rank = 0;
    const char *open = strchr(text, '[');
    ck_assert_msg(open != NULL, "not a tensor: %s", text);
    DType d = dtype_parse((Str){text, (size_t)(open - text)});
    ck_assert_msg(d != DT_none, "no dtype: %s", text);
    char *p = (char *)open + 1;
    while (*p != ']') {
        shape[rank++] = strtoll(p, &p, 10);
        p += strspn(p, ", ");
    }
    Tensor *t = tensor_new(d, (Device){DEV_cpu, 0}, rank, shape);
    ck_assert_ptr_nonnull(t);
    const char *first = p + 1 + strspn(p + 1, " "), *at = first;
    for (int64_t i = 0, n = tensor_numel(t); i < n; i++) {
        at = *at ? at : first;
        read_element(&at, (char *)tensor_data(t) + i * dtype_info[d].bytes, d);
    }
    return t;
}

/* The same elements in another layout: dimensions permuted, steps between elements, some reversed,
 * an offset. */
static inline Tensor *lab_scatter(const Tensor *t, unsigned *seed)
{
    int64_t shape[MAX_RANK], strides[MAX_RANK], size = 1, offset = rand_r(seed) % 3;
    uint32_t order[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        order[i] = i;
    for (uint32_t i = t->rank; i-- > 1;) {
        uint32_t k = (uint32_t)rand_r(seed) % (i + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    size += offset;
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t d = order[i];
        shape[d] = t->shape[d];
        strides[d] = size;
        size *= (t->shape[d] > 0 ? t->shape[d] : 1) * (1 + rand_r(seed) % 2);
        if (rand_r(seed) % 3 == 0 && t->shape[d] > 0) {
            offset += strides[d] * (t->shape[d] - 1);
            strides[d] = -strides[d];
        }
    }
    size += offset;
    Tensor *big = tensor_new(t->dtype, t->device, 1, &size);
    Tensor *v = tensor_view(big, t->rank, shape, strides, offset);
    tensor_copy_into(v, t);
    tensor_unref(big);
    return v;
}

/* Compiles "return CALL" over inputs a, b, c, ... of the types of in. False with errors in l->d. */
static inline bool lab_compile(PrimLab *l, const char *call, Tensor *const *in)
{
    lab_clear(l);
    sb_puts(&l->text, "def f(");
    for (int i = 0; i < LAB_INPUTS && in[i]; i++)
        sb_printf(&l->text, "%s%c", i ? ", " : "", 'a' + i);
    sb_puts(&l->text, "):\n");
    for (int i = 0; i < LAB_INPUTS && in[i]; i++) {
        Type type = {VALUE_tensor, (uint8_t)in[i]->dtype, in[i]->device, in[i]->rank, in[i]->shape};
        sb_printf(&l->text, "  # %c: \"", 'a' + i);
        type_print(&type, NULL, &l->text);
        sb_puts(&l->text, "\"\n");
    }
    sb_printf(&l->text, "  return %s\n", call);
    l->src = (Source){S("lab"), sb_str(&l->text)};
    l->file = front_parse(&l->src, &l->d);
    if (l->d.nerrors || front_count(l->file) != 1)
        return false;
    l->t = front_acquire(front_function(l->file, 0), &l->reg, NULL, 0, NULL, &l->d);
    return l->t != NULL;
}

/* Runs every prim of the program on in; false with errors in l->d. */
static inline bool lab_execute(PrimLab *l, Tensor *const *in)
{
    l->values = calloc(l->t->nvalues, sizeof *l->values);
    for (uint32_t i = 0; i < l->t->ninputs; i++)
        l->values[l->t->inputs[i]] = tensor_ref(in[i]);
    ExecCall call = {.t = l->t, .values = l->values, .rounding = l->rounding, .diag = &l->d};
    for (call.node = 0; call.node < l->t->nnodes; call.node++)
        if (l->t->nodes[call.node].span == 1 && !exec_interp.run(&call))
            return false;
    l->noutputs = trace_outputs(l->t, l->outputs, ARRAY_LEN(l->outputs));
    return true;
}

static inline Tensor *lab_output(const PrimLab *l, uint32_t i)
{
    ck_assert_uint_lt(i, l->noutputs);
    ck_assert_int_eq(l->outputs[i].kind, ARG_value);
    return l->values[l->outputs[i].v];
}

/* Type and elements, digit for digit, for messages. */
static inline char *tensor_text(const Tensor *t)
{
    StrBuf b = {0};
    Type type = {VALUE_tensor, (uint8_t)t->dtype, t->device, t->rank, t->shape};
    type_print(&type, NULL, &b);
    Tensor *wide = tensor_cast(t, DT_c128);
    const double *e = tensor_data(wide);
    for (int64_t i = 0; i < tensor_numel(t) && i < 40; i++)
        if (dtype_is_complex(t->dtype))
            sb_printf(&b, " %.17g%+.17gj", e[2 * i], e[2 * i + 1]);
        else
            sb_printf(&b, " %.17g", e[2 * i]);
    tensor_unref(wide);
    return b.p;
}

static inline bool same_number(double x, double y, double tolerance)
{
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y) || x == 0 || y == 0)
        return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y));
    return fabs(x - y) <= tolerance * fabs(y);
}

/* Equal up to two roundings to the dtype; signs of zeros count. */
static inline bool tensors_agree(const Tensor *x, const Tensor *y)
{
    static const double eps[DT_COUNT] = {
        [DT_f8_e4m3fn] = 0x1p-4, [DT_f8_e5m2] = 0x1p-3, [DT_f16] = 0x1p-11, [DT_bf16] = 0x1p-8,
        [DT_f32] = 0x1p-24,      [DT_f64] = 0x1p-50,    [DT_c64] = 0x1p-22, [DT_c128] = 0x1p-49};
    bool same = x->dtype == y->dtype && x->rank == y->rank;
    for (uint32_t i = 0; same && i < x->rank; i++)
        same = x->shape[i] == y->shape[i];
    if (!same)
        return false;
    Tensor *dx = tensor_cast(x, DT_c128), *dy = tensor_cast(y, DT_c128);
    const double *p = tensor_data(dx), *q = tensor_data(dy);
    for (int64_t i = 0; i < 2 * tensor_numel(x); i++)
        same &= same_number(p[i], q[i], 2 * eps[x->dtype]);
    if (!dtype_is_inexact(x->dtype)) {
        Tensor *ix = tensor_clone(x), *iy = tensor_clone(y);
        size_t bytes = (size_t)tensor_numel(x) * dtype_info[x->dtype].bytes;
        same = bytes == 0 || memcmp(tensor_data(ix), tensor_data(iy), bytes) == 0;
        tensor_unref(ix);
        tensor_unref(iy);
    }
    tensor_unref(dx);
    tensor_unref(dy);
    return same;
}

static inline void ck_tensor(const Tensor *have, const Tensor *want, const char *what)
{
    char *h = tensor_text(have), *w = tensor_text(want);
    ck_assert_msg(tensors_agree(have, want), "%s\n  gives %s\n  not   %s", what, h, w);
    free(h);
    free(w);
}

#endif
