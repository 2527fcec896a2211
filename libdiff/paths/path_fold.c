/*
 * Which nodes of a path a reader is spared: the insides of containers. A FOLD reference leads inside, whatever it
 * refers to; INTERNAL objects behind it are inside too. The first object that is not comes out as an item, [*], where
 * the program has names for the insides (fields, elements), and as what its reference says where only the runtime
 * has (<context>, <elements>).
 */
#include "paths/path_text.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include <hscapture/hscapture.h>

static bool begins_as_item(hsd_bytes text) { return text.size >= 3 && memcmp(text.data, "[*]", 3) == 0; }
static bool is_item_text(hsd_bytes text) { return text.size == 3 && begins_as_item(text); }

/* True if the program says nothing with it: no name, or one of the runtime's. */
static bool is_mute_text(hsd_bytes text) { return text.size == 0 || text.data[0] == '<'; }

/* One number for one text: where it has two, with FOLD and without, the one without (they are neighbours). */
static uint32_t plain_name(const hsd_edge_names *edges, uint32_t name)
{
    if (!edges->is_fold[name] || name == 0) return name;
    const hsd_bytes text = edges->texts[name], before = edges->texts[name - 1];
    return text.size == before.size && memcmp(text.data, before.data, text.size) == 0 ? name - 1 : name;
}

static hsd_path_edge path_edge(const hsd_edge_names *edges, uint32_t edge, bool is_items)
{
    const hsd_bytes text = hsd_edge_text(edges, edge);
    if (is_item_text(text) || (is_items && is_mute_text(text))) return HSD_PATH_EDGE_ITEM;
    return plain_name(edges, HSD_EDGE_NAME(edge)) << 1 | (is_items && !begins_as_item(text));
}

bool hsd_path_fold_step(hsd_path_fold *fold, const hsd_edge_names *edges, const hsd_type_names *types, uint32_t edge,
                        uint32_t type, hsd_path_edge *out)
{
    HSD_ASSERT(HSD_EDGE_NAME(edge) < edges->count);
    HSD_ASSERT(type < types->names.count);
    const bool is_fold = edges->is_fold[HSD_EDGE_NAME(edge)] != 0;
    const bool stays_inside = fold->is_inside && (types->flags[type] & HSC_TYPE_INTERNAL) != 0;
    *out = path_edge(edges, edge, fold->is_items);
    if (!is_fold && !stays_inside) {
        *fold = (hsd_path_fold){false, false};
        return true;
    }
    fold->is_inside = true;
    fold->is_items = fold->is_items || !is_mute_text(hsd_edge_text(edges, edge));
    return false;
}

hsd_bytes hsd_path_edge_text(const hsd_edge_names *edges, hsd_path_edge edge, char *buffer, size_t size)
{
    HSD_ASSERT(size > 0 && buffer != NULL);
    const hsd_bytes item = {(const uint8_t *)"[*]", 3};
    if (edge == HSD_PATH_EDGE_ITEM) return item;
    const hsd_bytes text = hsd_edge_text(edges, edge >> 1);
    if ((edge & 1) == 0) return text;
    const int length = snprintf(buffer, size, "[*]%.*s", (int)hsd_min_u64(text.size, size), (const char *)text.data);
    return (hsd_bytes){(const uint8_t *)buffer, (size_t)hsd_min_u64((uint64_t)length, size - 1)};
}
