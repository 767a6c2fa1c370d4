/* dcsbench limits */
#include "harness/commands/commands.h"

#include <string.h>

dcs_status dcs_command_limits(int argc, char **argv) {
  static const struct argp_child children[] = {{&dcs_device_argp, 0, NULL, 0}, {0}};
  struct argp argp = {.doc = "Measure the rate of the GPU's special function units: reciprocal "
                             "square roots per second, the limit that rates are held against.",
                      .children = children};
  dcs_device_options options = dcs_device_defaults();
  argp_parse(&argp, argc, argv, 0, NULL, &options);

  if (options.device && strcmp(options.device, "emulated") == 0)
    return dcs_fail(DCS_USAGE, "the emulated device has no rates: `dcsbench limits` needs a GPU");
  dcs_bench bench;
  dcs_session *session;
  double rate;
  DCS_TRY(dcs_bench_open(options.device, options.kernels, options.timeout_s, &bench));
  dcs_status status = dcs_bench_session(&bench, DCS_CUDA, &session);
  if (status == DCS_OK && dcs_session_limit(session, &rate) != DCS_OUTCOME_OK) status = DCS_FAILED;
  if (status == DCS_OK)
    printf("%s: %.4g reciprocal square roots per second\n", dcs_session_info(session)->name, rate);
  dcs_bench_close(&bench);
  return status;
}
