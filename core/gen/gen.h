/*
 * gen.h - from a region of prims to the text of one C function.
 *
 * Input: a region (prims of a trace in order, and which of their values leave it). Output: whether
 * one loop nest can compute it, and if so a readable C function. One idea: a value is asked for at
 * an index, not computed as a whole; broadcasts, reshapes, transposes and slices only change the
 * index that is passed on, so they cost nothing in the loop.
 */
#ifndef THUNDER_GEN_H
#define THUNDER_GEN_H

#include "ir.h"

typedef struct Region {
    const Trace *t;
    const NodeId *nodes; /* prims without sub-nodes, in order */
    uint32_t n;
    const ValueId *outs; /* values that are needed outside */
    uint32_t nouts;
} Region;

typedef struct GenOptions {
    bool eager_rounding; /* round every intermediate f16 and bf16 value, as PyTorch eager does */
} GenOptions;

enum { MAX_REGION_INPUTS = 48, MAX_REGION_NODES = 160 };

/* What a kernel reports. After GEN_far_angles its results are not to be used: the text compiled
 * with GEN_ANY_ANGLE takes every angle, more slowly. */
enum { GEN_zero_division = 1, GEN_index_range = 2, GEN_far_angles = 4 };
#define GEN_ANY_ANGLE "-DANY_ANGLE"

/* Whether a loop nest can compute node n by itself; why_not gets one clause when it cannot. */
bool gen_takes(const Trace *t, NodeId n, StrBuf *why_not);
/* Whether one loop nest computes the whole region; why_not as above. */
bool gen_fits(const Region *r, StrBuf *why_not);
/* What the function of gen_c costs to run. */
typedef struct GenCost {
    double bytes;     /* read from memory and written there */
    double reread;    /* those of them that were read before */
    double steps;     /* instructions for a vector of elements */
    double again;     /* those of them that compute a value once more, for another pass or index */
    uint32_t threads; /* that have work, of up to four */
    uint32_t live;    /* values that are needed at one place of the loop */
    bool in_order;    /* a product of floats keeps its loop from taking vectors */
} GenCost;
/* The same as gen_fits, and *cost when it fits. */
bool gen_cost(const Region *r, GenCost *cost, StrBuf *why_not);
/* The same for gen_cuda, which also folds over the rows while it folds over what is in a row. */
bool gen_fits_cuda(const Region *r, StrBuf *why_not);
/* Estimated seconds of a region with matrix products: as one kernel, and as a launch for each
 * product and for what follows it. On a GPU of middle size; false when it is not one. */
typedef struct GenTimes {
    double joined, apart;
    double launch; /* of one that follows a product */
    uint32_t products, launches;
} GenTimes;
/* Whether product n is so small that a chain with others is faster than it is by itself. */
bool gen_product_chains(const Trace *t, NodeId n);
bool gen_product_times(const Region *r, GenTimes *out);
/* Whether a region folds its operands in one pass, and stores all its full-size results in it. */
bool gen_stores_in_fold(const Region *r);
/* The region that a claimed node stands for: the leaves of a prims.call with its outputs, or a prim
 * by itself. Arrays lie in a. false when it has parts that are no prims. */
bool gen_region(const Trace *t, NodeId n, Arena *a, Region *out);
/* Says of each pair whether the kernel of r (for C, or for CUDA whatever its schedule) may write
 * the result where the input lies: it reads an element of the input for the last time before it
 * writes the same element of the result. */
void gen_in_place(const Region *r, bool cuda, Overlay *pairs, uint32_t n);
/* Values that the region reads, in order of first use; at most MAX_REGION_INPUTS are stored, the
 * count is returned. Numbers that are known are no inputs. */
uint32_t gen_inputs(const Region *r, ValueId in[MAX_REGION_INPUTS]);
/* Appends a comment for each source line that the region comes from: its text, and where it is in
 * the model's file, or in the program's when that is not known. */
void gen_sources(const Region *r, StrBuf *out);
/* Appends "int SYMBOL(void *const *in, void *const *out)": pointers to dense tensors in the order
 * of gen_inputs and of r->outs, which overlap where value_is_over says so only; its result is made
 * of GEN_* bits. Comments name the values of the trace; without them equal computations have equal
 * text. */
bool gen_c(const Region *r, const GenOptions *o, const char *symbol, StrBuf *out, StrBuf *why_not);
const char *gen_c_prelude(void); /* what every file of such functions begins with */

/* The GPU that a text is for. */
typedef struct GenTarget {
    uint32_t arch; /* compute capability: 80, 90, 100 */
    uint32_t sms;  /* multiprocessors */
    int64_t l2;         /* bytes of the level-2 cache */
    int64_t shared_max; /* bytes of shared memory that one block may use */
} GenTarget;

typedef struct GenLaunch {
    char name[96]; /* of the extern "C" __global__ function */
    uint32_t grid[3], block[3];
    uint32_t shared; /* bytes of dynamic shared memory */
    uint32_t cluster; /* blocks that read one another's shared memory; 0 = 1 */
    uint32_t beside; /* blocks whose registers fit into a multiprocessor; 0 = any number */
    bool early; /* it waits itself for what was launched before, and may begin before that ends */
} GenLaunch;

enum { MAX_LAUNCHES = 7 };

/* How a text is run: the launches one after another, all with the same parameters. */
typedef struct GenCuda {
    GenLaunch launch[MAX_LAUNCHES];
    uint32_t nlaunch;
    int64_t scratch; /* bytes of device memory that the launches share; 0 = none */
    int64_t zeros; /* so many bytes at its start must be zero before the first launch; every run
                    * leaves them so */
} GenCuda;

/* Appends the kernels of a region as CUDA C++, with *plan saying how to launch them. Each takes a
 * pointer to every input in the order of gen_inputs, to every output in the order of r->outs (dense
 * tensors, aligned to 16 bytes), then the scratch memory when there is any, then an int *error that
 * gets GEN_zero_division or GEN_index_range when there was such a thing. schedule is below
 * gen_cuda_schedules; 0 is the choice made without measuring. Kernel names begin with symbol. */
bool gen_cuda(const Region *r, const GenOptions *o, const GenTarget *g, uint32_t schedule,
              const char *symbol, GenCuda *plan, StrBuf *out, StrBuf *why_not);
/* How many schedules a region has; 0 when gen_cuda cannot write it. */
uint32_t gen_cuda_schedules(const Region *r, const GenTarget *g);
const char *gen_cuda_prelude(void); /* what every such text begins with */

#endif
