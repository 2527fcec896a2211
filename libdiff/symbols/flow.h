/*
 * What becomes of a block that a call has returned: it is followed through the instructions behind the call, until the
 * program stores it where DWARF knows a type, in a variable, a member, an element, or hands it to a function that takes
 * a T *, or returns it. Only in builds that have libdw.
 */
#ifndef HSD_SYMBOLS_FLOW_H
#define HSD_SYMBOLS_FLOW_H

#include "symbols/modules.h"
#include "symbols/types.h"

#ifdef HSD_HAVE_DW

typedef enum hsd_flow_end { HSD_FLOW_LOST, HSD_FLOW_TYPED, HSD_FLOW_RETURNED } hsd_flow_end;

/* Where in a block a pointer leads to. The header of a string of Redis is as long as the string makes it. */
typedef struct hsd_flow_spot {
    int64_t skipped; /* bytes of the block before it */
    bool is_unknown; /* how many is not known: only a type that says little is taken for what lies there */
} hsd_flow_spot;     /* zeroed: the beginning */

/* What is followed. */
typedef struct hsd_flow_block {
    hsd_flow_spot spot; /* where the pointer leads to that was returned */
    uint64_t most_bytes;
    uint64_t exact_bytes; /* of an object of C++ that is made by `new`; 0 = not known */
} hsd_flow_block;

typedef struct hsd_flow {
    hsd_flow_end end;
    /* TYPED: fits the block. RETURNED: one that says little, where it had such a one before; may be empty */
    hsd_type_name type;
    bool is_array;
    hsd_flow_spot spot; /* RETURNED: where the pointer that the caller gets leads to */
} hsd_flow;             /* zeroed: empty */

/*
 * Follows the block from the return address `after` on, which lies in the function of `scope`. A type that says little
 * is taken only where no other comes. HSD_E_NOMEM.
 */
hsd_status hsd_flow_follow(hsd_flow *out, const hsd_module *module, hsd_scope *scope, uint64_t after,
                           const hsd_flow_block *block, hsd_error *err);

void hsd_flow_release(hsd_flow *flow);

#endif
#endif
