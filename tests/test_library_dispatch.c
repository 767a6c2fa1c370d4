/* The library: what its dispatch table decides, and tables that are of no use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/devices.h"
#include "library/mapper.h"
#include "tests/library_map.h"
#include "tests/signed_dispatch.h"

/* ---- the choice ---- */

static void assert_measured(dcs_mapper *m, const dcs_map_request *r) {
  char text[8192];
  assert_int_equal(dcs_explain(m, r, text, sizeof text), 0);
  assert_null(strstr(text, "extrapolated"));
}

static void the_table_decides_by_size(void **state) {
  (void)state;
  const dcs_variant *cpu[64];
  dcs_dispatch d = {0};
  own_facts(&d);
  assert_true(variants_here(DCS_CPU, cpu) >= 2);
  add_method(&d, cpu[0], 10, 10); /* equal at 1,000 evaluations */
  add_method(&d, cpu[1], 9010, 1);
  write_dispatch(in_folder("dispatch.csv"), &d);
  dcs_mapper *m = open_mapper(NULL, in_folder("dispatch.csv"));
  dcs_map_request r = request_of(1);
  r.nx = r.ny = r.nz = 1; /* the least that is measured */
  assert_explains(m, &r, cpu[0]->id);
  assert_measured(m, &r);
  r = request_of(MOST_ATOMS);
  char text[512];
  snprintf(text, sizeof text, "in host memory: %s ", cpu[1]->id);
  assert_explains(m, &r, text);
  assert_computes(m, &r);
  assert_measured(m, &r);
  r.nz = 101; /* just beyond, along one axis */
  assert_explains(m, &r, "(extrapolated: beyond the sizes that it was measured at)");
  r.nz = NZ;
  r.n_atoms = INT64_C(1) << 40; /* far above; only explained */
  assert_explains(m, &r, text);
  assert_explains(m, &r, "(extrapolated: ");
  dcs_mapper_close(m);
}

static void expect_of_threads(int threads, const char *method, const char *why) {
  dcs_mapper *m;
  const dcs_mapper_options options = {
      .device = "cpu", .dispatch = in_folder("threads.csv"), .threads = threads};
  dcs_map_request r = request_of(40);
  assert_int_equal(dcs_mapper_open(&options, &m), 0);
  assert_explains(m, &r, method);
  assert_explains(m, &r, why);
  dcs_mapper_close(m);
}

/* Times of three threads say nothing of fewer. */
static void methods_of_more_threads_than_allowed_are_not_used(void **state) {
  (void)state;
  const dcs_variant *cpu[64];
  dcs_dispatch d = {0};
  own_facts(&d);
  assert_true(variants_here(DCS_CPU, cpu) >= 2);
  add_method(&d, cpu[1], 1, 1);
  dcs_dispatch_family *family = &d.families[0];
  for (int s = 1; s < DCS_DISPATCH_SCOPES; s++)
    family->tables[s].list[0].config = dcs_initial_config(cpu[1], 3);
  char wide[256], top[256], narrow[256];
  snprintf(wide, sizeof wide, "in host memory: %s threads=3 ", cpu[1]->id);
  snprintf(top, sizeof top, "in host memory: %s threads=2 ",
           cpu[variants_here(DCS_CPU, cpu) - 1]->id);
  snprintf(narrow, sizeof narrow, "in host memory: %s threads=1 ", cpu[0]->id);
  write_dispatch(in_folder("threads.csv"), &d);
  expect_of_threads(3, wide, "\ndispatch table: ");
  expect_of_threads(2, top, "no method of the dispatch table for this takes 2 threads or fewer");
  add_method(&d, cpu[0], 1, 10);
  write_dispatch(in_folder("threads.csv"), &d);
  expect_of_threads(3, wide, "\ndispatch table: ");
  expect_of_threads(2, narrow, "the table's methods of more than 2 threads are not used");
}

static void take_fact(dcs_dispatch *d, const dcs_device_facts *own, dcs_dispatch_fact which) {
  snprintf(d->facts[which], sizeof d->facts[0], "%s",
           dcs_device_fact_value(own, dcs_dispatch_facts[which]));
}

/* A table that holds for the emulated device: its GPU methods are taken, and dropped where the
 * card is another. */
static void gpu_methods_are_of_the_cards_measured(void **state) {
  (void)state;
  const dcs_variant *cpu[64], *gpu[64];
  dcs_device *device;
  dcs_device_facts own;
  assert_true(variants_here(DCS_CPU, cpu) > 0 && variants_here(DCS_GPU, gpu) > 0);
  if (dcs_device_open("emulated", &device) != DCS_OK) skip();
  assert_int_equal(dcs_device_read_facts(device, &own), DCS_OK);
  device->close(device);
  dcs_dispatch d = {0};
  own_facts(&d);
  add_method(&d, gpu[0], 1, 1e-3);
  add_method(&d, cpu[0], 1e6, 1);
  take_fact(&d, &own, DCS_FOR_GPU);
  take_fact(&d, &own, DCS_FOR_COMPUTE_CAPABILITY);
  write_dispatch(in_folder("gpu.csv"), &d);
  dcs_map_request r = request_of(40);
  dcs_mapper *m = open_mapper("emulated", in_folder("gpu.csv"));
  assert_explains(m, &r, gpu[0]->id);
  assert_computes(m, &r);
  assert_explains(m, &r, gpu[0]->id); /* it did not fail */
  dcs_mapper_close(m);

  /* What was measured on two cards holds for as many. */
  char cpu_alone[512];
  snprintf(cpu_alone, sizeof cpu_alone, "in host memory: %s ", cpu[0]->id);
  dcs_dispatch_cards(2, dcs_device_fact_value(&own, dcs_dispatch_facts[DCS_FOR_GPU]),
                     d.facts[DCS_FOR_GPU], sizeof d.facts[0]);
  write_dispatch(in_folder("gpu.csv"), &d);
  m = open_mapper("emulated,emulated", in_folder("gpu.csv"));
  assert_explains(m, &r, gpu[0]->id);
  dcs_mapper_close(m);
  m = open_mapper("emulated", in_folder("gpu.csv"));
  assert_explains(m, &r, cpu_alone);
  assert_explains(m, &r, "its GPU times are of \"2 x ");
  dcs_mapper_close(m);

  snprintf(d.facts[DCS_FOR_GPU], sizeof d.facts[0], "Another Card");
  write_dispatch(in_folder("gpu.csv"), &d);
  m = open_mapper("emulated", in_folder("gpu.csv"));
  assert_explains(m, &r, cpu_alone);
  assert_explains(m, &r, "\"Another Card\"");
  assert_computes(m, &r);
  dcs_mapper_close(m);
}

/* A large map on a card of the reference's class, of which nothing was measured here: what was
 * fastest there, and not the highest rung. The emulated device is of no class. */
static void without_a_table_the_reference_of_the_class_decides(void **state) {
  (void)state;
  dcs_dispatch shipped;
  dcs_map_request r = request_of(1);
  r.n_atoms = 4000; /* only explained */
  r.nx = r.ny = r.nz = 256;
  dcs_mapper *m;
  if (dcs_mapper_open(&(dcs_mapper_options){.device = "emulated"}, &m) != 0) skip();
  assert_explains(m, &r, "no dispatch table; the highest rung of the ladder that runs here");
  assert_int_equal(dcs_dispatch_shipped("0.1", &shipped), DCS_UNAVAILABLE);
  assert_int_equal(shipped.n_families, 0);
  assert_int_equal(dcs_dispatch_shipped("9.0", &m->shipped), DCS_OK);
  assert_explains(m, &r, "in host memory: cuda_neighbours block_x=16,block_y=64,");
  assert_explains(m, &r,
                  "\nno dispatch table; what took least on the reference's NVIDIA H200, of "
                  "the same compute capability\n");
  dcs_mapper_close(m);
}

/* ---- within a cutoff ---- */

/* A table of maps within 3 to 4 angstrom, with the switching function, that holds for the emulated
 * device: the GPU pays from 100,000 pairs on. */
static bool own_table_within(dcs_dispatch *d) {
  dcs_device *device;
  dcs_device_facts own;
  if (dcs_device_open("emulated", &device) != DCS_OK) return false;
  assert_int_equal(dcs_device_read_facts(device, &own), DCS_OK);
  device->close(device);
  *d = (dcs_dispatch){0};
  own_facts(d);
  take_fact(d, &own, DCS_FOR_GPU);
  take_fact(d, &own, DCS_FOR_COMPUTE_CAPABILITY);
  add_method_of(d, "cutoff=3,switching=c2", "cutoff=4,switching=c2", variant_within(DCS_GPU), 1e5,
                1e-3);
  add_method_of(d, "cutoff=3,switching=c2", "cutoff=4,switching=c2", variant_within(DCS_CPU), 0, 1);
  write_dispatch(in_folder("within.csv"), d);
  return true;
}

static dcs_map_request request_within(int64_t n, double cutoff, int switched) {
  dcs_map_request r = request_of(n);
  r.cutoff = cutoff;
  r.switched = switched;
  return r;
}

static void assert_takes(dcs_mapper *m, const dcs_map_request *r, const dcs_variant *variant) {
  char text[512];
  snprintf(text, sizeof text, "in host memory: %s ", variant->id);
  assert_explains(m, r, text);
  assert_computes(m, r);
  assert_explains(m, r, text); /* it did not fail */
}

static void the_table_decides_within_a_cutoff(void **state) {
  (void)state;
  dcs_dispatch d;
  if (!own_table_within(&d)) skip();
  dcs_mapper *m = open_mapper("emulated", in_folder("within.csv"));
  dcs_map_request small = request_within(20, 3.5, 1);
  assert_takes(m, &small, variant_within(DCS_CPU));
  assert_explains(m, &small, "within a cutoff of 3.5 angstrom, in host memory: ");
  assert_explains(m, &small, "next best: ");
  assert_explains(m, &small, "scope warm, coulomb, cutoff 3 to 4 angstrom, switching c2");
  dcs_map_request large = request_within(MOST_ATOMS, 3.5, 1);
  assert_takes(m, &large, variant_within(DCS_GPU));
  /* the same atoms and points: more pairs in a ball of 5 angstrom than of 2.4, a factor of less
   * than 1.26 beyond those measured */
  dcs_map_request narrow = request_within(130, 2.4, 1);
  assert_takes(m, &narrow, variant_within(DCS_CPU));
  dcs_map_request wide = request_within(130, 5, 1);
  assert_takes(m, &wide, variant_within(DCS_GPU));
  dcs_mapper_close(m);

  m = open_mapper("cpu", in_folder("within.csv"));
  large = request_within(MOST_ATOMS, 3.5, 1);
  assert_takes(m, &large, variant_within(DCS_CPU));
  assert_explains(m, &large, "dispatch table: ");
  dcs_mapper_close(m);
}

/* Other cutoffs, another switching function and direct sums are not what the table is about: the
 * highest rung computes the map that was asked for. */
static void what_the_table_is_not_about_falls_back(void **state) {
  (void)state;
  dcs_dispatch d;
  if (!own_table_within(&d)) skip();
  dcs_mapper *m = open_mapper("cpu", in_folder("within.csv"));
  const char *rung = "; the highest rung of the ladder that runs here";
  dcs_map_request r = request_within(300, 2, 1);
  assert_takes(m, &r, variant_within(DCS_CPU));
  assert_explains(m, &r, "the dispatch table has no method for coulomb, cutoff=2,switching=c2");
  assert_explains(m, &r, rung);
  r = request_within(300, 5.1, 1);
  assert_explains(m, &r,
                  "cutoff=5.1,switching=c2: it was measured at coulomb, cutoff 3 to 4 "
                  "angstrom, switching c2; the");
  r = request_within(300, 3.5, 0);
  assert_takes(m, &r, variant_within(DCS_CPU));
  assert_explains(m, &r, "the dispatch table has no method for coulomb, cutoff=3.5; the highest");
  assert_explains(m, &r, rung);
  r = request_of(300);
  assert_computes(m, &r);
  assert_explains(m, &r, "the dispatch table has no method for coulomb; the highest");
  assert_explains(m, &r, rung);
  dcs_mapper_close(m);
}

/* ---- tables of no use ---- */

static void assert_miss(const char *part) {
  dcs_mapper *m = open_mapper("cpu", in_folder("bad.csv"));
  dcs_map_request r = request_of(30);
  assert_explains(m, &r, "dispatch table not used: ");
  assert_explains(m, &r, part);
  assert_computes(m, &r);
  dcs_mapper_close(m);
}

/* The table with the first `was` of its rows (not of its header) replaced, and signed if asked. */
static void damage_row(const char *was, const char *is, bool signs) {
  char *text = get_file(in_folder("good.csv"), NULL), changed[65536];
  char *row = strchr(text, '\n'), *at = strstr(row, was);
  if (!at) fail_msg("no \"%s\" in \"%s\"", was, row);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
  free(text);
  text = signs ? signed_dispatch(changed, strlen(changed)) : NULL;
  put_file(in_folder("bad.csv"), signs ? text : changed);
  free(text);
}

static void damage(const char *was, const char *is) {
  damage_row(was, is, true);
}

/* One digit of a cost, or of the checksum itself: nothing else could tell. */
static void changed_rows_are_misses(void **state) {
  (void)state;
  const dcs_variant *cpu[64];
  dcs_dispatch d = {0};
  own_facts(&d);
  assert_true(variants_here(DCS_CPU, cpu) > 0);
  add_method(&d, cpu[0], 4321, 1);
  write_dispatch(in_folder("good.csv"), &d);
  damage_row(",4321,", ",4321,", false);
  dcs_mapper *m = open_mapper("cpu", in_folder("bad.csv"));
  dcs_map_request r = request_of(30);
  assert_explains(m, &r, "dispatch table: ");
  dcs_mapper_close(m);
  damage_row(",4321,", ",4331,", false);
  assert_miss("row 2: found checksum \"");
  damage_row(",4321,", ",4331,", true); /* it was signed anew: the cost that was asked for */
  m = open_mapper("cpu", in_folder("bad.csv"));
  assert_explains(m, &r, "dispatch table: ");
  dcs_mapper_close(m);
  char *text = get_file(in_folder("good.csv"), NULL), *last = text + strlen(text) - 2;
  *last = *last == '0' ? '1' : '0';
  put_file(in_folder("bad.csv"), text);
  assert_miss("row 3: found checksum \"");
  free(text);
}

static void tables_of_elsewhere_are_misses(void **state) {
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
    write_dispatch(in_folder("bad.csv"), &d);
    assert_miss(dcs_dispatch_facts[facts[f]]);
    assert_miss("\"something else\"");
  }
}

/* Their costs are of other things: neither is read for what it is not, though columns are missing.
 */
static void tables_of_other_schemas_are_misses(void **state) {
  (void)state;
  put_file(in_folder("bad.csv"), "schema,rows,scope,variant,config,cells,wave_blocks,ns_map\n"
                                 "1,1,warm,cpu_gather,threads=1,5,0,10\n");
  assert_miss(
      "row 2: found schema \"1\"; expected 6: draw the table anew, with `dcsbench dispatch` on "
      "its run folder");
  put_file(in_folder("bad.csv"),
           "schema,rows,scope,smooth,cutoff_least,cutoff_most,variant,config,cells,ns_late_step\n"
           "3,1,warm,,,,cpu_gather,threads=1,5,0\n");
  assert_miss("row 2: found schema \"3\"; expected 6");
}

static void damaged_tables_are_misses(void **state) {
  (void)state;
  const dcs_variant *cpu[64];
  dcs_dispatch d = {0};
  own_facts(&d);
  assert_true(variants_here(DCS_CPU, cpu) > 0);
  add_method(&d, cpu[0], 1, 1);
  write_dispatch(in_folder("good.csv"), &d);
  damage("\n6,2,", "\n7,2,");
  assert_miss("row 2: found schema \"7\"; expected 6");
  damage("\n6,2,first,", "\n3,2,first,");
  assert_miss("row 3: found schema \"3\"; expected 6");
  damage(",coulomb,,,", ",volts,,,");
  assert_miss("found problem \"volts\"");
  damage(",coulomb,,,", ",coulomb,\"cutoff=3,switching=c3\",\"cutoff=3,switching=c2\",");
  assert_miss("found problem_config_least \"cutoff=3,switching=c3\"");
  damage(",coulomb,,,", ",coulomb,cutoff=3,,");
  assert_miss("found problem_config_most \"\"");
  damage(",coulomb,,,", ",coulomb,cutoff=0,cutoff=3,");
  assert_miss("found problem_config_least \"cutoff=0\"");
  damage(",coulomb,,,", ",coulomb,cutoff=4,cutoff=3,");
  assert_miss("found problem_config_most \"cutoff=3\"");
  damage(",coulomb,,,", ",coulomb,cutoff=3,\"cutoff=4,switching=c2\",");
  assert_miss("found problem_config_most \"cutoff=4,switching=c2\"");
  damage(",coulomb,,,", ",coulomb,cutoff=3,cutoff=3,");
  assert_miss("expected one that computes the row's problem");
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
  assert_miss("makes the row's launches");
  damage(",5,0,1,1,1,", ",5,0,nan,1,1,");
  assert_miss("tile_x");

  damage(",1000,100,100,100,", ",1000,-1,100,100,");
  assert_miss("found nx_most \"-1\"");

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
  put_file(in_folder("bad.csv"), "schema,rows\n6,1\n");
  assert_miss("column");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_decides_by_size),
      cmocka_unit_test(methods_of_more_threads_than_allowed_are_not_used),
      cmocka_unit_test(gpu_methods_are_of_the_cards_measured),
      cmocka_unit_test(the_table_decides_within_a_cutoff),
      cmocka_unit_test(what_the_table_is_not_about_falls_back),
      cmocka_unit_test(without_a_table_the_reference_of_the_class_decides),
      cmocka_unit_test(tables_of_other_schemas_are_misses),
      cmocka_unit_test(tables_of_elsewhere_are_misses),
      cmocka_unit_test(changed_rows_are_misses),
      cmocka_unit_test(damaged_tables_are_misses),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
