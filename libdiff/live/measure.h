/*
 * What is measured of a process from outside: its memory and threads (metrics of a capture), and the identity domain
 * that a capture of it has when no agent gives one.
 */
#ifndef HSD_LIVE_MEASURE_H
#define HSD_LIVE_MEASURE_H

#include "live/way.h"

/* Fills up to `most`, 4 or more, of process.rss, process.private, threads and process.limit; returns how many: fewer if
 * the process has no limit, none if it is gone. */
size_t hsd_measure_process(long pid, hsd_origin_metric *out, size_t most);

/* Identity domain of a process without an agent: of this boot of the machine, the pid and the start. Never all 0. */
void hsd_live_domain(uint8_t domain[16], const hsd_process_facts *facts);

/* Whose heap a dump is that the process gives now: its number, start and domain, and the time. */
hsd_import_origin hsd_live_origin(const hsd_process_facts *facts);

#endif
