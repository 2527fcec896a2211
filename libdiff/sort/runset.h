/*
 * All runs of one sorter: the table, the files they lie in, and the merge passes that make them fewer.
 * Used by one thread at a time. Internal to sort/.
 */
#ifndef HSD_SORT_RUNSET_H
#define HSD_SORT_RUNSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/note.h"
#include "io/temp.h"
#include "sort/run.h"

typedef struct hsd_runset_config {
    unsigned words;
    hsd_run_codec codec;
    hsd_temp_space *space;  /* borrowed */
    hsd_reporter *reporter; /* may be NULL */
    void *write_buffer;     /* borrowed: encoded bytes on their way to the file */
    size_t write_bytes;
    uint32_t capacity; /* of the table, at most */
} hsd_runset_config;

typedef struct hsd_runset {
    hsd_runset_config config;
    hsd_sorted_run *runs; /* the table grows as runs come: most sorters never write one */
    uint32_t count, rows; /* rows: what the table has room for */
    hsd_temp files[2];    /* runs lie in the current one; the last pass may leave some in both */
    unsigned current;
    hsd_run_writer writer;
    hsd_run_pack pack; /* of packed runs */
    uint32_t merge_passes;
    uint32_t runs_written; /* those of the passes not counted */
    uint64_t bytes_written;
} hsd_runset;

/* No file is opened, nothing is allocated. */
void hsd_runset_init(hsd_runset *set, const hsd_runset_config *config);

/* Writes sorted records: to the open run if they go on where it ends, else to a new one. HSD_E_IO, HSD_E_NOMEM. */
hsd_status hsd_runset_add(hsd_runset *set, const uint64_t *records, size_t count, hsd_error *err);

/* True when the table may be full after one more add and the closing of its run: then reduce. */
static inline bool hsd_runset_is_full(const hsd_runset *set) { return set->count + 3 > set->config.capacity; }

/* Ends the open run, if there is one. */
hsd_status hsd_runset_close_run(hsd_runset *set, hsd_error *err);

/* Merges until there are at most `target` runs, in borrowed memory. No run may be open. When more records
 * will be added, `keeps_one_file` must be true: all runs are then in one file. HSD_E_IO, HSD_E_CANCELLED. */
hsd_status hsd_runset_reduce(hsd_runset *set, uint32_t target, bool keeps_one_file, void *memory, size_t memory_bytes,
                             hsd_error *err);

/* What packs runs and unpacks them goes back, until it is needed again. */
void hsd_runset_rest(hsd_runset *set);

/* Gives back the free rows of the table and what packs runs; no more adds. */
void hsd_runset_trim(hsd_runset *set);

void hsd_runset_release(hsd_runset *set);

#endif
