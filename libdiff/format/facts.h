/*
 * The lists of entries that INFO and END are made of (FORMAT.md 8): read with every rule, and built.
 */
#ifndef HSD_FORMAT_FACTS_H
#define HSD_FORMAT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "core/layout.h"
#include "format/block.h"

#define HSD_FACT_KEYS 24 /* keys that this version knows are below */

typedef enum hsd_fact_kind { HSD_FACT_UNKNOWN, HSD_FACT_NUMBER, HSD_FACT_TEXT, HSD_FACT_ID } hsd_fact_kind;

/* What kind of entry a key of a block type (INFO or END) is. */
hsd_fact_kind hsd_fact_kind_of(uint8_t block_type, unsigned key);

typedef struct hsd_facts {
    uint32_t present;               /* bit of each known key that is there */
    uint64_t number[HSD_FACT_KEYS]; /* 0 where absent */
    hsd_bytes bytes[HSD_FACT_KEYS]; /* texts and ids, borrowed from the payload */
} hsd_facts;

static inline bool hsd_facts_has(const hsd_facts *facts, unsigned key) { return (facts->present >> key & 1) != 0; }

/*
 * Reads an unfolded INFO or END block. For INFO the entry of the capture id must be there, and for END a state
 * that this version knows. HSD_E_CORRUPT with rules 8.1 to 8.4 and 10.6.
 */
hsd_status hsd_facts_parse(const hsd_block *block, hsd_facts *facts, hsd_fault *fault);

/* Appends one entry to a payload. */
hsd_status hsd_fact_put_number(hsd_buffer *payload, unsigned key, uint64_t value, hsd_error *err);
hsd_status hsd_fact_put_bytes(hsd_buffer *payload, unsigned key, hsd_bytes value, hsd_error *err);

#endif
