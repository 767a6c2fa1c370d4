#include "harness/base/outcome.h"

#include <string.h>

const char *dcs_outcome_name(dcs_outcome outcome) {
  static const char *const names[DCS_N_OUTCOMES] = {
      "ok",     "not_built", "no_device", "inapplicable", "compile", "launch",
      "memory", "timeout",   "wrong",     "unverified",   "crash"};
  return names[outcome];
}

bool dcs_find_outcome(const char *name, dcs_outcome *outcome) {
  for (int o = 0; o < DCS_N_OUTCOMES; o++)
    if (strcmp(name, dcs_outcome_name((dcs_outcome)o)) == 0) {
      *outcome = (dcs_outcome)o;
      return true;
    }
  return false;
}

const char *dcs_scope_name(dcs_scope scope) {
  static const char *const names[] = {
      [DCS_UNTIMED] = "untimed",      [DCS_KERNEL] = "kernel", [DCS_WARM] = "warm",
      [DCS_FIRST] = "first",          [DCS_FRAME] = "frame",   [DCS_UNTIMED_WARM] = "untimed",
      [DCS_UNTIMED_FRAME] = "untimed"};
  return names[scope];
}

bool dcs_find_scope(const char *name, dcs_scope *scope) {
  for (int s = DCS_KERNEL; s <= DCS_FRAME; s <<= 1)
    if (strcmp(name, dcs_scope_name((dcs_scope)s)) == 0) {
      *scope = (dcs_scope)s;
      return true;
    }
  return false;
}

bool dcs_is_timed(dcs_scope scope) {
  return scope != DCS_UNTIMED && scope < DCS_UNTIMED_WARM;
}

dcs_scope dcs_untimed_as(dcs_scope scope) {
  return scope == DCS_KERNEL  ? DCS_UNTIMED
         : scope == DCS_FRAME ? DCS_UNTIMED_FRAME
                              : DCS_UNTIMED_WARM;
}

const char *dcs_memory_name(dcs_memory memory) {
  static const char *const names[DCS_N_MEMORIES] = {"pageable", "pinned", "mapped", "managed",
                                                    "managed_prefetch"};
  return names[memory];
}
