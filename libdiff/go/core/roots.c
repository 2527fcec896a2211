/*
 * What holds the heap from outside but for stacks: globals, word by word where the runtime's masks say that pointers
 * are, and finalizers.
 */
#include "base/check.h"
#include "go/core/gocore.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_MODULES = 64,
    MOST_SPECIALS = 1 << 24,
    FINALIZER = 1,
    FINALIZER_BEHIND_TINY = 2,
    TINY_SINCE = 25,
    PIECE_BYTES = 512,
    NAME_BYTES = 2048
};

bool hsd_gocore_target(const void *context, uint64_t value, uint64_t *target)
{
    const gocore *go = context;
    goslot slot;
    if (value < 4096 || !hsd_goslots_find(&go->typing.slots, value, &slot) ||
        !hsd_goslots_is_live(&go->typing.slots, slot.number))
        return false;
    *target = slot.begin;
    return true;
}

/* ---- globals ---- */

static hsd_status refer_static(gocore *go, const gostatic *one, uint64_t address, uint64_t target, hsd_error *err)
{
    uint32_t label;
    uint64_t index;
    if (target == one->address) return HSD_OK;
    HSD_TRY(hsd_gocore_put_label(go, hsd_gotyped_of_static(one), address - one->address, &label, &index, err));
    HSD_WRITE(go->import, hsc_edge(go->import->writer, one->address, target, label, index), err);
    go->import->result->references++;
    return HSD_OK;
}

static hsd_status name_global(gocore *go, const char *segment, uint64_t begin, uint64_t address, hsc_root_record *root,
                              hsd_error *err)
{
    char name[NAME_BYTES];
    bool is_runtime;
    const size_t size = hsd_gotyping_name_global(&go->typing, address, name, sizeof name, &is_runtime);
    if (size == 0) return hsd_gowriter_format(&go->out, &root->label, err, "%s+0x%" PRIx64, segment, address - begin);
    if (is_runtime) root->flags = HSC_ROOT_SECONDARY;
    return hsd_gowriter_string(&go->out, (hsd_bytes){(const uint8_t *)name, size}, &root->label, err);
}

static hsd_status write_global(gocore *go, const char *segment, uint64_t begin, uint64_t address, hsd_error *err)
{
    hsc_root_record root = {.kind = HSC_ROOT_GLOBAL};
    uint64_t value;
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, address, &value, err));
    const bool is_in_heap = hsd_gocore_target(go, value, &root.target);
    gostatic *other = is_in_heap ? NULL : hsd_gostatics_at(&go->typing, value);
    if (!is_in_heap && other == NULL) return HSD_OK;
    const gostatic *inside = hsd_gostatics_at(&go->typing, address);
    if (inside != NULL) return refer_static(go, inside, address, is_in_heap ? root.target : other->address, err);
    HSD_TRY(name_global(go, segment, begin, address, &root, err));
    if (!is_in_heap) return hsd_gowriter_root_static(&go->out, other, root.label, root.flags, err);
    HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status write_segment(gocore *go, const char *name, uint64_t begin, uint64_t end, uint64_t mask,
                                hsd_error *err)
{
    uint8_t bytes[PIECE_BYTES];
    if (begin > end || end - begin > go->core.input.bytes) return HSD_OK;
    const uint64_t words = (end - begin) / 8;
    for (uint64_t first = 0; first < words; first += 8 * sizeof bytes) {
        const size_t size = (size_t)hsd_min_u64(sizeof bytes, (words - first + 7) / 8);
        const hsd_status status = hsd_gomemory_read(&go->typing.memory, mask + first / 8, bytes, size, err);
        if (status == HSD_END) return HSD_OK;
        if (status != HSD_OK) return status;
        for (uint64_t i = 0; i < 8 * size && first + i < words; i++)
            if ((bytes[i / 8] >> i % 8 & 1) != 0) HSD_TRY(write_global(go, name, begin, begin + 8 * (first + i), err));
    }
    return HSD_OK;
}

hsd_status hsd_gocore_find_globals(gocore *go, hsd_error *err)
{
    gostatics *statics = &go->typing.statics;
    const uint64_t module = hsd_gocore_symbol(go, SYM_MODULE);
    HSD_TRY(hsd_gocore_field(go, module, MODULE_DATA, &statics->begin[0], err));
    HSD_TRY(hsd_gocore_field(go, module, MODULE_EDATA, &statics->end[0], err));
    HSD_TRY(hsd_gocore_field(go, module, MODULE_BSS, &statics->begin[1], err));
    return hsd_gocore_field(go, module, MODULE_EBSS, &statics->end[1], err);
}

static hsd_status write_modules(gocore *go, hsd_error *err)
{
    uint64_t module = hsd_gocore_symbol(go, SYM_MODULE), begin, end, mask;
    for (unsigned i = 0; module != 0 && i < MOST_MODULES; i++) {
        HSD_TRY(hsd_gocore_field(go, module, MODULE_DATA, &begin, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_EDATA, &end, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_DATA_MASK, &mask, err));
        HSD_TRY(write_segment(go, "data", begin, end, mask, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_BSS, &begin, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_EBSS, &end, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_BSS_MASK, &mask, err));
        HSD_TRY(write_segment(go, "bss", begin, end, mask, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_NEXT, &module, err));
    }
    return HSD_OK;
}

/* ---- finalizers ---- */

typedef hsd_status (*finalizer_fn)(gocore *go, const gospan *span, uint64_t special, hsd_error *err);

static hsd_status write_finalizer(gocore *go, const gospan *span, uint64_t special, hsd_error *err)
{
    hsc_root_record root = {.kind = HSC_ROOT_FINALIZER, .flags = HSC_ROOT_SECONDARY};
    uint64_t offset, function;
    HSD_TRY(hsd_gocore_field(go, special, SPECIAL_OFFSET, &offset, err));
    HSD_TRY(hsd_gocore_field(go, special, FINALIZER_FN, &function, err));
    HSD_TRY(hsd_gowriter_format(&go->out, &root.label, err, "(finalizers)"));
    if (hsd_gocore_target(go, span->begin + offset, &root.target))
        HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    if (hsd_gocore_target(go, function, &root.target)) HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status offer_finalized(gocore *go, const gospan *span, uint64_t special, hsd_error *err)
{
    uint64_t offset, type;
    HSD_TRY(hsd_gocore_field(go, special, SPECIAL_OFFSET, &offset, err));
    HSD_TRY(hsd_gocore_field(go, special, FINALIZER_TYPE, &type, err));
    return type == 0 ? HSD_OK : hsd_gotyping_offer_finalized(&go->typing, span->begin + offset, type, err);
}

static hsd_status each_finalizer(gocore *go, finalizer_fn tell, hsd_error *err)
{
    const goslots *slots = &go->typing.slots;
    const uint64_t wanted = go->minor >= TINY_SINCE ? FINALIZER_BEHIND_TINY : FINALIZER;
    uint64_t special, kind, left = MOST_SPECIALS; /* of all spans: a list that leads in circles ends there */
    for (uint32_t i = 0; i < slots->span_count; i++) {
        HSD_TRY(hsd_gocore_field(go, slots->spans[i].where[0], SPAN_SPECIALS, &special, err));
        for (; special != 0 && left > 0; left--) {
            HSD_TRY(hsd_gocore_field(go, special, SPECIAL_KIND, &kind, err));
            if (kind == wanted) HSD_TRY(tell(go, &slots->spans[i], special, err));
            HSD_TRY(hsd_gocore_field(go, special, SPECIAL_NEXT, &special, err));
        }
    }
    return HSD_OK;
}

hsd_status hsd_gocore_offer_finalized(gocore *go, hsd_error *err) { return each_finalizer(go, offer_finalized, err); }

hsd_status hsd_gocore_write_roots(gocore *go, hsd_error *err)
{
    HSD_TRY(write_modules(go, err));
    HSD_TRY(hsd_gowriter_root_statics(&go->out, err));
    HSD_TRY(each_finalizer(go, write_finalizer, err));
    return hsd_gocore_write_stacks(go, err);
}
