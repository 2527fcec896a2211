/*
 * The importer of snapshots of tracemalloc: the row of the registry, and what is told of what could not be read.
 */
#include "import/tracemalloc/tracemalloc.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"

static hsd_status tell_losses(tm *t, hsd_error *err)
{
    hsd_import *import = t->import;
    if (t->strange > 0) HSD_WRITE(import, hsc_loss(import->writer, "traces that are none", t->strange), err);
    if (t->cut_frames > 0) HSD_WRITE(import, hsc_loss(import->writer, "stacks that were cut", t->cut_frames), err);
    if (t->is_cut) HSD_WRITE(import, hsc_mark_incomplete(import->writer, "the snapshot was cut off"), err);
    import->result->is_complete = !t->is_cut;
    return HSD_OK;
}

static hsd_status import_snapshot(tm *t, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "CPython";
    options.source_format = "tracemalloc";
    options.taken_unix_ns = UINT64_MAX;
    options.facts = HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    options.has_site_totals = !t->import->options->summary_only;
    HSD_TRY(hsd_import_begin(t->import, &options, err));
    const hsd_status status = hsd_tm_read(t, err);
    t->is_cut = status == HSD_E_TRUNCATED && t->import->options->salvage && t->traces > 0;
    if (status < 0 && !t->is_cut) return status;
    if (t->is_cut) hsd_error_init(err);
    hsd_import_heap_end(t->import);
    HSD_TRY(hsd_tm_write_sums(t, err));
    HSD_TRY(tell_losses(t, err));
    return hsd_import_end(t->import, err);
}

static void release_tracemalloc(tm *t)
{
    hsd_id_table *const tables[] = {&t->frames, &t->sites, &t->stacks, &t->sum_rows};
    hsd_names *const names[] = {&t->texts, &t->strings.names, &t->types};
    void *const rows[] = {t->stack, t->memo, t->pool, t->marks, t->sums, t->stack_types, t->stack_sites};
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        hsd_id_table_release(tables[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        hsd_names_release(names[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(rows); i++)
        free(rows[i]);
    free(t);
}

static hsd_status run_tracemalloc(hsd_import *import, hsd_error *err)
{
    tm *t = calloc(1, sizeof *t);
    if (t == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for an import");
    t->import = import;
    t->source = import->source;
    const hsd_status status = import_snapshot(t, err);
    release_tracemalloc(t);
    return status;
}

const hsd_importer hsd_import_tracemalloc = {
    .info = {.name = "tracemalloc",
             .summary = "snapshot of Python's tracemalloc (Snapshot.dump)",
             .suffixes = ".tracemalloc .pickle .snapshot",
             .carries = {.always = HSD_CARRIES_SITES},
             .lacks = "objects, types, references and roots: sums by the stack that allocated"},
    .probe = hsd_tm_probe,
    .run = run_tracemalloc,
};
