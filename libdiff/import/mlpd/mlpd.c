/*
 * The importer of files of Mono's log profiler: the row of the registry, the choice of a heap shot, and what the
 * capture says of itself.
 */
#include "import/mlpd/mlpd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

enum { SHOTS_LISTED = 4 };

static unsigned probe_mlpd(const uint8_t *prefix, size_t size)
{
    static const uint8_t magic[] = {0x01, 0x5a, 0x50, 0x4d};
    if (size < 8 || memcmp(prefix, magic, sizeof magic) != 0) return 0;
    return prefix[7] == 4 || prefix[7] == 8 ? 48 : 0;
}

/* ---- which shot ---- */

static hsd_status fail_without_shot(hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "there is no heap shot in this file of Mono's log profiler");
    hsd_error_set_hint(err, "profile with heapshot: mono "
                            "--profile=log:nodefaults,gc,gcmove,gcroot,heapshot=ondemand,output=FILE program.exe");
    return HSD_E_UNSUPPORTED;
}

static hsd_status fail_with_many(const mlpd *m, hsd_error *err)
{
    char list[160];
    size_t used = 0;
    for (uint32_t i = 0; i < m->shot_count && i < SHOTS_LISTED; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRIu32 " with %" PRIu64, i == 0 ? "" : ", ",
                                 i + 1, m->shots[i].objects);
    hsd_fail(err, HSD_E_UNSUPPORTED, "there are %" PRIu32 " heap shots in this file: %s%s objects", m->shot_count, list,
             m->shot_count > SHOTS_LISTED ? ", ..." : "");
    hsd_error_set_hint(err, "choose one with --dump N, or compare two: --dump 1,%" PRIu32, m->shot_count);
    return HSD_E_UNSUPPORTED;
}

static hsd_status choose_shot(mlpd *m, hsd_error *err)
{
    const unsigned wanted = m->import->options->dump_number;
    if (m->shot_count == 0) return fail_without_shot(err);
    if (wanted == 0 && m->shot_count > 1) return fail_with_many(m, err);
    if (wanted > m->shot_count) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "there is no heap shot %u in this file: it has %u", wanted, m->shot_count);
        hsd_error_set_hint(err, "choose one of them: --dump %u", m->shot_count);
        return HSD_E_UNSUPPORTED;
    }
    m->wanted = wanted == 0 ? 1 : wanted;
    if (m->shots[m->wanted - 1].is_whole || m->import->options->salvage) return HSD_OK;
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(m->source), "heap shot %u is cut off or damaged", m->wanted);
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

/* ---- what is said of it ---- */

static hsd_status tell_losses(mlpd *m, uint64_t unread_buffers, hsd_error *err)
{
    hsd_import *import = m->import;
    const bool is_whole = m->shots[m->wanted - 1].is_whole;
    import->result->is_complete = is_whole;
    if (unread_buffers > 0) {
        HSD_WRITE(import,
                  hsc_loss(import->writer, "buffers of the profiler that could not be read to their end",
                           unread_buffers),
                  err);
        hsd_note(import->reporter, HSD_NOTE_DAMAGE, "%" PRIu64 " buffer%s of %s could not be read to %s end",
                 unread_buffers, unread_buffers == 1 ? "" : "s", import->source->name,
                 unread_buffers == 1 ? "its" : "their");
    }
    if (m->is_cut && is_whole)
        hsd_note(import->reporter, HSD_NOTE_DETAIL,
                 "%s ends inside a buffer, as files of programs that were killed do: the heap shot is whole",
                 import->source->name);
    if (m->ids.is_given_up)
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "the moves of objects in %s take more memory than there is: objects are recognised by structure; give "
                 "it more: --memory",
                 import->source->name);
    if (is_whole) return HSD_OK;
    HSD_WRITE(import, hsc_mark_incomplete(import->writer, "the heap shot was cut off"), err);
    hsd_note(import->reporter, HSD_NOTE_DAMAGE, "the heap shot of %s was cut off: what is there was imported",
             import->source->name);
    return HSD_OK;
}

static hsd_status import_file(mlpd *m, hsd_error *err)
{
    HSD_TRY(hsd_mlpd_scan(m, err));
    HSD_TRY(choose_shot(m, err));
    hsd_import_note_input(m->import);
    const uint64_t unread_buffers = m->unread_buffers;
    const bool is_cut = m->is_cut;
    m->ids = (mlpd_ids){.most_bytes = m->import->memory_bytes / 2, .shift = m->pointer_bytes == 8 ? 4 : 3};
    HSD_TRY(hsd_source_rewind(m->source, err));
    HSD_TRY(hsd_mlpd_write(m, err));
    m->is_cut = is_cut;
    HSD_TRY(tell_losses(m, unread_buffers, err));
    return hsd_import_end(m->import, err);
}

static void release_mlpd(mlpd *m)
{
    hsd_id_table *tables[] = {&m->classes, &m->vtables, &m->threads, &m->types, &m->labels};
    hsd_names *names[] = {&m->class_names, &m->texts, &m->strings.names};
    void *rows[] = {m->class_rows, m->vtable_classes, m->thread_names, m->changes,
                    m->shots,      m->ranges,         m->roots,        m->defined_threads};
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        hsd_id_table_release(tables[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        hsd_names_release(names[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(rows); i++)
        free(rows[i]);
    hsd_mlpd_ids_release(&m->ids);
    free(m);
}

static hsd_status run_mlpd(hsd_import *import, hsd_error *err)
{
    mlpd *m = calloc(1, sizeof *m);
    if (m == NULL) return hsd_fail_nomem(err, "an import");
    m->import = import;
    m->source = import->source;
    m->strings.before = MLPD_STRING_FIRST - 1;
    const hsd_status status = import_file(m, err);
    release_mlpd(m);
    return status;
}

const hsd_importer hsd_import_mlpd = {
    .info = {.name = "mlpd",
             .summary = "Mono log profiler file",
             .suffixes = ".mlpd .mlpd.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_ROOTS,
                         .sometimes = HSD_CARRIES_IDENTITY},
             .lacks = "field names: places in objects and statics instead"},
    .needs_rewind = true,
    .probe = probe_mlpd,
    .run = run_mlpd,
};
