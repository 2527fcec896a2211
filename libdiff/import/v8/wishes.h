/*
 * Entries that want the text of a string that is a node: its number is known while edges pass, the number of its text
 * only stands in the node, which has gone by. Once all edges were seen, nodes are gone through again, and every entry
 * gets the number of its string.
 */
#ifndef HSD_IMPORT_V8_WISHES_H
#define HSD_IMPORT_V8_WISHES_H

#include <stdint.h>

#include "import/v8/declared.h"
#include "import/v8/names.h"
#include "import/v8/spool.h"

/* The `name` of an entry until its wish is granted: no snapshot has so many strings. */
#define HSD_V8_NO_STRING UINT32_MAX

typedef struct hsd_v8_wish {
    uint32_t node, entry;
} hsd_v8_wish;

typedef struct hsd_v8_wishes {
    hsd_v8_wish *items;
    uint32_t count, capacity;
} hsd_v8_wishes;

hsd_status hsd_v8_wishes_put(hsd_v8_wishes *wishes, uint32_t node, uint32_t entry, hsd_error *err);

/* One pass over the nodes, but for stretches that nobody asks for: some thousand are asked for, and lie together.
 * Strings that code mentions become the fields of that name. */
hsd_status hsd_v8_wishes_grant(hsd_v8_wishes *wishes, hsd_v8_names *names, hsd_v8_declared *declared,
                               hsd_v8_spool *nodes, hsd_error *err);

void hsd_v8_wishes_release(hsd_v8_wishes *wishes);

#endif
