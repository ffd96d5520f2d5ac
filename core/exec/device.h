/*
 * device.h - memory and work queue of a device beside the host, as executors offer it.
 *
 * A DeviceDriver is a table of functions; core never names one. An opened device has one queue: all
 * that is asked of it happens in order, and only download and wait block. A Buffer may have a copy
 * of its elements there. Whoever reads elements through tensor_data gets them fetched first; what a
 * device executor needs is sent first. So tensors move when somebody looks, and not otherwise.
 */
#ifndef THUNDER_DEVICE_H
#define THUNDER_DEVICE_H

#include "spent.h"
#include "tensor.h"

typedef struct OpenDevice OpenDevice;
typedef struct DeviceGraph DeviceGraph; /* recorded work; the driver's */
typedef void *DeviceNode;               /* a piece of it while it is recorded; the driver's */
typedef struct Branches Branches;       /* see branches.h */

typedef struct DeviceInfo {
    char name[96];
    int driver;      /* version as the driver gives it: 13000 is 13.0 */
    uint32_t arch;   /* compute capability: 90 is 9.0 */
    uint32_t sms;    /* multiprocessors */
    int64_t l2;      /* bytes */
    int64_t shared_max; /* bytes of shared memory that a block may ask for */
    int64_t memory;  /* bytes */
} DeviceInfo;

/* Bytes of the host that are sent, or to be. */
typedef struct DevicePiece {
    uint64_t to;
    const void *from;
    size_t n;
} DevicePiece;

typedef struct DeviceDriver {
    const char *name;
    /* The first part of that, while nothing else should load libraries. NULL = there is none. */
    void (*wake)(Str path);
    /* Opens the device; path names the driver's library ("" = as the loader finds it). NULL after
     * an error. */
    OpenDevice *(*open)(Str path, Diag *d);
    /* It can be used from this thread; from the one that opened it, it can. */
    bool (*enter)(OpenDevice *dev);
    void (*abandon)(OpenDevice *dev); /* gives back all that it holds of the device */
    void (*close)(OpenDevice *dev);   /* after that and the last reference: frees dev */
    bool (*alloc)(OpenDevice *dev, size_t bytes, uint64_t *at); /* false: no such memory is free */
    void (*free)(OpenDevice *dev, uint64_t at);
    int64_t (*room)(OpenDevice *dev); /* bytes that are free; -1 = the driver does not say */
    bool (*upload)(OpenDevice *dev, const DevicePiece *pieces, size_t n);
    bool (*download)(OpenDevice *dev, void *to, uint64_t from, size_t n); /* waits */
    bool (*copy)(OpenDevice *dev, uint64_t to, uint64_t from, size_t n);
    bool (*fill)(OpenDevice *dev, uint64_t to, unsigned char byte, size_t n);
    /* Elements of `size` bytes, strides counted in elements, to where they lie in sequence. */
    bool (*gather)(OpenDevice *dev, uint64_t to, uint64_t from, size_t size, uint32_t rank,
                   const int64_t *sizes, const int64_t *strides);
    /* Until all work is done. Stops waiting, and gives true, when *interrupt becomes non-zero;
     * false when it takes longer than dev->limit. */
    bool (*wait)(OpenDevice *dev, const volatile int *interrupt);
    /* Writes n into *dev->done once the queue is here. */
    bool (*note)(OpenDevice *dev, uint32_t n);
    /* Work between begin and end is recorded, not done; NULL when it cannot be. */
    bool (*record_begin)(OpenDevice *dev);
    DeviceGraph *(*record_end)(OpenDevice *dev);
    bool (*play)(OpenDevice *dev, DeviceGraph *g);
    /* Of recorded work, what the next piece will wait for: how many (at most max are written), or
     * UINT32_MAX where the driver cannot tell. Then that is exchanged for others, or (add) they
     * are waited for as well. NULL = work is always recorded in order. */
    uint32_t (*recorded_last)(OpenDevice *dev, DeviceNode *nodes, uint32_t max);
    bool (*record_after)(OpenDevice *dev, DeviceNode *nodes, uint32_t n, bool add);
    void (*graph_free)(OpenDevice *dev, DeviceGraph *g);
    /* Two marks in the queue; milliseconds between them, once both are passed (waits). */
    bool (*mark)(OpenDevice *dev, uint32_t which);
    double (*between_marks)(OpenDevice *dev);
} DeviceDriver;

enum { DEVICE_MARKS = 2, DEVICE_ATTACHED = 8, DEVICE_SPARE = 64 };

typedef struct DeviceBlock {
    size_t bytes;
    uint64_t at;
} DeviceBlock;

/* Memory that recorded work uses and that was given back meanwhile: nobody else may have it. */
typedef struct DeviceHeld {
    DeviceBlock *items;
    uint32_t n, cap;
} DeviceHeld;

/* Something that an executor keeps with a device: a library's handle, a module. */
typedef struct DeviceThing {
    const void *key; /* who keeps it */
    void *thing;
    void (*free)(OpenDevice *dev, void *thing);
} DeviceThing;

/* The first member of a driver's own struct. */
struct OpenDevice {
    int refs; /* the session's, and one for each buffer there */
    const DeviceDriver *driver;
    DeviceInfo info;
    bool lost;        /* it failed; what lay there is gone, and nothing more can be asked of it */
    bool stuck;       /* lost, and a kernel there does not end: to close it would wait for that */
    char failure[256]; /* what the driver said */
    uint64_t moved;   /* how often elements were sent or fetched */
    double limit;     /* seconds that work may take; 0 = any time */
    const volatile int *done; /* the last note that the queue has passed */
    bool careful;     /* wait after every launch, so that a failure is found where it happens */
    int64_t used, most; /* bytes in buffers now, and the most since the latest plain run began */
    int64_t room; /* bytes that were free when it was opened */
    Spent *spent; /* where its time is told; NULL = nowhere */
    int64_t kept; /* bytes of `used` that no tensor lies in: executors work in them */
    DeviceThing attached[DEVICE_ATTACHED];
    DeviceBlock spare[DEVICE_SPARE]; /* memory that was given back, by age */
    uint32_t nspare;
    DeviceHeld *held; /* where memory goes that is given back while recording */
    Branches *branches; /* while recording out of order: who waits for whom; NULL = in order */
    bool joined; /* the next work recorded does not wait for one other piece alone */
};

void device_unref(OpenDevice *dev); /* NULL is allowed */
/* The failed driver call; keeps the first one. Always false. */
bool device_fail(OpenDevice *dev, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Frees what is there; it takes no more work. After a failure the driver's part comes first, and
 * what executors keep is freed with dev->lost set: nothing may be asked of the device any more. */
void device_lose(OpenDevice *dev);
bool device_settled(OpenDevice *dev); /* after a launch: waits for it when dev is careful */
void *device_thing(const OpenDevice *dev, const void *key); /* NULL = nothing kept under key */
bool device_keep(OpenDevice *dev, const void *key, void *thing,
                 void (*free)(OpenDevice *dev, void *thing));

/* Memory of a device; what is given back is used again, in the order of the queue. */
bool device_take(OpenDevice *dev, size_t bytes, uint64_t *at);
void device_give(OpenDevice *dev, uint64_t at, size_t bytes);
void device_trim(OpenDevice *dev); /* gives spare memory back to the driver */

/* Between these, work is recorded and not done. The graph, NULL when that failed, is to be freed
 * together with what it holds. */
bool device_record(OpenDevice *dev, DeviceHeld *held);
DeviceGraph *device_recorded(OpenDevice *dev);
void device_release(OpenDevice *dev, DeviceHeld *held);

/* Memory that the work recorded next reads or writes, before that is recorded; nothing happens
 * while dev records in order. tensor_on_device says it of tensors. */
void device_touch(OpenDevice *dev, uint64_t at, size_t bytes, bool write);

/* The copy of a buffer on a device. */
typedef struct DeviceCopy {
    OpenDevice *dev;
    uint64_t at;
    size_t bytes;
    Buffer *whole;   /* the buffer whose memory this is a part of; NULL = memory of its own */
    bool valid;      /* the elements are there */
    bool host_valid; /* the elements are in the host's memory */
} DeviceCopy;

/* A buffer that has memory on the device only, until somebody reads it here: of its own (whole
 * NULL; NULL when there is none left), or at an offset of another one. */
Buffer *device_buffer(OpenDevice *dev, size_t bytes, Buffer *whole, size_t offset);
/* A buffer with the memory that b has there. b keeps its elements: on the host where they are, else
 * in other memory there. NULL: b's is a part of another's, or there is no memory left. */
Buffer *buffer_take_over(Buffer *b);
void buffer_fetch(Buffer *b); /* brings the elements to the host's memory; b has a copy */
/* Sends those of n tensors that are not there, all in one go, which is faster than one by one; it
 * stops at the first for which there is no memory. */
void tensors_to_device(OpenDevice *dev, Tensor *const *tensors, size_t n);
/* Address of the first element on dev; the elements are sent there first when they are not. With
 * write, the host's copy is out of date from now on. false: no memory, or the device failed. */
bool tensor_on_device(Tensor *t, OpenDevice *dev, bool write, uint64_t *at);
/* A dense copy on the device where t's elements are; NULL when that is the host, or it fails. */
Tensor *device_clone(const Tensor *t);
/* Whether the elements are on dev now. */
bool tensor_lives_on(const Tensor *t, const OpenDevice *dev);
/* An error that says how much was needed for what, and how much there is. Always false. */
bool device_no_memory(const OpenDevice *dev, Diag *d, int64_t bytes, const char *what);

#endif
