#include "harness/sweep/environment.h"

#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/device/kernel_source.h"
#include "version.h" /* written by the Makefile */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

static void add(dcs_facts *facts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(dcs_facts *facts, const char *key, const char *format, ...) {
  if (facts->n == DCS_MAX_FACTS) return;
  dcs_fact *fact = &facts->list[facts->n++];
  snprintf(fact->key, sizeof fact->key, "%s", key);
  va_list args;
  va_start(args, format);
  vsnprintf(fact->value, sizeof fact->value, format, args);
  va_end(args);
}

/* The value behind "NAME : value" in /proc/cpuinfo. */
static void cpu_model(char model[128]) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[1024];
  snprintf(model, 128, "unknown CPU");
  while (file && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(model, 128, "%.120s", colon + (colon[1] == ' ' ? 2 : 1));
    break;
  }
  if (file) fclose(file);
}

static void add_isa(dcs_facts *facts) {
  char isa[128] = "baseline";
#if defined __x86_64__
  snprintf(isa, sizeof isa, "sse2%s%s%s", __builtin_cpu_supports("avx2") ? " avx2" : "",
           __builtin_cpu_supports("fma") ? " fma" : "",
           __builtin_cpu_supports("avx512f") ? " avx512f" : "");
#endif
  const char *disabled = getenv("DCS_DISABLE_ISA");
  add(facts, "isa", "%s", isa);
  if (disabled && *disabled) add(facts, "isa_disabled", "%s", disabled);
}

void dcs_machine_facts(dcs_facts *facts) {
  char model[128];
  struct utsname system;
  time_t now = time(NULL);
  struct tm utc;
  char date[32];
  cpu_model(model);
  gmtime_r(&now, &utc);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  add(facts, "program_version", "%s", DCS_VERSION);
  add(facts, "git_state", "%s", DCS_GIT_STATE);
  add(facts, "compiler", "%s", DCS_COMPILER);
  add(facts, "flags", "%s", DCS_FLAGS);
  add(facts, "date", "%s", date);
  add(facts, "cpu_model", "%s", model);
  add(facts, "cpus", "%d", dcs_cpus());
  add_isa(facts);
  add(facts, "memory_available_bytes", "%lld", (long long)dcs_available_memory());
  if (uname(&system) == 0)
    add(facts, "os", "%s %s %s", system.sysname, system.release, system.machine);
}

static void add_number(dcs_facts *facts, const char *key, double value) {
  if (!isnan(value)) add(facts, key, "%.9g", value);
}

/* What is to be said of a card, one key a line. */
typedef void card_fact(const dcs_device_info *info, char *text, size_t size);

static void card_name(const dcs_device_info *info, char *text, size_t size) {
  snprintf(text, size, "%s", info->name);
}
static void card_uuid(const dcs_device_info *info, char *text, size_t size) {
  snprintf(text, size, "%s", info->uuid);
}
static void card_capability(const dcs_device_info *info, char *text, size_t size) {
  snprintf(text, size, "%d.%d", info->cc_major, info->cc_minor);
}
static void card_sm_count(const dcs_device_info *info, char *text, size_t size) {
  snprintf(text, size, "%d", info->sm_count);
}
static void card_clock(const dcs_device_info *info, char *text, size_t size) {
  snprintf(text, size, "%d", info->clock_mhz);
}
static void card_memory(const dcs_device_info *info, char *text, size_t size) {
  snprintf(text, size, "%lld", (long long)info->memory_bytes);
}
static void card_ecc(const dcs_device_info *info, char *text, size_t size) {
  snprintf(text, size, "%s", info->ecc ? "on" : "off");
}
static void card_power_limit(const dcs_device_info *info, char *text, size_t size) {
  double watts = dcs_power_limit_w(info->uuid);
  if (isnan(watts)) return;
  snprintf(text, size, "%.9g", watts);
}

/* Of each card, with a semicolon between; once where all are alike. Not known of one: no fact. */
static void add_of_cards(dcs_facts *facts, const char *key, card_fact *fact,
                         const dcs_device_info *cards, int n) {
  char all[sizeof facts->list[0].value] = "", first[DCS_TEXT] = "";
  bool alike = true, known = true;
  for (int d = 0; d < n; d++) {
    char text[DCS_TEXT] = "";
    size_t used = strlen(all);
    fact(&cards[d], text, sizeof text);
    if (d == 0) memcpy(first, text, sizeof first);
    alike = alike && strcmp(text, first) == 0;
    known = known && *text;
    snprintf(all + used, sizeof all - used, "%s%s", used ? ";" : "", text);
  }
  if (known || strcmp(key, "gpu_uuid") == 0) add(facts, key, "%s", alike ? first : all);
}

void dcs_gpu_facts(dcs_bench *bench, dcs_facts *facts) {
  static const struct {
    const char *key;
    card_fact *fact;
  } list[] = {{"gpu_name", card_name},
              {"gpu_uuid", card_uuid},
              {"gpu_compute_capability", card_capability},
              {"gpu_sm_count", card_sm_count},
              {"gpu_max_clock_mhz", card_clock},
              {"gpu_memory_bytes", card_memory},
              {"gpu_ecc", card_ecc},
              {"gpu_power_limit_w", card_power_limit}};
  dcs_session *session;
  int n;
  if (dcs_bench_session(bench, DCS_CUDA, &session) != DCS_OK) return;
  const dcs_device_info *cards = dcs_session_devices(session, &n);
  add(facts, "gpu_count", "%d", n);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    add_of_cards(facts, list[i].key, list[i].fact, cards, n);
  int driver = cards[0].driver_version, nvrtc = cards[0].compiler_version;
  add(facts, "cuda_driver", "%d.%d", driver / 1000, driver % 1000 / 10);
  add(facts, "nvrtc", "%d.%d", nvrtc / 1000, nvrtc % 1000 / 10);
}

dcs_status dcs_limit_facts(dcs_bench *bench, dcs_backend backend, dcs_facts *facts) {
  dcs_session *session;
  dcs_limits limits;
  DCS_TRY(dcs_bench_session(bench, backend, &session));
  if (dcs_session_limits(session, false, &limits) != DCS_OUTCOME_OK) return DCS_FAILED;
  for (int l = 0; l < limits.n; l++) {
    char key[sizeof facts->list[0].key];
    snprintf(key, sizeof key, "limit_%s", limits.list[l].name);
    add_number(facts, key, limits.list[l].value);
  }
  if (backend == DCS_CUDA)
    add_number(facts, "limit_evals_per_s", dcs_limits_value(&limits, "gpu_rsqrt_per_s"));
  return DCS_OK;
}

static double fact_number(const dcs_facts *facts, const char *key) {
  const char *text = dcs_fact_value(facts, key);
  return *text ? strtod(text, NULL) : NAN;
}

double dcs_limit_for(const dcs_facts *facts, const dcs_method *method) {
  if (method->variant->backend == DCS_CUDA) return fact_number(facts, "limit_evals_per_s");
  double one = fact_number(facts, "limit_cpu_1_evals_per_s");
  double all = fact_number(facts, "limit_cpu_all_evals_per_s");
  int cpus = dcs_cpus();
  int threads = dcs_config_value(method->variant, &method->config, "threads", 1);
  if (threads == 1 || cpus == 1) return one;
  if (threads >= cpus) return all;
  return one + (all - one) * (threads - 1) / (cpus - 1);
}

/* Appends the text with every mention of the home folder written as ~. */
static void append_without_home(char *line, size_t size, const char *text, const char *home) {
  size_t length = home && home[0] == '/' && home[1] ? strlen(home) : 0;
  size_t used = strlen(line);
  for (const char *c = text; *c && used + 1 < size;) {
    bool is_home = length && strncmp(c, home, length) == 0 && (c[length] == '/' || !c[length]);
    line[used++] = is_home ? '~' : *c;
    c += is_home ? length : 1;
  }
  line[used] = '\0';
}

/* The command line, which names no user. */
static void add_command_line(const dcs_run_facts *run, dcs_facts *facts) {
  char line[512] = "dcsbench";
  for (int i = 0; i < run->argc; i++) {
    append_without_home(line, sizeof line, " ", NULL);
    append_without_home(line, sizeof line, run->argv[i], getenv("HOME"));
  }
  add(facts, "command_line", "%s", line);
}

/* One hash over the sources of all variants: two runs with other kernels do not mix. */
static void add_kernel_hash(const dcs_run_facts *run, dcs_facts *facts) {
  add(facts, "kernels_fnv1a64", "%016llx", (unsigned long long)dcs_all_variants_hash(run->kernels));
}

/* What the user asked for; what was left open has no row. */
static void add_grid(const dcs_run_facts *run, dcs_facts *facts) {
  const dcs_grid *grid = &run->grid;
  if (grid->spacing > 0) add(facts, "asked_spacing", "%.9g", grid->spacing);
  if (run->input) add(facts, "asked_margin", "%.9g", grid->margin);
  if (grid->has_origin)
    add(facts, "asked_origin", "%.9g %.9g %.9g", grid->origin[0], grid->origin[1], grid->origin[2]);
}

dcs_status dcs_run_facts_add(const dcs_run_facts *run, dcs_facts *facts) {
  add(facts, "seed", "%llu", (unsigned long long)run->seed);
  add_grid(run, facts);
  add_kernel_hash(run, facts);
  if (run->input) {
    char *text;
    size_t bytes;
    DCS_TRY(dcs_read_file(run->input, &text, &bytes));
    uint64_t hash = dcs_hash(DCS_HASH_START, text, bytes);
    free(text);
    const char *slash = strrchr(run->input, '/');
    add(facts, "input", "%s", slash ? slash + 1 : run->input);
    add(facts, "input_fnv1a64", "%016llx", (unsigned long long)hash);
  }
  add_command_line(run, facts);
  return DCS_OK;
}

const char *dcs_fact_value(const dcs_facts *facts, const char *key) {
  for (int i = 0; i < facts->n; i++)
    if (strcmp(facts->list[i].key, key) == 0) return facts->list[i].value;
  return "";
}

dcs_status dcs_write_facts(const char *path, const dcs_facts *facts) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_csv_text(&csv, "key");
  dcs_csv_text(&csv, "value");
  dcs_status status = dcs_csv_row(&csv);
  for (int i = 0; status == DCS_OK && i < facts->n; i++) {
    dcs_csv_text(&csv, facts->list[i].key);
    dcs_csv_text(&csv, facts->list[i].value);
    status = dcs_csv_row(&csv);
  }
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}

static const char *const identity[] = {
    "program_version", "compiler",        "cpu_model",     "cpus",         "isa_disabled",
    "gpu_name",        "gpu_uuid",        "cuda_driver",   "nvrtc",        "seed",
    "input_fnv1a64",   "kernels_fnv1a64", "asked_spacing", "asked_margin", "asked_origin"};

dcs_status dcs_same_facts(const char *path, const dcs_facts *facts) {
  dcs_table *table;
  int key_column, value_column;
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = dcs_table_need(table, "key", &key_column);
  if (status == DCS_OK) status = dcs_table_need(table, "value", &value_column);
  for (size_t i = 0; status == DCS_OK && i < sizeof identity / sizeof identity[0]; i++) {
    const char *was = "";
    for (size_t row = 0; row < dcs_table_rows(table); row++)
      if (strcmp(dcs_table_cell(table, row, key_column), identity[i]) == 0)
        was = dcs_table_cell(table, row, value_column);
    const char *now = dcs_fact_value(facts, identity[i]);
    if (strcmp(was, now) != 0)
      status =
          dcs_fail(DCS_USAGE, "%s: %s was \"%s\" and is \"%s\"; take another folder for a new run",
                   path, identity[i], was, now);
  }
  dcs_table_free(table);
  return status;
}
