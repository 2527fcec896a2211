/*
 * The importer of heap profiles as text: the row of the registry, and what is told of what could not be read.
 */
#include "import/heapprofile/heapprofile.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"

static hsd_status tell_losses(hp *p, bool is_cut, hsd_error *err)
{
    hsd_import *import = p->import;
    HSD_TRY(hsd_import_tell_unreadable(import, p->unreadable, err));
    if (p->cut_stacks > 0) HSD_WRITE(import, hsc_loss(import->writer, "stacks that were cut", p->cut_stacks), err);
    return hsd_import_mark_cut(import, is_cut, "the heap profile was cut off", "", err);
}

static hsd_status begin(hp *p, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = p->kind == HP_GO ? "Go" : p->kind == HP_JEMALLOC ? "jemalloc" : "tcmalloc";
    options.source_format = "heapprofile";
    options.taken_unix_ns = UINT64_MAX;
    options.facts = HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES | (p->period > 0 ? HSC_FACT_SAMPLED : 0);
    options.has_site_totals = !p->import->options->summary_only;
    return hsd_import_begin(p->import, &options, err);
}

static hsd_status import_heap_profile(hp *p, hsd_error *err)
{
    const hsd_status status = hsd_hp_read(p, err);
    const bool is_cut = status == HSD_E_TRUNCATED && p->import->options->salvage;
    if (status < 0 && !is_cut) return status;
    if (is_cut) hsd_error_init(err);
    hsd_import_heap_end(p->import);
    HSD_TRY(begin(p, err));
    HSD_TRY(hsd_hp_write(p, err));
    HSD_TRY(tell_losses(p, is_cut, err));
    p->import->result->is_complete = !is_cut;
    return hsd_import_end(p->import, err);
}

static void release(hp *p)
{
    hsd_names *const names[] = {&p->texts, &p->named, &p->strings.names, &p->types};
    void *const rows[] = {p->address_frames, p->named_frames, p->frames, p->sites, p->sums, p->mappings, p->functions};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        hsd_names_release(names[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(rows); i++)
        free(rows[i]);
    hsd_id_table_release(&p->addresses);
    hsd_id_table_release(&p->sum_rows);
    hsd_pair_table_release(&p->site_rows);
    free(p);
}

static hsd_status run_heap_profile_import(hsd_import *import, hsd_error *err)
{
    hp *p = calloc(1, sizeof *p);
    if (p == NULL) return hsd_fail_nomem(err, "an import");
    p->import = import;
    p->source = import->source;
    const hsd_status status = import_heap_profile(p, err);
    release(p);
    return status;
}

const hsd_importer hsd_import_heapprofile = {
    .info = {.name = "heapprofile",
             .summary = "heap profile as text: jemalloc (heap_v2), gperftools and tcmalloc, Go (debug=1)",
             .suffixes = ".heap .heap.gz .prof",
             .carries = {.always = HSD_CARRIES_SITES},
             .lacks = "objects, types, references and roots: sums by allocation stack, mostly sampled"},
    .probe = hsd_hp_probe,
    .run = run_heap_profile_import,
};
