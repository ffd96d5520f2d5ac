/*
 * interp_sums.c - sums of elements that meet in one place: scatter_add, index_add, accumulation.
 *
 * Input: starting values, then elements at offsets. Output: the result, rounded once at the end.
 */
#include "interp.h"

void dense_strides(const Tensor *t, int64_t *strides)
{
    int64_t stride = 1;
    for (uint32_t i = t->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= t->shape[i] > 1 ? t->shape[i] : 1;
    }
}

int64_t count_set(const Tensor *mask)
{
    Walk w;
    int64_t n = 0, set;
    walk_init(&w, mask);
    for (int64_t i = 0; i < w.numel; i++) {
        walk_get_i64(&w, i, 1, &set);
        n += set != 0;
    }
    return n;
}

bool sums_begin(Interp *x, Sums *s, DType dtype, int64_t n, const Tensor *from)
{
    static const DType of[] = {DT_f64, DT_i64, DT_c128};
    s->type = loop_type(dtype);
    s->size = loop_size(s->type);
    Tensor *t = keep(x, from ? tensor_cast(from, of[s->type])
                             : tensor_new(of[s->type], (Device){0}, 1, &n));
    s->data = t ? tensor_data(t) : NULL;
    return t != NULL;
}

void sums_add(const Sums *s, int64_t to, const Walk *src, int64_t start, int64_t n)
{
    _Alignas(16) double buf[2 * WALK_CHUNK];
    for (int64_t done = 0; done < n; done += WALK_CHUNK) {
        int64_t now = n - done < WALK_CHUNK ? n - done : WALK_CHUNK;
        load(src, s->type, start + done, now, buf);
        if (s->type == LOOP_i64) {
            uint64_t *sum = (uint64_t *)(void *)s->data + to + done;
            const uint64_t *add = (const void *)buf;
            for (int64_t i = 0; i < now; i++)
                sum[i] += add[i];
        } else {
            int64_t parts = s->type == LOOP_c128 ? 2 : 1;
            double *sum = (double *)(void *)s->data + parts * (to + done);
            for (int64_t i = 0; i < parts * now; i++)
                sum[i] += buf[i];
        }
    }
}

bool sums_give(Interp *x, const Sums *s)
{
    Tensor *out = out_new(x, 0);
    Walk w;
    if (!out)
        return false;
    walk_init(&w, out);
    store(&w, s->type, 0, w.numel, s->data);
    return true;
}
