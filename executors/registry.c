/* registry.c - the table of executors.def as a list. */
#include "executors.h"

static bool usable(const Executor *e)
{
    StrBuf why = {0};
    bool good = !e->available || e->available(&why);
    sb_free(&why);
    return good;
}

void executors_default(ExecList *l)
{
    *l = (ExecList){.n = 0};
#define EXECUTOR(name, in_use)                                                                     \
    l->on[l->n] = in_use && usable(&exec_##name);                                                  \
    l->items[l->n++] = &exec_##name;
#include "executors.def"
#undef EXECUTOR
}
