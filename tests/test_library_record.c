/* The library: what its record decides, and records that are of no use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/device.h"
#include "tests/library_map.h"

/* ---- the choice ---- */

static void the_record_decides_by_size(void **state) {
  (void)state;
  const dcs_variant *cpu[64];
  dcs_dispatch d = {0};
  own_facts(&d);
  assert_true(variants_here(DCS_CPU, cpu) >= 2);
  add_method(&d, cpu[0], 10, 10); /* equal at 1,000 evaluations */
  add_method(&d, cpu[1], 9010, 1);
  write_record(in_folder("dispatch.csv"), &d);
  dcs_mapper *m = open_mapper(NULL, in_folder("dispatch.csv"));
  dcs_map_request r = request_of(1);
  r.nx = r.ny = r.nz = 1; /* below all that is measured */
  assert_explains(m, &r, cpu[0]->id);
  r = request_of(MOST_ATOMS);
  char text[512];
  snprintf(text, sizeof text, "in host memory: %s ", cpu[1]->id);
  assert_explains(m, &r, text);
  assert_computes(m, &r);
  r.n_atoms = INT64_C(1) << 40; /* far above; only explained */
  assert_explains(m, &r, text);
  dcs_mapper_close(m);
}

/* A record that holds for the emulated device: its GPU methods are taken, and dropped where the
 * card is another. */
static void gpu_methods_are_of_one_card(void **state) {
  (void)state;
  const dcs_variant *cpu[64], *gpu[64];
  dcs_device *device;
  dcs_device_info info;
  assert_true(variants_here(DCS_CPU, cpu) > 0 && variants_here(DCS_CUDA, gpu) > 0);
  if (dcs_device_open("emulated", &device) != DCS_OK) skip();
  assert_int_equal(device->info(device, &info), DCS_OK);
  device->close(device);
  dcs_dispatch d = {0};
  own_facts(&d);
  add_method(&d, gpu[0], 1, 1e-3);
  add_method(&d, cpu[0], 1e6, 1);
  snprintf(d.facts[DCS_FOR_GPU], sizeof d.facts[0], "%s", info.name);
  snprintf(d.facts[DCS_FOR_COMPUTE_CAPABILITY], sizeof d.facts[0], "%d.%d", info.cc_major,
           info.cc_minor);
  write_record(in_folder("gpu.csv"), &d);
  dcs_map_request r = request_of(40);
  dcs_mapper *m = open_mapper("emulated", in_folder("gpu.csv"));
  assert_explains(m, &r, gpu[0]->id);
  assert_computes(m, &r);
  assert_explains(m, &r, gpu[0]->id); /* it did not fail */
  dcs_mapper_close(m);

  snprintf(d.facts[DCS_FOR_GPU], sizeof d.facts[0], "Another Card");
  write_record(in_folder("gpu.csv"), &d);
  m = open_mapper("emulated", in_folder("gpu.csv"));
  char text[512];
  snprintf(text, sizeof text, "in host memory: %s ", cpu[0]->id);
  assert_explains(m, &r, text);
  assert_explains(m, &r, "\"Another Card\"");
  assert_computes(m, &r);
  dcs_mapper_close(m);
}

/* ---- within a cutoff ---- */

/* A record of smoothed maps within 3 to 4 angstrom that holds for the emulated device: the GPU pays
 * from 100,000 pairs on. */
static bool own_record_within(dcs_dispatch *d) {
  dcs_device *device;
  dcs_device_info info;
  if (dcs_device_open("emulated", &device) != DCS_OK) return false;
  assert_int_equal(device->info(device, &info), DCS_OK);
  device->close(device);
  *d = (dcs_dispatch){0};
  own_facts(d);
  snprintf(d->facts[DCS_FOR_GPU], sizeof d->facts[0], "%s", info.name);
  snprintf(d->facts[DCS_FOR_COMPUTE_CAPABILITY], sizeof d->facts[0], "%d.%d", info.cc_major,
           info.cc_minor);
  add_method_of(d, 1 + DCS_SMOOTH_C2, 3, 4, variant_within(DCS_CUDA), 1e5, 1e-3);
  add_method_of(d, 1 + DCS_SMOOTH_C2, 3, 4, variant_within(DCS_CPU), 0, 1);
  write_record(in_folder("within.csv"), d);
  return true;
}

static dcs_map_request request_within(int64_t n, double cutoff, int smooth) {
  dcs_map_request r = request_of(n);
  r.cutoff = cutoff;
  r.smooth = smooth;
  return r;
}

static void assert_takes(dcs_mapper *m, const dcs_map_request *r, const dcs_variant *variant) {
  char text[512];
  snprintf(text, sizeof text, "in host memory: %s ", variant->id);
  assert_explains(m, r, text);
  assert_computes(m, r);
  assert_explains(m, r, text); /* it did not fail */
}

static void the_record_decides_within_a_cutoff(void **state) {
  (void)state;
  dcs_dispatch d;
  if (!own_record_within(&d)) skip();
  dcs_mapper *m = open_mapper("emulated", in_folder("within.csv"));
  dcs_map_request small = request_within(20, 3.5, 1);
  assert_takes(m, &small, variant_within(DCS_CPU));
  assert_explains(m, &small, "within a cutoff of 3.5 angstrom, in host memory: ");
  assert_explains(m, &small, "next best: ");
  assert_explains(m, &small,
                  "scope warm, within a cutoff, smoothed c2, measured at 3 to 4 angstrom");
  dcs_map_request large = request_within(MOST_ATOMS, 3.5, 1);
  assert_takes(m, &large, variant_within(DCS_CUDA));
  /* the same atoms and points: more pairs in a ball of 5 angstrom than of 2.4, a factor of less
   * than 1.26 beyond those measured */
  dcs_map_request narrow = request_within(130, 2.4, 1);
  assert_takes(m, &narrow, variant_within(DCS_CPU));
  dcs_map_request wide = request_within(130, 5, 1);
  assert_takes(m, &wide, variant_within(DCS_CUDA));
  dcs_mapper_close(m);

  m = open_mapper("cpu", in_folder("within.csv"));
  large = request_within(MOST_ATOMS, 3.5, 1);
  assert_takes(m, &large, variant_within(DCS_CPU));
  assert_explains(m, &large, "record: ");
  dcs_mapper_close(m);
}

/* Other cutoffs, other smoothing and whole sums are not what the record is about: the highest rung
 * computes the map that was asked for. */
static void what_the_record_is_not_about_falls_back(void **state) {
  (void)state;
  dcs_dispatch d;
  if (!own_record_within(&d)) skip();
  dcs_mapper *m = open_mapper("cpu", in_folder("within.csv"));
  const char *rung = "; the highest rung of the ladder that runs here";
  dcs_map_request r = request_within(300, 2, 1);
  assert_takes(m, &r, variant_within(DCS_CPU));
  assert_explains(m, &r, "no method for sums within a cutoff, smoothed c2, near 2 angstrom");
  assert_explains(m, &r, rung);
  r = request_within(300, 5.1, 1);
  assert_explains(m, &r, "near 5.1 angstrom: it was measured at 3 to 4 angstrom; the");
  r = request_within(300, 3.5, 0);
  assert_takes(m, &r, variant_within(DCS_CPU));
  assert_explains(m, &r, "the record has no method for sums within a cutoff, not smoothed");
  assert_explains(m, &r, rung);
  r = request_of(300);
  assert_computes(m, &r);
  assert_explains(m, &r, "the record has no method for this");
  assert_explains(m, &r, rung);
  dcs_mapper_close(m);
}

/* ---- records of no use ---- */

static void assert_miss(const char *part) {
  dcs_mapper *m = open_mapper("cpu", in_folder("bad.csv"));
  dcs_map_request r = request_of(30);
  assert_explains(m, &r, "record not used: ");
  assert_explains(m, &r, part);
  assert_computes(m, &r);
  dcs_mapper_close(m);
}

/* The record with the first `was` of its rows (not of its header) replaced. */
static void damage(const char *was, const char *is) {
  char *text = get_file(in_folder("good.csv"), NULL), changed[65536];
  char *row = strchr(text, '\n'), *at = strstr(row, was);
  assert_non_null(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
  put_file(in_folder("bad.csv"), changed);
  free(text);
}

static void records_of_elsewhere_are_misses(void **state) {
  (void)state;
  static const int facts[] = {DCS_FOR_PRECISION, DCS_FOR_KERNELS, DCS_FOR_CPU,
                              DCS_FOR_CPUS,      DCS_FOR_ISA,     DCS_FOR_ISA_DISABLED};
  const dcs_variant *cpu[64];
  assert_true(variants_here(DCS_CPU, cpu) > 0);
  for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
    dcs_dispatch d = {0};
    own_facts(&d);
    add_method(&d, cpu[0], 1, 1);
    snprintf(d.facts[facts[f]], sizeof d.facts[0], "something else");
    write_record(in_folder("bad.csv"), &d);
    assert_miss(dcs_dispatch_facts[facts[f]]);
    assert_miss("\"something else\"");
  }
}

/* Their costs are of other things: neither is read for what it is not, though columns are missing.
 */
static void records_of_former_schemas_are_misses(void **state) {
  (void)state;
  put_file(in_folder("bad.csv"), "schema,rows,scope,variant,config,cells,wave_blocks,ns_map\n"
                                 "1,1,warm,cpu_gather,threads=1,5,0,10\n");
  assert_miss("row 2: found schema \"1\"; expected 3: draw the record anew, with `dcsbench "
              "dispatch` on its run folder");
  put_file(in_folder("bad.csv"),
           "schema,rows,scope,smooth,variant,config,cells,wave_blocks,ns_late_eval\n"
           "2,1,warm,,cpu_gather,threads=1,5,0,10\n");
  assert_miss("row 2: found schema \"2\"; expected 3");
}

static void damaged_records_are_misses(void **state) {
  (void)state;
  const dcs_variant *cpu[64];
  dcs_dispatch d = {0};
  own_facts(&d);
  assert_true(variants_here(DCS_CPU, cpu) > 0);
  add_method(&d, cpu[0], 1, 1);
  write_record(in_folder("good.csv"), &d);
  damage("\n3,2,", "\n4,2,");
  assert_miss("row 2: found schema \"4\"; expected 3");
  damage("\n3,2,first,", "\n2,2,first,");
  assert_miss("row 3: found schema \"2\"; expected 3");
  damage(",warm,,,,", ",warm,c3,3,3,");
  assert_miss("found smooth \"c3\"");
  damage(",warm,,,,", ",warm,c2,3,,");
  assert_miss("found cutoff_most \"\"");
  damage(",warm,,,,", ",warm,c2,0,3,");
  assert_miss("found cutoff_least \"0\"");
  damage(",warm,,,,", ",warm,c2,4,3,");
  assert_miss("found cutoff_most \"3\"");
  damage(",warm,,,,", ",warm,c2,3,3,");
  assert_miss("expected one with a cutoff");
  damage(cpu[0]->id, "cpu_imagined");
  assert_miss("cpu_imagined");
  damage("threads=1", "threads=0");
  assert_miss("threads=0");
  damage("threads=1", "threads=1|2");
  assert_miss("threads=1|2");
  damage("threads=1", "fibres=1");
  assert_miss("fibres=1");
  damage(",warm,", ",tepid,");
  assert_miss("tepid");
  damage(",5,0,1,1,1,", ",5,0,7,1,1,");
  assert_miss("launches");
  damage(",5,0,1,1,1,", ",5,0,nan,1,1,");
  assert_miss("tile_x");

  char *text = get_file(in_folder("good.csv"), NULL);
  text[strlen(text) - 10] = '\0'; /* a cut row */
  put_file(in_folder("bad.csv"), text);
  assert_miss("cut off");
  *strrchr(text, '\n') = '\0'; /* a row less */
  strcat(text, "\n");
  put_file(in_folder("bad.csv"), text);
  assert_miss("found rows \"2\"");
  *(strchr(text, '\n') + 1) = '\0'; /* the header alone */
  put_file(in_folder("bad.csv"), text);
  assert_miss("found no rows");
  put_file(in_folder("bad.csv"), "");
  assert_miss("bad.csv");
  put_file(in_folder("bad.csv"), "schema,rows\n3,1\n");
  assert_miss("column");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_record_decides_by_size),
      cmocka_unit_test(gpu_methods_are_of_one_card),
      cmocka_unit_test(the_record_decides_within_a_cutoff),
      cmocka_unit_test(what_the_record_is_not_about_falls_back),
      cmocka_unit_test(records_of_former_schemas_are_misses),
      cmocka_unit_test(records_of_elsewhere_are_misses),
      cmocka_unit_test(damaged_records_are_misses),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
