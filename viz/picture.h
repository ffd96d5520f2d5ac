/*
 * picture.h - what is to be drawn, before anyone decides how: items, links, clusters.
 *
 * picture_build turns a trace and the options of a drawing into a Picture: operators, inputs and
 * outputs as items in program order, values as links, opened composites as clusters; reduced to a
 * neighbourhood or to paths, marked against another stage, collapsed into groups when too large.
 * Parameters are not items: the operator that uses one names it. Everything is linear in the size
 * of the trace. The writers (dot.c, terminal.c) only read the Picture.
 */
#ifndef THUNDER_PICTURE_H
#define THUNDER_PICTURE_H

#include "viz.h"

typedef enum StyleId {
#define STYLE(name, ...) STYLE_##name,
#include "style.def"
#undef STYLE
    STYLE_COUNT,
} StyleId;

typedef struct Style {
    const char *legend;
    uint32_t facts;
    const char *fill, *line, *shape, *style;
    uint8_t ansi;
} Style;

extern const Style styles[STYLE_COUNT];

typedef enum ItemKind { ITEM_op, ITEM_input, ITEM_output, ITEM_group } ItemKind;
typedef enum Mark { MARK_none, MARK_added, MARK_removed, MARK_changed } Mark;

typedef struct MarkStyle {
    const char *sign, *legend, *line;
    uint8_t ansi;
} MarkStyle;

extern const MarkStyle mark_styles[]; /* by Mark */

typedef struct Item {
    uint8_t kind, style, mark;
    bool focus;         /* the person asked for it */
    const Trace *t;     /* trace that node and value belong to */
    NodeId node;        /* of an operator, else NO_NODE */
    ValueId value;      /* first result, the input, or what is returned; 0 = none */
    uint32_t cluster;   /* number + 1 of the innermost cluster, 0 = none */
    uint32_t number;    /* of an input or output, from 0 */
    uint32_t count;     /* of a group: items in it */
    uint32_t *counts;   /* of a group: by style */
    uint32_t marks[4];  /* of a group: by Mark */
    Str title, detail;  /* of a group */
} Item;

typedef struct Link {
    uint32_t from, to; /* items */
    ValueId value;     /* in the trace of the item `from` */
    uint32_t count;    /* values that run along it, > 1 between groups */
    uint8_t mark;
} Link;

typedef struct Cluster {
    NodeId node;     /* the composite */
    uint32_t parent; /* number + 1, 0 = none */
    uint8_t mark;
} Cluster;

typedef struct Picture {
    Arena arena;
    const Trace *t;
    Item *items;
    Link *links;
    Cluster *clusters;
    uint32_t nitems, item_cap, nlinks, link_cap, nclusters, cluster_cap;
    uint32_t nops;      /* operators in the trace that could be drawn */
    uint32_t nselected; /* operators that the options select */
    bool selected, collapsed, compared;
    const char *grouping; /* how a collapsed picture is grouped, for the note */
} Picture;

/* For each item its links, as ranges of one array. */
typedef struct Adjacency {
    uint32_t *start; /* nitems + 1 */
    uint32_t *link;  /* link numbers */
} Adjacency;

/* ngroups: how many groups a collapsed picture may have. */
void picture_build(Picture *p, const Trace *t, const GraphOptions *o, uint32_t max_items,
                   uint32_t ngroups);
void picture_free(Picture *p);

uint32_t picture_add_item(Picture *p, Item item);
void picture_add_link(Picture *p, Link link);
/* Links by their source (from) or target; memory of a. */
Adjacency picture_adjacency(const Picture *p, Arena *a, bool by_source);

void picture_mark(Picture *p, const Trace *with, const GraphOptions *o); /* diff.c */
void picture_collapse(Picture *p, uint32_t ngroups);                   /* collapse.c */
void picture_scan(Picture *p, const Trace *t, const GraphOptions *o);  /* the whole trace */

/* ------------------------------------------------------------------------------------ labels */

/* Style of an operator: that of its facts and of all it decomposes into. */
StyleId style_of(const Trace *t, NodeId n);
/* Literal arguments that differ from their defaults: "dim=-1, keepdim=True". */
void label_literals(const Trace *t, NodeId n, size_t max, StrBuf *out);
/* What a node is called: its operator, or its kernel. */
Str label_operator(const Trace *t, NodeId n);
/* The statement with short names: t5 = mul(t4, 0.5). */
void label_statement(const Trace *t, NodeId n, StrBuf *out);
/* Parameters among the arguments; calls fn for each of them. */
void each_parameter(const Trace *t, NodeId n, void (*fn)(ValueId v, void *user), void *user);
/* What a viewer shows on hovering: the statement with types, and its line in the user's model. */
void label_tooltip(const Item *item, StrBuf *out);
/* At most max characters of s (UTF-8), the rest replaced by an ellipsis. */
void label_cut(Str s, size_t max, StrBuf *out);
size_t utf8_length(Str s); /* characters */
void label_count(uint32_t n, StrBuf *out); /* 12,345 */

/* ----------------------------------------------------------------------------------- writers */

void picture_dot(const Picture *p, bool tooltips, StrBuf *out);
/* Lays out DOT text and renders it as "svg", "png" or "pdf". false after an error. */
bool graphviz_render(Str dot, const char *format, StrBuf *out, Diag *d);
void picture_note(const Picture *p, const GraphOptions *o, StrBuf *note);

#endif
