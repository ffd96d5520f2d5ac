/*
 * vjp.h - short names for vjp rules, beside those of notation.h.
 *
 * VJP(mul) defines the rule that the gradient column of prims.def, or a row of composites.def,
 * calls "mul". In it `g` is the cotangent of the (first) result and `args` the arguments;
 * GIVE(k, x) gives argument k its share, x being emitted only when somebody wants it.
 */
#ifndef THUNDER_VJP_H
#define THUNDER_VJP_H

#include "grad.h"
#include "notation.h"

#define PI   3.14159265358979323846
#define LN2  0.69314718055994530942
#define LN10 2.30258509299404568402

#define MAY_IGNORE __attribute__((unused))
#define VJP(name)                                                                                  \
    void vjp_##name(Vjp *v MAY_IGNORE, Build *b MAY_IGNORE, const Arg *args MAY_IGNORE,            \
                    Arg g MAY_IGNORE)
#define GIVE(k, x)                                                                                 \
    do {                                                                                           \
        if (vjp_wants(v, args[k]))                                                                 \
            vjp_give(v, args[k], (x));                                                             \
    } while (0)
#define OUT (v->out)

#define PRIM(name, signature, facts, shape, kernel, gradient, ...) VjpFn vjp_##gradient;
#include "prims.def"
#undef PRIM
#define COMPOSITE(name, rule) VjpFn vjp_##rule;
#include "composites.def"
#undef COMPOSITE

#endif
