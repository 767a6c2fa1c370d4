/* The labs: exercises for students, built into the program with what each demands of a kernel. */
#ifndef DCS_LAB_H
#define DCS_LAB_H

#include "harness/problems/methods.h"

enum { DCS_LABS = 8 };

/* One row of labs/N/lab.csv: a check of a student's kernel on one problem. */
typedef struct {
  char check[32];    /* right, races, or a measure of the trace */
  dcs_method method; /* that the student's kernel stands for */
  int64_t atoms;
  dcs_dims grid;
  double limit; /* of the measure, at most; NaN: none */
} dcs_demand;

typedef struct {
  int number;
  char title[DCS_TEXT];
  dcs_demand *demands;
  int n;
} dcs_lab;

/* DCS_USAGE: there is no such lab. The caller frees with dcs_lab_free(). */
dcs_status dcs_lab_open(int64_t number, dcs_lab *lab);
void dcs_lab_free(dcs_lab *lab);

/* Copies the lab's page and its kernels with gaps into a folder, which is made where it is missing.
 * DCS_USAGE, and nothing is written, where it has one of them already. */
dcs_status dcs_lab_start(const dcs_lab *lab, const char *folder);

/* The name of a variant's kernel file, without folders: "constant.cu". */
const char *dcs_lab_file(const dcs_variant *variant);

/* Whether the demand is the first of its variant. */
bool dcs_lab_is_first(const dcs_lab *lab, int demand);

#endif
