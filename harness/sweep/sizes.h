/* A sweep's plan, expanded: sizes, each with the problems of its kind that are measured on it and
 * the records to fill. All problems on one size share the rounds: they are
 * the same in fast spells of the machine and in slow ones. */
#ifndef DCS_SWEEP_SIZES_H
#define DCS_SWEEP_SIZES_H

#include "harness/runs/record.h"
#include "harness/sweep/sweep.h"

typedef struct {
  dcs_size size;   /* its config is that of no problem in particular */
  bool from_box;   /* the grid is what the input's box needs */
  double spacing;  /* of the grid, angstrom */
  char *too_large; /* what it needs more memory for than there is; NULL: it fits */
  dcs_config *problems;
  int n_problems;
  dcs_record *records;
  int n_records;
  bool has_rows; /* summary.csv has some of it */
  double took_s; /* to measure it, now; 0: not yet */
} dcs_sweep_size;

typedef struct {
  dcs_sweep_size *list;
  int n;
} dcs_sweep_sizes;

/* The tuned configuration for a record's variant and scope (--config tuned), into
 * record->method.config and, where it was measured on this machine and this very problem,
 * record->previous and previous_work. The database lies above the harness, so main sets this;
 * NULL: there is none. */
typedef dcs_status dcs_tuned_finder(const dcs_facts *facts, const char *kernels,
                                    dcs_record *record);
extern dcs_tuned_finder *dcs_find_tuned;

/* Expands every line; lines that have a size in common share it, and a method that two lines name
 * in the same scope and memory is measured once. Groups and plans leave out what this machine
 * cannot run. Scopes are `kernel`, `warm`, `first`, `frame`; a CPU variant has no `warm` and no
 * `frame`. Memory multiplies the scopes that copies are part of; a method is measured on each of
 * the line's problems that its variant solves. `molecule` is that of the input, if there is one;
 * `facts` are those of the machine, for dcs_find_tuned. With a budget the sizes come by weight, the
 * light ones first: what they do not need is left to the heavy ones. DCS_USAGE (DCS_INPUT for a
 * plan) names what is wrong, DCS_UNAVAILABLE where no size fits the memory; else those that do not
 * are marked. The caller frees with dcs_sweep_sizes_free(). */
dcs_status dcs_expand_sizes(const dcs_sweep_options *options, const dcs_molecule *molecule,
                            bool gpu, const dcs_facts *facts, dcs_sweep_sizes *sizes);
void dcs_sweep_sizes_free(dcs_sweep_sizes *sizes);
void dcs_sweep_size_free(dcs_sweep_size *entry); /* what it holds */
/* What was found of its methods, which will be verified again; their samples stay. What failed, and
 * was not killed, is finished. */
void dcs_sweep_size_forget_verdicts(dcs_sweep_size *entry);

/* ---- what sizes cost ---- */

/* Marks a size that does not fit the bytes that are available. */
dcs_status dcs_sweep_size_check_memory(dcs_sweep_size *entry, double available);

/* How long a size takes, in units that only compare: evaluations, and a fixed cost. */
double dcs_sweep_size_weight(const dcs_sweep_size *entry);
/* Of the time that is left for size c and those after it, what size c may use: half is divided by
 * weight, since each round of a size takes as long, and half evenly: what takes long whatever the
 * size, such as starting a process, is not starved. */
double dcs_sweep_size_share(const dcs_sweep_sizes *sizes, int c);
/* Moves sizes that were measured and have a method whose samples the budget ended below `least`
 * behind the others, to be measured on: as many, from the first, as took at most `left_s` together;
 * of these the one that lacks most last, since it gets what the others do not need. Index of the
 * first. */
int dcs_sweep_sizes_short_last(dcs_sweep_sizes *sizes, int least, double left_s);
/* Orders the sizes: the light ones first, else as they came. DCS_UNAVAILABLE: memory is short. */
dcs_status dcs_sweep_sizes_light_first(dcs_sweep_sizes *sizes);

#endif
