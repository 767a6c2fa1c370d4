/* JSON, read and looked into. */
#ifndef DCS_JSON_H
#define DCS_JSON_H

#include "kernels/status.h"

#include <jansson.h>
#include <stddef.h>

/* Parses a file's text; *root is NULL where it does not begin as an object or array does. DCS_INPUT
 * names the file, line and column. The caller has the reference. */
dcs_status dcs_json_parse(const char *path, const char *text, size_t bytes, json_t **root);

/* A member of an object: a text ("" when it is none), a number (NaN), an array (NULL). */
const char *dcs_json_text(const json_t *object, const char *key);
double dcs_json_number(const json_t *object, const char *key);
const json_t *dcs_json_array(const json_t *object, const char *key);

#endif
