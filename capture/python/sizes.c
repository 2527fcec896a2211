/*
 * Bytes of an object as sys.getsizeof says them, the head of the collector included; and those of the attributes of an
 * instance without a dict, which it does not count in all versions: 3.11 and 3.12 have them in memory of their
 * own, 3.13 behind the instance. Data of numpy arrays and mapped files lie outside of the heap.
 */
#include <stdlib.h>
#include <string.h>

#include "python_agent.h"

enum { GC_HEAD_BYTES = 16, MANAGED_BYTES = 16, DIGIT_BYTES = 4, LONG_HEAD_BYTES = 24, WORD = 8, TAG_BITS = 3 };

static uint64_t plain(const py_type *type, const py_object *object)
{
    const intptr_t count = type->item_bytes > 0 ? ((const py_sized *)object)->size : 0;
    return (uint64_t)(type->basic_bytes + (count < 0 ? -count : count) * type->item_bytes);
}

static uint64_t integer(const python *py, const py_object *object)
{
    const intptr_t size = ((const py_sized *)object)->size;
    const uint64_t digits = py->at->minor < 12 ? (uint64_t)llabs(size) : (uint64_t)size >> TAG_BITS;
    const uint64_t least = py->at->minor < 11 ? 0 : 1; /* of 0 */
    return LONG_HEAD_BYTES + (digits < least ? least : digits) * DIGIT_BYTES;
}

/* What a str keeps besides its characters: itself as UTF-8, and up to 3.11 as wchar_t. */
static uint64_t text_copies(const python *py, const py_text *text, bool is_compact, bool is_ascii, const void *data)
{
    uint64_t bytes = 0;
    if (!(is_compact && is_ascii)) {
        const void *utf8 = py_at(text, py->at->text_ascii + WORD);
        if (utf8 != NULL && utf8 != data) bytes += (uint64_t)(uintptr_t)py_at(text, py->at->text_ascii) + 1;
    }
    if (py->at->minor < 12) {
        const void *wide = py_at(text, py->at->text_ascii - WORD);
        const uint64_t length = is_compact && is_ascii
                                    ? (uint64_t)text->length
                                    : (uint64_t)(uintptr_t)py_at(text, py->at->text_ascii + 2 * WORD);
        if (wide != NULL && wide != data) bytes += (length + 1) * sizeof(wchar_t);
    }
    return bytes;
}

static uint64_t text_bytes(const python *py, const py_object *object)
{
    const py_text *text = (const py_text *)object;
    const bool is_compact = (text->state & py->at->text_compact_mask) != 0,
               is_ascii = (text->state & py->at->text_ascii_mask) != 0;
    const uint64_t kind = (text->state >> py->at->text_kind_shift) & 7, length = (uint64_t)text->length + 1;
    if (is_compact) {
        const uint32_t head = is_ascii ? py->at->text_ascii : py->at->text_compact;
        return head + length * (is_ascii ? 1 : kind) +
               text_copies(py, text, true, is_ascii, (const char *)object + head);
    }
    const void *data = py_at(object, py->at->text_data);
    return py->at->text_data + WORD + (data != NULL ? length * kind : 0) + text_copies(py, text, false, is_ascii, data);
}

static uint64_t set_bytes(const py_type *type, const py_object *object)
{
    const py_set *set = (const py_set *)object;
    const bool is_small = set->table == set->small;
    return (uint64_t)type->basic_bytes + (is_small ? 0 : (uint64_t)(set->mask + 1) * sizeof(py_set_entry));
}

/* One that is being sorted has no items: its sort has them, and marks it so. */
static uint64_t list_bytes(const py_type *type, const py_object *object)
{
    const intptr_t allocated = ((const py_list *)object)->allocated;
    return (uint64_t)type->basic_bytes + (allocated > 0 ? (uint64_t)allocated * WORD : 0);
}

/* Its own __sizeof__, a function of C that is known; the int that it answers with is let go at once. */
static uint64_t call(const walk *w, const plan *p, py_object *object)
{
    py_object *answer = p->size_method->call(object, NULL);
    if (answer == NULL) {
        w->py.clear_error();
        return plain(p->type, object);
    }
    const intptr_t value = w->py.long_value(answer);
    w->py.release(answer);
    return value < 0 ? plain(p->type, object) : (uint64_t)value;
}

static uint64_t own_bytes(walk *w, const plan *p, py_object *object)
{
    switch (p->size) {
    case SIZE_LIST: return list_bytes(p->type, object);
    case SIZE_DICT: return (uint64_t)w->py.dict_bytes(object);
    case SIZE_SET: return set_bytes(p->type, object);
    case SIZE_INTEGER: return integer(&w->py, object);
    case SIZE_TEXT: return text_bytes(&w->py, object);
    case SIZE_CALL: return call(w, p, object);
    default: return plain(p->type, object);
    }
}

static uint64_t head_bytes(const python *py, const py_object *object)
{
    const uint64_t managed = py->at->minor == 11 ? PY_MANAGED_DICT : PY_MANAGED_DICT | PY_MANAGED_WEAKREF;
    const uint64_t before = py->at->minor >= 11 && py_is(object->type, managed) ? MANAGED_BYTES : 0;
    const bool has_head = py->at->minor >= 11 ? py_is(object->type, PY_HAS_GC) : py_is_gc(object);
    return before + (has_head ? GC_HEAD_BYTES : 0);
}

static uint64_t word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Room for the attributes of an instance. */
static uint64_t attribute_room(const python *py, const py_type *type)
{
    const unsigned char *keys = py_at(type, py->at->heap_cached_keys);
    return keys == NULL ? 0 : word_at(keys + 16) + word_at(keys + 24);
}

static uint64_t values_behind(const python *py, const py_type *type)
{
    const uint64_t room = attribute_room(py, type);
    return (room + WORD - 1) / WORD * WORD + (room + 1) * WORD;
}

static uint64_t values_apart(const python *py, const py_object *object)
{
    const py_entries all = py_inline_entries(py, object);
    return all.values == NULL ? 0 : ((const unsigned char *)all.values)[-1] + attribute_room(py, object->type) * WORD;
}

static void add_values(const walk *w, const plan *p, const py_object *object, sizes *found)
{
    const uint32_t minor = w->py.at->minor;
    if (minor == 11 || minor == 12) found->bytes += values_apart(&w->py, object);
    if (minor < 13 || !py_is(p->type, PY_INLINE_VALUES) || !py_is(p->type, PY_HEAP_TYPE)) return;
    found->bytes += values_behind(&w->py, p->type);
}

sizes sizes_of(walk *w, const plan *p, py_object *object)
{
    sizes found = {.bytes = own_bytes(w, p, object)};
    if (p->kind == PLAN_ARRAY) {
        found.outside = found.bytes - (uint64_t)p->type->basic_bytes;
        found.bytes = (uint64_t)p->type->basic_bytes;
    }
    if (p->is_mapped) found.outside = (uint64_t)(uintptr_t)py_at(object, sizeof(py_object) + WORD);
    found.bytes += head_bytes(&w->py, object);
    if (p->kind != PLAN_LEAF && w->py.at->minor >= 11) add_values(w, p, object, &found);
    return found;
}
