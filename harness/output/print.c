#include "harness/output/print.h"

#include "harness/base/machine.h"

#include <stdlib.h>

/* Values that a thread takes at a time, and that are printed before any are written: a busy machine
 * lets threads wait for each other long, so that they meet rarely. */
enum { PART = 1 << 14, BATCH = 1 << 20 };

typedef struct {
  FILE *out;
  const dcs_field *field;
  dcs_printer *print;
  int threads;
  char *text; /* DCS_PRINTED bytes a value of a batch */
} printer;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* values[n], n up to a batch. */
static void put_batch(const printer *p, const float *values, int64_t first, int64_t n) {
  size_t used[BATCH / PART];
  const int parts = (int)dcs_divide_up(n, PART);
#ifdef _OPENMP
#pragma omp parallel for num_threads(p->threads) schedule(dynamic) if (parts > 1)
#endif
  for (int t = 0; t < parts; t++) {
    const int64_t from = (int64_t)t * PART;
    char *text = p->text + from * DCS_PRINTED;
    const char *end = p->print(p->field, values + from, first + from, least(n - from, PART), text);
    used[t] = (size_t)(end - text);
  }
  for (int t = 0; t < parts; t++)
    fwrite(p->text + (size_t)t * PART * DCS_PRINTED, 1, used[t], p->out);
  dcs_put_through(p->out);
}

static dcs_status put_planes(const printer *p, dcs_turned *turned) {
  const int64_t plane = p->field->n.y * p->field->n.z;
  for (int64_t i = 0, end; i < p->field->n.x && !ferror(p->out); i = end) {
    const float *values;
    DCS_TRY(dcs_turned_next(turned, i, &end, &values));
    const int64_t n = (end - i) * plane;
    for (int64_t done = 0; done < n && !ferror(p->out); done += BATCH)
      put_batch(p, values + done, i * plane + done, least(n - done, BATCH));
  }
  return DCS_OK;
}

dcs_status dcs_print_values(FILE *out, const dcs_field *field, dcs_printer *print) {
  printer p = {.out = out, .field = field, .print = print, .threads = dcs_loop_threads()};
  dcs_turned turned;
  DCS_TRY(dcs_turned_begin(field, &turned));
  p.text = malloc((size_t)least(dcs_points(field->n), BATCH) * DCS_PRINTED);
  const dcs_status status =
      p.text ? put_planes(&p, &turned) : dcs_fail(DCS_UNAVAILABLE, "no memory to write a map");
  free(p.text);
  dcs_turned_end(&turned);
  return status;
}
