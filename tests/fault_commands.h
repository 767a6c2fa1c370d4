/* The commands that faults are injected into, and what they write. */
#ifndef DCS_TEST_FAULT_COMMANDS_H
#define DCS_TEST_FAULT_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_OUTPUTS = 3 };

/* In arguments and names @ is the folder of the test, in which tests/corpus/topology is copied, and
 * % the program. */
static const struct {
  const char *name, *arguments, *outputs[MOST_OUTPUTS];
  bool prints;       /* always the same */
  const char *fresh; /* a folder that must not be there; its files hold times: their rows count */
  bool worker;       /* the faults are those of the first worker, not of the program */
  const char *begun; /* where that folder's files are from, NULL: it is not there */
  bool judges;       /* status 1 says that what it judges has failed, which no fault of ours is */
  bool grows;        /* samples are added, as many as times by chance ask for; none is taken away */
} commands[] = {
    {"list", "list --csv", {NULL}, true, NULL},
    {"info", "info --csv @/in.pqr", {NULL}, true, NULL},
    {"packed", "info --csv @/named.gz", {NULL}, true, NULL},
    {"points", "info --csv @/points.xyzq", {NULL}, true, NULL},
    {"pair", "info --csv @/ions.psf @/ions.pdb", {NULL}, true, NULL},
    {"amber", "info --csv @/ions.rst7 @/ions.prmtop", {NULL}, true, NULL},
    {"frames", "info --csv @/fixed.dcd @/ions.psf --frame 2", {NULL}, true, NULL},
    {"generate", "generate water --atoms 3 --out @/out.pqr", {"@/out.pqr"}, false, NULL},
    {"copies", "generate replicate @/in.pqr 2 1 1 --out @/out.pqr", {"@/out.pqr"}, false, NULL},
    {"report", "report @/run", {NULL}, true, NULL},
    {"page", "report @/small --html -o @/page.html", {"@/page.html"}, true, NULL},
    {"compare", "compare @/run @/run", {NULL}, true, NULL},
    {"map", "map @/in.pqr --grid 8^3 --out @/out.dx", {"@/out.dx"}, false, NULL},
    {"mean",
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 "
     "--average --variance --out @/out.npy",
     {"@/out.npy", "@/out_variance.npy", "@/out_error.npy"},
     false,
     NULL},
    {"crossover", "crossover @/run", {"@/run/thresholds.csv", "@/run/winners.csv"}, true, NULL},
    {"dispatch", "dispatch @/run", {"@/run/dispatch.csv", "@/run/dispatch.h"}, true, NULL},
    {"claims", "claims @/run", {"@/run/claims.csv"}, true, NULL},
    {"plot", "plot @/small", {"@/small/plots/ladder.dat", "@/small/plots/ladder.svg"}, true, NULL},
    {"methods",
     "sweep --method a=@/timed --method b=@/timed{n} --size n=1 --check @/timed --time-from "
     "stdout:took.(.*) --rounds 2 --out @/new",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new"},
    {"steps", "steps --grid 4^3 --steps 2 --config threads=1 --out @/out.npy", {"@/out.npy"}},
    {"resume",
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new "
     "--resume",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new",
     false,
     "@/begun"},
    {"sweep", /* which measures limits, and takes longer */
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new"},
    {"tune",
     "tune cpu_scatter --atoms 5 --grid 4^3 --budget 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     false,
     "@/data"},
    {"own",
     "tune results/examples/dot.json --budget-evals 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     .fresh = "@/data"},
    {"replay", "tune --replay @/data/journal.csv", {NULL}, false},
    {"tuned", "tune export", {NULL}, true},
    {"verify", "verify --variants cpu_gather --config threads=1", {NULL}, true},
    {"limits", "limits --csv", {NULL}, false},
    {"compile",
     "compile --variants cuda_naive --config block_x=16,block_y=16 --arch sm_90",
     {NULL},
     false},
    {"explain", "explain cpu_gather --config threads=1 --run @/run", {NULL}, true},
    {"sweep-worker",
     "sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 --rounds 1 --out @/new "
     "--resume",
     {"@/new/summary.csv", "@/new/samples.csv"},
     false,
     "@/new",
     true,
     "@/begun"},
    {"verify-worker",
     "verify --variants cpu_gather,cpu_cutoff --config threads=1,isa=portable",
     {NULL},
     true,
     NULL,
     true},
    {"compile-worker", /* of the emulated device: nothing of the kernel, in two files, is in the
                          cache */
     "verify --variants cuda_volume --config "
     "block_x=16,block_y=16,coarsen_x=1,coarsen_z=1,unroll=1,atoms=global --device emulated",
     {NULL},
     .fresh = "@/cache",
     .worker = true},
    {"tune-worker",
     "tune cpu_scatter --atoms 5 --grid 4^3 --budget 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     .fresh = "@/data",
     .worker = true},
    {"own-worker",
     "tune results/examples/dot.json --budget-evals 1 --samples 3 --last 0",
     {"@/data/tuned.csv"},
     .fresh = "@/data",
     .worker = true},
    {"refine",
     "crossover @/new --refine=1 --rounds 1",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new",
     .begun = "@/real",
     .grows = true},
    {"measure",
     "dispatch @/new --measure",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new",
     .begun = "@/strayed",
     .grows = true},
    {"compare-run",
     "compare --run @/sweep @/sweep --variants cpu_gather --config threads=1 --atoms 5 --grid 4^3 "
     "--rounds 6 --out @/kept",
     {"@/kept/a/summary.csv", "@/kept/b/summary.csv"},
     .fresh = "@/kept"},
    {"study",
     "tune --study @/journal.csv --samples 3 --out @/study",
     {"@/study/study.csv", "@/study/regret.csv", "@/study/importance.csv"},
     .fresh = "@/study"},
    {"pareto",
     "tune cpu_gather --pareto=error --atoms 5 --grid 4^3 --budget-evals 2 --samples 2 --last 0 "
     "--journal @/pareto/journal.csv --out @/pareto",
     {"@/pareto/pareto.csv"},
     .fresh = "@/pareto",
     .begun = "@/begun"},
    {"import",
     "import @/times.csv --out @/new",
     {"@/new/summary.csv", "@/new/samples.csv"},
     .fresh = "@/new"},
    {"checkpoint",
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 --average --checkpoint @/saved --out "
     "@/out.npy",
     {"@/out.npy"}},
    {"each",
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 --each @/out_#.dx",
     {"@/out_1.dx", "@/out_2.dx"}},
    {"map-gpu", "map @/in.pqr --grid 4^3 --device emulated --out @/out.dx", {"@/out.dx"}},
    {"convert", "convert @/map.dx @/out.npy", {"@/out.npy"}},
    {"diff", "diff @/map.dx @/map.dx --csv", {NULL}, .prints = true},
    {"t4", "report @/run --t4 @/out.json", {"@/out.json"}},
    {"trace",
     "trace cuda_naive --config block_x=16,block_y=16 --atoms 5 --grid 16x16x1 --csv",
     {NULL},
     .prints = true},
    {"labs", "lab", {NULL}, .prints = true},
    {"lab-start", "lab 1 --start @/lab", {"@/lab/README.md"}, .fresh = "@/lab"},
    {"lab-check", "lab 5 --kernels labs/5/solution", {NULL}, .judges = true},
    {"lab-worker", "lab 5 --kernels labs/5/solution", {NULL}, .worker = true, .judges = true},
    {"scale",
     "scale --mpirun @/mpirun --ranks 1,2,4 --weak 2 --rounds 3 --nodes 8 --out @/scale -- "
     "map @/ions.psf @/fixed.dcd --grid 4^3 --spacing 2 --average --out @/out.npy",
     {"@/scale/runs.csv", "@/scale/scaling.csv", "@/scale/simulated.csv"},
     .fresh = "@/scale"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

#endif
