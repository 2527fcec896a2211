/*
 * See wishes.h: a list, sorted by node, beside the nodes.
 */
#include "import/v8/wishes.h"

#include <stdlib.h>

#include "base/array.h"
#include "import/v8/nodes.h"

hsd_status hsd_v8_wishes_put(hsd_v8_wishes *wishes, uint32_t node, uint32_t entry, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(wishes->items, wishes->capacity, wishes->count + 1, 256, "names of variables", err));
    wishes->items[wishes->count++] = (hsd_v8_wish){node, entry};
    return HSD_OK;
}

static int compare_wishes(const void *a, const void *b)
{
    const hsd_v8_wish *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

hsd_status hsd_v8_wishes_grant(hsd_v8_wishes *wishes, hsd_v8_names *names, hsd_v8_spool *nodes, hsd_error *err)
{
    uint64_t last_id = 0;
    uint32_t ordinal = 0;
    if (wishes->count == 0) return HSD_OK;
    qsort(wishes->items, wishes->count, sizeof *wishes->items, compare_wishes);
    hsd_status status = hsd_v8_spool_rewind(nodes, false, err);
    for (uint32_t i = 0; i < wishes->count && status == HSD_OK; ordinal++) {
        hsd_v8_node node;
        status = hsd_v8_spool_next(nodes, err);
        if (status != HSD_OK) break;
        nodes->at = hsd_v8_node_unpack(nodes->at, &node, last_id);
        last_id = node.id;
        for (; i < wishes->count && wishes->items[i].node == ordinal; i++)
            names->entries[wishes->items[i].entry].name = node.name;
    }
    return status == HSD_END ? HSD_OK : status;
}

void hsd_v8_wishes_release(hsd_v8_wishes *wishes)
{
    free(wishes->items);
    *wishes = (hsd_v8_wishes){0};
}
