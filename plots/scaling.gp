# Speed-up over workers: measured with intervals, Amdahl's law, simulated nodes, linear. Series: x, speed-up,
# its interval; those that are measured come first, with a fifth column.
do for [FORMAT in "png svg"] {
  load "style.gp"
  MEASURED = 0
  do for [i=1:LAST] {
    stats DATA index i every ::0::0 using (NAME_OF = strcol(1), 1) nooutput
    if (NAME_OF[1:8] eq "measured") { MEASURED = i }
  }
  set logscale xy 2
  set format "%g"
  set xlabel "workers: ranks times threads, cards, or nodes"
  set ylabel "speed-up over one worker"
  set key outside bottom center horizontal
  plot for [i=1:MEASURED] DATA index i using 1:2:3:4 with yerrorbars linetype i title columnheader(1), \
    for [i=MEASURED+1:LAST-1] DATA index i using 1:2 with lines linetype i title columnheader(1), \
    DATA index LAST using 1:2 with lines linecolor rgb "#808080" dashtype 3 title columnheader(1)
  unset output
}
