/* A library to preload: the allocation that the fault_record in the file DCS_FAULT_FILE counts
 * fails, in this process alone, or, where DCS_FAULT_WORKER is set, in the workers that it starts.
 * Allocations of the program and of the C library count: a compiler that is loaded, or OpenMP's
 * runtime, ends the program when it has no memory. */
#include "tests/fault_record.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

static fault_record *record; /* in memory, as the program may close what it does not know */

static struct { uintptr_t base, first, end; } counted[2];

/* Where the code of the program and of the C library lies. */
static int find_counted(struct dl_phdr_info *object, size_t size, void *data) {
  static int n;
  (void)size, (void)data;
  const int is_counted = !*object->dlpi_name || strstr(object->dlpi_name, "/libc.so");
  for (int h = 0; is_counted && n < 2 && h < object->dlpi_phnum; h++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[h];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    counted[n].base = object->dlpi_addr;
    counted[n].first = object->dlpi_addr + part->p_vaddr;
    counted[n++].end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    break;
  }
  return 0;
}

/* Which of the two a call is in; -1: neither. */
static int counted_of(const void *caller) {
  const uintptr_t at = (uintptr_t)caller;
  for (int n = 0; n < 2; n++)
    if (at >= counted[n].first && at < counted[n].end) return n;
  return -1;
}

static fault_record *open_record(void) {
  const char *file = getenv("DCS_FAULT_FILE");
  const int fd = file ? open(file, O_RDWR) : -1;
  void *map = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || map == MAP_FAILED) _exit(99);
  close(fd);
  return map;
}

/* What the process with the fault starts is left alone. Constructors get the arguments of main. */
__attribute__((constructor)) static void begin(int argc, char **argv) {
  void *frame;
  const int in_worker = getenv("DCS_FAULT_WORKER") != NULL;
  if (in_worker && (argc < 2 || strcmp(argv[1], "worker") != 0)) return;
  unsetenv("LD_PRELOAD");
  dl_iterate_phdr(find_counted, NULL);
  (void)backtrace(&frame, 1); /* which loads what it needs */
  record = open_record();
}

/* Without the two functions below, which every stack has. */
static uint64_t hash_of(void **frames, int n) {
  uint64_t hash = 14695981039346656037u;
  for (int f = 2; f < n; f++) {
    const int in = counted_of(frames[f]);
    const uintptr_t at = in < 0 ? 0 : (uintptr_t)frames[f] - counted[in].base;
    hash = (hash ^ at ^ ((uintptr_t)in << 48)) * 1099511628211u;
  }
  return hash ? hash : 1;
}

static void count_stack(uint64_t hash) {
  for (uint64_t s = hash % MOST_STACKS, tried = 0; tried < MOST_STACKS;
       s = (s + 1) % MOST_STACKS, tried++) {
    uint64_t found = 0;
    if (!atomic_compare_exchange_strong(&record->stacks[s].hash, &found, hash) && found != hash)
      continue;
    atomic_fetch_add(&record->stacks[s].calls, 1);
    return;
  }
}

static void tell(void **frames, int n) {
  for (int f = 2, to = 0; f < n && to < MOST_FRAMES - 1; f++)
    if (counted_of(frames[f]) == 0) record->frames[to++] = (uintptr_t)frames[f] - counted[0].base;
  record->injected = 1;
}

static __attribute__((noinline)) int fails(const void *caller) {
  void *frames[MOST_FRAMES];
  int n = 0;
  if (!record || counted_of(caller) < 0 || record->injected) return 0;
  if (record->n == 0 || record->stack) {
    n = backtrace(frames, MOST_FRAMES);
    const uint64_t hash = hash_of(frames, n);
    if (record->n == 0) count_stack(hash);
    if (record->stack && hash != record->stack) return 0;
  }
  if (atomic_fetch_add(&record->calls, 1) + 1 != record->n) return 0;
  tell(frames, n ? n : backtrace(frames, MOST_FRAMES));
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *block, size_t bytes) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}
