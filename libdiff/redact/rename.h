/*
 * The pseudonym of a text: a function of its bytes and the key alone, so that equal texts are equal afterwards,
 * wherever they stand and in whichever capture, and different ones different but for one chance in 2^62.
 *
 *      text        pieces, in their order
 *      piece       punctuation: stays
 *                  a qualified name that is public or asked for (java.util.HashMap$Node): stays
 *                  an identifier: a run of letters, digits, `_`, bytes from 0x80 on and control characters
 *      identifier  public, asked for, or a number of the shape: stays
 *                  else `k` or `K` and 14 letters of the HMAC
 *
 * Numbers of the shape are lines behind a file, offsets (+0x1af0), sizes of blocks ("<=48 B"), those in brackets and
 * behind a `$` (Shop$1), and any of one or two digits; others are identifiers. A text of more than
 * HSD_RENAME_MOST_BYTES or with more than HSD_RENAME_MOST_NAMES identifiers is one as a whole: what is made of a text
 * stays within what a capture may hold.
 *
 * Where a report asks whether a function allocates for others (base/allocators.h), it gets the same answer: what a name
 * says of that by its first bytes (std::) stays, and a function of C gets `_malloc` behind its pseudonym.
 */
#ifndef HSD_REDACT_RENAME_H
#define HSD_REDACT_RENAME_H

#include "base/names.h"
#include "crypt/primitives.h"
#include <hsdiff/capture.h>
#include <hsdiff/redact.h>

#define HSD_PSEUDONYM_CHARS     15
#define HSD_PSEUDONYM_LETTERS   22
#define HSD_RENAME_MOST_BYTES   4096
#define HSD_RENAME_MOST_NAMES   1024
#define HSD_RENAME_RESULT_BYTES (HSD_RENAME_MOST_BYTES + HSD_RENAME_MOST_NAMES * (HSD_PSEUDONYM_CHARS + 8))

/* The letters of a pseudonym: no `a`, `o`, `u` and `i`, so that none spells a word by chance, and no digits, which
 * reports leave out of the names of threads of a pool (base/pool_name.h). */
extern const char hsd_pseudonym_alphabet[HSD_PSEUDONYM_LETTERS + 1];

/* Told of each identifier that is replaced. */
typedef hsd_status (*hsd_renamed_fn)(void *context, hsd_text name, const char pseudonym[HSD_PSEUDONYM_CHARS],
                                     hsd_error *err);

typedef struct hsd_renamer {
    hsd_hmac hmac;
    uint8_t content_key[16];
    const char *const *keep;
    size_t keep_count;
    hsd_renamed_fn told; /* may be NULL */
    void *told_context;
    hsd_buffer out;  /* of the last text */
    hsd_buffer name; /* a text with a NUL behind it */
    uint64_t replaced, kept[3];
    /* what stayed, by why: a byte of it, then the name; and how often */
    hsd_names readable;
    uint64_t *readable_counts;
    uint64_t readable_more;
    bool lists_readable;
} hsd_renamer;

/* `keep` is borrowed until release. */
void hsd_renamer_init(hsd_renamer *renamer, const hsd_redact_key *key, const char *const *keep, size_t keep_count);
void hsd_renamer_release(hsd_renamer *renamer);

/* *out is borrowed until the next call. At most HSD_RENAME_RESULT_BYTES. HSD_E_NOMEM, or what `told` returns. */
hsd_status hsd_rename_text(hsd_renamer *renamer, hsd_text text, hsd_text *out, hsd_error *err);

/* The same for the name of a producer, a runtime or a format: words that such names are made of and the versions behind
 * them stay. */
hsd_status hsd_rename_product(hsd_renamer *renamer, hsd_text text, hsd_text *out, hsd_error *err);

/* A whole text or value as one identifier, whatever is in it. */
hsd_status hsd_rename_whole(hsd_renamer *renamer, hsd_text text, hsd_text *out, hsd_error *err);

/* A hash of contents under the key; never 0, which says that there is none. */
uint64_t hsd_rename_content(const hsd_renamer *renamer, uint64_t content);

/* True where `*` and `?` of the pattern can stand for something so that it is the name. */
bool hsd_pattern_fits(const char *pattern, hsd_text name);

#endif
