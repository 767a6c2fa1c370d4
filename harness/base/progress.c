#include "harness/base/progress.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

dcs_progress dcs_progress_start(void) {
  const char *term = getenv("TERM");
  bool dumb = !term || strcmp(term, "dumb") == 0;
  return (dcs_progress){
      .shown = isatty(STDERR_FILENO) && !dumb, .started_ns = dcs_now_ns(), .span = 1};
}

/* "45 s", "3 min 20 s", "2 h 5 min". */
static char *format_seconds(double seconds, char text[32]) {
  long s = (long)(seconds + 0.5);
  if (s < 60)
    snprintf(text, 32, "%ld s", s);
  else if (s < 3600)
    snprintf(text, 32, "%ld min %ld s", s / 60, s % 60);
  else
    snprintf(text, 32, "%ld h %ld min", s / 3600, s % 3600 / 60);
  return text;
}

/* ---- the table ---- */

/* A screen of its own without cursor; and back. */
static const char enter[] = "\033[?1049h\033[?25l", leave[] = "\033[?25h\033[?1049l";

void dcs_progress_watch(dcs_progress *progress, char *(*table)(void *with, int lines), void *with) {
  progress->table = table;
  progress->with = with;
  dcs_interrupt_last_words(leave);
  fputs(enter, stderr);
  fflush(stderr);
}

/* The table cut to the screen, each line erased to its end. */
static void draw_table(const dcs_progress *progress, const struct winsize *size) {
  char *text = progress->table(progress->with, size->ws_row - 1), *rest = text;
  fputs("\033[H", stderr);
  for (int line = 1; rest && *rest && line < size->ws_row; line++) {
    const int length = (int)strcspn(rest, "\n");
    int bytes = 0;
    for (int columns = 0; bytes < length; bytes++) {
      columns += ((unsigned char)rest[bytes] & 0xc0) != 0x80;
      if (columns >= size->ws_col) break;
    }
    fprintf(stderr, "%.*s\033[K\r\n", bytes, rest);
    rest += length + (rest[length] == '\n');
  }
  free(text);
  fputs("\033[J", stderr);
}

/* ---- the line ---- */

/* Seconds that the rest takes if it goes on as since the first drawing: what was prepared before,
 * such as compiling, is not done again. NaN as long as less than 1% came since. */
static double seconds_left(dcs_progress *progress, double share, double now) {
  if (progress->first_ns == 0) {
    progress->first_ns = now;
    progress->first_share = share;
  }
  const double gained = share - progress->first_share;
  return gained > 0.01 ? 1e-9 * (now - progress->first_ns) * (1 - share) / gained : NAN;
}

/* What takes long says so once it can tell: after three seconds. */
static void advise(dcs_progress *progress, double left) {
  const double elapsed = 1e-9 * (dcs_now_ns() - progress->started_ns), minute = 60;
  const double all = elapsed + left;
  char text[32];
  const char *advice = progress->advice;
  if (!advice || progress->quiet || elapsed < 3 || !isfinite(all)) return;
  progress->advice = NULL;
  if (all > minute)
    dcs_progress_say(progress, "about %s in all; %s", format_seconds(all, text), advice);
}

void dcs_progress_draw(dcs_progress *progress, double share, const char *what) {
  const double now = dcs_now_ns();
  share = progress->base + progress->span * share;
  const double seconds = seconds_left(progress, share, now);
  advise(progress, seconds);
  const double pause = progress->shown ? 1e8 : 1e10;
  const double last =
      progress->shown ? progress->drawn_ns : fmax(progress->drawn_ns, progress->started_ns);
  if (progress->quiet || now - last < pause) return;
  progress->drawn_ns = now;

  char left[32] = "", line[512];
  bool known = !isnan(seconds) && now - progress->first_ns > 1e9;
  if (known) format_seconds(seconds, left);
  snprintf(line, sizeof line, "%3.0f%%  %s%s%s", 100 * share, known ? left : "",
           known ? " left  " : "", what);
  if (!progress->shown) {
    fprintf(stderr, "%s\n", line);
    return;
  }

  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    size = (struct winsize){.ws_row = 24, .ws_col = 80};
  if (strlen(line) >= size.ws_col) line[size.ws_col - 1] = '\0';
  if (progress->table) draw_table(progress, &size);
  /* Carriage return, then erase to the end of the line: no colour, so nothing for NO_COLOR to stop.
   */
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
}

void dcs_progress_next(dcs_progress *progress) {
  progress->first_ns = 0;
}

void dcs_progress_clear(dcs_progress *progress) {
  if (progress->table)
    fputs(leave, stderr);
  else if (progress->shown && progress->drawn_ns > 0)
    fprintf(stderr, "\r\033[K");
  if (progress->table) dcs_interrupt_last_words(NULL);
  progress->table = NULL;
  if (progress->shown) progress->drawn_ns = 0;
}

void dcs_progress_say(dcs_progress *progress, const char *format, ...) {
  va_list args;
  if (progress->table) /* onto the screen that is there afterwards */
    fputs(leave, stderr);
  else
    dcs_progress_clear(progress);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  if (progress->table) fputs(enter, stderr);
}
