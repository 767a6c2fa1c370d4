#include "harness/base/machine.h"

#include <sched.h>
#include <stdbool.h>
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

static int64_t number_in_file(const char *path, const char *before) {
  char line[DCS_LINE];
  long long value;
  return sscanf(dcs_system_line(path, before, line), "%lld", &value) == 1 ? value : -1;
}

/* ---- control groups (version 2) ---- */

typedef char group_path[DCS_LINE]; /* below the folder of groups; "": the root */

/* This process's own group: a job's may lie below others. */
static void own_group(group_path group) {
  dcs_system_line("/proc/self/cgroup", "0::", group);
  if (strcmp(group, "/") == 0) *group = '\0';
}

/* From a group to the one around it; false: it is the root. */
static bool leave_group(group_path group) {
  char *slash = strrchr(group, '/');
  if (slash) *slash = '\0';
  return slash != NULL;
}

static const char *in_group(const char *group, const char *name, char path[DCS_LINE + 64]) {
  snprintf(path, DCS_LINE + 64, "/sys/fs/cgroup%s/%s", group, name);
  return path;
}

/* ---- the machine ---- */

int dcs_cpus(void) {
  int cpus = affinity();
  char line[DCS_LINE], path[DCS_LINE + 64];
  long long quota, period;
  group_path group;
  own_group(group);
  do {
    dcs_system_line(in_group(group, "cpu.max", path), "", line);
    if (sscanf(line, "%lld %lld", &quota, &period) != 2 || period <= 0) continue;
    long long limit = (quota + period - 1) / period;
    if (limit >= 1 && limit < cpus) cpus = (int)limit;
  } while (leave_group(group));
  return cpus;
}

int dcs_loop_threads(void) {
#ifdef _OPENMP
  const int told = omp_get_max_threads(), cpus = dcs_cpus();
  return omp_in_parallel() ? 1 : told < cpus ? told : cpus;
#else
  return 1;
#endif
}

int64_t dcs_available_memory(void) {
  int64_t kib = number_in_file("/proc/meminfo", "MemAvailable:");
  int64_t available = kib < 0 ? INT64_MAX : kib * 1024;
  char path[DCS_LINE + 64];
  group_path group;
  own_group(group);
  do {
    int64_t limit = number_in_file(in_group(group, "memory.max", path), "");
    int64_t used = number_in_file(in_group(group, "memory.current", path), "");
    if (limit > 0 && used >= 0 && limit - used < available) available = limit - used;
  } while (leave_group(group));
  return available;
}

/* A CPU's part of the last cache is at most 4 MiB wherever that is shared; twice that, or twice the
 * whole where few CPUs have all of it. */
int64_t dcs_flush_bytes(void) {
  const int64_t shared = 2 * (int64_t)sysconf(_SC_LEVEL3_CACHE_SIZE);
  const int64_t parts = (int64_t)dcs_cpus() * (8 << 20);
  return shared > parts ? shared : parts;
}
