/* What the stages of a run over frames did: `map --average --time`. */
#include "cli/map/frames.h"
#include "harness/files/sheet.h"

#include <math.h>
#include <stdio.h>

double dcs_map_busy_share(const dcs_frames_times *t, int stage) {
  return (t->busy_s[stage] - t->ahead_s[stage]) / (t->wall_s * t->workers[stage]);
}

static dcs_status print_table(const dcs_frames_times *t, dcs_sheet_form form) {
  static const dcs_sheet_column columns[] = {
      {"stage", "stage", NULL, 1},
      {"workers", "workers", "%.0f", 1},
      {"busy_s", "busy, s", "%.4g", 1},
      {"frame_ms", "a frame, ms", "%.4g", 1},
      {"idle_share", "idle, %", "%.1f", 100},
  };
  dcs_sheet sheet = dcs_sheet_begin("", columns, sizeof columns / sizeof columns[0]);
  for (int s = 0; s < DCS_N_STAGES; s++) {
    if (t->workers[s] == 0) continue;
    dcs_sheet_text(&sheet, dcs_stage_names[s]);
    dcs_sheet_number(&sheet, t->workers[s]);
    dcs_sheet_number(&sheet, t->busy_s[s]);
    dcs_sheet_number(&sheet, t->frames > 0 ? 1e3 * t->busy_s[s] / (double)t->frames : NAN);
    dcs_sheet_number(&sheet, 1 - dcs_map_busy_share(t, s));
  }
  const dcs_status status = dcs_sheet_write(&sheet, form, stdout);
  dcs_sheet_free(&sheet);
  return status;
}

dcs_status dcs_map_print_frame_times(const dcs_frames_times *t, bool csv, bool json) {
  if (csv || json) return print_table(t, csv ? DCS_SHEET_CSV : DCS_SHEET_JSON);
  DCS_TRY(print_table(t, DCS_SHEET_TEXT));
  const char *who = t->cards == 0 ? "the CPU" : t->cards == 1 ? "the card" : "the cards";
  if (t->cards > 0)
    printf("%s opened in %.2g s, while frames were read and prepared; ", who, t->opening_s);
  printf("%lld frames in %.4g s, %.4g ms a frame; %s computed %.1f%% of that time\n",
         (long long)t->frames, t->wall_s, t->frames > 0 ? 1e3 * t->wall_s / (double)t->frames : 0,
         who, 100 * dcs_map_busy_share(t, DCS_STAGE_COMPUTING));
  return DCS_OK;
}
