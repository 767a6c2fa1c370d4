#include "harness/compare/interleave.h"

#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/process.h"
#include "harness/base/progress.h"
#include "harness/base/random.h"
#include "harness/rounds/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where a sweep is, in the order that it goes through them. */
typedef struct {
  int size, round, place;
} place;

typedef struct {
  const dcs_interleaved *of;
  pid_t pid; /* 0: it was not started, or has been waited for */
  int turns; /* it reads them here */
  FILE *lines;
  bool met, ended;
  bool untold; /* it does not tell how many maps its samples hold, or of which methods they are */
  place at;
  place renewed;   /* where its workers were started anew last */
  uint64_t method; /* of which its next sample is; 0: it does not say */
  place taken;     /* where its last sample was taken */
  uint64_t taken_of;
  int64_t inner; /* maps in that; 0: none was taken, or it does not say */
  double done;
} sweep;

typedef struct {
  sweep sweeps[2];
  int rounds;
  dcs_random random;
  dcs_progress progress;
} turns;

/* ---- one sweep ---- */

static dcs_status start(sweep *s) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0)
    return dcs_fail(DCS_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    return dcs_fail(DCS_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
  }
  const dcs_program program = {.program = s->of->program,
                               .argv = s->of->argv,
                               .first = STDIN_FILENO,
                               .ends = {in[0], out[1], STDERR_FILENO}};
  int error = dcs_process_start(&program, &s->pid);
  close(in[0]);
  close(out[1]);
  s->turns = in[1];
  s->lines = fdopen(out[0], "r");
  if (error) s->pid = 0;
  if (!s->lines) close(out[0]);
  if (error || !s->lines)
    return dcs_fail(error == ENOENT || error == EACCES ? DCS_USAGE : DCS_UNAVAILABLE,
                    "%s: cannot start %s: %s", s->of->name, s->of->program,
                    strerror(error ? error : ENOMEM));
  return DCS_OK;
}

/* Ends its standard input, which ends it, and waits. Returns its exit status; -1: a signal. */
static int finish(sweep *s) {
  int status = 0;
  if (s->lines) {
    fclose(s->lines);
    close(s->turns);
  }
  s->lines = NULL;
  if (s->pid == 0) return 0;
  (void)dcs_process_wait(s->pid, &status);
  s->pid = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static dcs_status ended_early(sweep *s) {
  const bool met = s->met;
  const int status = finish(s);
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  if (status < 0)
    return dcs_fail(DCS_FAILED, "%s: a signal ended %s before it had measured all", s->of->name,
                    s->of->program);
  if (met) /* its words stand above */
    return dcs_fail(status > DCS_OK && status <= DCS_IO ? (dcs_status)status : DCS_FAILED,
                    "%s: %s ended with status %d before it had measured all", s->of->name,
                    s->of->program, status);
  return dcs_fail(DCS_USAGE,
                  "%s: %s takes no turns with this build (it ended with status %d); expected a "
                  "dcsbench whose `sweep --help` tells of --turns",
                  s->of->name, s->of->program, status);
}

/* It looks up once a second: a signal may come just before poll(). */
static dcs_status listen(sweep *s) {
  char line[DCS_TURNS_LINE];
  struct pollfd lines = {.fd = fileno(s->lines), .events = POLLIN};
  while (!dcs_interrupted() && poll(&lines, 1, 1000) <= 0)
    ;
  if (dcs_interrupted() || !fgets(line, sizeof line, s->lines)) return ended_early(s);
  if (!s->met) {
    s->met = strcmp(line, DCS_TURNS_HELLO) == 0;
    if (s->met) return DCS_OK;
    line[strcspn(line, "\n")] = '\0';
    return dcs_fail(DCS_USAGE, "%s: %s begins with \"%s\"; expected \"%.*s\", as this build does",
                    s->of->name, s->of->program, line, (int)strlen(DCS_TURNS_HELLO) - 1,
                    DCS_TURNS_HELLO);
  }
  s->ended = strcmp(line, DCS_TURNS_END) == 0;
  s->taken = s->at;
  s->taken_of = s->method;
  s->method = 0;
  s->inner = 0;
  const int told = s->ended ? 6
                            : sscanf(line, "at %d %d %d %lf %" SCNd64 " %" SCNx64, &s->at.size,
                                     &s->at.round, &s->at.place, &s->done, &s->inner, &s->method);
  s->untold = s->untold || told < 6;
  if (told >= 4) return DCS_OK;
  line[strcspn(line, "\n")] = '\0';
  return dcs_fail(DCS_FAILED, "%s: %s wrote \"%s\"; expected where it is", s->of->name,
                  s->of->program, line);
}

static int block_of(int round, int rounds) {
  return (int)((int64_t)round * DCS_INTERLEAVE_BLOCKS / rounds);
}

/* Whether its workers are to be started anew before the sample that it is at. */
static bool is_due(const sweep *s, int rounds) {
  return s->at.round > 0 && block_of(s->at.round, rounds) != block_of(s->at.round - 1, rounds) &&
         (s->renewed.size != s->at.size || s->renewed.round != s->at.round);
}

/* What the other one's threads do after their last work (see shorten_waits()) is not to fall into
 * the sample. */
static void settle(void) {
  const struct timespec pause = {.tv_nsec = 2000000};
  nanosleep(&pause, NULL);
}

/* `inner`: maps that its sample is to hold; 0: as many as it chooses. */
static dcs_status give_turn(sweep *s, int rounds, int64_t inner) {
  const bool fresh = is_due(s, rounds);
  char line[DCS_TURNS_LINE] = "";
  dcs_append(line, sizeof line, "%s", fresh ? DCS_TURNS_FRESH : DCS_TURNS_GO);
  if (inner > 0) dcs_append(line, sizeof line, " %" PRId64, inner);
  dcs_append(line, sizeof line, "\n");
  if (fresh) s->renewed = s->at;
  settle();
  if (write(s->turns, line, strlen(line)) != (ssize_t)strlen(line)) return ended_early(s);
  return listen(s);
}

/* ---- both ---- */

static int compare_numbers(int a, int b) {
  return (a > b) - (a < b);
}

static int compare_places(const place *a, const place *b) {
  const int rounds[2] = {a->round == DCS_TURNS_SIZE_OVER ? INT_MAX : a->round,
                         b->round == DCS_TURNS_SIZE_OVER ? INT_MAX : b->round};
  int order = compare_numbers(a->size, b->size);
  if (order == 0) order = compare_numbers(rounds[0], rounds[1]);
  return order ? order : compare_numbers(a->place, b->place);
}

static sweep *next(turns *t) {
  sweep *s = t->sweeps;
  if (s[0].ended || s[1].ended) return &s[s[0].ended];
  const int order = compare_places(&s[0].at, &s[1].at);
  return &s[order ? order > 0 : dcs_random_below(&t->random, 2)];
}

/* Maps in the other one's sample of the pair that s is to end; 0: it is to begin one, or one of
 * them knows no such number. Two builds that differ in their methods are at different ones. */
static int64_t inner_of_pair(const turns *t, const sweep *s) {
  const sweep *other = &t->sweeps[s == t->sweeps];
  const bool same = s->method != 0 && s->method == other->taken_of;
  return same && compare_places(&other->taken, &s->at) == 0 ? other->inner : 0;
}

/* A thread that waits for its next loop does so actively, libgomp's for 5 ms and libomp's for 200
 * (on an Intel Xeon): the other program's threads would have to share a CPU with it. Of these
 * programs it gives up after 0.2 and 1.3 ms, before settle() is over, and hardly between two maps
 * of a sample. */
static void shorten_waits(void) {
  if (getenv("OMP_WAIT_POLICY")) return;
  setenv("GOMP_SPINCOUNT", "10000", false);
  setenv("KMP_BLOCKTIME", "1", false);
}

static dcs_status give_turns(turns *t) {
  sweep *s = t->sweeps;
  for (int i = 0; i < 2; i++)
    DCS_TRY(start(&s[i]));
  for (int i = 0; i < 2; i++)
    DCS_TRY(listen(&s[i]));
  while (!s[0].ended || !s[1].ended) {
    sweep *one = next(t);
    DCS_TRY(give_turn(one, t->rounds, inner_of_pair(t, one)));
    dcs_progress_draw(&t->progress, 0.5 * (s[0].done + s[1].done), "A and B in turns");
  }
  return DCS_OK;
}

/* An earlier build beside this one. */
static void say_untold(const sweep *s) {
  if (s->untold)
    fprintf(stderr,
            "%s: an earlier build, which does not tell how many maps a sample holds: where A's and "
            "B's hold other numbers (`inner` in samples.csv), what a sample costs beside its maps "
            "is in the ratio\n",
            s->of->name);
}

dcs_status dcs_interleave(const dcs_interleaved programs[2], int rounds, uint64_t seed,
                          const char *advice) {
  const place nowhere = {-1, 0, 0};
  turns t = {.rounds = rounds, .random = {seed}, .progress = dcs_progress_start()};
  for (int i = 0; i < 2; i++)
    t.sweeps[i] = (sweep){.of = &programs[i], .at = nowhere, .renewed = nowhere, .taken = nowhere};
  t.progress.advice = advice;
  shorten_waits();
  signal(SIGPIPE, SIG_IGN); /* a sweep that is gone shows as an error of write() */
  dcs_status status = give_turns(&t);
  dcs_progress_clear(&t.progress);
  for (int i = 0; i < 2; i++) {
    if (status == DCS_OK) say_untold(&t.sweeps[i]);
    if (t.sweeps[i].pid &&
        t.sweeps[i].at.size < 0) /* it has begun nothing, and has nothing to say */
      kill(t.sweeps[i].pid, SIGKILL);
    (void)finish(&t.sweeps[i]);
  }
  return status;
}
