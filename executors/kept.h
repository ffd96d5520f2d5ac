/*
 * kept.h - files in the folder of compiled kernels.
 *
 * Several processes use that folder at a time: a file appears whole, or not at all. One that cannot
 * be written only costs the next time.
 */
#ifndef THUNDER_KEPT_H
#define THUNDER_KEPT_H

#include "str.h"

enum { KEPT_PATH = 1024 };

/* The contents; false when there is no such file. A NUL stands behind them. */
bool kept_read(const char *path, StrBuf *out);
void kept_write(const char *path, Str data);

#endif
