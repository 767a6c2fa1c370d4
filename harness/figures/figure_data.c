/* The data files that gnuplot reads: blocks two blank lines apart, tab-separated, texts quoted. The
 * scripts hold no text of the data, so a label can never become a command. */
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/figures/figure.h"

#include <math.h>
#include <stdarg.h>

dcs_figure_value dcs_figure_ms(const dcs_figure_row *row) {
  const dcs_run_row *r = row->of;
  const bool known = r->ci_lo_ns > 0 && r->ci_hi_ns >= r->ci_lo_ns;
  return (dcs_figure_value){1e-6 * r->median_ns, 1e-6 * (known ? r->ci_lo_ns : r->median_ns),
                            1e-6 * (known ? r->ci_hi_ns : r->median_ns)};
}

dcs_figure_value dcs_figure_geps(const dcs_figure_row *row) {
  dcs_figure_value ms = dcs_figure_ms(row);
  double rate = row->of->evals_per_s * 1e-9;
  return (dcs_figure_value){rate, rate * ms.value / ms.hi, rate * ms.value / ms.lo};
}

dcs_figure_value dcs_figure_scaled(dcs_figure_value v, double factor) {
  return (dcs_figure_value){v.value * factor, v.lo * factor, v.hi * factor};
}

dcs_status dcs_figure_skip(char why[DCS_TEXT], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, DCS_TEXT, format, arguments);
  va_end(arguments);
  return DCS_OK;
}

dcs_status dcs_figure_skip_exact(const dcs_figure_run *run, char why[DCS_TEXT], const char *format,
                                 ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, DCS_TEXT, format, arguments);
  va_end(arguments);
  if (run->n_rows > 0 && !dcs_figure_next(run, &dcs_figure_any, NULL))
    dcs_append(why, DCS_TEXT, "; this figure is of the exact problem, which all rows approximate");
  return DCS_OK;
}

void dcs_figure_text(FILE *dat, const char *text, int decodes) {
  /* Octal, because gnuplot ends a quoted field at a quote even where a backslash stands before it.
   */
  static const char *const backslash[] = {"\\", "\\134", "\\134134"};
  fputc('"', dat);
  for (int bytes; *text; text += bytes) { /* a byte that is no character would spoil a picture */
    const unsigned char c = (unsigned char)*text;
    bytes = dcs_character(text);
    if (c == '"')
      fputs("\\042", dat);
    else if (c == '\\')
      fputs(backslash[decodes], dat);
    else if (c < ' ' || c == 127)
      fputc(' ', dat);
    else
      fwrite(text, 1, (size_t)bytes, dat);
    if (bytes == 0) bytes = 1;
  }
  fputc('"', dat);
}

void dcs_figure_line(FILE *dat, const char *format, ...) {
  char text[4 * DCS_TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  dcs_figure_text(dat, text, 1);
  fputc('\n', dat);
}

static const char *known(const char *fact) {
  return *fact ? fact : "unknown";
}

/* The machines that are drawn. */
static void machine_line(FILE *dat, const dcs_figure_run *run, const bool drawn[2]) {
  char cpu[DCS_TEXT] = "", gpu[DCS_TEXT] = "";
  const dcs_run *of = run->gpu_is_reference ? &run->other : &run->own;
  if (drawn[DCS_CPU])
    snprintf(cpu, sizeof cpu, "CPU: %.50s", known(dcs_run_fact(&run->own, "cpu_model")));
  if (drawn[DCS_GPU] && run->gpu_name)
    snprintf(gpu, sizeof gpu, "GPU: %.50s (reference, another machine)", run->gpu_name);
  else if (drawn[DCS_GPU])
    snprintf(gpu, sizeof gpu, "GPU: %.50s", known(dcs_run_fact(of, "gpu_name")));
  if (*cpu || *gpu)
    dcs_figure_line(dat, "%s%s%s%s%.10s", cpu, *cpu && *gpu ? ", " : "", gpu,
                    *gpu && run->gpu_is_reference ? ", shipped reference of " : "",
                    *gpu && run->gpu_is_reference ? known(dcs_run_fact(of, "date")) : "");
}

void dcs_figure_titles(FILE *dat, const dcs_figure_run *run, dcs_figure_seen seen,
                       const char *format, ...) {
  char title[2 * DCS_TEXT];
  const bool first = run->kind == dcs_kinds[0];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(title, sizeof title, format, arguments);
  va_end(arguments);
  char text[DCS_TEXT];
  dcs_format_problem(run->kind, &run->direct, text);
  dcs_figure_line(dat, "%s%s%s%s%s", first ? "" : run->kind->id, *text ? " " : "", text,
                  first ? "" : ": ", title);
  machine_line(dat, run, seen.drawn);
  if (seen.left_out > 0)
    dcs_figure_line(dat, "left out: %d row%s without a verified time", seen.left_out,
                    seen.left_out == 1 ? "" : "s");
}

void dcs_figure_block(FILE *dat) {
  fputs("\n\n", dat);
}

void dcs_figure_method_texts(FILE *dat, const char *variant, const char *config,
                             const char *memory) {
  dcs_figure_text(dat, variant, 1);
  fputc('\t', dat);
  dcs_figure_text(dat, config, 1);
  if (*memory) fputc('\t', dat);
  if (*memory) dcs_figure_text(dat, memory, 1);
  fputc('\n', dat);
}

void dcs_figure_point(FILE *dat, const dcs_figure_row *row, double x, dcs_figure_value y) {
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t", x, y.value, y.lo, y.hi);
  dcs_figure_method_texts(dat, row->of->variant, row->of->config, row->of->memory);
}

char *dcs_figure_group_name(const dcs_figure_run *run, dcs_figure_group group, int all,
                            char text[DCS_TEXT]) {
  if (group == DCS_FIGURE_GPU)
    snprintf(text, DCS_TEXT, "GPU%s", run->gpu_suffix);
  else if (group == DCS_FIGURE_ONE_THREAD)
    snprintf(text, DCS_TEXT, "CPU, 1 thread");
  else
    snprintf(text, DCS_TEXT, "CPU, %d threads", all);
  return text;
}

char *dcs_figure_short(double value, char text[32]) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T"};
  int prefix = 0;
  for (; prefix < 4 && value >= 999.5; prefix++)
    value /= 1000;
  snprintf(text, 32, "%.3g%s", value, prefixes[prefix]);
  return text;
}
