/* What a method cannot be faster than: each thing that it needs, taken alone at its full rate. */
#include "harness/explain/subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name;
  double seconds; /* NaN: unknown */
  char text[DCS_TEXT];
} bound;

enum { MOST = 8 };

typedef struct {
  bound list[MOST];
  int n;
} bounds;

static void add(bounds *all, const char *name, double seconds, const char *how, double rate) {
  if (!(seconds > 0) || all->n == MOST) return;
  bound *b = &all->list[all->n++];
  *b = (bound){.name = name, .seconds = seconds};
  snprintf(b->text, sizeof b->text, how, rate);
}

/* Evaluations that take time: all executed ones, of which the useful are a part. NaN where another
 * algorithm than the direct one computes: what it does instead follows from the inputs. */
static double worked(const dcs_subject *s) {
  if (s->variant->algorithm && s->variant->candidates) return NAN;
  return isnan(s->executed) ? s->useful : s->executed;
}

/* Instructions of the inner loop on units that serve so many threads of an SM in a cycle, the SM
 * with the most blocks being the last. */
static void add_pipe(bounds *all, const dcs_subject *s, const char *name, int instructions,
                     int per_cycle) {
  const double threads = instructions * worked(s) / s->evals;
  if (per_cycle == 0 || instructions == 0) return;
  add(all, name, threads / per_cycle / s->sms / s->clock_hz * s->waves.imbalance,
      "inner loop at %.0f threads a cycle and SM", per_cycle);
}

/* Of PTX only what the assembler leaves as it is: moves and conversions come and go. */
static void add_pipes(bounds *all, const dcs_subject *s) {
  const dcs_capability *c = s->capability;
  const int *n = s->loop.count;
  int memory = 0;
  for (int p = DCS_PIPE_LOAD_GLOBAL; p <= DCS_PIPE_ATOMIC; p++)
    memory += n[p];
  add_pipe(all, s, "sfu", n[DCS_PIPE_SFU], c->sfu);
  add_pipe(all, s, "fp32", n[DCS_PIPE_FP32] + (s->listing.machine ? n[DCS_PIPE_IMAD] : 0), c->fp32);
  if (s->listing.machine) {
    add_pipe(all, s, "integer", n[DCS_PIPE_INTEGER], c->integer);
    add_pipe(all, s, "load_store", memory, c->load_store);
    add_pipe(all, s, "issue", s->loop.instructions, 32 * DCS_SM_SCHEDULERS);
  }
}

/* Without code: the measured limits of the machine, for the operations as they are written. */
static void add_measured_limits(bounds *all, const dcs_subject *s, const char *cpus) {
  const double limit = dcs_limit_for(s->request->facts, s->request->method);
  char key[64];
  snprintf(key, sizeof key, "limit_%s_fma_per_s", cpus);
  const double fma = dcs_explain_fact(s, key);
  add(all, "evals", worked(s) / limit, "were all done by the units of the measured limit: %.4g/s",
      limit);
  if (s->variant->limit) return; /* its operations are another unit's */
  add(all, "fma", worked(s) * s->flops / (2 * fma), "were all operations FMAs: %.4g FMAs/s", fma);
}

static void find_bounds(const dcs_subject *s, bounds *all) {
  const bool gpu = s->variant->backend == DCS_GPU;
  const int threads = dcs_role_value(s->variant, s->config, DCS_ROLE_THREADS, 1);
  const char *name = gpu ? "gpu" : threads == 1 ? "cpu_1" : "cpu_all";
  char key[64];
  if (gpu && s->sms == 0) return;
  if (gpu && s->compiled && !isnan(s->evals))
    add_pipes(all, s);
  else
    add_measured_limits(all, s, name);
  snprintf(key, sizeof key, "limit_%s_memory_bytes_per_s", name);
  const double rate = dcs_explain_fact(s, key);
  add(all, "memory", s->bytes / rate, "main memory at the measured %.4g bytes/s", rate);
}

/* Of a variant that has a limit of its own, whether that was measured. */
static bool limit_is_known(const dcs_subject *s) {
  return !s->variant->limit || !isnan(dcs_limit_for(s->request->facts, s->request->method));
}

void dcs_explain_bounds(dcs_subject *s) {
  bounds all = {.n = 0};
  const bound *binds = NULL;
  find_bounds(s, &all);
  for (int b = 0; b < all.n; b++) {
    dcs_explain_add(s, "limits", all.list[b].name, 1e3 * all.list[b].seconds, "ms", "%s",
                    all.list[b].text);
    if (!binds || all.list[b].seconds > binds->seconds) binds = &all.list[b];
  }
  if (!binds || !limit_is_known(s)) {
    dcs_explain_add(s, "limits", "binds", NAN, "ms",
                    binds ? "unknown: %s was not measured"
                          : "unknown: rates of the machine are not known",
                    s->variant->limit);
    return;
  }
  s->least_s = binds->seconds;
  dcs_explain_add(s, "limits", "binds", 1e3 * binds->seconds, "ms",
                  s->compiled ? "%s: it cannot be faster, %.4g %s/s at most"
                              : "%s: %.4g %s/s, by measured limits of the machine",
                  binds->name, s->useful / binds->seconds, s->size.kind->eval);
}
