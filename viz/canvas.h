/*
 * canvas.h - a grid of characters with colours, and lines that join where they meet.
 */
#ifndef THUNDER_CANVAS_H
#define THUNDER_CANVAS_H

#include "arena.h"

enum { NORTH = 1, EAST = 2, SOUTH = 4, WEST = 8 };

typedef struct Cell {
    uint32_t character; /* code point; 0 = blank, or the line that mask says */
    uint32_t net;       /* whose line passes here; lines of two nets cross without joining */
    uint8_t mask, ansi; /* ansi: 256-colour number, 0 = default */
    bool bold;
} Cell;

typedef struct Canvas {
    Cell *cells;
    uint32_t rows, columns;
} Canvas;

Canvas canvas_new(Arena *a, uint32_t rows, uint32_t columns);
void canvas_char(Canvas *c, uint32_t row, uint32_t column, uint32_t character, uint8_t ansi);
/* Text from column on, cut with an ellipsis so that it ends before column end. */
void canvas_text(Canvas *c, uint32_t row, uint32_t column, uint32_t end, Str text, uint8_t ansi,
                 bool bold);
/* Rows from .. end - 1, open at both ends. */
void canvas_vertical(Canvas *c, uint32_t from, uint32_t end, uint32_t column, uint32_t net,
                     uint8_t ansi);
/* Columns from .. to, both included, closed at both ends. */
void canvas_horizontal(Canvas *c, uint32_t row, uint32_t from, uint32_t to, uint32_t net,
                       uint8_t ansi);
void canvas_join(Canvas *c, uint32_t row, uint32_t column, uint8_t mask, uint32_t net,
                 uint8_t ansi);
void canvas_write(const Canvas *c, bool colour, bool ascii, StrBuf *out);

#endif
