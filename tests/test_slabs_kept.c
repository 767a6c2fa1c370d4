/* Slabs of a grid whose method computes something of the whole grid first: they have the bits of
 * the whole map, and what they have in common is computed once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/map/slabs.h"
#include "kernels/common/phase.h"
#include "library/mapper.h"
#include "tests/plain_map.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

enum { X = 11, Y = 9, Z = 21, SLICE = X * Y, N = SLICE * Z, ATOMS = 60 };

static float all[N], parts[N];

/* One is far from the map, the next one on a point; the others are random. */
static double charges[ATOMS][4] = {{0.3, 0.4, 5.2, 1}, {2, 1, 3, -2},   {3.1, 2.2, 8.9, 1},
                                   {1, 3, 0.2, -0.5},  {55, 1, 2, 0.3}, {1, 1.5, 4, 0.7}};

static dcs_map_request request(double cutoff, double tolerance, bool periodic) {
  return (dcs_map_request){.n_atoms = ATOMS,
                           .atoms = charges[0],
                           .origin = {-1, -1, -1},
                           .spacing = 0.5,
                           .nx = X,
                           .ny = Y,
                           .nz = Z,
                           .cutoff = cutoff,
                           .tolerance = tolerance,
                           .periodic = periodic,
                           .cell = {0, 0, periodic ? 6 : 0}};
}

static int make_charges(void **state) {
  (void)state;
  dcs_random random = {7};
  for (int a = 6; a < ATOMS; a++)
    for (int d = 0; d < 4; d++)
      charges[a][d] = between(&random, d < 3 ? 0 : -1, d == 2 ? 9 : d == 3 ? 1 : 4);
  return 0;
}

static double now(void) {
  return 0;
}

static bool has(const dcs_phases *phases, const char *name) {
  for (int i = 0; i < phases->n; i++)
    if (strcmp(phases->list[i].name, name) == 0) return true;
  return false;
}

/* A mapper that computes by the variant alone; without FFTW, or the device, the test is skipped. */
static dcs_mapper *open_for(const char *device, const char *id) {
  const dcs_mapper_options options = {.device = device, .threads = 2};
  const dcs_variant *variant = dcs_find_variant(id);
  char why[DCS_TEXT];
  dcs_mapper *m;
  if (!dcs_variant_available(variant, why)) {
    assert_non_null(strstr(why, "FFTW"));
    skip();
  }
  if (dcs_mapper_open(&options, &m) != 0) fail_msg("%s", dcs_error_message());
  m->only = (dcs_method){variant, dcs_initial_config(variant, 2)};
  if (variant->backend == DCS_CPU || dcs_mapper_open_gpu(m) == DCS_OK) return m;
  dcs_mapper_close(m);
  skip();
  return NULL;
}

static void set(dcs_method *method, const char *name, int value) {
  method->config.value[dcs_find_param(method->variant, name)] = value;
}

static void slab(dcs_mapper *m, int64_t from, int64_t slices) {
  const int64_t end = from + slices < Z ? from + slices : Z;
  if (dcs_mapper_slices(m, from, end, parts + from * SLICE) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

static void pose(dcs_mapper *m, const dcs_map_request *r) {
  memset(parts, 0xff, sizeof parts);
  if (dcs_map(m, r, all) != 0) fail_msg("%s", dcs_error_message());
  assert_int_equal(dcs_mapper_pose(m, r), DCS_OK);
  assert_true(dcs_mapper_slabs_exact(m));
}

static void assert_bits(void) {
  for (int p = 0; p < N; p++)
    if (memcmp(&parts[p], &all[p], sizeof *all) != 0)
      fail_msg("point %d: %.9g in a slab, %.9g", p, (double)parts[p], (double)all[p]);
}

/* ---- the CPU ---- */

/* Slabs that begin anywhere; `once` is the name of the phase that all but the first have not. */
static void check_cpu(const char *id, const dcs_map_request *r, const char *once) {
  dcs_mapper *m = open_for("cpu", id);
  if (strcmp(id, "cpu_multilevel") == 0) set(&m->only, "cutoff", 40); /* not the direct sum */
  pose(m, r);
  for (int64_t k = 0; k < Z; k += 5) {
    dcs_phases phases = {.now_ns = now};
    dcs_phases_listen(&phases);
    slab(m, k, 5);
    dcs_phase(NULL);
    dcs_phases_listen(NULL);
    if (once) assert_int_equal(has(&phases, once), k == 0);
  }
  assert_bits();
  dcs_mapper_close(m);
}

static void the_cpu_computes_the_mesh_once(void **state) {
  (void)state;
  const dcs_map_request open = request(0, 1e-4, false), periodic = request(0, 1e-4, true);
  check_cpu("cpu_mesh", &open, "convolution");
  check_cpu("cpu_mesh", &periodic, "convolution");
}

static void the_cpu_computes_lattices_once(void **state) {
  (void)state;
  const dcs_map_request r = request(0, 1e-2, false);
  check_cpu("cpu_multilevel", &r, "lattice cutoff");
}

static void atoms_within_a_cutoff_are_sorted_for_all_slabs(void **state) {
  (void)state;
  const dcs_map_request r = request(4, 0, false);
  check_cpu("cpu_cutoff", &r, NULL);
}

/* Other atoms where the last ones lay. */
static void another_map_has_a_mesh_of_its_own(void **state) {
  (void)state;
  dcs_mapper *m = open_for("cpu", "cpu_mesh");
  dcs_map_request r = request(0, 1e-4, false);
  pose(m, &r);
  slab(m, 0, 8);
  charges[0][3] = -3;
  pose(m, &r);
  for (int64_t k = 0; k < Z; k += 8)
    slab(m, k, 8);
  charges[0][3] = 1;
  assert_bits();
  assert_int_equal(dcs_mapper_pose(m, &r), DCS_OK); /* without a map between */
  slab(m, 16, 8);
  assert_memory_not_equal(parts + 16 * SLICE, all + 16 * SLICE, (Z - 16) * SLICE * sizeof *all);
  dcs_mapper_close(m);
}

/* A mean's frames lie where the map's atoms lay, also where one is refused. */
static void frames_are_other_inputs(void **state) {
  (void)state;
  dcs_mapper *m = open_for("cpu", "cpu_cutoff");
  const dcs_map_request r = request(4, 0, false);
  double places[3 * ATOMS] = {NAN}, charge[ATOMS] = {1};
  const dcs_mean_request wanted = {.map = r, .charges = charge};
  dcs_mean *mean;
  pose(m, &r);
  slab(m, 0, 8);
  assert_true(m->ready[DCS_CPU].same_inputs);
  assert_int_equal(dcs_mean_open(m, &wanted, &mean), 0);
  assert_int_not_equal(dcs_mean_add(mean, places, NULL), 0);
  assert_false(m->ready[DCS_CPU].same_inputs);
  dcs_mean_close(mean);
  dcs_mapper_close(m);
}

/* ---- memory ---- */

/* A sanitizer's malloc() has a count of its own. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* Bytes that the process has of malloc(). */
static double taken(void) {
  if (__sanitizer_get_current_allocated_bytes)
    return (double)__sanitizer_get_current_allocated_bytes();
  const struct mallinfo2 now_has = mallinfo2();
  return (double)now_has.uordblks + (double)now_has.hblkhd;
}

/* What slabs have in common takes most of what is said of a method, and no more. */
static void check_memory(const char *id, const dcs_map_request *r) {
  dcs_mapper *m = open_for("cpu", id);
  if (strcmp(id, "cpu_multilevel") == 0) set(&m->only, "cutoff", 40);
  assert_int_equal(dcs_mapper_pose(m, r), DCS_OK);
  const double said = dcs_mapper_working_bytes(m), before = taken();
  dcs_map_job job = {.mapper = m};
  assert_true(dcs_map_memory(&job, 3) > 0);
  assert_true(job.working == 3 * said);
  dcs_problem slab = m->c.problem;
  slab.grid_slices = slab.n.z;
  slab.n.z = 1;
  void *begun = m->only.variant->begin(&slab, &m->only.config);
  const double kept = taken() - before;
  assert_non_null(begun);
  m->only.variant->forget(begun);
  dcs_mapper_close(m);
  if (!(kept <= said && kept > 0.3 * said))
    fail_msg("%s keeps %g bytes, and %g were said", id, kept, said);
}

static void what_slabs_have_in_common_takes_memory(void **state) {
  (void)state;
  dcs_map_request open = request(0, 1e-4, false), periodic = request(0, 1e-4, true);
  open.nx = open.ny = periodic.nx = periodic.ny = 20; /* so that layers are small beside meshes */
  open.nz = periodic.nz = 400;
  periodic.cell[2] = 0;
  check_memory("cpu_mesh", &open);
  check_memory("cpu_mesh", &periodic);
  check_memory("cpu_multilevel", &open);
}

/* ---- a device ---- */

static dcs_status (*run_fft)(dcs_device *, const dcs_device_fft *, dcs_ptr, dcs_ptr, dcs_ptr);
static _Atomic int transforms, launches; /* devices have a thread each */
static dcs_status (*launch)(dcs_device *, dcs_module *, const char *, const int64_t[3],
                            const int[3], void **);

static dcs_status count_fft(dcs_device *device, const dcs_device_fft *fft, dcs_ptr from, dcs_ptr to,
                            dcs_ptr work) {
  transforms++;
  return run_fft(device, fft, from, to, work);
}

static dcs_status count_launch(dcs_device *device, dcs_module *module, const char *kernel,
                               const int64_t grid[3], const int block[3], void **args) {
  launches++;
  return launch(device, module, kernel, grid, block, args);
}

static void count_calls(dcs_device *device) {
  run_fft = device->run_fft;
  device->run_fft = count_fft;
  launch = device->launch;
  device->launch = count_launch;
}

/* Of a method with blocks of 8 x 4 x 5 points. */
static void check_device(const char *devices, const char *id, const dcs_map_request *r) {
  dcs_mapper *m = open_for(devices, id);
  const bool mesh = strcmp(id, "cuda_mesh") == 0;
  set(&m->only, "block_x", 8);
  set(&m->only, "block_y", 4);
  set(&m->only, "coarsen_z", 5);
  if (mesh) set(&m->only, "order", 4);
  if (strcmp(id, "cuda_multilevel") == 0) set(&m->only, "cutoff", 40); /* not the direct sum */
  pose(m, r);
  const int n = m->engines[DCS_GPU]->n_devices;
  for (int d = 0; d < n; d++)
    count_calls(m->engines[DCS_GPU]->devices[d]);
  transforms = launches = 0;
  slab(m, 0, 10);
  const int first = launches, there_and_back = transforms;
  assert_true(first >= 4 * n);
  assert_int_equal(there_and_back > 0, mesh);
  m->device_slices = 5; /* as if there were memory for no more */
  slab(m, 10, Z);
  assert_int_equal(transforms, there_and_back);
  assert_int_equal(launches, first + 3); /* one of each slab */
  assert_bits();
  dcs_mapper_close(m);
}

static void a_device_keeps_sorted_atoms(void **state) {
  (void)state;
  const dcs_map_request r = request(2, 0, false);
  check_device("emulated", "cuda_cutoff_cells", &r);
}

static void a_device_keeps_lattices(void **state) {
  (void)state;
  const dcs_map_request r = request(0, 1e-2, false);
  check_device("emulated", "cuda_multilevel", &r);
}

/* With the potential of far atoms. */
static void a_device_keeps_the_meshes(void **state) {
  (void)state;
  const dcs_map_request r = request(0, 1e-2, false);
  check_device("emulated", "cuda_mesh", &r);
}

static void a_device_keeps_the_mesh_of_a_cell(void **state) {
  (void)state;
  const dcs_map_request r = request(0, 1e-2, true);
  check_device("emulated", "cuda_mesh", &r);
}

static void so_does_each_of_several(void **state) {
  (void)state;
  const dcs_map_request r = request(2, 0, false);
  check_device("emulated,emulated", "cuda_cutoff_cells", &r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cpu_computes_the_mesh_once),
      cmocka_unit_test(the_cpu_computes_lattices_once),
      cmocka_unit_test(atoms_within_a_cutoff_are_sorted_for_all_slabs),
      cmocka_unit_test(another_map_has_a_mesh_of_its_own),
      cmocka_unit_test(frames_are_other_inputs),
      cmocka_unit_test(what_slabs_have_in_common_takes_memory),
      cmocka_unit_test(a_device_keeps_sorted_atoms),
      cmocka_unit_test(a_device_keeps_lattices),
      cmocka_unit_test(a_device_keeps_the_meshes),
      cmocka_unit_test(a_device_keeps_the_mesh_of_a_cell),
      cmocka_unit_test(so_does_each_of_several),
  };
  return cmocka_run_group_tests(tests, make_charges, NULL);
}
