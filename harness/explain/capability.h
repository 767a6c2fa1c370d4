/* What a streaming multiprocessor (SM) of each compute capability holds at a time, and what it does
 * in a cycle. */
#ifndef DCS_CAPABILITY_H
#define DCS_CAPABILITY_H

#include "kernels/status.h"

enum {
  DCS_SM_SCHEDULERS = 4,      /* each issues an instruction of one warp in a cycle */
  DCS_SM_REGISTERS = 64 << 10 /* of 32 bits */
};

typedef struct {
  int number;        /* 90: sm_90, compute capability 9.0 */
  int warps, blocks; /* that an SM holds at most */
  int shared_bytes;  /* of an SM, as much as can be set aside for blocks */
  int shared_unit;   /* shared memory is given to blocks in multiples of it, */
  int shared_own;    /* with so many bytes of each block for the system */
  /* Threads that an SM serves in a cycle: single precision additions and multiplications,
   * reciprocal square roots and the like, integer additions and logic, loads and stores. 0: not
   * published. */
  int fp32, sfu, integer, load_store;
} dcs_capability;

/* Of an architecture by its name, "sm_90" or "sm_90a". DCS_USAGE names those that are known. */
dcs_status dcs_find_capability(const char *arch, const dcs_capability **capability);

#endif
