/* cuda_cutoff_bins: the atoms within a cutoff of each point, found in bins of fixed capacity.
 *
 * The method of Kirk and Hwu's chapter on cutoff binning, after Hardy, Stone and Schulten (Parallel Computing
 * 35 (2009) 164). The host sorts the atoms into cubes, bins, of BIN_EDGE tenths of an angstrom, each with room
 * for CAPACITY atoms. Where a bin's atoms lie is then known without looking: place b * CAPACITY of the array,
 * aligned, in one piece; places that are left are empty, which charge 0 says. An atom that finds its bin full
 * stays with the host, which computes its part of the map meanwhile.
 *
 * A block computes a region of BLOCK_X x BLOCK_Y x COARSEN_Z points. All its threads need the same bins: those
 * of the neighbourhood, a list of offsets that is the same for all regions and lies behind the bins. The bins
 * go beyond the map as far as the list reaches, so that no offset leads outside. The threads load a group
 * of bins together, a place a thread at a time, and all pass over what was loaded. The list serves regions
 * wherever they begin in a bin; a neighbour that is too far from this region is not loaded.
 *
 * Per atom of a loaded bin and thread: 2 subtractions, 1 multiply, 1 FMA, 1 shared load of 16 bytes; if the
 * atom is within reach of the thread's column, for each of its COARSEN_Z points: 1 subtraction, 1 FMA, 1
 * comparison, 1 FMA for 1 - r^2/c^2, 1 reciprocal square root, 2 multiplies, 1 FMA. Without switching the
 * factor is computed all the same, as 1.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen_z 1..16, adjacent slices a
 * thread; bin_edge, tenths of an angstrom, 1..10000; capacity, atoms of a bin, 1..64.
 * Limits: at most 65,535 blocks in y and in z; 2^26 places; 65,536 bins in a neighbourhood. */

/* As the host fills it. */
struct bins {
  double per_edge;             /* 1 / edge */
  float edge;                  /* angstrom */
  float reach2;                /* square of the distance of bins that are looked into */
  float cutoff2;               /* square of the cutoff */
  float per_cutoff2;           /* 1 / cutoff2; 0: not switched */
  int bins_x, bins_y;          /* in a row, in a column */
  int margin_x, margin_y, margin_z; /* the bin that begins at grid point (0, 0, 0) */
  int places;                  /* of all bins; behind them lie the offsets */
  int n_neighbours;
};

#define THREADS (BLOCK_X * BLOCK_Y)
#define GROUP (512 / CAPACITY) /* bins loaded at a time: 8 KB, many loads under way, few barriers */

/* In one dimension: the bin that the region's first point lies in, and how far into it. */
struct corner {
  int bin;
  float inside;
};

/* In double precision, for a long row of bins. A point on a face may be taken for one of either bin: the list
 * of neighbours is right for both. */
static __device__ __forceinline__ corner corner_of(int point, float spacing, bins b) {
  double at = (double)spacing * point * b.per_edge, bin = floor(at);
  return {(int)bin, (float)(at - bin) * b.edge};
}

/* In one dimension: how far the bin at an offset from the corner's bin is from a region so long. */
static __device__ __forceinline__ float gap(float offset, corner c, float length, float edge) {
  float begin = offset * edge - c.inside;
  return fmaxf(fmaxf(begin - length, -begin - edge), 0.0f);
}

/* The atom in a place of the region's nth neighbour; charge 0: none. */
static __device__ __forceinline__ float4 atom_at(const float4 *placed, int n, int place, corner x, corner y,
                                                 corner z, float spacing, bins b) {
  const float4 none = {0.0f, 0.0f, 0.0f, 0.0f};
  if (n >= b.n_neighbours) return none;
  float4 offset = __ldg(&placed[b.places + n]);
  float dx = gap(offset.x, x, spacing * (BLOCK_X - 1), b.edge);
  float dy = gap(offset.y, y, spacing * (BLOCK_Y - 1), b.edge);
  float dz = gap(offset.z, z, spacing * (COARSEN_Z - 1), b.edge);
  if (dx * dx + dy * dy + dz * dz >= b.reach2) return none;
  int bin_x = x.bin + (int)offset.x + b.margin_x;
  int bin_y = y.bin + (int)offset.y + b.margin_y;
  int bin_z = z.bin + (int)offset.z + b.margin_z;
  return __ldg(&placed[((bin_z * b.bins_y + bin_y) * b.bins_x + bin_x) * CAPACITY + place]);
}

/* Adds an atom to the sums of a thread's column of points. */
static __device__ __forceinline__ void add_atom(float4 atom, float x, float y, const float z[COARSEN_Z], bins b,
                                                float sum[COARSEN_Z]) {
  float dx = x - atom.x;
  float dy = y - atom.y;
  float dxy2 = dx * dx + dy * dy;
  if (dxy2 >= b.cutoff2) return;
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    float dz = z[l] - atom.z;
    float r2 = dz * dz + dxy2;
    float switched = 1.0f - r2 * b.per_cutoff2;
    float term = rsqrtf(r2) * (atom.w * switched * switched);
    if (r2 < b.cutoff2) sum[l] += term;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float *map, const float4 *placed, int nx, int ny, int nz, int first_k, float spacing, bins b) {
  __shared__ float4 loaded[GROUP * CAPACITY];
  int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  int k = blockIdx.z * COARSEN_Z;
  corner corner_x = corner_of(blockIdx.x * BLOCK_X, spacing, b);
  corner corner_y = corner_of(blockIdx.y * BLOCK_Y, spacing, b);
  corner corner_z = corner_of(first_k + k, spacing, b);
  float x = spacing * i;
  float y = spacing * j;
  float z[COARSEN_Z], sum[COARSEN_Z];
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    z[l] = spacing * (first_k + k + l);
    sum[l] = 0.0f;
  }

  for (int first = 0; first < b.n_neighbours; first += GROUP) {
    for (int p = thread; p < GROUP * CAPACITY; p += THREADS)
      loaded[p] = atom_at(placed, first + p / CAPACITY, p % CAPACITY, corner_x, corner_y, corner_z, spacing, b);
    __syncthreads();
    for (int n = 0; n < GROUP; n++) {
      for (int a = 0; a < CAPACITY; a++) {
        float4 atom = loaded[n * CAPACITY + a];
        if (atom.w == 0.0f) break; /* a bin's atoms come first */
        add_atom(atom, x, y, z, b, sum);
      }
    }
    __syncthreads(); /* nobody overwrites the bins while another still reads them */
  }

#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++)
    if (k + l < nz && i < nx && j < ny) map[((long long)(k + l) * ny + j) * nx + i] = sum[l];
}
