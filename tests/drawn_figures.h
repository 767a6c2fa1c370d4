/* A run of a few rows, figures that are drawn of it, and what is in them. */
#ifndef DCS_TEST_DRAWN_FIGURES_H
#define DCS_TEST_DRAWN_FIGURES_H

#include "harness/figures/figure.h"
#include "harness/figures/figures.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER                                                                                     \
  "variant,backend,config,coarsen,threads,scope,devices,memory,problem,problem_config,atoms,nx,"   \
  "ny,"                                                                                            \
  "nz,padded_nz,evals_useful,evals_executed,padding_overhead,median_ns,ci_lo_ns,ci_hi_ns,evals_"   \
  "per_s,limit_fraction,"                                                                          \
  "outcome\n"

/* A run on 100x100x1: rates in 1e9/s, and what the figures must make of it:
 * the best of one thread is "quick" (2), of four threads "quick" (6), of the GPU "teeth" at K = 2.
 */
#define CPU_ROWS                                                                                   \
  "cpu_gather,cpu,threads=1,,1,kernel,-,,coulomb,,100,100,100,1,1,1e6,1e6,0,2e6,1.9e6,2.1e6,0."    \
  "5e9,,ok\n"                                                                                      \
  "cpu_gather,cpu,threads=1,,1,kernel,-,,coulomb,,1000,100,100,1,1,1e7,1e7,0,2e7,1.9e7,2.1e7,0."   \
  "5e9,,ok\n"                                                                                      \
  "quick,cpu,threads=1,,1,kernel,-,,coulomb,,100,100,100,1,1,1e6,1e6,0,5e5,,,2e9,,ok\n"            \
  "quick,cpu,threads=4,,4,kernel,-,,coulomb,,1000,100,100,1,1,1e7,1e7,0,1.6e6,,,6.25e9,,ok\n"      \
  "liar,cpu,threads=1,,1,kernel,-,,coulomb,,1000,100,100,1,1,1e7,1e7,0,1,1,1,1e16,,wrong\n"
#define GPU_ROWS                                                                                   \
  "teeth,gpu,coarsen=1,1,,kernel,-,,coulomb,,1000,100,100,1,1,1e7,1.2e7,0.2,1e4,9e3,1.2e4,1e12,0." \
  "25,ok\n"                                                                                        \
  "teeth,gpu,coarsen=2,2,,kernel,-,,coulomb,,1000,100,100,1,1,1e7,1.2e7,0.2,5e3,4e3,6e3,2e12,0.5," \
  "ok\n"                                                                                           \
  "teeth,gpu,coarsen=2,2,,kernel,-,,coulomb,,1000,128,128,1,1,1.6e7,1.6e7,0,8e3,,,2.1e12,0.5,ok\n" \
  "flat,gpu,,,,kernel,-,,coulomb,,1000,100,100,1,1,1e7,1e7,0,2e4,,,5e11,0.1,ok\n"                  \
  "flat,gpu,,,,warm,-,,coulomb,,1000,100,100,1,1,1e7,1e7,0,4e4,,,2.5e11,0.1,ok\n"                  \
  "flat,gpu,,,,warm,-,,coulomb,,100,100,100,1,1,1e6,1e6,0,3e4,,,3e10,0.1,ok\n"
#define ENV                                                                                        \
  "key,value\nschema,4\ncpus,8\nseed,1\ncpu_model,Model C\ngpu_name,Card G\n"                      \
  "limit_gpu_rsqrt_per_s,4e12\nlimit_cpu_all_evals_per_s,1e10\ndate,2001-02-03\n"

static char folder[PATH_MAX], other[PATH_MAX];
static char *printed, *user_path;
static bool gnuplot;

static inline char *path_of(const char *dir, const char *name, const char *ending) {
  static char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%s%s", dir, name, ending);
  return path;
}

static inline void put(const char *dir, const char *name, const char *text) {
  FILE *file = fopen(path_of(dir, name, ""), "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static inline bool exists(const char *name, const char *ending) {
  struct stat status;
  return stat(path_of(folder, name, ending), &status) == 0 && status.st_size > 0;
}

/* The text of plots/NAME+ending; the caller frees it. */
static inline char *get(const char *name, const char *ending) {
  static char inside[DCS_TEXT];
  snprintf(inside, sizeof inside, "plots/%s", name);
  FILE *file = fopen(path_of(folder, inside, ending), "r");
  assert_non_null(file);
  enum { ROOM = 1 << 20 };
  char *text = malloc(ROOM);
  assert_non_null(text);
  size_t n = fread(text, 1, ROOM - 1, file);
  text[n] = '\0';
  fclose(file);
  return text;
}

static inline void assert_has(const char *name, const char *ending, const char *part) {
  char *text = get(name, ending);
  if (!strstr(text, part)) fail_msg("%s%s lacks \"%s\"", name, ending, part);
  free(text);
}

static inline void assert_lacks(const char *name, const char *ending, const char *part) {
  char *text = get(name, ending);
  if (strstr(text, part)) fail_msg("%s%s has \"%s\"", name, ending, part);
  free(text);
}

static const char *only;

static inline dcs_status draw(const char *summary, const char *env, const char *reference) {
  size_t size;
  put(folder, "summary.csv", summary);
  put(folder, "env.csv", env);
  free(printed);
  FILE *out = open_memstream(&printed, &size);
  assert_non_null(out);
  const dcs_figures_options options = {
      .dir = folder, .reference = reference, .only = only, .out = out};
  dcs_status status = dcs_figures(&options);
  assert_int_equal(fclose(out), 0);
  if (status != DCS_OK) print_message("%s\n", dcs_error_message());
  return status;
}

static inline void empty_folder(const char *dir) {
  DIR *open = opendir(dir);
  if (!open) return;
  for (struct dirent *entry; (entry = readdir(open));)
    if (entry->d_name[0] != '.') unlink(path_of(dir, entry->d_name, ""));
  closedir(open);
  rmdir(dir);
}

static inline int set_up(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/dcs_figures_XXXXXX");
  snprintf(other, sizeof other, "/tmp/dcs_figures_XXXXXX");
  return mkdtemp(folder) && mkdtemp(other) ? 0 : -1;
}

static inline int tear_down(void **state) {
  (void)state;
  char plots[PATH_MAX + 8];
  snprintf(plots, sizeof plots, "%s/plots", folder);
  empty_folder(plots);
  empty_folder(folder);
  empty_folder(other);
  free(printed);
  printed = NULL;
  return 0;
}

/* Whether the pictures can be looked at; says so where not. */
static inline bool pictures(void) {
  if (!gnuplot) print_message("no gnuplot: the pictures are not checked\n");
  return gnuplot;
}

#define FIGURE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
