/* Parts of a page: what is filled into the template. Internal to the reports. */
#ifndef DCS_PAGE_H
#define DCS_PAGE_H

#include "harness/files/sheet.h"

#include <stdarg.h>

/* Writes a page: the template with its title (its text, twice), the line below it, and the body. */
typedef struct {
  const char *title, *subtitle;
  dcs_status (*body)(void *with, FILE *out);
  void *with;
} dcs_page;
dcs_status dcs_page_write(const dcs_page *page, const char *path);

/* Text of a format, escaped, between a tag's "<p>" and "</p>"; cut at 8 KiB. */
void dcs_page_element(FILE *out, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A heading that the page's list of sections links to. */
void dcs_page_section(FILE *out, const char *id, const char *title);
/* Writes the sheet and frees it. */
dcs_status dcs_page_sheet(FILE *out, dcs_sheet *sheet, dcs_status filled);
/* A figure: the picture in an SVG file, and what it shows, by the first block of its data. */
dcs_status dcs_page_figure(FILE *out, const char *path, const char *data);

#endif
