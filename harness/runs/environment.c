#include "harness/runs/environment.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/device/kernel_source.h"
#include "harness/files/private.h"
#include "version.h" /* written by the Makefile */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

void dcs_fact_add(dcs_facts *facts, const char *key, const char *format, ...) {
  if (facts->n == DCS_MAX_FACTS) return;
  dcs_fact *fact = &facts->list[facts->n++];
  snprintf(fact->key, sizeof fact->key, "%s", key);
  va_list args;
  va_start(args, format);
  char value[sizeof fact->value];
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  dcs_without_user(value, fact->value, sizeof fact->value);
}

static void add_isa(dcs_facts *facts) {
  char isa[128] = "baseline";
#if defined __x86_64__
  snprintf(isa, sizeof isa, "sse2%s%s%s", __builtin_cpu_supports("avx2") ? " avx2" : "",
           __builtin_cpu_supports("fma") ? " fma" : "",
           __builtin_cpu_supports("avx512f") ? " avx512f" : "");
#endif
  const char *disabled = getenv("DCS_DISABLE_ISA");
  dcs_fact_add(facts, "isa", "%s", isa);
  if (disabled && *disabled) dcs_fact_add(facts, "isa_disabled", "%s", disabled);
}

void dcs_machine_facts(dcs_facts *facts) {
  char line[DCS_LINE];
  const char *model = dcs_system_line("/proc/cpuinfo", "model name", line);
  struct utsname system;
  time_t now = time(NULL);
  struct tm utc;
  char date[32];
  gmtime_r(&now, &utc);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  dcs_fact_add(facts, "schema", "%d", DCS_RUN_SCHEMA);
  dcs_fact_add(facts, "program_version", "%s", DCS_VERSION);
  dcs_fact_add(facts, "git_state", "%s", DCS_GIT_STATE);
  dcs_fact_add(facts, "compiler", "%s", DCS_COMPILER);
  dcs_fact_add(facts, "flags", "%s", DCS_FLAGS);
  dcs_fact_add(facts, "date", "%s", date);
  model += strspn(model, "\t: ");
  dcs_fact_add(facts, "cpu_model", "%.120s", *model ? model : "unknown CPU");
  dcs_fact_add(facts, "cpus", "%d", dcs_cpus());
  add_isa(facts);
  dcs_fact_add(facts, "memory_available_bytes", "%lld", (long long)dcs_available_memory());
  if (uname(&system) == 0)
    dcs_fact_add(facts, "os", "%s %s %s", system.sysname, system.release, system.machine);
}

/* Of each device, with a semicolon between; once where all are alike. Not known of one: no fact. */
static void add_of_devices(dcs_facts *facts, const char *key, const dcs_device_facts *devices,
                           int n) {
  char all[sizeof facts->list[0].value] = "";
  const char *first = dcs_device_fact_value(&devices[0], key);
  bool alike = true, known = true;
  for (int d = 0; d < n; d++) {
    const char *value = dcs_device_fact_value(&devices[d], key);
    alike = alike && strcmp(value, first) == 0;
    known = known && *value;
    dcs_append(all, sizeof all, "%s%s", *all ? ";" : "", value);
  }
  if (known) dcs_fact_add(facts, key, "%s", alike ? first : all);
}

dcs_status dcs_gpu_facts(dcs_bench *bench, dcs_facts *facts) {
  dcs_session *session;
  dcs_device_facts devices[DCS_MAX_DEVICES];
  int n;
  const dcs_status there = dcs_bench_session(bench, DCS_GPU, &session);
  if (there != DCS_OK) return bench->killed[DCS_GPU] ? there : DCS_OK;
  if (dcs_session_facts(session, devices, &n) != DCS_OUTCOME_OK) return DCS_FAILED;
  dcs_fact_add(facts, "gpu_count", "%d", n);
  for (int f = 0; f < devices[0].n; f++)
    add_of_devices(facts, devices[0].list[f].key, devices, n);
  return DCS_OK;
}

/* "cpu_limits_missing": without them nothing else in env.csv says why rates have none. */
static const char *const missing_limits[] = {
    [DCS_CPU] = "cpu_limits_missing", [DCS_GPU] = "gpu_limits_missing"};

static dcs_status measure_limits(dcs_bench *bench, dcs_backend backend, dcs_limits *limits) {
  dcs_session *session;
  DCS_TRY(dcs_bench_session(bench, backend, &session));
  return dcs_session_limits(session, false, limits) == DCS_OUTCOME_OK ? DCS_OK : DCS_FAILED;
}

dcs_status dcs_limit_facts(dcs_bench *bench, dcs_backend backend, dcs_facts *facts) {
  dcs_limits limits;
  char why[DCS_FACT];
  if (getenv("DCS_NO_LIMITS")) {
    dcs_fact_add(facts, missing_limits[backend], "DCS_NO_LIMITS is set");
    return DCS_OK;
  }
  const dcs_status status = measure_limits(bench, backend, &limits);
  if (status != DCS_OK) {
    dcs_fact_add(facts, missing_limits[backend], "%s",
                 dcs_without_user(dcs_error_message(), why, sizeof why));
    return status;
  }
  for (int l = 0; l < limits.n; l++) {
    char key[sizeof facts->list[0].key];
    snprintf(key, sizeof key, "limit_%s", limits.list[l].name);
    if (!isnan(limits.list[l].value)) dcs_fact_add(facts, key, "%.9g", limits.list[l].value);
  }
  return DCS_OK;
}

void dcs_kept_limits(const dcs_run *run, dcs_facts *facts) {
  for (size_t row = 0; row < dcs_table_rows(run->env); row++) {
    const char *key = dcs_table_cell(run->env, row, run->env_key);
    if (strncmp(key, "limit_", 6) == 0 || strcmp(key, missing_limits[DCS_CPU]) == 0 ||
        strcmp(key, missing_limits[DCS_GPU]) == 0)
      dcs_fact_add(facts, key, "%s", dcs_table_cell(run->env, row, run->env_value));
  }
}

double dcs_limit_for(const dcs_facts *facts, const dcs_method *method) {
  const dcs_kind *kind = dcs_kind_of(method->variant);
  const dcs_variant *variant = method->variant;
  const char *name = variant->limit ? variant->limit : kind->limit[variant->backend];
  const double cost = variant->limit ? variant->limit_cost : dcs_limit_cost(kind, variant->backend);
  double of[2];
  if (!name) return NAN;
  for (int all = 0; all < 2; all++) {
    char key[sizeof facts->list[0].key] = "limit_";
    const char *rest = strstr(name, "%s");
    snprintf(key + 6, sizeof key - 6, "%.*s%s%s", rest ? (int)(rest - name) : (int)strlen(name),
             name, rest ? all ? "all" : "1" : "", rest ? rest + 2 : "");
    const char *value = dcs_fact_value(facts, key);
    of[all] = *value ? strtod(value, NULL) / cost : NAN;
  }
  const char *there = dcs_fact_value(facts, "cpus");
  int cpus = *there ? atoi(there) : dcs_cpus();
  int threads = dcs_role_value(method->variant, &method->config, DCS_ROLE_THREADS, 1);
  if (threads == 1 || cpus == 1) return of[0];
  if (threads >= cpus) return of[1];
  return of[0] + (of[1] - of[0]) * (threads - 1) / (cpus - 1);
}

static void add_command_line(const dcs_run_facts *run, dcs_facts *facts) {
  char line[512] = "";
  for (int i = 0; i < run->argc; i++)
    dcs_append(line, sizeof line, "%s%s", i ? " " : "", run->argv[i]);
  dcs_fact_add(facts, "command_line", "%s", *line ? line : "dcsbench");
}

/* Of the program itself: two builds of the same version do not mix. */
static dcs_status add_program_hash(dcs_facts *facts) {
  char *bytes;
  size_t n;
  DCS_TRY(dcs_read_file("/proc/self/exe", &bytes, &n));
  dcs_fact_add(facts, "program_fnv1a64", "%016llx",
               (unsigned long long)dcs_hash(DCS_HASH_START, bytes, n));
  free(bytes);
  return DCS_OK;
}

/* What the user asked for; what was left open has no row. */
static void add_grid(const dcs_run_facts *run, dcs_facts *facts) {
  const dcs_grid *grid = &run->grid;
  if (grid->spacing > 0) dcs_fact_add(facts, "asked_spacing", "%.9g", grid->spacing);
  if (run->input.files[0]) dcs_fact_add(facts, "asked_margin", "%.9g", grid->margin);
  if (grid->has_origin)
    dcs_fact_add(facts, "asked_origin", "%.9g %.9g %.9g", grid->origin[0], grid->origin[1],
                 grid->origin[2]);
}

/* "a.psf + a.pdb + par.prm": files that give what those before them lack. */
static const char *name_files(const dcs_input *input, char names[DCS_TEXT]) {
  *names = '\0';
  for (int f = 0; f < 2 && input->files[f]; f++)
    dcs_append(names, DCS_TEXT, "%s%s", f ? " + " : "", basename(input->files[f]));
  for (int p = 0; p < input->how.n_parameters; p++)
    dcs_append(names, DCS_TEXT, " + %s", basename(input->how.parameters[p]));
  return names;
}

dcs_status dcs_run_facts_add(const dcs_run_facts *run, dcs_facts *facts) {
  dcs_fact_add(facts, "seed", "%llu", (unsigned long long)run->seed);
  add_grid(run, facts);
  dcs_fact_add(facts, "kernels_fnv1a64", "%016llx",
               (unsigned long long)dcs_all_variants_hash(run->kernels));
  DCS_TRY(add_program_hash(facts));
  if (run->input.files[0]) {
    char names[DCS_TEXT];
    dcs_fact_add(facts, "input", "%s", name_files(&run->input, names));
    dcs_fact_add(facts, "input_fnv1a64", "%016llx", (unsigned long long)run->input_hash);
  }
  if (run->interleaved) dcs_fact_add(facts, "interleaved", "%s", run->interleaved);
  add_command_line(run, facts);
  return DCS_OK;
}

const char *dcs_fact_value(const dcs_facts *facts, const char *key) {
  for (int i = 0; i < facts->n; i++)
    if (strcmp(facts->list[i].key, key) == 0) return facts->list[i].value;
  return "";
}

dcs_status dcs_write_facts(const char *path, const dcs_facts *facts) {
  static const char *const columns[] = DCS_NAMES("key", "value");
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = dcs_csv_header(&csv, columns);
  for (int i = 0; status == DCS_OK && i < facts->n; i++) {
    DCS_CSV_TEXTS(&csv, facts->list[i].key, facts->list[i].value);
    status = dcs_csv_row(&csv);
  }
  return dcs_csv_finish(&csv, status);
}

static const char *const identity[] =
    DCS_NAMES("schema", "program_version", "git_state", "compiler", "flags", "cpu_model", "cpus",
              "isa", "isa_disabled", "seed", "input_fnv1a64", "kernels_fnv1a64", "program_fnv1a64",
              "asked_spacing", "asked_margin", "asked_origin");

static dcs_status same_fact(const dcs_run *run, const dcs_facts *facts, const char *key) {
  const char *was = dcs_run_fact(run, key), *now = dcs_fact_value(facts, key);
  if (strcmp(was, now) == 0) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: %s was \"%s\" and is \"%s\"; take another folder for a new run",
                  dcs_table_path(run->env), key, was, now);
}

/* Of the machine and the run, and of the devices of every kind. */
dcs_status dcs_same_facts(const dcs_run *run, const dcs_facts *facts) {
  for (const char *const *key = identity; *key; key++)
    DCS_TRY(same_fact(run, facts, *key));
  for (int k = 0; k < dcs_n_device_kinds; k++)
    for (const dcs_device_fact *fact = dcs_device_kinds[k]->facts; fact->key; fact++)
      if (fact->identity) DCS_TRY(same_fact(run, facts, fact->key));
  return DCS_OK;
}
