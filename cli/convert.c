/* dcsbench convert */
#include "cli/commands.h"
#include "harness/files/file.h"

typedef struct {
  const char *words[2]; /* from, to */
  const char *slice;
  dcs_units_options units;
} arguments;

static const dcs_option options[] = {
    {"slice", 0, "AXIS=ANGSTROM",
     "only the plane that is nearest: z=12.5; of two axes the line: x=1,y=2",
     DCS_WORD(arguments, slice)},
    {0}};

/* To the units that were asked for; from those that its file does not state, not at all. */
static dcs_status change_units(const arguments *a, dcs_field *field) {
  const dcs_units *from, *to = a->units.units;
  if (!to) return DCS_OK;
  if (!field->units[0] || dcs_find_units(field->units, &from) != DCS_OK)
    return dcs_fail(DCS_INPUT,
                    "%s: found no units that are known; --units can only change e/A, V, "
                    "kT/e and kcal/mol/e",
                    a->words[0]);
  const double factor =
      dcs_units_factor(to, a->units.kelvin) / dcs_units_factor(from, a->units.kelvin);
  dcs_field_scale(field, factor, to->name);
  return DCS_OK;
}

static dcs_status convert(const arguments *a, dcs_field *field) {
  double at[3];
  if (a->slice) DCS_TRY(dcs_parse_slice(a->slice, at));
  if (a->slice) DCS_TRY(dcs_field_slice(field, at));
  DCS_TRY(change_units(a, field));
  return dcs_write_map(a->words[1], field, NULL);
}

/* A slice, or a map of fewer digits, in the place of the map would be the last. */
static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->units.has_kelvin && !a->units.units)
    return dcs_fail(DCS_USAGE, "--temperature: found %g K and no --units; expected --units, too",
                    a->units.kelvin);
  if (!a->words[1] || !dcs_is_same_file(a->words[0], a->words[1])) return DCS_OK;
  return dcs_fail(DCS_USAGE, "TO is \"%s\", which is read, too; expected another name",
                  a->words[1]);
}

dcs_status dcs_command_convert(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "FROM TO",
      .doc =
          "Write a map in another format, in other units, or a slice of it. FROM is known by its "
          "content, TO by how its name ends: as `dcsbench map --help` lists them.",
      .place = DCS_PLACE(arguments, words[0], const char *),
      .words = 2,
      .missing = "two files are needed: the map, and the one to write",
      .check = check};
  arguments a = {0};
  dcs_field field;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.units = &a.units}));
  DCS_TRY(dcs_check_map_name(a.words[1]));
  DCS_TRY(dcs_field_read(a.words[0], &field));
  dcs_status status = convert(&a, &field);
  dcs_field_free(&field);
  return status;
}
