#!/usr/bin/env python3
"""Maps from Python, by ctypes. With NumPy a map is an array that shares the library's output; without,
it is a flat sequence of floats.

    python3 example.py [PATH/libdcs.so]

As a module:

    from example import Mapper
    mapper = Mapper()
    values = mapper.map([(1.0, 2.0, 3.0, -0.5)], spacing=0.5, shape=(64, 64, 64))
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
    library.dcs_error_message.restype = ctypes.c_char_p
    return library


def _atoms(atoms):
    """Rows of x, y, z (angstrom), q (e) as doubles in a row, their address and their number. An array
    of doubles in C order is taken as it is."""
    if numpy is not None:
        rows = numpy.ascontiguousarray(atoms, dtype=numpy.float64)
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise ValueError("atoms of shape %s; expected (n, 4): x, y, z, q" % (rows.shape,))
        return rows, rows.ctypes.data, len(rows)
    flat = [float(number) for x, y, z, q in atoms for number in (x, y, z, q)]
    rows = (ctypes.c_double * len(flat))(*flat)
    return rows, ctypes.addressof(rows), len(flat) // 4


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
        """The potential in e/angstrom, float32. With NumPy values[i, j, k] is that of the point
        origin + spacing (i, j, k); without, values[(k * ny + j) * nx + i]. More fields of the request
        may be given by their names: cutoff, switched, tolerance, periodic, cell."""
        rows, address, n = _atoms(atoms)
        nx, ny, nz = shape
        request = Request(n, address, None, tuple(origin), spacing, nx, ny, nz, **more)
        values = (ctypes.c_float * (nx * ny * nz))()
        self._check(self._library.dcs_map(self._handle, request, values))
        if numpy is None:
            return values
        return numpy.frombuffer(values, dtype=numpy.float32).reshape(nz, ny, nx).T

    def explain(self, n_atoms, spacing, shape):
        """Which method computes a map of this size, and why."""
        text = ctypes.create_string_buffer(8192)
        request = Request(n_atoms, None, None, (0, 0, 0), spacing, *shape)
        self._check(self._library.dcs_explain(self._handle, request, text, len(text)))
        return text.value.decode()


def main():
    mapper = Mapper(*sys.argv[1:2])
    atoms, shape, spacing, origin = [(1, 2, 3, 1.0), (4, 4, 4, -0.5)], (16, 12, 8), 0.5, (0.1, 0.2, 0.3)
    values = mapper.map(atoms, spacing, shape, origin)
    i, j, k = 5, 6, 7
    point = [o + spacing * n for o, n in zip(origin, (i, j, k))]
    expected = sum(q / math.dist(point, (x, y, z)) for x, y, z, q in atoms)
    found = values[(k * shape[1] + j) * shape[0] + i] if numpy is None else values[i, j, k]
    print(mapper.explain(len(atoms), spacing, shape), end="")
    print("V(%g, %g, %g) = %.6g e/A; summed here: %.6g" % (*point, found, expected))


if __name__ == "__main__":
    main()
