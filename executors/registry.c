/* registry.c - the table of executors.def as a list. */
#include "executors.h"

void executors_default(ExecList *l)
{
    *l = (ExecList){.n = 0};
#define EXECUTOR(name, in_use)                                                                     \
    l->on[l->n] = in_use;                                                                          \
    l->items[l->n++] = &exec_##name;
#include "executors.def"
#undef EXECUTOR
}
