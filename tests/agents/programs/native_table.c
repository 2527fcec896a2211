/*
 * In place of the agent's own walk, in an agent that is only made for tests: writes the table as it is, blocks by
 * address, so that a test can see whether two of them overlap, whether one is there twice, and whether a thread was
 * inside.
 */
#include "native/table.h"
#include "native/world.h"

static hsc_status write_blocks(hsc_writer *w)
{
    hsn_block block, again;
    uint64_t cursor = 0, wrong = 0;
    while (hsn_table_next(&cursor, &block)) {
        hsc_begin_object(
            w,
            &(hsc_object){.id = block.address, .type = 1, .size_bytes = block.size, .age = (uint32_t)block.sequence});
        if (hsc_end_object(w) != HSC_OK) break;
        wrong += !hsn_table_find(block.address, &again) || again.sequence != block.sequence;
    }
    hsc_metric(w, "blocks.not_found", "count", wrong);
    return hsc_metric(w, "blocks.counted", "count", hsn_table_count());
}

hsc_status hsn_walk(const hsn_world *world, const hsa_request *request)
{
    hsa_arena arena;
    if (!hsa_arena_open(&arena, (size_t)1 << 30)) return HSC_E_NOMEM;
    const hsc_allocator allocator = hsa_arena_allocator(&arena);
    const hsc_sink sink = hsa_sink(request);
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    hsa_describe(&options, &world->self);
    options.producer = "native_table";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.facts = HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    options.allocator = &allocator;
    const hsc_status status = hsc_open(&w, &sink, &options);
    if (status != HSC_OK) return status;
    hsc_define_type(w, 1, "block", 5, 0);
    write_blocks(w);
    hsc_metric(w, "capture.pause", "ns", world->pause_ns);
    hsc_metric(w, "threads.stopped", "count", world->thread_count - world->missed_threads);
    hsc_metric(w, "threads.missed", "count", world->missed_threads);
    hsc_metric(w, "locks.held", "count", world->held_locks);
    return hsc_finish(w);
}
