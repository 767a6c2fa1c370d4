#include "harness/base/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile time_t interrupted_s; /* when first */
static const char *volatile last_words;
static const char *volatile removed;

static time_t now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

/* Tools such as timeout(1) send a signal twice at once. */
static void on_signal(int number) {
  if (removed || (interrupted && now_s() - interrupted_s > 1)) {
    if (removed) unlink(removed);
    if (last_words && write(STDERR_FILENO, last_words, strlen(last_words)) < 0) last_words = NULL;
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (!interrupted) interrupted_s = now_s();
  interrupted = 1;
}

static volatile sig_atomic_t continues;

static void on_continue(int number) {
  (void)number;
  continues = continues + 1;
}

void dcs_continues_count(void) {
  struct sigaction action = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGCONT, &action, NULL);
}

int dcs_continues(void) {
  return continues;
}

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_CAUGHT = sizeof caught / sizeof caught[0] };
static struct sigaction before[N_CAUGHT];

void dcs_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: waiting calls return */
  sigemptyset(&action.sa_mask);
  for (int s = 0; s < N_CAUGHT; s++) {
    sigaction(caught[s], NULL, &before[s]);
    if (caught[s] != SIGHUP || before[s].sa_handler != SIG_IGN) sigaction(caught[s], &action, NULL);
  }
}

void dcs_interrupt_release(void) {
  for (int s = 0; s < N_CAUGHT; s++)
    sigaction(caught[s], &before[s], NULL);
}

void dcs_interrupt_last_words(const char *text) {
  last_words = text;
}

void dcs_interrupt_removes(const char *path) {
  removed = path;
}

static _Thread_local const atomic_bool *by;

void dcs_interrupt_by(const atomic_bool *flag) {
  by = flag;
}

bool dcs_interrupted(void) {
  return interrupted || (by && *by);
}
