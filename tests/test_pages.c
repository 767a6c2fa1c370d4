/* The pages that users read: each command that one prints is a command with options that exist, and
 * those of the labs are run as printed. The notebook is one that any program reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ctype.h>
#include <glob.h>
#include <jansson.h>
#include <unistd.h>
#include <wordexp.h>

#include "harness/labs/lab.h"
#include "tests/documented.h"
#include "tests/program.h"

static documented commands; /* of the page being read */

static void read_page(const char *path) {
  char *page = get_file(path, NULL);
  commands.n = 0;
  documented_read(&commands, page);
  free(page);
}

/* ---- options exist ---- */

/* Whether the help of a command, in program_out, has an option as it is written: --name, -n. */
static bool has_option(const char *word) {
  const size_t length = strcspn(word, "=");
  for (const char *at = program_out; (at = strstr(at, word)) != NULL; at++)
    if (at[-1] == ' ' && strchr(" =[,\n", at[length])) return true;
  return false;
}

static void check_options(const char *page, const char *command, char **words) {
  static char asked[64];
  if (strcmp(asked, words[1]) != 0) {
    if (program_run("%s --help", words[1]) != 0)
      fail_msg("%s: \"%s\": there is no command %s", page, command, words[1]);
    snprintf(asked, sizeof asked, "%s", words[1]);
  }
  /* Behind "--" is another program's command line. */
  for (char **word = words + 2; *word && strcmp(*word, "--") != 0; word++) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*word, "="), *word);
    if (name[0] == '-' && name[1] && !has_option(name))
      fail_msg("%s: \"%s\": %s has no option %s", page, command, words[1], name);
  }
}

static void check_command(const char *page, const char *command) {
  wordexp_t words;
  if (wordexp(command, &words, WRDE_NOCMD) != 0)
    fail_msg("%s: \"%s\" is no command line", page, command);
  if (words.we_wordc > 1 && words.we_wordv[1][0] != '-')
    check_options(page, command, words.we_wordv);
  wordfree(&words);
}

static void commands_have_these_options(void **state) {
  (void)state;
  static const char *const pages[] = {"README.md", "*/*.md", "labs/*/*.md", "kernels/*/*.md"};
  int n = 0;
  for (size_t p = 0; p < sizeof pages / sizeof pages[0]; p++) {
    glob_t found;
    assert_int_equal(glob(pages[p], 0, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc; f++) {
      read_page(found.gl_pathv[f]);
      n += commands.n;
      for (int c = 0; c < commands.n; c++)
        check_command(found.gl_pathv[f], commands.list[c]);
    }
    globfree(&found);
  }
  assert_true(n > 150);
}

/* ---- links ---- */

/* Whether a page has a heading with this anchor, as GitHub makes it: lower case, letters, digits, -
 * and _ stay, spaces become -. */
static bool has_anchor(const char *page, const char *anchor) {
  for (const char *line = page; line; line = strchr(line, '\n'), line += line != NULL) {
    const char *of = anchor, *at = line + strspn(line, "#");
    if (at == line || *at++ != ' ') continue;
    for (; *at && *at != '\n'; at++) {
      const char c = *at == ' ' ? '-' : (char)tolower((unsigned char)*at);
      if (!isalnum((unsigned char)c) && c != '-' && c != '_') continue;
      if (*of++ != c) break;
    }
    if ((!*at || *at == '\n') && !*of) return true;
  }
  return false;
}

/* `link`, "maps.md#units", in the page at `path`. */
static void check_link(const char *path, const char *page, const char *link) {
  const size_t length = strcspn(link, "#");
  const char *slash = strrchr(path, '/'), *anchor = link[length] ? link + length + 1 : NULL;
  char to[PATH_MAX];
  snprintf(to, sizeof to, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)length, link);
  if (length > 0 && access(to, F_OK) != 0) fail_msg("%s: there is no %s", path, to);
  if (!anchor) return;
  char *other = length > 0 ? get_file(to, NULL) : NULL;
  if (!has_anchor(other ? other : page, anchor)) fail_msg("%s: %s has no such heading", path, link);
  free(other);
}

static int check_links(const char *path) {
  char *page = get_file(path, NULL), link[256];
  int n = 0;
  for (const char *at = page; (at = strstr(at, "](")) != NULL; at += 2) {
    if (sscanf(at, "](%255[^) \n]", link) != 1 || strchr(link, ':')) continue;
    check_link(path, page, link);
    n++;
  }
  free(page);
  return n;
}

static void links_lead_somewhere(void **state) {
  (void)state;
  static const char *const pages[] = {"README.md", "*/*.md", "labs/*/*.md", "kernels/*/*.md"};
  int n = 0;
  for (size_t p = 0; p < sizeof pages / sizeof pages[0]; p++) {
    glob_t found;
    assert_int_equal(glob(pages[p], 0, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc; f++)
      n += check_links(found.gl_pathv[f]);
    globfree(&found);
  }
  assert_true(n > 250);
}

/* ---- commands of the labs ---- */

/* In a folder where a student could be: the program is found, and the reference is there. */
static int run_printed(const char *folder, const char *command) {
  char build[PATH_MAX], line[2 * PATH_MAX + LONGEST_DOCUMENTED];
  assert_non_null(realpath(program_path(), build));
  *strrchr(build, '/') = '\0';
  snprintf(line, sizeof line, "cd %s && PATH=%s:$PATH && { %s; } > said 2>&1", folder, build,
           command);
  const int status = system(line);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void make_student(const char *folder) {
  char path[PATH_MAX], reference[PATH_MAX];
  snprintf(path, sizeof path, "mkdir -p %s/results", folder);
  assert_int_equal(system(path), 0);
  assert_non_null(realpath("results/reference", reference));
  snprintf(path, sizeof path, "%s/results/reference", folder);
  assert_int_equal(symlink(reference, path), 0);
}

static bool is_for_gpu(const char *command) {
  return strncmp(command, "dcsbench sweep", 14) == 0 && strstr(command, "cuda_");
}

/* 4: this machine has no GPU, or no NVRTC. */
static void expect_printed(int lab, const char *folder, const char *command) {
  const bool may_lack = is_for_gpu(command) || strncmp(command, "dcsbench compile", 16) == 0;
  const int status = run_printed(folder, command);
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/said", folder);
  char *said = get_file(path, NULL);
  if (status != 0 && !(status == 4 && may_lack))
    fail_msg("labs/%d/README.md: \"%s\": status %d: %s", lab, command, status, said);
  free(said);
}

static void take_solution(int lab, const char *folder) {
  char line[PATH_MAX];
  snprintf(line, sizeof line, "cp labs/%d/solution/* %s/mine", lab, folder);
  assert_int_equal(system(line), 0);
}

static bool is_run(const char *command, bool gpu) {
  const bool named_alone = !strchr(command + 9, ' '); /* in a sentence: "dcsbench compile" shows */
  return !named_alone && !(gpu && is_for_gpu(command));
}

/* As by one student whose kernels are right, lab after lab. Sweeps of CUDA variants are left to
 * machines without a GPU, where they say so: they take minutes. */
static void commands_of_labs_run(void **state) {
  (void)state;
  const bool gpu = program_has_gpu();
  const char *folder = in_folder("student");
  make_student(folder);
  for (int lab = 1; lab <= DCS_LABS; lab++) {
    char page[64];
    snprintf(page, sizeof page, "labs/%d/README.md", lab);
    read_page(page);
    assert_true(commands.n > 1);
    assert_non_null(strstr(commands.list[0], "--start mine"));
    assert_int_equal(run_printed(folder, "rm -rf mine"), 0);
    for (int c = 0; c < commands.n; c++) {
      if (is_run(commands.list[c], gpu)) expect_printed(lab, folder, commands.list[c]);
      if (c == 0) take_solution(lab, folder);
    }
  }
}

/* ---- the notebook ---- */

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* The source of a cell, its lines in one. */
static char *source_of(const json_t *cell) {
  static char text[4096];
  size_t l;
  json_t *line;
  text[0] = '\0';
  json_array_foreach(json_object_get(cell, "source"), l, line) {
    assert_true(strlen(text) + json_string_length(line) < sizeof text);
    strcat(text, json_string_value(line));
  }
  assert_true(*text);
  return text;
}

/* As nbformat 4.5 has it, with nothing of a run in it. */
static void check_cell(const json_t *cell) {
  const char *type = text_of(cell, "cell_type"), *id = text_of(cell, "id");
  assert_true(*id && strlen(id) <= 64 && strspn(id, "abcdefghijklmnopqrstuvwxyz-") == strlen(id));
  assert_true(json_is_object(json_object_get(cell, "metadata")));
  assert_true(json_is_array(json_object_get(cell, "source")));
  const json_t *outputs = json_object_get(cell, "outputs");
  if (strcmp(type, "code") != 0) {
    assert_string_equal(type, "markdown");
    assert_null(outputs);
    return;
  }
  assert_true(json_is_array(outputs) && json_array_size(outputs) == 0);
  assert_true(json_is_null(json_object_get(cell, "execution_count")));
}

/* Up to where the shell goes on: ` || `, ` | `, `; `. */
static void check_shell(const char *source) {
  for (const char *at = source; (at = strstr(at, "build/dcsbench ")) != NULL; at++) {
    char command[LONGEST_DOCUMENTED];
    snprintf(command, sizeof command, "%.*s", (int)strcspn(at + 6, "\n;"), at + 6);
    char *pipe = strstr(command, " |");
    if (pipe) *pipe = '\0';
    check_command("labs/notebook.ipynb", command);
  }
}

static void the_notebook_is_well_formed(void **state) {
  (void)state;
  json_error_t error;
  json_t *book = json_load_file("labs/notebook.ipynb", JSON_REJECT_DUPLICATES, &error), *cell;
  size_t c;
  if (!book) fail_msg("labs/notebook.ipynb:%d: %s", error.line, error.text);
  assert_int_equal(json_integer_value(json_object_get(book, "nbformat")), 4);
  assert_int_equal(json_integer_value(json_object_get(book, "nbformat_minor")), 5);
  assert_true(json_is_object(json_object_get(book, "metadata")));
  assert_true(json_array_size(json_object_get(book, "cells")) > 5);
  json_array_foreach(json_object_get(book, "cells"), c, cell) {
    check_cell(cell);
    if (strcmp(text_of(cell, "cell_type"), "code") == 0) check_shell(source_of(cell));
  }
  json_decref(book);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commands_have_these_options),
      cmocka_unit_test(links_lead_somewhere),
      cmocka_unit_test(the_notebook_is_well_formed),
      cmocka_unit_test(commands_of_labs_run),
  };
  without_limits();
  return cmocka_run_group_tests_name("pages", tests, program_setup, program_teardown);
}
