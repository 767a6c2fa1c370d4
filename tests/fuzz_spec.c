/* Any bytes as a specification, with a kernel in CUDA or C beside it: read or refused, and its data
 * made where they are few. */
#include "harness/spec/spec.h"
#include "tests/fuzz.h"

static char folder[64], path[96];
static int spec_file;

static void put(const char *name, const void *bytes, size_t n) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  FUZZ_EXPECT(file && fwrite(bytes, 1, n, file) == n);
  FUZZ_EXPECT(fclose(file) == 0);
}

static void remove_folder(void) {
  static const char *const names[] = {"spec.json", "k.cu", "k.c"};
  for (int f = 0; f < 3; f++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[f]);
    unlink(path);
  }
  rmdir(folder);
}

static void begin(void) {
  static const char cuda[] = "__global__ void k(float *x) { x[0] = 1; }\n",
                    c[] = "void k(void *const *arguments) {}\n";
  if (path[0]) return;
  fuzz_folder(folder);
  atexit(remove_folder);
  put("k.cu", cuda, sizeof cuda - 1);
  put("k.c", c, sizeof c - 1);
  put("spec.json", "", 0);
  spec_file = fuzz_open(path);
}

static void make_data(const dcs_spec_argument *a, const dcs_spec_fill *fill) {
  enum { FEW = 1 << 12 };
  if (fill->type == DCS_FILL_NOTHING || dcs_spec_bytes(a) > FEW) return;
  char *data = malloc(dcs_spec_bytes(a));
  FUZZ_EXPECT(data);
  if (dcs_spec_make_data(a, fill, data) == DCS_OK)
    for (int64_t i = 0; i < a->size * a->lanes; i++)
      FUZZ_EXPECT(fill->type == DCS_FILL_FILE || !a->element->real ||
                  dcs_element_value(a->element, data, i) == dcs_element_value(a->element, data, i));
  free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_spec spec;
  begin();
  fuzz_fill(spec_file, data, size);
  if (dcs_spec_read(path, &spec) == DCS_OK) {
    FUZZ_EXPECT(spec.kernel && spec.kernel_name);
    for (int a = 0; !spec.problem && a < spec.n_arguments; a++) {
      make_data(&spec.arguments[a], &spec.arguments[a].fill);
      make_data(&spec.arguments[a], &spec.arguments[a].expected);
    }
  }
  dcs_spec_free(&spec);
  return 0;
}
