/* There and back: graph/toward.h. */
#include "graph/toward.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/steps.h"

#define MOST_LEVELS    64u
#define CHUNK          (UINT32_C(16) << 10)
#define PROGRESS_STEPS 0xffffu

typedef struct toward {
    hsd_adjacency *adjacency;
    const hsd_shortest_config *config;
    uint64_t *seen; /* a bit a node: of this level, or of one before */
    uint64_t *here; /* of this level */
    uint64_t *next; /* of the next one */
    size_t words;
    hsd_reel reel;
    hsd_tape tapes[MOST_LEVELS];
    uint32_t levels;
    hsd_node last; /* source of the record that was written last on a tape */
    uint64_t wanted_left, expanded;
    bool is_cut; /* there are more levels */
} toward;

static size_t words_for(uint64_t nodes) { return (size_t)(nodes / 64 + 1); }

uint64_t hsd_toward_bits_bytes(uint64_t nodes) { return words_for(nodes) * sizeof(uint64_t); }

uint64_t hsd_toward_bytes(uint64_t nodes) { return 3 * hsd_toward_bits_bytes(nodes) + sizeof(toward) + 2 * CHUNK; }

static bool has_bit(const uint64_t *words, hsd_node node) { return words[node / 64] >> node % 64 & 1; }

static void set_bit(uint64_t *words, hsd_node node) { words[node / 64] |= UINT64_C(1) << node % 64; }

static bool is_wanted(const toward *t, hsd_node node) { return hsd_bit_get(t->config->wanted, node); }

/* ---- there ---- */

/* True if the target is of the next level, and leads to what is wanted as far as one sees. */
static bool come_to(toward *t, hsd_node target)
{
    if (has_bit(t->seen, target)) return false;
    if (hsd_adjacency_is_leaf(t->adjacency, target) && !is_wanted(t, target)) return false;
    if (!has_bit(t->next, target)) {
        set_bit(t->next, target);
        t->wanted_left -= is_wanted(t, target);
    }
    return true;
}

static void go_from(toward *t, hsd_node source)
{
    hsd_tape *tape = &t->tapes[t->levels];
    hsd_step step = {.source = source};
    hsd_targets targets;
    hsd_adjacency_get(t->adjacency, source, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            if (come_to(t, targets.items[i])) hsd_step_add(tape, &t->last, &step, targets.items[i]);
        if (!targets.has_more) break;
        hsd_adjacency_more(t->adjacency, &targets);
    }
    if (step.count > 0) hsd_step_put(tape, &t->last, &step);
}

static hsd_status check_toward(const toward *t, hsd_error *err)
{
    HSD_TRY(hsd_reel_check(&t->reel, err));
    HSD_TRY(hsd_adjacency_check(t->adjacency, err));
    return hsd_progress(t->config->reporter, "finding paths", 0, hsd_adjacency_node_count(t->adjacency), err);
}

static hsd_status go_from_some(toward *t, size_t word, hsd_error *err)
{
    for (uint64_t left = t->here[word]; left != 0; left &= left - 1) {
        const hsd_node node = (hsd_node)(word * 64) + (uint32_t)__builtin_ctzll(left);
        if (!hsd_adjacency_is_leaf(t->adjacency, node)) go_from(t, node);
        if ((++t->expanded & PROGRESS_STEPS) == 0) HSD_TRY(check_toward(t, err));
    }
    return HSD_OK;
}

/* All of the level, up and down in turns: blocks that one level left in memory are those with which the next begins. */
static hsd_status go_through_level(toward *t, hsd_error *err)
{
    hsd_tape_init(&t->tapes[t->levels], &t->reel);
    t->last = 0;
    for (size_t i = 0; i < t->words; i++)
        HSD_TRY(go_from_some(t, t->levels % 2 == 0 ? i : t->words - 1 - i, err));
    hsd_tape_finish(&t->tapes[t->levels++]);
    return check_toward(t, err);
}

/* The next level is at hand; false if it is empty. */
static bool take_next(toward *t)
{
    uint64_t *here = t->here, any = 0;
    t->here = t->next;
    t->next = here;
    for (size_t i = 0; i < t->words; i++) {
        t->next[i] = 0;
        t->seen[i] |= t->here[i];
        any |= t->here[i];
    }
    return any != 0;
}

static hsd_status go_there(toward *t, hsd_node begin, hsd_node end, hsd_error *err)
{
    if (t->wanted_left == 0 || t->is_cut) return HSD_OK;
    for (hsd_node root = begin; root < end; root++)
        if (!has_bit(t->seen, root)) come_to(t, root);
    while (take_next(t) && t->wanted_left > 0) {
        t->is_cut = t->levels == MOST_LEVELS;
        if (t->is_cut) return HSD_OK;
        HSD_TRY(go_through_level(t, err));
    }
    return HSD_OK;
}

/* ---- back ---- */

static bool leads_on(const hsd_step *step, const uint64_t *on_way)
{
    for (uint32_t i = 0; i < step->count; i++)
        if (has_bit(on_way, step->targets[i])) return true;
    return false;
}

/* Bits of what was seen become those of what is on the way. */
static hsd_status go_back(toward *t, hsd_error *err)
{
    uint64_t *on_way = t->seen;
    for (size_t i = 0; i < t->words; i++)
        on_way[i] = t->is_cut ? ~t->seen[i] | t->here[i] : 0;
    for (hsd_node node = 0; node < hsd_adjacency_node_count(t->adjacency); node++)
        if (is_wanted(t, node)) set_bit(on_way, node);
    while (t->levels > 0) {
        hsd_tape *tape = &t->tapes[--t->levels];
        hsd_tape_reader reader;
        hsd_step step;
        hsd_tape_read(&reader, tape, HSD_TAPE_FORWARD, true);
        t->last = 0;
        while (hsd_step_get(&reader, &t->last, &step))
            if (leads_on(&step, on_way)) set_bit(on_way, step.source);
        hsd_tape_close(&reader);
        hsd_tape_release(tape);
    }
    return check_toward(t, err);
}

/* As others ask for bits, in place: the lowest byte of a word is the first. */
static uint8_t *bytes_of(uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[sizeof *words];
        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)(words[i] >> 8 * k);
        memcpy(&words[i], bytes, sizeof bytes);
    }
    return (uint8_t *)words;
}

/* ---- the whole ---- */

static hsd_status there_and_back(toward *t, hsd_error *err)
{
    const hsd_shortest_config *config = t->config;
    const hsd_root_nodes *roots = &config->roots;
    const hsd_node nodes = hsd_adjacency_node_count(t->adjacency);
    const hsd_node stacks = hsd_root_nodes_stacks(roots), second_stacks = hsd_root_nodes_second_stacks(roots);
    t->words = words_for(nodes);
    t->seen = calloc(t->words, sizeof *t->seen);
    t->here = calloc(t->words, sizeof *t->here);
    t->next = calloc(t->words, sizeof *t->next);
    if (t->seen == NULL || t->here == NULL || t->next == NULL) return hsd_fail_nomem(err, "shortest paths");
    t->wanted_left = config->wanted_count;
    if (config->has_avoided && config->avoided < nodes) set_bit(t->seen, config->avoided);
    HSD_TRY(go_there(t, roots->begin, stacks, err));
    HSD_TRY(go_there(t, stacks, roots->second, err));
    HSD_TRY(go_there(t, roots->second, second_stacks, err));
    HSD_TRY(go_there(t, second_stacks, roots->end, err));
    return go_back(t, err);
}

hsd_status hsd_toward_find(uint8_t **bits, hsd_adjacency *adjacency, const hsd_shortest_config *config, hsd_error *err)
{
    HSD_ASSERT(config->wanted != NULL);
    toward *t = calloc(1, sizeof *t);
    if (t == NULL) return hsd_fail_nomem(err, "shortest paths");
    t->adjacency = adjacency;
    t->config = config;
    hsd_reel_init(&t->reel, false, CHUNK, config->space);
    const hsd_status status = there_and_back(t, err);
    for (uint32_t i = 0; i < MOST_LEVELS; i++)
        hsd_tape_release(&t->tapes[i]);
    hsd_reel_release(&t->reel);
    free(t->here);
    free(t->next);
    if (status == HSD_OK)
        *bits = bytes_of(t->seen, t->words);
    else
        free(t->seen);
    free(t);
    return status;
}
