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

static hsd_status name_typed(goheap *go, gotyped typed, uint32_t *number, hsd_error *err)
{
    char name[2048];
    uint32_t flags;
    const size_t types = go->typed->typing.types.type_count;
    uint32_t *known = typed.type >= GOTYPE_TEXT ? &go->typed->numbers[2 * types + typed.type - GOTYPE_TEXT]
                                                : &go->typed->numbers[2 * (size_t)typed.type + typed.is_items];
    if (*known == 0) {
        const size_t size = hsd_gotyping_name(&go->typed->typing, typed, name, sizeof name, &flags);
        HSD_TRY(hsd_goheap_name_type(go, name, size, flags, known, err));
    }
    *number = *known;
    return HSD_OK;
}

hsd_status hsd_goheap_type_of(goheap *go, uint64_t address, uint32_t *number, hsd_error *err)
{
    goslot slot;
    gotyped typed;
    return find_typed(go, address, &slot, &typed) ? name_typed(go, typed, number, err) : HSD_OK;
}

static hsd_status define_label(goheap *go, uint32_t label, const goword *word, bool is_element, hsd_error *err)
{
    static const hsc_label_kind kinds[] = {[GO_FIELD] = HSC_LABEL_FIELD,
                                           [GO_KEY] = HSC_LABEL_KEY,
                                           [GO_VALUE] = HSC_LABEL_VALUE,
                                           [GO_INSIDE] = HSC_LABEL_FIELD};
    const hsd_bytes path = hsd_names_get(&go->typed->typing.plans.paths, word->name);
    const hsc_label_kind kind = is_element ? HSC_LABEL_ELEMENT : kinds[word->part];
    uint32_t name = 0;
    if (kind == HSC_LABEL_FIELD && path.size > 0)
        HSD_TRY(hsd_goheap_put_string(go, path, &name, err));
    else if (kind == HSC_LABEL_FIELD)
        HSD_TRY(hsd_goheap_put_format(go, &name, err, "*"));
    HSD_WRITE(go->import,
              hsc_define_label(go->import->writer, label, kind,
                               HSC_STRENGTH_STRONG | (word->part == GO_INSIDE ? HSC_LABEL_FOLD : 0), name),
              err);
    return hsd_goheap_check_memory(go, err);
}

/* Of the word at this place behind the beginning of a value. */
static hsd_status label_word(goheap *go, gotyped typed, uint64_t offset, uint32_t *label, uint64_t *index,
                             hsd_error *err)
{
    const goword *word;
    uint64_t element;
    HSD_TRY(hsd_gotyping_word_at(&go->typed->typing, typed, offset, &word, &element, err));
    if (word == NULL) return HSD_OK;
    const bool is_element = typed.is_items && word->name == 0;
    const uint32_t before = go->typed->labels.count;
    HSD_TRY(hsd_id_table_put(&go->typed->labels, (uint64_t)word->name << 3 | word->part << 1 | is_element, label, err));
    *label += GOHEAP_FIRST_TYPED_LABEL;
    *index = is_element ? element : 0;
    return go->typed->labels.count > before ? define_label(go, *label, word, is_element, err) : HSD_OK;
}

hsd_status hsd_goheap_label_of(goheap *go, uint64_t address, uint64_t offset, uint32_t *label, uint64_t *index,
                               hsd_error *err)
{
    goslot slot;
    gotyped typed;
    if (!find_typed(go, address, &slot, &typed) || offset < slot.span->head_bytes) return HSD_OK;
    return label_word(go, typed, offset - slot.span->head_bytes, label, index, err);
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

static hsd_status write_static(goheap *go, const gostatic *one, hsd_error *err)
{
    hsc_object object = {.id = one->address};
    HSD_TRY(name_typed(go, (gotyped){.type = one->type, .is_items = one->is_items}, &object.type, err));
    HSD_WRITE(go->import, hsc_begin_object(go->import->writer, &object), err);
    HSD_WRITE(go->import, hsc_end_object(go->import->writer), err);
    go->import->result->objects++;
    return HSD_OK;
}

hsd_status hsd_goheap_write_statics(goheap *go, hsd_error *err)
{
    const gostatics *statics = go->typed == NULL ? NULL : &go->typed->typing.statics;
    for (uint32_t i = 0; statics != NULL && i < statics->count; i++)
        if (statics->at[i].is_needed) HSD_TRY(write_static(go, &statics->at[i], err));
    return HSD_OK;
}

hsd_status hsd_goheap_refer_static(goheap *go, uint64_t id, uint64_t address, uint64_t target, hsd_error *err)
{
    uint32_t label = 0;
    uint64_t index = 0;
    const gostatic *one = hsd_gostatics_at(&go->typed->typing, id);
    HSD_TRY(label_word(go, (gotyped){.type = one->type, .is_items = one->is_items}, address - id, &label, &index, err));
    HSD_WRITE(go->import, hsc_edge(go->import->writer, id, target, label, index), err);
    go->import->result->references++;
    return HSD_OK;
}

hsd_status hsd_goheap_root_static(goheap *go, uint64_t id, uint32_t label, uint32_t flags, hsd_error *err)
{
    gostatic *one = hsd_gostatics_at(&go->typed->typing, id);
    if (one->has_root) return HSD_OK;
    one->has_root = true;
    HSD_WRITE(go->import,
              hsc_root(go->import->writer,
                       &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = label, .target = id, .flags = flags}),
              err);
    return HSD_OK;
}

/* What no pointer of a variable leads to has a root of its own. */
hsd_status hsd_goheap_root_statics(goheap *go, hsd_error *err)
{
    char name[2048];
    uint32_t label, flags;
    gostatic *one;
    if (go->typed == NULL) return HSD_OK;
    for (;;) {
        HSD_TRY(hsd_gostatics_unreached(&go->typed->typing, &one, err));
        if (one == NULL) return HSD_OK;
        hsd_gotyping_name(&go->typed->typing, (gotyped){.type = one->type, .is_items = one->is_items}, name,
                          sizeof name, &flags);
        HSD_TRY(hsd_goheap_put_format(go, &label, err, "static %s", name));
        HSD_TRY(hsd_goheap_root_static(go, one->address, label, hsd_gotask_is_runtime(name) ? HSC_ROOT_SECONDARY : 0,
                                       err));
    }
}

/* ---- what runs later ---- */

static hsd_status root_timer(void *context, uint64_t timer, const char *function, hsd_error *err)
{
    goheap *go = context;
    hsc_root_record root = {.kind = HSC_ROOT_RUNTIME, .flags = HSC_ROOT_SECONDARY};
    uint32_t number;
    if (!hsd_goheap_index_find(&go->index, timer, &root.target)) return HSD_OK;
    HSD_TRY(hsd_goheap_put_format(go, &root.label, err, "timer %s", function));
    HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    HSD_TRY(hsd_id_table_put(&go->typed->timers, root.target, &number, err));
    return hsd_goheap_check_memory(go, err);
}

hsd_status hsd_goheap_write_timers(goheap *go, hsd_error *err)
{
    return go->typed == NULL ? HSD_OK : hsd_gotask_timers(&go->typed->typing, root_timer, go, err);
}

bool hsd_goheap_is_timer_list(const goheap *go, uint32_t type)
{
    const goheap_typed *typed = go->typed;
    return typed != NULL && typed->timers.count > 0 && typed->timer_element != 0 &&
           typed->numbers[2 * (size_t)typed->timer_element + 1] == type;
}

bool hsd_goheap_is_timer(const goheap *go, uint64_t address)
{
    return hsd_id_table_find(&go->typed->timers, address) != 0;
}

/* "" for 0. */
static void copy_string(const goheap *go, uint32_t number, char *out, size_t size)
{
    const hsd_bytes text = number == 0 ? (hsd_bytes){0} : hsd_names_get(&go->strings.names, number - 1);
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
    const gostart known = {
        .created_at = start->created_at, .wrapper_at = start->wrapper_at, .function = function, .wrapper = wrapper};
    const size_t size =
        hsd_gotask_goroutine(go->typed == NULL ? &nothing : &go->typed->typing, &known, &is_runtime, text, sizeof text);
    *flags = is_runtime ? HSC_ROOT_SECONDARY : 0;
    return hsd_goheap_put_string(go, (hsd_bytes){(const uint8_t *)text, size}, label, err);
}
