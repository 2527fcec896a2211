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

/* From `at` on: what is said of the string `ordinal`, whose number is `name`. */
static uint32_t grant_mentions(hsd_v8_declared *declared, const hsd_v8_names *names, uint32_t at, uint32_t ordinal,
                               uint32_t name)
{
    if (at == declared->count || declared->mentions[at].node != ordinal) return at;
    const uint32_t field = hsd_v8_names_find(names, hsd_v8_key(HSD_V8_WAIT_FIELD, 0, 0, name));
    for (; at < declared->count && declared->mentions[at].node == ordinal; at++)
        declared->mentions[at].node = field;
    return at;
}

/* The next node that somebody asks for. */
static uint32_t next_wanted(const hsd_v8_wishes *wishes, uint32_t i, const hsd_v8_declared *declared, uint32_t mention)
{
    const uint32_t wish = i < wishes->count ? wishes->items[i].node : UINT32_MAX;
    const uint32_t mentioned = mention < declared->count ? declared->mentions[mention].node : UINT32_MAX;
    return wish < mentioned ? wish : mentioned;
}

hsd_status hsd_v8_wishes_grant(hsd_v8_wishes *wishes, hsd_v8_names *names, hsd_v8_declared *declared,
                               hsd_v8_spool *nodes, hsd_error *err)
{
    uint32_t ordinal = 0, mention = 0;
    hsd_v8_declared_sort(declared);
    if (wishes->count == 0 && declared->count == 0) return HSD_OK;
    if (wishes->count > 0) qsort(wishes->items, wishes->count, sizeof *wishes->items, compare_wishes);
    hsd_status status = hsd_v8_spool_rewind(nodes, false, err);
    for (uint32_t i = 0; (i < wishes->count || mention < declared->count) && status == HSD_OK; ordinal++) {
        hsd_v8_node node;
        ordinal = hsd_v8_spool_skip(nodes, ordinal, next_wanted(wishes, i, declared, mention));
        status = hsd_v8_spool_next(nodes, err);
        if (status != HSD_OK) break;
        nodes->at = hsd_v8_node_unpack(nodes->at, &node, 0); /* its name is wanted, and no id */
        for (; i < wishes->count && wishes->items[i].node == ordinal; i++)
            names->entries[wishes->items[i].entry].name = node.name;
        mention = grant_mentions(declared, names, mention, ordinal, node.name);
    }
    return status == HSD_END ? HSD_OK : status;
}

void hsd_v8_wishes_release(hsd_v8_wishes *wishes)
{
    free(wishes->items);
    *wishes = (hsd_v8_wishes){0};
}
