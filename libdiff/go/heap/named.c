/*
 * What the executable tells of the heap while it is written: types and fields of objects, variables, and values that
 * lie among the variables without a name (go/types/statics.h).
 */
#include <string.h>

#include "base/check.h"
#include "go/heap/typed.h"

static bool find_typed(const goheap *go, uint64_t address, goslot *slot, gotyped *typed)
{
    if (go->typed == NULL || !hsd_goslots_find(&go->typed->typing.slots, address, slot)) return false;
    *typed = hsd_gotyped_of(go->typed->typing.slots.types[slot->number]);
    return typed->type != 0;
}

hsd_status hsd_goheap_type_of(goheap *go, uint64_t address, uint32_t *number, hsd_error *err)
{
    goslot slot;
    gotyped typed;
    if (!find_typed(go, address, &slot, &typed)) return HSD_OK;
    return hsd_gowriter_type_at(&go->out, typed, slot.begin + slot.span->head_bytes, number, err);
}

hsd_status hsd_goheap_label_of(goheap *go, uint64_t address, uint64_t offset, uint32_t *label, uint64_t *index,
                               hsd_error *err)
{
    goslot slot;
    gotyped typed;
    if (!find_typed(go, address, &slot, &typed) || offset < slot.span->head_bytes) return HSD_OK;
    return hsd_gowriter_label(&go->out, typed, offset - slot.span->head_bytes, label, index, err);
}

void hsd_goheap_global_at(const goheap *go, uint64_t address, char *out, size_t room, size_t *size, bool *is_runtime)
{
    *is_runtime = false;
    *size = go->typed == NULL ? 0 : hsd_gotyping_name_global(&go->typed->typing, address, out, room, is_runtime);
}

/* ---- values without a name ---- */

void hsd_goheap_static_at(const goheap *go, uint64_t address, uint64_t *id)
{
    const gostatic *found = go->typed == NULL ? NULL : hsd_gostatics_at(&go->typed->typing, address);
    *id = found == NULL ? 0 : found->address;
}

hsd_status hsd_goheap_refer_static(goheap *go, uint64_t id, uint64_t address, uint64_t target, hsd_error *err)
{
    uint32_t label = 0;
    uint64_t index = 0;
    const gostatic *one = hsd_gostatics_at(&go->typed->typing, id);
    HSD_TRY(hsd_gowriter_label(&go->out, hsd_gotyped_of_static(one), address - id, &label, &index, err));
    HSD_WRITE(go->import, hsc_edge(go->import->writer, id, target, label, index), err);
    go->import->result->references++;
    return HSD_OK;
}

hsd_status hsd_goheap_root_static(goheap *go, uint64_t id, uint32_t label, uint32_t flags, hsd_error *err)
{
    return hsd_gowriter_root_static(&go->out, hsd_gostatics_at(&go->typed->typing, id), label, flags, err);
}

/* ---- what runs later ---- */

bool hsd_goheap_is_timer_list(const goheap *go, uint32_t type)
{
    const gowriter *out = &go->out;
    return go->typed != NULL && out->timers.count > 0 && out->timer_element != 0 &&
           out->numbers[2 * (size_t)out->timer_element + 1] == type;
}

bool hsd_goheap_is_timer(const goheap *go, uint64_t address)
{
    return hsd_id_table_find(&go->out.timers, address) != 0;
}

/* "" for 0. */
static void copy_string(const goheap *go, uint32_t number, char *out, size_t size)
{
    const hsd_bytes text = number != 0 ? hsd_names_get(&go->out.strings.names, number - 1) : (hsd_bytes){0};
    const size_t kept = hsd_min_u64(text.size, size - 1);
    if (kept > 0) memcpy(out, text.data, kept);
    out[kept] = '\0';
}

hsd_status hsd_goheap_goroutine_label(goheap *go, const goheap_start *start, uint32_t *label, uint32_t *flags,
                                      hsd_error *err)
{
    static const gotyping nothing;
    char function[256], wrapper[256], text[1024];
    bool is_runtime;
    copy_string(go, start->function, function, sizeof function);
    copy_string(go, start->wrapper, wrapper, sizeof wrapper);
    const gostart known = {.created_at = start->created_at,
                           .wrapper_at = start->wrapper_at,
                           .function = function,
                           .wrapper = wrapper,
                           .own_at = start->own_at};
    const size_t size =
        hsd_gotask_goroutine(go->typed == NULL ? &nothing : &go->typed->typing, &known, &is_runtime, text, sizeof text);
    *flags = is_runtime ? HSC_ROOT_SECONDARY : 0;
    return hsd_gowriter_string(&go->out, (hsd_bytes){(const uint8_t *)text, size}, label, err);
}
