/*
 * writes.c - which storage a run of a trace writes into.
 *
 * Input: a trace. Output: for each value whether in-place operators write into its storage, and the
 * writes that need none: where an input gets new contents as a whole, and nobody looks at the old
 * ones through another value any more, the new contents can be a tensor of their own.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static void pair_storage(const Trace *t, const Node *n, ValueId *root)
{
    ValueId in[64], out[MAX_OUTPUTS];
    Arg all = {.kind = ARG_tuple, .n = n->nargs, .items = n->args};
    uint32_t nin = arg_values(all, in, ARRAY_LEN(in)), nout = arg_values(n->out, out, MAX_OUTPUTS);
    bool each = nin == nout && nin <= ARRAY_LEN(in) && nout <= MAX_OUTPUTS;
    for (uint32_t i = 0; i < nout && i < MAX_OUTPUTS && nin; i++)
        if (t->values[out[i]].type.kind == VALUE_tensor)
            root[out[i]] = root[in[each ? i : 0]];
}

/* The value that node n writes into; 0 = it writes into none. */
static ValueId written_by(const Node *n)
{
    bool writes = (n->op->flags & OP_IN_PLACE) && n->op->language == LANG_prims && n->nargs >= 2;
    return writes && n->args[1].kind == ARG_value ? n->args[1].v : 0;
}

/* By value: the value whose storage it may share. */
static ValueId *find_roots(const Trace *t, bool *written)
{
    ValueId *root = run_realloc(NULL, t->nvalues * sizeof *root);
    for (ValueId v = 0; v < t->nvalues; v++) {
        root[v] = v;
        written[v] = false;
    }
    for (NodeId i = 0; i < t->nnodes; i++) {
        const Node *n = &t->nodes[i];
        if (n->op->language == LANG_prims && (n->op->flags & OP_VIEW))
            pair_storage(t, n, root);
        ValueId to = written_by(n);
        if (!to)
            continue;
        written[root[to]] = true;
        if (n->out.kind == ARG_value)
            root[n->out.v] = root[to];
    }
    return root;
}

bool *find_written(const Trace *t)
{
    bool *written = run_realloc(NULL, t->nvalues * sizeof *written);
    ValueId *root = find_roots(t, written);
    for (ValueId v = 1; v < t->nvalues; v++)
        written[v] = written[root[v]];
    free(root);
    return written;
}

/* -------------------------------------------------------------------- writes without storage */

/* By value: its only writer; NO_NODE where there is none, or more. */
static NodeId *find_writers(const Trace *t, const ValueId *root)
{
    NodeId *writer = run_realloc(NULL, t->nvalues * sizeof *writer);
    uint32_t *writes = memset(run_realloc(NULL, t->nvalues * sizeof *writes), 0,
                              t->nvalues * sizeof *writes);
    for (ValueId v = 0; v < t->nvalues; v++)
        writer[v] = NO_NODE;
    for (NodeId n = 0; n < t->nnodes; n++) {
        ValueId to = written_by(&t->nodes[n]);
        if (to)
            writer[root[to]] = writes[root[to]]++ ? NO_NODE : n;
    }
    free(writes);
    return writer;
}

/* Takes away the writers of what other values still show when it is written, or later. */
static void leave_shown(const Trace *t, const ValueId *root, const NodeId *last_use,
                        NodeId *writer)
{
    for (ValueId v = 1; v < t->nvalues; v++) {
        NodeId n = writer[root[v]];
        Arg out = n == NO_NODE ? (Arg){0} : t->nodes[n].out;
        if (root[v] == v || n == NO_NODE || (out.kind == ARG_value && out.v == v))
            continue;
        if (last_use[v] != NEVER_USED && last_use[v] >= n)
            writer[root[v]] = NO_NODE;
    }
}

/* Whether node n gives v all its elements, from another tensor of the same type. */
static bool gives_whole(const Trace *t, NodeId n, ValueId v, const ValueId *root)
{
    const Node *node = &t->nodes[n];
    return node->op->id == PRIM_copy_ && written_by(node) == v &&
           node->args[0].kind == ARG_value && root[node->args[0].v] != v &&
           t->values[v].type.kind == VALUE_tensor &&
           type_equal(&t->values[node->args[0].v].type, &t->values[v].type);
}

uint32_t *find_replaced(const Trace *t, const NodeId *last_use, bool *written)
{
    size_t bytes = t->nnodes * sizeof(uint32_t);
    uint32_t *replaced = memset(run_realloc(NULL, bytes + 1), 0, bytes);
    bool *storage = run_realloc(NULL, t->nvalues * sizeof *storage);
    ValueId *root = find_roots(t, storage);
    NodeId *writer = find_writers(t, root);
    leave_shown(t, root, last_use, writer);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        NodeId n = writer[t->inputs[i]];
        if (n != NO_NODE && gives_whole(t, n, t->inputs[i], root))
            replaced[n] = i + 1;
    }
    uint32_t *top = memset(run_realloc(NULL, bytes + 1), 0, bytes);
    for_top(t, n) {
        top[n] = replaced[n];
        if (top[n])
            written[t->inputs[top[n] - 1]] = false;
    }
    for (ValueId v = 1; v < t->nvalues; v++)
        written[v] = written[root[v]];
    free(replaced);
    free(root);
    free(writer);
    free(storage);
    return top;
}
