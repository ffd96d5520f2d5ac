/*
 * cone.h - what of a statement some elements of its results need.
 *
 * Input: a node of a trace, and a box (a range in each dimension) of each result that is wanted.
 * Output: the box of every value inside that those need, and the arguments with which a prim makes
 * a box of its result out of boxes of its operands. So a part of a statement can be computed
 * without the rest of it. A prim without a rule is needed whole.
 */
#ifndef THUNDER_CONE_H
#define THUNDER_CONE_H

#include "tensor.h"

typedef struct Box {
    uint32_t rank;
    int64_t *from, *size; /* rank each */
} Box;

typedef struct Cone {
    const Trace *t;
    Arena *arena;
    const NodeId *leaves; /* the prims of the statement, in order */
    uint32_t nleaves;
    Box **need; /* by value: what is needed of it; NULL = nothing */
} Cone;

Box *box_whole(Arena *a, const Type *type);
Box *box_copy(Arena *a, const Box *x);
int64_t box_numel(const Box *x);

/* need has the boxes of the results that are wanted (by value, NULL = not wanted); those of all
 * else that they need are added. */
void cone_find(Cone *c);
/* The box of operand v that prim `leaf` needs for its result as c->need has it. */
Box *cone_operand(const Cone *c, NodeId leaf, ValueId v);
/* Arguments of the leaf for that box: sizes and places in it; values as they are. In a's memory. */
const Arg *cone_args(const Cone *c, NodeId leaf, Arena *a);
/* The largest number of elements of one value inside. */
int64_t cone_largest(const Cone *c);

enum { CONE_ELEMENTS = 1 << 27 }; /* that one value may have in double precision: 1 GB */
/* A block of result v for which nothing inside has more than `most` elements, where smaller blocks
 * help: its leading dimensions are halved. The cone's boxes are not looked at. */
Box *cone_block(const Cone *c, ValueId v, int64_t most);
/* Moves `at`, a block of v's type or what is left of one, on; false behind the last. */
bool box_next(const Type *type, const Box *block, Box *at);
Tensor *box_of(const Tensor *x, const Box *box); /* a view of that part */

#endif
