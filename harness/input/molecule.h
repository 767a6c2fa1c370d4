/* A molecule as read or generated: double precision, the file's own coordinates. */
#ifndef DCS_MOLECULE_H
#define DCS_MOLECULE_H

#include "harness/input/basis.h"
#include "harness/input/content.h"
#include "harness/input/force_field.h"

#include <stdio.h>

typedef struct dcs_site {
  double x, y, z; /* angstrom */
  double q;       /* e */
  double radius;  /* angstrom */
} dcs_site;

/* The periodic cell that a file states. */
typedef struct {
  double edge[3];     /* angstrom; all 0: none is stated */
  double angle[3];    /* degrees: alpha, beta, gamma */
  int64_t unreadable; /* the line of a record that could not be read; 0: none */
} dcs_unit_cell;

/* Whether its angles are right ones, to what files in single precision lose. */
bool dcs_cell_is_right(const dcs_unit_cell *cell);

/* What a file says of atoms. */
enum { DCS_PLACES = 1, DCS_CHARGES = 2, DCS_RADII = 4, DCS_ORBITAL = 8 };

/* The name of an atom, without blanks around it and NULs behind it; a longer one is cut. */
typedef struct {
  char text[8];
} dcs_name;
dcs_name dcs_name_of(dcs_slice word);

typedef struct {
  dcs_site *sites;
  int64_t n;
  dcs_name
      *names; /* of the sites, of a topology and while two files are compared; NULL: not known */
  dcs_name *types;  /* of a force field, likewise, where --parameters are given; NULL: not known */
  unsigned gives;   /* DCS_PLACES, ...: the rest of the sites is 0 */
  dcs_basis *basis; /* of the orbital that was read; NULL: none was */
  dcs_unit_cell cell;
  dcs_force_field field;
  uint64_t
      hash; /* of what was read, unpacked, and of what was chosen of it (harness/base/hash.h) */
} dcs_molecule;

void dcs_molecule_free(dcs_molecule *molecule); /* leaves it empty */

/* Sum of the charges, e, added in order with compensation. */
double dcs_molecule_charge(const dcs_molecule *molecule);
int64_t dcs_molecule_zero_charges(const dcs_molecule *molecule);
/* Smallest box that holds every site: lo[3], hi[3]. */
void dcs_molecule_box(const dcs_molecule *molecule, double lo[3], double hi[3]);

enum { DCS_MOST_PARAMETERS = 16 };

/* What is read of a file. */
typedef struct {
  const char *format; /* a name of formats.def, in any case; NULL: known by content */
  int64_t model;      /* the so many-th; 0: the first, and a note says that there are others */
  char altloc;        /* the alternate location; 0: the first of each residue, and a note says so */
  int64_t frame;      /* of a trajectory, from 1; 0: the first */
  int64_t orbital;    /* the so many-th; 0: the highest that is occupied */
  bool names;         /* the names of atoms are wanted where no other file's are compared */
  /* CHARMM's parameters of the atoms' types, n_parameters files: types and bonds are wanted. */
  const char *parameters[DCS_MOST_PARAMETERS];
  int n_parameters;
  bool shape; /* charges are not wanted, but radii, of the elements where no file has any */
} dcs_read_options;

/* What a molecule is read from. */
typedef struct {
  const char *files[2]; /* "-": standard input; NULL: none */
  dcs_read_options how;
} dcs_input;

/* The input that is one file, read as its content says. */
#define DCS_INPUT_FILE(path) (&(const dcs_input){.files = {path}})

/* Reads a file, or a pipe, in a format of formats.def, which is known by its content (the format's
 * file says exactly what is accepted), plain or compressed (content.h); or two, of which one gives
 * charges and the other places of the same atoms (combine.c). With parameters the atoms get a force
 * field. `notes` (may be NULL)
 * receives a line of text for each thing a user should know: atoms left out and why, all charges
 * zero. DCS_INPUT names file, line, what was found and what would be right; DCS_IO when it cannot
 * be read; DCS_USAGE for a format, model or location that is not there. The caller frees. */
dcs_status dcs_molecule_read(const dcs_input *input, dcs_molecule *molecule, FILE *notes);

/* The same of one file that gives charges, whether it gives places or not; the names of its atoms
 * are kept where it has them. */
dcs_status dcs_topology_read(const char *path, const dcs_read_options *how, dcs_molecule *molecule,
                             FILE *notes);

/* The edges of the cell that was read with the molecule, angstrom. Not found: the file `path`
 * states none, or edges of 0 or 1, as where there is no crystal. DCS_INPUT for a record that could
 * not be read, or whose angles are not right ones. */
dcs_status dcs_molecule_edges(const dcs_molecule *molecule, const char *path, double edge[3],
                              bool *found);

/* Where the models of a text end. */
typedef struct {
  int64_t lines; /* of the model so far */
  int64_t last;  /* 0: not known yet, how many it has */
  bool atoms;    /* it has one */
  bool cell;     /* it states one, readable or not */
} dcs_model;
typedef enum { DCS_WITHIN_MODEL, DCS_ENDS_MODEL, DCS_BEHIND_MODEL } dcs_model_line;

/* A format: one line of formats.def. */
typedef struct {
  const char *name; /* "PQR" */
  const char *what; /* by what a file is known, for messages */
  unsigned gives;   /* DCS_PLACES, ... */
  /* A file may have several models: what the next line is, of which `model` is told; all zero at a
   * model's start. NULL: it has one. */
  dcs_model_line (*models)(dcs_slice line, dcs_model *model);
  bool locations; /* atoms may have alternate ones */
  bool frames;    /* a trajectory: one frame of it is read, and the reader gives the hash of it */
  bool orbitals;  /* it has several, of which one is read */
  const char *instead; /* what would do where charges are missing, for messages; NULL: nothing */
  /* Whether a file that begins with these bytes is of the format. */
  bool (*sniff)(dcs_slice head);
  /* Likewise where another file gives the charges (NULL: the same). */
  bool (*sniff_beside)(dcs_slice head);
  /* Reads the content, of which nothing was taken. What dcs_molecule_read() says of molecule and
   * notes holds. After a failure the molecule is freed by the caller. */
  dcs_status (*read)(dcs_content *content, const dcs_read_options *how, dcs_molecule *molecule,
                     FILE *notes);
} dcs_reader;

/* In the order of formats.def. */
extern const dcs_reader *const dcs_readers[];
extern const int dcs_n_readers;

/* The format that a content is known to be; `gives`: of those that give so much (0: any), and where
 * this is places, those that give nothing else first, since charges are elsewhere. DCS_INPUT lists
 * what is known. */
dcs_status dcs_find_reader(dcs_content *content, unsigned gives, const dcs_reader **reader);

/* The formats that are read, for help: "PQR, CSV". Returns text. */
char *dcs_molecule_formats(char *text, size_t size);

/* Writes a PQR in columns that both column and token readers accept; refuses nothing: fields that
 * outgrow their columns are separated by a space. */
dcs_status dcs_pqr_write(FILE *out, const char *path, const dcs_molecule *molecule,
                         const char *remark);

/* Of a molecule that is generated. */
#define DCS_MOST_ATOMS INT64_C(100000000)

/* ---- generated inputs; the same seed gives the same molecule on every machine ---- */

typedef enum { DCS_WATER, DCS_UNIFORM, DCS_IONS, DCS_DROPLET } dcs_generated;

/* `n` atoms: water (TIP3P geometry and charges, 0.0334 molecules per cubic angstrom; n is rounded
 * up to whole molecules), uniform (random places, charges uniform in [-1, 1) shifted to a neutral
 * sum), ions (+1 and -1 alternately, no two closer than 2 angstrom), droplet (two thirds of the
 * water in a ball that is as dense as water, the rest around it, in ten times the volume). The box
 * is a cube from 0 whose edge follows from the density, or `edge` (angstrom) when it is above 0; it
 * is the molecule's cell. */
dcs_status dcs_generate(dcs_generated kind, int64_t n, double edge, uint64_t seed,
                        dcs_molecule *molecule);

/* Whether all its atoms are such water, O, H, H and so on, told by charges and places; the last
 * molecule may lack some. */
bool dcs_is_water(const dcs_molecule *molecule);

/* ---- copies of a molecule ---- */

/* copies[0] x copies[1] x copies[2] copies, each shifted by so much (angstrom) against the one
 * before it; x goes round first. Their cell is as long as all of them. DCS_USAGE for fewer than
 * one, or more than DCS_MOST_ATOMS. */
dcs_status dcs_replicate(const dcs_molecule *one, const int64_t copies[3], const double shift[3],
                         dcs_molecule *many);

#endif
