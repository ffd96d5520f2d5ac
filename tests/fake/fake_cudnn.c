/*
 * fake_cudnn.c - the backend of a library of convolutions without a GPU: plans run on the host.
 *
 * Input: the calls of executors/cudnn_api.c. A descriptor is a list of attributes as they were set.
 * Output: convolutions, their gradients, additions and relu, as the graph's descriptors say.
 * Numbers of kinds and attributes are the library's. Descriptors live until the handle is closed,
 * since plans refer to them.
 */
#include "fake_cudnn.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ATTRIBUTES = 12, MAX_DATA = 512, MAX_RANK = 5 };

FakeDn fake_dn;

typedef struct Attribute {
    int name, type;
    int64_t n;
    char data[MAX_DATA];
} Attribute;

typedef struct Desc {
    struct Desc *next;
    int kind, n, proposal;
    struct Desc *graph; /* of a configuration */
    Attribute attributes[MAX_ATTRIBUTES];
} Desc;

static Desc *all;

static int wrong(void)
{
    fake_dn.wrong++;
    return 2000;
}

static size_t size_of(int type)
{
    if (type == 2 || type == 24)
        return 1;
    return type == 0 || type == 3 || type == 5 || type == 6 || type == 15 ? 8 : 4;
}

int cudnnCreate(void **h) { return *h = calloc(1, 8), 0; }
int cudnnDestroy(void *h)
{
    for (Desc *next; all; all = next) {
        next = all->next;
        free(all);
    }
    return free(h), 0;
}
size_t cudnnGetVersion(void) { return 91900; }
int cudnnSetStream(void *h, void *s) { return h && s ? 0 : wrong(); }
int cudnnBackendCreateDescriptor(int kind, Desc **d)
{
    *d = calloc(1, sizeof **d);
    (*d)->kind = kind;
    (*d)->next = all;
    all = *d;
    return 0;
}
int cudnnBackendDestroyDescriptor(Desc *d) { return d ? 0 : wrong(); }

static const Attribute *find(const Desc *d, int name)
{
    for (int i = 0; d && i < d->n; i++)
        if (d->attributes[i].name == name)
            return &d->attributes[i];
    return NULL;
}

static Desc *desc_at(const Desc *d, int name, int64_t i)
{
    const Attribute *a = find(d, name);
    Desc *found = NULL;
    if (a && i < a->n)
        memcpy(&found, a->data + i * 8, sizeof found);
    return found;
}

int cudnnBackendSetAttribute(Desc *d, int name, int type, int64_t n, const void *values)
{
    size_t bytes = (size_t)n * size_of(type);
    if (!d || d->n == MAX_ATTRIBUTES || bytes > MAX_DATA || find(d, name))
        return wrong();
    Attribute *a = &d->attributes[d->n++];
    *a = (Attribute){.name = name, .type = type, .n = n};
    memcpy(a->data, values, bytes);
    return 0;
}

static void set_desc(Desc *d, int name, Desc *value)
{
    Attribute *a = &d->attributes[d->n++];
    *a = (Attribute){.name = name, .type = 15, .n = 1};
    memcpy(a->data, &value, sizeof value);
}

/* A plan as text is the address of its configuration, which must still be there. */
static int read_plan(Desc *plan, const Attribute *text)
{
    void *at = NULL;
    const Desc *config = all;
    char copy[MAX_DATA] = "";
    memcpy(copy, text->data, (size_t)text->n);
    if (sscanf(copy, "plan %p", &at) != 1)
        return 3000;
    while (config && config != at)
        config = config->next;
    if (!config)
        return 3000;
    set_desc(plan, 401, at);
    return 0;
}

int cudnnBackendFinalize(Desc *d)
{
    const Attribute *text = d->kind == 5 ? find(d, 405) : NULL;
    if (text)
        return read_plan(d, text);
    const Attribute *ops = d->kind == 15 ? find(d, 801) : NULL;
    if (fake_dn.refuses && ops)
        return 3000;
    return ops && ops->n > 1 && !fake_dn.fuses ? 3000 : 0;
}

int cudnnBackendGetAttribute(Desc *d, int name, int type, int64_t asked, int64_t *count,
                             void *values)
{
    *count = 1;
    if (name == 405 && type == 24) {
        char text[32];
        *count = snprintf(text, sizeof text, "plan %p", (void *)desc_at(d, 401, 0));
        if (values && asked >= *count)
            memcpy(values, text, (size_t)*count);
    } else if (name == 202 && type == 15) { /* two proposals */
        fake_dn.asked++;
        for (*count = 0; *count < 2 && *count < asked; ++*count) {
            Desc *config = ((Desc **)values)[*count];
            config->graph = desc_at(d, 201, 0);
            config->proposal = (int)*count;
        }
    } else if (name == 300 && type == 15) {
        (*(Desc **)values)->proposal = d->proposal;
    } else if (name == 1303 && type == 11) {
        *count = 0;
        for (int bit = 0; bit < 10 && d->proposal == 0; bit++)
            if (fake_dn.numbers & 1 << bit)
                ((int *)values)[(*count)++] = bit;
    } else if (name == 402 && type == 3) {
        *(int64_t *)values = 64;
    } else {
        return wrong();
    }
    return 0;
}

/* ------------------------------------------------------------------------------------ elements */

typedef struct Tensor {
    int rank, type;
    int64_t dims[MAX_RANK], strides[MAX_RANK];
    char *at;
} Tensor;

static int64_t number(const Desc *d, int name)
{
    const Attribute *a = find(d, name);
    int64_t n = 0;
    if (a)
        memcpy(&n, a->data, size_of(a->type));
    return n;
}

static Tensor tensor(const Desc *pack, const Desc *d)
{
    Tensor t = {.type = (int)number(d, 901)};
    const Attribute *dims = find(d, 902), *strides = find(d, 903), *uids = find(pack, 1000);
    t.rank = (int)dims->n;
    memcpy(t.dims, dims->data, (size_t)dims->n * 8);
    memcpy(t.strides, strides->data, (size_t)dims->n * 8);
    for (int64_t i = 0; i < uids->n; i++)
        if (((const int64_t *)uids->data)[i] == number(d, 906))
            memcpy(&t.at, find(pack, 1001)->data + i * 8, sizeof t.at);
    return t;
}

static double get(const Tensor *t, const int64_t *at)
{
    int64_t i = 0;
    for (int k = 0; k < t->rank; k++)
        i += (t->dims[k] == 1 ? 0 : at[k]) * t->strides[k];
    if (t->type == 1)
        return ((const double *)t->at)[i];
    if (t->type == 0)
        return (double)((const float *)t->at)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)t->at)[i] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static void put(const Tensor *t, const int64_t *at, double value)
{
    int64_t i = 0;
    float x = (float)value;
    uint32_t bits;
    for (int k = 0; k < t->rank; k++)
        i += at[k] * t->strides[k];
    memcpy(&bits, &x, sizeof bits);
    if (t->type == 1)
        ((double *)t->at)[i] = value;
    else if (t->type == 0)
        ((float *)t->at)[i] = x;
    else
        ((uint16_t *)t->at)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The next index of sizes; 0 behind the last. */
static int next(int rank, const int64_t *sizes, int64_t *at)
{
    for (int k = rank; k-- > 0;) {
        if (++at[k] < sizes[k])
            return 1;
        at[k] = 0;
    }
    return 0;
}

static int64_t numel(const Tensor *t)
{
    int64_t n = 1;
    for (int k = 0; k < t->rank; k++)
        n *= t->dims[k];
    return n;
}

/* ----------------------------------------------------------------------------------- operations */

typedef struct Conv {
    Tensor x, w, y;
    int64_t stride[3], padding[3], dilation[3];
} Conv;

/* Adds up into one of the three what each pair of the other two gives. */
static void convolve(const Conv *c, int which)
{
    const Tensor *to = which == 0 ? &c->y : which == 1 ? &c->w : &c->x;
    double *sums = calloc((size_t)numel(to), sizeof *sums);
    int64_t out[MAX_RANK] = {0};
    int rank = c->y.rank;
    int64_t in_group = c->w.dims[1], out_group = c->w.dims[0] / (c->x.dims[1] / in_group);
    do {
        int64_t k[MAX_RANK] = {0};
        do { /* k: output channel, channel within the group, place in the filter */
            int64_t in[MAX_RANK] = {out[0], out[1] / out_group * in_group + k[1]};
            int inside = k[0] == out[1];
            for (int i = 2; i < rank; i++) {
                in[i] = out[i] * c->stride[i - 2] - c->padding[i - 2] + k[i] * c->dilation[i - 2];
                inside = inside && in[i] >= 0 && in[i] < c->x.dims[i];
            }
            if (!inside)
                continue;
            const int64_t *at = which == 0 ? out : which == 1 ? k : in;
            int64_t flat = 0;
            for (int i = 0; i < rank; i++)
                flat = flat * to->dims[i] + at[i];
            sums[flat] += which == 0   ? get(&c->x, in) * get(&c->w, k)
                          : which == 1 ? get(&c->x, in) * get(&c->y, out)
                                       : get(&c->w, k) * get(&c->y, out);
        } while (next(rank, c->w.dims, k));
    } while (next(rank, c->y.dims, out));
    int64_t at[MAX_RANK] = {0}, flat = 0;
    do
        put(to, at, sums[flat++]);
    while (next(rank, to->dims, at));
    free(sums);
}

static void run_conv(const Desc *op, const Desc *pack, char *between)
{
    static const int firsts[] = {700, 712, 706};
    int which = op->kind - 10, first = firsts[which];
    Conv c = {tensor(pack, desc_at(op, first + 4, 0)), tensor(pack, desc_at(op, first + 3, 0)),
              tensor(pack, desc_at(op, first + 5, 0)), {0}, {0}, {0}};
    const Desc *window = desc_at(op, first + 2, 0);
    size_t bytes = (size_t)number(window, 106) * 8;
    memcpy(c.dilation, find(window, 102)->data, bytes);
    memcpy(c.stride, find(window, 103)->data, bytes);
    memcpy(c.padding, find(window, 105)->data, bytes);
    if (number(window, 101) != 1 || memcmp(find(window, 104)->data, c.padding, bytes) != 0)
        wrong();
    if (!c.y.at)
        c.y.at = between;
    convolve(&c, which);
}

/* An addition, or relu: from what is between to there, or to the end. */
static void run_pointwise(const Desc *op, const Desc *pack, char *between)
{
    int64_t mode = number(desc_at(op, 750, 0), 0), at[MAX_RANK] = {0};
    Tensor x = tensor(pack, desc_at(op, 751, 0)), y = tensor(pack, desc_at(op, 753, 0)), b = {0};
    if (mode == 0)
        b = tensor(pack, desc_at(op, 752, 0));
    else if (mode != 100 || number(desc_at(op, 750, 0), 2) != 1) /* relu that keeps NaN */
        wrong();
    if (!x.at)
        x.at = between;
    if (!y.at)
        y.at = between;
    do {
        double v = get(&x, at);
        put(&y, at, mode == 0 ? v + get(&b, at) : v < 0 ? 0 : v);
    } while (next(y.rank, y.dims, at));
}

int cudnnBackendExecute(void *h, Desc *plan, Desc *pack)
{
    const Desc *config = desc_at(plan, 401, 0);
    const Attribute *ops = find(config->graph, 801);
    fake_dn.runs++;
    fake_dn.proposal = config->proposal;
    char *between = NULL;
    for (int64_t i = 0; i < ops->n; i++) {
        const Desc *op = desc_at(config->graph, 801, i);
        if (!between && op->kind == 10) {
            Tensor y = tensor(pack, desc_at(op, 705, 0));
            between = malloc((size_t)numel(&y) * 8);
        }
        if (op->kind >= 10 && op->kind <= 12)
            run_conv(op, pack, between);
        else if (op->kind == 13)
            run_pointwise(op, pack, between);
        else
            wrong();
    }
    free(between);
    return h ? 0 : wrong();
}
