/*
 * What a stage costs: time, time of the processor, bytes of temporary files. Told with --verbose.
 */
#ifndef HSD_IO_STOPWATCH_H
#define HSD_IO_STOPWATCH_H

#include "base/note.h"
#include "io/temp.h"

typedef struct hsd_stopwatch {
    const hsd_temp_space *space;
    uint64_t start_ns, start_cpu_ns; /* the second of the calling thread alone */
    uint64_t read_bytes, written_bytes;
} hsd_stopwatch;

hsd_stopwatch hsd_stopwatch_start(const hsd_temp_space *space);

/* Notes "WHAT took … s, … of the processor; temporary files: … MiB read, … written" and starts anew. Threads that
 * share the space count for whichever of them asks. */
void hsd_stopwatch_note(hsd_stopwatch *watch, hsd_reporter *reporter, const char *whose, const char *what);

#endif
