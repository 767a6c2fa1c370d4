/* dcsbench explain */
#include "harness/explain/explain.h"
#include "cli/commands.h"
#include "harness/base/text.h"
#include "harness/explain/capability.h"
#include "harness/files/sheet.h"
#include "harness/spec/own.h"

#include <math.h>
#include <string.h>

typedef struct {
  dcs_problem_choice choice;
  const char *variant, *config, *arch, *grid, *run, *device, *kernels;
  int64_t atoms;
  double predicted;
  bool csv, json;
} arguments;

static const dcs_option options[] = {
    {"config", 0, "K=V,...", "parameters of the variant (the initial ones)",
     DCS_WORD(arguments, config)},
    {"atoms", 0, "N", "atoms of the problem (those of the fastest measurement, else 4000)",
     DCS_INTEGER(arguments, atoms, 1, INT64_C(1) << 40)},
    {"grid", 0, "GRID", "its grid (that of the fastest measurement, else 512x512x16)",
     DCS_WORD(arguments, grid)},
    {"arch", 0, "SM", "compile for that card: sm_75 to sm_121 (that of the machine of --run)",
     DCS_WORD(arguments, arch)},
    {"device", 'd', "DEVICE",
     "explain for that card, which is here; its limits are measured (the machine of --run)",
     DCS_WORD(arguments, device)},
    {"kernels", 0, "DIR", "read the .cu files from DIR", DCS_WORD(arguments, kernels)},
    {"run", 'r', "DIR",
     "a run whose times are shown beside, and whose machine it is explained for (the shipped "
     "reference)",
     DCS_WORD(arguments, run)},
    {"predict", 'p', "RATE", "evaluations/s that you expect: the ratio to what was measured",
     DCS_NUMBER(arguments, predicted, 1, 1e18)},
    {"csv", 'c', NULL, "print CSV: section,name,value,unit,text", DCS_FLAG(arguments, csv)},
    {"json", 'j', NULL, "print JSON", DCS_FLAG(arguments, json)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  const dcs_capability *capability;
  if (a->csv && a->json) return dcs_fail(DCS_USAGE, "found --csv and --json; expected one");
  return a->arch ? dcs_find_capability(a->arch, &capability) : DCS_OK;
}

/* ---- output ---- */

static dcs_status print_for_machines(const arguments *a, const dcs_explanation *e) {
  static const dcs_sheet_column columns[] = {{.name = "section"},
                                             {.name = "name"},
                                             {.name = "value", .format = "%.17g"},
                                             {.name = "unit"},
                                             {.name = "text"}};
  dcs_sheet sheet = dcs_sheet_begin("", columns, sizeof columns / sizeof columns[0]);
  for (int i = 0; i < e->n; i++) {
    dcs_sheet_text(&sheet, e->list[i].section);
    dcs_sheet_text(&sheet, e->list[i].name);
    dcs_sheet_number(&sheet, e->list[i].value);
    dcs_sheet_text(&sheet, e->list[i].unit);
    dcs_sheet_text(&sheet, e->list[i].text);
  }
  dcs_status status = dcs_sheet_write(&sheet, a->csv ? DCS_SHEET_CSV : DCS_SHEET_JSON, stdout);
  dcs_sheet_free(&sheet);
  return status;
}

/* A name as people read it: "registers per thread". Returns text. */
static char *spaced(const char *name, char text[64]) {
  snprintf(text, 64, "%s", name);
  for (char *at = text; *at; at++)
    if (*at == '_') *at = ' ';
  return text;
}

static void print_line(const dcs_explained *line) {
  char name[64], label[128], number[32] = "";
  const bool whole = fabs(line->value) < 1e6 && line->value == floor(line->value);
  if (!isnan(line->value)) snprintf(number, sizeof number, whole ? "%.0f" : "%.4g", line->value);
  snprintf(label, sizeof label, "%-22s %10s %-11s", spaced(line->name, name), number,
           isnan(line->value) ? "" : line->unit);
  dcs_print_wrapped(label, 48, line->text);
}

static void print_for_people(const dcs_explanation *e) {
  char section[64];
  printf("%s\n", e->title);
  for (int i = 0; i < e->n; i++) {
    if (i == 0 || strcmp(e->list[i].section, e->list[i - 1].section) != 0)
      printf("\n%s\n", spaced(e->list[i].section, section));
    print_line(&e->list[i]);
  }
}

/* ---- the command ---- */

/* The facts of the device that was asked for, its limits among them. */
static dcs_status read_device(const char *device, dcs_facts *facts) {
  enum { TIMEOUT_S = 300 };
  dcs_bench bench;
  dcs_session *session;
  DCS_TRY(dcs_need_one_device(device, "`dcsbench explain`"));
  DCS_TRY(dcs_need_times(device));
  DCS_TRY(dcs_bench_open(device, NULL, TIMEOUT_S, &bench));
  dcs_status status = dcs_bench_session(&bench, DCS_GPU, &session);
  facts->n = 0;
  if (status == DCS_OK) status = dcs_gpu_facts(&bench, facts);
  if (status == DCS_OK) status = dcs_limit_facts(&bench, DCS_GPU, facts);
  dcs_bench_close(&bench);
  return status;
}

static dcs_status explain(const arguments *a, const dcs_run *run) {
  static dcs_facts facts;
  static dcs_explanation explanation;
  dcs_method method;
  dcs_config problem;
  dcs_grid grid = {0};
  DCS_TRY(dcs_one_method(a->variant, a->config, &method));
  if (a->device && method.variant->backend == DCS_CPU)
    return dcs_fail(DCS_USAGE, "--device: %s runs on the CPU; --run names a run of its machine",
                    method.variant->id);
  DCS_TRY(dcs_problem_for(&a->choice, method.variant, &problem));
  if (a->grid) DCS_TRY(dcs_parse_grid(a->grid, &grid.n));
  DCS_TRY(dcs_case_takes(dcs_kind_of(method.variant), a->atoms > 0, &grid));
  dcs_facts_of_run(run, &facts);
  if (a->device) DCS_TRY(read_device(a->device, &facts));
  const char *run_name = a->run ? a->run : "the shipped reference";
  const dcs_explain_request request = {.method = &method,
                                       .run = run,
                                       .run_name = run_name,
                                       .facts = &facts,
                                       .card = a->device ? a->device : run_name,
                                       .arch = a->arch,
                                       .kernels = a->kernels,
                                       .problem = &problem,
                                       .any_problem = !dcs_chosen(&a->choice),
                                       .atoms = a->atoms,
                                       .grid = grid.n,
                                       .predicted = a->predicted};
  DCS_TRY(dcs_explain_method(&request, &explanation));
  if (a->csv || a->json) return print_for_machines(a, &explanation);
  print_for_people(&explanation);
  return DCS_OK;
}

dcs_status dcs_command_explain(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "VARIANT",
      .place = offsetof(arguments, variant),
      .words = 1,
      .missing = "explain needs a variant",
      .check = check,
      .doc =
          "Tell what a method does before it is timed: operations and bytes, registers and local "
          "memory, occupancy and what limits it, waves, the instructions of the inner loop by "
          "unit, and what it cannot be faster than; and what was measured beside. No GPU is "
          "needed.\v"
          "The compiler's part needs NVRTC (CUDA Toolkit), and nvdisasm for SASS in place of PTX; "
          "what is missing is said, and the rest is told. With --device, the machine is that "
          "card, and its limits are measured."};
  arguments a = {.predicted = NAN};
  dcs_run run;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.choice = &a.choice}));
  if (a.kernels) DCS_TRY(dcs_own_load_folder(a.kernels));
  dcs_status status = a.run ? dcs_run_open_summary(&run, a.run) : dcs_run_open_shipped(&run);
  if (status == DCS_OK) status = explain(&a, &run);
  dcs_run_close(&run);
  return status;
}
