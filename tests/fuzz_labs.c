/* Any bytes as a file of a student. The first says which: a answers to the questions of a lab, h
 * what kernels were found to do, handed in. */
#include "harness/labs/answers.h"
#include "harness/labs/result.h"
#include "tests/fuzz_cells.h"

enum { QUESTIONS = 6, MOST = 16 };

static char folder[64], paths[2][96];
static int answers_file, result_file;
static dcs_lab lab;

static void remove_folder(void) {
  unlink(paths[0]);
  unlink(paths[1]);
  rmdir(folder);
  dcs_lab_free(&lab);
}

static void begin(void) {
  fuzz_folder(folder);
  atexit(remove_folder);
  snprintf(paths[0], sizeof paths[0], "%s/answers.csv", folder);
  snprintf(paths[1], sizeof paths[1], "%s/a.lab1.csv", folder);
  answers_file = fuzz_open(paths[0]);
  result_file = fuzz_open(paths[1]);
  FUZZ_EXPECT(dcs_lab_open(QUESTIONS, &lab) == DCS_OK && lab.asks && lab.n <= MOST);
}

static void answers(const uint8_t *data, size_t size) {
  static dcs_lab_finding list[MOST];
  dcs_lab_findings findings = {.list = list, .n = lab.n};
  fuzz_fill(answers_file, data, size);
  if (dcs_check_answers(&lab, folder, &findings) == DCS_OK)
    for (int f = 0; f < findings.n; f++)
      FUZZ_EXPECT(list[f].done && list[f].demand && (!list[f].fault || *list[f].said));
}

static void results(const uint8_t *data, size_t size) {
  dcs_submission *found;
  int n;
  fuzz_fill(result_file, data, size);
  if (dcs_lab_collect(folder, &found, &n) == DCS_OK)
    FUZZ_EXPECT(n == 1 && found->lab >= 1 && found->lab <= DCS_LABS && found->passed >= 0 &&
                found->passed <= found->asked);
  free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  if (!*folder) begin();
  if (data[0] == 'a') answers(data + 1, size - 1);
  if (data[0] == 'h') results(data + 1, size - 1);
  return 0;
}
