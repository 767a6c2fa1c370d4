#include "harness/input/element.h"

#include <strings.h>

typedef struct {
  const char *symbol;
  double radius; /* angstrom */
} element;

#define METAL 2.0

static const element elements[] = {
    {"H", 1.20},   {"D", 1.20},   {"He", 1.40},  {"Li", 1.82}, {"Be", METAL}, {"B", METAL},
    {"C", 1.70},   {"N", 1.55},   {"O", 1.52},   {"F", 1.47},  {"Ne", 1.54},  {"Na", 2.27},
    {"Mg", 1.73},  {"Al", METAL}, {"Si", 2.10},  {"P", 1.80},  {"S", 1.80},   {"Cl", 1.75},
    {"Ar", 1.88},  {"K", 2.75},   {"Ca", METAL}, {"V", METAL}, {"Cr", METAL}, {"Mn", METAL},
    {"Fe", METAL}, {"Co", METAL}, {"Ni", 1.63},  {"Cu", 1.40}, {"Zn", 1.39},  {"Ga", 1.87},
    {"As", 1.85},  {"Se", 1.90},  {"Br", 1.85},  {"Kr", 2.02}, {"Rb", METAL}, {"Sr", METAL},
    {"Mo", METAL}, {"Ru", METAL}, {"Pd", 1.63},  {"Ag", 1.72}, {"Cd", 1.58},  {"In", 1.93},
    {"Sn", 2.17},  {"Te", 2.06},  {"I", 1.98},   {"Xe", 2.16}, {"Cs", METAL}, {"Ba", METAL},
    {"W", METAL},  {"Pt", 1.75},  {"Au", 1.66},  {"Hg", 1.55}, {"Tl", 1.96},  {"Pb", 2.02},
    {"U", 1.86}};

double dcs_element_radius(dcs_slice symbol) {
  for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++)
    if (strlen(elements[e].symbol) == symbol.length &&
        strncasecmp(elements[e].symbol, symbol.text, symbol.length) == 0)
      return elements[e].radius;
  return 0;
}

/* ---- PDB ---- */

enum { NAME = 13, NAME_END = 16, RESIDUE = 18, RESIDUE_END = 21, SYMBOL = 77, SYMBOL_END = 78 };

/* Amino acids and nucleotides have elements of one letter alone, wherever a name begins. */
static bool is_of_chain(dcs_slice residue) {
  static const char *const names[] = {"ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS",
                                      "ILE", "LEU", "LYS", "MET", "PHE", "PRO", "SER", "THR", "TRP",
                                      "TYR", "VAL", "HSD", "HSE", "HSP", "HID", "HIE", "HIP", "CYX",
                                      "CYM", "ASH", "GLH", "LYN", "A",   "C",   "G",   "U",   "DA",
                                      "DC",  "DG",  "DT",  "ADE", "CYT", "GUA", "THY", "URA"};
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
    if (dcs_is_word(residue, names[n])) return true;
  return false;
}

/* That of an ion which CHARMM names otherwise than by its symbol; empty where it is none. */
static dcs_slice ion_of(dcs_slice name, dcs_slice residue) {
  static const char *const ions[][2] = {{"SOD", "Na"}, {"CLA", "Cl"}, {"POT", "K"}, {"CES", "Cs"}};
  for (size_t i = 0; i < sizeof ions / sizeof ions[0]; i++)
    if (dcs_is_word(name, ions[i][0]) && dcs_is_word(residue, ions[i][0]))
      return (dcs_slice){ions[i][1], strlen(ions[i][1])};
  return (dcs_slice){NULL, 0};
}

static dcs_slice first_letter(dcs_slice name) {
  while (name.length > 0 && !dcs_is_letter(name.text[0]))
    name = (dcs_slice){name.text + 1, name.length - 1};
  return (dcs_slice){name.text, name.length > 0};
}

dcs_slice dcs_element_of_pdb(dcs_slice line) {
  const dcs_slice stated = dcs_line_columns(line, SYMBOL, SYMBOL_END);
  const dcs_slice name = dcs_line_columns(line, NAME, NAME_END);
  const dcs_slice residue = dcs_line_columns(line, RESIDUE, RESIDUE_END);
  const dcs_slice ion = ion_of(name, residue);
  if (dcs_element_radius(stated) > 0) return stated;
  if (is_of_chain(residue)) return first_letter(name);
  if (ion.length > 0) return ion;
  const bool two = name.length >= 2 && line.text[NAME - 1] == name.text[0] && name.length < 4;
  const dcs_slice pair = {name.text, 2};
  return two && dcs_element_radius(pair) > 0 ? pair : first_letter(name);
}
