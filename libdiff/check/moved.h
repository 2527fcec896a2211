/*
 * What only moved among the places that begin nowhere.
 *
 *      (roots)                     4.6 KiB   41.7 KiB   57.4 KiB     +52.8 KiB
 *      (roots) -> runtime.p ->    52.6 KiB   15.6 KiB        8 B     -52.6 KiB     all of them kept their size, and no type grew
 *
 * What no root holds alone counts for "(roots)" or for a place below it. Which of these it is hangs on the ways that
 * lead to it just now, and structures of a runtime, its threads and processors, change them all the time. So in each
 * round a place that begins nowhere grew by no more than all of them together did; or by what came of types, where
 * others of other types went meanwhile: a leak beside a cache that is emptied.
 */
#ifndef HSD_CHECK_MOVED_H
#define HSD_CHECK_MOVED_H

#include "check/facts.h"

/* In *out for each value what such a place can have grown by since the one before it, taken from `store`; NULL where
 * nothing is known of that. */
hsd_status hsd_moved_find(const hsd_facts *facts, hsd_check_store *store, const hsd_amount **out, hsd_error *err);

/* Takes what only moved there out of the values of a place that begins nowhere. True if there was any. */
bool hsd_moved_leave_out(const hsd_amount *most, hsd_amount *values, size_t count);

#endif
