#include "harness/device/cuda/cufft.h"
#include "harness/device/cuda/device.h"
#include "harness/device/cuda/library.h"

#if DCS_WITH_CUDA

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* As cufft.h has them since CUDA 11. */
typedef int cufft_handle, cufft_result, cufft_type;
enum { SUCCESS = 0, OUT_OF_MEMORY = 2 }; /* CUFFT_SUCCESS, CUFFT_ALLOC_FAILED */
enum { R2C = 0x2a, C2R = 0x2c, D2Z = 0x6a, Z2D = 0x6c };
typedef cufft_result cufft_exec(cufft_handle, void *from, void *to);

static struct {
  void *handle; /* NULL until the library was found whole */
  cufft_result (*create)(cufft_handle *);
  cufft_result (*destroy)(cufft_handle);
  cufft_result (*set_auto_allocation)(cufft_handle, int automatic);
  cufft_result (*make_plan)(cufft_handle, int rank, long long *n, long long *in_embed,
                            long long in_stride, long long in_distance, long long *out_embed,
                            long long out_stride, long long out_distance, cufft_type type,
                            long long batch, size_t *work_bytes);
  cufft_result (*set_work_area)(cufft_handle, void *work);
  cufft_result (*set_stream)(cufft_handle, CUstream stream);
  cufft_exec *r2c, *c2r, *d2z, *z2d;
} lib;

struct dcs_device_fft {
  cufft_handle handle;
  cufft_exec *exec;
};

/* ---- the library ---- */

static dcs_status load_functions(void *handle) {
  const struct {
    void *to;
    const char *name;
  } functions[] = {{&lib.create, "cufftCreate"},
                   {&lib.destroy, "cufftDestroy"},
                   {&lib.set_auto_allocation, "cufftSetAutoAllocation"},
                   {&lib.make_plan, "cufftMakePlanMany64"},
                   {&lib.set_work_area, "cufftSetWorkArea"},
                   {&lib.set_stream, "cufftSetStream"},
                   {&lib.r2c, "cufftExecR2C"},
                   {&lib.c2r, "cufftExecC2R"},
                   {&lib.d2z, "cufftExecD2Z"},
                   {&lib.z2d, "cufftExecZ2D"}};
  for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
    *(void **)functions[f].to = dlsym(handle, functions[f].name);
    if (!*(void **)functions[f].to)
      return dcs_fail(DCS_UNAVAILABLE,
                      "the cuFFT found here lacks %s; that of CUDA 11 or newer "
                      "has it",
                      functions[f].name);
  }
  return DCS_OK;
}

static dcs_status load_once(void) {
  static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10",
                                      "libcufft.so", NULL};
  if (lib.handle) return DCS_OK;
  void *handle = dcs_cuda_library(names);
  if (!handle)
    return dcs_fail(
        DCS_UNAVAILABLE,
        "cuFFT is not on this machine: no libcufft.so (12, 11 or 10) " DCS_CUDA_LIBRARY_PLACES
        "; install the CUDA Toolkit, or set CUDA_HOME");
  dcs_status status = load_functions(handle);
  if (status == DCS_OK)
    lib.handle = handle;
  else
    dlclose(handle);
  return status;
}

static dcs_status cuda_has_fft(dcs_device *device) {
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
  (void)device;
  pthread_mutex_lock(&loading);
  dcs_status status = load_once();
  pthread_mutex_unlock(&loading);
  return status;
}

static dcs_status check(const char *call, cufft_result result) {
  if (result == SUCCESS) return DCS_OK;
  return dcs_fail(result == OUT_OF_MEMORY ? DCS_UNAVAILABLE : DCS_FAILED, "%s: error %d", call,
                  result);
}

/* ---- transforms ---- */

/* Along x, y, z slowest first; the rows of real numbers are longer where the transform is in place.
 */
static dcs_status make_plan(const dcs_fft *fft, bool in_place, cufft_handle handle,
                            size_t *work_bytes) {
  const long long half = fft->n.x / 2 + 1, row = in_place ? 2 * half : fft->n.x;
  const long long lines = fft->n.y * fft->n.z;
  long long n[] = {fft->n.z, fft->n.y, fft->n.x};
  long long real[] = {n[0], n[1], row}, complex[] = {n[0], n[1], half};
  DCS_TRY(check("cufftSetAutoAllocation", lib.set_auto_allocation(handle, 0)));
  if (fft->forward)
    return check("cufftMakePlanMany64",
                 lib.make_plan(handle, 3, n, real, 1, row * lines, complex, 1, half * lines,
                               fft->doubles ? D2Z : R2C, 1, work_bytes));
  return check("cufftMakePlanMany64",
               lib.make_plan(handle, 3, n, complex, 1, half * lines, real, 1, row * lines,
                             fft->doubles ? Z2D : C2R, 1, work_bytes));
}

static dcs_status cuda_make_fft(dcs_device *device, const dcs_fft *fft, bool in_place,
                                dcs_device_fft **made, size_t *work_bytes) {
  DCS_TRY(cuda_has_fft(device));
  DCS_CUDA_ENTER(device, cuda);
  cufft_handle handle;
  DCS_TRY(check("cufftCreate", lib.create(&handle)));
  dcs_status status = make_plan(fft, in_place, handle, work_bytes);
  dcs_device_fft *f = status == DCS_OK ? malloc(sizeof *f) : NULL;
  if (status == DCS_OK && !f) status = dcs_want("no memory for a transform");
  if (status != DCS_OK) {
    lib.destroy(handle);
    return status;
  }
  *f = (dcs_device_fft){.handle = handle,
                        .exec = fft->forward ? (fft->doubles ? lib.d2z : lib.r2c)
                                             : (fft->doubles ? lib.z2d : lib.c2r)};
  *made = f;
  return DCS_OK;
}

static dcs_status cuda_run_fft(dcs_device *device, const dcs_device_fft *fft, dcs_ptr from,
                               dcs_ptr to, dcs_ptr work) {
  DCS_CUDA_ENTER(device, cuda);
  DCS_TRY(check("cufftSetStream", lib.set_stream(fft->handle, cuda->stream)));
  if (work)
    DCS_TRY(check("cufftSetWorkArea", lib.set_work_area(fft->handle, (void *)(uintptr_t)work)));
  return check("cufftExec", fft->exec(fft->handle, (void *)(uintptr_t)from, (void *)(uintptr_t)to));
}

static void cuda_free_fft(dcs_device *device, dcs_device_fft *fft) {
  dcs_cuda_device *cuda;
  if (dcs_cuda_enter(device, &cuda) == DCS_OK) lib.destroy(fft->handle);
  free(fft);
}

void dcs_cuda_fft_methods(dcs_device *device) {
  device->has_fft = cuda_has_fft;
  device->make_fft = cuda_make_fft;
  device->run_fft = cuda_run_fft;
  device->free_fft = cuda_free_fft;
}

#endif
