/* The file: locked, appended to, filtered. */
#include "tuning/database/tuned.h"

#include "harness/base/folder.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "tuning/database/tuned_row.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

dcs_status dcs_tuned_path(const char *name, char path[4096]) {
  const char *own = getenv("DCSBENCH_DATA"), *xdg = getenv("XDG_DATA_HOME");
  const char *home = getenv("HOME");
  if (own && own[0])
    snprintf(path, 4000, "%s", own);
  else if (xdg && xdg[0] == '/') /* the XDG specification has relative paths ignored */
    snprintf(path, 4000, "%s/dcsbench", xdg);
  else if (home && home[0])
    snprintf(path, 4000, "%s/.local/share/dcsbench", home);
  else
    return dcs_fail(DCS_IO, "no folder for %s: set DCSBENCH_DATA or HOME", name);
  DCS_TRY(dcs_make_folder(path));
  size_t used = strlen(path);
  snprintf(path + used, 4096 - used, "/%s", name);
  return DCS_OK;
}

/* ---- the lock ---- */

/* Of a file of its own: tuned.csv itself may be replaced while somebody waits. A reader goes on
 * without one where none can be made. Returns a descriptor to close, -1: none. */
static int take_lock(const char *path, int kind) {
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.lock", path);
  int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  while (fd >= 0 && flock(fd, kind) != 0) {
    if (errno == EINTR && !dcs_interrupted()) continue;
    close(fd);
    fd = -1;
  }
  return fd;
}

static dcs_status lock_to_write(const char *path, int *lock) {
  *lock = take_lock(path, LOCK_EX);
  if (*lock >= 0) return DCS_OK;
  return dcs_fail(DCS_IO, "%s.lock: cannot lock: %s", path, strerror(errno));
}

/* NULL: there is no file. */
static dcs_status read_text(const char *path, char **text, size_t *bytes) {
  struct stat facts;
  *text = NULL;
  *bytes = 0;
  if (stat(path, &facts) != 0 && errno == ENOENT) return DCS_OK;
  return dcs_read_file(path, text, bytes);
}

/* ---- former schemas ---- */

/* Room for a text whose lines are renewed, behind a header. */
static char *room_for(size_t bytes) {
  return malloc(2 * bytes + strlen(dcs_tuned_header) + 2 + DCS_RENEWED_MORE);
}

/* Copies a line, one of a former schema as one of this; returns its length. */
static size_t put_line(const char *line, size_t length, dcs_row_kind kind, char *out) {
  if (kind == DCS_ROW_FORMER) return dcs_tuned_renew(line, length, out);
  memcpy(out, line, length);
  return length;
}

/* ---- writing ---- */

/* One write at the end of the file; what was written of it is taken back when the disk is full. */
static dcs_status append(int fd, const char *path, const char *text) {
  off_t end = lseek(fd, 0, SEEK_END);
  size_t bytes = strlen(text);
  ssize_t put = write(fd, text, bytes);
  if (put == (ssize_t)bytes) return DCS_OK;
  dcs_status status = dcs_fail(DCS_IO, "%s: cannot write: %s", path,
                               put < 0 ? strerror(errno) : "the disk is full");
  if (put > 0 && ftruncate(fd, end) != 0)
    status = dcs_fail(DCS_IO, "%s: cannot write, nor take back a part of a row", path);
  return status;
}

/* The file with this schema's columns; what is damaged or foreign in it stays as it is. */
static dcs_status renew(const char *path, const char *text, size_t header, size_t bytes) {
  dcs_file file;
  size_t used = strlen(dcs_tuned_header);
  char *renewed = room_for(bytes);
  if (!renewed) return dcs_fail(DCS_UNAVAILABLE, "%s: no memory to renew it", path);
  memcpy(renewed, dcs_tuned_header, used + 1);
  for (size_t at = header; at < bytes;) {
    const char *newline = memchr(text + at, '\n', bytes - at);
    size_t length = newline ? (size_t)(newline - text) - at : bytes - at;
    used += put_line(text + at, length, dcs_tuned_row_kind(text + at, length), renewed + used);
    renewed[used++] = '\n';
    at += length + 1;
  }
  dcs_status status = dcs_file_create(&file, path);
  if (status == DCS_OK) {
    fwrite(renewed, 1, used, file.stream); /* closing says whether it was written */
    status = dcs_file_close(&file);
  }
  free(renewed);
  return status;
}

static dcs_status renew_former(const char *path) {
  char *text;
  size_t bytes;
  DCS_TRY(read_text(path, &text, &bytes));
  bool former = false;
  size_t header = text ? dcs_tuned_header_length(text, bytes, &former) : 0;
  dcs_status status = former ? renew(path, text, header, bytes) : DCS_OK;
  free(text);
  return status;
}

/* A row that a killed writer left without its end stays one damaged row. */
static dcs_status append_row(int fd, const char *path, const char *row) {
  char last = '\n';
  off_t end = lseek(fd, 0, SEEK_END);
  if (end == 0) DCS_TRY(append(fd, path, dcs_tuned_header));
  if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n') DCS_TRY(append(fd, path, "\n"));
  return append(fd, path, row);
}

dcs_status dcs_tuned_put(const char *path, const dcs_tuned_record *record) {
  int lock;
  char *row = dcs_tuned_row(record);
  if (!row) return dcs_fail(DCS_UNAVAILABLE, "%s: no memory for a row", path);
  dcs_status status = lock_to_write(path, &lock);
  if (status == DCS_OK && (status = renew_former(path)) != DCS_OK) close(lock);
  if (status == DCS_OK) {
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    status = fd < 0 ? dcs_fail(DCS_IO, "%s: cannot open for writing: %s", path, strerror(errno))
                    : append_row(fd, path, row);
    if (fd >= 0 && close(fd) != 0 && status == DCS_OK)
      status = dcs_fail(DCS_IO, "%s: cannot write: %s", path, strerror(errno));
    close(lock);
  }
  free(row);
  return status;
}

/* ---- reading ---- */

/* Copies the lines that are whole behind a header of our own. */
static size_t keep_whole(const char *text, size_t bytes, char *kept, dcs_tuned *tuned) {
  size_t used = strlen(dcs_tuned_header);
  bool former;
  memcpy(kept, dcs_tuned_header, used + 1);
  for (size_t at = dcs_tuned_header_length(text, bytes, &former); at < bytes;) {
    const char *newline = memchr(text + at, '\n', bytes - at);
    size_t length = newline ? (size_t)(newline - text) - at : bytes - at;
    dcs_row_kind kind = dcs_tuned_row_kind(text + at, length);
    if (length > 0) {
      tuned->damaged += kind == DCS_ROW_DAMAGED;
      tuned->foreign += kind == DCS_ROW_FOREIGN;
    }
    if (kind == DCS_ROW_OWN || kind == DCS_ROW_FORMER) {
      used += put_line(text + at, length, kind, kept + used);
      kept[used++] = '\n';
    }
    at += length + 1;
  }
  return used;
}

/* The latest record of a subject is the one that counts. */
static void add(dcs_tuned *tuned, const dcs_tuned_record *record) {
  for (int r = 0; r < tuned->n; r++)
    if (dcs_same_subject(&tuned->list[r].subject, &record->subject)) {
      memmove(&tuned->list[r], &tuned->list[r + 1],
              (size_t)(tuned->n - r - 1) * sizeof *tuned->list);
      tuned->n--;
      break;
    }
  tuned->list[tuned->n++] = *record;
}

static dcs_status read_rows(const char *path, const char *kept, size_t bytes, dcs_tuned *tuned) {
  dcs_table *table;
  DCS_TRY(dcs_table_parse(path, kept, bytes, &table));
  size_t rows = dcs_table_rows(table);
  tuned->list = calloc(rows + 1, sizeof *tuned->list);
  dcs_status status = tuned->list ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "%s: no memory", path);
  for (size_t row = 0; status == DCS_OK && row < rows; row++) {
    dcs_tuned_record record;
    if (dcs_tuned_read_row(table, row, &record))
      add(tuned, &record);
    else
      tuned->foreign++;
  }
  dcs_table_free(table);
  return status;
}

dcs_status dcs_tuned_read(const char *path, dcs_tuned *tuned) {
  char *text;
  size_t bytes;
  *tuned = (dcs_tuned){0};
  int lock = take_lock(path, LOCK_SH);
  dcs_status status = read_text(path, &text, &bytes);
  if (lock >= 0) close(lock);
  if (status != DCS_OK || !text) return status;
  char *kept = room_for(bytes);
  if (!kept)
    status = dcs_fail(DCS_UNAVAILABLE, "%s: no memory to read it", path);
  else
    status = read_rows(path, kept, keep_whole(text, bytes, kept, tuned), tuned);
  free(kept);
  free(text);
  return status;
}

void dcs_tuned_free(dcs_tuned *tuned) {
  free(tuned->list);
  *tuned = (dcs_tuned){0};
}

dcs_status dcs_tuned_export(FILE *out, const dcs_tuned *tuned) {
  bool written = fputs(dcs_tuned_header, out) != EOF;
  for (int r = 0; r < tuned->n; r++) {
    char *row = dcs_tuned_row(&tuned->list[r]);
    if (!row) return dcs_fail(DCS_UNAVAILABLE, "no memory for a row");
    written = fputs(row, out) != EOF && written;
    free(row);
  }
  return written ? DCS_OK : dcs_fail(DCS_IO, "cannot write: %s", strerror(errno));
}

/* ---- forgetting ---- */

static dcs_status replace(const char *path, const dcs_tuned *tuned) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = dcs_tuned_export(csv.file.stream, tuned);
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}

/* Under the lock. */
static dcs_status forget(const char *path, const dcs_variant *variant, int *removed) {
  dcs_tuned tuned = {0};
  char *text, *kept = NULL;
  size_t bytes;
  int left = 0;
  DCS_TRY(read_text(path, &text, &bytes));
  if (!text) return DCS_OK;
  kept = room_for(bytes);
  dcs_status status = kept ? read_rows(path, kept, keep_whole(text, bytes, kept, &tuned), &tuned)
                           : dcs_fail(DCS_UNAVAILABLE, "%s: no memory to read it", path);
  for (int r = 0; r < tuned.n; r++)
    if (variant && tuned.list[r].subject.variant != variant) tuned.list[left++] = tuned.list[r];
  *removed = tuned.n - left;
  tuned.n = left;
  if (status == DCS_OK) status = replace(path, &tuned);
  dcs_tuned_free(&tuned);
  free(kept);
  free(text);
  return status;
}

dcs_status dcs_tuned_forget(const char *path, const dcs_variant *variant, int *removed) {
  int lock;
  *removed = 0;
  DCS_TRY(lock_to_write(path, &lock));
  dcs_status status = forget(path, variant, removed);
  close(lock);
  return status;
}
