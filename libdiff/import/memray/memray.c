/*
 * The importer of memray's capture files: the row of the registry, and what is told of what could not be read.
 */
#include "import/memray/memray.h"

#include <stdlib.h>

#include "base/check.h"

static hsd_status tell_losses(mr *m, hsd_error *err)
{
    hsd_import *import = m->import;
    if (m->peak_bytes > 0) HSD_WRITE(import, hsc_metric(import->writer, "heap.peak", "bytes", m->peak_bytes), err);
    if (m->rss_bytes > 0) HSD_WRITE(import, hsc_metric(import->writer, "process.rss", "bytes", m->rss_bytes), err);
    if (m->unknown_codes > 0)
        HSD_WRITE(import, hsc_loss(import->writer, "frames of code that the file does not name", m->unknown_codes),
                  err);
    return hsd_import_mark_cut(import, m->is_cut, "the file of memray has no end", ", as it stood where the file ends",
                               err);
}

static hsd_status begin_capture(mr *m, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "CPython";
    options.source_format = "memray";
    options.pid = m->pid;
    options.taken_unix_ns = m->end_ms == 0 || m->end_ms > INT64_MAX / 1000000 ? UINT64_MAX : m->end_ms * 1000000;
    options.facts = HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    options.has_site_totals = !m->import->options->summary_only;
    return hsd_import_begin(m->import, &options, err);
}

static hsd_status import_records(mr *m, hsd_error *err)
{
    HSD_TRY(hsd_mr_read_head(m, err));
    HSD_TRY(begin_capture(m, err));
    const hsd_status status = m->is_aggregated ? hsd_mr_read_sums(m, err) : hsd_mr_read_records(m, err);
    m->is_cut = status == HSD_E_TRUNCATED && m->import->options->salvage;
    if (status < 0 && !m->is_cut) return status;
    if (m->is_cut) hsd_error_init(err);
    hsd_import_heap_end(m->import);
    HSD_TRY(hsd_mr_sum_heap(m, err));
    HSD_TRY(hsd_mr_write_sums(m, err));
    HSD_TRY(tell_losses(m, err));
    return hsd_import_end(m->import, err);
}

static void release_memray(mr *m)
{
    hsd_id_table *const tables[] = {&m->codes, &m->moments, &m->names, &m->places, &m->nodes, &m->thread_ids};
    hsd_names *const names[] = {&m->texts, &m->strings.names, &m->types};
    void *const rows[] = {m->code_rows,    m->tables,      m->moment_places, m->place_rows,
                          m->node_parents, m->node_places, m->threads,       m->frame_places,
                          m->traces,       m->sums,        m->node_sites};
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        hsd_id_table_release(tables[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        hsd_names_release(names[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(rows); i++)
        free(rows[i]);
    hsd_mr_heap_release(&m->heap);
    free(m);
}

static hsd_status run_memray(hsd_import *import, hsd_error *err)
{
    mr *m = calloc(1, sizeof *m);
    if (m == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for an import");
    m->import = import;
    m->source = import->source;
    const hsd_status status = import_records(m, err);
    release_memray(m);
    return status;
}

const hsd_importer hsd_import_memray = {
    .info = {.name = "memray",
             .summary = "capture file of memray (memray run -o), 1.19 and later",
             .suffixes = ".bin",
             .carries = {.always = HSD_CARRIES_SITES},
             .lacks = "objects, types, references and roots: sums by the stack that allocated"},
    .probe = hsd_mr_probe,
    .run = run_memray,
};
