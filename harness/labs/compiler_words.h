/* What a compiler says of a student's file, without what only its author understands. */
#ifndef DCS_LAB_COMPILER_WORDS_H
#define DCS_LAB_COMPILER_WORDS_H

#include "harness/labs/diagnose.h"

/* The first error of `log` that is one of the file, as "constant.cu:31: error"; of none, what the
 * log has. Returns text. */
char *dcs_compiler_words(const char *log, const char *file, char text[DCS_SENTENCE]);

#endif
