/*
 * The heap of a stopped world, object by object, straight into the capture.
 *
 * The runtime tells an object with up to 128 references at a time; further calls for the same object have size 0.
 * Objects come in the order of their addresses within each part of the heap: nursery, blocks of small objects, large
 * ones.
 */
#include "walk.h"

#include <errno.h>
#include <string.h>

#include "lazily.h"

enum { LARGE_OBJECT_BYTES = 8000, ARRAY_LENGTH_OFFSET = 24, ARRAY_ELEMENTS_OFFSET = 32 };
#define ROOTS_BYTES ((size_t)WALK_ROOTS * sizeof(seen_root))

bool walk_begin(mono_walk *walk, const hsc_sink *sink, mono_ids *ids, nursery_watch *nursery)
{
    mono_symbols symbols = walk->symbols;
    seen_root *roots = walk->roots;
    *walk = (mono_walk){.sink = *sink, .ids = ids, .nursery = nursery, .symbols = symbols, .roots = roots};
    if (walk->roots == NULL) walk->roots = map_lazily(ROOTS_BYTES);
    return walk->roots != NULL && symbols_begin(&walk->symbols);
}

void walk_end(mono_walk *walk)
{
    symbols_end(&walk->symbols);
    forget_pages(walk->roots, ROOTS_BYTES);
    walk->root_count = 0;
}

/* ---- the sink ---- */

static ptrdiff_t take_mono_walk(void *context, const void *data, size_t size)
{
    mono_walk *walk = context;
    if (walk->is_cut) return (ptrdiff_t)size;
    for (;;) {
        const ptrdiff_t took = walk->sink.write(walk->sink.context, data, size);
        if (took > 0) return took;
        if (took < 0 && errno == EINTR) continue;
        if (took < 0 && errno == EAGAIN && walk->sink.wait != NULL && walk->sink.wait(walk->sink.context) == 0)
            continue;
        walk->is_cut = true;
        return (ptrdiff_t)size;
    }
}

hsc_sink walk_sink(mono_walk *walk) { return (hsc_sink){.write = take_mono_walk, .context = walk}; }

/* ---- roots ---- */

typedef struct source_row {
    hsc_root_kind kind;
    place_kind place;
    uint32_t flags; /* SECONDARY: the runtime's own hold, or no more than a word on a stack that may be one */
} source_row;

/* By MonoGCRootSource. */
static const source_row sources[] = {
    [MONO_ROOT_SOURCE_EXTERNAL] = {HSC_ROOT_GLOBAL, PLACE_SOURCE, 0},
    [MONO_ROOT_SOURCE_STACK] = {HSC_ROOT_STACK, PLACE_STACK, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_FINALIZER_QUEUE] = {HSC_ROOT_FINALIZER, PLACE_SOURCE, 0},
    [MONO_ROOT_SOURCE_STATIC] = {HSC_ROOT_STATIC, PLACE_STATIC, 0},
    [MONO_ROOT_SOURCE_THREAD_STATIC] = {HSC_ROOT_STATIC, PLACE_THREAD_STATIC, 0},
    [MONO_ROOT_SOURCE_CONTEXT_STATIC] = {HSC_ROOT_STATIC, PLACE_SOURCE, 0},
    [MONO_ROOT_SOURCE_GC_HANDLE] = {HSC_ROOT_HANDLE, PLACE_SOURCE, 0},
    [MONO_ROOT_SOURCE_JIT] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_THREADING] = {HSC_ROOT_THREAD, PLACE_SOURCE, 0},
    [MONO_ROOT_SOURCE_DOMAIN] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_REFLECTION] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_MARSHAL] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_THREAD_POOL] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_DEBUGGER] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_HANDLE] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_EPHEMERON] = {HSC_ROOT_RUNTIME, PLACE_SOURCE, HSC_ROOT_SECONDARY},
    [MONO_ROOT_SOURCE_TOGGLEREF] = {HSC_ROOT_HANDLE, PLACE_SOURCE, 0},
};
enum { SOURCE_COUNT = sizeof sources / sizeof sources[0] };

void walk_add_roots(mono_walk *walk, uint64_t count, const unsigned char *const *places, MonoObject *const *objects)
{
    for (uint64_t i = 0; i < count; i++) {
        if (objects[i] == NULL) continue;
        if (walk->root_count == WALK_ROOTS) {
            walk->lost_roots += count - i;
            return;
        }
        walk->roots[walk->root_count++] = (seen_root){(uintptr_t)places[i], (uintptr_t)objects[i]};
    }
}

/* The queues of the runtime have numbers for addresses. */
static uint32_t source_of(uintptr_t place, const root_range *range)
{
    static const uint8_t by_number[] = {[1] = MONO_ROOT_SOURCE_FINALIZER_QUEUE,
                                        [2] = MONO_ROOT_SOURCE_FINALIZER_QUEUE,
                                        [3] = MONO_ROOT_SOURCE_EPHEMERON,
                                        [4] = MONO_ROOT_SOURCE_TOGGLEREF};
    if (place >= 1 && place <= 4) return by_number[place];
    return range == NULL ? SOURCE_COUNT : range->source;
}

static void write_root(mono_walk *walk, const seen_root *seen, const root_range *range)
{
    const uint32_t source = source_of(seen->place, range);
    hsc_root_record root = {.kind = HSC_ROOT_UNKNOWN, .target = ids_of(walk->ids, seen->object)};
    if (source >= SOURCE_COUNT) {
        walk->unnamed_roots++;
        root.label = symbols_place(&walk->symbols, PLACE_SOURCE, (const void *)(uintptr_t)SOURCE_COUNT, 0);
        hsc_root(walk->writer, &root);
        return;
    }
    const source_row *row = &sources[source];
    const void *owner = range == NULL ? NULL : range->key;
    uint32_t offset = 0;
    if (row->place == PLACE_SOURCE) owner = (const void *)(uintptr_t)source;
    if (row->place == PLACE_STATIC) {
        owner = *(MonoClass *const *)range->key; /* first word of a MonoVTable */
        offset = (uint32_t)(seen->place - range->start);
    }
    if (row->place == PLACE_STACK) root.thread = symbols_place(&walk->symbols, PLACE_THREAD, owner, 0);
    root.kind = row->kind;
    root.flags = row->flags;
    root.label = symbols_place(&walk->symbols, row->place, owner, offset);
    hsc_root(walk->writer, &root);
}

static void write_roots(mono_walk *walk)
{
    size_t count = 0;
    const root_range *ranges = ranges_sorted(&count);
    for (size_t i = 0; i < walk->root_count && !walk->is_cut; i++)
        write_root(walk, &walk->roots[i], range_of(ranges, count, walk->roots[i].place));
}

/* ---- objects ---- */

/* The runtime tells of pairs in a ConditionalWeakTable no more than that the values are roots, as long as their keys
 * are there: so the keys hold them. */
static void write_pairs(mono_walk *walk)
{
    const uintptr_t *at = (const uintptr_t *)walk->pairs; /* key, value */
    const uint32_t label = symbols_place(&walk->symbols, PLACE_ATTACHED, NULL, 0);
    for (uint32_t i = 0; i < walk->pair_count && !walk->is_cut; i++, at += 2)
        if (at[0] != 0 && at[1] != 0)
            hsc_edge(walk->writer, ids_of(walk->ids, at[0]), ids_of(walk->ids, at[1]), label, 0);
}

static void end_object(mono_walk *walk)
{
    if (!walk->is_object_open) return;
    hsc_end_object(walk->writer);
    walk->is_object_open = false;
    if (walk->pairs != 0) write_pairs(walk);
}

static void measure_mono_walk(mono_walk *walk, uintptr_t address, uint64_t size)
{
    if (size > LARGE_OBJECT_BYTES) walk->large_bytes += size;
    if (walk->is_past_nursery) return;
    walk->is_past_nursery = mono_gc_get_generation((MonoObject *)address) != 0; /* the nursery is told first */
    if (walk->is_past_nursery) return;
    walk->young_bytes += size;
    if (!walk->ids->is_address && !nursery_add(walk->nursery, address)) walk->lost_nursery++;
}

static void begin_object(mono_walk *walk, MonoObject *object, MonoClass *klass, uintptr_t size)
{
    end_object(walk);
    const uintptr_t address = (uintptr_t)object;
    hsc_object record = {.id = ids_of(walk->ids, address), .size_bytes = (size + 7) & ~(uintptr_t)7};
    walk->class = symbols_class(&walk->symbols, klass);
    if (walk->class != NULL) record.type = walk->class->number;
    if (walk->class != NULL && walk->class->element_bytes > 0)
        memcpy(&record.elements, (const char *)object + ARRAY_LENGTH_OFFSET, sizeof(uint32_t));
    const bool has_pairs = walk->class != NULL && walk->class->has_pairs;
    walk->pairs = has_pairs ? address + ARRAY_ELEMENTS_OFFSET : 0;
    walk->pair_count = (uint32_t)record.elements;
    measure_mono_walk(walk, address, record.size_bytes);
    hsc_begin_object(walk->writer, &record);
    walk->is_object_open = true;
}

static void write_references(mono_walk *walk, uintptr_t count, MonoObject *const *targets, const uintptr_t *offsets)
{
    const class_row *class = walk->class;
    const bool is_array = class != NULL && class->element_bytes > 0;
    const uint32_t element = is_array ? symbols_place(&walk->symbols, PLACE_ELEMENT, NULL, 0) : 0;
    for (uintptr_t i = 0; i < count; i++) {
        const uint64_t target = ids_of(walk->ids, (uintptr_t)targets[i]);
        if (is_array && offsets[i] >= ARRAY_ELEMENTS_OFFSET)
            hsc_reference(walk->writer, target, element, (offsets[i] - ARRAY_ELEMENTS_OFFSET) / class->element_bytes);
        else if (class != NULL)
            hsc_reference(walk->writer, target,
                          symbols_place(&walk->symbols, PLACE_FIELD, class->klass, (uint32_t)offsets[i]), 0);
        else
            hsc_reference(walk->writer, target, 0, 0);
    }
}

static int on_object(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **targets,
                     uintptr_t *offsets, void *data)
{
    mono_walk *walk = data;
    if (walk->is_cut) return 1;
    if (size != 0) begin_object(walk, object, klass, size);
    write_references(walk, count, targets, offsets);
    return 0;
}

void walk_heap(mono_walk *walk)
{
    mono_gc_walk_heap(0, on_object, walk);
    end_object(walk);
    write_roots(walk);
}
