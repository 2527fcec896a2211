/*
 * mheap_.allspans: every span that the runtime has ever had. Those in use hold objects: slots of one size, of which
 * those before the free index and those whose allocation bit is set are taken.
 */
#include <inttypes.h>

#include "base/check.h"
#include "go/core/gocore.h"

enum { IN_USE = 1, PAGE_BYTES = 8192, BITS_BYTES = 512 };

static uint32_t head_of(const gocore *go, uint64_t slot_bytes, bool is_noscan)
{
    const bool has_head = go->bits == GOCORE_BITS_SPAN && !is_noscan && slot_bytes > GOCORE_LEAST_WITH_HEAD &&
                          slot_bytes <= GOCORE_MOST_WITH_HEAD;
    return has_head ? GOCORE_HEAD_BYTES : 0;
}

static hsd_status add_span(gocore *go, uint64_t at, hsd_error *err)
{
    uint64_t state, begin, pages, slots, slot_bytes, class, bytes;
    HSD_TRY(hsd_gocore_field(go, at, SPAN_STATE, &state, err));
    if (state != IN_USE) return HSD_OK;
    HSD_TRY(hsd_gocore_field(go, at, SPAN_START, &begin, err));
    HSD_TRY(hsd_gocore_field(go, at, SPAN_PAGES, &pages, err));
    HSD_TRY(hsd_gocore_field(go, at, SPAN_SLOTS, &slots, err));
    HSD_TRY(hsd_gocore_field(go, at, SPAN_SLOT_BYTES, &slot_bytes, err));
    HSD_TRY(hsd_gocore_field(go, at, SPAN_CLASS, &class, err));
    if (slot_bytes == 0 || slot_bytes % 8 != 0 || begin % PAGE_BYTES != 0 || !hsd_mul_u64(pages, PAGE_BYTES, &bytes) ||
        slots > bytes / slot_bytes || slots > UINT32_MAX)
        return hsd_fail(err, HSD_E_CORRUPT, "the runtime's span at 0x%" PRIx64 " is none", at);
    const bool is_noscan = (class & 1) != 0;
    const gospan span = {.begin = begin,
                         .slot_bytes = slot_bytes,
                         .count = (uint32_t)slots,
                         .head_bytes = head_of(go, slot_bytes, is_noscan),
                         .where = {at, bytes},
                         .flags = is_noscan ? GOCORE_NOSCAN : 0};
    return hsd_goslots_add(&go->typing.slots, &span, err);
}

static hsd_status mark_live(gocore *go, const gospan *span, hsd_error *err)
{
    uint64_t free_index, bits;
    uint8_t bytes[BITS_BYTES];
    HSD_TRY(hsd_gocore_field(go, span->where[0], SPAN_FREE_INDEX, &free_index, err));
    HSD_TRY(hsd_gocore_field(go, span->where[0], SPAN_ALLOC_BITS, &bits, err));
    for (uint32_t i = 0; i < span->count; i++) {
        const uint32_t at = i / 8 % BITS_BYTES;
        if (i % (8 * BITS_BYTES) == 0) {
            const size_t size = (size_t)hsd_min_u64(sizeof bytes, (span->count - i + 7) / 8);
            const hsd_status status = hsd_gomemory_read(&go->typing.memory, bits + i / 8, bytes, size, err);
            if (status < 0) return status;
            if (status == HSD_END) __builtin_memset(bytes, 0, sizeof bytes);
        }
        if (i < free_index || (bytes[at] >> i % 8 & 1) != 0) hsd_goslots_set_live(&go->typing.slots, span->first + i);
    }
    return HSD_OK;
}

hsd_status hsd_gocore_find_spans(gocore *go, hsd_error *err)
{
    const uint64_t list = hsd_gocore_symbol(go, SYM_HEAP) + go->fields[HEAP_SPANS].offset;
    uint64_t spans, count, span;
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, list, &spans, err));
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, list + 8, &count, err));
    if (spans == 0 || count > go->core.input.bytes / 8)
        return hsd_fail(err, HSD_E_CORRUPT, "the runtime's list of spans is none");
    for (uint64_t i = 0; i < count; i++) {
        HSD_TRY(hsd_gomemory_word(&go->typing.memory, spans + 8 * i, &span, err));
        if (span != 0) HSD_TRY(add_span(go, span, err));
        if (i % 4096 == 0) HSD_TRY(hsd_progress(go->import->reporter, "reading", i, count, err));
    }
    HSD_TRY(hsd_goslots_finish(&go->typing.slots, err));
    for (uint32_t i = 0; i < go->typing.slots.span_count; i++)
        HSD_TRY(mark_live(go, &go->typing.slots.spans[i], err));
    return HSD_OK;
}

static hsd_status offer_described(gocore *go, const gospan *span, uint32_t slot, uint64_t described, hsd_error *err)
{
    const uint32_t type = hsd_gotyping_described(&go->typing, described);
    const uint64_t size = type == 0 ? 0 : hsd_gotyping_size(&go->typing, type);
    if (size == 0) return HSD_OK;
    const uint64_t room = span->slot_bytes - span->head_bytes;
    return hsd_gotyping_offer(&go->typing, span->begin + slot * span->slot_bytes + span->head_bytes, type,
                              size <= room / 2, err);
}

hsd_status hsd_gocore_offer_known(gocore *go, hsd_error *err)
{
    const goslots *slots = &go->typing.slots;
    for (uint32_t i = 0; go->bits == GOCORE_BITS_SPAN && i < slots->span_count; i++) {
        const gospan *span = &slots->spans[i];
        uint64_t described = 0;
        if ((span->flags & GOCORE_NOSCAN) != 0 || span->slot_bytes <= GOCORE_LEAST_WITH_HEAD) continue;
        for (uint32_t j = 0; j < span->count; j++) {
            if (!hsd_goslots_is_live(slots, span->first + j)) continue;
            HSD_TRY(span->head_bytes > 0
                        ? hsd_gomemory_word(&go->typing.memory, span->begin + j * span->slot_bytes, &described, err)
                        : hsd_gocore_field(go, span->where[0], SPAN_LARGE_TYPE, &described, err));
            HSD_TRY(offer_described(go, span, j, described, err));
        }
    }
    return HSD_OK;
}
