/* dcsbench: the table of commands, and how a failure is said. */
#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/spec/own.h"
#include "harness/sweep/sizes.h"
#include "harness/worker/worker.h"
#include "kernels/common/cpu.h"
#include "tuning/database/tuned.h"

#include "version.h" /* written by the Makefile */

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const char *name;
  dcs_command_function *run;
  const char *summary;
} command;

static const command commands[] = {
    {"list", dcs_command_list, "the variants, their parameters, and which can run here"},
    {"info", dcs_command_info, "the facts of this machine, or of a molecule's file"},
    {"limits", dcs_command_limits, "measure what this machine can do at most"},
    {"generate", dcs_command_generate, "write a molecule: water, uniform, ions, or copies of one"},
    {"verify", dcs_command_verify, "check variants against the oracle and the laws of physics"},
    {"sweep", dcs_command_sweep, "verify and time methods over atoms and grids, into a run folder"},
    {"import", dcs_command_import, "make a run folder of timings that another program took"},
    {"report", dcs_command_report, "print a run folder as a table"},
    {"compare", dcs_command_compare, "hold two run folders against each other: did it get slower?"},
    {"crossover", dcs_command_crossover, "where one method overtakes another, from a run folder"},
    {"claims", dcs_command_claims, "the claims of the case study, beside what a run measured"},
    {"dispatch", dcs_command_dispatch,
     "which method is fastest by size and place, from a run folder"},
    {"map", dcs_command_map, "compute the map of a molecule by the fastest method, into a file"},
    {"steps", dcs_command_steps, "many steps of a stencil, by the ranks of a job"},
    {"diff", dcs_command_diff, "compare two maps in any format"},
    {"convert", dcs_command_convert, "write a map in another format or other units, or a slice"},
    {"tune", dcs_command_tune, "search for the best configuration of a variant"},
    {"compile", dcs_command_compile, "compile CUDA variants without a GPU; registers and spills"},
    {"explain", dcs_command_explain, "what a method does, and what it cannot be faster than"},
    {"trace", dcs_command_trace, "what a kernel's loads and stores cost a card, line by line"},
    {"lab", dcs_command_lab, "exercises: begin one, check your kernels without a GPU"},
    {"scale", dcs_command_scale, "run `map` or `steps` by more ranks: speed-up and what limits it"},
    {"plot", dcs_command_plot, "draw the figures of a run folder"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
  fprintf(
      out,
      "Usage: dcsbench COMMAND [OPTION...]\n"
      "Measure and compare ways to compute the Direct Coulomb Summation map of a molecule.\n\n");
  for (int c = 0; c < N_COMMANDS; c++)
    fprintf(out, "  %-10s %s\n", commands[c].name, commands[c].summary);
  fprintf(
      out,
      "\n`dcsbench COMMAND --help` tells its options. First steps:\n"
      "  dcsbench verify\n"
      "  dcsbench sweep --atoms 100:10000:log2 --grid 32^3 --out results/first\n"
      "  dcsbench plot results/first\n\n"
      "Exit status: 0 success, 1 a measurement or verification failed, 2 usage, 3 bad input file,\n"
      "4 not on this machine, 5 input/output error.\n");
}

static dcs_status unknown_command(const char *name) {
  const char *names[N_COMMANDS];
  for (int c = 0; c < N_COMMANDS; c++)
    names[c] = commands[c].name;
  char hint[DCS_TEXT];
  return dcs_fail(DCS_USAGE, "unknown command \"%s\"%s; `dcsbench --help` lists them", name,
                  dcs_did_you_mean(name, names, N_COMMANDS, hint));
}

/* `worker DEVICE [KERNELS [FILE HASH]...]` */
static dcs_status run_worker(int argc, char **argv) {
  const dcs_variant *own;
  for (int w = 4; w + 1 < argc; w += 2) {
    const dcs_status status = dcs_own_load(argv[w], argv[w + 1], false, &own);
    if (status != DCS_OK) return dcs_worker_refuse(status);
  }
  return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
}

static dcs_status run_command(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "--help";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_help(argc > 1 ? stdout : stderr);
    return argc > 1 ? DCS_OK : dcs_fail(DCS_USAGE, "no command given");
  }
  if (strcmp(name, "--version") == 0) {
    printf("dcsbench %s %s\n", DCS_VERSION, DCS_GIT_STATE);
    return DCS_OK;
  }
  if (strcmp(name, "worker") == 0 && argc >= 3) return run_worker(argc, argv);
  for (int c = 0; c < N_COMMANDS; c++) {
    if (strcmp(name, commands[c].name) != 0) continue;
    if (dcs_job->size > 1 && commands[c].run != dcs_command_map &&
        commands[c].run != dcs_command_steps)
      return dcs_fail(DCS_USAGE,
                      "%d ranks were started; expected one for `%s`: several compute "
                      "`map` and `steps` alone",
                      dcs_job->size, name);
    char full[64];
    snprintf(full, sizeof full, "dcsbench %s", name);
    argv[1] = full;
    dcs_interrupt_catch();
    dcs_continues_count();
    dcs_find_tuned = dcs_tuned_config;
    return commands[c].run(argc - 1, argv + 1);
  }
  return unknown_command(name);
}

/* Descriptors 0 to 2 that are closed become ones that can neither be read nor written as asked, so
 * that no file of the program takes such a number and then gets what was meant for the user. */
static void reserve_standard_files(void) {
  int fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO)
    fd = open("/dev/null", O_RDONLY);
  if (fd > STDERR_FILENO) close(fd);
}

static bool told; /* the user knows of a failure already */

dcs_workers *dcs_job;
double dcs_started_ns;

static void tell(dcs_status status) {
  if (getenv("DCS_TRACE")) fprintf(stderr, "%s", dcs_error_trace());
  told = true;
  dcs_job->tell(dcs_job, status);
}

/* At the end of the program, which argp brings about by itself after --help. */
static void check_output(void) {
  bool written = !ferror(stdout);
  errno = 0;
  if ((fflush(stdout) == 0 && written) || told) return;
  if (errno) /* else an earlier write failed, and nobody kept why */
    (void)dcs_fail(DCS_IO, "standard output: cannot write: %s", strerror(errno));
  else
    (void)dcs_fail(DCS_IO, "standard output: cannot write");
  tell(DCS_IO);
  _exit(DCS_IO);
}

int dcs_main(int argc, char **argv, dcs_workers *workers) {
  dcs_job = workers;
  dcs_started_ns = dcs_now_ns();
  reserve_standard_files();
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write, with its message */
  argp_err_exit_status = DCS_USAGE;
  if (argc > 1 && strcmp(argv[1], "worker") == 0) /* its messages go to its parent */
    return run_command(argc, argv);
  atexit(check_output);
  dcs_status status =
      dcs_cpu_disabled_known()
          ? run_command(argc, argv)
          : dcs_fail(DCS_USAGE,
                     "DCS_DISABLE_ISA: found \"%s\"; expected avx2, avx512, or both with a comma",
                     getenv("DCS_DISABLE_ISA"));
  if (status != DCS_OK) tell(status);
  return status;
}
