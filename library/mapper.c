/* The library's handle: opening, the dispatch table, the GPU. */
#include "library/mapper.h"

#include "harness/runs/environment.h"
#include "library/team.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- dispatch table ---- */

static const char *or_none(const char *text) {
  return *text ? text : "none";
}

/* Reads the table and holds it against program and CPU. */
static dcs_status read_dispatch(dcs_mapper *m) {
  dcs_facts facts = {0};
  DCS_TRY(dcs_dispatch_read(m->dispatch_path, &m->dispatch));
  dcs_machine_facts(&facts);
  DCS_TRY(dcs_run_facts_add(&(dcs_run_facts){0}, &facts));
  for (int f = 0; f <= DCS_FOR_ISA_DISABLED; f++) {
    const char *key = dcs_dispatch_facts[f], *was = m->dispatch.facts[f];
    const char *is = f == DCS_FOR_PRECISION ? "float" : dcs_fact_value(&facts, key);
    if (strcmp(was, is) != 0)
      return dcs_fail(DCS_INPUT, "%s: found %s \"%s\"; here it is \"%s\"", m->dispatch_path, key,
                      or_none(was), or_none(is));
  }
  return DCS_OK;
}

/* ---- engines ---- */

/* Whether so many cards like this one are the table's; says what differs. */
static bool are_cards_of_table(dcs_mapper *m, const dcs_device_facts *card, int n) {
  char name[DCS_FACT + 16];
  dcs_dispatch_cards(n, dcs_device_fact_value(card, dcs_dispatch_facts[DCS_FOR_GPU]), name,
                     sizeof name);
  const char *capability =
      dcs_device_fact_value(card, dcs_dispatch_facts[DCS_FOR_COMPUTE_CAPABILITY]);
  const char *of_name = m->dispatch.facts[DCS_FOR_GPU];
  const char *of_capability = m->dispatch.facts[DCS_FOR_COMPUTE_CAPABILITY];
  if (strcmp(of_name, name) == 0 && strcmp(of_capability, capability) == 0) return true;
  snprintf(m->gpu_why, sizeof m->gpu_why,
           "%s: its GPU times are of \"%s\" (compute capability %s); here is \"%s\" (%s)",
           m->dispatch_path, or_none(of_name), or_none(of_capability), name, capability);
  return false;
}

/* That there is none is no failure: the ladder stands in. */
static void find_shipped(dcs_mapper *m, const dcs_device_facts *card) {
  (void)dcs_dispatch_shipped(
      dcs_device_fact_value(card, dcs_dispatch_facts[DCS_FOR_COMPUTE_CAPABILITY]), &m->shipped);
}

void dcs_mapper_drop_gpu(dcs_mapper *m, const char *why) {
  if (m->engines[DCS_GPU]) m->engines[DCS_GPU]->close(m->engines[DCS_GPU]);
  m->engines[DCS_GPU] = NULL;
  m->ready[DCS_GPU] = (dcs_ready){0};
  m->gpu_refused = true;
  snprintf(m->gpu_why, sizeof m->gpu_why, "%s", why);
}

/* Its memory and modules stay: freeing them is a matter of the parent's driver. */
void dcs_mapper_leave_parent(dcs_mapper *m) {
  if (!m->engines[DCS_GPU] || m->opened_gpu_in == getpid()) return;
  m->engines[DCS_GPU] = NULL;
  m->ready[DCS_GPU] = (dcs_ready){0};
}

/* Opens one device or several, and reads the facts of each. */
static dcs_status open_devices(const dcs_mapper *m, dcs_engine **engine,
                               dcs_device_facts facts[DCS_MAX_DEVICES]) {
  DCS_TRY(dcs_engine_devices_open(m->device ? m->device : dcs_default_device(), NULL, engine));
  for (int d = 0; d < (*engine)->n_devices; d++)
    DCS_TRY(dcs_device_read_facts((*engine)->devices[d], &facts[d]));
  return DCS_OK;
}

/* The table's GPU times are of one card, or of as many as are here, all alike. */
static bool are_of_table(dcs_mapper *m, const dcs_device_facts *facts, int n) {
  bool same = true;
  for (int d = 0; d < n; d++)
    same = same && are_cards_of_table(m, &facts[d], n);
  return same;
}

dcs_status dcs_mapper_open_gpu(dcs_mapper *m) {
  dcs_device_facts facts[DCS_MAX_DEVICES];
  dcs_engine *engine = NULL;
  if (m->engines[DCS_GPU]) return DCS_OK;
  if (m->gpu_refused) return dcs_fail(DCS_UNAVAILABLE, "%s", m->gpu_why);
  const dcs_status status = open_devices(m, &engine, facts);
  if (status != DCS_OK) {
    m->engines[DCS_GPU] = engine;
    char why[sizeof m->gpu_why];
    snprintf(why, sizeof why, "%s", dcs_error_message());
    dcs_mapper_drop_gpu(m, why);
    return dcs_fail(status, "%s", why);
  }
  m->engines[DCS_GPU] = engine;
  m->opened_gpu_in = getpid();
  m->other_card = m->use_dispatch && !are_of_table(m, facts, engine->n_devices);
  if (!m->use_dispatch || m->other_card) find_shipped(m, &facts[0]);
  return DCS_OK;
}

/* ---- arguments ---- */

dcs_status dcs_need(const void *argument, const char *name) {
  return argument ? DCS_OK : dcs_fail(DCS_USAGE, "%s is NULL; expected one", name);
}

bool dcs_within_1e12(double value) {
  return fabs(value) <= 1e12;
}

/* ---- opening ---- */

static dcs_status open_mapper(dcs_mapper *m, const dcs_mapper_options *options) {
  DCS_TRY(dcs_team_size(options->threads, &m->threads));
  if ((options->device && !(m->device = strdup(options->device))) ||
      (options->dispatch && !(m->dispatch_path = strdup(options->dispatch))))
    return dcs_fail(DCS_UNAVAILABLE, "no memory for a handle");
  m->use_dispatch = m->dispatch_path && read_dispatch(m) == DCS_OK;
  if (m->dispatch_path && !m->use_dispatch)
    snprintf(m->miss, sizeof m->miss, "%s", dcs_error_message());
  bool cpu_only = m->device && strcmp(m->device, "cpu") == 0;
  m->gpu_refused = cpu_only;
  if (cpu_only) snprintf(m->gpu_why, sizeof m->gpu_why, "the caller asked for the CPU alone");
  if (cpu_only) return DCS_OK;
  return options->open_gpu_now || m->device ? dcs_mapper_open_gpu(m) : DCS_OK;
}

int dcs_mapper_open(const dcs_mapper_options *options, dcs_mapper **mapper) {
  static const dcs_mapper_options defaults = {0};
  DCS_TRY(dcs_need(mapper, "mapper"));
  *mapper = NULL;
  dcs_mapper *m = calloc(1, sizeof *m);
  if (!m) return dcs_fail(DCS_UNAVAILABLE, "no memory for a handle");
  pthread_mutex_init(&m->lock, NULL);
  dcs_status status = open_mapper(m, options ? options : &defaults);
  if (status == DCS_OK)
    *mapper = m;
  else
    dcs_mapper_close(m);
  return status;
}

void dcs_mapper_close(dcs_mapper *m) {
  if (!m) return;
  dcs_mapper_leave_parent(m);
  for (int b = 0; b < 2; b++)
    if (m->engines[b]) m->engines[b]->close(m->engines[b]);
  dcs_case_free(&m->c);
  dcs_case_free(&m->part);
  pthread_mutex_destroy(&m->lock);
  free(m->checked);
  free(m->device);
  free(m->dispatch_path);
  free(m);
}
