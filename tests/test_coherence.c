/* States of a buffer that host and device both have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/engine/device/coherence.h"

static bool host_reads(dcs_valid *valid) {
  bool copy;
  assert_int_equal(dcs_host_reads(valid, &copy), DCS_OK);
  return copy;
}

static bool device_reads(dcs_valid *valid) {
  bool copy;
  assert_int_equal(dcs_device_reads(valid, &copy), DCS_OK);
  return copy;
}

/* Written once by the host, it is copied once, however often the device reads it. */
static void what_did_not_change_is_not_copied(void **state) {
  (void)state;
  dcs_valid valid = DCS_VALID_NOWHERE;
  dcs_host_writes(&valid);
  assert_int_equal(valid, DCS_VALID_ON_HOST);
  assert_false(host_reads(&valid));
  assert_true(device_reads(&valid));
  assert_int_equal(valid, DCS_VALID_ON_BOTH);
  for (int i = 0; i < 3; i++) {
    assert_false(device_reads(&valid));
    assert_false(host_reads(&valid));
  }
}

static void who_writes_makes_the_other_stale(void **state) {
  (void)state;
  dcs_valid valid = DCS_VALID_NOWHERE;
  dcs_device_writes(&valid);
  assert_false(device_reads(&valid));
  assert_int_equal(valid, DCS_VALID_ON_DEVICE);
  assert_true(host_reads(&valid));
  assert_false(host_reads(&valid));
  dcs_device_writes(&valid);
  assert_true(host_reads(&valid));
  dcs_host_writes(&valid);
  assert_false(host_reads(&valid));
  assert_true(device_reads(&valid));
}

static void nothing_is_read_before_it_is_written(void **state) {
  (void)state;
  dcs_valid valid = DCS_VALID_NOWHERE;
  bool copy;
  assert_int_equal(dcs_host_reads(&valid, &copy), DCS_FAILED);
  assert_int_equal(dcs_device_reads(&valid, &copy), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "nobody has written"));
  assert_int_equal(valid, DCS_VALID_NOWHERE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_did_not_change_is_not_copied),
      cmocka_unit_test(who_writes_makes_the_other_stale),
      cmocka_unit_test(nothing_is_read_before_it_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
