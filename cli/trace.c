/* dcsbench trace */
#include "cli/commands.h"
#include "harness/base/text.h"
#include "harness/files/sheet.h"
#include "harness/spec/own.h"
#include "harness/trace/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  dcs_problem_choice choice;
  const char *variant, *config, *arch, *grid, *blocks, *device, *kernels, *figure;
  int64_t atoms;
  bool csv, json, races;
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
    {"races", 'r', NULL, "look for races instead, in all blocks; exit status 1 where there are any",
     DCS_FLAG(arguments, races)},
    {"device", 'd', "DEVICE",
     "run the same launches there, once, for a profiler; nothing is counted here",
     DCS_WORD(arguments, device)},
    {"kernels", 0, "DIR", "read the .cu files from DIR", DCS_WORD(arguments, kernels)},
    {"out", 'o', "FILE.svg", "draw which lane of a warp touches which address",
     DCS_WORD(arguments, figure)},
    {"csv", 'c', NULL, "print CSV", DCS_FLAG(arguments, csv)},
    {"json", 'j', NULL, "print JSON", DCS_FLAG(arguments, json)},
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
  if (a->csv && a->json) return dcs_fail(DCS_USAGE, "found --csv and --json; expected one");
  if (a->device && (a->races || a->figure || a->csv || a->json))
    return dcs_fail(DCS_USAGE,
                    "--device only runs the launches, and counts nothing: leave --races, "
                    "--out, --csv and --json away");
  if (a->races && a->figure) return dcs_fail(DCS_USAGE, "--races draws nothing: leave --out away");
  return DCS_OK;
}

/* ---- rows ---- */

enum { N_NUMBERS = 10 };

static const dcs_sheet_column columns[] = {
    {.name = "file"},
    {.name = "line", .format = "%.0f"},
    {.name = "access"},
    {.name = "space"},
    {.name = "requests", .format = "%.0f"},
    {.name = "sectors", .format = "%.0f"},
    {.name = "sectors_per_request", .format = "%.2f"},
    {.name = "lines_per_request", .format = "%.2f"},
    {.name = "bytes_used", .format = "%.0f"},
    {.name = "bytes_moved", .format = "%.0f"},
    {.name = "efficiency", .format = "%.3f"},
    {.name = "bank_conflicts", .format = "%.0f"},
    {.name = "distinct_constant_addresses", .format = "%.1f"},
    {.name = "divergent", .format = "%.0f"}};

/* The columns behind the space; NaN for what the space does not have. */
static void numbers_of(const dcs_trace_row *row, double numbers[N_NUMBERS]) {
  const double requests = (double)row->requests, sectors = (double)row->sectors;
  const double moved = sectors * DCS_SECTOR, used = (double)row->bytes_used;
  const bool global = row->space == DCS_SPACE_GLOBAL;
  const double values[N_NUMBERS] = {
      requests,
      global ? sectors : NAN,
      global ? sectors / requests : NAN,
      global ? (double)row->lines / requests : NAN,
      global ? used : NAN,
      global ? moved : NAN,
      global ? used / moved : NAN,
      row->space == DCS_SPACE_SHARED ? (double)row->bank_conflicts : NAN,
      row->space == DCS_SPACE_CONSTANT ? (double)row->distinct / requests : NAN,
      (double)row->divergent};
  memcpy(numbers, values, sizeof values);
}

/* Writes a sheet for machines, and frees it. */
static dcs_status print_sheet(const arguments *a, dcs_sheet *sheet) {
  dcs_status status = dcs_sheet_write(sheet, a->csv ? DCS_SHEET_CSV : DCS_SHEET_JSON, stdout);
  dcs_sheet_free(sheet);
  return status;
}

static dcs_status print_for_machines(const arguments *a, const dcs_kernel_trace *trace) {
  dcs_sheet sheet = dcs_sheet_begin("", columns, sizeof columns / sizeof columns[0]);
  for (int i = 0; i < trace->n_rows; i++) {
    const dcs_trace_row *row = &trace->rows[i];
    double numbers[N_NUMBERS];
    numbers_of(row, numbers);
    dcs_sheet_text(&sheet, row->source.place.file);
    dcs_sheet_number(&sheet, row->source.place.line);
    dcs_sheet_text(&sheet, dcs_access_name(row->access));
    dcs_sheet_text(&sheet, dcs_memory_space_name(row->space));
    for (int n = 0; n < N_NUMBERS; n++)
      dcs_sheet_number(&sheet, numbers[n]);
  }
  return print_sheet(a, &sheet);
}

/* A number in a column of that width; "" for NaN. */
static void print_number(int width, const char *format, double value) {
  char text[32] = "";
  if (!isnan(value)) snprintf(text, sizeof text, format, value);
  printf(" %*s", width, text);
}

static void print_table(const dcs_kernel_trace *trace) {
  printf("%-34s %-6s %-8s %9s %9s %9s %9s %9s %9s %9s\n", "", "", "", "", "sectors", "lines",
         "bytes", "bank", "constant", "divergent");
  printf("%-34s %-6s %-8s %9s %9s %9s %9s %9s %9s %9s\n", "line", "access", "space", "requests",
         "/request", "/request", "used", "conflicts", "addresses", "requests");
  for (int i = 0; i < trace->n_rows; i++) {
    const dcs_trace_row *row = &trace->rows[i];
    double n[N_NUMBERS];
    char place[DCS_TEXT + 16];
    numbers_of(row, n);
    snprintf(place, sizeof place, "%s:%d", row->source.place.file, row->source.place.line);
    printf("%-34s %-6s %-8s", place, dcs_access_name(row->access),
           dcs_memory_space_name(row->space));
    print_number(9, "%.0f", n[0]);
    print_number(9, "%.2f", n[2]);
    print_number(9, "%.2f", n[3]);
    print_number(9, "%.1f%%", 100 * n[6]);
    print_number(9, "%.0f", n[7]);
    print_number(9, "%.1f", n[8]);
    print_number(9, "%.0f", n[9]);
    printf("\n");
  }
}

static void print_lanes(const dcs_kernel_trace *trace) {
  printf(
      "\nWhat lanes 0 to 31 of a warp touch in one request: the number of its sector of 32 bytes\n"
      "(constant: of its address; shared: its bank); '.' takes no part.\n");
  for (int i = 0; i < trace->n_rows; i++) {
    const dcs_trace_row *row = &trace->rows[i];
    char lanes[DCS_LANES_TEXT];
    printf("%5d %-6s %-8s  %s  %.60s\n", row->source.place.line, dcs_access_name(row->access),
           dcs_memory_space_name(row->space), dcs_draw_lanes(&row->shown, lanes), row->source.text);
  }
}

/* ---- races ---- */

static const dcs_sheet_column race_columns[] = {{.name = "space"},
                                                {.name = "first_file"},
                                                {.name = "first_line", .format = "%.0f"},
                                                {.name = "first_access"},
                                                {.name = "first_block", .format = "%.0f"},
                                                {.name = "first_thread", .format = "%.0f"},
                                                {.name = "then_file"},
                                                {.name = "then_line", .format = "%.0f"},
                                                {.name = "then_access"},
                                                {.name = "then_block", .format = "%.0f"},
                                                {.name = "then_thread", .format = "%.0f"},
                                                {.name = "words", .format = "%.0f"}};

static void add_touch(dcs_sheet *sheet, const dcs_source_line *line, const dcs_touch *touch) {
  dcs_sheet_text(sheet, line->place.file);
  dcs_sheet_number(sheet, line->place.line);
  dcs_sheet_text(sheet, dcs_access_name((dcs_seen_kind)touch->kind));
  dcs_sheet_number(sheet, touch->block);
  dcs_sheet_number(sheet, touch->thread);
}

static dcs_status print_races_for_machines(const arguments *a, const dcs_located_race *races,
                                           int n) {
  dcs_sheet sheet = dcs_sheet_begin("", race_columns, sizeof race_columns / sizeof race_columns[0]);
  for (int i = 0; i < n; i++) {
    dcs_sheet_text(&sheet, dcs_memory_space_name(races[i].race.space));
    add_touch(&sheet, &races[i].first, &races[i].race.first);
    add_touch(&sheet, &races[i].then, &races[i].race.then);
    dcs_sheet_number(&sheet, (double)races[i].race.words);
  }
  return print_sheet(a, &sheet);
}

static dcs_status print_races(const arguments *a, const dcs_located_race *races, int n) {
  char text[6 * DCS_TEXT];
  if (a->csv || a->json) DCS_TRY(print_races_for_machines(a, races, n));
  for (int i = 0; !a->csv && !a->json && i < n; i++)
    printf("%s\n    %s\n    %s\n", dcs_describe_race(&races[i], text), races[i].first.text,
           races[i].then.text);
  if (n > 0) return dcs_fail(DCS_FAILED, "%s: %d races", a->variant, n);
  if (!a->csv && !a->json) printf("%s: no races\n", a->variant);
  return DCS_OK;
}

static dcs_status look_for_races(const arguments *a, const dcs_method *method, const dcs_case *c) {
  dcs_located_race *races;
  int n;
  DCS_TRY(dcs_find_races(method, c, a->kernels, &races, &n));
  dcs_status status = print_races(a, races, n);
  free(races);
  return status;
}

/* ---- the command ---- */

/* What was traced, in a line. */
static void name_trace(const arguments *a, const dcs_method *method, const dcs_case *c,
                       const dcs_kernel_trace *trace, char title[4 * DCS_TEXT]) {
  char config[DCS_TEXT], problem[DCS_TEXT], atoms[64] = "";
  dcs_format_problem(c->kind, &c->problem.config, problem);
  if (dcs_has_atoms(c->kind)) snprintf(atoms, sizeof atoms, ", %lld atoms", (long long)c->n_sites);
  snprintf(title, 4 * DCS_TEXT,
           "%s %s: %lld of %lld blocks of %lld launches; %s%s%s%s, %lldx%lldx%lld; %s",
           method->variant->id, dcs_format_config(method->variant, &method->config, config),
           (long long)trace->watched, (long long)trace->blocks, (long long)trace->launches,
           c->kind->id, *problem ? " " : "", problem, atoms, (long long)c->problem.n.x,
           (long long)c->problem.n.y, (long long)c->problem.n.z, a->arch);
}

static dcs_status draw(const char *path, const char *title, const dcs_kernel_trace *trace) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  dcs_draw_trace(file.stream, title, trace);
  return dcs_file_close(&file);
}

static dcs_status print(const arguments *a, const dcs_method *method, const dcs_case *c,
                        const dcs_kernel_trace *trace) {
  char title[4 * DCS_TEXT];
  name_trace(a, method, c, trace, title);
  if (a->figure) DCS_TRY(draw(a->figure, title, trace));
  if (a->csv || a->json) return print_for_machines(a, trace);
  printf("%s\n\n", title);
  print_table(trace);
  print_lanes(trace);
  return DCS_OK;
}

static dcs_status trace_on(const arguments *a, const dcs_method *method, const dcs_case *c) {
  const dcs_trace_options how = {.kernels = a->kernels,
                                 .all_blocks = strcmp(a->blocks, "all") == 0};
  dcs_kernel_trace trace;
  dcs_status status = dcs_trace_method(method, c, &how, &trace);
  if (status == DCS_OK) status = print(a, method, c, &trace);
  dcs_trace_free(&trace);
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
      .doc = "Run some blocks of a CUDA kernel without a GPU, and count for each load and store of "
             "its source what a card has to move for it."};
  arguments a = {.arch = "sm_90", .blocks = "few"};
  dcs_method method;
  dcs_config problem;
  dcs_grid grid = {0};
  dcs_case c;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.choice = &a.choice}));
  if (a.kernels) DCS_TRY(dcs_own_load_folder(a.kernels));
  DCS_TRY(dcs_one_method(a.variant, a.config, &method));
  DCS_TRY(dcs_problem_for(&a.choice, method.variant, &problem));
  if (a.grid) DCS_TRY(dcs_parse_grid(a.grid, &grid.n));
  DCS_TRY(dcs_case_takes(dcs_kind_of(method.variant), a.atoms > 0, &grid));
  if (!a.grid) grid.n = (dcs_dims){520, 9, 2};
  if (a.atoms == 0) a.atoms = 60;
  DCS_TRY(dcs_case_random(dcs_kind_of(method.variant), &problem, a.atoms, &grid, 1, &c));
  dcs_status status = a.device  ? dcs_run_launches(&method, &c, a.kernels, a.device)
                      : a.races ? look_for_races(&a, &method, &c)
                                : trace_on(&a, &method, &c);
  dcs_case_free(&c);
  return status;
}
