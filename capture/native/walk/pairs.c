/*
 * The entry is counted when it is handed out: a caller that stores no value in it leaves a free place, which costs
 * nothing but an earlier growth.
 */
#include "native/walk/pairs.h"

#include <string.h>

enum { FIRST_CAPACITY = 1024 };

static size_t hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
    return (size_t)(h * UINT64_C(0xc4ceb9fe1a85ec53) >> 20);
}

static hsn_pair *find_pair(hsn_pair *pairs, size_t capacity, uint64_t a, uint64_t b)
{
    size_t at = hash(a, b) & (capacity - 1);
    while (pairs[at].value != 0 && (pairs[at].a != a || pairs[at].b != b))
        at = (at + 1) & (capacity - 1);
    return &pairs[at];
}

static bool grow_pair(hsn_pairs *p)
{
    const size_t capacity = p->capacity == 0 ? FIRST_CAPACITY : p->capacity * 2;
    hsn_pair *grown = hsa_arena_take(p->arena, capacity * sizeof *grown);
    if (grown == NULL) return false;
    for (size_t i = 0; i < p->capacity; i++)
        if (p->pairs[i].value != 0) *find_pair(grown, capacity, p->pairs[i].a, p->pairs[i].b) = p->pairs[i];
    p->pairs = grown;
    p->capacity = capacity;
    return true;
}

uint32_t *hsn_pairs_put(hsn_pairs *p, uint64_t a, uint64_t b)
{
    if (p->count * 2 >= p->capacity && !grow_pair(p)) return NULL;
    hsn_pair *found = find_pair(p->pairs, p->capacity, a, b);
    if (found->value == 0) {
        p->count++;
        found->a = a;
        found->b = b;
    }
    return &found->value;
}

uint32_t hsn_pairs_get(const hsn_pairs *p, uint64_t a, uint64_t b)
{
    return p->capacity == 0 ? 0 : find_pair(p->pairs, p->capacity, a, b)->value;
}

void hsn_pairs_clear(hsn_pairs *p)
{
    if (p->count > 0) memset(p->pairs, 0, p->capacity * sizeof *p->pairs);
    p->count = 0;
}
