#include "harness/labs/answers.h"

#include "harness/base/embedded.h"
#include "harness/base/text.h"
#include "harness/files/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes of a run ---- */

enum { MOST_SIZES = 64 };

/* Two methods at one number of atoms: their times, and which is faster. */
typedef struct {
  double atoms, a_ns, b_ns;
  char winner[16]; /* a, b, unsure */
} one_size;

typedef struct {
  const dcs_table *questions, *winners, *thresholds;
  size_t row;    /* of the question */
  double answer; /* NaN: it is no number */
  const char *text;
  one_size sizes[MOST_SIZES]; /* those that the question is about, ascending */
  int n;
} inquiry;

static const char *cell(const dcs_table *table, size_t row, const char *column) {
  return dcs_table_cell(table, row, dcs_table_column(table, column));
}
static double number(const dcs_table *table, size_t row, const char *column) {
  return dcs_table_number(table, row, dcs_table_column(table, column));
}
static const char *asked(const inquiry *q, const char *column) {
  return cell(q->questions, q->row, column);
}

/* Whether a row has what the question names in these columns. */
static bool is_about(const inquiry *q, const dcs_table *table, size_t row) {
  static const char *const columns[] = {"scope", "method_a", "method_b"};
  for (int c = 0; c < 3; c++)
    if (strcmp(cell(table, row, columns[c]), asked(q, columns[c])) != 0) return false;
  return true;
}

static int by_atoms(const void *left, const void *right) {
  const one_size *a = left, *b = right;
  return (a->atoms > b->atoms) - (a->atoms < b->atoms);
}

static void find_sizes(inquiry *q) {
  q->n = 0;
  for (size_t r = 0; r < dcs_table_rows(q->winners) && q->n < MOST_SIZES; r++) {
    char grid[DCS_TEXT];
    snprintf(grid, sizeof grid, "%sx%sx%s", cell(q->winners, r, "nx"), cell(q->winners, r, "ny"),
             cell(q->winners, r, "nz"));
    if (!is_about(q, q->winners, r) || strcmp(grid, asked(q, "grid")) != 0) continue;
    one_size *size = &q->sizes[q->n++];
    *size = (one_size){.atoms = number(q->winners, r, "atoms"),
                       .a_ns = number(q->winners, r, "median_a_ns"),
                       .b_ns = number(q->winners, r, "median_b_ns")};
    snprintf(size->winner, sizeof size->winner, "%s", cell(q->winners, r, "winner"));
  }
  qsort(q->sizes, (size_t)q->n, sizeof q->sizes[0], by_atoms);
}

/* ---- what is right ---- */

static double last_of_a(const inquiry *q) {
  double last = NAN;
  for (int s = 0; s < q->n; s++)
    if (strcmp(q->sizes[s].winner, "a") == 0) last = q->sizes[s].atoms;
  return last;
}

static double first_of_b(const inquiry *q) {
  for (int s = 0; s < q->n; s++)
    if (strcmp(q->sizes[s].winner, "b") == 0) return q->sizes[s].atoms;
  return NAN;
}

/* What is lost at worst by taking b from a number of atoms on: time over the better time, less 1.
 */
static double worst_loss(const inquiry *q, double threshold) {
  double worst = 0;
  for (int s = 0; s < q->n; s++) {
    const one_size *size = &q->sizes[s];
    const double taken = size->atoms < threshold ? size->a_ns : size->b_ns;
    worst = fmax(worst, taken / fmin(size->a_ns, size->b_ns) - 1);
  }
  return worst;
}

static const one_size *size_asked(const inquiry *q) {
  for (int s = 0; s < q->n; s++)
    if (q->sizes[s].atoms == number(q->questions, q->row, "atoms")) return &q->sizes[s];
  return NULL;
}

static bool is_near(const inquiry *q, double right) {
  return fabs(q->answer - right) <= number(q->questions, q->row, "tolerance") * fabs(right);
}

static bool right_last_a(const inquiry *q) {
  return is_near(q, last_of_a(q));
}
static bool right_first_b(const inquiry *q) {
  return is_near(q, first_of_b(q));
}
static bool right_threshold(const inquiry *q) {
  return q->answer > last_of_a(q) && q->answer <= first_of_b(q);
}
static bool right_times(const inquiry *q) {
  const one_size *size = size_asked(q);
  return size && is_near(q, fmax(size->a_ns, size->b_ns) / fmin(size->a_ns, size->b_ns));
}
static bool right_winner(const inquiry *q) {
  const one_size *size = size_asked(q);
  return size && strcmp(q->text, size->winner) == 0;
}
static bool right_loss(const inquiry *q) {
  return is_near(q, 100 * worst_loss(q, number(q->questions, q->row, "atoms")));
}
static bool right_small_loss(const inquiry *q) {
  if (isnan(q->answer)) return false;
  return worst_loss(q, q->answer) <= number(q->questions, q->row, "tolerance");
}
static bool right_status(const inquiry *q) {
  for (size_t r = 0; r < dcs_table_rows(q->thresholds); r++)
    if (is_about(q, q->thresholds, r) && strcmp(cell(q->thresholds, r, "axis"), "atoms") == 0 &&
        strcmp(cell(q->thresholds, r, "fixed"), asked(q, "grid")) == 0)
      return strcmp(q->text, cell(q->thresholds, r, "status")) == 0;
  return false;
}

static const struct {
  const char *asks;
  bool (*right)(const inquiry *);
} kinds[] = {{"last_a", right_last_a},         {"first_b", right_first_b},
             {"threshold", right_threshold},   {"times", right_times},
             {"winner", right_winner},         {"loss", right_loss},
             {"small_loss", right_small_loss}, {"status", right_status}};

/* ---- answers ---- */

/* Its row, the first from `from` on; that behind the last: there is none. */
static size_t answer_to(const dcs_table *answers, const char *question, size_t from) {
  while (from < dcs_table_rows(answers) && strcmp(cell(answers, from, "question"), question) != 0)
    from++;
  return from;
}

static void judge(inquiry *q, const dcs_table *answers, dcs_lab_finding *finding) {
  const char *name = asked(q, "question");
  const size_t n = dcs_table_rows(answers), row = answer_to(answers, name, 0);
  const bool there = row < n, twice = there && answer_to(answers, name, row + 1) < n;
  bool right = false;
  q->text = there ? cell(answers, row, "answer") : "";
  q->answer = there ? number(answers, row, "answer") : NAN;
  find_sizes(q);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    if (strcmp(kinds[k].asks, asked(q, "asks")) == 0) right = kinds[k].right(q);
  finding->done = true;
  finding->measured = q->answer;
  if (right && !twice) return;
  finding->fault = DCS_FAULT_MAP;
  if (twice)
    snprintf(finding->said, sizeof finding->said, "%s: there are two answers; expected one", name);
  else if (*q->text)
    snprintf(finding->said, sizeof finding->said, "%s: %.100s is not right: %s", name, q->text,
             asked(q, "hint"));
  else
    snprintf(finding->said, sizeof finding->said, "%s: there is no answer yet", name);
}

static dcs_status read_built_in(const char *folder, const char *name, dcs_table **table) {
  char path[4096];
  DCS_TRY(dcs_path_in(folder, name, path));
  const char *text = dcs_embedded(path);
  if (!text) return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", path);
  return dcs_table_parse(path, text, strlen(text), table);
}

static dcs_status read_answers(const char *folder, dcs_table **answers) {
  static const char *const columns[] = DCS_NAMES("question", "answer");
  char path[4096];
  int at[2];
  DCS_TRY(dcs_path_in(folder, "answers.csv", path));
  DCS_TRY(dcs_table_read_whole(path, answers));
  dcs_status status = dcs_table_need_all(*answers, columns, at);
  if (status != DCS_OK) dcs_table_free(*answers);
  return status;
}

/* All questions of a lab are about one run. */
static dcs_status judge_all(const dcs_lab *lab, const dcs_table *answers, dcs_table *questions,
                            dcs_lab_findings *findings) {
  dcs_table *winners, *thresholds;
  const char *run = cell(questions, 0, "run");
  DCS_TRY(read_built_in(run, "winners.csv", &winners));
  dcs_status status = read_built_in(run, "thresholds.csv", &thresholds);
  if (status == DCS_OK) {
    inquiry q = {.questions = questions, .winners = winners, .thresholds = thresholds};
    for (int d = 0; d < lab->n; d++) {
      findings->list[d] = (dcs_lab_finding){.demand = &lab->demands[d]};
      q.row = (size_t)d;
      judge(&q, answers, &findings->list[d]);
    }
    dcs_table_free(thresholds);
  }
  dcs_table_free(winners);
  return status;
}

dcs_status dcs_check_answers(const dcs_lab *lab, const char *folder, dcs_lab_findings *findings) {
  dcs_table *answers, *questions;
  DCS_TRY(read_answers(folder, &answers));
  dcs_status status = dcs_lab_table(lab->number, "questions.csv", &questions);
  if (status == DCS_OK) {
    status = judge_all(lab, answers, questions, findings);
    dcs_table_free(questions);
  }
  dcs_table_free(answers);
  return status;
}
