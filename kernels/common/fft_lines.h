/* The transforms of fft.c in one precision: it includes this with FFT_REAL, the type, and
 * FFT(name), which makes names of their own. Without FFT_REAL it is empty. */
#ifdef FFT_REAL

typedef struct {
  FFT_REAL re, im;
} FFT(number);

/* A length, its factors, closed by 1, and its roots of unity in the direction of the transform. */
typedef struct {
  int64_t n;
  int factors[MOST_FACTORS];
  FFT(number) * roots, *line, *transformed;
} FFT(line);

static void FFT(free_line)(FFT(line) * l) {
  free(l->roots);
  free(l->line);
  free(l->transformed);
}

static bool FFT(make_line)(int64_t n, bool forward, FFT(line) * l) {
  const double turn = (forward ? -2 : 2) * acos(-1) / (double)n;
  const size_t bytes = (size_t)n * sizeof *l->roots;
  *l = (FFT(line)){.n = n, .roots = malloc(bytes), .line = malloc(bytes)};
  l->transformed = malloc(bytes);
  if (!l->roots || !l->line || !l->transformed) return false;
  find_factors(n, l->factors);
  for (int64_t i = 0; i < n; i++)
    l->roots[i] = (FFT(number)){(FFT_REAL)cos(turn * (double)i), (FFT_REAL)sin(turn * (double)i)};
  return true;
}

static inline FFT(number) FFT(times)(FFT(number) a, FFT(number) b) {
  return (FFT(number)){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Joins p transforms of m numbers each, one behind the other, to one of p m, in place. */
static void FFT(join)(const FFT(line) * l, FFT(number) * to, int p, int64_t m) {
  const int64_t step = l->n / (p * m); /* roots[step] is that of p m */
  FFT(number) part[LARGEST];
  for (int64_t j = 0; j < m; j++) {
    for (int k = 0; k < p; k++)
      part[k] = FFT(times)(to[k * m + j], l->roots[j * k * step]);
    for (int q = 0; q < p; q++) {
      FFT(number) sum = part[0];
      for (int k = 1; k < p; k++) {
        FFT(number) term = FFT(times)(part[k], l->roots[k * q % p * m * step]);
        sum.re += term.re;
        sum.im += term.im;
      }
      to[q * m + j] = sum;
    }
  }
}

/* Every stride-th of n numbers from `from` on; decimation in time. */
static void FFT(transform_numbers)(const FFT(line) * l, const FFT(number) * from, int64_t stride,
                                   int64_t n, const int *factors, FFT(number) * to) {
  const int p = factors[0];
  if (n == 1) {
    *to = *from;
    return;
  }
  for (int k = 0; k < p; k++)
    FFT(transform_numbers)(l, from + k * stride, stride * p, n / p, factors + 1, to + k * (n / p));
  FFT(join)(l, to, p, n / p);
}

static void FFT(transform_line)(const FFT(line) * l) {
  FFT(transform_numbers)(l, l->line, 1, l->n, l->factors, l->transformed);
}

/* ---- along each dimension ---- */

/* Rows of n.x real numbers, `row` apart, to n.x / 2 + 1 complex ones. */
static void FFT(rows_forward)(const FFT(line) * l, int64_t rows, const FFT_REAL *from, int64_t row,
                              FFT(number) * to) {
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t i = 0; i < l->n; i++)
      l->line[i] = (FFT(number)){from[r * row + i], 0};
    FFT(transform_line)(l);
    memcpy(to + r * (l->n / 2 + 1), l->transformed, (size_t)(l->n / 2 + 1) * sizeof *to);
  }
}

/* And back: of the other half the numbers are the conjugates. The imaginary parts of those that are
 * their own count as 0. */
static void FFT(rows_back)(const FFT(line) * l, int64_t rows, const FFT(number) * from,
                           FFT_REAL *to, int64_t row) {
  const int64_t half = l->n / 2;
  for (int64_t r = 0; r < rows; r++) {
    memcpy(l->line, from + r * (half + 1), (size_t)(half + 1) * sizeof *from);
    l->line[0].im = 0;
    if (l->n % 2 == 0) l->line[half].im = 0;
    for (int64_t i = half + 1; i < l->n; i++)
      l->line[i] = (FFT(number)){l->line[l->n - i].re, -l->line[l->n - i].im};
    FFT(transform_line)(l);
    for (int64_t i = 0; i < l->n; i++)
      to[r * row + i] = l->transformed[i].re;
  }
}

/* Lines of l->n numbers `stride` apart, one line from each of at[0..stride-1], in place. */
static void FFT(lines)(const FFT(line) * l, FFT(number) * at, int64_t stride) {
  for (int64_t s = 0; s < stride; s++) {
    for (int64_t i = 0; i < l->n; i++)
      l->line[i] = at[i * stride + s];
    FFT(transform_line)(l);
    for (int64_t i = 0; i < l->n; i++)
      at[i * stride + s] = l->transformed[i];
  }
}

static void FFT(transform_lines)(const dcs_fft *fft, const FFT(line) l[3], void *from, void *to) {
  const dcs_dims n = fft->n;
  const int64_t half = n.x / 2 + 1, row = from == to ? 2 * half : n.x;
  FFT(number) *numbers = fft->forward ? to : from;
  if (fft->forward) FFT(rows_forward)(&l[0], n.y * n.z, from, row, to);
  for (int64_t k = 0; k < n.z; k++)
    FFT(lines)(&l[1], numbers + k * n.y * half, half);
  FFT(lines)(&l[2], numbers, n.y * half);
  if (!fft->forward) FFT(rows_back)(&l[0], n.y * n.z, from, to, row);
}

static bool FFT(transform)(const dcs_fft *fft, void *from, void *to) {
  FFT(line) l[3];
  bool x = FFT(make_line)(fft->n.x, fft->forward, &l[0]);
  bool y = FFT(make_line)(fft->n.y, fft->forward, &l[1]);
  bool z = FFT(make_line)(fft->n.z, fft->forward, &l[2]);
  if (x && y && z) FFT(transform_lines)(fft, l, from, to);
  for (int d = 0; d < 3; d++)
    FFT(free_line)(&l[d]);
  return x && y && z;
}

#endif
