#include "harness/trace/draw.h"

static char digit(uint64_t n) {
  return (char)(n < 10 ? '0' + n : n < 36 ? 'a' + (n - 10) : '+');
}

/* What is told apart: a sector, a word of a bank, or an address. */
static uint64_t unit_of(const dcs_memory_request *r, int lane) {
  return r->space == DCS_SPACE_GLOBAL ? r->address[lane] / DCS_SECTOR
                                      : r->address[lane] / DCS_BANK_BYTES;
}

/* How many distinct units of lanes lie below that of the lane. */
static uint64_t order_of(const dcs_memory_request *r, int lane) {
  uint64_t below[DCS_WARP];
  int n = 0;
  for (int other = 0; other < DCS_WARP; other++) {
    const uint64_t unit = unit_of(r, other);
    bool counts = (r->lanes >> other & 1) && unit < unit_of(r, lane);
    for (int i = 0; i < n; i++)
      counts = counts && below[i] != unit;
    if (counts) below[n++] = unit;
  }
  return (uint64_t)n;
}

char *dcs_draw_lanes(const dcs_memory_request *r, char text[DCS_LANES_TEXT]) {
  int n = 0;
  for (int lane = 0; lane < DCS_WARP; lane++) {
    if (lane > 0 && lane % 8 == 0) text[n++] = ' ';
    if (!(r->lanes >> lane & 1))
      text[n++] = '.';
    else if (r->space == DCS_SPACE_SHARED)
      text[n++] = digit(unit_of(r, lane) % DCS_BANKS);
    else
      text[n++] = digit(order_of(r, lane));
  }
  text[n] = '\0';
  return text;
}

/* ---- SVG ---- */

enum {
  WIDTH = 960,
  LEFT = 20,
  ROW_HEIGHT = 170,
  TITLE_HEIGHT = 50,
  LANES_Y = 40,
  MEMORY_Y = 120,
  BOX = 18
};

static void write_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '&')
      fputs("&amp;", out);
    else if (*text == '<')
      fputs("&lt;", out);
    else
      fputc(*text, out);
  }
}

/* The memory that is drawn: lines of 128 bytes that are touched, in order; gaps between are left
 * out.
 */
typedef struct {
  uint64_t line[2 * DCS_WARP];
  int n;
} touched_lines;

static void add_line(touched_lines *lines, uint64_t line) {
  int at = lines->n;
  for (int i = 0; i < lines->n; i++)
    if (lines->line[i] == line) return;
  for (; at > 0 && lines->line[at - 1] > line; at--)
    lines->line[at] = lines->line[at - 1];
  lines->line[at] = line;
  lines->n++;
}

static touched_lines lines_of(const dcs_memory_request *r) {
  touched_lines lines = {.n = 0};
  for (int lane = 0; lane < DCS_WARP; lane++) {
    if (!(r->lanes >> lane & 1)) continue;
    add_line(&lines, r->address[lane] / DCS_CACHE_LINE);
    add_line(&lines, (r->address[lane] + r->bytes - 1) / DCS_CACHE_LINE);
  }
  return lines;
}

/* How wide so many bytes are drawn: a gap follows each line. */
static double width_of(const touched_lines *lines, double bytes) {
  return 0.96 * (WIDTH - 2 * LEFT) / lines->n * bytes / DCS_CACHE_LINE;
}

/* Where an address is drawn. */
static double x_of(const touched_lines *lines, uint64_t address) {
  int i = 0;
  while (i + 1 < lines->n && lines->line[i] != address / DCS_CACHE_LINE)
    i++;
  return LEFT + (double)(WIDTH - 2 * LEFT) / lines->n * i +
         width_of(lines, (double)(address % DCS_CACHE_LINE));
}

static bool sector_touched(const dcs_memory_request *r, uint64_t sector) {
  for (int lane = 0; lane < DCS_WARP; lane++)
    if (r->lanes >> lane & 1 && r->address[lane] / DCS_SECTOR <= sector &&
        (r->address[lane] + r->bytes - 1) / DCS_SECTOR >= sector)
      return true;
  return false;
}

static void draw_memory(FILE *out, const dcs_memory_request *r, const touched_lines *lines,
                        int top) {
  const int sectors = DCS_CACHE_LINE / DCS_SECTOR;
  for (int i = 0; i < lines->n; i++)
    for (int s = 0; s < sectors; s++) {
      const uint64_t at = lines->line[i] * DCS_CACHE_LINE + (uint64_t)s * DCS_SECTOR;
      fprintf(out,
              "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' stroke='#555' "
              "stroke-width='0.5'/>\n",
              x_of(lines, at), top + MEMORY_Y, width_of(lines, DCS_SECTOR), BOX,
              r->space == DCS_SPACE_GLOBAL && sector_touched(r, at / DCS_SECTOR) ? "#f4c095"
                                                                                 : "#f2f2f2");
    }
}

/* A lane, its bytes, and the line between. */
static void draw_lane(FILE *out, const dcs_memory_request *r, const touched_lines *lines, int lane,
                      int top) {
  const bool active = r->lanes >> lane & 1;
  const double pitch = (double)(WIDTH - 2 * LEFT) / DCS_WARP, x = LEFT + pitch * lane;
  fprintf(out,
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' stroke='#555' "
          "stroke-width='0.5'/><text x='%.1f' y='%d' text-anchor='middle'>%d</text>\n",
          x, top + LANES_Y, pitch - 2, BOX, active ? "#9fc5e8" : "#ffffff", x + (pitch - 2) / 2,
          top + LANES_Y + 13, lane);
  if (!active) return;
  const double from = x_of(lines, r->address[lane]), wide = width_of(lines, r->bytes);
  fprintf(out,
          "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#3d6c9e' stroke-width='0.8'/>"
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='#3d6c9e'/>\n",
          x + (pitch - 2) / 2, top + LANES_Y + BOX, from + wide / 2, top + MEMORY_Y, from,
          top + MEMORY_Y, wide, BOX);
}

static void draw_row(FILE *out, const dcs_trace_row *row, int top) {
  const touched_lines lines = lines_of(&row->shown);
  const dcs_request_counts counts = dcs_request_count(&row->shown);
  fprintf(out, "<text x='%d' y='%d'><tspan font-weight='bold'>", LEFT, top + 14);
  write_text(out, row->source.place.file);
  fprintf(out, ":%d %s, %s</tspan>, %u bytes a lane: ", row->source.place.line,
          dcs_access_name(row->access), dcs_memory_space_name(row->space), row->shown.bytes);
  if (row->space == DCS_SPACE_GLOBAL)
    fprintf(out, "%d sectors for %d bytes", counts.sectors, counts.bytes_used);
  else if (row->space == DCS_SPACE_CONSTANT)
    fprintf(out, "%d distinct address%s", counts.distinct, counts.distinct == 1 ? "" : "es");
  else
    fprintf(out, "%d bank conflict%s", counts.bank_conflicts,
            counts.bank_conflicts == 1 ? "" : "s");
  fprintf(out, "</text>\n<text x='%d' y='%d' font-family='monospace'>", LEFT, top + 30);
  write_text(out, row->source.text);
  fputs("</text>\n", out);
  draw_memory(out, &row->shown, &lines, top);
  for (int lane = 0; lane < DCS_WARP; lane++)
    draw_lane(out, &row->shown, &lines, lane, top);
}

void dcs_draw_trace(FILE *out, const char *title, const dcs_kernel_trace *trace) {
  const int height = TITLE_HEIGHT + trace->n_rows * ROW_HEIGHT + LEFT;
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
          "font-family='sans-serif' font-size='11'>\n<title>",
          WIDTH, height, WIDTH, height);
  write_text(out, title);
  fprintf(out,
          "</title>\n<rect width='%d' height='%d' fill='#ffffff'/>\n"
          "<text x='%d' y='20'>",
          WIDTH, height, LEFT);
  write_text(out, title);
  fprintf(out,
          "</text>\n<text x='%d' y='38'>above: the 32 lanes of a warp; below: the 128-byte lines "
          "that they touch, in sectors of 32 bytes (coloured: moved)</text>\n",
          LEFT);
  for (int i = 0; i < trace->n_rows; i++)
    draw_row(out, &trace->rows[i], TITLE_HEIGHT + i * ROW_HEIGHT);
  fputs("</svg>\n", out);
}
