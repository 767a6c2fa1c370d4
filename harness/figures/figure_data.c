/* The data files that gnuplot reads: blocks two blank lines apart, tab-separated, texts quoted. The
 * scripts hold no text of the data, so a label can never become a command. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdarg.h>

dcs_figure_value dcs_figure_ms(const dcs_figure_row *row) {
  bool known = row->ci_lo_ns > 0 && row->ci_hi_ns >= row->ci_lo_ns;
  return (dcs_figure_value){row->median_ns * 1e-6, (known ? row->ci_lo_ns : row->median_ns) * 1e-6,
                            (known ? row->ci_hi_ns : row->median_ns) * 1e-6};
}

dcs_figure_value dcs_figure_geps(const dcs_figure_row *row) {
  dcs_figure_value ms = dcs_figure_ms(row);
  double rate = row->evals_per_s * 1e-9;
  return (dcs_figure_value){rate, rate * ms.value / ms.hi, rate * ms.value / ms.lo};
}

void dcs_figure_text(FILE *dat, const char *text, int decodes) {
  /* Octal, because gnuplot ends a quoted field at a quote even where a backslash stands before it.
   */
  static const char *const backslash[] = {"\\", "\\134", "\\134134"};
  fputc('"', dat);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"')
      fputs("\\042", dat);
    else if (*c == '\\')
      fputs(backslash[decodes], dat);
    else
      fputc(*c < ' ' || *c == 127 ? ' ' : *c, dat);
  }
  fputc('"', dat);
}

static void formatted_line(FILE *dat, const char *format, va_list arguments) {
  char text[4 * DCS_TEXT];
  vsnprintf(text, sizeof text, format, arguments);
  dcs_figure_text(dat, text, 1);
  fputc('\n', dat);
}

void dcs_figure_titles(FILE *dat, const dcs_figure_run *run, int left_out, const char *format,
                       ...) {
  va_list arguments;
  va_start(arguments, format);
  formatted_line(dat, format, arguments);
  va_end(arguments);
  dcs_figure_text(dat, run->machine, 1);
  fputc('\n', dat);
  if (left_out > 0)
    fprintf(dat, "\"left out: %d row%s without a verified time\"\n", left_out,
            left_out == 1 ? "" : "s");
}

void dcs_figure_block(FILE *dat) {
  fputs("\n\n", dat);
}

void dcs_figure_series(FILE *dat, const char *format, ...) {
  va_list arguments;
  dcs_figure_block(dat);
  va_start(arguments, format);
  formatted_line(dat, format, arguments);
  va_end(arguments);
}

void dcs_figure_point(FILE *dat, const dcs_figure_run *run, const dcs_figure_row *row, double x,
                      dcs_figure_value y) {
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t", x, y.value, y.lo, y.hi);
  dcs_figure_text(dat, run->variants[row->variant], 1);
  fputc('\t', dat);
  dcs_figure_text(dat, run->configs[row->config], 1);
  if (*row->memory) {
    fputc('\t', dat);
    dcs_figure_text(dat, row->memory, 1);
  }
  fputc('\n', dat);
}

char *dcs_figure_grid(dcs_dims n, char text[DCS_TEXT]) {
  snprintf(text, DCS_TEXT, "%lldx%lldx%lld", (long long)n.x, (long long)n.y, (long long)n.z);
  return text;
}

char *dcs_figure_cut_name(const dcs_figure_run *run, int cut, char text[DCS_TEXT]) {
  const dcs_figure_cut *c = &run->cuts[cut];
  snprintf(text, DCS_TEXT, "%.6g Å (smoothing %.20s)", c->cutoff, *c->smooth ? c->smooth : "none");
  return text;
}
