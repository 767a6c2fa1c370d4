/* A Gaussian process over configurations: from the times of some it predicts those of others, and
 * how sure that is (Rasmussen and Williams, Gaussian Processes for Machine Learning, MIT Press
 * 2006: algorithm 2.1, section 2.7 on a mean that is not 0, section 5.4 on learning constants). */
#ifndef DCS_TUNE_PROCESS_H
#define DCS_TUNE_PROCESS_H

#include "tuning/search/features.h"

/* The most that it is given: a decision takes the cube of it. */
enum { DCS_PROCESS_MOST = 100 };

/* A weight of each feature, then the noise, then how far one feature reaches. */
enum { DCS_PROCESS_CONSTANTS = DCS_MOST_FEATURES + 2 };

typedef struct {
  const dcs_features *features;
  double constant[DCS_PROCESS_CONSTANTS], first[DCS_PROCESS_CONSTANTS]; /* features->n + 2 */
  /* What it knows. */
  int n;
  double at[DCS_MOST_FEATURES][DCS_PROCESS_MOST]; /* each feature of the known */
  double rest[DCS_PROCESS_MOST];                  /* times less the mean and the offset */
  double offset;                                  /* their average */
  /* Cholesky's, of the covariance over variance: each line is a column of the lower factor. */
  double factor[DCS_PROCESS_MOST][DCS_PROCESS_MOST];
  double solved[DCS_PROCESS_MOST]; /* the covariance's inverse times the rest */
  double variance;
} dcs_process;

/* Nothing is known. The features must outlive it. */
void dcs_process_open(const dcs_features *features, dcs_process *process);

/* What is known from now on: the configurations and their times as they are compared, 0 the best;
 * n is at most DCS_PROCESS_MOST. */
void dcs_process_know(dcs_process *process, const int *configs, const double *times, int n);

/* Chooses the constants that explain best what is known, from the same start each time. */
void dcs_process_learn(dcs_process *process);

/* Solves for what is known and the constants; before any gain is asked for. */
void dcs_process_solve(dcs_process *process);

/* By how much a configuration is expected to be better than the best known, as times are compared
 * (expected improvement: Jones, Schonlau, Welch, J. Global Optimization 13, 1998). 0 as soon as it
 * is clear that it is no more than `beat` (below 0: never). */
double dcs_process_gain(const dcs_process *process, int config, double beat);

#endif
