#!/usr/bin/env python3
"""Maps from Python, by ctypes. With NumPy a map is an array that shares the library's output; without,
it is a flat sequence of floats.

    python3 example.py [PATH/libdcs.so]

As a module:

    from example import Mapper
    mapper = Mapper()
    values = mapper.map([(1.0, 2.0, 3.0, -0.5)], spacing=0.5, shape=(64, 64, 64))

    mean = mapper.mean([-0.5], spacing=0.5, shape=(64, 64, 64), variance=True)
    for places in frames:
        mean.add(places)
    values, variance, error = mean.finish()
"""
import ctypes
import math
import sys

try:
    import numpy
except ImportError:
    numpy = None


class Options(ctypes.Structure):
    """dcs_mapper_options of dcsbench.h, which says what the fields mean."""

    _fields_ = [
        ("device", ctypes.c_char_p),
        ("dispatch", ctypes.c_char_p),
        ("open_gpu_now", ctypes.c_int),
        ("threads", ctypes.c_int),
    ]


class Request(ctypes.Structure):
    """dcs_map_request."""

    _fields_ = [
        ("n_atoms", ctypes.c_int64),
        ("atoms", ctypes.c_void_p),
        ("atoms_float", ctypes.c_void_p),
        ("origin", ctypes.c_double * 3),
        ("spacing", ctypes.c_double),
        ("nx", ctypes.c_int64),
        ("ny", ctypes.c_int64),
        ("nz", ctypes.c_int64),
        ("cutoff", ctypes.c_double),
        ("switched", ctypes.c_int),
        ("tolerance", ctypes.c_double),
        ("periodic", ctypes.c_int),
        ("cell", ctypes.c_double * 3),
    ]


def _request(n_atoms, atoms, origin, spacing, shape, more):
    """A Request. ctypes would take a name that is misspelt, and nobody would look at it."""
    names = ("cutoff", "switched", "tolerance", "periodic", "cell")
    for name in more:
        if name not in names:
            raise TypeError('found "%s"; expected one of %s' % (name, ", ".join(names)))
    return Request(n_atoms, atoms, None, tuple(origin), spacing, *shape, **more)


class MeanRequest(ctypes.Structure):
    """dcs_mean_request."""

    _fields_ = [
        ("map", Request),
        ("charges", ctypes.c_void_p),
        ("variance", ctypes.c_int),
        ("frames", ctypes.c_int64),
    ]


def _load(path):
    library = ctypes.CDLL(path)
    library.dcs_mapper_open.argtypes = [ctypes.POINTER(Options), ctypes.POINTER(ctypes.c_void_p)]
    library.dcs_mapper_close.argtypes = [ctypes.c_void_p]
    library.dcs_mapper_close.restype = None
    library.dcs_map.argtypes = [ctypes.c_void_p, ctypes.POINTER(Request), ctypes.c_void_p]
    library.dcs_explain.argtypes = [
        ctypes.c_void_p,
        ctypes.POINTER(Request),
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    library.dcs_mean_open.argtypes = [
        ctypes.c_void_p,
        ctypes.POINTER(MeanRequest),
        ctypes.POINTER(ctypes.c_void_p),
    ]
    library.dcs_mean_add.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.dcs_mean_finish.argtypes = [ctypes.c_void_p] + 3 * [ctypes.c_void_p]
    library.dcs_mean_close.argtypes = [ctypes.c_void_p]
    library.dcs_mean_close.restype = None
    library.dcs_error_message.restype = ctypes.c_char_p
    return library


def _rows(rows, names):
    """Rows of numbers, named "x y z q", as doubles in a row, their address and how many rows there are.
    An array of doubles in C order is taken as it is."""
    width = len(names.split())
    if numpy is not None:
        array = numpy.ascontiguousarray(rows, dtype=numpy.float64)
        if array.ndim != 2 or array.shape[1] != width:
            raise ValueError("rows of shape %s; expected (n, %d): %s" % (array.shape, width, names))
        return array, array.ctypes.data, len(array)
    if any(len(row) != width for row in rows):
        raise ValueError("expected rows of %d numbers: %s" % (width, names))
    flat = [float(number) for row in rows for number in row]
    array = (ctypes.c_double * len(flat))(*flat)
    return array, ctypes.addressof(array), len(rows)


def _shaped(values, shape):
    """The floats of a map; with NumPy values[i, j, k] is that of the point origin + spacing (i, j, k);
    without, values[(k * ny + j) * nx + i]."""
    if numpy is None:
        return values
    return numpy.frombuffer(values, dtype=numpy.float32).reshape(shape[::-1]).T


class Mapper:
    """A handle of the library, for one thread at a time; the interpreter runs other threads while a map
    is computed."""

    def __init__(self, library="libdcs.so", device=None, dispatch=None, threads=0):
        self._library, self._handle = _load(library), ctypes.c_void_p()
        text = [None if t is None else str(t).encode() for t in (device, dispatch)]
        options = Options(text[0], text[1], 0, threads)
        self._check(self._library.dcs_mapper_open(options, self._handle))

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.dcs_mapper_close(self._handle)

    def _check(self, status):
        if status != 0:
            raise RuntimeError("%s (status %d)" % (self._library.dcs_error_message().decode(), status))

    def map(self, atoms, spacing, shape, origin=(0.0, 0.0, 0.0), **more):
        """The potential in e/angstrom, float32, of rows of x, y, z (angstrom), q (e). More fields of
        the request may be given by their names: cutoff, switched, tolerance, periodic, cell."""
        rows, address, n = _rows(atoms, "x y z q")
        nx, ny, nz = shape
        request = _request(n, address, origin, spacing, shape, more)
        values = (ctypes.c_float * (nx * ny * nz))()
        self._check(self._library.dcs_map(self._handle, request, values))
        return _shaped(values, shape)

    def mean(self, charges, spacing, shape, origin=(0.0, 0.0, 0.0), variance=False, frames=0, **more):
        """The mean of the maps of frames that are added one after another; `frames`, how many there will
        be, is for the standard error."""
        charges = (ctypes.c_double * len(charges))(*charges)
        request = _request(len(charges), None, origin, spacing, shape, more)
        return Mean(self, MeanRequest(request, ctypes.addressof(charges), variance, frames), shape)

    def explain(self, n_atoms, spacing, shape):
        """Which method computes a map of this size, and why."""
        text = ctypes.create_string_buffer(8192)
        request = _request(n_atoms, None, (0, 0, 0), spacing, shape, {})
        self._check(self._library.dcs_explain(self._handle, request, text, len(text)))
        return text.value.decode()


class Mean:
    """What Mapper.mean() returns."""

    def __init__(self, mapper, request, shape):
        self._mapper, self._library, self._shape = mapper, mapper._library, shape
        self._atoms, self._variance, self._handle = request.map.n_atoms, request.variance, ctypes.c_void_p()
        mapper._check(self._library.dcs_mean_open(mapper._handle, request, self._handle))

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.dcs_mean_close(self._handle)

    def add(self, places, cell=None):
        """Computes a frame's map and adds it: rows of x, y, z; `cell`, of a periodic request, its edges."""
        rows, address, n = _rows(places, "x y z")
        if n != self._atoms:
            raise ValueError("places of %d atoms; expected %d" % (n, self._atoms))
        cell = None if cell is None else (ctypes.c_double * 3)(*cell)
        self._mapper._check(self._library.dcs_mean_add(self._handle, address, cell))

    def finish(self):
        """The mean; with variance=True the mean, the variance and the standard error of the mean."""
        nx, ny, nz = self._shape
        maps = [(ctypes.c_float * (nx * ny * nz))() for _ in range(3 if self._variance else 1)]
        self._mapper._check(self._library.dcs_mean_finish(self._handle, *(maps + [None, None])[:3]))
        maps = [_shaped(values, self._shape) for values in maps]
        return maps if self._variance else maps[0]


def main():
    mapper = Mapper(*sys.argv[1:2])
    atoms, shape, spacing, origin = [(1, 2, 3, 1.0), (4, 4, 4, -0.5)], (16, 12, 8), 0.5, (0.1, 0.2, 0.3)
    values = mapper.map(atoms, spacing, shape, origin)
    i, j, k = 5, 6, 7
    point = [o + spacing * n for o, n in zip(origin, (i, j, k))]

    def at_point(values):
        return values[(k * shape[1] + j) * shape[0] + i] if numpy is None else values[i, j, k]

    def summed(shift):
        return sum(q / math.dist(point, (x + shift, y, z)) for x, y, z, q in atoms)

    print(mapper.explain(len(atoms), spacing, shape), end="")
    print("V(%g, %g, %g) = %.6g e/A; summed here: %.6g" % (*point, at_point(values), summed(0)))
    shifts = [0.0, 0.25, 0.5]
    mean = mapper.mean([q for x, y, z, q in atoms], spacing, shape, origin, variance=True)
    for shift in shifts:
        mean.add([(x + shift, y, z) for x, y, z, q in atoms])
    values, variance, error = mean.finish()
    expected = sum(summed(shift) for shift in shifts) / len(shifts)
    print(
        "mean of %d frames: %.6g e/A, standard error %.2g; summed here: %.6g"
        % (len(shifts), at_point(values), at_point(error), expected)
    )


if __name__ == "__main__":
    main()
