/* dcsbench generate */
#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/files/file.h"

#include <math.h>
#include <string.h>

enum { N_GENERATED = 4, REPLICATE = N_GENERATED, N_KINDS, REPLICATE_WORDS = 4, REMARK = 512 };

typedef struct {
  const char *kind, *out;
  int64_t atoms, seed;                /* -1: not given */
  double edge;                        /* 0: not given */
  dcs_read_options how;               /* of the file */
  const char *words[REPLICATE_WORDS]; /* behind `replicate`: the file, and the copies each way */
  int n_words;
} arguments;

static const dcs_option options[] = {
    {"atoms", 0, "N", "how many; of water rounded up to whole molecules (3000)",
     DCS_INTEGER(arguments, atoms, 1, DCS_MOST_ATOMS)},
    {"edge", 0, "ANGSTROM",
     "edge of the cubic box (what the density needs); of copies, how far they are apart",
     DCS_NUMBER(arguments, edge, 0.001, 1e6)},
    {"seed", 0, "N", "the same seed gives the same molecule everywhere (1)",
     DCS_INTEGER(arguments, seed, 0, INT64_MAX)},
    {"out", 'o', "FILE", "where to write the PQR (standard output)", DCS_WORD(arguments, out)},
    {0}};

static const char *const kinds[N_KINDS] = {"water", "uniform", "ions", "droplet", "replicate"};

/* Its index; N_KINDS: it is none. */
static int find_kind(const char *text) {
  int kind = 0;
  while (kind < N_KINDS && strcmp(text, kinds[kind]) != 0)
    kind++;
  return kind;
}

/* The kind, or a word behind it. Those behind an unknown one are let pass: it is refused by itself,
 * and more words would not tell what is wrong. */
static bool take_word(char *word, void *values) {
  arguments *a = values;
  if (!a->kind) {
    a->kind = word;
    return true;
  }
  const int kind = find_kind(a->kind);
  if (kind == N_KINDS) return true;
  if (kind != REPLICATE || a->n_words == REPLICATE_WORDS) return false;
  a->words[a->n_words++] = word;
  return true;
}

static dcs_status parse_kind(const char *text, int *kind) {
  *kind = find_kind(text);
  if (*kind < N_KINDS) return DCS_OK;
  char hint[DCS_TEXT];
  return dcs_fail(DCS_USAGE,
                  "generate: found \"%s\"; expected water, uniform, ions, droplet or replicate%s",
                  text, dcs_did_you_mean(text, kinds, N_KINDS, hint));
}

/* Options of a file are of copies alone. */
static dcs_status check_no_file(const arguments *a) {
  const dcs_read_options *how = &a->how;
  const char *option = how->format             ? "--format"
                       : how->model            ? "--model"
                       : how->altloc           ? "--altloc"
                       : how->frame            ? "--frame"
                       : how->orbital          ? "--orbital"
                       : how->n_parameters > 0 ? "--parameters"
                                               : NULL;
  if (!option) return DCS_OK;
  return dcs_fail(DCS_USAGE, "generate %s: %s is of a file; expected it with replicate alone",
                  a->kind, option);
}

static dcs_status generate(int kind, const arguments *a, dcs_molecule *m, char remark[REMARK]) {
  DCS_TRY(check_no_file(a));
  int64_t atoms = a->atoms > 0 ? a->atoms : 3000, seed = a->seed >= 0 ? a->seed : 1;
  snprintf(remark, REMARK, "dcsbench generate %s --atoms %lld --seed %lld", a->kind,
           (long long)atoms, (long long)seed);
  return dcs_generate((dcs_generated)kind, atoms, a->edge, (uint64_t)seed, m);
}

/* ---- copies ---- */

/* How far the copies are apart: as asked, else the file's cell, else the box of the atoms in whole
 * angstrom. *from says which. */
static dcs_status choose_shift(const arguments *a, const dcs_molecule *one, double shift[3],
                               const char **from) {
  bool has_cell = false;
  *from = "--edge";
  for (int axis = 0; axis < 3; axis++)
    shift[axis] = a->edge;
  if (a->edge > 0) return DCS_OK;
  *from = "the file's cell";
  DCS_TRY(dcs_molecule_edges(one, a->words[0], shift, &has_cell));
  if (has_cell) return DCS_OK;
  double lo[3], hi[3];
  *from = "the box of its atoms, rounded up to whole angstrom";
  dcs_molecule_box(one, lo, hi);
  for (int axis = 0; axis < 3; axis++)
    shift[axis] = fmax(ceil(hi[axis] - lo[axis]), 1);
  return DCS_OK;
}

static dcs_status replicate(const arguments *a, dcs_molecule *m, char remark[REMARK]) {
  static const char *const names[3] = {"NX", "NY", "NZ"};
  int64_t copies[3];
  if (a->n_words != REPLICATE_WORDS)
    return dcs_fail(
        DCS_USAGE,
        "generate replicate: found %d words; expected a file with a molecule and the copies in x, "
        "y and z: replicate FILE NX NY NZ",
        a->n_words);
  if (a->atoms >= 0 || a->seed >= 0)
    return dcs_fail(DCS_USAGE, "generate replicate: %s is not for copies: the file has the atoms",
                    a->atoms >= 0 ? "--atoms" : "--seed");
  for (int axis = 0; axis < 3; axis++)
    DCS_TRY(dcs_parse_integer(names[axis], a->words[axis + 1], 1, DCS_MOST_ATOMS, &copies[axis]));
  if (a->out && dcs_is_same_file(a->out, a->words[0]))
    return dcs_fail(DCS_USAGE, "--out %s: it is read, too; expected another name", a->out);
  const dcs_input input = {{a->words[0]}, a->how};
  dcs_molecule one;
  double shift[3];
  const char *from;
  DCS_TRY(dcs_molecule_read(&input, &one, stderr));
  dcs_status status = choose_shift(a, &one, shift, &from);
  if (status == DCS_OK) status = dcs_replicate(&one, copies, shift, m);
  dcs_molecule_free(&one);
  if (status == DCS_OK)
    snprintf(remark, REMARK,
             "dcsbench generate replicate %s %lld %lld %lld\n"
             "copies are %g, %g and %g angstrom apart: %s",
             basename(a->words[0]), (long long)copies[0], (long long)copies[1],
             (long long)copies[2], shift[0], shift[1], shift[2], from);
  return status;
}

/* ---- the command ---- */

static dcs_status write_file(const char *path, const dcs_molecule *m, const char *remark) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  return dcs_file_finish(&file, dcs_pqr_write(file.stream, path, m, remark));
}

dcs_status dcs_command_generate(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "water|uniform|ions|droplet\nreplicate FILE NX NY NZ",
      .doc = "Write a PQR file: TIP3P water at 0.0334 molecules per cubic angstrom, atoms and "
             "charges uniform at random, ions of charge +1 and -1, or a droplet: two thirds of the "
             "water in a ball, the rest around it in ten times the volume. All are neutral. Or NX "
             "x NY "
             "x NZ copies of a file's molecule, side by side: as far apart as --edge says, "
             "else the cell that the file states, else that of its atoms, rounded up to "
             "whole angstrom; the file's REMARK tells.",
      .place = DCS_PLACE(arguments, kind, const char *),
      .words = 1,
      .missing = "the kind is missing: water, uniform, ions, droplet or replicate",
      .take_word = take_word};
  arguments a = {.atoms = -1, .seed = -1};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.read = &a.how}));
  int kind = 0;
  dcs_molecule m;
  char remark[REMARK];
  DCS_TRY(parse_kind(a.kind, &kind));
  dcs_interrupt_release(); /* there is nothing to save yet: an interrupt ends the program */
  if (kind == REPLICATE)
    DCS_TRY(replicate(&a, &m, remark));
  else
    DCS_TRY(generate(kind, &a, &m, remark));
  dcs_interrupt_catch();
  dcs_status status =
      a.out ? write_file(a.out, &m, remark) : dcs_pqr_write(stdout, "standard output", &m, remark);
  dcs_molecule_free(&m);
  return status;
}
