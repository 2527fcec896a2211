/*
 * Retained sizes by type or by root during a walk of the dominator tree: what the objects of a type would take with
 * them, each byte once. An object below another of its own number counts with that one, so what is added is the
 * subtree of the topmost alone; a counter of those on the way down tells which that is.
 */
#ifndef HSD_WALK_RETAINED_H
#define HSD_WALK_RETAINED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/fail.h"
#include "base/node.h"
#include <hsdiff/status.h>

typedef struct hsd_retained_sums {
    uint64_t *bytes; /* by number */
    hsd_node *open;  /* how many of that number are on the stack */
    uint32_t count;
} hsd_retained_sums;

static inline hsd_status hsd_retained_init(hsd_retained_sums *sums, uint32_t count, hsd_error *err)
{
    sums->count = count;
    sums->bytes = calloc((size_t)count + 1, sizeof *sums->bytes);
    sums->open = calloc((size_t)count + 1, sizeof *sums->open);
    if (sums->bytes != NULL && sums->open != NULL) return HSD_OK;
    return hsd_fail_nomem(err, "retained sizes");
}

/* Zeroed ones are accepted. */
static inline void hsd_retained_release(hsd_retained_sums *sums)
{
    free(sums->bytes);
    free(sums->open);
    *sums = (hsd_retained_sums){0};
}

/* Before anything below. True if nothing above has this number: keep it for leave. */
static inline bool hsd_retained_enter(hsd_retained_sums *sums, uint32_t number)
{
    HSD_ASSERT(number < sums->count);
    return sums->open[number]++ == 0;
}

/* After everything below; `bytes` are the whole subtree's. */
static inline void hsd_retained_leave(hsd_retained_sums *sums, uint32_t number, bool is_topmost, uint64_t bytes)
{
    HSD_ASSERT(number < sums->count && sums->open[number] > 0);
    sums->open[number]--;
    if (is_topmost) sums->bytes[number] += bytes;
}

/* What has nothing below it. */
static inline void hsd_retained_leaf(hsd_retained_sums *sums, uint32_t number, uint64_t bytes)
{
    HSD_ASSERT(number < sums->count);
    if (sums->open[number] == 0) sums->bytes[number] += bytes;
}

#endif
