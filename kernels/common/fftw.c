#include "kernels/common/fftw.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* Of fftw3.h: the measured plans take longer to make than these transforms to run. */
enum { FFTW_ESTIMATE = 1 << 6 };

static struct {
  void *(*plan_forward)(int nz, int ny, int nx, double *in, double (*out)[2], unsigned flags);
  void *(*plan_backward)(int nz, int ny, int nx, double (*in)[2], double *out, unsigned flags);
  void (*forward)(const void *plan, double *in, double (*out)[2]);
  void (*backward)(const void *plan, double (*in)[2], double *out);
  void (*destroy)(void *plan);
  void (*set_threads)(int threads); /* NULL: one thread */
  bool open;
} fftw;

/* Its planner is for one thread at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

/* A pointer to an object as one to a function, as POSIX has it. */
#define FIND(library, name, function) (*(void **)&(function) = dlsym(library, name))

static void open_threads(void) {
  static const char *const names[] = {"libfftw3_omp.so.3", "libfftw3_threads.so.3"};
  for (int i = 0; i < 2 && !fftw.set_threads; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    int (*initialise)(void);
    if (library && FIND(library, "fftw_init_threads", initialise) && initialise())
      FIND(library, "fftw_plan_with_nthreads", fftw.set_threads);
  }
}

static void open_library(void) {
  void *library = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return;
  fftw.open = FIND(library, "fftw_plan_dft_r2c_3d", fftw.plan_forward) &&
              FIND(library, "fftw_plan_dft_c2r_3d", fftw.plan_backward) &&
              FIND(library, "fftw_execute_dft_r2c", fftw.forward) &&
              FIND(library, "fftw_execute_dft_c2r", fftw.backward) &&
              FIND(library, "fftw_destroy_plan", fftw.destroy);
  if (fftw.open) open_threads();
}

bool dcs_fftw_available(char why[256]) {
  pthread_once(&opened, open_library);
  if (!fftw.open)
    snprintf(why, 256, "needs FFTW, libfftw3.so.3 (package libfftw3-double3; make deps)");
  return fftw.open;
}

bool dcs_fftw_plan(const int n[3], int threads, double *data, dcs_fftw *made) {
  pthread_once(&opened, open_library);
  if (!fftw.open) return false;
  double(*complex)[2] = (double(*)[2])data;
  pthread_mutex_lock(&planner);
  if (fftw.set_threads) fftw.set_threads(threads);
  made->data = data;
  made->forward = fftw.plan_forward(n[2], n[1], n[0], data, complex, FFTW_ESTIMATE);
  made->backward = fftw.plan_backward(n[2], n[1], n[0], complex, data, FFTW_ESTIMATE);
  pthread_mutex_unlock(&planner);
  if (made->forward && made->backward) return true;
  dcs_fftw_free(made);
  return false;
}

void dcs_fftw_forward(const dcs_fftw *made) {
  fftw.forward(made->forward, made->data, (double(*)[2])made->data);
}

void dcs_fftw_backward(const dcs_fftw *made) {
  fftw.backward(made->backward, (double(*)[2])made->data, made->data);
}

void dcs_fftw_free(dcs_fftw *made) {
  pthread_mutex_lock(&planner);
  if (made->forward) fftw.destroy(made->forward);
  if (made->backward) fftw.destroy(made->backward);
  pthread_mutex_unlock(&planner);
  *made = (dcs_fftw){0};
}
