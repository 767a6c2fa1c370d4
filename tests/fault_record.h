/* What the program and tests/fault_inject.c share with who makes an allocation fail: a file in the
 * memory of all of them, zeros at first. */
#ifndef DCS_TEST_FAULT_RECORD_H
#define DCS_TEST_FAULT_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

enum { MOST_STACKS = 1 << 14, MOST_FRAMES = 64 };

/* A call stack: addresses in the program and in the C library count, relative to where they lie. */
typedef struct {
  _Atomic uint64_t hash; /* 0: nothing is here */
  atomic_long calls;
} fault_stack;

typedef struct {
  long n;            /* the n-th allocation fails, 0: none does, and every stack is written down */
  uint64_t stack;    /* of those with this stack, 0: of all */
  atomic_long calls; /* allocations so far, of that stack */
  atomic_int injected;           /* one has failed */
  uintptr_t frames[MOST_FRAMES]; /* of the one that failed, in the program, up to a 0 */
  fault_stack stacks[MOST_STACKS];
} fault_record;

#endif
