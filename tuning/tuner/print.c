#include "tuning/tuner/tuner.h"

#include "tuning/search/subject.h"

#include <math.h>
#include <stdio.h>

void dcs_print_space(const dcs_space *space, const dcs_size *size) {
  const dcs_variant *variant = space->variant;
  char text[DCS_TEXT];
  printf("%s on %s: %d legal configuration%s of %lld\n", variant->id, dcs_size_text(size, text),
         space->n, space->n == 1 ? "" : "s", (long long)space->n_all);
  for (int p = 0; p < variant->n_params; p++) {
    printf("  %-12s", variant->params[p].name);
    for (int v = 0; v < space->n_values[p]; v++)
      printf(" %s", dcs_format_value(&variant->params[p], space->values[p][v], text));
    printf("\n");
  }
  for (int r = 0; r < space->n_reasons; r++)
    printf("not legal: %d%s%s\n", space->reasons[r].n,
           space->reasons[r].n > 1 ? ", such as: " : ": ", space->reasons[r].why);
}

void dcs_print_search(const dcs_search *search, const char *strategy) {
  int outcomes[DCS_N_OUTCOMES] = {0};
  for (int c = 0; c < search->space->n; c++)
    if (search->known[c].known) outcomes[search->known[c].outcome]++;
  printf("%s: %lld evaluation%s by strategy %s; known now: %d of %d configuration%s",
         search->space->variant->id, (long long)search->n_evals, search->n_evals == 1 ? "" : "s",
         strategy, search->n_known, search->space->n, search->space->n == 1 ? "" : "s");
  for (int o = 0; o < DCS_N_OUTCOMES; o++)
    if (outcomes[o]) printf(", %d %s", outcomes[o], dcs_outcome_name((dcs_outcome)o));
  printf("\n");
}

/* Medians of what the samples took. */
static dcs_spent medians(const dcs_evaluation *e) {
  double room[2][DCS_PREVIOUS_SAMPLES];
  const int n = e->n < DCS_PREVIOUS_SAMPLES ? e->n : DCS_PREVIOUS_SAMPLES;
  for (int i = 0; i < n; i++) {
    const dcs_spent spent = dcs_evaluation_spent(e, i);
    room[0][i] = spent.time_ns;
    room[1][i] = spent.energy_j;
  }
  return (dcs_spent){dcs_summarize(room[0], (size_t)n).median,
                     dcs_summarize(room[1], (size_t)n).median};
}

static char *energy_cell(const dcs_subject *subject, double energy_j, char cell[32]) {
  char number[24] = "";
  if (!isnan(energy_j)) snprintf(number, sizeof number, "%.4g", energy_j);
  snprintf(cell, 32, *subject->objective ? "%10s " : "", number);
  return cell;
}

static const double MINUTE_S = 60;

void dcs_print_winner(const dcs_space *space, const dcs_winner *w, const dcs_subject *subject,
                      double took_s) {
  char text[DCS_TEXT], joules[32];
  printf("the best once more, in interleaved rounds over %.3g s, each in processes of its own:\n",
         took_s);
  if (w->n > 1 && took_s < MINUTE_S)
    printf("how the machine changes within minutes is in no interval of %.3g s: --last SECONDS\n",
           took_s);
  printf("   %12s %12s %s%17s %6s %8s %5s  %s\n", "median ms", "10^9 evals/s",
         *subject->objective ? "         J " : "",
         *subject->objective ? "to best 95%" : "time to best 95%", "n", "padding", "regs",
         "configuration");
  for (int f = 0; f < w->n; f++) {
    const dcs_finalist *e = &w->list[f];
    const dcs_spent spent = medians(e->fresh);
    char ratio[64] = "", registers[16] = "";
    if (f > 0 && !isnan(e->ratio.lo))
      snprintf(ratio, sizeof ratio, "%.4f..%.4f", e->ratio.lo, e->ratio.hi);
    if (e->registers >= 0) snprintf(registers, sizeof registers, "%d", e->registers);
    printf(" %c %12.4f %12.4g %s%17s %6zu %7.1f%% %5s  %s\n", e->tied ? '=' : ' ',
           1e-6 * spent.time_ns, subject->work / spent.time_ns,
           energy_cell(subject, spent.energy_j, joules), ratio, e->fresh->stats.n,
           100 * e->overhead, registers,
           dcs_format_config(space->variant, &space->configs[e->config], text));
  }
  if (w->n_tied > 1)
    printf("the %d marked = cannot be told apart; picked: %s\n", w->n_tied, w->reason);
  if (*subject->objective) printf("least %s: ", subject->objective);
  printf("%s %s\n", space->variant->id,
         dcs_format_config(space->variant, &space->configs[w->list[w->pick].config], text));
}

void dcs_print_previous(const dcs_tuned_entry *previous, const dcs_evaluation *now) {
  const double work = previous->subject.work;
  char config[DCS_TEXT];
  dcs_format_config(previous->subject.variant, &previous->config, config);
  printf("the time of %.10s, %s, ", previous->time.date, config);
  if (now->outcome != DCS_OUTCOME_OK || now->n == 0) {
    printf("does not hold: %s\n", dcs_outcome_name(now->outcome));
    return;
  }
  const double median_ns = medians(now).time_ns;
  double times[DCS_PREVIOUS_SAMPLES];
  const int n = now->n < DCS_PREVIOUS_SAMPLES ? now->n : DCS_PREVIOUS_SAMPLES;
  for (int i = 0; i < n; i++)
    times[i] = dcs_evaluation_spent(now, i).time_ns;
  dcs_sort_values(times, (size_t)n);
  dcs_recheck check = dcs_recheck_times(&previous->time, times, (size_t)n);
  static const char *const says[DCS_N_PREVIOUS_VERDICTS] = {"holds", "has changed",
                                                            "has perhaps changed"};
  printf("%s: %.4g evaluations/s then, %.4g now (%+.1f%%)\n", says[check.verdict],
         1e9 * work / previous->time.median_ns, 1e9 * work / median_ns, 100 * check.change);
  if (check.verdict != DCS_PREVIOUS_HOLDS)
    printf("what the journal holds may be as old; with a new file for --journal everything is "
           "measured anew\n");
}

void dcs_print_replay(const dcs_replay *replay, const dcs_search *search, const char *strategy) {
  const dcs_subject *s = &replay->recording->subject;
  int best = dcs_search_best(search), true_best = 0;
  char text[DCS_TEXT];
  for (int c = 1; c < replay->space.n; c++)
    if (dcs_replay_truth(replay, c) < dcs_replay_truth(replay, true_best)) true_best = c;
  if (*dcs_size_text(&s->size, text)) printf("%s, ", text);
  printf("%s%s", s->machine, *s->machine ? ", " : "");
  if (*s->objective) printf("least %s, ", s->objective);
  dcs_print_search(search, strategy);
  if (best < 0) return; /* the counts above tell */
  printf("found %s: %.2f%% %s the best recorded",
         dcs_format_config(s->variant, &replay->space.configs[best], text),
         100 * (dcs_replay_truth(replay, best) / dcs_replay_truth(replay, true_best) - 1),
         *s->objective ? "above" : "slower than");
  printf(", %s\n", dcs_format_config(s->variant, &replay->space.configs[true_best], text));
}
