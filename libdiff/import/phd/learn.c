/*
 * What has to be known before the first object is written: classes, which stand at the end of a dump, what is referred
 * to, and which objects are threads and class loaders. See phd.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "import/phd/phd.h"

enum { MOST_SUPERCLASSES = 1024, CHECK_EVERY = 1 << 12, LEAST_ROOM = 1 << 20 };

hsd_status hsd_phd_check_memory(const phd *p, hsd_error *err)
{
    const uint64_t pages = p->marks.table.count * (uint64_t)PHD_PAGE_WORDS * 2 * sizeof(uint64_t);
    const uint64_t taken = pages + p->marks.page_room * sizeof(uint64_t *) + hsd_id_table_memory(&p->marks.table) +
                           hsd_id_table_memory(&p->classes) + hsd_id_table_memory(&p->rooted) +
                           hsd_names_memory(&p->names) + hsd_names_memory(&p->types) +
                           hsd_names_memory(&p->texts.names) + p->class_room * sizeof *p->class_rows +
                           hsd_id_table_memory(&p->instances.table) + p->instances.bytes +
                           p->instances.row_room * sizeof *p->instances.rows;
    return hsd_import_expect_room(taken, hsd_max_u64(p->import->memory_bytes / 2, LEAST_ROOM),
                                  "the classes of this dump and what is referred to in it", taken * 4 + HSD_IMPORT_MORE,
                                  err);
}

/* ---- classes ---- */

static hsd_status add_class(phd *p, const phd_record *record, hsd_error *err)
{
    uint32_t number, name;
    const uint32_t before = p->classes.count;
    HSD_TRY(hsd_id_table_put(&p->classes, record->address, &number, err));
    if (p->classes.count == before) return HSD_OK; /* twice: the first one counts */
    HSD_TRY(hsd_id_table_put(&p->rooted, record->address, &(uint32_t){0}, err));
    HSD_TRY(hsd_names_put(&p->names, record->name, &name, err));
    HSD_TRY(hsd_import_grow((void **)&p->class_rows, &p->class_room, number, sizeof *p->class_rows, err));
    p->class_rows[number - 1] = (phd_class){.address = record->address,
                                            .super = record->class_address,
                                            .instance_bytes = record->instance_bytes,
                                            .name = name};
    return hsd_phd_check_memory(p, err);
}

static bool is_called(const phd *p, const phd_class *of, const char *name)
{
    const hsd_bytes text = hsd_names_get(&p->names, of->name);
    return text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
}

uint32_t hsd_phd_flags_of(const phd *p, phd_class *of)
{
    if ((of->flags & PHD_IS_KNOWN) != 0) return of->flags;
    const phd_class *at = of;
    for (unsigned i = 0; at != NULL && i < MOST_SUPERCLASSES; i++) {
        if (is_called(p, at, "java/lang/Thread")) of->flags |= PHD_IS_THREAD;
        if (is_called(p, at, "java/lang/ClassLoader")) of->flags |= PHD_IS_LOADER;
        at = at->super == 0 ? NULL : hsd_phd_class_of(p, at->super);
    }
    return of->flags |= PHD_IS_KNOWN;
}

/* ---- passes ---- */

static hsd_status tell_progress(phd *p, hsd_error *err)
{
    if (++p->records % CHECK_EVERY != 0) return HSD_OK;
    return hsd_progress(p->import->reporter, "reading classes", hsd_source_offset(p->source), p->source->total_bytes,
                        err);
}

static hsd_status mark_targets(phd *p, phd_record *record, hsd_error *err)
{
    size_t count;
    do {
        HSD_TRY(hsd_phd_targets(p, record, &count, err));
        for (size_t i = 0; i < count; i++)
            if (p->targets[i] != record->address) HSD_TRY(hsd_phd_mark(p, p->targets[i], err));
        for (size_t i = 0; record->kind == PHD_CLASS && i < count; i++)
            HSD_TRY(hsd_phd_reach(p, p->targets[i], err));
    } while (count > 0);
    return HSD_OK;
}

static hsd_status learn_record(phd *p, phd_record *record, hsd_error *err)
{
    if (record->kind == PHD_CLASS) HSD_TRY(add_class(p, record, err));
    if (!p->import->options->summary_only) {
        if (record->kind == PHD_OBJECT) HSD_TRY(hsd_phd_add_instance(p, record->class_address, record->address, err));
        HSD_TRY(mark_targets(p, record, err));
    }
    return hsd_phd_finish_record(p, record, err);
}

/* A dump that is cut off ends where its last whole record does. */
static hsd_status learn_records(phd *p, hsd_error *err)
{
    phd_record record;
    hsd_status status;
    p->end_offset = hsd_source_offset(p->source);
    while ((status = hsd_phd_next(p, &record, err)) == HSD_OK) {
        HSD_TRY(learn_record(p, &record, err));
        p->end_offset = hsd_source_offset(p->source);
        HSD_TRY(tell_progress(p, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* All threads and loaders, where a class of them has more instances than were kept. */
static hsd_status find_rooted(phd *p, hsd_error *err)
{
    phd_record record;
    uint32_t number;
    HSD_TRY(hsd_source_rewind(p->source, err));
    HSD_TRY(hsd_phd_header(p, err));
    while (hsd_source_offset(p->source) < p->end_offset) {
        const hsd_status status = hsd_phd_next(p, &record, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        phd_class *of = record.kind == PHD_OBJECT ? hsd_phd_class_of(p, record.class_address) : NULL;
        if (of != NULL && (hsd_phd_flags_of(p, of) & (PHD_IS_THREAD | PHD_IS_LOADER)) != 0) {
            HSD_TRY(hsd_id_table_put(&p->rooted, record.address, &number, err));
            HSD_TRY(hsd_phd_check_memory(p, err));
        }
        HSD_TRY(hsd_phd_finish_record(p, &record, err));
        HSD_TRY(tell_progress(p, err));
    }
    return HSD_OK;
}

hsd_status hsd_phd_learn(phd *p, hsd_error *err)
{
    hsd_error why;
    hsd_error_init(&why);
    HSD_TRY(hsd_phd_header(p, err));
    const hsd_status status = learn_records(p, &why);
    p->is_cut = status == HSD_E_TRUNCATED && p->import->options->salvage && p->records > 0;
    if (status != HSD_OK && !p->is_cut) return hsd_import_give_up(status, &why, p->records > 0, err);
    hsd_import_note_input(p->import);
    bool is_enough;
    HSD_TRY(hsd_phd_root_instances(p, &is_enough, err));
    hsd_phd_release_instances(&p->instances);
    if (!is_enough) HSD_TRY(find_rooted(p, err));
    return p->import->options->summary_only ? HSD_OK : hsd_phd_spread(p, err);
}
