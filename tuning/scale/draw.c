/* The figure of a study: data for the script scaling. */
#include "tuning/scale/scale.h"

#include "harness/base/decimal.h"
#include "harness/figures/figure.h"
#include "harness/figures/figures.h"
#include "harness/files/text_stream.h"

#include <stdlib.h>

static void put_measured(FILE *dat, const dcs_scale *s, bool weak, bool crowded) {
  char text[DCS_SCALE_POINT_TEXT];
  for (int i = 0; i < s->n_points; i++) {
    const dcs_scale_point *p = &s->points[i];
    if (p->weak != weak || p->crowded != crowded) continue;
    const dcs_scale_row row = dcs_scale_row_of(s, i);
    const double lo = row.hi_s > 0 ? row.speed_up * row.wall_s / row.hi_s : row.speed_up,
                 hi = row.lo_s > 0 ? row.speed_up * row.wall_s / row.lo_s : row.speed_up;
    fprintf(dat, "%d\t%.9g\t%.9g\t%.9g\t%s\n", p->workers, row.speed_up, lo, hi,
            dcs_scale_point_text(p, text));
  }
}

static bool has(const dcs_scale *s, bool weak, bool crowded) {
  for (int i = 0; i < s->n_points; i++)
    if (s->points[i].weak == weak && s->points[i].crowded == crowded) return true;
  return false;
}

static void put_all_measured(FILE *dat, const dcs_scale *s) {
  static const char *const names[2][2] = {
      {"measured, strong", "measured, strong, more threads than CPUs"},
      {"measured, weak", "measured, weak, more threads than CPUs"}};
  for (int weak = 0; weak < 2; weak++)
    for (int crowded = 0; crowded < 2; crowded++) {
      if (!has(s, weak, crowded)) continue;
      dcs_figure_series(dat, "%s", names[weak][crowded]);
      put_measured(dat, s, weak, crowded);
    }
}

/* Lines have no intervals: three columns of the same. */
static void put_line(FILE *dat, double x, double y) {
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\n", x, y, y, y);
}

static void put_fit(FILE *dat, const dcs_scale *s, const int64_t *nodes, int n) {
  const dcs_scale_fit fit = dcs_scale_amdahl(s);
  if (!fit.known || fit.parallel_s <= 0) return; /* then more workers took longer */
  dcs_figure_series(dat, "Amdahl, serial share %.2f%%", 100 * fit.share);
  for (int i = 0; i < n; i++)
    put_line(dat, (double)nodes[i],
             (fit.serial_s + fit.parallel_s) / (fit.serial_s + fit.parallel_s / (double)nodes[i]));
}

static void put_simulated(FILE *dat, const dcs_scale *s, const int64_t *nodes, int n) {
  dcs_scale_model m;
  if (!dcs_scale_model_of(s, &m)) return;
  for (int weak = 0; weak <= dcs_scale_grows(&m); weak++) {
    dcs_figure_series(dat, "simulated nodes, %s", weak ? "weak" : "strong");
    for (int i = 0; i < n; i++)
      put_line(dat, (double)nodes[i],
               dcs_scale_simulate(&m, 1, weak) / dcs_scale_simulate(&m, nodes[i], weak) *
                   (weak ? (double)nodes[i] : 1));
  }
}

/* The fewest workers of the points, or the most. */
static int workers_of(const dcs_scale *s, bool most) {
  int found = s->points[0].workers;
  for (int i = 1; i < s->n_points; i++)
    if (most ? s->points[i].workers > found : s->points[i].workers < found)
      found = s->points[i].workers;
  return found;
}

static void put_figure(FILE *dat, const dcs_scale *s, int64_t last) {
  int64_t nodes[DCS_SCALE_NODES];
  const int n = dcs_scale_nodes(last, nodes);
  dcs_figure_line(dat, "Speed-up of one job by ranks, threads or cards");
  dcs_figure_line(dat, "measured from %d to %d workers; simulated up to %lld nodes",
                  workers_of(s, false), workers_of(s, true), (long long)last);
  put_all_measured(dat, s);
  put_fit(dat, s, nodes, n);
  put_simulated(dat, s, nodes, n);
  dcs_figure_series(dat, "linear");
  for (int i = 0; i < n; i++)
    put_line(dat, (double)nodes[i], (double)nodes[i]);
}

dcs_status dcs_scale_draw(const dcs_scale *s, const char *folder, int64_t last) {
  dcs_text_stream data;
  char *text;
  size_t size;
  DCS_TRY(dcs_text_begin(&data));
  locale_t before = dcs_decimal_enter();
  put_figure(data.stream, s, last);
  dcs_decimal_leave(before);
  DCS_TRY(dcs_text_end(&data, &text, &size));
  const dcs_status status = dcs_figure_draw(folder, "scaling", text, size, stderr);
  free(text);
  return status;
}
