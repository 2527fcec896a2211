/*
 * Block after block from the start of the file, damage or not (FORMAT.md 11.3, 11.5).
 *
 * The scan looks at headers alone. Each step is one of: a block whose header is intact and that lies wholly inside the
 * file; a stretch of bytes that is no block (the scan has looked for the next header behind it); the place where
 * the file was cut off; the end.
 */
#ifndef HSD_FORMAT_SCAN_H
#define HSD_FORMAT_SCAN_H

#include "format/index.h"

typedef enum hsd_scan_kind {
    /* ref, header; `fault` too when a rule about its fields is broken or its number is out of order */
    HSD_SCAN_BLOCK,
    HSD_SCAN_DAMAGE, /* offset, bytes, fault */
    HSD_SCAN_CUT,    /* the file ends inside a block or its header: offset, bytes that are left, fault */
    HSD_SCAN_END     /* behind END, or at the end of the file; offset, bytes that are left */
} hsd_scan_kind;

typedef struct hsd_scan_step {
    hsd_scan_kind kind;
    uint64_t offset_bytes, bytes;
    hsd_block_ref ref;
    hsd_block_header header;
    bool is_usable;   /* of a block: fields and number are as they must be */
    uint64_t missing; /* of a usable block: numbers that were left out before it */
    hsd_fault fault;
} hsd_scan_step;

typedef struct hsd_scan {
    const hsd_file *file;
    uint64_t offset_bytes;
    uint64_t next_number;  /* one past that of the last usable block */
    uint64_t next_ordinal; /* one past the greatest ordinal that a usable block can hold */
    uint64_t most_ordinal; /* the same, and what the blocks that are missing since can have held */
    bool has_end;          /* an END block was seen: what follows is the trailer */
    uint8_t *window;       /* for looking through damaged bytes; NULL until needed */
} hsd_scan;

void hsd_scan_begin(hsd_scan *scan, const hsd_file *file);

/* The next step. After CUT and END there is nothing more to ask for. Fails only for I/O and memory: fault->error. */
hsd_status hsd_scan_next(hsd_scan *scan, hsd_scan_step *step);

void hsd_scan_finish(hsd_scan *scan);

#endif
