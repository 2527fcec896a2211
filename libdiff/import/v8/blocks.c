/*
 * The bookkeeping of blocks.h. An entry of a label is made under the key (block, last, index), and gets the number
 * of its string when that is known; one that never is waits for a string that does not come.
 */
#include "import/v8/blocks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/search.h"

#define MOST_BLOCKS (UINT32_C(1) << 16)
#define MOST_INFOS  (UINT32_C(1) << 18)
#define MOST_NAMES  (UINT32_C(1) << 20)

/* ---- while nodes pass ---- */

hsd_status hsd_v8_blocks_context(hsd_v8_blocks *blocks, uint32_t scope_info, uint32_t proof, uint32_t *out,
                                 hsd_error *err)
{
    const uint32_t known = hsd_id_map_get(&blocks->numbers, scope_info);
    *out = known == HSD_ID_NONE ? HSD_V8_NO_BLOCK : known;
    if (known != HSD_ID_NONE || blocks->block_count == MOST_BLOCKS) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(blocks->blocks, blocks->block_capacity, blocks->block_count + 1, 256, "names of variables",
                           err));
    blocks->blocks[blocks->block_count] = (hsd_v8_block){scope_info, proof};
    HSD_TRY(hsd_id_map_put(&blocks->numbers, scope_info, blocks->block_count, err));
    *out = blocks->block_count++;
    return HSD_OK;
}

hsd_status hsd_v8_blocks_info(hsd_v8_blocks *blocks, uint32_t ordinal, const uint32_t *names, uint32_t count,
                              hsd_error *err)
{
    if (count == 0 || count > HSD_V8_BLOCK_VARIABLES || blocks->info_count == MOST_INFOS ||
        blocks->name_count + count > MOST_NAMES)
        return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(blocks->infos, blocks->info_capacity, blocks->info_count + 1, 256, "names of variables",
                           err));
    HSD_TRY(HSD_ARRAY_GROW(blocks->names, blocks->name_capacity, blocks->name_count + count, 256, "names of variables",
                           err));
    blocks->infos[blocks->info_count++] =
        (hsd_v8_scope_info){.ordinal = ordinal, .first = blocks->name_count, .count = count};
    for (uint32_t i = 0; i < count; i++)
        blocks->names[blocks->name_count++] = names[i];
    return HSD_OK;
}

hsd_status hsd_v8_blocks_label(hsd_v8_names *names, uint32_t block, uint32_t last, uint32_t index, uint32_t *entry,
                               hsd_error *err)
{
    *entry = HSD_V8_NO_ENTRY;
    if (last >= HSD_V8_BLOCK_VARIABLES || index > last) return HSD_OK;
    return hsd_v8_names_intern(names, HSD_V8_WAIT_BLOCK, 0, block, last * HSD_V8_BLOCK_VARIABLES + index, entry, err);
}

/* ---- when all edges were seen ---- */

static const hsd_v8_scope_info *find_info(const hsd_v8_blocks *blocks, uint32_t ordinal)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, blocks->info_count, blocks->infos[low].ordinal, ordinal);
    const bool is_there = low < blocks->info_count && blocks->infos[low].ordinal == ordinal;
    return is_there ? &blocks->infos[low] : NULL;
}

hsd_status hsd_v8_blocks_resolve(const hsd_v8_blocks *blocks, hsd_v8_names *names, hsd_v8_wishes *wishes,
                                 hsd_error *err)
{
    for (uint32_t i = 0; i < names->count; i++) {
        hsd_v8_entry *entry = &names->entries[i];
        if (entry->wait != HSD_V8_WAIT_BLOCK) continue;
        const uint32_t last = entry->name / HSD_V8_BLOCK_VARIABLES, index = entry->name % HSD_V8_BLOCK_VARIABLES;
        const hsd_v8_scope_info *info = find_info(blocks, blocks->blocks[entry->owner].scope_info);
        entry->name = HSD_V8_NO_STRING;
        if (info != NULL && info->count == last + 1)
            HSD_TRY(hsd_v8_wishes_put(wishes, blocks->names[info->first + index], i, err));
    }
    return HSD_OK;
}

void hsd_v8_blocks_release(hsd_v8_blocks *blocks)
{
    hsd_id_map_release(&blocks->numbers);
    free(blocks->blocks);
    free(blocks->infos);
    free(blocks->names);
    *blocks = (hsd_v8_blocks){0};
}
