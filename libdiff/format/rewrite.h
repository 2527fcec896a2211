/*
 * A copy of a capture with other texts: names resolved, names taken out. Texts of STRINGS and TYPES pass through a
 * callback that may replace them; every other payload is copied byte for byte, as it is stored, unless a second
 * callback is given that may replace payloads, too.
 */
#ifndef HSD_FORMAT_REWRITE_H
#define HSD_FORMAT_REWRITE_H

#include <hsdiff/capture.h>

#include "base/buffer.h"
#include "format/block.h"

/*
 * Shown each text in the order of the file: `type` is HSC_BLOCK_STRINGS or HSC_BLOCK_TYPES, `key` its number in that
 * table. *out comes in as `text`; what it is set to is borrowed until the next call and may have HSC_MAX_TEXT_BYTES,
 * more is HSD_E_MISUSE. Anything but HSD_OK ends the copy.
 */
typedef hsd_status (*hsd_rewrite_fn)(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out,
                                     hsd_error *err);

/* What an entry of LABELS says; its name is a string. */
typedef struct hsd_rewritten_label {
    uint32_t name, kind, flags;
} hsd_rewritten_label;

/* Shown each of them, in the order of the file. */
typedef void (*hsd_rewrite_label_fn)(void *context, hsd_rewritten_label *label);

typedef enum hsd_rewrite_what {
    HSD_REWRITE_KEEP,   /* as it is stored */
    HSD_REWRITE_CHANGE, /* the payload that was appended stands for it */
    HSD_REWRITE_DROP    /* not in the copy */
} hsd_rewrite_what;

typedef struct hsd_rewritten_block {
    hsd_rewrite_what what; /* HSD_REWRITE_KEEP */
    uint32_t records;      /* of a changed one; comes in as those of the block */
} hsd_rewritten_block;

/*
 * Shown every other block but INDEX, in the order of the file, unfolded. A payload of at most HSC_MAX_RAW_BYTES that it
 * changes is appended to `payload`. INFO and END cannot be dropped, and END keeps its entry of blocks, which is set
 * behind this. A failure is in `fault` where the block is at fault, and else in `err`, whose status is what is
 * returned.
 */
typedef hsd_status (*hsd_rewrite_block_fn)(void *context, const hsd_block *block, hsd_buffer *payload,
                                           hsd_rewritten_block *out, hsd_fault *fault, hsd_error *err);

typedef struct hsd_rewrite_result {
    uint64_t blocks, bytes;  /* written */
    uint64_t texts, changed; /* seen; of them replaced by other bytes */
    uint64_t dropped;        /* blocks that were left out */
    bool is_whole;           /* as is the input: END and trailer are there (whatever state END tells) */
} hsd_rewrite_result;

/*
 * Copies the capture in `in_fd`, read by position (a pipe is first copied to a temporary file), to `out_fd`, written
 * from where it stands; -1 = nowhere, for what the callback sees. Blocks of which no text changes stay as they are
 * stored; those that change are stored uncompressed, and in two or more where they would pass the limits of FORMAT.md
 * 10. Then later blocks get greater numbers, so every checksum is made anew, and INDEX, the count of blocks in END and
 * the trailer say what is there. Columns from 128 on of a block that changes are left out.
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

/* hsd_rewrite that also changes what labels say. */
hsd_status hsd_rewrite_labels(int in_fd, int out_fd, hsd_rewrite_fn replace, hsd_rewrite_label_fn label, void *context,
                              const hsd_run *run, hsd_rewrite_result *result, hsd_error *err);

/*
 * hsd_rewrite, where nothing is in the copy that was not looked at: every payload goes through `block`, texts of
 * STRINGS and TYPES through `replace`; what a later minor put behind the file header, into bits of features and into
 * columns of these two is left out. Blocks that change are compressed. Memory: 8 MiB more.
 */
hsd_status hsd_rewrite_all(int in_fd, int out_fd, hsd_rewrite_fn replace, hsd_rewrite_block_fn block, void *context,
                           const hsd_run *run, hsd_rewrite_result *result, hsd_error *err);

#endif
