/* A kernel's instructions, read from the text of a disassembler (SASS) or of the compiler (PTX),
 * and those of its inner loop counted by what executes them. */
#ifndef DCS_INSTRUCTIONS_H
#define DCS_INSTRUCTIONS_H

#include "kernels/status.h"

#include <stdbool.h>

/* What executes an instruction. Loads and stores by the space that they name. */
typedef enum {
  DCS_PIPE_FP32,    /* additions, multiplications and FMAs in single precision */
  DCS_PIPE_SFU,     /* special function units: 1/sqrt, 2^x, 1/x, sin, ... */
  DCS_PIPE_INTEGER, /* integers, logic, comparisons, minima, selections, copies of registers */
  DCS_PIPE_IMAD,    /* multiplications of integers, which FMA units do */
  DCS_PIPE_CONVERT, /* from and to integers */
  DCS_PIPE_UNIFORM, /* what is the same for the whole warp, done once for it */
  DCS_PIPE_TENSOR,  /* products of matrices */
  DCS_PIPE_OTHER,   /* double and half precision, texture, shuffles, votes, ... */
  DCS_PIPE_LOAD_CONSTANT,
  DCS_PIPE_LOAD_GLOBAL,
  DCS_PIPE_STORE_GLOBAL,
  DCS_PIPE_LOAD_SHARED,
  DCS_PIPE_STORE_SHARED,
  DCS_PIPE_LOAD_LOCAL,
  DCS_PIPE_STORE_LOCAL,
  DCS_PIPE_LOAD_GENERIC, /* an address that may be of any space */
  DCS_PIPE_STORE_GENERIC,
  DCS_PIPE_ATOMIC,
  DCS_PIPE_BARRIER, /* __syncthreads, __syncwarp, fences */
  DCS_PIPE_BRANCH,
  DCS_N_PIPES
} dcs_pipe;

extern const char *const dcs_pipe_names[DCS_N_PIPES]; /* "fp32", "load_constant", ... */

typedef struct {
  int instructions;       /* 0: the kernel has no loop */
  int count[DCS_N_PIPES]; /* of them */
  int fp32_operations;    /* FMA 2 */
  int loaded_bytes; /* of a thread, from where inputs may be: global, constant, shared memory */
  int whole;        /* instructions of the whole kernel */
  int whole_local;  /* those of them that load from or store to local memory */
} dcs_inner_loop;

/* Of one instruction's name: "FFMA.FTZ" or "fma.rn.ftz.f32". *operations: in single precision. */
dcs_pipe dcs_pipe_of(const char *name, bool machine, int *operations);

/* Bytes that a load of that name loads for a thread: 16 of "LDG.E.128" and of "ld.global.v4.f32".
 */
int dcs_loaded_bytes(const char *name, bool machine);

/* The innermost loop of the kernel `dcs` in a listing: from the target of a branch back to the
 * branch, no other such inside. Of several, one with products of matrices or else with special
 * functions, since these are what an evaluation takes; then the one with the most instructions.
 * DCS_FAILED where the text has no such kernel. */
dcs_status dcs_find_inner_loop(const char *text, bool machine, dcs_inner_loop *loop);

#endif
