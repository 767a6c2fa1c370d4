/* The labs: exercises for students, built into the program with what each demands of a kernel. */
#ifndef DCS_LAB_H
#define DCS_LAB_H

#include "harness/files/csv.h"
#include "harness/problems/methods.h"

enum { DCS_LABS = 8 };

/* One row of labs/N/lab.csv: a check of a student's kernel on one problem; or one of
 * labs/N/questions.csv, where a lab is about reading a run: the rest is 0 then. */
typedef struct {
  char check[32];    /* right, races, a measure of the trace; a question's name */
  dcs_method method; /* that the student's kernel stands for */
  int64_t atoms;
  dcs_dims grid;
  double limit; /* of the measure, at most; NaN: none */
} dcs_demand;

typedef struct {
  int number;
  char title[DCS_TEXT];
  bool asks; /* questions, which answers.csv answers; else kernels are checked */
  dcs_demand *demands;
  int n;
} dcs_lab;

/* DCS_USAGE: there is no such lab. The caller frees with dcs_lab_free(). */
dcs_status dcs_lab_open(int64_t number, dcs_lab *lab);
void dcs_lab_free(dcs_lab *lab);

/* A table of a lab, by its name in labs/N. The caller frees it. */
dcs_status dcs_lab_table(int number, const char *name, dcs_table **table);

/* Copies the lab's page and its files with gaps into a folder, which is made where it is missing.
 * DCS_USAGE, and nothing is written, where it has one of them already. */
dcs_status dcs_lab_start(const dcs_lab *lab, const char *folder);

/* The name of a variant's kernel file, without folders: "constant.cu"; of none (NULL), that of the
 * answers. */
const char *dcs_lab_file(const dcs_variant *variant);

/* Whether the demand is the first of its variant. */
bool dcs_lab_is_first(const dcs_lab *lab, int demand);

#endif
