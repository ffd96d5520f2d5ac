/*
 * nest.h - inside gen: index forms, points, and the loop nest of a region.
 *
 * A form is a linear combination of loop variables. A point is a value at an index (one form a
 * dimension); the points of a region, each behind its operands, are what a loop body computes.
 * Private to core/gen.
 */
#ifndef THUNDER_NEST_H
#define THUNDER_NEST_H

#include "gen.h"

enum { MAX_LOOPS = 16, MAX_VARS = 40, MAX_POINTS = 1500 };

typedef struct Term {
    uint32_t var;
    int64_t k;
} Term;

typedef struct Form {
    int64_t c;
    uint32_t n;
    const Term *terms; /* by ascending variable, no zero factors */
} Form;

typedef enum Role { VAR_parallel, VAR_reduced, VAR_derived, VAR_loaded } Role;

/* A loop variable runs from 0 to extent - 1; a derived one is the form `of` divided by `by`; a
 * loaded one is an index that a point gives. */
typedef struct Var {
    Role role;
    int64_t extent;
    Form of;
    int64_t by;
    uint32_t point;
    bool in_range; /* of a loaded one: the point never gives an index that is out of range */
    uint64_t deps; /* loop variables that it depends on */
} Var;

static inline bool var_is_loop(const Var *v)
{
    return v->role == VAR_parallel || v->role == VAR_reduced;
}

/* A scan folds the elements up to where the reduced loops stand, which run in order. */
typedef enum PointKind {
    POINT_load,
    POINT_number,
    POINT_index,
    POINT_op,
    POINT_reduce,
    POINT_scan,
} PointKind;

/* What a reduction does with its elements. */
typedef enum Fold { FOLD_sum, FOLD_prod, FOLD_max, FOLD_min, FOLD_any, FOLD_all } Fold;

/* Steps that no prim of the region stands for: conversions, the parts of var and std, and those of
 * scatter, cat and pad (equal, select: a ? b : c, add, less), and of softmax (quotient). */
typedef enum Step {
    STEP_prim,
    STEP_scale,
    STEP_square_difference,
    STEP_sqrt,
    STEP_cast,
    STEP_equal,
    STEP_select,
    STEP_add,
    STEP_inside, /* 0 <= a < number */
    STEP_less,
    STEP_draw, /* a random number of element a; `number` is its node */
    STEP_quotient,
} Step;

typedef struct Point {
    PointKind kind;
    Step step;
    DType dtype;       /* of the value; DT_f64 inside a variance */
    ValueId v;         /* 0 = a part of a larger step */
    NodeId node;
    bool again;        /* its value has a point at another index already */
    uint32_t a[3], na; /* operands */
    Form form;         /* load: element number; index: the number */
    Arg number;        /* POINT_number; STEP_scale: the divisor as a float */
    Fold fold;
    uint64_t deps; /* loop variables that it depends on */
    uint32_t pass; /* passes over the reduced variables that come before it is known */
    bool across;   /* a fold over the parallel loops, or what depends on one: known at the end */
    bool whole;    /* such a fold of what there is once a row, or what depends on one */
    bool of_row;   /* a fold or scan along the reduced loops, or what depends on one: each row makes
                    * it, even where all make the same, and it is not there behind the rows */
} Point;

typedef struct Store {
    uint32_t out; /* number of the output */
    uint32_t point;
    Form form;
} Store;

/* A value that was asked for at an index. */
typedef struct Asked {
    uint32_t point;
    const Form *index; /* as many forms as the value has dimensions */
    const struct Asked *next;
} Asked;

typedef struct ValueSlot {
    ValueId v;
    uint32_t node;  /* number in the region + 1; 0 = made outside */
    const Asked *asked; /* the latest first */
    uint32_t input; /* number of the input + 1 */
} ValueSlot;

typedef struct Nest {
    Arena arena;
    const Region *r;
    StrBuf *why;
    bool failed;
    Var vars[MAX_VARS];
    uint32_t nvars, nloops;
    /* Row-major element number over all loops, over the parallel ones, over the reduced ones. */
    Form full, outer, across;
    bool both_ways; /* there may be folds over the parallel loops too */
    bool in_c;      /* for the C writer: see nest_build_rows */
    bool turned;    /* the reduced loops go through the results from their ends: `full` says so */
    int64_t full_numel, outer_numel, reduced_numel;
    bool reduces;
    Point *points;
    uint32_t npoints, point_cap;
    uint32_t *found; /* hash table of points that may be asked for again, + 1; 0 = empty */
    uint32_t nfound;
    Store stores[MAX_OUTPUTS];
    uint32_t nstores;
    ValueSlot *slots; /* hash table by value */
    uint32_t nslots;
    ValueId inputs[MAX_REGION_INPUTS];
    uint32_t ninputs;
} Nest;

/* false with a reason. Both ways: for writers that fold over the reduced loops and over the
 * parallel ones in one go. */
bool nest_build_both_ways(Nest *s, const Region *r, StrBuf *why);
/* The same for the C writer: where rows are reduced and a few sums across the rows are small; with
 * scans, also against the order of the results; e^(a - log(sum of e^a)) is made from the e^a that a
 * row keeps. */
bool nest_build_rows(Nest *s, const Region *r, StrBuf *why);
void nest_free(Nest *s);
bool nest_fail(Nest *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Whether the first pass over the reduced loops can write all full-size results, because none of
 * them needs what it makes: a mean loss and its gradient. */
bool nest_writes_early(const Nest *s);
/* Whether what rows come to may be folded, too: points that are `whole`. */
bool nest_has_wholes(const Nest *s);
bool nest_is_full(const Nest *s, const Store *st); /* an element for every turn of all loops */

/* What a random prim draws: numbers from a (inclusive) to b; with mean a and deviation b; integers
 * from low on. false when that is not known. */
typedef struct Draw {
    double a, b;
    int64_t low;
    uint64_t range; /* of integers; 0 = 2^64 */
    uint64_t seed, offset;
} Draw;
bool nest_draw(const Trace *t, const Node *n, Draw *out);

/* Whether it is a function of an angle that C computes quickly for angles of moderate size only. */
bool nest_is_angle(const Nest *s, const Point *p);
/* Whether it is a - amax(a): never above 0, but NaN where there is one, or infinities. */
bool nest_is_shifted(const Nest *s, uint32_t point);
/* over.c: whether the plan puts input number i over a result, or result number i over an input. */
bool nest_input_is_under(const Nest *s, uint32_t input);
bool nest_result_is_over(const Nest *s, uint32_t result);
/* Whether a load must be done before the last pass over a row, since it reads another element of
 * the row than the one that the plan has written over it. */
bool nest_is_read_early(const Nest *s, uint32_t point);

/* nest_dims.c: the known ints of an argument; which of `rank` dimensions it names; the index at
 * which a prim that moves elements reads its operand. */
bool nest_ints(Nest *s, Arg a, int64_t *out, uint32_t n);
bool nest_in_dims(Nest *s, Arg a, uint32_t rank, bool *mask);
const Form *nest_moved_index(Nest *s, const Node *n, const Type *from, const Type *to,
                             const Form *index);

/* form.c */
Form form_const(int64_t c);
Form form_var(Nest *s, uint32_t var);
Form form_add(Nest *s, Form a, Form b, int64_t times); /* a + times b */
int64_t form_factor(Form f, uint32_t var); /* of a variable; 0 when it is not there */
bool form_equal(Form a, Form b);
uint64_t form_deps(const Nest *s, Form f);
uint32_t nest_add_var(Nest *s, Role role, int64_t extent); /* a loop */
/* The index below extent that point gives. */
Form form_loaded(Nest *s, uint32_t point, int64_t extent);
Form form_linear(Nest *s, const Form *index, const Type *type);   /* row-major element number */
const Form *form_unravel(Nest *s, Form linear, const Type *type); /* the index of an element */
void form_print(const Nest *s, Form f, StrBuf *out);
/* Joins neighbouring loops that every access goes through as if they were one. */
void nest_merge_loops(Nest *s);

/* expr.c */
DType expr_dtype(const Trace *t, const Node *n); /* that the operands are taken in */
typedef enum Dialect { DIALECT_c, DIALECT_cuda } Dialect; /* columns of prims.def */
/* Whether gen knows the elementwise prim for operands of this dtype. */
bool expr_has(const Op *op, DType in, StrBuf *why);
/* The expression of an elementwise prim; args name its operands, taken in c_type(in). */
void expr_print(Dialect dialect, const Op *op, DType in, const char *const *args, StrBuf *out);
/* A power that a few multiplications give; false for others. */
bool expr_print_power(double exponent, const char *base, StrBuf *out);
const char *c_type(DType d);    /* of a local variable: float for f32 and what is narrow */
bool c_is_narrow(DType d);      /* a float of 8 or 16 bits: round_NAME of the preludes makes one */
const char *c_storage(DType d); /* of an element in memory; NULL = none */
void number_print(Arg number, DType d, StrBuf *out);
/* A step that both languages write alike; false for the others. args name its operands. */
bool step_print(const Trace *t, const Point *p, const char *const *args, StrBuf *out);

#endif
