/* What a student hands in, and what a teacher makes of it. */
#ifndef DCS_LAB_RESULT_H
#define DCS_LAB_RESULT_H

#include "harness/labs/check.h"

#include <stdio.h>

/* Writes FOLDER/NAME.labN.csv, a row a check; with what was checked in the folder `files`; what of
 * the name (dcs_is_name) is ASCII and no letter, digit, dot or hyphen becomes "_" in the file's.
 * DCS_USAGE where another name's result has that file. The folder is made where it is missing. */
dcs_status dcs_lab_submit(const dcs_lab *lab, const dcs_lab_findings *findings, const char *files,
                          const char *folder, const char *name);

/* One file that was handed in. */
typedef struct {
  char name[DCS_TEXT];
  int lab, asked, passed;
  char said[DCS_SENTENCE]; /* first; "": all passed */
  char sources[32];        /* the hash of the kernels; "": of none */
} dcs_submission;

/* Reads all results in a folder, by lab and name; other files are left alone. DCS_INPUT names one
 * that is no result. The caller frees *list. */
dcs_status dcs_lab_collect(const char *folder, dcs_submission **list, int *n);

#endif
