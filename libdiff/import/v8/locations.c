/*
 * Reads the list of locations: where the functions of closures stand, and the constructors of objects. Those of the
 * first closure of each function are kept (functions.h), the others passed over.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/v8/import.h"

#define BATCH_NUMBERS ((size_t)8192)

/* Of an object its constructor's, of a closure its own. */
static hsd_status take_location(hsd_v8 *v8, uint32_t node, const uint64_t *item, hsd_error *err)
{
    const hsd_v8_layout *layout = &v8->layout;
    const uint64_t line = item[layout->location_line], column = item[layout->location_column];
    const uint64_t script = layout->location_script == HSD_V8_NO_COLUMN ? UINT64_MAX : item[layout->location_script];
    const bool is_known = script < INT32_MAX && line < INT32_MAX && column < INT32_MAX;
    const hsd_v8_mark mark = hsd_v8_marks_get(&v8->marks, node);
    if (mark == HSD_V8_MARK_OBJECT)
        return is_known ? hsd_v8_originals_constructor(&v8->originals, node, (uint32_t)script, (uint32_t)line,
                                                       (uint32_t)column, err)
                        : HSD_OK;
    if (mark != HSD_V8_MARK_OTHER) return HSD_OK;
    const uint32_t number = hsd_v8_functions_locate(&v8->functions, node, line, column);
    return is_known && number != HSD_V8_NO_FUNCTION
               ? hsd_v8_originals_script(&v8->originals, (uint32_t)script, number, err)
               : HSD_OK;
}

static hsd_status take_batch(hsd_v8 *v8, const uint64_t *items, size_t count, hsd_error *err)
{
    const hsd_v8_layout *layout = &v8->layout;
    for (size_t i = 0; i + layout->location_width <= count; i += layout->location_width) {
        const uint64_t node = items[i + layout->location_object] / layout->node_width;
        if (node < v8->marks.count) HSD_TRY(take_location(v8, (uint32_t)node, items + i, err));
    }
    return HSD_OK;
}

static hsd_status read_batches(hsd_v8 *v8, hsd_v8_numbers *numbers, uint64_t *items, size_t capacity, hsd_error *err)
{
    while (!numbers->is_at_end) {
        size_t count = 0;
        HSD_TRY(hsd_v8_numbers_read(numbers, items, capacity, &count, err));
        HSD_TRY(take_batch(v8, items, count, err));
        HSD_TRY(hsd_v8_progress(v8, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_read_locations(hsd_v8 *v8, hsd_error *err)
{
    hsd_v8_numbers numbers;
    const hsd_v8_layout *layout = &v8->layout;
    const bool is_known = layout->location_object != HSD_V8_NO_COLUMN && layout->location_line != HSD_V8_NO_COLUMN &&
                          layout->location_column != HSD_V8_NO_COLUMN;
    uint8_t byte;
    v8->json.where = "list of locations";
    HSD_TRY(hsd_import_json_look(&v8->json, &byte, err));
    HSD_TRY(hsd_v8_numbers_begin(&numbers, v8->source, "locations", err));
    if (!is_known || v8->import->options->summary_only) return hsd_v8_numbers_skip(&numbers, err);
    const size_t capacity = BATCH_NUMBERS / layout->location_width * layout->location_width;
    uint64_t *items = malloc(capacity * sizeof *items);
    if (items == NULL) return hsd_fail_nomem(err, "a batch of locations");
    const hsd_status status = read_batches(v8, &numbers, items, capacity, err);
    free(items);
    return status;
}
