/*
 * Where what lies in a store:
 *
 *      STORE/hsdiff-fleet                                    says that it is one, and its version
 *      STORE/service=S/date=2026-11-28/batch=0123…/          appears whole, and never changes
 *            captures.parquet rows.parquet names.parquet
 *            states.parquet                                  in batches that compacting made
 *            replaces                                        likewise: names of batches that it stands for, a line each
 *      .hsdiff-…                                             what was not finished: nobody looks at it
 *
 * S is the service with every byte outside [A-Za-z0-9_.-] as %XX; of a long one the beginning and a hash of all. The
 * date is that of the captures in UTC.
 */
#ifndef HSD_FLEET_LAYOUT_H
#define HSD_FLEET_LAYOUT_H

#include <stdbool.h>

#include "base/buffer.h"
#include <hsdiff/report.h>
#include <hsdiff/run.h>

#define HSD_FLEET_VERSION      1
#define HSD_FLEET_SUFFIX       ".parquet"
#define HSD_FLEET_MARK         "hsdiff-fleet"
#define HSD_FLEET_MARK_TEXT    "hsdiff fleet store, version "
#define HSD_FLEET_REPLACES     "replaces"
#define HSD_FLEET_BATCH_PREFIX "batch="
#define HSD_FLEET_PART_CHARS   160u

/* ---- the store */

/* Makes it where there is nothing or an empty folder; else as hsd_fleet_check. */
hsd_status hsd_fleet_make(const char *path, hsd_error *err);

/* HSD_E_NOT_FOUND, HSD_E_NOT_THIS_FORMAT, HSD_E_TOO_NEW, HSD_E_IO. */
hsd_status hsd_fleet_check(const char *path, hsd_error *err);

/* What a mark says: HSD_OK, HSD_E_NOT_THIS_FORMAT, HSD_E_TOO_NEW. */
hsd_status hsd_fleet_judge_mark(hsd_text text, hsd_error *err);

/* "service=…" of a service. */
void hsd_fleet_service_part(char out[HSD_FLEET_PART_CHARS], const char *service);

/* "date=2026-11-28" of a time. */
void hsd_fleet_date_part(char out[HSD_FLEET_PART_CHARS], uint64_t time_ms);

/* STORE/service=…/date=…, made. For the caller to free. */
hsd_status hsd_fleet_partition(const char *path, const char *service_part, const char *date_part, char **out,
                               hsd_error *err);

/* ---- what is in it */

typedef struct hsd_fleet_found {
    char *path; /* from the store: service=…/date=…/batch=…: bytes of [A-Za-z0-9_.%=-] and slashes alone */
    uint64_t bytes;
    bool has_states;
} hsd_fleet_found;

typedef struct hsd_fleet_list {
    char *base;               /* stands before every path: of a bucket its address with a slash; NULL = nothing */
    hsd_fleet_found *batches; /* by path; without those that another stands for */
    size_t count, capacity;
    char **replaced; /* paths of those that are there still */
    size_t replaced_count, replaced_capacity;
} hsd_fleet_list;

/*
 * Lists the batches of a store, and looks at head and tail of every file. `service_part` NULL = all; `date_part` NULL =
 * all, else that day and later. HSD_E_CORRUPT for a file that is torn or none of ours, with its name.
 */
hsd_status hsd_fleet_list_batches(hsd_fleet_list *list, const char *path, const hsd_run *run, const char *service_part,
                                  const char *date_part, hsd_error *err);

/* A batch, by its path from the store, for which another stands; and when all are known: sorts both, leaves those out,
 * and keeps of the replaced ones those that are there. HSD_E_NOMEM. */
hsd_status hsd_fleet_list_replaced(hsd_fleet_list *list, const char *path, hsd_error *err);
void hsd_fleet_list_settle(hsd_fleet_list *list);

/* Accepts a zeroed one. */
void hsd_fleet_list_release(hsd_fleet_list *list);

#endif
