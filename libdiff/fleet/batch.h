/*
 * Captures that become one batch of a store: their rows, and the name of each key once. Held in memory until they are
 * written (batch_write.c), which is soon: who fills a batch asks hsd_fleet_batch_is_full after each capture.
 */
#ifndef HSD_FLEET_BATCH_H
#define HSD_FLEET_BATCH_H

#include <stdbool.h>

#include "base/arena.h"
#include "fleet/keys.h"
#include <hsdiff/profile.h>

#define HSD_FLEET_BATCH_ROWS     (UINT32_C(1) << 19)
#define HSD_FLEET_BATCH_TEXTS    ((size_t)16 << 20)
#define HSD_FLEET_BATCH_CAPTURES 8192u

/* Longer names are cut in the middle; keys are of the whole. */
#define HSD_FLEET_TEXT_BYTES ((size_t)4096)

/* A row of `captures`. Texts lie in the arena of the batch. */
typedef struct hsd_fleet_capture {
    uint64_t id, process;
    uint64_t time_ms, uptime_ms, pid;                                      /* the latter two: 0 = not known */
    hsd_text service, version, host, pod, runtime, domain, digest, labels; /* domain, digest: "" = none */
    hsd_amount live, unreached;
    bool is_complete, has_places;
} hsd_fleet_capture;

/* A row of `rows`. */
typedef struct hsd_fleet_row {
    uint64_t key, objects, bytes, retained; /* retained is not written where it is what `bytes` is */
    uint64_t other;                         /* 0, or so many rows that were too little are in this one */
    uint32_t capture;                       /* of the batch */
    uint8_t kind;                           /* hsd_fleet_kind */
    bool is_single, has_retained;
} hsd_fleet_row;

/* A row of `names`. */
typedef struct hsd_fleet_name {
    uint64_t key, parent; /* parent 0 = none */
    hsd_text text, edge, type;
    uint8_t kind;
} hsd_fleet_name;

typedef struct hsd_fleet_batch {
    hsd_arena arena;
    hsd_fleet_capture *captures;
    hsd_fleet_row *rows;
    hsd_fleet_name *names;
    uint32_t *slots; /* of names by key: number + 1; 0 = empty */
    uint32_t capture_count, capture_capacity, row_count, row_capacity, name_count, name_capacity, slot_count;
    hsd_buffer scratch;
} hsd_fleet_batch;

/* Adds a capture, whose texts are copied. */
hsd_status hsd_fleet_batch_capture(hsd_fleet_batch *batch, const hsd_fleet_capture *capture, hsd_error *err);

/* Adds a row, of the capture that was added last. */
hsd_status hsd_fleet_batch_row(hsd_fleet_batch *batch, const hsd_fleet_row *row, hsd_error *err);

/* Has the key a name? */
const hsd_fleet_name *hsd_fleet_batch_find(const hsd_fleet_batch *batch, uint64_t key);

/* Names a key that has none; texts are copied, and cut where they are too long. */
hsd_status hsd_fleet_batch_name(hsd_fleet_batch *batch, const hsd_fleet_name *name, hsd_error *err);

/* The sums of a profile as rows of the capture that was added last. */
hsd_status hsd_fleet_batch_profile(hsd_fleet_batch *batch, const hsd_profile *profile, uint64_t floor_bytes,
                                   hsd_error *err);

bool hsd_fleet_batch_is_full(const hsd_fleet_batch *batch);

typedef struct hsd_fleet_written {
    uint64_t rows, bytes;
    bool is_known; /* the very same captures were there */
    char name[40]; /* of the folder: batch=… */
} hsd_fleet_written;

/* Writes it as a folder in `folder`, which is made: whole or not at all. HSD_E_IO, HSD_E_NOMEM. */
hsd_status hsd_fleet_batch_write(hsd_fleet_batch *batch, const char *folder, hsd_fleet_written *written,
                                 hsd_error *err);

/* Empties it for the next. Accepts a zeroed one. */
void hsd_fleet_batch_release(hsd_fleet_batch *batch);

/* ---- a folder of several, one behind the other ---- */

typedef struct hsd_fleet_output hsd_fleet_output;

/* `path` is the folder that is to be; with states in place of rows. Close it also when this failed. HSD_E_IO,
 * HSD_E_NOMEM here and below. */
hsd_status hsd_fleet_output_open(hsd_fleet_output **out, const char *path, bool has_states, hsd_error *err);

/* Captures and rows, which get sorted. All captures of one process and day are to be in one batch. */
hsd_status hsd_fleet_output_put(hsd_fleet_output *output, hsd_fleet_batch *batch, hsd_error *err);

/* The names of all of them. */
hsd_status hsd_fleet_output_names(hsd_fleet_output *output, hsd_fleet_batch *names, hsd_error *err);

/* A file that is no table. */
hsd_status hsd_fleet_output_text(hsd_fleet_output *output, const char *name, const hsd_buffer *text, hsd_error *err);

/* Gives the folder its name. */
hsd_status hsd_fleet_output_finish(hsd_fleet_output *output, hsd_fleet_written *written, hsd_error *err);

/* Drops what is not finished. NULL is accepted. */
void hsd_fleet_output_close(hsd_fleet_output *output);

#endif
