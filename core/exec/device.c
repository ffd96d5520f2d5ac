/*
 * device.c - buffers with a copy on a device: sending, fetching, giving memory back.
 *
 * Input: buffers and an opened device. Output: addresses with current elements. A copy of each side
 * is valid or not; what is asked for decides what moves. Memory given back stays with the device
 * and serves the next buffer of that size, which is safe because its queue keeps order.
 */
#include "branches.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_ALIGN = 64, DEVICE_ALIGN = 512 };

/* --------------------------------------------------------------------------------- the device */

void device_unref(OpenDevice *dev)
{
    if (!dev || --dev->refs > 0)
        return;
    device_lose(dev);
    dev->driver->close(dev);
}

bool device_fail(OpenDevice *dev, const char *fmt, ...)
{
    if (!dev->failure[0]) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(dev->failure, sizeof dev->failure, fmt, ap);
        va_end(ap);
    }
    return false;
}

static void free_things(OpenDevice *dev)
{
    for (size_t i = DEVICE_ATTACHED; i-- > 0;) {
        DeviceThing thing = dev->attached[i];
        dev->attached[i] = (DeviceThing){0};
        if (thing.key && thing.free)
            thing.free(dev, thing.thing);
    }
}

void device_lose(OpenDevice *dev)
{
    if (dev->lost && !dev->stuck)
        return;
    if (!dev->failure[0]) {
        free_things(dev);
        device_trim(dev);
    }
    dev->lost = true;
    dev->driver->abandon(dev);
    free_things(dev);
    dev->spent = NULL; /* tensors may keep dev for longer than its session lives */
}

bool device_settled(OpenDevice *dev)
{
    return !dev->careful || dev->driver->wait(dev, NULL);
}

void *device_thing(const OpenDevice *dev, const void *key)
{
    for (size_t i = 0; i < DEVICE_ATTACHED; i++)
        if (dev->attached[i].key == key)
            return dev->attached[i].thing;
    return NULL;
}

bool device_keep(OpenDevice *dev, const void *key, void *thing,
                 void (*release)(OpenDevice *dev, void *thing))
{
    for (size_t i = 0; i < DEVICE_ATTACHED; i++) {
        if (dev->attached[i].key)
            continue;
        dev->attached[i] = (DeviceThing){key, thing, release};
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------- memory */

static size_t rounded(size_t bytes)
{
    return (bytes + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
}

static bool take_new(OpenDevice *dev, size_t bytes, uint64_t *at)
{
    SpentOn before = spent_turn(dev->spent, SPENT_memory);
    bool good = dev->driver->alloc(dev, bytes, at);
    if (!good) {
        device_trim(dev);
        good = dev->driver->alloc(dev, bytes, at);
    }
    spent_back(dev->spent, before);
    return good;
}

bool device_take(OpenDevice *dev, size_t bytes, uint64_t *at)
{
    bytes = rounded(bytes ? bytes : 1);
    bool found = false;
    for (uint32_t i = dev->nspare; i-- > 0 && !found;) {
        if (dev->spare[i].bytes != bytes)
            continue;
        *at = dev->spare[i].at;
        memmove(dev->spare + i, dev->spare + i + 1, (--dev->nspare - i) * sizeof *dev->spare);
        found = true;
    }
    if (dev->lost)
        return false;
    if (!found && !take_new(dev, bytes, at))
        return false;
    dev->used += (int64_t)bytes;
    dev->most = dev->used > dev->most ? dev->used : dev->most;
    return true;
}

static void hold(DeviceHeld *h, DeviceBlock block)
{
    if (h->n == h->cap) {
        h->cap = 2 * h->cap + 16;
        h->items = mem_resize(h->items, h->cap * sizeof *h->items);
    }
    h->items[h->n++] = block;
}

void device_give(OpenDevice *dev, uint64_t at, size_t bytes)
{
    bytes = rounded(bytes ? bytes : 1);
    dev->used -= (int64_t)bytes;
    if (dev->lost)
        return;
    if (dev->held) {
        hold(dev->held, (DeviceBlock){bytes, at});
        return;
    }
    if (dev->nspare == DEVICE_SPARE) {
        dev->driver->free(dev, dev->spare[0].at);
        memmove(dev->spare, dev->spare + 1, --dev->nspare * sizeof *dev->spare);
    }
    dev->spare[dev->nspare++] = (DeviceBlock){bytes, at};
}

bool device_record(OpenDevice *dev, DeviceHeld *held)
{
    *held = (DeviceHeld){0};
    if (dev->lost || dev->held || !dev->driver->record_begin(dev))
        return false;
    dev->held = held;
    return true;
}

DeviceGraph *device_recorded(OpenDevice *dev)
{
    dev->held = NULL;
    return dev->driver->record_end(dev);
}

void device_release(OpenDevice *dev, DeviceHeld *held)
{
    for (uint32_t i = 0; i < held->n; i++) {
        dev->used += (int64_t)held->items[i].bytes; /* device_give takes it off once more */
        device_give(dev, held->items[i].at, held->items[i].bytes);
    }
    free(held->items);
    *held = (DeviceHeld){0};
}

void device_trim(OpenDevice *dev)
{
    if (dev->held) /* freeing would wait for the queue, which only records now */
        return;
    for (uint32_t i = 0; i < dev->nspare && !dev->lost; i++)
        dev->driver->free(dev, dev->spare[i].at);
    dev->nspare = 0;
}

bool device_no_memory(const OpenDevice *dev, Diag *d, int64_t bytes, const char *what)
{
    DiagItem *item = diag_error(d, DIAG_device, (Span){0}, "out-of-memory",
                                "%s has no room for the %.3f GB of %s", dev->info.name,
                                (double)bytes * 1e-9, what);
    diag_note(d, item, "%.3f GB of its %.3f GB are in use by tensors of this session",
              (double)dev->used * 1e-9, (double)dev->info.memory * 1e-9);
    diag_help(d, item, "peak");
    return false;
}

/* ------------------------------------------------------------------------------------- copies */

static void drop_copy(Buffer *b)
{
    DeviceCopy *c = b->copy;
    if (!c)
        return;
    if (c->whole)
        buffer_unref(c->whole);
    else
        device_give(c->dev, c->at, c->bytes);
    device_unref(c->dev);
    free(c);
    b->copy = NULL;
}

static DeviceCopy *new_copy(OpenDevice *dev, size_t bytes, Buffer *whole, size_t offset)
{
    DeviceCopy *c = malloc(sizeof *c);
    if (!c)
        return NULL;
    *c = (DeviceCopy){.dev = dev, .bytes = bytes, .whole = whole};
    if (whole) {
        c->at = whole->copy->at + offset;
        whole->refs++;
    } else if (!device_take(dev, bytes, &c->at)) {
        free(c);
        return NULL;
    }
    dev->refs++;
    return c;
}

Buffer *device_buffer(OpenDevice *dev, size_t bytes, Buffer *whole, size_t offset)
{
    Buffer *b = calloc(1, sizeof *b);
    DeviceCopy *c = b ? new_copy(dev, bytes, whole, offset) : NULL;
    if (!c) {
        free(b);
        return NULL;
    }
    *b = (Buffer){.refs = 1, .bytes = bytes, .copy = c, .drop_copy = drop_copy};
    return b;
}

Buffer *buffer_take_over(Buffer *b)
{
    DeviceCopy *c = b->copy;
    OpenDevice *dev = c->dev;
    if (c->whole || dev->lost || dev->held)
        return NULL;
    Buffer *taker = device_buffer(dev, b->bytes, NULL, 0);
    if (!taker)
        return NULL;
    uint64_t other = taker->copy->at;
    if (c->valid && !c->host_valid && !dev->driver->copy(dev, other, c->at, b->bytes)) {
        buffer_unref(taker);
        return NULL;
    }
    taker->copy->at = c->at;
    c->at = other;
    if (c->host_valid)
        drop_copy(b);
    return taker;
}

/* The elements of a device that failed are lost: they read as NaN, or -1. */
void buffer_fetch(Buffer *b)
{
    DeviceCopy *c = b->copy;
    if (c->host_valid)
        return;
    if (!b->data && b->bytes)
        b->data = aligned_alloc(HOST_ALIGN, (b->bytes + HOST_ALIGN - 1) / HOST_ALIGN * HOST_ALIGN);
    if (!b->data && b->bytes)
        abort();
    c->dev->moved++;
    SpentOn before = spent_turn(c->dev->spent, SPENT_fetch);
    bool good = !c->dev->lost && !c->dev->held && c->valid &&
                (b->bytes == 0 || c->dev->driver->download(c->dev, b->data, c->at, b->bytes));
    if (!good && b->bytes)
        memset(b->data, 0xff, b->bytes);
    c->host_valid = true;
    spent_back(c->dev->spent, before);
}

Tensor *device_clone(const Tensor *t)
{
    const DeviceCopy *c = t->buf->copy;
    if (!c || !c->valid || c->host_valid || c->dev->lost)
        return NULL;
    OpenDevice *dev = c->dev;
    size_t size = dtype_info[t->dtype].bytes, bytes = (size_t)tensor_numel(t) * size;
    uint64_t to = 0, from = c->at + (uint64_t)t->offset * size;
    Buffer *b = device_buffer(dev, bytes, NULL, 0);
    bool opened = branches_begin(dev); /* the host copies between statements, too */
    device_touch(dev, c->at, c->bytes, false);
    Tensor *out = b ? tensor_over(b, t->dtype, t->device, t->rank, t->shape, 0) : NULL;
    buffer_unref(b);
    bool good = out && tensor_on_device(out, dev, true, &to) &&
                (bytes == 0 ||
                 (tensor_is_contiguous(t)
                      ? dev->driver->copy(dev, to, from, bytes)
                      : dev->driver->gather(dev, to, from, size, t->rank, t->shape, t->strides)));
    if (opened)
        branches_end(dev);
    if (good)
        return out;
    tensor_unref(out);
    return NULL;
}

bool tensor_lives_on(const Tensor *t, const OpenDevice *dev)
{
    const DeviceCopy *c = t->buf->copy;
    return c && c->dev == dev && c->valid && !dev->lost;
}

static bool send(OpenDevice *dev, const DevicePiece *pieces, size_t n)
{
    SpentOn before = spent_turn(dev->spent, SPENT_send);
    dev->moved += n;
    bool good = !dev->held && dev->driver->upload(dev, pieces, n);
    spent_back(dev->spent, before);
    return good;
}

/* b's copy on dev, whatever it holds; NULL when there is no memory. */
static DeviceCopy *copy_on(Buffer *b, OpenDevice *dev)
{
    if (b->copy && b->copy->dev != dev) {
        buffer_fetch(b);
        drop_copy(b);
    }
    if (!b->copy) {
        b->copy = new_copy(dev, b->bytes, NULL, 0);
        if (!b->copy)
            return NULL;
        b->copy->host_valid = true;
        b->drop_copy = drop_copy;
    }
    return b->copy;
}

void tensors_to_device(OpenDevice *dev, Tensor *const *tensors, size_t n)
{
    DevicePiece *pieces = calloc(n + 1, sizeof *pieces);
    size_t used = 0;
    if (!pieces)
        abort();
    for (size_t i = 0; i < n && !dev->lost; i++) {
        Buffer *b = tensors[i]->buf;
        DeviceCopy *c = copy_on(b, dev);
        if (!c)
            break;
        if (!c->valid && c->host_valid && b->bytes) {
            pieces[used++] = (DevicePiece){c->at, b->data, b->bytes};
            c->valid = true;
        }
    }
    if (used && !send(dev, pieces, used))
        for (size_t i = 0; i < n; i++)
            if (tensors[i]->buf->copy && tensors[i]->buf->copy->host_valid)
                tensors[i]->buf->copy->valid = false;
    free(pieces);
}

bool tensor_on_device(Tensor *t, OpenDevice *dev, bool write, uint64_t *at)
{
    Buffer *b = t->buf;
    DeviceCopy *c = dev->lost ? NULL : copy_on(b, dev);
    if (!c)
        return false;
    bool whole = write && t->offset == 0 && tensor_is_contiguous(t) &&
                 (size_t)tensor_numel(t) * dtype_info[t->dtype].bytes == b->bytes;
    if (!c->valid && !whole && c->host_valid && b->bytes &&
        !send(dev, &(DevicePiece){c->at, b->data, b->bytes}, 1))
        return false;
    c->valid = true;
    if (write)
        c->host_valid = false;
    device_touch(dev, c->at, c->bytes, write);
    *at = c->at + (uint64_t)(t->offset * dtype_info[t->dtype].bytes);
    return true;
}
