/* Decimal numbers as text, the same whatever the locale. */
#ifndef DCS_DECIMAL_H
#define DCS_DECIMAL_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

enum { DCS_DECIMAL_TEXT = 32 };

/* Reads the whole of text[0..length) as [+-]digits[.digits][exponent], a digit at least before or
 * after the point, the exponent letter one of e E d D (Fortran's). Correctly rounded. False for
 * anything else: blanks, nan, inf, hexadecimal, an overflow, more than 127 characters. */
bool dcs_decimal_read(const char *text, size_t length, double *value);

/* Reads the next of a cell's numbers, which have one space between them, and moves *text behind it:
 * "" after the last. */
bool dcs_numbers_next(const char **text, double *value);

/* Writes whole numbers below 1e15 as such, others as the shortest %g text that reads back as the
 * finite `value`; returns text. */
char *dcs_decimal_write(double value, char text[DCS_DECIMAL_TEXT]);
/* The number of a text that is as dcs_decimal_write() writes it. False of any other, a name that
 * reads as a number among them: "007", "1d5". */
bool dcs_decimal_read_back(const char *text, double *value);

/* Makes '.' the decimal point of this thread's printf until dcs_decimal_leave(). */
locale_t dcs_decimal_enter(void);
void dcs_decimal_leave(locale_t before);

#endif
