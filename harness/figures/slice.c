#include "harness/figures/slice.h"

#include "harness/base/text.h"
#include "harness/figures/figure.h"
#include "harness/figures/figures.h"
#include "harness/files/file.h"
#include "harness/files/folder.h"
#include "harness/files/text_stream.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool dcs_is_picture(const char *path) {
  const char *ending = strrchr(basename(path), '.');
  return ending && (strcmp(ending, ".png") == 0 || strcmp(ending, ".svg") == 0);
}

/* The axes across and up, and the one along which there is one point. */
typedef struct {
  int across, up, fixed;
} plane;

static dcs_status find_plane(const dcs_field *f, plane *p) {
  const int64_t n[3] = {f->n.x, f->n.y, f->n.z};
  for (p->fixed = 2; p->fixed >= 0; p->fixed--) {
    p->across = p->fixed == 0 ? 1 : 0;
    p->up = p->fixed == 2 ? 1 : 2;
    if (n[p->fixed] == 1 && n[p->across] > 1 && n[p->up] > 1) return DCS_OK;
  }
  return dcs_fail(DCS_USAGE,
                  "a picture is of a slice: found %lldx%lldx%lld points; expected one "
                  "along one axis, more along the others: --slice z=12.5",
                  (long long)f->n.x, (long long)f->n.y, (long long)f->n.z);
}

/* The magnitude below which 99% of the finite values lie; 1 where all are 0, or there are none. */
static dcs_status colour_limit(const dcs_field *f, double *limit) {
  double *sizes = malloc((size_t)dcs_points(f->n) * sizeof *sizes);
  size_t n = 0;
  if (!sizes) return dcs_fail(DCS_UNAVAILABLE, "no memory to draw a slice");
  for (int64_t i = 0; i < dcs_points(f->n); i++)
    if (isfinite(f->values[i])) sizes[n++] = fabs((double)f->values[i]);
  dcs_sort_values(sizes, n);
  *limit = n > 0 ? sizes[(n - 1) * 99 / 100] : 0;
  if (!(*limit > 0)) *limit = 1;
  free(sizes);
  return DCS_OK;
}

static void put_names(FILE *data, const dcs_field *f, const plane *p) {
  const char *lengths = f->in_steps ? dcs_field_lengths(f) : "Å";
  dcs_figure_line(data, "%c = %.6g %s", 'x' + p->fixed, f->origin[p->fixed], lengths);
  dcs_figure_block(data);
  fprintf(data, "\"%c [%s]\"\t\"%c [%s]\"\t", 'x' + p->across, lengths, 'x' + p->up, lengths);
  dcs_figure_line(data, "%s [%s]", dcs_is_potential(f) ? "potential" : "value",
                  f->units[0] ? f->units : "unknown units");
}

static void put_data(FILE *data, const dcs_field *f, const plane *p, double limit) {
  put_names(data, f, p);
  dcs_figure_block(data);
  fprintf(data, "%.9g\t%.9g\t%.9g\n", limit, f->spacing[p->across], f->spacing[p->up]);
  dcs_figure_block(data);
  const dcs_dims n = f->n;
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < n.y; j++)
      for (int64_t i = 0; i < n.x; i++) {
        const double at[3] = {(double)i, (double)j, (double)k};
        fprintf(data, "%.9g\t%.9g\t%.9g\n",
                f->origin[p->across] + f->spacing[p->across] * at[p->across],
                f->origin[p->up] + f->spacing[p->up] * at[p->up],
                (double)f->values[(k * n.y + j) * n.x + i]);
      }
}

/* Draws in a folder of its own and takes the picture from there. */
static dcs_status draw_in(const char *folder, const char *data, size_t size, const char *path) {
  char name[16], drawn[4096], *picture;
  dcs_file file;
  DCS_TRY(dcs_figure_draw(folder, "slice", data, size, NULL));
  snprintf(name, sizeof name, "plots/slice%.4s", strrchr(path, '.'));
  DCS_TRY(dcs_path_in(folder, name, drawn));
  if (!dcs_exists(drawn))
    return dcs_fail(DCS_UNAVAILABLE,
                    "%s: gnuplot is not on the PATH, or cannot draw it; install "
                    "gnuplot, or write a .csv",
                    path);
  DCS_TRY(dcs_read_file(drawn, &picture, &size));
  dcs_status status = dcs_file_create(&file, path);
  if (status == DCS_OK) {
    fwrite(picture, 1, size, file.stream);
    status = dcs_file_close(&file);
  }
  free(picture);
  return status;
}

dcs_status dcs_slice_draw(const char *path, const dcs_field *field) {
  plane p;
  double limit;
  char folder[4096], *data;
  size_t size;
  dcs_text_stream text;
  DCS_TRY(find_plane(field, &p));
  if (field->spacing[0] == 0)
    return dcs_fail(DCS_USAGE, "the map's file does not say where its points are");
  DCS_TRY(colour_limit(field, &limit));
  DCS_TRY(dcs_text_begin(&text));
  put_data(text.stream, field, &p, limit);
  DCS_TRY(dcs_text_end(&text, &data, &size));
  dcs_status status = dcs_make_temporary(folder);
  if (status == DCS_OK) {
    status = draw_in(folder, data, size, path);
    dcs_remove_folder(folder);
  }
  free(data);
  return status;
}
