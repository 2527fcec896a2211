/*
 * Where an object was allocated: its site and the callers of that, with the texts that they name. The tables of a
 * capture stand in no order, so the first stack that is asked for brings them into one, on disk: two passes over tables
 * and no object is read.
 *
 *      sites     by number    caller, function, file, line, column
 *      strings   by number    where its text lies, of those that sites name
 *      texts                  one behind the other
 *
 * A capture whose objects have no sites costs nothing.
 */
#ifndef HSD_BROWSE_STACKS_H
#define HSD_BROWSE_STACKS_H

#include <hsdiff/browse.h>

#include "base/arena.h"
#include "browse/index.h"

/* The frames of a site, innermost first, in the arena. None of site 0, and of one that the capture does not define. */
hsd_status hsd_index_frames(hsd_index *index, uint32_t site, hsd_arena *arena, hsd_site_frame **out, size_t *count,
                            hsd_error *err);

#endif
