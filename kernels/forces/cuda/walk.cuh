/* What is near: the runs of places that hold all atoms within reach of a box, as
 * kernels/forces/clusters.h has them. */
#include "kernels/forces/cuda/sorted.cuh"
#include "kernels/forces/cuda/special.cuh"

enum { ALL = 0xffffffff };

struct near_box {
  float lo[3], hi[3];
};

static __device__ __forceinline__ int2 cells_near(float lo, float hi, float far, int d, int n,
                                                  const cell_grid &cells) {
  int2 range;
  range.x = cell_at(lo - far - cells.margin[d], d, cells);
  range.y = cell_at(hi + far + cells.margin[d], d, cells);
  if (!cells.periodic) range.y = min(range.y, range.x + n - 1);
  return range;
}

/* In most cases there is nothing to divide. */
static __device__ __forceinline__ int floor_divide(int i, int n) {
  if (i >= 0 && i < n) return 0;
  return i >= 0 ? i / n : -((n - 1 - i) / n);
}

/* How far what is near and lies in row i, of images or of cells that repeat, is from the box, at
 * least. Where all n rows that repeat are looked at, row i has what is near in others of its number,
 * too. */
static __device__ __forceinline__ float row_outside(int i, int d, int2 looked_at, int n,
                                                    const near_box &b, const cell_grid &cells) {
  if (!cells.periodic && looked_at.y - looked_at.x >= n - 1) return 0.0f;
  float edge = __fdividef(1.0f, cells.per_edge[d]), from = edge * i, to = edge * (i + 1);
  float margin = cells.margin[d] + 0x1p-20f * fmaxf(fabsf(from), fabsf(to));
  return fmaxf(fmaxf(from - margin - b.hi[d], b.lo[d] - to - margin), 0.0f);
}

/* Calls visit(first, end, shift) for each run, shifted as its image is. */
template <class VISIT>
static __device__ __forceinline__ void walk_near(const cell_memory &m, const near_box &b,
                                                 float reach2, const cell_grid &cells,
                                                 VISIT visit) {
  float reach = reach2 * rsqrtf(reach2);
  int2 ys = cells_near(b.lo[1], b.hi[1], reach, 1, cells.ny, cells);
  int2 zs = cells_near(b.lo[2], b.hi[2], reach, 2, cells.nz, cells);
  for (int z = zs.x; z <= zs.y; z++)
    for (int y = ys.x; y <= ys.y; y++) {
      float dy = row_outside(y, 1, ys, cells.ny, b, cells);
      float dz = row_outside(z, 2, zs, cells.nz, b, cells);
      float left2 = reach2 - (dy * dy + dz * dz);
      if (left2 <= 0.0f) continue;
      int2 xs = cells_near(b.lo[0], b.hi[0], left2 * rsqrtf(left2), 0, cells.nx, cells);
      int of_y = floor_divide(y, cells.ny), of_z = floor_divide(z, cells.nz);
      const int *start =
          m.start + ((z - of_z * cells.nz) * cells.ny + y - of_y * cells.ny) * (cells.nx + 1);
      for (int x = xs.x; x <= xs.y;) {
        int of_x = floor_divide(x, cells.nx), begin = x - of_x * cells.nx;
        int last = min(begin + xs.y - x, cells.nx - 1);
        visit(start[begin], start[last + 1],
              make_float3(cells.period[0] * of_x, cells.period[1] * of_y,
                          cells.period[2] * of_z));
        x += last - begin + 1;
      }
    }
}

