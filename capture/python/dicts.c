/*
 * Dicts as they lie in memory. A keys table is a head, indices and entries; what differs between versions:
 *
 *      3.8 to 3.10   refcount, size, lookup, usable, entries | 1, 2, 4 or 8 bytes for each of `size` indices | (hash, key, value) …
 *      from 3.11 on  refcount, log2 size, log2 bytes of the indices, kind, version, usable, entries | indices | (hash, key, value) or (key, value) …
 *
 * A split table has its values apart, in the order of the shared keys: behind a pointer, and from 3.11 on in the
 * instance itself until somebody asks for its dict:
 *
 *      3.11   values of the instance four words in front of it, its dict three
 *      3.12   one of both three words in front, values with the low bit set
 *      3.13   values behind the instance, its dict three words in front
 */
#include <string.h>

#include "python.h"

enum { KEYS_GENERAL = 0, KEYS_SPLIT_VALUES_AT = 8, WORD = sizeof(void *) };

static size_t size_at(const unsigned char *at, size_t offset)
{
    size_t value;
    memcpy(&value, at + offset, sizeof value);
    return value;
}

static size_t index_bytes(size_t size)
{
    if (size <= 0xff) return 1;
    if (size <= 0xffff) return 2;
    return size <= 0xffffffff ? 4 : 8;
}

/* Whether all keys are str is known by the function that looks for them. */
static py_entries old_keys(const python *py, const unsigned char *keys)
{
    const size_t size = size_at(keys, 8);
    return (py_entries){.next = keys + 40 + size * index_bytes(size),
                        .left = size_at(keys, 32),
                        .stride = 3 * WORD,
                        .is_text_only = size_at(keys, 16) != (uintptr_t)py->general_lookup};
}

static py_entries new_keys(const unsigned char *keys)
{
    const bool is_general = keys[10] == KEYS_GENERAL;
    return (py_entries){.next = keys + 32 + ((size_t)1 << keys[9]),
                        .left = size_at(keys, 24),
                        .stride = (is_general ? 3 : 2) * WORD,
                        .is_text_only = !is_general};
}

static py_entries entries_of(const python *py, const unsigned char *keys)
{
    if (keys == NULL) return (py_entries){.left = 0};
    return py->at->minor >= 11 ? new_keys(keys) : old_keys(py, keys);
}

py_entries py_dict_entries(const python *py, const py_dict *dict)
{
    py_entries all = entries_of(py, dict->keys);
    if (dict->values != NULL)
        all.values = (py_object *const *)(dict->values + (py->at->minor >= 13 ? KEYS_SPLIT_VALUES_AT : 0));
    return all;
}

bool py_next_entry(py_entries *entries, py_object **key, py_object **value)
{
    for (; entries->left > 0; entries->left--) {
        py_object *const *words = (py_object *const *)(entries->next + (entries->stride == 3 * WORD ? WORD : 0));
        *key = words[0];
        *value = entries->values != NULL ? *entries->values++ : words[1];
        entries->next += entries->stride;
        if (*value == NULL || *key == NULL) continue;
        entries->left--;
        return true;
    }
    return false;
}

/* ---- instances ---- */

static py_object *word_before(const py_object *object, int words) { return ((py_object *const *)object)[-words]; }

static unsigned char *inline_values(const python *py, const py_object *object)
{
    const py_type *type = object->type;
    if (py->at->minor < 11 || !py_is(type, PY_HEAP_TYPE)) return NULL;
    if (py->at->minor == 11) return py_is(type, PY_MANAGED_DICT) ? (unsigned char *)word_before(object, 4) : NULL;
    if (py->at->minor == 12) {
        const uintptr_t either = py_is(type, PY_MANAGED_DICT) ? (uintptr_t)word_before(object, 3) : 0;
        return (either & 1) != 0 ? (unsigned char *)(either + 1) : NULL;
    }
    if (!py_is(type, PY_INLINE_VALUES) || !py_is(type, PY_MANAGED_DICT)) return NULL;
    unsigned char *values = (unsigned char *)object + type->basic_bytes;
    return values[3] != 0 ? values + KEYS_SPLIT_VALUES_AT : NULL; /* capacity, used, embedded, valid */
}

py_entries py_inline_entries(const python *py, const py_object *object)
{
    unsigned char *values = inline_values(py, object);
    if (values == NULL) return (py_entries){.left = 0};
    py_entries all = entries_of(py, py_at(object->type, py->at->heap_cached_keys));
    all.values = (py_object *const *)values;
    return all;
}

/* Where the word stands that has the dict of an instance: tp_dictoffset counts from the end where it is negative. */
static py_object *dict_by_offset(const py_object *object)
{
    const py_type *type = object->type;
    intptr_t offset = type->dict_offset;
    if (offset == 0) return NULL;
    if (offset < 0) {
        const intptr_t count = ((const py_sized *)object)->size, items = count < 0 ? -count : count;
        offset += (type->basic_bytes + items * type->item_bytes + WORD - 1) / WORD * WORD;
    }
    return offset > 0 ? py_object_at(object, (uint32_t)offset) : NULL;
}

py_object *py_instance_dict(const python *py, const py_object *object)
{
    const bool is_managed = py->at->minor >= 11 && py_is(object->type, PY_MANAGED_DICT);
    if (!is_managed) return dict_by_offset(object);
    py_object *dict = word_before(object, 3);
    return py->at->minor == 12 && ((uintptr_t)dict & 1) != 0 ? NULL : dict;
}

py_object *py_dict_find(const python *py, const py_object *dict, const char *key)
{
    const size_t wanted = strlen(key);
    py_object *name, *value;
    if (dict == NULL || !py_is(dict->type, PY_IS_DICT)) return NULL;
    for (py_entries all = py_dict_entries(py, (const py_dict *)dict); py_next_entry(&all, &name, &value);) {
        size_t size;
        const char *text = py_ascii(py, name, &size);
        if (text != NULL && size == wanted && memcmp(text, key, size) == 0) return value;
    }
    return NULL;
}

py_object *py_attribute(const python *py, const py_object *object, const char *name)
{
    py_object *key, *value;
    size_t size;
    const py_object *dict = py_instance_dict(py, object);
    if (dict != NULL) return py_dict_find(py, dict, name);
    for (py_entries all = py_inline_entries(py, object); all.values != NULL && py_next_entry(&all, &key, &value);) {
        const char *text = py_ascii(py, key, &size);
        if (text != NULL && size == strlen(name) && memcmp(text, name, size) == 0) return value;
    }
    return NULL;
}

py_object *py_module_dict(const python *py, const void *interpreter, const char *name)
{
    const py_object *module = py_dict_find(py, py_object_at(interpreter, py->at->interp_modules), name);
    return module != NULL && py_is_subtype(module->type, py->types.module) ? ((const py_module *)module)->dict : NULL;
}
