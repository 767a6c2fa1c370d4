/* cuda_cutoff_cells: the atoms within a cutoff c of each point, found through sorted cells; all on
 * the GPU.
 *
 * Derives from cuda_shared: tiles of atoms in shared memory, COARSEN_Z points a thread. New is
 * which atoms. Cubes, the cells, cover everything within c of the grid. Before a map, three small
 * kernels sort the atoms by cell: group the atoms of each cell, give the rows of cells their places
 * in memory, put each atom in its place. Cells that are neighbours in x are neighbours in memory,
 * so the atoms of a row of cells within reach of a block are one run. A block takes the runs of all
 * rows that its points can see, a tile at a time.
 *
 * A run's atoms are within reach of some point of the block, not of all. The unit that computes is
 * a warp, 8 x 4 x COARSEN_Z points, so the block makes each warp a list of the tile's atoms within
 * c of the box around its points. The atoms within r of a box of edges u, v, w fill its volume
 * widened by r, u v w + 2 (u v + v w + w u) r + pi (u + v + w) r^2 + 4/3 pi r^3, in spheres of
 * radius r = c = 12, at points 0.5 apart: 1.61 for a warp of 8 x 4 x 8 points, 2.5 for a block of
 * 16 x 16 x 8, and 3.3 with cells of 3 that reach beyond. Without lists a warp would compute twice
 * as much.
 *
 * Per atom in a warp's list and point: 1 subtraction, 1 FMA, 1 reciprocal square root, and
 * switched: 1 FMA (kept above 0 for free), 2 multiplications, 1 FMA, else 1 comparison, 1
 * selection, 1 FMA; per COARSEN_Z points 2 subtractions, 1 multiplication, 1 FMA, and 2 shared
 * loads. Switched and with 8 points that is 7 + 6/8 issue slots beside the 8 cycles of a warp's
 * reciprocal square root: both pipes are full. Making the lists: some 15 operations an atom of a
 * run and warp, on one thread: half a slot beside those of 8 points.
 *
 * The same bits every time: a group is the atoms of one cell among SORT_THREADS adjacent ones. Each
 * cell has a list of its groups, into which they come in any order; but the place of an atom is its
 * rank in its group, behind all groups of the cell with lower numbers. Rows of cells get their
 * places in any order as well, and the map's kernel takes them by their numbers. An atom looks at
 * the groups of its cell, of which n_atoms / SORT_THREADS at most are: even 100,000 atoms in one
 * cell are sorted in less time than they take to add.
 *
 * Parameters: block_x, a multiple of 8, block_y, a multiple of 4, product up to 1024;
 * coarsen_z 1..16, adjacent slices of a thread; cell_edge in tenths of an angstrom (longer where
 * there would be too many cells); tile_atoms, a multiple of 32. Tile and lists must fit 48 KB.
 * Limits: at most 65,535 blocks in y and in z; the scratch memory has 28 bytes an atom, 8 a cell,
 * and there are 4 bytes of counters a cell.
 */

/* The cells, and the cutoff; as the descriptor has it. */
struct cell_grid {
  float origin, edge, per_edge; /* the corner is (origin, origin, origin); per_edge: 1 / edge */
  float c2, per_c2, reach2;     /* c^2, 1 / c^2, and c^2 with a margin for rounding */
  int nx, ny, nz; /* cells, at most 4096 in a dimension: rounding stays below 1% of an edge */
  int switched;
};

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
  return m;
}

/* The counters: atoms of the rows that have their places, and `list` while groups come in. */
enum { PLACED, FIRST_LIST };

/* ---- sorting ---- */

/* Never falls when v grows, rounding included: what lies between two v lies in the cells between.
 */
static __device__ __forceinline__ float cell_coordinate(float v, cell_grid cells) {
  return (v - cells.origin) * cells.per_edge;
}

static __device__ __forceinline__ int cell_of(float4 atom, cell_grid cells) {
  float x = cell_coordinate(atom.x, cells), y = cell_coordinate(atom.y, cells),
        z = cell_coordinate(atom.z, cells);
  bool inside = x >= 0 && x < cells.nx && y >= 0 && y < cells.ny && z >= 0 && z < cells.nz;
  return inside ? ((int)z * cells.ny + (int)y) * (cells.nx + 1) + (int)x : -1;
}

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

/* A block finds the groups of its atoms. */
extern "C" __global__ void group_atoms(float *scratch, int *counters, const float4 *atoms,
                                       int n_atoms, cell_grid cells) {
  __shared__ int cell[SORT_THREADS];
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int t = threadIdx.x, a = blockIdx.x * SORT_THREADS + t;
  int mine = a < n_atoms ? cell_of(atoms[a], cells) : -1;
  cell[t] = mine;
  __syncthreads();
  if (mine < 0) return;
  int rank = 0, size = 0;
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
extern "C" __global__ void place_rows(float *scratch, int *counters, int n_atoms, cell_grid cells) {
  __shared__ int sums[SORT_THREADS + 1], first;
  cell_memory m = memory_of(scratch, n_atoms, cells);
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

extern "C" __global__ void place_atoms(float *scratch, int *counters, const float4 *atoms,
                                       int n_atoms, cell_grid cells) {
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int before = blockIdx.x * SORT_THREADS, a = before + threadIdx.x;
  if (a == 0) counters[PLACED] = 0;
  if (a >= n_atoms) return;
  float4 atom = atoms[a];
  int cell = cell_of(atom, cells);
  if (cell < 0) return;
  int place = m.start[cell] + m.rank[a];
  for (int g = m.list[cell]; g > 0; g = m.groups[g - 1].next)
    if (g - 1 < before) place += m.groups[g - 1].size;
  m.sorted[place] = atom;
}

/* ---- the map ---- */

enum {
  THREADS = BLOCK_X * BLOCK_Y,
  WARP = 32,
  WARP_X = 8,
  WARP_Y = 4,
  WARPS = THREADS / WARP,
  WARPS_X = BLOCK_X / WARP_X,
  WORDS = TILE_ATOMS / WARP
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

/* How far, at least, the cells number i in y or z lie from lo..hi. */
static __device__ __forceinline__ float cells_outside(int i, float lo, float hi, cell_grid cells) {
  float from = cells.origin + cells.edge * i, to = cells.origin + cells.edge * (i + 1);
  return fmaxf(fmaxf(from - hi, lo - to) - 0.01f * cells.edge, 0.0f);
}

static __device__ __forceinline__ int clamped_cell(float v, int n, cell_grid cells) {
  return (int)fminf(fmaxf(cell_coordinate(v, cells), 0.0f), (float)(n - 1));
}

/* The atoms of row (cy, cz) of the cells that can be within reach of the box: sorted[first..end-1].
 */
static __device__ __forceinline__ void find_run(cell_memory m, int cy, int cz, box b,
                                                cell_grid cells, int *first, int *end) {
  float dy = cells_outside(cy, b.y0, b.y1, cells), dz = cells_outside(cz, b.z0, b.z1, cells);
  float left2 = cells.reach2 - (dy * dy + dz * dz);
  *first = *end = 0;
  if (left2 <= 0) return;
  float half = sqrtf(left2);
  int row = (cz * cells.ny + cy) * (cells.nx + 1);
  *first = m.start[row + clamped_cell(b.x0 - half, cells.nx, cells)];
  *end = m.start[row + clamped_cell(b.x1 + half, cells.nx, cells) + 1];
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

/* Which of the atoms tile[first..first + 31], those before n, are within reach of the box. None, if
 * the box lies beyond the grid: x1 < x0 or y1 < y0. */
static __device__ __forceinline__ unsigned near_box(const float4 *tile, int first, int n, box b,
                                                    float reach2) {
  unsigned bits = 0;
  if (b.x1 < b.x0 || b.y1 < b.y0) return bits;
  for (int a = 0; a < WARP && first + a < n; a++) {
    float4 atom = tile[first + a];
    float dx = outside(atom.x, b.x0, b.x1), dy = outside(atom.y, b.y0, b.y1),
          dz = outside(atom.z, b.z0, b.z1);
    if (dx * dx + dy * dy + dz * dz < reach2) bits |= 1u << a;
  }
  return bits;
}

struct warp_lists {
  unsigned near[WORDS * WARPS];             /* a bit an atom: word by word, warp by warp */
  unsigned short atoms[WARPS * TILE_ATOMS]; /* numbers in the tile */
  int n[WARPS];
};

/* Writes the atoms of a word into its warp's list, behind those of the words before. */
static __device__ __forceinline__ void write_word(warp_lists *lists, int word, int warp) {
  int at = 0;
  for (int w = 0; w < word; w++)
    at += __popc(lists->near[w * WARPS + warp]);
  unsigned bits = lists->near[word * WARPS + warp];
  for (int a = 0; a < WARP; a++)
    if (bits >> a & 1) lists->atoms[warp * TILE_ATOMS + at++] = (unsigned short)(word * WARP + a);
  if (word == WORDS - 1) lists->n[warp] = at;
}

/* Adds the atoms of a list to the sums of the points (x, y, z[0..COARSEN_Z-1]). */
template <bool SMOOTH>
static __device__ __forceinline__ void add_atoms(const float4 *tile, const unsigned short *list,
                                                 int n, float x, float y, const float z[COARSEN_Z],
                                                 float c2, float per_c2, float sum[COARSEN_Z]) {
#pragma unroll 2
  for (int a = 0; a < n; a++) {
    float4 atom = tile[list[a]];
    float dx = x - atom.x, dy = y - atom.y;
    float dxy2 = dx * dx + dy * dy;
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l++) {
      float dz = z[l] - atom.z;
      float r2 = dz * dz + dxy2;
      if (SMOOTH) {
        float t = __saturatef(1.0f - r2 * per_c2);
        sum[l] += atom.w * rsqrtf(r2) * (t * t);
      } else {
        sum[l] += (r2 < c2 ? atom.w : 0.0f) * rsqrtf(r2);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, int n_atoms, int nx, int ny, int nz, int first_k, float spacing, float *scratch,
        cell_grid cells) {
  __shared__ float4 tile[TILE_ATOMS];
  __shared__ warp_lists lists;
  __shared__ int firsts[THREADS], offsets[THREADS + 1];
  cell_memory m = memory_of(scratch, n_atoms, cells);
  int t = threadIdx.y * BLOCK_X + threadIdx.x, warp = t / WARP, lane = t % WARP;
  int block_i = blockIdx.x * BLOCK_X, block_j = blockIdx.y * BLOCK_Y, k = blockIdx.z * COARSEN_Z;
  int i = block_i + warp % WARPS_X * WARP_X + lane % WARP_X;
  int j = block_j + warp / WARPS_X * WARP_Y + lane / WARP_X;
  box region = box_of(block_i, BLOCK_X, nx, block_j, BLOCK_Y, ny, first_k + k, COARSEN_Z,
                      first_k + nz, spacing);

  float z[COARSEN_Z], sum[COARSEN_Z];
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    z[l] = spacing * (first_k + k + l);
    sum[l] = 0.0f;
  }

  /* Rows of cells within reach, and of these as many at a time as there are threads. */
  float reach = sqrtf(cells.reach2);
  int cy = clamped_cell(region.y0 - reach, cells.ny, cells),
      cz = clamped_cell(region.z0 - reach, cells.nz, cells);
  int rows_y = clamped_cell(region.y1 + reach, cells.ny, cells) - cy + 1;
  int rows = rows_y * (clamped_cell(region.z1 + reach, cells.nz, cells) - cz + 1);
  for (int row = 0; row < rows; row += THREADS) {
    int end = 0;
    firsts[t] = 0;
    if (row + t < rows)
      find_run(m, cy + (row + t) % rows_y, cz + (row + t) / rows_y, region, cells, &firsts[t],
               &end);
    offsets[t + 1] = end - firsts[t];
    if (t == 0) offsets[0] = 0;
    add_up<THREADS>(offsets, t);

    for (int done = 0; done < offsets[THREADS]; done += TILE_ATOMS) {
      int n = min(offsets[THREADS] - done, (int)TILE_ATOMS);
      for (int a = t; a < n; a += THREADS) {
        int run = run_of(offsets, done + a);
        tile[a] = m.sorted[firsts[run] + done + a - offsets[run]];
      }
      __syncthreads();
      for (int task = t; task < WORDS * WARPS; task += THREADS) {
        int w = task % WARPS;
        box b = box_of(block_i + w % WARPS_X * WARP_X, WARP_X, nx, block_j + w / WARPS_X * WARP_Y,
                       WARP_Y, ny, first_k + k, COARSEN_Z, first_k + nz, spacing);
        lists.near[task] = near_box(tile, task / WARPS * WARP, n, b, cells.reach2);
      }
      __syncthreads();
      for (int task = t; task < WORDS * WARPS; task += THREADS)
        write_word(&lists, task / WARPS, task % WARPS);
      __syncthreads();
      const unsigned short *list = lists.atoms + warp * TILE_ATOMS;
      if (cells.switched)
        add_atoms<true>(tile, list, lists.n[warp], spacing * i, spacing * j, z, cells.c2,
                        cells.per_c2, sum);
      else
        add_atoms<false>(tile, list, lists.n[warp], spacing * i, spacing * j, z, cells.c2,
                         cells.per_c2, sum);
      __syncthreads(); /* nobody overwrites tile and lists while another still reads them */
    }
    __syncthreads(); /* nor the runs */
  }

#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++)
    if (k + l < nz && i < nx && j < ny) map[((long long)(k + l) * ny + j) * nx + i] += sum[l];
}
