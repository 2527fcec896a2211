/*
 * How a sentence calls a place in a heap of C, C++ or Rust. The agent calls a word of a block by the member of its
 * type, and where no debug information tells that by its offset, which no programmer knows:
 *
 *      db.+704.+16.+8.+384 (<=2560 B at sqlite3PcacheSetPageSize)       db
 *      scheduler (Scheduler)                   scheduler.events (std::unique_ptr<Event>[]), the one thing there
 *      server.sessions.tqh_first and server.sessions.tqh_last           server.sessions, by .tqh_first and .tqh_last
 *
 * The tables have the whole ways.
 */
#ifndef HSD_REPORT_NATIVE_H
#define HSD_REPORT_NATIVE_H

#include "report/sentences/place.h"

/* hsd_holder_append_near, and in a native heap as above. */
hsd_status hsd_holder_append_said(hsd_buffer *out, const hsd_diff *diff, const hsd_holder *holder, const char *before,
                                  const char *after, hsd_error *err);

/* What hangs from the place by that name: of one that ends where names do, all holders behind it. */
int64_t hsd_holder_said_growth(const hsd_diff *diff, const hsd_holder *holder);

/* The variable of which all that hold together are members; empty where they are of several, and in other heaps. */
hsd_text hsd_holder_variable(const hsd_diff *diff, const hsd_holder *holder);

/* ".tqh_first and .tqh_last": those members. */
hsd_status hsd_members_append(hsd_buffer *out, const hsd_holder *holder, hsd_text variable, hsd_error *err);

#endif
