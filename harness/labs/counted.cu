/* Put before a student's kernel on the emulated device: floats that count what is done with them, by
 * the project's convention. Add, subtract, multiply and divide 1 (a multiply-add 2), a square root 1,
 * a reciprocal square root 2. */

extern "C" {
long long dcs_operations, dcs_roots; /* roots: those that are called, which a card's special units compute */
}

struct dcs_counted {
  float v;
  dcs_counted() = default;
  template <class T> DCS_UNWATCHED dcs_counted(T from) : v((float)from) {}
  template <class T> DCS_UNWATCHED explicit operator T() const { return (T)v; }

#define DCS_COUNTED(op)                                                                            \
  DCS_UNWATCHED friend dcs_counted operator op(dcs_counted a, dcs_counted b) {                     \
    dcs_operations++;                                                                              \
    return a.v op b.v;                                                                             \
  }                                                                                                \
  DCS_UNWATCHED dcs_counted &operator op##=(dcs_counted b) {                                       \
    dcs_operations++;                                                                              \
    v = v op b.v;                                                                                  \
    return *this;                                                                                  \
  }
#define DCS_COMPARED(op)                                                                           \
  DCS_UNWATCHED friend bool operator op(dcs_counted a, dcs_counted b) { return a.v op b.v; }
  DCS_COUNTED(+)
  DCS_COUNTED(-)
  DCS_COUNTED(*)
  DCS_COUNTED(/)
  DCS_COMPARED(<)
  DCS_COMPARED(>)
  DCS_COMPARED(<=)
  DCS_COMPARED(>=)
  DCS_COMPARED(==)
  DCS_COMPARED(!=)
  DCS_UNWATCHED dcs_counted operator-() const { return -v; }
};

struct alignas(16) dcs_counted4 {
  dcs_counted x, y, z, w;
};

DCS_UNWATCHED static inline dcs_counted dcs_emulated_rsqrtf(dcs_counted x) {
  dcs_operations += 2;
  dcs_roots++;
  return dcs_emulated_rsqrtf(x.v);
}
DCS_UNWATCHED static inline dcs_counted sqrtf(dcs_counted x) {
  dcs_operations++;
  dcs_roots++;
  return sqrtf(x.v);
}
DCS_UNWATCHED static inline dcs_counted fmaf(dcs_counted a, dcs_counted b, dcs_counted c) {
  dcs_operations += 2;
  return fmaf(a.v, b.v, c.v);
}

DCS_UNWATCHED static inline int __float_as_int(dcs_counted x) {
  return __float_as_int(x.v);
}
DCS_UNWATCHED static inline dcs_counted atomicAdd(dcs_counted *to, dcs_counted x) {
  dcs_operations++;
  return atomicAdd(&to->v, x.v);
}

#define float  dcs_counted
#define float4 dcs_counted4
