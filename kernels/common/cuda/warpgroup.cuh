/* Products of matrices that a warpgroup, four warps in a row, hands to tensor cores and waits for later: wgmma, of
 * compute capability 9.0 alone (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate"). They take TF32,
 * as tensor.cuh says. */

#include "kernels/common/cuda/tensor.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
#error "wgmma is of compute capability 9.0 alone"
#endif

/* What a lane has of a result of 64 x 64. With w the warp's number in its group, g = lane / 4 and t = lane % 4,
 * element 4 j + v is in row 16 w + g + 8 (v / 2) and column 8 j + 2 t + v % 2. */
typedef float warpgroup_sums[32];

#ifdef __CUDA_ARCH__
#define ALL_SUMS(d)                                                                                                    \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),          \
      "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),           \
      "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),          \
      "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#endif

/* Where a factor of 8 terms by 64 columns lies in shared memory: four terms of a column in a float4, columns one
 * behind another, the other four `stride` float4 further. */
#ifdef __CUDA_ARCH__
typedef unsigned long long warpgroup_factor;
static __device__ __forceinline__ warpgroup_factor factor_at(const float4 *b, int stride) {
  /* In 16 bytes: from bit 16 on how far the other terms are, from bit 32 on the next 8 columns. No swizzle. */
  return (unsigned)__cvta_generic_to_shared(b) >> 4 | (unsigned long long)stride << 16 | 8ull << 32;
}
static __device__ __forceinline__ warpgroup_factor moved(warpgroup_factor b, int float4s) {
  return b + float4s;
}
#else
typedef dcs_emulated_factor warpgroup_factor;
static warpgroup_factor factor_at(const float4 *b, int stride) {
  return {b, stride};
}
static warpgroup_factor moved(warpgroup_factor b, int float4s) {
  return {b.at + float4s, b.stride};
}
#endif

/* d = a b, or d += a b if `add`, of 64 x 8 by 8 x 64; a as in multiply_add_tf32(), of a warp's 16 rows. Between
 * warpgroup_fence() and warpgroup_commit(); neither a, b nor d is touched until warpgroup_wait(). */
static __device__ __forceinline__ void multiply_tf32_later(warpgroup_sums d, const float a[4], warpgroup_factor b,
                                                           bool add) {
#ifdef __CUDA_ARCH__
  asm volatile("{\n"
               ".reg .pred add;\n"
               "setp.ne.b32 add, %37, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
               "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
               "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
               "{%32,%33,%34,%35}, %36, add, 1, 1;\n"
               "}"
               : ALL_SUMS(d)
               : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
                 "r"(__float_as_uint(a[3])), "l"(b), "r"((int)add));
#else
  dcs_emulated_wgmma(d, a, b, add);
#endif
}

/* Before products whose a or d was written since the last, and between writing b and a barrier before it is read. */
static __device__ __forceinline__ void warpgroup_fence() {
#ifdef __CUDA_ARCH__
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
static __device__ __forceinline__ void written_for_products() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* Closes a group of products; waits until all but the last `LEFT` groups are done, of which d was one. */
static __device__ __forceinline__ void warpgroup_commit() {
#ifdef __CUDA_ARCH__
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
template <int LEFT> static __device__ __forceinline__ void warpgroup_wait(warpgroup_sums d) {
#ifdef __CUDA_ARCH__
  asm volatile("wgmma.wait_group.sync.aligned %32;" : ALL_SUMS(d) : "n"(LEFT) : "memory");
#else
  (void)d;
#endif
}

/* Registers that a thread of the warpgroup has from here on, a multiple of 8: fewer than before, or more. */
template <int N> static __device__ __forceinline__ void give_registers() {
#ifdef __CUDA_ARCH__
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
#endif
}
template <int N> static __device__ __forceinline__ void take_registers() {
#ifdef __CUDA_ARCH__
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
#endif
}
