/*
 * Captures made to order, legal or not, with right checksums around whatever a test puts in: what the writer of the
 * capture library would never write. Everything fails the test when memory runs out.
 *
 *      forge f = forge_begin();
 *      forge_info(&f, 0, 0);
 *      FORGE(&f, HSC_COL_KEY, 1, 2);                    // a column of two values
 *      forge_block(&f, HSC_BLOCK_THREADS, 0, 2, 0);     // a block of the columns so far
 *      forge_finish(&f, HSC_STATE_COMPLETE);            // index, end, trailer
 */
#ifndef HSD_TESTS_FORGE_H
#define HSD_TESTS_FORGE_H

#include <hsdiff/capture.h>

#include "base/buffer.h"
#include "format/block_list.h"
#include "format/facts.h"
#include "support/memfile.h"

typedef struct forge {
    hsd_buffer bytes;   /* the file so far */
    hsd_buffer payload; /* of the next block */
    uint32_t facts;     /* entries put into it */
    uint8_t id[16];
    uint64_t seed, next_number;
    uint64_t end[HSD_FACT_KEYS]; /* numbers that END will have, but its state */
    bool with_numbers;           /* the index says the number of each block */
    bool with_later_entry;       /* END has one that nobody knows yet */
    hsd_block_list blocks;
} forge;

forge forge_begin(void);
void forge_free(forge *f);

/* ---- payloads ---- */

/* A column of numbers, in whatever coding the library writes. */
void forge_column(forge *f, unsigned id, const uint64_t *values, size_t count);
#define FORGE(f, id, ...)                                                                                              \
    forge_column(f, id, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* A column header and its data as they are given. */
void forge_raw_column(forge *f, unsigned id, unsigned coding, unsigned transform, unsigned shift, uint32_t count,
                      const void *data, size_t size);

/* A column of bytes. */
void forge_text(forge *f, unsigned id, const char *text);

void forge_number(forge *f, unsigned key, uint64_t value);
void forge_bytes(forge *f, unsigned key, const void *bytes, size_t size);

/* ---- blocks ---- */

/* A block of the payload so far. Returns its header as written, to be changed and sealed again with forge_reseal. */
void forge_block(forge *f, uint8_t type, uint16_t flags, uint32_t records, uint64_t first_ordinal);

/* INFO with capture id, facts and targets. */
void forge_info(forge *f, uint64_t targets, uint64_t facts);

/* INDEX of all blocks so far, END with f->end, trailer. */
void forge_finish(forge *f, uint64_t state);

/* The last block's header, to be changed; then makes all checksums right again. */
uint8_t *forge_last_header(forge *f);
void forge_reseal(forge *f);

/* ---- the file ---- */

memfile forge_file(const forge *f);

/* First rule that verify finds broken; "" when none is; the name of the status when verify fails. */
const char *forge_verify(const forge *f);

/* All that verify tells, a line each: "6.14 of 7: …" of the block with this number, "2.1 at 412: …" of a place in none,
 * "2.1 of 7 at 412: …" where the block does not begin there. */
const char *forge_told(const forge *f);

/* Opens and reads everything: the status, and its text. */
hsd_status forge_read(const forge *f, hsd_damage damage, hsd_error *err);

#endif
