#include "harness/base/machine.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
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

/* ---- control groups ---- */

/* Files of limits of a group and of those around it, up to the root. In a container the groups may
 * be mounted from the container's own one on: what is not there sets no limit. */
typedef struct {
  char group[DCS_LINE]; /* below the root; "": the root */
  char root[64];
  char path[DCS_LINE + 128]; /* of the file asked for last */
} groups;

/* Whether a line of /proc/self/cgroup, "4:cpu,cpuacct:/job", is of the controller ("": version 2);
 * the group goes to `group`. */
static bool line_of(char *line, const char *controller, char group[DCS_LINE]) {
  char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
  if (!path) return false;
  *path++ = '\0';
  for (char *name = list + 1, *rest = name; rest; name = rest) {
    rest = strchr(name, ',');
    if (rest) *rest++ = '\0';
    if (strcmp(name, controller) != 0) continue;
    snprintf(group, DCS_LINE, "%s", strcmp(path, "/") == 0 ? "" : path);
    return true;
  }
  return false;
}

/* This process's own group, which may lie below others: a job's. */
static groups own_group(const char *controller) {
  groups g = {.group = ""};
  char line[DCS_LINE];
  FILE *file = fopen("/proc/self/cgroup", "re");
  snprintf(g.root, sizeof g.root, "/sys/fs/cgroup%s%s", *controller ? "/" : "", controller);
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (line_of(line, controller, g.group)) break;
  }
  if (file) fclose(file);
  return g;
}

/* From a group to the one around it; false: it is the root. */
static bool leave_group(groups *g) {
  char *slash = strrchr(g->group, '/');
  if (slash) *slash = '\0';
  return slash != NULL;
}

static const char *in_group(groups *g, const char *name) {
  snprintf(g->path, sizeof g->path, "%s%s/%s", g->root, g->group, name);
  return g->path;
}

/* ---- CPUs ---- */

/* The quota of a group rounded up to CPUs, or 0. */
static int64_t quota_of(groups *g, bool version_2) {
  long long quota = 0, period = 0;
  char line[DCS_LINE];
  if (version_2) {
    dcs_system_line(in_group(g, "cpu.max"), "", line);
    if (sscanf(line, "%lld %lld", &quota, &period) != 2) return 0;
  } else {
    quota = number_in_file(in_group(g, "cpu.cfs_quota_us"), "");
    period = number_in_file(in_group(g, "cpu.cfs_period_us"), "");
  }
  return quota > 0 && period > 0 ? (quota - 1) / period + 1 : 0;
}

static int64_t cpus_of_groups(int64_t cpus, bool version_2) {
  groups g = own_group(version_2 ? "" : "cpu");
  do {
    const int64_t limit = quota_of(&g, version_2);
    if (limit >= 1 && limit < cpus) cpus = limit;
  } while (leave_group(&g));
  return cpus;
}

/* Asked once: it takes several files, and steps of microseconds ask for their threads. */
static int quota(void) {
  static _Atomic int cpus;
  if (cpus == 0) cpus = (int)cpus_of_groups(cpus_of_groups(INT_MAX, true), false);
  return cpus;
}

int dcs_cpus(void) {
  const int usable = affinity(), limit = quota();
  return usable < limit ? usable : limit;
}

int dcs_loop_threads(void) {
#ifdef _OPENMP
  const int told = omp_get_max_threads(), cpus = dcs_cpus();
  return omp_in_parallel() ? 1 : told < cpus ? told : cpus;
#else
  return 1;
#endif
}

/* ---- memory ---- */

/* What a group may take beside what it has; pages of files that nobody used lately are given up for
 * it. */
static int64_t left_of_groups(int64_t available, bool version_2) {
  groups g = own_group(version_2 ? "" : "memory");
  do {
    const int64_t limit =
        number_in_file(in_group(&g, version_2 ? "memory.max" : "memory.limit_in_bytes"), "");
    const int64_t used =
        number_in_file(in_group(&g, version_2 ? "memory.current" : "memory.usage_in_bytes"), "");
    const int64_t cached = number_in_file(in_group(&g, "memory.stat"),
                                          version_2 ? "inactive_file " : "total_inactive_file ");
    if (limit <= 0 || used < 0) continue;
    const int64_t taken = cached > 0 && cached < used ? used - cached : used;
    const int64_t left = limit > taken ? limit - taken : 0;
    if (left < available) available = left;
  } while (leave_group(&g));
  return available;
}

/* What ulimit leaves of a resource of which the process has so many pages. */
static int64_t left_of_limit(int64_t available, int resource, long long pages) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return available;
  const int64_t used = pages * sysconf(_SC_PAGESIZE);
  const int64_t left = (int64_t)limit.rlim_cur > used ? (int64_t)limit.rlim_cur - used : 0;
  return left < available ? left : available;
}

int64_t dcs_available_memory(void) {
  const int64_t kib = number_in_file("/proc/meminfo", "MemAvailable:");
  long long all = 0, data = 0;
  char line[DCS_LINE];
  int64_t available = kib < 0 ? INT64_MAX : kib * 1024;
  available = left_of_groups(left_of_groups(available, true), false);
  if (sscanf(dcs_system_line("/proc/self/statm", "", line), "%lld %*d %*d %*d %*d %lld", &all,
             &data) != 2)
    return available;
  return left_of_limit(left_of_limit(available, RLIMIT_AS, all), RLIMIT_DATA, data);
}

/* A CPU's part of the last cache is at most 4 MiB wherever that is shared; twice that, or twice the
 * whole where few CPUs have all of it. */
int64_t dcs_flush_bytes(void) {
  const int64_t shared = 2 * (int64_t)sysconf(_SC_LEVEL3_CACHE_SIZE);
  const int64_t parts = (int64_t)dcs_cpus() * (8 << 20);
  return shared > parts ? shared : parts;
}
