/* The files that the commands of fault_commands.h read, and programs that they run. */
#ifndef DCS_TEST_FAULT_FILES_H
#define DCS_TEST_FAULT_FILES_H

#include "tests/fault_commands.h"
#include "tests/fault_run.h"

/* The files of a run lie in one of the corpus, behind the letter that tells its target what to do,
 * with a form feed on a line between them. */
static void make_run(const char *corpus, const char *run) {
  static const char *const names[] = {"env", "samples", "summary"};
  char path[PATH_MAX], *text = get_file(corpus), *at = text + 1;
  if (mkdir(expand(run), 0777) != 0) die(run);
  for (int i = 0; i < 3; i++) {
    char *end = strstr(at, "\f\n");
    size_t size = end ? (size_t)(end - at) : strlen(at);
    snprintf(path, sizeof path, "%s/%s.csv", run, names[i]);
    put_file(path, at, size);
    at = end ? end + 2 : at + size;
  }
  free(text);
}

/* Commands to be timed. */
static void make_timed(void) {
  static const char script[] = "#!/bin/sh\necho took 1 ms\n";
  static const char *const names[] = {"@/timed", "@/timed1"};
  for (int n = 0; n < 2; n++) {
    put_file(names[n], script, sizeof script - 1);
    chmod(expand(names[n]), 0755);
  }
}

/* A gnuplot whose pictures are whole and take no time. */
static void make_gnuplot(void) {
  static const char script[] =
      "#!/bin/sh\npart=${3#*\\\"}; part=${part%\\\"}\nname=${4%.gp}\n"
      "printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B`\\202' >\"$name.png$part\"\n"
      "echo '<?xml version=\"1.0\"?><svg></svg>' >\"$name.svg$part\"\n";
  put_file("@/gnuplot", script, sizeof script - 1);
  chmod(expand("@/gnuplot"), 0755);
}

/* A program whose `sweep` knows the CPU's limits, which take longer to measure than all else. */
static void make_sweep(void) {
  char script[8 * PATH_MAX];
  const int length = snprintf(
      script, sizeof script,
      "#!/bin/sh\nfor word; do case $word in --out=*) out=${word#*=};; --turns=*) of=${word#*=};; "
      "esac; done\nmkdir -p \"$out\" && cp %s/begun/*.csv \"$out\" && "
      "echo \"interleaved,$of\" >>\"$out/env.csv\" && exec %s \"$@\" --resume\n",
      folder, program);
  put_file("@/sweep", script, (size_t)length);
  chmod(expand("@/sweep"), 0755);
}

/* An mpirun of jobs whose ranks take no time. */
static void make_mpirun(void) {
  static const char script[] =
      "#!/bin/sh\necho schema,rank,parts,most_parts,preparing_s,reading_s,computing_s,"
      "communicating_s,receiving_s,writing_s,wall_s,steps,slices,hidden_s\n"
      "rank=0; while [ $rank -lt $2 ]; do\n"
      "echo \"rank_times.2,$rank,2,2,1,0.5,$((8 / $2)).25,0.25,0,1,$((4 + 8 / $2)),0,0,0\"\n"
      "rank=$((rank + 1)); done\n";
  put_file("@/mpirun", script, sizeof script - 1);
  chmod(expand("@/mpirun"), 0755);
}

/* The files of a run; without `rows` only the header of those that have them stays: it was begun.
 */
static void copy_run(const char *from, const char *to, bool rows) {
  static const char *const names[] = {"env.csv", "samples.csv", "summary.csv"};
  char source[PATH_MAX], target[PATH_MAX];
  mkdir(expand(to), 0777);
  for (int i = 0; i < 3; i++) {
    snprintf(source, sizeof source, "%s/%s", from, names[i]);
    snprintf(target, sizeof target, "%s/%s", to, names[i]);
    char *text = get_file(source);
    put_file(target, text, rows || i == 0 ? strlen(text) : strcspn(text, "\n") + 1);
    free(text);
  }
}

/* Files of the corpus, where reading them can fail, without the letter for their target. */
static void copy_corpus(void) {
  static const char *const files[][2] = {
      {"molecule/plain.pqr", "in.pqr"},        {"molecule/named.gz", "named.gz"},
      {"molecule/points.xyzq", "points.xyzq"}, {"topology/ions.psf", "ions.psf"},
      {"topology/ions.pdb", "ions.pdb"},       {"topology/ions.rst7", "ions.rst7"},
      {"topology/ions.prmtop", "ions.prmtop"}, {"topology/fixed.dcd", "fixed.dcd"}};
  char command[2 * PATH_MAX];
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    snprintf(command, sizeof command, "tail -c +2 tests/corpus/%s >%s/%s", files[f][0], folder,
             files[f][1]);
    if (system(command) != 0) die(command);
  }
}

/* As many configurations as a study needs. */
static void write_journal(void) {
  char command[2 * PATH_MAX];
  snprintf(command, sizeof command,
           "head -n 21 results/reference/nvidia-h200/journal_padded.csv >%s/journal.csv", folder);
  if (system(command) != 0) die(command);
}

static void change_times(const char *run, const char *file, const char *column, const char *time) {
  char command[4 * PATH_MAX];
  snprintf(command, sizeof command,
           "cd %s/%s && awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }\n"
           "NR > 1 { n = $at[\"atoms\"]; one = $at[\"config\"] == \"threads=1\"; "
           "$at[\"%s\"] = %s } 1' %s >t && mv t %s",
           folder, run, column, time, file, file);
  if (system(command) != 0) die(command);
}

/* A run of this machine in which two threads overtake one at 60 atoms, and one in which a time is
 * far off. */
static void make_real_runs(void) {
  static const char *const sweep =
      "sweep --variants cpu_gather --config threads=1|2 --atoms 10,40,90,160 --grid 4^3 "
      "--rounds 6 --out @/";
  static const char *const times[][2] = {
      {"real", "one ? 1000 * n : 60000"},
      {"strayed", "(one ? 1000 * n : 60000) / (one && n == 40 ? 1000 : 1)"}};
  char command[512];
  for (int r = 0; r < 2; r++) {
    snprintf(command, sizeof command, "%s%s", sweep, times[r][0]);
    (void)run(command, false, FSYNC, LONG_MAX);
    change_times(times[r][0], "samples.csv", "time_ns", times[r][1]);
    change_times(times[r][0], "summary.csv", "median_ns", times[r][1]);
  }
}

static void prepare(void) {
  static const char times[] = "method,n,time_ms\na,8,1\na,8,1.1\nb,8,3\nb,64,2\na,64,4\n";
  char path[2 * PATH_MAX];
  if (!mkdtemp(folder)) die(folder);
  limit_s = most_s;
  copy_corpus();
  write_journal();
  put_file("@/times.csv", times, sizeof times - 1);
  make_run("tests/corpus/run/reference", "@/run");
  make_run("tests/corpus/run/reference", "@/small");
  make_timed();
  make_gnuplot();
  make_mpirun();
  snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
  setenv("PATH", path, 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("DCSBENCH_DATA", expand("@/data"), 1);
  setenv("DCSBENCH_CACHE", expand("@/cache"), 1);
  for (int c = 0; c < N_COMMANDS; c++) /* what these write is read by others */
    if (strcmp(commands[c].name, "tune") == 0 || strcmp(commands[c].name, "sweep") == 0)
      (void)run(commands[c].arguments, false, FSYNC, LONG_MAX);
  copy_run("@/new", "@/begun", false);
  make_sweep();
  make_real_runs();
  (void)run("map @/in.pqr --grid 4^3 --out @/map.dx", false, FSYNC, LONG_MAX);
}

#endif
