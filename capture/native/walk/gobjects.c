/*
 * Objects of GLib say themselves what they are, as those of C++ do: an instance begins with a pointer to the structure
 * of its class, which begins with its type. In front of it may stand what classes keep for themselves:
 *
 *      block ──► private data   { class ──► { type ──► node }, … }
 *
 * Asked are blocks of g_type_create_instance alone. A type is the address of its node, but for a few that are small
 * numbers; g_type_name() takes its name from there, without a lock. All that lies in blocks, which are given back when
 * they are written: so classes are looked for, and their names copied, before the first is.
 */
#include <string.h>

#include "native/stacks.h"
#include "native/walk/walk.h"

enum {
    LEAST_CLASS = 8,
    LEAST_NODE = 48,
    MOST_NUMBERS = 255 << 2,
    STEP = 16,
    MOST_PRIVATE = 4096,
    MOST_NAME = 119,
    MOST_CLASSES = 4096,
    MOST_FRAMES = 6
};

struct hsn_gobject_class {
    uint32_t type; /* its number; 0 = not yet */
    char name[MOST_NAME + 1];
};

bool hsn_is_made_by_glib(const hsn_walker *k, const uintptr_t *frames, size_t count)
{
    const hsn_range *code = &k->world->gobject_code;
    for (size_t i = 0; i < count && i < MOST_FRAMES && code->low < code->high; i++)
        if (frames[i] - code->low < code->high - code->low) return true;
    return false;
}

/* ---- classes ---- */

static size_t name_size(const char *name)
{
    size_t size = 0;
    while (size < MOST_NAME && name[size] > ' ' && name[size] < 0x7f)
        size++;
    return name[size] == '\0' ? size : 0;
}

/* Of the class whose structure is there; NULL where there is none. */
static const char *name_of_class(const hsn_walker *k, uintptr_t address)
{
    hsn_block class, node;
    uintptr_t type;
    if (address == 0 || !hsn_table_find(address, &class) || class.size < LEAST_CLASS) return NULL;
    if (!hsn_copy(&type, address, sizeof type)) return NULL;
    const bool is_number = type > 0 && type <= MOST_NUMBERS && type % 4 == 0;
    if (!is_number && (!hsn_table_find(type, &node) || node.size < LEAST_NODE)) return NULL;
    const char *name = k->world->gobject_name(type);
    return name != NULL && name_size(name) > 0 ? name : NULL;
}

static void add_class(hsn_walker *k, uintptr_t address, const char *name)
{
    uint32_t *number = hsn_pairs_put(&k->gobject_numbers, address, 0);
    if (number == NULL || k->gobject_count == MOST_CLASSES) return;
    *number = ++k->gobject_count;
    memcpy(k->gobjects[*number - 1].name, name, name_size(name) + 1);
}

/* The number of the class that is pointed to from a place of the block; 0 = of none. */
static uint32_t class_in(const hsn_walker *k, const hsn_block *block)
{
    uintptr_t word;
    for (uint64_t at = 0; at < MOST_PRIVATE && at + sizeof word <= block->size; at += STEP) {
        if (!hsn_copy(&word, block->address + at, sizeof word)) return 0;
        const uint32_t number = hsn_pairs_get(&k->gobject_numbers, word, 0);
        if (number != 0) return number;
    }
    return 0;
}

static void look_for_class(hsn_walker *k, const hsn_block *block)
{
    uintptr_t word;
    if (class_in(k, block) != 0) return;
    for (uint64_t at = 0; at < MOST_PRIVATE && at + sizeof word <= block->size; at += STEP) {
        const char *name = hsn_copy(&word, block->address + at, sizeof word) ? name_of_class(k, word) : NULL;
        if (name == NULL) continue;
        add_class(k, word, name);
        return;
    }
}

/* A bit for each stack of an object; NULL where there is none. */
static uint8_t *find_stacks(hsn_walker *k)
{
    const uint32_t last = hsn_stacks_last();
    uint8_t *bits = hsa_arena_take(&k->arena, last / 8 + 1);
    bool is_any = false;
    for (uint32_t i = 1; bits != NULL && i <= last; i++) {
        size_t count;
        const uintptr_t *frames = hsn_stacks_frames(i, &count);
        if (!hsn_is_made_by_glib(k, frames, count)) continue;
        bits[i / 8] |= (uint8_t)(1u << i % 8);
        is_any = true;
    }
    return is_any ? bits : NULL;
}

void hsn_find_gobjects(hsn_walker *k)
{
    uint64_t cursor = 0;
    if (k->world->gobject_code.low == k->world->gobject_code.high) return;
    const uint32_t last = hsn_stacks_last();
    const uint8_t *stacks = find_stacks(k);
    k->gobject_numbers.arena = &k->arena;
    k->gobjects = stacks != NULL ? hsa_arena_take(&k->arena, MOST_CLASSES * sizeof *k->gobjects) : NULL;
    for (hsn_block block; k->gobjects != NULL && hsn_table_next(&cursor, &block);)
        if (block.stack <= last && (stacks[block.stack / 8] >> block.stack % 8 & 1) != 0) look_for_class(k, &block);
}

/* ---- types ---- */

uint32_t hsn_gobject_type(hsn_walker *k, const hsn_block *block)
{
    if (k->gobject_count == 0 || !hsn_place_of(k, block->stack)->is_gobject) return 0;
    const uint32_t number = class_in(k, block);
    if (number == 0) return 0;
    struct hsn_gobject_class *class = &k->gobjects[number - 1];
    if (class->type == 0 && hsc_define_type(k->w, ++k->types, class->name, name_size(class->name), 0) == HSC_OK)
        class->type = k->types;
    return class->type;
}
