/* What the library's dcs_map() takes on a GPU, beside its method and beside a plain copy of the
 * map.
 *
 * For cubes of 64 to 512 points along an edge, with 1, 64 and 4,000 atoms, into ordinary and
 * page-locked memory: a row of CSV with medians of 15 maps (of 9 from 384 points on), two before
 * them not timed. `plain_copy_ms` is one cuMemcpyDtoH() of as many bytes into the same memory,
 * median of as many. `make library-times` builds and runs it. */
#include <dcsbench.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ATOMS = 4000, MOST_SAMPLES = 15, FEWER_SAMPLES = 9, FEWER_FROM = 384, WARMING = 2 };
static const int edges[] = {64, 96, 128, 192, 256, 384, 512}, atom_counts[] = {1, 64, MOST_ATOMS};
#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef struct {
  double values[MOST_SAMPLES];
  int n;
} samples;

/* CUDA's driver: what page-locked memory and a plain copy take. */
static struct {
  int (*init)(unsigned flags);
  int (*retain)(void **context, int device);
  int (*set_current)(void *context);
  int (*host_alloc)(void **memory, size_t bytes, unsigned flags);
  int (*host_free)(void *memory);
  int (*alloc)(uint64_t *memory, size_t bytes);
  int (*free)(uint64_t memory);
  int (*copy_out)(void *to, uint64_t from, size_t bytes);
  void *context;
} cuda;

static void die(const char *why) {
  fprintf(stderr, "library_times: %s\n", why);
  exit(1);
}

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) die(name);
  return found;
}

static void open_cuda(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) die("no libcuda.so.1: there is no NVIDIA driver");
  *(void **)&cuda.init = symbol(library, "cuInit");
  *(void **)&cuda.retain = symbol(library, "cuDevicePrimaryCtxRetain");
  *(void **)&cuda.set_current = symbol(library, "cuCtxSetCurrent");
  *(void **)&cuda.host_alloc = symbol(library, "cuMemHostAlloc");
  *(void **)&cuda.host_free = symbol(library, "cuMemFreeHost");
  *(void **)&cuda.alloc = symbol(library, "cuMemAlloc_v2");
  *(void **)&cuda.free = symbol(library, "cuMemFree_v2");
  *(void **)&cuda.copy_out = symbol(library, "cuMemcpyDtoH_v2");
  if (cuda.init(0) != 0 || cuda.retain(&cuda.context, 0) != 0 ||
      cuda.set_current(cuda.context) != 0)
    die("cuda:0 does not open");
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of an odd number of samples. */
static double median(samples *s) {
  qsort(s->values, (size_t)s->n, sizeof *s->values, by_value);
  return s->values[s->n / 2];
}

static float *take_memory(size_t bytes, int pinned) {
  void *memory = NULL;
  if (pinned) {
    const unsigned portable = 1;
    if (cuda.host_alloc(&memory, bytes, portable) != 0) die("no page-locked memory");
  } else {
    memory = malloc(bytes);
  }
  if (!memory) die("no memory");
  memset(memory, 0, bytes); /* its pages are touched */
  return memory;
}

static void time_copies(float *map, size_t bytes, int n, samples *copy) {
  uint64_t on_card;
  if (cuda.alloc(&on_card, bytes) != 0) die("no memory on the card");
  for (int r = -WARMING; r < n; r++) {
    const double started = now_ms();
    if (cuda.copy_out(map, on_card, bytes) != 0) die("a copy failed");
    if (r >= 0) copy->values[copy->n++] = now_ms() - started;
  }
  cuda.free(on_card);
}

static void time_maps(dcs_mapper *mapper, const dcs_map_request *request, float *map, int n,
                      samples *whole, samples *method) {
  for (int r = -WARMING; r < n; r++) {
    const double started = now_ms();
    if (dcs_map(mapper, request, map) != 0) die(dcs_error_message());
    if (r < 0) continue;
    whole->values[whole->n++] = now_ms() - started;
    method->values[method->n++] = 1e-6 * dcs_map_method_ns(mapper);
  }
}

static void time_size(dcs_mapper *mapper, int edge, int n_atoms, int pinned) {
  static double atoms[4 * MOST_ATOMS];
  const size_t bytes = (size_t)edge * (size_t)edge * (size_t)edge * sizeof(float);
  const int n = edge < FEWER_FROM ? MOST_SAMPLES : FEWER_SAMPLES;
  samples whole = {.n = 0}, method = {.n = 0}, copy = {.n = 0};
  char text[4096] = "";
  for (int a = 0; a < n_atoms; a++) {
    for (int axis = 0; axis < 3; axis++)
      atoms[4 * a + axis] = 0.5 * edge * drand48();
    atoms[4 * a + 3] = drand48() - 0.5;
  }
  const dcs_map_request request = {
      .n_atoms = n_atoms, .atoms = atoms, .spacing = 0.5, .nx = edge, .ny = edge, .nz = edge};
  cuda.set_current(cuda.context);
  float *map = take_memory(bytes, pinned);
  time_copies(map, bytes, n, &copy);
  time_maps(mapper, &request, map, n, &whole, &method);
  dcs_explain(mapper, &request, text, sizeof text);
  text[strcspn(text, "\n")] = '\0';
  printf("%d,%d,%s,%.4f,%.4f,%.4f,\"%s\"\n", edge, n_atoms, pinned ? "pinned" : "pageable",
         median(&whole), median(&method), median(&copy), text);
  fflush(stdout);
  cuda.set_current(cuda.context);
  if (pinned)
    cuda.host_free(map);
  else
    free(map);
}

int main(void) {
  const dcs_mapper_options options = {.device = "cuda:0", .open_gpu_now = 1};
  dcs_mapper *mapper;
  open_cuda();
  if (dcs_mapper_open(&options, &mapper) != 0) die(dcs_error_message());
  srand48(1);
  puts("edge,atoms,memory,map_ms,method_ms,plain_copy_ms,method");
  for (size_t e = 0; e < COUNT(edges); e++)
    for (size_t a = 0; a < COUNT(atom_counts); a++)
      for (int pinned = 0; pinned < 2; pinned++)
        if (edges[e] < 512 || atom_counts[a] < MOST_ATOMS)
          time_size(mapper, edges[e], atom_counts[a], pinned);
  dcs_mapper_close(mapper);
  return 0;
}
