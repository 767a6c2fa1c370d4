#include "harness/base/outcome.h"

const char *dcs_outcome_name(dcs_outcome outcome) {
  static const char *const names[DCS_N_OUTCOMES] = {"ok",      "not_built", "inapplicable",
                                                    "compile", "launch",    "memory",
                                                    "timeout", "wrong",     "crash"};
  return names[outcome];
}

const char *dcs_scope_name(dcs_scope scope) {
  switch (scope) {
  case DCS_UNTIMED:
  case DCS_UNTIMED_WARM:
    return "untimed";
  case DCS_KERNEL:
    return "kernel";
  case DCS_WARM:
    return "warm";
  case DCS_FIRST:
    return "first";
  }
  return "";
}

const char *dcs_memory_name(dcs_memory memory) {
  static const char *const names[DCS_N_MEMORIES] = {"pageable", "pinned", "mapped", "managed",
                                                    "managed_prefetch"};
  return names[memory];
}
