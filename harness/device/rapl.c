#include "harness/device/rapl.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool read_line(const char *folder, int zone, const char *name, char line[64]) {
  char path[512];
  snprintf(path, sizeof path, "%s/intel-rapl:%d/%s", folder, zone, name);
  FILE *file = fopen(path, "r");
  bool got = file && fgets(line, 64, file);
  if (file) fclose(file);
  return got;
}

static bool read_number(const char *folder, int zone, const char *name, double *value) {
  char line[64];
  long long number;
  if (!read_line(folder, zone, name, line) || sscanf(line, "%lld", &number) != 1) return false;
  *value = (double)number;
  return number >= 0;
}

dcs_rapl dcs_rapl_read(const char *folder) {
  dcs_rapl rapl = {.n = 0};
  for (int zone = 0; zone < DCS_MAX_PACKAGES; zone++) {
    char name[64];
    if (!read_line(folder, zone, "name", name) || strncmp(name, "package", 7) != 0) continue;
    if (read_number(folder, zone, "energy_uj", &rapl.energy_uj[rapl.n]) &&
        read_number(folder, zone, "max_energy_range_uj", &rapl.range_uj[rapl.n]))
      rapl.n++;
  }
  return rapl;
}

double dcs_rapl_used_j(const dcs_rapl *before, const dcs_rapl *after) {
  double used_uj = 0;
  if (before->n == 0 || before->n != after->n) return NAN;
  for (int p = 0; p < after->n; p++) {
    double used = after->energy_uj[p] - before->energy_uj[p];
    used_uj += used < 0 ? used + before->range_uj[p] : used;
  }
  return 1e-6 * used_uj;
}
