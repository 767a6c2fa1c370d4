/* dcsbench compile */
#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/device/kernel_source.h"
#include "harness/files/csv.h"
#include "harness/spec/own.h"
#include "harness/verify/verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *variants, *config, *arch, *kernels, *spec;
  bool csv;
} arguments;

static const dcs_option options[] = {
    {"arch", 0, "LIST", "architectures, such as sm_75,sm_90 (sm_90)", DCS_WORD(arguments, arch)},
    {"variants", 0, "LIST", "gpu, or ids that `dcsbench list` shows (gpu)",
     DCS_WORD(arguments, variants)},
    {"config", 0, "K=V,...", "parameters (each in turn over its range)",
     DCS_WORD(arguments, config)},
    {"kernels", 0, "DIR", "read the .cu files from DIR", DCS_WORD(arguments, kernels)},
    {"spec", 0, "FILE", "the kernel of a specification, as `dcsbench tune FILE` takes it",
     DCS_WORD(arguments, spec)},
    {"csv", 'c', NULL, "print CSV", DCS_FLAG(arguments, csv)},
    {0}};

static dcs_status print_row(const arguments *a, const char *variant, const char *config,
                            const char *arch, const dcs_code_facts *f) {
  if (!a->csv) {
    printf("%-16s %-6s %5d %6d %9d %7d %6d  %s\n", variant, arch, f->registers, f->spill_bytes,
           f->constant_bytes, f->shared_bytes, f->local_bytes, config);
    return DCS_OK;
  }
  dcs_csv csv = dcs_csv_stdout();
  DCS_CSV_TEXTS(&csv, variant, config, arch);
  DCS_CSV_NUMBERS(&csv, f->registers, f->spill_bytes, f->constant_bytes, f->shared_bytes,
                  f->local_bytes);
  return dcs_csv_row(&csv);
}

static dcs_status print_header(const arguments *a) {
  static const char *const columns[] =
      DCS_NAMES("variant", "config", "arch", "registers", "spill_bytes", "constant_bytes",
                "shared_bytes", "local_bytes");
  dcs_csv csv = dcs_csv_stdout();
  if (!a->csv) {
    printf("%-16s %-6s %5s %6s %9s %7s %6s  %s\n", "variant", "arch", "regs", "spill", "constant",
           "shared", "local", "configuration");
    return DCS_OK;
  }
  return dcs_csv_header(&csv, columns);
}

/* What became of the configurations. */
typedef struct {
  int compiled, failed;
  const dcs_variant *failing; /* the last that did not compile, for the reason `error` */
  int same;                   /* its configurations that do not for the same, beside the first */
  char error[2 * DCS_TEXT];
} totals;

/* A mistake in a source is said once: the variant's other configurations have it, too, on other
 * architectures as well, which the first line names. */
static void say_failure(const dcs_method *method, const char *config, const char *arch, totals *t) {
  const char *log = strchr(dcs_error_message(), '\n');
  char error[sizeof t->error];
  snprintf(error, sizeof error, "%s", log ? log : dcs_error_message());
  t->failed++;
  if (t->failing && method->variant == t->failing && strcmp(error, t->error) == 0) {
    t->same++;
    return;
  }
  t->failing = method->variant;
  memcpy(t->error, error, sizeof error);
  fprintf(stderr, "%s %s %s: compile: %s\n", method->variant->id, config, arch,
          dcs_error_message());
}

/* Behind a variant's last configuration. */
static void say_same(totals *t) {
  if (t->same > 0)
    fprintf(stderr, "%s: %d more configuration%s not compile for the same reason\n", t->failing->id,
            t->same, t->same == 1 ? " does" : "s do");
  t->same = 0;
}

/* A source that does not compile is counted and said; the others go on. The header waits for a row,
 * so that no table stands above an error. */
static dcs_status compile_one(const arguments *a, const dcs_method *method, const char *arch,
                              totals *t) {
  dcs_kernel_source source;
  dcs_code_facts facts;
  char config[DCS_TEXT];
  DCS_TRY(dcs_kernel_source_open(method->variant, &method->config, a->kernels, &source));
  dcs_format_config(method->variant, &method->config, config);
  const bool suits = dcs_source_suits(&source.source, atoi(arch + strcspn(arch, "0123456789")));
  dcs_status status = suits ? dcs_device_compile(&source.source, arch, &facts) : DCS_OK;
  dcs_kernel_source_free(&source);
  if (!suits) {
    fprintf(stderr, "%s %s: %s: %s\n", method->variant->id, config,
            dcs_outcome_name(DCS_OUTCOME_INAPPLICABLE), dcs_error_message());
    return DCS_OK;
  }
  if (status == DCS_FAILED) {
    say_failure(method, config, arch, t);
    return DCS_OK;
  }
  DCS_TRY(status);
  if (t->compiled++ == 0) DCS_TRY(print_header(a));
  return print_row(a, method->variant->id, config, arch, &facts);
}

/* GPU variants as configured, or of each the methods that cover it. The caller frees ->list,
 * whatever the status. */
static dcs_status choose(const arguments *a, dcs_methods *methods) {
  int n = 0;
  DCS_TRY(dcs_select_methods(a->variants, a->config, (dcs_at_hand){.gpu = true}, methods));
  for (int m = 0; m < methods->n; m++)
    if (methods->list[m].variant->backend == DCS_GPU) methods->list[n++] = methods->list[m];
  methods->n = n;
  if (n == 0)
    return dcs_fail(DCS_USAGE,
                    "found no CUDA variant in \"%s\"; expected gpu, or ids that `dcsbench list` "
                    "shows",
                    a->variants);
  return a->config ? DCS_OK : dcs_cover_methods(methods);
}

/* A configuration that could compute nothing is refused, as a sweep does. */
static bool is_legal(const dcs_method *method) {
  char why[DCS_TEXT], config[DCS_TEXT];
  if (dcs_is_legal(method, why)) return true;
  fprintf(stderr, "%s %s: %s: %s\n", method->variant->id,
          dcs_format_config(method->variant, &method->config, config),
          dcs_outcome_name(DCS_OUTCOME_INAPPLICABLE), why);
  return false;
}

static dcs_status compile_all(const arguments *a, char **archs, int n_archs, totals *t) {
  dcs_methods methods = {0};
  dcs_status status = choose(a, &methods);
  for (int m = 0; status == DCS_OK && m < methods.n; m++) {
    const bool legal = is_legal(&methods.list[m]);
    for (int i = 0; legal && status == DCS_OK && i < n_archs && !dcs_interrupted(); i++)
      status = compile_one(a, &methods.list[m], archs[i], t);
    if (m + 1 == methods.n || methods.list[m + 1].variant != methods.list[m].variant) say_same(t);
  }
  free(methods.list);
  return status;
}

dcs_status dcs_command_compile(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc =
          "Compile CUDA variants with NVRTC, on any machine that has it, and print what the "
          "compiler made of them: registers a thread, bytes of spills, of constant and shared "
          "memory, and of local memory a thread, where spills and arrays without registers lie."};
  arguments a = {.variants = "gpu", .arch = "sm_90"};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  char **archs;
  const dcs_variant *own;
  int n_archs;
  totals t = {0};
  if (a.kernels) DCS_TRY(dcs_own_load_folder(a.kernels));
  if (a.spec) {
    DCS_TRY(dcs_own_load(a.spec, NULL, false, &own));
    a.variants = own->id;
  }
  DCS_TRY(dcs_split(a.arch, ',', &archs, &n_archs));
  dcs_status status = compile_all(&a, archs, n_archs, &t);
  free(archs);
  DCS_TRY(status);
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  if (t.failed)
    return dcs_fail(DCS_FAILED, "%d configuration%s did not compile", t.failed,
                    t.failed == 1 ? "" : "s");
  return t.compiled ? DCS_OK
                    : dcs_fail(DCS_USAGE, "no configuration that was asked for can compute a map");
}
