/* A run of the program in which the n-th call of a kind fails: calls of the system by ptrace,
 * allocations by tests/fault_inject.c. For x86-64: the registers of a call are those of one
 * architecture. */
#ifndef DCS_TEST_FAULT_RUN_H
#define DCS_TEST_FAULT_RUN_H

#include "tests/fault_record.h"

#include <errno.h>
#include <fcntl.h>
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
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 32, TEXT = 1 << 20 };

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
/* A run that takes longer hangs, s. Of a command: 20 times as long as it takes without a fault, and
 * a second for what else the machine does. */
static double limit_s;
static const double most_s = 300;

/* ---- files ---- */

/* The text with the folder for every @, the program for every %, and %d for #; the last four stay
 * valid. */
static char *expand(const char *text) {
  static char texts[4][2 * PATH_MAX];
  static int next;
  char *to = texts[next = (next + 1) % 4], *at = to;
  for (; *text; text++)
    at += *text == '@'   ? sprintf(at, "%s", folder)
          : *text == '%' ? sprintf(at, "%s", program)
          : *text == '#' ? sprintf(at, "%%d")
                         : sprintf(at, "%c", *text);
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

/* ---- one run ---- */

typedef struct {
  int status; /* wait's */
  bool injected;
  double s;                   /* how long it took */
  const fault_record *record; /* of allocations; until the next run */
} result;

static void become(const char *arguments, bool worker, fault kind) {
  char *line = expand(arguments), *words[MOST_WORDS];
  int count = 0;
  words[count++] = strdup("dcsbench");
  for (char *word = strtok(line, " "); word && count < MOST_WORDS - 1; word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(open(expand("@/stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
  dup2(open(expand("@/stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
  const double whole_s = floor(limit_s);
  setitimer(
      ITIMER_REAL,
      &(struct itimerval){.it_value = {(time_t)whole_s, (suseconds_t)(1e6 * (limit_s - whole_s))}},
      NULL);
  if (kind == MALLOC) {
    setenv("DCS_FAULT_FILE", expand("@/record"), 1);
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
    return (r->orig_rax == SYS_read || r->orig_rax == SYS_pread64) && is_our_file(pid, r->rdi);
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

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What processes with tests/fault_inject.c find in the folder; its bytes are zeros. */
static fault_record *open_record(void) {
  const int fd = open(expand("@/record"), O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || ftruncate(fd, sizeof(fault_record)) != 0) die("record");
  void *map = mmap(NULL, sizeof(fault_record), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) die("record");
  close(fd);
  return map;
}

/* Of an allocation n is that of those with the call stack, where that is not 0; with n = 0 all
 * stacks are written down instead. */
static result run_at(const char *arguments, bool worker, fault kind, uint64_t stack, long n) {
  static fault_record *record;
  result r = {0};
  if (!record) record = open_record();
  memset(record, 0, sizeof *record);
  record->n = n;
  record->stack = stack;
  const double begin = now_s();
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) become(arguments, worker, kind);
  if (kind != MALLOC) {
    r = trace(pid, worker, kind, n);
  } else {
    waitpid(pid, &r.status, 0);
    r.injected = record->injected;
  }
  r.s = now_s() - begin;
  r.record = record;
  return r;
}

static result run(const char *arguments, bool worker, fault kind, long n) {
  return run_at(arguments, worker, kind, 0, n);
}

#endif
