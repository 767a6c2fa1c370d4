/* FIRST:LAST:STEP */
#include "harness/frames/frames.h"

#include <inttypes.h>

static dcs_status wrong(const char *text) {
  return dcs_fail(DCS_USAGE,
                  "--frames: found \"%s\"; expected FIRST:LAST:STEP, counted from 1, such as "
                  "1:5000:10, 100: or 7",
                  text);
}

/* A number from 1 on, as long as it is; `value` stays where there is none. Two of them have a sum.
 */
static bool take_number(const char **text, int64_t *value) {
  const char *c = *text;
  int64_t number = 0;
  for (; dcs_is_digit(*c); c++) {
    if (number > INT64_MAX / 20 - 1) return false;
    number = 10 * number + (*c - '0');
  }
  if (c > *text) *value = number;
  *text = c;
  return *value >= 1;
}

dcs_status dcs_parse_frames(const char *text, dcs_frame_range *range) {
  const char *rest = text;
  int64_t last = INT64_MAX;
  *range = DCS_ALL_FRAMES;
  if (!take_number(&rest, &range->first) || !*text) return wrong(text);
  if (!*rest) range->last = range->first;
  if (*rest == ':') {
    rest++;
    if (!take_number(&rest, &last)) return wrong(text);
    range->last = last < INT64_MAX ? last : 0;
    if (*rest == ':') {
      rest++;
      if (!take_number(&rest, &range->step)) return wrong(text);
    }
  }
  if (*rest) return wrong(text);
  if (range->last && range->last < range->first)
    return dcs_fail(DCS_USAGE,
                    "--frames: found \"%s\", which ends before it begins; expected LAST %" PRId64
                    " or more",
                    text, range->first);
  return DCS_OK;
}
