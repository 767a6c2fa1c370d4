/* Makes the n-th call of a kind fail, for every n until the program ends without a fault, command
 * by command: no crash, no hang, and never status 0 with wrong or missing output. Calls of the
 * system fail by ptrace, allocations by tests/fault_inject.c. Of a command with more than
 * FAULTS_EVERY (200) allocations those of each call stack that no earlier command had fail: the
 * first, and one of the others, drawn by lot. FAULTS_PART=2/3: every third run from the second on.
 * Usage: faults PROGRAM INJECT_LIBRARY [COMMAND...]. */
#ifndef __x86_64__
#include <stdio.h>

int main(void) { /* the registers of a call are those of one architecture */
  puts("faults: skipped: written for x86-64 alone");
  return 0;
}
#else
#include "tests/fault_files.h"
#include "tests/same_words.h"

#include <ftw.h>
#include <inttypes.h>

static int broken;

/* ---- files ---- */

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *walk) {
  (void)facts, (void)kind, (void)walk;
  return remove(path);
}

static int parts;
static int count_part(const char *path, const struct stat *facts, int kind, struct FTW *walk) {
  (void)facts, (void)kind, (void)walk;
  if (strstr(path, ".part")) parts++, unlink(path);
  return 0;
}

/* ---- comparing ---- */

static int rows(const char *text) {
  int n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* A run of times: the same rows, or after a failure at most these. */
static bool file_has_rows(const char *path, const char *whole, bool or_fewer) {
  char *found = get_file(path);
  bool holds = rows(found) == rows(whole) || (or_fewer && rows(found) < rows(whole));
  free(found);
  return holds;
}

/* A run to which rows are added: `more` at least, and none is gone of those that it had. */
static bool file_has_grown(const char *path, const char *begun, int more) {
  char before[PATH_MAX];
  snprintf(before, sizeof before, "%s/%s", begun, strrchr(path, '/') + 1);
  char *found = get_file(path), *had = get_file(before);
  const bool holds = *had && rows(found) >= rows(had) + more;
  free(found);
  free(had);
  return holds;
}

/* After status 0 the file is the new one, after another it may be the old one too. */
static bool file_holds(const char *path, const char *whole, bool or_old) {
  char *found = get_file(path);
  bool holds = same_words(found, whole) || (or_old && strcmp(found, "old\n") == 0);
  free(found);
  return holds;
}

/* ---- what must hold ---- */

static bool is_over_time(const result *r) {
  return WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGALRM;
}

typedef struct {
  char *printed, *files[MOST_OUTPUTS];
} expected;

/* The n-th call of a kind; of allocations with a call stack where that is not 0. */
typedef struct {
  fault kind;
  uint64_t stack;
  long n;
} place;

static void complain(int command, place at, const result *r, const char *what) {
  char *said = get_file("@/stderr");
  printf("faults: %s, %s %ld", commands[command].name, faults[at.kind].name, at.n);
  if (at.stack) printf(" of stack %016" PRIx64, at.stack);
  printf(": %s: %.300s\n", what, said);
  if (at.kind == MALLOC && r->injected) {
    printf("faults: failed in: addr2line -fpse %s", program);
    for (int f = 0; r->record->frames[f]; f++)
      printf(" %#" PRIxPTR, r->record->frames[f]);
    puts("");
  }
  free(said);
  broken++;
}

/* `list` says of a variant why it cannot run: that may be the fault. */
static bool prints_the_fault(fault kind) {
  char *found = get_file("@/stdout");
  bool says = strstr(found, "no memory") || strstr(found, strerror(faults[kind].error));
  free(found);
  return says;
}

/* Faults are never the doing of a method: its worker may have no memory, but it does not crash. */
static bool blames_a_method(int c) {
  static const char *const blamed[] = {",crash,", ",wrong,", ",not_built,"};
  char *said = get_file("@/stderr");
  bool blames = strstr(said, "crash") || strstr(said, ": compile: ");
  free(said);
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++) {
    char *text = get_file(commands[c].outputs[o]);
    for (size_t b = 0; b < sizeof blamed / sizeof blamed[0]; b++)
      blames = blames || strstr(text, blamed[b]);
    free(text);
  }
  return blames;
}

static bool output_holds(int c, int output, const char *whole, bool done) {
  const char *path = commands[c].outputs[output];
  const bool samples = strstr(path, "samples") != NULL;
  if (commands[c].grows) return file_has_grown(path, commands[c].begun, done && samples);
  if (commands[c].fresh) return file_has_rows(path, whole, !done);
  return file_holds(path, whole, !done);
}

static void check(int c, place at, const result *r, const expected *e) {
  bool done = WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0;
  if (!r->injected && !done) complain(c, at, r, "fails without a fault");
  if (WIFSIGNALED(r->status)) complain(c, at, r, is_over_time(r) ? "hangs" : "ended by a signal");
  if (WIFEXITED(r->status) && WEXITSTATUS(r->status) > 5)
    complain(c, at, r, "a status of no meaning");
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
    if (!output_holds(c, o, e->files[o], done)) complain(c, at, r, commands[c].outputs[o]);
  if (done && commands[c].prints && !file_holds("@/stdout", e->printed, false) &&
      !prints_the_fault(at.kind))
    complain(c, at, r, "status 0, and not all was printed");
  if (done && at.kind == FSYNC && r->injected)
    complain(c, at, r, "status 0, and the disk may not have it");
  if (commands[c].judges && r->injected && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 1)
    complain(c, at, r, "recorded as the failure of what it judges");
  if (blames_a_method(c)) complain(c, at, r, "recorded as the fault of a method");
  if (!done && file_holds("@/stderr", "", false)) complain(c, at, r, "failed without a word");
  parts = 0;
  nftw(folder, count_part, 16, FTW_PHYS);
  if (parts > 0) complain(c, at, r, "left a part behind");
}

static void put_begun(int c) {
  if (!commands[c].fresh) return;
  nftw(expand(commands[c].fresh), remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  if (commands[c].begun) copy_run(commands[c].begun, commands[c].fresh, true);
}

static expected fault_free(int c) {
  expected e = {0};
  put_begun(c);
  limit_s = most_s;
  result r = run(commands[c].arguments, commands[c].worker, FSYNC, LONG_MAX);
  limit_s = fmin(20 * r.s + 1, most_s);
  if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0) {
    complain(c, (place){FSYNC, 0, 0}, &r, "fails without a fault");
    return e;
  }
  e.printed = get_file("@/stdout");
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
    e.files[o] = get_file(commands[c].outputs[o]);
  return e;
}

static result run_with_fault(int c, place at) {
  put_begun(c);
  for (int o = 0; !commands[c].fresh && o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
    put_file(commands[c].outputs[o], "old\n", 4);
  return run_at(commands[c].arguments, commands[c].worker, at.kind, at.stack, at.n);
}

static long every = 200, part = 1, parts_in_all = 1;

static void read_environment(void) {
  const char *bound = getenv("FAULTS_EVERY"), *share = getenv("FAULTS_PART");
  if (bound) every = atol(bound);
  if (share && sscanf(share, "%ld/%ld", &part, &parts_in_all) != 2) die("FAULTS_PART");
}

typedef struct {
  long met, tried; /* runs in which the call failed, and all */
  double longest_s;
} tally;

/* Whether the call that is to fail is there, or another has the run. */
static bool inject_at(int c, place at, const expected *e, tally *t) {
  if (t->tried++ % parts_in_all != part - 1) return true;
  result r = run_with_fault(c, at);
  if (is_over_time(&r)) r = run_with_fault(c, at); /* or the machine hung */
  check(c, at, &r, e);
  t->longest_s = fmax(t->longest_s, r.s);
  t->met += r.injected;
  return r.injected;
}

static fault_stack tried[MOST_STACKS]; /* with all that an earlier command made fail */

static fault_stack *find_tried(uint64_t hash) {
  uint64_t s = hash % MOST_STACKS;
  while (tried[s].hash && tried[s].hash != hash)
    s = (s + 1) % MOST_STACKS;
  return &tried[s];
}

/* The call stacks of a command's allocations; the caller frees. */
static fault_record *recorded(int c) {
  const result r = run_with_fault(c, (place){MALLOC, 0, 0});
  fault_record *copy = malloc(sizeof *copy);
  if (!copy) die("malloc");
  memcpy(copy, r.record, sizeof *copy);
  return copy;
}

static long drawn(long among) {
  static unsigned lot = 1;
  lot = lot * 1664525u + 1013904223u;
  return (long)((lot >> 8) % (unsigned long)among);
}

/* Of those that no earlier command has. */
static void inject_stacks(int c, const fault_record *record, const expected *e, tally *t) {
  for (const fault_stack *s = record->stacks; s < record->stacks + MOST_STACKS; s++) {
    if (!s->hash || find_tried(s->hash)->hash) continue;
    (void)inject_at(c, (place){MALLOC, s->hash, 1}, e, t);
    if (s->calls > 1) (void)inject_at(c, (place){MALLOC, s->hash, 2 + drawn(s->calls - 1)}, e, t);
  }
}

static void inject_every_n(int c, fault kind, const expected *e, tally *t) {
  for (long n = 1; inject_at(c, (place){kind, 0, n}, e, t); n++)
    ;
}

static void say(int c, fault kind, const tally *t, const char *how) {
  printf("faults: %s: %s: %ld%s, the longest %.2f s of %.1f\n", commands[c].name, faults[kind].name,
         t->met, how, t->longest_s, limit_s);
  fflush(stdout);
}

static void inject_allocations(int c, const expected *e) {
  tally t = {0};
  fault_record *record = recorded(c);
  const bool many = record->calls > every;
  if (many)
    inject_stacks(c, record, e, &t);
  else
    inject_every_n(c, MALLOC, e, &t);
  for (const fault_stack *s = record->stacks; s < record->stacks + MOST_STACKS; s++)
    if (s->hash) find_tried(s->hash)->hash = s->hash;
  say(c, MALLOC, &t, many ? " by call stack" : "");
  free(record);
}

static void inject_calls(int c, fault kind, const expected *e) {
  tally t = {0};
  inject_every_n(c, kind, e, &t);
  say(c, kind, &t, "");
}

static void inject(int c) {
  expected e = fault_free(c);
  if (!e.printed) return;
  inject_allocations(c, &e);
  for (int kind = MALLOC + 1; kind < N_KINDS; kind++)
    inject_calls(c, (fault)kind, &e);
  free(e.printed);
  for (int o = 0; o < MOST_OUTPUTS; o++)
    free(e.files[o]);
}

static bool chosen(const char *name, int argc, char **argv) {
  for (int i = 3; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return true;
  return argc == 3;
}

int main(int argc, char **argv) {
  static char real[PATH_MAX];
  if (argc < 3) return 2;
  program = argv[1];
  library = realpath(argv[2], real);
  read_environment();
  prepare();
  for (int c = 0; c < N_COMMANDS; c++)
    if (chosen(commands[c].name, argc, argv)) inject(c);
  nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  printf(broken ? "faults: %d FOUND\n" : "faults: none\n", broken);
  return broken > 0;
}
#endif
