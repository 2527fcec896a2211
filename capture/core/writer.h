/*
 * The writer as its own files see it: the parts, each with a header of its own, and how a failure is kept.
 */
#ifndef HSC_WRITER_H
#define HSC_WRITER_H

#include <hscapture/hscapture.h>

#include "block.h"
#include "handoff.h"
#include "layout.h"
#include "memory.h"
#include "stage.h"
#include "table.h"
#include "totals.h"

enum {
    HSC_LEAST_MEMORY = 64 << 10,
    HSC_DEFAULT_MEMORY = 1 << 20,
    HSC_MOST_MEMORY = 16 << 20, /* more does not make blocks larger: they end at 4 MiB raw */
    HSC_INFO_TEXT_BYTES = 1024, /* one text of INFO, so that INFO fits the smallest raw region */
    HSC_MOST_INFO_BYTES = 5 * (HSC_INFO_TEXT_BYTES + 8) + 352,
    HSC_SMALLEST_COMPRESSED = 64, /* payloads up to this are stored as they are */
    HSC_REASON_BYTES = 512,
    HSC_ERROR_BYTES = 192
};

/* Where the order of a baseline's sums stands (sums.c). */
typedef struct hsc_sums {
    uint32_t last_type, last_root;         /* the numbers added last */
    uint32_t depth;                        /* of the place added last */
    uint32_t way[HSC_MAX_PLACE_DEPTH + 1]; /* from the heap to it, by depth */
} hsc_sums;

struct hsc_writer {
    const hsc_allocator *allocator; /* NULL = of libc */
    hsc_stage objects;
    hsc_totals totals;
    hsc_table tables[HSC_TABLE_COUNT];
    hsc_blocks blocks;
    hsc_handoff *handoff;                    /* NULL: nobody helps */
    uint64_t counted_objects, counted_bytes; /* hsc_count */
    uint64_t lost;
    uint32_t facts;
    hsc_sums *sums; /* NULL: no baseline */
    bool targets_are_ordinals, has_site_totals;
    bool is_finished, is_incomplete;
    hsc_status status; /* the first failure */
    int system_error;
    char reason[HSC_REASON_BYTES];
    char error_text[HSC_ERROR_BYTES];
};

/* Keeps the first failure, makes all later calls fail, and returns it. */
hsc_status hsc_fail(hsc_writer *w, hsc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* HSC_E_IO, with what the system says behind the sentence. */
hsc_status hsc_fail_errno(hsc_writer *w, int system_error, const char *sentence) __attribute__((cold));

/* HSC_OK if the writer takes records; else its failure, or HSC_E_MISUSE behind hsc_finish. */
hsc_status hsc_check_open(hsc_writer *w);

/* Adds to the totals of a key; a failure if the table could not grow. */
hsc_status hsc_add_total(hsc_writer *w, uint64_t key, uint64_t count, uint64_t bytes, uint64_t native_bytes);

/* Lists of entries, INFO and END (FORMAT.md 8.1), put together in the raw region. */
typedef struct hsc_entries {
    unsigned char *start, *end;
    uint32_t count;
} hsc_entries;

void hsc_entry_bytes(hsc_entries *entries, unsigned key, const void *bytes, size_t size);
void hsc_entry_text(hsc_entries *entries, unsigned key, const char *text);  /* nothing if NULL or "" */
void hsc_entry_number(hsc_entries *entries, unsigned key, uint64_t number); /* nothing if 0 */

/* The totals, the index, the end record and the trailer (finish.c). */
hsc_status hsc_write_summaries(hsc_writer *w);
hsc_status hsc_write_ending(hsc_writer *w);

#endif
