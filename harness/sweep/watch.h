/* The table of a sweep while it grows. */
#ifndef DCS_WATCH_H
#define DCS_WATCH_H

/* As dcs_progress_watch() wants it; `with` are the sweep's sizes. What was measured last stands at
 * the end: a line a record with its median so far, or with its outcome. */
char *dcs_watch_table(void *with, int lines);

#endif
