/* Mistakes of students, planted in the solutions of the labs: each is to be named in the first
 * sentence that `dcsbench lab` says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/program.h"

typedef struct {
  int lab;
  const char *file;
  const char *text, *mistake; /* what stands there, and in its place */
  const char *said;           /* in the first sentence */
} planted;

#define SCATTER   1, "scatter.cu"
#define NAIVE     1, "naive.cu"
#define CONSTANT  2, "constant.cu"
#define SHARED    2, "shared.cu"
#define COARSENED 3, "coarsened.cu"
#define COALESCED 4, "coalesced.cu"
#define PADDED    5, "padded.cu"
#define SPLIT     8, "split.cu"

static const planted mistakes[] = {
    /* the compiler */
    {CONSTANT, "float sum = 0.0f;", "float sum = 0.0f", "constant.cu:15: expected"},
    {CONSTANT, "atom.w *", "atom.q *", "constant.cu:19: "},
    {CONSTANT, "void dcs(", "void potential(",
     "constant.cu has no kernel that begins with extern \"C\" __global__ void dcs("},
    /* loops */
    {CONSTANT, "a < n_atoms", "a < n_atoms - 1", "the last atom of each chunk is left out"},
    {CONSTANT, "int a = 0", "int a = 1", "the first atom of each chunk is left out"},
    {CONSTANT, "a < n_atoms; a++", "a < n_atoms;", "the kernel does not come to an end"},
    {CONSTANT, "+= sum", "= sum", "only the atoms of the last chunk are in them"},
    {CONSTANT, "sum += atom.w", "sum += 2.0f * atom.w", "every atom is added twice"},
    {CONSTANT, "sum += atom.w", "sum -= atom.w", "the sign is wrong"},
    {CONSTANT, "sum += atom.w", "sum = atom.w", "atoms are left out"},
    {CONSTANT, "a < n_atoms", "a < CHUNK_ATOMS",
     "the loop goes on behind the last of the n_atoms atoms"},
    {SHARED, "first < n_atoms; first", "first + TILE_ATOMS <= n_atoms; first",
     "no point of the map is written"},
    {SHARED, "atoms[first + a]", "atoms[a]", "the atoms of the first chunk are taken"},
    /* the formula */
    {CONSTANT, "atom.w * rsqrtf", "rsqrtf", "the charge is missing"},
    {CONSTANT, "rsqrtf(", "sqrtf(", "sums of q r: the distance is multiplied by"},
    {CONSTANT, "rsqrtf(", "1.0f / (", "the square root is missing"},
    {CONSTANT, "+ atom.z)", "+ atom.z * atom.z)", "atom.z is dz^2 already"},
    {CONSTANT, "+ atom.z)", ")", "dz is missing in the distance"},
    {CONSTANT, "atom.w *", "atom.z *", "taken for the charge"},
    {CONSTANT, "dy * dy", "dx * dx", "dx stands where dy belongs"},
    {CONSTANT, "float y = spacing * j", "float y = j", "y is not multiplied by the spacing"},
    {SHARED, "float z = spacing * k", "float z = 0.0f", "the slice's number is not used"},
    /* indices and edges */
    {CONSTANT, "i >= nx ||", "i >= nx - 1 ||",
     "nobody computes the last column (x = 63): only 63 of 64 points in x are covered"},
    {CONSTANT, "i >= nx ||", "i > nx ||", "outside of all arrays (constant.cu:21"},
    {CONSTANT, "  if (i >= nx || j >= ny) return;\n", "", "outside of all arrays (constant.cu:2"},
    {CONSTANT, "* nx + i]", "* ny + i]", "both add to the same point of the map without"},
    {CONSTANT, "j * nx + i]", "i * ny + j]", "as if y ran fastest"},
    {CONSTANT, "blockIdx.y * BLOCK_Y", "blockIdx.y",
     "nobody computes the last row (y = 3): only 3 of 4 points in y are covered"},
    {CONSTANT, "blockIdx.x * BLOCK_X + threadIdx.x", "threadIdx.x",
     "nobody computes the last 32 columns (x from 32 on): only 32 of 64 points in x"},
    {CONSTANT, "slice[(long long)j * nx + i]", "slice[(long long)j * nx * 1000000 + i]",
     "outside of all arrays (constant.cu:21"},
    {COARSENED, "threadIdx.x) * COARSEN", "threadIdx.x)", "points in x are covered"},
    {COARSENED, "spacing * (i + m)", "spacing * i", "its first point again and again"},
    {COARSENED, "if (i + m < nx) ", "", "outside of all arrays (coarsened.cu:33"},
    {COARSENED, "m < COARSEN; m++)\n    if", "m < COARSEN - 1; m++)\n    if",
     "nobody computes one column of every 4 (x = 3, 7, ...)"},
    {COARSENED, "point[m] +=", "point[m * BLOCK_X] +=", "outside of all arrays (coarsened.cu:33"},
    {COALESCED, "spacing * (i + m * BLOCK_X)", "spacing * (i + m)",
     "as if those of a thread were adjacent, but written block_x apart"},
    {COALESCED, "(i + m * BLOCK_X < nx)", "(i + m < nx)", "outside of all arrays (coalesced.cu:34"},
    {COALESCED, "blockIdx.x * (BLOCK_X * COARSEN)", "blockIdx.x * BLOCK_X",
     "each is 2 times too large: 2 threads compute the same point"},
    {PADDED, "j * row + i", "j * row + i + 1", "outside of all arrays (padded.cu:32"},
    {PADDED, "j * row + i", "j * (row - 1) + i",
     "both add to the same point of the map without an atomic (padded.cu:32)"},
    /* races and barriers */
    {SHARED, "a];\n    __syncthreads();", "a];",
     "a barrier is missing between filling shared memory (shared.cu:19) and reading it "
     "(shared.cu:21)"},
    {SHARED, "    }\n    __syncthreads();", "    }",
     "a barrier is missing between reading shared memory (shared.cu:22) and filling it anew "
     "(shared.cu:19)"},
    {SHARED, "a = thread;", "a = threadIdx.x;", "both write the same place in shared memory"},
    {SHARED, "atoms[first + a];\n    __syncthreads();",
     "atoms[first + a];\n    if (i < nx) __syncthreads();", "wait at different barriers"},
    /* crashes */
    {CONSTANT, "float x = spacing * i", "float x = spacing * (i / (nx - nx))",
     "the kernel crashes"},
    {CONSTANT, "float sum = 0.0f;", "float far[1000000];\n  far[i] = 0.0f;\n  float sum = far[i];",
     "the kernel crashes"},
    /* cost */
    {CONSTANT, "atoms[a]", "atoms[(a + threadIdx.x) % n_atoms]",
     "the constant index depends on the thread: 7 different addresses a warp are read one after "
     "another (constant.cu:16)"},
    {COARSENED, "float dx = x[m] - atom.x;",
     "float dx = x[m] - atom.x;\n      float dy = y - atom.y;\n      float dyz2 = dy * dy + "
     "atom.z;",
     "an evaluation takes 10"},
    {PADDED, "    point[m", "    if (i + m * BLOCK_X < 150) point[m", "the edge is still tested"},
    {CONSTANT, "sum += atom.w", "slice[(long long)j * nx + i] += atom.w",
     "the map is written inside the loop over atoms"},
    {COARSENED, "float dx = x[m] - atom.x;",
     "float4 again = atoms[a];\n      float dx = x[m] - again.x;",
     "atoms are loaded too often: 20 bytes an evaluation where 4 do"},
    {COALESCED, "point[m * BLOCK_X] += sum[m]",
     "slice[(long long)j * nx + i + m * BLOCK_X] += sum[0]", "its first point again and again"},
    {SHARED, "  float x = spacing", "  if (i >= nx || j >= ny) return;\n  float x = spacing",
     "ends while thread"},
    {SHARED, "a += BLOCK_X * BLOCK_Y", "a += BLOCK_X",
     "both write the same place in shared memory"},
    {CONSTANT, "atoms[a]", "atoms[threadIdx.x % n_atoms]",
     "the constant index depends on the thread"},
    {SCATTER, "atomicAdd(&map[((long long)k * ny + j) * nx + i], term)",
     "map[((long long)k * ny + j) * nx + i] += term",
     "thread 0 and thread 1 both add to the same point of the map without an atomic "
     "(scatter.cu:16)"},
    {SCATTER, "  if (a >= n_atoms) return;\n", "", "outside of all arrays (scatter.cu:6"},
    {SCATTER, "((long long)k * ny + j) * nx + i", "((long long)i * ny + j) * nz + k",
     "as if z ran fastest"},
    {NAIVE, "atoms[a]", "atoms[(a + threadIdx.x) % n_atoms]",
     "threads of a warp read different atoms"},
    {SPLIT, "*= SOFT_SCALE", "*= 1.0f", "each is 15.79 times what it should be"},
    {SPLIT, "0x5f5f2000", "0x5f3759df", "they are near, off by up to"},
    {CONSTANT, "float x = spacing * i", "float x = spacing * (i + 1)", "x is one too large"},
    {NAIVE, "spacing * k", "spacing * (k + 1)", "those of the slice after: z is one too large"},
    {SCATTER, "spacing * k", "k", "z is not multiplied by the spacing"},
    {SCATTER, "i < nx; i++", "i < ny; i++", "only 4 of 8 points in x are covered"},
    {SCATTER, "blockIdx.x * BLOCK_X + threadIdx.x", "threadIdx.x",
     "8 of 40 atoms are left out (the first is atom 32), and 32 are added twice"},
    {CONSTANT, "float dx", "int dx", "dx has lost its fraction: an int holds none"},
    {CONSTANT, "extern \"C\" __global__", "__global__",
     "constant.cu has no kernel that begins with extern \"C\""},
    {SHARED, "first += TILE_ATOMS", "first += TILE_ATOMS - 1", "of 17 atoms are added twice"},
    {SHARED, "a = thread; a < n; a += BLOCK_X * BLOCK_Y", "a = 0; a < n; a++",
     "threads 0 and 1 both write the same place in shared memory"},
    {COARSENED, "point[m] += sum[m]", "point[m] += sum[0]", "its first point again and again"},
    {COALESCED, "point[m * BLOCK_X]", "point[m * 32]", "the kernel writes just outside of the map"},
    {COALESCED, "+ threadIdx.x; /*", "+ threadIdx.x * COARSEN; /*",
     "nobody computes all columns but one of every 4"},
    {SHARED, "float sum = 0.0f;", "float sum = 0.0f / 0.0f;", "found no number"},
    {SCATTER, "rsqrtf(", "1.0f / sqrtf(dx - dx + ", "an evaluation takes 17 operations where 15"},
    {SPLIT, "(e * e + 2.7819405f) * e + 10.554387f",
     "10.554387f + 2.7819405f * e + e * e * e + 0.0f", "an evaluation takes"},
    {SPLIT, "? soft_rsqrt(r2)", "? rsqrtf(r2) / SOFT_SCALE",
     "an evaluation calls rsqrtf or sqrtf 1 times where 0 are asked for"},
    {SHARED, "float dz = z - atom.z;", "float dz = spacing * k - atom.z;",
     "an evaluation takes 13.1 operations where 12.1 do"},
};
enum { N_MISTAKES = sizeof mistakes / sizeof mistakes[0] };

/* Copies the lab's solutions to a folder, with the mistake in one of them. */
static void plant(const planted *m, const char *folder) {
  char from[256], to[512], line[8192];
  snprintf(line, sizeof line, "rm -rf %s && cp -r labs/%d/solution %s", folder, m->lab, folder);
  assert_int_equal(system(line), 0);
  snprintf(from, sizeof from, "labs/%d/solution/%s", m->lab, m->file);
  snprintf(to, sizeof to, "%s/%s", folder, m->file);
  char *text = get_file(from, NULL), *at = strstr(text, m->text);
  if (!at) fail_msg("%s: no \"%s\"", from, m->text);
  snprintf(line, sizeof line, "%.*s%s%s", (int)(at - text), text, m->mistake, at + strlen(m->text));
  put_file(to, line);
  free(text);
}

/* The first sentence: the line behind the second empty one. */
static void first_sentence(char *sentence, size_t size) {
  const char *at = strstr(program_out, "\n\n");
  at = at ? strstr(at + 2, "\n\n") : NULL;
  snprintf(sentence, size, "%.*s", at ? (int)strcspn(at + 2, "\n") : 0, at ? at + 2 : "");
}

static void each_mistake_is_named(void **state) {
  (void)state;
  const char *only = getenv("DCS_TEST_MISTAKE");
  const int every = getenv("DCS_TEST_FULL") ? 1 : 4;
  int named = 0, tried = 0;
  for (int m = 0; m < N_MISTAKES; m++) {
    char sentence[1024];
    if (only ? atoi(only) != m : m % every != 0) continue;
    tried++;
    plant(&mistakes[m], in_folder("mine"));
    program_run("lab %d --kernels %s", mistakes[m].lab, in_folder("mine"));
    first_sentence(sentence, sizeof sentence);
    if (strstr(sentence, mistakes[m].said))
      named++;
    else
      print_message("%d %s: \"%s\" for \"%s\":\n  found \"%s\"\n  expected \"%s\"\n%s", m,
                    mistakes[m].file, mistakes[m].mistake, mistakes[m].text, sentence,
                    mistakes[m].said, only ? program_out : "");
  }
  assert_int_equal(named, tried);
}

int main(void) {
  /* A signal ends a kernel that crashes, not the report of a sanitizer. */
  setenv("ASAN_OPTIONS", "handle_segv=0:handle_sigbus=0:handle_sigfpe=0", 1);
  setenv("TSAN_OPTIONS",
         "ignore_noninstrumented_modules=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_mistake_is_named)};
  without_limits();
  return cmocka_run_group_tests_name("lab_mistakes", tests, program_setup, program_teardown);
}
