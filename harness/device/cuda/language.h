/* What every kind of devices that runs kernels in CUDA C++ has in common. */
#ifndef DCS_CUDA_LANGUAGE_H
#define DCS_CUDA_LANGUAGE_H

#define DCS_CUDA_LANGUAGE "cuda"

/* What every card since compute capability 3.0 allows. */
#define DCS_CUDA_LAUNCH                                                                            \
  { .grid = {INT32_MAX, 65535, 65535}, .block = {1024, 1024, 64}, .threads = 1024 }

#endif
