/*
 * devices.c - the devices that a session has opened, and who sees which copy of a tensor.
 *
 * Input: executors that work on a device, and nodes that the host runs in between. Output: opened
 * devices; operands fetched before the host looks at them. After a failure a device is opened anew:
 * programs and tensors of the host stay, what lay on the device is lost.
 */
#include "rewrite.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

OpenDevice *session_device(Session *s, const DeviceDriver *driver, Diag *d)
{
    size_t i = 0;
    for (; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        if (s->devices[i]->driver == driver)
            return s->devices[i];
    if (s->device_lost) {
        diag_help(d, diag_error(d, DIAG_device, (Span){0}, "device-lost",
                                "the GPU failed, and its driver gives this process no new context; "
                                "programs and tensors of the host are still here"),
                  "restart, or executors c,interp");
        return NULL;
    }
    if (i == MAX_OPEN_DEVICES) {
        diag_error(d, DIAG_device, (Span){0}, "no-device", "too many devices are open");
        return NULL;
    }
    SpentOn before = spent_turn(&s->spent, SPENT_driver);
    Str path = session_option(s, S("kernel.cuda_driver"), (Str){0});
    uint32_t errors = d->nerrors;
    s->devices[i] = opening_end(s, driver, path, d);
    if (!s->devices[i] && d->nerrors == errors)
        s->devices[i] = driver->open(path, d);
    spent_back(&s->spent, before);
    if (s->devices[i]) {
        s->devices[i]->limit = kernel_timeout(s);
        s->devices[i]->spent = &s->spent;
    }
    return s->devices[i];
}

void devices_free(Session *s)
{
    Diag ignored = {0};
    device_unref(opening_end(s, NULL, (Str){0}, &ignored));
    diag_clear(&ignored);
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++) {
        device_lose(s->devices[i]);
        device_unref(s->devices[i]);
        s->devices[i] = NULL;
    }
}

/* --------------------------------------------------------------------------- nodes of the host */

typedef struct Fetch {
    Tensor *const *values;
    HostUse *use;
    bool view;
} Fetch;

static void fetch(ValueId v, void *user)
{
    const Fetch *f = user;
    const Tensor *t = f->values[v];
    DeviceCopy *c = t ? t->buf->copy : NULL;
    if (!c || f->use->n == ARRAY_LEN(f->use->copies))
        return;
    if (c->valid)
        f->use->valid |= (uint64_t)1 << f->use->n;
    f->use->copies[f->use->n++] = c;
    if (!f->view)
        buffer_fetch(t->buf);
}

void host_begin(Session *s, const Trace *t, NodeId n, Tensor *const *values, HostUse *u)
{
    u->n = 0;
    u->valid = 0;
    if (!s->devices[0])
        return;
    const Node *node = &t->nodes[n];
    Fetch f = {values, u, (node->op->flags & OP_VIEW) != 0};
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    arg_each_value(all, fetch, &f);
}

void host_end(const Trace *t, NodeId n, const HostUse *u)
{
    if (u->n == 0 || (subtree_flags(t, n) & OP_IN_PLACE))
        return;
    for (uint32_t i = 0; i < u->n; i++)
        if (u->valid >> i & 1)
            u->copies[i]->valid = true;
}

/* ------------------------------------------------------------------------- nodes of a device */

typedef struct Wanted {
    const Trace *t;
    Tensor *const *values;
    Tensor **list;
    uint32_t n;
    bool *seen; /* by value */
} Wanted;

static void want(ValueId v, void *user)
{
    Wanted *w = user;
    Tensor *t = w->values[v];
    bool there = t && t->buf->copy && t->buf->copy->valid;
    if (!t || there || w->seen[v] || w->t->values[v].producer != NO_NODE)
        return;
    w->seen[v] = true;
    w->list[w->n++] = t;
}

void devices_send(Session *s, const Trace *t, Kernel *const *kernels, Tensor *const *values)
{
    OpenDevice *dev = s->devices[0];
    if (!dev || dev->held || !kernels)
        return;
    Wanted w = {t, values, run_realloc(NULL, t->ninputs * sizeof(Tensor *)), 0,
                run_realloc(NULL, t->nvalues)};
    memset(w.seen, 0, t->nvalues);
    for (NodeId n = 0; n < t->nnodes; n++) {
        if (!kernels[n] || kernels[n]->executor->device != dev->driver)
            continue;
        Arg all = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
        arg_each_value(all, want, &w);
    }
    tensors_to_device(dev, w.list, w.n);
    free(w.list);
    free(w.seen);
}

/* -------------------------------------------------------------------------------- end of a run */

bool devices_finish(Session *s, const Trace *t, Kernel *const *kernels, Diag *d)
{
    bool good = true;
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i] && good; i++) {
        OpenDevice *dev = s->devices[i];
        if (dev->held)
            return true;
        dev->limit = kernel_timeout(s);
        good = !dev->failure[0] && dev->driver->wait(dev, &s->interrupt);
        if (!good)
            diag_error(d, DIAG_device, (Span){0}, "device-failed", "%s: %s", dev->info.name,
                       dev->failure);
        else if (s->interrupt)
            diag_error(d, DIAG_interrupt, (Span){0}, "interrupted",
                       "the run was interrupted; kernels that started go on");
    }
    good = good && !(s->devices[0] && s->interrupt);
    for (NodeId n = 0; n < t->nnodes && kernels && s->devices[0] && good; n++)
        if (kernels[n] && kernels[n]->executor->check)
            good = kernels[n]->executor->check(kernels[n], d);
    s->refused = s->refused || (!good && value_refused(d));
    return good;
}

void devices_settle(Session *s)
{
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        if (!s->devices[i]->held && !s->devices[i]->failure[0])
            s->devices[i]->driver->wait(s->devices[i], &s->interrupt);
}

bool devices_failed(const Session *s)
{
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        if (s->devices[i]->failure[0])
            return true;
    return false;
}

bool devices_reopen(Session *s, bool careful)
{
    Diag d = {0};
    bool failed = devices_failed(s), good = true;
    const DeviceDriver *drivers[MAX_OPEN_DEVICES];
    size_t n = 0;
    for (; n < MAX_OPEN_DEVICES && s->devices[n]; n++) {
        drivers[n] = s->devices[n]->driver;
        good = good && !s->devices[n]->stuck;
    }
    if (failed) { /* the devices first: nothing may be asked of them when kernels are dropped */
        devices_free(s);
        kernels_forget(s);
    }
    for (size_t i = 0; i < n && good; i++) {
        OpenDevice *dev = session_device(s, drivers[i], &d);
        good = good && dev;
        if (dev)
            dev->careful = careful;
    }
    diag_clear(&d);
    s->device_lost = failed && !good;
    return good;
}

bool session_device_lost(const Session *s)
{
    return s->device_lost;
}

bool session_device_use(const Session *s, DeviceUse *out)
{
    OpenDevice *dev = s->devices[0];
    if (!dev || dev->lost)
        return false;
    int64_t room = dev->driver->room(dev);
    *out = (DeviceUse){dev->used, dev->most, dev->kept, room < 0 ? -1 : dev->room - room};
    return true;
}

uint64_t devices_moved(const Session *s)
{
    uint64_t moved = 0;
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        moved += s->devices[i]->moved;
    return moved;
}
