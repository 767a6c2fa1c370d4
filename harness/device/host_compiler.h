/* The host's compiler, run as a program: source text to the bytes of a shared object. */
#ifndef DCS_HOST_COMPILER_H
#define DCS_HOST_COMPILER_H

#include "harness/device/device.h"

enum { DCS_COMPILER_WORDS = 8 };

typedef struct {
  char text[1024];                 /* the command; cut into words */
  char *words[DCS_COMPILER_WORDS]; /* of text; n_words of them */
  int n_words;
  char version[512]; /* the command and what it says about itself */
  bool is_c;         /* else C++ */
} dcs_host_compiler;

/* Finds $CXX, else c++, g++ or clang++ on PATH, and asks its version. DCS_UNAVAILABLE when none
 * runs. The struct must stay where it is. */
dcs_status dcs_host_compiler_find(dcs_host_compiler *compiler);

/* The same for C: $CC, else cc, gcc or clang. */
dcs_status dcs_host_compiler_find_c(dcs_host_compiler *compiler);

/* Compiles C++17, or C11 with GNU's extensions, to a shared object (malloc'd, the caller frees),
 * past the code cache. DCS_FAILED with the compiler's output when it does not compile. */
dcs_status dcs_host_compiler_run(const dcs_host_compiler *compiler, const dcs_source *source,
                                 void **image, size_t *bytes);

/* Source lines of n places of a shared object that was compiled with -g, each behind a call that
 * returns there: "FILE:LINE" a line (malloc'd, the caller frees). Files below the current folder
 * are
 * "./FILE". DCS_UNAVAILABLE without addr2line, which the compiler's assembler comes with. */
dcs_status dcs_host_compiler_lines(const void *image, size_t bytes, const uint64_t *codes, int n,
                                   char **text);

/* Loads a shared object from its bytes; dlclose() it. */
dcs_status dcs_host_compiler_load(const void *image, size_t bytes, void **handle);

#endif
