/* cuda_move.c - fills and copies on the GPU; see cuda_move.h. */
#include "cuda_move.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 32, MAX_DIMS = 8, BLOCK = 256 };

typedef enum MoveKind { MOVE_cat, MOVE_pad } MoveKind;

struct CudaMove {
    MoveKind kind;
    uint32_t n; /* operands */
    ValueId in[MAX_PARTS], out;
    Type in_type[MAX_PARTS], out_type;
    uint32_t dim;                                    /* cat */
    int64_t low[MAX_DIMS], step[MAX_DIMS];           /* pad */
    unsigned char value[16];                         /* pad: the element that is added */
};

/* ------------------------------------------------------------------------------------- the text */

static const char move_text[] =
    "typedef long long i64;\n"
    "struct Shape { int rank, size; i64 n; i64 sizes[8], from[8], to[8]; };\n"
    "struct Element { unsigned long long a, b; };\n"
    "template <class T, class N> __device__ void go(T *to, const T *from, const Shape &s)\n"
    "{\n"
    "    N step = (N)gridDim.x * blockDim.x;\n"
    "    for (N i = blockIdx.x * (N)blockDim.x + threadIdx.x; i < (N)s.n; i += step) {\n"
    "        N rest = i;\n"
    "        i64 a = 0, b = 0;\n"
    "        for (int d = s.rank - 1; d >= 0; d--) {\n"
    "            N size = (N)s.sizes[d], up = rest / size, at = rest - up * size;\n"
    "            a += at * s.from[d];\n"
    "            b += at * s.to[d];\n"
    "            rest = up;\n"
    "        }\n"
    "        to[b] = from[a];\n"
    "    }\n"
    "}\n"
    "template <class T> __device__ void move(T *to, const T *from, const Shape &s)\n"
    "{\n"
    "    if (s.n < 1 << 30)\n"
    "        go<T, unsigned>(to, from, s);\n"
    "    else\n"
    "        go<T, i64>(to, from, s);\n"
    "}\n"
    "extern \"C\" __global__ void move_view(char *to, const char *from, Shape s)\n"
    "{\n"
    "    switch (s.size) {\n"
    "    case 1: move(to, from, s); break;\n"
    "    case 2: move((short *)to, (const short *)from, s); break;\n"
    "    case 4: move((int *)to, (const int *)from, s); break;\n"
    "    case 8: move((i64 *)to, (const i64 *)from, s); break;\n"
    "    case 16: move((Element *)to, (const Element *)from, s); break;\n"
    "    }\n"
    "}\n"
    "template <class T> __device__ void put(T *to, T value, i64 n)\n"
    "{\n"
    "    i64 step = (i64)gridDim.x * blockDim.x;\n"
    "    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += step)\n"
    "        to[i] = value;\n"
    "}\n"
    "extern \"C\" __global__ void fill(char *to, Element value, i64 n, int size)\n"
    "{\n"
    "    switch (size) {\n"
    "    case 1: put(to, (char)value.a, n); break;\n"
    "    case 2: put((short *)to, (short)value.a, n); break;\n"
    "    case 4: put((int *)to, (int)value.a, n); break;\n"
    "    case 8: put((i64 *)to, (i64)value.a, n); break;\n"
    "    case 16: put((Element *)to, value, n); break;\n"
    "    }\n"
    "}\n";

enum { FN_move, FN_fill, FN_COUNT };

typedef struct MoveCode {
    CudaCode code;
} MoveCode;

static const char move_key;

static void code_free(OpenDevice *dev, void *thing)
{
    MoveCode *m = thing;
    cuda_code_free(&m->code, dev);
    free(m);
}

static CuFunction *function_of(OpenDevice *dev, int which)
{
    MoveCode *m = device_thing(dev, &move_key);
    if (m)
        return m->code.fn[which];
    m = calloc(1, sizeof *m);
    if (!m)
        abort();
    Diag d = {0};
    CompileOptions o = {.device = dev};
    m->code.plan = (GenCuda){.nlaunch = FN_COUNT,
                             .launch = {{.name = "move_view"}, {.name = "fill"}}};
    CudaBuild build = {.text = S(move_text), .code = &m->code};
    bool good = cuda_code_load(&build, 1, &o, &d) && device_keep(dev, &move_key, m, code_free);
    diag_clear(&d);
    if (good)
        return m->code.fn[which];
    code_free(dev, m);
    device_fail(dev, "the kernels that move elements do not load");
    return NULL;
}

static bool start(OpenDevice *dev, int which, int64_t work, void **params)
{
    CudaDevice *c = cuda_of(dev);
    CuFunction *f = function_of(dev, which);
    int64_t blocks = (work + BLOCK - 1) / BLOCK, most = 32 * (int64_t)dev->info.sms;
    if (!f || work == 0)
        return f != NULL;
    unsigned grid = (unsigned)(blocks < most ? blocks : most);
    return cuda_check(c, c->fn.launch(f, grid, 1, 1, BLOCK, 1, 1, 0, c->stream, params, NULL),
                      "moving elements");
}

/* -------------------------------------------------------------------------------- what it takes */

static bool is_tensor(const Trace *t, Arg a)
{
    return a.kind == ARG_value && t->values[a.v].type.kind == VALUE_tensor;
}

static bool takes_cat(const Trace *t, const Node *n)
{
    Arg list = n->args[0];
    bool good = arg_is_seq(list) && list.n > 0 && list.n <= MAX_PARTS && n->args[1].kind == ARG_int;
    for (uint32_t i = 0; i < list.n && good; i++)
        good = is_tensor(t, list.items[i]) && t->values[list.items[i].v].type.rank <= MAX_DIMS;
    return good && t->values[n->out.v].type.rank > 0;
}

static bool takes_pad(const Trace *t, const Node *n)
{
    Arg config = n->args[2];
    bool good = is_tensor(t, n->args[0]) && arg_is_number(n->args[1]) &&
                n->args[1].kind != ARG_complex && arg_is_seq(config) && config.n <= MAX_DIMS;
    for (uint32_t i = 0; i < config.n && good; i++) {
        Arg dim = config.items[i];
        good = arg_is_seq(dim) && dim.n == 3;
        for (uint32_t k = 0; k < dim.n && good; k++)
            good = dim.items[k].kind == ARG_int && (k < 2 || dim.items[k].i >= 0);
    }
    return good;
}

bool cuda_move_takes(const Trace *t, NodeId id, StrBuf *why_not)
{
    const Node *n = &t->nodes[id];
    bool good = n->op->language == LANG_prims && n->out.kind == ARG_value &&
                (n->op->id == PRIM_cat   ? takes_cat(t, n)
                 : n->op->id == PRIM_pad ? takes_pad(t, n)
                                         : false);
    if (!good)
        sb_printf(why_not, "has no kernel for prims.%s", n->op->name);
    return good;
}

static void add_input(CudaMove *m, Arena *a, const Trace *t, Arg x)
{
    m->in[m->n] = x.v;
    m->in_type[m->n++] = type_own(a, &t->values[x.v].type);
}

static void read_pad(CudaMove *m, const Node *n)
{
    Arg value = n->args[1];
    for (uint32_t i = 0; i < n->args[2].n; i++) {
        m->low[i] = n->args[2].items[i].items[0].i;
        m->step[i] = n->args[2].items[i].items[2].i + 1;
    }
    if (value.kind == ARG_float)
        elem_set_f64(m->value, (DType)m->out_type.dtype, value.f);
    else
        elem_set_i64(m->value, (DType)m->out_type.dtype, value.i);
}

CudaMove *cuda_move_new(Arena *a, const Trace *t, NodeId id)
{
    const Node *n = &t->nodes[id];
    CudaMove *m = new_of(a, CudaMove);
    m->out = n->out.v;
    m->out_type = type_own(a, &t->values[m->out].type);
    m->kind = n->op->id == PRIM_cat ? MOVE_cat : MOVE_pad;
    if (m->kind == MOVE_cat) {
        for (uint32_t i = 0; i < n->args[0].n; i++)
            add_input(m, a, t, n->args[0].items[i]);
        int64_t dim = n->args[1].i;
        m->dim = (uint32_t)(dim < 0 ? dim + m->out_type.rank : dim);
        return m;
    }
    add_input(m, a, t, n->args[0]);
    read_pad(m, n);
    return m;
}

/* ------------------------------------------------------------------------------------ launching */

typedef struct MoveShape {
    int rank, size;
    int64_t n, sizes[MAX_DIMS], from[MAX_DIMS], to[MAX_DIMS];
} MoveShape;

static void dense_strides(const Type *t, int64_t *strides)
{
    int64_t step = 1;
    for (uint32_t i = t->rank; i-- > 0;) {
        strides[i] = step;
        step *= t->shape[i];
    }
}

/* The operand's part that lands inside the result, from element `first` on, at element `place`. */
static MoveShape placed(const Tensor *t, const Type *out, const int64_t *low, const int64_t *step,
                        int64_t *first, int64_t *place)
{
    MoveShape s = {.rank = (int)t->rank, .size = dtype_info[t->dtype].bytes, .n = 1};
    int64_t strides[MAX_DIMS];
    dense_strides(out, strides);
    *first = *place = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t skipped = low[i] < 0 ? (-low[i] + step[i] - 1) / step[i] : 0;
        int64_t at = low[i] + skipped * step[i];
        int64_t room = out->shape[i] > at ? (out->shape[i] - at + step[i] - 1) / step[i] : 0;
        int64_t size = t->shape[i] - skipped < room ? t->shape[i] - skipped : room;
        s.sizes[i] = size > 0 ? size : 0;
        s.from[i] = t->strides[i];
        s.to[i] = strides[i] * step[i];
        s.n *= s.sizes[i];
        *first += skipped * t->strides[i];
        *place += at * strides[i];
    }
    return s;
}

/* Elements that lie side by side in both move together, up to 16 bytes at a time. */
static void widen(MoveShape *s, uint64_t to, uint64_t from)
{
    int last = s->rank - 1;
    while (s->rank && s->size < 16 && s->from[last] == 1 && s->to[last] == 1 &&
           s->sizes[last] % 2 == 0) {
        bool good = (to | from) % (uint64_t)(2 * s->size) == 0;
        for (int i = 0; i < last && good; i++)
            good = s->from[i] % 2 == 0 && s->to[i] % 2 == 0;
        if (!good)
            return;
        for (int i = 0; i < last; i++) {
            s->from[i] /= 2;
            s->to[i] /= 2;
        }
        s->sizes[last] /= 2;
        s->n /= 2;
        s->size *= 2;
    }
}

/* The operand was written where the result has it (core/pass/layout.h). */
static bool lies_there(const MoveShape *s, uint64_t to, uint64_t from)
{
    bool same = to == from;
    for (int i = 0; i < s->rank && same; i++)
        same = s->sizes[i] == 1 || s->from[i] == s->to[i];
    return same;
}

static bool place_operand(const CudaMove *m, ExecCall *call, uint32_t i, const int64_t *low,
                          const int64_t *step, uint64_t out)
{
    Tensor *t;
    uint64_t from;
    int64_t first, place;
    if (!cuda_strided_input(call, m->in[i], &m->in_type[i], &from, &t))
        return false;
    MoveShape s = placed(t, &m->out_type, low, step, &first, &place);
    from += (uint64_t)(first * s.size);
    out += (uint64_t)(place * s.size);
    if (lies_there(&s, out, from))
        return true;
    widen(&s, out, from);
    return start(call->device, FN_move, s.n, (void *[]){&out, &from, &s});
}

static bool launch_cat(const CudaMove *m, ExecCall *call, uint64_t out)
{
    int64_t low[MAX_DIMS] = {0}, step[MAX_DIMS];
    for (uint32_t i = 0; i < MAX_DIMS; i++)
        step[i] = 1;
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->in_type[i].rank == m->out_type.rank && !place_operand(m, call, i, low, step, out))
            return false;
        if (m->in_type[i].rank == m->out_type.rank)
            low[m->dim] += m->in_type[i].shape[m->dim];
    }
    return true;
}

static bool launch_pad(const CudaMove *m, ExecCall *call, uint64_t out)
{
    int64_t n = type_numel(&m->out_type);
    int size = dtype_info[m->out_type.dtype].bytes;
    uint64_t value[2];
    memcpy(value, m->value, sizeof value);
    return start(call->device, FN_fill, n, (void *[]){&out, value, &n, &size}) &&
           place_operand(m, call, 0, m->low, m->step, out);
}

bool cuda_move_launch(const CudaMove *m, ExecCall *call)
{
    uint64_t out;
    return cuda_output(call, m->out, &m->out_type, &out) &&
           (m->kind == MOVE_cat ? launch_cat(m, call, out) : launch_pad(m, call, out));
}
