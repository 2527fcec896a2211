/*
 * One redaction under way: the state of the two callbacks of format/rewrite.h, which unredact.c uses to see each name
 * again.
 */
#ifndef HSD_REDACT_REDACTING_H
#define HSD_REDACT_REDACTING_H

#include "format/columns.h"
#include "format/rewrite.h"
#include "redact/blur.h"
#include "redact/rename.h"

typedef struct redacting {
    hsd_renamer renamer;
    hsd_column_store store;
    uint64_t *numbers[5]; /* HSC_MAX_RECORDS each: columns that are made anew; of these sizes the last three */
    hsd_blur blur;
    bool blurs;
    hsd_buffer text;
    hsd_redact_result result;
} redacting;

/* Memory for one; released by hsd_redacting_end on failure, too. `keep` is borrowed until then. */
hsd_status hsd_redacting_begin(redacting *x, const hsd_redact_key *key, const char *const *keep, size_t keep_count,
                               hsd_error *err);
void hsd_redacting_end(redacting *x);

/* hsd_rewrite_fn and hsd_rewrite_block_fn over a `redacting`. */
hsd_status hsd_redacting_text(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err);
hsd_status hsd_redacting_block(void *context, const hsd_block *block, hsd_buffer *payload, hsd_rewritten_block *out,
                               hsd_fault *fault, hsd_error *err);

#endif
