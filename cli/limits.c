/* dcsbench limits */
#include "cli/commands.h"
#include "harness/base/csv.h"

typedef struct {
  dcs_device_options device;
  bool csv;
} arguments;

static const struct argp_option options[] = {
    {"csv", 'c', NULL, 0, "print CSV: limit,value,unit,median,runs,how", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  (void)arg;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &a->device;
    return 0;
  case 'c':
    a->csv = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

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
    dcs_csv_number(&csv, limit->median);
    dcs_csv_integer(&csv, limit->runs);
    dcs_csv_text(&csv, limit->how);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

static dcs_status print_csv_header(void) {
  static const char *const columns[] = {"limit", "value", "unit", "median", "runs", "how"};
  dcs_csv csv = dcs_csv_stdout();
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
    dcs_csv_text(&csv, columns[c]);
  return dcs_csv_row(&csv);
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
  if (backend == DCS_CUDA) DCS_TRY(add_start(session, &limits));
  if (csv) return print_csv(&limits);
  int n;
  const dcs_device_info *card = dcs_session_devices(session, &n);
  print_table(backend == DCS_CPU ? "CPU" : card->name, &limits);
  return DCS_OK;
}

static dcs_status measure_all(dcs_bench *bench, const arguments *a) {
  dcs_session *session;
  dcs_status gpu = dcs_bench_session(bench, DCS_CUDA, &session);
  if (a->device.device) DCS_TRY(gpu); /* asked for, so it must be there */
  if (gpu != DCS_OK) fprintf(stderr, "no limits of a GPU: %s\n", dcs_error_message());
  if (a->csv) DCS_TRY(print_csv_header());
  DCS_TRY(measure(bench, DCS_CPU, a->csv));
  return gpu == DCS_OK ? measure(bench, DCS_CUDA, a->csv) : DCS_OK;
}

dcs_status dcs_command_limits(int argc, char **argv) {
  static const struct argp_child children[] = {{&dcs_device_argp, 0, NULL, 0}, {0}};
  struct argp argp = {
      .options = options,
      .parser = parse,
      .doc = "Measure what this machine can do at most: the CPU's and the GPU's arithmetic and "
             "memory, copies between them, launches. Rates are held against these limits.\v"
             "A limit is the best of several runs; the table tells how far their median is from "
             "it. cpu_1: one thread, cpu_all: a thread for each CPU.",
      .children = children};
  arguments a = {.device = dcs_device_defaults()};
  argp_parse(&argp, argc, argv, 0, NULL, &a);

  DCS_TRY(dcs_need_one_device(a.device.device, "`dcsbench limits`"));
  if (dcs_names_emulated(a.device.device))
    return dcs_fail(DCS_USAGE, "the emulated device has no rates: `dcsbench limits` needs a GPU");
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(a.device.device, a.device.kernels, a.device.timeout_s, &bench));
  dcs_status status = measure_all(&bench, &a);
  dcs_bench_close(&bench);
  return status;
}
