/*
 * report.h - a bug report as parts, and the two forms in which they are written.
 */
#ifndef THUNDER_REPORT_H
#define THUNDER_REPORT_H

#include "diag.h"

typedef struct Part {
    Str name;   /* of the file in the archive: "stages/3-fold.py" */
    Str title;  /* for the page */
    Str bytes;
    bool shown; /* stands in the page; otherwise it can only be taken out of it */
    bool svg;
} Part;

typedef struct Parts {
    Arena arena;
    Part *items;
    uint32_t n, cap;
} Parts;

void part_add(Parts *p, Str name, const char *title, Str bytes, bool shown); /* copies the texts */
void parts_free(Parts *p);
/* One page that needs nothing else: what is shown as text, everything as a file to take out. */
void parts_html(const Parts *p, Str title, StrBuf *out);
/* false and an error; also in a build without libzip. */
bool parts_zip(const Parts *p, Str path, Diag *d);

#endif
