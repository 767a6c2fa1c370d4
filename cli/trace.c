/* dcsbench trace */
#include "harness/trace/trace.h"
#include "cli/commands.h"
#include "harness/base/text.h"
#include "harness/files/csv.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  dcs_problem_choice choice;
  const char *variant, *config, *arch, *grid, *blocks, *kernels, *figure;
  int64_t atoms;
  bool csv, json;
} arguments;

static const dcs_option options[] = {
    {"config", 0, "K=V,...", "parameters of the variant", DCS_WORD(arguments, config)},
    {"arch", 0, "SM", "the card that requests are counted for: sm_70 or later, all alike (sm_90)",
     DCS_WORD(arguments, arch)},
    {"atoms", 0, "N", "random atoms of the problem (60)",
     DCS_INTEGER(arguments, atoms, 1, 1000000)},
    {"grid", 0, "GRID", "its grid (520x9x2)", DCS_WORD(arguments, grid)},
    {"blocks", 0, "WHICH",
     "few: of each launch the first, the middle and the last block; or all (few)",
     DCS_WORD(arguments, blocks)},
    {"kernels", 0, "DIR", "read the .cu files from DIR", DCS_WORD(arguments, kernels)},
    {"csv", 'c', NULL, "as CSV", DCS_FLAG(arguments, csv)},
    {"json", 'j', NULL, "as JSON", DCS_FLAG(arguments, json)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  int64_t sm = 0;
  if (strncmp(a->arch, "sm_", 3) == 0)
    DCS_TRY(dcs_parse_integer("--arch", a->arch + 3, 1, 999, &sm));
  if (sm < 70)
    return dcs_fail(DCS_USAGE,
                    "--arch: found \"%s\"; expected sm_70 or later: earlier cards count otherwise",
                    a->arch);
  if (strcmp(a->blocks, "few") != 0 && strcmp(a->blocks, "all") != 0)
    return dcs_fail(DCS_USAGE, "--blocks: found \"%s\"; expected few or all", a->blocks);
  return DCS_OK;
}

/* ---- rows ---- */

static const char *const columns[] =
    DCS_NAMES("file", "line", "access", "space", "requests", "sectors", "sectors_per_request",
              "lines_per_request", "bytes_used", "bytes_moved", "efficiency", "bank_conflicts",
              "distinct_constant_addresses", "divergent");

static double per_request(const dcs_trace_row *row, int64_t n) {
  return (double)n / (double)row->requests;
}

static dcs_status print_csv(const dcs_kernel_trace *trace) {
  dcs_csv csv = dcs_csv_stdout();
  DCS_TRY(dcs_csv_header(&csv, columns));
  for (int i = 0; i < trace->n_rows; i++) {
    const dcs_trace_row *row = &trace->rows[i];
    dcs_csv_text(&csv, row->place.file);
    dcs_csv_integer(&csv, row->place.line);
    dcs_csv_text(&csv, dcs_access_name(row->access));
    dcs_csv_text(&csv, dcs_memory_space_name(row->space));
    dcs_csv_integer(&csv, row->requests);
    if (row->space == DCS_SPACE_GLOBAL) {
      const int64_t moved = row->sectors * DCS_SECTOR;
      dcs_csv_integer(&csv, row->sectors);
      dcs_csv_number(&csv, per_request(row, row->sectors));
      dcs_csv_number(&csv, per_request(row, row->lines));
      dcs_csv_integer(&csv, row->bytes_used);
      dcs_csv_integer(&csv, moved);
      dcs_csv_number(&csv, (double)row->bytes_used / (double)moved);
    } else {
      for (int empty = 0; empty < 6; empty++)
        dcs_csv_empty(&csv);
    }
    row->space == DCS_SPACE_SHARED ? dcs_csv_integer(&csv, row->bank_conflicts)
                                   : dcs_csv_empty(&csv);
    row->space == DCS_SPACE_CONSTANT ? dcs_csv_number(&csv, per_request(row, row->distinct))
                                     : dcs_csv_empty(&csv);
    dcs_csv_integer(&csv, row->divergent);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

/* ---- the command ---- */

static dcs_status choose(const arguments *a, dcs_method *method) {
  dcs_methods methods;
  DCS_TRY(dcs_select_methods(a->variant, a->config, (dcs_at_hand){.gpu = true}, &methods));
  const int n = methods.n;
  if (n == 1) *method = methods.list[0];
  free(methods.list);
  if (n == 1) return DCS_OK;
  return dcs_fail(DCS_USAGE, "found %d methods; expected one variant with one configuration", n);
}

static dcs_status trace_case(const arguments *a, const dcs_method *method,
                             dcs_kernel_trace *trace) {
  const dcs_kind *kind = dcs_kind_of(method->variant);
  const dcs_trace_options how = {.kernels = a->kernels,
                                 .all_blocks = strcmp(a->blocks, "all") == 0};
  dcs_config problem;
  dcs_grid grid = {0};
  dcs_case c;
  DCS_TRY(dcs_parse_problem(kind, a->choice.config, &problem));
  DCS_TRY(dcs_parse_grid(a->grid, &grid.n));
  DCS_TRY(dcs_case_random(kind, &problem, a->atoms, &grid, 1, &c));
  dcs_status status = dcs_trace_method(method, &c, &how, trace);
  dcs_case_free(&c);
  return status;
}

dcs_status dcs_command_trace(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "VARIANT",
      .place = offsetof(arguments, variant),
      .words = 1,
      .missing = "trace needs a variant",
      .check = check,
      .doc =
          "Count, for each load and store of a kernel's source, what a card has to move for it."};
  arguments a = {.arch = "sm_90", .atoms = 60, .grid = "520x9x2", .blocks = "few"};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.choice = &a.choice}));
  dcs_method method;
  dcs_kernel_trace trace;
  DCS_TRY(choose(&a, &method));
  dcs_status status = trace_case(&a, &method, &trace);
  if (status == DCS_OK) status = print_csv(&trace);
  dcs_trace_free(&trace);
  return status;
}
