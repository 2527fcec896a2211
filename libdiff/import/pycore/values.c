/*
 * Dicts, instances and texts as they lie in memory: capture/python/dicts.c says how versions differ. Here every word is
 * read by its address, and tables end where memory does.
 */
#include <string.h>

#include "base/check.h"
#include "import/pycore/pycore.h"

enum { KEYS_GENERAL = 0, SPLIT_VALUES_AT = 8, WORD = 8, OLD_KEYS = 40, NEW_KEYS = 32, MOST_LOG = 40 };

/* ---- keys tables ---- */

static uint64_t index_bytes(uint64_t size)
{
    if (size <= 0xff) return 1;
    if (size <= 0xffff) return 2;
    return size <= 0xffffffff ? 4 : 8;
}

typedef struct pykeys {
    uint64_t entries, used, usable, stride, refcount;
    bool is_text_only;
} pykeys;

static pykeys keys_of(pycore *c, uint64_t at)
{
    uint64_t head[5];
    pykeys keys = {0};
    const size_t bytes = c->at.minor >= 11 ? NEW_KEYS : OLD_KEYS;
    if (at == 0 || !hsd_pymemory_read(&c->memory, at, head, bytes)) return keys;
    keys.refcount = head[0];
    if (c->at.minor < 11) {
        if (head[1] >> MOST_LOG != 0) return keys;
        keys = (pykeys){at + OLD_KEYS + head[1] * index_bytes(head[1]),
                        head[4],
                        head[3],
                        3 * WORD,
                        head[0],
                        head[2] != c->general_lookup};
    } else {
        const uint8_t *bits = (const uint8_t *)&head[1];
        const bool is_general = bits[2] == KEYS_GENERAL;
        if (bits[1] > MOST_LOG) return keys;
        keys = (pykeys){at + NEW_KEYS + (UINT64_C(1) << bits[1]),
                        head[3],
                        head[2],
                        (is_general ? 3 : 2) * WORD,
                        head[0],
                        !is_general};
    }
    keys.used =
        hsd_pymemory_extent(&c->memory, keys.entries, hsd_min_u64(keys.used, UINT64_C(1) << MOST_LOG) * keys.stride) /
        keys.stride;
    return keys;
}

static pyentries entries_of(pycore *c, uint64_t at)
{
    const pykeys keys = keys_of(c, at);
    return (pyentries){
        .next = keys.entries, .left = keys.used, .stride = keys.stride, .is_text_only = keys.is_text_only};
}

pyentries hsd_pyvalues_dict(pycore *c, uint64_t dict)
{
    pyentries all = entries_of(c, py_word(c, dict + DICT_KEYS));
    const uint64_t values = py_word(c, dict + DICT_VALUES);
    if (values != 0) all.values = values + (c->at.minor >= 13 ? SPLIT_VALUES_AT : 0);
    return all;
}

bool hsd_pyvalues_next(pycore *c, pyentries *entries, uint64_t *key, uint64_t *value)
{
    for (; entries->left > 0; entries->left--) {
        uint64_t words[2];
        const bool is_there = hsd_pymemory_read(&c->memory, entries->next + (entries->stride == 3 * WORD ? WORD : 0),
                                                words, sizeof words);
        entries->next += entries->stride;
        *key = is_there ? words[0] : 0;
        *value = is_there ? words[1] : 0;
        if (entries->values != 0) {
            *value = py_word(c, entries->values);
            entries->values += WORD;
        }
        if (*value == 0 || *key == 0) continue;
        entries->left--;
        return true;
    }
    return false;
}

static uint64_t room_of(const pykeys *keys) { return keys->usable + keys->used; }

uint64_t hsd_pyvalues_dict_bytes(pycore *c, uint64_t dict)
{
    const pykeys keys = keys_of(c, py_word(c, dict + DICT_KEYS));
    const uint64_t values = py_word(c, dict + DICT_VALUES);
    uint64_t bytes = 0;
    if (keys.stride == 0) return 0;
    if (values != 0) bytes += room_of(&keys) * WORD;
    if (keys.refcount == 1) bytes += keys.entries - py_word(c, dict + DICT_KEYS) + room_of(&keys) * keys.stride;
    return bytes;
}

/* ---- instances ---- */

static uint64_t inline_values(pycore *c, uint64_t object, const pytype *type)
{
    if (c->at.minor < 11 || !py_is(type, PY_HEAP_TYPE) || !py_is(type, PY_MANAGED_DICT)) return 0;
    if (c->at.minor == 11) return py_word(c, object - 4 * WORD);
    if (c->at.minor == 12) {
        const uint64_t either = py_word(c, object - 3 * WORD);
        return (either & 1) != 0 ? either + 1 : 0;
    }
    if (!py_is(type, PY_INLINE_VALUES)) return 0;
    const uint64_t values = object + type->basic;
    return hsd_pymemory_byte(&c->memory, values + 3) != 0 ? values + SPLIT_VALUES_AT : 0;
}

pyentries hsd_pyvalues_inline(pycore *c, uint64_t object, const pytype *type)
{
    const uint64_t values = inline_values(c, object, type);
    if (values == 0) return (pyentries){.left = 0};
    pyentries all = entries_of(c, py_word(c, type->at + c->at.heap_cached_keys));
    all.values = values;
    return all;
}

/* Where the word stands that has the dict of an instance: tp_dictoffset counts from the end where it is negative. */
static uint64_t dict_by_offset(pycore *c, uint64_t object, const pytype *type)
{
    int64_t offset = type->dict_offset;
    if (offset == 0) return 0;
    if (offset < 0) {
        const int64_t count = (int64_t)py_word(c, object + AT_SIZE);
        const uint64_t items = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
        offset += (int64_t)((type->basic + items * type->item + WORD - 1) / WORD * WORD);
    }
    return offset > 0 ? py_word(c, object + (uint64_t)offset) : 0;
}

uint64_t hsd_pyvalues_instance_dict(pycore *c, uint64_t object, const pytype *type)
{
    if (c->at.minor < 11 || !py_is(type, PY_MANAGED_DICT)) return dict_by_offset(c, object, type);
    const uint64_t dict = py_word(c, object - 3 * WORD);
    return c->at.minor == 12 && (dict & 1) != 0 ? 0 : dict;
}

/* ---- by name ---- */

static bool is_text(pycore *c, uint64_t text, const char *wanted)
{
    char found[128];
    size_t size;
    return hsd_pyvalues_ascii(c, text, found, sizeof found, &size) && size == strlen(wanted) &&
           memcmp(found, wanted, size) == 0;
}

uint64_t hsd_pyvalues_find(pycore *c, uint64_t dict, const char *key)
{
    uint64_t name, value;
    if (dict == 0 || !py_is(hsd_pyplans_of_object(c, dict), PY_IS_DICT)) return 0;
    for (pyentries all = hsd_pyvalues_dict(c, dict); hsd_pyvalues_next(c, &all, &name, &value);)
        if (is_text(c, name, key)) return value;
    return 0;
}

uint64_t hsd_pyvalues_attribute(pycore *c, uint64_t object, const char *name)
{
    const pytype *type = hsd_pyplans_of_object(c, object);
    uint64_t key, value;
    if (type == NULL) return 0;
    const uint64_t dict = hsd_pyvalues_instance_dict(c, object, type);
    if (dict != 0) return hsd_pyvalues_find(c, dict, name);
    for (pyentries all = hsd_pyvalues_inline(c, object, type);
         all.values != 0 && hsd_pyvalues_next(c, &all, &key, &value);)
        if (is_text(c, key, name)) return value;
    return 0;
}

uint64_t hsd_pyvalues_module(pycore *c, uint64_t interpreter, const char *name)
{
    const uint64_t module = hsd_pyvalues_find(c, py_word(c, interpreter + c->at.interp_modules), name);
    const pytype *type = module == 0 ? NULL : hsd_pyplans_of_object(c, module);
    return type != NULL && type->kind == KIND_MODULE ? py_word(c, module + MODULE_DICT) : 0;
}

/* ---- texts ---- */

static bool has_state(pycore *c, uint64_t text, uint32_t mask)
{
    return (hsd_pymemory_half(&c->memory, text + c->at.text_state) & mask) != 0;
}

bool hsd_pyvalues_is_interned(pycore *c, uint64_t text) { return has_state(c, text, c->at.text_interned_mask); }

bool hsd_pyvalues_ascii(pycore *c, uint64_t text, char *out, size_t room, size_t *size)
{
    if (text == 0 || !py_is(hsd_pyplans_of_object(c, text), PY_IS_TEXT) ||
        !has_state(c, text, c->at.text_compact_mask) || !has_state(c, text, c->at.text_ascii_mask))
        return false;
    const uint64_t length = py_word(c, text + TEXT_LENGTH);
    *size = (size_t)length;
    return length <= room && hsd_pymemory_read(&c->memory, text + c->at.text_ascii, out, (size_t)length);
}

static size_t put_character(uint32_t character, char *out, size_t room)
{
    const size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (size > room) return 0;
    for (size_t i = size; i-- > 1; character >>= 6)
        out[i] = (char)(0x80 | (character & 0x3f));
    out[0] = (char)(marks[size] | character);
    return size;
}

static uint32_t character_at(const uint8_t *data, unsigned kind)
{
    uint32_t character = data[0];
    for (unsigned i = 1; i < kind; i++)
        character |= (uint32_t)data[i] << 8 * i;
    return character & 0x1fffff;
}

size_t hsd_pyvalues_utf8(pycore *c, uint64_t text, char *out, size_t room)
{
    enum { MOST_ROOM = 512 };
    uint8_t data[4 * MOST_ROOM];
    if (text == 0 || !py_is(hsd_pyplans_of_object(c, text), PY_IS_TEXT)) return 0;
    const uint32_t state = hsd_pymemory_half(&c->memory, text + c->at.text_state);
    const uint32_t head = (state & c->at.text_ascii_mask) != 0 ? c->at.text_ascii : c->at.text_compact;
    const uint64_t at = (state & c->at.text_compact_mask) != 0 ? text + head : py_word(c, text + c->at.text_data);
    const unsigned kind = (state >> c->at.text_kind_shift) & 7;
    const uint64_t length = hsd_min_u64(py_word(c, text + TEXT_LENGTH), hsd_min_u64(room, MOST_ROOM));
    size_t size = 0;
    if (at == 0 || (kind != 1 && kind != 2 && kind != 4) ||
        !hsd_pymemory_read(&c->memory, at, data, (size_t)length * kind))
        return 0;
    for (uint64_t i = 0; i < length; i++) {
        const size_t more = put_character(character_at(data + i * kind, kind), out + size, room - size);
        if (more == 0) break;
        size += more;
    }
    return size;
}
