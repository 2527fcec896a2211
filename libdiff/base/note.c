/*
 * Progress and notes, serialised. The clock is asked once a call; the callback at most ten times a
 * second. Callbacks run with the reporter's lock held: they must not call the library with the same
 * hsd_run again.
 */
#include "base/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/assert.h"

#define PROGRESS_INTERVAL_NS UINT64_C(100000000)

void hsd_reporter_init(hsd_reporter *reporter, const hsd_run *run)
{
    *reporter = (hsd_reporter){.run = run};
    pthread_mutex_init(&reporter->lock, NULL);
}

void hsd_reporter_release(hsd_reporter *reporter) { pthread_mutex_destroy(&reporter->lock); }

void hsd_note(hsd_reporter *reporter, hsd_note_level level, const char *format, ...)
{
    HSD_ASSERT(format != NULL);
    if (reporter == NULL || reporter->run == NULL || reporter->run->note == NULL) return;
    char text[1024];
    va_list args;
    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) < 0) text[0] = '\0';
    va_end(args);
    pthread_mutex_lock(&reporter->lock);
    reporter->run->note(reporter->run->note_context, level, text);
    pthread_mutex_unlock(&reporter->lock);
}

void hsd_stage_told(hsd_reporter *reporter, const hsd_stage *stage)
{
    if (reporter == NULL || reporter->run == NULL || reporter->run->stage == NULL) return;
    pthread_mutex_lock(&reporter->lock);
    reporter->run->stage(reporter->run->stage_context, stage);
    pthread_mutex_unlock(&reporter->lock);
}

/* With the lock held. */
static void tell_note(hsd_reporter *reporter, const char *stage, uint64_t done, uint64_t total)
{
    const uint64_t now = hsd_now_ns();
    if (reporter->is_cancelled) return;
    if (reporter->last_progress_ns != 0 && now - reporter->last_progress_ns < PROGRESS_INTERVAL_NS) return;
    reporter->last_progress_ns = now;
    if (!reporter->run->progress(reporter->run->progress_context, stage, done, total)) reporter->is_cancelled = true;
}

hsd_status hsd_progress(hsd_reporter *reporter, const char *stage, uint64_t done, uint64_t total, hsd_error *err)
{
    if (reporter == NULL || reporter->run == NULL || reporter->run->progress == NULL) return HSD_OK;
    pthread_mutex_lock(&reporter->lock);
    tell_note(reporter, stage, done, total);
    const bool is_cancelled = reporter->is_cancelled;
    pthread_mutex_unlock(&reporter->lock);
    return is_cancelled ? hsd_fail(err, HSD_E_CANCELLED, "cancelled while %s", stage) : HSD_OK;
}

uint64_t hsd_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t hsd_unix_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
