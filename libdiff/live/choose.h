/*
 * Finds a way by its name ("jvm", "node", as --way has it) in the table of all ways of capture (ways.c).
 */
#ifndef HSD_LIVE_CHOOSE_H
#define HSD_LIVE_CHOOSE_H

#include "live/way.h"

/* *out: the row, a constant. HSD_E_UNSUPPORTED when no way has that name; the text lists all names. */
hsd_status hsd_way_find(const hsd_way **out, const char *name, hsd_error *err);

#endif
