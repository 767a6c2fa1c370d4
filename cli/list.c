/* dcsbench list */
#include "cli/commands.h"
#include "harness/base/csv.h"

#include <string.h>

static error_t parse(int key, char *arg, struct argp_state *state) {
  (void)arg;
  if (key != 'c') return ARGP_ERR_UNKNOWN;
  *(bool *)state->input = true;
  return 0;
}

/* "block_x=64 (1..1024)", "read=end (start, end)" */
static void format_params(const dcs_variant *variant, char text[1024]) {
  size_t used = 0;
  dcs_config initial = dcs_initial_config(variant, dcs_cpus());
  text[0] = '\0';
  for (int p = 0; p < variant->n_params && used < 1024; p++) {
    const dcs_param *param = &variant->params[p];
    const char *space = p ? " " : "";
    if (param->labels)
      used += (size_t)snprintf(text + used, 1024 - used, "%s%s=%s", space, param->name,
                               param->labels[initial.value[p] - param->lo]);
    else
      used += (size_t)snprintf(text + used, 1024 - used, "%s%s=%d", space, param->name,
                               initial.value[p]);
    if (param->labels)
      for (int v = param->lo; v <= param->hi && used < 1024; v++)
        used += (size_t)snprintf(text + used, 1024 - used, "%s%s", v > param->lo ? "|" : " (",
                                 param->labels[v - param->lo]);
    else
      used += (size_t)snprintf(text + used, 1024 - used, " (%d..%d", param->lo, param->hi);
    if (used < 1024) used += (size_t)snprintf(text + used, 1024 - used, ")");
  }
}

/* Whether it can run here, CPU and GPU alike. */
static bool available_here(dcs_bench *bench, const dcs_variant *variant, char why[2 * DCS_TEXT]) {
  dcs_session *session;
  why[0] = '\0';
  if (!dcs_variant_available(variant, why)) return false;
  if (variant->backend == DCS_CPU || dcs_bench_session(bench, DCS_CUDA, &session) == DCS_OK)
    return true;
  snprintf(why, 2 * DCS_TEXT, "%s", dcs_error_message());
  return false;
}

static bool built(const dcs_variant *variant) {
  return variant->backend == DCS_CUDA || variant->compute;
}

static dcs_status list_csv(dcs_bench *bench) {
  static const char *const columns[] = {"id",      "backend",    "built", "available",
                                        "why_not", "parameters", "idea",  NULL};
  dcs_csv csv = dcs_csv_stdout();
  for (int c = 0; columns[c]; c++)
    dcs_csv_text(&csv, columns[c]);
  DCS_TRY(dcs_csv_row(&csv));
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    char params[1024], why[2 * DCS_TEXT];
    bool available = available_here(bench, variant, why);
    format_params(variant, params);
    dcs_csv_text(&csv, variant->id);
    dcs_csv_text(&csv, variant->backend == DCS_CPU ? "cpu" : "cuda");
    dcs_csv_text(&csv, built(variant) ? "yes" : "no");
    dcs_csv_text(&csv, available ? "yes" : "no");
    dcs_csv_text(&csv, why);
    dcs_csv_text(&csv, params);
    dcs_csv_text(&csv, variant->idea);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

static dcs_status list_text(dcs_bench *bench) {
  char gpu_why[2 * DCS_TEXT] = "";
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    char params[1024], why[2 * DCS_TEXT];
    bool available = available_here(bench, variant, why);
    format_params(variant, params);
    printf("%-20s %s %s\n", variant->id, available ? " " : "-", variant->idea);
    if (variant->book) printf("%-22s the case study's %s\n", "", dcs_book_names[variant->book]);
    if (*params) printf("%-22s %s\n", "", params);
    if (!available && variant->backend == DCS_CUDA)
      memcpy(gpu_why, why, sizeof gpu_why);
    else if (!available)
      printf("%-22s not here: %s\n", "", why);
  }
  if (*gpu_why) printf("- CUDA variants cannot run here: %s\n", gpu_why);
  return DCS_OK;
}

dcs_status dcs_command_list(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"csv", 'c', NULL, 0,
       "a CSV row a variant: id, backend, built, available, why_not, "
       "parameters, idea",
       0},
      {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .doc = "List the variants in the order of the ladder, their parameters with initial values "
             "and ranges, and whether this machine can run them."};
  bool csv = false;
  argp_parse(&argp, argc, argv, 0, NULL, &csv);
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(NULL, NULL, 60, &bench));
  dcs_status status = csv ? list_csv(&bench) : list_text(&bench);
  dcs_bench_close(&bench);
  return status;
}
