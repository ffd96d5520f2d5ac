/*
 * product.h - inside gen: regions with matrix products, and what stands behind each.
 *
 * Such a region is a list of segments: a product (rows of `left` times a weight, bias added) and
 * elementwise prims of its result's shape. Rows never mix, so whoever owns some rows can go through
 * all segments. Before the first product its rows may be made by a head: statements about one row
 * at a time, such as a norm. Private to core/gen.
 */
#ifndef THUNDER_PRODUCT_H
#define THUNDER_PRODUCT_H

#include "nest.h"

enum { MAX_SEGMENTS = 64, MAX_SIDES = 8 };

typedef enum ItemKind {
    ITEM_input,  /* of the region */
    ITEM_made,   /* by a segment */
    ITEM_head,   /* made before the first product, which reads it */
    ITEM_spread, /* an input repeated over rows, or as wider floats: read where it is used */
} ItemKind;

/* How an elementwise prim of a segment reads what the segment does not make: an input of the
 * result's shape, a line of it, one number, or rows that an earlier segment made. */
typedef enum SideKind { SIDE_line, SIDE_matrix, SIDE_number, SIDE_kept } SideKind;

typedef struct Item {
    ValueId v;
    ItemKind kind;
    NodeId node;      /* that makes it */
    uint32_t segment; /* that makes it */
    uint32_t of;      /* of a spread one: what is repeated */
    uint32_t last;    /* the segment that reads it last, when that is a later one */
    bool kept;        /* whole rows of it are needed behind its segment, or before the first */
    int buffer;       /* number of the rows' place, -1 = none */
    int out;          /* number of the region's output, -1 = none */
} Item;

typedef struct Side {
    uint32_t item;
    SideKind kind;
} Side;

typedef struct Segment {
    NodeId node; /* the product */
    uint32_t left, right, result; /* items */
    int64_t n, k;
    bool columns; /* the weight is [k, n] and not [n, k] */
    uint32_t first, end; /* members: r->nodes[first .. end) */
    Side sides[MAX_SIDES]; /* that its members and its bias read */
    uint32_t nsides;
    int bias; /* item, -1 = none */
} Segment;

typedef struct Products {
    Arena arena;
    const Region *r;
    StrBuf *why;
    bool failed;
    int64_t rows;
    DType coarse; /* bf16 or f16 when no result is finer: functions need not be finer either */
    Segment segments[MAX_SEGMENTS];
    uint32_t n;
    Item *items;
    uint32_t nitems;
    Region head; /* what makes the rows of the first product; n = 0: they are an input */
    bool *in_head; /* by member of r */
    Map by_value; /* number of the item + 1 */
    ValueId inputs[MAX_REGION_INPUTS];
    uint32_t ninputs;
} Products;

/* Whether a region has a product at all: then it is for these functions. */
bool region_has_product(const Region *r);

const Type *item_type(const Products *p, uint32_t item);
DType item_dtype(const Products *p, uint32_t item);
/* The number of the parameter that an input is. */
uint32_t item_input(const Products *p, uint32_t item);

/* Names of what the members of a segment read and make: v3 (made here), a3 (kept rows), s3 (sides).
 * Appends a line for the product's result v = `sum` with its bias, and one for every member. */
void segment_print(const Products *p, uint32_t segment, const GenOptions *o, const char *sum,
                   const char *indent, StrBuf *out);

/* The functions of gen.h for such regions. */
bool products_fit(const Region *r, StrBuf *why);
bool products_cuda(const Region *r, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                   const char *symbol, GenCuda *plan, StrBuf *out, StrBuf *why);
uint32_t products_schedules(const Region *r, const GenTarget *g);

/* The only launch of a kernel and its head, up to the first statement. */
void products_open_kernel(const Products *p, const char *symbol, GenLaunch l, GenCuda *plan,
                          StrBuf *out);
/* Functions that copy to shared memory. */
void products_print_copies(StrBuf *out);
/* Of a region of one product: what its members read of inputs, for the result of `row` and `at`;
 * the stores of its results there. N is the length of a row. */
void products_print_sides(const Products *p, const char *indent, StrBuf *out);
void products_print_results(const Products *p, const char *indent, StrBuf *out);
/* Whether it is an input of the program that nothing in it writes: there before any launch. Goes
 * through the whole trace: for writing a text, not for choosing. */
bool item_is_early(const Products *p, uint32_t item);

/* band.c: one product of up to 64 rows, on tensor cores. */
bool band_fits(const Products *p, const GenTarget *g, StrBuf *why);
double band_seconds(const Products *p, const GenTarget *g);
uint32_t band_schedules(const Products *p, const GenTarget *g);
void band_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                const char *symbol, GenCuda *plan, StrBuf *out);

/* panel.c: the same by blocks that have all of K; with a head. */
bool panel_fits(const Products *p, const GenTarget *g, StrBuf *why);
double panel_seconds(const Products *p, const GenTarget *g);
uint32_t panel_schedules(const Products *p, const GenTarget *g);
void panel_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                 const char *symbol, GenCuda *plan, StrBuf *out);

/* strip.c: the same with rows in registers and no barrier before the sums. */
bool strip_fits(const Products *p, const GenTarget *g, StrBuf *why);
double strip_seconds(const Products *p, const GenTarget *g);
uint32_t strip_schedules(const Products *p, const GenTarget *g);
void strip_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                 const char *symbol, GenCuda *plan, StrBuf *out);

/* tile.c: what band.c, panel.c and strip.c share: products on tensor cores, and what stands behind
 * the product of a tile. A thread has four results side by side at a time; `place` is the text that
 * declares int i (their number in the tile / 4), row and at (of the first of them) for turn e;
 * M, N and EACH (turns) are constants. */
typedef struct TileEnd {
    const Products *p;
    const GenOptions *o;
    const char *place;
    StrBuf *out;
} TileEnd;

void tile_print_helpers(StrBuf *out);
void tile_print_cluster(StrBuf *out); /* barriers of a cluster, writes into its other blocks */
/* Asks for what the members read of inputs: those that are there before the launch before this one
 * ends, or the others. */
void tile_print_sides(const TileEnd *t, bool early);
/* The members and the stores, for float total[EACH][4]. */
void tile_print_end(const TileEnd *t);
void tile_print_indented(StrBuf *out, Str text); /* lines of a loop's body */

/* skinny.c: one product of few rows, with a weight that is read once. */
bool skinny_fits(const Products *p, const GenTarget *g, StrBuf *why);
double skinny_seconds(const Products *p, const GenTarget *g);
uint32_t skinny_schedules(const Products *p, const GenTarget *g);
void skinny_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                  const char *symbol, GenCuda *plan, StrBuf *out);

/* chain.c: all segments by one kernel whose blocks own rows. */
bool chain_fits(const Products *p, const GenTarget *g, StrBuf *why);
#define CHAIN_START 3e-6 /* seconds before the first product */
double chain_seconds(const Products *p, const GenTarget *g);
uint32_t chain_schedules(const Products *p, const GenTarget *g);
void chain_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                 const char *symbol, GenCuda *plan, StrBuf *out);

#endif
