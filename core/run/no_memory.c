/*
 * no_memory.c - a run that found no memory on a device: what is given back for it, what it says.
 *
 * Input: the error of the first attempt. Output: a second attempt when other programs and earlier
 * runs held memory there; else an error that says how much the stage needs, who has most of it, and
 * what would make it less. Nothing of the stage stays on the device, so the session goes on.
 */
#include "run.h"

#include <string.h>

enum { SHOWN = 4 };

static DiagItem *no_memory_item(Diag *d)
{
    for (DiagItem *i = d->first; i; i = i->next)
        if (i->code && strcmp(i->code, "out-of-memory") == 0)
            return i;
    return NULL;
}

static int64_t room_there(const Session *s)
{
    int64_t room = 0;
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        if (!s->devices[i]->lost)
            room += s->devices[i]->driver->room(s->devices[i]);
    return room;
}

bool memory_made_free(Session *s, Diag *d)
{
    if (!no_memory_item(d) || devices_failed(s) || s->running > 1) /* it needs its kernels */
        return false;
    int64_t before = room_there(s);
    devices_settle(s);
    kernels_forget(s); /* with the places of their results, and recordings */
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        device_trim(s->devices[i]);
    return room_there(s) > before;
}

static void print_gb(StrBuf *out, int64_t bytes)
{
    sb_printf(out, "%.3f GB", (double)bytes * 1e-9);
}

static void print_largest(const Trace *t, const Peak *k, StrBuf *out)
{
    for (uint32_t i = 0; i < k->nalive && i < SHOWN; i++) {
        const Value *v = &t->values[k->alive[i].value];
        sb_printf(out, "%s%%%.*s ", i ? ", " : "", STR(v->name));
        print_gb(out, k->alive[i].bytes);
        if (v->producer == NO_NODE)
            sb_puts(out, " (input)");
        else
            sb_printf(out, " (%s)", t->nodes[v->producer].op->name);
    }
}

/* One change to the line, when the peak is lower with it. */
static void print_change(const Stage *st, const char *what, int64_t now, StrBuf *out)
{
    if (!st)
        return;
    Peak k = trace_peak(st->trace);
    if (k.most < now) {
        sb_printf(out, "; with `%s` ", what);
        print_gb(out, k.most);
    }
    peak_free(&k);
}

/* What may make it less: of a program with gradients, computing again instead of keeping. */
static void print_changes(Session *s, Program *p, int64_t now, StrBuf *out)
{
    Diag ignored = {0};
    int remat = program_find_slot(p, S("remat"));
    if (remat >= 0 && !program_slot(p, (uint32_t)remat)->on)
        print_change(program_what_if(s, p, (uint32_t)remat, true, &ignored), "pass on remat",
                     now, out);
    else if (remat >= 0)
        print_change(program_what_if_option(s, p, S("remat.memory_budget"), S("0"), &ignored),
                     "option remat.memory_budget 0", now, out);
    diag_clear(&ignored);
}

void explain_no_memory(Session *s, Program *p, const Trace *t, Diag *d)
{
    DiagItem *item = no_memory_item(d);
    if (!item)
        return;
    Peak k = trace_peak(t);
    StrBuf text = {0};
    if (item->note.n)
        sb_printf(&text, "%.*s; ", STR(item->note));
    const Stage *st = p ? stage_by_serial(p->roots, t->stage) : NULL;
    sb_printf(&text, "stage %.*s needs ", STR(st ? st->name : t->made_by));
    print_gb(&text, k.most);
    sb_puts(&text, " at most");
    if (k.nodes[k.at] != NO_NODE)
        sb_printf(&text, ", in %s", t->nodes[k.nodes[k.at]].op->name);
    sb_puts(&text, ": ");
    print_largest(t, &k, &text);
    if (p && st && trace_end_of_forward(t) != NO_NODE)
        print_changes(s, p, k.most, &text);
    diag_note(d, item, "%.*s", STR(sb_str(&text)));
    diag_help(d, item, "peak %.*s", STR(st ? st->name : S("last")));
    sb_free(&text);
    peak_free(&k);
}
