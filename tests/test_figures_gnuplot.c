/* Figures by a gnuplot that fails, does nothing, or lacks what others have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/drawn_figures.h"

/* Draws with a gnuplot of the test's: a shell script. */
static dcs_status draw_with(const char *script) {
  char path[2 * PATH_MAX];
  put(other, "gnuplot", script);
  assert_int_equal(chmod(path_of(other, "gnuplot", ""), 0755), 0);
  snprintf(path, sizeof path, "%s:%s", other, user_path);
  assert_int_equal(setenv("PATH", path, 1), 0);
  dcs_status status = draw(HEADER CPU_ROWS, ENV, NULL);
  assert_int_equal(setenv("PATH", user_path, 1), 0);
  return status;
}

/* Nothing that was drawn beside is left. */
static void assert_no_parts(void) {
  char plots[PATH_MAX + 8];
  snprintf(plots, sizeof plots, "%s/plots", folder);
  DIR *open = opendir(plots);
  assert_non_null(open);
  for (struct dirent *entry; (entry = readdir(open));)
    assert_null(strstr(entry->d_name, ".part"));
  closedir(open);
}

static void a_failing_gnuplot_is_a_failure(void **state) {
  (void)state;
  assert_int_equal(draw_with("#!/bin/sh\necho 'line 3: no such thing' >&2\nexit 7\n"), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "exit status 7): line 3: no such thing"));
}

/* A gnuplot that ends well is believed only with whole pictures; the old ones stay until then. */
static void less_than_a_picture_is_a_failure(void **state) {
  (void)state;
  static const char *const scripts[] = {
      "exit 0", /* on a full disk gnuplot ends well too */
      ": >time_vs_atoms.png$part; : >time_vs_atoms.svg$part",
      "printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\15IHDR' >time_vs_atoms.png$part;"
      "echo '<?xml version=\"1.0\"?><svg></svg>' >time_vs_atoms.svg$part",
      "echo 'no pngcairo' >&2; echo '<?xml version=\"1.0\"?><svg>' >time_vs_atoms.svg$part"};
  assert_int_equal(mkdir(path_of(folder, "plots", ""), 0777), 0);
  for (size_t s = 0; s < sizeof scripts / sizeof scripts[0]; s++) {
    char script[1000];
    put(folder, "plots/time_vs_atoms.png", "old PNG");
    put(folder, "plots/time_vs_atoms.svg", "old SVG");
    snprintf(script, sizeof script, "#!/bin/sh\npart=${3#*\\\"}; part=${part%%\\\"}\n%s\n",
             scripts[s]);
    assert_int_equal(draw_with(script), DCS_FAILED);
    assert_non_null(strstr(dcs_error_message(), "plots/time_vs_atoms."));
    assert_has("time_vs_atoms", ".png", "old PNG");
    assert_has("time_vs_atoms", ".svg", "old SVG");
    assert_null(strstr(printed, "drawn"));
    assert_no_parts();
  }
}

/* The user's choice of a terminal is not that of the figures. */
static void gnuterm_changes_nothing(void **state) {
  (void)state;
  if (!pictures()) skip();
  char script[3 * PATH_MAX];
  snprintf(script, sizeof script,
           "#!/bin/sh\nPATH='%s'\ntest -z \"$GNUTERM\" || exit 9\nexec gnuplot \"$@\"\n",
           user_path);
  assert_int_equal(setenv("GNUTERM", "dumb", 1), 0);
  dcs_status status = draw_with(script);
  assert_string_equal(getenv("GNUTERM"), "dumb");
  unsetenv("GNUTERM");
  assert_int_equal(status, DCS_OK);
  assert_true(exists("plots/time_vs_atoms", ".png"));
  assert_no_parts();
}

static void a_gnuplot_without_png_draws_svg(void **state) {
  (void)state;
  if (!pictures()) skip();
  char script[3 * PATH_MAX];
  snprintf(
      script, sizeof script,
      "#!/bin/sh\nPATH='%s'\nsed -i 's/\"pngcairo\"/\"none\"/' style.gp\nexec gnuplot \"$@\"\n",
      user_path);
  assert_int_equal(draw_with(script), DCS_OK);
  assert_true(exists("plots/time_vs_atoms", ".svg"));
  assert_false(exists("plots/time_vs_atoms", ".png"));
  assert_non_null(strstr(printed, "plots/time_vs_atoms.svg; no PNG: this gnuplot has no terminal"));
  assert_no_parts();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIGURE_TEST(a_failing_gnuplot_is_a_failure),
      FIGURE_TEST(less_than_a_picture_is_a_failure),
      FIGURE_TEST(gnuterm_changes_nothing),
      FIGURE_TEST(a_gnuplot_without_png_draws_svg),
  };
  const char *path = getenv("PATH");
  user_path = strdup(path ? path : "/usr/bin:/bin");
  gnuplot = system("gnuplot --version >/dev/null 2>&1") == 0;
  int failed = cmocka_run_group_tests_name("figures by gnuplot", tests, NULL, NULL);
  free(user_path);
  return failed;
}
