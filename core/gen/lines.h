/*
 * lines.h - inside gen: regions whose operator goes along the lines of one dimension.
 *
 * A scan or a sort needs the elements of a line in order, which no loop nest of independent
 * elements gives on a GPU: such an operator is a kernel of its own, with what only turns the order
 * around before and behind it. Private to the CUDA writer.
 */
#ifndef THUNDER_LINES_H
#define THUNDER_LINES_H

#include "nest.h"

bool region_has_lines(const Region *r);
/* The functions of gen.h for such regions. */
bool lines_fit(const Region *r, StrBuf *why);
bool lines_cuda(const Region *r, const GenTarget *g, const char *symbol, GenCuda *plan,
                StrBuf *out, StrBuf *why);

/* A region that was read: a tensor [outer, n, inner], and what is done to each line. */
typedef struct Lines {
    const Region *r;
    const Node *node; /* the operator */
    ValueId in, out, place; /* read; results, 0 = not wanted */
    DType in_dtype, out_dtype;
    int64_t outer, n, inner;
    bool in_turned, out_turned; /* a flip stands before it, behind it */
} Lines;

/* Sorts of any kind, see sorts.c: whether n is one; the same for the region that was read. */
bool is_sort(const Node *n);
bool sorts_fit(const Lines *l, StrBuf *why);
void sorts_cuda(const Lines *l, const char *symbol, GenCuda *plan, StrBuf *out);

/* For others that sort: how many runs of n elements a launch merges, when so many launches are
 * needed beside; 0 = too many elements. What is sorted lies in either half of the scratch memory by
 * turns, elements packed with their places in `size` bytes: bytes of both; the declarations of
 * launch number `launch`, from 1, which reads "from" and writes "to". Of a block: the elements that
 * it has room for, and how many of them each thread has. */
enum { SORTS_TILE = 1 << 12 }; /* elements of a tile: 64 KiB of shared memory at most */
uint32_t sorts_ways(int64_t n, uint32_t beside);
int64_t sorts_halves(int64_t size, int64_t n);
void sorts_print_halves(const char *packed, int64_t size, int64_t n, uint32_t launch, StrBuf *out);
void sorts_shape(int64_t n, uint32_t *room, uint32_t *each);

/* Sums by index, see sums.c: whether n is one that no loop nest has; the functions of gen.h. */
bool is_sum_by_index(const Trace *t, const Node *n);
bool region_has_sums(const Region *r);
bool sums_fit(const Region *r, StrBuf *why);
bool sums_cuda(const Region *r, const char *symbol, GenCuda *plan, StrBuf *out, StrBuf *why);

const char *cuda_storage(DType d); /* cuda_points.c */
const char *lines_element(const Lines *l); /* the type in which elements are collected, compared */
void lines_print_missing(const Lines *l, StrBuf *out); /* results that nobody wants */
/* The head of a kernel up to its first statement; with the place of scratch memory. */
void lines_open(const Lines *l, const char *symbol, GenLaunch launch, bool scratch, GenCuda *plan,
                StrBuf *out);

#endif
