/*
 * What a viewer knows: written by the thread that does the work, read by the one that answers.
 */
#ifndef HSD_VIEW_STATE_H
#define HSD_VIEW_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "view/guard.h"
#include "view/http.h"
#include <hsdiff/view.h>

#define HSD_VIEW_STAGE_BYTES 160
#define HSD_VIEW_WHY_BYTES   512

typedef enum hsd_view_phase { HSD_VIEW_WORKING, HSD_VIEW_READY, HSD_VIEW_FAILED } hsd_view_phase;

struct hsd_view {
    hsd_view_options options;
    hsd_report_options report; /* of `options` */
    hsd_view_guard guard;
    hsd_http *http;
    char address[96];
    hsd_buffer page, policy; /* never change once it listens */
    atomic_bool has_ended;   /* work is to be given up */
    pthread_mutex_t lock;    /* of all below */
    hsd_view_phase phase;
    char stage[HSD_VIEW_STAGE_BYTES];
    uint64_t done, total;
    char **names; /* owned */
    size_t name_count;
    bool has_report, is_series;
    hsd_buffer packed; /* never changes once has_report */
    /* borrowed, never changes once it is there; asked by the answering thread alone */
    hsd_browse *browse;
    char why_not[HSD_VIEW_WHY_BYTES]; /* why there is no index */
    hsd_error error;                  /* of a failed one */
    uint64_t used_ns;                 /* when it was asked last, or its work ended */
    bool was_asked;                   /* with the token */
};

uint64_t hsd_view_now_ns(void);

#endif
