/* What a device that can be watched tells of the kernels that it runs: every load and store of
 * their threads, and the steps between them. */
#ifndef DCS_OBSERVER_H
#define DCS_OBSERVER_H

#include "kernels/contract.h"

/* Variables of one thread are in registers on a card, and are not seen. */
typedef enum {
  DCS_SPACE_GLOBAL,
  DCS_SPACE_CONSTANT,
  DCS_SPACE_SHARED,
  DCS_N_SPACES,
  DCS_SPACE_OUTSIDE = DCS_N_SPACES /* in no buffer: it is not carried out, and its thread ends */
} dcs_memory_space;

typedef enum {
  DCS_SEEN_STEP, /* a basic block of the code begins */
  DCS_SEEN_LOAD,
  DCS_SEEN_STORE,
  DCS_SEEN_ATOMIC, /* a load and a store in one */
  DCS_SEEN_FENCE,
  DCS_SEEN_WARP_BARRIER, /* __syncwarp, a shuffle or a vote */
  DCS_SEEN_BARRIER
} dcs_seen_kind;

typedef struct {
  dcs_seen_kind kind;
  uint64_t code;  /* where in the module; dcs_device.locate() tells the line */
  uint64_t calls; /* the same for the same chain of calls */
  uint32_t depth; /* how deep in calls: bytes of stack in use */
  /* Of a load, store or atomic operation. The address is counted from the start of the space's
   * memory, or of global memory as the device has it: buffers there begin at multiples of 256. */
  dcs_memory_space space;
  uint64_t address;
  uint32_t bytes; /* 1, 2, 4, 8 or 16 */
} dcs_seen;

struct dcs_module;

typedef struct {
  void *context;
  /* A launch begins. Its blocks run one after another, as do the threads of a block. */
  void (*launch)(void *context, struct dcs_module *module, const char *kernel,
                 const int64_t grid[3], const int block[3]);
  /* Whether block (z * grid.y + y) * grid.x + x of the launch is to be run. */
  bool (*block)(void *context, int64_t block);
  /* What thread (z * block.y + y) * block.x + x of the block does next; false: it ends instead. */
  bool (*seen)(void *context, int thread, const dcs_seen *seen);
  /* All threads of the block have come to a barrier, or to their end. */
  void (*together)(void *context);
} dcs_observer;

/* A line of a kernel's source, or of a header that it includes. */
typedef struct {
  char file[DCS_TEXT];
  int line; /* 0: unknown */
} dcs_place;

#endif
