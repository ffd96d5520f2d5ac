/*
 * roofline.h - the statements of a profile under the ceilings of this machine.
 *
 * Along: operations a byte. Up: operations a second. A statement under the slope waits for memory,
 * one under the flat part for arithmetic; how far below it lies is what could be gained.
 */
#ifndef THUNDER_ROOFLINE_H
#define THUNDER_ROOFLINE_H

#include "session.h"

/* The operators of statement n: "exp+mul+sum", at most `most` of them. */
void statement_ops(const Trace *t, NodeId n, uint32_t most, StrBuf *out);
/* A chart of plain ASCII: letters are the statements that take longest, in that order. */
void roofline_chart(const Profile *p, uint32_t columns, uint32_t rows, StrBuf *out);
/* The same as SVG, with circles as large as the time they stand for, and tooltips. */
void roofline_svg(const Profile *p, StrBuf *out);

#endif
