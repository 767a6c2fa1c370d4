#include "harness/base/machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Where threads are bound (OMP_PROC_BIND), a thread's own affinity is one CPU: OpenMP knows what
 * the process had. */
static int affinity(void) {
#ifdef _OPENMP
  int procs = omp_get_num_procs(), limit = omp_get_thread_limit();
  return procs < limit ? procs : limit; /* more threads than OMP_THREAD_LIMIT cannot be had */
#else
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
#endif
}

char *dcs_system_line(const char *path, const char *before, char text[DCS_LINE]) {
  FILE *file = fopen(path, "r");
  char line[DCS_LINE];
  *text = '\0';
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, before, strlen(before)) != 0) continue;
    line[strcspn(line, "\n")] = '\0';
    strcpy(text, line + strlen(before));
    break;
  }
  if (file) fclose(file);
  return text;
}

int dcs_cpus(void) {
  int cpus = affinity();
  char line[DCS_LINE];
  long long quota, period;
  if (sscanf(dcs_system_line("/sys/fs/cgroup/cpu.max", "", line), "%lld %lld", &quota, &period) ==
          2 &&
      period > 0) {
    long long limit = (quota + period - 1) / period;
    if (limit >= 1 && limit < cpus) cpus = (int)limit;
  }
  return cpus;
}

static int64_t number_in_file(const char *path, const char *before) {
  char line[DCS_LINE];
  long long value;
  return sscanf(dcs_system_line(path, before, line), "%lld", &value) == 1 ? value : -1;
}

int64_t dcs_available_memory(void) {
  int64_t kib = number_in_file("/proc/meminfo", "MemAvailable:");
  int64_t available = kib < 0 ? INT64_MAX : kib * 1024;
  int64_t limit = number_in_file("/sys/fs/cgroup/memory.max", "");
  int64_t used = number_in_file("/sys/fs/cgroup/memory.current", "");
  if (limit > 0 && used >= 0 && limit - used < available) available = limit - used;
  return available;
}

/* A CPU's part of the last cache is at most 4 MiB wherever that is shared; twice that, or twice the
 * whole where few CPUs have all of it. */
int64_t dcs_flush_bytes(void) {
  const int64_t shared = 2 * (int64_t)sysconf(_SC_LEVEL3_CACHE_SIZE);
  const int64_t parts = (int64_t)dcs_cpus() * (8 << 20);
  return shared > parts ? shared : parts;
}
