/* What this process may use of the machine. */
#ifndef DCS_MACHINE_H
#define DCS_MACHINE_H

#include <stdint.h>

/* CPUs: its affinity, and the quotas that its control groups (version 1 or 2, that of a job and
 * those around it) had when first asked for, rounded up. */
int dcs_cpus(void);

/* Threads that a loop without a number of its own shall take: what OpenMP was told for this thread
 * (OMP_NUM_THREADS), at most the CPUs; 1 within a caller's parallel region and without OpenMP. */
int dcs_loop_threads(void);

/* Bytes of memory that can still be had: what the kernel reports as available, within the limits of
 * the control groups and of the process (ulimit). */
int64_t dcs_available_memory(void);

/* As many bytes as leave nothing else in the caches of these CPUs once each has written its part.
 */
int64_t dcs_flush_bytes(void);

enum { DCS_LINE = 1024 };

/* What stands behind `before` in the first line that begins with it, of a file of the system's; ""
 * where there is none. Returns text. */
char *dcs_system_line(const char *path, const char *before, char text[DCS_LINE]);

#endif
