/* What a model sees of a configuration: its parameters, and what its launch looks like on the
 * device, which the plan tells before anything is measured. */
#ifndef DCS_TUNE_FEATURES_H
#define DCS_TUNE_FEATURES_H

#include "tuning/search/space.h"
#include "tuning/search/subject.h"

enum { DCS_MOST_FEATURES = 2 * DCS_MAX_PARAMS + 3 };

typedef struct {
  bool of_launches;                 /* what launches look like is among them */
  int n;                            /* those in which configurations differ */
  bool names[DCS_MOST_FEATURES];    /* values without an order: all are equally far */
  double weight[DCS_MOST_FEATURES]; /* of a square of a difference, before anything is known */
  double (*at)[DCS_MOST_FEATURES];  /* of each configuration: the position of a parameter's value
                                       among those tried, how often it can be halved, or how many
                                       doublings */
  double *work; /* of each configuration: the logarithm of what the busiest SM computes, padding and
                   the last wave of blocks included, over the least of any; 0: unknown */
} dcs_features;

/* `subject` has the problem and the number of SMs. Where it is NULL, or the variant has
 * no plan, the parameters are all there is. They last as long as the room. DCS_UNAVAILABLE: no
 * memory. */
dcs_status dcs_features_build(const dcs_space *space, const dcs_subject *subject, dcs_room *room,
                              dcs_features *features);

#endif
