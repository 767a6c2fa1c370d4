#include "tuning/search/features.h"

#include "harness/problems/case.h"

#include <math.h>

/* From one value of a parameter to the next times differ little: so much where it has five values;
 * of more each step matters less, lest the one with most values be taken to matter most. Parameters
 * that shape the launch do so by what it looks like; what is left to each of them, such as a
 * block's width at the same number of threads, matters less. */
static const double WEIGHT = 0.3, SHAPE_WEIGHT = 0.03;
enum { USUAL_STEPS = 4 };

/* Where nothing is known of launches: how often a value can be halved, up to a warp's 32 threads. A
 * block of 48 is nearer to one of 80 than to one of 64, whatever their order. */
enum { MOST_HALVES = 5 };

/* What decides how well an SM is used; in doublings. */
enum { UNIT_THREADS, BLOCK_THREADS, THREAD_POINTS, N_SHAPES };

typedef struct {
  double shape[N_SHAPES];
  double work;
} launch;

/* All blocks of a launch are taken to be as long, and to be dealt out evenly: the busiest of the
 * SMs gets blocks / SMs of them, rounded up. */
static launch launch_of(const dcs_problem *problem, const dcs_subject *subject,
                        const dcs_config *config) {
  dcs_plan plan = {0};
  subject->variant->plan(problem, config, &plan);
  double executed = (double)dcs_points(subject->variant->executed(problem, config));
  double launches = ceil((double)problem->n.z / (double)plan.launch_slices);
  double blocks =
      (double)plan.grid[0] * (double)plan.grid[1] * (double)(plan.grid[2] + plan.spare_layers);
  double threads = (double)plan.block[0] * plan.block[1] * plan.block[2];
  double most = ceil(blocks / subject->units);
  return (launch){
      {log2(most * threads), log2(threads), log2(executed / launches / blocks / threads)},
      log(executed * most / blocks)};
}

/* False where nothing is known of launches. */
static bool find_launches(const dcs_space *space, const dcs_subject *subject, launch *launches) {
  char why[DCS_TEXT];
  if (!subject || !subject->variant->plan || subject->units < 1) return false;
  const dcs_problem problem = dcs_subject_problem(subject);
  for (int c = 0; c < space->n; c++) {
    if (!dcs_applicable(subject->variant, &problem, &space->configs[c], why)) return false;
    launches[c] = launch_of(&problem, subject, &space->configs[c]);
    for (int s = 0; s < N_SHAPES; s++)
      if (!isfinite(launches[c].shape[s])) return false;
  }
  return true;
}

/* Whether a change of the parameter alone changes the shape of any launch. */
static bool shapes_launches(const dcs_space *space, const launch *launches, int p, int *list) {
  for (int c = 0; c < space->n; c++) {
    int n = dcs_space_neighbours(space, c, list);
    for (int i = 0; i < n; i++) {
      const bool differ = space->position[c][p] != space->position[list[i]][p];
      for (int s = 0; differ && s < N_SHAPES; s++)
        if (launches[c].shape[s] != launches[list[i]].shape[s]) return true;
    }
  }
  return false;
}

/* Returns its index. */
static int begin_feature(dcs_features *f, bool names, double weight) {
  f->names[f->n] = names;
  f->weight[f->n] = weight;
  return f->n++;
}

static int halves_of(double value) {
  int n = 0;
  while (value != 0 && n < MOST_HALVES && fmod(value, 2) == 0) {
    value /= 2;
    n++;
  }
  return n;
}

/* Where the values of a number do not tell it by their order already, as powers of two do. */
static void add_halves(const dcs_space *space, int p, dcs_features *f) {
  bool differ = false, ordered = true;
  for (int v = 1; v < space->n_values[p]; v++) {
    const int more = halves_of(space->values[p][v]) - halves_of(space->values[p][v - 1]);
    differ = differ || more != 0;
    ordered = ordered && more >= 0;
  }
  if (!differ || ordered || space->variant->params[p].labels) return;
  const int feature = begin_feature(f, false, WEIGHT);
  for (int c = 0; c < space->n; c++)
    f->at[c][feature] = halves_of(space->configs[c].value[p]);
}

static void add_parameters(const dcs_space *space, const launch *launches, int *list,
                           dcs_features *f) {
  for (int p = 0; p < space->variant->n_params; p++) {
    if (space->n_values[p] < 2) continue;
    bool shapes = launches && shapes_launches(space, launches, p, list);
    if (!launches) add_halves(space, p, f);
    const double part = sqrt((double)USUAL_STEPS / (space->n_values[p] - 1));
    const int feature = begin_feature(f, space->variant->params[p].labels != NULL,
                                      part * (shapes ? SHAPE_WEIGHT : WEIGHT));
    for (int c = 0; c < space->n; c++)
      f->at[c][feature] = space->position[c][p];
  }
}

static void add_launches(const dcs_space *space, const launch *launches, dcs_features *f) {
  double least = INFINITY;
  for (int s = 0; s < N_SHAPES; s++) {
    bool differ = false;
    for (int c = 1; c < space->n; c++)
      differ = differ || launches[c].shape[s] != launches[0].shape[s];
    if (!differ) continue;
    const int feature = begin_feature(f, false, WEIGHT);
    for (int c = 0; c < space->n; c++)
      f->at[c][feature] = launches[c].shape[s];
  }
  for (int c = 0; c < space->n; c++)
    least = fmin(least, launches[c].work);
  for (int c = 0; c < space->n; c++)
    f->work[c] = launches[c].work - least;
}

dcs_status dcs_features_build(const dcs_space *space, const dcs_subject *subject, dcs_room *room,
                              dcs_features *features) {
  const size_t n = (size_t)space->n, degree = (size_t)dcs_space_degree(space);
  launch *launches;
  int *list;
  *features = (dcs_features){0};
  DCS_TRY(dcs_room_take(room, &launches, n, sizeof *launches, "launches"));
  DCS_TRY(dcs_room_take(room, &list, degree, sizeof *list, "neighbours"));
  DCS_TRY(dcs_room_take(room, &features->at, n, sizeof *features->at, "features"));
  DCS_TRY(dcs_room_take(room, &features->work, n, sizeof *features->work, "features"));
  const bool known = find_launches(space, subject, launches);
  features->of_launches = known;
  if (known) add_launches(space, launches, features);
  add_parameters(space, known ? launches : NULL, list, features);
  return DCS_OK;
}
