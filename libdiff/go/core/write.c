/*
 * The objects, span by span, each with its references; then what holds them.
 */
#include "go/core/gocore.h"

#include "base/check.h"

typedef struct writing {
    gocore *go;
    goslot slot;
    gotyped typed; /* of the object under way */
    bool is_timer_list;
} writing;

/* Goroutines hang from where they were started, and timers from what they will call, not from what happens to list
 * them. Of the table of unique nobody holds anything. */
static bool has_own_root(const writing *w, uint64_t target)
{
    if (w->go->canon.count > 0 && hsd_id_table_find(&w->go->canon, target) != 0) return true;
    if (w->is_timer_list && hsd_id_table_find(&w->go->out.timers, target) != 0) return true;
    return hsd_id_table_find(&w->go->goroutines, target) != 0;
}

static hsd_status tell_reference(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    writing *w = context;
    uint64_t target, index = 0;
    uint32_t label;
    if (!hsd_gocore_target(w->go, value, &target)) return HSD_OK;
    if (has_own_root(w, target))
        HSD_TRY(hsd_gocore_put_waiting_label(w->go, &label, err));
    else
        HSD_TRY(hsd_gocore_put_label(w->go, w->typed, offset, &label, &index, err));
    HSD_WRITE(w->go->import, hsc_reference(w->go->import->writer, target, label, index), err);
    w->go->import->result->references++;
    return HSD_OK;
}

static hsd_status write_object(writing *w, hsd_error *err)
{
    gocore *go = w->go;
    hsc_object object = {.id = w->slot.begin, .size_bytes = w->slot.span->slot_bytes};
    w->typed = hsd_gotyped_of(go->typing.slots.types[w->slot.number]);
    w->is_timer_list = w->typed.is_items && w->typed.type != 0 && w->typed.type == go->out.timer_element;
    HSD_TRY(hsd_gocore_put_type(go, &w->slot, &object.type, err));
    go->import->result->objects++;
    go->import->result->bytes = hsd_add_saturating(go->import->result->bytes, object.size_bytes);
    if (go->import->options->summary_only) {
        HSD_WRITE(go->import, hsc_count(go->import->writer, object.type, 1, object.size_bytes), err);
        return HSD_OK;
    }
    HSD_WRITE(go->import, hsc_begin_object(go->import->writer, &object), err);
    HSD_TRY(hsd_gocore_pointers(go, &w->slot, tell_reference, w, err));
    HSD_WRITE(go->import, hsc_end_object(go->import->writer), err);
    return HSD_OK;
}

hsd_status hsd_gocore_write(gocore *go, hsd_error *err)
{
    const goslots *slots = &go->typing.slots;
    if (!go->import->options->summary_only) {
        HSD_TRY(hsd_gowriter_timers(&go->out, err));
        HSD_TRY(hsd_gowriter_statics(&go->out, err));
    }
    for (uint32_t i = 0; i < slots->span_count; i++) {
        const gospan *span = &slots->spans[i];
        for (uint32_t j = 0; j < span->count; j++) {
            writing w = {
                .go = go,
                .slot = {.span = span, .number = span->first + j, .begin = span->begin + j * span->slot_bytes}};
            if (hsd_goslots_is_live(slots, w.slot.number)) HSD_TRY(write_object(&w, err));
        }
        HSD_TRY(hsd_progress(go->import->reporter, "importing", i, slots->span_count, err));
    }
    return go->import->options->summary_only ? HSD_OK : hsd_gocore_write_roots(go, err);
}
