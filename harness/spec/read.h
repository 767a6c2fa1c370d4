/* What the parts of the reader of specifications share. Internal to harness/spec. */
#ifndef DCS_SPEC_READ_H
#define DCS_SPEC_READ_H

#include "harness/spec/json.h"
#include "harness/spec/spec.h"

/* Keeps a text, or the path of a file that is named from the specification's folder. */
dcs_status dcs_spec_keep_text(dcs_spec *spec, const char *text, const char **kept);
dcs_status dcs_spec_keep_path(dcs_spec *spec, const char *name, const char **kept);
/* Reads an expression, a text or a number, of all parameters. */
dcs_status dcs_spec_read_formula(dcs_spec *spec, const dcs_json_place *place,
                                 dcs_spec_formula *formula);
/* What has no value, with the file and path of its expression before the message. */
dcs_status dcs_spec_name_place(const dcs_json_place *place, dcs_status status);

/* Is the text a name of C? */
bool dcs_is_identifier(const char *text);

dcs_status dcs_spec_read_kernel(dcs_spec *spec, const dcs_json_place *kernel);
dcs_status dcs_spec_read_arguments(dcs_spec *spec, const dcs_json_place *kernel);

#endif
