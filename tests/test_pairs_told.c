/* What tests/pairs.awk tells of comparisons: what is promised is judged, the rest is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/shell.h"

#define SHIPPED "results/reference/nvidia-h200/pairs.csv"

/* Sequential comparisons err in it, and a planted 5% is often not found: neither is promised. */
static void the_shipped_run_keeps_what_is_promised(void **state) {
  (void)state;
  assert_int_equal(run("awk -f tests/pairs.awk " SHIPPED), 0);
  assert_contains(said,
                  "holds     turns: 0 of 20 runs have a SLOWER or FASTER, promised are at most "
                  "5% (with 95% at most 14%)");
  assert_contains(said, " sequential: 7 of 20 runs end with status 1");
  assert_contains(said, " planted (5.4% in the mean): 219 of 240 sizes found");
  assert_contains(said, " planted: 96 of 96 sizes found whose interval");
}

/* Of 20 runs with 5% each 4 have a chance of 1.6%, 3 one of 7.5%. */
static void more_than_chance_brings_is_not_so(void **state) {
  (void)state;
  static const char planted[] =
      "awk -F, -v OFS=, '$3 == \"turns\" && $1 <= %d { $NF = \"FASTER\" } "
      "1' " SHIPPED " | awk -f tests/pairs.awk";
  assert_int_equal(run(planted, 3), 0);
  assert_contains(said, "holds     turns: 3 of 20 runs");
  assert_int_equal(run(planted, 4), 1);
  assert_contains(said, "NOT SO    turns: 4 of 20 runs");
}

/* Or else `make pairs` could not plant its 5%. */
static void the_line_that_is_slowed_is_there(void **state) {
  (void)state;
  assert_int_equal(run("grep -Fxc \"$(sed -n \"s/^  line='\\(.*\\)'$/\\1/p\" tests/pairs.sh)\" "
                       "harness/engine/engine_cpu.c"),
                   0);
  assert_string_equal(said, "1\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shipped_run_keeps_what_is_promised),
      cmocka_unit_test(the_line_that_is_slowed_is_there),
      cmocka_unit_test(more_than_chance_brings_is_not_so),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
