/* dcsbench lab */
#include "cli/commands.h"
#include "harness/base/text.h"
#include "harness/files/csv.h"
#include "harness/labs/result.h"
#include "harness/labs/speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *number, *kernels, *start, *submit, *name, *collect;
  bool csv;
} arguments;

static const dcs_option options[] = {
    {"start", 0, "DIR", "copy the lab's page and its files with gaps to DIR",
     DCS_WORD(arguments, start)},
    {"kernels", 0, "DIR", "check the files in DIR", DCS_WORD(arguments, kernels)},
    {"submit", 0, "DIR", "leave the result of the check in DIR, for a teacher",
     DCS_WORD(arguments, submit)},
    {"name", 0, "NAME", "whose result it is ($USER)", DCS_WORD(arguments, name)},
    {"collect", 0, "DIR", "make a table of the results in DIR", DCS_WORD(arguments, collect)},
    {"csv", 'c', NULL, "print that table as CSV", DCS_FLAG(arguments, csv)},
    {0}};

static dcs_status list_labs(void) {
  dcs_lab lab;
  for (int n = 1; n <= DCS_LABS; n++) {
    DCS_TRY(dcs_lab_open(n, &lab));
    printf("%d  %s\n", n, lab.title);
    dcs_lab_free(&lab);
  }
  printf(
      "\n`dcsbench lab N --start DIR` copies a lab to DIR, `dcsbench lab N --kernels DIR` checks "
      "it.\n");
  return DCS_OK;
}

static void print_finding(const dcs_lab_finding *f) {
  char size[DCS_TEXT], number[64] = "";
  const dcs_demand *d = f->demand;
  if (!d->method.variant) {
    printf("%-6s  %s\n", f->fault ? "FAILED" : "ok", d->check);
    return;
  }
  if (!f->done && strcmp(d->check, "speed") == 0) return; /* no GPU, or a fault before it */
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
static void print_faults(const dcs_lab_findings *findings, const dcs_variant *variant) {
  const char *file = dcs_lab_file(variant);
  int said = 0;
  for (int fault = DCS_FAULT_NONE + 1; fault <= DCS_FAULT_CRASH; fault++)
    for (int f = 0; f < findings->n; f++) {
      const dcs_lab_finding *finding = &findings->list[f];
      if ((int)finding->fault != fault || finding->demand->method.variant != variant) continue;
      if (said && fault >= DCS_FAULT_VALUES) return;
      const bool named = strncmp(finding->said, file, strlen(file)) == 0;
      if (said++)
        printf("  also: %s\n", finding->said);
      else
        printf("%s%s%s\n", named ? "" : file, named ? "" : ": ", finding->said);
    }
}

static void tell_before(int before) {
  fprintf(stderr,
          before == 1 ? "waiting for the GPU: %d is before you\n"
                      : "waiting for the GPU: %d are before you\n",
          before);
}

static dcs_status look_at_kernels(const arguments *a, const dcs_lab *lab,
                                  dcs_lab_findings *findings) {
  const char *user = getenv("USER"), *name = a->name ? a->name : user ? user : "";
  if (a->submit && !*name) return dcs_fail(DCS_USAGE, "--submit: expected --name NAME as well");
  if (a->submit && !dcs_is_name(name))
    return dcs_fail(DCS_USAGE, "--name: found a name of %zu bytes; expected " DCS_A_NAME,
                    strlen(name));
  DCS_TRY(dcs_lab_check(lab, a->kernels, findings));
  DCS_TRY(dcs_lab_speed(a->kernels, findings, tell_before));
  if (!a->submit) return DCS_OK;
  return dcs_lab_submit(lab, findings, a->kernels, a->submit, name);
}

static dcs_status check_kernels(const arguments *a, const dcs_lab *lab) {
  dcs_lab_findings findings = {0};
  dcs_status status = look_at_kernels(a, lab, &findings);
  if (status == DCS_OK) {
    printf("lab %d, %s\n\n", lab->number, lab->title);
    for (int f = 0; f < findings.n; f++)
      print_finding(&findings.list[f]);
    printf("\n");
    for (int d = 0; d < lab->n; d++)
      if (dcs_lab_is_first(lab, d)) print_faults(&findings, lab->demands[d].method.variant);
    if (findings.first_fault)
      status = dcs_fail(DCS_FAILED, "lab %d: %d of %d checks passed", lab->number,
                        findings.n_passed, findings.n_asked);
    else
      printf("lab %d passed\n", lab->number);
  }
  dcs_lab_findings_free(&findings);
  return status;
}

static dcs_status run_lab(const arguments *a) {
  dcs_lab lab;
  int64_t number;
  DCS_TRY(dcs_parse_integer("lab", a->number, 1, DCS_LABS, &number));
  if (!a->start && !a->kernels)
    return dcs_fail(DCS_USAGE, "expected --start DIR to begin lab %s, or --kernels DIR to check it",
                    a->number);
  DCS_TRY(dcs_lab_open(number, &lab));
  dcs_status status = a->start ? dcs_lab_start(&lab, a->start) : check_kernels(a, &lab);
  dcs_lab_free(&lab);
  return status;
}

/* ---- a class ---- */

/* Who handed in the same kernels before; "". */
static const char *same_as(const dcs_submission *list, int s) {
  for (int other = 0; other < s; other++)
    if (*list[s].sources && list[other].lab == list[s].lab &&
        strcmp(list[other].sources, list[s].sources) == 0)
      return list[other].name;
  return "";
}

static dcs_status print_class_csv(const dcs_submission *list, int n) {
  static const char *const columns[] =
      DCS_NAMES("lab", "name", "passed", "asked", "sources_hash", "same_as", "said");
  dcs_csv csv = dcs_csv_stdout();
  DCS_TRY(dcs_csv_header(&csv, columns));
  for (int s = 0; s < n; s++) {
    dcs_csv_integer(&csv, list[s].lab);
    dcs_csv_text(&csv, list[s].name);
    dcs_csv_integer(&csv, list[s].passed);
    dcs_csv_integer(&csv, list[s].asked);
    DCS_CSV_TEXTS(&csv, list[s].sources, same_as(list, s), list[s].said);
    DCS_TRY(dcs_csv_row(&csv));
  }
  return DCS_OK;
}

static void print_class(const dcs_submission *list, int n) {
  int passed = 0;
  for (int s = 0; s < n; s++) {
    const bool all = list[s].passed == list[s].asked;
    const char *same = same_as(list, s), *said = *list[s].said ? list[s].said : "not passed";
    printf("lab %d  %-24s %2d of %2d  %s%s%s%s\n", list[s].lab, list[s].name, list[s].passed,
           list[s].asked, all ? "passed" : said, *same ? " (the same kernels as " : "", same,
           *same ? ")" : "");
    passed += all;
  }
  printf("%d of %d passed\n", passed, n);
}

static dcs_status collect(const arguments *a) {
  dcs_submission *list;
  dcs_status status = DCS_OK;
  int n;
  DCS_TRY(dcs_lab_collect(a->collect, &list, &n));
  if (n == 0)
    status = dcs_fail(DCS_INPUT, "%s: no results; --submit leaves them", a->collect);
  else if (a->csv)
    status = print_class_csv(list, n);
  else
    print_class(list, n);
  free(list);
  return status;
}

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->collect && (a->number || a->kernels || a->start || a->submit))
    return dcs_fail(DCS_USAGE, "--collect takes no lab and no kernels");
  if (!a->number && (a->kernels || a->start || a->submit))
    return dcs_fail(DCS_USAGE, "expected the number of a lab; `dcsbench lab` lists them");
  if (a->kernels && a->start)
    return dcs_fail(DCS_USAGE, "expected --start DIR to begin a lab, or --kernels DIR to check it");
  if (a->submit && !a->kernels)
    return dcs_fail(DCS_USAGE, "--submit: expected --kernels DIR as well");
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
  if (a.collect) return collect(&a);
  return a.number ? run_lab(&a) : list_labs();
}
