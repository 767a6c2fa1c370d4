/* tuned.csv: damage of every kind, writers at once, and which entry serves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/program.h"
#include "tuning/database/tuned.h"

enum { N_ENTRIES = 20 };

enum { ATOMS, NX, NY }; /* axes */

static dcs_tuned_entry entry_of(const char *variant, int i) {
  dcs_tuned_entry e = {.subject = {.variant = dcs_find_variant(variant),
                                   .scope = DCS_KERNEL,
                                   .size.axes = {1000 + i, 64, 64 + i, 32},
                                   .spacing = 0.5,
                                   .work = 1e8 + i,
                                   .machine = "A card, \"quoted\"",
                                   .capability = "9.0",
                                   .units = 132,
                                   .kernel_hash = "00112233445566ff"},
                       .time = {.median_ns = 123456.5 + i,
                                .times_ns = {123456.5 + i, 1e6 / 3, 7},
                                .n = 1 + i % 3,
                                .date = "2026-11-20T08:00:00Z"},
                       .n_tied = 1 + i % 3};
  assert_non_null(e.subject.variant);
  e.subject.size.kind = dcs_kind_of(e.subject.variant);
  e.subject.size.config = dcs_initial_problem(e.subject.size.kind);
  e.config = dcs_initial_config(e.subject.variant, 2);
  e.config.value[0] = 16 + i;
  return e;
}

static bool same_entry(const dcs_tuned_entry *a, const dcs_tuned_entry *b) {
  const dcs_method first = {a->subject.variant, a->config},
                   second = {b->subject.variant, b->config};
  return dcs_same_subject(&a->subject, &b->subject) && a->subject.spacing == b->subject.spacing &&
         a->subject.work == b->subject.work && dcs_same_method(&first, &second) &&
         a->time.median_ns == b->time.median_ns && a->time.n == b->time.n &&
         memcmp(a->time.times_ns, b->time.times_ns, (size_t)a->time.n * sizeof(double)) == 0 &&
         strcmp(a->time.date, b->time.date) == 0 && a->n_tied == b->n_tied;
}

static const char *database(void) {
  return in_folder("tuned.csv");
}

static void put_entries(int n) {
  unlink(database());
  for (int i = 0; i < n; i++) {
    dcs_tuned_entry r = entry_of(i % 2 ? "cuda_padded" : "cuda_volume", i);
    if (dcs_tuned_put(database(), &r) != DCS_OK) fail_msg("%s", dcs_error_message());
  }
}

static void put_bytes(const char *bytes, size_t n) {
  FILE *file = fopen(database(), "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

/* Every entry that is read is one that was written; returns how many. */
static int read_sound(int *damaged) {
  dcs_tuned tuned;
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  for (int r = 0; r < tuned.n; r++) {
    int i = (int)(tuned.list[r].subject.size.axes[ATOMS] - 1000);
    assert_in_range(i, 0, N_ENTRIES - 1);
    dcs_tuned_entry was = entry_of(i % 2 ? "cuda_padded" : "cuda_volume", i);
    assert_true(same_entry(&tuned.list[r], &was));
  }
  int n = tuned.n;
  *damaged = tuned.damaged + tuned.foreign;
  dcs_tuned_free(&tuned);
  return n;
}

static void entries_read_back_and_the_latest_counts(void **state) {
  (void)state;
  int damaged;
  put_entries(N_ENTRIES);
  assert_int_equal(read_sound(&damaged), N_ENTRIES);
  assert_int_equal(damaged, 0);
  dcs_tuned_entry again = entry_of("cuda_padded", 3);
  again.config.value[1] = 8;
  assert_int_equal(dcs_tuned_put(database(), &again), DCS_OK);
  dcs_tuned tuned;
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, N_ENTRIES);
  assert_true(same_entry(&tuned.list[N_ENTRIES - 1], &again));
  dcs_tuned_free(&tuned);
}

static void no_file_is_an_empty_one(void **state) {
  (void)state;
  dcs_tuned tuned;
  assert_int_equal(dcs_tuned_read(in_folder("absent.csv"), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 0);
  dcs_tuned_free(&tuned);
}

/* Cut anywhere: what is whole before the cut is read, nothing else, and an entry added afterwards
 * is found. */
static void a_file_cut_anywhere_loses_its_end_alone(void **state) {
  (void)state;
  size_t bytes, rows = 0;
  int damaged;
  put_entries(N_ENTRIES);
  char *text = get_file(database(), &bytes);
  for (size_t cut = 0; cut <= bytes; cut++) {
    if (cut > 0 && text[cut - 1] == '\n') rows++;
    put_bytes(text, cut);
    int n = read_sound(&damaged);
    int whole = rows > 0 ? (int)rows - 1 : 0;
    /* The last newline is not needed. */
    assert_true(n == whole || (n == whole + 1 && text[cut] == '\n'));
    if (cut % 97 != 0) continue;
    dcs_tuned_entry more = entry_of("cuda_padded", N_ENTRIES - 1);
    assert_int_equal(dcs_tuned_put(database(), &more), DCS_OK);
    int after = read_sound(&damaged);
    assert_true(after == n + 1 || (n == N_ENTRIES && after == n));
  }
  free(text);
}

static void no_flipped_bit_gives_another_entry(void **state) {
  (void)state;
  size_t bytes;
  int damaged, entries = getenv("DCS_TEST_FULL") ? N_ENTRIES : 3;
  put_entries(entries);
  char *text = get_file(database(), &bytes);
  for (size_t i = 0; i < bytes; i++)
    for (int bit = 0; bit < 8; bit++) {
      text[i] = (char)(text[i] ^ (1 << bit));
      put_bytes(text, bytes);
      int n = read_sound(&damaged);
      assert_true(n >= entries - 2); /* a flipped newline costs two */
      assert_true(n == entries || damaged > 0);
      text[i] = (char)(text[i] ^ (1 << bit));
    }
  free(text);
}

static void writers_at_once_lose_nothing(void **state) {
  (void)state;
  enum { WRITERS = 8 };
  int each = getenv("DCS_TEST_FULL") ? 1000 : 60;
  pid_t pids[WRITERS];
  dcs_tuned tuned;
  unlink(database());
  for (int w = 0; w < WRITERS; w++) {
    fflush(NULL);
    pids[w] = fork();
    assert_true(pids[w] >= 0);
    for (int i = 0; pids[w] == 0 && i < each; i++) {
      dcs_tuned_entry r = entry_of("cuda_padded", i % 50);
      r.subject.size.axes[ATOMS] = 1 + (int64_t)w * each + i;
      if (dcs_tuned_put(database(), &r) != DCS_OK) _exit(1);
    }
    if (pids[w] == 0) _exit(0);
  }
  for (int w = 0; w < WRITERS; w++) {
    int status;
    assert_int_equal(waitpid(pids[w], &status, 0), pids[w]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, WRITERS * each);
  assert_int_equal(tuned.damaged, 0);
  char *seen = calloc((size_t)WRITERS * (size_t)each + 1, 1);
  for (int r = 0; r < tuned.n; r++)
    assert_false(seen[tuned.list[r].subject.size.axes[ATOMS]]++);
  free(seen);
  dcs_tuned_free(&tuned);
}

static void forgetting_leaves_the_others(void **state) {
  (void)state;
  int removed, damaged;
  put_entries(N_ENTRIES);
  assert_int_equal(dcs_tuned_forget(database(), "cuda_padded", &removed), DCS_OK);
  assert_int_equal(removed, N_ENTRIES / 2);
  assert_int_equal(read_sound(&damaged), N_ENTRIES / 2);
  assert_int_equal(dcs_tuned_forget(database(), NULL, &removed), DCS_OK);
  assert_int_equal(removed, N_ENTRIES / 2);
  assert_int_equal(read_sound(&damaged), 0);
}

/* ---- which entry serves ---- */

static dcs_tuned_choice find_for(dcs_tuned *tuned, const dcs_subject *wanted) {
  assert_int_equal(dcs_tuned_read(database(), tuned), DCS_OK);
  return dcs_tuned_find(tuned, wanted, 2);
}

static void expect_rung(const dcs_subject *wanted, dcs_rung rung, int block_x) {
  dcs_tuned tuned;
  dcs_tuned_choice choice = find_for(&tuned, wanted);
  assert_int_equal(choice.rung, rung);
  assert_int_equal((int)choice.config.value[0], block_x);
  assert_true((choice.entry == NULL) == (rung == DCS_RUNG_DEFAULT));
  dcs_tuned_free(&tuned);
}

static void put_one(int units, const char *machine, const char *capability, int block_x) {
  dcs_tuned_entry r = entry_of("cuda_padded", 0);
  r.subject.units = units;
  snprintf(r.subject.machine, sizeof r.subject.machine, "%s", machine);
  snprintf(r.subject.capability, sizeof r.subject.capability, "%s", capability);
  r.config.value[0] = block_x;
  assert_int_equal(dcs_tuned_put(database(), &r), DCS_OK);
}

static void the_ladder_is_climbed_down(void **state) {
  (void)state;
  dcs_tuned_entry own = entry_of("cuda_padded", 0);
  dcs_subject wanted = own.subject;
  int initial = (int)dcs_initial_config(wanted.variant, 2).value[0];
  unlink(database());
  expect_rung(&wanted, DCS_RUNG_DEFAULT, initial);
  put_one(132, wanted.machine, "8.0", 128);
  expect_rung(&wanted, DCS_RUNG_DEFAULT, initial);
  put_one(114, "smaller", "9.0", 64);
  expect_rung(&wanted, DCS_RUNG_CAPABILITY, 64);
  put_one(132, "other", "9.0", 24);
  expect_rung(&wanted, DCS_RUNG_UNITS, 24);
  put_one(132, wanted.machine, "9.0", 48);
  expect_rung(&wanted, DCS_RUNG_MACHINE, 48);
}

static void other_sizes_scopes_and_sources_do_not_serve(void **state) {
  (void)state;
  dcs_tuned tuned;
  dcs_tuned_entry own = entry_of("cuda_padded", 0);
  int initial = (int)dcs_initial_config(own.subject.variant, 2).value[0];
  own.config.value[0] = 48;
  unlink(database());
  assert_int_equal(dcs_tuned_put(database(), &own), DCS_OK);
  dcs_subject wanted = own.subject;
  wanted.size.axes[ATOMS] *= 4;
  wanted.size.axes[NX] *= 2;
  expect_rung(&wanted, DCS_RUNG_MACHINE, 48);
  wanted.size.axes[NX]++;
  expect_rung(&wanted, DCS_RUNG_DEFAULT, initial);
  wanted = own.subject;
  wanted.size.axes[ATOMS] = 4 * wanted.size.axes[ATOMS] + 1;
  expect_rung(&wanted, DCS_RUNG_DEFAULT, initial);
  wanted = own.subject;
  wanted.scope = DCS_WARM;
  expect_rung(&wanted, DCS_RUNG_DEFAULT, initial);
  wanted = own.subject;
  wanted.kernel_hash[0] = 'f';
  expect_rung(&wanted, DCS_RUNG_DEFAULT, initial);
  dcs_tuned_choice choice = find_for(&tuned, &wanted);
  assert_int_equal(choice.other_source, 1);
  dcs_tuned_free(&tuned);
  wanted = own.subject;
  wanted.size.axes[NY] = 65;
  own.subject.size.axes[NY] = 66; /* the nearer size serves */
  own.config.value[0] = 24;
  assert_int_equal(dcs_tuned_put(database(), &own), DCS_OK);
  wanted.size.axes[NY] = 70;
  expect_rung(&wanted, DCS_RUNG_MACHINE, 24);
  wanted.size.axes[NY] = 63;
  expect_rung(&wanted, DCS_RUNG_MACHINE, 48);
}

static void an_entry_that_cannot_compute_the_problem_does_not_serve(void **state) {
  (void)state;
  dcs_tuned_entry own = entry_of("cuda_padded", 0);
  own.config.value[0] = 1024;
  own.config.value[1] = 1;
  unlink(database());
  own.subject.size.axes[NY] = 60000;
  assert_int_equal(dcs_tuned_put(database(), &own), DCS_OK);
  expect_rung(&own.subject, DCS_RUNG_MACHINE, 1024);
  own.subject.size.axes[NY] = 70000; /* more blocks in y than CUDA allows */
  expect_rung(&own.subject, DCS_RUNG_DEFAULT,
              (int)dcs_initial_config(own.subject.variant, 2).value[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_read_back_and_the_latest_counts),
      cmocka_unit_test(no_file_is_an_empty_one),
      cmocka_unit_test(a_file_cut_anywhere_loses_its_end_alone),
      cmocka_unit_test(no_flipped_bit_gives_another_entry),
      cmocka_unit_test(writers_at_once_lose_nothing),
      cmocka_unit_test(forgetting_leaves_the_others),
      cmocka_unit_test(the_ladder_is_climbed_down),
      cmocka_unit_test(other_sizes_scopes_and_sources_do_not_serve),
      cmocka_unit_test(an_entry_that_cannot_compute_the_problem_does_not_serve),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
