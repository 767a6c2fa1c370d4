/* What the readers of the formats share. Internal to harness/timings. */
#ifndef DCS_TIMINGS_FORMAT_H
#define DCS_TIMINGS_FORMAT_H

#include "harness/runs/run.h"
#include "harness/timings/json.h"
#include "harness/timings/timings.h"

/* A file, read. */
typedef struct {
  const char *path, *text;
  size_t bytes;
  json_t *json; /* NULL: it is no JSON */
} dcs_timings_source;

/* One line of formats.def. */
typedef struct {
  const char *name, *what;
  bool (*looks)(const dcs_timings_source *); /* like a file of this format */
  dcs_status (*read)(const dcs_timings_source *, dcs_timings *);
} dcs_timings_format;

/* Adds a time with the method's name, copied; NULL: no memory, said with dcs_fail(). It is ok, in
 * scope warm, of no backend and of no round, until the reader says otherwise. */
dcs_timing *dcs_timings_add(dcs_timings *timings, const char *method, const char *where, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a name and a value to it, copied. */
dcs_status dcs_timing_value_add(dcs_timing *timing, const char *name, const char *value);
/* The same of a JSON value: a number, a text, true or false. */
dcs_status dcs_timing_json_add(dcs_timing *timing, const char *name, const json_t *value);

#endif
