/* Pairs that differ from others: those that are excluded, those that a table of types has, and those
 * that are special, which a step adds behind all others. */

/* The kind's lists of what is excluded; its types, of which there are types[n_atoms]; its table. */
struct pair_rules {
  const int *begins, *excluded, *n_types;
  const float2 *table;
};

/* The list ascends. */
static __device__ __forceinline__ bool is_excluded(pair_rules rules, int a, int b) {
  int end = rules.begins[a + 1], e = rules.begins[a];
  while (e < end && rules.excluded[e] < b)
    e++;
  return a == b || (e < end && rules.excluded[e] == b);
}

/* What a pair has in place of what its wells combine to, if the table has both types. */
static __device__ __forceinline__ void look_up(pair_rules rules, int type, int other,
                                               float *minimum, float *depth) {
  if (type == 0 || other == 0) return;
  float2 pair = rules.table[(type - 1) * *rules.n_types + other - 1];
  *minimum = pair.x;
  *depth = pair.y;
}

/* Of a component, or of the nearest image's. */
static __device__ __forceinline__ float nearest(float d, int axis, const cell_grid &cells) {
  float period = cells.period[axis];
  return cells.periodic ? d - period * rintf(__fdividef(d, period)) : d;
}

/* The terms of a pair, with an Ewald sum or without. */
static __device__ __forceinline__ pull any_pull_at(pair_terms terms, float r2, float charges,
                                                   float minimum, float depth) {
  return terms.alpha > 0.0f ? pull_at<true>(terms, r2, charges, minimum, depth)
                            : pull_at<false>(terms, r2, charges, minimum, depth);
}

/* dcs_special. */
struct special_pair {
  int atom;
  float minimum, depth, charges;
};

/* A thread an atom: adds what its special pairs do to it. */
extern "C" __global__ void add_special(float4 *forces, const float4 *atoms, const int *begins,
                                       const special_pair *special, int n_atoms, forces_own o) {
  int a = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (a >= n_atoms || begins[a] == begins[a + 1]) return;
  float4 at = atoms[a], sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int s = begins[a]; s < begins[a + 1]; s++) {
    special_pair pair = special[s];
    float4 other = atoms[pair.atom];
    float dx = nearest(at.x - other.x, 0, o.cells), dy = nearest(at.y - other.y, 1, o.cells),
          dz = nearest(at.z - other.z, 2, o.cells);
    float r2 = dx * dx + dy * dy + dz * dz;
    if (!(r2 < o.terms.cutoff2)) continue;
    pull p = any_pull_at(o.terms, r2, at.w * other.w * pair.charges, pair.minimum, pair.depth);
    sum.x += p.force * dx;
    sum.y += p.force * dy;
    sum.z += p.force * dz;
    sum.w += 0.5f * p.energy;
  }
  float4 before = forces[a];
  forces[a] =
      make_float4(before.x + sum.x, before.y + sum.y, before.z + sum.z, before.w + sum.w);
}
