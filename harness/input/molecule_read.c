/* Reading a molecule, in whichever of the formats it is. */
#include "harness/input/molecule.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/input/charmm/parameters.h"
#include "harness/input/combine.h"

#include <stdlib.h>
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

/* The first reader that knows the content; with `beside`, of those that give places alone; it stays
 * as it is where none does. */
static dcs_status find_by_content(dcs_content *content, bool beside, const dcs_reader **found) {
  dcs_slice head;
  DCS_TRY(dcs_content_peek(content, HEAD, &head));
  for (int r = 0; r < dcs_n_readers; r++) {
    const dcs_reader *reader = dcs_readers[r];
    if (beside && reader->gives != DCS_PLACES) continue;
    if (!(beside && reader->sniff_beside ? reader->sniff_beside : reader->sniff)(head)) continue;
    *found = reader;
    return DCS_OK;
  }
  return DCS_OK;
}

static dcs_status unknown(dcs_content *content, unsigned gives) {
  char known[1024] = "";
  dcs_slice first;
  DCS_TRY(dcs_content_peek(content, 1, &first));
  for (int r = 0; r < dcs_n_readers; r++)
    if ((dcs_readers[r]->gives & gives) == gives)
      dcs_append(known, sizeof known, "%s%s (%s)", *known ? ", or " : "", dcs_readers[r]->name,
                 dcs_readers[r]->what);
  return dcs_fail(DCS_INPUT, "%s: found no atoms%s; expected %s", dcs_content_place(content).path,
                  first.length > 0 ? " in a format that is known" : ": the file is empty", known);
}

dcs_status dcs_find_reader(dcs_content *content, unsigned gives, const dcs_reader **reader) {
  *reader = NULL;
  if (gives == DCS_PLACES) DCS_TRY(find_by_content(content, true, reader));
  if (!*reader) DCS_TRY(find_by_content(content, false, reader));
  if (!*reader || ((*reader)->gives & gives) != gives) return unknown(content, gives);
  return DCS_OK;
}

static dcs_status find_readers(dcs_part *parts, int n, const char *format) {
  if (format && n == 2)
    return dcs_fail(DCS_USAGE, "--format is of one file: found two; expected their contents to say "
                               "what they are");
  if (format) return find_by_name(format, &parts[0].reader);
  for (int p = 0; p < n; p++)
    DCS_TRY(find_by_content(parts[p].content, false, &parts[p].reader));
  /* What gives charges leaves to the other file to give places. */
  for (int p = 0; p < n && n == 2; p++)
    if (parts[!p].reader && !(parts[!p].reader->gives & DCS_PLACES))
      DCS_TRY(find_by_content(parts[p].content, true, &parts[p].reader));
  for (int p = 0; p < n; p++)
    if (!parts[p].reader) return unknown(parts[p].content, 0);
  return DCS_OK;
}

static dcs_status no_choice(const dcs_part *part, const char *option, const char *what) {
  return dcs_fail(DCS_USAGE, "%s: %s is a %s file, which has %s", option,
                  dcs_content_place(part->content).path, part->reader->name, what);
}

/* Whether there is a choice where one is made: of two files, in the one or the other. */
static dcs_status check_options(const dcs_part *parts, int n, const dcs_read_options *how) {
  const dcs_reader *a = parts[0].reader, *b = parts[n - 1].reader;
  if (how->model > 1 && !a->models && !b->models)
    return no_choice(&parts[0], "--model", "one model");
  if (how->altloc && !a->locations && !b->locations)
    return no_choice(&parts[0], "--altloc", "no alternate locations");
  if (how->frame > 1 && !a->frames && !b->frames)
    return no_choice(&parts[0], "--frame", "no frames to choose from");
  if (how->orbital && !a->orbitals && !b->orbitals)
    return no_choice(&parts[0], "--orbital", "no orbitals");
  return DCS_OK;
}

static dcs_status read_part(dcs_part *part, const dcs_read_options *how, FILE *notes) {
  dcs_molecule *m = &part->molecule;
  m->gives = part->reader->gives;
  DCS_TRY(part->reader->read(part->content, how, m, notes));
  if (part->reader->frames) return DCS_OK;
  /* What stands behind the end of the atoms is of the file, too. */
  DCS_TRY(dcs_content_end(part->content, &m->hash));
  if (how->model > 1 && part->reader->models)
    m->hash = dcs_hash(m->hash, &how->model, sizeof how->model);
  if (how->altloc && part->reader->locations) m->hash = dcs_hash(m->hash, &how->altloc, 1);
  if (how->orbital && part->reader->orbitals)
    m->hash = dcs_hash(m->hash, &how->orbital, sizeof how->orbital);
  return DCS_OK;
}

static dcs_status read_parts(const dcs_input *input, dcs_part *parts, dcs_molecule *molecule,
                             FILE *notes) {
  const int n = input->files[1] ? 2 : 1;
  if (n == 2 && strcmp(input->files[0], "-") == 0 && strcmp(input->files[1], "-") == 0)
    return dcs_fail(DCS_USAGE, "--input: found - twice; expected standard input once");
  for (int p = 0; p < n; p++)
    DCS_TRY(dcs_content_open(input->files[p], &parts[p].content));
  DCS_TRY(find_readers(parts, n, input->how.format));
  DCS_TRY(check_options(parts, n, &input->how));
  DCS_TRY(dcs_check_parts(parts, n, &input->how));
  for (int p = 0; p < n; p++)
    DCS_TRY(read_part(&parts[p], &input->how, notes));
  if (n == 2) return dcs_combine_parts(parts, molecule, notes);
  *molecule = parts[0].molecule;
  parts[0].molecule = (dcs_molecule){0};
  return DCS_OK;
}

static void note_zero(const char *path, const dcs_molecule *molecule, FILE *notes) {
  if (notes && dcs_molecule_zero_charges(molecule) == molecule->n)
    fprintf(notes, "%s: every charge is zero, so the map will be zero everywhere\n", path);
}

/* Of two, types are of that which gives charges. */
static const char *path_of_types(const dcs_part parts[2]) {
  const bool second = parts[1].reader && (parts[1].reader->gives & DCS_CHARGES);
  return dcs_content_place(parts[second].content).path;
}

/* Gives the atoms, whose types `path` has, the wells of all files of parameters. */
static dcs_status read_parameters(const char *path, const dcs_read_options *how,
                                  dcs_molecule *molecule) {
  dcs_charmm parameters = {0};
  dcs_status status = DCS_OK;
  uint64_t hash;
  if (!molecule->types)
    return dcs_fail(DCS_USAGE,
                    "--parameters: %s has no types of atoms; expected a PSF, and a second --input "
                    "with places",
                    path);
  for (int p = 0; status == DCS_OK && p < how->n_parameters; p++) {
    status = dcs_charmm_read(how->parameters[p], &parameters, &hash);
    if (status == DCS_OK) molecule->hash = dcs_hash(molecule->hash, &hash, sizeof hash);
  }
  if (status == DCS_OK) status = dcs_charmm_assign(&parameters, path, molecule);
  dcs_charmm_free(&parameters);
  return status;
}

dcs_status dcs_molecule_read(const dcs_input *input, dcs_molecule *molecule, FILE *notes) {
  dcs_part parts[2] = {0};
  *molecule = (dcs_molecule){0};
  dcs_status status = read_parts(input, parts, molecule, notes);
  if (status == DCS_OK && input->how.n_parameters > 0)
    status = read_parameters(path_of_types(parts), &input->how, molecule);
  for (int p = 0; p < 2; p++) {
    dcs_content_close(parts[p].content);
    dcs_molecule_free(&parts[p].molecule);
  }
  if (status != DCS_OK) dcs_molecule_free(molecule);
  DCS_TRY(status);
  free(molecule->names);
  free(molecule->types);
  molecule->names = molecule->types = NULL;
  if (!input->how.shape) note_zero(input->files[0], molecule, notes);
  return DCS_OK;
}

static dcs_status read_topology(const char *path, const dcs_read_options *asked, dcs_part *part,
                                FILE *notes) {
  dcs_read_options named = *asked;
  const dcs_read_options *how = &named;
  named.names = true;
  DCS_TRY(dcs_content_open(path, &part->content));
  DCS_TRY(find_readers(part, 1, how->format));
  DCS_TRY(check_options(part, 1, how));
  DCS_TRY(dcs_check_topology(part));
  return read_part(part, how, notes);
}

dcs_status dcs_topology_read(const char *path, const dcs_read_options *how, dcs_molecule *molecule,
                             FILE *notes) {
  dcs_part part = {0};
  const dcs_status status = read_topology(path, how, &part, notes);
  dcs_content_close(part.content);
  *molecule = part.molecule;
  if (status == DCS_OK)
    note_zero(path, molecule, notes);
  else
    dcs_molecule_free(molecule);
  return status;
}
