/* Sources: NVIDIA, CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute
 * Capability" for what an SM holds, "Arithmetic Instructions" for results a cycle; units of
 * shared memory as in cuda_occupancy.h of the toolkit; load/store units, and the integer units of
 * 12.x, as in the white papers of the architectures. */
#include "harness/explain/capability.h"

#include "harness/base/grow.h"
#include "kernels/contract.h"

#include <stdio.h>
#include <string.h>

enum { KB = 1024 };

static const dcs_capability capabilities[] = {
    /* sm, warps, blocks, shared memory: bytes, unit, own; a cycle: fp32, sfu, integer, load_store
     */
    {75, 32, 16, 64 * KB, 256, 0, 64, 16, 64, 16},
    {80, 64, 32, 164 * KB, 128, KB, 64, 16, 64, 32},
    {86, 48, 16, 100 * KB, 128, KB, 128, 16, 64, 16},
    {87, 48, 16, 164 * KB, 128, KB, 128, 16, 64, 16},
    {88, 48, 16, 100 * KB, 128, KB, 128, 16, 64, 16},
    {89, 48, 24, 100 * KB, 128, KB, 128, 16, 64, 16},
    {90, 64, 32, 228 * KB, 128, KB, 128, 16, 64, 32},
    {100, 64, 32, 228 * KB, 128, KB, 128, 16, 64, 0},
    {103, 64, 32, 228 * KB, 128, KB, 128, 16, 64, 0},
    {110, 48, 24, 228 * KB, 128, KB, 128, 16, 64, 0},
    {120, 48, 24, 100 * KB, 128, KB, 128, 16, 128, 16},
    {121, 48, 24, 100 * KB, 128, KB, 128, 16, 128, 16},
};
enum { N = sizeof capabilities / sizeof capabilities[0] };

/* Whether arch is sm_ with the number, and perhaps the a or f of a feature set. */
static bool names(const char *arch, int number) {
  char text[16];
  const int length = snprintf(text, sizeof text, "sm_%d", number);
  if (strncmp(arch, text, (size_t)length) != 0) return false;
  const char *rest = arch + length;
  return !*rest || ((*rest == 'a' || *rest == 'f') && !rest[1]);
}

dcs_status dcs_find_capability(const char *arch, const dcs_capability **capability) {
  char list[DCS_TEXT] = "";
  for (int i = 0; i < N; i++) {
    *capability = &capabilities[i];
    if (names(arch, capabilities[i].number)) return DCS_OK;
    dcs_append(list, sizeof list, "%ssm_%d",
               i == 0      ? ""
               : i + 1 < N ? ", "
                           : " or ",
               capabilities[i].number);
  }
  return dcs_fail(DCS_USAGE, "found the architecture \"%s\"; expected %s", arch, list);
}
