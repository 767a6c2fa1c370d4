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
#include "tests/same_words.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OUTPUTS = 3, MOST_WORDS = 16, HANGS_AFTER_S = 300, TEXT = 1 << 20 };

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
    {"generate", "generate water --atoms 3 --out @/out.pqr", {"@/out.pqr"}, false, NULL},
    {"report", "report @/run", {NULL}, true, NULL},
    {"page", "report @/small --html -o @/page.html", {"@/page.html"}, true, NULL},
    {"compare", "compare @/run @/run", {NULL}, true, NULL},
    {"map", "map @/in.pqr --grid 8^3 --out @/out.dx", {"@/out.dx"}, false, NULL},
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

typedef enum {
  MALLOC,
  WRITE,
  READ,
  OPEN,
  RENAME,
  FSYNC,
  FORK,
  PIPE,
  MKDIR,
  MAP,
  MEMORY,
  N_KINDS
} fault;
static const struct {
  const char *name;
  int error;
} faults[N_KINDS] = {{"malloc", ENOMEM}, {"write", ENOSPC}, {"read", EIO},        {"open", EMFILE},
                     {"rename", EIO},    {"fsync", EIO},    {"fork", EAGAIN},     {"pipe", EMFILE},
                     {"mkdir", ENOSPC},  {"mmap", ENOMEM},  {"ftruncate", ENOSPC}};

static char folder[] = "/tmp/dcs-faults-XXXXXX";
static const char *program, *library;
static int broken;

/* ---- files ---- */

/* The text with the folder for every @; the last four stay valid. */
static char *expand(const char *text) {
  static char texts[4][2 * PATH_MAX];
  static int next;
  char *to = texts[next = (next + 1) % 4], *at = to;
  for (; *text; text++)
    at += *text == '@' ? sprintf(at, "%s", folder) : sprintf(at, "%c", *text);
  *at = '\0';
  return to;
}

static void die(const char *what) {
  perror(what);
  exit(2);
}

static void put_file(const char *path, const char *text, size_t size) {
  FILE *file = fopen(expand(path), "w");
  if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0) die(path);
}

/* Its bytes up to TEXT - 1, ended by a NUL; "" when there is none. The caller frees. */
static char *get_file(const char *path) {
  char *text = calloc(TEXT, 1);
  FILE *file = fopen(expand(path), "r");
  if (file && text && fread(text, 1, TEXT - 1, file) == 0) text[0] = '\0';
  if (file) fclose(file);
  return text;
}

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

/* ---- one run ---- */

typedef struct {
  int status; /* wait's */
  bool injected;
} result;

static void become(const char *arguments, bool worker, fault kind, long n) {
  char *line = expand(arguments), *words[MOST_WORDS], text[32];
  int count = 0;
  words[count++] = strdup("dcsbench");
  for (char *word = strtok(line, " "); word && count < MOST_WORDS - 1; word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(open(expand("@/stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
  dup2(open(expand("@/stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
  alarm(HANGS_AFTER_S);
  if (kind == MALLOC) {
    snprintf(text, sizeof text, "%ld", n);
    setenv("DCS_FAULT_MALLOC", text, 1);
    setenv("DCS_FAULT_FILE", expand("@/told"), 1);
    if (worker) setenv("DCS_FAULT_WORKER", "1", 1);
    setenv("LD_PRELOAD", library, 1);
  } else {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
  }
  execv(program, words);
  _exit(127);
}

static bool in_folder(const char *path) {
  return strncmp(path, folder, strlen(folder)) == 0;
}

static bool names_our_file(pid_t pid, unsigned long long address) {
  char path[PATH_MAX] = "";
  struct iovec here = {path, strlen(folder) + 1},
               there = {(void *)(uintptr_t)address, here.iov_len};
  return process_vm_readv(pid, &here, 1, &there, 1, 0) > 0 && in_folder(path);
}

static bool is_our_file(pid_t pid, unsigned long long fd) {
  char link[64], path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/%d/fd/%llu", (int)pid, fd);
  return readlink(link, path, sizeof path - 1) > 0 && in_folder(path);
}

/* Whether the call is one of the kind; of files, those of the test count, whose absence matters. */
static bool is_call(fault kind, pid_t pid, const struct user_regs_struct *r) {
  switch (kind) {
  case WRITE:
    return (r->orig_rax == SYS_write || r->orig_rax == SYS_writev) && r->rdi != 2 &&
           is_our_file(pid, r->rdi);
  case READ:
    return r->orig_rax == SYS_read && is_our_file(pid, r->rdi);
  case OPEN:
    return (r->orig_rax == SYS_open && names_our_file(pid, r->rdi)) ||
           (r->orig_rax == SYS_openat && names_our_file(pid, r->rsi));
  case RENAME:
    return r->orig_rax == SYS_rename || r->orig_rax == SYS_renameat || r->orig_rax == SYS_renameat2;
  case FSYNC:
    return r->orig_rax == SYS_fsync;
  case FORK:
    return r->orig_rax == SYS_clone || r->orig_rax == SYS_clone3 || r->orig_rax == SYS_fork ||
           r->orig_rax == SYS_vfork;
  case PIPE:
    return r->orig_rax == SYS_pipe || r->orig_rax == SYS_pipe2;
  case MKDIR:
    return r->orig_rax == SYS_mkdir;
  case MAP: /* what processes share; the rest is allocations and the program itself */
    return r->orig_rax == SYS_mmap && (r->r10 & MAP_SHARED) != 0;
  case MEMORY:
    return r->orig_rax == SYS_ftruncate || r->orig_rax == SYS_memfd_create;
  default:
    return false;
  }
}

static bool is_worker(pid_t pid) {
  char path[64], line[64] = "";
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
  FILE *file = fopen(path, "r");
  if (file && fread(line, 1, sizeof line - 1, file) == 0) line[0] = '\0';
  if (file) fclose(file);
  return strcmp(line + strlen(line) + 1, "worker") == 0;
}

typedef struct {
  pid_t program, failing; /* the process whose call fails; 0: none yet */
  bool worker, over;      /* over: the call has failed */
  fault kind;
  long left; /* calls of the kind up to the one that fails */
} injection;

/* A process stands before or behind a call: the one that is to fail is none, and has its error. */
static void at_call(injection *in, pid_t pid) {
  struct __ptrace_syscall_info info;
  struct user_regs_struct registers;
  ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
  ptrace(PTRACE_GETREGS, pid, 0, &registers);
  if (in->failing == pid && info.op == PTRACE_SYSCALL_INFO_EXIT) {
    registers.rax = (unsigned long long)-faults[in->kind].error;
    in->over = true;
  } else if (!in->failing && info.op == PTRACE_SYSCALL_INFO_ENTRY &&
             is_call(in->kind, pid, &registers) && (pid == in->program) != in->worker &&
             (!in->worker || is_worker(pid)) && --in->left == 0) {
    registers.orig_rax = (unsigned long long)-1;
    in->failing = pid;
  } else {
    return;
  }
  ptrace(PTRACE_SETREGS, pid, 0, &registers);
}

/* Lets the traced program run to its end, and the workers with it where one of them is to fail;
 * its n-th call of the kind is none, and fails. */
static result trace(pid_t program_pid, bool worker, fault kind, long n) {
  injection in = {.program = program_pid, .worker = worker, .kind = kind, .left = n};
  const long follow = worker ? PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE : 0;
  result r = {0};
  waitpid(program_pid, &r.status, 0);
  ptrace(PTRACE_SETOPTIONS, program_pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | follow);
  ptrace(PTRACE_SYSCALL, program_pid, 0, 0);
  for (int status;;) {
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0) break;
    if (!WIFSTOPPED(status)) {
      if (pid == program_pid) r.status = status;
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) at_call(&in, pid);
    /* Of exec, of a new process, and what a new process stops with. */
    if (signal == (SIGTRAP | 0x80) || signal == SIGTRAP || (worker && signal == SIGSTOP))
      signal = 0;
    ptrace(in.over ? PTRACE_CONT : PTRACE_SYSCALL, pid, 0, signal);
  }
  r.injected = in.failing != 0;
  return r;
}

static result run(const char *arguments, bool worker, fault kind, long n) {
  put_file("@/told", "-", 1);
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) become(arguments, worker, kind, n);
  if (kind != MALLOC) return trace(pid, worker, kind, n);
  result r = {0};
  waitpid(pid, &r.status, 0);
  r.injected = file_holds("@/told", "x", false);
  return r;
}

/* ---- what must hold ---- */

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
  if (WIFSIGNALED(r->status))
    complain(c, kind, n, WTERMSIG(r->status) == SIGALRM ? "hangs" : "ended by a signal");
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
  result r = run(commands[c].arguments, false, FSYNC, LONG_MAX);
  if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0) {
    complain(c, FSYNC, 0, "fails without a fault");
    return e;
  }
  e.printed = get_file("@/stdout");
  for (int o = 0; o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
    e.files[o] = get_file(commands[c].outputs[o]);
  return e;
}

static void inject(int c) {
  expected e = fault_free(c);
  if (!e.printed) return;
  for (int kind = 0; kind < N_KINDS; kind++) {
    long n = 0;
    for (result r = {.injected = true}; r.injected;) {
      put_begun(c);
      for (int o = 0; !commands[c].fresh && o < MOST_OUTPUTS && commands[c].outputs[o]; o++)
        put_file(commands[c].outputs[o], "old\n", 4);
      r = run(commands[c].arguments, commands[c].worker, (fault)kind, ++n);
      check(c, (fault)kind, n, &r, &e);
    }
    printf("faults: %s: %s: %ld\n", commands[c].name, faults[kind].name, n - 1);
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
  char path[2 * PATH_MAX], *molecule = get_file("tests/corpus/pqr/plain.pqr");
  if (!mkdtemp(folder)) die(folder);
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
