/* Rows of a stencil in AVX-512; see stencil_rows.h. */
#define STENCIL_BYTES 64

#ifdef __x86_64__
#include <immintrin.h>

#define STENCIL_TARGET        __attribute__((target("avx512f")))
#define STENCIL_STREAM(to, v) _mm512_stream_ps(to, (__m512)(v))
#define STENCIL_STREAMED()    _mm_sfence()
#endif

#define STENCIL_KERNEL dcs_stencil_avx512
#include "kernels/stencil/cpu/stencil_rows.h"
