/* Times that were taken in pairs, of two programs in turns: their ratio, and what it says. */
#ifndef DCS_PAIRED_H
#define DCS_PAIRED_H

#include "harness/judge/ratio.h"

/* Fewer blocks have no interval. */
enum { DCS_PAIRED_BLOCKS = 6 };

/* Room for n pairs: so many times n values. */
enum { DCS_PAIRED_ROOM = 10 };

/* a[n] and b[n] are times above 0, in the order they were taken. Consecutive ones with equal
 * block[] are a block, of one pair of processes. A pair gives a log ratio b/a: what outlasts a
 * sample (drift, autocorrelation) is the same in both. The order within each pair is drawn by lot,
 * and what a process has for good is the same in a block; so if the programs are equal, all signs
 * of a block may as well be the other ones, whatever the times do.
 *
 * The test is a signed-rank test of all pairs whose signs are flipped by block (Rosner, Glynn, Lee:
 * The Wilcoxon signed rank test for paired comparisons of clustered data, Biometrics 62, 2006),
 * exact over all flips. Ranks end at a quarter of the pairs: a pair of which one sample was held up
 * counts no more than one that is a bit off. The ratio is the median of all; the interval is what
 * the test at 5% does not reject, to 10^-6; at least 95%.
 *
 * *p is the two-sided probability of ranks at least as far beyond the margin (DCS_CHANGE_MARGIN)
 * when the ratio lies at its end; at least 2^(1 - blocks). NaN, as the interval, below
 * DCS_PAIRED_BLOCKS. room[DCS_PAIRED_ROOM * n] is for the values. */
dcs_ratio dcs_ratio_of_pairs(const double *a, const double *b, const int *block, size_t n,
                             double *room, double *p);

/* Holm's step-down procedure (A simple sequentially rejective multiple test procedure, Scand. J.
 * Statist. 6, 1979): p[n], NaN left out, becomes what each is after the correction: whatever is
 * true of the others, the probability that any true hypothesis falls below a level is at most that
 * level. order[n] is room. */
void dcs_holm(double *p, size_t n, size_t *order);

#endif
