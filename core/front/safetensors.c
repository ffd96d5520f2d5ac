/*
 * safetensors.c - reading and writing .safetensors files.
 *
 * Input: a file (mapped, never copied) or bytes. Output: views of its tensors. The format: 8 bytes
 * with the length of the header (little endian), the header in JSON, the data. Whatever the header
 * says is checked against the file before it is believed: sizes, shapes, and that the tensors cover
 * the data exactly, without holes or overlap.
 */
#define _POSIX_C_SOURCE 200809L

#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH_BYTES = 8, MAX_HEADER = 100000000 };

static bool refuse(Diag *d, Str file, const char *fmt, ...) PRINTF_LIKE(3, 4);

static bool refuse(Diag *d, Str file, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    DiagItem *item = diag_vadd(d, SEV_error, DIAG_load, (Span){0}, "bad-safetensors", fmt, ap);
    va_end(ap);
    diag_where(d, item, "%.*s", STR(file));
    return false;
}

/* -------------------------------------------------------------------------------------- header */

typedef struct Entry {
    TensorView view;
    int64_t begin, end; /* of its bytes in the data */
} Entry;

typedef struct Reader {
    Json j;
    SafeTensors *st;
    Entry *entries;
    uint32_t n, cap;
    uint64_t data_bytes;
} Reader;

static bool read_dtype(Reader *r, TensorView *v)
{
    Str name;
    if (!json_string(&r->j, &r->st->arena, &name))
        return false;
    for (int d = 0; d < DT_COUNT; d++)
        if (str_is(name, dtype_info[d].safetensors)) {
            v->dtype = (DType)d;
            return true;
        }
    return json_fail(&r->j, "dtype '%.*s' is not supported", STR(name));
}

static bool read_shape(Reader *r, TensorView *v)
{
    int64_t shape[MAX_RANK];
    uint32_t n = 0;
    if (!json_take(&r->j, '['))
        return false;
    while (!json_accept(&r->j, ']')) {
        if (n && !json_take(&r->j, ','))
            return false;
        if (n == MAX_RANK)
            return json_fail(&r->j, "more than %d dimensions", MAX_RANK);
        if (!json_size(&r->j, &shape[n++]))
            return false;
    }
    v->rank = n;
    v->shape = arena_copy(&r->st->arena, shape, n * sizeof *shape);
    return true;
}

static bool read_offsets(Reader *r, Entry *e)
{
    return json_take(&r->j, '[') && json_size(&r->j, &e->begin) && json_take(&r->j, ',') &&
           json_size(&r->j, &e->end) && json_take(&r->j, ']');
}

/* {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, in any order, each once. */
static bool read_entry(Reader *r, Entry *e)
{
    static const char *const fields[] = {"dtype", "shape", "data_offsets"};
    uint32_t seen = 0;
    if (!json_take(&r->j, '{'))
        return false;
    for (uint32_t i = 0; i < ARRAY_LEN(fields); i++) {
        Str key;
        uint32_t k = 0;
        if ((i && !json_take(&r->j, ',')) || !json_key(&r->j, &r->st->arena, &key))
            return false;
        while (k < ARRAY_LEN(fields) && !str_is(key, fields[k]))
            k++;
        if (k == ARRAY_LEN(fields) || (seen & 1u << k))
            return json_fail(&r->j, "key '%.*s' is %s", STR(key),
                             k == ARRAY_LEN(fields) ? "unknown" : "there twice");
        seen |= 1u << k;
        bool ok = k == 0   ? read_dtype(r, &e->view)
                  : k == 1 ? read_shape(r, &e->view)
                           : read_offsets(r, e);
        if (!ok)
            return false;
    }
    return json_take(&r->j, '}');
}

static bool skip_metadata(Reader *r)
{
    Map keys = {0};
    bool ok = json_take(&r->j, '{'), fresh = true;
    for (uint32_t i = 0; ok && !json_accept(&r->j, '}'); i++) {
        Str key, value;
        ok = (i == 0 || json_take(&r->j, ',')) && json_key(&r->j, &r->st->arena, &key) &&
             json_string(&r->j, &r->st->arena, &value);
        if (ok)
            map_put(&keys, key, &fresh);
        if (ok && !fresh)
            ok = json_fail(&r->j, "metadata key '%.*s' is there twice", STR(key));
    }
    map_free(&keys);
    return ok;
}

static bool fits(Reader *r, const Entry *e)
{
    int64_t bytes = dtype_info[e->view.dtype].bytes;
    for (uint32_t i = 0; i < e->view.rank; i++)
        if (__builtin_mul_overflow(bytes, e->view.shape[i], &bytes))
            return json_fail(&r->j, "tensor '%.*s' is too large", STR(e->view.name));
    if (e->begin > e->end || (uint64_t)e->end > r->data_bytes)
        return json_fail(&r->j, "tensor '%.*s' lies outside of the file", STR(e->view.name));
    if (e->end - e->begin != bytes)
        return json_fail(&r->j, "tensor '%.*s' needs %lld byte%s but has %lld", STR(e->view.name),
                         (long long)bytes, plural(bytes), (long long)(e->end - e->begin));
    return true;
}

static bool read_tensor(Reader *r, Str name)
{
    bool fresh;
    map_put(&r->st->by_name, name, &fresh);
    if (!fresh)
        return json_fail(&r->j, "tensor '%.*s' is there twice", STR(name));
    Entry e = {.view.name = name};
    if (!read_entry(r, &e) || !fits(r, &e))
        return false;
    e.view.bytes = (size_t)(e.end - e.begin);
    if (r->n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 64;
        r->entries = mem_resize(r->entries, r->cap * sizeof *r->entries);
    }
    r->entries[r->n++] = e;
    return true;
}

static bool read_header(Reader *r)
{
    bool metadata = false;
    if (!json_take(&r->j, '{'))
        return false;
    for (uint32_t i = 0; !json_accept(&r->j, '}'); i++) {
        Str key;
        if ((i && !json_take(&r->j, ',')) || !json_key(&r->j, &r->st->arena, &key))
            return false;
        if (!str_is(key, "__metadata__")) {
            if (!read_tensor(r, key))
                return false;
            continue;
        }
        if (metadata)
            return json_fail(&r->j, "__metadata__ is there twice");
        metadata = true;
        if (!skip_metadata(r))
            return false;
    }
    return json_end(&r->j);
}

static int by_position(const void *a, const void *b)
{
    const Entry *x = *(const Entry *const *)a, *y = *(const Entry *const *)b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The tensors, in order of their data, follow one another from the first byte to the last. */
static bool covers_data(Reader *r)
{
    const Entry **sorted = malloc((r->n + 1) * sizeof *sorted);
    int64_t at = 0;
    bool ok = true;
    if (!sorted)
        abort();
    for (uint32_t i = 0; i < r->n; i++)
        sorted[i] = &r->entries[i];
    if (r->n)
        qsort(sorted, r->n, sizeof *sorted, by_position);
    for (uint32_t i = 0; i < r->n && ok; i++) {
        if (sorted[i]->begin != at)
            ok = json_fail(&r->j, "tensor '%.*s' %s the data before it", STR(sorted[i]->view.name),
                           sorted[i]->begin < at ? "overlaps" : "leaves a hole after");
        at = sorted[i]->end;
    }
    free(sorted);
    if (ok && (uint64_t)at != r->data_bytes)
        ok = json_fail(&r->j, "%llu bytes at the end belong to no tensor",
                       (unsigned long long)(r->data_bytes - (uint64_t)at));
    return ok;
}

static void keep_views(Reader *r, const char *data)
{
    SafeTensors *st = r->st;
    TensorView *items = new_array(&st->arena, TensorView, r->n);
    for (uint32_t i = 0; i < r->n; i++) {
        items[i] = r->entries[i].view;
        items[i].data = data + r->entries[i].begin;
        map_get(&st->by_name, items[i].name)->cp = &items[i];
    }
    st->items = items;
    st->n = r->n;
}

static uint64_t read_length(const unsigned char *p)
{
    uint64_t n = 0;
    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        n = n << 8 | p[i];
    return n;
}

static void forget(SafeTensors *st)
{
    map_free(&st->by_name);
    arena_free(&st->arena);
    if (st->mapping)
        munmap(st->mapping, st->mapping_bytes);
    *st = (SafeTensors){0};
}

bool safetensors_parse(SafeTensors *st, const void *bytes, size_t n, Str file_name, Diag *d)
{
    *st = (SafeTensors){0};
    if (n < LENGTH_BYTES + 2)
        return refuse(d, file_name, "too short for a safetensors file: %zu bytes", n);
    uint64_t length = read_length(bytes);
    if (length < 2 || length > MAX_HEADER || length > n - LENGTH_BYTES)
        return refuse(d, file_name, "no safetensors file: its header would have %llu bytes of %zu",
                      (unsigned long long)length, n);
    const char *header = (const char *)bytes + LENGTH_BYTES;
    Reader r = {.st = st, .data_bytes = n - LENGTH_BYTES - length};
    json_init(&r.j, (Str){header, (size_t)length});
    bool ok = (*header == '{' || json_fail(&r.j, "the header does not start with '{'")) &&
              read_header(&r) && covers_data(&r);
    if (ok)
        keep_views(&r, header + length);
    else
        refuse(d, file_name, "%s", sb_cstr(&r.j.error));
    sb_free(&r.j.error);
    free(r.entries);
    if (!ok)
        forget(st);
    return ok;
}

/* ---------------------------------------------------------------------------------------- files */

static bool refuse_file(Diag *d, const char *path, int error)
{
    DiagItem *item =
        diag_error(d, DIAG_load, (Span){0}, "no-file", "cannot read %s: %s", path, strerror(error));
    diag_help(d, item, "!ls");
    return false;
}

bool safetensors_open(SafeTensors *st, const char *path, Diag *d)
{
    struct stat info;
    *st = (SafeTensors){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return refuse_file(d, path, errno);
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return refuse(d, str_from(path), "not a regular file");
    }
    size_t n = (size_t)info.st_size;
    void *mapping = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    int error = errno;
    close(fd);
    if (mapping == MAP_FAILED)
        return refuse_file(d, path, error);
    if (!safetensors_parse(st, mapping, n, str_from(path), d)) {
        if (mapping)
            munmap(mapping, n);
        return false;
    }
    st->mapping = mapping;
    st->mapping_bytes = n;
    return true;
}

void safetensors_close(SafeTensors *st)
{
    forget(st);
}

const TensorView *safetensors_find(const SafeTensors *st, Str name)
{
    const MapEntry *e = map_get(&st->by_name, name);
    return e ? e->cp : NULL;
}

/* -------------------------------------------------------------------------------------- writing */

/* Data in order of falling element size, so that each tensor is aligned. */
static uint32_t *data_order(const TensorView *items, uint32_t n)
{
    uint32_t *order = malloc((n + 1) * sizeof *order);
    uint32_t k = 0;
    if (!order)
        abort();
    for (int size = 16; size >= 1; size /= 2)
        for (uint32_t i = 0; i < n; i++)
            if (dtype_info[items[i].dtype].bytes == size)
                order[k++] = i;
    return order;
}

static void write_header(const TensorView *items, uint32_t n, const uint32_t *order, StrBuf *out)
{
    uint64_t *begin = malloc((n + 1) * sizeof *begin), at = 0;
    if (!begin)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        begin[order[i]] = at;
        at += items[order[i]].bytes;
    }
    sb_putc(out, '{');
    for (uint32_t i = 0; i < n; i++) {
        const TensorView *v = &items[i];
        sb_puts(out, i ? "," : "");
        json_write_string(v->name, out);
        sb_printf(out, ":{\"dtype\":\"%s\",\"shape\":[", dtype_info[v->dtype].safetensors);
        for (uint32_t k = 0; k < v->rank; k++)
            sb_printf(out, "%s%lld", k ? "," : "", (long long)v->shape[k]);
        sb_printf(out, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin[i],
                  (unsigned long long)(begin[i] + v->bytes));
    }
    sb_putc(out, '}');
    while (out->n % LENGTH_BYTES)
        sb_putc(out, ' ');
    free(begin);
}

static bool write_all(FILE *f, const TensorView *items, uint32_t n, const uint32_t *order,
                      Str header)
{
    unsigned char length[LENGTH_BYTES];
    for (int i = 0; i < LENGTH_BYTES; i++)
        length[i] = (unsigned char)(header.n >> (8 * i));
    bool ok = fwrite(length, 1, sizeof length, f) == sizeof length &&
              fwrite(header.p, 1, header.n, f) == header.n;
    for (uint32_t i = 0; i < n && ok; i++) {
        const TensorView *v = &items[order[i]];
        ok = v->bytes == 0 || fwrite(v->data, 1, v->bytes, f) == v->bytes;
    }
    return ok;
}

static bool check_items(const char *path, const TensorView *items, uint32_t n, Diag *d)
{
    Map names = {0};
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++) {
        int64_t bytes = items[i].dtype < DT_COUNT ? dtype_info[items[i].dtype].bytes : -1;
        bool fresh, fine = bytes > 0;
        for (uint32_t k = 0; k < items[i].rank && fine; k++)
            fine = !__builtin_mul_overflow(bytes, items[i].shape[k], &bytes);
        map_put(&names, items[i].name, &fresh);
        if (!fresh)
            ok = refuse(d, str_from(path), "two tensors are called '%.*s'", STR(items[i].name));
        else if (!fine || (uint64_t)bytes != items[i].bytes)
            ok = refuse(d, str_from(path), "tensor '%.*s' does not have the bytes of its shape",
                        STR(items[i].name));
    }
    map_free(&names);
    return ok;
}

/* The file appears under its name only when it is complete: the tensors may be views of its old
 * contents. */
bool safetensors_write(const char *path, const TensorView *items, uint32_t n, Diag *d)
{
    if (!check_items(path, items, n, d))
        return false;
    StrBuf header = {0}, partial = {0};
    uint32_t *order = data_order(items, n);
    write_header(items, n, order, &header);
    sb_printf(&partial, "%s.partial", path);
    FILE *f = fopen(sb_cstr(&partial), "wb");
    bool ok = f != NULL;
    if (f) {
        ok = write_all(f, items, n, order, sb_str(&header));
        ok = fclose(f) == 0 && ok;
        ok = ok && rename(sb_cstr(&partial), path) == 0;
    }
    if (!ok) {
        int error = errno;
        if (f)
            remove(sb_cstr(&partial));
        diag_error(d, DIAG_load, (Span){0}, "no-file", "cannot write %s: %s", path,
                   strerror(error));
    }
    free(order);
    sb_free(&header);
    sb_free(&partial);
    return ok;
}
