/*
 * notation.h - short names for decompositions, inside core/lang.
 *
 * Each decomposition is a function DECOMPOSE(d_name) of `b` (the build) and `args` (canonical
 * order). In it ADD(x, y) stands for cl_add(b, x, y), and so on; F(1.5) and I(2) are literals.
 */
#ifndef THUNDER_NOTATION_H
#define THUNDER_NOTATION_H

#include "lang.h"
#include "torch.h"

#include <string.h>

#define DECOMPOSE(name)                                                                            \
    Arg name(Build *b __attribute__((unused)), const Arg *args __attribute__((unused)))

#define F(x)     A_FLOAT(x)
#define I(x)     A_INT(x)
#define GIVEN(x) ((x).kind != ARG_none)
/* A word that lives as long as the program. */
#define WORD(x) ((Arg){.kind = ARG_str, .n = (uint32_t)strlen(x), .s = (x)})
/* A sub-node of the torch language, in canonical order; the rest takes its defaults. */
#define CALL(name, ...)                                                                            \
    cl_call(b, "ltorch." name, (const Arg[]){__VA_ARGS__},                                         \
            (uint32_t)(sizeof((const Arg[]){__VA_ARGS__}) / sizeof(Arg)))
#define TUPLE(...)                                                                                 \
    arg_tuple(b->t, (const Arg[]){__VA_ARGS__},                                                    \
              (uint32_t)(sizeof((const Arg[]){__VA_ARGS__}) / sizeof(Arg)))
#define DIMS1(x) ((Dims){.n = 1, .v = {x}})

#define ADD(x, y)      cl_add(b, x, y)
#define SUB(x, y)      cl_sub(b, x, y)
#define MUL(x, y)      cl_mul(b, x, y)
#define DIV(x, y)      cl_true_divide(b, x, y)
#define POW(x, y)      cl_pow(b, x, y)
#define NEG(x)         cl_neg(b, x)
#define ABS(x)         cl_abs(b, x)
#define EXP(x)         cl_exp(b, x)
#define LOG(x)         cl_log(b, x)
#define LOG1P(x)       cl_log1p(b, x)
#define SQRT(x)        cl_sqrt(b, x)
#define RSQRT(x)       cl_rsqrt(b, x)
#define TANH(x)        cl_tanh(b, x)
#define ERF(x)         cl_erf(b, x)
#define SIGMOID(x)     cl_sigmoid(b, x)
#define MAX(x, y)      cl_maximum(b, x, y)
#define MIN(x, y)      cl_minimum(b, x, y)
#define WHERE(c, x, y) cl_where(b, c, x, y)
#define EQ(x, y)       cl_eq(b, x, y)
#define NE(x, y)       cl_ne(b, x, y)
#define LT(x, y)       cl_lt(b, x, y)
#define LE(x, y)       cl_le(b, x, y)
#define GT(x, y)       cl_gt(b, x, y)
#define GE(x, y)       cl_ge(b, x, y)
#define AND(x, y)      cl_logical_and(b, x, y)
#define OR(x, y)       cl_logical_or(b, x, y)
#define NOT(x)         cl_logical_not(b, x)
#define TO(x, d)       cl_to(b, x, d)

#endif
