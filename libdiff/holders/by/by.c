/*
 * The order of the steps, and which places are candidates.
 */
#include "holders/by/by.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/heap.h"
#include "io/stopwatch.h"

#define LITTLE_MEMORY (UINT64_C(16) << 20)
#define LEAST_MEMORY  (UINT64_C(4) << 20)
#define MUCH_OF_BITS  64u /* of the memory one part: less is not worth a file */

/* ---- candidates ---- */

static int compare_joint_holder(const hsd_by_candidate *a, const hsd_by_candidate *b)
{
    if (a->told != b->told) return a->told < b->told ? 1 : -1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool joint_holder_comes_later(const void *context, const void *a, const void *b)
{
    (void)context;
    return compare_joint_holder(a, b) > 0;
}

static hsd_heap heap_of(hsd_by_candidates *c)
{
    return (hsd_heap){c->list, sizeof c->list[0], joint_holder_comes_later, NULL};
}

static void offer(hsd_by_candidates *c, const hsd_by_candidate *one)
{
    if (c->count <= HSD_BY_CANDIDATES) {
        c->list[c->count] = *one;
        hsd_heap_up(heap_of(c), c->count++);
        return;
    }
    if (compare_joint_holder(one, &c->list[0]) >= 0) return;
    c->list[0] = *one;
    hsd_heap_down(heap_of(c), 0, c->count);
}

/* One more than there are bits was kept: what equals it is told apart by nothing, and has no bit either. */
static void cut_joint_holder(hsd_by_candidates *c)
{
    hsd_heap_sort(heap_of(c), c->count);
    if (c->count <= HSD_BY_CANDIDATES) return;
    const uint64_t least = c->list[c->count - 1].told;
    while (c->count > 0 && c->list[c->count - 1].told == least)
        c->count--;
}

/* For each fork in which it lies: which of them its tops are of was not kept. */
static void offer_outward(hsd_by_search *s, hsd_node number, const hsd_by_place *place)
{
    const hsd_by_candidate one = {place->told, number, place->node};
    hsd_node group = place->group;
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_FORKS; steps++) {
        offer(&s->candidates[hsd_by_look(s, group) & HSD_BY_LOOK_FORK], &one);
        group = hsd_by_group_above(s, group);
    }
}

static hsd_status choose_joint_holder(hsd_by_search *s, hsd_error *err)
{
    for (hsd_node i = 1; i <= s->place_count; i++) {
        const hsd_by_place place = *hsd_by_place_at(s, i);
        if (place.named == i && place.told > 0) offer_outward(s, i, &place);
    }
    for (uint32_t fork = 0; fork < s->fork_count; fork++)
        cut_joint_holder(&s->candidates[fork]);
    HSD_TRY(hsd_paged_check(&s->places, err));
    return hsd_by_groups_check(s, err);
}

/* Where the choices that are objects stand. */
static hsd_status find_choices(hsd_by_search *s, hsd_error *err)
{
    const hsd_growth *growth = s->growth;
    for (uint32_t i = 0; i < growth->choice_count; i++) {
        if (growth->choices[i].by != HSD_HELD_BY_OBJECT) continue;
        const hsd_node place =
            hsd_two_second(hsd_paged_get_two(&s->place_of, hsd_by_slot(s, growth->choices[i].node[AFTER])));
        s->choice_places[i] = place == 0 ? 0 : hsd_by_place_at(s, place)->named;
    }
    HSD_TRY(hsd_paged_check(&s->place_of, err));
    return hsd_paged_check(&s->places, err);
}

/* ---- the steps ---- */

/* In parts of 32 of the memory: 4 + 4 for numbers of nodes, 6 for places, 3 + 3 for groups and what they have as tops,
 * 4 + 4 for pairs and seeds, 4 for pairs by group. */
#define SHARES          32u
#define SHARE_OF_NODES  4u
#define SHARE_OF_PLACES 6u
#define SHARE_OF_GROUPS 3u

/* Read in order, pages are packed: a place at a time, or as many groups or numbers as are as large. */
#define WORDS_PACKED (unsigned)(sizeof(hsd_by_place) / sizeof(uint64_t))

static hsd_status open_paged(hsd_by_search *s, hsd_paged *out, uint64_t bytes, unsigned share, hsd_error *err)
{
    const uint64_t least = hsd_paged_least_bytes(bytes);
    const uint64_t memory = s->has_columns ? least : hsd_max_u64(s->memory_bytes / SHARES * share, least);
    HSD_TRY(hsd_paged_open(out, bytes, memory, &s->growth->pair->space, err));
    return s->has_columns ? hsd_paged_pack(out, WORDS_PACKED, err) : HSD_OK;
}

static bool fits_in_share(const hsd_by_search *s, uint64_t bytes, unsigned share)
{
    return hsd_paged_full_bytes(bytes) <= s->memory_bytes / SHARES * share;
}

/* Arrays that do not fit in their shares, and all where there is little memory, are read in order, beside columns of
 * some bytes a group. What waits in sorters has numbers of groups and places in HSD_BY_NUMBER_BITS. Of nodes it is
 * known at once whether they fit. */
static bool needs_columns(const hsd_by_search *s)
{
    const uint64_t slots = (uint64_t)s->slot_count + 1;
    const bool fits = s->memory_bytes >= LITTLE_MEMORY && fits_in_share(s, slots * HSD_TWO_BYTES, SHARE_OF_NODES);
    return !fits && s->group_room < HSD_BY_MOST_NUMBER;
}

/* Each pseudo object is a top of each fork at most. */
static uint64_t most_groups(const hsd_by_search *s)
{
    const uint64_t pseudo = hsd_min_u64(s->side->info->pseudo_objects, s->side->object_count);
    return hsd_min_u64(s->group_count + pseudo * s->fork_count, s->group_room) + 1;
}

static hsd_status leave_memory(hsd_paged *paged, hsd_error *err)
{
    HSD_TRY(hsd_paged_pack(paged, WORDS_PACKED, err));
    return hsd_paged_shrink(paged, 0, err);
}

/* Of groups and places it is known once they are numbered: there can be as many as nodes, and are a part as a rule.
 * What was never written takes no memory. */
static hsd_status settle_memory(hsd_by_search *s, hsd_error *err)
{
    s->is_resident = !s->has_columns && fits_in_share(s, most_groups(s) * sizeof(hsd_by_group), SHARE_OF_GROUPS) &&
                     fits_in_share(s, ((uint64_t)s->place_count + 1) * sizeof(hsd_by_place), SHARE_OF_PLACES);
    hsd_note(s->growth->pair->reporter, HSD_NOTE_DETAIL,
             "what holds together: %" HSD_PRI_NODE " groups and %" HSD_PRI_NODE " places %s", s->group_count,
             s->place_count,
             s->is_resident   ? "fit in memory"
             : s->has_columns ? "are read in order, as numbers of nodes are"
                              : "are read in order from now on");
    if (s->is_resident || s->has_columns || s->group_room >= HSD_BY_MOST_NUMBER) return HSD_OK;
    s->has_columns = true;
    HSD_TRY(leave_memory(&s->group_of, err));
    HSD_TRY(leave_memory(&s->place_of, err));
    HSD_TRY(leave_memory(&s->places, err));
    HSD_TRY(leave_memory(&s->tops, err));
    return leave_memory(&s->groups, err);
}

static hsd_node room_for_groups(const hsd_side_walk *side)
{
    const uint64_t pseudo = hsd_min_u64(side->info->pseudo_objects, side->object_count);
    return (hsd_node)hsd_min_u64(side->node_count + pseudo * (HSD_BY_FORKS - 1), HSD_BY_TOP - 1);
}

static hsd_status open_all_joint_holders(hsd_by_search *s, hsd_error *err)
{
    hsd_side_walk *side = s->side;
    const uint64_t slots = (uint64_t)s->slot_count + 1;
    const hsd_sorter_config config = {.record_words = HSD_TWO_WORDS,
                                      .key_words = HSD_TWO_WORDS,
                                      .space = &s->growth->pair->space,
                                      .reporter = s->growth->pair->reporter,
                                      .memory_bytes = hsd_max_u64(s->memory_bytes / 8, HSD_SORT_MIN_BYTES),
                                      .use_thread = s->growth->walks_at_once};
    s->group_room = room_for_groups(side);
    s->has_columns = needs_columns(s);
    if (s->has_columns) HSD_TRY(hsd_by_sorter(s, HSD_BY_NUMBERED_WORDS, HSD_BY_BIG_PART, &s->by_node, err));
    HSD_TRY(open_paged(s, &s->group_of, slots * HSD_NODE_BYTES, SHARE_OF_NODES, err));
    HSD_TRY(open_paged(s, &s->place_of, slots * HSD_TWO_BYTES, SHARE_OF_NODES, err));
    HSD_TRY(open_paged(s, &s->places, ((uint64_t)side->node_count + 1) * sizeof(hsd_by_place), SHARE_OF_PLACES, err));
    HSD_TRY(open_paged(s, &s->groups, ((uint64_t)s->group_room + 2) * sizeof(hsd_by_group), SHARE_OF_GROUPS, err));
    HSD_TRY(open_paged(s, &s->tops, ((uint64_t)s->group_room + 2) * sizeof(hsd_by_top), SHARE_OF_GROUPS, err));
    s->candidates = calloc(HSD_BY_FORKS, sizeof *s->candidates);
    s->choice_places = calloc((size_t)s->growth->choice_count + 1, sizeof *s->choice_places);
    if (s->candidates == NULL || s->choice_places == NULL) return hsd_fail_nomem(err, "what holds together");
    HSD_TRY(hsd_sorter_new(&s->pairs, &config, err));
    return hsd_sorter_new(&s->seeds, &config, err);
}

/* What climbs goes from group to group in any order, so that groups need memory most: they take the eighths of what is
 * done with. */
static hsd_status grow_groups(hsd_by_search *s, unsigned eighths, hsd_error *err)
{
    if (s->has_columns || s->is_resident) return HSD_OK;
    return hsd_paged_grow(&s->groups, s->growth->memory_bytes / 8 * eighths, err);
}

/* While masks climb places are asked for in their order, and nobody asks for the groups of nodes. */
static hsd_status spread(hsd_by_search *s, hsd_error *err)
{
    if (!s->has_columns && !s->is_resident && s->groups.frame_count < s->groups.page_count) {
        HSD_TRY(hsd_paged_shrink(&s->places, 0, err));
        HSD_TRY(hsd_paged_shrink(&s->group_of, 0, err));
        HSD_TRY(grow_groups(s, 5, err));
    }
    HSD_TRY(hsd_by_spread(s, err));
    hsd_paged_close(&s->places);
    hsd_paged_close(&s->starts);
    hsd_paged_close(&s->targets);
    if (s->has_columns || s->is_resident) return HSD_OK;
    return hsd_paged_grow(&s->group_of, s->growth->memory_bytes / 8, err);
}

/* ---- what a step needs at least, for the cost model (base/work.h). Sorters, the trees among them, count by
 * themselves. */

/* Of each node of the tree: whether it is kept; its group and the nearest place, by slot. */
static void count_numbers(const hsd_by_search *s)
{
    const uint64_t nodes = hsd_sorter_count(s->side->tree), slots = s->slot_count;
    hsd_work_at_random(nodes, s->side->node_count / 8);
    if (!s->has_columns) hsd_work_at_random(2 * slots, slots * HSD_TWO_BYTES);
    hsd_work_did(HSD_COST_NEAR, nodes);
}

/* All references, their names where one matters, and a bit of each target. */
void hsd_by_count_references(const hsd_by_search *s)
{
    hsd_adjacency_count_scan(s->side->adjacency, false);
    hsd_work_at_random(hsd_adjacency_edge_count(s->side->adjacency), s->side->node_count / 8);
    hsd_work_did(HSD_COST_READ, (uint64_t)s->side->node_count * (HSD_NODE_BYTES + HSD_TWO_BYTES));
}

static void count_naming(const hsd_by_search *s)
{
    const uint64_t nodes = hsd_sorter_count(s->side->tree);
    hsd_work_at_random(nodes, s->side->node_count / 8);
    hsd_work_did(HSD_COST_READ, (uint64_t)s->place_count * 2 * sizeof(hsd_by_place));
}

/* Each pair once: a group tells another. */
static void count_pairs(const hsd_by_search *s, uint64_t pairs)
{
    hsd_work_at_random(pairs, (uint64_t)s->group_count * (s->has_columns ? 8 : sizeof(hsd_by_group)));
    hsd_work_did(HSD_COST_READ, pairs * HSD_NODE_BYTES + (uint64_t)s->group_count * sizeof(hsd_by_group));
}

static hsd_status find_joint_holder(hsd_by_search *s, hsd_error *err)
{
    hsd_reporter *reporter = s->growth->pair->reporter;
    HSD_TRY(hsd_by_mark(s, err));
    hsd_stopwatch watch = hsd_stopwatch_start(&s->growth->pair->space);
    HSD_TRY(open_all_joint_holders(s, err));
    HSD_TRY(hsd_by_number(s, err));
    HSD_TRY(settle_memory(s, err));
    count_numbers(s);
    hsd_stopwatch_note(&watch, reporter, "what holds together", "numbering");
    HSD_TRY(hsd_by_find_alike(s, err));
    HSD_TRY(hsd_by_refer(s, err));
    free(s->is_source); /* nobody asks for it again, nor for references until paths are searched */
    s->is_source = NULL;
    if (s->growth->is_tight && s->has_columns)
        HSD_TRY(hsd_adjacency_set_memory(s->side->adjacency, s->side->request->plan.idle_adjacency_bytes, err));
    hsd_by_count_references(s);
    hsd_stopwatch_note(&watch, reporter, "what holds together", "finding references");
    const uint64_t pairs = hsd_sorter_count(s->pairs);
    HSD_TRY(hsd_by_list_targets(s, err));
    hsd_sorter_free(s->pairs);
    s->pairs = NULL;
    HSD_TRY(grow_groups(s, 2, err));
    hsd_stopwatch_note(&watch, reporter, "what holds together", "listing targets");
    HSD_TRY(hsd_by_look_far(s, err));
    if (s->has_columns) hsd_paged_close(&s->starts);
    if (s->has_columns) hsd_paged_close(&s->targets);
    hsd_stopwatch_note(&watch, reporter, "what holds together", "looking far");
    HSD_TRY(hsd_by_name(s, err));
    HSD_TRY(find_choices(s, err));
    hsd_paged_close(&s->place_of);
    HSD_TRY(grow_groups(s, 3, err));
    HSD_TRY(choose_joint_holder(s, err));
    count_naming(s);
    hsd_stopwatch_note(&watch, reporter, "what holds together", "naming");
    HSD_TRY(spread(s, err));
    count_pairs(s, pairs);
    hsd_stopwatch_note(&watch, reporter, "what holds together", "spreading");
    HSD_TRY(hsd_by_make_sets(s, err));
    count_pairs(s, 0);
    hsd_stopwatch_note(&watch, reporter, "what holds together", "making sets");
    return HSD_OK;
}

static hsd_status run_joint_holder(hsd_by_search *s, hsd_error *err)
{
    HSD_TRY(hsd_growth_chosen_make(&s->chosen, s->growth, err));
    HSD_TRY(hsd_by_find_forks(s, err));
    return s->fork_count > 0 ? find_joint_holder(s, err) : HSD_OK;
}

uint64_t hsd_growth_grown_bytes(const hsd_growth *growth)
{
    const hsd_change *total = &growth->diff->total;
    const int64_t grown = hsd_change_bytes(total);
    return grown > 0 ? (uint64_t)grown : total->new_.bytes;
}

/* Where somebody keeps what was walked it is theirs. */
uint64_t hsd_growth_spare_bytes(const hsd_growth *growth)
{
    const hsd_plan *plan = &growth->pair->plan;
    const hsd_side_walk *side = &growth->pair->sides[AFTER];
    const uint64_t used = plan->end_bytes[AFTER] + side->request->plan.path_bytes;
    return side->request->keeper == NULL && plan->memory_bytes > used ? plan->memory_bytes - used : 0;
}

static uint64_t bits_of_objects(const hsd_growth *growth, int side)
{
    return growth->pair->sides[side].object_count / 8;
}

/* What the growth keeps meanwhile: the trie, at most the half that it was given, what is done beside, and bits an
 * object besides those of is_kept, which the plan knows. While the tree of after is walked its bits are there, and else
 * none of them. */
static uint64_t kept_bytes(const hsd_growth *growth)
{
    const uint64_t trie =
        growth->finishes_beside
            ? hsd_growth_taken_beside(growth)
            : hsd_min_u64(growth->memory_bytes / 2, (uint64_t)hsd_trie_count(growth->trie) * HSD_TRIE_NODE_BYTES);
    uint64_t bits = 0;
    for (int side = 0; side < SIDE_COUNT; side++)
        if (growth->crowded_count > 0) bits += bits_of_objects(growth, side);
    return trie + (growth->is_tight && bits > 0 ? bits_of_objects(growth, AFTER) : bits);
}

/* What waits meanwhile, and the plan counts on. */
static uint64_t aside_bytes(const hsd_growth *growth)
{
    return growth->is_tight ? growth->rested_bytes + bits_of_objects(growth, BEFORE) : 0;
}

/* What is plain, who is a source, and later a top, who has a slot, and where. */
static uint64_t bits_of_nodes(uint64_t nodes) { return 3 * (nodes / 8) + nodes / HSD_BY_SLOT_NODES * HSD_NODE_BYTES; }

/* All of the growth's memory, what the search for paths will have and what the plan left, beside what lies there all
 * the time; but a quarter of it, and LEAST_MEMORY, whatever the heap is: with less what is sorted is merged twice. */
static uint64_t memory_for_search(const hsd_growth *growth, const hsd_side_walk *side)
{
    const uint64_t memory = growth->memory_bytes + side->request->plan.path_bytes + hsd_growth_spare_bytes(growth) +
                            aside_bytes(growth),
                   used = kept_bytes(growth) + bits_of_nodes(side->node_count);
    const uint64_t least = hsd_min_u64(memory, hsd_max_u64(memory / 4, LEAST_MEMORY));
    return hsd_max_u64(memory - hsd_min_u64(memory, used), least);
}

/* Two processes share what there is otherwise, and who keeps what was walked asks for the bits later. */
bool hsd_growth_is_tight(const hsd_growth *growth)
{
    const hsd_side_walk *side = &growth->pair->sides[AFTER];
    const uint64_t bits = 2 * (bits_of_objects(growth, BEFORE) + bits_of_objects(growth, AFTER));
    if (!growth->has_identity || growth->fill != NULL || growth->walks_at_once || growth->pair->parts != NULL ||
        side->request->keeper != NULL)
        return false;
    return bits > memory_for_search(growth, side) / MUCH_OF_BITS;
}

bool hsd_growth_has_forks(const hsd_growth *growth)
{
    return growth->has_identity && growth->fill == NULL && growth->apart_bytes > 0 &&
           growth->apart_bytes >= hsd_growth_grown_bytes(growth) / HSD_GROWTH_PART_OF_ALL;
}

static void release_joint_holder(hsd_by_search *s)
{
    hsd_growth_chosen_release(&s->chosen);
    free(s->is_plain);
    free(s->is_source);
    free(s->slot_bits);
    free(s->slots_before);
    hsd_paged_close(&s->way);
    for (uint32_t i = 0; i < HSD_BY_FORKS; i++)
        free(s->is_grown[i]);
    free(s->candidates);
    free(s->choice_places);
    hsd_paged_close(&s->group_of);
    hsd_paged_close(&s->place_of);
    hsd_paged_close(&s->places);
    hsd_paged_close(&s->groups);
    hsd_paged_close(&s->tops);
    hsd_paged_close(&s->starts);
    hsd_paged_close(&s->targets);
    hsd_sorter_free(s->pairs);
    hsd_sorter_free(s->seeds);
    hsd_sorter_free(s->by_node);
    hsd_sorter_free(s->tells);
    hsd_tally_free(s->grown);
    hsd_by_close_columns(s);
}

bool hsd_growth_will_find_by(const hsd_growth *growth)
{
    return growth->edged_count > 0 && hsd_growth_has_forks(growth);
}

hsd_status hsd_growth_find_by(hsd_growth *growth, hsd_error *err)
{
    if (!hsd_growth_will_find_by(growth)) return HSD_OK;
    hsd_by_search s = {.growth = growth,
                       .side = &growth->pair->sides[AFTER],
                       .least = hsd_growth_grown_bytes(growth) / HSD_GROWTH_PART_OF_ALL};
    s.memory_bytes = memory_for_search(growth, s.side);
    s.holder_count = (uint32_t)hsd_min_u64(growth->edged_count, HSD_BY_HOLDERS);
    s.has_secondary = hsd_by_has_secondary(s.side);
    s.group_of.file.fd = s.place_of.file.fd = s.places.file.fd = s.groups.file.fd = s.tops.file.fd = s.starts.file.fd =
        s.targets.file.fd = s.way.file.fd = -1;
    const hsd_status status = run_joint_holder(&s, err);
    release_joint_holder(&s);
    return status;
}
