#include "harness/commands/command.h"

#include "harness/base/clock.h"
#include "harness/base/decimal.h"
#include "harness/base/process.h"
#include "harness/runs/run.h"
#include "harness/timings/timings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

enum { MOST_COMMAND = 4096 };

/* ---- words ---- */

static const char *value_of(const dcs_placeholder *placeholders, int n, const char *name,
                            size_t length) {
  for (int p = 0; p < n; p++)
    if (strlen(placeholders[p].name) == length && strncmp(placeholders[p].name, name, length) == 0)
      return placeholders[p].value;
  return NULL;
}

/* Each {NAME} becomes its value. */
static dcs_status fill_in(const char *command, const dcs_placeholder *placeholders, int n,
                          char text[MOST_COMMAND]) {
  size_t used = 0;
  for (const char *c = command; *c; c++) {
    const char *end = *c == '{' ? strchr(c, '}') : NULL, *value = NULL;
    if (end) value = value_of(placeholders, n, c + 1, (size_t)(end - c - 1));
    if (*c == '{' && !value)
      return dcs_fail(DCS_USAGE, "\"%s\": found \"%.*s\"; expected the name of a size in braces",
                      command, end ? (int)(end - c + 1) : (int)strlen(c), c);
    const size_t length = value ? strlen(value) : 1;
    if (used + length >= MOST_COMMAND)
      return dcs_fail(DCS_USAGE, "a command is longer than %d bytes: \"%.60s...\"", MOST_COMMAND,
                      command);
    memcpy(text + used, value ? value : c, length);
    used += length;
    if (value) c = end;
  }
  text[used] = '\0';
  return DCS_OK;
}

/* wordfree() the words where the status is DCS_OK. */
static dcs_status split(const char *command, const dcs_placeholder *placeholders, int n,
                        wordexp_t *words) {
  char text[MOST_COMMAND];
  DCS_TRY(fill_in(command, placeholders, n, text));
  const int error = wordexp(text, words, WRDE_NOCMD);
  if (error == WRDE_NOSPACE) {
    wordfree(words);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for a command");
  }
  if (error)
    return dcs_fail(DCS_USAGE,
                    "\"%s\": found what a shell alone understands (|, &, ;, <, >, $(), or an open "
                    "quote); expected a program and its arguments: put the rest into a script",
                    command);
  if (words->we_wordc > 0) return DCS_OK;
  wordfree(words);
  return dcs_fail(DCS_USAGE, "found an empty command; expected a program and its arguments");
}

dcs_status dcs_command_check(const char *command, const dcs_placeholder *placeholders, int n) {
  wordexp_t words;
  DCS_TRY(split(command, placeholders, n, &words));
  wordfree(&words);
  return DCS_OK;
}

/* ---- running ---- */

static dcs_outcome outcome_of(int status, const char *program) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return DCS_OUTCOME_OK;
  if (WIFSIGNALED(status))
    (void)dcs_fail(DCS_FAILED, "%s: ended by signal %d (%s)", program, WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
  else
    (void)dcs_fail(DCS_FAILED, "%s: exit status %d; expected 0", program, WEXITSTATUS(status));
  return DCS_OUTCOME_CRASH;
}

/* Whether a start failed for want of memory, processes or descriptors, not for what was started. */
static bool is_want(int error) {
  return error == ENOMEM || error == EAGAIN || error == EMFILE || error == ENFILE;
}

static dcs_outcome run_words(const dcs_timed_command *command, char **argv, double *ns) {
  const dcs_program program = {
      .program = argv[0],
      .argv = argv,
      .ends = {command->input, command->output, command->errors ? STDERR_FILENO : -1},
      .group = true};
  pid_t pid;
  const double started = dcs_now_ns();
  const int error = dcs_process_start(&program, &pid);
  if (error) {
    (void)dcs_fail(DCS_UNAVAILABLE, "%s: cannot be started: %s", argv[0], strerror(error));
    return is_want(error) ? DCS_OUTCOME_MEMORY : DCS_OUTCOME_NOT_BUILT;
  }
  const int pidfd = dcs_process_descriptor(pid);
  const bool ended = pidfd >= 0 && dcs_process_ends(pidfd, command->timeout_s, true);
  *ns = dcs_now_ns() - started;
  if (!ended) kill(-pid, SIGKILL);
  int status = 0;
  (void)dcs_process_wait(pid, &status);
  if (pidfd >= 0) close(pidfd);
  if (ended) return outcome_of(status, argv[0]);
  if (pidfd < 0)
    (void)dcs_fail(DCS_UNAVAILABLE, "this system cannot wait for a command with a time limit "
                                    "(pidfd_open, Linux 5.3)");
  else
    (void)dcs_fail(DCS_FAILED, "%s: took longer than %g s", argv[0], command->timeout_s);
  return DCS_OUTCOME_TIMEOUT;
}

dcs_outcome dcs_command_run(const dcs_timed_command *command, double *ns) {
  wordexp_t words;
  *ns = NAN;
  const dcs_status status =
      split(command->command, command->placeholders, command->n_placeholders, &words);
  if (status != DCS_OK)
    return status == DCS_UNAVAILABLE ? DCS_OUTCOME_MEMORY : DCS_OUTCOME_NOT_BUILT;
  dcs_outcome outcome = run_words(command, words.we_wordv, ns);
  wordfree(&words);
  return outcome;
}

/* ---- what a command prints ---- */

/* Whether the number that ends before `rest` goes on there: "5,3", "1:23", "5.3" of which a group
 * took the "5". */
static bool goes_on(const char *rest) {
  if (isdigit((unsigned char)*rest)) return true;
  return *rest && strchr(".,:'_", *rest) && isdigit((unsigned char)rest[1]);
}

/* The letters that text begins with, a micro sign being u. */
static void read_word(const char *text, char word[16]) {
  size_t length = 0;
  while (length < 15) {
    const bool micro = strncmp(text, "\xc2\xb5", 2) == 0 || strncmp(text, "\xce\xbc", 2) == 0;
    if (!micro && !isalpha((unsigned char)*text)) break;
    word[length++] = micro ? 'u' : *text;
    text += micro ? 2 : 1;
  }
  word[length] = '\0';
}

/* Nanoseconds of a number and what is behind it; NaN where it is no time. A word that is no unit
 * may follow behind a blank, outside of the group: "took 5 in all". */
static double time_of(const char *number, size_t length, size_t group) {
  const char *rest = number + length;
  char word[16];
  double value = NAN;
  if (goes_on(rest) || !dcs_decimal_read(number, length, &value)) return NAN;
  while (isspace((unsigned char)*rest))
    rest++;
  read_word(rest, word);
  const double ns = dcs_timing_ns(value, word);
  const bool unit = *word && (rest == number + length || rest < number + group);
  return isnan(ns) && !unit ? dcs_timing_ns(value, "s") : ns;
}

dcs_status dcs_command_time(const regex_t *expression, const char *text, double *ns) {
  regmatch_t match[2];
  errno = 0;
  const bool found = regexec(expression, text, 2, match, 0) == 0;
  if (!found && errno == ENOMEM) /* which glibc takes for no match */
    return dcs_fail(DCS_UNAVAILABLE, "no memory to look for a time");
  if (!found || match[1].rm_so < 0)
    return dcs_fail(DCS_FAILED, "found no time in its output \"%.60s\"", text);
  const char *at = text + match[1].rm_so;
  const size_t group = (size_t)(match[1].rm_eo - match[1].rm_so);
  size_t length = 0;
  while (length < group && strchr("+-.0123456789eE", at[length])) /* NOLINT: not at its end */
    length++;
  *ns = time_of(at, length, group);
  if (*ns > 0 && *ns <= DCS_MOST_NS) return DCS_OK;
  return dcs_fail(DCS_FAILED,
                  "found time \"%.*s\" in its output; expected one above zero, up to 30 years, as "
                  "\"5.3\" (seconds) or \"5.3 ms\"",
                  (int)group, at);
}
