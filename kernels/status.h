/* Status codes and the message that goes with a failure.
 *
 * Every function that can fail returns a dcs_status. The values are the program's exit statuses, so
 * the outermost caller returns what it was given. A failing function leaves one message for the
 * user (dcs_error_message) and each caller adds a line to the trace (dcs_error_trace), which is for
 * the maintainer. Both are per thread. */
#ifndef DCS_STATUS_H
#define DCS_STATUS_H

#include <stdbool.h>

typedef enum {
  DCS_OK = 0,
  DCS_FAILED = 1,      /* a measurement or a verification failed */
  DCS_USAGE = 2,       /* the command line, or an argument, is wrong */
  DCS_INPUT = 3,       /* an input file is wrong */
  DCS_UNAVAILABLE = 4, /* what was asked for is not on this machine: a GPU, memory, a compiler */
  DCS_IO = 5           /* reading or writing failed */
} dcs_status;

/* Records the message; its value is `status`. */
#define dcs_fail(status, ...) (dcs_fail_at(__FILE__, __LINE__, __VA_ARGS__), (status))
void dcs_fail_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* DCS_UNAVAILABLE of what may be there at another time: memory, a process. */
#define dcs_want(...)                                                                              \
  (dcs_fail_at(__FILE__, __LINE__, __VA_ARGS__), dcs_note_want(), DCS_UNAVAILABLE)
void dcs_note_want(void);
/* Whether the last failure on this thread was such a want. */
bool dcs_wanted(void);

/* Returns from the calling function when `expr` is not DCS_OK, adding file, line and expression to
 * the trace. */
#define DCS_TRY(expr)                                                                              \
  do {                                                                                             \
    const dcs_status dcs_try_status = (expr);                                                      \
    if (dcs_try_status != DCS_OK) {                                                                \
      dcs_trace(__FILE__, __LINE__, #expr);                                                        \
      return dcs_try_status;                                                                       \
    }                                                                                              \
  } while (0)
void dcs_trace(const char *file, int line, const char *expr);

/* What the last failure on this thread said; valid until the next failure. */
const char *dcs_error_message(void);
const char *dcs_error_trace(void);

#endif
