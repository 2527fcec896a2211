/*
 * A table of a diff whose rows are some of many: its rows, and what the others add up to. The document (json.c) has it as a member, and
 * newline-delimited JSON (ndjson_diff.c) as records; the fields of a row are the same in both.
 *
 *      "sites": [{…}, {…}],  "other_sites": {"rows": 12, …}
 *      {…, "record": "site", …}
 *      {…, "record": "others", "of": "site", "rows": 12, …}
 */
#ifndef HSD_REPORT_JSON_LISTING_H
#define HSD_REPORT_JSON_LISTING_H

#include "report/lost_rows.h"
#include "report/out.h"
#include "report/site_rows.h"

typedef struct hsd_json_listing {
    const char *member, *record; /* "sites", "site" */
    size_t count;
    uint64_t other_count;        /* 0: nothing is left out */
    void (*put_row)(hsd_out *out, const struct hsd_json_listing *listing, size_t i); /* fields */
    void (*put_rest)(hsd_out *out, const struct hsd_json_listing *listing);          /* sums, with `rows` before them */
    hsd_site_pick sites;         /* one of the two */
    hsd_lost_pick pick;
    const hsd_lost *lost;
} hsd_json_listing;

/* What stands in it is known; at most so many rows. */
hsd_json_listing hsd_json_sites(const hsd_diff *diff, size_t most);                  /* growth by allocation site, */
hsd_json_listing hsd_json_lost(const hsd_diff *diff, size_t most);                   /* what is lost, */
hsd_json_listing hsd_json_uncollected(const hsd_diff *diff, size_t most);            /* and what is not collected yet */

/* "sites": [...], and "other_sites": {...} where some are no rows. */
void hsd_json_put_listing(hsd_out *out, const hsd_json_listing *listing);

/* A record each. */
void hsd_ndjson_put_listing(hsd_out *out, const char *schema, const hsd_json_listing *listing);

#endif
