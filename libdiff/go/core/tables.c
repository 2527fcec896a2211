/*
 * Types and labels of what no type is known of, and of what waits; of all else go/types/writer.h.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "go/core/gocore.h"

enum { NAMED_WORDS = 512 };
#define UNTYPED  (UINT64_C(1) << 40)
#define WAITING  (UINT64_C(1) << 41)
#define CLEANING (UINT64_C(1) << 42)

hsd_status hsd_gocore_check_memory(const void *context, hsd_error *err)
{
    const gocore *go = context;
    const uint64_t taken = hsd_gowriter_memory(&go->out) + hsd_id_table_memory(&go->goroutines) +
                           hsd_id_table_memory(&go->led) + hsd_id_table_memory(&go->canon);
    return hsd_import_expect_room(taken, go->import->memory_bytes / 4, "the names of this core",
                                  taken * 8 + HSD_IMPORT_MORE, err);
}

hsd_status hsd_gocore_put_type(gocore *go, const goslot *slot, uint32_t *number, hsd_error *err)
{
    char name[256];
    const gotyped typed = hsd_gotyped_of(go->typing.slots.types[slot->number]);
    if (typed.type != 0)
        return hsd_gowriter_type_at(&go->out, typed, slot->begin + slot->span->head_bytes, number, err);
    const int size = snprintf(name, sizeof name, "object of %" PRIu64 " B, %s", slot->span->slot_bytes,
                              (slot->span->flags & GOCORE_NOSCAN) != 0 ? "no pointers" : "with pointers");
    return hsd_gowriter_name_type(&go->out, name, (size_t)size, number, err);
}

/* ---- labels ---- */

static hsd_status define_label(gocore *go, uint32_t label, hsc_label_kind kind, uint32_t flags, uint32_t name,
                               hsd_error *err)
{
    HSD_WRITE(go->import, hsc_define_label(go->import->writer, label, kind, flags, name), err);
    return hsd_gocore_check_memory(go, err);
}

hsd_status hsd_gocore_put_label(gocore *go, gotyped typed, uint64_t offset, uint32_t *label, uint64_t *index,
                                hsd_error *err)
{
    uint32_t name = 0;
    HSD_TRY(hsd_gowriter_label(&go->out, typed, offset, label, index, err));
    if (*label != 0) return HSD_OK;
    const bool is_element = offset / 8 >= NAMED_WORDS;
    const uint32_t before = go->out.labels.count;
    HSD_TRY(hsd_id_table_put(&go->out.labels, UNTYPED | (is_element ? 1 : offset), label, err));
    *index = is_element ? offset / 8 : 0;
    if (go->out.labels.count == before) return HSD_OK;
    if (!is_element) HSD_TRY(hsd_gowriter_format(&go->out, &name, err, "+%" PRIu64, offset));
    return define_label(go, *label, is_element ? HSC_LABEL_ELEMENT : HSC_LABEL_FIELD, HSC_STRENGTH_STRONG, name, err);
}

static hsd_status put_own_label(gocore *go, uint64_t key, const char *text, uint32_t flags, uint32_t *label,
                                hsd_error *err)
{
    uint32_t name;
    const uint32_t before = go->out.labels.count;
    HSD_TRY(hsd_id_table_put(&go->out.labels, key, label, err));
    if (go->out.labels.count == before) return HSD_OK;
    HSD_TRY(hsd_gowriter_format(&go->out, &name, err, "%s", text));
    return define_label(go, *label, HSC_LABEL_INTERNAL, flags, name, err);
}

hsd_status hsd_gocore_put_waiting_label(gocore *go, uint32_t *label, hsd_error *err)
{
    return put_own_label(go, WAITING, "waiting", HSC_STRENGTH_WEAK, label, err);
}

hsd_status hsd_gocore_put_cleanup_label(gocore *go, uint32_t *label, hsd_error *err)
{
    return put_own_label(go, CLEANING, "cleanup", HSC_STRENGTH_STRONG, label, err);
}
