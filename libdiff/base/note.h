/*
 * Telling the user of the library: progress and notes. Every stage reports through the one reporter
 * of its operation, whose lock makes sure that the callbacks of the hsd_run are called one at a time,
 * whichever thread speaks. A callback must not start another operation with the same hsd_run.
 */
#ifndef HSD_BASE_NOTE_H
#define HSD_BASE_NOTE_H

#include <pthread.h>

#include <hsdiff/run.h>

/* Shared by all threads of one operation. */
typedef struct hsd_reporter {
    const hsd_run *run;   /* borrowed until release */
    pthread_mutex_t lock; /* guards what follows, and the callbacks */
    uint64_t last_progress_ns;
    bool is_cancelled;
} hsd_reporter;

/* `run` may be NULL: then nothing is told to anybody. */
void hsd_reporter_init(hsd_reporter *reporter, const hsd_run *run);
void hsd_reporter_release(hsd_reporter *reporter);

/* Formats and passes a note on. NULL reporter: dropped. */
void hsd_note(hsd_reporter *reporter, hsd_note_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells the run of a stage that ended, if it asks. NULL reporter: dropped. */
void hsd_stage_told(hsd_reporter *reporter, const hsd_stage *stage);

/*
 * Tells of progress if the last time was more than 100 ms ago; cheap otherwise (call it once a
 * block, not once an object). HSD_OK, or HSD_E_CANCELLED for ever after the callback said so.
 */
hsd_status hsd_progress(hsd_reporter *reporter, const char *stage, uint64_t done, uint64_t total, hsd_error *err);

/* Monotonic clock, and the time of day since 1970. */
uint64_t hsd_now_ns(void);
uint64_t hsd_unix_now_ns(void);

#endif
