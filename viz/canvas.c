/*
 * canvas.c - a grid of characters; see canvas.h.
 *
 * A line is a mask of directions in each cell that it passes, so corners, branches and crossings
 * come out of putting lines on top of each other. Where lines of two nets cross, the vertical one
 * is drawn through: a crossing is then never taken for a branch.
 */
#include "canvas.h"

Canvas canvas_new(Arena *a, uint32_t rows, uint32_t columns)
{
    return (Canvas){new_array(a, Cell, (size_t)rows * columns + 1), rows, columns};
}

static Cell *cell_at(Canvas *c, uint32_t row, uint32_t column)
{
    bool inside = row < c->rows && column < c->columns;
    return &c->cells[inside ? (size_t)row * c->columns + column : (size_t)c->rows * c->columns];
}

void canvas_char(Canvas *c, uint32_t row, uint32_t column, uint32_t character, uint8_t ansi)
{
    Cell *cell = cell_at(c, row, column);
    cell->character = character;
    cell->ansi = ansi;
}

/* Code point at *i of UTF-8 text; malformed bytes come out as they are. */
static uint32_t next_character(Str s, size_t *i)
{
    unsigned char first = (unsigned char)s.p[(*i)++];
    int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    uint32_t character = more ? first & (0x3Fu >> more) : first;
    while (more-- && *i < s.n && ((unsigned char)s.p[*i] & 0xC0) == 0x80)
        character = character << 6 | ((unsigned char)s.p[(*i)++] & 0x3F);
    return character < 0x20 ? ' ' : character;
}

void canvas_text(Canvas *c, uint32_t row, uint32_t column, uint32_t end, Str text, uint8_t ansi,
                 bool bold)
{
    for (size_t i = 0; i < text.n && column < end; column++) {
        uint32_t character = next_character(text, &i);
        if (column + 1 == end && i < text.n)
            character = 0x2026;
        canvas_char(c, row, column, character, ansi);
        cell_at(c, row, column)->bold = bold;
    }
}

void canvas_join(Canvas *c, uint32_t row, uint32_t column, uint8_t mask, uint32_t net,
                 uint8_t ansi)
{
    Cell *cell = cell_at(c, row, column);
    const uint8_t vertical = NORTH | SOUTH, horizontal = EAST | WEST;
    if (cell->character)
        return;
    if (cell->mask && cell->net != net) {
        if (cell->mask == vertical && mask == horizontal)
            return;
        if (cell->mask == horizontal && mask == vertical)
            cell->mask = 0;
    }
    cell->mask |= mask;
    cell->net = net;
    cell->ansi = ansi;
}

void canvas_vertical(Canvas *c, uint32_t from, uint32_t end, uint32_t column, uint32_t net,
                     uint8_t ansi)
{
    for (uint32_t row = from; row < end; row++)
        canvas_join(c, row, column, NORTH | SOUTH, net, ansi);
}

void canvas_horizontal(Canvas *c, uint32_t row, uint32_t from, uint32_t to, uint32_t net,
                       uint8_t ansi)
{
    for (uint32_t column = from; column <= to; column++) {
        uint8_t mask = (uint8_t)((column > from ? WEST : 0) | (column < to ? EAST : 0));
        canvas_join(c, row, column, mask, net, ansi);
    }
}

static uint32_t line_character(uint8_t mask)
{
    static const uint16_t characters[16] = {
        ' ',    0x2502, 0x2500, 0x2570, 0x2502, 0x2502, 0x256D, 0x251C,
        0x2500, 0x256F, 0x2500, 0x2534, 0x256E, 0x2524, 0x252C, 0x253C};
    return characters[mask & 15];
}

/* What stands for a character where only ASCII can be shown. */
static char ascii_character(uint32_t character)
{
    switch (character) {
    case 0x2502:
        return '|';
    case 0x2500:
        return '-';
    case 0x25BC:
        return 'v';
    case 0x2191:
        return '^';
    case 0x2192:
        return '>';
    case 0x2026:
    case 0x22EE:
        return '.';
    case 0x00D7:
        return 'x';
    case 0x2212:
        return '-';
    default:
        return character < 0x80 ? (char)character : character >= 0x2500 ? '+' : '?';
    }
}

static void add_utf8(uint32_t c, StrBuf *out)
{
    if (c < 0x80) {
        sb_putc(out, (char)c);
    } else if (c < 0x800) {
        sb_putc(out, (char)(0xC0 | c >> 6));
        sb_putc(out, (char)(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        sb_putc(out, (char)(0xE0 | c >> 12));
        sb_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
        sb_putc(out, (char)(0x80 | (c & 0x3F)));
    } else {
        sb_putc(out, (char)(0xF0 | (c >> 18 & 7)));
        sb_putc(out, (char)(0x80 | (c >> 12 & 0x3F)));
        sb_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
        sb_putc(out, (char)(0x80 | (c & 0x3F)));
    }
}

static void set_colour(const Cell *cell, StrBuf *out)
{
    sb_puts(out, "\033[0");
    if (cell->bold)
        sb_puts(out, ";1");
    if (cell->ansi)
        sb_printf(out, ";38;5;%u", cell->ansi);
    sb_putc(out, 'm');
}

static void write_row(const Cell *row, uint32_t columns, bool colour, bool ascii, StrBuf *out)
{
    static const Cell plain;
    const Cell *last = &plain;
    while (columns && !row[columns - 1].character && !row[columns - 1].mask)
        columns--;
    for (uint32_t i = 0; i < columns; i++) {
        const Cell *cell = &row[i];
        uint32_t c = cell->character ? cell->character : line_character(cell->mask);
        if (colour && c != ' ' && (cell->ansi != last->ansi || cell->bold != last->bold)) {
            set_colour(cell, out);
            last = cell;
        }
        if (ascii)
            sb_putc(out, ascii_character(c));
        else
            add_utf8(c, out);
    }
    sb_puts(out, last->ansi || last->bold ? "\033[0m\n" : "\n");
}

void canvas_write(const Canvas *c, bool colour, bool ascii, StrBuf *out)
{
    for (uint32_t row = 0; row < c->rows; row++)
        write_row(c->cells + (size_t)row * c->columns, c->columns, colour, ascii, out);
}
