#include "harness/input/combine.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"

#include <inttypes.h>

enum { BOTH = DCS_CHARGES | DCS_PLACES };

/* ---- what files give ---- */

/* The formats that give charges and places, or one of them: "DCD, inpcrd or PDB". */
static const char *formats(unsigned gives, char text[256]) {
  int n = 0, said = 0;
  for (int r = 0; r < dcs_n_readers; r++)
    n += (dcs_readers[r]->gives & BOTH) == gives;
  text[0] = '\0';
  for (int r = 0; r < dcs_n_readers; r++)
    if ((dcs_readers[r]->gives & BOTH) == gives) {
      dcs_append(text, 256, "%s%s",
                 said == 0      ? ""
                 : said + 1 < n ? ", "
                                : " or ",
                 dcs_readers[r]->name);
      said++;
    }
  return text;
}

static const char *path_of(const dcs_part *part) {
  return dcs_content_place(part->content).path;
}

static dcs_status check_one(const dcs_part *part, const dcs_read_options *how) {
  const dcs_reader *reader = part->reader;
  const unsigned lacks = (how->shape ? DCS_PLACES : BOTH) & ~reader->gives;
  char names[256];
  if (!lacks) return DCS_OK;
  return dcs_fail(
      DCS_INPUT,
      "%s: found the format %s, which gives %s and no %s; expected a second file with them "
      "(as another FILE of map or info, or --input twice), %s%s%s",
      path_of(part), reader->name, lacks == DCS_PLACES ? "charges" : "places",
      lacks == DCS_PLACES ? "places" : "charges", formats(lacks, names),
      reader->instead ? ", or " : "", reader->instead ? reader->instead : "");
}

dcs_status dcs_check_parts(const dcs_part *parts, int n, const dcs_read_options *how) {
  char charges[256], places[256];
  if (n == 1) return check_one(&parts[0], how);
  const unsigned twice = parts[0].reader->gives & parts[1].reader->gives & BOTH;
  if (!twice) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "found two files that give %s, %s (%s) and %s (%s); expected one with charges "
                  "alone, %s, and one with places alone, %s; or one file with both",
                  twice & DCS_CHARGES ? "charges" : "places", path_of(&parts[0]),
                  parts[0].reader->name, path_of(&parts[1]), parts[1].reader->name,
                  formats(DCS_CHARGES, charges), formats(DCS_PLACES, places));
}

dcs_status dcs_check_topology(const dcs_part *part) {
  char alone[256], both[256];
  if (part->reader->gives & DCS_CHARGES) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found the format %s, which gives no charges; expected a file that does, "
                  "%s, or %s, and the frames behind it",
                  path_of(part), part->reader->name, formats(DCS_CHARGES, alone),
                  formats(BOTH, both));
}

/* ---- names ---- */

/* Columns of a PDB file cut longer ones. */
static bool is_same(const dcs_name *a, const dcs_name *b) {
  enum { IN_PDB = 4 };
  const size_t m = strnlen(a->text, sizeof a->text), n = strnlen(b->text, sizeof b->text);
  const size_t least = m < n ? m : n;
  return memcmp(a->text, b->text, least) == 0 && (m == n || least == IN_PDB || least == 0);
}

static void compare_names(const dcs_part *charges, const dcs_part *places, FILE *notes) {
  const dcs_name *a = charges->molecule.names, *b = places->molecule.names;
  int64_t differ = 0, first = -1;
  for (int64_t i = 0; a && b && i < places->molecule.n; i++) {
    if (is_same(&a[i], &b[i])) continue;
    if (differ++ == 0) first = i;
  }
  if (differ == 0) return;
  fprintf(notes,
          "%s and %s: %" PRId64 " of %" PRId64
          " atoms have different names, the first %.8s and %.8s "
          "(atom %" PRId64 "); atoms are taken in the files' order\n",
          path_of(charges), path_of(places), differ, places->molecule.n, a[first].text,
          b[first].text, first + 1);
}

/* ---- one molecule ---- */

static dcs_status check_numbers(const dcs_part *charges, const dcs_part *places) {
  const int64_t n = charges->molecule.n, m = places->molecule.n;
  if (n == m) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found %" PRId64 " atoms, but %" PRId64 " in %s; expected the same atoms in "
                  "both",
                  path_of(charges), n, m, path_of(places));
}

dcs_status dcs_combine_parts(dcs_part parts[2], dcs_molecule *whole, FILE *notes) {
  const bool ordered = parts[0].reader->gives & DCS_CHARGES;
  dcs_part *charges = &parts[!ordered], *places = &parts[ordered];
  DCS_TRY(check_numbers(charges, places));
  if (notes) compare_names(charges, places, notes);
  *whole = places->molecule;
  places->molecule = (dcs_molecule){0};
  const bool radii = (charges->molecule.gives & DCS_RADII) || !(whole->gives & DCS_RADII);
  whole->gives |= charges->molecule.gives;
  whole->types = charges->molecule.types;
  whole->field = charges->molecule.field;
  charges->molecule.types = NULL;
  charges->molecule.field = (dcs_force_field){0};
  whole->hash = dcs_hash(charges->molecule.hash, &whole->hash, sizeof whole->hash);
  for (int64_t i = 0; i < whole->n; i++) {
    whole->sites[i].q = charges->molecule.sites[i].q;
    if (radii) whole->sites[i].radius = charges->molecule.sites[i].radius;
  }
  dcs_molecule_free(&charges->molecule);
  return DCS_OK;
}
