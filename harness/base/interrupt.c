#include "harness/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int signal) {
  (void)signal;
  interrupted = 1;
}

void dcs_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: waiting calls return */
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool dcs_interrupted(void) {
  return interrupted;
}
