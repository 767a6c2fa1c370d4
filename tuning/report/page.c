#include "tuning/report/page.h"

#include "harness/base/embedded.h"
#include "harness/base/text.h"
#include "harness/files/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- the template ---- */

static dcs_status fill(const dcs_page *page, const char *slot, size_t length, FILE *out) {
  if (strncmp(slot, "title", length) == 0)
    dcs_html_text(out, page->title);
  else if (strncmp(slot, "subtitle", length) == 0)
    dcs_html_text(out, page->subtitle);
  else
    return page->body(page->with, out);
  return DCS_OK;
}

/* Slots are comments of the template's. */
static dcs_status write_page(const dcs_page *page, FILE *out) {
  const char *rest = dcs_embedded("tuning/report/page.html");
  if (!rest) return dcs_fail(DCS_FAILED, "the page's template is not built into this program");
  for (const char *slot; (slot = strstr(rest, "<!--")); rest = strstr(slot, "-->") + 3) {
    fwrite(rest, 1, (size_t)(slot - rest), out);
    DCS_TRY(fill(page, slot + 4, (size_t)(strstr(slot, "-->") - slot - 4), out));
  }
  fputs(rest, out);
  return DCS_OK;
}

dcs_status dcs_page_write(const dcs_page *page, const char *path) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  dcs_status status = write_page(page, file.stream);
  if (status == DCS_OK) return dcs_file_close(&file);
  dcs_file_abandon(&file);
  return status;
}

/* ---- parts ---- */

void dcs_page_element(FILE *out, const char *tag, const char *format, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(out, "<%s>", tag);
  dcs_html_text(out, text);
  fprintf(out, "</%s>\n", tag);
}

void dcs_page_section(FILE *out, const char *id, const char *title) {
  fprintf(out, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

dcs_status dcs_page_sheet(FILE *out, dcs_sheet *sheet, dcs_status filled) {
  if (filled == DCS_OK) filled = dcs_sheet_write(sheet, DCS_SHEET_HTML, out);
  dcs_sheet_free(sheet);
  return filled;
}

/* ---- figures ---- */

/* Base64 (RFC 4648). */
static void put_base64(FILE *out, const unsigned char *bytes, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < n; i += 3) {
    const unsigned more = (unsigned)(n - i > 2 ? 3 : n - i);
    const unsigned word = (unsigned)bytes[i] << 16 | (more > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                          (more > 2 ? bytes[i + 2] : 0);
    fputc(digits[word >> 18], out);
    fputc(digits[word >> 12 & 63], out);
    fputc(more > 1 ? digits[word >> 6 & 63] : '=', out);
    fputc(more > 2 ? digits[word & 63] : '=', out);
  }
}

/* The strings of the data's first block, a blank between them, as dcs_figure_text() wrote them. */
static void put_titles(FILE *out, const char *data) {
  for (bool first = true; *data == '"'; first = false) {
    char text[4 * DCS_TEXT];
    size_t n = 0;
    for (data++; *data && *data != '"' && n + 1 < sizeof text; data++) {
      const bool octal = *data == '\\';
      text[n++] = octal ? (char)strtol((char[]){data[1], data[2], data[3], '\0'}, NULL, 8) : *data;
      data += octal ? 3 : 0;
    }
    text[n] = '\0';
    if (!first) fputs(". ", out);
    dcs_html_text(out, text);
    data += strcspn(data, "\n");
    data += *data == '\n';
  }
}

dcs_status dcs_page_figure(FILE *out, const char *path, const char *data) {
  char *svg;
  size_t bytes;
  DCS_TRY(dcs_read_file(path, &svg, &bytes));
  fputs("<figure><img alt=\"", out);
  put_titles(out, data);
  fputs("\" src=\"data:image/svg+xml;base64,", out);
  put_base64(out, (const unsigned char *)svg, bytes);
  fputs("\">\n<figcaption>", out);
  put_titles(out, data);
  fputs("</figcaption></figure>\n", out);
  free(svg);
  return DCS_OK;
}
