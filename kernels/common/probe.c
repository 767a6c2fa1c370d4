/* The probes of all instruction sets; see kernels/common/probe.h. */
#include "kernels/common/probe.h"

#include <math.h>
#include <string.h>

extern const dcs_probe dcs_probe_portable, dcs_probe_avx2, dcs_probe_avx512;

const dcs_probe *dcs_probe_widest(void) {
  static const dcs_probe *const widest_first[] = {&dcs_probe_avx512, &dcs_probe_avx2};
  char why[DCS_TEXT];
  for (int p = 0; p < 2; p++)
    if (widest_first[p]->available(why)) return widest_first[p];
  return &dcs_probe_portable;
}

/* "avx2"; NULL: it is written for none. Of several in the sources, `isa` chooses. */
static const char *isa_of(const dcs_variant *variant, const dcs_config *config) {
  static const char before[] = "kernels/common/rsqrt_";
  const int isa = dcs_find_param(variant, "isa");
  if (isa >= 0)
    return variant->params[isa].labels[(int)(config->value[isa] - variant->params[isa].lo)];
  for (const char *const *path = variant->sources; *path; path++)
    if (strncmp(*path, before, sizeof before - 1) == 0) return *path + sizeof before - 1;
  return NULL;
}

const dcs_probe *dcs_probe_of(const dcs_variant *variant, const dcs_config *config) {
  static const dcs_probe *const all[] = {&dcs_probe_portable, &dcs_probe_avx2, &dcs_probe_avx512};
  const char *isa = isa_of(variant, config);
  for (int p = 0; isa && p < 3; p++)
    if (strncmp(isa, all[p]->isa, strcspn(isa, ".")) == 0) return all[p];
  return NULL;
}

double dcs_probe_run(const dcs_probe_loop *loop, int threads, int64_t links, double span_ns,
                     double (*now_ns)(void), double *links_per_ns) {
  double worst = loop->expected, rate = 0;
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
  {
    double own = loop->expected, start, end;
    int64_t done = 0;
#ifdef _OPENMP
#pragma omp barrier
#endif
    start = now_ns();
    do {
      double found = loop->run(links);
      if (!(fabs(found - loop->expected) <= fabs(own - loop->expected))) own = found;
      done += links;
      end = now_ns();
    } while (end - start < span_ns);
#ifdef _OPENMP
#pragma omp critical(dcs_probe)
#endif
    {
      rate += (double)done / (end - start);
      if (!(fabs(own - loop->expected) <= fabs(worst - loop->expected))) worst = own;
    }
  }
  *links_per_ns = rate;
  return worst;
}

void dcs_probe_triad(double *a, const double *b, const double *c, int64_t n, int threads) {
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#endif
  for (int64_t i = 0; i < n; i++)
    a[i] = b[i] + 3.0 * c[i];
}

void dcs_probe_triad_start(double *a, double *b, double *c, int64_t n, int threads) {
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#endif
  for (int64_t i = 0; i < n; i++) {
    a[i] = 0;
    b[i] = 1;
    c[i] = 2;
  }
}
