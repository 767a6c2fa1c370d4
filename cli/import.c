/* dcsbench import */
#include "cli/commands.h"
#include "harness/timings/timings.h"

typedef struct {
  const char *file, *out, *sizes;
} arguments;

static const dcs_option options[] = {
    {"out", 'o', "DIR", "folder for the run's files", DCS_WORD(arguments, out)},
    {"size", 0, "NAMES",
     "which columns, arguments or parameters are the size, with commas between; the others choose "
     "a configuration of the method",
     DCS_WORD(arguments, sizes)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  return a->out ? DCS_OK : dcs_fail(DCS_USAGE, "--out DIR is missing: the folder for the run");
}

static dcs_status import(const arguments *a, dcs_timings *timings) {
  const dcs_kind *kind;
  DCS_TRY(dcs_timings_read(a->file, timings));
  DCS_TRY(dcs_timings_arrange(timings, a->sizes, &kind));
  DCS_TRY(dcs_timings_write(timings, kind, a->out, stdout));
  printf("%s: %s, size %s; see `dcsbench crossover %s`\n", a->file, timings->format, kind->made_of,
         a->out);
  return DCS_OK;
}

dcs_status dcs_command_import(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "FILE",
      .doc =
          "Make a run folder of timings that another program took: crossover finds from which size "
          "on one method is faster, compare, report and plot work as on a run of this program.\v"
          "Formats, told by their content: CSV with columns method, time_ns (time_us, time_ms, "
          "time_s), perhaps round and scope, and a column for each size; the JSON of Google "
          "Benchmark (--benchmark_out_format=json), hyperfine (--export-json) and NVBench "
          "(--json); "
          "T4, the results of Kernel Tuner and KTT, with --size. A file that has means or medians "
          "without their samples gives no intervals. Nothing that is imported was verified.\n\n"
          "Example: dcsbench import times.csv --out results/mine && dcsbench crossover "
          "results/mine",
      .place = DCS_PLACE(arguments, file, const char *),
      .words = 1,
      .missing = "the file is missing",
      .check = check};
  arguments a = {0};
  dcs_timings timings = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  dcs_status status = import(&a, &timings);
  dcs_timings_free(&timings);
  return status;
}
