/*
 * How one budget becomes the budgets of the stages. Each stage is a handful of slots that are alive
 * together; each slot has a least (it cannot run with less), a useful (more would lie idle) and a
 * weight. hsd_plan_share gives every slot its least and divides what is left by weight, and what one slot
 * cannot use goes to the others:
 *
 *      total   |====== least ======|---------------- rest ----------------|
 *      slot a  |==|--------|                        useful reached: stops here
 *      slot b  |========|-------------------------|       takes what a left
 *
 * This file sees both captures: side by side or in turn, with dominators or without, and what comes after the walks.
 * plan/side.c divides one walk, plan/needs.c knows leasts and usefuls.
 *
 * Worked example, the bound of the first milestone: 64 MiB, 10 M objects, 30 M references by id, two
 * captures. Tables 4 MiB, reader 8 MiB, bits 5 MiB a side. 45 MiB of labels and 162 MiB of blocks fit
 * nowhere twice: one capture after the other. Reading has 47 MiB left for two sorters, 12 MiB for ids and
 * 35 MiB for references: both spill. Dominators get 48 MiB and page, labels 38 MiB, blocks 13 MiB.
 */
#include "walk/plan/plan.h"

#include "base/assert.h"
#include "base/node.h"
#include "base/search.h"
#include "base/worker.h"
#include "walk/plan/parts.h"

#define TABLES_LEAST    MIB(1)
#define TABLES_MOST     MIB(64)
#define SIDE_LEAST      MIB(24) /* below it two walks at once get in each other's way */
#define KEEPS_ALL       MIB(64) /* of a capture that small nothing leaves the memory */
#define RECOGNISE_LEAST MIB(6)
#define POOL_MOST       MIB(64)
#define WAITS_PART      8u  /* of the memory, which a side may keep while the other one is walked */
#define LOOKED_BELOW    32u /* whole MiB below a budget that does not fit, or is the least that was found */
#define COUNT_MOST      (UINT64_C(1) << 40) /* keeps the arithmetic far from overflow */

static uint64_t tables_of(uint64_t memory_bytes)
{
    return hsd_min_u64(TABLES_MOST, hsd_max_u64(TABLES_LEAST, memory_bytes / 16));
}

static uint64_t size_of(const hsd_plan_capture *c)
{
    return 2 * HSD_NODE_BYTES * c->objects + 5 * c->references + 1; /* roughly its graph: labels twice, and blocks */
}

static void raise(uint64_t *peak, uint64_t sum) { *peak = hsd_max_u64(*peak, sum); }

/* ---- after the walks */

static bool has_tree(const hsd_plan_request *r)
{
    return hsd_plan_has_tree(&r->captures[0]) || (r->capture_count == 2 && hsd_plan_has_tree(&r->captures[1]));
}

/* The last capture's graph stays until the paths are found. */
static bool keeps_graph(const hsd_plan_request *r, unsigned i)
{
    return i + 1 == r->capture_count && hsd_plan_has_tree(&r->captures[i]);
}

/* What must be left beside that graph: growth, and what the other side still knows. 0 = it does not stay. */
static uint64_t end_bytes(const hsd_plan_request *r, unsigned i)
{
    if (!keeps_graph(r, i)) return 0;
    return GROWTH_LEAST + (i == 1 ? hsd_plan_kept(&r->captures[0], false) : 0);
}

/* What a side holds from the end of its walk on, its graph not counted. */
static uint64_t left_by(const hsd_plan_side *s)
{
    return s->identity_serve_bytes + s->tree_serve_bytes + s->kept_bytes + s->type_bytes;
}

/* What is alive while one side is walked and the other not yet, both at once. */
static uint64_t beside_other(const hsd_plan *plan, const hsd_plan_request *r, unsigned i)
{
    const hsd_plan_side *s = &plan->sides[i];
    const unsigned other = 1 - i;
    if (!plan->is_side_by_side) return 0;
    return plan->table_bytes + left_by(s) + (keeps_graph(r, i) ? s->idle_adjacency_bytes + s->idle_name_bytes : 0) +
           hsd_plan_side_peak(&plan->sides[other], &r->captures[other], keeps_graph(r, other));
}

/* Growth and paths get what the sides leave. */
static bool plan_end(hsd_plan *plan, const hsd_plan_request *r, uint64_t walk)
{
    hsd_plan_side *last = &plan->sides[r->capture_count - 1];
    const bool has_paths = keeps_graph(r, r->capture_count - 1);
    uint64_t left = left_by(&plan->sides[0]) + (r->capture_count == 2 ? left_by(&plan->sides[1]) : 0);
    if (has_paths) left += last->adjacency_bytes + last->name_bytes;
    const hsd_plan_need paths = hsd_plan_paths(&r->captures[r->capture_count - 1]);
    hsd_plan_slot end[] = {{GROWTH_LEAST, GROWTH_MOST, 1, has_tree(r) ? &plan->growth_bytes : NULL},
                           {paths.least, paths.useful, 7, has_paths ? &last->path_bytes : NULL}};
    if (walk < left || !hsd_plan_share(walk - left, end, 2)) return false;
    const uint64_t end_bytes = plan->table_bytes + left + plan->growth_bytes + last->path_bytes;
    raise(&plan->peak_bytes, end_bytes);
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t paths_bytes = keeps_graph(r, i) ? last->path_bytes : 0;
        plan->end_bytes[i] = hsd_max_u64(end_bytes - paths_bytes, beside_other(plan, r, i));
    }
    return true;
}

/* ---- both captures */

static bool has_structure(const hsd_plan_request *r) { return r->capture_count == 2 && r->captures[0].has_structure; }

/* Of one side that waits until the other was walked, too, what takes much goes to files: else the other has no memory
 * for its walk, nor is there enough for both where objects are recognised. */
static void wait_in_order(hsd_plan_side *side, const hsd_plan_request *r, unsigned i, uint64_t walk)
{
    side->waits_in_order = has_structure(r) && hsd_plan_side_waits(side, keeps_graph(r, i)) > walk / WAITS_PART;
}

/* While objects are recognised both sides wait; then the first is counted while the second still does. */
static bool plan_recognising(hsd_plan *plan, const hsd_plan_request *r, uint64_t walk)
{
    hsd_plan_side *first = &plan->sides[0];
    const uint64_t waits = hsd_plan_side_waits(first, false) + hsd_plan_side_waits(&plan->sides[1], keeps_graph(r, 1));
    if (!has_structure(r)) return true;
    if (walk < waits + RECOGNISE_LEAST) return false;
    const uint64_t useful =
        hsd_max_u64(hsd_plan_recognise_useful(&r->captures[0]), hsd_plan_recognise_useful(&r->captures[1]));
    plan->recognise_bytes = hsd_min_u64(walk - waits, hsd_max_u64(useful, RECOGNISE_LEAST));
    raise(&plan->peak_bytes, plan->table_bytes + waits + plan->recognise_bytes);
    if (walk < waits + first->reader_bytes) return false;
    hsd_plan_slot census[] = {
        {SORT_LEAST, first->identity_sort_bytes, 1, &first->identity_sort_bytes},
        {SORT_LEAST, first->tree_sort_bytes, 1, first->tree_sort_bytes > 0 ? &first->tree_sort_bytes : NULL},
        {0, first->partner_bytes, 1, &first->partner_bytes}};
    if (!hsd_plan_share(walk - waits - first->reader_bytes, census, HSD_ARRAY_LEN(census))) return false;
    /* what the second's census finds of the first */
    const uint64_t left = hsd_plan_side_waits(first, false) / 2;
    first->identity_serve_bytes = hsd_min_u64(first->identity_serve_bytes, hsd_max_u64(SERVE_LEAST, left));
    first->tree_serve_bytes = hsd_min_u64(first->tree_serve_bytes, hsd_max_u64(SERVE_LEAST, left));
    return true;
}

/* What the first walk's identity sorter may keep: its records if they take little, else a merge's buffers. With a
 * tree the side has seen to it. */
static uint64_t held_by_first(const hsd_plan_side *first, const hsd_plan_capture *c, uint64_t walk)
{
    const bool stayed = hsd_plan_stays(c->objects, c->identity_words, first->identity_sort_bytes);
    if (hsd_plan_has_tree(c)) return first->identity_serve_bytes;
    if (stayed && first->identity_serve_bytes <= walk / 4) return first->identity_serve_bytes;
    return hsd_min_u64(first->identity_serve_bytes, hsd_max_u64(SERVE_LEAST, walk / 16));
}

/* The second walk, while the first one's records are still there. */
static bool plan_second(hsd_plan *plan, const hsd_plan_request *r, uint64_t walk, bool is_ahead)
{
    const hsd_plan_side *first = &plan->sides[0];
    const uint64_t held =
        has_structure(r) ? hsd_plan_side_waits(first, false) : first->identity_serve_bytes + first->tree_serve_bytes;
    const hsd_plan_walk second = {
        .bytes = walk - hsd_min_u64(walk, held), .end_bytes = end_bytes(r, 1), .is_ahead = is_ahead};
    if (walk < held || !hsd_plan_side_divide(&plan->sides[1], &r->captures[1], second)) return false;
    wait_in_order(&plan->sides[1], r, 1, walk);
    raise(&plan->peak_bytes,
          plan->table_bytes + held + hsd_plan_side_peak(&plan->sides[1], &r->captures[1], keeps_graph(r, 1)));
    return plan_recognising(plan, r, walk) && plan_end(plan, r, walk);
}

static bool plan_in_turn(hsd_plan *plan, const hsd_plan_request *r, uint64_t memory_bytes, bool is_ahead)
{
    const uint64_t walk = memory_bytes - plan->table_bytes;
    hsd_plan_side *first = &plan->sides[0];
    const hsd_plan_walk how = {
        .bytes = walk, .end_bytes = end_bytes(r, 0), .has_arrays = r->capture_count == 1, .is_ahead = is_ahead};
    plan->is_side_by_side = false;
    if (!hsd_plan_side_divide(first, &r->captures[0], how)) return false;
    wait_in_order(first, r, 0, walk);
    const uint64_t peak = plan->table_bytes + hsd_plan_side_peak(first, &r->captures[0], keeps_graph(r, 0));
    plan->peak_bytes = peak;
    if (r->capture_count == 1) return plan_end(plan, r, walk);
    first->identity_serve_bytes = held_by_first(first, &r->captures[0], walk);
    if (plan_second(plan, r, walk, is_ahead)) return true;
    first->identity_serve_bytes = hsd_min_u64(first->identity_serve_bytes, SERVE_LEAST);
    first->tree_serve_bytes = hsd_min_u64(first->tree_serve_bytes, SERVE_LEAST);
    plan->peak_bytes = peak;
    return plan_second(plan, r, walk, is_ahead); /* whatever else: the second must be walked too */
}

/* The budget of the first walk when both go on at once: by size, and no side starves. */
static uint64_t first_share(const hsd_plan_request *r, uint64_t walk)
{
    const uint64_t first = size_of(&r->captures[0]), second = size_of(&r->captures[1]);
    const uint64_t share_bytes = hsd_plan_scale(walk, first, first + second);
    return hsd_max_u64(walk / 4, hsd_min_u64(walk - walk / 4, share_bytes));
}

/* With a tree two walks at once leave their graphs to the disk's cache wherever they are not walked: that costs 5% of
 * the time and saves half of the memory. Two captures of 5 M objects, 15 M references: 6.8 s of CPU and 474 MiB with
 * all in memory, 7.2 s and 192 MiB so. Small ones keep everything.
 * Places in arrays take a quarter more, and save a twentieth of the time, beside other work a fifth; what objects look
 * like needs the memory more: two captures of 10 M objects with them as well, 613 MiB in place of 566, took as long.
 * Where not all fits that is touched at random, half of it is as good. */
static uint64_t enough_for(const hsd_plan_capture *c, uint64_t share_bytes)
{
    const uint64_t in_arrays = hsd_plan_random_in_arrays(c);
    if (!hsd_plan_has_tree(c)) return share_bytes;
    uint64_t random = share_bytes < in_arrays || c->has_structure ? hsd_plan_random(c) : in_arrays;
    if (share_bytes < random) random /= 2;
    return hsd_min_u64(share_bytes, hsd_max_u64(KEEPS_ALL, random));
}

/* But what objects look like is asked for at random, and has of what both leave what it can use: two captures of 10 M
 * objects, 22 M references, half of the processor's time for structures and 4.4 million reads of files less. */
static void widen_structure(hsd_plan_side *side, const hsd_plan_capture *c, uint64_t spare)
{
    const uint64_t enough = hsd_plan_structure_random(c);
    if (side->structure_bytes < enough) side->structure_bytes += hsd_min_u64(spare, enough - side->structure_bytes);
}

/* Tapes in memory of places that will be in arrays buy hardly any speed: nor do they in memory that all else can do
 * without. Two walks of 5 M nodes had 284 to 313 MiB with what they could get, and have 248 to 266. */
static void bound_tapes(hsd_plan_side *side, const hsd_plan_capture *c)
{
    const uint64_t least = hsd_plan_dominators(c).least;
    side->early_bytes = 0;
    side->dominator_bytes = hsd_min_u64(side->dominator_bytes, hsd_max_u64(least, hsd_plan_dominator_enough(c)));
}

static bool plan_at_once(hsd_plan *plan, const hsd_plan_request *r, uint64_t memory_bytes)
{
    const uint64_t walk = memory_bytes - plan->table_bytes;
    const uint64_t share_bytes = first_share(r, walk);
    const uint64_t first = enough_for(&r->captures[0], share_bytes);
    const uint64_t second = enough_for(&r->captures[1], walk - share_bytes);
    const hsd_plan_walk how[2] = {{.bytes = first, .has_arrays = !has_structure(r)},
                                  {.bytes = second, .end_bytes = end_bytes(r, 1), .has_arrays = !has_structure(r)}};
    plan->is_side_by_side = true;
    for (unsigned i = 0; i < 2; i++)
        if (!hsd_plan_side_divide(&plan->sides[i], &r->captures[i], how[i])) return false;
    for (unsigned i = 0; i < 2; i++)
        if (plan->sides[i].place_link_bytes >= hsd_plan_spans(&r->captures[i]).useful)
            bound_tapes(&plan->sides[i], &r->captures[i]);
    widen_structure(&plan->sides[0], &r->captures[0], share_bytes - first);
    widen_structure(&plan->sides[1], &r->captures[1], walk - share_bytes - second);
    plan->peak_bytes = plan->table_bytes + hsd_plan_side_peak(&plan->sides[0], &r->captures[0], false) +
                       hsd_plan_side_peak(&plan->sides[1], &r->captures[1], keeps_graph(r, 1));
    return plan_recognising(plan, r, walk) && plan_end(plan, r, walk);
}

/* What a walk must have beside the other one: more buys little. Two fifths of what is touched at random: a V8 pair of
 * 5 M nodes with 128 MiB took 7.8 s of the processor in turn and 8.2 at once, on two threads; a pair in layers of 3 M
 * objects with 64 MiB 10.3 both ways. But all of it where objects are recognised by structure: a JVM pair of 10 M with
 * 256 MiB 27 in turn and 33 at once. */
static uint64_t enough_at_once(const hsd_plan_capture *c)
{
    return c->has_structure ? hsd_plan_random(c) : hsd_plan_random(c) / 5 * 2;
}

/* Whether two walks at once pay, and why. */
static bool should_walk_at_once(const hsd_plan_request *r, uint64_t memory_bytes, const char **reason)
{
    const uint64_t walk = memory_bytes - tables_of(memory_bytes);
    const uint64_t first = r->capture_count == 2 ? first_share(r, walk) : walk;
    *reason = "there is one capture";
    if (r->capture_count == 1) return false;
    *reason = "each has a process of its own";
    if (r->walks_apart) return false;
    *reason = "there is one thread";
    if (hsd_worker_count(r->threads) < 2) return false;
    *reason = "the budget is too small for two walks at once";
    if (first < SIDE_LEAST || walk - first < SIDE_LEAST) return false;
    *reason = "both graphs do not fit in memory together";
    if (enough_at_once(&r->captures[0]) > first || enough_at_once(&r->captures[1]) > walk - first) return false;
    *reason = "enough of both graphs fits in memory";
    if (hsd_plan_random(&r->captures[0]) > first || hsd_plan_random(&r->captures[1]) > walk - first) return true;
    *reason = "both graphs fit in memory";
    return true;
}

/* ---- the whole */

static hsd_plan_request bounded(const hsd_plan_request *request)
{
    hsd_plan_request r = *request;
    for (unsigned i = 0; i < 2; i++) {
        r.captures[i].objects = hsd_min_u64(r.captures[i].objects, COUNT_MOST);
        r.captures[i].references = hsd_min_u64(r.captures[i].references, COUNT_MOST);
    }
    return r;
}

static hsd_plan_request without_tree(const hsd_plan_request *request)
{
    hsd_plan_request r = *request;
    r.captures[0].tree_words = r.captures[1].tree_words = 0;
    return r;
}

static bool fits(const hsd_plan_request *r, uint64_t memory_bytes)
{
    hsd_plan plan = {.table_bytes = tables_of(memory_bytes)};
    return plan_in_turn(&plan, r, memory_bytes, false);
}

/* In whole MiB, as a user would type it. What waits for other stages may grow by more than the budget does, so that a
 * little more may not fit where a little less does: below what was found it is looked some way on. */
static uint64_t least_of(const hsd_plan_request *r)
{
    uint64_t mebibytes;
    HSD_PARTITION(mebibytes, HSD_MEMORY_MIN_BYTES >> 20, UINT64_C(1) << 32, !fits(r, mebibytes << 20));
    uint64_t least = mebibytes;
    for (uint64_t less = least; less-- > HSD_MEMORY_MIN_BYTES >> 20 && least - less <= LOOKED_BELOW;)
        if (fits(r, less << 20)) least = less;
    return least << 20;
}

uint64_t hsd_plan_least(const hsd_plan_request *request)
{
    HSD_ASSERT(request->capture_count == 1 || request->capture_count == 2);
    const hsd_plan_request r = bounded(request), bare = without_tree(&r);
    return least_of(&bare);
}

static hsd_status fail_over_budget(const hsd_plan_request *r, uint64_t memory_bytes, hsd_error *err)
{
    const unsigned long long least = hsd_plan_least(r) >> 20;
    hsd_fail(err, HSD_E_OVER_BUDGET, "a memory budget of %llu KiB is too small: %llu MiB suffice",
             (unsigned long long)(memory_bytes >> 10), least);
    hsd_error_set_hint(err, "--memory %lluM", least);
    return HSD_E_OVER_BUDGET;
}

/* One way or the other; false when even one capture after the other does not fit. */
static bool divide_ways(hsd_plan *plan, const hsd_plan_request *r)
{
    const uint64_t memory_bytes = plan->memory_bytes;
    plan->uses_sort_threads = hsd_worker_count(r->threads) > 1;
    if (should_walk_at_once(r, memory_bytes, &plan->reason)) {
        if (plan_at_once(plan, r, memory_bytes)) {
            plan->uses_sort_threads = hsd_worker_count(r->threads) > 2;
            return true;
        }
        plan->reason = "both walks do not fit in memory together";
    }
    hsd_plan ahead = *plan;
    if (!plan_in_turn(plan, r, memory_bytes, false)) return false;
    if (plan->uses_sort_threads && plan_in_turn(&ahead, r, memory_bytes, true)) *plan = ahead;
    return true;
}

/* Two fifths of what a walk touches at random, beyond which memory buys little where processes share it: two captures
 * of 10 M objects take 30 s of the processor and 768 MiB in the first of two processes with 2 GiB each, and 33 s and
 * 111 MiB with 105 MiB each. */
static uint64_t enough_apart(const hsd_plan_capture *c)
{
    return hsd_plan_random(c) / 5 * 2 + hsd_plan_structure_random(c);
}

/* Of processes that share a machine: an equal part, but never less than what makes the answer of one process, and no
 * more than is enough. */
static void take_share(hsd_plan *plan, const hsd_plan_request *r)
{
    const uint64_t most = hsd_max_u64(enough_apart(&r->captures[0]), enough_apart(&r->captures[1]));
    if (!r->walks_apart || r->shares < 2) return;
    const uint64_t part = hsd_min_u64(plan->memory_bytes / r->shares, hsd_max_u64(KEEPS_ALL, most));
    plan->memory_bytes = hsd_min_u64(plan->memory_bytes, hsd_max_u64(part, least_of(r)));
    plan->table_bytes = tables_of(plan->memory_bytes);
}

static bool divide(hsd_plan *plan, const hsd_plan_request *r)
{
    take_share(plan, r);
    if (!divide_ways(plan, r)) return false;
    plan->pool_bytes = hsd_min_u64(POOL_MOST, (plan->memory_bytes - plan->peak_bytes) / 4);
    return true;
}

/* With all of the budget, or the most below it that fits: what suffices does so however much more there is. */
static bool divide_some(hsd_plan *plan, const hsd_plan *empty, const hsd_plan_request *r)
{
    *plan = *empty;
    if (divide(plan, r)) return true;
    const uint64_t least = least_of(r);
    uint64_t memory_bytes = empty->memory_bytes & ~(MIB(1) - 1);
    for (uint32_t i = 0; memory_bytes >= least; i++) {
        *plan = *empty;
        plan->memory_bytes = memory_bytes;
        plan->table_bytes = tables_of(memory_bytes);
        if (divide(plan, r)) return true;
        memory_bytes = i < LOOKED_BELOW ? memory_bytes - MIB(1) : hsd_min_u64(least, memory_bytes - MIB(1));
    }
    return false;
}

hsd_status hsd_plan_make(hsd_plan *plan, const hsd_plan_request *request, hsd_error *err)
{
    if (request->capture_count < 1 || request->capture_count > 2)
        return hsd_fail(err, HSD_E_MISUSE, "a plan is for one or two captures, not %u", request->capture_count);
    hsd_plan_request r = bounded(request);
    const uint64_t memory_bytes = r.memory_bytes == 0 ? hsd_run_default_memory() : r.memory_bytes;
    const hsd_plan empty = {.memory_bytes = memory_bytes,
                            .table_bytes = tables_of(memory_bytes),
                            .holders_least_bytes = has_tree(&r) ? least_of(&r) : 0};
    *plan = empty;
    if (memory_bytes < HSD_MEMORY_MIN_BYTES) return fail_over_budget(&r, memory_bytes, err);
    const bool is_divided = divide_some(plan, &empty, &r);
    plan->has_holders = is_divided && has_tree(&r);
    if (is_divided) return HSD_OK;
    r = without_tree(&r);
    return divide_some(plan, &empty, &r) ? HSD_OK : fail_over_budget(&r, memory_bytes, err);
}

/* ---- telling */

static double mib(uint64_t bytes) { return (double)bytes / 1048576.0; }

static void explain_holders(const hsd_plan *plan, hsd_reporter *reporter)
{
    const hsd_plan_side *a = &plan->sides[0], *b = &plan->sides[1];
    if (!plan->has_holders) {
        hsd_note(reporter, HSD_NOTE_DETAIL, "no dominators: they need %.0f MiB", mib(plan->holders_least_bytes));
        return;
    }
    const hsd_plan_side *last = b->path_bytes > 0 ? b : a;
    hsd_note(reporter, HSD_NOTE_DETAIL,
             "dominators %.0f/%.0f, names %.0f/%.0f, links %.0f/%.0f, tree %.0f/%.0f, growth %.0f, paths %.0f MiB; the "
             "graph %s",
             mib(a->dominator_bytes), mib(b->dominator_bytes), mib(a->name_bytes), mib(b->name_bytes),
             mib(a->link_bytes), mib(b->link_bytes), mib(a->tree_sort_bytes), mib(b->tree_sort_bytes),
             mib(plan->growth_bytes), mib(last->path_bytes),
             last->idle_adjacency_bytes == last->adjacency_bytes ? "stays in memory"
                                                                 : "leaves memory where it is not walked");
}

void hsd_plan_explain(const hsd_plan *plan, hsd_reporter *reporter)
{
    const hsd_plan_side *a = &plan->sides[0], *b = &plan->sides[1];
    hsd_note(reporter, HSD_NOTE_DETAIL,
             "memory %.0f MiB, at most %.0f used at once: captures %s because %s; "
             "join %.0f/%.0f, references %.0f/%.0f, owners %.0f/%.0f, identity %.0f/%.0f MiB",
             mib(plan->memory_bytes), mib(plan->peak_bytes),
             plan->is_side_by_side ? "walked side by side" : "walked in turn", plan->reason,
             mib(a->id_sort_bytes + a->reference_sort_bytes), mib(b->id_sort_bytes + b->reference_sort_bytes),
             mib(a->adjacency_bytes), mib(b->adjacency_bytes), mib(a->owner_bytes + a->part_bytes),
             mib(b->owner_bytes + b->part_bytes), mib(a->identity_sort_bytes), mib(b->identity_sort_bytes));
    if (plan->recognise_bytes > 0) {
        hsd_note(reporter, HSD_NOTE_DETAIL, "structure %.0f/%.0f, recognising %.0f MiB", mib(a->structure_bytes),
                 mib(b->structure_bytes), mib(plan->recognise_bytes));
    }
    if (plan->holders_least_bytes > 0) explain_holders(plan, reporter);
}
