/*
 * JSON as far as heap dumps need it: a pull reader over a source, which sees values one after
 * the other, skips what it is not asked about, and holds one string at a time. No recursion: nesting
 * is a counter. The long number lists of V8's snapshots are read by v8/numbers.h instead.
 */
#ifndef HSD_IMPORT_JSON_H
#define HSD_IMPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "io/source.h"

typedef struct hsd_import_json {
    hsd_source *source;
    hsd_buffer text;   /* the last string that was read, as UTF-8; borrowed until the next read */
    bool is_cut;       /* it was longer than asked for */
    const char *where; /* part of the file, for errors: "header" */
    const char *what;  /* what the file is, for errors: "profile"; NULL = "snapshot" */
} hsd_import_json;

/*
 * The next byte that is no white space; it is not taken. HSD_E_TRUNCATED at the end of input, as in
 * all that follows.
 */
hsd_status hsd_import_json_look(hsd_import_json *json, uint8_t *byte, hsd_error *err);

/* Takes this byte, white space before it too. HSD_E_CORRUPT for any other. */
hsd_status hsd_import_json_expect(hsd_import_json *json, uint8_t byte, hsd_error *err);

/*
 * Reads a string into json->text, at most `limit` bytes of UTF-8 (whole characters; what is beyond
 * is read and dropped, and is_cut says so). Escapes are resolved; a lone surrogate and a byte that
 * is no UTF-8 become U+FFFD.
 */
hsd_status hsd_import_json_string(hsd_import_json *json, size_t limit, hsd_error *err);

/* Moves past a string of any length. */
hsd_status hsd_import_json_skip_string(hsd_import_json *json, hsd_error *err);

/* Moves past any value. */
hsd_status hsd_import_json_skip(hsd_import_json *json, hsd_error *err);

/* A whole number that is not negative. */
hsd_status hsd_import_json_number(hsd_import_json *json, uint64_t *out, hsd_error *err);

/*
 * Walks an object or an array. `next` takes what stands between the items (and, at the first call, the
 * opening bracket); HSD_END when the closing one was taken.
 *
 *      bool is_first = true;
 *      while ((status = hsd_import_json_next_key(&json, &is_first, err)) == HSD_OK) … value …
 */
hsd_status hsd_import_json_next_key(hsd_import_json *json, bool *is_first, hsd_error *err); /* key in json->text */
hsd_status hsd_import_json_next_item(hsd_import_json *json, bool *is_first, hsd_error *err);

/* True if the last string read is this one. */
bool hsd_import_json_is(const hsd_import_json *json, const char *text);

void hsd_import_json_release(hsd_import_json *json);

#endif
