/*
 * JSON that arrives in pieces of any size from someone who may mean harm: a push parser that holds nothing but the path
 * it is at, however long a string is. For messages of the inspector, whose strings are pieces of a snapshot, and for
 * lines of metrics.
 *
 *      {"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"…"}}
 *                                                    keys[1] = "params", keys[2] = "chunk", depth 2: text("…", piece by piece)
 *
 * Depth is at most 64, more is HSD_E_CORRUPT, as is everything that is no JSON. Numbers that are no integers of 0 to
 * 2^64-1 are skipped, with true, false and null. Texts come as UTF-8; half a surrogate pair becomes U+FFFD. Bytes past
 * U+007F are passed on as they are.
 */
#ifndef HSD_LIVE_JSON_EVENTS_H
#define HSD_LIVE_JSON_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

enum { HSD_JSON_KEYS = 4, HSD_JSON_KEY_BYTES = 48, HSD_JSON_DEPTH = 64, HSD_JSON_PIECE = 4096 };

typedef struct hsd_json hsd_json;

typedef struct hsd_json_receiver {
    /* A piece of a string that is a value, at most HSD_JSON_PIECE bytes; the last, which may be empty, with is_last. */
    hsd_status (*text)(void *context, const hsd_json *json, const char *bytes, size_t size, bool is_last,
                       hsd_error *err);
    hsd_status (*number)(void *context, const hsd_json *json, uint64_t value, hsd_error *err);
    /* an object or array ends; may be NULL */
    hsd_status (*close)(void *context, const hsd_json *json, hsd_error *err);
    void *context;
} hsd_json_receiver;

struct hsd_json {
    hsd_json_receiver to;
    unsigned depth; /* objects and arrays that are open */
    /* keys[d]: of the member that is read at depth d; "" in arrays; cut */
    char keys[HSD_JSON_KEYS + 1][HSD_JSON_KEY_BYTES];
    uint64_t offset;    /* bytes read */
    uint64_t is_object; /* bit d: depth d+1 is an object */
    int state, word_at;
    const char *word;
    bool is_key, is_integer, is_done;
    size_t key_size, piece_size;
    unsigned escape_digits, unit, high; /* \uXXXX under way; the first half of a pair, or 0 */
    uint64_t value;
    char piece[HSD_JSON_PIECE];
};

void hsd_json_init(hsd_json *json, const hsd_json_receiver *to);

/* Reads on. What the receiver returns, if it is no HSD_OK; HSD_E_CORRUPT. */
hsd_status hsd_json_feed(hsd_json *json, const void *bytes, size_t size, hsd_error *err);

/* No more will come: HSD_E_TRUNCATED unless one whole value has been read. The state is then that of hsd_json_init. */
hsd_status hsd_json_end(hsd_json *json, hsd_error *err);

/* Is it at outer.inner? inner NULL: at outer, a member of the outermost object. */
bool hsd_json_is_at(const hsd_json *json, const char *outer, const char *inner);

#endif
