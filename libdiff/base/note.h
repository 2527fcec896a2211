/*
 * Telling the user of the library: progress and notes. Every call goes through the hsd_run and is
 * serialised by one process-wide-free mutex that lives in the reporter.
 */
#ifndef HSD_BASE_NOTE_H
#define HSD_BASE_NOTE_H

#include <pthread.h>

#include <hsdiff/run.h>

/* Shared by all threads of one operation. */
typedef struct hsd_reporter {
    const hsd_run *run;
    pthread_mutex_t lock;
    uint64_t last_progress_ns;
    bool is_cancelled;
} hsd_reporter;

void hsd_reporter_init(hsd_reporter *reporter, const hsd_run *run);
void hsd_reporter_release(hsd_reporter *reporter);

/* Formats and passes a note on. NULL reporter: dropped. */
void hsd_note(hsd_reporter *reporter, hsd_note_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Tells of progress if the last time was more than 100 ms ago; cheap otherwise (call it once a
 * block, not once an object). HSD_OK, or HSD_E_CANCELLED for ever after the callback said so.
 */
hsd_status hsd_progress(hsd_reporter *reporter, const char *stage, uint64_t done, uint64_t total,
                        hsd_error *err);

/* Monotonic clock. */
uint64_t hsd_now_ns(void);

#endif
