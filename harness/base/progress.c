#include "harness/base/progress.h"

#include "harness/base/clock.h"

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

void dcs_progress_draw(dcs_progress *progress, double share, const char *what) {
  double now = dcs_now_ns();
  if (!progress->shown || now - progress->drawn_ns < 1e8) return;
  progress->drawn_ns = now;
  share = progress->base + progress->span * share;

  char left[32] = "", line[512];
  double elapsed = 1e-9 * (now - progress->started_ns);
  bool known = share > 0.01 && elapsed > 1;
  if (known) format_seconds(elapsed * (1 - share) / share, left);
  snprintf(line, sizeof line, "%3.0f%%  %s%s%s", 100 * share, known ? left : "",
           known ? " left  " : "", what);

  struct winsize size;
  size_t width = 80;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
  if (strlen(line) >= width) line[width - 1] = '\0';
  /* Carriage return, then erase to the end of the line: no colour, so nothing for NO_COLOR to stop.
   */
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
}

void dcs_progress_clear(dcs_progress *progress) {
  if (progress->shown && progress->drawn_ns > 0) fprintf(stderr, "\r\033[K");
  progress->drawn_ns = 0;
}

void dcs_progress_say(dcs_progress *progress, const char *format, ...) {
  va_list args;
  dcs_progress_clear(progress);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}
