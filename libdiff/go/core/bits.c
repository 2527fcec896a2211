/*
 * Which words of an object are pointers, as the collector knows it:
 *
 *      1.17 to 1.19    heapArena.bitmap: a byte for 4 words, low half pointers, high half "goes on"; the first word that does not go on ends it
 *      1.20, 1.21      heapArena.bitmap: a bit for each word; noMorePtrs ends an object early
 *      from 1.22 on    up to 512 bytes: a bit for each word at the end of the span (in front of mark bits, where those are inline);
 *                      larger ones: the mask of the type that stands in front of the object or, past 32 KiB, in the span
 *
 * Where a mask is made only when the collector needs it, and was not, all words count that lead to an object.
 */
#include <string.h>

#include "base/check.h"
#include "go/core/gocore.h"

enum { PIECE_WORDS = 4096, ARENA_BITS_LOG2 = 26, WINDOW_BYTES = 256, MASK_ON_DEMAND = 16, FLAGS_SINCE = 24 };
#define ARENA_MASK ((UINT64_C(1) << ARENA_BITS_LOG2) - 1)

typedef struct bits {
    gocore *go;
    const goslot *slot;
    uint64_t arena_number, arena; /* the arena under way: its structure; 0 = none */
    uint64_t window_at;           /* address of what is in `window`, + 1 */
    uint8_t window[WINDOW_BYTES];
    uint64_t type_size, pointer_bytes, mask; /* of objects whose type says it; mask 0 = all words */
    uint64_t small_bits;                     /* where the span's bits begin */
    bool is_over;
} bits;

static hsd_status read_byte(bits *b, uint64_t address, uint8_t *out, hsd_error *err)
{
    const uint64_t at = address & ~(uint64_t)(WINDOW_BYTES - 1);
    *out = 0;
    if (b->window_at != at + 1) {
        hsd_status status = hsd_gomemory_read(&b->go->typing.memory, at, b->window, WINDOW_BYTES, err);
        if (status < 0) return status;
        b->window_at = status == HSD_END ? 0 : at + 1;
        if (status == HSD_END) { /* near the end of what there is */
            status = hsd_gomemory_read(&b->go->typing.memory, address, out, 1, err);
            return status < 0 ? status : HSD_OK;
        }
    }
    *out = b->window[address - at];
    return HSD_OK;
}

static hsd_status find_arena(bits *b, uint64_t address, hsd_error *err)
{
    const uint64_t wanted = (address - b->go->arena_base) >> ARENA_BITS_LOG2;
    uint64_t second = 0;
    if (b->arena != 0 && b->arena_number == wanted) return HSD_OK;
    b->arena_number = wanted;
    HSD_TRY(hsd_gomemory_word(&b->go->typing.memory,
                              hsd_gocore_symbol(b->go, SYM_HEAP) + b->go->fields[HEAP_ARENAS].offset, &second, err));
    return hsd_gomemory_word(&b->go->typing.memory, second + 8 * wanted, &b->arena, err);
}

/* ---- one word, by version ---- */

static hsd_status by_pairs(bits *b, uint64_t word, bool *is_pointer, hsd_error *err)
{
    const uint64_t address = b->slot->begin + 8 * word, shift = address / 8 % 4;
    uint8_t byte = 0;
    HSD_TRY(find_arena(b, address, err));
    if (b->arena != 0)
        HSD_TRY(read_byte(b, b->arena + b->go->fields[ARENA_BITS].offset + (address & ARENA_MASK) / 32, &byte, err));
    b->is_over = (byte >> (shift + 4) & 1) == 0;
    *is_pointer = !b->is_over && (byte >> shift & 1) != 0;
    return HSD_OK;
}

static hsd_status by_arena(bits *b, uint64_t word, bool *is_pointer, hsd_error *err)
{
    const uint64_t address = b->slot->begin + 8 * word, bit = (address & ARENA_MASK) / 8;
    uint8_t byte = 0, no_more = 0;
    HSD_TRY(find_arena(b, address, err));
    *is_pointer = false;
    if (b->arena == 0) return HSD_OK;
    HSD_TRY(read_byte(b, b->arena + b->go->fields[ARENA_BITS].offset + bit / 8, &byte, err));
    *is_pointer = (byte >> bit % 8 & 1) != 0;
    if (bit % 64 != 63) return HSD_OK;
    HSD_TRY(read_byte(b, b->arena + b->go->fields[ARENA_NO_MORE].offset + bit / 64 / 8, &no_more, err));
    b->is_over = (no_more >> bit / 64 % 8 & 1) != 0;
    return HSD_OK;
}

static hsd_status by_span(bits *b, uint64_t word, bool *is_pointer, hsd_error *err)
{
    const uint64_t bit = (b->slot->begin - b->slot->span->begin) / 8 + word;
    uint8_t byte;
    HSD_TRY(read_byte(b, b->small_bits + bit / 8, &byte, err));
    *is_pointer = (byte >> bit % 8 & 1) != 0;
    return HSD_OK;
}

static hsd_status by_type(bits *b, uint64_t word, bool *is_pointer, hsd_error *err)
{
    const uint64_t place = 8 * word % b->type_size, bit = place / 8;
    uint8_t byte = 0xff;
    *is_pointer = false;
    if (place >= b->pointer_bytes) return HSD_OK;
    if (b->mask != 0) HSD_TRY(read_byte(b, b->mask + bit / 8, &byte, err));
    *is_pointer = (byte >> bit % 8 & 1) != 0;
    return HSD_OK;
}

static hsd_status by_version(bits *b, uint64_t word, bool *is_pointer, hsd_error *err)
{
    switch (b->go->bits) {
    case GOCORE_BITS_PAIRS: return by_pairs(b, word, is_pointer, err);
    case GOCORE_BITS_ARENA: return by_arena(b, word, is_pointer, err);
    case GOCORE_BITS_SPAN: break;
    }
    return b->small_bits != 0 ? by_span(b, word, is_pointer, err) : by_type(b, word, is_pointer, err);
}

/* ---- an object ---- */

static hsd_status read_type(bits *b, hsd_error *err)
{
    gocore *go = b->go;
    const gospan *span = b->slot->span;
    uint64_t type = 0, flags = 0;
    HSD_TRY(span->head_bytes > 0 ? hsd_gomemory_word(&go->typing.memory, b->slot->begin, &type, err)
                                 : hsd_gocore_field(go, span->where[0], SPAN_LARGE_TYPE, &type, err));
    HSD_TRY(hsd_gocore_field(go, type, TYPE_SIZE, &b->type_size, err));
    HSD_TRY(hsd_gocore_field(go, type, TYPE_POINTER_BYTES, &b->pointer_bytes, err));
    HSD_TRY(hsd_gocore_field(go, type, TYPE_MASK, &b->mask, err));
    HSD_TRY(hsd_gocore_field(go, type, TYPE_FLAGS, &flags, err));
    if (go->minor >= FLAGS_SINCE && (flags & MASK_ON_DEMAND) != 0)
        HSD_TRY(hsd_gomemory_word(&go->typing.memory, b->mask, &b->mask, err));
    if (b->type_size == 0 || b->type_size % 8 != 0 || b->pointer_bytes > b->type_size) {
        b->type_size = b->pointer_bytes = span->slot_bytes;
        b->mask = 0;
    }
    return HSD_OK;
}

static hsd_status prepare(bits *b, hsd_error *err)
{
    const gospan *span = b->slot->span;
    if (b->go->bits != GOCORE_BITS_SPAN) return HSD_OK;
    if (span->slot_bytes > GOCORE_LEAST_WITH_HEAD) return read_type(b, err);
    const uint64_t end = span->begin + span->where[1];
    b->small_bits = end - span->where[1] / 64 - (span->slot_bytes >= 16 ? b->go->inline_mark_bytes : 0);
    return HSD_OK;
}

static hsd_status tell_words(bits *b, uint64_t first, const uint8_t *bytes, size_t count, gocore_pointer_fn tell,
                             void *context, hsd_error *err)
{
    for (size_t i = 0; i < count && !b->is_over; i++) {
        uint64_t value;
        bool is_pointer = false;
        memcpy(&value, bytes + 8 * i, sizeof value);
        HSD_TRY(by_version(b, first + i, &is_pointer, err));
        if (is_pointer && value != 0) HSD_TRY(tell(context, 8 * (first + i), value, err));
    }
    return HSD_OK;
}

hsd_status hsd_gocore_pointers(gocore *go, const goslot *slot, gocore_pointer_fn tell, void *context, hsd_error *err)
{
    bits b = {.go = go, .slot = slot};
    if ((slot->span->flags & GOCORE_NOSCAN) != 0) return HSD_OK;
    const uint64_t begin = slot->begin + slot->span->head_bytes;
    const uint64_t words = (slot->span->slot_bytes - slot->span->head_bytes) / 8;
    HSD_TRY(prepare(&b, err));
    HSD_TRY(hsd_buffer_reserve(&go->bytes, PIECE_WORDS * 8, err));
    for (uint64_t word = 0; word < words && !b.is_over; word += PIECE_WORDS) {
        const size_t count = (size_t)hsd_min_u64(PIECE_WORDS, words - word);
        const hsd_status status =
            hsd_gomemory_read(&go->typing.memory, begin + 8 * word, go->bytes.data, count * 8, err);
        if (status == HSD_END) return HSD_OK;
        if (status != HSD_OK) return status;
        HSD_TRY(tell_words(&b, word, go->bytes.data, count, tell, context, err));
    }
    return HSD_OK;
}
