/*
 * What is on the way to the wanted nodes (graph/toward.h), by sweeps over the blocks in their order, where there is a
 * byte a node. A level at a time goes through nearly all blocks as often as there are large levels, which in a heap are
 * eight and more. A sweep looks through whatever waits, with the level that it has as yet: what lies in the direction
 * of the layout is settled at once, and within a block all is. Who comes to have a lesser level waits again. A node k
 * references behind a root has its level after k + 1 sweeps at most, and most have it after two or three.
 *
 *      levels   sweeps until nothing waits; once all that is wanted has a level nothing at or behind the greatest of
 *               these is looked through
 *      notes    in the first sweep from then on references to nodes of the next level go to a tape a level, those of all
 *               nodes of the blocks that are read anyhow; later ones add those of nodes that were looked through again
 *      back     the tapes, the last one first. A record counts if its levels are still those of its nodes
 *
 * Rounds come one after the other, each behind the last level of the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/steps.h"
#include "graph/toward.h"

#define MOST_LEVEL     250u
#define UNSEEN         255u
#define FIRST_LEVEL    1u /* what no path goes through has 0 */
#define NO_BOUND       (MOST_LEVEL + 1)
#define TAPES          (MOST_LEVEL + 1)
#define MOST_CHUNK     (UINT32_C(16) << 10)
#define CHUNKS_BYTES   (UINT32_C(256) << 10) /* of all tapes that are written */
#define PROGRESS_STEPS 0xffffu

typedef struct sweeps {
    hsd_adjacency *adjacency;
    const hsd_shortest_config *config;
    uint8_t *levels; /* a byte a node */
    uint8_t *waits;  /* one bit a node */
    uint8_t *moved;  /* one bit a node: it was looked through, and what is noted of it is missing or old */
    uint64_t waiting, expanded;
    uint32_t bound;      /* from which on nothing is looked through */
    uint32_t next_level; /* where the next round begins */
    bool has_all;        /* that is wanted a level */
    bool notes, notes_all;
    hsd_reel reel;
    hsd_tape tapes[TAPES];
    hsd_node last[TAPES]; /* source of the record that was written last on each, or read */
} sweeps;

uint64_t hsd_sweeps_bytes(uint64_t nodes)
{
    return nodes + 2 * hsd_toward_bits_bytes(nodes) + sizeof(sweeps) + CHUNKS_BYTES + MOST_CHUNK;
}

static bool is_wanted(const sweeps *s, hsd_node node) { return hsd_bit_get(s->config->wanted, node); }

/* It refers to nothing, and nobody asks for it. */
static bool is_idle(const sweeps *s, hsd_node node)
{
    return hsd_adjacency_is_leaf(s->adjacency, node) && !is_wanted(s, node);
}

static hsd_status check_sweeps(const sweeps *s, hsd_error *err)
{
    if (s->notes) HSD_TRY(hsd_reel_check(&s->reel, err));
    HSD_TRY(hsd_adjacency_check(s->adjacency, err));
    return hsd_progress(s->config->reporter, "finding paths", 0, hsd_adjacency_node_count(s->adjacency), err);
}

/* ---- levels ---- */

static void wait_for(sweeps *s, hsd_node node)
{
    if (hsd_bit_get(s->waits, node)) return;
    hsd_bit_set(s->waits, node);
    s->waiting++;
}

/* True if something waits now that lies in front of the source, from `first` on. */
static bool come_to(sweeps *s, hsd_node source, const hsd_targets *targets, uint8_t level, hsd_node first)
{
    bool is_again = false;
    for (uint32_t i = 0; i < targets->count; i++) {
        const hsd_node target = targets->items[i];
        if (s->levels[target] <= level || is_idle(s, target)) continue;
        s->levels[target] = level;
        if (hsd_adjacency_is_leaf(s->adjacency, target)) continue;
        wait_for(s, target);
        is_again = is_again || (target >= first && target < source);
    }
    return is_again;
}

static bool look_through(sweeps *s, hsd_node node, hsd_node first)
{
    const uint32_t level = s->levels[node] + 1u;
    hsd_targets targets;
    bool is_again = false;
    if (level > s->bound || level > MOST_LEVEL) return false;
    if (s->notes) hsd_bit_set(s->moved, node);
    s->expanded++;
    hsd_adjacency_get(s->adjacency, node, &targets);
    for (;;) {
        is_again = come_to(s, node, &targets, (uint8_t)level, first) || is_again;
        if (!targets.has_more) return is_again;
        hsd_adjacency_more(s->adjacency, &targets);
    }
}

/* The next node with a bit, from `node` on; `end` if there is none before. */
static hsd_node next_with_bit(const uint8_t *bits, hsd_node node, hsd_node end)
{
    while (node < end) {
        const uint32_t left = (uint32_t)bits[node / 8] >> node % 8;
        if (left != 0) {
            const hsd_node found = node + (hsd_node)__builtin_ctz(left);
            return found < end ? found : end;
        }
        if (end - node <= 8 - node % 8) break;
        node += 8 - node % 8;
    }
    return end;
}

static void settle_block(sweeps *s, hsd_node first, hsd_node end)
{
    for (bool is_again = true; is_again;) {
        is_again = false;
        for (hsd_node node = next_with_bit(s->waits, first, end); node < end;
             node = next_with_bit(s->waits, node + 1, end)) {
            hsd_bit_clear(s->waits, node);
            s->waiting--;
            is_again = look_through(s, node, first) || is_again;
        }
    }
}

/* What is behind the greatest level of a wanted node leads to none. */
static void find_bound(sweeps *s)
{
    const hsd_node nodes = hsd_adjacency_node_count(s->adjacency);
    uint32_t most = 0;
    for (hsd_node node = next_with_bit(s->config->wanted, 0, nodes); node < nodes;
         node = next_with_bit(s->config->wanted, node + 1, nodes))
        if (s->levels[node] > most) most = s->levels[node];
    s->has_all = most != UNSEEN;
    s->bound = s->has_all ? most : NO_BOUND;
}

/* ---- notes ---- */

static void begin_notes(sweeps *s)
{
    const uint32_t tapes = s->bound < TAPES ? s->bound + 1 : TAPES, chunk = CHUNKS_BYTES / tapes & ~UINT32_C(63);
    HSD_ASSERT(!s->notes && chunk >= HSD_TAPE_MIN_CHUNK);
    hsd_reel_init(&s->reel, false, chunk < MOST_CHUNK ? chunk : MOST_CHUNK, s->config->space);
    for (uint32_t i = 0; i < tapes; i++)
        hsd_tape_init(&s->tapes[i], &s->reel);
    s->notes = s->notes_all = true;
}

static void note_node(sweeps *s, hsd_node node)
{
    const uint32_t level = s->levels[node];
    hsd_step step = {.source = node};
    hsd_targets targets;
    if (level >= s->bound || level >= MOST_LEVEL || hsd_adjacency_is_leaf(s->adjacency, node)) return;
    hsd_tape *tape = &s->tapes[level];
    hsd_node *last = &s->last[level];
    hsd_adjacency_get(s->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            if (s->levels[targets.items[i]] == level + 1) hsd_step_add(tape, last, &step, targets.items[i]);
        if (!targets.has_more) break;
        hsd_adjacency_more(s->adjacency, &targets);
    }
    if (step.count > 0) hsd_step_put(tape, last, &step);
}

static void note_block(sweeps *s, hsd_node first, hsd_node end)
{
    for (hsd_node node = first; s->notes_all && node < end; node++)
        if (s->levels[node] != UNSEEN) note_node(s, node);
    for (hsd_node node = next_with_bit(s->moved, first, end); node < end;
         node = next_with_bit(s->moved, node + 1, end)) {
        hsd_bit_clear(s->moved, node);
        if (!s->notes_all) note_node(s, node);
    }
}

/* ---- sweeps ---- */

static hsd_status sweep(sweeps *s, hsd_error *err)
{
    const uint32_t blocks = hsd_adjacency_block_count(s->adjacency);
    uint64_t checked = s->expanded;
    for (uint32_t block = 0; block < blocks; block++) {
        const hsd_node first = hsd_adjacency_first_of(s->adjacency, block);
        const hsd_node end = block + 1 < blocks ? hsd_adjacency_first_of(s->adjacency, block + 1)
                                                : hsd_adjacency_node_count(s->adjacency);
        settle_block(s, first, end);
        if (s->notes) note_block(s, first, end);
        if (s->expanded - checked <= PROGRESS_STEPS) continue;
        checked = s->expanded;
        HSD_TRY(check_sweeps(s, err));
    }
    s->notes_all = false;
    return check_sweeps(s, err);
}

/* Behind all that there are, and no reference leads from one round to a node of the next. */
static void find_next_level(sweeps *s)
{
    const hsd_node nodes = hsd_adjacency_node_count(s->adjacency);
    for (hsd_node node = 0; node < nodes; node++)
        if (s->levels[node] != UNSEEN && s->levels[node] + 2u > s->next_level) s->next_level = s->levels[node] + 2u;
}

static hsd_status run_round(sweeps *s, hsd_node begin, hsd_node end, hsd_error *err)
{
    const uint32_t level = s->next_level;
    if (s->has_all || level > MOST_LEVEL) return HSD_OK;
    for (hsd_node root = begin; root < end; root++) {
        if (s->levels[root] != UNSEEN) continue;
        s->levels[root] = (uint8_t)level;
        if (!hsd_adjacency_is_leaf(s->adjacency, root)) wait_for(s, root);
    }
    for (;;) {
        find_bound(s);
        if (s->has_all && !s->notes) begin_notes(s);
        if (s->waiting == 0 && !s->notes_all) break;
        HSD_TRY(sweep(s, err));
    }
    find_next_level(s);
    return HSD_OK;
}

static hsd_status run_rounds(sweeps *s, hsd_error *err)
{
    const hsd_root_nodes *roots = &s->config->roots;
    const hsd_node stacks = hsd_root_nodes_stacks(roots), second_stacks = hsd_root_nodes_second_stacks(roots);
    HSD_TRY(run_round(s, roots->begin, stacks, err));
    HSD_TRY(run_round(s, stacks, roots->second, err));
    HSD_TRY(run_round(s, roots->second, second_stacks, err));
    HSD_TRY(run_round(s, second_stacks, roots->end, err));
    if (s->notes) return HSD_OK;
    begin_notes(s); /* not all of it can be reached, or by so many references */
    return sweep(s, err);
}

/* ---- back ---- */

static bool leads_on(const sweeps *s, const hsd_step *step, uint32_t level, const uint8_t *on_way)
{
    for (uint32_t i = 0; i < step->count; i++)
        if (hsd_bit_get(on_way, step->targets[i]) && s->levels[step->targets[i]] == level + 1) return true;
    return false;
}

/* What is wanted; and where levels end before all of it was met, whatever lies there and behind. */
static void begin_back(const sweeps *s, uint8_t *on_way)
{
    const hsd_node nodes = hsd_adjacency_node_count(s->adjacency);
    const bool is_cut = !s->has_all && s->next_level > MOST_LEVEL;
    for (hsd_node node = 0; node < nodes; node++)
        if (is_wanted(s, node) || (is_cut && s->levels[node] >= MOST_LEVEL - 2)) hsd_bit_set(on_way, node);
}

static hsd_status go_back(sweeps *s, uint8_t *on_way, hsd_error *err)
{
    begin_back(s, on_way);
    for (uint32_t level = TAPES; level-- > 0;) {
        hsd_tape *tape = &s->tapes[level];
        hsd_tape_reader reader;
        hsd_step step;
        if (tape->reel == NULL) continue;
        hsd_tape_finish(tape);
        hsd_tape_read(&reader, tape, HSD_TAPE_FORWARD, true);
        s->last[level] = 0;
        while (hsd_step_get(&reader, &s->last[level], &step))
            if (s->levels[step.source] == level && leads_on(s, &step, level, on_way)) hsd_bit_set(on_way, step.source);
        hsd_tape_close(&reader);
        hsd_tape_release(tape);
    }
    return check_sweeps(s, err);
}

/* ---- the whole ---- */

static hsd_status run_sweeps(sweeps *s, uint8_t **bits, hsd_error *err)
{
    const hsd_node nodes = hsd_adjacency_node_count(s->adjacency);
    const size_t bytes = (size_t)hsd_toward_bits_bytes(nodes);
    s->levels = malloc((size_t)nodes + 1);
    s->waits = calloc(bytes, 1);
    s->moved = calloc(bytes, 1);
    if (s->levels == NULL || s->waits == NULL || s->moved == NULL) return hsd_fail_nomem(err, "shortest paths");
    memset(s->levels, UNSEEN, (size_t)nodes + 1);
    if (s->config->has_avoided && s->config->avoided < nodes) s->levels[s->config->avoided] = 0;
    HSD_TRY(run_rounds(s, err));
    memset(s->moved, 0, bytes);
    HSD_TRY(go_back(s, s->moved, err));
    *bits = s->moved;
    s->moved = NULL;
    return HSD_OK;
}

hsd_status hsd_sweeps_find(uint8_t **bits, hsd_adjacency *adjacency, const hsd_shortest_config *config, hsd_error *err)
{
    HSD_ASSERT(config->wanted != NULL);
    sweeps *s = calloc(1, sizeof *s);
    if (s == NULL) return hsd_fail_nomem(err, "shortest paths");
    s->adjacency = adjacency;
    s->config = config;
    s->next_level = FIRST_LEVEL;
    const hsd_status status = run_sweeps(s, bits, err);
    for (uint32_t i = 0; i < TAPES; i++)
        hsd_tape_release(&s->tapes[i]);
    if (s->notes) hsd_reel_release(&s->reel);
    free(s->levels);
    free(s->waits);
    free(s->moved);
    free(s);
    return status;
}
