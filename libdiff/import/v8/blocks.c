/*
 * The bookkeeping of blocks.h. An entry of a label is made under the key (block, last, index), and gets the number
 * of its string when that is known; one that never is waits for a string that does not come.
 */
#include "import/v8/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/search.h"

#define MOST_BLOCKS (UINT32_C(1) << 16)
#define MOST_INFOS  (UINT32_C(1) << 18)
#define MOST_NAMES  (UINT32_C(1) << 20)

#define MOST_CHOICE_BYTES 100u /* of a name that is one of a few */

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

/* The label is called by one of these nodes. */
static hsd_status add_choice(hsd_v8_blocks *blocks, hsd_v8_names *names, hsd_v8_wishes *wishes, uint32_t label,
                             const uint32_t *nodes, uint32_t count, hsd_error *err)
{
    if (blocks->choice_count == HSD_V8_MOST_CHOICES) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(blocks->choices, blocks->choice_capacity, blocks->choice_count + 1, 64, "names of variables",
                           err));
    const uint32_t number = blocks->choice_count++;
    blocks->choices[number] = (hsd_v8_choice){.label = label, .count = count};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t entry;
        HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_CHOICE, number * HSD_V8_CHOICE_NAMES + k, HSD_V8_NO_STRING, 0,
                                 &entry, err));
        if (entry != HSD_V8_NO_ENTRY) HSD_TRY(hsd_v8_wishes_put(wishes, nodes[k], entry, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_blocks_resolve(hsd_v8_blocks *blocks, hsd_v8_names *names, hsd_v8_wishes *wishes, hsd_error *err)
{
    const uint32_t labels = names->count;
    for (uint32_t i = 0; i < labels; i++) {
        hsd_v8_entry *entry = &names->entries[i];
        if (entry->wait != HSD_V8_WAIT_BLOCK) continue;
        const uint32_t edges = entry->name / HSD_V8_BLOCK_VARIABLES + 1, index = entry->name % HSD_V8_BLOCK_VARIABLES;
        const hsd_v8_scope_info *info = find_info(blocks, blocks->blocks[entry->owner].scope_info);
        entry->name = HSD_V8_NO_STRING;
        if (info == NULL || info->count < edges) continue;
        const uint32_t *nodes = &blocks->names[info->first + index], choices = info->count - edges + 1;
        if (choices == 1)
            HSD_TRY(hsd_v8_wishes_put(wishes, *nodes, i, err));
        else if (choices <= HSD_V8_CHOICE_NAMES)
            HSD_TRY(add_choice(blocks, names, wishes, i, nodes, choices, err));
    }
    return HSD_OK;
}

/* ---- when strings pass ---- */

hsd_status hsd_v8_blocks_text(hsd_v8_blocks *blocks, uint32_t owner, hsd_bytes text, hsd_error *err)
{
    hsd_v8_choice *choice = &blocks->choices[owner / HSD_V8_CHOICE_NAMES];
    if (text.size > MOST_CHOICE_BYTES) return HSD_OK;
    choice->names[owner % HSD_V8_CHOICE_NAMES].at = (uint32_t)blocks->texts.size;
    choice->names[owner % HSD_V8_CHOICE_NAMES].size = (uint32_t)text.size;
    return hsd_buffer_append(&blocks->texts, text.data, text.size, err);
}

hsd_status hsd_v8_blocks_choice(const hsd_v8_blocks *blocks, uint32_t choice, hsd_buffer *out, hsd_error *err)
{
    const hsd_v8_choice *one = &blocks->choices[choice];
    for (uint32_t k = 0; k < one->count; k++)
        if (one->names[k].size == 0) return HSD_OK;
    for (uint32_t k = 0; k < one->count; k++) {
        const char *before = k == 0 ? "(" : k + 1 == one->count ? " or " : ", ";
        HSD_TRY(hsd_buffer_append(out, before, strlen(before), err));
        HSD_TRY(hsd_buffer_append(out, blocks->texts.data + one->names[k].at, one->names[k].size, err));
    }
    return hsd_buffer_append(out, ")", 1, err);
}

void hsd_v8_blocks_release(hsd_v8_blocks *blocks)
{
    hsd_id_map_release(&blocks->numbers);
    hsd_buffer_release(&blocks->texts);
    free(blocks->choices);
    free(blocks->blocks);
    free(blocks->infos);
    free(blocks->names);
    *blocks = (hsd_v8_blocks){0};
}
