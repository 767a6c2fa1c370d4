/* Reading a molecule, in whichever of the formats it is. */
#include "harness/base/grow.h"
#include "harness/input/molecule.h"

#include "harness/base/hash.h"

#include <errno.h>
#include <string.h>

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

/* A file whose head has been read already: a pipe has no way back. */
typedef struct {
  FILE *file;
  char head[HEAD];
  size_t bytes, given; /* of the head */
  uint64_t hash;       /* of what was given */
} source;

static ssize_t give(void *cookie, char *to, size_t size) {
  source *s = cookie;
  size_t n = s->bytes - s->given < size ? s->bytes - s->given : size;
  memcpy(to, s->head + s->given, n);
  s->given += n;
  if (n == 0) n = fread(to, 1, size, s->file);
  s->hash = dcs_hash(s->hash, to, n);
  return n == 0 && ferror(s->file) ? -1 : (ssize_t)n;
}

static dcs_status find_reader(const source *s, const char *path, const dcs_reader **reader) {
  char known[512] = "";
  for (int r = 0; r < dcs_n_readers; r++) {
    *reader = dcs_readers[r];
    if ((*reader)->sniff(s->head, s->bytes)) return DCS_OK;
    dcs_append(known, sizeof known, "%s%s (%s)", *known ? ", or " : "", (*reader)->name,
               (*reader)->what);
  }
  return dcs_fail(DCS_INPUT, "%s: found no atoms in a format that is known; expected %s", path,
                  known);
}

/* What stands behind the end of the atoms is of the file, too. */
static dcs_status read_rest(source *s, const char *path) {
  char rest[4096];
  ssize_t got;
  while ((got = give(s, rest, sizeof rest)) > 0)
    ;
  return got == 0 ? DCS_OK : dcs_fail(DCS_IO, "%s: cannot read: %s", path, strerror(errno));
}

static dcs_status read_from(source *s, const char *path, dcs_molecule *molecule, FILE *notes) {
  const dcs_reader *reader;
  s->bytes = fread(s->head, 1, HEAD, s->file);
  if (ferror(s->file))
    return dcs_fail(DCS_IO, "%s: cannot read: %s; expected a file with a molecule", path,
                    strerror(errno));
  DCS_TRY(find_reader(s, path, &reader));
  FILE *whole = fopencookie(s, "r", (cookie_io_functions_t){.read = give});
  if (!whole) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
  dcs_status status = reader->read(whole, path, molecule, notes);
  fclose(whole);
  if (status == DCS_OK) status = read_rest(s, path);
  molecule->hash = s->hash;
  return status;
}

dcs_status dcs_molecule_read(const char *path, dcs_molecule *molecule, FILE *notes) {
  source s = {.file = fopen(path, "r"), .hash = DCS_HASH_START};
  *molecule = (dcs_molecule){0};
  if (!s.file)
    return dcs_fail(DCS_IO, "%s: cannot open: %s; expected a file with a molecule", path,
                    strerror(errno));
  dcs_status status = read_from(&s, path, molecule, notes);
  fclose(s.file);
  if (status != DCS_OK) dcs_molecule_free(molecule);
  return status;
}
