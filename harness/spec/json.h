/* Values of a JSON file that know where they stand, so that what is wrong is said with file and
 * path. */
#ifndef DCS_SPEC_JSON_H
#define DCS_SPEC_JSON_H

#include "kernels/contract.h"

#include <jansson.h>

typedef struct {
  const char *file;
  const json_t *json;  /* NULL: it is not there */
  char path[DCS_TEXT]; /* "$.KernelSpecification.Arguments[3].Type" */
} dcs_json_place;

/* A member of an object, an item of an array; json is NULL where there is none, or it is null. */
dcs_json_place dcs_json_member(const dcs_json_place *object, const char *key);
dcs_json_place dcs_json_item(const dcs_json_place *array, size_t item);

/* DCS_INPUT: "FILE: PATH: found ...; expected ..." */
dcs_status dcs_json_wrong(const dcs_json_place *place, const char *expected);

/* Whether all members of an object have one of these names, NULL last; DCS_INPUT names the first
 * that has none, and that there is an object. */
dcs_status dcs_json_only(const dcs_json_place *object, const char *const *names);

/* Values of their types, or DCS_INPUT. A text is not empty, and lives as long as the file. */
dcs_status dcs_json_get_text(const dcs_json_place *place, const char **text);
dcs_status dcs_json_get_number(const dcs_json_place *place, double *number);
dcs_status dcs_json_get_integer(const dcs_json_place *place, int64_t lo, int64_t hi,
                                int64_t *integer);
dcs_status dcs_json_get_array(const dcs_json_place *place, size_t most, size_t *n);
/* Which of the words (NULL last) the text is. */
dcs_status dcs_json_get_word(const dcs_json_place *place, const char *const *words, int *word);

#endif
