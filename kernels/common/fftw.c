/* Layers along x and y are transformed first, then lines along z, each by one thread with the one
 * plan that all of them share: what is rounded does not depend on how many threads there are, as
 * it may where FFTW plans for threads. */
#include "kernels/common/fftw.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex_value[2];

/* Of fftw3.h: the measured plans take longer to make than these transforms to run, and choose by
 * what they measured. */
enum { FFTW_FORWARD = -1, FFTW_BACKWARD = 1, FFTW_ESTIMATE = 1 << 6 };

static struct {
  void *(*plan_r2c)(int ny, int nx, double *in, complex_value *out, unsigned flags);
  void *(*plan_c2r)(int ny, int nx, complex_value *in, double *out, unsigned flags);
  void *(*plan_many)(int rank, const int *n, int count, complex_value *in, const int *in_embed,
                     int in_stride, int in_distance, complex_value *out, const int *out_embed,
                     int out_stride, int out_distance, int sign, unsigned flags);
  void (*r2c)(const void *plan, double *in, complex_value *out);
  void (*c2r)(const void *plan, complex_value *in, double *out);
  void (*lines)(const void *plan, complex_value *in, complex_value *out);
  void (*destroy)(void *plan);
  bool open;
} fftw;

/* Its planner is for one thread at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

/* A pointer to an object as one to a function, as POSIX has it. */
#define FIND(library, name, function) (*(void **)&(function) = dlsym(library, name))

static void open_library(void) {
  void *library = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return;
  fftw.open = FIND(library, "fftw_plan_dft_r2c_2d", fftw.plan_r2c) &&
              FIND(library, "fftw_plan_dft_c2r_2d", fftw.plan_c2r) &&
              FIND(library, "fftw_plan_many_dft", fftw.plan_many) &&
              FIND(library, "fftw_execute_dft_r2c", fftw.r2c) &&
              FIND(library, "fftw_execute_dft_c2r", fftw.c2r) &&
              FIND(library, "fftw_execute_dft", fftw.lines) &&
              FIND(library, "fftw_destroy_plan", fftw.destroy);
}

bool dcs_fftw_available(char why[256]) {
  pthread_once(&opened, open_library);
  if (!fftw.open)
    snprintf(why, 256, "needs FFTW, libfftw3.so.3 (package libfftw3-double3; make deps)");
  return fftw.open;
}

/* ---- plans ---- */

/* Complex values of a row, and of a layer. */
static int row_of(const dcs_fftw *f) {
  return dcs_fftw_row(f->n[0]) / 2;
}
static int64_t layer_of(const dcs_fftw *f) {
  return (int64_t)row_of(f) * f->n[1];
}

/* Those of a row, along z: each thread has room for them, where they lie close together. */
static size_t room_of(const dcs_fftw *f) {
  return ((size_t)row_of(f) * (size_t)f->n[2] * sizeof(complex_value) + 63) / 64 * 64;
}

static int most_threads(const int n[3], int threads) {
  return threads < n[1] ? threads : n[1];
}

double dcs_fftw_bytes(const int n[3], int threads) {
  const dcs_fftw f = {.n = {n[0], n[1], n[2]}};
  return (double)most_threads(n, threads) * (double)room_of(&f);
}

static void *plan_lines(const dcs_fftw *f, int sign) {
  const int row = row_of(f);
  complex_value *room = f->room;
  return fftw.plan_many(1, &f->n[2], row, room, NULL, row, 1, room, NULL, row, 1, sign,
                        FFTW_ESTIMATE);
}

bool dcs_fftw_plan(const int n[3], int threads, double *data, dcs_fftw *f) {
  complex_value *complex = (complex_value *)data;
  *f = (dcs_fftw){.data = data, .n = {n[0], n[1], n[2]}, .threads = most_threads(n, threads)};
  pthread_once(&opened, open_library);
  if (!fftw.open || !(f->room = aligned_alloc(64, (size_t)f->threads * room_of(f)))) return false;
  pthread_mutex_lock(&planner);
  f->layer[0] = fftw.plan_r2c(n[1], n[0], data, complex, FFTW_ESTIMATE);
  f->layer[1] = fftw.plan_c2r(n[1], n[0], complex, data, FFTW_ESTIMATE);
  f->lines[0] = plan_lines(f, FFTW_FORWARD);
  f->lines[1] = plan_lines(f, FFTW_BACKWARD);
  pthread_mutex_unlock(&planner);
  if (f->layer[0] && f->layer[1] && f->lines[0] && f->lines[1]) return true;
  dcs_fftw_free(f);
  return false;
}

void dcs_fftw_free(dcs_fftw *f) {
  pthread_mutex_lock(&planner);
  for (int i = 0; i < 2; i++) {
    if (f->layer[i]) fftw.destroy(f->layer[i]);
    if (f->lines[i]) fftw.destroy(f->lines[i]);
  }
  pthread_mutex_unlock(&planner);
  free(f->room);
  *f = (dcs_fftw){0};
}

/* ---- transforms ---- */

static void transform_row(const dcs_fftw *f, const void *plan, int y, complex_value *room) {
  const int row = row_of(f);
  complex_value *data = (complex_value *)f->data + (int64_t)y * row;
  for (int z = 0; z < f->n[2]; z++)
    memcpy(room + (int64_t)z * row, data + z * layer_of(f), (size_t)row * sizeof *room);
  fftw.lines(plan, room, room);
  for (int z = 0; z < f->n[2]; z++)
    memcpy(data + z * layer_of(f), room + (int64_t)z * row, (size_t)row * sizeof *room);
}

static void transform_lines(const dcs_fftw *f, const void *plan) {
#pragma omp parallel for num_threads(f->threads) schedule(static, 1) if (f->threads > 1)
  for (int t = 0; t < f->threads; t++)
    for (int y = t; y < f->n[1]; y += f->threads)
      transform_row(f, plan, y, (complex_value *)((char *)f->room + (size_t)t * room_of(f)));
}

void dcs_fftw_forward(const dcs_fftw *f) {
#pragma omp parallel for num_threads(f->threads) schedule(static) if (f->threads > 1)
  for (int z = 0; z < f->n[2]; z++) {
    double *layer = f->data + 2 * z * layer_of(f);
    fftw.r2c(f->layer[0], layer, (complex_value *)layer);
  }
  transform_lines(f, f->lines[0]);
}

void dcs_fftw_backward(const dcs_fftw *f) {
  transform_lines(f, f->lines[1]);
#pragma omp parallel for num_threads(f->threads) schedule(static) if (f->threads > 1)
  for (int z = 0; z < f->n[2]; z++) {
    double *layer = f->data + 2 * z * layer_of(f);
    fftw.c2r(f->layer[1], (complex_value *)layer, layer);
  }
}
