/* Turns: many processes want one device, which only one may time at once. */
#ifndef DCS_LAB_TURN_H
#define DCS_LAB_TURN_H

#include "harness/files/lock.h"

typedef struct {
  dcs_lock ticket;
} dcs_turn;

/* Waits for its turn among all processes that wait in a folder, which is made for all users where
 * it is missing: first come, first served. `tell` is told how many are before this process, each
 * time that changes. A process that ends loses its place. DCS_IO where the folder cannot be used,
 * DCS_FAILED on an interrupt. */
dcs_status dcs_turn_wait(const char *folder, void (*tell)(int before), dcs_turn *turn);
void dcs_turn_end(dcs_turn *turn);

#endif
