/* Ctrl-C: work stops at the next safe place and what was measured is kept. Ctrl-Z: what was timed
 * across it is not. */
#ifndef DCS_INTERRUPT_H
#define DCS_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP (unless the program was started with it ignored, as by
 * nohup) set the flag. Another one, a second later or more, ends the program at once. */
void dcs_interrupt_catch(void);
/* They do what they did before: where there is nothing to save. */
void dcs_interrupt_release(void);
bool dcs_interrupted(void);
/* From now on, for the calling thread, a flag that is true is an interrupt, too: what it waits for
 * is not wanted any more. NULL: none. */
void dcs_interrupt_by(const atomic_bool *flag);
/* While they are caught: from now on one ends the program at once, and the file of that name goes
 * (""; none); NULL: as before. The text is the caller's. */
void dcs_interrupt_removes(const char *path);

/* From now on dcs_continues() counts how often this process went on after it was stopped (Ctrl-Z):
 * what was timed meanwhile is no time. */
void dcs_continues_count(void);
int dcs_continues(void);

/* What is written to standard error before a signal ends the program at once, where a terminal is
 * to be left as it was; NULL: nothing. The text is the caller's. */
void dcs_interrupt_last_words(const char *text);

#endif
