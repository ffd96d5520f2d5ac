/*
 * executors.h - the executors that this build has.
 *
 * Input: executors.def. Output: lists that a session takes and edits. To add an executor: a row
 * there and a file here that defines its Executor.
 */
#ifndef THUNDER_EXECUTORS_H
#define THUNDER_EXECUTORS_H

#include "exec.h"

#define EXECUTOR(name, on) extern const Executor exec_##name;
#include "executors.def"
#undef EXECUTOR

/* Every executor of the table in order, those on that are in use by default. The same list serves
 * as the `known` list of exec_parse_list. */
void executors_default(ExecList *l);

#endif
