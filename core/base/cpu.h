/* cpu.h - functions compiled once for each kind of processor, of which the program takes one. */
#ifndef THUNDER_CPU_H
#define THUNDER_CPU_H

/* In front of a function; GCC on x86-64 only. Products and sums keep their own roundings, so all
 * versions give the same results. Sanitizers run before versions are chosen. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define VECTORISED                                                                               \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define VECTORISED
#endif

#endif
