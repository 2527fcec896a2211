/*
 * Marks: what a capture says about the making of an object besides its id. Where ids are addresses of a heap that
 * does not move, an address can be freed and used again between two captures; two objects of one type at one
 * address are told apart by where and when they were made. A mark is 32 bits:
 *
 *      31            16 15             0
 *      +---------------+---------------+      site  hash of the stack that allocated it, 1 to 65,535
 *      |     site      |  generation   |      generation  AGE, folded into 1 to 65,535
 *      +---------------+---------------+      0 in either half: the capture does not say
 *
 * The site is hashed by what it says, never by its number: function, file, line and column of the frames, innermost
 * first, as far as a reader follows them (FORMAT.md 6.5), so that the same stack has the same mark in both captures.
 * Two stacks share one by chance once in 65,535; that only leaves a reuse unseen. A stack of which something is lost
 * (a frame, a name) says nothing: what was lost in one capture alone must not make objects differ.
 *
 * AGE speaks only where INFO says identity `address` (FORMAT.md 7.1); elsewhere it may change in an object's life.
 */
#ifndef HSD_WALK_MARKS_H
#define HSD_WALK_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include <hsdiff/capture.h>

typedef struct hsd_marks {
    hsd_id_map index; /* site -> place in the array */
    uint16_t *sites;  /* upper half of the mark of each site */
    uint32_t count;
    bool uses_age;
} hsd_marks;

/*
 * One pass over the sites, and where there are any one over the strings. `marks` is overwritten; on failure it is
 * empty. Memory: at most 80 bytes a site and 32 for each string that they name while loading, 6 to 20 bytes a site
 * afterwards; HSD_E_OVER_BUDGET when that passes limit_bytes (the planner's share for tables). Also HSD_E_NOMEM, and
 * what reading brings. O(sites + strings): nine passes over the sites at most, whatever their parents.
 */
hsd_status hsd_marks_load(hsd_marks *marks, hsd_capture *capture, uint64_t limit_bytes, hsd_error *err);

/* A zeroed hsd_marks is accepted, and says nothing of any object. */
void hsd_marks_release(hsd_marks *marks);

/* True if some object may have a mark, as far as the tables tell. */
static inline bool hsd_marks_can_tell(const hsd_marks *marks) { return marks->count > 0 || marks->uses_age; }

/* The mark of an object that was read with HSD_WANT_DETAILS; 0 = the capture says nothing. O(1). */
static inline uint32_t hsd_marks_of(const hsd_marks *marks, const hsd_object *object)
{
    const uint32_t at = object->site == 0 ? HSD_ID_NONE : hsd_id_map_get(&marks->index, object->site);
    const uint32_t site = at == HSD_ID_NONE ? 0 : marks->sites[at];
    const uint32_t generation = marks->uses_age && object->age != 0 ? object->age % 65535 + 1 : 0;
    return site << 16 | generation;
}

/* True if the two marks cannot be of one object: both captures say something, and not the same. Symmetric; not
 * transitive, since nothing said agrees with anything. */
static inline bool hsd_marks_differ(uint32_t a, uint32_t b)
{
    const uint32_t differing = a ^ b;
    return ((a >> 16) != 0 && (b >> 16) != 0 && (differing >> 16) != 0) ||
           ((a & 0xffff) != 0 && (b & 0xffff) != 0 && (differing & 0xffff) != 0);
}

#endif
