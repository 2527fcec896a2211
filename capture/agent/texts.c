/*
 * Texts of what an agent writes, each once: open addressing, at most half full. No entry is ever taken out, so the
 * copies lie one behind the other in blocks: where a thread may have no arena of malloc (libdiff/live/python/stub.c),
 * each call of malloc is one of the system, and one more gives it back.
 */
#include <stdlib.h>
#include <string.h>

#include "agent.h"

enum { FIRST_CAPACITY = 4096, BLOCK_BYTES = 32 << 10 };

typedef struct hsa_text_block {
    struct hsa_text_block *next;
    size_t used, size;
    char bytes[];
} text_block;

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
    hsa_texts larger = {.capacity = all->capacity * 2, .count = all->count, .blocks = all->blocks};
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

/* Room for a text in the first block, or in a new one in front of it. */
static char *take_text(hsa_texts *all, size_t size)
{
    text_block *block = all->blocks;
    if (block == NULL || block->size - block->used < size) {
        const size_t room = size > BLOCK_BYTES - sizeof *block ? size : BLOCK_BYTES - sizeof *block;
        block = malloc(sizeof *block + room);
        if (block == NULL) return NULL;
        *block = (text_block){.next = all->blocks, .size = room};
        all->blocks = block;
    }
    char *taken = block->bytes + block->used;
    block->used += size;
    return taken;
}

hsa_text *hsa_texts_add(hsa_texts *all, uint32_t kind, const char *text, size_t size)
{
    if ((all->count + 1) * 2 > all->capacity && !grow_agent_text(all)) return NULL;
    char *copy = take_text(all, size + 1);
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
    for (text_block *block = all->blocks; block != NULL;) {
        text_block *next = block->next;
        free(block);
        block = next;
    }
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
