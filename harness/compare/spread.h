/* How far the same method's time moves from one session to the next: what no interval of samples of
 * one session can know. */
#ifndef DCS_SPREAD_H
#define DCS_SPREAD_H

#include "harness/runs/run.h"

typedef enum {
  DCS_SPREAD_DEFAULT,  /* nobody measured it */
  DCS_SPREAD_MACHINE,  /* measured on this machine by `limits --sessions` */
  DCS_SPREAD_SESSIONS, /* between the sessions of the runs themselves */
  DCS_N_SPREADS
} dcs_spread_source;

typedef struct {
  dcs_spread_source source;
  double deviation; /* standard deviation of the logarithm of a session's median */
  int degrees;      /* of freedom, that it was found with; 0: as if known */
  char date[24];    /* of the machine's */
  bool disturbed;   /* no row had 3 sessions that stayed undisturbed: it is of others, too */
} dcs_spread;

/* What is assumed where nothing was measured: 3%. Two sessions of the same program then differ by
 * less than 8.3% in 95% of cases. */
dcs_spread dcs_default_spread(void);

/* Half the width of the 95% interval of the log ratio of two medians, of so many sessions each,
 * that the spread alone makes. */
double dcs_spread_half(const dcs_spread *spread, int sessions_a, int sessions_b);

/* The interval of a ratio within two sessions, widened by as much: both are independent, so that
 * the squares of their halves add up. NaN stays. */
void dcs_spread_widen(double half, dcs_ratio *ratio);

/* How far rows' ratios scatter around their median, which a build that is slower everywhere moves
 * and does not widen: a standard deviation of the logarithms, by the median deviation, which rows
 * that differ leave as it is as long as they are few. 0 of fewer than 8. ratios[n] is changed. */
double dcs_spread_scatter(double *ratios, size_t n);

/* Rows of a size are measured at the same time, and what slows the machine meanwhile falls on all
 * of them. How far it moves one of n sizes, each given by the median of its rows' log ratios: half
 * the width of the 95% interval. 0 of fewer than 3 sizes. */
double dcs_spread_of_sizes(const double *medians, size_t n);

/* Sessions that a row's samples are of: those that took 3 or more, one at least. */
int dcs_row_sessions(const dcs_run *run, const dcs_run_row *row);

/* Between the sessions of each row of a run that was resumed, of a backend. Of three rows or
 * more it is the median over the rows, each variance over the median that its degrees of freedom
 * give it; where all rows move together that is too much by up to 12% with 4 sessions, 4% with 10
 * (tests/test_spread.c). False when fewer than 3 sessions are in every row. */
bool dcs_spread_of_run(const dcs_run *run, dcs_backend backend, dcs_spread *spread);
/* The same between n runs of one program, each of one session; rows that stayed disturbed in a
 * session are left out of it. */
bool dcs_spread_of_runs(const dcs_run *runs, int n, dcs_backend backend, dcs_spread *spread);

/* The file of what was measured on machines: a row each time. Adds one; finds the last of the
 * machine that a run is of (false: there is none). */
dcs_status dcs_spread_put(const char *path, const dcs_run *run, dcs_backend backend,
                          const dcs_spread *spread);
dcs_status dcs_spread_find(const char *path, const dcs_run *run, dcs_backend backend,
                           dcs_spread *spread, bool *found);

#endif
