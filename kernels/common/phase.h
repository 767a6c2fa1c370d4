/* The phases of a computation, for whoever times them: a CPU variant of several says which one
 * begins. */
#ifndef DCS_PHASE_H
#define DCS_PHASE_H

enum { DCS_MAX_PHASES = 24 };

/* Times by names, in the order in which these came first. */
typedef struct {
  int n;
  struct {
    const char *name;
    double ns;
  } list[DCS_MAX_PHASES];
  double (*now_ns)(void); /* of a computation that says its phases itself */
  const char *current;    /* NULL: none has begun */
  double since_ns;
} dcs_phases;

/* What the calling thread computes from here on, until the next one begins; NULL: none does. Costs
 * next to nothing where nobody listens. */
void dcs_phase(const char *name);

/* What the calling thread says is noted there from now on; NULL: nowhere. */
void dcs_phases_listen(dcs_phases *phases);
/* Adds to the time of that name; beyond DCS_MAX_PHASES names to that of the last. */
void dcs_phases_add(dcs_phases *phases, const char *name, double ns);

#endif
