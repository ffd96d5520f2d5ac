/*
 * cuda.h - inside gen: how the loops of a nest are laid over blocks and threads.
 *
 * The loops fall into two spaces. Along the *line* neighbouring elements lie side by side in
 * memory: its last loop is taken V elements (one chunk) at a time by neighbouring threads. The
 * *rows* are the other loops. A row kernel reduces over the line, a column kernel over the rows, a
 * map over neither. Private to the CUDA writer.
 */
#ifndef THUNDER_CUDA_H
#define THUNDER_CUDA_H

#include "nest.h"

/* MAP: no reduction. ROW: threads share a line and fold it. COLUMN: threads own chunks of the line
 * and fold the rows. COMBINE: folds what blocks of an earlier launch left in scratch memory. */
typedef enum CudaShape { CUDA_map, CUDA_row, CUDA_column, CUDA_combine } CudaShape;

/* Where a row waits between passes. */
typedef enum CudaKeep { KEEP_registers, KEEP_shared, KEEP_nothing } CudaKeep;

typedef struct CudaPlan {
    CudaShape shape;
    uint32_t vector;  /* V: elements of a chunk */
    uint32_t threads; /* of a block */
    uint32_t group;   /* row: threads of one row; column: threads along the line */
    uint32_t chunks;  /* that a thread has at once; 0 = a loop over chunks, however many */
    CudaKeep keep;
    uint32_t cluster; /* row: blocks that keep a part each, and fold together; 0 = 1 */
    uint32_t splits;  /* blocks that share one fold; more than 1 = a later launch folds theirs */
    bool staged;      /* every pass is a launch of its own */
    bool ticket;      /* but the block that comes last folds what the others left */
    uint32_t deep;    /* row: rows that a group has under way at once, one behind the other */
    uint32_t rows;    /* rows that are also folded across: how many are under way at once */
    uint32_t blocks;  /* rows that are also folded across: blocks that go through all rows */
    uint32_t together; /* the same: rows that share barriers; less than 2 = none do */
    uint32_t resident; /* the same, and columns: blocks on a multiprocessor at once, at least */
    uint32_t ring;    /* rows (or tiles of columns) that are in shared memory or on their way there;
                       * 0 = they are read into registers */
    int32_t other;    /* map, column: the loop along which some inputs lie side by side, when it is
                       * not the loop of chunks: those are turned around in shared memory; -1 */
    bool by_rows;     /* map: a thread keeps its place in the line and goes through rows */
} CudaPlan;

typedef struct Cuda {
    Nest *s;
    const GenOptions *o;
    const GenTarget *g;
    const char *symbol;
    GenCuda *launches;
    StrBuf *out;
    CudaPlan plan;
    int32_t w; /* the loop taken in chunks; -1 = every loop has one turn */
    uint32_t line[MAX_LOOPS], nline, rows[MAX_LOOPS], nrows; /* loops, outermost first */
    int64_t line_chunks, row_count;
    uint64_t line_mask, row_mask;
    Form outer, across; /* number of a result of a reduction, of one over the rows */
    uint32_t passes;
    bool by_warp; /* rows are for a function that a warp calls: plan_row gives each a warp */
    bool early; /* full-size results need no fold: the first pass writes them */
    bool wide_index;  /* an element number needs 64 bits */
    uint32_t nacross; /* folds over the rows of a row kernel */
    bool wholes;      /* there are folds of what all rows come to */
    bool full_stores; /* some output has an element for every turn of all loops */
    uint32_t *online; /* by reduce point, + 1: the fold that both are made with in one pass, though
                       * one needs the other; 0 = none */
    uint8_t *needed;  /* by point: some output depends on it */
    uint8_t *dtypes;  /* by point: DType that it is computed in */
    uint8_t *coarse;  /* by point: the narrowest float that its value is rounded to; 0 = none */
    int64_t *place;   /* by reduce point: offset of its results in scratch memory */
    int64_t *parts;   /* the same of what single blocks left, or rows for a fold of everything */

    /* Of the kernel under way. */
    CudaShape shape;
    uint32_t vector;
    uint64_t inner;       /* loops that change inside the loop over chunks */
    uint32_t pass;        /* results of earlier passes are in scratch memory; 0 = none are */
    StrBuf head, chunk, element, after;
    uint8_t *printed;     /* by point */
    uint8_t *elements;    /* by point: it differs within a chunk */
    uint8_t var_printed[MAX_VARS];
    uint8_t *kept;        /* by load: it waits in registers or shared memory */
    uint8_t *turned;      /* by load: it is turned around in a tile of shared memory */
    uint8_t *stays;       /* by load: every row has the same; registers keep it from row to row */
    bool ragged;          /* some threads stand at the last chunk without being `live` */
    const char *kept_now; /* the place of a kept chunk inside the loop under way; NULL = none */
    char kept_at[48];     /* that place, where it is longer than a name */
    int64_t pool;         /* bytes of dynamic shared memory so far */
    char keep_letter;     /* first letter of what is kept, as cuda_print_keep writes it */
    uint32_t depth, inner_depth;
    const struct Turns *turns; /* of the pass under way */
} Cuda;

/* cuda_plan.c */
/* Some step on the way to the number of an element may not fit into 32 bits. */
bool cuda_is_wide_form(const Cuda *x, Form f);
void cuda_choose(Cuda *x, uint32_t schedule);
void cuda_choose_map(Cuda *x); /* of the last launch of a staged plan */
uint32_t cuda_count_schedules(const Cuda *x);
uint32_t cuda_tile_chunks(const Cuda *x); /* along each side of a tile */
int64_t cuda_keep_bytes(const Cuda *x); /* of a chunk of everything that is kept */

/* cuda_tiles.c */
int64_t cuda_tile_blocks(const Cuda *x); /* of columns: tiles that do not share a fold, */
int64_t cuda_tile_turns(const Cuda *x);  /* and that do */
void cuda_print_tiles(Cuda *x);          /* a map with inputs that are turned */
void cuda_print_column_tiles(Cuda *x, uint32_t pass);
void cuda_open_tile_turns(Cuda *x);

/* cuda_points.c */
const char *cuda_storage(DType d); /* of an element in memory; NULL = none */
void cuda_find_dtypes(Cuda *x);    /* that each point is computed in */
/* Which points are only needed as exactly as bf16 or f16 hold them. */
void cuda_find_coarse(Cuda *x);
void cuda_find_elements(Cuda *x);  /* which points differ within a chunk, in this kernel */
/* How far the number of the element moves within a chunk, in *step; false when irregularly. */
bool cuda_step(const Cuda *x, Form f, int64_t *step);
bool cuda_is_vector(const Cuda *x, Form f); /* a chunk is one aligned access */
/* A load whose elements are a few apart, or backwards: they come from aligned accesses, too. */
bool cuda_is_window(const Cuda *x, uint32_t point);
/* The number of an element: of the first of the chunk, or of element j. */
void cuda_print_form(const Cuda *x, Form f, bool element, StrBuf *b);
void cuda_begin_body(Cuda *x); /* forgets what stands inside the loop over chunks */
uint32_t cuda_input_number(const Cuda *x, uint32_t point); /* that a load reads */
void cuda_print_point(Cuda *x, uint32_t point);
void cuda_print_store(Cuda *x, uint32_t store);
/* What the fold of everything `point` takes of a row, into scratch memory. */
void cuda_print_whole(Cuda *x, uint32_t point);
/* Reads a load into "aN[place]" (a = x->keep_letter), from where the bodies take it. */
void cuda_print_keep(Cuda *x, uint32_t point, const char *place, bool async);
void cuda_flush_head(Cuda *x);
/* Writes chunk and element statements, inside the braces of the loop over chunks. */
void cuda_flush_body(Cuda *x);
const char *cuda_acc_type(const Cuda *x, uint32_t point);
const char *cuda_acc_at(const Cuda *x, uint32_t point); /* the index behind its name */
const char *cuda_fold(const Point *p);
bool cuda_is_softmax_term(const Cuda *x, uint32_t point); /* exp(a - amax(a)) */
void cuda_print_start(const Cuda *x, uint32_t point, StrBuf *b);
void cuda_print_update(Cuda *x, uint32_t point);

/* text_cuda.c */
/* Begins a kernel whose loop over chunks changes the loops in `inner`. */
void cuda_begin_shape(Cuda *x, CudaShape shape, uint64_t inner, uint32_t pass);
/* A function `void NAME(in..., out0, int *error)` with which a warp computes one row
 * of the region's only result; pointers to matrices are to that row. false with a reason; out NULL
 * = only whether. */
bool cuda_rows_function(const Region *r, const GenOptions *o, const GenTarget *g, const char *name,
                        StrBuf *out, StrBuf *why);

/* cuda_online.c: folds that need another one, in the same pass */
void cuda_find_online(Cuda *x); /* behind cuda_choose */
bool cuda_is_online_second(const Cuda *x, uint32_t point);
/* What a thread has of it besides accumulators. */
void cuda_print_online_state(Cuda *x, uint32_t point);
/* What fold `point`, and the one that it needs, take of an element. */
void cuda_print_folded(Cuda *x, uint32_t point);
/* Takes an element into fold `point` and the one that it needs. */
void cuda_print_online(Cuda *x, uint32_t point, StrBuf *b, uint32_t depth);
/* Before the first folds of all threads are made, and behind that, before the second ones are. */
void cuda_write_own_firsts(Cuda *x, uint32_t pass);
void cuda_write_online_scales(Cuda *x, uint32_t pass);
/* A loop over the parts of blocks: what they come to, once that of the first fold is known. `p`
 * is the plan that the parts were made by, in rows of `results`; every ty-th is this thread's. */
void cuda_write_online_parts(Cuda *x, uint32_t point, const CudaPlan *p, int64_t results,
                             uint32_t ty);

/* cuda_body.c */
typedef enum Parts { PARTS_none, PARTS_pass, PARTS_across } Parts;

/* How a loop over chunks is written: `number` runs from `start` in steps to below `count`. */
typedef struct Turns {
    char number[8], start[96];
    int64_t step, count;
    uint32_t chunks;    /* 0 = a loop to the end */
    bool always_checked; /* every turn may be behind the end, not only the last */
    const uint32_t *loops;
    uint32_t nloops;
    bool are_chunks;
} Turns;

/* A line of text, as deep as x->depth. */
void cuda_line(Cuda *x, const char *fmt, ...) PRINTF_LIKE(2, 3);
const char *cuda_index_type(const Cuda *x);
int64_t cuda_ceil_div(int64_t a, int64_t b);
/* Opens a kernel of that many blocks. Blocks that go through all rows are all there at once. */
void cuda_open_kernel(Cuda *x, const char *what, uint32_t threads, int64_t gx, int64_t gy);
void cuda_close_kernel(Cuda *x);
/* The loop variables of element (or chunk) `number` of a space. */
void cuda_print_places(Cuda *x, const char *number, const uint32_t *loops, uint32_t n,
                         bool chunks, StrBuf *b, uint32_t depth);
/* Scratch memory as arrays: results of passes, parts of single blocks. */
void cuda_print_scratch(Cuda *x, uint32_t pass, bool results, Parts parts);
void cuda_open_turns(Cuda *x, const Turns *t);
void cuda_start_body(Cuda *x);
/* Reads what is kept: before the first pass, or a row ahead under another letter. */
void cuda_write_reads(Cuda *x, const Turns *t, const char *place, bool shared, char letter);
void cuda_print_kept_registers(Cuda *x, char letter);
/* What follows is done for each of the rows that are taken together, of those with that number. */
void cuda_open_rows(Cuda *x, const char *number);
void cuda_close_rows(Cuda *x);
/* Reads what stays in registers for all rows. */
void cuda_write_lines(Cuda *x, const Turns *t);
void cuda_write_keep(Cuda *x, const Turns *t);
/* Whether point i is a reduction that this pass makes, or one over the rows. */
bool cuda_is_made(const Cuda *x, uint32_t i, uint32_t pass);
bool cuda_is_across(const Cuda *x, uint32_t i);
/* Or a fold of what all rows come to, which a launch of its own makes behind the others. */
bool cuda_is_whole(const Cuda *x, uint32_t i);
void cuda_print_acc(Cuda *x, uint32_t i);
/* What the threads of a group have becomes what the group has. */
void cuda_print_fold(Cuda *x, uint32_t i);
void cuda_write_pass(Cuda *x, const Turns *t, uint32_t pass);
void cuda_write_full_stores(Cuda *x, const Turns *t);
/* Stores of what there is once for a fold, by one thread of the group: of rows (with what the folds
 * of everything take of a row, into scratch memory), of those across rows, of everything. */
typedef enum Outer { OUTER_rows, OUTER_across, OUTER_whole } Outer;
void cuda_write_outer_stores(Cuda *x, const char *who, Outer which);
/* What one block of several has folded, for the launch that folds theirs. */
void cuda_write_parts(Cuda *x, uint32_t pass, const char *who);
/* The same, for the block of them that comes last: it goes on with the folds of all. */
void cuda_write_last(Cuda *x, uint32_t pass); /* of columns */
void cuda_write_last_row(Cuda *x, uint32_t pass);

#endif
