/* Runs over frames: the sums of maps that dcs_map() computes one by one, to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/coulomb/coulomb.h"
#include "library/frames/pipe.h"
#include "library/map_slabs.h"
#include "library/mapper.h"
#include "library/team.h"
#include "library/workers.h"
#include "tests/library_map.h"
#include "tests/written_dcd.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATOMS = 30, CHARGED = ATOMS - 1, FRAMES = 37 };

#ifdef _OPENMP
static const bool several_threads = true;
#else
static const bool several_threads = false;
#endif

static int full(void) {
  return getenv("DCS_TEST_FULL") != NULL;
}

static dcs_site sites[ATOMS];
static const dcs_molecule top = {.sites = sites, .n = ATOMS};

/* Atoms wander in the map's box, whose origin is that of request_of(). */
static float place(int frame, int atom, int axis) {
  static const double middle[3] = {2, 9, 12}, reach[3] = {3, 2, 1};
  return (float)(middle[axis] + reach[axis] * sin(atom * (axis + 1.3) + 0.01 * frame * (atom % 7)));
}

static const char *trajectory(int frames) {
  const written_dcd dcd = {.atoms = ATOMS, .frames = frames, .place = place};
  const char *path = in_folder("frames.dcd");
  write_dcd(path, &dcd);
  for (int a = 0; a < ATOMS; a++)
    sites[a] = (dcs_site){0, 0, 0, a == 7 ? 0 : 0.5 + 0.1 * a, 0};
  return path;
}

/* ---- a run in one process ---- */

typedef struct {
  dcs_average *average;
  _Atomic int64_t next;
  int64_t each;
  int64_t ahead;      /* blocks that may be taken and not merged; 0: any */
  float last[POINTS]; /* of the last frame, when each is wanted */
  dcs_status fails;   /* of give */
} one_process;

static pthread_mutex_t averages = PTHREAD_MUTEX_INITIALIZER;

static dcs_status take(void *user, int64_t *block) {
  one_process *p = user;
  pthread_mutex_lock(&averages);
  const bool later = p->ahead > 0 && p->next - dcs_average_merged(p->average) >= p->ahead;
  pthread_mutex_unlock(&averages);
  *block = later ? DCS_PART_LATER : p->next++;
  return DCS_OK;
}

static dcs_status give(void *user, int64_t block, const dcs_partial *partial) {
  one_process *p = user;
  if (p->fails != DCS_OK) return dcs_fail(p->fails, "nobody takes block %d", (int)block);
  pthread_mutex_lock(&averages);
  const dcs_status status = dcs_average_give(p->average, block, partial);
  pthread_mutex_unlock(&averages);
  return status;
}

static dcs_status each(void *user, int64_t number, const float *values) {
  one_process *p = user;
  p->each++;
  if (number == FRAMES) memcpy(p->last, values, sizeof p->last);
  return DCS_OK;
}

typedef struct {
  float mean[POINTS], variance[POINTS], error[POINTS];
} result;

static void begin_with(int frames, dcs_frames_job *job, one_process *p) {
  static const char *path;
  path = trajectory(frames);
  *p = (one_process){.fails = p->fails, .ahead = p->ahead};
  job->top = &top;
  job->take = take;
  job->give = give;
  job->user = p;
  if (dcs_frames_open(&path, 1, &top, NULL, NULL, &job->frames) != DCS_OK ||
      dcs_average_open(POINTS, job->variance, frames, &p->average) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

static void begin(dcs_frames_job *job, one_process *p) {
  begin_with(FRAMES, job, p);
}

static dcs_status run(dcs_frames_job *job, one_process *p, dcs_frames_times *times) {
  begin(job, p);
  const dcs_status status = dcs_frames_run(job, times);
  dcs_frames_close(job->frames);
  return status;
}

static void finish(one_process *p, bool variance, result *r) {
  if (dcs_average_finish(p->average, r->mean, variance ? r->variance : NULL,
                         variance ? r->error : NULL) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  dcs_average_close(p->average);
}

/* ---- what it has to be ---- */

static void take_frame(int frame, double of[4 * ATOMS]) {
  for (int a = 0; a < ATOMS; a++) {
    for (int d = 0; d < 3; d++) {
      volatile float rounded = place(frame, a, d); /* GCC 12's vectorizer forgets to round else */
      of[4 * a + d] = (double)rounded;
    }
    of[4 * a + 3] = sites[a].q;
  }
}

/* A tolerance is relative to the first frame's map. */
static void map_frame(dcs_mapper *m, const dcs_map_request *r, bool first) {
  static double scale;
  if (dcs_mapper_pose(m, r) != DCS_OK) fail_msg("%s", dcs_error_message());
  if (first) assert_true(dcs_map_scale(&m->c.problem, 1, &scale));
  m->c.problem.scale = scale;
  if (dcs_mapper_slices(m, 0, NZ, map) != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void add_maps(const char *device, const dcs_map_request *request, one_process *p) {
  static double frame_atoms[4 * ATOMS];
  dcs_mapper *m = open_mapper(device, NULL);
  dcs_map_request r = *request;
  dcs_partial partial;
  r.n_atoms = ATOMS;
  r.atoms = frame_atoms;
  assert_int_equal(dcs_partial_make(POINTS, true, &partial), DCS_OK);
  for (int f = 0; f < FRAMES; f++) {
    if (f % DCS_FRAME_BLOCK == 0) partial.frames = 0;
    take_frame(f, frame_atoms);
    map_frame(m, &r, f == 0);
    dcs_partial_add(&partial, map);
    if (f % DCS_FRAME_BLOCK == DCS_FRAME_BLOCK - 1 || f == FRAMES - 1)
      assert_int_equal(dcs_average_give(p->average, f / DCS_FRAME_BLOCK, &partial), DCS_OK);
  }
  dcs_partial_free(&partial);
  dcs_mapper_close(m);
}

static void expect(const char *device, const dcs_map_request *request, result *r) {
  one_process p = {0};
  trajectory(FRAMES);
  assert_int_equal(dcs_average_open(POINTS, true, FRAMES, &p.average), DCS_OK);
  add_maps(device, request, &p);
  finish(&p, true, r);
}

static void check(const char *device, const char *one_device, const dcs_map_request *request) {
  static result expected, is;
  one_process p = {0};
  dcs_frames_times times;
  dcs_frames_job job = {.request = request, .device = device, .variance = true, .each = each};
  expect(one_device, request, &expected);
  if (run(&job, &p, &times) != DCS_OK) fail_msg("%s", dcs_error_message());
  finish(&p, true, &is);
  assert_memory_equal(is.mean, expected.mean, sizeof is.mean);
  assert_memory_equal(is.variance, expected.variance, sizeof is.variance);
  assert_memory_equal(is.error, expected.error, sizeof is.error);
  assert_int_equal(times.frames, FRAMES);
  assert_int_equal(p.each, FRAMES);
  assert_memory_equal(p.last, map, sizeof map); /* expect() left the last frame's */
}

static void on_the_cpu(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  check("cpu", "cpu", &r);
  r.tolerance = 1e-3;
  check("cpu", "cpu", &r);
}

static void on_a_device(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  check("emulated", "emulated", &r);
  r.cutoff = 2.5;
  if (full()) check("emulated", "emulated", &r);
}

static void to_a_tolerance_on_a_device(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  r.tolerance = 1e-3;
  check("emulated", "emulated", &r);
}

static void on_several_devices(void **state) {
  (void)state;
  dcs_map_request r = request_of(1);
  check("emulated,emulated", "emulated", &r);
}

/* ---- copies ---- */

static struct { int charges, places, sums, others; } copies;
static dcs_status (*real_copy_in)(dcs_device *, dcs_ptr, const void *, size_t);
static dcs_status (*real_copy_out)(dcs_device *, void *, dcs_dims, dcs_ptr, dcs_dims);

static dcs_status count_copy_in(dcs_device *device, dcs_ptr to, const void *from, size_t bytes) {
  if (bytes == CHARGED * sizeof(float))
    copies.charges++;
  else if (bytes == 3 * CHARGED * sizeof(float))
    copies.places++;
  else if (bytes != sizeof(float)) /* a value that single precision cannot compute */
    copies.others++;
  return real_copy_in(device, to, from, bytes);
}

static dcs_status count_copy_out(dcs_device *device, void *to, dcs_dims stored, dcs_ptr from,
                                 dcs_dims packed) {
  if (stored.x == 2 * POINTS * (int64_t)sizeof(double))
    copies.sums++;
  else
    copies.others++;
  return real_copy_out(device, to, stored, from, packed);
}

static void count_copies(dcs_device *device) {
  real_copy_in = device->copy_in;
  real_copy_out = device->copy_out;
  device->copy_in = count_copy_in;
  device->copy_out = count_copy_out;
  memset(&copies, 0, sizeof copies);
}

/* What did not change is not copied: charges once, places with each frame, sums once a block. */
static void assert_copies(void) {
  assert_int_equal(copies.charges, 1);
  assert_int_equal(copies.places, FRAMES);
  assert_int_equal(copies.sums, dcs_divide_up(FRAMES, DCS_FRAME_BLOCK));
  assert_int_equal(copies.others, 0);
}

/* ---- workers of the CPU ---- */

static void run_on_threads(int threads, const dcs_map_request *r, int workers, result *is) {
  one_process p = {0};
  dcs_frames_times times;
  dcs_frames_job job = {.request = r, .device = "cpu", .threads = threads, .variance = true};
  if (run(&job, &p, &times) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(times.workers[DCS_STAGE_COMPUTING], workers);
  assert_int_equal(times.frames, FRAMES);
  finish(&p, true, is);
}

/* Three blocks: three workers of a thread, who compute one each, or all threads one after another,
 * whichever is faster. */
static void threads_divide_blocks_or_share_frames(void **state) {
  (void)state;
  static const int workers[] = {1, 1, 3, 1, 1, 3};
  static result expected, is;
  const dcs_map_request r = request_of(1);
  expect("cpu", &r, &expected);
  for (int threads = 1; threads <= (several_threads ? 6 : 1); threads++) {
    run_on_threads(threads, &r, dcs_team_is_bound() ? 1 : workers[threads - 1], &is);
    assert_memory_equal(&is, &expected, sizeof is);
  }
}

#ifdef DCS_THREAD_SANITIZER /* which starts threads itself */
static const bool counted = false;
static atomic_int created;
#else
static const bool counted = true;
static atomic_int created; /* threads, those of OpenMP among them */
typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *),
                   void *data) {
  create_function *create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
  atomic_fetch_add(&created, 1);
  return create(thread, how, work, data);
}
#endif

/* Three workers of one thread; while they open none has threads of its own. */
static void workers_open_by_their_threads(void **state) {
  (void)state;
  const dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_pipe pipe;
  dcs_frames_job job = {.request = &r, .device = "cpu", .threads = 3};
  if (!several_threads || !counted || dcs_team_is_bound()) skip();
  begin(&job, &p);
  if (dcs_pipe_open(&job, &times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(pipe.n_workers, 3);
  created = 0;
  if (dcs_pipe_start(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(created, 3 + 3); /* reader, giver, preparer */
  if (dcs_pipe_run(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  dcs_average_close(p.average);
}

static int64_t prepared(dcs_pipe *p) {
  int64_t n = 0;
  pthread_mutex_lock(&p->lock);
  for (int s = 0; s < p->n_slots; s++)
    n += p->slots[s].state == DCS_SLOT_READY;
  pthread_mutex_unlock(&p->lock);
  return n;
}

static int workers_of_job(int64_t edge, int frames, dcs_frames_job job) {
  dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_pipe pipe;
  r.nx = r.ny = r.nz = edge;
  job.request = &r;
  job.device = "cpu";
  begin_with(frames, &job, &p);
  if (dcs_pipe_open(&job, &times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  const int n = pipe.n_workers;
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  dcs_average_close(p.average);
  return n;
}

static int workers_of(int64_t edge, int ranks_here) {
  return workers_of_job(
      edge, FRAMES,
      (dcs_frames_job){
          .threads = 3, .ranks = ranks_here, .ranks_here = ranks_here, .blocks = 3 * ranks_here});
}

/* Each would need 160 MB, and 128 MB are an eighth of what is free. */
static void workers_leave_memory_to_others(void **state) {
  (void)state;
  struct rlimit limit, few;
  long long pages = 0;
  if (!several_threads) skip();
  FILE *statm = fopen("/proc/self/statm", "r");
  assert_true(statm && fscanf(statm, "%lld", &pages) == 1);
  fclose(statm);
  assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
  few = (struct rlimit){(rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (1 << 30), limit.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_AS, &few), 0);
  const int small = workers_of(50, 1), large = workers_of(200, 1);
  const int one_of_many = workers_of(50, 64);
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
  assert_int_equal(small, dcs_team_is_bound() ? 1 : 3);
  assert_int_equal(large, 1);
  assert_int_equal(one_of_many, 1); /* 2 MB are a rank's, and each worker would need 5 */
}

/* ---- ranks ---- */

/* Of four threads, by blocks that are a rank's: ranks share those that are left. */
static void ranks_divide_blocks(void **state) {
  (void)state;
  static const struct {
    int ranks, blocks, workers;
  } jobs[] = {
      {0, 0, 4}, {1, 4, 4}, {2, 4, 2}, {4, 4, 1}, {2, 8, 4}, {1, 2, 2}, {1, 1, 1}, {2, 0, 1},
  };
  if (!several_threads || dcs_team_is_bound()) skip();
  for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
    const dcs_frames_job job = {
        .threads = 4, .ranks = jobs[j].ranks, .ranks_here = 1, .blocks = jobs[j].blocks};
    assert_int_equal(workers_of_job(NX, 4 * DCS_FRAME_BLOCK, job), jobs[j].workers);
  }
}

static bool every_third(const void *with, int64_t part) {
  (void)with;
  return part % 3 == 0;
}

static void what_a_checkpoint_has_is_not_left(void **state) {
  (void)state;
  dcs_workers *alone = dcs_alone();
  dcs_parts parts = {.n = 10};
  assert_int_equal(alone->begin(alone, &parts), DCS_OK);
  assert_int_equal(alone->left, 10);
  parts.done = every_third;
  assert_int_equal(alone->begin(alone, &parts), DCS_OK);
  assert_int_equal(alone->left, 6);
  parts.n = INT64_MAX; /* frames of a pipe */
  assert_int_equal(alone->begin(alone, &parts), DCS_OK);
  assert_true(alone->left == INT64_MAX);
}

/* One of two ranks, of which the other takes none of the four blocks. */
typedef struct {
  one_process p;                    /* first */
  int64_t frames_done[4], computed; /* frames of each block; whole blocks */
  bool hurried;                     /* a block was taken for which no worker was idle */
} one_of_two;

static dcs_status note_each(void *user, int64_t number, const float *values) {
  one_of_two *o = user;
  (void)values;
  o->hurried = o->hurried || o->p.next > 2 + o->computed;
  o->computed += ++o->frames_done[(number - 1) / DCS_FRAME_BLOCK] == DCS_FRAME_BLOCK;
  return DCS_OK;
}

static int64_t taken(const one_process *by) {
  return by->next;
}

/* However long the other one takes to open, its half of the blocks waits for it; one that does not
 * come has them all computed here. */
static void a_rank_leaves_blocks_to_others(void **state) {
  (void)state;
  const dcs_map_request r = request_of(1);
  one_of_two o = {0};
  dcs_frames_times times;
  dcs_pipe pipe;
  dcs_frames_job job = {.request = &r,
                        .device = "cpu",
                        .threads = 4,
                        .ranks = 2,
                        .ranks_here = 2,
                        .blocks = 4,
                        .each = note_each};
  if (!several_threads || dcs_team_is_bound()) skip();
  begin_with(4 * DCS_FRAME_BLOCK, &job, &o.p);
  if (dcs_pipe_open(&job, &times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(pipe.n_workers, 2);
  if (dcs_pipe_start(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  for (int ms = 0; prepared(&pipe) < 2 * DCS_FRAME_BLOCK && ms < 20000; ms++)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  nanosleep(&(struct timespec){0, 50000000}, NULL); /* in which it could take more */
  assert_int_equal(taken(&o.p), 2);
  if (dcs_pipe_run(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  assert_int_equal(times.frames, 4 * DCS_FRAME_BLOCK);
  assert_false(o.hurried);
  dcs_average_close(o.p.average);
}

/* ---- devices that fail ---- */

static int launches, fails_after;
static dcs_status (*real_launch)(dcs_device *, dcs_module *, const char *, const int64_t[3],
                                 const int[3], void **);

static dcs_status planted_launch(dcs_device *device, dcs_module *module, const char *kernel,
                                 const int64_t grid[3], const int block[3], void **args) {
  if (launches++ >= fails_after) return dcs_fail(DCS_FAILED, "planted: the card fell off the bus");
  return real_launch(device, module, kernel, grid, block, args);
}

/* The second of so many devices fails at a launch; returns what the run did. */
static dcs_status run_failing(const char *devices, int after, result *r, dcs_frames_times *times) {
  const dcs_map_request request = request_of(1);
  one_process p = {0};
  dcs_pipe pipe;
  dcs_frames_job job = {.request = &request, .device = devices, .variance = true};
  begin(&job, &p);
  if (dcs_pipe_open(&job, times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  if (dcs_pipe_start(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_device *device = pipe.workers[pipe.n_workers - 1].mapper->engines[DCS_GPU]->device;
  launches = 0;
  fails_after = after;
  real_launch = device->launch;
  device->launch = planted_launch;
  const dcs_status status = dcs_pipe_run(&pipe);
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  if (status == DCS_OK)
    finish(&p, true, r);
  else
    dcs_average_close(p.average);
  return status;
}

/* Wherever it fails: the blocks that it had are computed by the other. */
static void another_device_does_what_one_leaves(void **state) {
  (void)state;
  static result expected, is;
  dcs_frames_times times;
  const dcs_map_request r = request_of(1);
  expect("emulated", &r, &expected);
  for (int after = 0; after < 70; after += full() ? 1 : 31) {
    if (run_failing("emulated,emulated", after, &is, &times) != DCS_OK)
      fail_msg("%s", dcs_error_message());
    assert_memory_equal(is.mean, expected.mean, sizeof is.mean);
    assert_memory_equal(is.error, expected.error, sizeof is.error);
    assert_int_equal(times.frames, FRAMES);
    if (launches > after) assert_contains(times.lost, "emulated failed, and its blocks were left");
  }
}

static dcs_device *first_to_launch;

static dcs_status fail_first(dcs_device *device, dcs_module *module, const char *kernel,
                             const int64_t grid[3], const int block[3], void **args) {
  if (!first_to_launch) first_to_launch = device;
  if (device == first_to_launch) return dcs_fail(DCS_FAILED, "planted: the first card is lost");
  return real_launch(device, module, kernel, grid, block, args);
}

/* There is no other block before the one that came back is merged. */
static void what_others_wait_for_comes_back(void **state) {
  (void)state;
  static result expected, is;
  const dcs_map_request r = request_of(1);
  one_process p = {.ahead = 1};
  dcs_frames_times times;
  dcs_pipe pipe;
  dcs_frames_job job = {.request = &r, .device = "emulated,emulated", .variance = true};
  expect("emulated", &r, &expected);
  begin(&job, &p);
  if (dcs_pipe_open(&job, &times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  if (dcs_pipe_start(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  for (int w = 0; w < 2; w++) {
    dcs_device *device = pipe.workers[w].mapper->engines[DCS_GPU]->device;
    real_launch = device->launch;
    device->launch = fail_first;
  }
  if (dcs_pipe_run(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  assert_contains(times.lost, "the first card is lost");
  finish(&p, true, &is);
  assert_memory_equal(is.mean, expected.mean, sizeof is.mean);
  assert_memory_equal(is.error, expected.error, sizeof is.error);
}

static void a_run_without_devices_fails(void **state) {
  (void)state;
  static result none;
  dcs_frames_times times;
  assert_int_equal(run_failing("emulated", 20, &none, &times), DCS_FAILED);
  assert_contains(dcs_error_message(), "fell off the bus");
  assert_string_equal(times.lost, "");
}

/* ---- while devices open ---- */

/* The first frames are there before any device computes, and no device waits for them. */
static void frames_are_prepared_meanwhile(void **state) {
  (void)state;
  static result expected, is;
  const dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_pipe pipe;
  dcs_frames_job job = {.request = &r, .device = "emulated,emulated", .variance = true};
  expect("emulated", &r, &expected);
  begin(&job, &p);
  if (dcs_pipe_open(&job, &times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(pipe.n_workers, 2);
  if (dcs_pipe_start(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  for (int ms = 0; prepared(&pipe) < FRAMES && ms < 20000; ms++)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  assert_int_equal(prepared(&pipe), FRAMES);
  if (dcs_pipe_run(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  assert_true(times.opening_s > 0 && times.wall_s > 0);
  for (int s = 0; s < DCS_N_STAGES; s++)
    assert_true(times.ahead_s[s] <= times.busy_s[s]);
  assert_true(times.ahead_s[DCS_STAGE_PREPARING] > 0);
  assert_true(times.ahead_s[DCS_STAGE_COMPUTING] == 0);
  finish(&p, true, &is);
  assert_memory_equal(is.mean, expected.mean, sizeof is.mean);
  assert_memory_equal(is.error, expected.error, sizeof is.error);
}

/* Whoever reads or prepares ends as well. */
static void a_device_that_does_not_open_ends_the_run(void **state) {
  (void)state;
  char method[DCS_METHOD_TEXT];
  const dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_frames_job job = {.request = &r, .device = "emulated"};
  begin(&job, &p);
  dcs_mapper *chooser;
  if (dcs_frames_method(&job, method, &chooser) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_mapper_close(chooser);
  job.method = method;
  job.device = "cuda:98,cuda:99";
  assert_int_equal(dcs_frames_run(&job, &times), DCS_UNAVAILABLE);
  assert_contains(dcs_error_message(), "CUDA");
  assert_int_equal(times.frames, 0);
  dcs_frames_close(job.frames);
  dcs_average_close(p.average);
}

enum { STALLED_BLOCKS = 11 };

/* A pipe with so many blocks, more than is looked at to tell what the file is, and a part of the
 * next frame; nobody writes the rest and nobody closes it. Its end for writing. */
static int open_stalled(dcs_frames **frames) {
  static const char *path;
  enum { ALL = 300, ROOM = 1 << 17 };
  size_t bytes;
  char *text = get_file(trajectory(ALL), &bytes);
  bytes = bytes * (STALLED_BLOCKS * DCS_FRAME_BLOCK + 1) / ALL;
  path = in_folder("stalls.dcd");
  assert_int_equal(mkfifo(path, 0600), 0);
  const int pipe = open(path, O_RDWR);
  assert_true(fcntl(pipe, F_SETPIPE_SZ, ROOM) >= ROOM);
  assert_int_equal(write(pipe, text, bytes), (ssize_t)bytes);
  free(text);
  if (dcs_frames_open(&path, 1, &top, NULL, NULL, frames) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return pipe;
}

/* Long after the reader has come to the bytes that are not there. */
static dcs_status fail_at_last(void *user, int64_t block, const dcs_partial *partial) {
  (void)user, (void)partial;
  if (block < STALLED_BLOCKS - 1) return DCS_OK;
  nanosleep(&(struct timespec){0, 200000000}, NULL);
  return dcs_fail(DCS_IO, "nobody takes block %d", (int)block);
}

/* While the reader waits for its bytes another stage fails: the run ends. */
static void a_pipe_that_stalls_holds_no_failure(void **state) {
  (void)state;
  const dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_frames_job job = {.request = &r,
                        .device = "cpu",
                        .threads = 1,
                        .top = &top,
                        .take = take,
                        .give = fail_at_last,
                        .user = &p};
  const int pipe = open_stalled(&job.frames);
  assert_int_equal(dcs_frames_run(&job, &times), DCS_IO);
  assert_contains(dcs_error_message(), "nobody takes block 10");
  dcs_frames_close(job.frames);
  close(pipe);
}

/* ---- blocks ---- */

enum { BLOCKS = DCS_BLOCKS_AT_HAND + 6 };

/* What a worker does, but for computing; returns which block it was. */
static int64_t leaf_through(dcs_pipe *p, const dcs_read_block *block) {
  dcs_frame_slot *slot;
  for (int64_t n = 0; (slot = dcs_pipe_frame(p, block, n)) != NULL; n++)
    dcs_pipe_set_slot(p, slot, DCS_SLOT_FREE);
  const int64_t number = block->block;
  dcs_pipe_done(p);
  return number;
}

/* As many blocks as are held at once are read while a worker looks at the first of them; it stays
 * what it was, and the next one is read when the worker lets it go. */
static void a_block_that_is_looked_at_stays(void **state) {
  (void)state;
  const dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_pipe pipe;
  dcs_frames_job job = {.request = &r, .device = "cpu", .threads = 1};
  begin_with(BLOCKS * DCS_FRAME_BLOCK, &job, &p);
  if (dcs_pipe_open(&job, &times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  if (dcs_pipe_start(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  dcs_frame_worker slow = {.pipe = &pipe}, fast = slow;
  const dcs_read_block *first = dcs_pipe_next_block(&slow, true), *block;
  assert_int_equal(leaf_through(&pipe, first), 0);
  for (int64_t b = 1; b < DCS_BLOCKS_AT_HAND; b++)
    assert_int_equal(leaf_through(&pipe, dcs_pipe_next_block(&fast, true)), b);
  nanosleep(&(struct timespec){0, 50000000}, NULL); /* in which the reader could go on */
  assert_null(dcs_pipe_next_block(&fast, false));
  assert_int_equal(first->block, 0);
  assert_int_equal(first->frames, DCS_FRAME_BLOCK);
  block = dcs_pipe_next_block(&slow, true);
  for (int64_t b = DCS_BLOCKS_AT_HAND; b < BLOCKS; b++, block = dcs_pipe_next_block(&fast, true))
    assert_int_equal(leaf_through(&pipe, block), b);
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  dcs_average_close(p.average);
}

/* ---- few slots ---- */

/* A worker that waits for a frame keeps none whose slot the reader waits for. */
static void two_slots_do_and_nothing_is_copied_twice(void **state) {
  (void)state;
  static result expected, is;
  const dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_pipe pipe;
  dcs_frames_job job = {.request = &r, .device = "emulated", .variance = true};
  expect("emulated", &r, &expected);
  begin(&job, &p);
  if (dcs_pipe_open(&job, &times, &pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  const int slots = pipe.n_slots;
  pipe.n_slots = 2;
  if (dcs_pipe_start(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_non_null(pipe.workers[0].device);
  count_copies(pipe.workers[0].mapper->engines[DCS_GPU]->device);
  if (dcs_pipe_run(&pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  pipe.n_slots = slots;
  assert_copies();
  dcs_pipe_close(&pipe);
  dcs_frames_close(job.frames);
  finish(&p, true, &is);
  assert_memory_equal(is.mean, expected.mean, sizeof is.mean);
  assert_memory_equal(is.error, expected.error, sizeof is.error);
}

/* ---- what ends a run ---- */

typedef struct {
  dcs_pipe pipe;
  int64_t next, given;
  bool stayed;
} slow_giver;

static dcs_status take_from_slow(void *user, int64_t *block) {
  slow_giver *s = user;
  *block = s->next++;
  return DCS_OK;
}

/* Another stage fails meanwhile, and the worker ends. */
static dcs_status give_slowly(void *user, int64_t block, const dcs_partial *partial) {
  slow_giver *s = user;
  const dcs_partial at_first = *partial;
  double sum[POINTS];
  memcpy(sum, partial->sum, sizeof sum);
  s->given++;
  dcs_pipe_fail(&s->pipe, dcs_fail(DCS_IO, "planted: a stage fails"));
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  s->stayed = block == 0 && memcmp(partial, &at_first, sizeof at_first) == 0 &&
              memcmp(partial->sum, sum, sizeof sum) == 0;
  return DCS_OK;
}

static void what_is_given_stays(void **state) {
  (void)state;
  static slow_giver s;
  const dcs_map_request r = request_of(1);
  one_process none = {0};
  dcs_frames_times times;
  dcs_frames_job job = {.request = &r, .device = "cpu", .threads = 1, .variance = true};
  begin(&job, &none);
  job.take = take_from_slow;
  job.give = give_slowly;
  job.user = &s;
  if (dcs_pipe_open(&job, &times, &s.pipe) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(dcs_pipe_start(&s.pipe), DCS_OK);
  assert_int_equal(dcs_pipe_run(&s.pipe), DCS_IO);
  assert_contains(dcs_error_message(), "a stage fails");
  assert_true(s.stayed);
  assert_int_equal(s.given, 1); /* the block that was under way goes nowhere */
  assert_int_equal(times.frames, DCS_FRAME_BLOCK);
  dcs_pipe_close(&s.pipe);
  dcs_frames_close(job.frames);
  dcs_average_close(none.average);
}

/* Who gives the first block returns when the third was taken, as far as there are frames. */
static dcs_status give_when_read_on(void *user, int64_t block, const dcs_partial *partial) {
  one_process *p = user;
  for (int ms = 0; block == 0 && p->next < 3 && ms < 20000; ms++)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  if (p->next < 3 && block == 0) return dcs_fail(DCS_FAILED, "the reader waits for the giver");
  return give(user, block, partial);
}

/* Blocks that come before those in front of them take long, where their memory is new. */
static void giving_does_not_hold_up_reading(void **state) {
  (void)state;
  const dcs_map_request r = request_of(1);
  one_process p = {0};
  dcs_frames_times times;
  dcs_frames_job job = {.request = &r, .device = "cpu", .threads = 1};
  begin(&job, &p);
  job.give = give_when_read_on;
  if (dcs_frames_run(&job, &times) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(times.frames, FRAMES);
  dcs_frames_close(job.frames);
  dcs_average_close(p.average);
}

static void failures_end_a_run(void **state) {
  (void)state;
  const dcs_map_request r = request_of(1);
  dcs_frames_times times;
  dcs_frames_job job = {.request = &r, .device = "cpu", .threads = 1}; /* block 0 is the first */
  one_process p = {.fails = DCS_IO};
  assert_int_equal(run(&job, &p, &times), DCS_IO);
  assert_contains(dcs_error_message(), "nobody takes block 0");
  dcs_average_close(p.average);
  job.method = "cpu_scatter threads=1000000";
  p.fails = DCS_OK;
  assert_int_equal(run(&job, &p, &times), DCS_INPUT);
  dcs_average_close(p.average);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_cpu),
      cmocka_unit_test(on_a_device),
      cmocka_unit_test(to_a_tolerance_on_a_device),
      cmocka_unit_test(on_several_devices),
      cmocka_unit_test(threads_divide_blocks_or_share_frames),
      cmocka_unit_test(workers_open_by_their_threads),
      cmocka_unit_test(workers_leave_memory_to_others),
      cmocka_unit_test(ranks_divide_blocks),
      cmocka_unit_test(what_a_checkpoint_has_is_not_left),
      cmocka_unit_test(a_rank_leaves_blocks_to_others),
      cmocka_unit_test(another_device_does_what_one_leaves),
      cmocka_unit_test(what_others_wait_for_comes_back),
      cmocka_unit_test(a_run_without_devices_fails),
      cmocka_unit_test(frames_are_prepared_meanwhile),
      cmocka_unit_test(a_device_that_does_not_open_ends_the_run),
      cmocka_unit_test(a_pipe_that_stalls_holds_no_failure),
      cmocka_unit_test(a_block_that_is_looked_at_stays),
      cmocka_unit_test(two_slots_do_and_nothing_is_copied_twice),
      cmocka_unit_test(failures_end_a_run),
      cmocka_unit_test(what_is_given_stays),
      cmocka_unit_test(giving_does_not_hold_up_reading),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
