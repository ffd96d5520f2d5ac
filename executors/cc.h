/*
 * cc.h - C text to a loaded shared object: the system's C compiler, and a cache on disk.
 *
 * Input: texts of kernels, each defining a function named `kernel`. Output: addresses of functions.
 * A kernel's file is named by a hash of everything that decides its code (text without comments,
 * prelude, flags, compiler, processor), so a file that is there is right. Kernels compiled together
 * share one file under several names.
 */
#ifndef THUNDER_CC_H
#define THUNDER_CC_H

#include "exec.h"
#include "log.h"

typedef int CcFunction(void *const *in, void *const *out);

typedef struct CcKernel {
    Str text; /* given */
    char name[40];
    uint64_t hash;
    void *lib; /* results: for dlclose */
    CcFunction *fn;
    bool cached;
} CcKernel;

/* The hash of a kernel's text without its comments. */
uint64_t kernel_text_hash(Str text, uint64_t seed);
/* Path of a C compiler in the system's folders; false when there is none. */
bool cc_find(char *path, size_t size);
/* Loads n kernels, compiling those that the cache lacks: many in one file, and a file for each
 * processor at a time. */
bool cc_load(CcKernel *kernels, uint32_t n, const char *prelude, const CompileOptions *o, Diag *d);
/* Compiles those that the cache lacks and loads none; files that do not compile are passed over. */
void cc_fill_cache(CcKernel *kernels, uint32_t n, const char *prelude, const CompileOptions *o);

#endif
