/*
 * Texts and their numbers, each defined when it is first met. A key of a dict is the program's data: a label says it only if it is an identifier and interned,
 * which Python does to names and literals in source code and to attributes, and not to what a program reads.
 */
#include <stdlib.h>
#include <string.h>

#include "python_agent.h"

static void define_fixed(hsc_writer *w)
{
    static const char *const texts[] = {"class", "__dict__", "referent", "cell_contents"};
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++) hsc_define_string(w, i + 1, texts[i], strlen(texts[i]));
    hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, LABEL_KEY, HSC_LABEL_KEY, 0, 0);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_VALUE, 0, 0);
    hsc_define_label(w, LABEL_CLASS, HSC_LABEL_CLASS, 0, 1);
    hsc_define_label(w, LABEL_DICT, HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, 2);
    hsc_define_label(w, LABEL_WEAK, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 3);
    hsc_define_label(w, LABEL_CONTENT, HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, 4);
}

bool names_open(names *all, hsc_writer *writer)
{
    *all = (names){.writer = writer, .capacity = 4096, .next_string = 5, .next_type = 1, .next_label = LABEL_FIRST_FREE};
    all->entries = calloc(all->capacity, sizeof *all->entries);
    all->keys = calloc(KEY_CACHE, sizeof *all->keys);
    if (all->entries == NULL || all->keys == NULL) return false;
    define_fixed(writer);
    return true;
}

static name_entry *find(name_entry *entries, size_t capacity, name_kind kind, const char *text, size_t size)
{
    uint32_t hash = 2166136261U ^ (uint32_t)kind;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619U;
    size_t at = hash & (capacity - 1);
    for (; entries[at].text != NULL; at = (at + 1) & (capacity - 1))
        if (entries[at].kind == kind && entries[at].size == size && memcmp(entries[at].text, text, size) == 0) break;
    return &entries[at];
}

static bool grow(names *all)
{
    const size_t capacity = all->capacity * 2;
    name_entry *entries = calloc(capacity, sizeof *entries);
    if (entries == NULL) return false;
    for (size_t i = 0; i < all->capacity; i++) {
        const name_entry *one = &all->entries[i];
        if (one->text != NULL) *find(entries, capacity, one->kind, one->text, one->size) = *one;
    }
    free(all->entries);
    all->entries = entries;
    all->capacity = capacity;
    return true;
}

static name_entry *add(names *all, name_kind kind, const char *text, size_t size)
{
    if ((all->count + 1) * 3 > all->capacity * 2 && !grow(all)) return NULL;
    name_entry *one = find(all->entries, all->capacity, kind, text, size);
    char *copy = malloc(size + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *one = (name_entry){.text = copy, .size = size, .kind = kind};
    all->count++;
    return one;
}

static uint32_t define_type(names *all, name_kind kind, const char *text, size_t size)
{
    static const uint32_t flags[] = {[NAME_TYPE] = 0, [NAME_FUNCTION_TYPE] = HSC_TYPE_CODE, [NAME_CODE_TYPE] = HSC_TYPE_CODE | HSC_TYPE_INTERNAL,
                                     [NAME_PART_TYPE] = HSC_TYPE_PART};
    hsc_define_type(all->writer, all->next_type, text, size, flags[kind]);
    return all->next_type++;
}

static uint32_t define_label(names *all, name_kind kind, const char *text, size_t size)
{
    static const struct {
        hsc_label_kind kind;
        uint32_t flags;
    } rows[] = {[NAME_FIELD] = {HSC_LABEL_FIELD, 0}, [NAME_GLOBAL] = {HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT}, [NAME_VALUE] = {HSC_LABEL_VALUE, 0},
                [NAME_VARIABLE] = {HSC_LABEL_VARIABLE, 0}, [NAME_INTERNAL] = {HSC_LABEL_INTERNAL, 0}};
    const uint32_t label = all->next_label++;
    hsc_define_label(all->writer, label, rows[kind].kind, rows[kind].flags, names_put(all, NAME_STRING, text, size));
    return label;
}

static uint32_t define(names *all, name_kind kind, const char *text, size_t size)
{
    if (kind >= NAME_FIELD) return define_label(all, kind, text, size);
    if (kind != NAME_STRING) return define_type(all, kind, text, size);
    hsc_define_string(all->writer, all->next_string, text, size);
    return all->next_string++;
}

uint32_t names_put(names *all, name_kind kind, const char *text, size_t size)
{
    const name_entry *known = find(all->entries, all->capacity, kind, text, size);
    if (known->text != NULL) return known->id;
    if (add(all, kind, text, size) == NULL) {
        all->failed = true;
        return 0;
    }
    const uint32_t id = define(all, kind, text, size); /* may put the string of a label in, and move all entries */
    find(all->entries, all->capacity, kind, text, size)->id = id;
    return id;
}

/* ---- keys ---- */

static bool is_identifier(const char *text, size_t size)
{
    if (size == 0 || size > KEY_BYTES_MAX || (text[0] >= '0' && text[0] <= '9')) return false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
    }
    return true;
}

static uint32_t label_of(names *all, const python *py, name_kind kind, const py_object *key, uint32_t fallback)
{
    size_t size;
    const char *text = key->type == py->types.text && py_is_interned(py, key) ? py_ascii(py, key, &size) : NULL;
    if (text == NULL || !is_identifier(text, size)) return fallback;
    if (kind == NAME_VALUE) {
        if (find(all->entries, all->capacity, kind, text, size)->text == NULL && all->key_count++ >= NAMES_KEYS_MAX) return fallback;
    }
    const uint32_t label = names_put(all, kind, text, size);
    return label == 0 ? fallback : label;
}

uint32_t names_key(names *all, const python *py, name_kind kind, const py_object *key, uint32_t fallback)
{
    const size_t at = (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (KEY_CACHE - 1);
    key_label *known = &all->keys[at];
    if (known->key != key || known->kind != (uint32_t)kind) *known = (key_label){key, label_of(all, py, kind, key, fallback), (uint32_t)kind};
    return known->label;
}

void names_close(names *all)
{
    for (size_t i = 0; i < all->capacity && all->entries != NULL; i++) free(all->entries[i].text);
    free(all->entries);
    free(all->keys);
    *all = (names){.capacity = 0};
}
