/*
 * A list of batches from names of objects, which come one by one.
 */
#ifndef HSD_FLEET_LISTING_H
#define HSD_FLEET_LISTING_H

#include "fleet/layout.h"

typedef struct hsd_listing {
    hsd_fleet_list *list;
    const char *store;     /* for messages */
    const char *date_part; /* NULL = all, else that day and later */
    char *path;            /* of the batch that comes; owned */
    unsigned seen;         /* of its files */
} hsd_listing;

/* An object, by its name from the store; those of a batch come one behind the other. HSD_E_CORRUPT for one that is none
 * of ours, HSD_E_NOMEM. */
hsd_status hsd_listing_object(hsd_listing *listing, const char *name, hsd_error *err);

/* What is in the object `replaces` of that name. */
hsd_status hsd_listing_replaces(hsd_listing *listing, const char *name, hsd_text content, hsd_error *err);

/* The last batch, and leaves out those that another stands for. */
hsd_status hsd_listing_finish(hsd_listing *listing, hsd_error *err);

/* Accepts a zeroed one. */
void hsd_listing_release(hsd_listing *listing);

#endif
