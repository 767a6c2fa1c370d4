/* What the CPU variants share: the thread parameter, the split of a map over threads, and the
 * detection of instruction sets. */
#ifndef DCS_CPU_H
#define DCS_CPU_H

#include "kernels/contract.h"

/* Atoms whose terms a tiled kernel sums in registers before the sum goes to the map: few enough
 * that what is prepared for them stays in the first-level cache. */
enum { DCS_CPU_BLOCK = 256 };

#ifdef _OPENMP
enum { DCS_CPU_MAX_THREADS = 1024 };
#else
enum { DCS_CPU_MAX_THREADS = 1 };
#endif

/* The first parameter of every CPU variant, for most the only one: config.value[0] is the number of
 * threads. */
#define DCS_CPU_THREADS                                                                            \
  {                                                                                                \
    .name = "threads", .meaning = "threads that share the map; 1 is the sequential baseline",      \
    .lo = 1, .hi = DCS_CPU_MAX_THREADS, .initial = DCS_ALL_CPUS, .tries = dcs_cpu_thread_tries,    \
    .role = DCS_ROLE_THREADS                                                                       \
  }
extern const int dcs_cpu_thread_tries[];
extern const dcs_param dcs_cpu_params[1];

/* Parameters of the variants that sort atoms into cells: the instruction set, an index of kernels,
 * and the edge of cells. */
enum { DCS_CPU_PORTABLE, DCS_CPU_AVX2, DCS_CPU_AVX512 };
#define DCS_CPU_ISA                                                                                \
  {                                                                                                \
    .name = "isa", .meaning = "instruction set", .lo = DCS_CPU_PORTABLE, .hi = DCS_CPU_AVX512,     \
    .initial = DCS_HIGHEST, .labels = dcs_cpu_isas                                                 \
  }
#define DCS_CPU_CELL_EDGE(edge_tries)                                                              \
  {                                                                                                \
    .name = "cell_edge",                                                                           \
    .meaning = "edge of the cells that atoms are sorted into, in tenths of an angstrom", .lo = 5,  \
    .hi = 10000, .initial = 40, .tries = edge_tries                                                \
  }
extern const char *const dcs_cpu_isas[]; /* portable, avx2, avx512 */

/* Descriptor functions that most CPU variants share. */
bool dcs_cpu_applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]);
/* The same where the second parameter is DCS_CPU_ISA. */
bool dcs_cpu_isa_applicable(const dcs_problem *problem, const dcs_config *config,
                            char why[DCS_TEXT]);
dcs_dims dcs_cpu_executed_exactly(const dcs_problem *problem, const dcs_config *config);
int64_t dcs_cpu_longest_sum_all(const dcs_problem *problem, const dcs_config *config);
int64_t dcs_cpu_longest_sum_blocks(const dcs_problem *problem, const dcs_config *config);

/* Computes the units first..end-1 of a map. Units (rows, or tiles of points) are numbered through
 * the whole map and share no point. */
typedef void dcs_cpu_kernel(const dcs_problem *problem, int64_t first, int64_t end, float *map);

/* How threads share the units of a map. */
typedef enum {
  DCS_CPU_EVENLY, /* each thread takes one range, all of a length: for a kernel that passes over all
                     atoms for each range */
  DCS_CPU_GUIDED  /* a thread that is idle takes half of its share of what is left, at least a unit:
                     a thread that is delayed leaves work to the others, to the last unit
                     (Polychronopoulos and Kuck, Guided self-scheduling, IEEE Trans. Computers C-36,
                     1987) */
} dcs_cpu_sharing;

/* Runs the kernel over all units of a map, a contiguous range at a time; with one thread it is
 * called once. Units come slice by slice, as many in each: of a slab (first_slice), those before it
 * are left out. The cells of cutoffs are passed as the problem, which is no slab.
 * The kernel may be compiled for an instruction set that the caller has checked. */
void dcs_cpu_run(const dcs_problem *problem, int threads, dcs_cpu_sharing sharing, int64_t units,
                 dcs_cpu_kernel *kernel, float *map);

/* Whether CPU and operating system support the set and DCS_DISABLE_ISA (a comma-separated list of
 * avx2, avx512) leaves it on. When not, says why. */
bool dcs_cpu_has_avx2(char why[DCS_TEXT]);
bool dcs_cpu_has_avx512(char why[DCS_TEXT]);
/* Whether DCS_DISABLE_ISA names sets alone, or is not set: else what is mistyped would switch off
 * none. */
bool dcs_cpu_disabled_known(void);
/* The same of a value of DCS_CPU_ISA. */
bool dcs_cpu_has_isa(int isa, char why[DCS_TEXT]);

#endif
