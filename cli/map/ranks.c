#include "cli/map/ranks.h"

#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/files/file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* What becomes of a slab: rank 0 puts it into the map in its memory, or holds it until the writer
 * asks; or the rank that computed it writes it. */
typedef enum { WHOLE, HELD, PLACED } output;

typedef struct {
  dcs_workers *workers;
  dcs_map_job *job;
  dcs_field *field;
  const dcs_field_format *format; /* of the file; NULL: there is none, or it is a picture */
  output output;
  int64_t slices, n; /* of a slab; how many slabs there are */
  float *slab;       /* this rank's */
  dcs_rank_times times;

  /* ---- PLACED ---- */
  dcs_statistics *statistics; /* of each slice: rank 0 gets all */
  dcs_file file;              /* of rank 0 */

  /* ---- HELD, of rank 0 ---- */
  float **held; /* n of them; NULL: not there */
  bool stop;    /* the writer failed */
  dcs_status failed;
  char why[1024];
  pthread_mutex_t lock;
  pthread_cond_t came;
} shared;

static int64_t end_of(const shared *s, int64_t part) {
  const int64_t end = (part + 1) * s->slices;
  return end < s->field->n.z ? end : s->field->n.z;
}

static size_t bytes_of(const shared *s, int64_t part) {
  return (size_t)((end_of(s, part) - part * s->slices) * s->field->n.x * s->field->n.y) *
         sizeof(float);
}

/* ---- what rank 0 decides for all ---- */

/* Files that are written beside and renamed. */
static bool can_place(const shared *s) {
  struct stat facts;
  if (s->workers->size == 1 || !s->workers->open || !s->format || !s->format->head) return false;
  return stat(s->job->path, &facts) != 0 || S_ISREG(facts.st_mode);
}

/* Eight slabs for each rank, so that all end at about the same time. */
static void choose_slices(shared *s) {
  enum { SLABS_OF_A_RANK = 8 };
  const int64_t nz = s->field->n.z, step = dcs_mapper_slab_step(s->job->mapper);
  const int64_t second = dcs_mapper_slab_slices(s->job->mapper);
  const int64_t slices =
      dcs_round_up(dcs_divide_up(nz, (int64_t)s->workers->size * SLABS_OF_A_RANK), step);
  s->slices = slices < second ? slices : second;
}

/* Slabs that may be taken ahead of the writer. */
static int64_t slabs_ahead(const shared *s) {
  return s->output == HELD ? 2 * (int64_t)s->workers->size + 2 : 0;
}

/* Where the map is not whole in memory, a rank of the host has room for its slab, and rank 0 for
 * those that wait and for the writer's. */
static dcs_status fit_slices(shared *s, double available) {
  const int64_t step = dcs_mapper_slab_step(s->job->mapper);
  const int64_t slabs = s->workers->local_size + slabs_ahead(s) + 2;
  while (!dcs_map_fits(s->field->n, slabs * s->slices, available)) {
    if (s->slices <= step || !dcs_mapper_slabs_exact(s->job->mapper)) {
      char text[128];
      return dcs_fail(DCS_UNAVAILABLE,
                      "%lldx%lldx%lld points need more memory than there is for %d ranks: %s",
                      (long long)s->field->n.x, (long long)s->field->n.y, (long long)s->field->n.z,
                      s->workers->local_size, dcs_map_tell_free(s->job, available, text));
    }
    s->slices = dcs_round_up(s->slices / 2, step);
  }
  return DCS_OK;
}

static dcs_status choose_output(shared *s, double available) {
  const dcs_dims n = s->field->n;
  const bool whole = dcs_map_fits(n, n.z + s->workers->local_size * s->slices, available);
  s->output = can_place(s) ? PLACED : whole || s->job->whole ? WHOLE : HELD;
  if (s->output != WHOLE || !whole) DCS_TRY(fit_slices(s, available));
  if (s->slices > n.z) s->slices = n.z;
  DCS_TRY(dcs_map_check_disk(s->job, s->output == HELD));
  return s->output == PLACED ? dcs_file_create(&s->file, s->job->path) : DCS_OK;
}

enum { DECISION = DCS_METHOD_TEXT + 48 };

/* As text: what becomes of slabs, their slices, the method. */
static dcs_status decide(shared *s, char text[DECISION]) {
  char method[DCS_METHOD_TEXT];
  DCS_TRY(dcs_mapper_decide(s->job->mapper, method));
  const double available =
      dcs_map_memory(s->job, dcs_mapper_slabs_exact(s->job->mapper) ? s->workers->local_size : 1);
  s->slices = s->field->n.z;
  if (dcs_mapper_slabs_exact(s->job->mapper))
    choose_slices(s);
  else if (s->workers->size > 1)
    fprintf(stderr, "one rank computes the map, for slabs of it would have other bits: %s\n",
            method);
  DCS_TRY(choose_output(s, available));
  snprintf(text, DECISION, "%d %lld %s", s->output, (long long)s->slices, method);
  return DCS_OK;
}

static dcs_status settle(shared *s) {
  char text[DECISION] = "";
  int what = WHOLE, used = 0;
  long long slices = 1;
  DCS_TRY(dcs_map_pose(s->job));
  if (s->workers->rank == 0) DCS_TRY(decide(s, text));
  DCS_TRY(s->workers->agree(s->workers, dcs_mapper_hash(s->job->mapper), text, sizeof text));
  sscanf(text, "%d %lld %n", &what, &slices, &used);
  s->output = (output)what;
  s->slices = slices;
  s->n = dcs_divide_up(s->field->n.z, s->slices);
  if (s->workers->rank > 0) DCS_TRY(dcs_mapper_keep(s->job->mapper, text + used));
  s->times.most_parts = dcs_mapper_slabs_exact(s->job->mapper)
                            ? dcs_divide_up(s->field->n.z, dcs_mapper_slab_step(s->job->mapper))
                            : 1;
  return DCS_OK;
}

/* ---- slabs ---- */

static dcs_status hold(shared *s, int64_t part, const struct iovec *piece) {
  float *values = malloc(piece->iov_len);
  if (!values) return dcs_fail(DCS_UNAVAILABLE, "no memory for a slab that waits to be written");
  memcpy(values, piece->iov_base, piece->iov_len);
  pthread_mutex_lock(&s->lock);
  s->held[part] = values;
  pthread_cond_signal(&s->came);
  pthread_mutex_unlock(&s->lock);
  return DCS_OK;
}

static dcs_status deliver(void *with, int64_t part, const struct iovec *pieces, int n_pieces) {
  shared *s = with;
  const int64_t from = part * s->slices;
  (void)n_pieces;
  if (s->output == HELD) return hold(s, part, pieces);
  if (s->output == PLACED)
    memcpy(s->statistics + from, pieces->iov_base, pieces->iov_len);
  else
    memcpy(s->field->values + from * s->field->n.x * s->field->n.y, pieces->iov_base,
           pieces->iov_len);
  return DCS_OK;
}

static dcs_status put(shared *s, int64_t part) {
  char head[DCS_PLACED_HEAD];
  const int64_t from = part * s->slices, n = end_of(s, part) - from,
                slice = s->field->n.x * s->field->n.y;
  const dcs_statistics none = dcs_statistics_of(NULL, 0);
  const int64_t begin = s->format->head(s->field, &none, head);
  DCS_TRY(s->workers->put(s->workers, begin + from * slice * (int64_t)sizeof(float), s->slab,
                          bytes_of(s, part)));
  for (int64_t k = 0; k < n; k++)
    s->statistics[from + k] = dcs_statistics_of(s->slab + k * slice, slice);
  const struct iovec piece = {s->statistics + from, (size_t)n * sizeof *s->statistics};
  return s->workers->give(s->workers, part, &piece, 1);
}

static dcs_status compute_slabs(shared *s) {
  for (;;) {
    int64_t part;
    pthread_mutex_lock(&s->lock);
    const bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    DCS_TRY(s->workers->take(s->workers, &part));
    if (part == DCS_PARTS_END || stop) return DCS_OK;
    if (part == DCS_PART_LATER) {
      nanosleep(&(struct timespec){0, 1000000}, NULL);
      continue;
    }
    dcs_progress_draw(&s->job->progress, (double)part / (double)s->n, "computing");
    DCS_TRY(dcs_map_slab(s->job, part * s->slices, end_of(s, part), s->slab));
    s->times.parts++;
    const struct iovec piece = {s->slab, bytes_of(s, part)};
    DCS_TRY(s->output == PLACED ? put(s, part) : s->workers->give(s->workers, part, &piece, 1));
  }
}

/* ---- HELD: rank 0 writes while it computes ---- */

static void *compute_beside(void *data) {
  shared *s = data;
  const dcs_status status = compute_slabs(s);
  pthread_mutex_lock(&s->lock);
  s->failed = status;
  snprintf(s->why, sizeof s->why, "%s", status == DCS_OK ? "" : dcs_error_message());
  pthread_cond_signal(&s->came);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

/* The writer's next slab. */
static dcs_status next_slab(void *with, int64_t from, int64_t end, float *values) {
  shared *s = with;
  const int64_t part = from / s->slices;
  (void)end;
  pthread_mutex_lock(&s->lock);
  while (!s->held[part] && s->failed == DCS_OK)
    pthread_cond_wait(&s->came, &s->lock);
  float *slab = s->held[part];
  s->held[part] = NULL;
  const dcs_status status = s->failed;
  pthread_mutex_unlock(&s->lock);
  if (!slab) return dcs_fail(status, "%s", s->why);
  memcpy(values, slab, bytes_of(s, part));
  free(slab);
  s->workers->passed(s->workers, part + 1);
  return DCS_OK;
}

static dcs_status write_held(shared *s) {
  pthread_t thread;
  dcs_slab_source *source = &s->job->slabs;
  s->held = calloc((size_t)s->n, sizeof *s->held);
  source->values = malloc(bytes_of(s, 0));
  if (!s->held || !source->values)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for slabs that wait to be written");
  source->slices = s->slices;
  source->compute = next_slab;
  source->with = s;
  source->beside = s->job->path;
  s->field->slabs = source;
  if (pthread_create(&thread, NULL, compute_beside, s) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "no thread can be started that computes");
  const dcs_status status = dcs_map_write(s->job, s->field);
  pthread_mutex_lock(&s->lock);
  s->stop = true;
  pthread_mutex_unlock(&s->lock);
  pthread_join(thread, NULL);
  return status;
}

/* ---- PLACED ---- */

static dcs_status begin_placed(shared *s) {
  s->statistics = malloc((size_t)s->field->n.z * sizeof *s->statistics);
  if (!s->statistics) return dcs_fail(DCS_UNAVAILABLE, "no memory for statistics of slices");
  if (s->workers->rank == 0) dcs_interrupt_removes(s->file.beside);
  return s->workers->open(s->workers, s->workers->rank == 0 ? s->file.beside : NULL);
}

/* The head comes last, for it has statistics of all slices. */
static dcs_status end_placed(shared *s) {
  char head[DCS_PLACED_HEAD];
  dcs_statistics all = dcs_statistics_of(NULL, 0);
  DCS_TRY(s->workers->close(s->workers));
  if (s->workers->rank > 0) return DCS_OK;
  for (int64_t k = 0; k < s->field->n.z; k++)
    dcs_statistics_add(&all, &s->statistics[k]);
  fwrite(head, 1, (size_t)s->format->head(s->field, &all, head), s->file.stream);
  const dcs_status status = dcs_file_close(&s->file);
  dcs_interrupt_removes(NULL);
  return status;
}

/* ---- the map ---- */

static dcs_status begin(shared *s) {
  const dcs_parts parts = {.n = s->n, .ahead = slabs_ahead(s), .deliver = deliver, .with = s};
  s->slab = malloc(bytes_of(s, 0));
  if (!s->slab)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for a slab of %lld slices", (long long)s->slices);
  if (s->output == WHOLE && s->workers->rank == 0) DCS_TRY(dcs_field_allocate(s->field));
  if (s->output == PLACED) DCS_TRY(begin_placed(s));
  return s->workers->begin(s->workers, &parts);
}

/* Where there is nothing to save an interrupt ends the program. */
static dcs_status compute(shared *s) {
  DCS_TRY(begin(s));
  const bool held = s->output == HELD && s->workers->rank == 0;
  if (s->output != PLACED && !held) dcs_interrupt_release();
  dcs_status status = held ? write_held(s) : compute_slabs(s);
  if (status == DCS_OK) status = s->workers->finish(s->workers);
  dcs_interrupt_catch();
  dcs_progress_next(&s->job->progress);
  return status;
}

static dcs_status write_map(shared *s, double started_ns) {
  const double start = dcs_now_ns();
  dcs_status status = DCS_OK;
  s->times.computing_s = 1e-9 * s->job->computing_ns;
  s->job->computing_ns = start - started_ns; /* by all ranks */
  if (s->output == PLACED) {
    status = end_placed(s);
    dcs_progress_clear(&s->job->progress);
    if (status == DCS_OK)
      dcs_say_written(s->job->path, s->field, s->job->computing_ns, dcs_now_ns() - start);
  } else if (s->output == WHOLE && s->workers->rank == 0 && s->job->path) {
    status = dcs_map_write(s->job, s->field);
  }
  dcs_progress_clear(&s->job->progress);
  s->times.writing_s = 1e-9 * (dcs_now_ns() - start);
  return status;
}

static void free_shared(shared *s, dcs_status status) {
  if (s->file.stream && status != DCS_OK) dcs_file_abandon(&s->file);
  for (int64_t i = 0; s->held && i < s->n; i++)
    free(s->held[i]);
  free(s->held);
  free(s->statistics);
  free(s->slab);
}

static dcs_status compute_and_write(shared *s) {
  DCS_TRY(settle(s));
  const double started_ns = dcs_now_ns();
  DCS_TRY(compute(s));
  return write_map(s, started_ns);
}

dcs_status dcs_map_by_ranks(dcs_workers *workers, dcs_map_job *job, dcs_field *field,
                            dcs_rank_times *times) {
  shared s = {.workers = workers,
              .job = job,
              .field = field,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .came = PTHREAD_COND_INITIALIZER};
  if (!job->path || dcs_field_format_of(job->path, &s.format) != DCS_OK) s.format = NULL;
  job->n = field->n;
  job->progress = dcs_progress_start();
  snprintf(field->units, sizeof field->units, "%s", job->units);
  const dcs_status status = compute_and_write(&s);
  *times = s.times;
  free_shared(&s, status);
  return status;
}
