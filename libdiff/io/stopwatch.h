/*
 * What a stage costs, and what it could have cost: time, time of the processor, bytes of temporary files, and the bound
 * that the limits of a machine set to what was done (base/work.h). Told with --verbose.
 */
#ifndef HSD_IO_STOPWATCH_H
#define HSD_IO_STOPWATCH_H

#include "base/note.h"
#include "base/work.h"
#include "io/temp.h"

typedef struct hsd_stopwatch {
    const hsd_temp_space *space;
    uint64_t start_ns, start_cpu_ns; /* the second of the calling thread, and of the workers that it waited for */
    uint64_t read_bytes, written_bytes;
    hsd_work done, told; /* of the calling thread */
} hsd_stopwatch;

hsd_stopwatch hsd_stopwatch_start(const hsd_temp_space *space);

/*
 * Notes "WHOSE: WHAT took … s, … of the processor; temporary files: … MiB read, … written; bound … s: 2.9x (of what)",
 * tells the run of the stage, and starts anew. Of temporary files threads that share the space count for whichever of
 * them asks; of all else they do not.
 */
void hsd_stopwatch_note(hsd_stopwatch *watch, hsd_reporter *reporter, const char *whose, const char *what);

#endif
