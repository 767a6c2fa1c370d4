#!/bin/sh
# Files between us and others: GridDataFormats, mrcfile, gemmi and numpy read what `map` wrote, and what they
# write is read back; topologies, places and frames that ParmEd and MDAnalysis write are read to their
# numbers. The packages go into a virtual environment in BUILD/readers; skipped, and said, where
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

if ! "$python" -c "import parmed, MDAnalysis" 2>/dev/null && ! "$python" -m pip install -q parmed MDAnalysis >/dev/null 2>&1; then
  echo "readers: topologies: skipped: ParmEd and MDAnalysis cannot be had"
  exit 0
fi
BIN=$bin "$python" -W ignore - 2>errors <<'END' || { tail -3 errors; echo "readers: a topology or its places are not read as they were written"; exit 1; }
import csv, os, subprocess
import MDAnalysis, numpy as np, parmed

rng = np.random.default_rng(1)
n = 300
molecule = parmed.Structure()
kinds = {}
for i in range(n):
    element, number, mass, name = [("O", 8, 15.9994, "OH2"), ("H", 1, 1.008, "H1"), ("H", 1, 1.008, "H2")][i % 3]
    kind = kinds.setdefault(element, parmed.AtomType(element + "T", None, mass, number))
    kind.set_lj_params(0.1, 1.5)
    charge = round(float(rng.uniform(-1, 1)), 6)
    atom = parmed.Atom(atomic_number=number, name=name, type=kind.name, charge=charge, mass=mass, solvent_radius=1.5)
    atom.atom_type = kind
    molecule.add_atom(atom, "TIP3", i // 3 + 1, segid="WAT")
charges = np.array([a.charge for a in molecule.atoms])
places = np.round(rng.uniform(-300, 900, (n, 3)), 3)
molecule.coordinates = places
molecule.box = [40, 50, 60, 90, 90, 90]
for name in "a.psf", "a.pdb", "a.rst7":
    molecule.save(name)
parmed.amber.AmberParm.from_structure(molecule).save("a.parm7")
universe = MDAnalysis.Universe("a.psf", "a.pdb")
universe.atoms.write("b.pdb")
with MDAnalysis.Writer("b.dcd", n) as trajectory:
    for frame in range(3):
        universe.atoms.positions = places - 7.25 * frame
        trajectory.write(universe.atoms)

# The potential at a few points knows of every charge and place.
points = np.array([[0, 0, 0], [500.5, -20, 30], [1000, 1000, -1000]])
with open("points.csv", "w") as out:
    out.write("x,y,z\n" + "".join("%.17g,%.17g,%.17g\n" % tuple(p) for p in points))

def check(at, *files):
    subprocess.run([os.environ["BIN"], "map", *files, "--at", "points.csv", "-o", "at.csv"], check=True)
    found = [float(row[-1]) for row in list(csv.reader(open("at.csv")))[1:]]
    right = (charges / np.linalg.norm(points[:, None] - at, axis=2)).sum(axis=1)
    assert np.allclose(found, right, rtol=1e-7, atol=1e-9), (files, found, right)

for topology in "a.psf", "a.parm7":
    for other in "a.pdb", "b.pdb", "a.rst7":
        check(places, topology, other)
        check(places, other, topology)
    for frame in range(3):
        moved = (places - 7.25 * frame).astype(np.float32).astype(float)
        check(moved, topology, "b.dcd", "--frame", str(frame + 1))
END
echo "readers: ParmEd and MDAnalysis agree"
