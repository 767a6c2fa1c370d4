/* Ctrl-C: work stops at the next safe place and what was measured is kept. */
#ifndef DCS_INTERRUPT_H
#define DCS_INTERRUPT_H

#include <stdbool.h>

void dcs_interrupt_catch(void); /* SIGINT and SIGTERM set the flag from now on */
bool dcs_interrupted(void);

#endif
