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
  dcs_problem shape; /* its inputs lie elsewhere in another process */
  int64_t count[DCS_MAX_BUFFERS], n_fixes;
  int kind, n_problems; /* kind: in dcs_kinds */
} header;

static size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/* Where the arrays begin. */
typedef struct {
  size_t configs, fixes, buffers[DCS_MAX_BUFFERS], end;
} layout;

static layout layout_of(const header *h, const dcs_kind *kind) {
  layout l = {.configs = aligned(sizeof *h)};
  l.fixes = l.configs + aligned((size_t)h->n_problems * sizeof(dcs_config));
  l.end = l.fixes + aligned((size_t)(h->n_problems * h->n_fixes) * sizeof(dcs_fix));
  for (int b = 0; b < kind->n_buffers; b++) {
    l.buffers[b] = l.end;
    l.end += aligned((size_t)h->count[b] * kind->buffers[b].bytes);
  }
  return l;
}

static void set_views(dcs_arena *arena) {
  const header *h = arena->base;
  char *base = arena->base;
  const dcs_kind *kind = dcs_kinds[h->kind];
  const layout l = layout_of(h, kind);
  const int map = dcs_map_of(kind);
  arena->kind = kind;
  arena->configs = (dcs_config *)(base + l.configs);
  arena->n_problems = h->n_problems;
  arena->shape = h->shape;
  arena->shape.config = arena->configs[0];
  for (int b = 0; b < kind->n_buffers; b++) {
    void *data = base + l.buffers[b];
    arena->shape.input[b] = kind->buffers[b].output ? NULL : data;
    arena->out[b] = kind->buffers[b].output ? data : NULL;
  }
  arena->map = map < 0 ? NULL : arena->out[map];
  arena->fixes = (dcs_fix *)(base + l.fixes);
  arena->n_fixes = h->n_fixes;
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

static header header_of(const dcs_case *c, int n_problems) {
  header h = {.shape = c->problem, .n_fixes = c->n_fixes, .n_problems = n_problems};
  while (dcs_kinds[h.kind] != c->kind)
    h.kind++;
  for (int b = 0; b < c->kind->n_buffers; b++)
    h.count[b] = dcs_count(c->kind, b, &c->problem);
  return h;
}

/* Makes the file so large. */
static dcs_status resize(const dcs_arena *arena, const dcs_problem *p, size_t bytes) {
  if (ftruncate(arena->fd, 0) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot resize shared memory: %s", strerror(errno));
  int64_t available = dcs_available_memory();
  if ((int64_t)bytes > available)
    return dcs_fail(DCS_UNAVAILABLE,
                    "grid %lldx%lldx%lld with %lld atoms needs %.3g GB of memory; %.3g GB are free",
                    (long long)p->n.x, (long long)p->n.y, (long long)p->n.z, (long long)p->n_inputs,
                    1e-9 * (double)bytes, 1e-9 * (double)available);
  if (ftruncate(arena->fd, (off_t)bytes) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot make %zu bytes of shared memory: %s", bytes,
                    strerror(errno));
  return DCS_OK;
}

dcs_status dcs_arena_put(dcs_arena *arena, dcs_case *c, const dcs_config *problems, int n) {
  const dcs_problem *p = &c->problem;
  const dcs_config posed = p->config;
  const header h = header_of(c, n > 0 ? n : 1);
  const size_t bytes = layout_of(&h, c->kind).end;
  unmap(arena);
  DCS_TRY(resize(arena, p, bytes));
  DCS_TRY(map_bytes(arena, bytes));
  memcpy(arena->base, &h, sizeof h);
  set_views(arena);
  for (int b = 0; b < c->kind->n_buffers; b++)
    if (p->input[b])
      memcpy((void *)arena->shape.input[b], p->input[b],
             (size_t)h.count[b] * c->kind->buffers[b].bytes);
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
