/* One line of progress on a terminal, with the time left, below a table that grows where that is
 * wanted. Where stderr is not a terminal, a line every ten seconds. */
#ifndef DCS_PROGRESS_H
#define DCS_PROGRESS_H

#include <stdbool.h>

/* The advice of what --budget ends. */
#define DCS_BUDGET_ADVICE "--budget SECONDS ends it sooner"

typedef struct {
  bool shown; /* stderr is a terminal that can be written over */
  bool quiet; /* nothing is drawn: somebody else tells of the progress */
  double started_ns;
  double drawn_ns;
  double first_ns, first_share; /* of the first drawing: the time left is told by what came since */
  const char
      *advice;       /* said once, with the time expected, of what takes more than a minute; NULL */
  double base, span; /* the part of the work that the present step is: base..base + span of 0..1 */
  /* Gives the table's text, which fits so many lines and is cut to the terminal's width; the caller
   * frees it. NULL where memory is short. */
  char *(*table)(void *with, int lines);
  void *with; /* table's */
} dcs_progress;

dcs_progress dcs_progress_start(void);

/* From now on the table is drawn above the line, on a screen of its own, which dcs_progress_clear()
 * leaves, and a signal that ends the program too. Needs `shown`. */
void dcs_progress_watch(dcs_progress *progress, char *(*table)(void *with, int lines), void *with);

/* Redraws at most ten times a second, a terminal; elsewhere writes a line ten seconds after the
 * last one or the start. `share` (0..1) of the work is done; what: a few words. The line is cut to
 * the terminal's width at each drawing, so resizing is fine. */
void dcs_progress_draw(dcs_progress *progress, double share, const char *what);

/* Another step begins, whose share is its own: the time left is told anew. */
void dcs_progress_next(dcs_progress *progress);

/* Writes a line of text to stderr, terminal or not, in place of the progress line. */
void dcs_progress_say(dcs_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Clears the line, or leaves the screen, at the end. */
void dcs_progress_clear(dcs_progress *progress);

#endif
