/* Rows of a stencil in AVX2; see stencil_rows.h. */
#define STENCIL_BYTES 32

#ifdef __x86_64__
#include <immintrin.h>

#define STENCIL_TARGET        __attribute__((target("avx2,fma")))
#define STENCIL_STREAM(to, v) _mm256_stream_ps(to, (__m256)(v))
#define STENCIL_STREAMED()    _mm_sfence()
#endif

#define STENCIL_KERNEL dcs_stencil_avx2
#include "kernels/stencil/cpu/stencil_rows.h"
