/* Lists and texts that grow, and memory that is freed all at once. */
#ifndef DCS_GROW_H
#define DCS_GROW_H

#include "kernels/status.h"

#include <stddef.h>

/* Makes room for one more in a list of n elements that grows by this alone, starting at NULL;
 * `list` is the pointer's address. DCS_UNAVAILABLE names what there is no memory for: "sizes". */
dcs_status dcs_grow(void *list, size_t n, size_t element, const char *what);

/* Memory of one owner; all zero at first. */
typedef struct {
  void *last; /* block */
} dcs_room;

/* Makes *list, the address of a pointer, point to n elements, all zero; they last until
 * dcs_room_free(). DCS_UNAVAILABLE names what there is no memory for: "sizes". */
dcs_status dcs_room_take(dcs_room *room, void *list, size_t n, size_t element, const char *what);
void dcs_room_free(dcs_room *room);

/* Appends to the text in text[size], which is cut where it is full; returns text. */
char *dcs_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
