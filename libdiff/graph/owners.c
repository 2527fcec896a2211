/*
 * Owner labels by worklist. A node's label only ever climbs none -> r -> SHARED, and a node is
 * expanded once for each step, so the order of the walk does not matter to the result and the cost is
 * at most 2 (nodes + edges) steps for a list, a star, a cycle or a tree alike.
 *
 * References wait in a short ring between being seen and being applied: their label is prefetched on
 * the way in, so that some thirty cache misses overlap instead of queueing up one after the other.
 *
 * Marked references come last in their round: what has a label before them is reached without. From there on it climbs
 * like the rest. So a walk of its own over the others is spared, all but that from secondary roots to what marked
 * references from primary ones had reached already.
 *
 * Labels are touched at random and kept for long, so they are *narrow* where that is enough: one or two bytes a node,
 * for some hundred or some ten thousand names. Where the memory that they may have in the end is less than that they
 * are wide from the start if a number a node fits while the walk lasts; if not they are narrow meanwhile, and are
 * written out wide, in order. Where narrow ones do not fit either they are *packed*: several in each word of a paged
 * array, of which little is not in memory.
 *
 * The second round, from the secondary roots, climbs in the same array with marked labels: none -> marked r
 * -> marked SHARED. A label without the mark is of the first round and stays as it is. In the end the
 * marks are taken off, in one pass over what lies between the first and the last.
 */
#include "graph/owners.h"

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pages.h"
#include "graph/frontier.h"
#include "graph/owner_tree.h"
#include "graph/reach.h"

#define RING_ITEMS     32u
#define PROGRESS_STEPS 0xffffu
#define SECOND_ROUND   UINT32_C(0x80000000)
#define WIDE           HSD_NODE_BYTES
#define TOLD_ITEMS     1024u
#define PACKED_BYTES   4u /* of a word of packed ones */

typedef struct walk {
    hsd_adjacency *adjacency;
    const hsd_owners_config *config;
    hsd_owner_labels *owners;
    bool stays_narrow;     /* once the walk is over */
    uint32_t packed_width; /* bytes of a label in the words of `packed`; 0 = they are in `owners` */
    hsd_paged packed;
    uint32_t second; /* the mark of the second round in labels of this width */
    hsd_frontier frontier;
    hsd_node ring_node[RING_ITEMS];
    uint32_t ring_label[RING_ITEMS];
    uint32_t ring_head, ring_count;
    uint64_t expanded;
    bool leaves_marked;    /* marked references wait */
    uint32_t mark;         /* of labels of the second round, while it lasts; 0 in the first */
    hsd_node first_marked; /* nodes that have it lie here */
    uint64_t end_marked;
} walk;

/* The label that a node gets: its own if it is a label or root node, else the one that arrives. */
static uint32_t label_to_set(const walk *w, hsd_node node, uint32_t label)
{
    if (node < w->config->object_count) return label;
    return w->config->label_of_node[node - w->config->object_count] | w->mark;
}

/* Where the label of a node stands among those of its word, in bits. */
static uint32_t packed_shift(const walk *w, hsd_node node)
{
    return 8 * w->packed_width * (uint32_t)(node % (PACKED_BYTES / w->packed_width));
}

static uint64_t packed_word(const walk *w, hsd_node node) { return node / (PACKED_BYTES / w->packed_width); }

static uint32_t packed_mask(const walk *w) { return (UINT32_C(1) << 8 * w->packed_width) - 1; }

static uint32_t get_label(walk *w, hsd_node node)
{
    if (w->packed_width == 0) return (uint32_t)hsd_owner_get(w->owners, node);
    return hsd_paged_get_u32(&w->packed, packed_word(w, node)) >> packed_shift(w, node) & packed_mask(w);
}

static void put_packed(walk *w, hsd_node node, uint32_t label)
{
    const uint64_t word = packed_word(w, node);
    const uint32_t shift = packed_shift(w, node);
    const uint32_t others = hsd_paged_get_u32(&w->packed, word) & ~(packed_mask(w) << shift);
    hsd_paged_set_u32(&w->packed, word, others | label << shift);
}

static void put_label(walk *w, hsd_node node, uint32_t label)
{
    if (w->packed_width != 0)
        put_packed(w, node, label);
    else if (w->owners->width == 1)
        ((uint8_t *)w->owners->narrow.data)[node] = (uint8_t)label;
    else if (w->owners->width == 2)
        ((uint16_t *)w->owners->narrow.data)[node] = (uint16_t)label;
    else
        hsd_paged_set_node(&w->owners->wide, node, label);
}

static void expect_label(const walk *w, hsd_node node)
{
    if (w->packed_width != 0)
        hsd_paged_prefetch_u32(&w->packed, packed_word(w, node));
    else if (w->owners->width == WIDE)
        hsd_paged_prefetch_node(&w->owners->wide, node);
    else
        __builtin_prefetch((const uint8_t *)w->owners->narrow.data + (uint64_t)node * w->owners->width);
}

static void set_label(walk *w, hsd_node node, uint32_t label)
{
    put_label(w, node, label);
    if (w->mark == 0) return;
    if (node < w->first_marked) w->first_marked = node;
    if (node >= w->end_marked) w->end_marked = (uint64_t)node + 1;
}

/* `node` is reached with `label`. */
static hsd_status apply(walk *w, hsd_node node, uint32_t label, hsd_error *err)
{
    const uint32_t old = get_label(w, node);
    const uint32_t shared = HSD_OWNER_SHARED | w->mark;
    if (old == shared || (old != HSD_OWNER_NONE && old < w->mark)) return HSD_OK;
    const uint32_t arriving = label_to_set(w, node, label);
    if (old == arriving) return HSD_OK;
    set_label(w, node, old == HSD_OWNER_NONE ? arriving : shared);
    if (hsd_adjacency_is_leaf(w->adjacency, node)) return HSD_OK;
    return hsd_frontier_push(&w->frontier, node, err);
}

static hsd_status apply_oldest(walk *w, hsd_error *err)
{
    const uint32_t slot = w->ring_head;
    w->ring_head = (slot + 1) % RING_ITEMS;
    w->ring_count--;
    return apply(w, w->ring_node[slot], w->ring_label[slot], err);
}

static hsd_status see(walk *w, hsd_node node, uint32_t label, hsd_error *err)
{
    if (w->ring_count == RING_ITEMS) HSD_TRY(apply_oldest(w, err));
    const uint32_t slot = (w->ring_head + w->ring_count) % RING_ITEMS;
    w->ring_node[slot] = node;
    w->ring_label[slot] = label;
    w->ring_count++;
    expect_label(w, node);
    return HSD_OK;
}

static hsd_status drain(walk *w, hsd_error *err)
{
    while (w->ring_count > 0)
        HSD_TRY(apply_oldest(w, err));
    return HSD_OK;
}

/* What is not marked, of a node that may have such references. */
static hsd_status expand_unmarked(walk *w, hsd_node node, uint32_t label, hsd_error *err)
{
    hsd_targets targets;
    hsd_adjacency_get_named(w->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++) {
            if ((targets.names[i] & w->config->mark) == 0) HSD_TRY(see(w, targets.items[i], label, err));
        }
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

static hsd_status expand_owner(walk *w, hsd_node node, hsd_error *err)
{
    const uint32_t label = get_label(w, node);
    hsd_targets targets;
    if (w->leaves_marked && node < w->config->object_count && hsd_bit_get(w->config->has_marked, node))
        return expand_unmarked(w, node, label, err);
    hsd_adjacency_get(w->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            HSD_TRY(see(w, targets.items[i], label, err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

static hsd_status check_owner(const walk *w, hsd_error *err)
{
    HSD_TRY(w->packed_width != 0 ? hsd_paged_check(&w->packed, err) : hsd_owners_check(w->owners, err));
    HSD_TRY(hsd_adjacency_check(w->adjacency, err));
    return hsd_progress(w->config->reporter, "walking references", w->expanded, hsd_adjacency_node_count(w->adjacency),
                        err);
}

/* Expands until nothing waits, neither in the frontier nor in the ring. */
static hsd_status run_dry_owner(walk *w, hsd_error *err)
{
    for (;;) {
        hsd_node node;
        const hsd_status status = hsd_frontier_pop(&w->frontier, &node, err);
        if (status == HSD_OK) {
            HSD_TRY(expand_owner(w, node, err));
            if ((++w->expanded & PROGRESS_STEPS) == 0) HSD_TRY(check_owner(w, err));
        } else if (status != HSD_END || w->ring_count == 0) {
            return status == HSD_END ? HSD_OK : status;
        } else {
            HSD_TRY(drain(w, err));
        }
    }
}

/* Root nodes get their labels as if something referred to them. */
static hsd_status seed(walk *w, hsd_node begin, hsd_node end, hsd_error *err)
{
    for (hsd_node node = begin; node < end; node++)
        HSD_TRY(see(w, node, HSD_OWNER_NONE, err));
    return HSD_OK;
}

/* Takes the mark from what the second round reached. */
static void unmark(walk *w)
{
    for (uint64_t node = w->first_marked; node < w->end_marked; node++) {
        const uint32_t label = get_label(w, (hsd_node)node);
        if (label & w->mark) put_label(w, (hsd_node)node, label & ~w->mark);
    }
}

/* What has a label was reached without marked references; then these. */
static hsd_status follow_marked(walk *w, hsd_error *err)
{
    const hsd_owners_config *config = w->config;
    const hsd_node nodes = hsd_adjacency_node_count(w->adjacency);
    w->leaves_marked = false;
    for (hsd_node node = 0; node < nodes; node++) {
        if (get_label(w, node) != HSD_OWNER_NONE) hsd_bit_set(config->unmarked_reach, node);
    }
    for (hsd_node node = 0; node < config->object_count; node++) {
        if (hsd_bit_get(config->has_marked, node) && hsd_bit_get(config->unmarked_reach, node))
            HSD_TRY(hsd_frontier_push(&w->frontier, node, err));
    }
    return run_dry_owner(w, err);
}

/* What secondary roots reach without marked references, among it what primary ones reach by these alone. */
static hsd_status reach_from_secondary(const walk *w, hsd_error *err)
{
    const hsd_owners_config *config = w->config;
    const hsd_reach_config reach = {
        .roots = {.begin = config->roots.second, .second = config->roots.end, .end = config->roots.end},
        .has_marked = config->has_marked,
        .object_count = config->object_count,
        .mark = config->mark,
        .memory_bytes = hsd_frontier_share_bytes(w->adjacency, config->memory_bytes),
        .space = config->space,
        .reporter = config->reporter,
    };
    return hsd_reach_find(w->adjacency, &reach, config->unmarked_reach, err);
}

static hsd_status walk_all_owner(walk *w, hsd_error *err)
{
    const hsd_root_nodes *roots = &w->config->roots;
    w->leaves_marked = w->config->has_marked != NULL;
    HSD_TRY(seed(w, roots->begin, roots->second, err));
    HSD_TRY(run_dry_owner(w, err));
    if (w->leaves_marked) HSD_TRY(follow_marked(w, err));
    if (roots->second == roots->end) return check_owner(w, err);
    w->mark = w->second;
    w->first_marked = HSD_NODE_MAX;
    HSD_TRY(seed(w, roots->second, roots->end, err));
    HSD_TRY(run_dry_owner(w, err));
    unmark(w);
    return check_owner(w, err);
}

/* ---- or nothing is walked ---- */

static hsd_status tell_all_owners(walk *w, hsd_error *err)
{
    const hsd_owners_config *config = w->config;
    const hsd_node nodes = hsd_adjacency_node_count(w->adjacency);
    uint32_t labels[TOLD_ITEMS];
    for (hsd_node node = 0; node < nodes; node += TOLD_ITEMS) {
        const uint32_t count = (uint32_t)hsd_min_u64(nodes - node, TOLD_ITEMS);
        hsd_owner_tree_tell(config->tree, config->spans + (uint64_t)node * HSD_TWO_WORDS, count, labels);
        for (uint32_t i = 0; i < count; i++)
            put_label(w, node + i, labels[i]);
        w->expanded += count;
        if ((node & PROGRESS_STEPS) == 0) HSD_TRY(check_owner(w, err));
    }
    return check_owner(w, err);
}

static hsd_status check_roots(const hsd_owners_config *config, hsd_node nodes, hsd_error *err)
{
    const hsd_root_nodes *roots = &config->roots;
    if (roots->begin > roots->second || roots->second > roots->end || roots->end > nodes ||
        (roots->begin < roots->end && roots->begin < config->object_count)) {
        return hsd_fail(err, HSD_E_MISUSE,
                        "root nodes %" HSD_PRI_NODE " to %" HSD_PRI_NODE ", from %" HSD_PRI_NODE
                        " on secondary, are none of %" HSD_PRI_NODE " nodes",
                        roots->begin, roots->end, roots->second, nodes);
    }
    for (hsd_node node = config->object_count; node < nodes; node++) {
        const uint32_t label = config->label_of_node[node - config->object_count];
        if (label < HSD_OWNER_FIRST || label >= SECOND_ROUND) {
            return hsd_fail(err, HSD_E_MISUSE, "node %" HSD_PRI_NODE " has label %u, which names no owner", node,
                            label);
        }
    }
    return HSD_OK;
}

/* ---- narrow labels ---- */

/* The least width that holds every label and the mark beside it. */
static uint32_t least_width(const hsd_owners_config *config, hsd_node nodes)
{
    uint32_t most = HSD_OWNER_SHARED;
    for (hsd_node node = config->object_count; node < nodes; node++) {
        const uint32_t label = config->label_of_node[node - config->object_count];
        if (label > most) most = label;
    }
    return most < 0x80 ? 1 : most < 0x8000 ? 2 : WIDE;
}

static hsd_status take_narrow(walk *w, uint32_t width, hsd_error *err)
{
    const uint64_t bytes = hsd_max_u64((uint64_t)hsd_adjacency_node_count(w->adjacency) * width, 1);
    if (!hsd_pages_take(&w->owners->narrow, (size_t)bytes)) return hsd_fail_nomem(err, "the owners of objects");
    w->owners->width = width;
    w->second = UINT32_C(1) << (8 * width - 1);
    return HSD_OK;
}

/* Nothing is written out yet. */
static hsd_status take_packed(walk *w, uint32_t width, uint64_t label_bytes, hsd_error *err)
{
    const uint64_t bytes = (uint64_t)hsd_adjacency_node_count(w->adjacency) * width + PACKED_BYTES;
    hsd_note(w->config->reporter, HSD_NOTE_DETAIL,
             "owners: %u bytes a node while they are found, of which %.1f MiB do not fit", width,
             (double)(hsd_paged_full_bytes(bytes) - hsd_min_u64(label_bytes, hsd_paged_full_bytes(bytes))) / 1048576.0);
    w->second = UINT32_C(1) << (8 * width - 1);
    w->packed_width = width;
    return hsd_paged_open(&w->packed, bytes, hsd_max_u64(label_bytes, hsd_paged_least_bytes(bytes)), w->config->space,
                          err);
}

/* Labels are narrow where they may stay so. Else where wide ones do not fit, and narrow ones do beside the least of the
 * array that they are written to. */
static hsd_status choose_width(walk *w, uint64_t label_bytes, hsd_error *err)
{
    const hsd_owners_config *config = w->config;
    const hsd_node nodes = hsd_adjacency_node_count(w->adjacency);
    const uint64_t wide = (uint64_t)nodes * WIDE;
    const uint32_t width = least_width(config, nodes);
    const uint64_t narrow = (uint64_t)nodes * width;
    const bool has_room = hsd_paged_full_bytes(wide) <= label_bytes;
    w->stays_narrow = width != WIDE && !config->is_wide && narrow <= hsd_min_u64(config->serve_bytes, label_bytes);
    const bool is_narrow = width != WIDE && !has_room && narrow + hsd_paged_least_bytes(wide) <= label_bytes;
    if (!w->stays_narrow && !is_narrow && !has_room && width != WIDE) return take_packed(w, width, label_bytes, err);
    if (!w->stays_narrow && !is_narrow) return hsd_paged_open(&w->owners->wide, wide, label_bytes, config->space, err);
    HSD_TRY(take_narrow(w, width, err));
    if (has_room) return HSD_OK;
    hsd_note(config->reporter, HSD_NOTE_DETAIL,
             "owners: %u bytes a node while they are found, since %u do not fit in %.1f MiB", width, WIDE,
             (double)label_bytes / 1048576.0);
    if (config->block_bytes == 0) return HSD_OK;
    return hsd_adjacency_set_memory(w->adjacency, config->block_bytes + label_bytes - narrow, err);
}

/* Into an array that was just opened: what is not reached is nothing there already, and takes no room on the disk. */
static void copy_labels(walk *w, hsd_node nodes)
{
    for (hsd_node node = 0; node < nodes; node++) {
        const hsd_node label = get_label(w, node);
        if (label != HSD_OWNER_NONE) hsd_paged_set_node(&w->owners->wide, node, label);
    }
}

static hsd_status widen_labels(walk *w, uint64_t label_bytes, hsd_error *err)
{
    hsd_owner_labels *owners = w->owners;
    const hsd_node nodes = hsd_adjacency_node_count(w->adjacency);
    const uint64_t wide = (uint64_t)nodes * WIDE;
    HSD_TRY(hsd_paged_open(&owners->wide, wide, label_bytes - owners->narrow.size, w->config->space, err));
    if (!w->config->is_wide) HSD_TRY(hsd_paged_pack(&owners->wide, 4, err));
    copy_labels(w, nodes);
    hsd_pages_give(&owners->narrow);
    owners->width = WIDE;
    return hsd_paged_check(&owners->wide, err);
}

/* The same, in order, from a paged array to another one beside it. */
static hsd_status unpack_labels(walk *w, uint64_t label_bytes, hsd_error *err)
{
    hsd_owner_labels *owners = w->owners;
    const hsd_node nodes = hsd_adjacency_node_count(w->adjacency);
    const uint64_t wide = (uint64_t)nodes * WIDE;
    HSD_TRY(hsd_paged_shrink(&w->packed, 0, err));
    HSD_TRY(hsd_paged_open(&owners->wide, wide, hsd_max_u64(label_bytes / 2, hsd_paged_least_bytes(wide)),
                           w->config->space, err));
    if (!w->config->is_wide) HSD_TRY(hsd_paged_pack(&owners->wide, 4, err));
    copy_labels(w, nodes);
    HSD_TRY(hsd_paged_check(&w->packed, err));
    hsd_paged_close(&w->packed);
    w->packed_width = 0;
    return hsd_paged_check(&owners->wide, err);
}

/* Blocks have what is theirs, and labels the width in which they are asked for. */
static hsd_status settle_labels(walk *w, uint64_t label_bytes, hsd_error *err)
{
    if (w->packed_width != 0) return unpack_labels(w, label_bytes, err);
    if (w->owners->width == WIDE) return HSD_OK;
    const bool has_room = hsd_paged_full_bytes((uint64_t)hsd_adjacency_node_count(w->adjacency) * WIDE) <= label_bytes;
    if (!has_room && w->config->block_bytes != 0)
        HSD_TRY(hsd_adjacency_set_memory(w->adjacency, w->config->block_bytes, err));
    return w->stays_narrow ? HSD_OK : widen_labels(w, label_bytes, err);
}

static hsd_status walk_references(walk *w, uint64_t list_bytes, hsd_error *err)
{
    hsd_status status = hsd_frontier_open(&w->frontier, w->adjacency, list_bytes, w->config->space, err);
    if (status == HSD_OK) status = walk_all_owner(w, err);
    hsd_frontier_close(&w->frontier);
    return status;
}

static hsd_status run_owners(walk *w, uint64_t label_bytes, uint64_t list_bytes, hsd_error *err)
{
    const hsd_owners_config *config = w->config;
    HSD_TRY(choose_width(w, label_bytes, err));
    hsd_status status = config->tree != NULL ? tell_all_owners(w, err) : walk_references(w, list_bytes, err);
    if (status == HSD_OK && config->has_marked != NULL && config->roots.second < config->roots.end)
        status = reach_from_secondary(w, err);
    return status == HSD_OK ? settle_labels(w, label_bytes, err) : status;
}

hsd_status hsd_owners_find(hsd_adjacency *adjacency, const hsd_owners_config *config, hsd_owner_labels *owners,
                           hsd_error *err)
{
    HSD_ASSERT((config->has_marked == NULL) == (config->unmarked_reach == NULL));
    const uint64_t list_bytes = hsd_frontier_share_bytes(adjacency, config->memory_bytes);
    const uint64_t label_bytes = config->memory_bytes - hsd_min_u64(list_bytes, config->memory_bytes);
    walk w = {.adjacency = adjacency, .config = config, .owners = owners, .second = SECOND_ROUND};
    w.packed.file.fd = -1;
    *owners = (hsd_owner_labels){.width = WIDE, .wide = {.file = {.fd = -1}}};
    hsd_status status = check_roots(config, hsd_adjacency_node_count(adjacency), err);
    if (status == HSD_OK) status = run_owners(&w, label_bytes, list_bytes, err);
    hsd_paged_close(&w.packed);
    if (status != HSD_OK) hsd_owners_close(owners);
    return status;
}

/* ---- labels once they are found ---- */

hsd_status hsd_owners_check(const hsd_owner_labels *owners, hsd_error *err)
{
    return owners->width == WIDE ? hsd_paged_check(&owners->wide, err) : HSD_OK;
}

hsd_status hsd_owners_shrink(hsd_owner_labels *owners, uint64_t memory_bytes, hsd_error *err)
{
    if (owners->width != WIDE) return HSD_OK;
    HSD_TRY(hsd_paged_pack(&owners->wide, 4, err)); /* who asks from now on asks in order */
    return hsd_paged_shrink(&owners->wide, memory_bytes, err);
}

void hsd_owners_close(hsd_owner_labels *owners)
{
    hsd_pages_give(&owners->narrow);
    if (owners->width == WIDE) hsd_paged_close(&owners->wide);
    owners->width = 0;
}
