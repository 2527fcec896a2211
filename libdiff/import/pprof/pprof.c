/*
 * The importer of heap profiles: the row of the registry, the passes in their order, and what is told of what could not
 * be read.
 */
#include "import/pprof/pprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/fail.h"

static hsd_status tell_losses(pprof *p, hsd_error *err)
{
    hsd_import *import = p->import;
    if (p->surplus > 0)
        HSD_WRITE(import, hsc_loss(import->writer, "samples without a value for each sample type", p->surplus), err);
    if (p->negative > 0) {
        HSD_WRITE(import, hsc_loss(import->writer, "stacks with less than nothing", p->negative), err);
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "%s is a difference of profiles: %" PRIu64 " stack%s less than nothing, and %s as nothing",
                 import->source->name, p->negative, p->negative == 1 ? " has" : "s have",
                 p->negative == 1 ? "counts" : "count");
    }
    if (p->repeated > 0)
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "%s has %" PRIu64 " allocation%s at an address that another has: %s in the sums alone",
                 import->source->name, p->repeated, p->repeated == 1 ? "" : "s",
                 p->repeated == 1 ? "it counts" : "they count");
    return HSD_OK;
}

static hsd_status import_profile(pprof *p, hsd_error *err)
{
    HSD_TRY(hsd_pprof_read_tables(p, err));
    HSD_TRY(hsd_pprof_choose_columns(p, err));
    HSD_TRY(hsd_pprof_choose_process(p, err));
    HSD_TRY(hsd_pprof_begin(p, err));
    HSD_TRY(hsd_pprof_each_sample(p, false, hsd_pprof_take_sample, err));
    hsd_import_heap_end(p->import);
    HSD_TRY(hsd_pprof_write_sums(p, err));
    HSD_TRY(tell_losses(p, err));
    p->import->result->is_complete = true;
    return hsd_import_end(p->import, err);
}

static void release_pprof_import(pprof *p)
{
    hsd_id_table *const tables[] = {&p->mapping_rows, &p->function_rows, &p->location_rows, &p->objects};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        hsd_id_table_release(tables[i]);
    hsd_pair_table_release(&p->sites);
    hsd_pair_table_release(&p->sum_rows);
    hsd_names_release(&p->names.names);
    hsd_names_release(&p->frame_keys);
    hsd_names_release(&p->type_keys);
    hsd_buffer_release(&p->texts);
    free(p->strings);
    free(p->mappings);
    free(p->functions);
    free(p->locations);
    free(p->lines);
    free(p->location_frames);
    free(p->frames);
    free(p->sums);
    free(p->stacks);
    free(p);
}

static hsd_status open_pprof_import(pprof *p, hsd_import *import, hsd_error *err)
{
    p->import = import;
    p->source = import->source;
    if (getrandom(&p->stack_seed, sizeof p->stack_seed, 0) != sizeof p->stack_seed) p->stack_seed = 1;
    p->stack_sets = PPROF_STACK_SETS_MOST;
    while (p->stack_sets > 1 && p->stack_sets * PPROF_STACK_WAYS * sizeof *p->stacks > import->memory_bytes / 8)
        p->stack_sets /= 2;
    p->stacks = calloc(p->stack_sets * PPROF_STACK_WAYS, sizeof *p->stacks);
    return p->stacks == NULL ? hsd_fail_nomem(err, "an import") : HSD_OK;
}

static hsd_status run_pprof_import(hsd_import *import, hsd_error *err)
{
    pprof *p = calloc(1, sizeof *p);
    if (p == NULL) return hsd_fail_nomem(err, "an import");
    hsd_status status = open_pprof_import(p, import, err);
    if (status == HSD_OK) status = import_profile(p, err);
    release_pprof_import(p);
    return status;
}

const hsd_importer hsd_import_pprof = {
    .info = {.name = "pprof",
             .summary = "pprof heap profile (Go, Node, Fuchsia, tcmalloc, jemalloc)",
             .suffixes = ".pb.gz .pb .pprof",
             .carries = {.always = HSD_CARRIES_SITES, .sometimes = HSD_CARRIES_OBJECTS | HSD_CARRIES_IDENTITY},
             .lacks = "types, references and roots: sums by allocation stack, mostly sampled"},
    .needs_rewind = true,
    .probe = hsd_pprof_probe,
    .run = run_pprof_import,
};
