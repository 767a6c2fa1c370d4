/* Times that were taken in pairs, of two programs in turns: their ratio, and what it says. */
#ifndef DCS_PAIRED_H
#define DCS_PAIRED_H

#include "harness/judge/ratio.h"

/* Fewer blocks have no interval. */
enum { DCS_PAIRED_BLOCKS = 6 };

/* a[n] and b[n] are times above 0, in the order they were taken. Consecutive ones with equal
 * block[] are a block, of one pair of processes. A block gives one value, the log ratio of its
 * least times: what a process has for good is the same in a block, what outlasts a block (drift) is
 * the same in both of its sides, and a sample that was held up is not the least. A difference that
 * shows only in some samples does not count: in a block of 4, where each of B's is slower with
 * probability q, the least is with q^4. The order within each pair is drawn by lot; so if the
 * programs are equal, each value has either sign with the same probability, whatever the times do.
 * That is all that Wilcoxon's signed-rank test needs (Lehmann, Nonparametrics, 1975, chapter 3):
 * the ratio is the Hodges-Lehmann estimate, the median of the averages of all two values, and the
 * interval is what the test at 5% does not reject; at least 95%. Exact for up to 64 blocks; for
 * more, by the normal approximation with continuity correction.
 *
 * *p is the two-sided probability of values at least as far beyond the margin (DCS_CHANGE_MARGIN)
 * when the ratio lies at its end; at least 2^(1 - blocks). NaN, as the interval, below
 * DCS_PAIRED_BLOCKS. room[n] is for the values. */
dcs_ratio dcs_ratio_of_pairs(const double *a, const double *b, const int *block, size_t n,
                             double *room, double *p);

/* Holm's step-down procedure (A simple sequentially rejective multiple test procedure, Scand. J.
 * Statist. 6, 1979): p[n], NaN left out, becomes what each is after the correction: whatever is
 * true of the others, the probability that any true hypothesis falls below a level is at most that
 * level. order[n] is room. */
void dcs_holm(double *p, size_t n, size_t *order);

#endif
