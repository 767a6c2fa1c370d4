/* Records of PDB and PQR files: which lines are atoms, of which model and alternate location, and
 * the cell. */
#ifndef DCS_RECORDS_H
#define DCS_RECORDS_H

#include "harness/input/tally.h"

/* A larger residue has no alternate locations. */
enum { DCS_MOST_OF_RESIDUE = 1000 };

/* An atom of the residue that is being read. */
typedef struct {
  char name[4], residue[3];
  char letter; /* of the alternate location; ' ' for none */
} dcs_location;

typedef struct {
  dcs_content *content;
  const dcs_read_options *how;
  dcs_molecule *molecule;
  dcs_tally tally;
  /* Models. */
  int64_t model;     /* of the records now, from 1 */
  bool begun, ended; /* it has its MODEL record; its ENDMDL */
  /* The residue: its atoms are the molecule's last ones. */
  char key[6]; /* chain, number and insertion code */
  dcs_location locations[DCS_MOST_OF_RESIDUE];
  int64_t n_locations; /* may be more than there is room for */
  bool several;        /* two letters in it */
  bool has_choice;     /* the location that was asked for was seen */
} dcs_records;

/* The length of the record name of an atom, ATOM or HETATM; 0: the line is none. */
static inline size_t dcs_records_name(dcs_slice line) {
  return dcs_starts_with(line, "ATOM") ? 4 : dcs_starts_with(line, "HETATM") ? 6 : 0;
}

/* Of dcs_reader: a model ends with ENDMDL, or before the next MODEL. */
dcs_model_line dcs_records_model(dcs_slice line, dcs_model *model);

void dcs_records_begin(dcs_records *records, dcs_content *content, const dcs_read_options *how,
                       dcs_molecule *molecule);

/* The next atom record of the chosen model; *name is what dcs_records_name() says. */
dcs_status dcs_records_next(dcs_records *records, dcs_slice *line, size_t *name, bool *found);

/* The atom of the record given last is about to be added to the molecule. Where the line has the
 * columns of a PDB file, `in_columns`, an alternate location is known: see records.c. */
void dcs_records_take(dcs_records *records, dcs_slice line, bool in_columns);

/* Behind the last record: no atoms is DCS_INPUT; a model or location that is not there,
 * DCS_USAGE. Notes what was left out. */
dcs_status dcs_records_end(dcs_records *records, FILE *notes);

#endif
