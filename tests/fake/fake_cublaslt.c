/*
 * fake_cublaslt.c - a library of matrix products without a GPU: it multiplies on the host.
 *
 * Input: the calls of executors/cublaslt_api.c. Output: products as its descriptors say, f32 and
 * bf16, columns first, with what an epilogue adds. Numbers of attributes are the library's.
 */
#include "fake_cublaslt.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { F32 = 0, BF16 = 14, E4M3 = 28, E5M2 };
enum { TRANS_A = 3, TRANS_B, EPILOGUE = 7, BIAS, AUX = 11, AUX_LD, SCALE_A = 17, SCALE_B };
enum { BIAS_TYPE = 26 };

FakeLt fake_lt;

typedef struct Desc {
    uint64_t attributes[64];
} Desc;

typedef struct Layout {
    int type, batches;
    int64_t rows, cols, ld, stride;
} Layout;

typedef struct Found {
    uint64_t algo[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} Found;

static int wrong(void)
{
    fake_lt.wrong++;
    return 7;
}

int cublasLtCreate(void **h) { return *h = calloc(1, 8), 0; }
int cublasLtDestroy(void *h) { return free(h), 0; }
size_t cublasLtGetVersion(void) { return 130000; }
int cublasLtMatmulDescCreate(Desc **d, int compute, int type)
{
    *d = calloc(1, sizeof **d);
    return compute == 68 && type == F32 ? 0 : wrong();
}
int cublasLtMatmulDescDestroy(Desc *d) { return free(d), 0; }
int cublasLtMatmulDescSetAttribute(Desc *d, int name, const void *value, size_t size)
{
    if (name < 0 || name >= 64 || size > 8)
        return wrong();
    d->attributes[name] = 0;
    memcpy(&d->attributes[name], value, size);
    return 0;
}
int cublasLtMatrixLayoutCreate(Layout **l, int type, uint64_t rows, uint64_t cols, int64_t ld)
{
    *l = calloc(1, sizeof **l);
    **l = (Layout){type, 1, (int64_t)rows, (int64_t)cols, ld, 0};
    bool known = type == F32 || type == BF16 || type == E4M3 || type == E5M2;
    return known && ld >= (int64_t)rows ? 0 : wrong();
}
int cublasLtMatrixLayoutDestroy(Layout *l) { return free(l), 0; }
int cublasLtMatrixLayoutSetAttribute(Layout *l, int name, const void *value, size_t size)
{
    if (name == 5)
        memcpy(&l->batches, value, size);
    else if (name == 6)
        memcpy(&l->stride, value, size);
    else
        return wrong();
    return 0;
}
int cublasLtMatmulPreferenceCreate(void **p) { return *p = calloc(1, 8), 0; }
int cublasLtMatmulPreferenceDestroy(void *p) { return free(p), 0; }
int cublasLtMatmulPreferenceSetAttribute(void *p, int name, const void *value, size_t size)
{
    if (!p || !value || size != (name == 3 ? 4 : 8) || (name != 1 && name != 3 && name != 12))
        return wrong();
    if (name == 3)
        memcpy(p, value, size);
    return 0;
}
/* Sums of parts: in a narrow result, unless they are asked for in f32. */
int cublasLtMatmulAlgoGetHeuristic(void *h, Desc *op, Layout *a, Layout *b, Layout *c, Layout *d,
                                   void *pref, int asked, Found *results, int *found)
{
    if (!h || !a || !b || !c || !d || !pref || asked < 1)
        return wrong();
    if (d->type != F32 && *(const uint32_t *)pref != 2)
        return wrong();
    *found = (int)op->attributes[EPILOGUE] != fake_lt.refused || !fake_lt.refused;
    results[0] = (Found){.state = 0};
    return 0;
}
int cublasLtMatmulAlgoCheck(void *h, Desc *op, Layout *a, Layout *b, Layout *c, Layout *d,
                            const uint64_t *algo, Found *result)
{
    *result = (Found){.state = 0};
    return h && op && a && b && c && d && algo ? 0 : wrong();
}

/* ------------------------------------------------------------------------------------ elements */

/* An 8-bit float with so many bits behind its point; infinities and NaN are of no concern. */
static float small(uint8_t bits, int fraction)
{
    int exponent = (bits & 0x7f) >> fraction, bias = fraction == 3 ? 7 : 15;
    float f = (float)(bits & ((1 << fraction) - 1)) / (float)(1 << fraction);
    float x = exponent ? ldexpf(1 + f, exponent - bias) : ldexpf(f, 1 - bias);
    return bits & 0x80 ? -x : x;
}

static float get(uint64_t at, int type, int64_t i)
{
    if (type == E4M3 || type == E5M2)
        return small(((const uint8_t *)at)[i], type == E4M3 ? 3 : 2);
    if (type == F32)
        return ((const float *)at)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void put(uint64_t at, int type, int64_t i, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (type == F32)
        ((float *)at)[i] = x;
    else
        ((uint16_t *)at)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float gelu(float x)
{
    return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

/* -------------------------------------------------------------------------------------- product */

typedef struct Product {
    const Desc *op;
    const Layout *la, *lb, *ld;
    uint64_t a, b, c, d;
    float beta;
    int64_t n; /* that are summed */
} Product;

static float left(const Product *p, int64_t batch, int64_t i, int64_t k)
{
    int64_t at = p->op->attributes[TRANS_A] ? k + i * p->la->ld : i + k * p->la->ld;
    return get(p->a, p->la->type, at + batch * p->la->stride);
}

static float right(const Product *p, int64_t batch, int64_t k, int64_t j)
{
    int64_t at = p->op->attributes[TRANS_B] ? j + k * p->lb->ld : k + j * p->lb->ld;
    return get(p->b, p->lb->type, at + batch * p->lb->stride);
}

static float with_end(const Product *p, float x, int64_t i, int64_t j)
{
    int epilogue = (int)p->op->attributes[EPILOGUE], type = p->ld->type;
    int bias = (int)p->op->attributes[BIAS_TYPE];
    uint64_t aux = p->op->attributes[AUX];
    int64_t at = i + j * (int64_t)p->op->attributes[AUX_LD];
    if (epilogue & 4)
        x += get(p->op->attributes[BIAS], bias, i);
    if ((epilogue & 32) && (epilogue & 128))
        put(aux, type, at, x);
    if (epilogue & 2)
        return x < 0 ? 0 : x;
    return epilogue & 32 ? gelu(x) : x;
}

static void compute(const Product *p)
{
    for (int64_t batch = 0; batch < p->ld->batches; batch++)
        for (int64_t j = 0; j < p->ld->cols; j++)
            for (int64_t i = 0; i < p->ld->rows; i++) {
                int64_t at = i + j * p->ld->ld + batch * p->ld->stride;
                float x = 0;
                for (int64_t k = 0; k < p->n; k++)
                    x += left(p, batch, i, k) * right(p, batch, k, j);
                if (p->op->attributes[SCALE_A])
                    x *= *(const float *)p->op->attributes[SCALE_A] *
                         *(const float *)p->op->attributes[SCALE_B];
                if (p->beta != 0)
                    x += p->beta * get(p->c, p->ld->type, at);
                put(p->d, p->ld->type, at, with_end(p, x, i, j));
            }
}

int cublasLtMatmul(void *h, Desc *op, const float *alpha, uint64_t a, Layout *la, uint64_t b,
                   Layout *lb, const float *beta, uint64_t c, Layout *lc, uint64_t d, Layout *ld,
                   const void *algo, uint64_t workspace, size_t size, void *stream)
{
    int epilogue = (int)op->attributes[EPILOGUE];
    int64_t n = op->attributes[TRANS_A] ? la->rows : la->cols;
    int64_t m = op->attributes[TRANS_B] ? lb->cols : lb->rows;
    if (!h || *alpha != 1 || lc != ld || !algo || !workspace || size == 0 || !stream || n != m ||
        ((epilogue & 128) && (!op->attributes[AUX] ||
                              (int64_t)op->attributes[AUX_LD] != ld->rows)))
        return wrong();
    bool tiny = la->type >= E4M3 || lb->type >= E4M3; /* summed along what is dense, by sixteens */
    if (tiny && (!op->attributes[TRANS_A] || op->attributes[TRANS_B] || n % 16 || ld->rows % 16 ||
                 la->ld % 16 || lb->ld % 16 || (la->type == E5M2 && lb->type == E5M2) ||
                 !op->attributes[SCALE_A] || !op->attributes[SCALE_B]))
        return wrong();
    Product p = {op, la, lb, ld, a, b, c, d, *beta, n};
    fake_lt.matmuls++;
    fake_lt.epilogue = epilogue;
    fake_lt.adds = *beta != 0 && c != d;
    compute(&p);
    return 0;
}
