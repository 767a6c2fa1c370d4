/* The mean regret of each strategy after so many evaluations, which is how searches are held
 * against those of other tuners. */
#include "tuning/study/study.h"

#include "harness/files/folder.h"

#include <math.h>
#include <stdio.h>

static const int after[] = {10, 30, 100};
enum { N_AFTER = sizeof after / sizeof after[0] };

dcs_study_mean dcs_study_regret(const dcs_study_curves *curves, int evals) {
  const double *regret = curves->regret + (size_t)(evals - 1) * (size_t)curves->seeds;
  const int n = curves->seeds;
  double sum = 0, square = 0;
  for (int s = 0; s < n; s++) /* none found: the slowest, as good as no tuning */
    sum += fmin(regret[s], curves->worst);
  const double mean = sum / n;
  if (n == 1) return (dcs_study_mean){mean, NAN, NAN};
  for (int s = 0; s < n; s++)
    square += pow(fmin(regret[s], curves->worst) - mean, 2);
  const double half = 1.96 * sqrt(square / (n - 1) / n);
  return (dcs_study_mean){mean, fmax(mean - half, 0), mean + half};
}

dcs_status dcs_study_put_regret(dcs_csv *csv, const dcs_replay *replay, const char *strategy,
                                const dcs_study_curves *curves) {
  for (int i = 0; i < N_AFTER && after[i] <= curves->evals; i++) {
    const dcs_study_mean mean = dcs_study_regret(curves, after[i]);
    dcs_subject_put(csv, &replay->recording->subject);
    dcs_csv_integer(csv, replay->space.n);
    dcs_csv_text(csv, strategy);
    DCS_CSV_NUMBERS(csv, after[i], curves->seeds, mean.value, mean.lo, mean.hi);
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

void dcs_study_print_regret(const dcs_study_curves *curves) {
  printf("  %-14s %s\n", "mean regret",
         "after 10, 30 and 100 evaluations, 95% over seeds (none: every seed finds the same)");
  for (int k = 0; k < dcs_n_strategies; k++) {
    printf("  %-14s", dcs_strategies[k].name);
    for (int i = 0; i < N_AFTER && after[i] <= curves[k].evals; i++) {
      const dcs_study_mean mean = dcs_study_regret(&curves[k], after[i]);
      printf(" %8.2f%%", 100 * mean.value);
      if (!isnan(mean.lo)) printf(" (%.2f to %.2f)", 100 * mean.lo, 100 * mean.hi);
    }
    printf("\n");
  }
}
