#include "harness/device/rapl.h"

#include "harness/base/machine.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool read_number(const char *folder, int zone, const char *name, double *value) {
  char path[512], line[DCS_LINE];
  snprintf(path, sizeof path, "%s/intel-rapl:%d/%s", folder, zone, name);
  return sscanf(dcs_system_line(path, "", line), "%lf", value) == 1 && *value >= 0;
}

dcs_rapl dcs_rapl_read(const char *folder) {
  dcs_rapl rapl = {.n = 0};
  for (int zone = 0; zone < DCS_MAX_PACKAGES; zone++) {
    char path[512], line[DCS_LINE];
    snprintf(path, sizeof path, "%s/intel-rapl:%d/name", folder, zone);
    if (*dcs_system_line(path, "package", line) &&
        read_number(folder, zone, "energy_uj", &rapl.energy_uj[rapl.n]) &&
        read_number(folder, zone, "max_energy_range_uj", &rapl.range_uj[rapl.n]))
      rapl.n++;
  }
  return rapl;
}

double dcs_rapl_used_j(const dcs_rapl *before, const dcs_rapl *after) {
  double used_uj = 0;
  if (before->n == 0 || before->n != after->n) return NAN;
  for (int p = 0; p < after->n; p++) {
    const double used = after->energy_uj[p] - before->energy_uj[p], range = before->range_uj[p];
    if (used < 0 && used > -0.5 * range) return NAN; /* far from its end: it was set to 0 */
    used_uj += used < 0 ? used + range : used;
  }
  return 1e-6 * used_uj;
}
