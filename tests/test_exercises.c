/* The exercises of the tour (kernels/KIND/README.md): each has an answer, and what an answer says
 * of an edit is what the edit does. An edit that no longer applies fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>

#include "tests/run_folder.h"

/* ---- answers ---- */

static const char *nearer(const char *a, const char *b) {
  return !a ? b : !b || a < b ? a : b;
}

/* Returns how many exercises the page has. */
static int count_answered(const char *path) {
  char *page = get_file(path, NULL);
  int n = 0;
  for (const char *at = page; (at = strstr(at, "\n**Exercise")) != NULL; at++, n++) {
    const char *end = nearer(strstr(at + 1, "\n**Exercise"), strstr(at, "\n## "));
    const char *answer = strstr(at, "\n<details><summary>Answer</summary>\n\n");
    const char *closed = answer ? strstr(answer, "\n\n</details>\n") : NULL;
    if (!closed || (end && closed > end)) fail_msg("%s: no answer to%.80s", path, at);
  }
  free(page);
  return n;
}

static void each_has_an_answer(void **state) {
  (void)state;
  glob_t pages;
  int n = 0;
  assert_int_equal(glob("kernels/*/README.md", 0, NULL, &pages), 0);
  for (size_t p = 0; p < pages.gl_pathc; p++)
    n += count_answered(pages.gl_pathv[p]);
  globfree(&pages);
  assert_true(n >= 20);
}

/* ---- edits of .cu files ---- */

typedef struct {
  const char *file, *text, *edit; /* what stands there, and in its place */
  const char *arguments;          /* of the program, before --kernels */
  int status;
  const char *said;
} edited;

#define EMULATED "verify --device emulated --variants "

static const edited edits[] = {
    {"coulomb/cuda/scatter.cu", "atomicAdd(point++, atom.w * rsqrtf(dx * dx + dyz2))",
     "*point++ += atom.w * rsqrtf(dx * dx + dyz2)", EMULATED "cuda_scatter --config block_x=32", 0,
     "ok"},
    {"coulomb/cuda/scatter.cu", "atomicAdd(point++, atom.w * rsqrtf(dx * dx + dyz2))",
     "*point++ += atom.w * rsqrtf(dx * dx + dyz2)", "trace cuda_scatter --races --grid 16x4x1", 1,
     "none of them is atomic"},
    {"coulomb/cuda/naive.cu", "rsqrtf(dx * dx + (dy * dy + dz * dz))",
     "(1.0f / sqrtf(dx * dx + (dy * dy + dz * dz)))",
     EMULATED "cuda_naive --config block_x=32,block_y=4", 0, "ok"},
    {"coulomb/cuda/constant.cu", "atoms[a]", "atoms[(a + threadIdx.x) % n_atoms]",
     EMULATED "cuda_constant --config block_x=32,block_y=2", 0, "ok"},
    {"coulomb/cuda/constant.cu", "atoms[a]", "atoms[(a + threadIdx.x) % n_atoms]",
     "trace cuda_constant --grid 64x4x1", 0, " 16.0 "},
    {"coulomb/cuda/coarsened.cu", "atom.z;\n#pragma unroll", "atom.z;\n#pragma unroll 1",
     EMULATED "cuda_coarsened --config coarsen=4", 0, "ok"},
    {"coulomb/cuda/padded.cu", "j * row + i;", "j * row + i + 1;",
     EMULATED "cuda_padded --config coarsen=4", 1, "bytes just before or after a buffer"},
    {"coulomb/cuda/padded.cu", "j * row + i;", "j * row + i + 1;", "trace cuda_padded --races", 1,
     "thread 127 of"},
    {"coulomb/cuda/shared.cu", "    __syncthreads(); /* nobody", "    /* nobody",
     EMULATED "cuda_shared --config tile_atoms=256", 1, "257 atoms"},
    {"density/cuda/density_naive.cu", "if (exponent >= -density.limit) sum", "sum",
     EMULATED "cuda_density_naive --config block_x=1,block_y=1024", 1,
     "found 0.000337065954, expected 0"},
    {"born/cuda/born_thread.cu", "far_term(r2, series_of(s))", "s * s * s / (3.0f * r2 * r2)",
     EMULATED "cuda_born_thread --config block_x=64", 1, "63 atoms: radii"},
    {"orbital/cuda/orbital_tensor.cu", "z[v] - first_bits(z[v])", "0.0f",
     EMULATED "cuda_orbital_tensor", 1, "37 atoms, 31x3x2"},
    {"stencil/cuda/stencil_naive.cu", "xp = row[inside(i + 1, nx)]", "xp = row[i + 1]",
     EMULATED "cuda_stencil_naive --config block_x=32,block_y=4", 1, "31x3x2: point (30, 2, 1)"},
    {"forces/cuda/forces_patches.cu", " || is_in(out.low, out.high, t.atom[j] - atom)", "",
     EMULATED "cuda_forces_patches --config block_x=32", 1, "1 atoms: forces"},
};

/* Writes a file of kernels/ with an edit to a path. */
static void put_edited(const char *file, const char *from, const char *to, const char *path) {
  char source[256];
  snprintf(source, sizeof source, "kernels/%s", file);
  char *text = get_file(source, NULL), *at = strstr(text, from);
  if (!at) fail_msg("%s: no \"%s\"", source, from);
  char *whole = malloc(strlen(text) + strlen(to) + 1);
  assert_non_null(whole);
  sprintf(whole, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  put_file(path, whole);
  free(whole);
  free(text);
}

static void edits_of_kernels(void **state) {
  (void)state;
  for (size_t e = 0; e < sizeof edits / sizeof edits[0]; e++) {
    const edited *x = &edits[e];
    char path[PATH_MAX], folder[32];
    snprintf(folder, sizeof folder, "mine%zu", e);
    assert_int_equal(mkdir(in_folder(folder), 0777), 0);
    snprintf(path, sizeof path, "%s%s", in_folder(folder), strrchr(x->file, '/'));
    put_edited(x->file, x->text, x->edit, path);
    const int status = program_run("%s --kernels %s", x->arguments, in_folder(folder));
    if (status != x->status || (!strstr(program_out, x->said) && !strstr(program_err, x->said)))
      fail_msg("%s: \"%s\": %s: status %d, expected %d and \"%s\": %s%s", x->file, x->edit,
               x->arguments, status, x->status, x->said, program_out, program_err);
  }
}

/* Verifying something else than what was edited must not look like success. */
static void an_edit_elsewhere_is_noticed(void **state) {
  (void)state;
  assert_status(
      program_run(EMULATED
                  "cuda_naive --config block_x=32,block_y=4 --kernels kernels/coulomb/cuda"),
      0);
  assert_contains(program_err, "note: cuda_naive: what kernels/coulomb/cuda has of it is the "
                               "built-in kernel, unchanged\n");
  assert_status(program_run("verify --variants cpu_gather --kernels kernels/coulomb/cuda"), 0);
  assert_contains(program_err, "note: --kernels changes nothing here");
  assert_status(program_run(EMULATED "cuda_naive --config block_x=32,block_y=4 --kernels %s",
                            in_folder("mine2")),
                0);
  assert_null(strstr(program_err, "note:"));
}

/* ---- edits of C files ---- */

/* The build's compiler and flags; behind them, from *link on, what it links with. */
static char *build_flags(const char **link) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", program_path());
  strcpy(strrchr(path, '/'), "/flags");
  char *flags = get_file(path, NULL), *end = strchr(flags, '\n');
  assert_non_null(end);
  *end = '\0';
  end[1 + strcspn(end + 1, "\n")] = '\0';
  *link = end + 1;
  return flags;
}

/* Builds the program with another object in the place of a variant's, as `make` would in a copy of
 * the tree: the folder's headers come first. */
static void build_edited(const char *source, const char *program) {
  char line[65536], build[PATH_MAX];
  const char *link;
  char *flags = build_flags(&link);
  snprintf(build, sizeof build, "%s", program_path());
  *strrchr(build, '/') = '\0';
  snprintf(line, sizeof line,
           "%s -ffp-contract=fast -iquote %s -iquote . -c -o %s.o %s && "
           "%s -o %s %s/cli/start.o %s.o %s/internal.a %s",
           flags, test_folder, program, source, flags, program, build, program, build, link);
  if (system(line) != 0) fail_msg("%s does not compile", source);
  free(flags);
}

static int run_edited(const char *program, const char *arguments) {
  char line[4096];
  snprintf(line, sizeof line, "%s %s > %s 2>&1", program, arguments, in_folder("said"));
  const int status = system(line);
  char *said = get_file(in_folder("said"), NULL);
  snprintf(program_out, sizeof program_out, "%s", said);
  free(said);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void make_header_folder(void) {
  assert_true(mkdir(in_folder("kernels"), 0777) == 0 || exists(in_folder("kernels")));
  assert_true(mkdir(in_folder("kernels/common"), 0777) == 0 || exists(in_folder("kernels/common")));
}

/* The additions keep their order, and so the map its bits. */
static void a_vectorised_gather_gives_the_same_bits(void **state) {
  (void)state;
  static const char sweep[] =
      "sweep --variants cpu_gather --config threads=1 --atoms 200 --grid 12^3 --rounds 1 --out ";
  char arguments[PATH_MAX];
  put_edited("coulomb/cpu/gather.c", "SCALAR static", "static", in_folder("gather.c"));
  build_edited(in_folder("gather.c"), in_folder("gather"));
  snprintf(arguments, sizeof arguments, "%s%s", sweep, in_folder("vector"));
  assert_int_equal(run_edited(in_folder("gather"), arguments), 0);
  assert_status(program_run("%s%s", sweep, in_folder("scalar")), 0);
  dcs_table *scalar = run_table("scalar", "summary.csv");
  dcs_table *vector = run_table("vector", "summary.csv");
  assert_string_equal(text_at(scalar, 0, "rel_l2_error"), text_at(vector, 0, "rel_l2_error"));
  dcs_table_free(scalar);
  dcs_table_free(vector);
}

/* One map of one atom says what a sum over a thousand hides. */
static void two_newton_steps_are_too_few(void **state) {
  (void)state;
  char arguments[PATH_MAX], half[PATH_MAX];
  make_header_folder();
  snprintf(half, sizeof half, "%s", in_folder("kernels/common/rsqrt_portable.h"));
  put_edited(
      "common/rsqrt_portable.h",
      "  w *= 768.0f - r2 * w * w;\n  return w;\n}\n\n#define TILE_TARGET\n#define TILE_RSQRT   "
      "scaled_rsqrt\n#define TILE_UNSCALE 0x1p-13f",
      "  return w;\n}\n\n#define TILE_TARGET\n#define TILE_RSQRT   scaled_rsqrt\n#define "
      "TILE_UNSCALE 0x1p-4f",
      half);
  build_edited("kernels/coulomb/cpu/simd.c", in_folder("simd"));
  assert_int_equal(run_edited(in_folder("simd"), "verify --variants cpu_simd"), 1);
  assert_contains(program_out, "1 atoms, ");
  snprintf(
      arguments, sizeof arguments,
      "sweep --variants cpu_simd --config threads=1 --atoms 1000 --grid 24^3 --rounds 1 --out %s",
      in_folder("newton"));
  assert_int_equal(run_edited(in_folder("simd"), arguments), 0);
}

static void an_estimate_alone_is_rejected(void **state) {
  (void)state;
  make_header_folder();
  put_edited("common/rsqrt_avx2.h", "return y * (3.0f - r2 * y * y);", "return 2.0f * y;",
             in_folder("kernels/common/rsqrt_avx2.h"));
  build_edited("kernels/coulomb/cpu/avx2.c", in_folder("avx2"));
  const int status = run_edited(in_folder("avx2"), "verify --variants cpu_avx2");
  if (status == 4) return; /* a machine without AVX2 */
  assert_int_equal(status, 1);
  assert_contains(program_out,
                  "times the tolerance"); /* how many depends on the processor's estimate */
}

/* ---- what runs and arithmetic give ---- */

static void tiles_pad(void **state) {
  (void)state;
  program_run("sweep --variants cpu_avx2,cpu_avx512 --config threads=1 --atoms 10 --grid 33^3 "
              "--rounds 1 --out %s",
              in_folder("edges"));
  dcs_table *edges = run_table("edges", "summary.csv");
  const double useful = 33.0 * 33 * 33 * 10;
  assert_float_equal(number_at(edges, 0, "evals_executed") / useful, 40.0 * 36 / (33 * 33), 1e-9);
  assert_float_equal(number_at(edges, 1, "evals_executed") / useful, 48.0 * 40 / (33 * 33), 1e-9);
  dcs_table_free(edges);
}

/* Away from the edge, for blocks of 32 in x: stores of adjacent points, and of those block_x apart.
 */
static void sectors_of_a_store(void **state) {
  (void)state;
  static const int adjacent[] = {4, 8, 16, 32, 32};
  for (int k = 0; k < 5; k++)
    for (int apart = 0; apart < 2; apart++) {
      char words[64];
      assert_status(program_run("trace cuda_%s --config block_x=32,block_y=4,coarsen=%d --grid "
                                "512x4x1 --csv",
                                apart ? "coalesced" : "coarsened", 1 << k),
                    0);
      const char *store = strstr(program_out, ",store,global,");
      assert_non_null(store);
      const double sectors = atof(strchr(strchr(store + 14, ',') + 1, ',') + 1);
      snprintf(words, sizeof words, "K = %d: %g sectors", 1 << k, sectors);
      if (sectors != (apart ? 4 : adjacent[k])) fail_msg("%s", words);
    }
}

/* Of the volume that a box of edges a, b, d is within c of, to that within c of a point. */
static double grown(double a, double b, double d, double c) {
  const double ball = 4.0 / 3 * M_PI * c * c * c;
  return 1 + (M_PI * c * c * (a + b + d) + 2 * c * (a * b + b * d + d * a) + a * b * d) / ball;
}

static void expect_in_page(const char *kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void expect_in_page(const char *kind, const char *format, ...) {
  char words[256], path[64];
  snprintf(path, sizeof path, "kernels/%s/README.md", kind);
  char *page = get_file(path, NULL);
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  for (char *at = page; (at = strchr(at, '\n')) != NULL;)
    *at = ' ';
  assert_contains(page, words);
  free(page);
}

static void arithmetic_of_cutoffs(void **state) {
  (void)state;
  double product[2][4];
  for (int i = 0; i < 2; i++) {
    const double c = i ? 24 : 6;
    product[i][0] = 14 * grown(1.5, 1.5, 0, c);
    product[i][1] = 11 * grown(1.5, 1.5, 1.5, c);
    product[i][2] = 10.5 * grown(1.5, 1.5, 3.5, c);
    product[i][3] = 10.5 * grown(7.5, 1.5, 0, c);
  }
  expect_in_page("coulomb",
                 "Products at c = 6: %.1f, %.1f, %.1f, %.1f; at c = 24: %.1f, %.1f, %.1f, %.1f.",
                 product[0][0], product[0][1], product[0][2], product[0][3], product[1][0],
                 product[1][1], product[1][2], product[1][3]);
  const double within = 0.1 * 4 / 3 * M_PI * 12 * 12 * 12;
  expect_in_page("coulomb", "= %.0f atoms. A bin", within);
  expect_in_page("coulomb", "a = b = d = 7.5): 2,%03.0f atoms",
                 within * grown(7.5, 7.5, 7.5, 12) - 2000);
  expect_in_page("coulomb", "a = 5.5: 1,%03.0f.", within * grown(5.5, 5.5, 5.5, 12) - 1000);
  expect_in_page("coulomb", "%.0f%%. With a cutoff of 4, %.0f%%.", 100 / grown(3.5, 1.5, 3.5, 12),
                 100 / grown(3.5, 1.5, 3.5, 4));
  for (int i = 0; i < 2; i++) {
    const double r = i ? 11.2 : 5.6, ball = 4.0 / 3 * M_PI * r * r * r;
    const double ratio = (105 * 2 * r + 22 * M_PI * r * r + ball) / ball;
    if (i)
      expect_in_page("density", "R = 11.2, %.1f.", ratio);
    else
      expect_in_page("density", "At R = 5.6 that is %.1f times", ratio);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_has_an_answer),
      cmocka_unit_test(edits_of_kernels),
      cmocka_unit_test(an_edit_elsewhere_is_noticed),
      cmocka_unit_test(a_vectorised_gather_gives_the_same_bits),
      cmocka_unit_test(two_newton_steps_are_too_few),
      cmocka_unit_test(an_estimate_alone_is_rejected),
      cmocka_unit_test(tiles_pad),
      cmocka_unit_test(sectors_of_a_store),
      cmocka_unit_test(arithmetic_of_cutoffs),
  };
  without_limits();
  return cmocka_run_group_tests_name("exercises", tests, program_setup, program_teardown);
}
