/*
 * Blocks of names are filled from both ends: lists from the front, the table of their nodes from the back. If the
 * block has the same list already, its place is used again. It is found by one look into a table of places by
 * hash, where a newer list takes the place of an older: lists alike come close together, so remembering the
 * last of each hash is enough.
 */
#include "graph/name_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

#define SEEN_BITS  10
#define SEEN_ITEMS (1u << SEEN_BITS)
#define ALL_ALIKE  0x80u /* in the first byte of a list; the rest of it is the width of names in bytes */

typedef struct list_form {
    uint32_t width; /* bytes of a name */
    uint32_t items;
    uint32_t size; /* bytes in all */
    uint32_t hash;
    uint8_t head;
} list_form;

hsd_status hsd_name_blocks_begin(hsd_name_blocks *n, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err)
{
    if (memory_bytes < HSD_BLOCKS_LEAST_BYTES) {
        return hsd_fail(err, HSD_E_OVER_BUDGET, "the names of references need at least 256 KiB");
    }
    memset(n, 0, sizeof *n);
    hsd_blocks_begin(&n->blocks, memory_bytes, space);
    n->seen = malloc(SEEN_ITEMS * sizeof *n->seen);
    return n->seen == NULL ? hsd_fail_nomem(err, "the names of references") : HSD_OK;
}

static void put_u16(uint8_t *out, uint16_t value) { memcpy(out, &value, sizeof value); }
static void put_u32(uint8_t *out, uint32_t value) { memcpy(out, &value, sizeof value); }

static uint16_t get_u16(const uint8_t *in)
{
    uint16_t value;
    memcpy(&value, in, sizeof value);
    return value;
}

static uint32_t get_u32(const uint8_t *in)
{
    uint32_t value;
    memcpy(&value, in, sizeof value);
    return value;
}

/* ---- building ---- */

static hsd_status open_block(hsd_name_blocks *n, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(n->block_first, n->block_capacity, n->blocks.count + 1, 256, "the names of references",
                           err));
    HSD_TRY(hsd_blocks_add(&n->blocks, &n->open, err));
    n->block_first[n->blocks.count - 1] = n->next_node;
    n->open_count = 0;
    n->open_end = 1; /* no list starts at 0 */
    memset(n->seen, 0, SEEN_ITEMS * sizeof *n->seen);
    return HSD_OK;
}

/* Bytes between the lists and the table. */
static uint32_t room(const hsd_name_blocks *n)
{
    return n->open == NULL ? 0 : HSD_BLOCK_BYTES - n->open_end - n->open_count * 2;
}

/* The name of a pair. */
static uint32_t name_of(hsd_two pair) { return (uint32_t)hsd_two_second(pair); }

/* How a list is stored: all names, or one for all, each in the bytes of the widest; and its hash. */
static list_form form_of(const hsd_two *pairs, uint32_t count)
{
    uint32_t any = 0, differ = 0, hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        any |= name_of(pairs[i]);
        differ |= name_of(pairs[i]) ^ name_of(pairs[0]);
        hash = (hash ^ name_of(pairs[i])) * UINT32_C(0x9E3779B1);
        hash ^= hash >> 15;
    }
    list_form form = {.width = any < 256 ? 1 : any < 65536 ? 2 : 4, .items = count, .hash = hash};
    if (differ == 0) {
        form.items = 1;
        form.hash = name_of(pairs[0]) * UINT32_C(0x9E3779B1);
    }
    form.size = 1 + form.width * form.items;
    form.head = (uint8_t)(form.width | (differ == 0 ? ALL_ALIKE : 0));
    return form;
}

static void write_list(uint8_t *out, const list_form *form, const hsd_two *pairs)
{
    *out++ = form->head;
    for (uint32_t i = 0; i < form->items; i++, out += form->width) {
        if (form->width == 1)
            *out = (uint8_t)name_of(pairs[i]);
        else if (form->width == 2)
            put_u16(out, (uint16_t)name_of(pairs[i]));
        else
            put_u32(out, name_of(pairs[i]));
    }
}

static uint32_t get_name(const uint8_t *in, uint32_t width)
{
    return width == 1 ? *in : width == 2 ? get_u16(in) : get_u32(in);
}

static bool is_list(const uint8_t *in, const list_form *form, const hsd_two *pairs)
{
    if (*in++ != form->head) return false;
    for (uint32_t i = 0; i < form->items; i++, in += form->width) {
        if (get_name(in, form->width) != name_of(pairs[i])) return false;
    }
    return true;
}

/* Where the list is in the open block, which has room for it. */
static uint16_t intern(hsd_name_blocks *n, const list_form *form, const hsd_two *pairs)
{
    uint16_t *seen = &n->seen[form->hash >> (32 - SEEN_BITS)];
    const bool is_there = *seen != 0 && *seen + form->size <= n->open_end && is_list(n->open + *seen, form, pairs);
    if (is_there) return *seen;
    write_list(n->open + n->open_end, form, pairs);
    *seen = (uint16_t)n->open_end;
    n->open_end += form->size;
    return *seen;
}

/* Nodes up to `node` have no names: their places in the table are zero as they are. */
static hsd_status skip_until(hsd_name_blocks *n, hsd_node node, hsd_error *err)
{
    while (n->next_node < node) {
        if (room(n) < 2) HSD_TRY(open_block(n, err));
        const uint32_t count = (uint32_t)hsd_min_u64(node - n->next_node, room(n) / 2);
        n->open_count += count;
        n->next_node += count;
    }
    return HSD_OK;
}

hsd_status hsd_name_blocks_put(hsd_name_blocks *n, hsd_node node, const hsd_two *pairs, uint32_t count, hsd_error *err)
{
    HSD_ASSERT(node >= n->next_node || n->next_node == 0 || node + 1 == n->next_node);
    HSD_ASSERT(count >= 1 && count <= HSD_NAMES_MOST);
    const list_form form = form_of(pairs, count);
    HSD_TRY(skip_until(n, node, err));
    if (room(n) < form.size + 2) HSD_TRY(open_block(n, err));
    const uint16_t at = intern(n, &form, pairs);
    n->open_count++;
    n->next_node++;
    put_u16(n->open + HSD_BLOCK_BYTES - 2 * (size_t)n->open_count, at);
    return HSD_OK;
}

hsd_status hsd_name_blocks_put_part(hsd_name_blocks *n, const hsd_two *pairs, uint32_t count, hsd_name_place *place,
                                    hsd_error *err)
{
    HSD_ASSERT(count >= 1 && count <= HSD_NAMES_MOST);
    const list_form form = form_of(pairs, count);
    if (room(n) < form.size) HSD_TRY(open_block(n, err));
    *place = (hsd_name_place){.at = intern(n, &form, pairs), .block = n->blocks.count - 1};
    return HSD_OK;
}

static void free_building(hsd_name_blocks *n)
{
    free(n->seen);
    n->seen = NULL;
    n->open = NULL;
}

hsd_status hsd_name_blocks_finish(hsd_name_blocks *n, hsd_error *err)
{
    free_building(n);
    return hsd_blocks_finish(&n->blocks, err);
}

/* ---- reading ---- */

static void decode(const uint8_t *in, uint32_t *out, uint32_t count)
{
    const uint32_t width = *in & ~ALL_ALIKE;
    const uint32_t items = *in & ALL_ALIKE ? 1 : count;
    in++;
    for (uint32_t i = 0; i < items; i++)
        out[i] = get_name(in + (size_t)i * width, width);
    for (uint32_t i = items; i < count; i++)
        out[i] = out[0];
}

void hsd_name_blocks_get(hsd_name_blocks *n, uint32_t block, hsd_node node, uint32_t *out, uint32_t count)
{
    HSD_ASSERT(block < n->blocks.count && count <= HSD_NAMES_MOST);
    const uint8_t *bytes = hsd_blocks_at(&n->blocks, block);
    const uint32_t i = (uint32_t)(node - n->block_first[block]);
    decode(bytes + get_u16(bytes + HSD_BLOCK_BYTES - 2 * ((size_t)i + 1)), out, count);
}

void hsd_name_blocks_get_alone(hsd_name_blocks *n, uint32_t block, hsd_node node, uint32_t *out, uint32_t count,
                               uint8_t *room)
{
    HSD_ASSERT(block < n->blocks.count && count <= HSD_NAMES_MOST);
    const uint32_t i = (uint32_t)(node - n->block_first[block]);
    if (!hsd_blocks_is_far(&n->blocks, block, i)) {
        hsd_name_blocks_get(n, block, node, out, count);
        return;
    }
    uint16_t at = 0;
    hsd_blocks_copy_far(&n->blocks, block, HSD_BLOCK_BYTES - 2 * (i + 1), &at, sizeof at);
    hsd_blocks_copy_far(&n->blocks, block, at, room,
                        (uint32_t)hsd_min_u64(1 + 4 * (uint64_t)count, HSD_BLOCK_BYTES - at));
    decode(room, out, count);
}

void hsd_name_blocks_get_part(hsd_name_blocks *n, hsd_name_place place, uint32_t *out, uint32_t count)
{
    HSD_ASSERT(place.block < n->blocks.count && count <= HSD_NAMES_MOST);
    decode(hsd_blocks_at(&n->blocks, place.block) + place.at, out, count);
}

void hsd_name_blocks_release(hsd_name_blocks *n)
{
    hsd_blocks_release(&n->blocks);
    free(n->block_first);
    free_building(n);
    memset(n, 0, sizeof *n);
    n->blocks.file.fd = -1;
}
