/*
 * A store in a bucket (s3://bucket/prefix), through DuckDB and its extension httpfs: objects with the names that the
 * files of a folder have. An object appears whole; a batch counts from the moment when its captures.parquet is there,
 * which is written last. DuckDB removes no objects, so batches for which another stands stay, and do not count.
 *
 * Who asks is said by the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, which
 * DuckDB reads itself, or a secret that it keeps. AWS_ENDPOINT_URL names a server that is not Amazon's.
 */
#ifndef HSD_FLEET_BUCKET_H
#define HSD_FLEET_BUCKET_H

#include "fleet/batch.h"
#include "fleet/engine.h"

/* Appends what DuckDB needs to reach it. HSD_E_UNSUPPORTED for an AWS_ENDPOINT_URL that is none, HSD_E_NOMEM. */
hsd_status hsd_bucket_put_settings(hsd_buffer *sql, hsd_error *err);

/* Makes the store where there is nothing. As hsd_fleet_writer_open. */
hsd_status hsd_bucket_make(const char *store, const hsd_run *run, hsd_error *err);

/* As hsd_fleet_list_batches; sizes of batches are not known. */
hsd_status hsd_bucket_list(hsd_fleet_list *list, const char *store, const hsd_run *run, const char *service_part,
                           const char *date_part, hsd_error *err);

/* ---- a batch that is written here first ---- */

typedef struct hsd_bucket_draft {
    char *folder;                        /* of our own, for temporary files; owned */
    char part[2 * HSD_FLEET_PART_CHARS]; /* service=…/date=… */
} hsd_bucket_draft;

/* Makes the folder. HSD_E_IO, HSD_E_NOMEM. Close it also when this failed. */
hsd_status hsd_bucket_draft_open(hsd_bucket_draft *draft, const hsd_run *run, hsd_error *err);

/* Puts draft->folder/`name`, which is a batch, into draft->part of the store. *is_known: it was there. */
hsd_status hsd_bucket_draft_put(const hsd_bucket_draft *draft, const char *store, const char *name, bool *is_known,
                                const hsd_run *run, hsd_error *err);

/* Removes the folder and what is in it. Accepts a zeroed one. */
void hsd_bucket_draft_close(hsd_bucket_draft *draft);

#endif
