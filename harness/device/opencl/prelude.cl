/* Put before a kernel in CUDA C++ that translate.c has turned into OpenCL C: the words of CUDA. */
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT ON

/* Words that are names in CUDA. */
#define half dcs_half
#define global dcs_global
#define local dcs_local
#define constant dcs_constant
#define private dcs_private
#define kernel dcs_kernel
#define uniform dcs_uniform

#define __global__ __kernel
#define __device__
#define __forceinline__ inline
#define __shared__ __local
#define __restrict__ restrict

#define threadIdx ((uint3)(get_local_id(0), get_local_id(1), get_local_id(2)))
#define blockIdx ((uint3)(get_group_id(0), get_group_id(1), get_group_id(2)))
#define blockDim ((uint3)(get_local_size(0), get_local_size(1), get_local_size(2)))
#define gridDim ((uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2)))
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define __threadfence() mem_fence(CLK_GLOBAL_MEM_FENCE)

#define make_float2(x, y) ((float2)(x, y))
#define make_float4(x, y, z, w) ((float4)(x, y, z, w))
#define make_int4(x, y, z, w) ((int4)(x, y, z, w))
#define __ldg(address) (*(address))
#define __int_as_float(x) as_float(x)
#define __float_as_int(x) as_int(x)
#define __float2int_rd(x) convert_int_rtn(x)
#define __float2int_rn(x) convert_int_rte(x)

#define rsqrtf(x) rsqrt(x)
#define sqrtf(x) sqrt(x)
#define fabsf(x) fabs(x)
#define floorf(x) floor(x)
#define ceilf(x) ceil(x)
#define rintf(x) rint(x)
#define fminf(x, y) fmin(x, y)
#define fmaxf(x, y) fmax(x, y)
#define fmaf(x, y, z) fma(x, y, z)
#define __fmaf_rn(x, y, z) fma(x, y, z)
#define expf(x) exp(x)
#define exp2f(x) exp2(x)
#define logf(x) log(x)
#define sinf(x) sin(x)
#define cosf(x) cos(x)
#define powf(x, y) pow(x, y)
#define erfcf(x) erfc(x)
#define __logf(x) native_log(x)
#define __expf(x) native_exp(x)
#define __fdividef(x, y) native_divide(x, y)

/* Rounded on their own: never one operation with what is next to them. */
static inline float __fadd_rn(float x, float y) {
#pragma OPENCL FP_CONTRACT OFF
  return x + y;
}
static inline float __fmul_rn(float x, float y) {
#pragma OPENCL FP_CONTRACT OFF
  return x * y;
}
#if defined(cl_khr_fp64)
static inline double __dadd_rn(double x, double y) {
#pragma OPENCL FP_CONTRACT OFF
  return x + y;
}
static inline double __dmul_rn(double x, double y) {
#pragma OPENCL FP_CONTRACT OFF
  return x * y;
}
#endif

/* What CUDA adds atomically to a float, OpenCL C 1.2 exchanges until nobody came between. */
static inline float __attribute__((overloadable)) atomicAdd(volatile __global float *at, float by) {
  volatile __global uint *bits = (volatile __global uint *)at;
  uint old = *bits, seen;
  while ((seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) + by))) != old)
    old = seen;
  return as_float(old);
}
static inline int __attribute__((overloadable)) atomicAdd(volatile __global int *at, int by) {
  return atomic_add(at, by);
}
static inline int __attribute__((overloadable)) atomicAdd(volatile __local int *at, int by) {
  return atomic_add(at, by);
}
static inline uint __attribute__((overloadable)) atomicAdd(volatile __global uint *at, uint by) {
  return atomic_add(at, by);
}
static inline uint __attribute__((overloadable)) atomicAdd(volatile __local uint *at, uint by) {
  return atomic_add(at, by);
}

