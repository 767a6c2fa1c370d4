/* What an explanation rests on: occupancy, waves, and instructions counted in listings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/text.h"
#include "harness/explain/instructions.h"
#include "harness/explain/occupancy.h"
#include "kernels/common/probe.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- occupancy ---- */

static const dcs_capability *capability(const char *arch) {
  const dcs_capability *c;
  assert_int_equal(dcs_find_capability(arch, &c), DCS_OK);
  return c;
}

static dcs_occupancy occupancy(const char *arch, int threads, int registers, int shared) {
  const dcs_block_needs needs = {threads, registers, shared};
  return dcs_occupancy_of(capability(arch), &needs);
}

/* As the occupancy calculator of the toolkit has them. */
static void known_cases(void **state) {
  (void)state;
  static const struct {
    const char *arch;
    int threads, registers, shared, blocks, warps;
    dcs_sm_share limit;
  } cases[] = {
      {"sm_90", 128, 40, 0, 12, 48, DCS_SHARE_REGISTERS},
      {"sm_90", 1024, 64, 0, 1, 32, DCS_SHARE_REGISTERS},
      {"sm_90", 1024, 32, 0, 2, 64, DCS_SHARE_WARPS},
      {"sm_90", 32, 32, 0, 32, 32, DCS_SHARE_BLOCKS},
      {"sm_90", 33, 16, 0, 32, 64, DCS_SHARE_WARPS},
      {"sm_90a", 256, 71, 0, 3, 24, DCS_SHARE_REGISTERS},
      {"sm_90", 512, 255, 0, 0, 0, DCS_SHARE_REGISTERS},
      {"sm_86", 256, 37, 0, 6, 48, DCS_SHARE_WARPS},
      {"sm_75", 256, 65, 0, 3, 24, DCS_SHARE_REGISTERS},
      {"sm_75", 64, 32, 48 << 10, 1, 2, DCS_SHARE_SHARED},
      {"sm_80", 256, 32, 48 << 10, 3, 24, DCS_SHARE_SHARED},
      {"sm_120", 128, 40, 0, 12, 48, DCS_SHARE_WARPS},
      {"sm_100", 256, -1, -1, 8, 64, DCS_SHARE_WARPS},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_occupancy o =
        occupancy(cases[i].arch, cases[i].threads, cases[i].registers, cases[i].shared);
    if (o.blocks != cases[i].blocks || o.warps != cases[i].warps)
      fail_msg("%s, %d threads: found %d blocks, %d warps; expected %d, %d", cases[i].arch,
               cases[i].threads, o.blocks, o.warps, cases[i].blocks, cases[i].warps);
    assert_int_equal(o.fits[cases[i].limit], o.blocks);
  }
  assert_true(occupancy("sm_90", 128, 40, 0).fraction == 0.75);
  assert_int_equal(occupancy("sm_75", 128, 40, 0).fits[DCS_SHARE_SHARED], INT_MAX);
}

#if DCS_WITH_CUDA && __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

static int calculated(const dcs_capability *c, int threads, int registers, int shared) {
  const cudaOccDeviceProp card = {.computeMajor = c->number / 10,
                                  .computeMinor = c->number % 10,
                                  .maxThreadsPerBlock = 1024,
                                  .maxThreadsPerMultiprocessor = 32 * c->warps,
                                  .regsPerBlock = DCS_SM_REGISTERS,
                                  .regsPerMultiprocessor = DCS_SM_REGISTERS,
                                  .warpSize = 32,
                                  .sharedMemPerBlock = 48 << 10,
                                  .sharedMemPerMultiprocessor = (size_t)c->shared_bytes,
                                  .numSms = 1,
                                  .sharedMemPerBlockOptin =
                                      (size_t)(c->shared_bytes - c->shared_own),
                                  .reservedSharedMemPerBlock = (size_t)c->shared_own};
  const cudaOccFuncAttributes code = {.maxThreadsPerBlock = 1024,
                                      .numRegs = registers,
                                      .sharedSizeBytes = (size_t)shared,
                                      .partitionedGCConfig = PARTITIONED_GC_OFF,
                                      .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN};
  const cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                    .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
  cudaOccResult result;
  assert_int_equal(
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &card, &code, &state, threads, 0),
      CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

/* The toolkit's own arithmetic agrees, whatever a block takes. */
static void as_the_toolkit_calculates(void **state) {
  (void)state;
  static const char *const archs[] = {"sm_75", "sm_80",  "sm_86",  "sm_87", "sm_89",
                                      "sm_90", "sm_100", "sm_110", "sm_120"};
  static const int shared[] = {0, 100, 4096, 13588, 40000};
  for (size_t a = 0; a < sizeof archs / sizeof archs[0]; a++)
    for (int threads = 32; threads <= 1024; threads += 48)
      for (int registers = 16; registers <= 255; registers += 7)
        for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++) {
          const int expected = calculated(capability(archs[a]), threads, registers, shared[s]);
          const int found = occupancy(archs[a], threads, registers, shared[s]).blocks;
          if (found != expected)
            fail_msg("%s, %d threads, %d registers, %d bytes: found %d blocks; expected %d",
                     archs[a], threads, registers, shared[s], found, expected);
        }
}
#else
static void as_the_toolkit_calculates(void **state) {
  (void)state;
  print_message("skipped: no cuda_occupancy.h\n");
  skip();
}
#endif

static void unknown_architectures_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"sm_35", "sm_9", "sm_900", "sm_90x", "90", ""};
  const dcs_capability *c;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_int_equal(dcs_find_capability(wrong[i], &c), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "expected sm_75, "));
}

/* 512 blocks, of which 132 SMs hold one each: four waves, the last not full. */
static void waves_and_tail(void **state) {
  (void)state;
  const dcs_occupancy one = occupancy("sm_90", 1024, 64, 0);
  const dcs_waves w = dcs_waves_of(512, 132, &one);
  assert_float_equal(w.waves, 3.878788, 1e-6);
  assert_float_equal(w.tail, 0.878788, 1e-6);
  assert_float_equal(w.imbalance, 4 * 132 / 512.0, 1e-12);
  const dcs_waves full = dcs_waves_of(528, 132, &one);
  assert_float_equal(full.tail, 1, 1e-12);
  assert_float_equal(full.imbalance, 1, 1e-12);
}

/* ---- instructions ---- */

static void instructions_by_unit(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool machine;
    dcs_pipe pipe;
    int operations;
  } cases[] = {
      {"FFMA.FTZ", true, DCS_PIPE_FP32, 2},
      {"FADD", true, DCS_PIPE_FP32, 1},
      {"FFMA2", true, DCS_PIPE_FP32, 4},
      {"FMUL.FTZ", true, DCS_PIPE_FP32, 1},
      {"FMNMX", true, DCS_PIPE_INTEGER, 0},
      {"MUFU.RSQ", true, DCS_PIPE_SFU, 0},
      {"IMAD.MOV.U32", true, DCS_PIPE_IMAD, 0},
      {"IADD3", true, DCS_PIPE_INTEGER, 0},
      {"I2FP.F32.S32", true, DCS_PIPE_CONVERT, 0},
      {"UIADD3", true, DCS_PIPE_UNIFORM, 0},
      {"ULDC.64", true, DCS_PIPE_LOAD_CONSTANT, 0},
      {"LDC", true, DCS_PIPE_LOAD_CONSTANT, 0},
      {"LDG.E.128.CONSTANT", true, DCS_PIPE_LOAD_GLOBAL, 0},
      {"LD.E", true, DCS_PIPE_LOAD_GENERIC, 0},
      {"LDS.128", true, DCS_PIPE_LOAD_SHARED, 0},
      {"LDL.64", true, DCS_PIPE_LOAD_LOCAL, 0},
      {"STL.128", true, DCS_PIPE_STORE_LOCAL, 0},
      {"STG.E", true, DCS_PIPE_STORE_GLOBAL, 0},
      {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", true, DCS_PIPE_ATOMIC, 0},
      {"BAR.SYNC.DEFER_BLOCKING", true, DCS_PIPE_BARRIER, 0},
      {"BSSY", true, DCS_PIPE_BRANCH, 0},
      {"DFMA", true, DCS_PIPE_OTHER, 0},
      {"HMMA.1688.F32.TF32", true, DCS_PIPE_TENSOR, 0},
      {"HGMMA.64x64x8.F32.TF32", true, DCS_PIPE_TENSOR, 0},
      {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", false, DCS_PIPE_TENSOR, 0},
      {"fma.rn.ftz.f32", false, DCS_PIPE_FP32, 2},
      {"sub.ftz.f32", false, DCS_PIPE_FP32, 1},
      {"fma.rn.f32x2", false, DCS_PIPE_FP32, 4},
      {"fma.rn.f64", false, DCS_PIPE_OTHER, 0},
      {"rsqrt.approx.ftz.f32", false, DCS_PIPE_SFU, 0},
      {"setp.lt.f32", false, DCS_PIPE_INTEGER, 0},
      {"add.s32", false, DCS_PIPE_INTEGER, 0},
      {"mad.lo.s32", false, DCS_PIPE_IMAD, 0},
      {"cvt.rn.f32.s32", false, DCS_PIPE_CONVERT, 0},
      {"ld.const.v4.f32", false, DCS_PIPE_LOAD_CONSTANT, 0},
      {"ld.global.nc.v4.f32", false, DCS_PIPE_LOAD_GLOBAL, 0},
      {"ld.shared.f32", false, DCS_PIPE_LOAD_SHARED, 0},
      {"st.local.f32", false, DCS_PIPE_STORE_LOCAL, 0},
      {"st.f32", false, DCS_PIPE_STORE_GENERIC, 0},
      {"atom.global.add.f32", false, DCS_PIPE_ATOMIC, 0},
      {"bar.sync", false, DCS_PIPE_BARRIER, 0},
      {"bra.uni", false, DCS_PIPE_BRANCH, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int operations;
    const dcs_pipe pipe = dcs_pipe_of(cases[i].name, cases[i].machine, &operations);
    if (pipe != cases[i].pipe || operations != cases[i].operations)
      fail_msg("%s: found %s, %d operations; expected %s, %d", cases[i].name, dcs_pipe_names[pipe],
               operations, dcs_pipe_names[cases[i].pipe], cases[i].operations);
  }
}

static dcs_inner_loop loop_of(const char *path, bool machine) {
  char *text;
  dcs_inner_loop loop;
  assert_int_equal(dcs_read_file(path, &text, NULL), DCS_OK);
  assert_int_equal(dcs_find_inner_loop(text, machine, &loop), DCS_OK);
  free(text);
  return loop;
}

/* cuda_coarsened of 4 points, 4 atoms an iteration, and a loop for the atoms that are left: the
 * former is the inner loop. */
static void machine_code_of_an_unrolled_loop(void **state) {
  (void)state;
  const dcs_inner_loop loop = loop_of("tests/listings/coarsened.sass", true);
  assert_int_equal(loop.instructions, 85);
  assert_int_equal(loop.count[DCS_PIPE_FP32], 56);
  assert_int_equal(loop.fp32_operations, 112);
  assert_int_equal(loop.count[DCS_PIPE_SFU], 16);
  assert_int_equal(loop.count[DCS_PIPE_LOAD_CONSTANT], 8);
  assert_int_equal(loop.count[DCS_PIPE_UNIFORM], 2);
  assert_int_equal(loop.count[DCS_PIPE_INTEGER], 2);
  assert_int_equal(loop.count[DCS_PIPE_BRANCH], 1);
  assert_int_equal(loop.loaded_bytes, 4 * 16);
  assert_int_equal(loop.whole_local, 0);
}

/* The same as PTX: 4 atoms of 3 + 7 * 4 operations, a reciprocal square root being 2; the assembler
 * then makes FMAs of the subtractions. */
static void intermediate_code(void **state) {
  (void)state;
  const dcs_inner_loop loop = loop_of("tests/listings/coarsened.ptx", false);
  assert_int_equal(loop.count[DCS_PIPE_FP32], 56);
  assert_int_equal(loop.fp32_operations + 2 * 16, 4 * 31);
  assert_int_equal(loop.count[DCS_PIPE_SFU], 16);
  assert_int_equal(loop.count[DCS_PIPE_LOAD_CONSTANT], 4);
  assert_int_equal(loop.count[DCS_PIPE_LOAD_LOCAL], 0);
  assert_int_equal(loop.loaded_bytes, 4 * 16);
}

/* The loop over points that is not unrolled, inside the one over atoms: x[m] and sum[m] lie in
 * local memory. */
static void local_memory_in_a_loop(void **state) {
  (void)state;
  const dcs_inner_loop loop = loop_of("tests/listings/local.sass", true);
  assert_int_equal(loop.instructions, 12);
  assert_int_equal(loop.count[DCS_PIPE_LOAD_LOCAL], 2);
  assert_int_equal(loop.count[DCS_PIPE_STORE_LOCAL], 1);
  assert_int_equal(loop.count[DCS_PIPE_SFU], 1);
  assert_int_equal(loop.fp32_operations, 5);
  assert_int_equal(loop.loaded_bytes, 0);
  assert_int_equal(loop.whole_local, 9);
  assert_int_equal(loop.whole, 89);
}

/* Of warps that make tiles and others that multiply them, the latter: products are what is asked
 * for, whatever else has more instructions. */
static void products_of_matrices_tell_the_loop(void **state) {
  (void)state;
  static const char two[] = "\t.section\t.text.dcs,\"ax\",@progbits\n"
                            ".L_x_0:\n"
                            "        /*0000*/  MUFU.EX2 R0, R1 ;\n"
                            "        /*0010*/  FADD R0, R0, R1 ;\n"
                            "        /*0020*/  @P0 BRA `(.L_x_0);\n"
                            ".L_x_1:\n"
                            "        /*0030*/  HMMA.1688.F32.TF32 R4, R8, R12, R4 ;\n"
                            "        /*0040*/  @P1 BRA `(.L_x_1);\n"
                            "        /*0050*/  EXIT ;\n";
  dcs_inner_loop loop;
  assert_int_equal(dcs_find_inner_loop(two, true, &loop), DCS_OK);
  assert_int_equal(loop.instructions, 2);
  assert_int_equal(loop.count[DCS_PIPE_TENSOR], 1);
  assert_int_equal(loop.count[DCS_PIPE_SFU], 0);
}

static void texts_without_a_loop_or_a_kernel(void **state) {
  (void)state;
  static const char straight[] = "\t.section\t.text.dcs,\"ax\",@progbits\n"
                                 "        /*0000*/  FADD R0, R0, R1 ;\n"
                                 "        /*0010*/  EXIT ;\n"
                                 ".L_x_0:\n"
                                 "        /*0020*/  BRA `(.L_x_0);\n"
                                 "        /*0030*/  NOP;\n";
  static const char other[] = "\t.section\t.text.dcs_sort,\"ax\",@progbits\n /*0000*/ EXIT ;\n";
  dcs_inner_loop loop;
  assert_int_equal(dcs_find_inner_loop(straight, true, &loop), DCS_OK);
  assert_int_equal(loop.instructions, 0);
  assert_int_equal(loop.whole, 3);
  assert_int_equal(dcs_find_inner_loop(other, true, &loop), DCS_FAILED);
  assert_int_equal(dcs_find_inner_loop("", false, &loop), DCS_FAILED);
}

/* ---- CPU variants ---- */

static void vectors_of_cpu_variants(void **state) {
  (void)state;
  static const struct {
    const char *id;
    int lanes; /* 0: plain code */
  } cases[] = {{"cpu_gather", 0}, {"cpu_simd", 4}, {"cpu_avx2", 8}, {"cpu_avx512", 16}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_variant *variant = dcs_find_variant(cases[i].id);
    const dcs_config config = dcs_initial_config(variant, 1);
    const dcs_probe *probe = dcs_probe_of(variant, &config);
    assert_int_equal(probe ? probe->lanes : 0, cases[i].lanes);
  }
  const dcs_variant *cells = dcs_find_variant("cpu_cutoff");
  dcs_config config = dcs_initial_config(cells, 1);
  config.value[dcs_find_param(cells, "isa")] = 1;
  assert_int_equal(dcs_probe_of(cells, &config)->lanes, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_cases),
      cmocka_unit_test(as_the_toolkit_calculates),
      cmocka_unit_test(unknown_architectures_are_refused),
      cmocka_unit_test(waves_and_tail),
      cmocka_unit_test(instructions_by_unit),
      cmocka_unit_test(machine_code_of_an_unrolled_loop),
      cmocka_unit_test(intermediate_code),
      cmocka_unit_test(local_memory_in_a_loop),
      cmocka_unit_test(products_of_matrices_tell_the_loop),
      cmocka_unit_test(texts_without_a_loop_or_a_kernel),
      cmocka_unit_test(vectors_of_cpu_variants),
  };
  return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
