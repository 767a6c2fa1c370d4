/* dcsbench compare */
#include "harness/compare/compare.h"
#include "cli/commands.h"
#include "harness/compare/interleave.h"
#include "harness/files/folder.h"
#include "tuning/database/tuned.h"
#include "tuning/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_problem_choice choice;
  dcs_plan_options planned;
  dcs_typed typed;
  const char *sides[2]; /* run folders; with --run, programs or folders of kernels */
  const char *out;
  const char *page;
  bool run, force, csv, html;
} arguments;

static dcs_status take_html(const char *arg, void *values) {
  arguments *a = values;
  a->html = true;
  a->page = arg;
  return DCS_OK;
}

static const dcs_option options[] = {
    {"force", 'f', NULL, "compare runs that are not comparable; every line says so",
     DCS_FLAG(arguments, force)},
    {"run", 'r', NULL,
     "A and B are two dcsbench programs, or folders as --kernels takes them: measure both in "
     "turns, "
     "with the options of `dcsbench sweep`, and compare",
     DCS_FLAG(arguments, run)},
    {"out", 'o', "DIR", "with --run: keep the two run folders, DIR/a and DIR/b",
     DCS_WORD(arguments, out)},
    {"csv", 'c', NULL, "write CSV; what differs goes to standard error", DCS_FLAG(arguments, csv)},
    {"html", 0, "FILE", "write a page of both, side by side, too (B/compare.html)",
     .take = take_html, .arg_optional = true},
    {0}};

static const char *verdict(const dcs_compared *row) {
  return row->failed ? "NOT_OK" : dcs_change_name(row->change);
}

static bool is_disturbed(const dcs_compared *row) {
  return dcs_row_disturbed(row->row[0]) || dcs_row_disturbed(row->row[1]);
}

/* What is to be known beside the rows. `mark` begins each line. */
static void print_notes(FILE *out, const char *mark, const dcs_comparison *c) {
  for (size_t d = 0; d < c->n_differences; d++)
    fprintf(out, "%s%s: %s: A \"%s\", B \"%s\"\n", mark,
            c->differences[d].incomparable ? "not comparable" : "differs", c->differences[d].key,
            c->differences[d].value[0], c->differences[d].value[1]);
  for (int r = 0; r < 2; r++)
    for (int t = 0; t < 3; t++) {
      const dcs_table *tables[] = {c->runs[r].env, c->runs[r].samples, c->runs[r].summary};
      if (dcs_table_torn(tables[t]))
        fprintf(out, "%s%s: the last row was cut off and is left out\n", mark,
                dcs_table_path(tables[t]));
      if (t == 1 && c->runs[r].n_loose > 0)
        fprintf(out, "%s%s: %zu samples of rows that the sweep did not finish are left out\n", mark,
                dcs_table_path(tables[t]), c->runs[r].n_loose);
    }
}

/* A line for each scope of a backend whose ratios scatter more than its sessions do. */
static void print_scatter(FILE *out, const char *mark, dcs_backend backend,
                          const dcs_comparison *c) {
  for (size_t i = 0, seen = DCS_UNTIMED; i < c->n; i++) {
    const dcs_run_row *row = c->list[i].row[0];
    if (row->backend != backend || seen & row->scope || c->list[i].failed) continue;
    seen |= row->scope;
    if (c->list[i].scatter <= c->spread[backend].deviation) continue;
    fprintf(out,
            "%s%s ratios of scope %s scatter by %.2g%%: the machine changed its pace, or some "
            "methods changed: `compare --run` tells; that is in each interval, too\n",
            mark, backend == DCS_CPU ? "CPU" : "GPU", dcs_scope_name(row->scope),
            100 * c->list[i].scatter);
  }
}

/* What the intervals are of. */
static void print_spreads(FILE *out, const char *mark, const dcs_comparison *c) {
  if (c->interleaved)
    fprintf(out,
            "%smeasured in turns: intervals hold with 95%% each, SLOWER and FASTER with 95%% "
            "of all rows together\n",
            mark);
  for (dcs_backend backend = DCS_CPU; !c->interleaved && backend <= DCS_GPU; backend++) {
    const dcs_spread *s = &c->spread[backend];
    const char *of = backend == DCS_CPU ? "CPU" : "GPU";
    if (!c->any[backend]) continue;
    fprintf(out, "%sspread of %s times between sessions, in each interval: %.2g%%, ", mark, of,
            100 * s->deviation);
    if (s->source == DCS_SPREAD_SESSIONS)
      fprintf(out, "as between the sessions of these runs\n");
    else if (s->source == DCS_SPREAD_MACHINE)
      fprintf(out, "measured on this machine in %d sessions, %s\n", s->degrees + 1, s->date);
    else
      fprintf(out, "assumed: `dcsbench limits --sessions 10` measures it, `compare --run` does "
                   "without\n");
    print_scatter(out, mark, backend, c);
  }
}

/* ---- as a table ---- */

static void print_row(const char *mark, int width, const dcs_compared *row) {
  char size[DCS_TEXT], interval[32] = "";
  const dcs_run_row *const *of = row->row;
  printf("%s%-20s %-6s %-16s %-*s ", mark, of[0]->variant, dcs_scope_name(of[0]->scope),
         of[0]->memory, width, dcs_size_text(&of[0]->size, size));
  if (row->failed) {
    snprintf(interval, sizeof interval, "A %s, B %s", dcs_outcome_name(of[0]->outcome),
             dcs_outcome_name(of[1]->outcome));
    printf("%44s", interval);
  } else {
    if (!isnan(row->ratio.lo))
      snprintf(interval, sizeof interval, "%.3f..%.3f", row->ratio.lo, row->ratio.hi);
    printf("%10.4g %10.4g %7.3f %14s", 1e-6 * row->median_ns[0], 1e-6 * row->median_ns[1],
           row->ratio.value, interval);
  }
  printf("  %-7s  %s%s\n", verdict(row), of[0]->config, is_disturbed(row) ? "  disturbed" : "");
}

static size_t count_few(const dcs_comparison *c) {
  size_t few = 0;
  for (size_t i = 0; i < c->n; i++)
    few += !c->list[i].failed && isnan(c->list[i].ratio.lo);
  return few;
}

static void print_counts(const char *mark, const dcs_comparison *c) {
  size_t total = 0;
  for (int change = 0; change < DCS_N_CHANGES; change++)
    total += c->changes[change];
  printf("%s%zu compared: %zu slower, %zu faster, %zu same, %zu unsure; median ratio %.3f\n", mark,
         total, c->changes[DCS_CHANGE_SLOWER], c->changes[DCS_CHANGE_FASTER],
         c->changes[DCS_CHANGE_SAME], c->changes[DCS_CHANGE_UNSURE], c->median_ratio);
  if (count_few(c) > 0)
    printf("%s%zu of the unsure ha%s fewer than %d samples, too few for a verdict: measure with "
           "--rounds %d or more, with budget enough for them\n",
           mark, count_few(c), count_few(c) == 1 ? "s" : "ve", DCS_RATIO_SAMPLES,
           DCS_RATIO_SAMPLES);
  size_t disturbed = 0;
  for (size_t i = 0; i < c->n; i++)
    disturbed += is_disturbed(&c->list[i]);
  if (disturbed > 0)
    printf(
        "%s%zu disturbed: in more than a quarter of their samples the machine did something else "
        "as well\n",
        mark, disturbed);
  printf("%snot compared: %zu only in A, %zu only in B, %zu not ok in one, %zu not ok in both\n",
         mark, c->only[0], c->only[1], c->failed[0], c->failed[1]);
}

static int size_width(const dcs_comparison *c) {
  size_t width = 0;
  char size[DCS_TEXT];
  for (size_t i = 0; i < c->n; i++) {
    dcs_size_text(&c->list[i].row[0]->size, size);
    if (strlen(size) > width) width = strlen(size);
  }
  return (int)width;
}

static void print_table(const arguments *a, const dcs_comparison *c) {
  const char *mark = c->forced ? "forced  " : "";
  const int width = size_width(c);
  printf("%sA is %s, B is %s; ratio: time B / time A, with its 95%% interval\n", mark, a->sides[0],
         a->sides[1]);
  print_spreads(stdout, mark, c);
  print_notes(stdout, mark, c);
  printf("%s%-20s %-6s %-16s %-*s %10s %10s %7s %14s  %-7s  %s\n", mark, "variant", "scope",
         "memory", width, "size", "A ms", "B ms", "ratio", "95%", "verdict", "config");
  for (size_t i = 0; i < c->n; i++)
    print_row(mark, width, &c->list[i]);
  print_counts(mark, c);
}

/* ---- as CSV ---- */

static dcs_status write_row(dcs_csv *csv, const dcs_comparison *c, const dcs_compared *row) {
  const dcs_run_row *const *of = row->row;
  dcs_csv_text(csv, of[0]->variant);
  dcs_csv_text(csv, of[0]->config);
  dcs_csv_text(csv, dcs_scope_name(of[0]->scope));
  dcs_csv_text(csv, of[0]->memory);
  dcs_csv_text(csv, of[0]->devices);
  dcs_size_put(csv, &of[0]->size);
  dcs_csv_integer(csv, (int64_t)row->ratio.n_a);
  dcs_csv_integer(csv, (int64_t)row->ratio.n_b);
  dcs_csv_number(csv, row->median_ns[0]);
  dcs_csv_number(csv, row->median_ns[1]);
  dcs_csv_number(csv, row->ratio.value);
  dcs_csv_number(csv, row->ratio.lo);
  dcs_csv_number(csv, row->ratio.hi);
  dcs_csv_number(csv, c->interleaved || row->failed ? NAN : c->spread[of[0]->backend].deviation);
  dcs_csv_number(csv, c->interleaved || row->failed ? NAN : row->scatter);
  dcs_csv_number(csv, row->p);
  dcs_csv_text(csv, dcs_outcome_name(of[0]->outcome));
  dcs_csv_text(csv, dcs_outcome_name(of[1]->outcome));
  dcs_csv_text(csv, verdict(row));
  dcs_csv_text(csv, c->forced ? "yes" : "no");
  return dcs_csv_row(csv);
}

static dcs_status write_csv(const dcs_comparison *c) {
  static const char *const method[] = DCS_NAMES("variant", "config", "scope", "memory", "devices");
  static const char *const compared[] =
      DCS_NAMES("n_a", "n_b", "median_a_ns", "median_b_ns", "ratio", "ratio_lo", "ratio_hi",
                "spread", "scatter", "p", "outcome_a", "outcome_b", "verdict", "forced");
  dcs_csv csv = dcs_csv_stdout();
  dcs_csv_names(&csv, method);
  dcs_csv_names(&csv, dcs_size_columns);
  DCS_TRY(dcs_csv_header(&csv, compared));
  for (size_t i = 0; i < c->n; i++)
    DCS_TRY(write_row(&csv, c, &c->list[i]));
  return DCS_OK;
}

/* ---- as a page ---- */

static dcs_status write_page(const arguments *a, const char *const folders[2],
                             const dcs_comparison *c) {
  char path[4096];
  DCS_TRY(dcs_path_in(folders[1], "compare.html", path));
  DCS_TRY(dcs_compare_page(c, a->page ? a->page : path));
  fprintf(a->csv ? stderr : stdout, "%s\n", a->page ? a->page : path);
  return DCS_OK;
}

/* ---- comparing ---- */

static dcs_status compare(const arguments *a, const char *const folders[2], dcs_comparison *c) {
  char path[4096];
  const bool any = dcs_tuned_path("spread.csv", path) == DCS_OK;
  DCS_TRY(dcs_compare(folders, a->force, any ? path : NULL, c));
  if (a->csv) {
    print_spreads(stderr, "", c);
    print_notes(stderr, "", c);
    DCS_TRY(write_csv(c));
  } else {
    print_table(a, c);
  }
  if (a->html) DCS_TRY(write_page(a, folders, c));
  size_t slower = c->changes[DCS_CHANGE_SLOWER];
  if (slower == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%zu row%s slower in %s than in %s%s", slower,
                  slower == 1 ? " is" : "s are", a->sides[1], a->sides[0],
                  c->forced ? " (forced: the runs are not comparable)" : "");
}

/* ---- measuring both ---- */

/* A pair of processes measures so many rounds that ROUNDS make this many blocks of them. */
enum { ROUNDS = 48, BLOCKS = 16 };

typedef struct {
  char folders[2][4096]; /* of the runs */
  char programs[2][4096];
  char name[32]; /* of both, together */
} session;

static dcs_status add_word(dcs_typed *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static dcs_status add_word(dcs_typed *words, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = words->n + 1 < DCS_MAX_TYPED ? vasprintf(&words->words[words->n], format, list) : -1;
  va_end(list);
  if (length < 0) return dcs_fail(DCS_UNAVAILABLE, "no memory for the words of a sweep");
  words->n++;
  return DCS_OK;
}

/* The words of a sweep for one side, and the path of its program. */
static dcs_status add_words(const arguments *a, int side, session *s, dcs_typed *words) {
  struct stat info;
  const char *of = a->sides[side];
  if (stat(of, &info) != 0) return dcs_fail(DCS_USAGE, "%s: %s", of, strerror(errno));
  const bool kernels = S_ISDIR(info.st_mode);
  if (kernels && a->device.kernels)
    return dcs_fail(DCS_USAGE, "--kernels %s and %s are two folders for one side",
                    a->device.kernels, of);
  DCS_TRY(add_word(words, "dcsbench"));
  DCS_TRY(add_word(words, "sweep"));
  for (int w = 0; w < a->typed.n; w++)
    DCS_TRY(add_word(words, "%s", a->typed.words[w]));
  if (a->planned.rounds == 0) DCS_TRY(add_word(words, "--rounds=%d", ROUNDS));
  if (kernels) DCS_TRY(add_word(words, "--kernels=%s", of));
  DCS_TRY(add_word(words, "--turns=%s", s->name));
  DCS_TRY(add_word(words, "--out=%s", s->folders[side]));
  char *path = s->programs[side];
  if (kernels) return dcs_path_in("/proc/self", "exe", path);
  if (!strchr(of, '/')) return dcs_path_in(".", of, path); /* not looked for on PATH */
  return snprintf(path, 4096, "%s", of) < 4096 ? DCS_OK : dcs_fail(DCS_USAGE, "%s: too long", of);
}

static dcs_status interleave(const arguments *a, session *s, dcs_typed words[2]) {
  dcs_interleaved programs[2];
  for (int side = 0; side < 2; side++) {
    DCS_TRY(add_words(a, side, s, &words[side]));
    programs[side] = (dcs_interleaved){a->sides[side], s->programs[side], words[side].words};
  }
  const int rounds = a->planned.rounds ? (int)a->planned.rounds : ROUNDS;
  return dcs_interleave(programs, (rounds + BLOCKS - 1) / BLOCKS, (uint64_t)a->planned.seed,
                        a->planned.budget_s == 0 ? DCS_BUDGET_ADVICE : NULL);
}

static dcs_status measure_into(const arguments *a, const char *folder, dcs_comparison *c) {
  dcs_typed words[2] = {{{NULL}, 0}, {{NULL}, 0}};
  session s;
  snprintf(s.name, sizeof s.name, "%llx-%x", (unsigned long long)time(NULL), (unsigned)getpid());
  for (int side = 0; side < 2; side++)
    DCS_TRY(dcs_path_in(folder, side ? "b" : "a", s.folders[side]));
  dcs_status status = interleave(a, &s, words);
  for (int side = 0; side < 2; side++)
    dcs_typed_free(&words[side]);
  DCS_TRY(status);
  return compare(a, (const char *const[]){s.folders[0], s.folders[1]}, c);
}

static dcs_status measure(const arguments *a, dcs_comparison *c) {
  char folder[4096];
  if (a->out) return measure_into(a, a->out, c);
  DCS_TRY(dcs_make_temporary(folder));
  dcs_status status = measure_into(a, folder, c);
  dcs_remove_folder(folder);
  return status;
}

/* ---- the command ---- */

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (!a->run && (a->out || a->typed.n > 0))
    return dcs_fail(DCS_USAGE, "%s is an option of --run: without it, A and B are measured already",
                    a->out ? "--out" : a->typed.words[0]);
  if (a->run && a->html && !a->page && !a->out)
    return dcs_fail(DCS_USAGE, "--html: give it a FILE, or keep the runs with --out: the page lies "
                               "in B otherwise");
  if (a->planned.rounds > 0 && a->planned.rounds < DCS_PAIRED_BLOCKS)
    return dcs_fail(DCS_USAGE, "--rounds %d: expected %d or more, for an interval",
                    (int)a->planned.rounds, DCS_PAIRED_BLOCKS);
  return dcs_check_plan(&a->planned, &a->choice);
}

dcs_status dcs_command_compare(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "A B",
      .doc =
          "Did anything get slower from run A to run B, or with --run from program A to program B? "
          "For each method, scope, memory and size in both: the ratio of their times with its 95% "
          "interval, from the samples. SLOWER and FASTER: the whole interval is beyond 2%; SAME: "
          "it "
          "is within; UNSURE: neither, or fewer than 6 samples. Status 1 when any is SLOWER.\v"
          "Runs on another CPU, number of CPUs or GPU, or of other atoms or another grid spacing, "
          "are refused.\n\n"
          "A machine is faster at one time than at another. With --run one sample of A and one of "
          "B "
          "follow each other in random order, 48 pairs of each size unless --rounds says, and "
          "SLOWER and FASTER hold for all sizes together: a program against itself ends with "
          "status "
          "1 in fewer than one session in twenty. Runs measured one after the other have the "
          "spread "
          "between sessions in their intervals instead, and tell less.",
      .check = check,
      .place = DCS_PLACE(arguments, sides[0], const char *),
      .words = 2,
      .missing = "two run folders are needed: before and after"};
  arguments a = {0};
  dcs_comparison comparison = {0};
  dcs_status status = dcs_parse_options(&line, argc, argv, &a,
                                        (dcs_shared_options){.device = &a.device,
                                                             .problem = &a.problem,
                                                             .choice = &a.choice,
                                                             .planned = &a.planned,
                                                             .typed = &a.typed});
  if (status == DCS_OK)
    status = a.run ? measure(&a, &comparison) : compare(&a, a.sides, &comparison);
  dcs_typed_free(&a.typed);
  dcs_comparison_free(&comparison);
  return status;
}
