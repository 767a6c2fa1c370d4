"""The library's maps to a tolerance beside FMM3D (lfmm3d with targets), at equal measured error, on one thread.

Usage: PYTHONPATH=library OMP_NUM_THREADS=1 python3 fmm3d.py PATH/libdcs.so MOLECULE.pqr SPACING EDGE ROUNDS TOLERANCE...
where NumPy and fmm3dpy are installed. Prints a row for each tolerance.

The grid of EDGE^3 points begins at the molecule's corner. An error is the largest over 1,000 of its points that are
farther than 1 angstrom from every atom, relative to the root mean square there, against direct sums in double precision.
For each tolerance FMM3D gets the loosest eps whose error is no larger than ours, and the next looser one (looser_...).
All compute by turns, from arrays to an array; a time is that of the CPU around the call, so that what else the machine
does counts little.
"""
import csv
import statistics
import sys
import time

import fmm3dpy
import numpy
from example import Mapper

EPS = [3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7]


def read(path):
    """Rows x, y, z, q of a PQR file."""
    with open(path) as file:
        words = [line.split() for line in file if line.startswith(("ATOM", "HETATM"))]
    return numpy.array([[float(w) for w in line[-5:-1]] for line in words])


def sample(atoms, points, n):
    """Numbers of n points farther than 1 angstrom from every atom, and the direct sums there."""
    chosen, sums = [], []
    for p in numpy.random.default_rng(1).permutation(len(points)):
        r = numpy.sqrt(((atoms[:, :3] - points[p]) ** 2).sum(1))
        if r.min() > 1:
            chosen.append(p)
            sums.append((atoms[:, 3] / r).sum())
        if len(chosen) == n:
            break
    return numpy.array(chosen), numpy.array(sums)


def cpu_ms(function):
    begin = time.process_time()
    function()
    return 1e3 * (time.process_time() - begin)


def main():
    library, molecule, spacing, edge, rounds = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:6])
    edge, rounds = int(edge), int(rounds)
    atoms = read(molecule)
    origin = atoms[:, :3].min(0)
    steps = spacing * numpy.arange(edge)
    grid = numpy.stack(numpy.meshgrid(steps, steps, steps, indexing="ij")).reshape(3, -1)
    targets = numpy.asfortranarray(grid + origin[:, None])
    sources, charges = numpy.asfortranarray(atoms[:, :3].T), atoms[:, 3].copy()
    chosen, expected = sample(atoms, targets.T, 1000)
    scale = numpy.sqrt((expected**2).mean())
    mapper = Mapper(library, device="cpu", threads=1)

    def ours(tolerance):
        return mapper.map(atoms, spacing, (edge, edge, edge), origin, tolerance=tolerance).reshape(-1)

    def theirs(eps):  # 1 / (4 pi r) in this version
        found = fmm3dpy.lfmm3d(eps=eps, sources=sources, charges=charges, targets=targets, pgt=1)
        return 4 * numpy.pi * found.pottarg

    def error(values):
        return numpy.abs(values[chosen] - expected).max() / scale

    out = csv.writer(sys.stdout)
    out.writerow(["atoms", "points", "tolerance", "error", "ms", "min_ms", "eps", "fmm3d_error", "fmm3d_ms",
                  "fmm3d_min_ms", "ratio_of_medians", "looser_eps", "looser_error", "looser_ms"])
    errors = {}
    for tolerance in map(float, sys.argv[6:]):
        own = error(ours(tolerance))
        for at, eps in enumerate(EPS):
            if eps not in errors:
                errors[eps] = error(theirs(eps))
            if errors[eps] <= own:
                break
        looser = EPS[max(at - 1, 0)]
        times = ([], [], [])
        for _ in range(rounds):
            times[0].append(cpu_ms(lambda: ours(tolerance)))
            times[1].append(cpu_ms(lambda: theirs(eps)))
            times[2].append(cpu_ms(lambda: theirs(looser)))
        ms, least = [statistics.median(t) for t in times], [min(t) for t in times]
        out.writerow([len(atoms), edge**3, tolerance, "%.2g" % own, "%.0f" % ms[0], "%.0f" % least[0], eps,
                      "%.2g" % errors[eps], "%.0f" % ms[1], "%.0f" % least[1], "%.3g" % (ms[1] / ms[0]), looser,
                      "%.2g" % errors[looser], "%.0f" % ms[2]])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
