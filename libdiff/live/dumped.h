/*
 * Runtimes that hsdiff captures in no way, and whose own dumps it reads: what to say where such a process is asked for.
 */
#ifndef HSD_LIVE_DUMPED_H
#define HSD_LIVE_DUMPED_H

#include "live/way.h"

typedef struct hsd_dumped {
    const char *program; /* how the names of its executables begin; is_whole: up to a dot, and no longer */
    bool is_whole;
    const char *runtime; /* "PHP" */
    const char *how;     /* to come by a dump: "have it …" */
    const char *malloc;  /* the variable that makes it take its objects from malloc, or NULL */
} hsd_dumped;

/* That of a process; NULL for all others. */
const hsd_dumped *hsd_dumped_of(const hsd_process_facts *facts);

#endif
