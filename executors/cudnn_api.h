/*
 * cudnn_api.h - cuDNN's backend API, opened at run time: graphs of operations as plans.
 *
 * Input: tensors (sizes, strides, type) and the operations that lead from one to the next. Output:
 * a plan, and runs of it on addresses. Tensors in between are virtual: they have no memory. Names
 * of kinds and numbers are the library's, the declarations are our own.
 */
#ifndef THUNDER_CUDNN_API_H
#define THUNDER_CUDNN_API_H

#include "cuda_kernels.h"

typedef struct DnHandle DnHandle;
typedef struct DnDesc DnDesc;

#define CUDNN_FUNCTIONS(F)                                                                         \
    F(cudnnCreate, create, (DnHandle * *h))                                                        \
    F(cudnnDestroy, destroy, (DnHandle * h))                                                       \
    F(cudnnSetStream, set_stream, (DnHandle * h, CuStream *s))                                     \
    F(cudnnBackendCreateDescriptor, desc_create, (int kind, DnDesc **d))                           \
    F(cudnnBackendDestroyDescriptor, desc_destroy, (DnDesc * d))                                   \
    F(cudnnBackendFinalize, finalize, (DnDesc * d))                                                \
    F(cudnnBackendSetAttribute, set,                                                               \
      (DnDesc * d, int name, int type, int64_t count, const void *values))                         \
    F(cudnnBackendGetAttribute, get,                                                               \
      (DnDesc * d, int name, int type, int64_t asked, int64_t *count, void *values))               \
    F(cudnnBackendExecute, execute, (DnHandle * h, DnDesc * plan, DnDesc * pack))

typedef struct Dn {
    void *lib;
    DnHandle *handle;
#define FIELD(symbol, name, params) int(*name) params;
    CUDNN_FUNCTIONS(FIELD)
#undef FIELD
    size_t (*version)(void);
    OpenDevice *dev;
    Map plans; /* facts of an operation -> DnPlan *; NULL = the library takes no such */
} Dn;

/* The first member of what the executor keeps for a kernel. */
typedef enum DnKind { DN_KIND_attention, DN_KIND_conv, DN_KIND_conv_end } DnKind;

enum { DN_MAX_TENSORS = 48, DN_MAX_OPS = 40, DN_MAX_DESCS = 160, DN_RANK = 4, DN_MAX_RANK = 5 };

typedef enum DnType {
    DN_f32 = 0,
    DN_f64 = 1,
    DN_f16 = 2,
    DN_i32 = 4,
    DN_bf16 = 9,
    DN_bool = 11,
} DnType;

typedef enum DnPointwise {
    DN_add = 0,
    DN_mul = 1,
    DN_div = 6,
    DN_sub = 9,
    DN_exp = 13,
    DN_log = 15,
    DN_identity = 21,
    DN_relu = 100, /* NaN stays */
    DN_greater_equal = 303,
    DN_index = 501,
    DN_select = 601,
} DnPointwise;

typedef enum DnReduce { DN_sum = 0, DN_max = 3 } DnReduce;

typedef enum DnConvKind { DN_conv, DN_conv_data_gradient, DN_conv_weight_gradient } DnConvKind;

/* How a filter goes over its input. */
typedef struct DnWindow {
    int dims;
    int64_t stride[3], padding[3], dilation[3];
} DnWindow;

/* What an engine may do that changes numbers. */
enum {
    DN_NOTE_tensor_core = 1 << 0,
    DN_NOTE_shorter_operands = 1 << 1,
    DN_NOTE_shorter_sums = 1 << 2,
    DN_NOTE_fft = 1 << 3,
    DN_NOTE_any_order = 1 << 4, /* two runs may differ */
    DN_NOTE_winograd = 1 << 5,
};

typedef struct DnTensor {
    int rank;
    int64_t dims[DN_MAX_RANK], strides[DN_MAX_RANK];
    DnType type;
    bool real;     /* has memory: an argument of the plan */
    bool by_value; /* the argument is a number of the host's */
    float value;
    DnDesc *desc;
} DnTensor;

/* A graph under construction; tensors are numbers, 0 = none. After a failure everything is ignored
 * and the plan is NULL. */
typedef struct DnGraph {
    Dn *dn;
    DnTensor tensors[DN_MAX_TENSORS];
    int ntensors;
    DnDesc *ops[DN_MAX_OPS];
    int nops;
    DnDesc *descs[DN_MAX_DESCS]; /* all of them, to be freed */
    int ndescs;
    int status;      /* of the first failure; 0 = none */
    const char *failed;
} DnGraph;

typedef struct DnPlan {
    DnDesc *plan, *config;
    int64_t workspace;
    int64_t uids[DN_MAX_TENSORS]; /* of the arguments, in the order of their tensors */
    float values[DN_MAX_TENSORS]; /* of those that are numbers */
    bool by_value[DN_MAX_TENSORS];
    int n;
    int proposal; /* which of the library's it was */
} DnPlan;

/* Loads the library and those that it opens itself, for dn_of to find them loaded. */
void dn_ahead(Str folder);
/* The library of a device, opened once. NULL with an error. */
Dn *dn_of(OpenDevice *dev, Str folder, Diag *d);

void dn_begin(DnGraph *g, Dn *dn);
int dn_real(DnGraph *g, DnType type, const int64_t *dims, const int64_t *strides);
int dn_virtual(DnGraph *g, DnType type, const int64_t *dims, const int64_t *strides);
int dn_tensor(DnGraph *g, DnType type, int rank, const int64_t *dims, const int64_t *strides,
              bool real);
int dn_number(DnGraph *g, float value);
/* Each gives the tensor of its result: out, or a virtual one like x (of type) when out is 0. */
int dn_unary(DnGraph *g, DnPointwise mode, int x, int out);
int dn_binary(DnGraph *g, DnPointwise mode, int x, int y, int out);
int dn_index_of(DnGraph *g, int x, int axis); /* of each element along axis */
int dn_where_ge(DnGraph *g, int a, int b, int x, int otherwise); /* x where a >= b */
int dn_reduce(DnGraph *g, DnReduce op, int x, int out); /* over the last dimension */
int dn_matmul(DnGraph *g, int a, int b, int out);
int dn_reshape(DnGraph *g, int x, int out);
void dn_convolution(DnGraph *g, DnConvKind kind, const DnWindow *w, DnType compute, int x,
                    int weight, int y);
/* Which plans of a graph are wanted. */
typedef struct DnWanted {
    uint32_t unwanted; /* DN_NOTE_*: what they may not do */
    int64_t workspace; /* the most that they may need */
    int only;          /* the number of a proposal; -1 = any */
    int max;
} DnWanted;

/* Those plans, in the order in which the library proposes them. How many; 0 with the reason. */
int dn_plans(DnGraph *g, const DnWanted *wanted, DnPlan **out, StrBuf *why_not);
/* The plan of the whole graph: what the file at path holds, else it is made, and written there
 * ("" = nowhere). NULL when the library has no way to do it, with the reason. */
DnPlan *dn_finish(DnGraph *g, const char *path, StrBuf *why_not);
void dn_plan_free(Dn *dn, DnPlan *plan);
/* Addresses of the real tensors in the order in which they were made, numbers left out. */
bool dn_run(Dn *dn, const DnPlan *plan, const uint64_t *at, uint64_t workspace);

#endif
