/*
 * A copy of a capture with other texts: names resolved, names taken out. Texts of STRINGS and TYPES pass through a
 * callback that may replace them; every other payload is copied byte for byte, as it is stored.
 */
#ifndef HSD_FORMAT_REWRITE_H
#define HSD_FORMAT_REWRITE_H

#include <hsdiff/capture.h>

/*
 * Shown each text in the order of the file: `type` is HSC_BLOCK_STRINGS or HSC_BLOCK_TYPES, `key` its number in that
 * table. *out comes in as `text`; what it is set to is borrowed until the next call and may have HSC_MAX_TEXT_BYTES,
 * more is HSD_E_MISUSE. Anything but HSD_OK ends the copy.
 */
typedef hsd_status (*hsd_rewrite_fn)(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out,
                                     hsd_error *err);

typedef struct hsd_rewrite_result {
    uint64_t blocks, bytes;  /* written */
    uint64_t texts, changed; /* seen; of them replaced by other bytes */
    bool is_whole;           /* as is the input: END and trailer are there (whatever state END tells) */
} hsd_rewrite_result;

/*
 * Copies the capture in `in_fd`, read by position (a pipe is first copied to a temporary file), to `out_fd`, written
 * from where it stands. Blocks of which no text changes stay as they are stored; those that change are stored
 * uncompressed, and in two or more where they would pass the limits of FORMAT.md 10. Then later blocks get greater
 * numbers, so every checksum is made anew, and INDEX, the count of blocks in END and the trailer say what is there.
 * Columns from 128 on of a block that changes are left out.
 *
 * A capture that was cut off is copied up to its last whole block, without INDEX and END: it stays as incomplete as it
 * was. Damage in front of intact blocks is HSD_E_CORRUPT with the way to salvage it; a file that is cut off inside its
 * header HSD_E_TRUNCATED. Also HSD_E_TOO_NEW, HSD_E_NOT_THIS_FORMAT, HSD_E_IO, HSD_E_NOMEM, HSD_E_OVER_BUDGET. What was
 * written until then is of no use.
 *
 * Memory: one block, raw, stored and changed (at most 24 MiB), and 40 bytes a block. `run` and `result` may be NULL.
 */
hsd_status hsd_rewrite(int in_fd, int out_fd, hsd_rewrite_fn replace, void *context, const hsd_run *run,
                       hsd_rewrite_result *result, hsd_error *err);

#endif
