/* Probes: loops over registers alone that show what the CPU's arithmetic can do at most. One set an
 * instruction set, compiled with the kernels and as they are. They time nothing: harness/ does. */
#ifndef DCS_PROBE_H
#define DCS_PROBE_H

#include "kernels/contract.h"

typedef struct {
  double per_link; /* operations of one link, all lanes together */
  double expected; /* what run() returns, within 1%, when nothing was left out */
  /* Runs `links` links (100 to 50,000: longer float sums lose what is added) and returns a value
   * that depends on all of them. */
  double (*run)(int64_t links);
} dcs_probe_loop;

typedef struct {
  const char *isa; /* portable, avx2, avx512 */
  int lanes;
  bool (*available)(char why[DCS_TEXT]); /* NULL: always */
  /* Evaluations by the instruction mix of the tiled kernel (its shared differences included), with
   * every operand in a register; reciprocal square roots to single precision; fused multiply-adds
   * (a multiply and an add where the instruction set lacks them). */
  dcs_probe_loop evals, rsqrt, fma;
} dcs_probe;

/* The one of the widest instruction set that this machine has and DCS_DISABLE_ISA leaves on. */
const dcs_probe *dcs_probe_widest(void);

/* The one of the instruction set that a CPU variant's code is written for: the value of its
 * parameter `isa`, or what its sources say (kernels/common/rsqrt_ISA.h). NULL: none, it is plain C.
 */
const dcs_probe *dcs_probe_of(const dcs_variant *variant, const dcs_config *config);

/* Runs the loop with `links` links again and again on each of `threads` threads, which start
 * together, until `span_ns` have passed by the clock. *links_per_ns becomes the sum of what each
 * did in its own time: a thread that the system holds up takes nothing from the others, as the
 * kernels' threads, which share tiles, do not wait for one. Returns, of what the loop returned,
 * that furthest from expected. */
double dcs_probe_run(const dcs_probe_loop *loop, int threads, int64_t links, double span_ns,
                     double (*now_ns)(void), double *links_per_ns);

/* a = b + 3 c over n values, split over the threads in contiguous parts: the triad of McCalpin's
 * STREAM. 24 bytes a value, not counting what a cache reads before it writes. */
void dcs_probe_triad(double *a, const double *b, const double *c, int64_t n, int threads);
/* Sets all three, each part by the thread that the triad gives it to. */
void dcs_probe_triad_start(double *a, double *b, double *c, int64_t n, int threads);

#endif
