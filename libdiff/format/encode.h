/*
 * Blocks that the reader's side has to write itself: the totals, index and end of what it salvages. Stored, not
 * compressed: they are few and small.
 */
#ifndef HSD_FORMAT_ENCODE_H
#define HSD_FORMAT_ENCODE_H

#include "base/buffer.h"
#include "format/block.h"
#include "io/output.h"

/* Appends a column of `count` > 0 numbers to a payload: left out when all are 0, CONSTANT when all are equal, else
 * PACKED. Columns must come in the order of their numbers. */
hsd_status hsd_encode_column(hsd_buffer *payload, unsigned id, const uint64_t *values, uint32_t count, hsd_error *err);

/* The same, there even when all are 0. */
hsd_status hsd_encode_column_always(hsd_buffer *payload, unsigned id, const uint64_t *values, uint32_t count,
                                    hsd_error *err);

/* Writes a block with this payload, not compressed; *ref says where it stands. `number` and `record_count` as given. */
hsd_status hsd_encode_block(hsd_output *output, uint8_t type, uint64_t number, uint32_t record_count, uint64_t seed,
                            const hsd_buffer *payload, hsd_block_ref *ref, hsd_error *err);

#endif
