/*
 * viz.h - traces as pictures: Graphviz files, and layers drawn in the terminal.
 */
#ifndef THUNDER_VIZ_H
#define THUNDER_VIZ_H

#include "session.h"

typedef struct GraphOptions {
    uint32_t max_nodes;   /* above this the collapsed view is drawn; 0 = 2000, terminal 160 */
    int depth;            /* 0 = top-level nodes, 1 = composites as clusters of their sub-nodes */
    ValueId around;       /* neighbourhood of this value, width steps each way; 0 = off */
    uint32_t width;
    ValueId path_from, path_to; /* only what lies on paths between the two; 0 = off */
    const Trace *diff_with;     /* colour what this other stage does not have; NULL = off */
    bool ascii;           /* terminal: no character beyond ASCII */
} GraphOptions;

/* Writes path in the format of its ending (.svg .png .pdf .dot .gv). note says what a person should
 * know: how many nodes, whether collapsed. false after an error: no layout engine, unwritable
 * file. */
bool graph_write(const Trace *t, const GraphOptions *o, const char *path, StrBuf *note, Diag *d);
bool graph_is_picture(Str path); /* has one of those endings */
/* The graph in layers, for `columns` columns; colour uses ANSI sequences. Operators that follow one
 * another without branching share a box; parameters are not drawn, the statements name them. */
void graph_terminal(const Trace *t, const GraphOptions *o, uint32_t columns, bool colour,
                    StrBuf *out, StrBuf *note);

/* A name for people, at most max characters: L_self_modules_fc_parameters_weight_ is fc.weight. */
void label_name(Str name, size_t max, StrBuf *out);
void label_type(const Trace *t, ValueId v, StrBuf *out); /* f32[4, 8]; device unless cpu */

#endif
