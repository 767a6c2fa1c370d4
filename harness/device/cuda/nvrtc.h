/* NVRTC, opened at run time, and the compiled-code cache in front of it. */
#ifndef DCS_NVRTC_H
#define DCS_NVRTC_H

#include "harness/device/device.h"

/* Compiles for a real architecture ("sm_90"). *image (malloc'd, the caller frees) is a cubin; NULL
 * `image` asks for the facts alone. DCS_UNAVAILABLE when NVRTC is not there or the program was
 * built without CUDA headers, DCS_USAGE when it does not know the architecture, DCS_FAILED with
 * the compiler's log when the source does not compile. */
dcs_status dcs_nvrtc_compile(const dcs_source *source, const char *arch, void **image,
                             size_t *image_bytes, dcs_code_facts *facts);

/* The PTX on the way there (malloc'd, the caller frees); errors as above. Nothing is cached. */
dcs_status dcs_nvrtc_ptx(const dcs_source *source, const char *arch, char **text);

/* The kernel written down: by nvdisasm where it is found, else as PTX. Errors
 * as of dcs_nvrtc_compile(). */
dcs_status dcs_cuda_list_code(const dcs_source *source, const char *arch, dcs_listing *listing,
                              dcs_code_facts *facts);

/* 13000 for 13.0. */
dcs_status dcs_nvrtc_version(int *version);

#endif
