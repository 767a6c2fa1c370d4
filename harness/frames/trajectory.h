/* One file of frames, and what reads it: a line of trajectories.def. */
#ifndef DCS_TRAJECTORY_H
#define DCS_TRAJECTORY_H

#include "harness/frames/frames.h"

typedef struct dcs_trajectory dcs_trajectory;

/* Functions fail as dcs_frames_open() and dcs_frames_next() do. */
typedef struct {
  const char *name;
  bool cuts;                     /* its frames are known to be whole: compressed data may be cut */
  bool (*sniff)(dcs_slice head); /* whether a file that begins so is of the format; NULL: any */
  /* Gets ready to read the first frame; sets ->state, and ->frames where these can be counted and
   * were not before. After a failure `close` is called, too. */
  dcs_status (*open)(dcs_trajectory *t);
  void (*close)(dcs_trajectory *t);
  /* Passes over frames; *found is false where there are fewer, and ->at says how many. */
  dcs_status (*pass)(dcs_trajectory *t, int64_t frames, bool *found);
  /* Reads places, angstrom, and the cell, which is all 0 before. */
  dcs_status (*next)(dcs_trajectory *t, double *places, dcs_unit_cell *cell, bool *found);
  /* In its place where ->apart: takes the bytes of the frame, or says where they are. */
  dcs_status (*take)(dcs_trajectory *t, dcs_raw_frame *raw, bool *found);
} dcs_trajectory_format;

struct dcs_trajectory {
  const dcs_trajectory_format *format;
  const char *path;
  bool regular; /* a file that can be read again from its start; else a pipe */
  dcs_content *content;
  int64_t n_atoms; /* that a frame must have */
  int64_t frames;  /* that are whole; -1: not known */
  int64_t at;      /* read or passed so far; INT64_MAX: it is of no more use */
  FILE *notes;     /* NULL: none */
  bool apart;      /* frames are taken, and decoded by whom it suits, */
  bool in_place;   /* who then reads them, too */
  void *state;     /* of the format */
};

/* Opens a file that has frames of so many atoms, whichever format it is; `frames`: so many, where
 * that was found before; -1. Gives a hash of its size and first bytes. The caller closes, which
 * NULL is fine for. */
dcs_status dcs_trajectory_open(const char *path, int64_t n_atoms, int64_t frames, FILE *notes,
                               dcs_trajectory **trajectory, uint64_t *hash);
void dcs_trajectory_close(dcs_trajectory *trajectory);

/* Reads to raw->bytes, or takes, the frame `index`, from 0, which none read or passed so far is. */
dcs_status dcs_trajectory_read(dcs_trajectory *trajectory, int64_t index, dcs_frame *frame,
                               dcs_raw_frame *raw, bool *found);

/* DCS_INPUT unless, of the frame behind those read so far, that many atoms are right. */
dcs_status dcs_trajectory_check(const dcs_trajectory *trajectory, int64_t atoms);

#endif
