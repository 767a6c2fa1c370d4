/* hyperfine (--export-json): `results` holds a command each, with its times in seconds and the
 * values of --parameter-scan and --parameter-list. */
#include "harness/timings/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool dcs_looks_like_hyperfine(const dcs_timings_source *source);
dcs_status dcs_read_hyperfine(const dcs_timings_source *source, dcs_timings *timings);

bool dcs_looks_like_hyperfine(const dcs_timings_source *source) {
  return json_object_get(json_array_get(json_object_get(source->json, "results"), 0), "command") !=
         NULL;
}

/* ---- what the sizes of a command share ---- */

/* The file has each command with its values in it. What it may have been typed as, "./a {n}", has
 * some of the places where a value stands replaced by its name; it was typed as what most results
 * may have been. */
enum { MOST_TYPED = 256 /* of a result */, LONGEST = 1024 /* bytes */ };

typedef struct {
  const json_t *parameters;
  const char *command;
  json_t *results; /* of how many results each may be; counted, or asked for */
  char text[LONGEST + 1];
  int n;                /* seen */
  int words, parts;     /* replaced: values that are words, and that are parts of one */
  char *best;           /* NULL while counting; room as for text */
  long long best_of[3]; /* results, words, less parts */
} typed;

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool see(typed *t) {
  const long long of = json_integer_value(json_object_get(t->results, t->text));
  const long long rank[3] = {of, t->words, -t->parts};
  t->n++;
  if (!t->best) return json_object_set_new(t->results, t->text, json_integer(of + 1)) == 0;
  for (int i = 0; i < 3; i++) {
    if (rank[i] < t->best_of[i]) return true;
    if (rank[i] > t->best_of[i]) break;
  }
  memcpy(t->best_of, rank, sizeof rank);
  strcpy(t->best, t->text); /* NOLINT: room was made */
  return true;
}

static bool type_on(typed *t, const char *from, size_t used);

/* With the value that stands at a place replaced, if it does. */
static bool type_name(typed *t, const char *from, size_t used, const char *name, const json_t *of) {
  char number[32] = "";
  if (json_is_number(of)) snprintf(number, sizeof number, "%.15g", json_number_value(of));
  const char *value = json_is_string(of) ? json_string_value(of) : number;
  const size_t length = strlen(value);
  if (length == 0 || strncmp(from, value, length) != 0 || t->n >= MOST_TYPED ||
      used + strlen(name) + 2 + strlen(from + length) > LONGEST)
    return true;
  const bool part = (from > t->command && in_word(from[-1])) || in_word(from[length]);
  int *replaced = part ? &t->parts : &t->words;
  const int n = snprintf(t->text + used, sizeof t->text - used, "{%s}", name);
  ++*replaced;
  const bool done = type_on(t, from + length, used + (size_t)n);
  --*replaced;
  return done;
}

/* Goes on from a place of the command with what is typed so far; false: no memory. */
static bool type_on(typed *t, const char *from, size_t used) {
  const char *name;
  json_t *value;
  for (; *from && t->n < MOST_TYPED; from++) {
    json_object_foreach((json_t *)t->parameters, name, value) {
      if (!type_name(t, from, used, name, value)) return false;
    }
    t->text[used++] = *from;
  }
  t->text[used] = '\0';
  return *from || see(t);
}

/* Goes through what a result's command may have been typed as: counts it, or finds the best, which
 * the caller frees. */
static dcs_status look_through(const json_t *list, size_t r, const char *path, json_t *results,
                               char **best) {
  const json_t *result = json_array_get(list, r);
  typed t = {.parameters = json_object_get(result, "parameters"),
             .command = dcs_json_text(result, "command"),
             .results = results};
  if (strlen(t.command) > LONGEST || json_object_size(t.parameters) > DCS_MOST_VALUES)
    return dcs_fail(
        DCS_INPUT,
        "%s: results[%zu]: found a command of %zu bytes with %zu parameters; expected at "
        "most %d and %d",
        path, r, strlen(t.command), json_object_size(t.parameters), LONGEST, DCS_MOST_VALUES);
  if (best) *best = t.best = calloc(1, sizeof t.text);
  if ((!best || t.best) && type_on(&t, t.command, 0)) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for timings");
}

/* ---- times ---- */

static dcs_status read_time(const json_t *result, const char *method, size_t r, double seconds,
                            int64_t round, const char *summary, dcs_timings *timings) {
  const char *name;
  json_t *value;
  dcs_timing *t = dcs_timings_add(timings, method, "results[%zu]", r);
  if (!t) return DCS_UNAVAILABLE;
  t->scope = DCS_FIRST; /* a process from its start to its end */
  t->time_ns = 1e9 * seconds;
  t->round = round;
  t->summary = summary;
  json_object_foreach(json_object_get(result, "parameters"), name, value)
      DCS_TRY(dcs_timing_json_add(t, name, value));
  return DCS_OK;
}

static dcs_status check_exits(const json_t *result, size_t r, const char *path) {
  const json_t *codes = dcs_json_array(result, "exit_codes");
  for (size_t i = 0; i < json_array_size(codes); i++) {
    const json_t *code = json_array_get(codes, i);
    if (!json_is_integer(code) || json_integer_value(code) != 0)
      return dcs_fail(DCS_INPUT,
                      "%s: results[%zu]: found exit code %lld of \"%s\" in run %zu; expected 0: "
                      "the command failed",
                      path, r, (long long)json_integer_value(code),
                      dcs_json_text(result, "command"), i + 1);
  }
  return DCS_OK;
}

static dcs_status read_result(const json_t *list, size_t r, json_t *results, dcs_timings *timings) {
  const json_t *result = json_array_get(list, r);
  const json_t *times = dcs_json_array(result, "times");
  char *method = NULL;
  DCS_TRY(check_exits(result, r, timings->path));
  dcs_status status = look_through(list, r, timings->path, results, &method);
  for (size_t i = 0; status == DCS_OK && i < json_array_size(times); i++)
    status = read_time(result, method, r, json_number_value(json_array_get(times, i)), (int64_t)i,
                       NULL, timings);
  if (status == DCS_OK && json_array_size(times) == 0)
    status = read_time(result, method, r, dcs_json_number(result, "median"), -1, "median", timings);
  free(method);
  return status;
}

static dcs_status read_results(const json_t *list, json_t *results, dcs_timings *timings) {
  if (!results) return dcs_fail(DCS_UNAVAILABLE, "no memory for timings");
  for (size_t r = 0; r < json_array_size(list); r++)
    DCS_TRY(look_through(list, r, timings->path, results, NULL));
  for (size_t r = 0; r < json_array_size(list); r++)
    DCS_TRY(read_result(list, r, results, timings));
  return DCS_OK;
}

dcs_status dcs_read_hyperfine(const dcs_timings_source *source, dcs_timings *timings) {
  timings->rule = DCS_SIZES_VARYING;
  json_t *results = json_object();
  const dcs_status status = read_results(dcs_json_array(source->json, "results"), results, timings);
  json_decref(results);
  return status;
}
