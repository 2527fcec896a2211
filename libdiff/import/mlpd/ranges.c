/*
 * Ranges of memory where roots lie, as they were at one moment. They come and go on any thread, so that their events
 * are not in order in the file: they are put into the order of their times first.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/search.h"
#include "import/mlpd/mlpd.h"

static int compare_changes(const void *a, const void *b)
{
    const mlpd_change *x = a, *y = b;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int compare_ranges(const void *a, const void *b)
{
    const mlpd_range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* The last that came and did not go, of each start: into live, + 1. */
static hsd_status replay(mlpd *m, uint64_t time_ns, hsd_id_table *starts, uint32_t **live, uint32_t *room,
                         hsd_error *err)
{
    for (uint32_t i = 0; i < m->change_count && m->changes[i].time_ns <= time_ns; i++) {
        uint32_t row;
        HSD_TRY(hsd_id_table_put(starts, m->changes[i].start, &row, err));
        HSD_TRY(hsd_import_grow((void **)live, room, row - 1, sizeof **live, err));
        (*live)[row - 1] = m->changes[i].is_gone ? 0 : i + 1;
    }
    return HSD_OK;
}

static hsd_status collect_mlpd_range(mlpd *m, const uint32_t *live, uint32_t count, hsd_error *err)
{
    m->ranges = calloc(count == 0 ? 1 : count, sizeof *m->ranges);
    if (m->ranges == NULL) return hsd_fail_nomem(err, "ranges of roots");
    for (uint32_t i = 0; i < count; i++) {
        if (live[i] == 0) continue;
        const mlpd_change *change = &m->changes[live[i] - 1];
        m->ranges[m->range_count++] =
            (mlpd_range){change->start, change->size, change->key, change->name, change->source};
    }
    qsort(m->ranges, m->range_count, sizeof *m->ranges, compare_ranges);
    return HSD_OK;
}

hsd_status hsd_mlpd_find_ranges(mlpd *m, uint64_t time_ns, hsd_error *err)
{
    hsd_id_table starts = {0};
    uint32_t *live = NULL, room = 0;
    if (m->change_count > 0) qsort(m->changes, m->change_count, sizeof *m->changes, compare_changes);
    hsd_status status = replay(m, time_ns, &starts, &live, &room, err);
    if (status == HSD_OK) status = collect_mlpd_range(m, live, starts.count, err);
    free(live);
    hsd_id_table_release(&starts);
    return status;
}

const mlpd_range *hsd_mlpd_range_of(const mlpd *m, uint64_t place)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, m->range_count, m->ranges[low].start, place);
    if (low == 0) return NULL;
    const mlpd_range *range = &m->ranges[low - 1];
    return place - range->start < range->size ? range : NULL;
}
