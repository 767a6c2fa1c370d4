/* The whole ladder through the program: every variant that can run without a card is verified at
 * every edge size, the CUDA kernels on the emulated device. Compiled code is kept from run to run
 * (run.sh names the folder). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/contract.h"
#include "tests/program.h"

/* The line of the output that begins with the id, or NULL. */
static const char *line_of(const char *id) {
  char start[DCS_TEXT];
  snprintf(start, sizeof start, "\n%s ", id);
  if (strncmp(program_out, start + 1, strlen(start) - 1) == 0) return program_out;
  const char *found = strstr(program_out, start);
  return found ? found + 1 : NULL;
}

/* Every variant of the backend has a line that counts maps and ends in "ok". */
static void assert_verified(dcs_backend backend) {
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    if (variant->backend != backend || (variant->available && !variant->available(why))) continue;
    const char *line = line_of(variant->id);
    assert_non_null(line);
    int configurations, maps;
    assert_int_equal(
        sscanf(line + strlen(variant->id), "%d configurations %d maps", &configurations, &maps), 2);
    const int sizes = 11 * configurations;
    assert_true(configurations >= 1 && maps >= sizes);
    /* each size with four cutoffs, but those too large for a configuration */
    assert_true(variant->cutoff ? maps > 3 * sizes && maps <= 4 * sizes : maps == sizes);
    assert_memory_equal(strchr(line, '\n') - 2, "ok", 2);
  }
}

static void cpu_variants_are_right(void **state) {
  (void)state;
  assert_int_equal(program_run("verify --variants cpu"), 0);
  assert_verified(DCS_CPU);
}

static void cuda_variants_are_right_on_the_emulated_device(void **state) {
  (void)state;
  program_seconds = 900; /* it compiles a hundred kernels */
  int status = program_run("verify --device emulated");
  if (status == DCS_UNAVAILABLE) {
    printf("skipped: no C++ compiler for the emulated device: %s", program_err);
    skip();
  }
  assert_int_equal(status, 0);
  assert_verified(DCS_CUDA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cpu_variants_are_right),
      cmocka_unit_test(cuda_variants_are_right_on_the_emulated_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
