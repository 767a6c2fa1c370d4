/* dispatch.h: the decision as a C header that needs nothing else, from dispatch.h.in. */
#include "tuning/dispatch/dispatch.h"

#include "harness/base/c_text.h"
#include "harness/base/decimal.h"
#include "harness/base/embedded.h"
#include "harness/files/file.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void put_fact(FILE *out, const char *name, const char *value) {
  fprintf(out, " *   %-24s ", name);
  dcs_put_comment(out, *value ? value : "none");
  fputc('\n', out);
}

static void put_loss(FILE *out, const char *text, const dcs_loss *loss) {
  if (loss->sizes > 0)
    fprintf(out, "%s mean %.1f%%, 95th percentile %.1f%%, worst %.1f%% of %lld sizes", text,
            100 * loss->mean, 100 * loss->p95, 100 * loss->worst, (long long)loss->sizes);
  else
    fprintf(out, "%s of no size", text);
}

static void put_losses(FILE *out, const dcs_dispatch_family *family) {
  char text[DCS_TEXT];
  fprintf(out, " *   %s\n", dcs_dispatch_text(family, text));
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
    const dcs_dispatch_table *t = &family->tables[s];
    fprintf(out, " *     %-6s ", dcs_scope_name(dcs_dispatch_scopes[s]));
    if (t->n > 0 && t->held_out > 0) {
      put_loss(out, "loss", &t->loss);
      put_loss(out, "; nearest", &t->nearest);
      fprintf(out, "; %lld held out\n", (long long)t->held_out);
    } else
      fprintf(out, "%s\n", t->n > 0 ? "no size had a choice" : "not measured");
  }
}

/* ---- families ---- */

/* DCS_DISPATCH_COULOMB_CUTOFF_C2: the kind and its parameters that are not initial: the name of a
 * real one, and its value where it has a family of its own; the label of one with labels. */
static void put_family_name(FILE *out, const dcs_dispatch_family *family) {
  fputs("DCS_DISPATCH_", out);
  dcs_put_name(out, family->kind->id, true);
  for (int p = 0; p < family->kind->n_params; p++) {
    const dcs_param *param = &family->kind->params[p];
    char value[32];
    if (family->config.value[p] == param->initial || param->times == DCS_TIMES_ANY) continue;
    fputc('_', out);
    if (!param->labels) dcs_put_name(out, param->name, true);
    if (param->times == DCS_TIMES_ABOVE) fputc('_', out);
    if (!param->real || param->times == DCS_TIMES_ABOVE)
      dcs_put_name(out, dcs_format_value(param, family->config.value[p], value), true);
  }
}

/* The least and the most range of the problems between those that a method was measured at: it
 * rises or falls with each parameter. */
static void range_of(const dcs_cost *cost, double range[2]) {
  const dcs_kind *kind = cost->least.kind;
  range[0] = range[1] = dcs_problem_range(kind, &cost->least.config);
  for (int corner = 1; corner < 1 << kind->n_params; corner++) {
    dcs_config config = cost->least.config;
    for (int p = 0; p < kind->n_params; p++)
      if (corner >> p & 1) config.value[p] = cost->most.config.value[p];
    range[0] = fmin(range[0], dcs_problem_range(kind, &config));
    range[1] = fmax(range[1], dcs_problem_range(kind, &config));
  }
}

static void put_family(FILE *out, const dcs_dispatch_family *family, const char *comma) {
  double least = INFINITY, most = 0;
  char text[DCS_TEXT];
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int m = 0; m < family->tables[s].n; m++) {
      double range[2];
      range_of(&family->tables[s].list[m].cost, range);
      least = fmin(least, range[0]);
      most = fmax(most, range[1]);
    }
  fputs("  ", out);
  put_family_name(out, family);
  fprintf(out, "%s /* %s", comma, dcs_dispatch_text(family, text));
  if (most > least)
    fprintf(out, ": range %.4g to %.4g angstrom", least, most);
  else if (most > 0)
    fprintf(out, ": range %.4g angstrom", most);
  fputs(" */\n", out);
}

static void put_families(FILE *out, const dcs_dispatch *dispatch) {
  fputs("/* Problems that the run holds, as they were measured. */\ntypedef enum {\n", out);
  for (int f = 0; f < dispatch->n_families; f++)
    put_family(out, &dispatch->families[f], f + 1 < dispatch->n_families ? "," : "");
  fputs("} dcs_dispatch_family;\n\n", out);
}

/* ---- methods ---- */

static void put_numbers(FILE *out, const double *numbers, int n) {
  char text[DCS_DECIMAL_TEXT];
  for (int i = 0; i < n; i++)
    fprintf(out, ", %s", dcs_decimal_write(numbers[i], text));
}

static void put_method(FILE *out, const dcs_dispatch_family *family, int scope,
                       const dcs_dispatch_method *m) {
  const dcs_tiling *shape = &m->cost.shape;
  const double waves[] = {m->cost.sms, m->cost.resident};
  char config[DCS_TEXT], first[DCS_DECIMAL_TEXT];
  double range[2];
  range_of(&m->cost, range);
  fprintf(out, "    {%d, ", scope);
  put_family_name(out, family);
  put_numbers(out, range, 2);
  fprintf(out, ", %lld, %d, \"%s\", \"%s\",\n     %lld, %lld, %lld, %lld, %lld, %lld",
          (long long)m->cost.inputs_least, m->variant->backend == DCS_GPU, m->variant->id,
          dcs_format_config(m->variant, &m->config, config), (long long)shape->tile[0],
          (long long)shape->tile[1], (long long)shape->tile[2], (long long)shape->slices,
          (long long)shape->chunk, (long long)shape->shares);
  put_numbers(out, waves, 2);
  fprintf(out, ",\n     %s", dcs_decimal_write(m->cost.ns[0], first));
  put_numbers(out, m->cost.ns + 1, DCS_COST_TERMS - 1);
  const dcs_dims most = dcs_size_points(&m->cost.most);
  fprintf(out, ",\n     %lld, %lld, %lld, %lld, %s},\n", (long long)dcs_size_inputs(&m->cost.most),
          (long long)most.x, (long long)most.y, (long long)most.z,
          dcs_decimal_write(m->cost.shown, first));
}

/* Writes the template up to the next '@', where something is filled in; returns what is behind it.
 */
static const char *put_until(FILE *out, const char *text) {
  const size_t length = strcspn(text, "@");
  fwrite(text, 1, length, out);
  return text + length + (text[length] == '@');
}

dcs_status dcs_dispatch_write_header(const char *path, const dcs_dispatch *dispatch) {
  const char *rest = dcs_embedded("tuning/dispatch/dispatch.h.in");
  char factor[DCS_DECIMAL_TEXT];
  dcs_file file;
  if (!rest) return dcs_fail(DCS_FAILED, "dispatch.h.in is not built into this program");
  DCS_TRY(dcs_file_create(&file, path));
  FILE *out = file.stream;
  rest = put_until(out, rest);
  for (int f = 0; f < DCS_N_FOR; f++)
    put_fact(out, dcs_dispatch_facts[f], dispatch->facts[f]);
  rest = put_until(out, rest);
  for (int f = 0; f < dispatch->n_families; f++)
    put_losses(out, &dispatch->families[f]);
  rest = put_until(out, rest);
  put_families(out, dispatch);
  rest = put_until(out, rest);
  for (int f = 0; f < dispatch->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      for (int m = 0; m < dispatch->families[f].tables[s].n; m++)
        put_method(out, &dispatch->families[f], s, &dispatch->families[f].tables[s].list[m]);
  rest = put_until(out, rest);
  fputs(dcs_decimal_write(DCS_COST_FACTOR, factor), out);
  put_until(out, rest);
  return dcs_file_close(&file);
}
