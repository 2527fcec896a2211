/*
 * What is left, into sums: by stack, and by type, which is the place that allocated ("allocated at shop/cache.py:31",
 * as of tracemalloc's snapshots). Of the stacks those are written that something is left of, with their callers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/memray/memray.h"

hsd_status hsd_mr_add_sum(mr *m, uint32_t node, uint64_t objects, uint64_t bytes, hsd_error *err)
{
    HSD_TRY(hsd_import_grow((void **)&m->sums, &m->sum_room, hsd_max_u64(node, m->nodes.count), sizeof *m->sums, err));
    m->sums[node].objects = hsd_add_saturating(m->sums[node].objects, objects);
    m->sums[node].bytes = hsd_add_saturating(m->sums[node].bytes, bytes);
    return HSD_OK;
}

hsd_status hsd_mr_sum_heap(mr *m, hsd_error *err)
{
    const mr_heap *heap = &m->heap;
    const uint64_t slots = heap->slots == NULL ? 0 : UINT64_C(1) << (64 - heap->shift);
    m->peak_bytes = hsd_max_u64(m->peak_bytes, heap->peak_bytes);
    for (uint64_t i = 0; i < slots; i++)
        if (heap->slots[i].node != 0) HSD_TRY(hsd_mr_add_sum(m, heap->slots[i].node - 1, 1, heap->slots[i].bytes, err));
    for (uint32_t i = 0; i < heap->range_count; i++) {
        const mr_range *range = &heap->ranges[i];
        HSD_TRY(hsd_mr_add_sum(m, range->node, 1, range->end - range->begin, err));
    }
    return hsd_mr_check_memory(m, err);
}

static hsd_status put_string(mr *m, hsd_bytes text, uint32_t *out, hsd_error *err)
{
    bool is_new;
    HSD_TRY(hsd_import_put_text(m->import, &m->strings, text, out, &is_new, err));
    return is_new && (*out & 0xff) == 0 ? hsd_mr_check_memory(m, err) : HSD_OK;
}

/* Stacks that are called by others of a smaller number: from the end, what is needed needs its caller. */
static void mark_callers(mr *m)
{
    for (uint32_t node = m->nodes.count; node > 0; node--) {
        if (node < m->sum_room && m->sums[node].objects + m->sums[node].bytes > 0) m->node_sites[node] = 1;
        if (m->node_sites[node] != 0) m->node_sites[m->node_parents[node]] = 1;
    }
}

static hsd_status define_sites(mr *m, hsd_error *err)
{
    uint32_t function, file, sites = 0;
    HSD_TRY(hsd_import_grow((void **)&m->node_sites, &m->site_room, m->nodes.count, sizeof *m->node_sites, err));
    HSD_TRY(hsd_mr_check_memory(m, err));
    mark_callers(m);
    m->node_sites[0] = 0;
    for (uint32_t node = 1; node <= m->nodes.count; node++) {
        if (m->node_sites[node] == 0) continue;
        const mr_place *place = &m->place_rows[m->node_places[node] - 1];
        HSD_TRY(put_string(m, hsd_names_get(&m->texts, place->function), &function, err));
        HSD_TRY(put_string(m, hsd_names_get(&m->texts, place->file), &file, err));
        m->node_sites[node] = ++sites;
        HSD_WRITE(m->import,
                  hsc_define_site(m->import->writer, sites, m->node_sites[m->node_parents[node]], function, file,
                                  place->line, 0),
                  err);
    }
    return HSD_OK;
}

static hsd_status put_type(mr *m, uint32_t node, uint32_t *type, hsd_error *err)
{
    char name[MR_TEXT_BYTES + HSD_IMPORT_PLACE_MORE] = "allocated at ";
    bool is_new;
    if (node == 0) {
        static const hsd_bytes none = {(const uint8_t *)"(no stack)", 10};
        return hsd_import_put_type(m->import, &m->types, none, 0, type, &is_new, err);
    }
    const mr_place *place = &m->place_rows[m->node_places[node] - 1];
    const size_t before = strlen(name);
    const size_t size =
        before + hsd_import_name_place(hsd_names_get(&m->texts, place->file), place->line, name + before);
    return hsd_import_put_type(m->import, &m->types, (hsd_bytes){(const uint8_t *)name, size}, 0, type, &is_new, err);
}

static hsd_status write_sum(mr *m, uint32_t node, hsd_error *err)
{
    hsd_import_result *result = m->import->result;
    const mr_sum sum = m->sums[node];
    uint32_t type;
    HSD_TRY(put_type(m, node, &type, err));
    if (node == 0 || m->import->options->summary_only)
        HSD_WRITE(m->import, hsc_count(m->import->writer, type, sum.objects, sum.bytes), err);
    else
        HSD_WRITE(m->import, hsc_count_site(m->import->writer, type, m->node_sites[node], sum.objects, sum.bytes), err);
    result->objects = hsd_add_saturating(result->objects, sum.objects);
    result->bytes = hsd_add_saturating(result->bytes, sum.bytes);
    return HSD_OK;
}

hsd_status hsd_mr_write_sums(mr *m, hsd_error *err)
{
    if (!m->import->options->summary_only) HSD_TRY(define_sites(m, err));
    for (uint32_t node = 0; node <= m->nodes.count && node < m->sum_room; node++)
        if (m->sums[node].objects + m->sums[node].bytes > 0) HSD_TRY(write_sum(m, node, err));
    return HSD_OK;
}
