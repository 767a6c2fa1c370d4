/* One job of several ranks: its command line, and what its ranks print. */
#include "tuning/scale/scale.h"

#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/files/csv.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- programs and what they write ---- */

typedef struct {
  char *out, *err;
  int status; /* as waitpid's */
  double s;   /* how long it took */
} captured;

/* NULL: there is no memory for all of it, or it cannot be read. */
static char *take_text(FILE *file) {
  size_t used = 0, got = 1;
  char *text = NULL;
  rewind(file);
  while (got > 0) {
    char *more = realloc(text, used + 4097);
    if (!more) break;
    text = more;
    used += got = fread(text + used, 1, 4096, file);
    text[used] = '\0';
  }
  if (got == 0 && !ferror(file)) return text;
  free(text);
  return NULL;
}

/* An interrupt ends the job: mpirun tells the ranks, and has some seconds for it. */
static int wait_for_job(pid_t pid, int *status) {
  enum { SECONDS = 3 };
  const int descriptor = dcs_process_descriptor(pid);
  if (descriptor >= 0) {
    if (!dcs_process_ends(descriptor, INFINITY, true)) kill(pid, SIGTERM);
    if (!dcs_process_ends(descriptor, SECONDS, false)) kill(pid, SIGKILL);
    close(descriptor);
  }
  return dcs_process_wait(pid, status);
}

static int run_between(char *const *argv, FILE *out, FILE *err, captured *c) {
  pid_t pid;
  const double start = dcs_now_ns();
  const dcs_program program = {
      .program = argv[0], .argv = argv, .ends = {-1, fileno(out), fileno(err)}};
  int cause = dcs_process_start(&program, &pid);
  if (cause == 0) cause = wait_for_job(pid, &c->status);
  c->s = 1e-9 * (dcs_now_ns() - start);
  c->out = take_text(out);
  c->err = take_text(err);
  return cause == 0 && !(c->out && c->err) ? ENOMEM : cause;
}

/* Returns 0 or an errno; the texts are the caller's. */
static int run_captured(char *const *argv, captured *c) {
  *c = (captured){0};
  FILE *out = tmpfile(), *err = tmpfile();
  const int cause = out && err ? run_between(argv, out, err, c) : errno;
  if (out) fclose(out);
  if (err) fclose(err);
  return cause;
}

static void free_captured(captured *c) {
  free(c->out);
  free(c->err);
}

/* ---- command line ---- */

enum { MOST_WORDS = 200, OWN_TEXTS = 1024 };

typedef struct {
  char *words[MOST_WORDS + 1];
  int n;
  char **of_mpirun;      /* cut from its text */
  char texts[OWN_TEXTS]; /* of words that are made here */
  size_t used;
} command;

static void add(command *c, const char *word) {
  if (c->n < MOST_WORDS) c->words[c->n++] = (char *)word; /* who executes them changes none */
}

static void add_text(command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(command *c, const char *format, ...) {
  va_list args;
  char *text = c->texts + c->used;
  va_start(args, format);
  c->used += (size_t)vsnprintf(text, OWN_TEXTS - c->used, format, args) + 1;
  va_end(args);
  add(c, text);
}

/* Open MPI binds ranks to single CPUs, and starts no more ranks than there are CPUs. */
static bool is_open_mpi(void) {
  static int known = -1;
  char mpirun[] = "mpirun", version[] = "--version";
  captured c;
  if (known >= 0) return known;
  known = run_captured((char *[]){mpirun, version, NULL}, &c) == 0 && c.out &&
          strstr(c.out, "Open MPI") != NULL;
  free_captured(&c);
  return known;
}

static dcs_status add_mpirun(command *c, const char *mpirun) {
  int n;
  if (!mpirun) {
    add(c, "mpirun");
    if (!is_open_mpi()) return DCS_OK;
    add(c, "--bind-to");
    add(c, "none");
    add(c, "--oversubscribe");
    return DCS_OK;
  }
  DCS_TRY(dcs_split(mpirun, ' ', &c->of_mpirun, &n));
  for (int i = 0; i < n; i++)
    if (*c->of_mpirun[i]) add(c, c->of_mpirun[i]);
  return DCS_OK;
}

/* The first so many cards of each host. */
static void add_cards(command *c, int cards) {
  char list[256] = "";
  for (int i = 0; i < cards; i++)
    dcs_append(list, sizeof list, "%s%d", i ? "," : "", i);
  add_text(c, "CUDA_VISIBLE_DEVICES=%s", list);
}

/* Variables by env(1): every mpirun has another option for them. */
static dcs_status build(command *c, const dcs_scale_plan *plan, const dcs_scale_point *p) {
  *c = (command){0};
  DCS_TRY(add_mpirun(c, plan->mpirun));
  add(c, "-n");
  add_text(c, "%d", p->ranks);
  add(c, "env");
  if (p->threads > 0) add_text(c, "OMP_NUM_THREADS=%d", p->threads);
  if (p->cards > 0) add_cards(c, p->cards);
  add(c, plan->program);
  for (int i = 0; plan->words[i]; i++)
    add(c, plan->words[i]);
  if (p->weak) add(c, plan->slices ? "--slices" : "--frames");
  if (p->weak) add_text(c, "%s%lld", plan->slices ? "" : "1:", (long long)p->frames);
  add(c, "--time");
  if (c->n == MOST_WORDS)
    return dcs_fail(DCS_USAGE, "found a command of more than %d words", MOST_WORDS);
  c->words[c->n] = NULL;
  return DCS_OK;
}

/* ---- what the ranks print ---- */

/* Of seconds, and of counts, which are multiplied by up to a million nodes. */
#define MOST_NUMBER 1e12

static dcs_status add_rank(const dcs_table *t, size_t row, dcs_scale_run *run) {
  static const char *const names[] = DCS_NAMES(
      "schema", "rank", "parts", "most_parts", "preparing_s", "reading_s", "computing_s",
      "communicating_s", "receiving_s", "writing_s", "wall_s", "steps", "slices", "hidden_s");
  enum { N = sizeof names / sizeof names[0] - 1 };
  int at[N];
  double v[N];
  DCS_TRY(dcs_table_need_all(t, names, at));
  if (strcmp(dcs_table_cell(t, row, at[0]), DCS_RANK_TIMES_SCHEMA) != 0)
    return dcs_table_wrong(t, row, "schema", at[0], DCS_RANK_TIMES_SCHEMA);
  for (int i = 1; i < N; i++) {
    v[i] = dcs_table_number(t, row, at[i]);
    if (!(v[i] >= 0 && v[i] <= MOST_NUMBER))
      return dcs_table_wrong(t, row, names[i], at[i], "a number of at most 1e12, 0 at least");
  }
  run->parts += (int64_t)v[2];
  run->most_parts = (int64_t)v[3];
  run->reading_s += v[5];
  run->computing_s += v[6];
  run->communicating_s += v[7];
  run->steps = (int64_t)v[11];
  run->slices += (int64_t)v[12];
  run->hidden_s += v[13];
  if (v[1] > 0) {
    run->sent_parts += (int64_t)v[2];
  } else {
    run->preparing_s = v[4];
    run->receiving_s = v[8];
    run->writing_s = v[9];
    run->wall_s = v[10];
  }
  return DCS_OK;
}

dcs_status dcs_scale_read_ranks(const char *printed, const dcs_scale_point *p, dcs_scale_run *run) {
  const char *begin = printed ? strstr(printed, "schema,rank,") : NULL;
  dcs_table *table;
  if (!begin)
    return dcs_fail(DCS_FAILED, "the job printed no times of its ranks; expected a table of them");
  DCS_TRY(dcs_table_parse("the ranks' times", begin, strlen(begin), &table));
  dcs_status status = DCS_OK;
  if (dcs_table_rows(table) != (size_t)p->ranks)
    status = dcs_fail(DCS_FAILED,
                      "found the times of %zu ranks; expected %d: is the program built "
                      "for another mpirun?",
                      dcs_table_rows(table), p->ranks);
  for (size_t row = 0; row < dcs_table_rows(table) && status == DCS_OK; row++)
    status = add_rank(table, row, run);
  dcs_table_free(table);
  return status;
}

/* The line of the program, if there is one, or the first; mpirun draws rules above its own. */
static dcs_status say_failure(const captured *c) {
  const char *text = c->err ? c->err : "", *own = strstr(text, "dcsbench");
  text = own ? own : text + strspn(text, "-\n ");
  return dcs_fail(DCS_FAILED, "the job failed: %.*s", (int)strcspn(text, "\n"), text);
}

static dcs_status run_command(const command *c, const dcs_scale_point *p, dcs_scale_run *run) {
  captured got;
  const int cause = run_captured(c->words, &got);
  dcs_status status = DCS_OK;
  if (cause)
    status = dcs_fail(DCS_UNAVAILABLE,
                      "cannot start %s: %s; expected the program that starts ranks of MPI jobs",
                      c->words[0], strerror(cause));
  else if (!WIFEXITED(got.status) || WEXITSTATUS(got.status) != 0)
    status = dcs_interrupted() ? dcs_fail(DCS_FAILED, "interrupted") : say_failure(&got);
  else
    status = dcs_scale_read_ranks(got.out, p, run);
  run->launch_s = got.s - run->wall_s;
  free_captured(&got);
  return status;
}

dcs_status dcs_scale_job(const dcs_scale_plan *plan, const dcs_scale_point *point,
                         dcs_scale_run *run) {
  command c;
  dcs_status status = build(&c, plan, point);
  if (status == DCS_OK) status = run_command(&c, point, run);
  free(c.of_mpirun);
  return status;
}
