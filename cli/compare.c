/* dcsbench compare */
#include "harness/compare/compare.h"
#include "cli/commands.h"
#include "cli/compare_print.h"
#include "harness/compare/interleave.h"
#include "harness/files/folder.h"
#include "harness/runs/find.h"
#include "tuning/database/tuned.h"
#include "tuning/report/report.h"

#include <errno.h>
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
    {"csv", 'c', NULL, "print CSV; what differs goes to standard error", DCS_FLAG(arguments, csv)},
    {"html", 0, "FILE", "write a page of both, side by side, too (B/compare.html)",
     .take = take_html, .arg_optional = true},
    {0}};

/* ---- as a page ---- */

static dcs_status check_page(const arguments *a, const char *const folders[2]) {
  for (int side = 0; side < 2 && a->page; side++)
    DCS_TRY(dcs_run_check_apart(folders[side], "--html", a->page));
  return DCS_OK;
}

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
    dcs_print_comparison_notes(stderr, c);
    DCS_TRY(dcs_write_comparison(c));
  } else {
    dcs_print_comparison(a->sides, c);
  }
  if (a->html) DCS_TRY(write_page(a, folders, c));
  size_t slower = c->changes[DCS_CHANGE_SLOWER];
  if (slower == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%zu row%s slower in %s than in %s%s", slower,
                  slower == 1 ? " is" : "s are", a->sides[1], a->sides[0],
                  c->forced ? " (forced: the runs are not comparable)" : "");
}

/* ---- measuring both ---- */

enum { ROUNDS = 64 };

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
  return dcs_interleave(programs, rounds, (uint64_t)a->planned.seed,
                        a->planned.budget_s == 0 ? DCS_BUDGET_ADVICE : NULL);
}

static dcs_status measure_into(const arguments *a, const char *folder, dcs_comparison *c) {
  dcs_typed words[2] = {{{NULL}, 0}, {{NULL}, 0}};
  session s;
  snprintf(s.name, sizeof s.name, "%llx-%x", (unsigned long long)time(NULL), (unsigned)getpid());
  for (int side = 0; side < 2; side++)
    DCS_TRY(dcs_path_in(folder, side ? "b" : "a", s.folders[side]));
  const char *const folders[2] = {s.folders[0], s.folders[1]};
  DCS_TRY(check_page(a, folders));
  dcs_status status = interleave(a, &s, words);
  for (int side = 0; side < 2; side++)
    dcs_typed_free(&words[side]);
  DCS_TRY(status);
  return compare(a, folders, c);
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
  if (!a->run) DCS_TRY(check_page(a, a->sides));
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
          "follow each other in random order, 64 pairs of each size unless --rounds says; the "
          "ratio is the median of theirs, and "
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
