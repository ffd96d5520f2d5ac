/*
 * cuda_staging.h - elements between the host's memory and the GPU's, through pinned buffers.
 *
 * Input: pageable memory here, an address there. Output: a copy, queued behind what the stream has
 * to do. The driver copies pinned memory on its own, so one buffer fills while another is on its
 * way; one thread fills buffers at a fraction of what the bus takes, so large copies have several.
 */
#ifndef THUNDER_CUDA_STAGING_H
#define THUNDER_CUDA_STAGING_H

#include "cuda_driver.h"

bool staging_open(CudaDevice *c); /* for small copies; more is pinned by the first large one */
void staging_close(CudaDevice *c);
/* When it returns, the elements of `from` have been read, but may still be on their way. */
bool cuda_upload(OpenDevice *dev, const DevicePiece *pieces, size_t n);
bool cuda_download(OpenDevice *dev, void *to, uint64_t from, size_t n); /* waits for the stream */

#endif
