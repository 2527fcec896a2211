/*
 * Taking away what a store does not need any more.
 */
#ifndef HSD_FLEET_TIDY_H
#define HSD_FLEET_TIDY_H

#include <hsdiff/status.h>

/* A batch, by its path from the store: it goes in one step, then file by file. What is not there is no fault. HSD_E_IO.
 */
hsd_status hsd_fleet_remove_batch(const char *store, const char *path, hsd_error *err);

/* A folder with batches in it, with all of that. */
void hsd_fleet_remove_draft(const char *folder);

/* What ended runs left: folders .hsdiff-… in the store itself, which compacting alone makes (the caller has its lock),
 * and beside batches, where they are older than an hour. */
void hsd_fleet_sweep(const char *store);

#endif
