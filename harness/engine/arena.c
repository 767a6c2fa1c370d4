#include "harness/engine/arena.h"

#include "harness/base/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the arena begins with; the arrays follow, each on a 64-byte boundary. */
typedef struct {
  int64_t n_atoms, n_near;
  dcs_dims n;
  float spacing, cutoff;
  dcs_smooth smooth;
} header;

static size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

static size_t layout(const header *h, size_t *near, size_t *map) {
  *near = aligned(sizeof *h) + aligned((size_t)h->n_atoms * sizeof(dcs_atom));
  *map = *near + aligned((size_t)h->n_near * sizeof(dcs_near));
  return *map + aligned((size_t)dcs_points(h->n) * sizeof(float));
}

static void set_views(dcs_arena *arena) {
  const header *h = arena->base;
  char *base = arena->base;
  size_t near, map;
  layout(h, &near, &map);
  arena->problem = (dcs_problem){.atoms = (dcs_atom *)(base + aligned(sizeof *h)),
                                 .n_atoms = h->n_atoms,
                                 .n = h->n,
                                 .spacing = h->spacing,
                                 .cutoff = h->cutoff,
                                 .smooth = h->smooth};
  arena->near = (dcs_near *)(base + near);
  arena->n_near = h->n_near;
  arena->map = (float *)(base + map);
}

dcs_status dcs_arena_open(dcs_arena *arena) {
  *arena = (dcs_arena){.fd = memfd_create("dcsbench", 0)};
  if (arena->fd < 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot create shared memory: %s", strerror(errno));
  return DCS_OK;
}

static void unmap(dcs_arena *arena) {
  if (arena->base) munmap(arena->base, arena->bytes);
  arena->base = NULL;
}

void dcs_arena_close(dcs_arena *arena) {
  unmap(arena);
  if (arena->fd >= 0) close(arena->fd);
  arena->fd = -1;
}

/* Maps `bytes` of the file as it is sized now. */
static dcs_status map_bytes(dcs_arena *arena, size_t bytes) {
  void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd, 0);
  if (base == MAP_FAILED)
    return dcs_fail(DCS_UNAVAILABLE, "cannot map %zu bytes of shared memory: %s", bytes,
                    strerror(errno));
  arena->base = base;
  arena->bytes = bytes;
  return DCS_OK;
}

dcs_status dcs_arena_put(dcs_arena *arena, const dcs_case *c) {
  const dcs_problem *p = &c->problem;
  header h = {p->n_atoms, c->n_near, p->n, p->spacing, p->cutoff, p->smooth};
  size_t near, map;
  size_t bytes = layout(&h, &near, &map);
  unmap(arena);
  if (ftruncate(arena->fd, 0) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot resize shared memory: %s", strerror(errno));
  int64_t available = dcs_available_memory();
  if ((int64_t)bytes > available)
    return dcs_fail(DCS_UNAVAILABLE,
                    "grid %lldx%lldx%lld with %lld atoms needs %.3g GB of memory; %.3g GB are free",
                    (long long)h.n.x, (long long)h.n.y, (long long)h.n.z, (long long)h.n_atoms,
                    1e-9 * (double)bytes, 1e-9 * (double)available);
  if (ftruncate(arena->fd, (off_t)bytes) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot make %zu bytes of shared memory: %s", bytes,
                    strerror(errno));
  DCS_TRY(map_bytes(arena, bytes));
  memcpy(arena->base, &h, sizeof h);
  set_views(arena);
  memcpy((void *)arena->problem.atoms, c->problem.atoms, (size_t)h.n_atoms * sizeof(dcs_atom));
  if (h.n_near) memcpy((void *)arena->near, c->near, (size_t)h.n_near * sizeof(dcs_near));
  return DCS_OK;
}

dcs_status dcs_arena_map(dcs_arena *arena) {
  struct stat info;
  unmap(arena);
  if (fstat(arena->fd, &info) != 0)
    return dcs_fail(DCS_IO, "cannot read the size of shared memory: %s", strerror(errno));
  DCS_TRY(map_bytes(arena, (size_t)info.st_size));
  set_views(arena);
  return DCS_OK;
}
