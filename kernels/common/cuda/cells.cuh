/* Atoms sorted into cells, and the cells that a block of points looks into: what the kernels of sums
 * within a distance share.
 *
 * Cubes, the cells, cover the grid. Before a map, three small kernels sort the atoms by cell: group
 * the atoms of each cell (group_atom), give the rows of cells their places in memory (place_row), put
 * each atom in its place (place_in_cell). Cells that are neighbours in x are neighbours in memory, so
 * the atoms of a row of cells within reach of a block are one run. A block takes the runs of all rows
 * that its points can see (rows_near, find_runs), a tile of atoms at a time.
 *
 * The same bits every time: a group is the atoms of one cell among SORT_THREADS adjacent ones. Each
 * cell has a list of its groups, into which they come in any order; but the place of an atom is its
 * rank in its group, behind all groups of the cell with lower numbers. Rows of cells get their
 * places in any order as well, and the map's kernel takes them by their numbers. An atom looks at
 * the groups of its cell, of which n_atoms / SORT_THREADS at most are: even 100,000 atoms in one
 * cell are sorted in less time than they take to add.
 *
 * A kernel includes this behind its own
 *
 *     struct cell_grid { float edge; int nx, ny, nz; ... }        cells, at most 4096 in a dimension:
 *                                                                 rounding stays below 1% of an edge
 *     float cell_coordinate(float v, cell_grid cells)             in cells from the corner
 *     float cell_begin(int i, cell_grid cells)                    where cell i begins
 *
 * and has the parameters BLOCK_X, a multiple of 8, and BLOCK_Y, a multiple of 4. Scratch memory has
 * 28 bytes an atom and 8 a place, of which a row of cells has one more than cells; and there are as
 * many counters as places, and one. */
#ifndef DCS_CELLS_CUH
#define DCS_CELLS_CUH

enum { SORT_THREADS = 64 };

/* ---- scratch memory ---- */

/* A group is known by its first atom: that atom's number + 1, or 0 for none. */
struct group {
  int next; /* in the list of the cell */
  int size;
};

/* A row has nx + 1 places in `start` and `list`, the last for the end of its last cell. */
struct cell_memory {
  float4 *sorted; /* atoms: the cells of a row one after another, the rows in any order */
  int *start;     /* of each cell in `sorted` */
  int *list;      /* of each cell: the first group */
  group *groups;  /* at the number of the first atom */
  int *rank;      /* of each atom in its group */
  int *end;       /* of all these */
};

static __device__ __forceinline__ cell_memory memory_of(float *scratch, int n_atoms,
                                                        cell_grid cells) {
  cell_memory m;
  int places = (cells.nx + 1) * cells.ny * cells.nz;
  m.sorted = (float4 *)scratch;
  m.groups = (group *)(m.sorted + n_atoms);
  m.rank = (int *)(m.groups + n_atoms);
  m.start = m.rank + n_atoms;
  m.list = m.start + places;
  m.end = m.list + places;
  return m;
}

/* The counters: atoms of the rows that have their places, and `list` while groups come in. */
enum { PLACED, FIRST_LIST };

/* ---- sorting ---- */

/* sums[t + 1] becomes the sum of sums[1..t + 1]; sums[0] is 0. All threads of the block call it.
 * Few threads add up 16 numbers each, one after another, and all add what is before these 16: few
 * barriers. */
template <int THREADS> static __device__ __forceinline__ void add_up(int *sums, int t) {
  const int RUN = 16;
  __syncthreads();
  if (t * RUN < THREADS)
    for (int i = t * RUN + 1; i < min((t + 1) * RUN, (int)THREADS); i++)
      sums[i + 1] += sums[i];
  __syncthreads();
  int before = 0;
  for (int end = RUN; end <= t; end += RUN)
    before += sums[end];
  __syncthreads();
  sums[t + 1] += before;
  __syncthreads();
}

/* Atom a finds its group among those of its block, whose cells (-1: none) all threads know. */
static __device__ __forceinline__ void group_atom(cell_memory m, int *counters, const int *cell,
                                                  int mine, int a) {
  if (mine < 0) return;
  int t = threadIdx.x, rank = 0, size = 0;
#pragma unroll
  for (int other = 0; other < SORT_THREADS; other++) {
    int same = cell[other] == mine;
    size += same;
    rank += other < t ? same : 0;
  }
  m.rank[a] = rank;
  if (rank > 0) return;
  m.groups[a].size = size;
  m.groups[a].next = atomicExch(&counters[FIRST_LIST + mine], a + 1);
}

/* A block a row of cells: where its cells begin. The lists are complete; the counters give them up.
 */
static __device__ __forceinline__ void place_row(cell_memory m, int *counters, cell_grid cells) {
  __shared__ int sums[SORT_THREADS + 1], first;
  int t = threadIdx.x, row = blockIdx.x, in_row = 0;
  int *start = m.start + row * (cells.nx + 1), *list = m.list + row * (cells.nx + 1);
  int *grown = counters + FIRST_LIST + row * (cells.nx + 1);
  for (int base = 0; base < cells.nx; base += SORT_THREADS) {
    int x = base + t, size = 0;
    if (x < cells.nx) {
      int first_group = grown[x];
      list[x] = first_group;
      grown[x] = 0;
      for (int g = first_group; g > 0; g = m.groups[g - 1].next)
        size += m.groups[g - 1].size;
    }
    sums[t + 1] = size;
    if (t == 0) sums[0] = 0;
    add_up<SORT_THREADS>(sums, t);
    if (x < cells.nx) start[x] = in_row + sums[t];
    in_row += sums[SORT_THREADS];
    __syncthreads();
  }
  if (t == 0) first = atomicAdd(&counters[PLACED], in_row);
  __syncthreads();
  for (int x = t; x < cells.nx; x += SORT_THREADS)
    start[x] += first;
  if (t == 0) start[cells.nx] = first + in_row;
}

/* Where atom a of a cell belongs in `sorted`. `before`: the first atom of its block. */
static __device__ __forceinline__ int place_in_cell(cell_memory m, int cell, int a, int before) {
  int place = m.start[cell] + m.rank[a];
  for (int g = m.list[cell]; g > 0; g = m.groups[g - 1].next)
    if (g - 1 < before) place += m.groups[g - 1].size;
  return place;
}

/* ---- which atoms a block sees ---- */

enum {
  THREADS = BLOCK_X * BLOCK_Y,
  WARP = 32,
  WARP_X = 8,
  WARP_Y = 4,
  WARPS = THREADS / WARP,
  WARPS_X = BLOCK_X / WARP_X
};

struct box {
  float x0, x1, y0, y1, z0, z1;
};

/* Around points i..i + ni - 1 and so on, as far as they are before the ends. */
static __device__ __forceinline__ box box_of(int i, int ni, int end_i, int j, int nj, int end_j,
                                             int k, int nk, int end_k, float spacing) {
  box b = {spacing * i, spacing * (min(i + ni, end_i) - 1),
           spacing * j, spacing * (min(j + nj, end_j) - 1),
           spacing * k, spacing * (min(k + nk, end_k) - 1)};
  return b;
}

/* How far v lies outside lo..hi. */
static __device__ __forceinline__ float outside(float v, float lo, float hi) {
  return fmaxf(fmaxf(lo - v, v - hi), 0.0f);
}

/* The cell that v falls into, or the nearest one. Never falls when v grows, rounding included: what
 * lies between two v lies in the cells between. */
static __device__ __forceinline__ int clamped_cell(float v, int n, cell_grid cells) {
  return (int)fminf(fmaxf(cell_coordinate(v, cells), 0.0f), (float)(n - 1));
}

/* How far, at least, the atoms of the cells number i in y or z lie from lo..hi. */
static __device__ __forceinline__ float cells_outside(int i, float lo, float hi, cell_grid cells) {
  float from = cell_begin(i, cells), to = cell_begin(i + 1, cells);
  return fmaxf(fmaxf(from - hi, lo - to) - 0.01f * cells.edge, 0.0f);
}

/* The atoms of row (cy, cz) of the cells that can be within reach of the box: sorted[first..end-1].
 */
static __device__ __forceinline__ void find_run(cell_memory m, int cy, int cz, box b, float reach2,
                                                cell_grid cells, int *first, int *end) {
  float dy = cells_outside(cy, b.y0, b.y1, cells), dz = cells_outside(cz, b.z0, b.z1, cells);
  float left2 = reach2 - (dy * dy + dz * dz);
  *first = *end = 0;
  if (left2 <= 0) return;
  float half = sqrtf(left2);
  int row = (cz * cells.ny + cy) * (cells.nx + 1);
  *first = m.start[row + clamped_cell(b.x0 - half, cells.nx, cells)];
  *end = m.start[row + clamped_cell(b.x1 + half, cells.nx, cells) + 1];
}

/* Rows of cells within reach of a box, n of them: ny in y from (cy, cz) on. */
struct cell_rows {
  int cy, cz, ny, n;
};

static __device__ __forceinline__ cell_rows rows_near(box b, float reach, cell_grid cells) {
  cell_rows rows;
  rows.cy = clamped_cell(b.y0 - reach, cells.ny, cells);
  rows.cz = clamped_cell(b.z0 - reach, cells.nz, cells);
  rows.ny = clamped_cell(b.y1 + reach, cells.ny, cells) - rows.cy + 1;
  rows.n = rows.ny * (clamped_cell(b.z1 + reach, cells.nz, cells) - rows.cz + 1);
  return rows;
}

/* The runs of as many rows as there are threads, from `row` on: where each begins in `sorted`, and
 * how many atoms are in those before it; offsets[THREADS]: in all. */
static __device__ __forceinline__ void find_runs(cell_memory m, cell_rows rows, int row, int t,
                                                 box b, float reach2, cell_grid cells, int *firsts,
                                                 int *offsets) {
  int end = 0;
  firsts[t] = 0;
  if (row + t < rows.n)
    find_run(m, rows.cy + (row + t) % rows.ny, rows.cz + (row + t) / rows.ny, b, reach2, cells,
             &firsts[t], &end);
  offsets[t + 1] = end - firsts[t];
  if (t == 0) offsets[0] = 0;
  add_up<THREADS>(offsets, t);
}

/* The run that holds number g of the atoms in all: offsets[run] <= g < offsets[run + 1]. */
static __device__ __forceinline__ int run_of(const int *offsets, int g) {
  int lo = 0, hi = THREADS;
  while (hi - lo > 1) {
    int middle = (lo + hi) / 2;
    if (offsets[middle] <= g)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

#endif
