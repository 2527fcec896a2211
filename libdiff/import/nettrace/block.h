/*
 * One block of events of a nettrace stream: headers, which are either whole (80 bytes) or say only what has changed
 * since the event before, and payloads, which are handed on as they lie. And what says which events are missing: every
 * event of a thread has the number behind that of the one before.
 */
#ifndef HSD_IMPORT_NETTRACE_BLOCK_H
#define HSD_IMPORT_NETTRACE_BLOCK_H

#include "import/id_table.h"
#include "import/nettrace/read.h"

typedef struct nettrace_event {
    uint32_t metadata; /* number of what describes it; 0 in blocks of metadata */
    uint32_t sequence; /* of the thread */
    uint64_t thread;   /* that wrote it */
    uint64_t ticks;
    hsd_bytes payload; /* borrowed from the block */
} nettrace_event;

typedef struct nettrace_block {
    nettrace_cursor in;
    const uint8_t *begin;
    uint64_t offset; /* of `begin` in the input */
    bool is_packed;
    uint32_t payload_bytes;
    nettrace_event last;
} nettrace_block;

/* Begins with the bytes of a block, behind its size. HSD_E_CORRUPT if they are none. */
hsd_status hsd_nettrace_block_open(nettrace_block *block, hsd_bytes bytes, uint64_t offset, hsd_error *err);

/* The next event; HSD_END behind the last, HSD_E_CORRUPT. */
hsd_status hsd_nettrace_block_next(nettrace_block *block, nettrace_event *out, hsd_error *err);

/* ---- what is missing ---- */

#define NETTRACE_THREADS_MAX 65536u /* whose events are counted */

typedef struct nettrace_thread {
    uint32_t last; /* number of its newest event */
    uint64_t lost; /* events that it wrote and that are not here */
} nettrace_thread;

typedef struct nettrace_threads {
    hsd_id_table numbers;
    nettrace_thread *threads; /* by number */
    uint32_t capacity;
} nettrace_threads;

/* An event has passed. */
hsd_status hsd_nettrace_threads_note(nettrace_threads *threads, const nettrace_event *event, hsd_error *err);

/* The stream says that this thread has written events up to this number. */
void hsd_nettrace_threads_reach(nettrace_threads *threads, uint64_t thread, uint32_t sequence);

uint64_t hsd_nettrace_threads_lost(const nettrace_threads *threads, uint64_t thread);
void hsd_nettrace_threads_release(nettrace_threads *threads);

#endif
