/*
 * What a capture measured besides the heap: each name once, the last value of a name counts.
 */
#include "totals/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/names.h"

typedef struct metrics { /* by number of the name */
    hsd_names names, units;
    struct {
        uint32_t unit;
        uint64_t value;
    } * list;
    uint32_t capacity;
} metrics;

static hsd_bytes bytes_of(hsd_text text) { return (hsd_bytes){(const uint8_t *)text.data, text.size}; }

static hsd_status put_metric(metrics *m, const hsd_metric *metric, hsd_error *err)
{
    uint32_t number, unit;
    HSD_TRY(hsd_names_put(&m->names, bytes_of(metric->name), &number, err));
    HSD_TRY(hsd_names_put(&m->units, bytes_of(metric->unit), &unit, err));
    HSD_TRY(HSD_ARRAY_GROW(m->list, m->capacity, number + 1, 16, "what the captures measured", err));
    m->list[number].unit = unit;
    m->list[number].value = metric->value;
    return HSD_OK;
}

static hsd_status read_metrics(metrics *m, hsd_capture *capture, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, capture, HSD_RECORD_METRIC, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = put_metric(m, &record.metric, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static int compare_metrics(const void *left, const void *right)
{
    return hsd_store_compare(((const hsd_profile_metric *)left)->name, ((const hsd_profile_metric *)right)->name);
}

static hsd_status keep_metric(hsd_diff_store *store, const metrics *m, hsd_profile_metric **out, size_t *count,
                              hsd_error *err)
{
    if (m->names.count == 0) return HSD_OK;
    hsd_profile_metric *rows = hsd_arena_take(&store->arena, m->names.count * sizeof *rows);
    if (rows == NULL) return hsd_fail_nomem(err, "what the captures measured");
    for (uint32_t i = 0; i < m->names.count; i++) {
        rows[i].value = m->list[i].value;
        HSD_TRY(hsd_store_text(store, hsd_names_get(&m->names, i), &rows[i].name, err));
        HSD_TRY(hsd_store_text(store, hsd_names_get(&m->units, m->list[i].unit), &rows[i].unit, err));
    }
    *out = rows;
    *count = m->names.count;
    qsort(rows, *count, sizeof *rows, compare_metrics);
    return HSD_OK;
}

hsd_status hsd_metrics_read(hsd_diff_store *store, hsd_capture *capture, hsd_profile_metric **out, size_t *count,
                            hsd_error *err)
{
    metrics m;
    memset(&m, 0, sizeof m);
    *out = NULL;
    *count = 0;
    hsd_status status = read_metrics(&m, capture, err);
    if (status < 0) hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    if (status == HSD_OK) status = keep_metric(store, &m, out, count, err);
    hsd_names_release(&m.names);
    hsd_names_release(&m.units);
    free(m.list);
    return status;
}

/* ---- of a diff ---- */

/* What was cut off may have been the metrics: the answer stands without them. */
static hsd_status add_to_side(hsd_diff *diff, hsd_side *side, hsd_capture *capture, hsd_error *err)
{
    hsd_profile_metric *rows;
    const hsd_status status = hsd_metrics_read(diff->store, capture, &rows, &side->metric_count, err);
    side->metrics = rows;
    return diff->is_partial && (status == HSD_E_CORRUPT || status == HSD_E_TRUNCATED) ? HSD_OK : status;
}

hsd_status hsd_metrics_add_to(hsd_diff *diff, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    HSD_TRY(add_to_side(diff, &diff->before, before, err));
    return add_to_side(diff, &diff->after, after, err);
}
