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
  int64_t n_inputs, input_bytes, n_fixes;
  dcs_dims n;
  float spacing;
  int n_problems;
} header;

static size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/* Where the arrays begin. */
typedef struct {
  size_t input, configs, fixes, out, end;
} layout;

static layout layout_of(const header *h) {
  layout l = {.input = aligned(sizeof *h)};
  l.configs = l.input + aligned((size_t)(h->n_inputs * h->input_bytes));
  l.fixes = l.configs + aligned((size_t)h->n_problems * sizeof(dcs_config));
  l.out = l.fixes + aligned((size_t)(h->n_problems * h->n_fixes) * sizeof(dcs_fix));
  l.end = l.out + aligned((size_t)dcs_points(h->n) * sizeof(float));
  return l;
}

static void set_views(dcs_arena *arena) {
  const header *h = arena->base;
  char *base = arena->base;
  const layout l = layout_of(h);
  arena->configs = (dcs_config *)(base + l.configs);
  arena->n_problems = h->n_problems;
  arena->shape = (dcs_problem){.input = base + l.input,
                               .n_inputs = h->n_inputs,
                               .n = h->n,
                               .spacing = h->spacing,
                               .config = arena->configs[0]};
  arena->input_bytes = (size_t)h->input_bytes;
  arena->fixes = (dcs_fix *)(base + l.fixes);
  arena->n_fixes = h->n_fixes;
  arena->out = (float *)(base + l.out);
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

/* Poses one problem after another, and keeps what each replaces in the output. */
static void put_problems(dcs_arena *arena, dcs_case *c, const dcs_config *problems, int n) {
  for (int i = 0; i < n; i++) {
    dcs_case_pose(c, &problems[i]);
    ((dcs_config *)arena->configs)[i] = problems[i];
    if (c->n_fixes)
      memcpy((dcs_fix *)arena->fixes + i * c->n_fixes, c->fixes,
             (size_t)c->n_fixes * sizeof *c->fixes);
  }
  arena->shape.config = arena->configs[0];
}

dcs_status dcs_arena_put(dcs_arena *arena, dcs_case *c, const dcs_config *problems, int n) {
  const dcs_problem *p = &c->problem;
  const dcs_config posed = p->config;
  header h = {p->n_inputs,  (int64_t)c->kind->input_bytes, c->n_fixes, p->n, p->spacing,
              n > 0 ? n : 1};
  size_t bytes = layout_of(&h).end;
  unmap(arena);
  if (ftruncate(arena->fd, 0) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot resize shared memory: %s", strerror(errno));
  int64_t available = dcs_available_memory();
  if ((int64_t)bytes > available)
    return dcs_fail(DCS_UNAVAILABLE,
                    "grid %lldx%lldx%lld with %lld atoms needs %.3g GB of memory; %.3g GB are free",
                    (long long)h.n.x, (long long)h.n.y, (long long)h.n.z, (long long)h.n_inputs,
                    1e-9 * (double)bytes, 1e-9 * (double)available);
  if (ftruncate(arena->fd, (off_t)bytes) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot make %zu bytes of shared memory: %s", bytes,
                    strerror(errno));
  DCS_TRY(map_bytes(arena, bytes));
  memcpy(arena->base, &h, sizeof h);
  set_views(arena);
  memcpy((void *)arena->shape.input, p->input, (size_t)h.n_inputs * arena->input_bytes);
  put_problems(arena, c, n > 0 ? problems : &posed, h.n_problems);
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
