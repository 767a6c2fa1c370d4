/* Single precision as text, fast. */
#ifndef DCS_DIGITS_H
#define DCS_DIGITS_H

enum { DCS_DIGITS_TEXT = 16 };

/* Writes the fewest digits that read back as the value, of those the nearest to it, as
 * "-1.2345678e-02", without an end; returns how many bytes. A zero is "0.0e+00"; what is not finite
 * "nan", "inf", "-inf". A number halfway to the next one of single precision, which reads back only
 * by the rule for ties, is not taken. */
int dcs_float_digits(float value, char text[DCS_DIGITS_TEXT]);

enum { DCS_COLUMN = 13 };

/* Writes the value as printf's %13.5E does, correctly rounded, without an end. */
void dcs_float_column(float value, char text[DCS_COLUMN]);

#endif
