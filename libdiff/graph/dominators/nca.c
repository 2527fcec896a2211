/*
 * Step 4: immediate dominators, in preorder. A simple node's is its parent. That of a core node w with
 * semidominator s is the first node <= s on the way up from its parent in the dominator tree, which is known so
 * far. Only core nodes are climbed:
 *
 *      from the parent's group y, while y comes behind s:  d = dominator of y, y = group of d
 *      then  y <= s, and d in the group of y:              d <= s ? d : s
 *
 * The last line holds because s and d are both on the tree's path to w, so if s < d, s lies on the run of simple
 * nodes between y and d. So a list of millions of simple nodes is one step. "y comes behind s" compares
 * numbers: the last core node no later than s is found by counting bits.
 *
 * A climb may still be long (a list with references both ways), and many nodes may make the same one. When the
 * climbs get long on average, the step begins anew with *jumps*: each core node also knows one far node on its way
 * up, as in a skip list (Myers 1983), so that no climb takes more than about 3 log2 steps.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/parts.h"

#define WORD_BITS   64u
#define WORDS_SHIFT 3u /* words with one count */

typedef struct nca {
    hsd_dominators *d;
    hsd_paged dominators; /* two a core node: group of its dominator, dominator */
    hsd_paged jumps;      /* two a core node: depth, far node on its way up */
    bool has_jumps;
    uint64_t steps_left;
    hsd_pages bit_pages, count_pages;
    uint64_t *bits;   /* places of core nodes */
    hsd_node *counts; /* core nodes before each 2^WORDS_SHIFT words */
} nca;

static inline hsd_node dominator_of(hsd_two entry) { return hsd_two_second(entry); }
static inline hsd_node group_of(hsd_two entry) { return hsd_two_first(entry); }

/* ---- the last core node no later than a place ---- */

static uint64_t word_count(const hsd_dominators *d) { return d->count / WORD_BITS + 1; }

static hsd_status mark_cores(nca *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    const uint64_t words = word_count(d);
    const size_t counts = (size_t)((words >> WORDS_SHIFT) + 1) * sizeof *n->counts;
    if (!hsd_pages_take(&n->bit_pages, (size_t)words * sizeof *n->bits) || !hsd_pages_take(&n->count_pages, counts))
        return hsd_fail_nomem(err, "the core nodes of the dominators");
    n->bits = n->bit_pages.data;
    n->counts = n->count_pages.data;
    hsd_tape_reader cores;
    hsd_core_node core = {0};
    hsd_tape_read(&cores, &d->core_of, HSD_TAPE_FORWARD, false);
    for (hsd_node node = 0; hsd_core_get(&cores, &core, node); node++) {
        n->bits[core.place / WORD_BITS] |= UINT64_C(1) << core.place % WORD_BITS;
    }
    hsd_tape_close(&cores);
    hsd_node count = 0;
    for (uint64_t word = 0; word < words; word++) {
        if ((word & ((1u << WORDS_SHIFT) - 1)) == 0) n->counts[word >> WORDS_SHIFT] = count;
        count += hsd_count_bits_u64(n->bits[word]);
    }
    return hsd_reel_check(&d->reel, err);
}

static inline hsd_node last_core(const nca *n, hsd_node place)
{
    const hsd_node word = place / WORD_BITS;
    hsd_node count = n->counts[word >> WORDS_SHIFT];
    for (hsd_node i = word & ~(((hsd_node)1 << WORDS_SHIFT) - 1); i < word; i++) {
        count += hsd_count_bits_u64(n->bits[i]);
    }
    const uint64_t upto = n->bits[word] << (WORD_BITS - 1 - place % WORD_BITS);
    return count + hsd_count_bits_u64(upto) - 1;
}

/* ---- climbing ---- */

/* Goes to the first dominator whose group is no later than `last`. */
static inline __attribute__((always_inline)) hsd_two climb_steps(nca *n, hsd_node parent, hsd_node group, hsd_node last,
                                                                 bool is_flat)
{
    hsd_two entry = hsd_two_of(group, parent);
    while (group_of(entry) > last) {
        const hsd_node from = group_of(entry);
        entry = hsd_flat_get_two(&n->dominators, from, is_flat);
        if (n->steps_left-- == 0) break;
        if (!is_flat && group_of(entry) >= from) break; /* the garbage of a failed read */
    }
    return entry;
}

static hsd_two climb_jumps(nca *n, hsd_node parent, hsd_node group, hsd_node last)
{
    hsd_two entry = hsd_two_of(group, parent);
    while (group_of(entry) > last) {
        const hsd_node from = group_of(entry);
        const hsd_node far = hsd_two_second(hsd_paged_get_two(&n->jumps, from));
        const bool is_jump = far > last && far < from;
        entry = is_jump ? hsd_two_of(far, 0) : hsd_paged_get_two(&n->dominators, from);
        if (group_of(entry) >= from) break;
    }
    return entry;
}

/* A node's jump spans its parent's two last ones if these are equally long. */
static void set_jump(nca *n, hsd_node node, hsd_node above)
{
    const hsd_two first = hsd_paged_get_two(&n->jumps, above);
    const hsd_two second = hsd_paged_get_two(&n->jumps, hsd_two_second(first));
    const hsd_two third = hsd_paged_get_two(&n->jumps, hsd_two_second(second));
    const hsd_node depth = hsd_two_first(first), middle = hsd_two_first(second);
    const bool is_equal = depth - middle == middle - hsd_two_first(third);
    hsd_paged_set_two(&n->jumps, node, hsd_two_of(depth + 1, is_equal ? hsd_two_second(second) : above));
}

/* ---- the pass ---- */

typedef struct tapes {
    hsd_tape_reader parents, cores, semis;
    hsd_core_node core; /* the next one */
    hsd_node node;      /* its number */
    bool has_core;
} tapes;

static void open_tapes(nca *n, tapes *t)
{
    memset(t, 0, sizeof *t);
    hsd_tape_read(&t->parents, &n->d->parent_of, HSD_TAPE_FORWARD, false);
    hsd_tape_read(&t->cores, &n->d->core_of, HSD_TAPE_FORWARD, false);
    hsd_tape_read(&t->semis, &n->d->semi_of, HSD_TAPE_BACKWARD, false);
    t->has_core = hsd_core_get(&t->cores, &t->core, 0);
}

static void close_tapes(tapes *t)
{
    hsd_tape_close(&t->parents);
    hsd_tape_close(&t->cores);
    hsd_tape_close(&t->semis);
}

static inline __attribute__((always_inline)) hsd_node find_core(nca *n, tapes *t, bool is_flat)
{
    hsd_node semi;
    const hsd_core_node core = t->core;
    const hsd_node node = t->node;
    if (!hsd_tape_get_node_back(&t->semis, &semi)) return 0;
    t->has_core = hsd_core_get(&t->cores, &t->core, ++t->node);
    if (node == 0) return 0;
    const hsd_node last = last_core(n, semi);
    hsd_two entry = n->has_jumps ? climb_jumps(n, core.parent, core.core_parent, last)
                                 : climb_steps(n, core.parent, core.core_parent, last, is_flat);
    if (dominator_of(entry) > semi) entry = hsd_two_of(group_of(entry), semi);
    hsd_flat_set_two(&n->dominators, node, entry, is_flat);
    if (n->has_jumps) set_jump(n, node, group_of(entry));
    return dominator_of(entry);
}

/* HSD_END when the climbs are too long. */
static inline __attribute__((always_inline)) hsd_status pass(nca *n, tapes *t, bool is_flat, hsd_error *err)
{
    hsd_dominators *d = n->d;
    for (hsd_node place = 0; place < d->count; place++) {
        hsd_node dominator;
        if (!hsd_tape_get_node(&t->parents, &dominator)) break;
        if (t->has_core && place == t->core.place) dominator = find_core(n, t, is_flat);
        if (!n->has_jumps && n->steps_left > UINT64_MAX / 2) return HSD_END;
        hsd_dominator_put(d, place, dominator);
        if ((place & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 3, place, d->count, err));
    }
    hsd_tape_finish(&d->dominator_of);
    return hsd_reel_check(&d->reel, err);
}

static hsd_status pass_flat(nca *n, tapes *t, hsd_error *err) { return pass(n, t, true, err); }
static hsd_status pass_paged(nca *n, tapes *t, hsd_error *err) { return pass(n, t, false, err); }

static hsd_status run_pass(nca *n, hsd_error *err)
{
    tapes t;
    const bool is_flat = n->d->limits.uses_flat && n->dominators.is_flat;
    open_tapes(n, &t);
    const hsd_status status = is_flat ? pass_flat(n, &t, err) : pass_paged(n, &t, err);
    close_tapes(&t);
    return status;
}

static hsd_status find_all(nca *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    const uint64_t bytes = hsd_dominators_scan_spare(d, n->bit_pages.size + n->count_pages.size);
    n->steps_left = d->limits.climb_steps * d->core_count;
    HSD_TRY(hsd_dominators_open(d, &n->dominators, d->core_count, HSD_TWO_BYTES, bytes, err));
    hsd_dominators_make_room(d, n->bit_pages.size + n->count_pages.size, false);
    hsd_paged_touch(&n->dominators);
    const hsd_status status = run_pass(n, err);
    if (status != HSD_END) return status;
    hsd_tape_release(&d->dominator_of);
    hsd_tape_init(&d->dominator_of, &d->reel);
    HSD_TRY(hsd_dominators_close(d, &n->dominators, err));
    n->has_jumps = true;
    HSD_TRY(hsd_dominators_open(d, &n->dominators, d->core_count, HSD_TWO_BYTES, bytes / 2, err));
    HSD_TRY(hsd_dominators_open(d, &n->jumps, d->core_count, HSD_TWO_BYTES, bytes / 2, err));
    return run_pass(n, err);
}

hsd_status hsd_dominators_nca(hsd_dominators *d, hsd_error *err)
{
    nca n = {.d = d};
    hsd_status status = mark_cores(&n, err);
    if (status == HSD_OK) status = find_all(&n, err);
    hsd_paged *arrays[] = {&n.dominators, &n.jumps};
    for (size_t i = 0; i < HSD_ARRAY_LEN(arrays); i++) {
        const hsd_status closed = hsd_dominators_close(d, arrays[i], status == HSD_OK ? err : NULL);
        if (status == HSD_OK) status = closed;
    }
    hsd_pages_give(&n.bit_pages);
    hsd_pages_give(&n.count_pages);
    hsd_tape_release(&d->parent_of);
    hsd_tape_release(&d->core_of);
    hsd_tape_release(&d->semi_of);
    hsd_reel_trim(&d->reel); /* what takes the places needs the memory */
    return status;
}
