/*
 * How one budget becomes the budgets of the stages. Each stage is a handful of slots that are alive
 * together; each slot has a least (it cannot run with less), a useful (more would lie idle) and a
 * weight. share() gives every slot its least and divides what is left by weight, and what one slot
 * cannot use goes to the others:
 *
 *      total   |====== least ======|---------------- rest ----------------|
 *      slot a  |==|--------|                        useful reached: stops here
 *      slot b  |========|-------------------------|       takes what a left
 *
 * Worked example, the bound of the first milestone: 64 MiB, 10 M objects, 30 M references by id, two
 * captures. Tables 4 MiB, reader 8 MiB, bits 4 MiB a side. 45 MiB of labels and 162 MiB of blocks fit
 * nowhere twice: one capture after the other. Reading has 48 MiB left for two sorters, 12 MiB for ids and
 * 36 MiB for references: both spill. Then labels get 29 MiB and blocks 13 MiB.
 */
#include "base/plan.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/worker.h"

#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)

#define TABLES_LEAST MIB(1)
#define TABLES_MOST  MIB(64)
#define SORT_LEAST   KIB(512)
#define SORT_ENOUGH  MIB(64)
#define SERVE_LEAST  KIB(512)
#define MERGE_BLOCK  KIB(272) /* what a merge can use for each run */
#define BLOCKS_LEAST MIB(2)   /* of the adjacency: a slab of 1 MiB and the open block */
#define PAGES_LEAST  KIB(1280)
#define SIDE_LEAST   MIB(24)             /* below it two walks at once get in each other's way */
#define COUNT_MOST   (UINT64_C(1) << 40) /* keeps the arithmetic far from overflow */

typedef struct slot {
    uint64_t least;
    uint64_t useful;
    uint64_t weight;
    uint64_t *out; /* NULL: the slot is not there */
} slot;

#define MAX_SLOTS 4

/* a * b / c without overflow, for b <= c. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
    __extension__ typedef unsigned __int128 wide;
    return c == 0 ? 0 : (uint64_t)((wide)a * b / c);
}

/* Gives every open slot its part of `rest`; true if one reached its useful and closed. */
static bool share_round(slot *slots, size_t count, bool *is_closed, uint64_t *rest)
{
    uint64_t weights = 0;
    for (size_t i = 0; i < count; i++)
        weights += is_closed[i] ? 0 : slots[i].weight;
    const uint64_t round = *rest;
    bool has_closed = false;
    for (size_t i = 0; i < count; i++) {
        const uint64_t missing = slots[i].useful - hsd_min_u64(*slots[i].out, slots[i].useful);
        if (is_closed[i] || missing > scale(round, slots[i].weight, weights)) continue;
        *slots[i].out += missing;
        *rest -= missing;
        is_closed[i] = has_closed = true;
    }
    if (has_closed) return true;
    for (size_t i = 0; i < count; i++) {
        if (is_closed[i]) continue;
        const uint64_t part = scale(round, slots[i].weight, weights);
        *slots[i].out += part;
        *rest -= part;
    }
    return false;
}

/* Divides `total` among the slots that are there. Returns false if it is less than their leasts. */
static bool share(uint64_t total, slot *slots, size_t count)
{
    bool is_closed[MAX_SLOTS] = {false};
    uint64_t nothing, rest = total;
    bool suffices = true;
    for (size_t i = 0; i < count; i++) {
        if (slots[i].out == NULL) {
            slots[i] = (slot){.out = &nothing};
        }
        slots[i].useful = hsd_max_u64(slots[i].useful, slots[i].least);
        *slots[i].out = slots[i].least;
        suffices = suffices && slots[i].least <= rest;
        rest -= hsd_min_u64(rest, slots[i].least);
    }
    while (suffices && share_round(slots, count, is_closed, &rest))
        continue;
    return suffices;
}

/* ---- what the stages of one capture can use */

static uint64_t adjacency_estimate(const hsd_plan_capture *c)
{
    return 5 * c->references + 2 * c->objects;
}

/* A sorter keeps n records in memory when it holds them and as much again to sort into. */
static uint64_t sort_whole(uint64_t records, unsigned words)
{
    return 2 * records * 8 * words + MIB(2);
}

/* More than this buys no speed: runs are written while the next fills, and merged in one pass. Two captures
 * of 5 M objects, whole diff: 2.8 s and 213 MiB with 82 MiB for each sorter, 3.1 s and 418 MiB with 241. */
static uint64_t sort_useful(uint64_t records, unsigned words)
{
    const uint64_t enough = hsd_max_u64(SORT_ENOUGH, records * 8 * words / 64);
    return hsd_min_u64(sort_whole(records, words), enough);
}

static bool stays_in_memory(uint64_t records, unsigned words, uint64_t sort_bytes)
{
    return sort_bytes >= sort_whole(records, words);
}

/* What serving takes: the records, if they stayed in memory; else a block for each run, and a run is a
 * third of the sorter's memory. Never more than sorting had. */
static uint64_t serve_useful(uint64_t records, unsigned words, uint64_t sort_bytes)
{
    uint64_t useful = records * 8 * words + KIB(256);
    if (!stays_in_memory(records, words, sort_bytes)) {
        const uint64_t runs = records * 8 * words / (sort_bytes / 3 + 1) + 1;
        useful = hsd_max_u64(MIB(1), runs * MERGE_BLOCK);
    }
    return hsd_min_u64(useful, sort_bytes);
}

/* Labels: 4 bytes an object in pages, their tables, and one eighth of all for the worklist. */
static uint64_t label_useful(const hsd_plan_capture *c)
{
    return (4 * c->objects + c->objects / 512) / 7 * 8 + PAGES_LEAST;
}

static uint64_t label_least(const hsd_plan_capture *c) { return PAGES_LEAST + c->objects / 512; }

static bool has_blocks(const hsd_plan_capture *c) { return c->has_graph || c->has_parts; }
static bool has_join(const hsd_plan_capture *c) { return c->needs_join && has_blocks(c); }

static uint64_t adjacency_least(const hsd_plan_capture *c)
{
    return has_blocks(c) ? BLOCKS_LEAST + adjacency_estimate(c) / 2048 : 0;
}

/* Pseudo, part, folded; of the adjacency: leaves (which double as they grow) and the block index. */
static uint64_t bits_bytes(const hsd_plan_capture *c)
{
    if (!has_blocks(c)) return 0;
    return c->objects / 8 * (c->has_parts ? 5 : 3) + c->objects / 64 +
           adjacency_estimate(c) / 1024 + KIB(128);
}

/* ---- the stages of one capture's walk. `room` is what is left beside reader and bits. False: too little. */

/* The labels of owners; while parts are told apart theirs are there instead, and the folded ones after. */
static void divide_labels(hsd_plan_side *side, const hsd_plan_capture *c, uint64_t labels)
{
    const uint64_t folded = c->has_parts ? hsd_max_u64(labels / 9 + 1, SERVE_LEAST) : 0;
    side->owner_bytes = labels - folded;
    side->part_bytes = c->has_parts ? labels - folded : 0;
    side->folded_bytes = folded;
}

/* Labels are read and written at random, so they come first; then blocks; identity only streams. */
static bool plan_graph(hsd_plan_side *side, const hsd_plan_capture *c, uint64_t room)
{
    const uint64_t times = c->has_parts ? 2 : 1;
    const uint64_t blocks = adjacency_least(c);
    uint64_t labels = 0;
    slot census[] = {
        {label_least(c) * times, label_useful(c) * times, 6, has_blocks(c) ? &labels : NULL},
        {SORT_LEAST, sort_useful(c->objects, c->identity_words), 4,
         c->identity_words > 0 ? &side->identity_sort_bytes : NULL}};
    if (!share(room, census, 2)) return false;
    side->identity_serve_bytes =
        serve_useful(c->objects, c->identity_words, side->identity_sort_bytes);
    if (!has_blocks(c)) return true;
    if (room < side->id_serve_bytes + blocks + label_least(c) * times) return false;
    labels = hsd_min_u64(labels, room - side->id_serve_bytes - blocks);
    divide_labels(side, c, labels);
    const uint64_t useful = hsd_max_u64(blocks, adjacency_estimate(c) + MIB(3));
    side->adjacency_bytes = hsd_min_u64(useful, room - side->id_serve_bytes - labels);
    side->build_bytes = side->adjacency_bytes;
    return true;
}

/* Ids and references side by side; the ids then serve until the roots are found. */
static bool plan_read(hsd_plan_side *side, const hsd_plan_capture *c, uint64_t room)
{
    slot read[] = {{SORT_LEAST, sort_useful(c->objects, 2), c->objects + 1, &side->id_sort_bytes},
                   {SORT_LEAST, sort_useful(c->references, 2), c->references + 1,
                    &side->reference_sort_bytes}};
    if (!share(room, read, 2)) return false;
    const uint64_t ids = serve_useful(c->objects, 2, side->id_sort_bytes);
    side->id_serve_bytes = hsd_min_u64(ids, hsd_max_u64(SERVE_LEAST, room / 8));
    if (c->has_edges) { /* they are sorted by their sources while those by targets wait */
        const uint64_t two_thirds = (room - side->id_serve_bytes) / 3 * 2;
        if (two_thirds < 2 * SORT_LEAST) return false;
        side->reference_sort_bytes = hsd_min_u64(side->reference_sort_bytes, two_thirds);
        side->source_sort_bytes = side->reference_sort_bytes / 2;
        side->source_serve_bytes = serve_useful(c->references, 2, side->source_sort_bytes);
    }
    return true;
}

static bool plan_edges(hsd_plan_side *side, const hsd_plan_capture *c, uint64_t room)
{
    const uint64_t edges = sort_useful(c->references, 1);
    if (!has_join(c)) {
        slot read[] = {{SORT_LEAST, edges, 1, &side->edge_sort_bytes}};
        return share(room, read, 1);
    }
    const uint64_t references = serve_useful(c->references, 2, side->reference_sort_bytes);
    slot join[] = {{SERVE_LEAST, references, 4, &side->reference_serve_bytes},
                   {SORT_LEAST, edges, 8, &side->edge_sort_bytes}};
    return share(room + side->reader_bytes - side->id_serve_bytes, join, 2);
}

static bool plan_side(hsd_plan_side *side, const hsd_plan_capture *c, uint64_t walk)
{
    *side = (hsd_plan_side){.reader_bytes = HSD_PLAN_READER_BYTES, .bits_bytes = bits_bytes(c)};
    if (walk < side->reader_bytes + side->bits_bytes) return false;
    const uint64_t room = walk - side->reader_bytes - side->bits_bytes;
    if (has_join(c) && !plan_read(side, c, room)) return false;
    if (!plan_graph(side, c, room)) return false;
    if (!has_blocks(c)) return true;
    if (!plan_edges(side, c, room)) return false;
    const uint64_t edges = serve_useful(c->references, 1, side->edge_sort_bytes);
    side->edge_serve_bytes =
        hsd_min_u64(edges, walk - side->bits_bytes - side->id_serve_bytes - side->build_bytes);
    return true;
}

/* Most that this side has alive at once. */
static uint64_t side_peak(const hsd_plan_side *s, const hsd_plan_capture *c)
{
    const uint64_t read = has_join(c) ? s->id_sort_bytes + s->reference_sort_bytes
                                      : hsd_max_u64(s->build_bytes, s->edge_sort_bytes);
    uint64_t peak = s->reader_bytes + read;
    peak =
        hsd_max_u64(peak, s->reader_bytes + s->id_serve_bytes +
                              (has_join(c) ? s->reference_sort_bytes + s->source_sort_bytes : 0));
    if (has_join(c))
        peak = hsd_max_u64(peak, s->id_serve_bytes + s->reference_serve_bytes + s->edge_sort_bytes);
    peak = hsd_max_u64(peak, s->id_serve_bytes + s->edge_serve_bytes + s->build_bytes);
    const uint64_t blocks = s->adjacency_bytes + s->folded_bytes;
    peak = hsd_max_u64(peak, s->reader_bytes + s->id_serve_bytes + blocks + s->part_bytes);
    peak = hsd_max_u64(peak, blocks + s->owner_bytes);
    peak = hsd_max_u64(peak,
                       s->reader_bytes + s->owner_bytes + s->folded_bytes + s->identity_sort_bytes);
    return peak + s->bits_bytes;
}

/* ---- both captures */

static uint64_t tables_of(uint64_t memory_bytes)
{
    return hsd_min_u64(TABLES_MOST, hsd_max_u64(TABLES_LEAST, memory_bytes / 16));
}

static uint64_t size_of(const hsd_plan_capture *c)
{
    return 8 * c->objects + 5 * c->references + 1; /* roughly its graph: labels twice, and blocks */
}

/* What the random accesses of the owners stage want in memory. */
static uint64_t graph_of(const hsd_plan_capture *c)
{
    return has_blocks(c)
               ? bits_bytes(c) + label_useful(c) * (c->has_parts ? 2 : 1) + adjacency_estimate(c)
               : 0;
}

/* What the first walk's identity sorter may keep: its records if they take little, else a merge's buffers. */
static uint64_t held_by_first(const hsd_plan_side *first, const hsd_plan_capture *c, uint64_t walk)
{
    const bool stayed = stays_in_memory(c->objects, c->identity_words, first->identity_sort_bytes);
    if (stayed && first->identity_serve_bytes <= walk / 4) return first->identity_serve_bytes;
    return hsd_min_u64(first->identity_serve_bytes, hsd_max_u64(SERVE_LEAST, walk / 16));
}

/* The second walk, while the first one's records and bits are still there. */
static bool plan_second(hsd_plan *plan, const hsd_plan_request *r, uint64_t walk,
                        uint64_t held_bytes)
{
    const uint64_t held = held_bytes + plan->sides[0].bits_bytes;
    return walk >= held && plan_side(&plan->sides[1], &r->captures[1], walk - held);
}

static bool plan_in_turn(hsd_plan *plan, const hsd_plan_request *r, uint64_t memory_bytes)
{
    const uint64_t walk = memory_bytes - plan->table_bytes;
    plan->is_side_by_side = false;
    if (!plan_side(&plan->sides[0], &r->captures[0], walk)) return false;
    plan->peak_bytes = plan->table_bytes + side_peak(&plan->sides[0], &r->captures[0]);
    if (r->capture_count == 1) return true;
    hsd_plan_side *first = &plan->sides[0];
    uint64_t held = held_by_first(first, &r->captures[0], walk);
    if (!plan_second(plan, r, walk, held)) {
        held = hsd_min_u64(held, SERVE_LEAST); /* whatever else: the second must be walked too */
        if (!plan_second(plan, r, walk, held)) return false;
    }
    first->identity_serve_bytes = held;
    const uint64_t second =
        plan->table_bytes + held + first->bits_bytes + side_peak(&plan->sides[1], &r->captures[1]);
    plan->peak_bytes = hsd_max_u64(plan->peak_bytes, second);
    return true;
}

/* The budget of the first walk when both go on at once: by size, and no side starves. */
static uint64_t first_share(const hsd_plan_request *r, uint64_t walk)
{
    const uint64_t first = size_of(&r->captures[0]), second = size_of(&r->captures[1]);
    const uint64_t share_bytes = scale(walk, first, first + second);
    return hsd_max_u64(walk / 4, hsd_min_u64(walk - walk / 4, share_bytes));
}

static bool plan_at_once(hsd_plan *plan, const hsd_plan_request *r, uint64_t memory_bytes)
{
    const uint64_t walk = memory_bytes - plan->table_bytes;
    const uint64_t first = first_share(r, walk);
    plan->is_side_by_side = true;
    if (!plan_side(&plan->sides[0], &r->captures[0], first)) return false;
    if (!plan_side(&plan->sides[1], &r->captures[1], walk - first)) return false;
    plan->peak_bytes = plan->table_bytes + side_peak(&plan->sides[0], &r->captures[0]) +
                       side_peak(&plan->sides[1], &r->captures[1]);
    return true;
}

/* Whether two walks at once pay, and why. */
static bool should_walk_at_once(const hsd_plan_request *r, uint64_t memory_bytes,
                                const char **reason)
{
    const uint64_t walk = memory_bytes - tables_of(memory_bytes);
    const uint64_t first = r->capture_count == 2 ? first_share(r, walk) : walk;
    *reason = "there is one capture";
    if (r->capture_count == 1) return false;
    *reason = "there is one thread";
    if (hsd_worker_count(r->threads) < 2) return false;
    *reason = "the budget is too small for two walks at once";
    if (first < SIDE_LEAST || walk - first < SIDE_LEAST) return false;
    *reason = "both graphs do not fit in memory together";
    if (graph_of(&r->captures[0]) > first || graph_of(&r->captures[1]) > walk - first) return false;
    *reason = "both graphs fit in memory";
    return true;
}

static hsd_plan_request bounded(const hsd_plan_request *request)
{
    hsd_plan_request r = *request;
    for (unsigned i = 0; i < 2; i++) {
        r.captures[i].objects = hsd_min_u64(r.captures[i].objects, COUNT_MOST);
        r.captures[i].references = hsd_min_u64(r.captures[i].references, COUNT_MOST);
    }
    return r;
}

static bool fits(const hsd_plan_request *r, uint64_t memory_bytes)
{
    hsd_plan plan = {.table_bytes = tables_of(memory_bytes)};
    return plan_in_turn(&plan, r, memory_bytes);
}

/* In whole MiB, as a user would type it. */
uint64_t hsd_plan_least(const hsd_plan_request *request)
{
    const hsd_plan_request r = bounded(request);
    uint64_t low = HSD_MEMORY_MIN_BYTES >> 20, high = UINT64_C(1) << 32;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (fits(&r, middle << 20))
            high = middle;
        else
            low = middle + 1;
    }
    return low << 20;
}

static hsd_status fail_over_budget(const hsd_plan_request *r, uint64_t memory_bytes, hsd_error *err)
{
    const unsigned long long least = hsd_plan_least(r) >> 20;
    hsd_fail(err, HSD_E_OVER_BUDGET, "a memory budget of %llu KiB is too small: %llu MiB suffice",
             (unsigned long long)(memory_bytes >> 10), least);
    hsd_error_set_hint(err, "--memory %lluM", least);
    return HSD_E_OVER_BUDGET;
}

hsd_status hsd_plan_make(hsd_plan *plan, const hsd_plan_request *request, hsd_error *err)
{
    if (request->capture_count < 1 || request->capture_count > 2)
        return hsd_fail(err, HSD_E_MISUSE, "a plan is for one or two captures, not %u",
                        request->capture_count);
    const hsd_plan_request r = bounded(request);
    const uint64_t memory_bytes = r.memory_bytes == 0 ? hsd_run_default_memory() : r.memory_bytes;
    *plan = (hsd_plan){.memory_bytes = memory_bytes, .table_bytes = tables_of(memory_bytes)};
    if (memory_bytes < HSD_MEMORY_MIN_BYTES) return fail_over_budget(&r, memory_bytes, err);
    plan->uses_sort_threads = hsd_worker_count(r.threads) > 1;
    const char *reason;
    if (should_walk_at_once(&r, memory_bytes, &reason) && plan_at_once(plan, &r, memory_bytes)) {
        plan->uses_sort_threads = hsd_worker_count(r.threads) > 2;
    } else if (!plan_in_turn(plan, &r, memory_bytes)) {
        return fail_over_budget(&r, memory_bytes, err);
    }
    plan->reason = reason;
    return HSD_OK;
}

void hsd_plan_explain(const hsd_plan *plan, hsd_reporter *reporter)
{
    const hsd_plan_side *a = &plan->sides[0], *b = &plan->sides[1];
    const double mib = 1048576.0;
    hsd_note(reporter, HSD_NOTE_DETAIL,
             "memory %.0f MiB, at most %.0f used at once: captures %s because %s; "
             "join %.0f/%.0f, references %.0f/%.0f, owners %.0f/%.0f, identity %.0f/%.0f MiB",
             (double)plan->memory_bytes / mib, (double)plan->peak_bytes / mib,
             plan->is_side_by_side ? "walked side by side" : "walked in turn", plan->reason,
             (double)(a->id_sort_bytes + a->reference_sort_bytes) / mib,
             (double)(b->id_sort_bytes + b->reference_sort_bytes) / mib,
             (double)a->adjacency_bytes / mib, (double)b->adjacency_bytes / mib,
             (double)(a->owner_bytes + a->part_bytes) / mib,
             (double)(b->owner_bytes + b->part_bytes) / mib, (double)a->identity_sort_bytes / mib,
             (double)b->identity_sort_bytes / mib);
}
