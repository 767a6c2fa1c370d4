/* A map as an OpenDX file, which VMD, PyMOL, ChimeraX and APBS read: text, z fastest as the format
 * has it. */
#include "harness/base/interrupt.h"
#include "harness/output/map_write.h"

static void put_head(FILE *out, const dcs_case *c) {
  const dcs_dims n = c->problem.n;
  const long long nx = n.x, ny = n.y, nz = n.z;
  const double h = c->spacing;
  fputs("# Direct Coulomb Summation potential, sum of q/r, in e/angstrom (1 e/angstrom is 14.3996 "
        "V)\n"
        "# lengths in angstrom; z varies fastest, then y, then x\n",
        out);
  fprintf(out, "object 1 class gridpositions counts %lld %lld %lld\n", nx, ny, nz);
  fprintf(out, "origin %.12g %.12g %.12g\n", c->origin[0], c->origin[1], c->origin[2]);
  fprintf(out, "delta %.12g 0 0\ndelta 0 %.12g 0\ndelta 0 0 %.12g\n", h, h, h);
  fprintf(out, "object 2 class gridconnections counts %lld %lld %lld\n", nx, ny, nz);
  fprintf(out, "object 3 class array type double rank 0 items %lld data follows\n", nx * ny * nz);
}

/* Three values a line. */
static dcs_status put_values(FILE *out, dcs_dims n, const float *map) {
  int64_t put = 0;
  for (int64_t i = 0; i < n.x; i++)
    for (int64_t j = 0; j < n.y; j++) {
      if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
      if (ferror(out)) return DCS_OK; /* closing says so */
      for (int64_t k = 0; k < n.z; k++, put++) {
        if (put > 0) fputc(put % 3 == 0 ? '\n' : ' ', out);
        fprintf(out, "%.8e", (double)map[(k * n.y + j) * n.x + i]);
      }
    }
  fputc('\n', out);
  return DCS_OK;
}

static void put_tail(FILE *out) {
  fputs("attribute \"dep\" string \"positions\"\n"
        "object \"potential\" class field\n"
        "component \"positions\" value 1\n"
        "component \"connections\" value 2\n"
        "component \"data\" value 3\n",
        out);
}

static dcs_status write_dx(FILE *out, const dcs_case *c, const float *map) {
  put_head(out, c);
  DCS_TRY(put_values(out, c->problem.n, map));
  put_tail(out);
  return DCS_OK;
}

const dcs_writer dcs_writer_dx = {.name = "OpenDX", .suffix = ".dx", .write = write_dx};
