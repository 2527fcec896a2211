/*
 * Sums by type and site. A stack may stand in a file many times, and in the difference of two profiles its values may
 * be negative: what counts is the sum, and where that is below 0 nothing is there.
 */
#include "base/check.h"
#include "import/pprof/pprof.h"

static void add_pprof_sum(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum)) *sum = value > 0 ? INT64_MAX : INT64_MIN;
}

hsd_status hsd_pprof_add(pprof *p, uint32_t type, uint32_t site, int64_t objects, int64_t bytes, hsd_error *err)
{
    const uint32_t before = p->sum_rows.count;
    uint32_t row;
    HSD_TRY(hsd_pair_table_put(&p->sum_rows, site, type, &row, err));
    row--;
    if (p->sum_rows.count > before) {
        HSD_TRY(hsd_import_grow((void **)&p->sums, &p->sum_room, row, sizeof *p->sums, err));
        p->sums[row] = (pprof_sum){.type = type, .site = site};
        if ((row & 0xff) == 0) HSD_TRY(hsd_pprof_check_memory(p, err));
    }
    add_pprof_sum(&p->sums[row].objects, objects);
    add_pprof_sum(&p->sums[row].bytes, bytes);
    return HSD_OK;
}

hsd_status hsd_pprof_write_sums(pprof *p, hsd_error *err)
{
    hsd_import_result *result = p->import->result;
    hsc_writer *writer = p->import->writer;
    for (uint32_t i = 0; i < p->sum_rows.count; i++) {
        const pprof_sum *sum = &p->sums[i];
        const uint64_t objects = sum->objects > 0 ? (uint64_t)sum->objects : 0,
                       bytes = sum->bytes > 0 ? (uint64_t)sum->bytes : 0;
        p->negative += sum->objects < 0 || sum->bytes < 0;
        if (objects == 0 && bytes == 0) continue;
        if (sum->site == 0)
            HSD_WRITE(p->import, hsc_count(writer, sum->type, objects, bytes), err);
        else
            HSD_WRITE(p->import, hsc_count_site(writer, sum->type, sum->site, objects, bytes), err);
        result->objects = hsd_add_saturating(result->objects, objects);
        result->bytes = hsd_add_saturating(result->bytes, bytes);
    }
    return HSD_OK;
}
