/*
 * A process in numbers: how big it is now, and sixteen bytes that stand for it among all others.
 */
#ifndef HSD_LIVE_MEASURE_H
#define HSD_LIVE_MEASURE_H

#include "live/way.h"

/* process.rss, process.private, threads; fewer if the process is gone. How many. */
size_t hsd_measure_process(long pid, hsd_origin_metric *out, size_t most);

/* Identity domain of a process without an agent: of this boot of the machine, the pid and the start. Never all 0. */
void hsd_live_domain(uint8_t domain[16], const hsd_process_facts *facts);

#endif
