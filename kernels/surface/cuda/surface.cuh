/* A map as bits, 32 points of a row a word, and what is found of them by logic. */

struct surface_grid {
  int nx, ny, nz, words; /* words: of a row */
};

/* Of a word's points, whose edges along x, y and z are cut. */
struct surface_cuts {
  unsigned along[3];
};

/* The word, with the neighbours in x of its points in their place. */
static __device__ __forceinline__ unsigned shifted(const unsigned *row, int word, int words) {
  return row[word] >> 1 | (word + 1 < words ? row[word + 1] << 31 : 0u);
}

/* The points of a word that have a neighbour in x. */
static __device__ __forceinline__ unsigned not_last(int word, int nx) {
  const int left = nx - 1 - word * 32;
  return left >= 32 ? 0xffffffffu : (1u << left) - 1u;
}

static __device__ __forceinline__ surface_cuts cuts_of(const unsigned *inside, surface_grid g,
                                                       int j, int k, int word) {
  const unsigned *row = inside + ((long long)k * g.ny + j) * g.words;
  const unsigned own = row[word];
  surface_cuts cuts = {{(own ^ shifted(row, word, g.words)) & not_last(word, g.nx), 0u, 0u}};
  if (j + 1 < g.ny) cuts.along[1] = own ^ row[word + g.words];
  if (k + 1 < g.nz) cuts.along[2] = own ^ row[word + (long long)g.words * g.ny];
  return cuts;
}

/* The cells that begin at a word's points and are cut; corner[c]: what is inside of corner c. */
static __device__ __forceinline__ unsigned cells_of(const unsigned *inside, surface_grid g, int j,
                                                    int k, int word, unsigned corner[8]) {
  unsigned any = 0u, all = 0xffffffffu;
  if (j + 1 >= g.ny || k + 1 >= g.nz) return 0u;
  for (int q = 0; q < 4; q++) {
    const unsigned *row = inside + ((long long)(k + (q >> 1)) * g.ny + j + (q & 1)) * g.words;
    corner[2 * q] = row[word];
    corner[2 * q + 1] = shifted(row, word, g.words);
    any |= corner[2 * q] | corner[2 * q + 1];
    all &= corner[2 * q] & corner[2 * q + 1];
  }
  return any & ~all & not_last(word, g.nx);
}

static __device__ __forceinline__ int case_of(const unsigned corner[8], int bit) {
  int inside = 0;
  for (int c = 0; c < 8; c++)
    inside |= (int)(corner[c] >> bit & 1u) << c;
  return inside;
}
