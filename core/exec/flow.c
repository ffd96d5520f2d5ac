/* flow.c - two walks over a trace: one counts the readers of each value, one notes them. */
#include "flow.h"

typedef struct Walk {
    const Trace *t;
    NodeId *maker, *last; /* last: by value, who read it last */
    uint32_t *start;
    NodeId *readers; /* NULL while they are counted */
    NodeId now;
} Walk;

static void note_maker(ValueId v, void *user)
{
    Walk *w = user;
    w->maker[v] = w->now;
}

static void note_reader(ValueId v, void *user)
{
    Walk *w = user;
    if (w->last[v] == w->now || (w->now != NO_NODE && w->maker[v] == w->now))
        return;
    w->last[v] = w->now;
    if (w->readers)
        w->readers[w->start[v]++] = w->now;
    else
        w->start[v + 1]++;
}

static void each_reader(Walk *w)
{
    for (uint32_t v = 0; v < w->t->nvalues; v++)
        w->last[v] = NO_NODE - 1;
    for_top(w->t, n) {
        w->now = n;
        if (w->t->nodes[n].op->id == PRIM_python_del)
            continue;
        for (NodeId i = n; i < n + w->t->nodes[n].span; i++)
            for (uint32_t k = 0; k < w->t->nodes[i].nargs; k++)
                arg_each_value(w->t->nodes[i].args[k], note_reader, w);
    }
    w->now = NO_NODE;
    arg_each_value(w->t->output, note_reader, w);
}

void flow_init(Flow *f, const Trace *t, Arena *a)
{
    uint32_t n = t->nvalues;
    Walk w = {.t = t, .maker = new_array(a, NodeId, n), .last = new_array(a, NodeId, n)};
    w.start = new_array(a, uint32_t, n + 1);
    for (uint32_t v = 0; v < n; v++)
        w.maker[v] = NO_NODE;
    for_top(t, i) {
        w.now = i;
        arg_each_value(t->nodes[i].out, note_maker, &w);
    }
    each_reader(&w);
    for (uint32_t v = 0; v < n; v++)
        w.start[v + 1] += w.start[v];
    w.readers = new_array(a, NodeId, w.start[n] + 1);
    each_reader(&w); /* moves every start to the next one's */
    for (uint32_t v = n; v > 0; v--)
        w.start[v] = w.start[v - 1];
    w.start[0] = 0;
    *f = (Flow){.t = t, .maker = w.maker, .start = w.start, .readers = w.readers};
}
