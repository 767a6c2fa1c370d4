/* Threads of OpenMP in a process that is another's. */
#ifndef DCS_TEAM_H
#define DCS_TEAM_H

#include "kernels/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/* What `threads` of dcs_mapper_options means here. DCS_USAGE below 0 and above 1024,
 * DCS_UNAVAILABLE where more than one was asked for and there is no OpenMP. */
dcs_status dcs_team_size(int asked, int *threads);

/* Whether OpenMP binds threads to CPUs, as OMP_PROC_BIND or OMP_PLACES asks for. */
bool dcs_team_is_bound(void);

/* pthread_create(), of a thread that may run wherever OpenMP has places: where these bind the
 * calling thread to one, it would be bound to the same. */
int dcs_team_start(pthread_t *thread, void *(*main)(void *), void *data);

/* The calling thread may run there again: its first loop has bound it to the first of them. */
void dcs_team_unbind(void);

/* Runs work(data) with loops of at most so many threads, and returns its status. In a child of
 * fork() the threads that OpenMP keeps for the caller are gone, and loops of several would wait for
 * them without end: there it is run by a new thread, which has none yet. */
dcs_status dcs_team_run(int threads, dcs_status (*work)(void *data), void *data);

#endif
