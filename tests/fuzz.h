/* What the fuzz targets share. Each is a program of libFuzzer: `make fuzz`. */
#ifndef DCS_TEST_FUZZ_H
#define DCS_TEST_FUZZ_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input; libFuzzer keeps the input of an abort. */
#define FUZZ_EXPECT(condition)                                                                     \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                      \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* The bytes as a text that ends with a NUL; the caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  FUZZ_EXPECT(text);
  memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

/* Makes these bytes all of an open file. */
static inline void fuzz_fill(int file, const uint8_t *data, size_t size) {
  FUZZ_EXPECT(pwrite(file, data, size, 0) == (ssize_t)size);
  FUZZ_EXPECT(ftruncate(file, (off_t)size) == 0);
}

/* The name of a file in memory with these bytes, one of two. */
static inline const char *fuzz_file(int which, const uint8_t *data, size_t size) {
  static int files[2] = {-1, -1};
  static char names[2][64];
  if (files[which] < 0) {
    files[which] = memfd_create("fuzz", 0);
    FUZZ_EXPECT(files[which] >= 0);
    snprintf(names[which], sizeof names[which], "/proc/self/fd/%d", files[which]);
  }
  fuzz_fill(files[which], data, size);
  return names[which];
}

/* Makes a folder, in memory where the system keeps one there; its path stays in `folder`. */
static inline void fuzz_folder(char folder[64]) {
  snprintf(folder, 64, "%s/dcs-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  FUZZ_EXPECT(mkdtemp(folder));
}

/* A file of a folder that is filled again and again, open for that. */
static inline int fuzz_open(const char *path) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  FUZZ_EXPECT(file >= 0);
  return file;
}

/* Where what readers have to say goes. */
static inline FILE *fuzz_notes(void) {
  static FILE *notes;
  if (!notes) notes = fopen("/dev/null", "w");
  FUZZ_EXPECT(notes);
  return notes;
}

#endif
