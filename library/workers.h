/* The processes that compute one job together: this one alone, or the ranks of an MPI job.
 *
 * The job is cut into parts 0..n-1 (blocks of frames, slabs of a map). Whoever is idle takes the
 * next; what a part comes to goes to rank 0, in whatever order. Ranks other than 0 print nothing
 * and write no results of their own. A function that is said to be collective is called by all
 * ranks, in the same order. */
#ifndef DCS_WORKERS_H
#define DCS_WORKERS_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { DCS_MAX_PIECES = 4 };
enum { DCS_PARTS_END = -1, DCS_PART_LATER = -2 };

typedef struct {
  int64_t n;
  /* Of rank 0: whether nobody is to compute the part, asked before any is taken; NULL: all are. */
  bool (*done)(const void *with, int64_t part);
  /* How many parts beyond those that rank 0 has passed() may be taken: who computes fast waits for
   * who is slow, and rank 0 holds no more than these. 0: any */
  int64_t ahead;
  /* On rank 0, one call at a time, on any thread: takes what a part came to, cut as it was given.
   * The pieces are its own until it returns. */
  dcs_status (*deliver)(void *with, int64_t part, const struct iovec *pieces, int n_pieces);
  void *with;
} dcs_parts;

/* What a rank and its neighbours, the ranks before and behind it, send each other: `slices` of
 * `floats` each, one behind the other. [0]: with the rank before; NULL: there is none. */
typedef struct {
  const float *sent[2];
  float *received[2];
  int slices;
  int64_t floats;
} dcs_halos;

typedef struct dcs_workers {
  int rank, size;             /* this process, from 0; how many there are */
  int local_rank, local_size; /* the same of this host: a rank's card is local_rank modulo cards */
  char host[64];              /* "" where nobody asked */
  double begun_ns;            /* when the last begin() returned, by dcs_now_ns() */
  int64_t left;               /* parts that were not done then; INT64_MAX: nobody knows */
  double communicating_s;     /* what take, give, put and finish spent within MPI so far */
  double receiving_s;         /* of rank 0, beside: receiving and delivering the parts of others */

  /* Collective. Holds `hash`, of what each rank has read, against rank 0's, and gives all of them
   * rank 0's text (a method: bits must not depend on who computes). DCS_INPUT names a rank whose
   * hash is another; where a rank failed before, all get its status and message. */
  dcs_status (*agree)(struct dcs_workers *, uint64_t hash, char *text, size_t size);
  /* Collective: from now on parts are taken and given, by any thread. Of `parts` rank 0's counts;
   * what it points at stays until finish. */
  dcs_status (*begin)(struct dcs_workers *, const dcs_parts *parts);
  /* The next part, ascending; DCS_PARTS_END: there are no more; DCS_PART_LATER: rank 0 has no room
   * for it yet, ask again in a millisecond. Waits for nobody. A failure is of rank 0's deliver().
   */
  dcs_status (*take)(struct dcs_workers *, int64_t *part);
  /* Has rank 0 take what a part came to. The pieces may be used again when it returns. */
  dcs_status (*give)(struct dcs_workers *, int64_t part, const struct iovec *pieces, int n_pieces);
  /* On rank 0: parts before this one take no memory any more. */
  void (*passed)(struct dcs_workers *, int64_t part);
  /* Collective: returns on rank 0 when all parts were delivered. */
  dcs_status (*finish)(struct dcs_workers *);
  /* Collective: what each rank has to say, `bytes` of the same length, goes to all[size] of rank 0.
   */
  dcs_status (*gather)(struct dcs_workers *, const void *mine, size_t bytes, void *all);

  /* NULL where this process is alone. Begins to send and to receive; both are under way until
   * halos_there() has said true, which looks and waits for nobody, or halos_wait() returned. */
  dcs_status (*halos_begin)(struct dcs_workers *, const dcs_halos *halos);
  bool (*halos_there)(struct dcs_workers *);
  void (*halos_wait)(struct dcs_workers *);

  /* One file that all ranks write parts of; open is NULL where there is no such thing. Opening and
   * closing are collective. Rank 0 has made the file, and its path counts. */
  dcs_status (*open)(struct dcs_workers *, const char *path);
  dcs_status (*put)(struct dcs_workers *, int64_t offset, const void *bytes, size_t n);
  dcs_status (*close)(struct dcs_workers *);

  /* Says why this process, and with it the job, ends. */
  void (*tell)(struct dcs_workers *, dcs_status status);
} dcs_workers;

/* This process alone: what is given is delivered at once, by the thread that gives it. */
dcs_workers *dcs_alone(void);

#endif
