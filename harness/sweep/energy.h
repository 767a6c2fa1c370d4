/* Energy of a map: what a counter of the hardware shows for many maps, divided. */
#ifndef DCS_ENERGY_H
#define DCS_ENERGY_H

#include "harness/sweep/record.h"

/* Joules of one map that takes `map_ns`; NaN where no counter can be read. Runs about one second of
 * maps in the record's scope, kernel or warm (else NaN): the counters move in steps of up to 0.1 s.
 * On a device the card's own energy (of several, of all together), on the CPU that of all packages.
 * A failing outcome has its reason in dcs_error_message(). */
dcs_outcome dcs_measure_energy(dcs_session *session, int slot, const dcs_record *record,
                               double map_ns, double *joules);

#endif
