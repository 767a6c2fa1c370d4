/* dcsbench info [FILE] */
#include "cli/commands.h"
#include "harness/files/csv.h"
#include "harness/sweep/environment.h"

typedef struct {
  bool csv;
  const char *file;
} arguments;

static const dcs_option options[] = {
    {"csv", 'c', NULL, "as CSV: key,value", DCS_FLAG(arguments, csv)}, {0}};

static dcs_status print_fact(bool csv, const char *key, const char *value) {
  if (!csv) {
    printf("%-24s %s\n", key, value);
    return DCS_OK;
  }
  dcs_csv out = dcs_csv_stdout();
  dcs_csv_text(&out, key);
  dcs_csv_text(&out, value);
  return dcs_csv_row(&out);
}

static dcs_status print_number(bool csv, const char *key, double value) {
  char text[64];
  snprintf(text, sizeof text, "%.10g", value);
  return print_fact(csv, key, text);
}

static dcs_status machine_info(bool csv) {
  dcs_facts facts = {0};
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(NULL, NULL, 60, &bench));
  dcs_machine_facts(&facts);
  dcs_gpu_facts(&bench, &facts);
  if (csv) DCS_TRY(print_fact(csv, "key", "value"));
  for (int f = 0; f < facts.n; f++)
    DCS_TRY(print_fact(csv, facts.list[f].key, facts.list[f].value));
  if (!*dcs_fact_value(&facts, "gpu_name")) DCS_TRY(print_fact(csv, "gpu_missing", bench.why));
  dcs_bench_close(&bench);
  return DCS_OK;
}

static dcs_status file_info(bool csv, const char *path) {
  static const char *const box_keys[] = {"box_lo_x", "box_lo_y", "box_lo_z",
                                         "box_hi_x", "box_hi_y", "box_hi_z"};
  dcs_molecule m;
  double box[6];
  DCS_TRY(dcs_molecule_read(path, &m, stderr));
  dcs_molecule_box(&m, box, box + 3);
  if (csv) DCS_TRY(print_fact(csv, "key", "value"));
  DCS_TRY(print_number(csv, "atoms", (double)m.n));
  /* To 1e-9 e: a sum of decimal charges is rarely 0 to the last bit. */
  DCS_TRY(print_number(csv, "total_charge", round(1e9 * dcs_molecule_charge(&m)) * 1e-9 + 0.0));
  DCS_TRY(print_number(csv, "zero_charges", (double)dcs_molecule_zero_charges(&m)));
  for (int b = 0; b < 6; b++)
    DCS_TRY(print_number(csv, box_keys[b], box[b]));
  DCS_TRY(print_number(csv, "x1", m.sites[0].x));
  DCS_TRY(print_number(csv, "y1", m.sites[0].y));
  DCS_TRY(print_number(csv, "z1", m.sites[0].z));
  DCS_TRY(print_number(csv, "q1", m.sites[0].q));
  dcs_molecule_free(&m);
  return DCS_OK;
}

dcs_status dcs_command_info(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "[FILE]",
      .doc = "Print the facts of this machine, or of a molecule: atoms, charge (e), box and first "
             "atom (angstrom).",
      .place = DCS_PLACE(arguments, file, const char *),
      .words = 1};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  return a.file ? file_info(a.csv, a.file) : machine_info(a.csv);
}
