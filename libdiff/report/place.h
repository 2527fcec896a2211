/*
 * Where an object is, as one text: the name of a root and the names of the references that lead to it.
 *
 *      global.app.state.sessions: Map          static Shop.open.head.next{x5,000}: Order
 *      (pending) -> Timer.callback             a reference without a name: the type stands for it
 *
 * Shared by all that prints paths: holders, large objects, ways to a type. The text is foreign: escape it as a whole,
 * when it is complete.
 */
#ifndef HSD_REPORT_PLACE_H
#define HSD_REPORT_PLACE_H

#include "base/buffer.h"
#include <hsdiff/report.h>

typedef struct hsd_place {
    hsd_text root;
    const hsd_step *steps; /* none: the root itself */
    size_t count;
    uint64_t cut; /* steps left out behind the first half of them */
} hsd_place;

static inline hsd_place hsd_place_of_holder(const hsd_holder *holder)
{
    return (hsd_place){holder->root, holder->path, holder->path_count, holder->path_cut};
}

/* Appends the root and the references: "global.app.state". */
hsd_status hsd_place_append(hsd_buffer *out, const hsd_place *place, hsd_error *err);

/* Appends one step: ".next{x5,000}", or " -> Type" for a reference without a name. */
hsd_status hsd_step_append(hsd_buffer *out, const hsd_step *step, hsd_error *err);

/* True if the text of the place ends in the type of what is there, so that nobody need say it again. */
bool hsd_place_ends_in_type(const hsd_place *place);

#endif
