/* Specifications of kernels: what of T1 is taken, and what is refused, with file and path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/spec/own.h"
#include "harness/verify/verify.h"
#include "tests/program.h"

#include <math.h>

/* The example, with the first `from` replaced. */
static void put_changed(const char *from, const char *to) {
  char *text = get_file("results/examples/saxpy.json", NULL), *whole;
  char *at = strstr(text, from);
  if (!at) fail_msg("the example lacks %s", from);
  assert_true(asprintf(&whole, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
  put_file(in_folder("saxpy.json"), whole);
  free(whole);
  free(text);
}

static int begin(void **state) {
  if (program_setup(state) != 0) return -1;
  char *kernel = get_file("results/examples/saxpy.cu", NULL);
  put_file(in_folder("saxpy.cu"), kernel);
  free(kernel);
  return 0;
}

static void the_example_is_read(void **state) {
  (void)state;
  dcs_spec spec;
  if (dcs_spec_read("results/examples/saxpy.json", &spec) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  assert_int_equal(spec.n_params, 3);
  assert_string_equal(spec.params[0].name, "BLOCK");
  assert_true(spec.params[0].n == 5 && spec.params[0].values[4].integer == 512);
  assert_true(spec.params[2].n == 2 && spec.params[2].values[0].integer == 1);
  assert_int_equal(spec.n_conditions, 1);
  assert_true(spec.n_arguments == 4 && spec.arguments[0].read && spec.arguments[0].written);
  assert_true(spec.arguments[1].read && !spec.arguments[1].written && spec.arguments[1].vector);
  assert_true(!spec.arguments[3].vector && spec.arguments[3].fill.value == 100000);
  assert_true(spec.arguments[0].threshold == 1e-5 && !spec.arguments[0].relative);
  assert_true(dcs_spec_is_verified(&spec) && !spec.counts_threads && !spec.is_c);
  assert_true(spec.budget_evals == 20 && spec.budget_s == 0);
  assert_non_null(strstr(spec.kernel, "extern \"C\" __global__ void saxpy("));
  dcs_spec_free(&spec);
}

static const struct {
  const char *from, *to, *said;
} refused[] = {
    {"{", "[", "saxpy.json: line 2, column"},
    {"\"General\": {", "\"Generol\": {", "$.Generol: found a member that is not supported"},
    {"\"FormatVersion\"", "\"Formation\"", "$.General.Formation: found a member"},
    {"\"BLOCK\"", "\"BL-OCK\"", "TuningParameters[0].Name: found \"BL-OCK\""},
    {"\"BLOCK\"", "\"STRIDED\"",
     "TuningParameters[2].Name: found \"STRIDED\"; expected a name that"},
    {"\"int\"", "\"integer\"", "[0].Type: found \"integer\"; expected int or uint"},
    {"[32 * i for", "[32 * j for", "[0].Values: column 7: found \"j\""},
    {"[1, 2, 4, 8]", "[1, 2, 2]", "[1].Values: found \"[1, 2, 2]\"; expected each value once"},
    {"[1, 2, 4, 8]", "[]", "[1].Values: found \"[]\"; expected a value at least"},
    {"[1, 2, 4, 8]", "range(2000)", "expected a list such as [1, 2, 4] of at most 1024"},
    {"[1, 2, 4, 8]", "7", "expected a list such as"},
    {"[true, false]", "[true, [1]]", "[2].Values[1]: found [1]; expected a number, a text"},
    {"[true, false]", "[\"a,b\"]", "none of them"},
    {"STRIDED or", "STRIDE or", "Conditions[0].Expression: column 1: found \"STRIDE\""},
    {"\"PER_THREAD\", \"STRIDED\"]", "\"PER\", \"STRIDED\"]", "Parameters[0]: found \"PER\""},
    {"\"CUDA\",\n", "\"OpenCL\",\n", "Language: found \"OpenCL\"; expected CUDA or C"},
    {"\"saxpy.cu\"", "\"none.cu\"", "none.cu: cannot"},
    {"\"saxpy\",\n", "\"saxpi\",\n",
     "KernelName: found \"saxpi\"; expected the name of a __global__"},
    {"\"GlobalSizeType\": \"CUDA\"", "\"SharedMemory\": 64", "SharedMemory: found 64; expected 0"},
    {"\"GlobalSizeType\": \"CUDA\"", "\"Profiling\": true",
     "Profiling: found true; expected false"},
    {"\"GlobalSizeType\": \"CUDA\"", "\"GlobalSizeType\": \"SYCL\"", "expected CUDA or Vulkan or"},
    {"{\"X\": \"BLOCK\"}", "{\"X\": \"BLOCKS\"}", "LocalSize.X: column 1: found \"BLOCKS\""},
    {"{\"X\": \"BLOCK\"}", "{\"Y\": \"BLOCK\"}", "LocalSize.X: found nothing; expected a text"},
    {"\"Type\": \"float\"", "\"Type\": \"half\"", "Arguments[0].Type: found \"half\""},
    {"\"Vector\"", "\"Local\"",
     "Arguments[0].MemoryType: found \"Local\"; expected Scalar or Vector"},
    {"\"ReadWrite\"", "\"Write\"", "Arguments[0].AccessType: found \"Write\""},
    {"\"ReadWrite\"", "\"ReadOnly\"", "Arguments: found"},
    {"\"Generator\"", "\"Script\"",
     "Arguments[0].FillType: found \"Script\"; expected Constant or"},
    {"\"i % 7\"", "\"j % 7\"", "Arguments[0].DataSource: column 1: found \"j\""},
    {"\"Size\": 100000, \"FillType\"", "\"FillType\"", "Arguments[0].Size: found nothing"},
    {"\"Size\": 100000,", "\"Size\": 100000, \"TypeSize\": 8,", "TypeSize: found 8; expected the"},
    {"\"FillValue\": 3", "\"FillValue\": \"3\"", "Arguments[2].FillValue: found \"3\"; expected a"},
    {"\"Name\": \"x\"", "\"Name\": \"y\"", "Arguments[1].Name: found \"y\""},
    {"\"TargetName\": \"y\"", "\"TargetName\": \"x\"", "ReferenceArguments[0].TargetName: found"},
    {"\"SideBySideComparison\"", "\"AbsoluteDifference\"",
     "found \"AbsoluteDifference\"; expected"},
    {"1e-5", "-1", "ValidationThreshold: found -1; expected a number from 0 on"},
    {"\"ConfigurationCount\"", "\"Evaluations\"", "Budget[0].Type: found \"Evaluations\""},
    {"20}", "0}", "Budget[0].BudgetValue: found 0"},
    {"{\"Name\": \"surrogate\"}", "{}", "Search.Name: found nothing"},
};

static void what_is_not_taken_is_refused_with_its_path(void **state) {
  (void)state;
  for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
    dcs_spec spec;
    put_changed(refused[r].from, refused[r].to);
    const dcs_status status = dcs_spec_read(in_folder("saxpy.json"), &spec);
    if (status != (strstr(refused[r].said, "cannot") ? DCS_IO : DCS_INPUT) ||
        !strstr(dcs_error_message(), refused[r].said))
      fail_msg("%s: status %d: \"%s\" lacks \"%s\"", refused[r].to, (int)status,
               dcs_error_message(), refused[r].said);
    dcs_spec_free(&spec);
  }
}

/* ---- data ---- */

static dcs_spec_argument argument_of(const char *type, int lanes, int64_t size) {
  const dcs_element *element = dcs_elements;
  while (strcmp(element->name, type) != 0)
    element++;
  return (dcs_spec_argument){.element = element, .lanes = lanes, .vector = true, .size = size};
}

static void fills_give_their_values(void **state) {
  (void)state;
  static const char *const names[] = {"i"};
  dcs_expression *e;
  unsigned char data[64];
  assert_int_equal(dcs_expression_parse("i * i - 3", names, 1, &e), DCS_OK);
  static const char *const types[] = {"int8", "int16", "int32", "int64", "float", "double"};
  for (int t = 0; t < 6; t++) {
    dcs_spec_argument a = argument_of(types[t], 2, 3);
    const dcs_spec_fill fill = {.type = DCS_FILL_GENERATOR, .generator = e, .where = "here"};
    assert_int_equal(dcs_spec_make_data(&a, &fill, data), DCS_OK);
    for (int i = 0; i < 6; i++)
      assert_true(dcs_element_value(a.element, data, i) == i * i - 3);
  }
  dcs_spec_argument a = argument_of("uint8", 1, 3);
  const dcs_spec_fill below = {.type = DCS_FILL_GENERATOR, .generator = e, .where = "here"};
  assert_int_equal(dcs_spec_make_data(&a, &below, data), DCS_INPUT);
  assert_string_equal(dcs_error_message(), "here: found -3 for value 0; expected a value of uint8");
  dcs_expression_free(e);
}

/* Beyond what a float holds there is no number, though a double has one. */
static void a_float_takes_no_larger_numbers(void **state) {
  static const double values[] = {3.5e38, -1e300, INFINITY, NAN};
  dcs_spec_argument one = argument_of("float", 1, 1), twice = argument_of("double", 1, 1);
  dcs_spec_fill fill = {.type = DCS_FILL_CONSTANT, .where = "here"};
  double data;
  (void)state;
  for (int v = 0; v < 4; v++) {
    fill.value = values[v];
    assert_int_equal(dcs_spec_make_data(&one, &fill, &data), DCS_INPUT);
    assert_contains(dcs_error_message(), "expected a value of float");
    assert_int_equal(dcs_spec_make_data(&twice, &fill, &data), v < 2 ? DCS_OK : DCS_INPUT);
    if (v < 2) assert_true(data == values[v]);
  }
  fill.value = 3.4028234e38;
  assert_int_equal(dcs_spec_make_data(&one, &fill, &data), DCS_OK);
}

static void random_values_depend_on_the_seed_alone(void **state) {
  (void)state;
  enum { N = 1000 };
  float data[3][N];
  int32_t whole[N];
  dcs_spec_argument a = argument_of("float", 1, N), b = argument_of("int32", 1, N);
  dcs_spec_fill fill = {.type = DCS_FILL_RANDOM, .value = 20, .seed = 1};
  double sum = 0;
  for (int t = 0; t < 3; t++) {
    fill.seed = t == 2 ? 2 : 1;
    assert_int_equal(dcs_spec_make_data(&a, &fill, data[t]), DCS_OK);
  }
  assert_memory_equal(data[0], data[1], sizeof data[0]);
  assert_memory_not_equal(data[0], data[2], sizeof data[0]);
  for (int i = 0; i < N; i++) {
    assert_true(data[0][i] >= 0 && data[0][i] < 20);
    sum += (double)data[0][i];
  }
  assert_true(fabs(sum / N - 10) < 1); /* 5 standard deviations */
  assert_int_equal(dcs_spec_make_data(&b, &fill, whole), DCS_OK);
  for (int i = 0; i < N; i++)
    assert_true(whole[i] >= 0 && whole[i] < 20);
}

static void a_file_has_as_many_bytes_as_values(void **state) {
  (void)state;
  char found[8];
  put_file(in_folder("raw"), "abcdefgh");
  dcs_spec_argument a = argument_of("int16", 1, 4);
  dcs_spec_fill fill = {.type = DCS_FILL_FILE, .file = in_folder("raw"), .where = "here"};
  assert_int_equal(dcs_spec_make_data(&a, &fill, found), DCS_OK);
  assert_memory_equal(found, "abcdefgh", 8);
  a.size = 3;
  assert_int_equal(dcs_spec_make_data(&a, &fill, found), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "found 8 bytes in"));
}

/* ---- what is made of it ---- */

static void a_specification_makes_a_problem_and_a_variant(void **state) {
  (void)state;
  const dcs_variant *variant;
  char why[DCS_TEXT];
  const int variants = dcs_n_variants, kinds = dcs_n_kinds;
  put_changed("\"saxpy\",\n", "\"saxpy\",\n");
  assert_int_equal(dcs_own_load(in_folder("saxpy.json"), "0123456789abcdef", true, &variant),
                   DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "changed"));
  assert_true(dcs_n_variants == variants && dcs_n_kinds == kinds);
  assert_int_equal(dcs_own_load(in_folder("saxpy.json"), NULL, true, &variant), DCS_OK);
  assert_true(dcs_n_variants == variants + 1 && dcs_find_variant("own_saxpy") == variant);
  assert_true(dcs_kind_of(variant) == dcs_find_kind("own_saxpy"));
  assert_int_equal(dcs_own_load(in_folder("saxpy.json"), NULL, true, &variant), DCS_USAGE);

  const dcs_problem problem = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1};
  dcs_plan plan;
  const dcs_variant *v = dcs_find_variant("own_saxpy");
  assert_false(dcs_applicable(v, &problem, &(dcs_config){{32, 1, 0}}, why));
  assert_string_equal(why, "not so: STRIDED or PER_THREAD > 1");
  assert_false(dcs_applicable(v, &problem, &(dcs_config){{33, 1, 1}}, why));
  assert_string_equal(why, "BLOCK=33 is none of its values");
  assert_true(dcs_applicable(v, &problem, &(dcs_config){{64, 4, 0}}, why));
  assert_true(dcs_is_legal(&(dcs_method){v, {{64, 4, 0}}}, why)); /* as `compile` asks */
  v->plan(&problem, &(dcs_config){{64, 4, 0}}, &plan);
  assert_true(plan.block[0] == 64 && plan.block[1] == 1 && plan.grid[1] == 1);
  assert_int_equal(plan.grid[0], (100000 + 255) / 256);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_is_read),
      cmocka_unit_test(what_is_not_taken_is_refused_with_its_path),
      cmocka_unit_test(fills_give_their_values),
      cmocka_unit_test(a_float_takes_no_larger_numbers),
      cmocka_unit_test(random_values_depend_on_the_seed_alone),
      cmocka_unit_test(a_file_has_as_many_bytes_as_values),
      cmocka_unit_test(a_specification_makes_a_problem_and_a_variant),
  };
  return cmocka_run_group_tests_name("spec", tests, begin, program_teardown);
}
