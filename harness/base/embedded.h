/* Text files built into the binary: kernel sources, the emulator's prelude, gnuplot scripts, the
 * template of dispatch.h, dispatch tables of reference machines. */
#ifndef DCS_EMBEDDED_H
#define DCS_EMBEDDED_H

/* The file's text by its path in the source tree ("kernels/coulomb/cuda/naive.cu"), or NULL. */
const char *dcs_embedded(const char *path);

#endif
