/*
 * Writes nettrace bytes for tests, as a .NET runtime does that tells its heap: event by event, in both forms of
 * headers, with pointers of either size, and with events that are dropped. What makes sense is up to the test.
 *
 *      nettrace_writer w;
 *      nt_begin(&w, NT_PACKED, 8);
 *      nt_collection(&w, 7);
 *      nt_type(&w, 0x10, "Shop.Session");
 *      nt_nodes(&w, (nt_node[]){{0x1000, 24, 0x10, 1}}, 1);
 *      nt_edges(&w, (uint64_t[]){0x2000}, 1);
 *      nt_collected(&w, 7);
 *      nt_end(&w);
 *
 * Running out of memory ends the program.
 */
#ifndef HSD_TESTS_NETTRACE_WRITER_H
#define HSD_TESTS_NETTRACE_WRITER_H

#include <stddef.h>
#include <stdint.h>

typedef enum nt_form { NT_PACKED, NT_WHOLE } nt_form;

typedef struct nt_bytes {
    uint8_t *data;
    size_t size, capacity;
} nt_bytes;

typedef struct nettrace_writer {
    nt_bytes out;
    nt_bytes block; /* of events that is open */
    nt_form form;
    unsigned pointer_bytes;
    uint32_t sequence;   /* of the thread that tells */
    uint32_t indexes[4]; /* next of roots, weak table, nodes, edges */
    uint64_t ticks;
    uint32_t last_metadata, last_sequence;
    uint64_t last_ticks;
} nettrace_writer;

typedef struct nt_node {
    uint64_t id, size, type, edges;
} nt_node;

typedef struct nt_root {
    uint64_t target;
    unsigned kind;
    uint32_t flags;
} nt_root;

/* Header, trace and metadata of all events below. */
void nt_begin(nettrace_writer *w, nt_form form, unsigned pointer_bytes);
void nt_free(nettrace_writer *w);

/* Ends the open block of events; the next event begins another. */
void nt_flush(nettrace_writer *w);

/* The last block, how far the thread came, and the mark of the end. */
void nt_end(nettrace_writer *w);

/* One event of the thread that tells. `metadata` is the number of the event, as nt_begin describes them. */
void nt_event(nettrace_writer *w, uint32_t metadata, const void *payload, size_t size);

/* Events that the runtime dropped: of the next one of that kind (16 … 19; 0 = of no heap). */
void nt_drop(nettrace_writer *w, uint32_t metadata, uint32_t count);

void nt_collection(nettrace_writer *w, uint32_t number); /* suspension, GCStart: full, blocking, asked for */
/* GCStop, sizes 100 to 104, restart 5 ms after the suspension */
void nt_collected(nettrace_writer *w, uint32_t number);
void nt_start(nettrace_writer *w, uint32_t number, uint32_t depth, uint32_t type);
void nt_stop(nettrace_writer *w, uint32_t number, uint32_t depth);

void nt_type(nettrace_writer *w, uint64_t id, const char *name);
void nt_nodes(nettrace_writer *w, const nt_node *nodes, size_t count);
void nt_edges(nettrace_writer *w, const uint64_t *targets, size_t count);
void nt_roots(nettrace_writer *w, const nt_root *roots, size_t count);
void nt_static(nettrace_writer *w, uint64_t target, uint64_t type, uint32_t flags, const char *field);
void nt_dependent(nettrace_writer *w, uint64_t key, uint64_t value);
void nt_com_root(nettrace_writer *w, uint64_t target);

/* A small program: 40 sessions in a dictionary in a static field, roots of each kind. Whole, from begin to end. */
void nt_program(nettrace_writer *w, nt_form form, unsigned pointer_bytes);

#endif
