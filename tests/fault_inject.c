/* A library to preload: the allocation that DCS_FAULT_MALLOC counts fails, in this process alone,
 * or, where DCS_FAULT_WORKER is set, in the first worker that it starts. The first byte of the file
 * DCS_FAULT_FILE becomes x when it does. Allocations of the program and of the C library count: a
 * compiler that is loaded, or OpenMP's runtime, ends the program when it has no memory. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

static atomic_long left = -1; /* allocations before the one that fails; below 0: none does */
static volatile char *told;   /* in memory, as the program may close what it does not know */

static struct { uintptr_t first, end; } counted[2];

/* Where the code of the program and of the C library lies. */
static int find_counted(struct dl_phdr_info *object, size_t size, void *data) {
  static int n;
  (void)size, (void)data;
  const int is_counted = !*object->dlpi_name || strstr(object->dlpi_name, "/libc.so");
  for (int h = 0; is_counted && n < 2 && h < object->dlpi_phnum; h++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[h];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    counted[n].first = object->dlpi_addr + part->p_vaddr;
    counted[n++].end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    break;
  }
  return 0;
}

static int is_counted(const void *caller) {
  const uintptr_t at = (uintptr_t)caller;
  return (at >= counted[0].first && at < counted[0].end) ||
         (at >= counted[1].first && at < counted[1].end);
}

/* What the process with the fault starts is left alone. Constructors get the arguments of main. */
__attribute__((constructor)) static void begin(int argc, char **argv) {
  const int in_worker = getenv("DCS_FAULT_WORKER") != NULL;
  if (in_worker && (argc < 2 || strcmp(argv[1], "worker") != 0)) return;
  const char *which = getenv("DCS_FAULT_MALLOC"), *file = getenv("DCS_FAULT_FILE");
  int fd = file ? open(file, O_RDWR) : -1;
  void *map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (!which || fd < 0 || map == MAP_FAILED) _exit(99);
  close(fd);
  unsetenv("LD_PRELOAD");
  dl_iterate_phdr(find_counted, NULL);
  told = map;
  if (*told == 'x') return; /* an earlier worker had it */
  left = atol(which) - 1;
}

static int fails(const void *caller) {
  if (!is_counted(caller)) return 0;
  if (atomic_load(&left) < 0 || atomic_fetch_sub(&left, 1) != 0) return 0;
  *told = 'x';
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
