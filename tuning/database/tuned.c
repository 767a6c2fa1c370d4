/* The file: locked, appended to, filtered. */
#include "tuning/database/tuned.h"

#include "harness/base/text.h"
#include "harness/files/folder.h"
#include "harness/files/lock.h"
#include "harness/spec/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

dcs_status dcs_tuned_path(const char *name, char path[4096]) {
  char folder[4096];
  if (!dcs_user_folder("DCSBENCH_DATA", "XDG_DATA_HOME", ".local/share", folder))
    return dcs_fail(DCS_IO, "no folder for %s: set DCSBENCH_DATA or HOME", name);
  DCS_TRY(dcs_make_folder(folder, 0777));
  return dcs_path_in(folder, name, path);
}

/* ---- the lock ---- */

static dcs_status take_lock(const char *path, bool shared, dcs_lock *lock) {
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.lock", path);
  return dcs_lock_wait(name, shared, "set DCSBENCH_DATA to a folder that has them", lock);
}

dcs_status dcs_tuned_ready(void) {
  char path[4096];
  dcs_lock lock;
  DCS_TRY(dcs_tuned_path("tuned.csv", path));
  DCS_TRY(take_lock(path, false, &lock));
  dcs_lock_leave(&lock);
  return DCS_OK;
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

/* A row that a killed writer left without its end stays one damaged row. */
static dcs_status append_row(int fd, const char *path, const char *header, const char *row) {
  char last = '\n';
  off_t end = lseek(fd, 0, SEEK_END);
  if (end == 0) DCS_TRY(append(fd, path, header));
  if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n') DCS_TRY(append(fd, path, "\n"));
  return append(fd, path, row);
}

static dcs_status put(const char *path, const char *header, const char *row) {
  dcs_lock lock;
  DCS_TRY(take_lock(path, false, &lock));
  int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  dcs_status status =
      fd < 0 ? dcs_fail(DCS_IO, "%s: cannot open for writing: %s", path, strerror(errno))
             : append_row(fd, path, header, row);
  if (fd >= 0 && close(fd) != 0 && status == DCS_OK)
    status = dcs_fail(DCS_IO, "%s: cannot write: %s", path, strerror(errno));
  dcs_lock_leave(&lock);
  return status;
}

dcs_status dcs_tuned_put(const char *path, const dcs_tuned_entry *entry) {
  char *header, *row = NULL;
  DCS_TRY(dcs_tuned_row(NULL, &header));
  dcs_status status = dcs_tuned_row(entry, &row);
  if (status == DCS_OK) status = put(path, header, row);
  free(header);
  free(row);
  return status;
}

/* ---- reading ---- */

/* Appends the lines that are whole, and of this schema, to a header; returns their bytes. */
static size_t keep_whole(const char *text, size_t bytes, char *kept, dcs_tuned *tuned) {
  size_t used = strlen(kept);
  for (size_t at = 0; at < bytes;) {
    const char *newline = memchr(text + at, '\n', bytes - at);
    size_t length = newline ? (size_t)(newline - text) - at : bytes - at;
    dcs_row_kind kind = dcs_tuned_row_kind(text + at, length);
    tuned->damaged += length > 0 && kind == DCS_ROW_DAMAGED;
    tuned->foreign += kind == DCS_ROW_FOREIGN;
    if (kind == DCS_ROW_OWN) {
      memcpy(kept + used, text + at, length);
      used += length;
      kept[used++] = '\n';
    }
    at += length + 1;
  }
  kept[used] = '\0';
  return used;
}

/* The latest entry of a subject is the one that counts. */
static void add(dcs_tuned *tuned, const dcs_tuned_entry *entry) {
  for (int r = 0; r < tuned->n; r++)
    if (dcs_same_subject(&tuned->list[r].subject, &entry->subject)) {
      memmove(&tuned->list[r], &tuned->list[r + 1],
              (size_t)(tuned->n - r - 1) * sizeof *tuned->list);
      tuned->n--;
      break;
    }
  tuned->list[tuned->n++] = *entry;
}

/* The line below; of a text whose lines all end. */
static const char *below(const char *line) {
  return strchr(line, '\n') + 1;
}

/* Keeps the line of a specification's row, one of `text`. */
static dcs_status add_line(dcs_tuned *tuned, const char *text, const char *line) {
  if (!tuned->specs) {
    tuned->specs = calloc(strlen(text) + 1, 1);
    if (!tuned->specs) return dcs_fail(DCS_UNAVAILABLE, "no memory for rows of tuned.csv");
    strncat(tuned->specs, text, (size_t)(below(text) - text));
  }
  strncat(tuned->specs, line, (size_t)(below(line) - line));
  return DCS_OK;
}

/* The text is the header and a line for each row. */
static dcs_status read_table(const dcs_table *table, const char *text, dcs_tuned *tuned) {
  size_t rows = dcs_table_rows(table);
  const char *line = below(text);
  tuned->list = calloc(rows + 1, sizeof *tuned->list);
  if (!tuned->list) return dcs_fail(DCS_UNAVAILABLE, "%s: no memory", dcs_table_path(table));
  for (size_t row = 0; row < rows; row++, line = below(line)) {
    dcs_tuned_entry entry;
    dcs_status status = dcs_tuned_read_row(table, row, &entry);
    if (status == DCS_UNAVAILABLE) return status;
    if (status == DCS_OK)
      add(tuned, &entry);
    else if (strncmp(dcs_table_text(table, row, "variant"), DCS_OWN, strlen(DCS_OWN)) == 0)
      DCS_TRY(add_line(tuned, text, line));
    else
      tuned->foreign++;
  }
  return DCS_OK;
}

static dcs_status read_text(const char *path, const char *text, size_t bytes, dcs_tuned *tuned) {
  dcs_table *table = NULL;
  char *header;
  DCS_TRY(dcs_tuned_row(NULL, &header));
  char *kept = realloc(header, strlen(header) + bytes + 2);
  dcs_status status =
      kept ? dcs_table_parse(path, kept, keep_whole(text, bytes, kept, tuned), &table)
           : dcs_fail(DCS_UNAVAILABLE, "%s: no memory to read it", path);
  if (status == DCS_OK) status = read_table(table, kept, tuned);
  dcs_table_free(table);
  free(kept ? kept : header);
  return status;
}

/* Under a lock. */
static dcs_status read_file(const char *path, dcs_tuned *tuned) {
  struct stat facts;
  char *text;
  size_t bytes;
  *tuned = (dcs_tuned){0};
  if (stat(path, &facts) != 0 && errno == ENOENT) return DCS_OK;
  DCS_TRY(dcs_read_file(path, &text, &bytes));
  dcs_status status = read_text(path, text, bytes, tuned);
  free(text);
  return status;
}

dcs_status dcs_tuned_read(const char *path, dcs_tuned *tuned) {
  dcs_lock lock = {0};
  (void)take_lock(path, true, &lock); /* a reader goes on without one where none can be had */
  dcs_status status = read_file(path, tuned);
  dcs_lock_leave(&lock);
  return status;
}

void dcs_tuned_say_left_out(const char *path, const dcs_tuned *tuned, FILE *out) {
  if (tuned->damaged)
    fprintf(out, "%s: %d damaged row%s left out\n", path, tuned->damaged,
            tuned->damaged == 1 ? " is" : "s are");
  if (tuned->foreign)
    fprintf(
        out,
        "%s: %d row%s of another version, and left out; `dcsbench tune VARIANT` makes new ones\n",
        path, tuned->foreign, tuned->foreign == 1 ? " is" : "s are");
}

void dcs_tuned_free(dcs_tuned *tuned) {
  free(tuned->list);
  free(tuned->specs);
  *tuned = (dcs_tuned){0};
}

dcs_status dcs_tuned_export(FILE *out, const dcs_tuned *tuned) {
  for (int r = -1; r < tuned->n; r++) { /* the header first */
    char *row;
    DCS_TRY(dcs_tuned_row(r < 0 ? NULL : &tuned->list[r], &row));
    const bool written = fputs(row, out) != EOF;
    free(row);
    if (!written) return dcs_fail(DCS_IO, "cannot write: %s", strerror(errno));
  }
  if (tuned->specs && fputs(below(tuned->specs), out) == EOF)
    return dcs_fail(DCS_IO, "cannot write: %s", strerror(errno));
  return DCS_OK;
}

/* ---- forgetting ---- */

static dcs_status replace(const char *path, const dcs_tuned *tuned) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, dcs_tuned_export(csv.file.stream, tuned));
}

/* Whether the variant, a row's second cell, has that id. */
static bool is_of(const char *line, const char *id) {
  const char *cell = strchr(line, ',') + 1;
  return strncmp(cell, id, strlen(id)) == 0 && cell[strlen(id)] == ',';
}

/* Removes the lines of specifications of that id (NULL: all); returns how many. */
static int forget_lines(dcs_tuned *tuned, const char *id) {
  int removed = 0;
  char *line = tuned->specs ? tuned->specs + (below(tuned->specs) - tuned->specs) : NULL;
  while (line && *line) {
    const char *next = below(line);
    if (id && !is_of(line, id)) {
      line += next - line;
      continue;
    }
    memmove(line, next, strlen(next) + 1);
    removed++;
  }
  return removed;
}

/* Under the lock. */
static dcs_status forget(const char *path, const char *id, int *removed) {
  dcs_tuned tuned;
  int left = 0;
  dcs_status status = read_file(path, &tuned);
  for (int r = 0; r < tuned.n; r++)
    if (id && strcmp(tuned.list[r].subject.variant->id, id) != 0)
      tuned.list[left++] = tuned.list[r];
  *removed = tuned.n - left + forget_lines(&tuned, id);
  bool is_there = tuned.list != NULL;
  tuned.n = left;
  if (status == DCS_OK && is_there) status = replace(path, &tuned);
  dcs_tuned_free(&tuned);
  return status;
}

dcs_status dcs_tuned_forget(const char *path, const char *id, int *removed) {
  dcs_lock lock;
  *removed = 0;
  DCS_TRY(take_lock(path, false, &lock));
  dcs_status status = forget(path, id, removed);
  dcs_lock_leave(&lock);
  return status;
}
