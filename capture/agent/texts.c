/*
 * Texts of what an agent writes, each once: open addressing, at most half full. No entry is ever taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "agent.h"

enum { FIRST_CAPACITY = 4096 };

/* The place of the text, or the free one where it belongs. */
static hsa_text *place_of(const hsa_texts *all, uint32_t kind, const char *text, size_t size)
{
    uint32_t hash = 2166136261U ^ kind;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619U;
    size_t at = hash & (all->capacity - 1);
    for (; all->entries[at].text != NULL; at = (at + 1) & (all->capacity - 1))
        if (all->entries[at].kind == kind && all->entries[at].size == size &&
            memcmp(all->entries[at].text, text, size) == 0)
            break;
    return &all->entries[at];
}

static bool grow_agent_text(hsa_texts *all)
{
    hsa_texts larger = {.capacity = all->capacity * 2, .count = all->count};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (larger.entries == NULL) return false;
    for (size_t i = 0; i < all->capacity; i++) {
        const hsa_text *one = &all->entries[i];
        if (one->text != NULL) *place_of(&larger, one->kind, one->text, one->size) = *one;
    }
    free(all->entries);
    *all = larger;
    return true;
}

bool hsa_texts_open(hsa_texts *all)
{
    *all = (hsa_texts){.capacity = FIRST_CAPACITY, .entries = calloc(FIRST_CAPACITY, sizeof *all->entries)};
    return all->entries != NULL;
}

hsa_text *hsa_texts_find(const hsa_texts *all, uint32_t kind, const char *text, size_t size)
{
    hsa_text *one = place_of(all, kind, text, size);
    return one->text != NULL ? one : NULL;
}

hsa_text *hsa_texts_add(hsa_texts *all, uint32_t kind, const char *text, size_t size)
{
    if ((all->count + 1) * 2 > all->capacity && !grow_agent_text(all)) return NULL;
    char *copy = malloc(size + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    hsa_text *one = place_of(all, kind, text, size);
    *one = (hsa_text){.text = copy, .size = size, .kind = kind};
    all->count++;
    return one;
}

void hsa_texts_close(hsa_texts *all)
{
    for (size_t i = 0; i < all->capacity && all->entries != NULL; i++)
        free(all->entries[i].text);
    free(all->entries);
    *all = (hsa_texts){.entries = NULL};
}

bool hsa_is_identifier(const char *text, size_t size, size_t most)
{
    if (size == 0 || size > most || (text[0] >= '0' && text[0] <= '9')) return false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
    }
    return true;
}
