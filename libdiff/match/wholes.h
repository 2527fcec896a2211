/*
 * The wholes of one side on their way to the other's: (whole, position), as they are found, in a temporary file, or in
 * memory where they are few. They are put in order when objects are recognised, and then only those that can still
 * say something: what was recognised by then, and has no equal that was not, is asked for nothing.
 *
 *      wholes of both sides ──► those without a partner: a filter of their hashes ──► sorters of what passes ──► join
 */
#ifndef HSD_MATCH_WHOLES_H
#define HSD_MATCH_WHOLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "io/temp.h"
#include <hsdiff/status.h>

#define HSD_WHOLES_BUFFER_BYTES                                                                                        \
    (UINT32_C(48) << 10) /* while they are written, and where they are few until the end                               \
                          */

typedef struct hsd_wholes {
    hsd_temp file;
    hsd_temp_space *space;
    uint8_t *buffer; /* what is not in the file yet */
    uint32_t used;   /* bytes of it */
    uint64_t count;
} hsd_wholes;

/* HSD_E_NOMEM. */
hsd_status hsd_wholes_open(hsd_wholes *wholes, hsd_temp_space *space, hsd_error *err);

/* HSD_E_IO. */
hsd_status hsd_wholes_put(hsd_wholes *wholes, uint64_t whole, hsd_node position, hsd_error *err);

/* No more puts. HSD_E_IO. */
hsd_status hsd_wholes_finish(hsd_wholes *wholes, hsd_error *err);

static inline bool hsd_wholes_are_open(const hsd_wholes *wholes) { return wholes->space != NULL; }

/* Called with each, in the order in which they came. */
typedef hsd_status hsd_wholes_visit(void *context, uint64_t whole, hsd_node position, hsd_error *err);

/* HSD_E_NOMEM, HSD_E_IO, and what `visit` says. Any number of times. */
hsd_status hsd_wholes_each(const hsd_wholes *wholes, hsd_wholes_visit *visit, void *context, hsd_error *err);

void hsd_wholes_close(hsd_wholes *wholes); /* a zeroed one is accepted */

#endif
