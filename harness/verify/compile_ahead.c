/* Compiled code for methods that follow, made by several processes at once: a compiler in one
 * process may take one kernel after another. */
#include "harness/verify/verify.h"

#include "harness/base/interrupt.h"
#include "harness/base/machine.h"
#include "harness/base/process.h"
#include "harness/device/devices.h"
#include "harness/device/kernel_source.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* What does not compile is said where it is used; what depends on inputs is compiled there. */
static void compile(const dcs_method *method, const char *kernels, const char *arch) {
  dcs_kernel_source source;
  dcs_code_facts facts;
  if (method->variant->text) return;
  if (dcs_kernel_source_open(method->variant, &method->config, kernels, &source) != DCS_OK) return;
  (void)dcs_device_compile(&source.source, arch, &facts);
  dcs_kernel_source_free(&source);
}

/* Every so many-th of the methods, in a process of its own; -1: it could not be started. */
static pid_t start_share(const dcs_methods *methods, int first, int step, const char *kernels,
                         const char *arch) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (int m = first; m < methods->n && !dcs_interrupted(); m += step)
    if (methods->list[m].variant->backend == DCS_GPU) compile(&methods->list[m], kernels, arch);
  kill(getpid(), SIGKILL); /* and nothing of what its parent does at its end */
  return 0;
}

void dcs_verify_compile_for(const char *arch, const char *kernels, const dcs_methods *methods) {
  enum { MOST = 32 };
  const int cpus = dcs_cpus() < MOST ? dcs_cpus() : MOST, n = methods->n < cpus ? methods->n : cpus;
  pid_t children[MOST];
  for (int c = 0; c < n; c++)
    children[c] = start_share(methods, c, n, kernels, arch);
  for (int c = 0; c < n; c++) {
    int ended;
    if (children[c] > 0) (void)dcs_process_wait(children[c], &ended);
  }
}

/* Of the first of the devices; false: there is none, or no such thing. */
static bool architecture(dcs_bench *bench, char arch[32]) {
  dcs_device_facts facts[DCS_MAX_DEVICES];
  dcs_session *session;
  int n = 0, major, minor;
  if (dcs_bench_session(bench, DCS_GPU, &session) != DCS_OK ||
      dcs_session_facts(session, facts, &n) != DCS_OUTCOME_OK || n < 1)
    return false;
  const char *capability = dcs_device_fact_value(&facts[0], "gpu_compute_capability");
  if (sscanf(capability, "%d.%d", &major, &minor) != 2) return false;
  snprintf(arch, 32, "sm_%d%d", major, minor);
  return true;
}

void dcs_verify_compile(dcs_bench *bench, const dcs_methods *methods) {
  char arch[32];
  if (architecture(bench, arch)) dcs_verify_compile_for(arch, bench->kernels, methods);
}
