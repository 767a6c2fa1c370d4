/* dcsbench limits */
#include "cli/commands.h"
#include "harness/files/csv.h"

typedef struct {
  dcs_device_options device;
  bool csv;
} arguments;

static const dcs_option options[] = {
    {"csv", 'c', NULL, "print CSV: limit,value,unit,median,runs,how", DCS_FLAG(arguments, csv)},
    {0}};

static void print_table(const char *title, const dcs_limits *limits) {
  printf("%s\n  %-34s %10s %-14s %8s  %s\n", title, "limit", "best", "unit", "median",
         "measured by");
  for (int l = 0; l < limits->n; l++) {
    const dcs_limit *limit = &limits->list[l];
    printf("  %-34s %10.4g %-14s %+7.1f%%  best of %d: %s\n", limit->name, limit->value,
           limit->unit, 100 * (limit->median / limit->value - 1), limit->runs, limit->how);
  }
}

static dcs_status print_csv(const dcs_limits *limits) {
  dcs_csv csv = dcs_csv_stdout();
  for (int l = 0; l < limits->n; l++) {
    const dcs_limit *limit = &limits->list[l];
    dcs_csv_text(&csv, limit->name);
    dcs_csv_number(&csv, limit->value);
    dcs_csv_text(&csv, limit->unit);
    DCS_CSV_NUMBERS(&csv, limit->median, limit->runs);
    dcs_csv_text(&csv, limit->how);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

static dcs_status print_csv_header(void) {
  static const char *const columns[] = DCS_NAMES("limit", "value", "unit", "median", "runs", "how");
  dcs_csv csv = dcs_csv_stdout();
  return dcs_csv_header(&csv, columns);
}

/* Opening the device is the whole program's affair, so the fresh workers are started from here. */
static dcs_status add_start(dcs_session *session, dcs_limits *limits) {
  enum { RUNS = 3 };
  double ns[RUNS];
  for (int r = 0; r < RUNS; r++)
    if (dcs_session_start_ns(session, &ns[r]) != DCS_OUTCOME_OK) return DCS_FAILED;
  dcs_limits_add_time(limits, "gpu_context_start_ns",
                      "a fresh process from its start until the device is open", 1, ns, RUNS);
  return DCS_OK;
}

static dcs_status measure(dcs_bench *bench, dcs_backend backend, bool csv) {
  dcs_session *session;
  dcs_limits limits;
  DCS_TRY(dcs_bench_session(bench, backend, &session));
  if (dcs_session_limits(session, true, &limits) != DCS_OUTCOME_OK) return DCS_FAILED;
  if (backend == DCS_GPU) DCS_TRY(add_start(session, &limits));
  if (csv) return print_csv(&limits);
  int n;
  const dcs_device_info *card = dcs_session_devices(session, &n);
  print_table(backend == DCS_CPU ? "CPU" : card->name, &limits);
  return DCS_OK;
}

static dcs_status measure_all(dcs_bench *bench, const arguments *a) {
  dcs_session *session;
  dcs_status gpu = dcs_bench_session(bench, DCS_GPU, &session);
  if (a->device.device) DCS_TRY(gpu); /* asked for, so it must be there */
  if (gpu != DCS_OK) fprintf(stderr, "no limits of a GPU: %s\n", dcs_error_message());
  if (a->csv) DCS_TRY(print_csv_header());
  DCS_TRY(measure(bench, DCS_CPU, a->csv));
  return gpu == DCS_OK ? measure(bench, DCS_GPU, a->csv) : DCS_OK;
}

dcs_status dcs_command_limits(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Measure what this machine can do at most: the CPU's and the GPU's arithmetic and "
             "memory, copies between them, launches. Rates are held against these limits.\v"
             "A limit is the best of several runs; the table tells how far their median is from "
             "it. cpu_1: one thread, cpu_all: a thread for each CPU."};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.device = &a.device}));

  DCS_TRY(dcs_need_one_device(a.device.device, "`dcsbench limits`"));
  DCS_TRY(dcs_need_times(a.device.device));
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(a.device.device, a.device.kernels, a.device.timeout_s, &bench));
  dcs_status status = measure_all(&bench, &a);
  dcs_bench_close(&bench);
  return status;
}
