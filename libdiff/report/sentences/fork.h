/*
 * Several holders that are fields of one object: what a programmer knows is that object, and each field alone has less
 * than half of what grew.
 *
 *      static Reports.session.context, by .entries and .entitiesByKey
 */
#ifndef HSD_REPORT_FORK_H
#define HSD_REPORT_FORK_H

#include "base/buffer.h"
#include <hsdiff/diff.h>

#define HSD_FORK_FIELDS 3u

typedef struct hsd_fork {
    hsd_holder place;                 /* the object, as a holder of all of it */
    hsd_text fields[HSD_FORK_FIELDS]; /* of it, by which most is held */
    size_t field_count;               /* of all that were seen; the first are in `fields` */
    size_t own_count;                 /* rows of the object itself, each of what a field of it holds */
} hsd_fork;

/* The object nearest to the largest holder, `first`, that has at least `least` of the growth in two fields or more, or
 * in several parts of one, as a map in shards is: .shards[*].map.
 * False: there is none. */
bool hsd_find_fork(const hsd_diff *diff, const hsd_holder *first, int64_t least, hsd_fork *out);

/* ", by .entries and .entitiesByKey" */
hsd_status hsd_fork_append_fields(hsd_buffer *out, const hsd_fork *fork, hsd_error *err);

#endif
