/*
 * nest_ask.h - inside nest: what the files share that turn a region into points.
 *
 * nest.c has the values, points and loops; nest_reduce.c asks for reductions, nest_index.c for what
 * reads at an index that another value gives, joins, pads, or draws random numbers.
 */
#ifndef THUNDER_NEST_ASK_H
#define THUNDER_NEST_ASK_H

#include "nest.h"

/* The point of a value, or of an argument, at that index. Nothing counts once the nest failed. */
uint32_t ask(Nest *s, ValueId v, const Form *index);
uint32_t ask_arg(Nest *s, Arg a, const Form *index);
/* Operand i of prim n as d; a number in the dtype that it is of there. */
uint32_t ask_operand(Nest *s, const Node *n, uint32_t i, DType d, const Form *index);

/* Points; one that is there already is not made again. */
uint32_t add_point(Nest *s, Point p);
uint32_t add_number(Nest *s, Arg number, DType d);
uint32_t add_cast(Nest *s, uint32_t a, DType d);
uint32_t add_select(Nest *s, uint32_t condition, uint32_t a, uint32_t b, DType d);
bool point_is_zero(const Nest *s, uint32_t i);
bool point_is_prim(const Nest *s, const Point *p, uint32_t op);

const Type *node_operand(const Nest *s, const Node *n); /* of the first operand */
const char *name_of(const Nest *s, ValueId v, int *len);
uint64_t loops_with(const Nest *s, Role role); /* mask */

/* nest_reduce.c */
bool fold_of(uint32_t op, Fold *out); /* what a reduction does; false = it is none */
uint32_t ask_reduction(Nest *s, const Node *n, ValueId v, const Form *index, Fold fold);
/* Whether *p, an exponential or a quotient, is softmax of a row by points that are there; it is
 * their quotient then, STEP_quotient. */
bool is_softmax(const Nest *s, Point *p);

/* nest_index.c */
uint32_t form_pass(const Nest *s, Form f); /* passes before all indices in it are known */
bool form_of_row(const Nest *s, Form f); /* whether an index in it is one that a row makes */
uint32_t ask_indexed(Nest *s, const Node *n, ValueId v, const Form *index);
uint32_t ask_draw(Nest *s, NodeId id, const Node *n, ValueId v, const Form *index);
uint32_t ask_cat(Nest *s, const Node *n, ValueId v, const Form *index);
uint32_t ask_pad(Nest *s, const Node *n, ValueId v, const Form *index);

#endif
