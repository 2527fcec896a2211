/*
 * No object id stands twice in a capture (FORMAT.md 6.6). Ids are put into a hash table; where that would take more
 * than half of the memory, the ids are split by their hash and the file is read once for each part.
 */
#include <stdlib.h>
#include <string.h>

#include "format/verify_state.h"

typedef struct id_table {
    uint64_t *slots;     /* 0 = free */
    uint64_t size, used; /* size: a power of two */
    bool has_zero;       /* id 0 is in */
} id_table;

static uint64_t mix(uint64_t id)
{
    id ^= id >> 32;
    id *= UINT64_C(0xD6E8FEB86659FD93);
    id ^= id >> 32;
    id *= UINT64_C(0xD6E8FEB86659FD93);
    return id ^ id >> 32;
}

/* False if it is there already. */
static bool put_verified_id(id_table *table, uint64_t id, uint64_t hash)
{
    if (id == 0) {
        const bool is_new = !table->has_zero;
        table->has_zero = true;
        return is_new;
    }
    uint64_t i = hash & (table->size - 1);
    while (table->slots[i] != 0) {
        if (table->slots[i] == id) return false;
        i = (i + 1) & (table->size - 1);
    }
    table->slots[i] = id;
    table->used++;
    return true;
}

static hsd_status put_block(hsd_verifier *v, id_table *table, const hsd_block_ref *ref, uint64_t part, uint64_t parts,
                            hsd_fault *fault)
{
    hsd_object_block *objects = &v->content.objects;
    hsd_object object;
    HSD_TRY(hsd_block_load(&v->block, &v->file.input, ref, v->file.header.seed, fault));
    HSD_TRY(hsd_object_block_decode(objects, &v->block, HSD_WANT_IDS, fault));
    hsd_verify_at(v, ref->offset_bytes, ref->number);
    while (hsd_object_block_next(objects, &object)) {
        const uint64_t hash = mix(object.id);
        if (object.is_continuation || (hash >> 40) % parts != part) continue;
        if (table->used > table->size / 4 * 3) { /* ids made to fall into one part */
            return hsd_fault_over_budget(fault, "telling its object ids apart", 64 * v->content.counts.objects);
        }
        if (!put_verified_id(table, object.id, hash)) {
            hsd_verify_tell(v, "6.6", "object id 0x%llx stands there twice", (unsigned long long)object.id);
        }
    }
    return HSD_OK;
}

static hsd_status put_part(hsd_verifier *v, id_table *table, uint64_t part, uint64_t parts, hsd_fault *fault)
{
    table->has_zero = false;
    table->used = 0;
    memset(table->slots, 0, (size_t)table->size * sizeof *table->slots);
    for (size_t i = 0; i < v->blocks.count; i++) {
        const hsd_block_ref *ref = &v->blocks.refs[i];
        if (ref->type != HSC_BLOCK_OBJECTS) continue;
        HSD_TRY(put_block(v, table, ref, part, parts, fault));
        const hsd_status status = hsd_progress(&v->reporter, "checking object ids", part * v->blocks.count + i,
                                               parts * v->blocks.count, &fault->error);
        if (status != HSD_OK) return hsd_fault_set(fault, status, NULL, "%s", fault->error.text);
    }
    return HSD_OK;
}

hsd_status hsd_verify_object_ids(hsd_verifier *v, hsd_fault *fault)
{
    const uint64_t most_slots = v->memory_bytes / 2 / sizeof(uint64_t);
    const uint64_t objects = v->content.counts.objects;
    id_table table = {.size = 256};
    uint64_t parts = 1;
    /* At most half full; a part may be larger than the mean, so parts aim at a quarter. */
    while (table.size < 2 * objects && 2 * table.size <= most_slots)
        table.size *= 2;
    if (table.size < 2 * objects) parts = 4 * objects / table.size + 1;
    table.slots = malloc((size_t)table.size * sizeof *table.slots);
    if (table.slots == NULL) return hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory to check object ids");
    hsd_status status = HSD_OK;
    for (uint64_t part = 0; status == HSD_OK && part < parts; part++)
        status = put_part(v, &table, part, parts, fault);
    free(table.slots);
    return status;
}
