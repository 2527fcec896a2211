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

typedef struct hsd_spot {
    hsd_text root;
    const hsd_step *steps; /* none: the root itself */
    size_t count;
    uint64_t cut; /* steps left out behind the first half of them */
} hsd_spot;

/* Appends the root and the references: "global.app.state". */
hsd_status hsd_place_append(hsd_buffer *out, const hsd_spot *place, hsd_error *err);

/* Shop in "static com.x.Shop current", Thread in "threads". */
bool hsd_place_says_type(hsd_text text, hsd_text type);

/* Appends one step: ".next{x5,000}", or " -> Type" for a reference without a name. */
hsd_status hsd_step_append(hsd_buffer *out, const hsd_step *step, hsd_error *err);

/* The step and the type it leads to: ".cart: Array". */
hsd_status hsd_step_append_with_type(hsd_buffer *out, const hsd_step *step, hsd_error *err);

/*
 * A holder in words: its place and, between `before` and `after`, its type: "global.app.state: Map"; the name of
 * a root alone; for what several hold together their places, "app.byId: Map and app.byName: Map, together", or what
 * leads on to them from the holder, "static Shop.queue: Queue, by .head and .tail, together"; and for what nobody holds
 * alone just that.
 */
hsd_status hsd_holder_append(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                             hsd_error *err);

/* The field of the holder behind which nearly all that grew hangs, by the one object that the field leads to; NULL:
 * there is none. */
const hsd_growth_edge *hsd_holder_field(const hsd_holder *holder);

/* The same for a sentence: a place that is far from its root begins at the last function whose place in the code is
 * known, "Function main (server.js:9).sessions (Map)", or with the class whose field it is, "OrdersService.byId (Map)".
 * The table has the whole way. */
hsd_status hsd_holder_append_near(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                                  hsd_error *err);

/* A place alone, likewise with the type of what is there; nothing, and false, where the whole of it can be read. */
hsd_status hsd_place_append_near(hsd_buffer *out, const hsd_spot *place, const char *before, const char *after,
                                 bool *is_near, hsd_error *err);

/* What stands at the end of the place, between `before` and `after`: the object by its name, or its type. Nothing where
 * the place has said it. The place has steps and does not end in a type. */
hsd_status hsd_place_append_type(hsd_buffer *out, const hsd_spot *place, const char *before, const char *after,
                                 hsd_error *err);

/* True if the ways to all that hold together lead on from the holder. */
bool hsd_holder_leads_to(const hsd_holder *holder);

/* Those that hold together, without the last word. */
hsd_status hsd_together_append(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                               hsd_error *err);

/* One of them, as a holder in words. */
hsd_status hsd_co_holder_append(hsd_buffer *out, const hsd_co_holder *by, const char *before, const char *after,
                                hsd_error *err);

/* True if the text of the place ends in the type of what is there, so that nobody need say it again. */
bool hsd_place_ends_in_type(const hsd_spot *place);

#endif
