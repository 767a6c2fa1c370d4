/* Makes the n-th call of a kind fail, for every n until the program ends without a fault, command
 * by command: no crash, no hang, and never status 0 with wrong or missing output. Calls of the
 * system fail by ptrace, allocations by tests/fault_inject.c. Usage: faults PROGRAM INJECT_LIBRARY
 * [COMMAND...]. */
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

enum { MOST_OUTPUTS = 3 };

/* In arguments and names @ is the folder of the test. */
static const struct {
  const char *name, *arguments, *outputs[MOST_OUTPUTS];
  bool prints;       /* always the same */
  const char *fresh; /* a folder that must not be there; its files hold times: their rows count */
  bool worker;       /* the faults are those of the first worker, not of the program */
  const char *begun; /* where that folder's files are from, NULL: it is not there */
} commands[] = {
    {"list", "list --csv", {NULL}, true, NULL},
    {"info", "info --csv @/in.pqr", {NULL}, true, NULL},
    {"packed", "info --csv tests/corpus/molecule/named.gz", {NULL}, true, NULL},
    {"points", "info --csv tests/corpus/molecule/points.xyzq", {NULL}, true, NULL},
    {"pair",
     "info --csv tests/corpus/topology/ions.psf tests/corpus/topology/ions.pdb",
     {NULL},
     true,
     NULL},
    {"amber",
     "info --csv tests/corpus/topology/ions.rst7 tests/corpus/topology/ions.prmtop",
     {NULL},
     true,
     NULL},
    {"frames",
     "info --csv tests/corpus/topology/fixed.dcd tests/corpus/topology/ions.psf --frame 2",
     {NULL},
     true,
     NULL},
    {"generate", "generate water --atoms 3 --out @/out.pqr", {"@/out.pqr"}, false, NULL},
    {"copies", "generate replicate @/in.pqr 2 1 1 --out @/out.pqr", {"@/out.pqr"}, false, NULL},
    {"report", "report @/run", {NULL}, true, NULL},
    {"page", "report @/small --html -o @/page.html", {"@/page.html"}, true, NULL},
    {"compare", "compare @/run @/run", {NULL}, true, NULL},
    {"map", "map @/in.pqr --grid 8^3 --out @/out.dx", {"@/out.dx"}, false, NULL},
    {"mean",
     "map tests/corpus/topology/ions.psf tests/corpus/topology/fixed.dcd --grid 4^3 --spacing 2 "
     "--average --variance --out @/out.npy",
     {"@/out.npy", "@/out_variance.npy", "@/out_error.npy"},
     false,
     NULL},
    {"crossover", "crossover @/run", {"@/run/thresholds.csv", "@/run/winners.csv"}, true, NULL},
    {"dispatch", "dispatch @/run", {"@/run/dispatch.csv", "@/run/dispatch.h"}, true, NULL},
    {"claims", "claims @/run", {"@/run/claims.csv"}, true, NULL},
    {"plot", "plot @/small", {"@/small/plots/ladder.dat", "@/small/plots/ladder.svg"}, true, NULL},
    {"sweep",
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new"},
    {"resume",
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new "
     "--resume",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new",
     false,
     "@/begun"},
    {"tune",
     "tune cpu_scatter --atoms 5 --grid 4^3 --budget 1 --samples 3",
     {"@/data/tuned.csv"},
     false,
     "@/data"},
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
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static int broken;

/* ---- files ---- */

/* The files of a run lie in one of the corpus, with a form feed on a line between them. */
static void make_run(const char *corpus, const char *run) {
  static const char *const names[] = {"env", "samples", "summary"};
  char path[PATH_MAX], *text = get_file(corpus), *at = text;
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

/* A gnuplot whose pictures are whole and take no time. */
static void make_gnuplot(void) {
  static const char script[] =
      "#!/bin/sh\npart=${3#*\\\"}; part=${part%\\\"}\nname=${4%.gp}\n"
      "printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B`\\202' >\"$name.png$part\"\n"
      "echo '<?xml version=\"1.0\"?><svg></svg>' >\"$name.svg$part\"\n";
  put_file("@/gnuplot", script, sizeof script - 1);
  chmod(expand("@/gnuplot"), 0755);
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

static void complain(int command, fault kind, long n, const char *what) {
  char *said = get_file("@/stderr");
  printf("faults: %s, %s %ld: %s: %.300s\n", commands[command].name, faults[kind].name, n, what,
         said);
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
  bool blames = strstr(said, "crash") != NULL;
  free(said);
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++) {
    char *text = get_file(commands[c].outputs[o]);
    blames = blames || strstr(text, ",crash,");
    free(text);
  }
  return blames;
}

static void check(int c, fault kind, long n, const result *r, const expected *e) {
  bool done = WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0;
  if (!r->injected && !done) complain(c, kind, n, "fails without a fault");
  if (WIFSIGNALED(r->status)) complain(c, kind, n, is_over_time(r) ? "hangs" : "ended by a signal");
  if (WIFEXITED(r->status) && WEXITSTATUS(r->status) > 5)
    complain(c, kind, n, "a status of no meaning");
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
    if (commands[c].fresh ? !file_has_rows(commands[c].outputs[o], e->files[o], !done)
                          : !file_holds(commands[c].outputs[o], e->files[o], !done))
      complain(c, kind, n, commands[c].outputs[o]);
  if (done && commands[c].prints && !file_holds("@/stdout", e->printed, false) &&
      !prints_the_fault(kind))
    complain(c, kind, n, "status 0, and not all was printed");
  if (done && kind == FSYNC && r->injected)
    complain(c, kind, n, "status 0, and the disk may not have it");
  if (blames_a_method(c)) complain(c, kind, n, "recorded as the crash of a method");
  if (!done && file_holds("@/stderr", "", false)) complain(c, kind, n, "failed without a word");
  parts = 0;
  nftw(folder, count_part, 16, FTW_PHYS);
  if (parts > 0) complain(c, kind, n, "left a part behind");
}

/* Files of which only the first row stays where it is not env.csv: a run that was begun. */
static void copy_begun(const char *from, const char *to) {
  static const char *const names[] = {"env.csv", "samples.csv", "summary.csv"};
  char source[PATH_MAX], target[PATH_MAX];
  mkdir(expand(to), 0777);
  for (int i = 0; i < 3; i++) {
    snprintf(source, sizeof source, "%s/%s", from, names[i]);
    snprintf(target, sizeof target, "%s/%s", to, names[i]);
    char *text = get_file(source);
    put_file(target, text, i == 0 ? strlen(text) : strcspn(text, "\n") + 1);
    free(text);
  }
}

static void put_begun(int c) {
  if (!commands[c].fresh) return;
  nftw(expand(commands[c].fresh), remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  if (commands[c].begun) copy_begun(commands[c].begun, commands[c].fresh);
}

static expected fault_free(int c) {
  expected e = {0};
  put_begun(c);
  limit_s = most_s;
  result r = run(commands[c].arguments, commands[c].worker, FSYNC, LONG_MAX);
  limit_s = fmin(20 * r.s + 1, most_s);
  if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0) {
    complain(c, FSYNC, 0, "fails without a fault");
    return e;
  }
  e.printed = get_file("@/stdout");
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
    e.files[o] = get_file(commands[c].outputs[o]);
  return e;
}

static result run_with_fault(int c, fault kind, long n) {
  put_begun(c);
  for (int o = 0; !commands[c].fresh && o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
    put_file(commands[c].outputs[o], "old\n", 4);
  return run(commands[c].arguments, commands[c].worker, kind, n);
}

static void inject(int c) {
  expected e = fault_free(c);
  if (!e.printed) return;
  for (int kind = 0; kind < N_KINDS; kind++) {
    long n = 0;
    double longest_s = 0;
    for (result r = {.injected = true}; r.injected;) {
      r = run_with_fault(c, (fault)kind, ++n);
      if (is_over_time(&r)) r = run_with_fault(c, (fault)kind, n); /* or the machine hung */
      check(c, (fault)kind, n, &r, &e);
      longest_s = fmax(longest_s, r.s);
    }
    printf("faults: %s: %s: %ld, the longest %.2f s of %.1f\n", commands[c].name, faults[kind].name,
           n - 1, longest_s, limit_s);
    fflush(stdout);
  }
  free(e.printed);
  for (int o = 0; o < MOST_OUTPUTS; o++)
    free(e.files[o]);
}

static bool chosen(const char *name, int argc, char **argv) {
  for (int i = 3; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return true;
  return argc == 3;
}

static void prepare(void) {
  char path[2 * PATH_MAX], *molecule = get_file("tests/corpus/molecule/plain.pqr");
  if (!mkdtemp(folder)) die(folder);
  limit_s = most_s;
  put_file("@/in.pqr", molecule, strlen(molecule));
  free(molecule);
  make_run("tests/corpus/run/reference", "@/run");
  make_run("tests/corpus/run/reference", "@/small");
  make_gnuplot();
  snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
  setenv("PATH", path, 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("DCSBENCH_DATA", expand("@/data"), 1);
  setenv("DCSBENCH_CACHE", expand("@/cache"), 1);
  for (int c = 0; c < N_COMMANDS; c++) /* what these write is read by others */
    if (strcmp(commands[c].name, "tune") == 0 || strcmp(commands[c].name, "sweep") == 0)
      (void)run(commands[c].arguments, false, FSYNC, LONG_MAX);
  copy_begun("@/new", "@/begun");
}

int main(int argc, char **argv) {
  static char real[PATH_MAX];
  if (argc < 3) return 2;
  program = argv[1];
  library = realpath(argv[2], real);
  prepare();
  for (int c = 0; c < N_COMMANDS; c++)
    if (chosen(commands[c].name, argc, argv)) inject(c);
  nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  printf(broken ? "faults: %d FOUND\n" : "faults: none\n", broken);
  return broken > 0;
}
#endif
