/* dcsbench lab */
#include "cli/commands.h"
#include "harness/base/text.h"
#include "harness/labs/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *number, *kernels, *start;
} arguments;

static const dcs_option options[] = {
    {"kernels", 0, "DIR", "check the kernels in DIR", DCS_WORD(arguments, kernels)},
    {"start", 0, "DIR", "copy the lab's page and its kernels with gaps to DIR",
     DCS_WORD(arguments, start)},
    {0}};

static dcs_status list_labs(void) {
  dcs_lab lab;
  for (int n = 1; n <= DCS_LABS; n++) {
    if (dcs_lab_open(n, &lab) != DCS_OK) continue;
    printf("%d  %s\n", n, lab.title);
    dcs_lab_free(&lab);
  }
  printf(
      "\n`dcsbench lab N --start DIR` copies a lab to DIR, `dcsbench lab N --kernels DIR` checks "
      "it.\n");
  return DCS_OK;
}

static void print_finding(const dcs_finding *f) {
  char size[DCS_TEXT], number[64] = "";
  const dcs_demand *d = f->demand;
  snprintf(size, sizeof size, "%lldx%lldx%lld, %lld atoms", (long long)d->grid.x,
           (long long)d->grid.y, (long long)d->grid.z, (long long)d->atoms);
  if (!isnan(f->measured) && !isnan(d->limit))
    snprintf(number, sizeof number, "  %.3g of %.3g", f->measured, d->limit);
  printf("%-6s  %-14s %-20s %s%s\n",
         !f->done   ? "-"
         : f->fault ? "FAILED"
                    : "ok",
         dcs_lab_file(d->method.variant), d->check, size, number);
}

/* What is wrong with one kernel, the most telling first; that values are wrong only where nothing
 * else is known. */
static void print_faults(const dcs_findings *findings, const dcs_variant *variant) {
  const char *file = dcs_lab_file(variant);
  int said = 0;
  for (int fault = DCS_FAULT_NONE + 1; fault <= DCS_FAULT_CRASH; fault++)
    for (int f = 0; f < findings->n; f++) {
      const dcs_finding *finding = &findings->list[f];
      if ((int)finding->fault != fault || finding->demand->method.variant != variant) continue;
      if (said && fault >= DCS_FAULT_VALUES) return;
      const bool named = strncmp(finding->said, file, strlen(file)) == 0;
      printf("%s%s%s%s\n", said++ ? "  also: " : "", said > 1 || named ? "" : file,
             said > 1 || named ? "" : ": ", finding->said);
    }
}

static dcs_status check_kernels(const arguments *a, const dcs_lab *lab) {
  dcs_findings findings;
  dcs_status status = dcs_lab_check(lab, a->kernels, &findings);
  if (status == DCS_OK) {
    printf("lab %d, %s\n\n", lab->number, lab->title);
    for (int f = 0; f < findings.n; f++)
      print_finding(&findings.list[f]);
    printf("\n");
    for (int d = 0; d < lab->n; d++)
      if (dcs_lab_is_first(lab, d)) print_faults(&findings, lab->demands[d].method.variant);
    if (findings.first_fault)
      status = dcs_fail(DCS_FAILED, "lab %d: %d of %d checks passed", lab->number,
                        findings.n_passed, findings.n);
    else
      printf("lab %d passed\n", lab->number);
  }
  dcs_findings_free(&findings);
  return status;
}

static dcs_status run_lab(const arguments *a) {
  dcs_lab lab;
  int64_t number;
  DCS_TRY(dcs_parse_integer("lab", a->number, 1, DCS_LABS, &number));
  DCS_TRY(dcs_lab_open(number, &lab));
  dcs_status status = a->start ? dcs_lab_start(&lab, a->start) : check_kernels(a, &lab);
  dcs_lab_free(&lab);
  return status;
}

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->number && !a->kernels == !a->start)
    return dcs_fail(DCS_USAGE, "expected --start DIR to begin a lab, or --kernels DIR to check it");
  return DCS_OK;
}

dcs_status dcs_command_lab(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "[N]",
      .place = offsetof(arguments, number),
      .words = 1,
      .check = check,
      .doc = "Exercises with a gap in a kernel: list them, begin one, or check your kernels, in "
             "seconds and without a GPU."};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){0}));
  return a.number ? run_lab(&a) : list_labs();
}
