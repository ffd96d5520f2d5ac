/*
 * memory.h - memory over time as a picture: in the terminal, and as SVG.
 */
#ifndef THUNDER_MEMORY_H
#define THUNDER_MEMORY_H

#include "session.h"

/* Where node n comes from: "model.py:12", "line 4" of the program's text, or "". */
void node_place(const Trace *t, NodeId n, StrBuf *out);
/* A chart of plain ASCII, `rows` high and at most `columns` wide, with a scale and a mark under the
 * peak. */
void peak_chart(const Peak *p, uint32_t columns, uint32_t rows, StrBuf *out);
/* The same with a tooltip for every step and the list of values alive at the peak. */
void peak_svg(const Trace *t, const Peak *p, StrBuf *out);

#endif
