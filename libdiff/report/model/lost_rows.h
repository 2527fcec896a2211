/*
 * What is lost, or not collected yet, as rows (hsd_lost): which of them a report shows, what the others add up to, and
 * the words for a row. Shared by all formats.
 */
#ifndef HSD_REPORT_LOST_ROWS_H
#define HSD_REPORT_LOST_ROWS_H

#include "base/buffer.h"
#include <hsdiff/report.h>

#define HSD_LOST_SHOWN        10 /* where nobody asked for a number */
#define HSD_UNCOLLECTED_SHOWN 5
#define HSD_REVIVED_CHARS     96

typedef struct hsd_lost_pick {
    size_t count;         /* rows that are shown: the first ones */
    uint64_t other_count; /* the rest, and what never became rows */
    hsd_lost_row others;  /* before, after and heads alone */
    bool has_folded;      /* some of the rest grew */
} hsd_lost_pick;

/* The `most` rows that grew most, none that grew by fewer than `least_bytes`; 0: also those that did not. */
hsd_lost_pick hsd_lost_choose(const hsd_lost *lost, size_t most, uint64_t least_bytes);

/* What no root reaches, lost or not collected yet, all of it, as a row of any table. */
hsd_change hsd_lost_total(const hsd_diff *diff);
hsd_change hsd_lost_change(const hsd_lost_row *row);

/* True where what is lost is known and grew by more than `noise_bytes`: then it is an answer, and no footer. */
bool hsd_lost_matters(const hsd_diff *diff, uint64_t noise_bytes);

/* True where it matters and grew by more than what is live: then it comes first. */
bool hsd_lost_leads(const hsd_diff *diff, uint64_t noise_bytes);

/*
 * True where what a collector has not freed yet is known and grew by more than noise, and by more than a tenth of what
 * is live did: less comes and goes with each collection, and says nothing.
 */
bool hsd_uncollected_matters(const hsd_diff *diff, uint64_t noise_bytes);

/* "1,204 of those before, 38.4 KiB, are live again": what resurrected; false and nothing where that is none. */
bool hsd_uncollected_revived(const hsd_lost_row *row, const char *size, char out[HSD_REVIVED_CHARS]);

/* "Parser::field (lost.cpp:5)": who wanted the memory, raw; what heads it where no site is known. */
hsd_status hsd_lost_place_append(hsd_buffer *text, const hsd_lost_row *row, hsd_error *err);

/* "handshake (ssl.c:5)": the program's own function that asked the one of a library which is the place; nothing where
 * the place is the program's, or its source is not known. */
hsd_status hsd_lost_asker_append(hsd_buffer *text, const hsd_lost_row *row, hsd_error *err);

/* "<=64 B at push, with 7,999 objects below", "cycle: Account and Session": what heads it, raw. */
hsd_status hsd_lost_what_append(hsd_buffer *text, const hsd_lost_row *row, hsd_error *err);

/* The frame that a row is said by; NULL where no site is known. */
static inline const hsd_site_frame *hsd_lost_frame(const hsd_lost_row *row)
{
    return row->frame_count > 0 ? &row->frames[row->wanted] : NULL;
}

#endif
