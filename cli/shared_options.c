/* Options that several commands share: where it is computed, the molecule and its grid, units, what
 * is measured. */
#include "cli/options.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- where it is computed ---- */

static dcs_status take_device(const char *arg, void *values) {
  char names[DCS_TEXT];
  ((dcs_device_options *)values)->device = arg;
  if (strcmp(arg, "cpu") != 0) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--device: found \"cpu\"; expected the device of the CUDA variants, %s; "
                  "--variants cpu chooses the CPU's",
                  dcs_device_names(names));
}

const dcs_option dcs_listed_device[] = {
    {"device", 'd', "DEVICE",
     "device of the CUDA variants: %1$s (%2$s); in verify and sweep also several that share each "
     "map: %3$s",
     .take = take_device},
    {"kernels", 0, "DIR",
     "read the .cu files from DIR instead of the built-in ones, and variants of your own: *.json "
     "there (results/tuning-your-kernel.md)",
     DCS_WORD(dcs_device_options, kernels)},
    {"timeout", 0, "SECONDS", "longest wait for one answer of a worker (300)",
     DCS_NUMBER(dcs_device_options, timeout_s, 0.001, 1e6)},
    {0}};

/* ---- the molecule and its grid ---- */

static dcs_status take_origin(const char *text, void *values) {
  dcs_grid *grid = &((dcs_problem_options *)values)->grid;
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status =
      n == 3 ? DCS_OK : dcs_fail(DCS_USAGE, "--origin: found \"%s\"; expected X,Y,Z", text);
  for (int d = 0; status == DCS_OK && d < 3; d++)
    status = dcs_parse_number("--origin", parts[d], -1e7, 1e7, &grid->origin[d]);
  free(parts);
  grid->has_origin = true;
  return status;
}

static dcs_status take_margin(const char *text, void *values) {
  dcs_grid *grid = &((dcs_problem_options *)values)->grid;
  grid->has_margin = true;
  return dcs_parse_number("--margin", text, 0, 1e6, &grid->margin);
}

static dcs_status take_altloc(const char *text, void *values) {
  if (!text[0] || text[1] || text[0] <= ' ' || text[0] > '~')
    return dcs_fail(DCS_USAGE, "--altloc: found \"%s\"; expected one character, such as B", text);
  ((dcs_read_options *)values)->altloc = text[0];
  return DCS_OK;
}

static dcs_status take_parameters(const char *path, void *values) {
  dcs_read_options *how = values;
  if (how->n_parameters == DCS_MOST_PARAMETERS)
    return dcs_fail(DCS_USAGE, "--parameters: found more than %d files; expected fewer",
                    DCS_MOST_PARAMETERS);
  how->parameters[how->n_parameters++] = path;
  return DCS_OK;
}

const dcs_option dcs_listed_read[] = {
    {"format", 'F', "NAME", "of the molecule's file: %1$s (known by its content)",
     DCS_WORD(dcs_read_options, format)},
    {"model", 0, "N", "which of the file's models (the first)",
     DCS_INTEGER(dcs_read_options, model, 1, INT64_MAX)},
    {"altloc", 0, "LETTER", "which alternate location of the atoms (the first of each residue)",
     .take = take_altloc},
    {"frame", 0, "N", "which frame of a trajectory (1)",
     DCS_INTEGER(dcs_read_options, frame, 1, INT64_MAX)},
    {"orbital", 0, "N", "which orbital of a Molden file (the highest that is occupied)",
     DCS_INTEGER(dcs_read_options, orbital, 1, INT64_MAX)},
    {0}};

const dcs_option dcs_listed_parameters[] = {
    {"parameters", 0, "FILE",
     "CHARMM's parameters (.prm, .par, .str) of the types of a PSF file, for forces; as often as "
     "there are files",
     .take = take_parameters},
    {0}};

dcs_status dcs_check_parameters(const dcs_problem_options *problem) {
  if (!problem || problem->input.how.n_parameters == 0 || problem->input.files[0]) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--parameters: found %s without a molecule's file; expected --input twice, a PSF "
                  "and one with places",
                  problem->input.how.parameters[0]);
}

const dcs_option dcs_listed_problem[] = {
    {"input", 'i', "FILE",
     "file with the molecule, - for standard input: %1$s, also compressed by gzip or zlib; twice: "
     "one "
     "with charges (PSF, prmtop) and one with places (PDB, DCD, inpcrd), in any order",
     DCS_FILES(dcs_problem_options, input)},
    {"spacing", 0, "ANGSTROM",
     "grid spacing (what makes molecule and margin fit the grid; else 0.5)",
     DCS_NUMBER(dcs_problem_options, grid.spacing, DCS_LEAST_SPACING, DCS_MOST_SPACING)},
    {"margin", 0, "ANGSTROM", "space around the molecule's box (5)", .take = take_margin},
    {"origin", 0, "X,Y,Z", "place of grid point 0,0,0 (grid centred on the molecule)",
     .take = take_origin},
    {0}};

/* ---- units of maps ---- */

static dcs_status take_units(const char *name, void *values) {
  return dcs_find_units(name, &((dcs_units_options *)values)->units);
}

static dcs_status take_temperature(const char *text, void *values) {
  dcs_units_options *units = values;
  units->has_kelvin = true;
  return dcs_parse_number("--temperature", text, 1e-3, 1e9, &units->kelvin);
}

const dcs_option dcs_listed_units[] = {
    {"units", 0, "UNITS", "of the potential: e/A, V, kT/e, kcal/mol/e (e/A; of a file its own)",
     .take = take_units},
    {"temperature", 0, "KELVIN", "of kT/e (298.15)", .take = take_temperature},
    {0}};

/* ---- what is measured, and for how long ---- */

const dcs_option dcs_listed_plan[] = {
    {"variants", 0, "LIST",
     "all, cpu, gpu, or variants and problems that `dcsbench list` shows, with commas (all)",
     DCS_WORD(dcs_plan_options, line.variants)},
    {"config", 0, "K=V,...",
     "parameters; a value may be several: 1|2|4, 1:16, all, and max for threads; or just tuned: "
     "what `dcsbench tune` found for each size; rates off by more than 3% from what it recorded "
     "are said",
     DCS_WORD(dcs_plan_options, line.config)},
    {"atoms", 0, "LIST",
     "numbers of atoms: 100,1000 or 100:1000000:log4 (four a decade); with --input, that many of "
     "its first (all)",
     DCS_WORD(dcs_plan_options, line.atoms)},
    {"grid", 0, "LIST", "grids: 64x64x32, 64^3, 16:256:log4^3 (the molecule's box)",
     DCS_WORD(dcs_plan_options, line.grid)},
    {"scope", 0, "LIST", "what is timed: kernel, warm, first, frame (kernel)",
     DCS_WORD(dcs_plan_options, line.scope)},
    {"memory", 0, "LIST",
     "how data moves in scopes warm, first and frame: pageable, pinned, mapped, managed, "
     "managed_prefetch "
     "(pageable)",
     DCS_WORD(dcs_plan_options, line.memory)},
    {"plan", 0, "FILE",
     "CSV whose rows hold the options above (variants, config, atoms, grid, scope; where it has "
     "them, memory, problem and problem_config, such as cutoff=0|12,switching=c2)",
     DCS_WORD(dcs_plan_options, plan)},
    {"rounds", 0, "N",
     "samples of each method (15 or more, until the 95% interval of the median is within 1%; 200 "
     "at "
     "most)",
     DCS_INTEGER(dcs_plan_options, rounds, 1, 1000000)},
    {"budget", 0, "SECONDS", "stop sampling after about so long",
     DCS_NUMBER(dcs_plan_options, budget_s, 0.001, 1e7)},
    {"seed", 0, "N", "of random atoms and of the order of samples (1)",
     DCS_INTEGER(dcs_plan_options, seed, 0, INT64_MAX)},
    {0}};
