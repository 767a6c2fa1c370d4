/* Frames: the places of a molecule's atoms at one moment after another, of one trajectory or of a
 * list of files. Which atoms they are, and their charges, a topology says. */
#ifndef DCS_FRAMES_H
#define DCS_FRAMES_H

#include "harness/input/dcd/trajectory.h"

typedef struct {
  int64_t number;     /* over all files, from 1 */
  double *places;     /* x, y, z of each atom, angstrom: 3 n; the caller's memory */
  dcs_unit_cell cell; /* all 0: none is stated */
} dcs_frame;

/* Of a frame that is taken, what is left to do; all 0 before. dcs_raw_frame_free() at the end. */
typedef struct {
  char *bytes; /* undecoded, or the places */
  size_t room;
  bool undecoded;
  dcs_dcd dcd;
  dcs_shared_file *file; /* held: it is to be read from here, and decoded; NULL: it is read */
} dcs_raw_frame;
void dcs_raw_frame_free(dcs_raw_frame *raw);

/* From 1; last 0: to the end. */
typedef struct {
  int64_t first, last, step;
} dcs_frame_range;

#define DCS_ALL_FRAMES ((dcs_frame_range){1, 0, 1})

/* FIRST:LAST:STEP, each of which may be left out, or N; DCS_USAGE for another text. */
dcs_status dcs_parse_frames(const char *text, dcs_frame_range *range);

typedef struct dcs_frames dcs_frames;

/* The frames of a range (NULL: all) of trajectories (trajectories.def) and of files with one
 * structure or several models (harness/input), one file after the other. `top` says how many atoms
 * there are, and their names; it and the files' names stay the caller's and last as long as the
 * frames. A file that is cut within a frame gives those before it; `notes` (may be NULL) receives a
 * line for that and for what else a user should know, now and while a pipe is read.
 *
 * DCS_INPUT for a file that is wrong, has another number of atoms, or no frame; DCS_USAGE for a
 * range that ends behind the last frame; DCS_UNAVAILABLE where a library is missing that reads the
 * format. */
dcs_status dcs_frames_open(const char *const *files, int n_files, const dcs_molecule *top,
                           const dcs_frame_range *range, FILE *notes, dcs_frames **frames);
void dcs_frames_close(dcs_frames *frames); /* NULL is fine */

/* From now on each frame is moved, turned too, so that the atoms of a selection (selection.h) lie
 * as near as can be to where the first selected frame has them. DCS_USAGE for one that is wrong, or
 * whose atoms lie on a line. */
dcs_status dcs_frames_align(dcs_frames *frames, const char *selection);

/* From now on no frame states a cell: there is another that holds for all. */
void dcs_frames_without_cells(dcs_frames *frames);

/* How many are selected and whole; -1: not known before the end, as of a pipe or of compressed
 * data. */
int64_t dcs_frames_count(const dcs_frames *frames);

/* The next to be read is that of the index, from 0, among the selected; DCS_USAGE for one that
 * there is not. The first is kept in memory; a pipe else goes forward alone. */
dcs_status dcs_frames_seek(dcs_frames *frames, int64_t index);

/* Whether each may be read again. */
bool dcs_frames_go_back(const dcs_frames *frames);

/* Reads the next; *found is false behind the last. One thread at a time uses a source, not always
 * the same. DCS_INPUT for a frame that is wrong, DCS_USAGE for one that the pipe has passed, or
 * where it ends before the range does. */
dcs_status dcs_frames_next(dcs_frames *frames, dcs_frame *frame, bool *found);

/* The same in two steps, of which the second, which is most of the work, is done by any number of
 * threads while others are taken; it needs the frame's memory for places, the first does not. Fail
 * as the one step does. */
dcs_status dcs_frames_take(dcs_frames *frames, dcs_frame *frame, dcs_raw_frame *raw, bool *found);
dcs_status dcs_frames_make(const dcs_frames *frames, dcs_raw_frame *raw, dcs_frame *frame);

/* Whether files are read by who takes their frames, and whether by who makes them, as it is with a
 * DCD file at any place of which reading may begin. */
void dcs_frames_who_reads(const dcs_frames *frames, bool *takes, bool *makes);

/* Of what is read, for who goes on with a computation later: sizes and first bytes of the files,
 * places of the first frame, range, alignment. Names are no part of it. */
uint64_t dcs_frames_hash(const dcs_frames *frames);

#endif
