/*
 * Holders without identity. The trie of both captures is all there is: a node where exactly one object stands before
 * and one after is taken for one object that was kept, an *anchor*, and what grew below it, up to the next
 * anchors, is its growth. Everything that is no anchor is credited with all it has after (as if new) and all
 * it had before (as if freed): single credits mean nothing, their difference is exact.
 *
 *      up      credits flow from each node to the one above until an anchor takes them
 *      down    the same step as in the second pass (below.c), a node of the trie for its objects
 *
 * Nodes are read in the order of their numbers, parents before children or the other way round, so what is kept of each
 * lies in paged arrays that are read from end to end.
 */
#include "holders/growth.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"

typedef struct upward { /* one a node; a power of two */
    hsd_amount new_, freed;
    hsd_amount code[SIDE_COUNT]; /* below it, and not yet with anybody */
} upward;

typedef struct downward { /* one a node; a power of two */
    hsd_below below;
    uint8_t spare[128 - sizeof(hsd_below)];
} downward;

_Static_assert(sizeof(upward) == 64 && sizeof(downward) == 128, "nodes must not lie across pages");

static hsd_status open_paged(const hsd_growth *growth, size_t item_bytes, hsd_paged *out, hsd_error *err)
{
    const uint64_t bytes = (uint64_t)hsd_trie_count(growth->trie) * item_bytes;
    const uint64_t memory = hsd_max_u64(hsd_paged_least_bytes(bytes), growth->memory_bytes / 8);
    return hsd_paged_open(out, bytes, memory, &growth->pair->space, err);
}

static bool holder_count_can_hold(const hsd_growth *growth, const hsd_trie_node *node)
{
    if (node->type & HSD_TRIE_IS_ROOT) return growth->is_common_root[node->type & ~HSD_TRIE_IS_ROOT] != 0;
    return node->own.before.objects == 1 && node->own.after.objects == 1 &&
           hsd_growth_can_hold(growth, node->type, node->edge);
}

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

/* ---- texts of paths, to order holders whose numbers are equal ---- */

static uint64_t hash_of(hsd_bytes text) { return hsd_hash_bytes(text.data, text.size, 0); }

static hsd_bytes text_of(const hsd_growth *growth, uint32_t type)
{
    if (type & HSD_TRIE_IS_ROOT) return hsd_names_get(&growth->pair->roots, type & ~HSD_TRIE_IS_ROOT);
    return hsd_names_get(&growth->pair->types.names, type);
}

static uint64_t hash_path(hsd_growth *growth, uint32_t node)
{
    uint64_t words[2 * HSD_TRIE_MAX_DEPTH];
    size_t count = 0;
    for (hsd_trie_node at; node != HSD_TRIE_ROOT; node = at.parent) {
        hsd_trie_get(growth->trie, node, &at);
        words[count++] = hash_of(text_of(growth, at.type));
        words[count++] =
            at.edge < growth->pair->edges.count ? hash_of(hsd_edge_text(&growth->pair->edges, at.edge)) : at.edge;
    }
    return hsd_hash_bytes(words, count * sizeof *words, 0);
}

/* ---- up ---- */

static void take_credit(hsd_growth *growth, uint32_t number, const hsd_trie_node *node, const upward *credit)
{
    if (node->type & HSD_TRIE_IS_ROOT) {
        const uint32_t root = node->type & ~HSD_TRIE_IS_ROOT;
        add_amount(&growth->credit_of_root[AFTER][root].amount, credit->new_);
        add_amount(&growth->credit_of_root[BEFORE][root].amount, credit->freed);
        return;
    }
    const uint64_t resized = node->own.after.bytes - node->own.before.bytes;
    if (credit->new_.objects == 0 && credit->freed.objects == 0 && resized == 0) return;
    hsd_growth_offer(growth, &(hsd_choice){.by = HSD_HELD_BY_OBJECT,
                                           .type = node->type,
                                           .node = {number, number},
                                           .id = hash_path(growth, number),
                                           .new_ = credit->new_,
                                           .freed = credit->freed,
                                           .resized_bytes = resized});
}

/* Code goes with the place that it belongs to where there are more or fewer there, and is program code where there are
 * not. */
static void take_code(hsd_growth *growth, const hsd_trie_node *node, upward *credit)
{
    const bool is_change = node->own.before.objects != node->own.after.objects;
    add_amount(is_change ? &credit->new_ : &growth->credit_of_code[AFTER], credit->code[AFTER]);
    add_amount(is_change ? &credit->freed : &growth->credit_of_code[BEFORE], credit->code[BEFORE]);
    credit->code[BEFORE] = credit->code[AFTER] = (hsd_amount){0, 0};
}

static bool is_code(const hsd_growth *growth, const hsd_trie_node *node)
{
    return (node->type & HSD_TRIE_IS_ROOT) == 0 && hsd_growth_is_code(growth, node->type);
}

static void go_up(hsd_growth *growth, hsd_paged *credits)
{
    for (uint32_t i = hsd_trie_count(growth->trie); i-- > 1;) {
        hsd_trie_node node;
        hsd_trie_get(growth->trie, i, &node);
        upward credit =
            *(const upward *)(const void *)hsd_paged_at(credits, (uint64_t)i * sizeof(upward), HSD_FRAME_USED);
        const bool counts_as_code = is_code(growth, &node);
        if (!counts_as_code) take_code(growth, &node, &credit);
        if (holder_count_can_hold(growth, &node)) {
            take_credit(growth, i, &node, &credit);
            continue;
        }
        add_amount(counts_as_code ? &credit.code[AFTER] : &credit.new_, node.own.after);
        add_amount(counts_as_code ? &credit.code[BEFORE] : &credit.freed, node.own.before);
        upward *above = (upward *)(void *)hsd_paged_at(credits, (uint64_t)node.parent * sizeof(upward),
                                                       HSD_FRAME_USED | HSD_FRAME_DIRTY);
        add_amount(&above->new_, credit.new_);
        add_amount(&above->freed, credit.freed);
        for (int side = 0; side < SIDE_COUNT; side++)
            add_amount(&above->code[side], credit.code[side]);
    }
    const upward *all = (const upward *)(const void *)hsd_paged_at(credits, 0, HSD_FRAME_USED);
    growth->credit_of_all[AFTER].amount = all->new_;
    growth->credit_of_all[BEFORE].amount = all->freed;
    for (int side = 0; side < SIDE_COUNT; side++)
        add_amount(&growth->credit_of_code[side], all->code[side]);
}

hsd_status hsd_growth_count(hsd_growth *growth, hsd_error *err)
{
    HSD_ASSERT(!growth->has_identity);
    hsd_paged credits;
    HSD_TRY(open_paged(growth, sizeof(upward), &credits, err));
    go_up(growth, &credits);
    const hsd_status status = hsd_paged_check(&credits, err);
    hsd_paged_close(&credits);
    HSD_TRY(status);
    return hsd_trie_check(growth->trie, err);
}

/* ---- down ---- */

/* `sums` are filled. */
static hsd_below_node below_node(const hsd_growth *growth, const hsd_growth_chosen *chosen, uint32_t number,
                                 const hsd_trie_node *node, hsd_amount sums[HSD_TRIE_SUMS])
{
    hsd_below_node below = {.edge = node->edge,
                            .type = node->type,
                            .can_hold = holder_count_can_hold(growth, node),
                            .choice = HSD_NO_CHOICE,
                            .set = HSD_NO_CHOICE,
                            .count = HSD_TRIE_SUMS,
                            .sums = sums};
    const bool is_root = node->type & HSD_TRIE_IS_ROOT;
    if (below.can_hold) {
        below.choice = is_root ? hsd_id_map_get(&chosen->by_root, node->type & ~HSD_TRIE_IS_ROOT)
                               : hsd_growth_chosen_at(chosen, AFTER, number);
    }
    memset(sums, 0, HSD_TRIE_SUMS * sizeof *sums);
    sums[below.can_hold ? HSD_TRIE_KEPT_BEFORE : HSD_TRIE_FREED] = node->own.before;
    sums[below.can_hold ? HSD_TRIE_KEPT_AFTER : HSD_TRIE_NEW] = node->own.after;
    return below;
}

static hsd_status go_down(hsd_growth *growth, const hsd_growth_chosen *chosen, hsd_paged *states, hsd_error *err)
{
    hsd_below here;
    HSD_TRY(hsd_below_begin(growth, chosen, &here, err));
    for (uint32_t i = 0; i < hsd_trie_count(growth->trie); i++) {
        if (i > 0) {
            hsd_trie_node node;
            hsd_amount sums[HSD_TRIE_SUMS];
            hsd_trie_get(growth->trie, i, &node);
            const hsd_below above =
                *(const hsd_below *)(const void *)hsd_paged_at(states, (uint64_t)node.parent * sizeof(downward),
                                                               HSD_FRAME_USED);
            const hsd_below_node below = below_node(growth, chosen, i, &node, sums);
            HSD_TRY(hsd_below_enter(growth, &above, &below, &here, err));
        }
        memcpy(hsd_paged_at(states, (uint64_t)i * sizeof(downward), HSD_FRAME_USED | HSD_FRAME_DIRTY), &here,
               sizeof here);
    }
    HSD_TRY(hsd_paged_check(states, err));
    return hsd_trie_check(growth->trie, err);
}

hsd_status hsd_growth_count_within(hsd_growth *growth, hsd_error *err)
{
    HSD_ASSERT(!growth->has_identity);
    hsd_growth_chosen chosen;
    hsd_paged states;
    hsd_status status = hsd_growth_chosen_make(&chosen, growth, err);
    if (status == HSD_OK) {
        status = open_paged(growth, sizeof(downward), &states, err);
        if (status == HSD_OK) {
            status = go_down(growth, &chosen, &states, err);
            hsd_paged_close(&states);
        }
    }
    hsd_growth_chosen_release(&chosen);
    return status;
}
