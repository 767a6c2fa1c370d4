/* How `map` computes one map by the ranks of an MPI job. */
#ifndef DCS_CLI_MAP_RANKS_H
#define DCS_CLI_MAP_RANKS_H

#include "cli/map/slabs.h"
#include "library/workers.h"

/* Of one rank, s. */
typedef struct {
  char host[64];
  int64_t parts;      /* that it computed */
  int64_t most_parts; /* that the job could be cut into */
  int64_t steps;      /* of `steps`: of the job; 0: parts come from a queue */
  int64_t slices;     /* of `steps`: of this rank */
  double preparing_s; /* from the start of the program until there are parts to take */
  double reading_s, computing_s, writing_s;
  double communicating_s, receiving_s;
  double hidden_s; /* of `steps`: that halos were on their way while it computed */
  double wall_s;   /* from the start of the program to the end of its work */
} dcs_rank_times;

/* Collective: computes the map and writes it, where job->path is not NULL. Ranks take slabs from a
 * queue where these have the bits of the whole; else one rank computes it. In a format whose values
 * have known places each rank writes its slabs itself; else rank 0 gathers them: whole where it has
 * the memory (then they are in field->values, which the caller frees), or in their order. The file
 * is that of one process, but for .npy: the same array in Fortran's order. */
dcs_status dcs_map_by_ranks(dcs_workers *workers, dcs_map_job *job, dcs_field *field,
                            dcs_rank_times *times);

/* What `device` means for a rank: of several devices (also cuda:all) every so many-th, as many as
 * the host has ranks, from the rank's place on; where there are more ranks than devices one, its
 * place modulo the devices. One device, or none that is named, stays. Returns text or `device`. */
const char *dcs_rank_device(const dcs_workers *workers, const char *device, char text[DCS_TEXT]);

/* How many threads a map takes (dcs_mapper_options): where ranks of a host may use the same CPUs
 * they share them, unless OMP_NUM_THREADS says otherwise. 0: as for one process. */
int dcs_rank_threads(const dcs_workers *workers);

/* Collective: completes the times, and rank 0 prints them as CSV, a row for each rank. */
dcs_status dcs_print_rank_times(dcs_workers *workers, dcs_rank_times *mine);

#endif
