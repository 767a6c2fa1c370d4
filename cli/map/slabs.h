/* How `map` computes a map and writes it: whole in memory, or in slabs where that is short. */
#ifndef DCS_CLI_MAP_SLABS_H
#define DCS_CLI_MAP_SLABS_H

#include "harness/output/field.h"
#include "library/map_slabs.h"

typedef struct {
  dcs_mapper *mapper;
  const dcs_map_request *request; /* what is computed; NULL: the case */
  dcs_case *c; /* in its stead, of a kind that the library has no requests of: posing empties it */
  const char *path; /* of the map's file; NULL: it is not written */
  const char *units;
  double factor;  /* what 1 of the kind's unit is in these units */
  bool whole;     /* its values are needed in memory */
  double working; /* bytes that its method takes beside the values, of all processes of the host */
  dcs_dims n;
  int64_t atoms;
  dcs_progress progress;
  double computing_ns; /* so far */
  dcs_slab_source slabs;
} dcs_map_job;

/* Poses the request and has field->values computed, which the caller frees; an interrupt meanwhile
 * ends the program. Where they need more memory than there is, field->slabs computes them when
 * they are written, and stderr says so; slabs belong to the job. DCS_UNAVAILABLE where even a slab
 * needs too much, or the values are needed whole, DCS_IO where the disk is too small. */
dcs_status dcs_map_begin(dcs_map_job *job, dcs_field *field);
/* Writes it, tells of the progress, and says what was written where. */
dcs_status dcs_map_write(dcs_map_job *job, dcs_field *field);
void dcs_map_end(dcs_map_job *job);

/* ---- what maps of several ranks need, too (cli/map/ranks.h) ---- */

dcs_status dcs_map_pose(dcs_map_job *job);
/* Slices from..end-1 of the posed map, in its units. */
dcs_status dcs_map_slab(dcs_map_job *job, int64_t from, int64_t end, float *values);
/* Bytes of memory for values of the posed map, its method's working memory in so many processes of
 * this host set aside; sets job->working. */
double dcs_map_memory(dcs_map_job *job, int processes);
/* Writes "1.5 GB are free", of that memory, and beside what it is; returns text. */
char *dcs_map_tell_free(const dcs_map_job *job, double available, char text[128]);
/* Whether so many slices, and what writing takes, have room in `available` bytes of memory. */
bool dcs_map_fits(dcs_dims n, int64_t slices, double available);
/* DCS_IO where the disk has no room for job->path, or for slabs that wait beside it. */
dcs_status dcs_map_check_disk(const dcs_map_job *job, bool slabs);

#endif
