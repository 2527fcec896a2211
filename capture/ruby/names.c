/*
 * Texts and their numbers. Each is defined when it is first met.
 */
#include <stdlib.h>
#include <string.h>

#include "ruby_agent.h"

static void define_fixed(hsc_writer *w)
{
    static const char *const texts[] = {"class", "(state)", "cache", "stack"};
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++) hsc_define_string(w, i + 1, texts[i], strlen(texts[i]));
    hsc_define_label(w, LABEL_CLASS, HSC_LABEL_CLASS, HSC_STRENGTH_STRONG, 1);
    hsc_define_label(w, LABEL_STATE, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, 2);
    hsc_define_label(w, LABEL_CACHE, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 3);
    hsc_define_label(w, LABEL_STACK, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 4);
    hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, LABEL_KEY, HSC_LABEL_KEY, 0, 0);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_VALUE, 0, 0);
}

bool names_open(names *all, hsc_writer *writer)
{
    *all = (names){.writer = writer, .capacity = 4096, .next_string = 5, .next_type = 1, .next_label = LABEL_FIRST_FREE};
    all->entries = calloc(all->capacity, sizeof *all->entries);
    if (all->entries == NULL) return false;
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

static uint32_t define(names *all, name_kind kind, const char *text, size_t size)
{
    hsc_writer *w = all->writer;
    uint32_t id = 0, string;
    switch (kind) {
    case NAME_STRING: hsc_define_string(w, id = all->next_string++, text, size); break;
    case NAME_TYPE: hsc_define_type(w, id = all->next_type++, text, size, 0); break;
    case NAME_CODE_TYPE: hsc_define_type(w, id = all->next_type++, text, size, HSC_TYPE_CODE | HSC_TYPE_INTERNAL); break;
    case NAME_INTERNAL_TYPE: hsc_define_type(w, id = all->next_type++, text, size, HSC_TYPE_INTERNAL); break;
    case NAME_FIELD:
    case NAME_STATE:
        string = names_put(all, NAME_STRING, text, size);
        id = all->next_label++;
        if (kind == NAME_FIELD) hsc_define_label(w, id, HSC_LABEL_FIELD, 0, string);
        else hsc_define_label(w, id, HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, string);
        break;
    }
    return id;
}

uint32_t names_put(names *all, name_kind kind, const char *text, size_t size)
{
    name_entry *entry = find(all->entries, all->capacity, kind, text, size);
    if (entry->text != NULL) return entry->id;
    char *copy = malloc(size + 1);
    if (copy == NULL || ((all->count + 2) * 2 > all->capacity && !grow(all))) {
        free(copy);
        all->failed = true;
        return 0;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    const uint32_t id = define(all, kind, copy, size); /* may put a string, and so move entries */
    *find(all->entries, all->capacity, kind, copy, size) = (name_entry){.text = copy, .size = size, .id = id, .kind = kind};
    all->count++;
    return id;
}

void names_close(names *all)
{
    for (size_t i = 0; i < all->capacity && all->entries != NULL; i++) free(all->entries[i].text);
    free(all->entries);
    *all = (names){.capacity = 0};
}
