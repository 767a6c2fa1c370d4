# A legend inside, above the lines, where the y axis is longer by its height: it covers nothing. Loaded
# with ENTRIES, HEIGHT (of the axis, in those of a whole picture's), LOW and HIGH (its ends without the
# legend) and LOGARITHMIC set; y is then.
stats DATA index 1:LAST using (strlen(strcol(1))) name "KEY" nooutput
KEY_COLUMNS = floor(1040 / (115 + 9.6 * KEY_max))
KEY_ROWS = ceil(ENTRIES / real(KEY_COLUMNS < 1 ? 1 : KEY_COLUMNS))
ROOM = (0.035 + 0.048 * KEY_ROWS) / HEIGHT
LONGER = ROOM / (1 - ROOM)
set yrange [LOW:(LOGARITHMIC ? HIGH * (HIGH / LOW) ** LONGER : HIGH + (HIGH - LOW) * LONGER)]
set key inside left top vertical maxrows KEY_ROWS samplen 4
