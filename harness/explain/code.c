/* A GPU kernel's launches, what the compiler made of it, and how it fills a card. */
#include "harness/explain/subject.h"

#include "harness/base/grow.h"
#include "harness/device/kernel_source.h"
#include "harness/problems/case.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- launches ---- */

/* Points of a thread, where threads share out the points of a launch: seen on a grid so large that
 * its edges do not count. 1: anything else. */
static int points_of_thread(const dcs_subject *s) {
  enum { LARGE = 55440 /* a multiple of all numbers to 12 */, MOST = 256 };
  dcs_problem large = s->shape;
  dcs_plan plan = {0};
  large.n = (dcs_dims){LARGE, LARGE, s->shape.n.z > 1 ? LARGE : 1};
  if (!dcs_has_grid(s->size.kind)) {
    large.n = (dcs_dims){LARGE, 1, 1};
    large.n_inputs = LARGE;
  }
  s->variant->plan(&large, s->config, &plan);
  dcs_dims points = s->variant->executed(&large, s->config);
  if (plan.launch_slices < points.z) points.z = plan.launch_slices;
  const double threads = (double)plan.grid[0] * (double)plan.grid[1] * (double)plan.grid[2] *
                         (plan.block[0] * plan.block[1] * plan.block[2]);
  const double n = round((double)dcs_points(points) / threads);
  return n >= 1 && n <= MOST ? (int)n : 1;
}

static void find_launches(dcs_subject *s) {
  dcs_plan *plan = &s->plan;
  s->variant->plan(&s->shape, s->config, plan);
  const int64_t slices = plan->launch_slices < s->shape.n.z ? plan->launch_slices : s->shape.n.z;
  const int64_t z = plan->slice_step ? dcs_divide_up(slices, plan->slice_step) : plan->grid[2];
  s->launches = dcs_divide_up(s->shape.n.z, plan->launch_slices) *
                dcs_divide_up(s->shape.n_inputs, plan->chunk_inputs);
  s->blocks = plan->grid[0] * plan->grid[1] * (z + plan->spare_layers);
  s->threads = plan->block[0] * plan->block[1] * plan->block[2];
  s->points = points_of_thread(s);
}

/* What a map takes of the device's memory beside the kind's buffers; the work area of its
 * transforms is about as large as what they transform, and counted so. */
static void add_scratch(dcs_subject *s) {
  int64_t bytes = 0, work = 0;
  int transforms = 0;
  for (int i = 0; i < DCS_MAX_SCRATCH; i++)
    bytes += s->plan.scratch[i].bytes;
  for (int i = 0; i < s->plan.n_steps; i++) {
    if (s->plan.steps[i].does != DCS_STEP_FFT) continue;
    transforms++;
    const int64_t one = dcs_fft_bytes(&s->plan.steps[i].fft);
    work = one > work ? one : work;
  }
  if (transforms > 0)
    dcs_explain_add(s, "launch", "transforms", transforms, "",
                    "Fourier transforms by the device's library (cuFFT)");
  if (bytes + work > 0)
    dcs_explain_add(s, "launch", "scratch", (double)(bytes + work), "bytes",
                    transforms > 0 ? "of the method, and of the transforms, roughly"
                                   : "of the method, beside the problem's arrays");
}

static void add_launches(dcs_subject *s) {
  int others = 0;
  for (int i = 0; i < s->plan.n_steps; i++)
    others += s->plan.steps[i].does == DCS_STEP_KERNEL;
  dcs_explain_number(s, "launch", "launches", (double)s->launches, "");
  if (others > 0)
    dcs_explain_add(s, "launch", "other_launches", others, "", "of other kernels of the method");
  dcs_explain_number(s, "launch", "blocks_per_launch", (double)s->blocks, "");
  dcs_explain_add(s, "launch", "threads_per_block", s->threads, "", "%d x %d x %d",
                  s->plan.block[0], s->plan.block[1], s->plan.block[2]);
  dcs_explain_number(s, "launch", "points_per_thread", s->points, "");
  add_scratch(s);
}

/* ---- the card ---- */

static dcs_status find_card(dcs_subject *s) {
  const char *capability = dcs_fact_value(s->request->facts, "gpu_compute_capability");
  const double number = *capability ? round(10 * strtod(capability, NULL)) : 90;
  snprintf(s->arch_text, sizeof s->arch_text, "sm_%.0f", number);
  s->arch = s->request->arch ? s->request->arch : s->arch_text;
  DCS_TRY(dcs_find_capability(s->arch, &s->capability));
  const bool known = *capability && s->capability->number == number;
  const double sms = known ? dcs_explain_fact(s, "gpu_sm_count") : NAN;
  s->sms = sms >= 1 && sms <= INT_MAX ? (int)sms : 0;
  s->clock_hz = known ? 1e6 * dcs_explain_fact(s, "gpu_max_clock_mhz") : NAN;
  return DCS_OK;
}

static void add_card(dcs_subject *s) {
  if (s->sms > 0)
    dcs_explain_add(s, "card", "card", NAN, "", "%s (%s)",
                    dcs_fact_value(s->request->facts, "gpu_name"), s->request->card);
  else
    dcs_explain_add(s, "card", "card", NAN, "",
                    "none of %s is known: no waves and no times; --device or --run names one",
                    s->arch);
  dcs_explain_number(s, "card", "sms", s->sms > 0 ? s->sms : NAN, "");
  dcs_explain_add(s, "card", "clock", s->clock_hz, "Hz", "%s", "the highest");
}

/* ---- the code ---- */

/* Evaluations of a thread in an iteration of the inner loop. The compiler's operations tell
 * roughly, since it computes some again and others once; then the inputs that are loaded do, all
 * points of a thread taking each, or the special functions, one an evaluation. NaN: no arithmetic
 * is in it, or that of a warp, products of matrices. */
static double evals_of_iteration(const dcs_subject *s) {
  const dcs_inner_loop *loop = &s->loop;
  const int special = loop->count[DCS_PIPE_SFU], points = s->points;
  const int inputs = loop->loaded_bytes / (int)s->size.kind->buffers[0].bytes;
  const double rough = (loop->fp32_operations + 2 * special) / s->flops;
  const double exact[] = {(double)inputs * points, special};
  if (loop->count[DCS_PIPE_TENSOR] > 0) return NAN;
  if (isnan(s->flops)) return special > 0 ? special : NAN; /* all that is known */
  if (rough < 0.5) return NAN;
  for (int i = 0; i < 2; i++)
    if (exact[i] > 0 && rough > 0.65 * exact[i] && rough < 1.5 * exact[i]) return exact[i];
  return rough >= 0.5 * points ? points * round(rough / points) : fmax(1, round(rough));
}

static dcs_status compile(dcs_subject *s) {
  dcs_kernel_source source;
  DCS_TRY(dcs_kernel_source_open(s->variant, s->config, s->request->kernels, &source));
  dcs_status status = dcs_device_list_code(&source.source, s->arch, &s->listing, &s->code);
  dcs_kernel_source_free(&source);
  return status;
}

static void add_compiled(dcs_subject *s) {
  const dcs_code_facts *code = &s->code;
  dcs_explain_number(s, "code", "registers_per_thread", code->registers, "");
  dcs_explain_add(s, "code", "local_bytes_per_thread", code->local_bytes, "bytes",
                  code->local_bytes > 0
                      ? "of memory in place of registers: spills, and arrays whose index the "
                        "compiler does not know (a loop that is not unrolled)"
                      : "no register is spilled, and all arrays are in registers");
  dcs_explain_number(s, "code", "spill_bytes", code->spill_bytes, "bytes");
  if (s->listing.machine)
    dcs_explain_add(s, "code", "local_instructions", s->loop.whole_local, "",
                    "loads and stores of local memory, of %d instructions", s->loop.whole);
  dcs_explain_number(s, "code", "shared_bytes_per_block", code->shared_bytes, "bytes");
  dcs_explain_number(s, "code", "constant_bytes", code->constant_bytes, "bytes");
}

/* Whether a measurement of the method on a card of that architecture tells its registers. */
static bool has_registers(const dcs_subject *s) {
  const char *there = dcs_run_fact(s->request->run, "gpu_compute_capability");
  return s->same_method && !s->request->kernels && s->row->registers > 0 &&
         round(10 * strtod(there, NULL)) == s->capability->number;
}

/* What is missing, from the error message. */
static void add_no_compiler(dcs_subject *s) {
  dcs_explain_add(s, "code", "compiler", NAN, "", "%s", dcs_error_message());
  s->code = (dcs_code_facts){.registers = -1, .shared_bytes = -1};
  if (has_registers(s)) s->code.registers = (int)s->row->registers;
  if (s->code.registers > 0)
    dcs_explain_add(s, "code", "registers_per_thread", s->code.registers, "", "as in %s",
                    s->request->run_name);
  else
    dcs_explain_add(s, "code", "registers_per_thread", NAN, "", "unknown without the compiler");
}

static dcs_status add_code(dcs_subject *s) {
  dcs_status status = compile(s);
  s->compiled = status == DCS_OK;
  if (status == DCS_UNAVAILABLE) {
    add_no_compiler(s);
    return DCS_OK;
  }
  DCS_TRY(status);
  DCS_TRY(dcs_find_inner_loop(s->listing.text, s->listing.machine, &s->loop));
  s->evals = s->loop.instructions > 0 ? evals_of_iteration(s) : NAN;
  add_compiled(s);
  return DCS_OK;
}

static void add_loop(dcs_subject *s) {
  const dcs_inner_loop *loop = &s->loop;
  if (!s->compiled) return;
  dcs_explain_add(s, "inner_loop", "listing", NAN, "",
                  s->listing.machine ? "SASS, by %s" : "PTX, which the assembler changes: %s",
                  s->listing.by);
  dcs_explain_add(s, "inner_loop", "instructions", loop->instructions, "",
                  loop->instructions ? "an iteration; of the whole kernel %d"
                                     : "the kernel has no loop; instructions in all: %d",
                  loop->whole);
  if (loop->instructions == 0) return;
  dcs_explain_add(s, "inner_loop", "evals_per_iteration", s->evals, "",
                  "of a thread, by what it loads and computes");
  for (int p = 0; p < DCS_N_PIPES; p++) {
    if (loop->count[p] == 0) continue;
    if (isnan(s->evals))
      dcs_explain_number(s, "inner_loop", dcs_pipe_names[p], loop->count[p], "");
    else
      dcs_explain_add(s, "inner_loop", dcs_pipe_names[p], loop->count[p], "", "%.3g an evaluation",
                      loop->count[p] / s->evals);
  }
}

/* ---- how it fills the card ---- */

static void name_limits(const dcs_subject *s, char text[DCS_TEXT]) {
  const dcs_occupancy *o = &s->occupancy;
  *text = '\0';
  for (int i = 0; i < DCS_N_SHARES; i++)
    if (o->fits[i] == o->blocks)
      dcs_append(text, DCS_TEXT, "%s%s", *text ? " and " : "limited by ", dcs_sm_share_names[i]);
  dcs_append(text, DCS_TEXT, "; there is room for");
  for (int i = 0; i < DCS_N_SHARES; i++)
    if (o->fits[i] != INT_MAX)
      dcs_append(text, DCS_TEXT, "%s %d by %s", i ? "," : "", o->fits[i], dcs_sm_share_names[i]);
  if (s->code.registers < 0) dcs_append(text, DCS_TEXT, "; at most: registers are not known");
}

static void add_waves(dcs_subject *s) {
  const dcs_waves w = s->waves = dcs_waves_of(s->blocks, s->sms, &s->occupancy);
  dcs_explain_add(s, "occupancy", "waves", w.waves, "",
                  "of a launch, each of all blocks that the card holds at a time");
  dcs_explain_add(s, "occupancy", "tail", w.tail, "",
                  "the last wave fills %.0f%% of the places for blocks", 100 * w.tail);
  dcs_explain_add(s, "occupancy", "imbalance", w.imbalance, "times",
                  "the SM with the most blocks has %.0f, of %.4g in the mean",
                  ceil((double)s->blocks / s->sms), (double)s->blocks / s->sms);
}

static void add_occupancy(dcs_subject *s) {
  const dcs_block_needs needs = {s->threads, s->code.registers, s->code.shared_bytes};
  const dcs_occupancy *o = &s->occupancy;
  char limits[DCS_TEXT];
  s->occupancy = dcs_occupancy_of(s->capability, &needs);
  name_limits(s, limits);
  dcs_explain_add(s, "occupancy", "blocks_per_sm", o->blocks, "", "%s", limits);
  dcs_explain_add(s, "occupancy", "warps_per_sm", o->warps, "", "of %d", s->capability->warps);
  dcs_explain_add(s, "occupancy", "occupancy", o->fraction, "", "%.0f%%", 100 * o->fraction);
  if (o->blocks == 0)
    dcs_explain_add(s, "occupancy", "launch", NAN, "", "a block does not fit on an SM of %s",
                    s->arch);
  else if (s->sms > 0)
    add_waves(s);
}

dcs_status dcs_explain_code(dcs_subject *s) {
  s->evals = NAN;
  s->waves = (dcs_waves){NAN, NAN, NAN};
  DCS_TRY(find_card(s));
  find_launches(s);
  add_card(s);
  add_launches(s);
  DCS_TRY(add_code(s));
  add_occupancy(s);
  add_loop(s);
  return DCS_OK;
}
