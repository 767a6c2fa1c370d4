/* The emulated device: compiling kernels. */
#ifndef DCS_EMULATED_CODE_H
#define DCS_EMULATED_CODE_H

#include "harness/device/host_compiler.h"

enum { DCS_KERNEL_NAME = 64 };

/* Puts the preludes (emulator.h and emulator_run.h; where the kernel is watched, emulator_watch.h
 * before them) before the source and an entry for each kernel behind it: functions
 * dcs_emulated_run_KERNEL and dcs_emulated_sizes_of_KERNEL. *image (malloc'd, the caller frees) is
 * a shared object, taken from the code cache where it is there. DCS_FAILED with the compiler's
 * output when it does not compile. */
dcs_status dcs_emulated_compile(const dcs_host_compiler *compiler, bool watched,
                                const dcs_source *source, void **image, size_t *bytes,
                                dcs_code_facts *facts);

#endif
