/*
 * See declared.h: a list of pairs, cleared of what it has twice where it is full.
 */
#include "import/v8/declared.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "import/v8/functions.h"

/* Strings that the constants of one function have, and few other nodes of code. */
#define POOL_STRINGS 4u
/* Snapshots that say what code mentions have hundreds of functions. */
#define LEAST_POOLS 64u
/* Code can mention as many names, and as many in little memory. */
#define MOST_MENTIONS  (UINT32_C(1) << 21)
#define LEAST_MENTIONS (UINT32_C(1) << 16)

void hsd_v8_declared_init(hsd_v8_declared *declared, uint64_t memory_bytes)
{
    const uint64_t limit = memory_bytes / 32 / sizeof(hsd_v8_mention);
    declared->limit = (uint32_t)hsd_max_u64(hsd_min_u64(limit, MOST_MENTIONS), LEAST_MENTIONS);
    declared->text_limit = (size_t)declared->limit * 8;
}

/* ---- what code refers to ---- */

static int compare_mentions(const void *a, const void *b)
{
    const hsd_v8_mention *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return x->proof < y->proof ? -1 : x->proof > y->proof;
}

void hsd_v8_declared_sort(hsd_v8_declared *d)
{
    uint32_t kept = 0;
    if (d->count == 0) return;
    qsort(d->mentions, d->count, sizeof *d->mentions, compare_mentions);
    for (uint32_t i = 0; i < d->count; i++)
        if (kept == 0 || compare_mentions(&d->mentions[kept - 1], &d->mentions[i]) != 0)
            d->mentions[kept++] = d->mentions[i];
    d->count = kept;
}

static hsd_status put_mention(hsd_v8_declared *d, uint32_t node, uint32_t proof, hsd_error *err)
{
    if (d->count == d->limit) {
        hsd_v8_declared_sort(d);
        if (d->count > d->limit / 4 * 3) d->limit = d->count; /* full: what comes now is taken for data */
        if (d->count == d->limit) return HSD_OK;
    }
    HSD_TRY(HSD_ARRAY_GROW(d->mentions, d->capacity, d->count + 1, 1024, "names that code mentions", err));
    d->mentions[d->count++] = (hsd_v8_mention){node, proof};
    return HSD_OK;
}

/* The kind of a node by its name; a new one if it refers to several strings and there is room. NULL: none. */
static hsd_status find_code_kind(hsd_v8_declared *d, hsd_v8_names *names, uint32_t name, uint32_t strings,
                                 const hsd_v8_code_kind **kind, hsd_error *err)
{
    const uint32_t mask = HSD_V8_CODE_KINDS - 1;
    uint32_t slot = (uint32_t)((name * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & mask;
    for (; d->kinds[slot].name != 0; slot = (slot + 1) & mask)
        if (d->kinds[slot].name == name + 1) {
            *kind = &d->kinds[slot];
            return HSD_OK;
        }
    *kind = NULL;
    if (strings < POOL_STRINGS || d->kind_count >= HSD_V8_CODE_KINDS / 2) return HSD_OK;
    uint32_t proof;
    HSD_TRY(hsd_v8_put_proof(names, name, &proof, err));
    if (proof == HSD_V8_NO_ENTRY) return HSD_OK;
    d->kinds[slot] = (hsd_v8_code_kind){name + 1, proof};
    d->kind_count++;
    *kind = &d->kinds[slot];
    return HSD_OK;
}

hsd_status hsd_v8_declared_mention(hsd_v8_declared *d, hsd_v8_names *names, uint32_t name, const uint32_t *strings,
                                   uint32_t sure, uint32_t count, hsd_error *err)
{
    const hsd_v8_code_kind *kind;
    for (uint32_t i = 0; i < sure; i++)
        HSD_TRY(put_mention(d, strings[i], HSD_V8_NO_ENTRY, err));
    d->pools += sure >= POOL_STRINGS;
    if (sure == count) return HSD_OK;
    HSD_TRY(find_code_kind(d, names, name, count - sure, &kind, err));
    for (uint32_t i = sure; i < count && kind != NULL; i++)
        HSD_TRY(put_mention(d, strings[i], kind->proof, err));
    return HSD_OK;
}

/* ---- texts that wait ---- */

hsd_status hsd_v8_declared_hold(hsd_v8_declared *d, uint32_t number, hsd_bytes text, hsd_error *err)
{
    if (d->texts.size + text.size > d->text_limit || d->held_count >= d->limit) return HSD_END;
    HSD_TRY(HSD_ARRAY_GROW(d->held, d->held_capacity, d->held_count + 1, 256, "names of properties", err));
    d->held[d->held_count++] =
        (hsd_v8_held_text){.number = number, .size = (uint32_t)text.size, .offset = d->texts.size};
    return hsd_buffer_append(&d->texts, text.data, text.size, err);
}

/* ---- when all names came ---- */

void hsd_v8_declared_resolve(hsd_v8_declared *d, hsd_v8_names *names)
{
    uint64_t by_pools = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const hsd_v8_mention *m = &d->mentions[i];
        const bool is_of_pool =
            m->proof != HSD_V8_NO_ENTRY && hsd_v8_is_proven(names, m->proof, HSD_V8_PROOF_CONSTANTS);
        by_pools += is_of_pool;
        if (m->node == HSD_V8_NO_ENTRY || (m->proof != HSD_V8_NO_ENTRY && !is_of_pool)) continue;
        names->entries[m->node].flags |= HSD_V8_ENTRY_CODED;
    }
    d->is_known = d->pools >= LEAST_POOLS || by_pools >= LEAST_POOLS * POOL_STRINGS;
}

bool hsd_v8_is_declared(const hsd_v8_declared *d, const hsd_v8_names *names, const hsd_v8_entry *entry)
{
    if (!d->is_known) return true;
    if (entry->wait == HSD_V8_WAIT_MODULE_FIELD) {
        const uint32_t field = hsd_v8_names_find(names, hsd_v8_key(HSD_V8_WAIT_FIELD, 0, 0, entry->name));
        if (field == HSD_V8_NO_ENTRY) return false;
        entry = &names->entries[field];
    }
    return entry->seen >= HSD_V8_COMMON_FIELD || (entry->flags & HSD_V8_ENTRY_CODED) != 0;
}

void hsd_v8_declared_release(hsd_v8_declared *d)
{
    free(d->mentions);
    free(d->held);
    hsd_buffer_release(&d->texts);
    *d = (hsd_v8_declared){0};
}
