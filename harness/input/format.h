/* What a format that molecules are read in is: one line of formats.def. */
#ifndef DCS_INPUT_FORMAT_H
#define DCS_INPUT_FORMAT_H

#include "harness/input/molecule.h"

typedef struct {
  const char *name; /* "PQR" */
  const char *what; /* by what a file is known, for messages */
  /* Whether a file that begins with these bytes is of the format. */
  bool (*sniff)(const char *head, size_t bytes);
  /* Reads from the file's begin; it may be a pipe. What dcs_molecule_read() says of its arguments
   * holds. After a failure the molecule is freed by the caller. */
  dcs_status (*read)(FILE *file, const char *path, dcs_molecule *molecule, FILE *notes);
} dcs_reader;

/* In the order of formats.def. */
extern const dcs_reader *const dcs_readers[];
extern const int dcs_n_readers;

#endif
