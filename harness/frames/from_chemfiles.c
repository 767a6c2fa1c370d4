/* Frames of the formats that libchemfiles reads: GROMACS' XTC and TRR, AMBER's NetCDF. */
#include "harness/frames/chemfiles.h"
#include "harness/frames/trajectory.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  const dcs_chemfiles *library;
  void *trajectory, *frame;
} handles;

static dcs_status failed(const dcs_trajectory *t) {
  const handles *h = t->state;
  return dcs_fail(DCS_INPUT, "%s: libchemfiles cannot read it as %s: %s", t->path, t->format->name,
                  h->library->last_error());
}

/* ---- files that are cut ---- */

static void tell_cut(const dcs_trajectory *t) {
  if (t->notes)
    fprintf(t->notes, "%s: frame %" PRId64 " is cut: the file ends in it\n", t->path,
            t->frames + 1);
}

/* It may count a frame more than can be read. */
static void leave_out_cut(dcs_trajectory *t) {
  const handles *h = t->state;
  const int64_t stated = t->frames;
  while (t->frames > 0 &&
         h->library->trajectory_read_step(h->trajectory, (uint64_t)t->frames - 1, h->frame) != 0)
    t->frames--;
  if (t->frames < stated) tell_cut(t);
}

/* A big-endian word of a head. */
static uint64_t word_of(const char *head, int word) {
  uint32_t bits;
  memcpy(&bits, head + 4 * word, sizeof bits);
  return be32toh(bits);
}

static bool is_xtc(dcs_slice head) {
  return head.length >= 4 && memcmp(head.text, "\0\0\x07\xcb", 4) == 0;
}

/* Magic number, atoms, step, time, box, atoms; of few atoms floats, else precision, six bounds, an
 * index, the bytes of what is compressed, and these, filled up to a multiple of 4. */
static uint64_t xtc_bytes(const char *head) {
  enum { HEAD = 14, FEW = 9, COMPRESSED = 22 /* words */ };
  const uint64_t atoms = word_of(head, 1);
  return atoms <= FEW ? 4 * HEAD + 12 * atoms
                      : 4 * (COMPRESSED + 1) + ((word_of(head, COMPRESSED) + 3) & ~UINT64_C(3));
}

static bool is_trr(dcs_slice head) {
  return head.length >= 4 && memcmp(head.text, "\0\0\x07\xc9", 4) == 0;
}

/* Magic number, a text of 12 bytes and its length twice; the bytes of ten blocks, of which the box
 * is the third, places, velocities and forces the last; atoms, step, energies; time and lambda; the
 * blocks. All numbers are of one precision. */
static uint64_t trr_bytes(const char *head) {
  enum { BLOCKS = 6, N_BLOCKS = 10, BOX = 2, PLACES = 7, HEAD = 19 /* words */ };
  const uint64_t atoms = word_of(head, BLOCKS + N_BLOCKS), box = word_of(head, BLOCKS + BOX);
  uint64_t all = 0, vectors = 0;
  for (int b = 0; b < N_BLOCKS; b++) {
    const uint64_t bytes = word_of(head, BLOCKS + b);
    all += bytes;
    if (b >= PLACES && bytes > vectors) vectors = bytes;
  }
  return 4 * HEAD + 2 * (box == 9 * 8 || vectors == 3 * 8 * atoms ? 8 : 4) + all;
}

/* Of both it counts whole frames, and is silent about a head behind them, of XTC about all. */
static dcs_status look_behind(const dcs_trajectory *t, uint64_t (*frame_bytes)(const char *head)) {
  enum { MOST_HEAD = 92 };
  dcs_slice head;
  for (int64_t frame = 0; frame < t->frames; frame++) {
    char bytes[MOST_HEAD] = {0};
    DCS_TRY(dcs_content_peek(t->content, sizeof bytes, &head));
    memcpy(bytes, head.text, head.length);
    DCS_TRY(dcs_content_skip(t->content, frame_bytes(bytes)));
  }
  DCS_TRY(dcs_content_peek(t->content, 1, &head));
  if (head.length > 0) tell_cut(t);
  return DCS_OK;
}

/* ---- the file ---- */

static dcs_status open_file(dcs_trajectory *t) {
  uint64_t frames;
  handles *h = t->state = calloc(1, sizeof *h);
  if (!h) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", t->path);
  if (!t->regular)
    return dcs_fail(DCS_USAGE, "%s: found %s from a pipe; expected a file", t->path,
                    t->format->name);
  const dcs_status status = dcs_chemfiles_open(&h->library);
  if (status != DCS_OK) {
    char why[1024];
    snprintf(why, sizeof why, "%s", dcs_error_message());
    return dcs_fail(status, "%s: %s files are read by libchemfiles: %s", t->path, t->format->name,
                    why);
  }
  h->trajectory = h->library->trajectory_with_format(t->path, 'r', t->format->name);
  h->frame = h->library->frame();
  if (!h->trajectory || !h->frame) return failed(t);
  if (t->frames >= 0) return DCS_OK;
  if (h->library->trajectory_nsteps(h->trajectory, &frames) != 0) return failed(t);
  t->frames = (int64_t)frames;
  leave_out_cut(t);
  if (t->frames < (int64_t)frames) return DCS_OK; /* it has been told */
  return t->format->sniff == is_xtc   ? look_behind(t, xtc_bytes)
         : t->format->sniff == is_trr ? look_behind(t, trr_bytes)
                                      : DCS_OK;
}

static void close_file(dcs_trajectory *t) {
  handles *h = t->state;
  if (h && h->trajectory) h->library->trajectory_close(h->trajectory);
  if (h && h->frame) h->library->free(h->frame);
  free(h);
}

static dcs_status pass(dcs_trajectory *t, int64_t frames, bool *found) {
  *found = t->at + frames < t->frames;
  t->at = *found ? t->at + frames : t->frames;
  return DCS_OK;
}

static dcs_status read_cell(const dcs_trajectory *t, dcs_unit_cell *cell) {
  const handles *h = t->state;
  void *from = h->library->cell_from_frame(h->frame);
  if (!from) return failed(t);
  const int bad =
      h->library->cell_lengths(from, cell->edge) || h->library->cell_angles(from, cell->angle);
  const double *edge = cell->edge; /* one of 0 beside others is no absence */
  if (edge[0] == 0 && edge[1] == 0 && edge[2] == 0) *cell = (dcs_unit_cell){0};
  h->library->free(from);
  return bad ? failed(t) : DCS_OK;
}

/* Of a frame without places, as of velocities or forces alone, it makes places of 0. */
static dcs_status check_places(const dcs_trajectory *t, double (*at)[3], uint64_t n) {
  for (uint64_t a = 0; a < n; a++)
    if (n < 2 || at[a][0] != 0 || at[a][1] != 0 || at[a][2] != 0) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found no places in frame %" PRId64
                  ", as where it is of velocities or forces "
                  "alone; expected them: --frames FIRST:LAST:STEP takes those that have some",
                  t->path, t->at + 1);
}

static dcs_status next(dcs_trajectory *t, double *places, dcs_unit_cell *cell, bool *found) {
  const handles *h = t->state;
  double(*at)[3];
  uint64_t n;
  *found = t->at < t->frames;
  if (!*found) return DCS_OK;
  if (h->library->trajectory_read_step(h->trajectory, (uint64_t)t->at, h->frame) != 0 ||
      h->library->frame_positions(h->frame, &at, &n) != 0)
    return failed(t);
  DCS_TRY(dcs_trajectory_check(t, (int64_t)n));
  DCS_TRY(check_places(t, at, n));
  memcpy(places, at, (size_t)n * sizeof *at);
  return read_cell(t, cell);
}

/* ---- formats ---- */

/* What a file follows stands in its header. */
static bool is_netcdf(dcs_slice head, const char *conventions) {
  return (dcs_starts_with(head, "CDF\1") || dcs_starts_with(head, "CDF\2")) &&
         memmem(head.text, head.length, conventions, strlen(conventions));
}

static bool is_amber(dcs_slice head) {
  return is_netcdf(head, "AMBER") && !is_netcdf(head, "AMBERRESTART");
}

static bool is_amber_restart(dcs_slice head) {
  return is_netcdf(head, "AMBERRESTART");
}

#define FORMAT(id, text, sniffs)                                                                   \
  const dcs_trajectory_format dcs_trajectory_##id = {.name = (text),                               \
                                                     .sniff = (sniffs),                            \
                                                     .open = open_file,                            \
                                                     .close = close_file,                          \
                                                     .pass = pass,                                 \
                                                     .next = next}
FORMAT(xtc, "XTC", is_xtc);
FORMAT(trr, "TRR", is_trr);
FORMAT(netcdf, "Amber NetCDF", is_amber);
FORMAT(netcdf_restart, "Amber Restart", is_amber_restart);
