/*
 * One capture inside the runtime, in four steps on three threads:
 *
 *      control thread     begin      waits for the finalizer thread
 *      finalizer thread   open       the writer, before the collection
 *      collecting thread  roots, walk     the world stands still: no malloc, no stdio, no lock
 *      finalizer thread   names      it moves again
 *      control thread     finish     definitions, metrics, end
 */
#ifndef HSC_MONO_WALK_H
#define HSC_MONO_WALK_H

#include "agent/agent.h"
#include "ids.h"
#include "nursery.h"
#include "ranges.h"
#include "symbols.h"

enum { WALK_ROOTS = 1 << 22 };

typedef struct seen_root {
    uintptr_t place, object;
} seen_root;

typedef struct mono_walk {
    hsc_writer *writer;
    hsc_sink sink; /* where the bytes really go */
    bool is_cut;   /* it took no more; whatever follows goes nowhere */
    mono_ids *ids;
    nursery_watch *nursery;
    mono_symbols symbols;
    seen_root *roots; /* WALK_ROOTS, of this collection */
    size_t root_count;
    bool is_object_open, is_past_nursery;
    const class_row *class; /* of the object that is open */
    uintptr_t pairs;        /* those of the object that is open; 0 = it has none */
    uint32_t pair_count;
    uint64_t last_id;
    uint64_t unnamed_roots, lost_roots, lost_nursery;
    uint64_t young_bytes, large_bytes; /* of objects above 8,000 bytes */
} mono_walk;

/* Readies for one capture. False with errno: no address space. Keeps what the one before had mapped. */
bool walk_begin(mono_walk *walk, const hsc_sink *sink, mono_ids *ids, nursery_watch *nursery);

/* The sink to open the writer with: never fails, so that the writer makes no sentence of it, but says so in is_cut. */
hsc_sink walk_sink(mono_walk *walk);

/* Roots that the collector tells. */
void walk_add_roots(mono_walk *walk, uint64_t count, const unsigned char *const *places, MonoObject *const *objects);

/* Writes the heap. */
void walk_heap(mono_walk *walk);

/* Gives memory back, behind hsc_close. */
void walk_end(mono_walk *walk);

#endif
