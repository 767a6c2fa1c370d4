/* dcsbench info [FILE] */
#include "cli/commands.h"
#include "harness/base/grow.h"
#include "harness/device/devices.h"
#include "harness/files/csv.h"
#include "harness/files/private.h"
#include "harness/runs/environment.h"

typedef struct {
  bool csv;
  dcs_input input;
} arguments;

enum { TIMEOUT_S = 60 };

static const dcs_option options[] = {
    {"csv", 'c', NULL, "print CSV: key,value", DCS_FLAG(arguments, csv)}, {0}};

static dcs_status print_fact(bool csv, const char *key, const char *value) {
  if (!csv) {
    printf("%-24s %s\n", key, value);
    return DCS_OK;
  }
  dcs_csv out = dcs_csv_stdout();
  DCS_CSV_TEXTS(&out, key, value);
  return dcs_csv_row(&out);
}

/* The devices of a kind; none where none is there, for the reason in dcs_error_message(). */
static dcs_status find_devices(const dcs_device_kind *kind,
                               dcs_device_facts devices[DCS_MAX_DEVICES], int *n) {
  char name[DCS_DEVICE_NAME];
  dcs_session *session;
  dcs_bench bench;
  *n = 0;
  snprintf(name, sizeof name, "%s:all", kind->prefix);
  DCS_TRY(dcs_bench_open(name, NULL, TIMEOUT_S, &bench));
  dcs_status status = dcs_bench_session(&bench, DCS_GPU, &session);
  if (status != DCS_OK)
    status = bench.killed[DCS_GPU] ? status : DCS_OK;
  else if (dcs_session_facts(session, devices, n) != DCS_OUTCOME_OK)
    status = DCS_FAILED;
  dcs_bench_close(&bench);
  return status;
}

/* A line for each device of a kind that no default names: its name, and what it is in words. */
static dcs_status print_devices(bool csv, const dcs_device_kind *kind) {
  char name[DCS_DEVICE_NAME], value[4 * DCS_FACT];
  dcs_device_facts devices[DCS_MAX_DEVICES];
  int n;
  DCS_TRY(find_devices(kind, devices, &n));
  snprintf(name, sizeof name, "%s_missing", kind->prefix);
  if (n == 0) return print_fact(csv, name, dcs_error_message());
  for (int d = 0; d < n; d++) {
    *value = '\0';
    for (const dcs_device_fact *fact = kind->facts; fact->key; fact++)
      if (fact->identity)
        dcs_append(value, sizeof value, "%s%s", *value ? "; " : "",
                   dcs_device_fact_value(&devices[d], fact->key));
    snprintf(name, sizeof name, "%s:%d", kind->prefix, d % 100);
    DCS_TRY(print_fact(csv, name, value));
  }
  return DCS_OK;
}

static dcs_status other_devices(bool csv) {
  for (int k = 1; k < dcs_n_device_kinds; k++)
    if (dcs_device_kinds[k]->count) DCS_TRY(print_devices(csv, dcs_device_kinds[k]));
  return DCS_OK;
}

/* Where a worker cannot be started, whether there is a GPU is not known: that is no answer. */
static dcs_status machine_info(bool csv) {
  dcs_facts facts = {0};
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(NULL, NULL, TIMEOUT_S, &bench));
  dcs_machine_facts(&facts);
  dcs_status status = dcs_gpu_facts(&bench, &facts);
  dcs_bench_close(&bench);
  DCS_TRY(status);
  if (csv) DCS_TRY(print_fact(csv, "key", "value"));
  for (int f = 0; f < facts.n; f++)
    DCS_TRY(print_fact(csv, facts.list[f].key, facts.list[f].value));
  if (!*dcs_fact_value(&facts, "gpu_name")) DCS_TRY(print_fact(csv, "gpu_missing", bench.why));
  DCS_TRY(other_devices(csv));
  char path[PATH_MAX + 8], text[1024];
  const bool mpi = dcs_mpi_program(path) == DCS_OK;
  return print_fact(csv, mpi ? "mpi_program" : "mpi_missing",
                    dcs_without_user(mpi ? path : dcs_error_message(), text, sizeof text));
}

static dcs_status print_molecule(bool csv, const dcs_molecule *m) {
  double lo[3], hi[3];
  dcs_molecule_box(m, lo, hi);
  const struct {
    const char *key;
    double value;
  } facts[] = {{"atoms", (double)m->n},
               /* To 1e-9 e: a sum of decimal charges is rarely 0 to the last bit. */
               {"total_charge", round(1e9 * dcs_molecule_charge(m)) * 1e-9 + 0.0},
               {"zero_charges", (double)dcs_molecule_zero_charges(m)},
               {"box_lo_x", lo[0]},
               {"box_lo_y", lo[1]},
               {"box_lo_z", lo[2]},
               {"box_hi_x", hi[0]},
               {"box_hi_y", hi[1]},
               {"box_hi_z", hi[2]},
               {"x1", m->sites[0].x},
               {"y1", m->sites[0].y},
               {"z1", m->sites[0].z},
               {"q1", m->sites[0].q}};
  if (csv) DCS_TRY(print_fact(csv, "key", "value"));
  for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
    char text[64];
    snprintf(text, sizeof text, "%.10g", facts[f].value);
    DCS_TRY(print_fact(csv, facts[f].key, text));
  }
  return DCS_OK;
}

static dcs_status file_info(bool csv, const dcs_input *input) {
  dcs_molecule m;
  DCS_TRY(dcs_molecule_read(input, &m, stderr));
  dcs_status status = print_molecule(csv, &m);
  dcs_molecule_free(&m);
  return status;
}

dcs_status dcs_command_info(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "[FILE [FILE]]",
      .doc = "Print the facts of this machine, or of a molecule: atoms, charge (e), box and first "
             "atom (angstrom). Of two files one gives charges and the other places.",
      .place = DCS_PLACE(arguments, input.files[0], const char *),
      .words = 2};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.read = &a.input.how}));
  return a.input.files[0] ? file_info(a.csv, &a.input) : machine_info(a.csv);
}
