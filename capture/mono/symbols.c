/*
 * Dense rows and two open-addressed indexes over them, in address space for the most that there may be.
 */
#include "symbols.h"

#include <string.h>

#include "lazily.h"

#define CLASSES_BYTES     ((size_t)SYMBOLS_CLASSES * sizeof(class_row))
#define PLACES_BYTES      ((size_t)SYMBOLS_PLACES * sizeof(place_row))
#define CLASS_INDEX_BYTES ((size_t)SYMBOLS_CLASSES * 2 * sizeof(uint32_t))
#define PLACE_INDEX_BYTES ((size_t)SYMBOLS_PLACES * 2 * sizeof(uint32_t))

enum { FIRST_SLOTS = 1024 };

bool symbols_begin(mono_symbols *symbols)
{
    symbols_end(symbols);
    if (symbols->classes == NULL) symbols->classes = map_lazily(CLASSES_BYTES);
    if (symbols->places == NULL) symbols->places = map_lazily(PLACES_BYTES);
    if (symbols->class_index == NULL) symbols->class_index = map_lazily(CLASS_INDEX_BYTES);
    if (symbols->place_index == NULL) symbols->place_index = map_lazily(PLACE_INDEX_BYTES);
    return symbols->classes != NULL && symbols->places != NULL && symbols->class_index != NULL &&
           symbols->place_index != NULL;
}

void symbols_end(mono_symbols *symbols)
{
    forget_pages(symbols->classes, CLASSES_BYTES);
    forget_pages(symbols->places, PLACES_BYTES);
    forget_pages(symbols->class_index, CLASS_INDEX_BYTES);
    forget_pages(symbols->place_index, PLACE_INDEX_BYTES);
    symbols->class_count = symbols->place_count = 0;
    symbols->class_slots = symbols->place_slots = FIRST_SLOTS;
    symbols->lost = 0;
}

/* ---- classes ---- */

static size_t class_slot(const mono_symbols *symbols, const MonoClass *klass)
{
    const size_t mask = symbols->class_slots - 1;
    size_t i = (size_t)(spread((uintptr_t)klass) >> 24) & mask;
    while (symbols->class_index[i] != 0 && symbols->classes[symbols->class_index[i] - 1].klass != klass)
        i = (i + 1) & mask;
    return i;
}

static void index_classes(mono_symbols *symbols, size_t slots)
{
    memset(symbols->class_index, 0, slots * sizeof(uint32_t));
    symbols->class_slots = slots;
    for (size_t row = 0; row < symbols->class_count; row++)
        symbols->class_index[class_slot(symbols, symbols->classes[row].klass)] = (uint32_t)row + 1;
}

/* What ConditionalWeakTable keeps its pairs in. */
static bool are_pairs(MonoClass *element)
{
    return element != NULL && strcmp(mono_class_get_name(element), "Ephemeron") == 0 &&
           strcmp(mono_class_get_namespace(element), "System.Runtime.CompilerServices") == 0;
}

const class_row *symbols_class(mono_symbols *symbols, MonoClass *klass)
{
    size_t slot = class_slot(symbols, klass);
    if (symbols->class_index[slot] != 0) return &symbols->classes[symbols->class_index[slot] - 1];
    if (symbols->class_count == SYMBOLS_CLASSES) {
        symbols->lost++;
        return NULL;
    }
    class_row *row = &symbols->classes[symbols->class_count++];
    *row = (class_row){.klass = klass, .number = (uint32_t)symbols->class_count};
    if (mono_class_get_rank(klass) > 0) {
        const int32_t bytes = mono_array_element_size(klass);
        row->element_bytes = bytes > 0 ? (uint32_t)bytes : 1;
        row->has_pairs = row->element_bytes == 2 * sizeof(void *) && are_pairs(mono_class_get_element_class(klass));
    }
    symbols->class_index[slot] = row->number;
    if (symbols->class_count * 2 > symbols->class_slots) index_classes(symbols, symbols->class_slots * 2);
    return row;
}

/* ---- places ---- */

static size_t place_slot(const mono_symbols *symbols, const place_row *wanted)
{
    const size_t mask = symbols->place_slots - 1;
    const uint64_t key = (uint64_t)(uintptr_t)wanted->owner * 31 + ((uint64_t)wanted->offset << 4) + wanted->kind;
    size_t i = (size_t)(spread(key) >> 24) & mask;
    for (; symbols->place_index[i] != 0; i = (i + 1) & mask) {
        const place_row *row = &symbols->places[symbols->place_index[i] - 1];
        if (row->owner == wanted->owner && row->offset == wanted->offset && row->kind == wanted->kind) break;
    }
    return i;
}

static void index_places(mono_symbols *symbols, size_t slots)
{
    memset(symbols->place_index, 0, slots * sizeof(uint32_t));
    symbols->place_slots = slots;
    for (size_t row = 0; row < symbols->place_count; row++)
        symbols->place_index[place_slot(symbols, &symbols->places[row])] = (uint32_t)row + 1;
}

uint32_t symbols_place(mono_symbols *symbols, place_kind kind, const void *owner, uint32_t offset)
{
    const place_row wanted = {owner, offset, (uint32_t)kind};
    const size_t slot = place_slot(symbols, &wanted);
    if (symbols->place_index[slot] != 0) return symbols->place_index[slot];
    if (symbols->place_count == SYMBOLS_PLACES) {
        symbols->lost++;
        return 0;
    }
    symbols->places[symbols->place_count++] = wanted;
    const uint32_t number = (uint32_t)symbols->place_count;
    symbols->place_index[slot] = number;
    if (symbols->place_count * 2 > symbols->place_slots) index_places(symbols, symbols->place_slots * 2);
    return number;
}
