/*
 * The importer of heap snapshots of the Dart VM: the row of the registry, the passes in their order, and what the
 * capture says of itself.
 */
#include "import/dart/dart.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

static const char magic[] = "dartheap";
enum { MAGIC_BYTES = sizeof magic - 1 };

static unsigned probe_dart(const uint8_t *prefix, size_t size)
{
    return size > MAGIC_BYTES && memcmp(prefix, magic, MAGIC_BYTES) == 0 ? 8 * MAGIC_BYTES : 0;
}

static hsd_status begin_dart(dart *d, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "Dart";
    options.source_format = "dart";
    options.identity = HSC_IDENTITY_MOVING;
    options.taken_unix_ns = UINT64_MAX;
    options.targets_are_ordinals = true;
    if (d->domain != 0) hsd_import_set_domain(options.domain, d->domain, 0);
    if (d->import->options->summary_only) options.facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    return hsd_import_begin(d->import, &options, err);
}

static hsd_status tell_metrics(dart *d, hsd_error *err)
{
    HSD_WRITE(d->import, hsc_metric(d->import->writer, "heap.used", "bytes", d->live_bytes), err);
    HSD_WRITE(d->import, hsc_metric(d->import->writer, "heap.committed", "bytes", d->capacity_bytes), err);
    return HSD_OK;
}

static hsd_status read_all(dart *d, hsd_error *err)
{
    HSD_TRY(hsd_dart_header(d, err));
    HSD_TRY(hsd_dart_classes(d, err));
    return hsd_dart_skim(d, err);
}

static hsd_status import_snapshot(dart *d, hsd_error *err)
{
    const hsd_status status = read_all(d, err);
    const bool is_usable = status == HSD_E_TRUNCATED && d->told_count > 0;
    d->is_cut = is_usable && d->import->options->salvage;
    if (status == HSD_E_TRUNCATED && is_usable && !d->is_cut) hsd_import_hint_partial(err);
    if (status != HSD_OK && !d->is_cut) return status;
    hsd_import_note_input(d->import);
    HSD_TRY(begin_dart(d, err));
    HSD_TRY(hsd_import_define_texts(d->import, &d->texts, err));
    HSD_TRY(hsd_dart_write(d, err));
    hsd_import_heap_end(d->import);
    HSD_TRY(tell_metrics(d, err));
    HSD_TRY(hsd_import_mark_cut(d->import, d->is_cut, "the heap snapshot was cut off", "", err));
    return hsd_import_end(d->import, err);
}

static void release_dart(dart *d)
{
    hsd_names_release(&d->words);
    hsd_names_release(&d->texts.names);
    hsd_names_release(&d->types);
    hsd_id_table_release(&d->labels);
    hsd_id_table_release(&d->isolate_names);
    hsd_id_table_release(&d->places);
    hsd_id_table_release(&d->owners);
    hsd_id_table_release(&d->external);
    hsd_temp_close(&d->hashes);
    free(d->classes);
    free(d->fields);
    free(d->place_heads);
    free(d->described);
    free(d->statics);
    free(d->owner_rows);
    free(d->external_bytes);
    free(d->hash_page);
    free(d->totals);
    free(d);
}

static hsd_status run_dart(hsd_import *import, hsd_error *err)
{
    dart *d = calloc(1, sizeof *d);
    if (d == NULL) return hsd_fail_nomem(err, "an import");
    d->import = import;
    d->source = import->source;
    d->hashes.fd = -1;
    const hsd_status status = import_snapshot(d, err);
    release_dart(d);
    return status;
}

const hsd_importer hsd_import_dart = {
    .info = {.name = "dart",
             .summary = "heap snapshot of the Dart VM (Dart, Flutter)",
             .suffixes = ".data .dart_heap_snapshot .heap_snapshot",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS,
                         .sometimes = HSD_CARRIES_IDENTITY},
             .lacks = "values, allocation sites; which local variable holds"},
    .needs_rewind = true,
    .probe = probe_dart,
    .run = run_dart,
};
