/* dcsbench steps */
#include "library/steps.h"
#include "cli/commands.h"
#include "cli/map/ranks.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/device/devices.h"
#include "harness/files/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DCS_STEPS_SCHEMA "steps.1"

typedef struct {
  dcs_problem_choice choice;
  const char *grid, *variant, *config, *device, *out;
  int64_t slices, steps;
  bool time;
  int form;
} arguments;

static const dcs_option options[] = {
    {"grid", 0, "GRID", "NXxNYxNZ or N^3 points (256^3); the ranks share the NZ slices",
     DCS_WORD(arguments, grid)},
    {"slices", 0, "N", "in place of NZ: so many slices, as for weak scaling",
     DCS_INTEGER(arguments, slices, 1, INT64_C(1) << 31)},
    {"steps", 0, "N", "how many (50)", DCS_INTEGER(arguments, steps, 1, 1000000000)},
    {"variant", 0, "ID",
     "what computes a step (the CPU's; with --device, the highest rung of the GPU's ladder)",
     DCS_WORD(arguments, variant)},
    {"config", 0, "K=V,...", "its parameters (the initial ones, and this rank's threads)",
     DCS_WORD(arguments, config)},
    {"device", 'd', "DEVICE", "for a GPU's variant: %1$s; with %3$s each rank has its own",
     DCS_WORD(arguments, device)},
    {"out", 'o', "FILE",
     "write the field after the last step, lengths in grid steps; the name ends in %1$s",
     DCS_WORD(arguments, out)},
    {"time", 0, NULL, "print what each rank took, as CSV", DCS_FLAG(arguments, time)},
    {"csv", 'c', NULL, "print CSV", DCS_VALUE(arguments, form, DCS_SHEET_CSV)},
    {"json", 'j', NULL, "print JSON", DCS_VALUE(arguments, form, DCS_SHEET_JSON)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->time && a->form != DCS_SHEET_TEXT)
    return dcs_fail(DCS_USAGE, "--time and --csv or --json: expected one of them");
  if (a->device) DCS_TRY(dcs_check_devices(a->device));
  const dcs_field_format *format;
  return a->out ? dcs_field_format_of(a->out, &format) : DCS_OK;
}

/* ---- what is asked for ---- */

static const dcs_kind *first_kind(void) {
  int k = 0;
  while (!dcs_kinds[k]->stepping)
    k++;
  return dcs_kinds[k];
}

static dcs_status find_problem(const arguments *a, dcs_steps *s) {
  DCS_TRY(dcs_one_problem(&a->choice, &s->kind, &s->problem));
  if (s->kind->stepping) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--problem: found %s; expected one that goes on from its result, as %s",
                  s->kind->id, first_kind()->id);
}

static const dcs_variant *usual_variant(const dcs_kind *kind, dcs_backend backend) {
  const dcs_variant *found = NULL;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    if (strcmp(variant->kind, kind->id) == 0 && variant->backend == backend) found = variant;
  }
  return found;
}

static bool names_threads(const arguments *a, const dcs_variant *variant, int role) {
  return a->config && strstr(a->config, variant->params[role].name) != NULL;
}

static dcs_status find_method(const arguments *a, dcs_steps *s) {
  const dcs_variant *usual = usual_variant(s->kind, a->device ? DCS_GPU : DCS_CPU);
  dcs_method *m = &s->method;
  DCS_TRY(dcs_one_method(a->variant ? a->variant : usual->id, a->config, m));
  if (dcs_kind_of(m->variant) != s->kind)
    return dcs_fail(DCS_USAGE, "--variant: %s computes %s; expected a variant of %s",
                    m->variant->id, m->variant->kind, s->kind->id);
  if (a->device && m->variant->backend == DCS_CPU)
    return dcs_fail(DCS_USAGE, "--device: %s runs on the CPU", m->variant->id);
  const int role = dcs_find_role(m->variant, DCS_ROLE_THREADS), own = dcs_rank_threads(dcs_job);
  if (role >= 0 && !names_threads(a, m->variant, role))
    m->config.value[role] = own > 0 ? own : dcs_loop_threads();
  return DCS_OK;
}

/* A rank drives one card, the first of those that are its own. */
static dcs_status find_device(const arguments *a, dcs_steps *s, char text[DCS_TEXT]) {
  if (s->method.variant->backend == DCS_CPU) return DCS_OK;
  s->device = dcs_rank_device(dcs_job, a->device ? a->device : dcs_default_device(), text);
  if (a->time) DCS_TRY(dcs_need_times(s->device));
  const dcs_device_kind *kind = dcs_device_kind_of(s->device);
  int n;
  if (kind && kind->count)
    DCS_TRY(kind->count(&n)); /* before fields are made, which takes longer */
  const char *more = strchr(s->device, ',');
  if (!more) return DCS_OK;
  fprintf(stderr, "rank %d drives the first of %s: start a rank for each\n", dcs_job->rank,
          s->device);
  text[more - s->device] = '\0';
  return DCS_OK;
}

/* ---- what it shows ---- */

/* Of all ranks: shares of their time, and the slowest one's; NaN on a device without times. */
typedef struct {
  double steps_s, exposed, hidden, bound_ratio;
} summary;

static dcs_status summarize(const dcs_steps *s, const dcs_steps_result *mine, summary *sum) {
  const bool timed = !s->device || dcs_need_times(s->device) == DCS_OK;
  dcs_steps_result *all = malloc((size_t)dcs_job->size * sizeof *all);
  if (!all) return dcs_fail(DCS_UNAVAILABLE, "no memory for the times of %d ranks", dcs_job->size);
  *sum = (summary){0};
  const dcs_status status = dcs_job->gather(dcs_job, mine, sizeof *mine, all);
  double total_s = 0;
  for (int r = 0; r < dcs_job->size && dcs_job->rank == 0; r++) {
    if (all[r].steps_s > sum->steps_s) sum->steps_s = all[r].steps_s;
    if (all[r].bound_ratio > sum->bound_ratio) sum->bound_ratio = all[r].bound_ratio;
    sum->exposed += all[r].exposed_s;
    sum->hidden += all[r].hidden_s;
    total_s += all[r].steps_s;
  }
  sum->steps_s = timed ? sum->steps_s : NAN;
  sum->exposed /= timed ? total_s : NAN;
  sum->hidden /= timed ? total_s : NAN;
  free(all);
  return status;
}

static void print_for_people(const dcs_steps *s, const dcs_steps_result *r, const summary *sum) {
  char config[DCS_TEXT], problem[DCS_TEXT];
  dcs_format_problem(s->kind, &s->problem, problem);
  printf("%lld steps of %s%s%s on %lldx%lldx%lld points by %d rank%s, each %s %s\n",
         (long long)s->steps, s->kind->id, *problem ? ", " : "", problem, (long long)s->n.x,
         (long long)s->n.y, (long long)s->n.z, dcs_job->size, dcs_job->size > 1 ? "s" : "",
         s->method.variant->id, dcs_format_config(s->method.variant, &s->method.config, config));
  if (!isnan(sum->steps_s))
    printf("%.4g ms a step, %.4g points/s; halos took %.1f%% of the ranks' time, and as much as "
           "%.1f%% while they computed\n",
           1e3 * sum->steps_s / (double)s->steps,
           (double)dcs_points(s->n) * (double)s->steps / sum->steps_s, 100 * sum->exposed,
           100 * sum->hidden);
  printf("the first step is within %.2f of its bound; the sum was %.9g and is %.9g (%+.2e); hash "
         "%016llx\n",
         sum->bound_ratio, r->sum_before, r->sum_after, r->sum_after / r->sum_before - 1,
         (unsigned long long)r->hash);
}

static dcs_status print_for_machines(const arguments *a, const dcs_steps *s,
                                     const dcs_steps_result *r, const summary *sum) {
  static const dcs_sheet_column columns[] = {{.name = "schema"},
                                             {.name = "problem"},
                                             {.name = "problem_config"},
                                             {.name = "variant"},
                                             {.name = "config"},
                                             {.name = "hash"},
                                             {.name = "ranks", .format = "%.0f"},
                                             {.name = "nx", .format = "%.0f"},
                                             {.name = "ny", .format = "%.0f"},
                                             {.name = "nz", .format = "%.0f"},
                                             {.name = "steps", .format = "%.0f"},
                                             {.name = "step_s", .format = "%.9g"},
                                             {.name = "evals_per_s", .format = "%.9g"},
                                             {.name = "exposed_share", .format = "%.9g"},
                                             {.name = "hidden_share", .format = "%.9g"},
                                             {.name = "bound_ratio", .format = "%.9g"},
                                             {.name = "sum_before", .format = "%.17g"},
                                             {.name = "sum_after", .format = "%.17g"}};
  const double steps = (double)s->steps;
  const double numbers[] = {dcs_job->size,
                            (double)s->n.x,
                            (double)s->n.y,
                            (double)s->n.z,
                            steps,
                            sum->steps_s / steps,
                            (double)dcs_points(s->n) * steps / sum->steps_s,
                            sum->exposed,
                            sum->hidden,
                            sum->bound_ratio,
                            r->sum_before,
                            r->sum_after};
  char text[DCS_TEXT];
  dcs_sheet sheet = dcs_sheet_begin("Steps", columns, (int)(sizeof columns / sizeof columns[0]));
  dcs_sheet_text(&sheet, DCS_STEPS_SCHEMA);
  dcs_sheet_text(&sheet, s->kind->id);
  dcs_sheet_text(&sheet, dcs_format_problem(s->kind, &s->problem, text));
  dcs_sheet_text(&sheet, s->method.variant->id);
  dcs_sheet_text(&sheet, dcs_format_config(s->method.variant, &s->method.config, text));
  snprintf(text, sizeof text, "%016llx", (unsigned long long)r->hash);
  dcs_sheet_text(&sheet, text);
  for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
    dcs_sheet_number(&sheet, numbers[n]);
  const dcs_status status = dcs_sheet_write(&sheet, (dcs_sheet_form)a->form, stdout);
  dcs_sheet_free(&sheet);
  return status;
}

static dcs_status print_times(const dcs_steps *s, const dcs_steps_result *r, double writing_s) {
  dcs_rank_times mine = {.parts = 1,
                         .most_parts = s->n.z / s->kind->stepping->halo(&s->problem),
                         .steps = s->steps,
                         .slices = r->slices,
                         .computing_s = r->computing_s,
                         .hidden_s = r->hidden_s,
                         .writing_s = writing_s};
  dcs_job->communicating_s = r->exposed_s;
  dcs_job->receiving_s = 0;
  return dcs_print_rank_times(dcs_job, &mine);
}

/* ---- the command ---- */

static dcs_status write_field(const arguments *a, const dcs_steps *s, float *values) {
  dcs_field field = {.n = s->n, .spacing = {1, 1, 1}, .in_steps = true, .values = values};
  snprintf(field.units, sizeof field.units, "%s", s->kind->unit);
  const double computing_ns = 0;
  return dcs_write_map(a->out, &field, &computing_ns);
}

static dcs_status show(const arguments *a, const dcs_steps *s, const dcs_steps_result *r) {
  summary sum;
  const double start = dcs_now_ns();
  if (r->values) DCS_TRY(write_field(a, s, r->values));
  if (a->time) return print_times(s, r, 1e-9 * (dcs_now_ns() - start));
  DCS_TRY(summarize(s, r, &sum));
  if (dcs_job->rank > 0) return DCS_OK;
  if (a->form != DCS_SHEET_TEXT) return print_for_machines(a, s, r, &sum);
  print_for_people(s, r, &sum);
  return DCS_OK;
}

static dcs_status run(const arguments *a) {
  char device[DCS_TEXT];
  dcs_steps_result result;
  dcs_progress progress = dcs_progress_start();
  dcs_steps s = {.steps = a->steps,
                 .gather = a->out != NULL,
                 .progress = dcs_job->rank == 0 ? &progress : NULL};
  DCS_TRY(find_problem(a, &s));
  DCS_TRY(find_method(a, &s));
  DCS_TRY(find_device(a, &s, device));
  DCS_TRY(dcs_parse_grid(a->grid ? a->grid : "256^3", &s.n));
  if (a->slices > 0) s.n.z = a->slices;
  DCS_TRY(dcs_check_grid(s.n));
  if (a->out && dcs_job->rank == 0) DCS_TRY(dcs_check_can_write(a->out));
  DCS_TRY(dcs_steps_run(dcs_job, &s, &result));
  const dcs_status status = show(a, &s, &result);
  free(result.values);
  return status;
}

dcs_status dcs_command_steps(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Compute many steps of a problem whose result is the next one's input, a stencil: "
             "alone, or as ranks of an MPI job (`mpirun -n 4 dcsbench-mpi steps ...`), which have "
             "slabs of the grid and exchange halos while they compute what needs none. The result "
             "has the same bits for all numbers of ranks. The first step is checked against the "
             "oracle before. results/clusters.md tells more.",
      .check = check};
  arguments a = {.choice = {.kind = first_kind()}, .steps = 50};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.choice = &a.choice}));
  return run(&a);
}
