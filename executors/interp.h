/*
 * interp.h - inside the interpreter: what a kernel is given and how it answers.
 *
 * A kernel runs one prim. It takes operands with in_*, makes results with out_*, and returns false
 * after fail(). Operands may be strided in any way. Private to executors/interp*.c.
 */
#ifndef THUNDER_INTERP_H
#define THUNDER_INTERP_H

#include "elements.h"
#include "exec.h"

#ifdef THUNDER_HAVE_OPENMP
#define INTERP_PRAGMA(text) _Pragma(#text)
#define PARALLEL_FOR(when) INTERP_PRAGMA(omp parallel for schedule(dynamic, 1) if (when))
#else
#define PARALLEL_FOR(when) (void)(when);
#endif

/* Loops over fewer elements than this are not worth a second thread. */
enum { PARALLEL_FROM = 1 << 15 };

typedef struct Temp Temp;

typedef struct Interp {
    ExecCall *call;
    const Trace *t;
    const Node *node;
    ValueId outs[MAX_OUTPUTS];
    uint32_t nout;
    bool f64;    /* the oracle mode: floats are f64 and complex numbers c128 */
    Temp *temps; /* tensors to drop when the kernel is done */
    Arena arena; /* scratch memory, freed when the kernel is done */
} Interp;

typedef bool PrimKernel(Interp *x);

#define PRIM(name, sig, flags, sh, kernel, ...) PrimKernel kernel;
#include "prims.def"
#undef PRIM

bool fail(Interp *x, const char *code, const char *fmt, ...) PRINTF_LIKE(3, 4); /* false */
bool fail_index(Interp *x, int64_t index, uint32_t dim, int64_t size); /* out of range; false */
bool stopped(const Interp *x); /* someone asked to interrupt: leave as soon as possible */
/* t is dropped when the kernel is done; returns t. NULL is an error: out of memory. */
Tensor *keep(Interp *x, Tensor *t);
const char *operand_name(const Interp *x, int arg); /* name of the value, or of the parameter */

/* The operand as a tensor (a number is a 0-d tensor), borrowed; NULL after an error. Its shape is
 * that of the value's type. */
Tensor *in_tensor(Interp *x, int arg);
Tensor *in_value(Interp *x, int arg, Arg a); /* an element of the sequence argument arg */
/* A contiguous tensor of that dtype, or the operand itself when it is that already. */
Tensor *in_dense(Interp *x, int arg, DType dtype);
bool in_is_number(const Interp *x, int arg); /* a literal, or a value that is a number */
bool in_is_none(const Interp *x, int arg);
bool in_int(Interp *x, int arg, int64_t *out);
bool in_int_arg(Interp *x, int arg, Arg a, int64_t *out);
bool in_f64(Interp *x, int arg, double *out);

typedef struct Sizes {
    int64_t v[MAX_RANK];
    uint32_t n;
} Sizes;
bool in_sizes(Interp *x, int arg, Sizes *out);
/* Dimensions to work along as a mask over a tensor of that rank. */
bool in_dims(Interp *x, int arg, uint32_t rank, bool mask[MAX_RANK]);

/* What dtype stands for at run time: itself, or f64 and c128 in the oracle mode. */
DType run_dtype(const Interp *x, DType declared);
DType out_dtype(const Interp *x, uint32_t i);
const Type *out_type(const Interp *x, uint32_t i);
/* The i-th result, zeroed and contiguous, already handed over; borrowed. NULL after an error. */
Tensor *out_new(Interp *x, uint32_t i);
Tensor *out_unset(Interp *x, uint32_t i); /* the same, where every element will be written */
/* Hands t over as the i-th result (takes the reference); NULL is an error: out of memory. */
bool out_give(Interp *x, uint32_t i, Tensor *t);
bool out_view(Interp *x, uint32_t i, const Tensor *t, uint32_t rank, const int64_t *shape,
              const int64_t *strides, int64_t offset);

/* ------------------------------------------------------------------------- elementwise loops */

typedef enum LoopType { LOOP_f64, LOOP_i64, LOOP_c128 } LoopType;
LoopType loop_type(DType d);
size_t loop_size(LoopType t); /* bytes of an element of the buffer */
void load(const Walk *w, LoopType type, int64_t start, int64_t n, void *buf);
void store(const Walk *w, LoopType type, int64_t start, int64_t n, const void *buf);

typedef struct LoopInfo {
    DType dtype;                 /* of the operands, as the program declares it */
    volatile int *zero_division; /* set by loops that divide integers by zero */
} LoopInfo;

/* Computes n results from buffers of operands. */
typedef void LoopFn(const LoopInfo *info, int64_t n, void *out, void *const *in);

typedef enum LoopResult { TO_same, TO_bool, TO_real, TO_complex } LoopResult;

/* An elementwise operator: a loop for each computation type it has; `u64` where unsigned 64-bit
 * numbers need one of their own. Integers without a loop are computed as floats. */
typedef struct Elementwise {
    LoopFn *f64, *i64, *u64, *c128;
    LoopResult result;
    bool condition; /* operand 0 is a bool and takes no part in the choice of loop */
} Elementwise;

bool elementwise(Interp *x, const Elementwise *e, int noperands);

/* --------------------------------------------------------------------------------------- moving */

static inline size_t bytes_of(const Tensor *t)
{
    return dtype_info[t->dtype].bytes;
}

void dense_strides(const Tensor *t,
                   int64_t *strides);  /* those of a contiguous tensor of t's shape */
int64_t count_set(const Tensor *mask); /* elements that are not zero */

/* A dense copy of a tensor in the computation type of its dtype, where sums are collected. */
typedef struct Sums {
    LoopType type;
    char *data;
    size_t size; /* of an element */
} Sums;

/* Starts with the elements of `from`, or with n zeros. */
bool sums_begin(Interp *x, Sums *s, DType dtype, int64_t n, const Tensor *from);
/* Adds n elements of src, from row-major element `start` on, to the sums from `to` on. */
void sums_add(const Sums *s, int64_t to, const Walk *src, int64_t start, int64_t n);
bool sums_give(Interp *x, const Sums *s); /* as result 0 */

#endif
