/* DCD trajectories, frame after frame: see trajectory.c for what is accepted. */
#ifndef DCS_DCD_TRAJECTORY_H
#define DCS_DCD_TRAJECTORY_H

#include "harness/input/molecule.h"

typedef struct {
  dcs_content *content; /* NULL of a frame that was taken */
  const char *path;     /* for messages */
  dcs_slice taken;      /* of a frame: what of its bytes is not yet decoded */
  bool swapped;         /* of the other byte order */
  bool wide;            /* record markers of 64 bits */
  bool has_cell;        /* a record with the cell before each frame */
  bool has_fourth;      /* and one with a fourth dimension behind it */
  bool cut;             /* the file was seen to end within a record, or before one */
  int64_t n_atoms, n_fixed;
  int64_t n_stated; /* frames, as the header has it; programs leave it 0 until they end */
  int64_t frame;    /* frames read or passed so far */
  uint64_t at;      /* bytes of them and of the header */
  int32_t *moving;  /* of n_fixed > 0: the atoms, from 0, that frames behind the first hold */
  /* Of the frame read last: x, y and z of all atoms, angstrom, all finite, and its cell. */
  float *places[3];
  dcs_unit_cell cell;
} dcs_dcd;

/* Whether a file that begins so is one. */
bool dcs_is_dcd(dcs_slice head);

/* Reads the header. DCS_INPUT names the byte, what was found and what would be right. No memory is
 * taken before the file has shown that it is needed. The caller closes, whatever the status; the
 * content stays its own. */
dcs_status dcs_dcd_open(dcs_content *content, dcs_dcd *dcd);
void dcs_dcd_close(dcs_dcd *dcd);

/* Reads the next frame in a few large pieces; *found is false at the end of the file. DCS_INPUT for
 * a frame that is cut, or whose records are not as the header says. */
dcs_status dcs_dcd_next(dcs_dcd *dcd, bool *found);
/* The same in two steps where no atoms are fixed. The first copies the next frame's bytes to
 * memory of the caller's, which it makes larger with realloc() where need be; the second gives x, y
 * and z of each atom, and takes any thread. `frame` lasts as long as the bytes and the file's name.
 */
dcs_status dcs_dcd_take(dcs_dcd *dcd, char **bytes, size_t *room, dcs_dcd *frame, bool *found);
dcs_status dcs_dcd_decode(const dcs_dcd *frame, double *places, dcs_unit_cell *cell);
/* And the next frame in one step, which leaves `dcd` as it is: any number of threads read frames of
 * one file at once (blocks.c). No atoms are fixed here either. DCS_IO where it cannot be read.
 */
dcs_status dcs_dcd_read(const dcs_dcd *dcd, const dcs_shared_file *file, double *places,
                        dcs_unit_cell *cell);
/* Passes over frames of a file of so many bytes, and reads nothing; returns how many there were. */
int64_t dcs_dcd_leap(dcs_dcd *dcd, uint64_t bytes, int64_t frames);
/* Passes over frames, by one seek where the file is no pipe; where atoms are fixed the first is
 * read, which the others need. *found is false where there are fewer. */
dcs_status dcs_dcd_pass(dcs_dcd *dcd, int64_t frames, bool *found);

/* The cell that the six numbers of a frame mean (dcd.c). */
dcs_unit_cell dcs_dcd_cell(const double value[6]);

/* The bytes of the next frame. */
size_t dcs_dcd_frame_bytes(const dcs_dcd *dcd);
/* The whole frames of a file of so many bytes, and what is left over. */
int64_t dcs_dcd_frames(const dcs_dcd *dcd, uint64_t bytes, uint64_t *left);

/* Writes a line for a frame, from 1, in which the file ends; and, where the length is known, what
 * it says of the frames. */
void dcs_dcd_tell_cut(const dcs_dcd *dcd, int64_t frame, FILE *notes);
void dcs_dcd_tell(const dcs_dcd *dcd, FILE *notes);

#endif
