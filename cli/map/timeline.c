/* When the stages of a run over frames did what: DIR/timeline.csv and a figure. */
#include "cli/map/frames.h"
#include "harness/base/decimal.h"
#include "harness/figures/figure.h"
#include "harness/figures/figures.h"
#include "harness/files/csv.h"
#include "harness/files/folder.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const dcs_frames_times *times;
  const dcs_timeline *timeline; /* sorted */
  const int *lane;              /* of each span */
} drawing;

/* ---- rows ---- */

static dcs_status put_rows(dcs_csv *csv, const drawing *d) {
  static const char *const columns[] = DCS_NAMES("schema", "stage", "lane", "begin_s", "end_s");
  DCS_TRY(dcs_csv_header(csv, columns));
  for (size_t i = 0; i < d->timeline->n; i++) {
    const dcs_span *span = &d->timeline->spans[i];
    DCS_CSV_TEXTS(csv, "timeline.1", dcs_stage_names[span->stage]);
    dcs_csv_integer(csv, d->lane[i]);
    DCS_CSV_NUMBERS(csv, span->begin_s, span->end_s);
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

static dcs_status write_rows(const char *dir, const drawing *d) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_make_folder(dir, 0777));
  DCS_TRY(dcs_path_in(dir, "timeline.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, put_rows(&csv, d));
}

/* ---- the figure ---- */

/* A stage has a row of height 1, of which this much is drawn on; the first is the topmost. */
static const double drawn = 0.8;

/* The lower end of the stage's row. */
static int row_of(const dcs_frames_times *t, int stage) {
  int below = 0;
  for (int s = stage + 1; s < DCS_N_STAGES; s++)
    below += t->workers[s] > 0;
  return below;
}

static void put_names(FILE *dat, const dcs_frames_times *t) {
  dcs_figure_series(dat, "stages");
  for (int s = 0; s < DCS_N_STAGES; s++) {
    if (t->workers[s] == 0) continue;
    const double idle = 1 - dcs_map_busy_share(t, s);
    fprintf(dat, "%d\t\"%s", row_of(t, s), dcs_stage_names[s]);
    if (t->workers[s] > 1) fprintf(dat, " by %d", t->workers[s]);
    fprintf(dat, ": idle %.1f%%\"\n", 100 * fmax(0, idle));
  }
}

/* Of the whole run, in so many bins. */
static void put_shares(FILE *dat, const drawing *d) {
  enum { BINS = 200 };
  const dcs_frames_times *t = d->times;
  const double end = t->opening_s + t->wall_s;
  double share[BINS];
  dcs_figure_series(dat, "all %lld frames: busy share of each stage", (long long)t->frames);
  for (int s = 0; s < DCS_N_STAGES; s++) {
    if (t->workers[s] == 0) continue;
    dcs_timeline_shares(d->timeline, s, t->workers[s], 0, end, BINS, share);
    for (int b = 0; b < BINS; b++)
      if (share[b] > 0)
        fprintf(dat, "%.9g\t%.9g\t%d\t%.9g\t%d\n", b * end / BINS, (b + 1) * end / BINS,
                row_of(t, s), row_of(t, s) + drawn * fmin(1, share[b]), s + 1);
  }
}

/* Around the middle of the computing, so long that the frames in it can be told apart; all of a
 * short one. */
static void choose_window(const dcs_frames_times *t, double *from, double *to) {
  enum { FRAMES = 40 };
  const double share = t->frames > FRAMES ? FRAMES / (double)t->frames : 1;
  *from = t->opening_s + t->wall_s * (1 - share) / 2;
  *to = t->opening_s + t->wall_s * (1 + share) / 2;
}

static void put_window(FILE *dat, const drawing *d) {
  const dcs_frames_times *t = d->times;
  double from, to;
  choose_window(t, &from, &to);
  dcs_figure_series(dat, "%.3g s of it: a box is a frame, or a block's sums", to - from);
  fprintf(dat, "%.9g\t%.9g\t0\t0\t0\n", from, to);
  for (size_t i = 0; i < d->timeline->n; i++) {
    const dcs_span *s = &d->timeline->spans[i];
    const double height = drawn / t->workers[s->stage];
    const double y = row_of(t, s->stage) + height * d->lane[i];
    if (s->end_s > from && s->begin_s < to)
      fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t%d\n", fmax(s->begin_s, from), fmin(s->end_s, to), y,
              y + height, s->stage + 1);
  }
}

static void put_figure(FILE *dat, const drawing *d) {
  const dcs_frames_times *t = d->times;
  dcs_figure_line(dat, "What the stages of a run over %lld frames did", (long long)t->frames);
  dcs_figure_line(dat, "%.4g s, %.4g ms a frame; white is idle%s", t->wall_s,
                  1e3 * t->wall_s / (double)t->frames,
                  d->timeline->cut ? "; cut behind a million spans" : "");
  put_names(dat, d->times);
  put_shares(dat, d);
  put_window(dat, d);
}

static dcs_status draw(const char *dir, const drawing *d) {
  dcs_text_stream data;
  char *text;
  size_t size;
  DCS_TRY(dcs_text_begin(&data));
  locale_t before = dcs_decimal_enter();
  put_figure(data.stream, d);
  dcs_decimal_leave(before);
  DCS_TRY(dcs_text_end(&data, &text, &size));
  const dcs_status status = dcs_figure_draw(dir, "timeline", text, size, stderr);
  free(text);
  return status;
}

dcs_status dcs_map_write_timeline(const char *dir, const dcs_frames_times *times,
                                  dcs_timeline *timeline) {
  int *lane = calloc(timeline->n + 1, sizeof *lane);
  if (!lane) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu spans", timeline->n);
  dcs_timeline_lanes(timeline, times->workers, lane);
  const drawing d = {times, timeline, lane};
  dcs_status status = write_rows(dir, &d);
  if (status == DCS_OK && times->frames > 0) status = draw(dir, &d);
  free(lane);
  return status;
}
