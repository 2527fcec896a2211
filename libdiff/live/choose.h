/*
 * Rows of the table of ways, by name.
 */
#ifndef HSD_LIVE_CHOOSE_H
#define HSD_LIVE_CHOOSE_H

#include "live/way.h"

/* HSD_E_UNSUPPORTED with all names when there is none called so. */
hsd_status hsd_way_find(const hsd_way **out, const char *name, hsd_error *err);

#endif
