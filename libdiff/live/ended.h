/*
 * Programs end when they like, also in the middle of what is done with them: then that is what is to be told, and not
 * which call failed first.
 */
#ifndef HSD_LIVE_ENDED_H
#define HSD_LIVE_ENDED_H

#include "live/way.h"

/* Is the process gone, or a zombie, or another one by now? Waits so long for it. */
bool hsd_has_ended(const hsd_process_facts *facts, unsigned wait_ms);

/* What is to be told of a way that failed with this status: HSD_E_TRUNCATED where the process has ended, and its end
 * explains the failure. */
hsd_status hsd_live_blame_end(const hsd_live *live, hsd_status status, hsd_error *err);

#endif
