/*
 * Bytes of an object as sys.getsizeof says them, the head of the collector included, as capture/python/sizes.c has
 * them. Types of C that have a __sizeof__ of their own are asked: it is interpreted.
 */
#include "base/check.h"
#include "import/pycore/pycore.h"

enum {
    GC_HEAD = 16,
    MANAGED_BYTES = 16,
    DIGIT_BYTES = 4,
    LONG_HEAD = 24,
    WORD = 8,
    TAG_BITS = 3,
    SET_ENTRY = 16,
    WIDE = 4
};

static uint64_t magnitude(uint64_t size) { return (int64_t)size < 0 ? 0 - size : size; }

static uint64_t plain(pycore *c, const pytype *type, uint64_t object)
{
    const uint64_t count = type->item > 0 ? magnitude(py_word(c, object + AT_SIZE)) : 0;
    uint64_t bytes;
    return hsd_mul_u64(count, type->item, &bytes) ? hsd_add_saturating(bytes, type->basic) : type->basic;
}

static uint64_t integer(pycore *c, uint64_t object)
{
    const uint64_t size = py_word(c, object + AT_SIZE), least = c->at.minor < 11 ? 0 : 1; /* of 0 */
    const uint64_t digits = c->at.minor < 12 ? magnitude(size) : size >> TAG_BITS;
    return LONG_HEAD + hsd_max_u64(digits, least) * DIGIT_BYTES;
}

/* What a str keeps besides its characters: itself as UTF-8, and up to 3.11 as wchar_t. */
static uint64_t text_copies(pycore *c, uint64_t text, bool is_plain_ascii, uint64_t data)
{
    uint64_t bytes = 0;
    if (!is_plain_ascii) {
        const uint64_t utf8 = py_word(c, text + c->at.text_ascii + WORD);
        if (utf8 != 0 && utf8 != data) bytes += py_word(c, text + c->at.text_ascii) + 1;
    }
    if (c->at.minor < 12) {
        const uint64_t wide = py_word(c, text + c->at.text_ascii - WORD),
                       length = py_word(c, is_plain_ascii ? text + TEXT_LENGTH : text + c->at.text_ascii + 2 * WORD);
        if (wide != 0 && wide != data) bytes += (length + 1) * WIDE;
    }
    return bytes;
}

static uint64_t text_bytes(pycore *c, uint64_t object)
{
    const uint32_t state = hsd_pymemory_half(&c->memory, object + c->at.text_state);
    const bool is_compact = (state & c->at.text_compact_mask) != 0, is_ascii = (state & c->at.text_ascii_mask) != 0;
    const uint64_t kind = (state >> c->at.text_kind_shift) & 7, length = py_word(c, object + TEXT_LENGTH) + 1;
    if (is_compact) {
        const uint32_t head = is_ascii ? c->at.text_ascii : c->at.text_compact;
        return head + length * (is_ascii ? 1 : kind) + text_copies(c, object, is_ascii, object + head);
    }
    const uint64_t data = py_word(c, object + c->at.text_data);
    return c->at.text_data + WORD + (data != 0 ? length * kind : 0) + text_copies(c, object, false, data);
}

static uint64_t set_bytes(pycore *c, const pytype *type, uint64_t object)
{
    const bool is_small = py_word(c, object + SET_TABLE) == object + SET_SMALL;
    return type->basic + (is_small ? 0 : (py_word(c, object + SET_MASK) + 1) * SET_ENTRY);
}

static uint64_t list_bytes(pycore *c, const pytype *type, uint64_t object)
{
    const int64_t allocated = (int64_t)py_word(c, object + LIST_ALLOCATED);
    return type->basic + (allocated > 0 ? (uint64_t)allocated * WORD : 0);
}

static uint64_t called(pycore *c, pytype *type, uint64_t object)
{
    uint64_t answer = 0;
    const bool is_known = type->size_function != 0 && hsd_pymachine_call(c, type->size_function, object, 0, &answer);
    if (is_known && (int64_t)answer >= 0) return answer;
    if (!is_known) c->unsized++;
    return plain(c, type, object);
}

static uint64_t own_bytes(pycore *c, pytype *type, uint64_t object)
{
    switch (type->size) {
    case SIZE_LIST: return list_bytes(c, type, object);
    case SIZE_DICT: return type->basic + hsd_pyvalues_dict_bytes(c, object);
    case SIZE_SET: return set_bytes(c, type, object);
    case SIZE_INTEGER: return integer(c, object);
    case SIZE_TEXT: return text_bytes(c, object);
    case SIZE_CALL: return called(c, type, object);
    case SIZE_PLAIN: break;
    }
    return plain(c, type, object);
}

static uint64_t head_bytes(pycore *c, const pytype *type, uint64_t object)
{
    const uint64_t managed = c->at.minor == 11 ? PY_MANAGED_DICT : PY_MANAGED_DICT | PY_MANAGED_WEAKREF;
    const uint64_t before = c->at.minor >= 11 && py_is(type, managed) ? MANAGED_BYTES : 0;
    const bool has_head = c->at.minor >= 11 ? py_is(type, PY_HAS_GC) : hsd_pyplans_is_gc(c, type, object);
    return before + (has_head ? GC_HEAD : 0);
}

/* Room for the attributes of an instance. */
static uint64_t attribute_room(pycore *c, const pytype *type)
{
    const uint64_t keys = py_word(c, type->at + c->at.heap_cached_keys);
    return keys == 0 ? 0 : py_word(c, keys + 16) + py_word(c, keys + 24);
}

static uint64_t values_bytes(pycore *c, const pytype *type, uint64_t object)
{
    const uint32_t minor = c->at.minor;
    if (minor == 11 || minor == 12) {
        const pyentries all = hsd_pyvalues_inline(c, object, type);
        return all.values == 0 ? 0 : hsd_pymemory_byte(&c->memory, all.values - 1) + attribute_room(c, type) * WORD;
    }
    if (minor < 13 || !py_is(type, PY_INLINE_VALUES) || !py_is(type, PY_HEAP_TYPE)) return 0;
    const uint64_t room = attribute_room(c, type);
    return (room + WORD - 1) / WORD * WORD + (room + 1) * WORD;
}

pysizes hsd_pysizes_of(pycore *c, pytype *type, uint64_t object)
{
    pysizes found = {.bytes = own_bytes(c, type, object)};
    if (type->kind == KIND_ARRAY) {
        found.outside = found.bytes > type->basic ? found.bytes - type->basic : 0;
        found.bytes = type->basic;
    }
    if (type->is_mapped) found.outside = py_word(c, object + AT_SIZE + WORD);
    found.bytes += head_bytes(c, type, object);
    if (type->kind != KIND_LEAF && c->at.minor >= 11) found.bytes += values_bytes(c, type, object);
    /* what a damaged object claims is no more than all memory */
    if (found.bytes > INT64_MAX) found.bytes = type->basic;
    if (found.outside > INT64_MAX) found.outside = 0;
    return found;
}
