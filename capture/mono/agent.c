/*
 * The Mono agent: `mono --profile=hsdiff program.exe`, a profiler module that captures when it is asked to.
 *
 *      request ─► control thread ─ notify ─► finalizer thread ─ mono_gc_collect ─► collection: what is dead is found
 *                                            finalizers run
 *                                            mono_gc_collect ───────────────────► collection: roots, walk, moves
 *                 waits, finishes ◄───────── names                                  the world stands still
 *
 * The control thread is never attached to the runtime: a thread that is and waits in read(2) holds up every stop of the
 * world. The finalizer thread is the runtime's own and calls gc_finalized whenever it is notified. The heap may be
 * walked only between the end of a full collection and the restart of the world, where everything that takes memory or
 * a lock is forbidden: all tables are mapped beforehand, and bytes go straight to who asked.
 *
 * Late loading (a P/Invoke of mono_profiler_init_hsdiff) works but for the names of roots that were registered before.
 *
 * options of a request:
 *      ids=moves|address    moves (default): ids for life, for 1/128 of the heap in memory (ids.h). address: nothing is kept in the
 *                           target, and an object that moved between two captures is another one
 *      compression=N        zstd level of the capture, default 1; 0 = none
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/agent.h"
#include "mono.h"
#include "names.h"
#include "walk.h"

enum { ROOTS_WORTH_IT = 100000, CLAIM_SECONDS = 20, TRIES = 5, LEAST_MOVED_BYTES = 4 << 20, ARENA_BYTES = 256 << 20 };

typedef enum wanted { WANT_NOTHING, WANT_CAPTURE, WANT_FORGET } wanted;

/* What a request goes through. The control thread takes it from IDLE to ASKED and from DONE to IDLE. */
typedef enum stage { STAGE_IDLE, STAGE_ASKED, STAGE_SWEEPING, STAGE_SWEPT, STAGE_CLAIMED, STAGE_DONE } stage;

/* What the next collections are for. Only read and written by who holds the collector's lock, or before there is a
 * collection. */
typedef enum phase { PHASE_NONE, PHASE_ARMED, PHASE_COLLECTING, PHASE_WALKED } phase;

struct _MonoProfiler {
    MonoProfilerHandle handle;
    bool is_late, is_over;

    pthread_mutex_t lock; /* of the three below */
    pthread_cond_t changed;
    stage stage;
    wanted wanted;
    const hsa_request *request;

    _Atomic phase phase;
    bool is_watching; /* roots are told for the nursery's sake */
    uint64_t watched_roots;
    bool is_address; /* how the next capture names objects: ids.h */
    size_t moved_bytes;
    mono_ids ids;
    nursery_watch nursery;
    mono_walk walk;
    mono_names names;
    hsa_arena arena;
    hsc_allocator allocator;
    hsa_self self;
    hsa_metrics measured; /* before the capture took memory */
    char runtime[64];
    uint64_t stopped_ns, pause_ns;
    uint64_t used_bytes, committed_bytes, collections;
    bool is_opened, is_accepted;
    const char *refusal;
};

static struct _MonoProfiler agent = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- collections ---- */

static void on_roots(MonoProfiler *profiler, uint64_t count, const mono_byte *const *places, MonoObject *const *objects)
{
    if (atomic_load_explicit(&profiler->phase, memory_order_relaxed) == PHASE_COLLECTING)
        walk_add_roots(&profiler->walk, count, places, objects);
    if (!profiler->is_watching) return;
    profiler->watched_roots += count;
    for (uint64_t i = 0; i < count; i++)
        nursery_root(&profiler->nursery, (uintptr_t)objects[i]);
}

static void on_moves(MonoProfiler *profiler, MonoObject *const *objects, uint64_t count)
{
    for (uint64_t i = 0; i + 1 < count; i += 2)
        ids_move(&profiler->ids, (uintptr_t)objects[i], (uintptr_t)objects[i + 1]);
}

static void before_stop(MonoProfiler *profiler, bool is_full)
{
    if (profiler->phase == PHASE_ARMED && is_full) {
        if (profiler->wanted == WANT_FORGET) {
            ids_release(&profiler->ids);
            profiler->nursery.count = 0;
            profiler->phase = PHASE_WALKED;
            return;
        }
        ids_begin(&profiler->ids, profiler->is_address, profiler->moved_bytes);
        profiler->phase = PHASE_COLLECTING;
        profiler->stopped_ns = hsa_now_ns();
    }
    profiler->is_watching = profiler->nursery.count > 0;
    profiler->watched_roots = 0;
    if (profiler->is_watching || profiler->phase == PHASE_COLLECTING)
        mono_profiler_set_gc_roots_callback(profiler->handle, on_roots);
}

static void before_start(MonoProfiler *profiler)
{
    if (!profiler->is_watching && profiler->phase != PHASE_COLLECTING) return;
    mono_profiler_set_gc_roots_callback(profiler->handle, NULL);
    if (profiler->is_watching) nursery_settle(&profiler->nursery, &profiler->ids);
    /* So many roots at every collection are a price that some dozens of objects are not worth. */
    if (profiler->watched_roots > ROOTS_WORTH_IT && profiler->phase != PHASE_COLLECTING)
        nursery_settle(&profiler->nursery, &profiler->ids);
    profiler->is_watching = false;
    if (profiler->phase != PHASE_COLLECTING) return;
    nursery_begin(&profiler->nursery);
    walk_heap(&profiler->walk);
    profiler->phase = PHASE_WALKED;
}

static void on_gc_event(MonoProfiler *profiler, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
    const bool is_full = (int)generation == mono_gc_max_generation();
    if (event == MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
        before_stop(profiler, is_full && is_serial);
    else if (event == MONO_GC_EVENT_PRE_START_WORLD)
        before_start(profiler);
    else if (event == MONO_GC_EVENT_POST_START_WORLD && profiler->stopped_ns != 0 && profiler->phase == PHASE_WALKED &&
             profiler->pause_ns == 0)
        profiler->pause_ns = hsa_now_ns() - profiler->stopped_ns;
}

/* ---- on the finalizer thread ---- */

static bool open_writer(MonoProfiler *profiler)
{
    const unsigned era = ids_next_era(&profiler->ids, profiler->is_address);
    hsc_options options;
    hsc_options_init(&options);
    hsa_describe(&options, &profiler->self);
    options.producer = "hsdiff " HSC_VERSION " mono agent";
    options.runtime = profiler->runtime;
    options.facts = HSC_FACT_COLLECTED;
    options.identity = profiler->is_address ? HSC_IDENTITY_ADDRESS : HSC_IDENTITY_EXACT;
    options.pointer_bytes = sizeof(void *);
    options.compression = (int)hsa_option_number(profiler->request, "compression", 1);
    options.allocator = &profiler->allocator;
    /* What was forgotten is not compared with what came later. */
    for (size_t i = 0; i < sizeof era; i++)
        options.domain[i] ^= (uint8_t)(era >> 8 * i);
    const hsc_sink sink = walk_sink(&profiler->walk);
    return hsc_open(&profiler->walk.writer, &sink, &options) == HSC_OK;
}

/* Memory, identities and the writer for one capture. Says why not in `refusal`. */
static bool prepare_mono_agent(MonoProfiler *profiler)
{
    char ids[16] = "";
    hsa_option_text(profiler->request, "ids", ids, sizeof ids);
    profiler->is_address = !ids_ready(&profiler->ids) || strcmp(ids, "address") == 0;
    profiler->moved_bytes = (size_t)mono_gc_get_used_size() / 64;
    if (profiler->moved_bytes < LEAST_MOVED_BYTES) profiler->moved_bytes = LEAST_MOVED_BYTES;
    profiler->refusal = "there is no address space left for the tables of a capture";
    if (!hsa_arena_open(&profiler->arena, ARENA_BYTES)) return false;
    profiler->allocator = hsa_arena_allocator(&profiler->arena);
    const hsc_sink sink = hsa_sink(profiler->request);
    if (!walk_begin(&profiler->walk, &sink, &profiler->ids, &profiler->nursery) || !names_begin(&profiler->names) ||
        !nursery_ready(&profiler->nursery))
        return false;
    profiler->is_accepted = hsa_accept(profiler->request);
    return profiler->is_accepted && open_writer(profiler);
}

static void measure_mono_agent(MonoProfiler *profiler)
{
    profiler->used_bytes = (uint64_t)mono_gc_get_used_size();
    profiler->committed_bytes = (uint64_t)mono_gc_get_heap_size();
    profiler->collections = 0;
    for (int generation = 0; generation <= mono_gc_max_generation(); generation++)
        profiler->collections += (uint64_t)mono_gc_collection_count(generation);
}

/* A full collection that another thread is about to finish may be no serial one: then there is one more. */
static void collect_mono_agent(MonoProfiler *profiler)
{
    profiler->pause_ns = profiler->stopped_ns = 0;
    profiler->phase = PHASE_ARMED;
    for (int tries = 0; tries < TRIES && profiler->phase != PHASE_WALKED; tries++)
        mono_gc_collect(mono_gc_max_generation());
    if (profiler->phase != PHASE_WALKED) profiler->phase = PHASE_NONE;
}

static void capture_mono_agent(MonoProfiler *profiler)
{
    profiler->is_opened = prepare_mono_agent(profiler);
    if (!profiler->is_opened) return;
    mono_profiler_set_gc_moves_callback(profiler->handle, on_moves);
    collect_mono_agent(profiler);
    if (profiler->phase != PHASE_WALKED) {
        hsc_mark_incomplete(profiler->walk.writer, "the runtime did not make a full collection");
        return;
    }
    measure_mono_agent(profiler);
    names_find(&profiler->names, &profiler->walk.symbols);
}

static void set_stage(MonoProfiler *profiler, stage next)
{
    pthread_mutex_lock(&profiler->lock);
    profiler->stage = next;
    pthread_cond_broadcast(&profiler->changed);
    pthread_mutex_unlock(&profiler->lock);
}

/* What there is to do; STAGE_IDLE = nothing. */
static stage claim_agent(MonoProfiler *profiler)
{
    pthread_mutex_lock(&profiler->lock);
    stage next = STAGE_IDLE;
    if (profiler->stage == STAGE_ASKED) next = profiler->wanted == WANT_CAPTURE ? STAGE_SWEEPING : STAGE_CLAIMED;
    if (profiler->stage == STAGE_SWEPT) next = STAGE_CLAIMED;
    if (next != STAGE_IDLE) profiler->stage = next;
    pthread_mutex_unlock(&profiler->lock);
    return next;
}

/*
 * A collection puts what is dead and has a finalizer into the queue, which holds it until that has run. How much that
 * is depends on when the last collection was, and in a capture it would look like growth. So there is one collection
 * before that of the capture: behind it this thread runs the finalizers, and comes here again.
 */
static void sweep_mono_agent(MonoProfiler *profiler)
{
    mono_gc_collect(mono_gc_max_generation());
    set_stage(profiler, STAGE_SWEPT);
    mono_gc_finalize_notify();
}

static void on_finalized(MonoProfiler *profiler)
{
    const stage next = claim_agent(profiler);
    if (next == STAGE_SWEEPING) sweep_mono_agent(profiler);
    if (next != STAGE_CLAIMED) return;
    threads_name((uintptr_t)pthread_self(), "Finalizer");
    if (profiler->wanted == WANT_FORGET)
        collect_mono_agent(profiler);
    else
        capture_mono_agent(profiler);
    set_stage(profiler, STAGE_DONE);
}

/* ---- on the control thread ---- */

static void wait_a_second(MonoProfiler *profiler)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&profiler->changed, &profiler->lock, &until);
}

static bool is_waiting(stage stage) { return stage == STAGE_ASKED || stage == STAGE_SWEPT; }

/* As long as a collection and a walk take. */
static bool is_at_work(stage stage) { return stage == STAGE_SWEEPING || stage == STAGE_CLAIMED; }

/* Has the finalizer thread do it. NULL, or why it did not. */
static const char *ask_mono_agent(MonoProfiler *profiler, wanted what, const hsa_request *request)
{
    pthread_mutex_lock(&profiler->lock);
    profiler->request = request;
    profiler->wanted = what;
    profiler->is_accepted = profiler->is_opened = false;
    profiler->refusal = NULL;
    profiler->stage = STAGE_ASKED;
    for (int waited = 0; is_waiting(profiler->stage) && waited < CLAIM_SECONDS && !profiler->is_over; waited++) {
        mono_gc_finalize_notify();
        wait_a_second(profiler);
        while (is_at_work(profiler->stage))
            pthread_cond_wait(&profiler->changed, &profiler->lock);
    }
    const bool is_unheard = profiler->stage != STAGE_DONE;
    profiler->stage = STAGE_IDLE;
    const bool is_over = profiler->is_over;
    pthread_mutex_unlock(&profiler->lock);
    if (!is_unheard) return NULL;
    return is_over ? "the program is ending"
                   : "the finalizer thread of the program is busy: a finalizer does not return";
}

static void write_metrics(const MonoProfiler *profiler, hsc_writer *writer)
{
    hsc_metric(writer, "heap.used", "bytes", profiler->used_bytes);
    hsc_metric(writer, "heap.committed", "bytes", profiler->committed_bytes);
    hsc_metric(writer, "heap.young", "bytes", profiler->walk.young_bytes);
    hsc_metric(writer, "heap.large", "bytes", profiler->walk.large_bytes);
    hsc_metric(writer, "gc.count", "count", profiler->collections);
    hsc_metric(writer, "capture.pause", "ns", profiler->pause_ns);
    hsa_write_metrics(writer, &profiler->measured);
}

static void write_loss(hsc_writer *writer, const char *what, uint64_t count)
{
    if (count > 0) hsc_loss(writer, what, count);
}

static void write_losses(const MonoProfiler *profiler, hsc_writer *writer)
{
    const mono_walk *walk = &profiler->walk;
    write_loss(writer, profiler->is_late ? "names of roots registered before the agent was loaded" : "names of roots",
               walk->unnamed_roots);
    write_loss(writer, "roots", walk->lost_roots);
    write_loss(writer, "ranges of roots", ranges_lost());
    write_loss(writer, "names of types, fields or roots", walk->symbols.lost + profiler->names.lost);
    write_loss(writer, "objects that moved and could not be followed", profiler->ids.lost + walk->lost_nursery);
}

static void finish_mono_agent(MonoProfiler *profiler)
{
    hsc_writer *writer = profiler->walk.writer;
    if (profiler->phase == PHASE_WALKED && !profiler->walk.is_cut) {
        names_write(&profiler->names, &profiler->walk.symbols, writer);
        write_losses(profiler, writer);
        write_metrics(profiler, writer);
    }
    if (!profiler->walk.is_cut) hsc_finish(writer);
}

static void serve_capture(MonoProfiler *profiler, const hsa_request *request)
{
    hsa_measure(&profiler->measured);
    const char *refusal = ask_mono_agent(profiler, WANT_CAPTURE, request);
    if (profiler->is_opened)
        finish_mono_agent(profiler);
    else if (!profiler->is_accepted)
        hsa_refuse(request, refusal != NULL ? refusal : profiler->refusal);
    hsc_close(profiler->walk.writer);
    profiler->walk.writer = NULL;
    walk_end(&profiler->walk);
    names_end(&profiler->names);
    hsa_arena_close(&profiler->arena);
}

static void serve_mono_agent(void *context, const hsa_request *request)
{
    MonoProfiler *profiler = context;
    if (request->verb == HSA_CAPTURE) {
        serve_capture(profiler, request);
        return;
    }
    const char *refusal = ask_mono_agent(profiler, WANT_FORGET, request);
    if (refusal != NULL)
        hsa_refuse(request, refusal);
    else
        hsa_accept(request);
}

/* ---- what the runtime tells from its start on ---- */

static void on_root_register(MonoProfiler *profiler, const mono_byte *start, uintptr_t size, MonoGCRootSource source,
                             const void *key, const char *name)
{
    /* The runtime's queues have small numbers for addresses, and are told while the world stands still (walk.c knows
     * them). */
    if ((uintptr_t)start > 4096) ranges_add((uintptr_t)start, size, (uint32_t)source, key);
}

static void on_root_unregister(MonoProfiler *profiler, const mono_byte *start)
{
    if ((uintptr_t)start > 4096) ranges_remove((uintptr_t)start);
}

static void on_thread_started(MonoProfiler *profiler, uintptr_t thread) { threads_begin(thread); }
static void on_thread_exited(MonoProfiler *profiler, uintptr_t thread) { threads_end(thread); }
static void on_thread_name(MonoProfiler *profiler, uintptr_t thread, const char *name) { threads_name(thread, name); }

static void listen_now_in_mono_agent(MonoProfiler *profiler)
{
    char *build = mono_get_runtime_build_info();
    snprintf(profiler->runtime, sizeof profiler->runtime, "Mono %.*s", build == NULL ? 0 : (int)strcspn(build, " "),
             build == NULL ? "" : build);
    mono_free(build);
    hsa_know_self(&profiler->self);
    const hsa_agent row = {.name = "mono", .serve = serve_mono_agent, .context = profiler};
    const int failed = hsa_listen(&row);
    if (failed != 0)
        fprintf(stderr, "hsdiff: this program cannot be captured: its socket failed with error %d\n", failed);
}

static void on_initialized(MonoProfiler *profiler) { listen_now_in_mono_agent(profiler); }

static void on_shutdown(MonoProfiler *profiler)
{
    pthread_mutex_lock(&profiler->lock);
    profiler->is_over = true;
    pthread_cond_broadcast(&profiler->changed);
    pthread_mutex_unlock(&profiler->lock);
}

static void in_child(void) { hsa_after_fork(); }

static void set_callbacks(MonoProfiler *profiler)
{
    MonoProfilerHandle handle = profiler->handle;
    mono_profiler_set_runtime_initialized_callback(handle, on_initialized);
    mono_profiler_set_runtime_shutdown_begin_callback(handle, on_shutdown);
    mono_profiler_set_gc_event_callback(handle, on_gc_event);
    mono_profiler_set_gc_finalized_callback(handle, on_finalized);
    mono_profiler_set_gc_root_register_callback(handle, on_root_register);
    mono_profiler_set_gc_root_unregister_callback(handle, on_root_unregister);
    mono_profiler_set_thread_started_callback(handle, on_thread_started);
    mono_profiler_set_thread_exited_callback(handle, on_thread_exited);
    mono_profiler_set_thread_name_callback(handle, on_thread_name);
}

/* What mono looks up by its name; `description` is all that stood behind --profile=. */
__attribute__((visibility("default"))) void mono_profiler_init_hsdiff(const char *description);

void mono_profiler_init_hsdiff(const char *description)
{
    if (agent.handle != NULL) return;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&agent.changed, &clock);
    pthread_condattr_destroy(&clock);
    agent.is_late = mono_get_root_domain() != NULL;
    agent.handle = mono_profiler_create(&agent);
    threads_name((uintptr_t)pthread_self(), "main");
    set_callbacks(&agent);
    pthread_atfork(NULL, NULL, in_child);
    if (agent.is_late) listen_now_in_mono_agent(&agent);
}
