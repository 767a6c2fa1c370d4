/* Products of matrices in single precision on tensor cores, which multiply numbers of 11 bits (TF32) and add in single
 * precision. A number is a sum of two such, but for 2^-23 of it: three products of four are that of the numbers, and
 * the fourth is 2^-24 of it at most. */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "tensor cores multiply TF32 from compute capability 8.0 on"
#endif

/* The first 11 bits, rounded; what is left fits 12. */
static __device__ __forceinline__ float first_bits(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
}

/* d += a b of a warp, 16 x 8 by 8 x 8. With g = lane / 4 and t = lane % 4 a lane has of a rows g, g + 8 of column t,
 * then of column t + 4; of b rows t, t + 4 of column g; of d columns 2 t, 2 t + 1 of row g, then of row g + 8. */
static __device__ __forceinline__ void multiply_add_tf32(float d[4], const float a[4], const float b[2]) {
#ifdef __CUDA_ARCH__
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#else
  dcs_emulated_mma_sync(d, a, b);
#endif
}

/* Two numbers in half precision, rounded, which has 11 bits from 2^-14 on, and fewer below. */
static __device__ __forceinline__ unsigned two_halves(float low, float high) {
#ifdef __CUDA_ARCH__
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
#else
  return dcs_emulated_half(low) | dcs_emulated_half(high) << 16;
#endif
}

/* A number as half precision has it. */
static __device__ __forceinline__ float first_half(float x) {
#ifdef __CUDA_ARCH__
  float first;
  asm("{.reg .f16 half; cvt.rn.f16.f32 half, %1; cvt.f32.f16 %0, half;}" : "=f"(first) : "f"(x));
  return first;
#else
  return dcs_emulated_of_half(dcs_emulated_half(x));
#endif
}

/* d += a b, 16 x 16 by 16 x 8 in half precision, two numbers a register: of a columns 2 t, 2 t + 1, then those 8
 * further on; of b rows likewise. */
static __device__ __forceinline__ void multiply_add_half(float d[4], const unsigned a[4], const unsigned b[2]) {
#ifdef __CUDA_ARCH__
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  dcs_emulated_half_mma_sync(d, a, b);
#endif
}

/* A barrier of all `threads` of a block, that warps may come to from different places. */
static __device__ __forceinline__ void wait_for_warps(int threads) {
#ifdef __CUDA_ARCH__
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
#else
  __syncthreads();
#endif
}
