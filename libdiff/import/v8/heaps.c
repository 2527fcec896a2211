/*
 * Where the numbers of a heap begin: behind those of the one before it. See heaps.h.
 */
#include "import/v8/heaps.h"

static uint32_t string_behind(const hsd_v8 *v8)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < v8->names.count; i++) {
        const uint32_t name = v8->names.entries[i].name;
        if (name < HSD_V8_MOST_STRINGS && name >= last) last = name + 1;
    }
    const uint64_t behind = (uint64_t)v8->heap.first_string + last;
    return behind < HSD_V8_STRING_ORIGINALS ? (uint32_t)behind : HSD_V8_STRING_ORIGINALS;
}

hsd_v8_heap hsd_v8_heap_behind(const hsd_v8 *v8)
{
    const hsd_v8_heap *heap = &v8->heap;
    return (hsd_v8_heap){
        .index = heap->index + 1,
        .thread = heap->thread + 1,
        .workers = heap->workers + v8->roots.workers,
        .first_object = heap->first_object + v8->marks.count,
        .first_string = string_behind(v8),
        .first_type = heap->first_type + v8->names.next_type,
        .first_label = heap->first_label + v8->names.next_label,
    };
}
