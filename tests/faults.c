/* Makes the n-th call of a kind fail, for every n until the program ends without a fault, command
 * by command: no crash, no hang, and never status 0 with wrong or missing output. Calls of the
 * system fail by ptrace, allocations by tests/fault_inject.c. Of a command with more than
 * FAULTS_EVERY (400) allocations those of each call stack that no earlier command had fail: the
 * first, and one of the others, drawn by lot. FAULTS_PART=2/3: every third run from the second on.
 * Usage: faults PROGRAM INJECT_LIBRARY [COMMAND...]. */
#ifndef __x86_64__
#include <stdio.h>

int main(void) { /* the registers of a call are those of one architecture */
  puts("faults: skipped: written for x86-64 alone");
  return 0;
}
#else
#include "tests/fault_run.h"
#include "tests/same_words.h"

#include <ftw.h>
#include <inttypes.h>

enum { MOST_OUTPUTS = 3 };

/* In arguments and names @ is the folder of the test, in which tests/corpus/topology is copied, and
 * % the program. */
static const struct {
  const char *name, *arguments, *outputs[MOST_OUTPUTS];
  bool prints;       /* always the same */
  const char *fresh; /* a folder that must not be there; its files hold times: their rows count */
  bool worker;       /* the faults are those of the first worker, not of the program */
  const char *begun; /* where that folder's files are from, NULL: it is not there */
  bool judges;       /* status 1 says that what it judges has failed, which no fault of ours is */
  bool grows;        /* samples are added, as many as times by chance ask for; none is taken away */
} commands[] = {
    {"list", "list --csv", {NULL}, true, NULL},
    {"info", "info --csv @/in.pqr", {NULL}, true, NULL},
    {"packed", "info --csv @/named.gz", {NULL}, true, NULL},
    {"points", "info --csv @/points.xyzq", {NULL}, true, NULL},
    {"pair", "info --csv @/ions.psf @/ions.pdb", {NULL}, true, NULL},
    {"amber", "info --csv @/ions.rst7 @/ions.prmtop", {NULL}, true, NULL},
    {"frames", "info --csv @/fixed.dcd @/ions.psf --frame 2", {NULL}, true, NULL},
    {"generate", "generate water --atoms 3 --out @/out.pqr", {"@/out.pqr"}, false, NULL},
    {"copies", "generate replicate @/in.pqr 2 1 1 --out @/out.pqr", {"@/out.pqr"}, false, NULL},
    {"report", "report @/run", {NULL}, true, NULL},
    {"page", "report @/small --html -o @/page.html", {"@/page.html"}, true, NULL},
    {"compare", "compare @/run @/run", {NULL}, true, NULL},
    {"map", "map @/in.pqr --grid 8^3 --out @/out.dx", {"@/out.dx"}, false, NULL},
    {"mean",
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 "
     "--average --variance --out @/out.npy",
     {"@/out.npy", "@/out_variance.npy", "@/out_error.npy"},
     false,
     NULL},
    {"crossover", "crossover @/run", {"@/run/thresholds.csv", "@/run/winners.csv"}, true, NULL},
    {"dispatch", "dispatch @/run", {"@/run/dispatch.csv", "@/run/dispatch.h"}, true, NULL},
    {"claims", "claims @/run", {"@/run/claims.csv"}, true, NULL},
    {"plot", "plot @/small", {"@/small/plots/ladder.dat", "@/small/plots/ladder.svg"}, true, NULL},
    {"methods",
     "sweep --method a=@/timed --method b=@/timed{n} --size n=1 --check @/timed --rounds 2 --out "
     "@/new",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new"},
    {"steps", "steps --grid 4^3 --steps 2 --config threads=1 --out @/out.npy", {"@/out.npy"}},
    {"resume",
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new "
     "--resume",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new",
     false,
     "@/begun"},
    {"sweep", /* which measures limits, and takes longer */
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new"},
    {"tune",
     "tune cpu_scatter --atoms 5 --grid 4^3 --budget 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     false,
     "@/data"},
    {"own",
     "tune results/examples/dot.json --budget-evals 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     .fresh = "@/data"},
    {"replay", "tune --replay @/data/journal.csv", {NULL}, false},
    {"tuned", "tune export", {NULL}, true},
    {"verify", "verify --variants cpu_gather --config threads=1", {NULL}, true},
    {"limits", "limits --csv", {NULL}, false},
    {"compile",
     "compile --variants cuda_naive --config block_x=16,block_y=16 --arch sm_90",
     {NULL},
     false},
    {"explain", "explain cpu_gather --config threads=1 --run @/run", {NULL}, true},
    {"sweep-worker",
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new "
     "--resume",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new",
     true,
     "@/begun"},
    {"verify-worker",
     "verify --variants cpu_gather,cpu_cutoff --config threads=1,isa=portable",
     {NULL},
     true,
     NULL,
     true},
    {"compile-worker", /* of the emulated device: nothing of the kernel is in the cache */
     "verify --variants cuda_naive --config block_x=16,block_y=16 --device emulated",
     {NULL},
     .fresh = "@/cache",
     .worker = true},
    {"tune-worker",
     "tune cpu_scatter --atoms 5 --grid 4^3 --budget 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     .fresh = "@/data",
     .worker = true},
    {"own-worker",
     "tune results/examples/dot.json --budget-evals 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     .fresh = "@/data",
     .worker = true},
    {"refine",
     "crossover @/new --refine=1 --rounds 1",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new",
     .begun = "@/real",
     .grows = true},
    {"measure",
     "dispatch @/new --measure",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new",
     .begun = "@/strayed",
     .grows = true},
    {"compare-run",
     "compare --run @/sweep @/sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 "
     "--rounds 6 --out @/kept",
     {"@/kept/a/summary.csv", "@/kept/b/summary.csv"},
     .fresh = "@/kept"},
    {"study",
     "tune --study @/journal.csv --samples 3 --out @/study",
     {"@/study/study.csv", "@/study/regret.csv", "@/study/importance.csv"},
     .fresh = "@/study"},
    {"pareto",
     "tune cpu_gather --pareto=error --atoms 5 --grid 4^3 --budget-evals 2 --samples 2 --last 0 "
     "--journal @/pareto/journal.csv --out @/pareto",
     {"@/pareto/pareto.csv"},
     .fresh = "@/pareto",
     .begun = "@/begun"},
    {"import",
     "import @/times.csv --out @/new",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new"},
    {"checkpoint",
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 --average --checkpoint @/saved --out "
     "@/out.npy",
     {"@/out.npy"}},
    {"each",
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 --each @/out_#.dx",
     {"@/out_1.dx", "@/out_2.dx"}},
    {"map-gpu", "map @/in.pqr --grid 4^3 --device emulated --out @/out.dx", {"@/out.dx"}},
    {"convert", "convert @/map.dx @/out.npy", {"@/out.npy"}},
    {"diff", "diff @/map.dx @/map.dx --csv", {NULL}, .prints = true},
    {"t4", "report @/run --t4 @/out.json", {"@/out.json"}},
    {"trace",
     "trace cuda_naive --config block_x=16,block_y=16 --atoms 5 --grid 16x16x1 --csv",
     {NULL},
     .prints = true},
    {"labs", "lab", {NULL}, .prints = true},
    {"lab-start", "lab 1 --start @/lab", {"@/lab/README.md"}, .fresh = "@/lab"},
    {"lab-check", "lab 5 --kernels labs/5/solution", {NULL}, .judges = true},
    {"lab-worker", "lab 5 --kernels labs/5/solution", {NULL}, .worker = true, .judges = true},
    {"scale",
     "scale --mpirun @/mpirun --ranks 1,2,4 --weak 2 --rounds 3 --nodes 8 --out @/scale -- "
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 --average --out @/out.npy",
     {"@/scale/runs.csv", "@/scale/scaling.csv", "@/scale/simulated.csv"},
     .fresh = "@/scale"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static int broken;

/* ---- files ---- */

/* The files of a run lie in one of the corpus, behind the letter that tells its target what to do,
 * with a form feed on a line between them. */
static void make_run(const char *corpus, const char *run) {
  static const char *const names[] = {"env", "samples", "summary"};
  char path[PATH_MAX], *text = get_file(corpus), *at = text + 1;
  if (mkdir(expand(run), 0777) != 0) die(run);
  for (int i = 0; i < 3; i++) {
    char *end = strstr(at, "\f\n");
    size_t size = end ? (size_t)(end - at) : strlen(at);
    snprintf(path, sizeof path, "%s/%s.csv", run, names[i]);
    put_file(path, at, size);
    at = end ? end + 2 : at + size;
  }
  free(text);
}

/* Commands to be timed. */
static void make_timed(void) {
  static const char script[] = "#!/bin/sh\n:\n";
  static const char *const names[] = {"@/timed", "@/timed1"};
  for (int n = 0; n < 2; n++) {
    put_file(names[n], script, sizeof script - 1);
    chmod(expand(names[n]), 0755);
  }
}

/* A gnuplot whose pictures are whole and take no time. */
static void make_gnuplot(void) {
  static const char script[] =
      "#!/bin/sh\npart=${3#*\\\"}; part=${part%\\\"}\nname=${4%.gp}\n"
      "printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B`\\202' >\"$name.png$part\"\n"
      "echo '<?xml version=\"1.0\"?><svg></svg>' >\"$name.svg$part\"\n";
  put_file("@/gnuplot", script, sizeof script - 1);
  chmod(expand("@/gnuplot"), 0755);
}

/* A program whose `sweep` knows the CPU's limits, which take longer to measure than all else. */
static void make_sweep(void) {
  char script[8 * PATH_MAX];
  const int length = snprintf(
      script, sizeof script,
      "#!/bin/sh\nfor word; do case $word in --out=*) out=${word#*=};; --turns=*) of=${word#*=};; "
      "esac; done\nmkdir -p \"$out\" && cp %s/begun/*.csv \"$out\" && "
      "echo \"interleaved,$of\" >>\"$out/env.csv\" && exec %s \"$@\" --resume\n",
      folder, program);
  put_file("@/sweep", script, (size_t)length);
  chmod(expand("@/sweep"), 0755);
}

/* An mpirun of jobs whose ranks take no time. */
static void make_mpirun(void) {
  static const char script[] =
      "#!/bin/sh\necho schema,rank,parts,most_parts,preparing_s,reading_s,computing_s,"
      "communicating_s,receiving_s,writing_s,wall_s,steps,slices,hidden_s\n"
      "rank=0; while [ $rank -lt $2 ]; do\n"
      "echo \"rank_times.2,$rank,2,2,1,0.5,$((8 / $2)).25,0.25,0,1,$((4 + 8 / $2)),0,0,0\"\n"
      "rank=$((rank + 1)); done\n";
  put_file("@/mpirun", script, sizeof script - 1);
  chmod(expand("@/mpirun"), 0755);
}

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
  char *said = get_file("@/stderr");
  bool blames = strstr(said, "crash") || strstr(said, ": compile: ");
  free(said);
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++) {
    char *text = get_file(commands[c].outputs[o]);
    blames = blames || strstr(text, ",crash,");
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

/* The files of a run; without `rows` only the header of those that have them stays: it was begun.
 */
static void copy_run(const char *from, const char *to, bool rows) {
  static const char *const names[] = {"env.csv", "samples.csv", "summary.csv"};
  char source[PATH_MAX], target[PATH_MAX];
  mkdir(expand(to), 0777);
  for (int i = 0; i < 3; i++) {
    snprintf(source, sizeof source, "%s/%s", from, names[i]);
    snprintf(target, sizeof target, "%s/%s", to, names[i]);
    char *text = get_file(source);
    put_file(target, text, rows || i == 0 ? strlen(text) : strcspn(text, "\n") + 1);
    free(text);
  }
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

static long every = 400, part = 1, parts_in_all = 1;

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

/* Files of the corpus, where reading them can fail, without the letter for their target. */
static void copy_corpus(void) {
  static const char *const files[][2] = {
      {"molecule/plain.pqr", "in.pqr"},        {"molecule/named.gz", "named.gz"},
      {"molecule/points.xyzq", "points.xyzq"}, {"topology/ions.psf", "ions.psf"},
      {"topology/ions.pdb", "ions.pdb"},       {"topology/ions.rst7", "ions.rst7"},
      {"topology/ions.prmtop", "ions.prmtop"}, {"topology/fixed.dcd", "fixed.dcd"}};
  char command[2 * PATH_MAX];
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    snprintf(command, sizeof command, "tail -c +2 tests/corpus/%s >%s/%s", files[f][0], folder,
             files[f][1]);
    if (system(command) != 0) die(command);
  }
}

/* As many configurations as a study needs. */
static void write_journal(void) {
  char command[2 * PATH_MAX];
  snprintf(command, sizeof command,
           "head -n 21 results/reference/nvidia-h200/journal_padded.csv >%s/journal.csv", folder);
  if (system(command) != 0) die(command);
}

static void change_times(const char *run, const char *file, const char *column, const char *time) {
  char command[4 * PATH_MAX];
  snprintf(command, sizeof command,
           "cd %s/%s && awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }\n"
           "NR > 1 { n = $at[\"atoms\"]; one = $at[\"config\"] == \"threads=1\"; "
           "$at[\"%s\"] = %s } 1' %s >t && mv t %s",
           folder, run, column, time, file, file);
  if (system(command) != 0) die(command);
}

/* A run of this machine in which two threads overtake one at 60 atoms, and one in which a time is
 * far off. */
static void make_real_runs(void) {
  static const char *const sweep =
      "sweep --variants cpu_gather --config threads=1|2 --atoms 10,40,90,160 --grid 4^3 "
      "--rounds 6 --out @/";
  static const char *const times[][2] = {
      {"real", "one ? 1000 * n : 60000"},
      {"strayed", "(one ? 1000 * n : 60000) / (one && n == 40 ? 1000 : 1)"}};
  char command[512];
  for (int r = 0; r < 2; r++) {
    snprintf(command, sizeof command, "%s%s", sweep, times[r][0]);
    (void)run(command, false, FSYNC, LONG_MAX);
    change_times(times[r][0], "samples.csv", "time_ns", times[r][1]);
    change_times(times[r][0], "summary.csv", "median_ns", times[r][1]);
  }
}

static void prepare(void) {
  static const char times[] = "method,n,time_ms\na,8,1\na,8,1.1\nb,8,3\nb,64,2\na,64,4\n";
  char path[2 * PATH_MAX];
  if (!mkdtemp(folder)) die(folder);
  limit_s = most_s;
  copy_corpus();
  write_journal();
  put_file("@/times.csv", times, sizeof times - 1);
  make_run("tests/corpus/run/reference", "@/run");
  make_run("tests/corpus/run/reference", "@/small");
  make_timed();
  make_gnuplot();
  make_mpirun();
  snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
  setenv("PATH", path, 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("DCSBENCH_DATA", expand("@/data"), 1);
  setenv("DCSBENCH_CACHE", expand("@/cache"), 1);
  for (int c = 0; c < N_COMMANDS; c++) /* what these write is read by others */
    if (strcmp(commands[c].name, "tune") == 0 || strcmp(commands[c].name, "sweep") == 0)
      (void)run(commands[c].arguments, false, FSYNC, LONG_MAX);
  copy_run("@/new", "@/begun", false);
  make_sweep();
  make_real_runs();
  (void)run("map @/in.pqr --grid 4^3 --out @/map.dx", false, FSYNC, LONG_MAX);
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
