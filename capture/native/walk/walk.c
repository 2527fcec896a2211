/*
 * A walk from beginning to end. Roots come first, as long as all memory is there; then the objects, and behind them the
 * memory of the heap goes back to the system, piece by piece.
 *
 * Memory: 1/128 of the heap for the bitmap (starts.h), about 3 MiB for the writer, 16 bytes for each stack and 50 to
 * 100 for each call in them. Address space is taken for more than that and never touched.
 */
#include "native/walk/walk.h"

#include <fcntl.h>
#include <unistd.h>

#ifndef HSC_VERSION
#define HSC_VERSION "0.1.0"
#endif

#define ARENA_BASE_BYTES (UINT64_C(192) << 20)

enum { WRITER_BYTES = 1 << 20, BYTES_PER_BLOCK = 2, BYTES_PER_STACK = 64 };

/* ---- making ready ---- */

static bool open_arena(hsa_arena *arena)
{
    uint64_t size =
        ARENA_BASE_BYTES + hsn_table_most() * BYTES_PER_BLOCK + (uint64_t)hsn_stacks_last() * BYTES_PER_STACK;
    for (; size >= ARENA_BASE_BYTES / 16; size /= 2) /* a limit of the address space */
        if (hsa_arena_open(arena, size)) return true;
    return false;
}

static hsn_range pages_of(const void *memory, size_t size)
{
    const uintptr_t mask = HSN_PAGE - 1, low = (uintptr_t)memory;
    return size == 0 ? (hsn_range){0, 0} : (hsn_range){low & ~mask, (low + size + mask) & ~mask};
}

/* Pages of the agent's own are never shared with the program's. */
static bool find_holes(hsn_walker *k)
{
    const hsn_world *world = k->world;
    const size_t most = world->excluded_count + 2 * world->thread_count + k->modules.count + k->maps.count + 16;
    if (!hsn_holes_open(&k->holes, &k->arena, most)) return false;
    for (size_t i = 0; i < world->excluded_count; i++)
        hsn_holes_add(&k->holes, world->excluded[i]);
    hsn_holes_add(&k->holes, (hsn_range){(uintptr_t)k->arena.start, (uintptr_t)k->arena.start + k->arena.size});
    for (size_t i = 0; i < sizeof k->starts.memory / sizeof k->starts.memory[0]; i++)
        hsn_holes_add(&k->holes, pages_of(k->starts.memory[i], k->starts.memory_size[i]));
    hsn_holes_add(&k->holes, pages_of(world, sizeof *world)); /* registers are in it */
    hsn_holes_add(&k->holes, pages_of(world->threads, world->thread_count * sizeof *world->threads));
    if (k->modules.own != NULL) hsn_holes_add(&k->holes, (hsn_range){k->modules.own->low, k->modules.own->high});
    return true;
}

static bool make_ready(hsn_walker *k)
{
    if (!hsn_starts_open(&k->starts)) return false;
    k->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    k->site_numbers.arena = k->frames.arena = k->type_numbers.arena = k->vtables.arena = k->seen.arena =
        k->member_labels.arena = &k->arena;
    /* without a list of mappings nothing may be read: blocks without references are still an answer */
    if (hsn_maps_read(&k->maps, &k->arena) && !hsn_modules_find(&k->modules, &k->maps, &k->arena)) return false;
    hsn_find_streams(k);
    hsn_find_gobjects(k);
    return find_holes(k) && hsn_heaps_find(k) && hsn_types_open(k);
}

/* ---- the capture ---- */

static hsc_status open_writer(hsn_walker *k, const hsa_request *request)
{
    static const char producer[] = "hsdiff " HSC_VERSION " native, table ";
    char text[64];
    *hsn_put_number(hsn_put_text(text, producer, sizeof producer - 1), HSN_TABLE_VERSION) = '\0';
    hsc_options options;
    hsc_options_init(&options);
    hsa_describe(&options, &k->world->self);
    options.producer = text;
    options.runtime = "native";
    options.identity = HSC_IDENTITY_EXACT;
    options.memory_bytes = WRITER_BYTES;
    options.targets_are_ordinals = true;
    options.allocator = &k->allocator;
    options.facts = HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL;
    if (k->world->sample_bytes != 0) options.facts = HSC_FACT_SAMPLED | HSC_FACT_NO_REFERENCES | HSC_FACT_NO_ROOTS;
    const hsc_sink sink = hsa_sink(request);
    return hsc_open(&k->w, &sink, &options);
}

/* What the agent itself takes. */
static uint64_t agent_bytes(const hsn_walker *k)
{
    uint64_t bytes = 0;
    hsn_range touched;
    for (size_t i = 0; i < k->world->excluded_count; i++) {
        hsn_range range = k->world->excluded[i];
        while (k->pagemap >= 0 && hsn_touched_next(k->pagemap, &range, &touched))
            bytes += touched.high - touched.low;
    }
    return bytes;
}

static void write_metrics(hsn_walker *k)
{
    const hsn_world *world = k->world;
    hsc_metric(k->w, "heap.used", "bytes", k->bytes);
    hsc_metric(k->w, "native.used", "bytes", agent_bytes(k));
    if (k->other_bytes > 0) hsc_metric(k->w, "anonymous.used", "bytes", k->other_bytes);
    hsa_write_metrics(k->w, &world->metrics);
    hsc_metric(k->w, "capture.pause", "ns", world->pause_ns);
    if (world->signalled_threads > 0) hsc_metric(k->w, "threads.signalled", "count", world->signalled_threads);
    hsc_metric(k->w, "capture.duration", "ns", hsa_now_ns() - k->started_ns);
}

static void write_loss(hsn_walker *k, const char *what, uint64_t count)
{
    if (count > 0) hsc_loss(k->w, what, count);
}

static void write_losses(hsn_walker *k)
{
    const hsn_world *world = k->world;
    write_loss(k, "threads that did not stop in time", world->missed_threads);
    write_loss(k, "allocation stacks past the limit", hsn_stacks_lost());
    write_loss(k, "blocks past the limit of the table", world->lost_blocks);
    write_loss(k, "frees of blocks that were never seen", world->foreign_blocks);
    write_loss(k, "blocks at impossible addresses", k->starts.lost);
    write_loss(k, "blocks of types past the limit", k->untyped);
    write_loss(k, "allocation stacks without sites", k->unplaced);
    if (k->maps.count == 0) write_loss(k, "blocks without references: /proc/self/maps cannot be read", k->starts.count);
}

static hsc_status write_native_heap(hsn_walker *k, const hsa_request *request)
{
    hsc_status status = open_writer(k, request);
    if (status != HSC_OK) return status;
    if (k->world->sample_bytes == 0) {
        hsn_write_roots(k);
        status = hsn_write_objects(k);
    } else {
        status = hsn_write_samples(k);
    }
    if (status == HSC_OK) {
        write_metrics(k);
        write_losses(k);
        status = hsc_finish(k->w);
    }
    hsc_close(k->w);
    return status;
}

hsc_status hsn_walk(const hsn_world *world, const hsa_request *request)
{
    const uint64_t started_ns = hsa_now_ns();
    hsa_arena arena;
    if (!open_arena(&arena)) return HSC_E_NOMEM;
    hsn_walker *k = hsa_arena_take(&arena, sizeof *k);
    if (k == NULL) return HSC_E_NOMEM;
    *k = (hsn_walker){.world = world, .arena = arena, .pagemap = -1, .started_ns = started_ns};
    k->allocator = hsa_arena_allocator(&k->arena);
    const hsc_status status = make_ready(k) ? write_native_heap(k, request) : HSC_E_NOMEM;
    if (k->pagemap >= 0) close(k->pagemap);
    hsn_starts_close(&k->starts);
    arena = k->arena;
    hsa_arena_close(&arena);
    return status;
}
