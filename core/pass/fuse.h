/*
 * fuse.h - inside the pass fuse: its groups, and the nodes that are in none.
 *
 * Private to the pass: fuse.c joins nodes, fuse_group.c says what regions they make, fuse_pieces.c
 * and fuse_lend.c what kernels compute for themselves, fuse_across.c which of them compute for both
 * parts of a training program, fuse_write.c writes them.
 */
#ifndef THUNDER_FUSE_H
#define THUNDER_FUSE_H

#include "gen.h"
#include "rewrite.h"

enum { NO_GROUP = UINT32_MAX, MAX_CANDIDATES = 8, MAX_GROUP_NODES = 96 };

typedef struct Group {
    NodeId *nodes;
    uint32_t n, cap;
    NodeId at; /* where it stands */
    uint32_t into; /* the group that has its nodes now, when it has none */
    uint32_t epoch;
    bool read; /* by something outside */
    bool closed; /* a chain of products: nothing joins it */
    bool across; /* it computes for both parts of a training program */
    const char *executor;
    const Type *plain; /* of every value in it, when all members are elementwise; else NULL */
    uint32_t inputs; /* at most so many values are read */
} Group;

typedef struct Fuse {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Arena scratch;
    Group *groups;
    uint32_t ngroups;
    uint32_t *group_of;   /* by node */
    uint32_t *reader;     /* by value: the group that read it last */
    NodeId *made;         /* by value: the top-level node that makes it; NO_NODE = an input */
    uint32_t *use_start;  /* by value: its readers are uses[use_start[v] .. use_start[v + 1]) */
    NodeId *uses;         /* NO_NODE = the trace's output */
    bool *copies;         /* by node: a stride_order that finds its operand laid out otherwise */
    bool *shown;          /* by node: a view that stays one, for others than kernels of this pass */
    bool *lent;           /* by node: every kernel that reads it computes it for itself */
    bool *piece;          /* by node: the same from the start, and it is in no group */
    bool *late;           /* by node: only the trace's results need it, so it may stand later */
    uint32_t epoch;       /* grows where nothing may move past: writes, the end of forward */
    NodeId border;        /* the first node of the backward part; nnodes where there is none */
    uint32_t border_epoch; /* that it began; 0 = none */
    ValueId *own; /* by value: what it is called in the kernel being written, 0 = the same */
    uint32_t named;
    double min_work;      /* elements times statements that a kernel must compute */
    bool costs;           /* joins that lose more than they save are left out */
    NodeId now;
    uint32_t *readers; /* by value; made when first asked for */
    StrBuf why;
} Fuse;

ValueId fuse_value(const Fuse *f, NodeId n); /* the first that node n makes */
bool fuse_takes(const Fuse *f, NodeId n);    /* whether it may become part of a kernel */
bool fuse_is_view(const Fuse *f, NodeId n);  /* whether it moves nothing by itself */
bool fuse_on_device(const Fuse *f, const char *executor);
/* Marks the pieces: see fuse_pieces.c. */
void fuse_find_pieces(Fuse *f);

/* fuse_group.c */
void fuse_note_uses(Fuse *f);
void fuse_add_node(Fuse *f, Group *g, NodeId n);
/* What node n reads; of a piece, what that is made of. */
void fuse_each_operand(const Fuse *f, NodeId n, void (*fn)(ValueId, void *), void *user);
/* Elements that node n computes, or reads where those are more. */
double fuse_node_work(const Fuse *f, NodeId n);
/* Collects the values that groups a and b (either may be NO_GROUP) and node more (or NO_NODE) make
 * for others. */
typedef struct FuseOuts {
    Fuse *f;
    uint32_t a, b; /* groups that count as inside, with node `more` */
    NodeId more;
    ValueId *outs;
    uint32_t n, max;
} FuseOuts;
bool fuse_read_outside(const FuseOuts *o, ValueId v);
/* The region that these would make; room for nodes and outs is the caller's: 2 MAX_GROUP_NODES + 1
 * and MAX_OUTPUTS + 1. */
Region fuse_region(Fuse *f, uint32_t a, uint32_t b, NodeId more, NodeId *nodes, ValueId *outs);
/* That of a chain of products with what is lent to it: its nodes may be composites. */
Region fuse_chain_region(Fuse *f, uint32_t number, Arena *a);
uint32_t fuse_count_outs(Fuse *f, uint32_t a, uint32_t b, NodeId more);
/* Whether it is a chain of elementwise statements over one shape, with few inputs. */
bool fuse_all_plain(Fuse *f, uint32_t a, uint32_t b, NodeId more);

/* What may become one: groups a and b, or group a and node more (b = NO_GROUP). */
typedef struct FuseJoin {
    uint32_t a, b;
    NodeId more; /* or NO_NODE */
    ValueId through; /* a value that both read, or one makes for the other */
} FuseJoin;
/* fuse.c: whether one kernel can compute the join, and pays; else f->why says why not. */
bool fuse_fits(Fuse *f, const FuseJoin *j);
/* fuse_cost.c: false where one kernel computes nothing twice and keeps its loop as it is. */
bool fuse_may_lose(const Fuse *f, const FuseJoin *j, const Region *r);
/* Whether one C kernel for the join, whose region r costs `all`, takes no longer than
 * two; when not, f->why says what is lost. f->now is the node that is being placed. */
bool fuse_pays(Fuse *f, const FuseJoin *j, const Region *r, const GenCost *all);
double fuse_saved(const Fuse *f, const FuseJoin *j, ValueId v); /* bytes that v moves less then */
double fuse_amount(double bytes, const char **unit); /* as people say it: 33.6 and MB */

void fuse_across(Fuse *f); /* fuse_across.c, once all groups are made */
void fuse_lend(Fuse *f);  /* fuse_lend.c, once all groups are made */
void fuse_write(Fuse *f); /* fuse_write.c: into f->t */

#endif
