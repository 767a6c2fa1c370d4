/* Libraries of the CUDA Toolkit, opened at run time. */
#ifndef DCS_CUDA_LIBRARY_H
#define DCS_CUDA_LIBRARY_H

/* Opens the first that is found of the names, closed by NULL: by the loader's own search, else in
 * lib64 of $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. NULL: there is none. */
void *dcs_cuda_library(const char *const *names);

/* Where that looks, for messages. */
#define DCS_CUDA_LIBRARY_PLACES                                                                    \
  "on the library path or in lib64 of $CUDA_HOME, $CUDA_PATH or /usr/local/cuda"

#endif
