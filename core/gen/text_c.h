/*
 * text_c.h - inside the C writer: what its files share.
 *
 * text_c_shape.c chooses the shape of the loop nest, text_c.c writes the loops; text_c_points.c
 * writes the statements in them; text_c_reduce.c the accumulators, text_c_tile.c the tiles of
 * transposed operands, text_c_steps.c loops of long functions; text_c_cost.c says what all that
 * costs to run. Private to core/gen.
 */
#ifndef THUNDER_TEXT_C_H
#define THUNDER_TEXT_C_H

#include "nest.h"

enum {
    PARALLEL_FROM = 1 << 15, /* elements from which threads are worth their start */
    LEAST_LANES = 4,         /* fewer turns are unrolled rather than put into a vector */
    FEW_TURNS = 4,           /* too few turns of a loop to share among threads */
    ROWS = 8,                /* of a column that are added up before the accumulator is touched, */
    MAX_ROWS_POINTS = 96,    /* or fewer: so many statements at most */
    PARTS = 4,               /* terms of a sum that float adds up before double takes them */
    PART_LANES = 16,         /* least length of a quarter of a row for that */
    TILE = 64,               /* elements of each side of a tile that is transposed */
    LEAST_TILED = 16,        /* of the other loop, and between neighbours, that pay for one */
    TALL = 512,              /* of the rows of a stack of tiles, where they come from memory */
    PANEL_BYTES = 1 << 19,   /* of the rows of a panel: half of a second cache */
    PIECE = 256,             /* of a row, when it is written by way of a buffer: short, so that
                              * the writes of one piece and the reads of the next overlap */
    THREAD_PIECE = 2048,     /* of the columns that a thread with all rows takes at a time */
    KEEP_MOST = 4,           /* arrays of elements of a row that are kept from pass to pass */
    KEEP_BYTES = 1 << 19,    /* of all of them: half of a second cache, or less */
    STREAM_FROM = 32 << 20,  /* bytes of a region from which results go past the caches */
    STREAMED_FROM = 1 << 20, /* bytes of one of these results */
    FETCH_FROM = 1 << 10,    /* bytes of a row that is fetched while another is computed */
    FETCH_AHEAD = 12 << 10,  /* bytes between them, or a row: what memory brings while one waits */
    LINE = 64,               /* bytes of a line of the caches */
    FETCH_PASSES = 3,        /* the last passes over a row share what is fetched */
    FLIGHT_FROM = 16 << 10,  /* bytes of a row from which several rows are under way at once, */
    FLIGHT_MOST = 36 << 10,  /* and up to which */
    FLIGHT_BLOCK = 64,       /* rows that follow each other so: most, */
    FLIGHT_LEAST = 8,        /* and least */
    FLIGHT_BLOCKS = 32,      /* of them, to share among threads */
    FLIGHT_AHEAD = 8 << 10,  /* bytes of a row that are fetched before they are needed */
    STAGES = 3,              /* passes over a row then: one reads, one computes, one writes */
    FLIGHT_SLOTS = 4,        /* a power of 2 from which rows under way have places */
};

typedef struct Text {
    Nest *s;
    const GenOptions *o;
    StrBuf *out;
    StrBuf body;      /* statements of the innermost loop under way */
    StrBuf head;      /* statements before it, in the parallel loops */
    uint8_t *printed; /* by point: IN_head, IN_body */
    uint8_t *keep;    /* by point: the pass in which it is put into an array for later ones; or 0 */
    bool *step;       /* by point: it is in an array of a piece (c_print_steps) */
    uint32_t *needed; /* by point: the passes that compute it (c_choose_kept) */
    uint8_t var_printed[MAX_VARS];
    uint64_t reduced; /* mask of the reduced loops */
    bool column;      /* the last loop is parallel, others are reduced: accumulators are arrays */
    int32_t cut;      /* the loop that runs in pieces [b, b + m) with the counter j; -1 = none */
    int64_t piece;    /* its length */
    int32_t tiled;    /* another loop in pieces [bt, bt + mt) with the counter k; -1 = none */
    int64_t tall;     /* of it that goes by before the next piece of the other: some tiles */
    bool next_tiles;  /* each tile fetches a part of the next stack's */
    int32_t panel;    /* where loops are reduced: another loop in pieces [bt, bt + mt), along which
                       * operands lie that the last one strides through; -1 = none */
    int64_t panel_rows; /* the length of these pieces */
    int32_t last_reduced; /* the innermost reduced loop; -1 = none */
    int32_t together; /* a reduced loop of which some turns are one step of a column; -1 = none */
    uint32_t rows_together; /* so many */
    bool parts;       /* the pass under way adds up a few terms of sums in float first */
    bool lanes;       /* and its sums stay in PART_LANES parts from piece to piece */
    bool exps;        /* it takes exponentials of arrays, behind the loop that fills them */
    bool row_parts;   /* so do the sums across the rows, over a few rows */
    uint32_t pass;    /* over the reduced loops, under way; from 1 */
    uint32_t depth, body_depth;
    bool parallel;        /* worth threads */
    bool parallel_inside; /* the threads share the reduced loops */
    bool angles;   /* it tells when an angle is too large for the functions of the prelude */
    bool reports;  /* it tells of divisions by zero and of indices out of range */
    uint64_t loaded;   /* mask of the inputs that some statement loads */
    uint32_t streamed; /* mask of the outputs that go past the caches, by way of an array row */
    uint32_t rows;     /* those of them that the pass under way stores */
    int64_t line;      /* elements of a part of a piece that is stored by whole lines; 0 = none */
    bool early;        /* full-size results need no pass: the first one stores them */
    bool scans;        /* the body under way has a scan: its loop keeps the order */
    bool fetches;      /* later passes over a row fetch the next row, which the first one reads */
    int64_t flight;    /* rows of a block whose passes take turns, piece by piece: each pass is one
                        * row behind the pass before it; 0 = all passes of a row, then the next */
    uint32_t never;    /* a comparison with the place in the row that holds nowhere in the piece:
                        * number of the point + 1; 0 = none */
    StrBuf apart;      /* the body of pieces where it holds nowhere; empty = there is none */
    char place[24];    /* the name of what that place is compared with */
} Text;

enum { IN_head = 1, IN_body = 2 };

/* text_c_shape.c */
void c_choose_shape(Text *x, Nest *s); /* all but o, out; joins the loops of s first */
/* Which points stay in arrays over a row; needed gets, by point, the passes that compute it (bit of
 * the pass; the results are one pass behind the reductions). It is all zeros before. */
void c_choose_kept(Text *x, uint32_t *needed);
uint32_t c_passes(const Nest *s); /* over the reduced loops, until all reductions are known */
uint32_t c_loops(const Text *x, Role role, uint32_t *vars); /* of a role that run one by one */
int64_t c_region_bytes(const Nest *s); /* of inputs and results */
int32_t c_row_loop(const Text *x); /* that goes from row to row; -1 = none */
bool c_is_fetched(const Text *x, const Point *p); /* has other elements in the next row */
/* What the pass under way fetches of the next row: 1 / *share of it from *start on; false =
 * nothing. */
bool c_fetches_now(const Text *x, int64_t *start, int64_t *share);
bool c_fetches(const Text *x); /* something */
/* Whether the pass under way puts all terms of its sums into arrays first, to add them up behind
 * its loop. */
bool c_sums_apart(const Text *x);
uint32_t c_stages(const Text *x); /* passes over a row, that which stores with them */
/* Of how many rows at once a kept point has elements. */
uint32_t c_kept_rows(const Text *x, uint32_t i);

/* text_c_points.c */
void c_indent(StrBuf *b, uint32_t depth);
/* "#pragma omp WHAT": loops that all add to what the kernel reports. */
void c_pragma(const Text *x, uint32_t depth, const char *what, const char *clauses, StrBuf *b);
bool c_is_inner(const Text *x, uint64_t deps); /* belongs into the innermost loop */
bool c_is_angle(const Text *x, const Point *p);
bool c_reports(const Text *x, const Point *p);
bool c_is_exp(const Text *x, const Point *p); /* e^x, computed as a float */
void c_operand(const Text *x, uint32_t i, StrBuf *out); /* a point's name, or its number */
uint32_t c_steps(const Text *x, const Point *p); /* instructions for a vector; text_c_cost.c */
bool c_is_dear(const Text *x, const Point *p); /* takes longer to compute than to store and load */
/* Whether a point compares the place in a row with an integer that the row has; it is named. */
bool c_is_place(const Text *x, const Point *p, char name[24]);
void c_vars(Text *x, Form f);     /* derived variables of a form */
void c_point(Text *x, uint32_t i);
/* The arrays in which rows keep points from pass to pass. */
void c_declare_kept(Text *x);
/* A term of a sum. Where c_has_exps, exponentials that nothing else in the pass needs are left to
 * c_take_exps: an array gets what they are of, and they are taken of all of it at once. */
void c_term(Text *x, uint32_t i);
bool c_has_exps(const Text *x);
void c_take_exps(Text *x, uint32_t depth); /* of a piece */
void c_store(Text *x, const Store *st, StrBuf *b, uint32_t depth);
void c_element(const Text *x, const char *array, uint32_t number, Form f, StrBuf *out);
uint32_t c_input(Text *x, const Point *p); /* its number; it counts as loaded from now on */

/* text_c.c */
bool c_names_variable(const char *text, int32_t var); /* statements do, comments aside */
void c_place(const Text *x, uint32_t depth, bool indexed, StrBuf *b); /* of a piece's element j */
void c_close_loops(StrBuf *b, uint32_t depth, uint32_t n);
void c_begin_body(Text *x, bool over_reduced); /* of the innermost loop, as deep as that */
/* The body in the loop over a piece; clauses of its pragma, or NULL where it has none. */
void c_piece(Text *x, uint32_t depth, const char *clauses);

/* text_c_steps.c */
void c_print_steps(Text *x); /* arrays of what long functions come to in a piece */

/* text_c_tile.c */
/* The loop along which most operands lie that the last one strides through; -1 = there is none. */
int32_t c_tiled_loop(const Text *x, int32_t last);
void c_choose_panel(Text *x, int32_t last); /* in a shape with reduced loops */
void c_fill_panels(Text *x, uint32_t depth); /* arrays of what the panel's rows read across */
void c_panel_element(const Text *x, uint32_t i, StrBuf *out); /* of such an array, for load i */
bool c_is_tile(const Text *x, const Point *p); /* a load that is read from a tile, */
bool c_is_panel(const Text *x, const Point *p); /* or from a panel */
void c_name_next_tiles(Text *x, uint32_t depth); /* pointers to the stack that comes next */
void c_fill_tiles(Text *x, uint32_t depth);      /* arrays with tiles of transposed operands */
void c_fetch_tiles(Text *x, uint32_t depth);     /* a part of the next stack, for each row */

/* text_c_reduce.c */
bool c_keeps_order(const Point *p); /* the order of its elements decides: a float product, a scan */
void c_scan(Text *x, uint32_t i); /* its declaration, into head; a step, into body */
bool c_ends_now(const Text *x, const Point *p); /* a reduction that the pass under way makes */
bool c_adds_in_parts(const Text *x); /* the pass under way adds up the terms of sums in parts, */
/* or some pass over a row, so that what it adds up stays in lanes from piece to piece */
bool c_adds_in_lanes(Text *x, uint32_t pass);
void c_row_steps(Text *x, uint32_t depth);    /* the loop over a row or a piece that does so */
void c_column_step(Text *x, uint32_t depth);  /* some rows of a column */
bool c_has_parts(const Text *x); /* it makes sums whose terms are float and that double collects */
void c_acc(Text *x, uint32_t i);                             /* its declaration, into head */
void c_declare_ends(Text *x, uint32_t i); /* what it comes to in each row under way */
void c_update(Text *x, uint32_t i);                          /* a step, into body */
void c_update_whole(Text *x, uint32_t i); /* of a fold of what the rows come to: once a row */
void c_clause(const Text *x, uint32_t i, StrBuf *b);         /* of a pragma before the loops */
void c_end(Text *x, uint32_t i, StrBuf *b);                  /* after the loops */

#endif
