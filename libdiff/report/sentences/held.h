/*
 * Several holders in a line: who holds what a check or a series found growing, as the diff of two captures says it. The
 * text is foreign: escape it as a whole, when it is complete.
 */
#ifndef HSD_REPORT_HELD_H
#define HSD_REPORT_HELD_H

#include "base/buffer.h"
#include <hsdiff/report.h>

typedef struct hsd_held {
    const hsd_holder *const *holders; /* those that hold most first */
    size_t count;                     /* > 0 */
    int64_t growth;                   /* of all that they are to account for, bytes */
} hsd_held;

/* True if the first has four fifths of it: then that one is the answer. */
bool hsd_held_is_one(const hsd_held *held);

/* "app.byId: Map and app.byName: Map, together"; where that is not the whole answer "app.root: Node;
 * app.root.children[*]: Node; and others". */
hsd_status hsd_held_append(hsd_buffer *out, const hsd_held *held, const char *before, const char *after,
                           hsd_error *err);

/* Each with its growth: "app.byId: Map and app.byName: Map, together, +1.20 MiB; app.byId: Map, +300 KiB; and others".
 */
hsd_status hsd_held_append_sizes(hsd_buffer *out, const hsd_held *held, bool is_exact, hsd_error *err);

/* What was appended since `from`, a name: of one that is too long for a sentence its middle is left out. */
hsd_status hsd_cut_name(hsd_buffer *out, size_t from, hsd_error *err);

#endif
