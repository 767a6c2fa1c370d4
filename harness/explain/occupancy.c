#include "harness/explain/occupancy.h"

#include <limits.h>
#include <math.h>

enum { WARP = 32, REGISTER_UNIT = 256, MOST_REGISTERS = 255 };

const char *const dcs_sm_share_names[DCS_N_SHARES] = {"warps", "blocks", "registers",
                                                      "shared memory"};

static int round_up(int n, int unit) {
  return (n + unit - 1) / unit * unit;
}

/* A launch is refused where its warps, a multiple of the schedulers, want more registers than there
 * are. */
static int fits_registers(int warps, int registers) {
  const int of_warp = round_up(registers * WARP, REGISTER_UNIT);
  if (registers > MOST_REGISTERS || of_warp * round_up(warps, DCS_SM_SCHEDULERS) > DCS_SM_REGISTERS)
    return 0;
  return DCS_SM_REGISTERS / DCS_SM_SCHEDULERS / of_warp * DCS_SM_SCHEDULERS / warps;
}

static int fits_shared(const dcs_capability *c, int bytes) {
  const int of_block = round_up(bytes + c->shared_own, c->shared_unit);
  return of_block > 0 ? c->shared_bytes / of_block : INT_MAX;
}

dcs_occupancy dcs_occupancy_of(const dcs_capability *capability, const dcs_block_needs *needs) {
  const int warps = (needs->threads + WARP - 1) / WARP;
  dcs_occupancy o = {.fits = {capability->warps / warps, capability->blocks, INT_MAX, INT_MAX},
                     .blocks = INT_MAX};
  if (needs->registers > 0) o.fits[DCS_SHARE_REGISTERS] = fits_registers(warps, needs->registers);
  if (needs->shared_bytes >= 0)
    o.fits[DCS_SHARE_SHARED] = fits_shared(capability, needs->shared_bytes);
  for (int s = 0; s < DCS_N_SHARES; s++)
    if (o.fits[s] < o.blocks) o.blocks = o.fits[s];
  o.warps = o.blocks * warps;
  o.fraction = (double)o.warps / capability->warps;
  return o;
}

dcs_waves dcs_waves_of(int64_t blocks, int sms, const dcs_occupancy *occupancy) {
  const double waves = (double)blocks / ((double)sms * occupancy->blocks);
  return (dcs_waves){.waves = waves,
                     .tail = waves - ceil(waves) + 1,
                     .imbalance = ceil((double)blocks / sms) * sms / (double)blocks};
}
