/*
 * flash_text.h - the kernels of attention as CUDA text.
 *
 * Input: the macros that flash_text puts in front. Output: kernels whose blocks keep some rows and
 * meet tiles of all others; scores live in registers only (FlashAttention-2).
 */
#ifndef THUNDER_FLASH_TEXT_H
#define THUNDER_FLASH_TEXT_H

const char *flash_kernels(void);

#endif
