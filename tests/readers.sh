#!/bin/sh
# Maps in the hands of others: GridDataFormats, mrcfile, gemmi and numpy read what `map` wrote, and what they
# write is read back. The packages go into a virtual environment in BUILD/readers; skipped, and said, where
# they cannot be had.
set -u
python=$BUILD/readers/bin/python
if [ ! -x "$python" ]; then
  if ! python3 -m venv "$BUILD/readers" >/dev/null 2>&1 ||
    ! "$BUILD/readers/bin/pip" install -q numpy GridDataFormats mrcfile gemmi >/dev/null 2>&1; then
    rm -rf "$BUILD/readers"
    echo "readers: skipped: no Python with venv here, or its packages cannot be had"
    exit 0
  fi
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bin=$(cd "$BUILD" && pwd)/dcsbench
cd "$work" || exit 1
"$bin" generate water --atoms 90 -o water.pqr || exit 1
for name in a.dx a.mrc a.npy a.npz; do
  "$bin" map water.pqr -o $name --grid 7x17x6 --origin=-3.5,-2,1000.25 --spacing 1.5 --units kT/e 2>/dev/null || exit 1
done
case $python in /*) ;; *) python=$OLDPWD/$python ;; esac
"$python" - <<'END' || exit 1
import gemmi, mrcfile, numpy as np
from gridData import Grid

z = np.load("a.npz")
a = z["values"]
assert a.shape == (7, 17, 6) and a.dtype == np.float32 and a.flags["C_CONTIGUOUS"]
assert str(z["units"]) == "kT/e" and (z["spacing"] == 1.5).all()
assert (z["origin"] == [-3.5, -2, 1000.25]).all()
assert (np.load("a.npy") == a).all()

dx = Grid("a.dx")
assert (dx.grid.astype(np.float32) == a).all() and (dx.delta == 1.5).all() and (dx.origin == z["origin"]).all()
dx.export("back.dx")

assert mrcfile.validate("a.mrc")
with mrcfile.open("a.mrc") as m:
    assert (m.data.transpose(2, 1, 0) == a).all()
    assert m.voxel_size.x == m.voxel_size.y == m.voxel_size.z == 1.5
    assert [m.header.origin.x, m.header.origin.y, m.header.origin.z] == [-3.5, -2, 1000.25]
ccp4 = gemmi.read_ccp4_map("a.mrc")
assert (np.array(ccp4.grid, copy=False) == a).all() and ccp4.grid.unit_cell.a == 7 * 1.5

with mrcfile.new("back.mrc") as m:
    m.set_data(np.ascontiguousarray(a.transpose(2, 1, 0)))
    m.voxel_size = 1.5
    m.header.origin = (-3.5, -2, 1000.25)
np.save("back.npy", np.asfortranarray(a.astype(np.float64)))
np.savez_compressed("back.npz", **{name: z[name] for name in z.files})
END
for name in back.dx back.mrc back.npy back.npz; do
  "$bin" diff a.npz $name --tolerance 1e-5 >/dev/null 2>&1 || { echo "readers: $name is not read as it was written"; exit 1; }
done
echo "readers: GridDataFormats, mrcfile, gemmi and numpy agree"
