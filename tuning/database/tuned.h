/* tuned.csv: the winners of tunings on this machine, and which of them serves a problem.
 * results/README.md has its columns. Each row ends with a checksum of itself: a damaged one is left
 * out, with a warning, and never taken for another. */
#ifndef DCS_TUNED_H
#define DCS_TUNED_H

#include "harness/sweep/sizes.h"
#include "tuning/search/subject.h"

#include <stdio.h>

typedef struct {
  dcs_subject subject;
  dcs_config config;
  dcs_previous_time time;
  int n_tied; /* configurations that could not be told from it, itself included */
} dcs_tuned_entry;

/* The path of a file in the data folder, which is made where it is missing: $DCSBENCH_DATA, else
 * dcsbench in $XDG_DATA_HOME, else .local/share/dcsbench at home. */
dcs_status dcs_tuned_path(const char *name, char path[4096]);

/* Whether an entry can be kept: DCS_IO says why not, and the way out. To be asked before time is
 * spent on finding one. */
dcs_status dcs_tuned_ready(void);

/* Adds the entry; from now on it is the one of its subject. Writers at once lose nothing. */
dcs_status dcs_tuned_put(const char *path, const dcs_tuned_entry *entry);

typedef struct {
  dcs_tuned_entry *list; /* in the order they were written, the latest of a subject alone */
  int n;
  int damaged; /* rows whose checksum is wrong */
  int foreign; /* whole rows of another schema, or of a variant or value that this program lacks */
  char *specs; /* rows of specifications that are not read now, as they stand, below the header;
                  NULL: none */
} dcs_tuned;

/* A file that is not there is empty. The caller frees with dcs_tuned_free(), whatever the status.
 */
dcs_status dcs_tuned_read(const char *path, dcs_tuned *tuned);
void dcs_tuned_free(dcs_tuned *tuned);
/* Says how many rows were left out, and why. */
void dcs_tuned_say_left_out(const char *path, const dcs_tuned *tuned, FILE *out);

/* Removes a variant's entries by its id (NULL: all), what is damaged, and what is foreign; *removed
 * counts entries of this program. */
dcs_status dcs_tuned_forget(const char *path, const char *id, int *removed);

/* Header and entries, as a tuned.csv of their own. */
dcs_status dcs_tuned_export(FILE *out, const dcs_tuned *tuned);

/* ---- which entry serves ---- */

typedef enum {
  DCS_RUNG_MACHINE,    /* this card or CPU */
  DCS_RUNG_UNITS,      /* another one of the same compute capability and number of SMs or CPUs */
  DCS_RUNG_CAPABILITY, /* another one of the same compute capability */
  DCS_RUNG_DEFAULT,    /* none: the variant's initial configuration */
  DCS_N_RUNGS
} dcs_rung;

typedef struct {
  dcs_rung rung;
  dcs_config config;
  const dcs_tuned_entry *entry; /* NULL for the default */
  int other_source;             /* entries that match but for the variant's sources */
} dcs_tuned_choice;

/* The entry for the subject: same variant, scope, problem, objective and sources, size within a
 * factor of 4 in its inputs and of 2 in each other axis and, where it counts, in the spacing,
 * applicable to the problem; of the first rung that has any, the nearest size, the latest of
 * equals. */
dcs_tuned_choice dcs_tuned_find(const dcs_tuned *tuned, const dcs_subject *subject, int cpus);

/* The configuration for a row of a sweep (dcs_tuned_finder), from the database in the data folder.
 * Says on stderr which rung served, and what was left out and why; nothing of it is a failure. */
dcs_status dcs_tuned_config(const dcs_facts *facts, const char *kernels, dcs_record *record);

/* ---- rows (tuned_row.c) ---- */

/* The entry (NULL: the header) as a row with its checksum and newline, which the caller frees.
 * DCS_UNAVAILABLE: no memory. */
dcs_status dcs_tuned_row(const dcs_tuned_entry *entry, char **row);

/* Foreign: whole, but of another schema. */
typedef enum { DCS_ROW_OWN, DCS_ROW_HEADER, DCS_ROW_FOREIGN, DCS_ROW_DAMAGED } dcs_row_kind;

/* What a line (without its newline) is. */
dcs_row_kind dcs_tuned_row_kind(const char *line, size_t length);

/* Reads a row of a table with the columns of the header. DCS_INPUT: not of this program;
 * DCS_UNAVAILABLE: no memory. */
dcs_status dcs_tuned_read_row(const dcs_table *table, size_t row, dcs_tuned_entry *entry);

#endif
