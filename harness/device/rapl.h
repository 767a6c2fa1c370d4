/* Energy counters of the CPU's packages (RAPL), as Linux shows them below /sys/class/powercap. */
#ifndef DCS_RAPL_H
#define DCS_RAPL_H

#define DCS_RAPL_FOLDER "/sys/class/powercap"

enum { DCS_MAX_PACKAGES = 16 };

typedef struct {
  int n; /* packages; 0: no counter that this user may read */
  double energy_uj[DCS_MAX_PACKAGES];
  double range_uj[DCS_MAX_PACKAGES]; /* where the counter starts again at 0 */
} dcs_rapl;

/* Reads the counters of the packages (zones intel-rapl:N named package-..., AMD's too); parts of a
 * package and the whole platform are left out, so that nothing is counted twice. */
dcs_rapl dcs_rapl_read(const char *folder);

/* Joules used between two readings less than half a wraparound of a counter apart; NaN when there
 * is no counter, one began anew, or they are not of the same packages. */
double dcs_rapl_used_j(const dcs_rapl *before, const dcs_rapl *after);

#endif
