/*
 * Names by their text, each defined once. Keys of tables are the program's data: a label says one only if it looks like a name and
 * at least 16 tables have it. How many do is known at the end, and labels may be defined at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "lua_agent.h"

enum { KIND_STRING = 1, KIND_TYPE, KIND_VARIABLE, KIND_KEY };

static void define_fixed(hsc_writer *w)
{
    static const char *const texts[] = {"metatable", "environment", "user value", "called", "stack"};
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++) hsc_define_string(w, i + 1, texts[i], strlen(texts[i]));
    hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, LABEL_KEY, HSC_LABEL_KEY, 0, 0);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_VALUE, 0, 0);
    hsc_define_label(w, LABEL_METATABLE, HSC_LABEL_INTERNAL, 0, 1);
    hsc_define_label(w, LABEL_WEAK_KEY, HSC_LABEL_KEY, HSC_STRENGTH_WEAK, 0);
    hsc_define_label(w, LABEL_WEAK_VALUE, HSC_LABEL_VALUE, HSC_STRENGTH_WEAK, 0);
    hsc_define_label(w, LABEL_ENVIRONMENT, HSC_LABEL_INTERNAL, 0, 2);
    hsc_define_label(w, LABEL_USER_VALUE, HSC_LABEL_INTERNAL, 0, 3);
    hsc_define_label(w, LABEL_CALLED, HSC_LABEL_INTERNAL, 0, 4);
    hsc_define_label(w, LABEL_STACK, HSC_LABEL_INTERNAL, 0, 5);
}

bool names_open(names *all, hsc_writer *writer)
{
    *all = (names){.writer = writer, .capacity = 1024, .next_string = 6, .next_type = 1, .next_label = LABEL_FIRST_FREE};
    all->entries = calloc(all->capacity, sizeof *all->entries);
    if (all->entries == NULL) return false;
    define_fixed(writer);
    return true;
}

static uint32_t hash(const char *text, size_t size, uint32_t kind)
{
    uint32_t h = 2166136261U ^ kind;
    for (size_t i = 0; i < size; i++) h = (h ^ (unsigned char)text[i]) * 16777619U;
    return h;
}

static name_entry *find(name_entry *entries, size_t capacity, const char *text, size_t size, uint32_t kind)
{
    size_t at = hash(text, size, kind) & (capacity - 1);
    for (; entries[at].kind != 0; at = (at + 1) & (capacity - 1))
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
        if (one->kind != 0) *find(entries, capacity, one->text, one->size, one->kind) = *one;
    }
    free(all->entries);
    all->entries = entries;
    all->capacity = capacity;
    return true;
}

/* The entry, new or not; *is_new. NULL without memory. */
static name_entry *intern(names *all, const char *text, size_t size, uint32_t kind, bool *is_new)
{
    name_entry *entry = find(all->entries, all->capacity, text, size, kind);
    *is_new = entry->kind == 0;
    if (!*is_new) return entry;
    if ((all->count + 1) * 2 > all->capacity) {
        if (!grow(all)) return NULL;
        entry = find(all->entries, all->capacity, text, size, kind);
    }
    char *copy = malloc(size + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *entry = (name_entry){.text = copy, .size = (uint32_t)size, .kind = kind};
    all->count++;
    return entry;
}

uint32_t names_string(names *all, const char *text)
{
    bool is_new;
    name_entry *entry = intern(all, text, strlen(text), KIND_STRING, &is_new);
    if (entry == NULL) return 0;
    if (is_new) {
        entry->id = all->next_string++;
        hsc_define_string(all->writer, entry->id, entry->text, entry->size);
    }
    return entry->id;
}

uint32_t names_type(names *all, const char *text)
{
    bool is_new;
    name_entry *entry = intern(all, text, strlen(text), KIND_TYPE, &is_new);
    if (entry == NULL) return 0;
    if (is_new) {
        entry->id = all->next_type++;
        const bool is_code = strncmp(text, "function ", 9) == 0 || strcmp(text, "C function") == 0;
        hsc_define_type(all->writer, entry->id, entry->text, entry->size, is_code ? HSC_TYPE_CODE : 0);
    }
    return entry->id;
}

uint32_t names_variable(names *all, const char *text)
{
    bool is_new;
    name_entry *entry = intern(all, text, strlen(text), KIND_VARIABLE, &is_new);
    if (entry == NULL) return LABEL_STACK;
    if (is_new) {
        entry->id = all->next_label++;
        const uint32_t id = entry->id;
        hsc_define_label(all->writer, id, HSC_LABEL_VARIABLE, 0, names_string(all, text));
        return id;
    }
    return entry->id;
}

bool names_is_identifier(const char *text, size_t size)
{
    if (size == 0 || size > 40 || (text[0] >= '0' && text[0] <= '9')) return false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
    }
    return true;
}

uint32_t names_key(names *all, const char *key, size_t size)
{
    bool is_new;
    if (!names_is_identifier(key, size)) return LABEL_VALUE;
    const name_entry *known = find(all->entries, all->capacity, key, size, KIND_KEY);
    if (known->kind == 0 && all->keys == NAMES_KEYS_MAX) return LABEL_VALUE;
    name_entry *entry = intern(all, key, size, KIND_KEY, &is_new);
    if (entry == NULL) return LABEL_VALUE;
    if (is_new) {
        entry->id = all->next_label++;
        all->keys++;
    }
    if (entry->seen < NAMES_TABLES_MIN) entry->seen++;
    return entry->id;
}

/* Strings of keys are not looked for among the others: nothing is added to the table that is being read. */
void names_finish(names *all)
{
    const size_t capacity = all->capacity;
    for (size_t i = 0; i < capacity; i++) {
        const name_entry *one = &all->entries[i];
        if (one->kind != KIND_KEY) continue;
        if (one->seen < NAMES_TABLES_MIN) {
            hsc_define_label(all->writer, one->id, HSC_LABEL_VALUE, 0, 0);
            continue;
        }
        const uint32_t string = all->next_string++;
        hsc_define_string(all->writer, string, one->text, one->size);
        hsc_define_label(all->writer, one->id, HSC_LABEL_FIELD, 0, string);
    }
}

void names_close(names *all)
{
    for (size_t i = 0; i < all->capacity && all->entries != NULL; i++) free(all->entries[i].text);
    free(all->entries);
    *all = (names){.capacity = 0};
}
