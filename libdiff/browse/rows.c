/*
 * Rows: what is known of each node by itself, written while the census comes by. Ordinals that a capture lacks get rows
 * of nobody.
 */
#include "base/assert.h"
#include "base/check.h"
#include "browse/index.h"

_Static_assert(sizeof(hsd_browse_row) == 24 + sizeof(hsd_two) && sizeof(hsd_browse_span) == 8 + sizeof(hsd_two) &&
                   sizeof(hsd_long_children) == 8 + sizeof(hsd_two),
               "index.h");
_Static_assert(HSD_MAX_ROOT_NAMES < HSD_ROW_OWNER, "numbers of owners fit");

static hsd_status fill_up(hsd_column_file *file, uint64_t count, hsd_error *err)
{
    static const hsd_browse_row nobody;
    while (file->count < count)
        HSD_TRY(hsd_column_put(file, &nobody, err));
    return HSD_OK;
}

/* What is true of all rows and spares work: ids that ascend, sizes that are multiples. */
static void learn(hsd_index *index, const hsd_seen *seen)
{
    if (index->row_file.count != seen->node)
        index->ids_ascend = false;
    else if (seen->is_object) {
        index->ids_ascend = seen->node == 0 || (index->ids_ascend && seen->id > index->last_id);
        index->last_id = seen->id;
    }
    if (!seen->counts || seen->first == 0) return;
    index->bytes_or |= seen->bytes;
    index->live_bytes = hsd_add_saturating(index->live_bytes, seen->bytes);
}

hsd_status hsd_index_see(void *context, const hsd_seen *seen, hsd_error *err)
{
    HSD_ASSERT(seen->first == 0 || seen->first < seen->end);
    hsd_index *index = context;
    const hsd_browse_row row = {
        .id = seen->id,
        .bytes = seen->bytes < HSD_ROW_MANY ? (uint32_t)seen->bytes : HSD_ROW_MANY,
        .first = seen->first,
        .end = seen->end,
        .type = seen->type,
        .edge = seen->edge,
        .owner = seen->root | (seen->is_object ? 0 : HSD_ROW_IS_ROOT) | (seen->counts ? HSD_ROW_COUNTS : 0),
    };
    if (index->row_file.buffer == NULL) HSD_TRY(hsd_column_begin(&index->row_file, sizeof row, index->space, err));
    learn(index, seen);
    HSD_TRY(fill_up(&index->row_file, seen->node, err));
    return hsd_column_put(&index->row_file, &row, err);
}

hsd_status hsd_index_rows(hsd_index *index, hsd_error *err)
{
    if (index->row_file.count < hsd_index_node_count(index)) index->ids_ascend = false;
    HSD_TRY(fill_up(&index->row_file, hsd_index_node_count(index), err));
    return hsd_column_end(&index->row_file, &index->rows, hsd_index_share(index, 1), err);
}
