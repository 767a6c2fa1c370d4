/* The pages of `dcsbench report` and `compare` on run folders that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/run_folder.h"

#define SAMPLES                                                                                    \
  "round,seq,variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz,inner,"     \
  "time_ns,sm_mhz,temperature_c,power_w\n"
#define SUMMARY                                                                                    \
  "variant,backend,config,threads,devices,scope,memory,problem,problem_config,atoms,nx,ny,nz,"     \
  "median_ns,ci_lo_ns,ci_hi_ns,evals_per_s,limit_fraction,outcome,why\n"
#define ENV "key,value\nschema,4\ncpu_model,Some CPU\ncpus,2\nseed,1\n"

/* ---- a run ---- */

static FILE *samples, *summary;

static const char *in_run(const char *run, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", run, name);
  return in_folder(path);
}

static void begin_run(const char *run, const char *env) {
  mkdir(in_folder(run), 0777);
  put_file(in_run(run, "env.csv"), env);
  assert_non_null(samples = fopen(in_run(run, "samples.csv"), "w"));
  assert_non_null(summary = fopen(in_run(run, "summary.csv"), "w"));
  fputs(SAMPLES, samples);
  fputs(SUMMARY, summary);
}

/* Eight samples around a median; useful work is atoms times 8x8x4 points. */
static void add_row(const char *variant, const char *scope, const char *kind, int atoms,
                    double ms) {
  const int gpu = strncmp(variant, "cuda", 4) == 0;
  const char *memory = strcmp(scope, "kernel") == 0 ? "" : "pageable";
  const char *config = gpu ? "block_x=64" : "threads=2";
  for (int i = 0; i < 8; i++)
    fprintf(samples, "%d,%d,%s,%s,%s,%s,%s,%s,,%d,8,8,4,1,%.9g,,,\n", i, i, variant, config, scope,
            memory, gpu ? "cuda:0" : "cpu", kind, atoms, 1e6 * ms * (1 + 0.001 * (i - 3.5)));
  fprintf(summary, "%s,%s,%s,%s,%s,%s,%s,%s,,%d,8,8,4,%.9g,%.9g,%.9g,%.9g,0.5,ok,\n", variant,
          gpu ? "gpu" : "cpu", config, gpu ? "" : "2", gpu ? "cuda:0" : "cpu", scope, memory, kind,
          atoms, 1e6 * ms, 0.997e6 * ms, 1.003e6 * ms, atoms * 256.0 / (1e-3 * ms));
}

static void end_run(void) {
  assert_int_equal(fclose(samples), 0);
  assert_int_equal(fclose(summary), 0);
}

/* CPU: 1 ns an atom; GPU: a hundredth of that, and to start it 150 ms. */
static void put_crossing_run(const char *run, const char *env) {
  static const int atoms[] = {1000, 10000, 100000, 1000000, 10000000};
  begin_run(run, env);
  for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++) {
    const double gpu_ms = 1e-5 * atoms[i];
    add_row("cpu_simd", "kernel", "coulomb", atoms[i], 1e-3 * atoms[i]);
    add_row("cuda_naive", "kernel", "coulomb", atoms[i], gpu_ms);
    add_row("cuda_naive", "warm", "coulomb", atoms[i], gpu_ms + 0.01);
    add_row("cuda_naive", "first", "coulomb", atoms[i], gpu_ms + 150.01);
  }
  end_run();
}

/* Makes a page; the caller frees it. */
static char *page_of(const char *run, size_t *bytes) {
  assert_status(program_run("report %s --html", in_folder(run)), 0);
  assert_contains(program_out, "/report.html\n");
  char *page = get_file(in_run(run, "report.html"), bytes);
  assert_contains(page, "</html>\n");
  return page;
}

/* ---- tests ---- */

static void a_full_disk_is_said_of_the_page(void **state) {
  (void)state;
  put_crossing_run("full", ENV);
  if (access("/dev/full", W_OK) != 0) {
    print_message("no /dev/full here: skipped\n");
    return;
  }
  assert_status(program_run("report %s --html --out /dev/full", in_folder("full")), 5);
  assert_contains(program_err, "/dev/full: ");
}

/* d = log(CPU / GPU) is log(100 / 151.01) at 100,000 atoms and log(1000 / 160.01) at 1,000,000; it
 * is 0 at 10^(5 + 0.41218 / (0.41218 + 1.83252)) = 152,600. */
static void sentences_follow_from_the_data(void **state) {
  (void)state;
  put_crossing_run("crossing", ENV);
  char *page = page_of("crossing", NULL);
  assert_contains(page, "<li>8x8x4, start-up included: the GPU loses to the CPU with all threads "
                        "below 153,000 atoms (95%: ");
  assert_contains(page, " because starting it costs 150 ms; without that it wins at every size "
                        "measured.</li>");
  assert_contains(page,
                  "<li>10000000 atoms, 8x8x4: cuda_naive is the fastest (kernel time), 25.6 x "
                  "10^9 evaluations a second, 50% of the measured limit, 100 times as fast "
                  "as the best CPU variant, cpu_simd with 2 threads.</li>");
  assert_contains(page, "<li>At every size measured of 8x8x4, by kernel time, the GPU is ahead of "
                        "the CPU with all threads.</li>");
  free(page);
}

static void the_page_has_what_the_run_has(void **state) {
  (void)state;
  put_crossing_run("whole", ENV "command_line,dcsbench sweep --plan x.csv\n");
  char *page = page_of("whole", NULL);
  assert_contains(page, "<dt>CPU</dt>\n<dd>Some CPU</dd>");
  assert_contains(page, "<th scope=row>cuda_naive</th><td class=n>10000000</td><td>8x8x4</td>"
                        "<td>kernel</td><td class=n>100</td><td class=n>±0.3%</td>"
                        "<td class=n>25.6</td><td class=n>50.0%</td><td class=n>100</td>"
                        "<td class=n>250</td><td>block_x=64</td></tr>");
  assert_contains(page, "<summary>20 rows</summary>");
  assert_contains(page, "<pre>dcsbench sweep --plan x.csv</pre>");
  assert_contains(page, "<td>first</td><td>8x8x4</td><td>cpu_parallel</td><td>gpu</td>"
                        "<td class=n>5</td><td class=n>1.526e+05</td>");
  assert_contains(page, "verdict");
  assert_contains(page, "Content-Security-Policy");
  assert_null(strstr(page, "http://"));
  assert_null(strstr(page, "https://"));
  if (system("gnuplot --version >/dev/null 2>&1") == 0) {
    assert_contains(page, "<figure><img alt=\"Time against atoms, grid 8x8x4. CPU: Some CPU, GPU: "
                          "unknown\" src=\"data:image/svg+xml;base64,PD94bWwg");
    assert_contains(page, "Crossover"); /* although nobody called `dcsbench crossover` */
  }
  free(page);
  assert_false(exists(in_run("whole", "plots")));
  assert_false(exists(in_run("whole", "thresholds.csv")));
}

static void texts_of_files_are_no_markup(void **state) {
  (void)state;
  begin_run("nasty", "key,value\nschema,4\ncpu_model,\"<script>alert('1')</script>\"\ncpus,2\n"
                     "seed,1\ncommand_line,\"dcsbench \"\"<b>\"\" & more\"\n");
  add_row("<script>alert(2)</script>", "kernel", "coulomb", 1000, 1);
  fputs("v<img "
        "src=x>,cpu,\"a=<i>,b=1\",1,cpu,kernel,,coulomb,,1000,8,8,4,,,,,,crash,\"</li><script>\"\n",
        summary);
  end_run();
  char *page = page_of("nasty", NULL);
  assert_null(strstr(page, "<script>alert"));
  assert_null(strstr(page, "<img src=x>"));
  assert_null(strstr(page, "<i>"));
  assert_null(strstr(page, "</li><script>"));
  assert_contains(page, "<dd>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;</dd>");
  assert_contains(page, "<title>&lt;script&gt;");
  assert_contains(page, "<th scope=row>&lt;script&gt;alert(2)&lt;/script&gt;</th>");
  assert_contains(page, "<td>a=&lt;i&gt;,<wbr>b=1</td>");
  assert_contains(page, "<pre>dcsbench &quot;&lt;b&gt;&quot; &amp; more</pre>");
  assert_contains(page, ": &lt;/li&gt;&lt;script&gt;.</li>");
  free(page);
}

/* Another kind than the first has its own tables; a run of it alone has no crossover point. */
static void every_kind_has_its_page(void **state) {
  (void)state;
  begin_run("kinds", ENV);
  add_row("cpu_density", "kernel", "density", 5000, 2);
  add_row("cpu_simd", "kernel", "coulomb", 5000, 1);
  end_run();
  char *page = page_of("kinds", NULL);
  assert_contains(page, "density: The best configuration of each variant");
  assert_contains(page, "<caption>The best configuration of each variant");
  assert_contains(page, "<th scope=row>cpu_density</th><td class=n>5000</td><td>8x8x4</td>"
                        "<td>kernel</td><td class=n>2</td>");
  assert_contains(page, "<p>None: ");
  free(page);
}

static void a_page_elsewhere_from_a_summary_alone(void **state) {
  (void)state;
  put_crossing_run("moved", ENV);
  assert_int_equal(unlink(in_run("moved", "samples.csv")), 0);
  char run[PATH_MAX];
  snprintf(run, sizeof run, "%s", in_folder("moved"));
  assert_status(program_run("report %s --html -o %s", run, in_folder("elsewhere.html")), 0);
  char *page = get_file(in_folder("elsewhere.html"), NULL);
  assert_contains(page, "samples.csv");
  assert_contains(page, "cuda_naive is the fastest");
  free(page);
  assert_false(exists(in_run("moved", "report.html")));
  assert_status(program_run("report %s --html -o %s", run, in_folder("none/x.html")), 5);
}

static void without_gnuplot_the_page_says_so(void **state) {
  (void)state;
  char *path = strdup(getenv("PATH"));
  put_crossing_run("undrawn", ENV);
  setenv("PATH", test_folder, 1);
  char *page = page_of("undrawn", NULL);
  setenv("PATH", path, 1);
  free(path);
  assert_contains(page, "<li>time_vs_atoms: gnuplot is not on the PATH of who made this page</li>");
  assert_null(strstr(page, "<figure>"));
  assert_contains(page, "<th scope=row>cuda_naive</th>");
  free(page);
}

/* 5,000 rows are to stay below 5 MB. */
static void a_large_run_makes_no_huge_page(void **state) {
  (void)state;
  begin_run("large", ENV);
  for (int i = 0; i < 1250; i++)
    for (int scope = 0; scope < 4; scope++)
      add_row(scope == 0 ? "cpu_simd" : "cuda_naive",
              (const char *[]){"kernel", "kernel", "warm", "first"}[scope], "coulomb", 1000 + i,
              1e-3 * (i + 1) * (scope + 1));
  end_run();
  size_t bytes;
  char *page = page_of("large", &bytes);
  assert_contains(page, "<summary>5000 rows</summary>");
  assert_in_range(bytes, 500000, 5000000);
  free(page);
}

/* B's GPU takes 2 times as long, its CPU the same. */
static void two_runs_stand_side_by_side(void **state) {
  (void)state;
  char a[PATH_MAX];
  put_crossing_run("a", ENV "date,2026-01-02T03:04:05Z\n");
  begin_run("b", ENV "compiler,<b>cc\n");
  add_row("cpu_simd", "kernel", "coulomb", 1000, 1);
  add_row("cuda_naive", "kernel", "coulomb", 1000, 0.02);
  end_run();
  snprintf(a, sizeof a, "%s", in_folder("a"));
  assert_status(program_run("compare %s %s --html", a, in_folder("b")), 1);
  assert_contains(program_out, "b/compare.html\n");
  char *page = get_file(in_run("b", "compare.html"), NULL);
  assert_contains(page, "<li>Of 2 rows 1 are slower in B, 0 faster, 0 the same within 2%; of 1 the "
                        "samples do not tell.");
  assert_contains(page,
                  "<li>Most slower: cuda_naive block_x=64 (kernel, 1000 atoms, 8x8x4): time B "
                  "is 2 times time A (95%: ");
  assert_contains(page, "<li>Not compared: 18 rows only in A, 0 only in B");
  assert_contains(page, "<th scope=row>date</th><td>2026-01-02T03:04:05Z</td><td></td>");
  assert_contains(page, "<th scope=row>compiler</th><td></td><td>&lt;b&gt;cc</td><td>differs</td>");
  assert_contains(page, "<th scope=row>cuda_naive</th><td class=n>1000</td><td>8x8x4</td>"
                        "<td>kernel</td><td class=n>0.01</td><td class=n>0.02</td>"
                        "<td class=n>2.000</td>");
  assert_contains(page, "<td>SLOWER</td><td>block_x=64</td></tr>");
  if (system("gnuplot --version >/dev/null 2>&1") == 0)
    assert_contains(page,
                    "<img alt=\"Time of B over time of A, a point a row, with 95% intervals. ");
  free(page);
  snprintf(a, sizeof a, "%s", in_folder("a"));
  assert_status(
      program_run("compare %s %s --csv --html=%s", a, in_folder("a"), in_folder("same.html")), 0);
  assert_null(strstr(program_out, ".html")); /* CSV alone */
  page = get_file(in_folder("same.html"), NULL);
  assert_contains(page, "</html>\n");
  free(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_runs_stand_side_by_side),
      cmocka_unit_test(a_full_disk_is_said_of_the_page),
      cmocka_unit_test(sentences_follow_from_the_data),
      cmocka_unit_test(the_page_has_what_the_run_has),
      cmocka_unit_test(texts_of_files_are_no_markup),
      cmocka_unit_test(every_kind_has_its_page),
      cmocka_unit_test(a_page_elsewhere_from_a_summary_alone),
      cmocka_unit_test(without_gnuplot_the_page_says_so),
      cmocka_unit_test(a_large_run_makes_no_huge_page),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
