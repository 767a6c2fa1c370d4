/* Texts that are published and name no user. */
#ifndef DCS_PRIVATE_H
#define DCS_PRIVATE_H

#include <stddef.h>

/* Copies the text, cut to `size`, with the user's home folder, under any name that it has, written
 * as ~, and every other folder of the user's name as USER. Returns to. */
char *dcs_without_user(const char *text, char *to, size_t size);

#endif
