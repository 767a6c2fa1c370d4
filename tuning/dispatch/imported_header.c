/* dispatch.h of methods that other programs timed. */
#include "tuning/dispatch/imported.h"

#include "harness/base/c_text.h"
#include "harness/base/decimal.h"
#include "harness/base/text.h"
#include "harness/files/file.h"

#include <math.h>
#include <stdlib.h>

static const dcs_class *class_of(const dcs_imported *d, int i) {
  return &d->measured->classes[d->first + i];
}

static void put_loss(FILE *out, const char *rule, const dcs_loss *loss) {
  if (loss->sizes == 0) return;
  fprintf(out,
          " *   %-12s mean %.1f%%, 95th percentile %.1f%%, worst %.1f%% of %lld sizes held out\n",
          rule, 100 * loss->mean, 100 * loss->p95, 100 * loss->worst, (long long)loss->sizes);
}

static void put_front(FILE *out, const dcs_imported *d) {
  static const char *const facts[] = {"imported_file", "cpu_model", "date", "input_fnv1a64"};
  fputs("/* Written by `dcsbench dispatch` from timings of:\n", out);
  for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
    const char *value = dcs_run_fact(&d->measured->run, facts[f]);
    if (!*value) continue;
    fprintf(out, " *   %-16s ", facts[f]);
    dcs_put_comment(out, value);
    fputc('\n', out);
  }
  fprintf(out,
          " * dcs_dispatch_choose() says which method is fastest at a size (scope %s). It loses, "
          "against always\n * taking the fastest:\n",
          dcs_scope_name(class_of(d, 0)->scope));
  put_loss(out, d->rule == DCS_IMPORTED_INTERPOLATED ? "interpolated" : "nearest",
           &d->loss[d->rule]);
  if (d->rule == DCS_IMPORTED_INTERPOLATED)
    put_loss(out, "nearest size", &d->loss[DCS_IMPORTED_NEAREST]);
  fputs(" */\n#ifndef DCS_DISPATCH_H\n#define DCS_DISPATCH_H\n\n#include <math.h>\n\n", out);
}

static dcs_status put_methods(FILE *out, const dcs_imported *d) {
  dcs_c_names taken = {0};
  fputs("typedef enum {", out);
  for (int c = 0; c < d->n; c++) {
    char text[DCS_MOST_NAME + 32];
    fputs(c ? ",\n  " : "\n  ", out);
    snprintf(text, sizeof text, "DCS_DISPATCH_%s", class_of(d, c)->name);
    dcs_put_new_name(out, text, true, &taken);
    fputs(" /* ", out);
    dcs_put_comment(out, class_of(d, c)->name);
    fputs(" */", out);
  }
  fputs("\n} dcs_dispatch_method;\n\n", out);
  const bool whole = !taken.no_memory;
  dcs_c_names_free(&taken);
  return whole ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for names");
}

/* Sizes of the run, ascending along the first axis. */
static int by_axis(const void *left, const void *right) {
  const dcs_measured_size *a = *(const dcs_measured_size *const *)left,
                          *b = *(const dcs_measured_size *const *)right;
  return (a->size.axes[0] > b->size.axes[0]) - (a->size.axes[0] < b->size.axes[0]);
}

static void put_sizes(FILE *out, const dcs_measured_size **sizes, size_t n, int axes) {
  fprintf(out, "static const double dcs_dispatch_sizes[%zu][%d] = {", n, axes);
  for (size_t s = 0; s < n; s++) {
    fprintf(out, "%s{%lld", s ? ", " : "\n    ", (long long)sizes[s]->size.axes[0]);
    for (int a = 1; a < axes; a++)
      fprintf(out, ", %lld", (long long)sizes[s]->size.axes[a]);
    fputc('}', out);
  }
  fputs("};\n", out);
}

/* To six digits. */
static double rounded(double ns) {
  const double unit = pow(10, floor(log10(ns)) - 5);
  return round(ns / unit) * unit;
}

/* Nanoseconds, 0 where a method was not measured. */
static void put_times(FILE *out, const dcs_imported *d, const dcs_measured_size **sizes, size_t n) {
  fprintf(out, "static const double dcs_dispatch_ns[%d][%zu] = {", d->n, n);
  for (int c = 0; c < d->n; c++) {
    fputs(c ? "},\n    {" : "\n    {", out);
    for (size_t s = 0; s < n; s++) {
      const dcs_run_row *row = sizes[s]->best[d->first + c];
      char text[DCS_DECIMAL_TEXT];
      fprintf(out, "%s%s", s ? ", " : "",
              row ? dcs_decimal_write(rounded(row->median_ns), text) : "0");
    }
  }
  fputs("}};\n\n", out);
}

static void put_interpolation(FILE *out, const dcs_imported *d, size_t n) {
  fprintf(out,
          "static inline dcs_dispatch_method dcs_dispatch_choose(double x) {\n"
          "  int best = 0;\n"
          "  double least = -1;\n"
          "  if (x < dcs_dispatch_sizes[0][0]) x = dcs_dispatch_sizes[0][0];\n"
          "  if (x > dcs_dispatch_sizes[%zu][0]) x = dcs_dispatch_sizes[%zu][0];\n"
          "  /* those measured on both sides; where none was, all */\n"
          "  for (int all = 0; least < 0 && all < 2; all++)\n"
          "  for (int m = 0; m < %d; m++) {\n"
          "    int lo = -1, hi = -1;\n"
          "    for (int s = 0; s < %zu; s++) {\n"
          "      if (dcs_dispatch_ns[m][s] == 0) continue;\n"
          "      if (dcs_dispatch_sizes[s][0] <= x) lo = s;\n"
          "      else if (hi < 0) hi = s;\n"
          "    }\n"
          "    if (!all && (lo < 0 || (hi < 0 && dcs_dispatch_sizes[lo][0] < x))) continue;\n"
          "    double ns = dcs_dispatch_ns[m][lo < 0 ? hi : lo];\n"
          "    if (lo >= 0 && hi >= 0)\n"
          "      ns *= pow(dcs_dispatch_ns[m][hi] / ns, log(x / dcs_dispatch_sizes[lo][0]) /\n"
          "                log(dcs_dispatch_sizes[hi][0] / dcs_dispatch_sizes[lo][0]));\n"
          "    if (least >= 0 && ns >= least) continue;\n"
          "    least = ns;\n"
          "    best = m;\n"
          "  }\n"
          "  return (dcs_dispatch_method)best;\n"
          "}\n",
          n - 1, n - 1, d->n, n);
}

static void put_nearest(FILE *out, const dcs_imported *d, size_t n, int axes) {
  fprintf(out,
          "static inline dcs_dispatch_method dcs_dispatch_choose(double x%s) {\n"
          "  int best = 0;\n"
          "  double least_far = -1;\n"
          "  for (int s = 0; s < %zu; s++) {\n"
          "    double far = pow(log(dcs_dispatch_sizes[s][0] / x), 2), least = -1;\n",
          axes == 2 ? ", double y" : "", n);
  if (axes == 2) fputs("    far += pow(log(dcs_dispatch_sizes[s][1] / y), 2);\n", out);
  fprintf(out,
          "    if (least_far >= 0 && far >= least_far) continue;\n"
          "    least_far = far;\n"
          "    for (int m = 0; m < %d; m++) {\n"
          "      const double ns = dcs_dispatch_ns[m][s];\n"
          "      if (ns == 0 || (least >= 0 && ns >= least)) continue;\n"
          "      least = ns;\n"
          "      best = m;\n"
          "    }\n"
          "  }\n"
          "  return (dcs_dispatch_method)best;\n"
          "}\n",
          d->n);
}

static void put_decision(FILE *out, const dcs_imported *d, const dcs_measured_size **sizes) {
  const size_t n = d->measured->n_sizes;
  const dcs_kind *kind = d->measured->problems[0].kind;
  for (size_t s = 0; s < n; s++)
    sizes[s] = &d->measured->sizes[s];
  qsort(sizes, n, sizeof *sizes, by_axis); /* NOLINT: pointers are what is sorted */
  put_sizes(out, sizes, n, kind->n_axes);
  put_times(out, d, sizes, n);
  fputs("/* The method for a size, above 0: ", out);
  dcs_put_comment(out, kind->made_of);
  fputs(". */\n", out);
  if (d->rule == DCS_IMPORTED_INTERPOLATED)
    put_interpolation(out, d, n);
  else
    put_nearest(out, d, n, kind->n_axes);
}

dcs_status dcs_imported_write_header(const char *path, const dcs_imported *drawn) {
  dcs_file file;
  const dcs_measured_size **sizes =
      malloc(drawn->measured->n_sizes * sizeof(const dcs_measured_size *));
  if (!sizes) return dcs_fail(DCS_UNAVAILABLE, "no memory for sizes");
  dcs_status status = dcs_file_create(&file, path);
  if (status == DCS_OK) {
    put_front(file.stream, drawn);
    status = put_methods(file.stream, drawn);
    put_decision(file.stream, drawn, sizes);
    fputs("\n#endif\n", file.stream);
    status = dcs_file_finish(&file, status);
  }
  free(sizes);
  return status;
}
