/* dcsbench list */
#include "cli/commands.h"
#include "harness/base/grow.h"
#include "harness/files/csv.h"
#include "harness/spec/own.h"

#include <string.h>

typedef struct {
  const char *kernels;
  bool csv;
} arguments;

static const dcs_option options[] = {
    {"csv", 'c', NULL,
     "print CSV, a row a variant: id, problem, backend, built, available, why_not, "
     "parameters, idea",
     DCS_FLAG(arguments, csv)},
    {"kernels", 0, "DIR", "and the variants of your own in DIR", DCS_WORD(arguments, kernels)},
    {0}};

/* "block_x=64 (1..1024)", "read=end (start, end)" */
static void format_params(const dcs_variant *variant, char text[1024]) {
  dcs_config initial = dcs_initial_config(variant, dcs_cpus());
  text[0] = '\0';
  for (int p = 0; p < variant->n_params; p++) {
    const dcs_param *param = &variant->params[p];
    char value[32];
    dcs_append(text, 1024, "%s%s=%s", p ? " " : "", param->name,
               dcs_format_value(param, initial.value[p], value));
    for (int v = (int)param->lo; param->labels && v <= param->hi; v++)
      dcs_append(text, 1024, "%s%s", v > param->lo ? "|" : " (", param->labels[v - (int)param->lo]);
    if (!param->labels) dcs_append(text, 1024, " (%g..%g", param->lo, param->hi);
    dcs_append(text, 1024, ")");
  }
}

/* Whether it can run here, CPU and GPU alike. */
static bool available_here(dcs_bench *bench, const dcs_variant *variant, char why[2 * DCS_TEXT]) {
  dcs_session *session;
  why[0] = '\0';
  if (!dcs_variant_available(variant, why)) return false;
  if (variant->backend == DCS_CPU || dcs_bench_session(bench, DCS_GPU, &session) == DCS_OK)
    return true;
  snprintf(why, 2 * DCS_TEXT, "%s", dcs_error_message());
  return false;
}

static bool built(const dcs_variant *variant) {
  return variant->backend == DCS_GPU || variant->compute;
}

static dcs_status list_csv(dcs_bench *bench) {
  static const char *const columns[] =
      DCS_NAMES("id", "problem", "backend", "built", "available", "why_not", "parameters", "idea");
  dcs_csv csv = dcs_csv_stdout();
  DCS_TRY(dcs_csv_header(&csv, columns));
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    char params[1024], why[2 * DCS_TEXT];
    bool available = available_here(bench, variant, why);
    format_params(variant, params);
    DCS_CSV_TEXTS(&csv, variant->id, variant->kind, variant->backend == DCS_CPU ? "cpu" : "gpu",
                  built(variant) ? "yes" : "no", available ? "yes" : "no", why, params,
                  variant->idea);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

static void print_kind(const dcs_kind *kind) {
  printf("%s: %s (%s)\n", kind->id, kind->what, kind->unit);
  for (int p = 0; p < kind->n_params; p++) {
    const dcs_param *param = &kind->params[p];
    char initial[32];
    printf("  --%-12s %s (%s%s%s)\n", param->name, param->meaning,
           dcs_format_value(param, param->initial, initial), param->unit ? " " : "",
           param->unit ? param->unit : "");
  }
}

/* gpu_why: why no GPU variant can run here. */
static void print_variant(dcs_bench *bench, const dcs_variant *variant,
                          char gpu_why[2 * DCS_TEXT]) {
  char params[1024], why[2 * DCS_TEXT];
  bool available = available_here(bench, variant, why);
  format_params(variant, params);
  printf("  %-20s %s %s\n", variant->id, available ? " " : "-", variant->idea);
  if (variant->book) printf("%-24s the case study's %s\n", "", dcs_book_names[variant->book]);
  if (*params) printf("%-24s %s\n", "", params);
  if (!available && variant->backend == DCS_GPU)
    memcpy(gpu_why, why, 2 * DCS_TEXT);
  else if (!available)
    printf("%-24s not here: %s\n", "", why);
}

static dcs_status list_text(dcs_bench *bench) {
  char gpu_why[2 * DCS_TEXT] = "";
  for (int k = 0; k < dcs_n_kinds; k++) {
    print_kind(dcs_kinds[k]);
    for (int v = 0; v < dcs_n_variants; v++)
      if (dcs_kind_of(dcs_variants[v]) == dcs_kinds[k])
        print_variant(bench, dcs_variants[v], gpu_why);
  }
  if (*gpu_why) printf("- CUDA variants cannot run here: %s\n", gpu_why);
  return DCS_OK;
}

/* Where a worker cannot be started, whether there is a GPU is not known: that is no answer. */
static dcs_status look_for_gpu(dcs_bench *bench) {
  dcs_session *session;
  dcs_status status = dcs_bench_session(bench, DCS_GPU, &session);
  return bench->killed[DCS_GPU] ? status : DCS_OK;
}

dcs_status dcs_command_list(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "List the problems and, of each, the variants in the order of the ladder, their "
             "parameters with initial values "
             "and ranges, and whether this machine can run them."};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  if (a.kernels) DCS_TRY(dcs_own_load_folder(a.kernels));
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(NULL, NULL, 60, &bench));
  dcs_status status = look_for_gpu(&bench);
  if (status == DCS_OK) status = a.csv ? list_csv(&bench) : list_text(&bench);
  dcs_bench_close(&bench);
  return status;
}
