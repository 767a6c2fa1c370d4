/* The library: the Direct Coulomb Summation map of a set of charges,
 *
 *     V(i, j, k) = sum over atoms a of q_a / |origin + spacing (i, j, k) - r_a|
 *
 * or of the atoms within a cutoff, or to a tolerance, by the method that measurements say is
 * fastest for its size, on the CPU or on an NVIDIA GPU. After `make` this header is
 * build/include/dcsbench.h, and a program is built by
 *
 *     cc program.c -Ibuild/include -Lbuild -ldcs -fopenmp -l:libcsv.a -ldl -lm
 *
 * (without -fopenmp where the library was built without OpenMP); after `make install`,
 *
 *     cc program.c $(pkg-config --cflags --libs dcsbench)
 *
 * Nothing here prints, ends the program, starts processes or changes signals; the `emulated` device
 * alone runs a compiler.
 * Functions return 0, or a status above 0 and leave a message in dcs_error_message():
 *
 *     1  a method failed or computed a wrong map     4  not on this machine: a GPU, memory
 *     2  an argument is wrong, or NULL               5  reading or writing failed
 *     3  a frame's places or cell are wrong
 *
 * Many threads may use one handle: a call waits until the one before it is done, for each has all
 * the threads and the GPU that the handle may take. Different handles compute at once, each with
 * threads of its own for its maps. dcs_error_message() is the calling thread's.
 *
 * After fork() a child may go on with its parent's handle, or open its own: maps are computed on
 * the CPU by threads that last for the map (with `threads` 1 by the calling one), and on a GPU
 * where the parent has not used it; else dcs_explain() says why not. No other thread may be in a
 * function of the library while a process forks. */
#ifndef DCSBENCH_H
#define DCSBENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dcs_mapper dcs_mapper;

/* All zero is a sensible choice. Strings are copied. */
typedef struct {
  /* Where maps may be computed beside the CPU: NULL, the first GPU if the dispatch table says that
   * it pays; "cpu", nowhere; "cuda:N", several that share each map ("cuda:0,cuda:1", "cuda:all"),
   * or "emulated" (a GPU's kernels on the CPU, for correctness): there, also without a dispatch
   * table: then by what took least on the reference card of the same compute capability, if there
   * is one, else by the highest rung of the GPU's ladder. One of several that fails leaves its part
   * to the others. */
  const char *device;
  /* The dispatch table, dispatch.csv, that `dcsbench dispatch` wrote from a run on this machine.
   * NULL, or one that is damaged or of another machine or program (dcs_explain() says why): the
   * highest rung of the CPU ladder that runs here. */
  const char *dispatch;
  /* Not 0: opens the GPU at once, so that decisions never count its start (a fifth of a second).
   * For programs that compute many maps. 0: when it first pays for a single map. */
  int open_gpu_now;
  /* How many threads a map takes at most, 1 to 1024; methods of the dispatch table that take more
   * are not used. 0: OMP_NUM_THREADS, else all CPUs that the process may use. On a host whose CPUs
   * others use, OpenMP's threads waste what they wait for by turning: start the program with
   * OMP_WAIT_POLICY=passive, or ask for fewer threads. */
  int threads;
} dcs_mapper_options;

/* options may be NULL. The caller ends with dcs_mapper_close(). With open_gpu_now or a device that
 * is named, 4 when it cannot be opened. */
int dcs_mapper_open(const dcs_mapper_options *options, dcs_mapper **mapper);
void dcs_mapper_close(dcs_mapper *mapper); /* NULL is fine */

/* Atoms lie in host memory, four numbers each: x, y, z (angstrom), q (e). Exactly one of `atoms`
 * and `atoms_float` is not NULL. Everything else is in angstrom. */
typedef struct {
  int64_t n_atoms; /* at least 1 */
  const double *atoms;
  const float *atoms_float;
  double origin[3];   /* place of grid point (0, 0, 0); subtracted in double precision */
  double spacing;     /* 1e-12 to 1e7: beyond, squares of distances leave single precision */
  int64_t nx, ny, nz; /* grid points */
  double cutoff;      /* above 0: of the atoms nearer than this to a point alone; 0: of all */
  int switched;     /* not 0, only with a cutoff c: each term is multiplied by (1 - r^2 / c^2)^2 */
  double tolerance; /* 1e-12 to 0.5: the largest error allowed, over the root mean square of the map
                       away from atoms (beside the rounding of single precision near atoms); 0: the
                       direct sum. Not with a cutoff */
  int periodic;     /* not 0, with a tolerance: the atoms repeat in a lattice of orthorhombic cells,
                       with a conductor around and a uniform background that neutralises a net
                       charge: the map's mean over the cell is 0. Atoms and grid may reach beyond the
                       cell. The CPU computes it where the library was built with FFTW; where nothing
                       does, status 4 */
  double cell[3];   /* with `periodic`: the cell's edges, 0.1 to 1e6; 0: what the grid spans, points
                       times spacing */
} dcs_map_request;

/* The sum within a cutoff is another map than the direct sum: neither is computed where the other
 * is asked for. Within a cutoff a dispatch table decides by what was measured within cutoffs with
 * the same switching function, for cutoffs from 1/1.26 of the least to 1.26 times the greatest of
 * these (a factor of 2 in the volume), and by how many pairs lie within the cutoff where the atoms
 * fill the grid's box evenly. To a tolerance it decides by what was measured at the nearest
 * tolerance that is not looser (or up to 1.26 times looser). Where there is no such table, the
 * highest rung that runs here computes, on the GPU where one is named, else on the CPU.
 *
 * Computes map[(k*ny + j)*nx + i], nx*ny*nz floats of host memory, e/angstrom. A map of 2 MiB or
 * more in page-locked memory (cudaMallocHost(), cudaHostRegister()) is copied from the GPU while
 * its rest is computed; one that was just allocated costs the touching of its pages. An atom closer
 * to a grid point than a millionth of the spacing is left out of the sum there; atoms without
 * charge add nothing. A method is checked against double-precision sums on a small problem before
 * its first use, and where one fails the next best takes over. A map larger than the GPU's memory
 * is computed in parts. On a status above 0 the map's content is undefined. */
int dcs_map(dcs_mapper *mapper, const dcs_map_request *request, float *map);

/* Writes which method dcs_map() would take for a request of this size (its atoms may both be NULL),
 * why, whether its expected time lies beyond the sizes that were measured, and what was found wrong
 * with the dispatch table or with methods so far: lines of text, cut at
 * `size` bytes. */
int dcs_explain(dcs_mapper *mapper, const dcs_map_request *request, char *text, size_t size);

/* ---- the mean of frames ---- */

/* The maps of a molecule's frames, one after another, and what they are in the mean: of thousands
 * of frames no map is kept. */
typedef struct dcs_mean dcs_mean;

typedef struct {
  dcs_map_request map;   /* how many atoms there are, and the grid; its own atoms are NULL */
  const double *charges; /* e, map.n_atoms of them within 1e12, which are copied */
  int variance;          /* not 0: the variance and the standard error are to be had, too */
  int64_t frames;        /* how many there will be, for the standard error; 0: not known */
} dcs_mean_request;

/* The method that the first frame is computed by computes all; to a tolerance, the error allowed is
 * a share of the first frame's map. The mapper outlives it; other maps may be computed meanwhile.
 * The caller ends with dcs_mean_close(). */
int dcs_mean_open(dcs_mapper *mapper, const dcs_mean_request *request, dcs_mean **mean);
/* Computes the map of a frame and adds it: places[3 n_atoms], x, y, z, angstrom; cell[3], of a
 * periodic request the edges in this frame, or NULL (2 where the request is not periodic). Sums are
 * in double precision and in blocks of 16 frames: the same bits as those of `dcsbench map
 * --average` by the same method. On a status above 0 the frame is not counted. Threads add one
 * after another. */
int dcs_mean_add(dcs_mean *mean, const double *places, const double *cell);
/* Writes nx*ny*nz floats each, where not NULL: the mean, the variance, and the standard error of
 * the mean by block averaging, which frames that are correlated do not make too small. No frame is
 * added afterwards. 2 without frames, or for a variance that was not asked for or of one frame. */
int dcs_mean_finish(dcs_mean *mean, float *values, float *variance, float *error);
void dcs_mean_close(dcs_mean *mean); /* NULL is fine */

/* ---- times, failures ---- */

/* How long the method itself took in the last map, ns; 0 before the first and on the emulated
 * device. What dcs_map() took on top of it is the library's share. */
double dcs_map_method_ns(const dcs_mapper *mapper);

/* What the last failure on this thread said. */
const char *dcs_error_message(void);

#ifdef __cplusplus
}
#endif

#endif
