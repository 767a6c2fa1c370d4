/* What README and its page tell of the shipped reference, held against what was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "tests/program.h"
#include "tests/run_folder.h"

#define SHIPPED "results/reference/nvidia-h200/"
#define PAGE    "results/reference.md"

static dcs_table *shipped(const char *name) {
  char path[PATH_MAX];
  dcs_table *t;
  snprintf(path, sizeof path, SHIPPED "%s", name);
  if (dcs_table_read(path, &t) != DCS_OK) fail_msg("%s", dcs_error_message());
  return t;
}

/* "1,234", as pages have it. */
static void add_thousands(char *text, size_t size, double value) {
  const long long whole = llround(value);
  if (whole >= 1000) add_thousands(text, size, (double)(whole / 1000));
  dcs_append(text, size, whole >= 1000 ? ",%03lld" : "%lld", whole % 1000);
}

/* ---- rates ---- */

/* A row of the table of rates: `atoms` and one or two `grids`, as the page names them. */
typedef struct {
  const char *variant, *how, *atoms, *grids[2];
  bool warm;      /* in pinned memory */
  bool in_readme; /* too */
} told_row;

/* "64^3" or "512x512x16", as of a row. */
static bool has_grid(const dcs_table *t, size_t row, const char *grid) {
  char axes[64], cube[64];
  snprintf(axes, sizeof axes, "%sx%sx%s", text_at(t, row, "nx"), text_at(t, row, "ny"),
           text_at(t, row, "nz"));
  snprintf(cube, sizeof cube, "%s^3", text_at(t, row, "nx"));
  return strcmp(strchr(grid, '^') ? cube : axes, grid) == 0 &&
         (!strchr(grid, '^') || (strcmp(text_at(t, row, "nx"), text_at(t, row, "ny")) == 0 &&
                                 strcmp(text_at(t, row, "ny"), text_at(t, row, "nz")) == 0));
}

static bool is_told(const dcs_table *t, size_t row, const told_row *told, const char *grid) {
  char atoms[32] = "";
  add_thousands(atoms, sizeof atoms, number_at(t, row, "atoms"));
  return strcmp(text_at(t, row, "outcome"), "ok") == 0 &&
         strcmp(text_at(t, row, "variant"), told->variant) == 0 &&
         strcmp(text_at(t, row, "scope"), told->warm ? "warm" : "kernel") == 0 &&
         strcmp(text_at(t, row, "memory"), told->warm ? "pinned" : "") == 0 &&
         strcmp(atoms, told->atoms) == 0 && has_grid(t, row, grid);
}

/* Its best rate there, in 10^9 evaluations a second, and that over the limit. */
static double best_rate(const dcs_table *t, const told_row *told, const char *grid,
                        double *fraction) {
  double best = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    if (!is_told(t, row, told, grid)) continue;
    const double rate = number_at(t, row, "evals_per_s") / 1e9;
    if (rate > best) *fraction = number_at(t, row, "limit_fraction");
    if (rate > best) best = rate;
  }
  if (best == 0) fail_msg("%s, %s atoms: not measured at %s", told->variant, told->atoms, grid);
  return best;
}

static void expect_row(const dcs_table *t, const char *name, const told_row *told) {
  char line[512] = "", limits[2][32] = {"", ""};
  dcs_append(line, sizeof line, "\n| `%s`%s | %s%s%s, %s atoms | ", told->variant, told->how,
             told->grids[0], told->grids[1] ? " or " : "", told->grids[1] ? told->grids[1] : "",
             told->atoms);
  for (int g = 0; g < 2 && told->grids[g]; g++) {
    double fraction = NAN;
    const double rate = best_rate(t, told, told->grids[g], &fraction);
    if (g) dcs_append(line, sizeof line, " and ");
    add_thousands(line, sizeof line, rate);
    snprintf(limits[g], sizeof limits[g], "%.0f%%", 100 * fraction);
  }
  dcs_append(line, sizeof line, " | %s", limits[0]);
  if (limits[1][0] && strcmp(limits[0], limits[1]) != 0)
    dcs_append(line, sizeof line, " and %s", limits[1]);
  dcs_append(line, sizeof line, " |");
  char *page = get_file(name, NULL);
  if (!strstr(page, line)) fail_msg("%s lacks %s", name, line);
  free(page);
}

static void the_table_of_rates(void **state) {
  (void)state;
  static const told_row rows[] = {
      {"cpu_avx512", ", 16 threads of a Xeon", "4,000", {"256^3"}, .in_readme = true},
      {"cuda_naive", "", "4,000", {"512x512x64"}, .in_readme = true},
      {"cuda_constant", "", "4,000", {"512x512x8"}},
      {"cuda_coarsened", "", "4,000", {"512x512x16"}, .in_readme = true},
      {"cuda_coalesced", "", "4,000", {"512x512x16"}},
      {"cuda_padded", "", "4,000", {"512x512x16"}},
      {"cuda_shared", "", "4,000", {"512x512x64"}},
      {"cuda_volume", "", "4,000", {"512x512x64", "256^3"}, .in_readme = true},
      {"cuda_split", "", "4,000", {"512x512x64", "256^3"}, .in_readme = true},
      {"cuda_split", ", `warm`, pinned memory", "4,000", {"256^3"}, true},
      {"cuda_neighbours", "", "4,000", {"512x512x64", "256^3"}, .in_readme = true},
      {"cuda_neighbours", "", "4,000", {"256x256x264"}},
      {"cuda_neighbours", ", `warm`, pinned memory", "4,000", {"256^3"}, true},
      {"cuda_neighbours", "", "64", {"256^3"}},
      {"cuda_reduce", "", "4,000", {"64^3"}},
      {"cuda_reduce", "", "1,000,000", {"32^3"}},
      {"cuda_parts", "", "4,000", {"64^3"}, .in_readme = true},
      {"cuda_parts", "", "1,000,000", {"32^3"}},
  };
  dcs_table *t = shipped("summary.csv");
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    expect_row(t, PAGE, &rows[r]);
    if (rows[r].in_readme) expect_row(t, "README.md", &rows[r]);
  }
  dcs_table_free(t);
}

/* Six samples make an interval: every row has them. */
static void intervals(void **state) {
  (void)state;
  dcs_table *t = shipped("summary.csv");
  char *page = get_file("results/README.md", NULL), told[128];
  int six = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    if (strcmp(text_at(t, row, "outcome"), "ok") != 0) continue;
    assert_in_range(number_at(t, row, "n"), 6, 7);
    six += number_at(t, row, "n") == 6;
  }
  snprintf(told, sizeof told, "Methods have 7 samples, %d rows have 6", six);
  assert_contains(page, told);
  free(page);
  dcs_table_free(t);
}

/* ---- claims ---- */

/* What claims.csv says of a claim. */
typedef struct {
  char verdict[32];
  double sizes, yes, no, least, most, value;
} finding;

static finding found_of(const dcs_table *t, const char *claim) {
  finding f = {.sizes = 0};
  size_t row = 0;
  while (row < dcs_table_rows(t) && strcmp(text_at(t, row, "claim"), claim) != 0)
    row++;
  if (row == dcs_table_rows(t)) fail_msg("claims.csv lacks %s", claim);
  snprintf(f.verdict, sizeof f.verdict, "%s", text_at(t, row, "verdict"));
  f.yes = number_at(t, row, "yes");
  f.no = number_at(t, row, "no");
  f.sizes = f.yes + f.no + number_at(t, row, "partly") + number_at(t, row, "unsure");
  f.least = number_at(t, row, "least");
  f.most = number_at(t, row, "most");
  f.value = number_at(t, row, "value");
  return f;
}

static void expect_words(const char *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void expect_words(const char *page, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (!strstr(page, line)) fail_msg(PAGE " lacks \"%s\"", line);
}

static void claims_of_versions(const dcs_table *t, const char *page) {
  const finding coarse = found_of(t, "coarsening_40_percent"),
                padded = found_of(t, "padded_best_from_300"),
                saves = found_of(t, "late_read_saves_registers"),
                faster = found_of(t, "late_read_is_faster"),
                blocks = found_of(t, "blocks_matter_twofold"),
                winner = found_of(t, "no_single_winner");
  expect_words(page,
               "| %s | from %.2f to %.1f times as fast as version 1 in %.0f sizes, 1.4 times in "
               "%.0f of them",
               coarse.verdict, coarse.least, coarse.most, coarse.sizes, coarse.yes);
  expect_words(page, "| %s | by more than 2%% in %.0f sizes of %.0f, not in %.0f |", padded.verdict,
               padded.yes, padded.sizes, padded.no);
  expect_words(page, "| %s, %s | saves in %.0f pairs of %.0f; faster in %.0f, not in %.0f |",
               saves.verdict, faster.verdict, saves.yes, saves.sizes, faster.yes, faster.no);
  expect_words(page, "| %s | %.2f to %.1f times |", blocks.verdict, blocks.least, blocks.most);
  expect_words(page, "| %s | 2 or more cannot be told apart in %.0f sizes of %.0f |",
               winner.verdict, winner.yes, winner.sizes);
}

static void claims_of_the_card(const dcs_table *t, const char *page) {
  const finding below = found_of(t, "cpu_to_400_sequential"),
                beyond = found_of(t, "gpu_beyond_400_sequential"),
                below_all = found_of(t, "cpu_to_400_threads"),
                beyond_all = found_of(t, "gpu_beyond_400_threads"),
                start = found_of(t, "start_up_110_ms"), loop = found_of(t, "gpu_44_sequential"),
                vector = found_of(t, "gpu_44_vector"), all = found_of(t, "gpu_44_threads");
  char times[32] = "";
  add_thousands(times, sizeof times, loop.value);
  expect_words(page, "| %s, %s | against the sequential loop:", below.verdict, beyond.verdict);
  expect_words(page, "| %s, %s | against AVX-512 on 16 threads:", below_all.verdict,
               beyond_all.verdict);
  expect_words(page, "| %s | %.0f to %.0f ms |", start.verdict, start.least, start.most);
  expect_words(page,
               "| %s, %s | %s times as fast as the sequential loop, %.0f times as the best vector "
               "code with 1 thread",
               loop.verdict, vector.verdict, times, vector.value);
  expect_words(page, "| %s | %.0f to %.0f times as fast as AVX-512 on 16 threads", all.verdict,
               all.least, all.most);
}

/* From where on the GPU wins against all threads, its start included: to hundreds of atoms. */
static void expect_crossover(const char *page) {
  dcs_table *t = shipped("thresholds.csv");
  char lo[32] = "", hi[32] = "";
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (strcmp(text_at(t, row, "axis"), "atoms") == 0 &&
        strcmp(text_at(t, row, "scope"), "first") == 0 &&
        strcmp(text_at(t, row, "fixed"), "512x512x4") == 0) {
      add_thousands(lo, sizeof lo, 100 * round(number_at(t, row, "lo") / 100));
      add_thousands(hi, sizeof hi, 100 * round(number_at(t, row, "hi") / 100));
    }
  expect_words(page, "the crossover point is at %s to %s)", lo, hi);
  dcs_table_free(t);
}

static void the_table_of_claims(void **state) {
  (void)state;
  dcs_table *t = shipped("claims.csv");
  char *page = get_file(PAGE, NULL);
  claims_of_versions(t, page);
  claims_of_the_card(t, page);
  expect_crossover(page);
  assert_string_equal(found_of(t, "padding_fades").verdict, "holds");
  assert_string_equal(found_of(t, "operations_per_evaluation").verdict, "holds");
  free(page);
  dcs_table_free(t);
}

/* ---- moving data ---- */

/* Of a table of times by edge, atoms and memory, ms. */
static double time_of(const dcs_table *t, const char *edge, const char *n_edge, const char *n_atoms,
                      const char *memory, const char *scope, const char *column) {
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (strcmp(text_at(t, row, edge), n_edge) == 0 &&
        strcmp(text_at(t, row, "atoms"), n_atoms) == 0 &&
        (!memory || strcmp(text_at(t, row, "memory"), memory) == 0) &&
        (!scope || strcmp(text_at(t, row, "scope"), scope) == 0))
      return number_at(t, row, column);
  fail_msg("no %s of %s points along an edge and %s atoms", column, n_edge, n_atoms);
  return NAN;
}

/* A map with its copy takes less than a plain copy of it into ordinary memory. */
static void expect_faster_than_copies(const dcs_table *maps, const dcs_table *library) {
  for (size_t row = 0; row < dcs_table_rows(maps); row++) {
    if (strcmp(text_at(maps, row, "scope"), "warm") != 0) continue;
    const double copy = time_of(library, "edge", text_at(maps, row, "nx"),
                                text_at(maps, row, "atoms"), "pageable", NULL, "plain_copy_ms");
    if (number_at(maps, row, "nx") >= 96)
      assert_true(1e-6 * number_at(maps, row, "median_ns") < copy);
  }
}

/* How many times its method's time a map takes by the library, at most. */
static double most_of_library(const dcs_table *t, const char *memory, double from, double to) {
  double most = 0;
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (strcmp(text_at(t, row, "memory"), memory) == 0 && number_at(t, row, "edge") >= from &&
        number_at(t, row, "edge") <= to)
      most = fmax(most, number_at(t, row, "map_ms") / number_at(t, row, "method_ms"));
  return most;
}

static void moving_data(void **state) {
  (void)state;
  dcs_table *maps = shipped("copies/summary.csv"), *library = shipped("library.csv");
  char *page = get_file(PAGE, NULL);
  const double kernel = time_of(maps, "nx", "256", "64", NULL, "kernel", "median_ns"),
               pinned = time_of(maps, "nx", "256", "64", "pinned", "warm", "median_ns"),
               pageable = time_of(maps, "nx", "256", "64", "pageable", "warm", "median_ns");
  expect_words(page,
               "takes `cuda_neighbours` %.2f ms (`kernel`), with its copy to page-locked memory "
               "%.2f ms and to",
               1e-6 * kernel, 1e-6 * pinned);
  expect_words(page, "memory %.2f ms (`warm`;", 1e-6 * pageable);
  expect_words(page, "to ordinary memory alone takes %.2f.",
               time_of(library, "edge", "256", "64", "pageable", NULL, "plain_copy_ms"));
  expect_words(page, "`dcs_map()` takes %.2f and %.2f ms",
               time_of(library, "edge", "256", "64", "pinned", NULL, "map_ms"),
               time_of(library, "edge", "256", "64", "pageable", NULL, "map_ms"));
  expect_words(page, "at most %.2f times its method's time in page-locked memory and %.2f times in",
               most_of_library(library, "pinned", 96, 512),
               most_of_library(library, "pageable", 96, 512));
  expect_words(page, "up to %.2f and %.2f times", most_of_library(library, "pinned", 64, 64),
               most_of_library(library, "pageable", 64, 64));
  expect_faster_than_copies(maps, library);
  free(page);
  dcs_table_free(maps);
  dcs_table_free(library);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_of_rates),
      cmocka_unit_test(intervals),
      cmocka_unit_test(the_table_of_claims),
      cmocka_unit_test(moving_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
