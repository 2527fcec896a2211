/*
 * Redaction that still matches: a capture copied with pseudonyms for its names and values, which are equal in all
 * captures that were redacted with one key. So redacted captures are compared, checked and watched as the originals
 * are, with the same numbers, and whoever has the key and an original can turn the names in a report back.
 *
 *      com.acme.Cart$Line[]         com.kzrvbcxqwnfstmd.Khmtwdnfqjzbrcl$Kcysjpqzvhtnbxw[]
 *      Function refund (cart.js:12) Function kdpqwnvhzslcgtr (krtzsycmfjdnbqk.js:12)
 *      java.util.HashMap            java.util.HashMap
 *
 * A *pseudonym* is `k` or, for what begins with a capital, `K`, and 14 of 22 letters: 62 bits of
 * the HMAC-SHA-256 of an identifier under the key. What is between identifiers stays, so `[]`, `$`, `::` and
 * `(file:line)` keep the shape that reports look at. Names that a runtime and its standard library brought along are
 * public and stay (redact/public.c); so does what the user asks for. Sizes, counts, references, addresses and moments
 * stay, sizes as classes where that is asked for. doc/redact.md says of every field of a capture what becomes of it.
 */
#ifndef HSDIFF_REDACT_H
#define HSDIFF_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSD_REDACT_KEY_BYTES 32

typedef struct hsd_redact_key {
    unsigned char bytes[HSD_REDACT_KEY_BYTES];
    bool is_exposed; /* its file can be read by others than its owner: worth a warning */
} hsd_redact_key;

/*
 * Reads a key file: 64 hexadecimal digits.
 *
 * Returns HSD_OK; HSD_E_IO when it cannot be read; HSD_E_NOT_THIS_FORMAT when it holds anything else, with the byte.
 * Nothing of the file stands in the error.
 */
HSD_API hsd_status hsd_redact_key_read(hsd_redact_key *out, const char *path, hsd_error *err);

/* Overwrites a key that is not needed any more. */
HSD_API void hsd_redact_key_forget(hsd_redact_key *key);

/*
 * Writes a file with a new key of the system's random bytes, mode 0600. Returns HSD_OK; HSD_E_IO, with EEXIST when
 * there is a file: a key is never replaced.
 */
HSD_API hsd_status hsd_redact_key_make(const char *path, hsd_error *err);

/* Why a name is readable in the copy. */
typedef enum hsd_redact_why {
    HSD_REDACT_PUBLIC, /* a runtime's own */
    HSD_REDACT_ASKED,  /* by hsd_redact_options.keep */
    HSD_REDACT_NUMBER  /* lines, and numbers that belong to the shape of a name */
} hsd_redact_why;

/* Told of each readable name once, when the copy is done: those that stand most often in it first. */
typedef void (*hsd_redact_readable_fn)(void *context, hsd_redact_why why, const char *name, size_t size,
                                       uint64_t count);

typedef struct hsd_redact_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    /* Patterns of names that stay: `*` is any run of bytes, `?` one. They are held against a qualified name
     * (com.acme.Cart$Line) as a whole and against each of its identifiers. */
    const char *const *keep;
    size_t keep_count;
    hsd_redact_readable_fn readable; /* may be NULL */
    void *readable_context;
    bool blur_sizes; /* sizes and lengths of objects as classes: 0, and 1, 1.25, 1.5 and 1.75 times the powers of two */
} hsd_redact_options;

typedef struct hsd_redact_result {
    uint64_t texts;                   /* looked at */
    uint64_t replaced;                /* identifiers that became pseudonyms, each time that one stood somewhere */
    uint64_t kept[3];                 /* those that stayed, by hsd_redact_why */
    uint64_t readable, readable_more; /* different ones that were told, and those past the room for them */
    uint64_t values, values_lost;     /* previews replaced; of them left out, for want of room in their block */
    uint64_t contents;                /* hashes of contents keyed anew */
    uint64_t left_out;                /* blocks, columns and entries of a later version, which nobody here can read */
    bool is_whole;    /* false: the input was cut off, and the copy ends where its last whole block did */
    uint64_t blurred; /* objects whose size or length is another one in the copy */
} hsd_redact_result;

/*
 * Copies a capture with pseudonyms.
 *
 *   in_fd    a capture (.hs), read by position; borrowed
 *   out_fd   written from where it stands; borrowed
 *   options  NULL = nothing but public names stays; `run` likewise
 *   result   filled on HSD_OK; may be NULL
 *
 * Returns HSD_OK; HSD_E_IO; HSD_E_NOMEM; HSD_E_CANCELLED; errors of the input, as hsd_capture_open has them. What was
 * written before a failure is of no use.
 *
 * Memory: 40 MiB and what the list of readable names takes, at most 8 MiB; nothing grows with the capture but 40 bytes
 * a block, and with blur_sizes 128 bytes a type and power of two of its sizes.
 */
HSD_API hsd_status hsd_redact(int in_fd, int out_fd, const hsd_redact_key *key, const hsd_redact_options *options,
                              const hsd_run *run, hsd_redact_result *result, hsd_error *err);

/*
 * hsd_redact into a file, which is there whole or not at all, mode 0600. Fails as hsd_redact does; HSD_E_IO with EEXIST
 * when a file is there and not `force`.
 */
HSD_API hsd_status hsd_redact_file(int in_fd, const char *out_path, bool force, const hsd_redact_key *key,
                                   const hsd_redact_options *options, const hsd_run *run, hsd_redact_result *result,
                                   hsd_error *err);

typedef struct hsd_unredact_result {
    uint64_t names;   /* different pseudonyms in the report */
    uint64_t found;   /* of them turned back */
    uint64_t changed; /* places where one stood */
} hsd_unredact_result;

/* Takes the next `size` bytes. */
typedef hsd_status (*hsd_unredact_write_fn)(void *context, const void *data, size_t size, hsd_error *err);

/*
 * Turns the pseudonyms in a report back. A pseudonym cannot be computed backwards, with the key or without: what it
 * stands for is found in the original captures, whose names are given their pseudonyms again.
 *
 *   report      its text: JSON, CSV, HTML, XML, or any other; borrowed. Names are escaped as that text wants it
 *   originals   captures that were redacted, open for reading by position; borrowed
 *   write       takes the text with the names; may be called often
 *
 * Patterns of names that stay are not wanted: what is readable in the report stays as it is. A page (HTML) packs its
 * tables and is HSD_E_UNSUPPORTED. Returns HSD_OK; HSD_E_NOT_FOUND when the report has pseudonyms and the captures and
 * this key explain none of them: the key is another one; HSD_E_OVER_BUDGET when the names that are wanted pass half of
 * run->memory_bytes; failures of the captures as hsd_redact has them, those of `write` as they are.
 */
HSD_API hsd_status hsd_unredact(const char *report, size_t size, const int *originals, size_t original_count,
                                const hsd_redact_key *key, const hsd_run *run, hsd_unredact_write_fn write,
                                void *write_context, hsd_unredact_result *result, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
