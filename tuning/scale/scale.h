/* Scaling: how much faster a job becomes with more ranks, threads or cards.
 *
 * A study runs one command line of `map` or `steps` as MPI jobs, the points of the study in random
 * order within each round, and reads the times that the ranks print. In strong scaling the job
 * stays the same; in weak scaling its frames, or its grid's slices, are so many for each worker (a
 * rank's thread, or a card). */
#ifndef DCS_SCALE_H
#define DCS_SCALE_H

#include "harness/base/progress.h"
#include "harness/files/sheet.h"
#include "harness/judge/ratio.h"
#include "kernels/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Schemas of the table that ranks print, and of the study's files. */
#define DCS_RANK_TIMES_SCHEMA "rank_times.2"
#define DCS_SCALE_SCHEMA      "scale.2"

typedef struct {
  bool weak;
  int ranks, cards; /* cards 0: the CPU, or whatever device the command names */
  int threads;      /* of a rank; 0, of cards: as many as it finds */
  int workers;      /* cards, or ranks times threads */
  int64_t frames;   /* weak: of the job, or slices */
  bool crowded;     /* more threads than CPUs: it counts for no fit */
} dcs_scale_point;

/* One job. Of stages: seconds of all ranks together, but for what rank 0 does before there are
 * parts to take (preparing), beside (receiving), and after the last (writing). */
typedef struct {
  int point, round;
  int64_t parts, most_parts; /* that were computed; that the job could be cut into */
  int64_t sent_parts;        /* by ranks other than 0 */
  int64_t steps;             /* of a job of slabs that exchange halos after each; 0: of a queue */
  int64_t slices;            /* of its whole grid */
  double launch_s;           /* what mpirun took on top of wall_s */
  double wall_s;             /* of rank 0, from its start to the end of its work */
  double preparing_s, reading_s, computing_s, communicating_s, receiving_s, writing_s;
  double hidden_s; /* that halos were on their way while ranks computed */
} dcs_scale_run;

typedef struct {
  dcs_scale_point *points;
  int n_points;
  dcs_scale_run *runs;
  int n_runs;
} dcs_scale;

void dcs_scale_free(dcs_scale *scale);

/* ---- running (tuning/scale/job.c, run.c) ---- */

typedef struct {
  const char *mpirun;  /* its words, with what it needs: "mpirun -hostfile hosts"; NULL: mpirun */
  const char *program; /* dcsbench-mpi */
  char *const *words;  /* of the command, "map" first, NULL last */
  bool slices;         /* weak scaling is of slices, not of frames */
  int rounds;
  uint64_t seed;
  dcs_progress *progress;
} dcs_scale_plan;

/* Runs the job of a point once. DCS_UNAVAILABLE where mpirun or the program is missing, DCS_FAILED
 * with what the job said where it fails. */
dcs_status dcs_scale_job(const dcs_scale_plan *plan, const dcs_scale_point *point,
                         dcs_scale_run *run);
/* What the ranks of a point's job printed, of which their table is the last: all of *run but point,
 * round and launch_s. DCS_FAILED where the table is missing or of other ranks, DCS_INPUT for a
 * wrong one. */
dcs_status dcs_scale_read_ranks(const char *printed, const dcs_scale_point *point,
                                dcs_scale_run *run);
/* Runs all points, and appends header and a row for each job to `path`; a failure or an interrupt
 * leaves those before. */
dcs_status dcs_scale_run_all(const dcs_scale_plan *plan, const char *path, dcs_scale *scale);

/* ---- what it shows ---- */

/* Of the runs of a point. */
typedef struct {
  int runs;
  double wall_s, lo_s, hi_s;  /* median, and its interval where there are 6 or more */
  double speed_up;            /* of the work done a second, over that of one worker */
  double efficiency;          /* speed-up over workers */
  double communication_share; /* of the ranks' time */
} dcs_scale_row;

/* The point of the same kind with the fewest workers stands for as many times one worker. */
dcs_scale_row dcs_scale_row_of(const dcs_scale *scale, int point);

/* Wall time of point a over that of point b, their jobs of each round held against each other; the
 * interval from 6 rounds on. */
dcs_ratio dcs_scale_ratio(const dcs_scale *scale, int a, int b);

/* T(p) = serial_s + parallel_s / p, by least squares over the runs of strong scaling (Amdahl 1967).
 */
typedef struct {
  bool known; /* there are two numbers of workers or more */
  double serial_s, parallel_s;
  double share, lo, hi;          /* of the serial part at p = 1, 0 to 1; 95% by bootstrap over the
                                    runs */
  double preparing_s, writing_s; /* of rank 0, medians: what the serial part is made of, and what is
                                    not in them is waiting for the last parts and for each other */
} dcs_scale_fit;

dcs_scale_fit dcs_scale_amdahl(const dcs_scale *scale);

/* ---- simulation (tuning/scale/model.c) ---- */

/* Nodes that take parts from a queue: rank 0 prepares (preparing_s); then each node takes a part,
 * computes it (part_s), and hands it to rank 0, which receives one after another (receive_s each);
 * rank 0, which computes too, receives beside. When all were received it writes (writing_s). A node
 * waits until its part was received. Not in the model: the start of the job, networks that fill up,
 * files that many read at once, nodes that differ.
 *
 * Of steps: all nodes go on together, and the one with most slices, which has two neighbours, tells
 * how fast. A step takes what its slices take, as many-th of one node's step; what of each
 * neighbour's halo was exposed, which no number of nodes changes, for slabs have the same surface;
 * and what of the hidden part finds no slices that need no halo to hide behind. More nodes than
 * slabs can be have nothing to do. Not in the model, beside: that nodes have memories of their own,
 * where ranks of one host share one; caches that hold a small slab; networks that are slower than
 * the memory that ranks of one host send through. */
typedef struct {
  double preparing_s, part_s, receive_s, writing_s;
  int64_t parts, most_parts; /* of one node; at most */
  /* ---- of steps: else 0 ---- */
  int64_t steps, slices;
  double slice_s;             /* what a slice of a node takes before and behind the steps, and
                                 preparing_s what does not depend on slices */
  double step_s;              /* of one node that has all slices */
  double exposed_s, hidden_s; /* of a step, for each neighbour: halos, while it computes nothing,
                                 and while it computes */
  int64_t fitted;             /* so many ranks, and one, are what the model was made of: that it
                                 meets their times tells nothing */
} dcs_scale_model;

/* From the medians of strong scaling at one rank, and of what rank 0 took to receive a part where
 * there are two or more. False: these were not measured. */
bool dcs_scale_model_of(const dcs_scale *scale, dcs_scale_model *model);
/* Parts that so many nodes share: where one has as many as there can be, the same; else as many for
 * each, up to those. With `weak` always as many for each. Of steps a node has one, its slab. */
int64_t dcs_scale_parts(const dcs_scale_model *model, int64_t nodes, bool weak);
/* Whether the model was fitted to the time of so many ranks. */
bool dcs_scale_fitted(const dcs_scale_model *model, int64_t ranks, bool weak);
/* Whether a job so many times as large is simulated: it keeps as many nodes busy. */
bool dcs_scale_grows(const dcs_scale_model *model);
/* Seconds that so many nodes take for so many parts of one node's size, or `parts` of the job's. */
double dcs_scale_simulate(const dcs_scale_model *model, int64_t nodes, bool weak);

/* ---- writing (tuning/scale/rows.c, draw.c) ---- */

/* "2 ranks of 1 thread", "4 ranks on 2 cards". Returns text. */
enum { DCS_SCALE_POINT_TEXT = 64 };
char *dcs_scale_point_text(const dcs_scale_point *point, char text[DCS_SCALE_POINT_TEXT]);

/* DIR/scaling.csv, a row for each point, and DIR/simulated.csv up to so many nodes. */
dcs_status dcs_scale_write(const dcs_scale *scale, const char *folder, int64_t nodes);
/* The points as a table, and in sentences the fit and the simulation (not for machines). */
dcs_status dcs_scale_print(const dcs_scale *scale, int64_t nodes, dcs_sheet_form form);
/* DIR/plots/scaling: speed-up over workers as measured, fitted and simulated. */
dcs_status dcs_scale_draw(const dcs_scale *scale, const char *folder, int64_t nodes);

/* The numbers of nodes that are drawn: 1, 2, 4, ... and the last; returns how many. */
enum { DCS_SCALE_NODES = 40 };
int dcs_scale_nodes(int64_t last, int64_t nodes[DCS_SCALE_NODES]);

#endif
