/*
 * Groups that have something to tell: a set that is gone through in order, again and again.
 */
#ifndef HSD_HOLDERS_BY_WAITING_H
#define HSD_HOLDERS_BY_WAITING_H

#include "holders/by/by.h"

#define HSD_BY_WAITING_LEVELS 4u

typedef struct hsd_by_waiting { /* a zeroed one may be closed */
    uint64_t *words[HSD_BY_WAITING_LEVELS];
    size_t count[HSD_BY_WAITING_LEVELS];
} hsd_by_waiting;

/* For groups 0 … groups. HSD_E_NOMEM. */
hsd_status hsd_by_waiting_open(hsd_by_waiting *w, hsd_node groups, hsd_error *err);
void hsd_by_waiting_close(hsd_by_waiting *w);
void hsd_by_waiting_add(hsd_by_waiting *w, size_t at);
void hsd_by_waiting_remove(hsd_by_waiting *w, size_t at);

/* The first one at or behind `at`, or SIZE_MAX. */
size_t hsd_by_waiting_next(const hsd_by_waiting *w, size_t at);

#endif
