/* Reading a molecule, in whichever of the formats it is. */
#include "harness/input/molecule.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <strings.h>

#define DCS_READER(name) extern const dcs_reader dcs_reader_##name;
#include "harness/input/formats.def"

const dcs_reader *const dcs_readers[] = {
#define DCS_READER(name) &dcs_reader_##name,
#include "harness/input/formats.def"
};

const int dcs_n_readers = sizeof dcs_readers / sizeof dcs_readers[0];

char *dcs_molecule_formats(char *text, size_t size) {
  text[0] = '\0';
  for (int r = 0; r < dcs_n_readers; r++)
    dcs_append(text, size, "%s%s", r ? ", " : "", dcs_readers[r]->name);
  return text;
}

enum { HEAD = 65536 };

static dcs_status find_by_name(const char *name, const dcs_reader **reader) {
  char known[512];
  for (int r = 0; r < dcs_n_readers; r++) {
    *reader = dcs_readers[r];
    if (strcasecmp((*reader)->name, name) == 0) return DCS_OK;
  }
  return dcs_fail(DCS_USAGE, "--format: found \"%s\"; expected one of %s", name,
                  dcs_molecule_formats(known, sizeof known));
}

static dcs_status find_by_content(dcs_content *content, const dcs_reader **reader) {
  char known[1024] = "";
  dcs_slice head;
  DCS_TRY(dcs_content_peek(content, HEAD, &head));
  for (int r = 0; r < dcs_n_readers; r++) {
    *reader = dcs_readers[r];
    if ((*reader)->sniff(head)) return DCS_OK;
    dcs_append(known, sizeof known, "%s%s (%s)", *known ? ", or " : "", (*reader)->name,
               (*reader)->what);
  }
  return dcs_fail(DCS_INPUT, "%s: found no atoms in a format that is known; expected %s",
                  dcs_content_place(content).path, known);
}

static dcs_status read_content(dcs_content *content, const dcs_read_options *how,
                               dcs_molecule *molecule, FILE *notes) {
  const dcs_reader *reader;
  DCS_TRY(how->format ? find_by_name(how->format, &reader) : find_by_content(content, &reader));
  const char *path = dcs_content_place(content).path;
  if (how->model > 1 && !reader->models)
    return dcs_fail(DCS_USAGE, "--model: %s is a %s file, which has one model", path, reader->name);
  if (how->altloc && !reader->locations)
    return dcs_fail(DCS_USAGE, "--altloc: %s is a %s file, which has no alternate locations", path,
                    reader->name);
  molecule->gives = reader->gives;
  DCS_TRY(reader->read(content, how, molecule, notes));
  /* What stands behind the end of the atoms is of the file, too. */
  DCS_TRY(dcs_content_end(content, &molecule->hash));
  if (how->model > 1) molecule->hash = dcs_hash(molecule->hash, &how->model, sizeof how->model);
  if (how->altloc) molecule->hash = dcs_hash(molecule->hash, &how->altloc, 1);
  return DCS_OK;
}

dcs_status dcs_molecule_read(const dcs_input *input, dcs_molecule *molecule, FILE *notes) {
  dcs_content *content;
  const char *path = input->files[0];
  *molecule = (dcs_molecule){0};
  DCS_TRY(dcs_content_open(path, &content));
  dcs_status status = read_content(content, &input->how, molecule, notes);
  dcs_content_close(content);
  if (status != DCS_OK) {
    dcs_molecule_free(molecule);
    return status;
  }
  if (notes && dcs_molecule_zero_charges(molecule) == molecule->n)
    fprintf(notes, "%s: every charge is zero, so the map will be zero everywhere\n", path);
  return DCS_OK;
}
