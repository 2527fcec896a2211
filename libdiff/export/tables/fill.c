/*
 * What is wanted, part by part.
 */
#include "export/tables/fill.h"

#include <string.h>

hsd_status hsd_filling_init(hsd_filling *f, hsd_error *err)
{
    memset(&f->types, 0, sizeof f->types);
    HSD_TRY(hsd_type_names_init(&f->names, err));
    for (unsigned side = 0; side < 2; side++)
        if (f->captures[side] != NULL) HSD_TRY(hsd_type_table_load(&f->types[side], f->captures[side], &f->names, err));
    return HSD_OK;
}

void hsd_filling_release(hsd_filling *f)
{
    for (unsigned side = 0; side < 2; side++)
        hsd_type_table_release(&f->types[side]);
    hsd_type_names_release(&f->names);
}

hsd_status hsd_fill_open(hsd_inserter *in, hsd_filling *f, unsigned side, hsd_table table, uint64_t expected,
                         hsd_error *err)
{
    f->opened[side == 1 || !hsd_filling_is_pair(f)][table] = true;
    return hsd_inserter_open(in, f->sink, hsd_prefix(f, side), hsd_table_get(table)->name, expected, err);
}

hsd_status hsd_fill_close(hsd_inserter *in, hsd_filling *f, hsd_status status, hsd_error *err)
{
    f->rows += in->count;
    return hsd_inserter_close(in, status, err);
}

const char *hsd_root_word(uint32_t kind)
{
    static const char *const words[] = {"unknown", "global",   "static",    "stack",   "thread",  "handle",
                                        "class",   "interned", "finalizer", "monitor", "runtime", "register"};
    return kind < sizeof words / sizeof words[0] ? words[kind] : "unknown";
}

static hsd_status fill_side(hsd_filling *f, unsigned side, const bool *wanted, hsd_error *err)
{
    if (wanted[HSD_TABLE_OF_TYPES]) HSD_TRY(hsd_fill_types(f, side, err));
    if (wanted[HSD_TABLE_OF_SITE_TOTALS]) HSD_TRY(hsd_fill_site_totals(f, side, err));
    HSD_TRY(hsd_fill_records(f, side, wanted, err));
    return hsd_fill_graph(f, side, wanted, err);
}

static hsd_status fill_tables(hsd_filling *f, const hsd_wanted *missing, hsd_error *err)
{
    if (missing->tables[1][HSD_TABLE_OF_CAPTURES]) HSD_TRY(hsd_fill_captures(f, err));
    for (unsigned side = 0; side < 2; side++)
        if (f->captures[side] != NULL) HSD_TRY(fill_side(f, side, missing->tables[side], err));
    HSD_TRY(hsd_fill_heap(f, missing->tables[1], err));
    return hsd_filling_is_pair(f) ? hsd_fill_growth(f, missing->tables[1], err) : HSD_OK;
}

hsd_status hsd_fill(hsd_filling *f, const hsd_wanted *wanted, hsd_wanted *done, hsd_error *err)
{
    hsd_wanted missing = *wanted;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < HSD_TABLE_COUNT; i++)
            missing.tables[side][i] &= !done->tables[side][i];
    if (f->sink->kind->begin != NULL) HSD_TRY(f->sink->kind->begin(f->sink, err));
    HSD_TRY(fill_tables(f, &missing, err));
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < HSD_TABLE_COUNT; i++)
            done->tables[side][i] |= missing.tables[side][i];
    return f->sink->kind->finish != NULL ? f->sink->kind->finish(f->sink, err) : HSD_OK;
}

/* ---- an export ---- */

static hsd_status open_missing(hsd_filling *f, const hsd_wanted *wanted, const bool opened[2][HSD_TABLE_COUNT],
                               hsd_error *err)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < HSD_TABLE_COUNT; i++) {
            if (!wanted->tables[side][i] || opened[side][i]) continue;
            hsd_inserter in;
            const hsd_status status = hsd_fill_open(&in, f, side, (hsd_table)i, 0, err);
            HSD_TRY(hsd_fill_close(&in, f, status, err));
        }
    return HSD_OK;
}

hsd_status hsd_fill_export(hsd_export *x, hsd_sink *sink, hsd_error *err)
{
    hsd_filling f = {.sink = sink,
                     .captures = {x->before, x->after},
                     .run = x->run,
                     .reporter = x->reporter,
                     .space = x->space,
                     .memory_bytes = hsd_filling_memory(x->memory_bytes),
                     .partial = x->options->partial,
                     .with_values = x->options->with_values};
    const hsd_wanted all = hsd_wanted_all(x->before != NULL);
    hsd_wanted done = {0};
    hsd_status status = hsd_filling_init(&f, err);
    if (status == HSD_OK) status = hsd_fill(&f, &all, &done, err);
    if (status == HSD_OK) status = open_missing(&f, &all, f.opened, err);
    *x->result = (hsd_export_result){.format = x->result->format,
                                     .objects = f.objects,
                                     .references = f.references,
                                     .bytes = f.bytes,
                                     .rows = f.rows,
                                     .row_name = "row",
                                     .files = x->result->files};
    hsd_filling_release(&f);
    return status;
}
