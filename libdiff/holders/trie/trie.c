/*
 * The trie's outside: places, adding, reading. A place is a function of the path above: each step's key is a hash
 * of the key before it, the edge and the type, with the depth in its top byte, so that keys of one level are one run
 * of the tally. Two paths with one key at one depth (2^-56 a pair) would be one node; sums would still add up.
 */
#include "holders/trie/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

#define DEPTH_SHIFT 56

hsd_status hsd_trie_new(hsd_trie **out, const hsd_trie_config *config, hsd_error *err)
{
    HSD_ASSERT(config->depth_limit <= HSD_TRIE_MAX_DEPTH);
    hsd_trie *trie = calloc(1, sizeof *trie);
    *out = trie;
    if (trie == NULL) return hsd_fail_nomem(err, "the tree of type paths");
    trie->config = *config;
    trie->config.memory_bytes = hsd_max_u64(config->memory_bytes, HSD_TRIE_LEAST_BYTES);
    if (config->depth_limit == 0 || config->depth_limit > HSD_TRIE_MAX_DEPTH)
        trie->config.depth_limit = HSD_TRIE_MAX_DEPTH;
    const hsd_status status = hsd_tally_new(&trie->tally, HSD_TRIE_KEY_WORDS, trie->config.memory_bytes, config->space,
                                            config->reporter, err);
    if (status != HSD_OK) {
        hsd_trie_free(trie);
        *out = NULL;
    }
    return status;
}

static inline uint64_t key_of(uint64_t above, uint32_t depth, uint32_t edge, uint32_t type)
{
    uint64_t hash = (above + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 31 ^ ((uint64_t)edge << 32 | type)) * UINT64_C(0x94d049bb133111eb);
    hash = (hash ^ hash >> 29) * UINT64_C(0xd1b54a32d192ed03);
    hash ^= hash >> 32;
    return (uint64_t)depth << DEPTH_SHIFT | hash >> (64 - DEPTH_SHIFT);
}

/* Repetition: the place of a step among those that are known, from 1, the last one first; 0 = it is new. */
static inline uint32_t known_step(const hsd_trie_place *place, uint32_t edge, uint32_t type)
{
    HSD_ASSERT(place->count <= HSD_TRIE_LOOK_BACK);
    uint32_t i = place->count;
    while (i > 0 && (place->steps[i - 1].edge != edge || place->steps[i - 1].type != type))
        i--;
    return i;
}

/* The steps are wiped behind the last, so that equal places are equal bytes. */
static void cut_back(hsd_trie_place *place, uint32_t count)
{
    place->depth -= place->count - count;
    memset(&place->steps[count], 0, (HSD_TRIE_LOOK_BACK - count) * sizeof place->steps[0]);
    place->count = count;
}

/* One more step, for which there is room; at `count` of those that are known. */
static void put_step(hsd_trie_place *place, uint32_t count, uint64_t above, uint32_t edge, uint32_t type)
{
    place->depth++;
    place->count = count + 1;
    place->steps[count] = (hsd_trie_step){.key = key_of(above, place->depth, edge, type), .edge = edge, .type = type};
}

static inline void step_below(hsd_trie *trie, const hsd_trie_place *restrict parent, uint32_t edge, uint32_t type,
                              hsd_trie_place *restrict out)
{
    const uint32_t count = parent->count;
    const uint64_t above = hsd_trie_key(parent);
    if (parent->depth == trie->config.depth_limit) {
        if (!trie->is_cut) trie->is_cut = true; /* a finished one may be asked from several threads */
        *out = *parent;
        return;
    }
    if (count < HSD_TRIE_LOOK_BACK) {
        *out = *parent;
        put_step(out, count, above, edge, type);
        return;
    }
    /* the first one is looked back at no more */
    out->depth = parent->depth;
    out->above = parent->steps[0].key;
    memcpy(&out->steps[0], &parent->steps[1], (HSD_TRIE_LOOK_BACK - 1) * sizeof out->steps[0]);
    put_step(out, HSD_TRIE_LOOK_BACK - 1, above, edge, type);
}

void hsd_trie_step_into(hsd_trie *trie, const hsd_trie_place *restrict parent, uint32_t edge, uint32_t type,
                        hsd_trie_place *restrict out)
{
    const uint32_t known = known_step(parent, edge, type);
    if (known == 0) {
        step_below(trie, parent, edge, type, out);
        return;
    }
    *out = *parent;
    if (known < parent->count) cut_back(out, known);
}

uint64_t hsd_trie_key_below(const hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type)
{
    const uint32_t known = known_step(parent, edge, type);
    if (known > 0) return parent->steps[known - 1].key;
    if (parent->depth == trie->config.depth_limit) return hsd_trie_key(parent);
    return key_of(hsd_trie_key(parent), parent->depth + 1, edge, type);
}

hsd_trie_place hsd_trie_step_to(hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type)
{
    hsd_trie_place place;
    hsd_trie_step_into(trie, parent, edge, type, &place);
    return place;
}

hsd_trie_place hsd_trie_step_below(hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type)
{
    hsd_trie_place place;
    step_below(trie, parent, edge, type, &place);
    return place;
}

static hsd_status give_recent(hsd_trie *trie, hsd_trie_recent *recent, hsd_error *err)
{
    if (recent->key[HSD_TRIE_KEY_NODE] == 0) return HSD_OK;
    HSD_TRY(hsd_tally_add(trie->tally, recent->key, recent->sum.objects, recent->sum.bytes, err));
    recent->key[HSD_TRIE_KEY_NODE] = 0;
    return HSD_OK;
}

/* It goes to the tally once as many others have gone. */
static hsd_status let_leave(hsd_trie *trie, const hsd_trie_recent *recent, hsd_error *err)
{
    if (recent->key[HSD_TRIE_KEY_NODE] == 0) return HSD_OK;
    hsd_trie_recent *leaving = &trie->leaving[trie->leaving_at++ % HSD_TRIE_LEAVING];
    HSD_TRY(give_recent(trie, leaving, err));
    *leaving = *recent;
    hsd_tally_fetch(trie->tally, leaving->key);
    return HSD_OK;
}

/* All that was added is in the tally then. */
static hsd_status give_all_recent(hsd_trie *trie, hsd_error *err)
{
    for (uint32_t i = 0; i < HSD_TRIE_LEAVING; i++)
        HSD_TRY(give_recent(trie, &trie->leaving[i], err));
    for (uint32_t i = 0; i < HSD_TRIE_RECENT; i++)
        HSD_TRY(give_recent(trie, &trie->recent[i], err));
    return HSD_OK;
}

/* Keys that are the same but for a chance of 2^-56 are told apart, as the tally does. Word for word: a key that was
 * just written by words, and is read by two at once, waits until it has left the store buffer. */
static inline bool is_of(const hsd_trie_recent *recent, uint64_t node, uint64_t above, uint64_t step, uint64_t sum)
{
    return recent->key[HSD_TRIE_KEY_NODE] == node && recent->key[HSD_TRIE_KEY_ABOVE] == above &&
           recent->key[HSD_TRIE_KEY_STEP] == step && recent->key[HSD_TRIE_KEY_SUM] == sum;
}

/* To a node by its key, that of the node above it, and the step between. */
static inline hsd_status add_at(hsd_trie *trie, uint64_t key, uint64_t above, uint64_t step, hsd_trie_sum sum,
                                hsd_amount amount, hsd_error *err)
{
    hsd_trie_recent *recent = &trie->recent[(key ^ sum) % HSD_TRIE_RECENT];
    if (__builtin_expect(!is_of(recent, key, above, step, sum), 0)) {
        HSD_TRY(let_leave(trie, recent, err));
        recent->key[HSD_TRIE_KEY_NODE] = key;
        recent->key[HSD_TRIE_KEY_ABOVE] = above;
        recent->key[HSD_TRIE_KEY_STEP] = step;
        recent->key[HSD_TRIE_KEY_SUM] = sum;
        recent->sum = (hsd_amount){0, 0};
    }
    recent->sum.objects += amount.objects;
    recent->sum.bytes += amount.bytes;
    return HSD_OK;
}

/* To the node that the first `count` known steps of a place lead to. */
static inline hsd_status add_at_step(hsd_trie *trie, const hsd_trie_place *place, uint32_t count, hsd_trie_sum sum,
                                     hsd_amount amount, hsd_error *err)
{
    const hsd_trie_step *step = &place->steps[count - 1];
    const uint64_t above = count >= 2 ? place->steps[count - 2].key : place->above;
    return add_at(trie, step->key, above, (uint64_t)step->type << 32 | step->edge, sum, amount, err);
}

hsd_status hsd_trie_add(hsd_trie *trie, const hsd_trie_place *place, hsd_trie_sum sum, uint64_t objects, uint64_t bytes,
                        hsd_error *err)
{
    HSD_ASSERT(trie->tally != NULL && sum < HSD_TRIE_SUMS);
    if (place->count == 0)
        return hsd_tally_add(trie->tally, (const uint64_t[HSD_TRIE_KEY_WORDS]){0, 0, 0, sum}, objects, bytes, err);
    return add_at_step(trie, place, place->count, sum, (hsd_amount){objects, bytes}, err);
}

hsd_status hsd_trie_add_below(hsd_trie *trie, const hsd_trie_place *parent, uint32_t edge, uint32_t type,
                              hsd_trie_sum sum, uint64_t objects, uint64_t bytes, hsd_error *err)
{
    HSD_ASSERT(trie->tally != NULL && sum < HSD_TRIE_SUMS);
    const hsd_amount amount = {objects, bytes};
    const uint32_t known = known_step(parent, edge, type);
    if (known > 0) return add_at_step(trie, parent, known, sum, amount, err);
    if (parent->depth == trie->config.depth_limit) {
        trie->is_cut = true;
        return hsd_trie_add(trie, parent, sum, objects, bytes, err);
    }
    const uint64_t above = hsd_trie_key(parent);
    return add_at(trie, key_of(above, parent->depth + 1, edge, type), above, (uint64_t)type << 32 | edge, sum, amount,
                  err);
}

hsd_status hsd_trie_absorb(hsd_trie *trie, hsd_trie *other, hsd_error *err)
{
    HSD_ASSERT(trie != other && trie->tally != NULL && other->tally != NULL);
    trie->is_cut = trie->is_cut || other->is_cut;
    HSD_TRY(give_all_recent(other, err));
    return hsd_tally_absorb(trie->tally, other->tally, err);
}

/* ---- finished ---- */

static void add_columns(hsd_trie_columns *to, const hsd_trie_columns *from)
{
    for (int i = 0; i < HSD_TRIE_SUMS; i++) {
        to->objects[i] += from->objects[i];
        to->bytes[i] += from->bytes[i];
    }
}

/* A node's sums flow to its parent, which has a smaller number. */
static void add_up_trie(hsd_trie *trie)
{
    for (uint32_t node = trie->count; node-- > 0;) {
        const hsd_trie_stored *stored = hsd_trie_stored_at(trie, node, false);
        hsd_trie_columns *here = hsd_trie_all_at(trie, node, true);
        add_columns(here, &stored->own);
        if (node == HSD_TRIE_ROOT) break;
        const hsd_trie_columns all = *here;
        add_columns(hsd_trie_all_at(trie, stored->parent, true), &all);
    }
}

void hsd_trie_widen(hsd_trie *trie, uint64_t memory_bytes)
{
    HSD_ASSERT(trie->tally != NULL);
    trie->config.memory_bytes = hsd_max_u64(trie->config.memory_bytes, memory_bytes);
}

hsd_status hsd_trie_finish(hsd_trie *trie, hsd_error *err)
{
    HSD_ASSERT(trie->tally != NULL);
    HSD_TRY(give_all_recent(trie, err));
    HSD_TRY(hsd_tally_finish(trie->tally, trie->config.memory_bytes / 4, err));
    HSD_TRY(hsd_trie_build(trie, err));
    hsd_tally_free(trie->tally);
    trie->tally = NULL;
    add_up_trie(trie);
    return hsd_trie_check(trie, err);
}

uint32_t hsd_trie_count(const hsd_trie *trie) { return trie->count; }

bool hsd_trie_is_cut(const hsd_trie *trie) { return trie->is_cut; }

static hsd_trie_sums sums_of(const hsd_trie_columns *columns)
{
    const hsd_node *objects = columns->objects;
    const uint64_t *bytes = columns->bytes;
    return (hsd_trie_sums){
        .before = {(uint64_t)objects[HSD_TRIE_KEPT_BEFORE] + objects[HSD_TRIE_FREED],
                   bytes[HSD_TRIE_KEPT_BEFORE] + bytes[HSD_TRIE_FREED]},
        .after = {(uint64_t)objects[HSD_TRIE_KEPT_AFTER] + objects[HSD_TRIE_NEW],
                  bytes[HSD_TRIE_KEPT_AFTER] + bytes[HSD_TRIE_NEW]},
        .new_ = {objects[HSD_TRIE_NEW], bytes[HSD_TRIE_NEW]},
        .freed = {objects[HSD_TRIE_FREED], bytes[HSD_TRIE_FREED]},
    };
}

void hsd_trie_get(hsd_trie *trie, uint32_t node, hsd_trie_node *out)
{
    HSD_ASSERT(node < trie->count);
    const hsd_trie_stored *stored = hsd_trie_stored_at(trie, node, false);
    *out = (hsd_trie_node){
        .parent = stored->parent,
        .edge = stored->edge,
        .type = stored->type,
        .depth = stored->depth,
        .own = sums_of(&stored->own),
        .all = sums_of(hsd_trie_all_at(trie, node, false)),
    };
}

uint64_t hsd_trie_weight(hsd_trie *trie, uint32_t node)
{
    HSD_ASSERT(node < trie->count);
    const hsd_trie_sums all = sums_of(hsd_trie_all_at(trie, node, false));
    return all.before.bytes + all.after.bytes;
}

uint32_t hsd_trie_parent(hsd_trie *trie, uint32_t node)
{
    HSD_ASSERT(node < trie->count);
    return hsd_trie_stored_at(trie, node, false)->parent;
}

hsd_status hsd_trie_check(const hsd_trie *trie, hsd_error *err)
{
    if (!trie->has_nodes) return HSD_OK;
    HSD_TRY(hsd_paged_check(&trie->nodes, err));
    return hsd_paged_check(&trie->all, err);
}

void hsd_trie_free(hsd_trie *trie)
{
    if (trie == NULL) return;
    hsd_tally_free(trie->tally);
    if (trie->has_nodes) {
        hsd_paged_close(&trie->nodes);
        hsd_paged_close(&trie->all);
    }
    free(trie);
}
