/*
 * What a block is. Objects of C++ and of GLib say it themselves (vtables.c, gobjects.c). Of all others it is known who
 * asked for them and for how much:
 *
 *      {allocated} <=72 B at shop+0x1af0{…} < shop+0x1b44{…} < shop+0x10c9{…}
 *
 * Eight calls at most, since the inner ones may be wrappers (xmalloc, operator new) and functions of libraries (eight
 * deep in Rust without optimisation), which only their names tell, and names are found elsewhere. The size is that of a
 * class: buffers of one place have any length, and a type for each would say nothing. Both depend on the block alone,
 * so that a block has one type in all captures of a program.
 */
#include "native/walk/walk.h"

#include <string.h>

enum { MAX_FRAME_SETS = 1 << 18, FINE_BYTES = 128, FINE_STEP = 8 };

uint64_t hsn_size_class(uint64_t size)
{
    if (size <= FINE_BYTES) return size == 0 ? FINE_STEP : (size + FINE_STEP - 1) & ~(uint64_t)(FINE_STEP - 1);
    /* a quarter of the power of two below */
    const uint64_t step = UINT64_C(1) << (61 - __builtin_clzll(size - 1));
    return (size + step - 1) & ~(step - 1);
}

static void find_constants(hsn_walker *k)
{
    k->constants_low = k->modules.count > 0 ? k->modules.modules[0].low : 0;
    k->constants_high = k->modules.count > 0 ? k->modules.modules[k->modules.count - 1].high : 0;
}

bool hsn_types_open(hsn_walker *k)
{
    const uint32_t last = hsn_stacks_last();
    k->place_count = last + 1;
    k->frame_set_capacity = last < MAX_FRAME_SETS ? last + 2 : MAX_FRAME_SETS;
    k->places = hsa_arena_take(&k->arena, (size_t)k->place_count * sizeof *k->places);
    k->type_frames = hsa_arena_take(&k->arena, (size_t)k->frame_set_capacity * sizeof *k->type_frames);
    k->frame_sets = 1; /* number 1: no frames */
    find_constants(k);
    return k->places != NULL && k->type_frames != NULL;
}

/* ---- places ---- */

/* The innermost calls that are not an allocator's; where there are none, those that are. */
static size_t choose_frames(const hsn_walker *k, const uintptr_t *frames, size_t count,
                            uintptr_t chosen[HSN_TYPE_FRAMES], bool *is_loader)
{
    size_t used = 0;
    bool is_first = true;
    *is_loader = false;
    for (int round = 0; round < 2 && used == 0; round++) {
        for (size_t i = 0; i < count && used < HSN_TYPE_FRAMES; i++) {
            const hsn_module *m = hsn_module_of(&k->modules, frames[i] - 1);
            if (m != NULL && m == k->modules.own) continue;
            if (is_first) *is_loader = m != NULL && m->is_loader;
            is_first = false;
            if (round == 1 || m == NULL || !m->is_allocator) chosen[used++] = frames[i] - 1;
        }
    }
    return used;
}

/* The number of these frames, the same for the same ones; 0 = there are too many. */
static uint32_t number_frames(hsn_walker *k, const uintptr_t chosen[HSN_TYPE_FRAMES])
{
    const uint64_t whole = UINT64_C(1) << 63;
    uint32_t way = 0; /* the number of the frames so far */
    if (chosen[0] == 0) return 1;
    for (size_t i = 0; i < HSN_TYPE_FRAMES && chosen[i] != 0; i++) {
        uint32_t *longer = hsn_pairs_put(&k->frames, way, chosen[i]);
        if (longer == NULL) return 0;
        if (*longer == 0) *longer = (uint32_t)k->frames.count;
        way = *longer;
    }
    uint32_t *set = hsn_pairs_put(&k->frames, whole | way, 0);
    if (set == NULL) return 0;
    if (*set == 0) {
        if (k->frame_sets + 1 >= k->frame_set_capacity) return 0;
        *set = ++k->frame_sets;
        memcpy(k->type_frames[*set], chosen, sizeof k->type_frames[*set]);
    }
    return *set;
}

static bool is_strings(const hsn_walker *k, uintptr_t frame)
{
    const hsn_module *m = hsn_module_of(&k->modules, frame - 1);
    return m != NULL && m->is_strings;
}

hsn_place *hsn_place_of(hsn_walker *k, uint32_t stack)
{
    hsn_place *place = &k->places[stack < k->place_count ? stack : 0];
    if (place->frames != 0) return place;
    uintptr_t chosen[HSN_TYPE_FRAMES] = {0};
    size_t count;
    const uintptr_t *frames = hsn_stacks_frames(stack < k->place_count ? stack : 0, &count);
    choose_frames(k, frames, count, chosen, &place->is_loader);
    const uint32_t set = number_frames(k, chosen);
    place->frames = set == 0 ? UINT32_MAX : set;
    place->site = hsn_write_site(k, frames, count);
    place->is_gobject = hsn_is_made_by_glib(k, frames, count);
    place->is_by_strings = count > 0 && is_strings(k, frames[0]);
    k->unplaced += place->site == 0 && count > 0;
    return place;
}

/* ---- types ---- */

static uint32_t rest_type(hsn_walker *k)
{
    static const char name[] = "(other places of allocation)";
    k->untyped++;
    if (k->rest_type == 0) {
        k->rest_type = ++k->types;
        hsc_define_type(k->w, k->rest_type, name, sizeof name - 1, 0);
    }
    return k->rest_type;
}

static size_t put_type(const hsn_walker *k, uint32_t set, uint64_t class, char out[HSN_TYPE_BYTES])
{
    char *at = hsn_put_text(out, "{allocated} <=", 14);
    at = hsn_put_number(at, class);
    at = hsn_put_text(at, " B", 2);
    for (size_t i = 0; i < HSN_TYPE_FRAMES && k->type_frames[set][i] != 0; i++) {
        at = i == 0 ? hsn_put_text(at, " at ", 4) : hsn_put_text(at, " < ", 3);
        at += hsn_name_address(&k->modules, k->type_frames[set][i], at);
    }
    return (size_t)(at - out);
}

static uint32_t write_type(hsn_walker *k, uint32_t set, uint64_t class)
{
    char text[HSN_TYPE_BYTES];
    const size_t size = put_type(k, set, class, text);
    return hsc_define_type(k->w, ++k->types, text, size, 0) == HSC_OK ? k->types : 0;
}

uint32_t hsn_type_of(hsn_walker *k, const hsn_block *block, uintptr_t first_word)
{
    const uint32_t class = hsn_vtable_type(k, first_word);
    if (class != 0) return class;
    const hsn_place *place = hsn_place_of(k, block->stack);
    if (place->frames == UINT32_MAX) return rest_type(k);
    const uint32_t object = hsn_gobject_type(k, block);
    if (object != 0) return object;
    const uint64_t size = hsn_size_class(block->size);
    uint32_t type = hsn_pairs_get(&k->type_numbers, place->frames, size);
    if (type != 0) return type;
    if (k->types >= HSN_MAX_TYPES) return rest_type(k);
    uint32_t *stored = hsn_pairs_put(&k->type_numbers, place->frames, size);
    if (stored == NULL) return rest_type(k);
    return *stored = write_type(k, place->frames, size);
}

size_t hsn_type_text(hsn_walker *k, const hsn_block *block, uintptr_t first_word, char out[HSN_TYPE_BYTES])
{
    if (hsn_vtable_type(k, first_word) != 0) return hsn_vtable_text(k, first_word, out);
    if (hsn_gobject_type(k, block) != 0) return 0; /* of what library the structure is, it does not say */
    const hsn_place *place = hsn_place_of(k, block->stack);
    const bool is_named = place->frames != UINT32_MAX && k->type_frames[place->frames][0] != 0;
    return is_named ? put_type(k, place->frames, hsn_size_class(block->size), out) : 0;
}
