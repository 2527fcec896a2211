/*
 * A round gathers what all those who have a partner propose, and pairs what they agree on. A record of what belongs to
 * one of them:
 *
 *      (its owner's position in the older capture and its type, its own position, structure << 32 | shape)
 *
 * so that those of one owner and type come together in the order of their addresses, from both sides.
 */
#include "match/kin.h"

#include "base/check.h"
#include "base/mix.h"
#include "base/worker.h"
#include "match/seeds/parts.h"
#include "match/strand.h"

#define KIN_SEED UINT64_C(0x6b696e0005)
#define STAGE    "following owners"
#define ONE_IN   0xffffu
#define ROUNDS   6u
#define ENOUGH   200u /* a round that finds less than one in so many is the last */
#define WORDS    3u
#define REACH    256u /* positions: who has nobody to speak for it within them is not believed */

enum { END = -1, NOBODY = -2 };

typedef struct kin {
    hsd_sequence *older, *newer;
    bool at_once;
    const hsd_seeds_config *config;
    hsd_sorter *proposals; /* (older, newer) */
} kin;

/* Those whose pair is sure enough to vouch for others: not what a name alone says, for what a class refers to is set
 * anew. */
static bool vouches(hsd_rung rung)
{
    return rung == HSD_RUNG_EXACT || rung == HSD_RUNG_KEY || rung == HSD_RUNG_SAME_ADDRESS ||
           rung == HSD_RUNG_STRUCTURE || rung == HSD_RUNG_PLACE || rung == HSD_RUNG_ORDER || rung == HSD_RUNG_CHANGED;
}

static bool is_free(hsd_sequence *s, hsd_node at) { return hsd_sequence_partner(s, at) == HSD_NO_PARTNER; }

static hsd_status propose(const kin *k, hsd_node older, hsd_node newer, hsd_error *err)
{
    return hsd_sorter_put(k->proposals, (const uint64_t[]){older, newer}, err);
}

/* ---- down ---- */

/* What belongs to an object, by its type; of what has elements, by all that it is: an array does not change its length.
 */
static uint64_t group_of(hsd_node owner, const hsd_element *e)
{
    const uint64_t hash = hsd_mix(hsd_mix(KIN_SEED, owner), e->type);
    return hsd_element_has_elements(e) ? hsd_mix(hash, e->shape) : hash;
}

static hsd_status gather_one(const kin *k, hsd_sequence *s, hsd_node at, hsd_sorter *out, hsd_error *err)
{
    const hsd_node owner = hsd_sequence_owner(s, at);
    if (owner == HSD_NO_POSITION || !vouches(hsd_sequence_rung(s, owner))) return HSD_OK;
    const hsd_element e = *hsd_sequence_at(s, at);
    if (hsd_element_is_anchor(&e)) return HSD_OK;
    const hsd_node in_older = s == k->older ? owner : hsd_sequence_partner(s, owner);
    return hsd_sorter_put(out, (const uint64_t[]){group_of(in_older, &e), at, (uint64_t)e.structure << 32 | e.shape},
                          err);
}

typedef struct gathering { /* of one side, of which alone it reads */
    const kin *k;
    hsd_sequence *sequence;
    hsd_sorter *out;
} gathering;

static hsd_status gather_kin(void *context, hsd_error *err)
{
    gathering *g = context;
    const kin *k = g->k;
    hsd_sequence *s = g->sequence;
    HSD_TRY(hsd_seed_sorter(k->config, WORDS, &g->out, err));
    for (hsd_node at = 0; at < s->count; at++) {
        if ((at & ONE_IN) == 0) HSD_TRY(hsd_progress(k->config->reporter, STAGE, at, s->count, err));
        if (is_free(s, at)) HSD_TRY(gather_one(k, s, at, g->out, err));
    }
    HSD_TRY(hsd_sequence_check(s, err));
    return hsd_sorter_finish(g->out, 0, err);
}

typedef struct family { /* of one owner and type */
    uint32_t count;     /* HSD_KIN_MOST + 1: too many */
    uint32_t left;
    hsd_node at[HSD_KIN_MOST];
    uint64_t looks[HSD_KIN_MOST];
    bool is_taken[HSD_KIN_MOST];
} family;

typedef struct families {
    hsd_sorter *sorter;
    const uint64_t *next; /* NULL at the end */
    uint64_t hash;        /* of the family at hand */
    family now;
} families;

static hsd_status advance_kin(families *f, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(f->sorter, &f->next, err);
    if (status == HSD_END) f->next = NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* False at the end. */
static hsd_status next_family(families *f, hsd_error *err)
{
    f->now.count = f->now.left = 0;
    if (f->next == NULL) return HSD_END;
    f->hash = f->next[0];
    while (f->next != NULL && f->next[0] == f->hash) {
        if (f->now.count < HSD_KIN_MOST) {
            f->now.at[f->now.count] = (hsd_node)f->next[1];
            f->now.looks[f->now.count] = f->next[2];
            f->now.is_taken[f->now.count] = false;
        }
        if (f->now.count <= HSD_KIN_MOST) f->now.count++;
        HSD_TRY(advance_kin(f, err));
    }
    f->now.left = f->now.count;
    return HSD_OK;
}

/* In the order of addresses, those that agree in what `mask` leaves. */
static hsd_status pair_alike(const kin *k, family *older, family *newer, uint64_t mask, hsd_error *err)
{
    for (uint32_t i = 0; i < older->count; i++) {
        for (uint32_t j = 0; j < newer->count && !older->is_taken[i]; j++) {
            if (newer->is_taken[j] || ((older->looks[i] ^ newer->looks[j]) & mask) != 0) continue;
            older->is_taken[i] = newer->is_taken[j] = true;
            older->left--;
            newer->left--;
            HSD_TRY(propose(k, older->at[i], newer->at[j], err));
        }
    }
    return HSD_OK;
}

static hsd_status pair_families(const kin *k, family *older, family *newer, hsd_error *err)
{
    if (older->count > HSD_KIN_MOST || newer->count > HSD_KIN_MOST) return HSD_OK;
    HSD_TRY(pair_alike(k, older, newer, UINT64_MAX, err));
    HSD_TRY(pair_alike(k, older, newer, UINT32_MAX, err));
    return older->left == newer->left ? pair_alike(k, older, newer, 0, err) : HSD_OK;
}

static hsd_status walk_families(const kin *k, families *older, families *newer, hsd_error *err)
{
    HSD_TRY(advance_kin(older, err));
    HSD_TRY(advance_kin(newer, err));
    hsd_status in_older = next_family(older, err), in_newer = in_older < 0 ? in_older : next_family(newer, err);
    while (in_older == HSD_OK && in_newer == HSD_OK) {
        const uint64_t at_older = older->hash, at_newer = newer->hash;
        if (at_older == at_newer) HSD_TRY(pair_families(k, &older->now, &newer->now, err));
        if (at_older <= at_newer) in_older = next_family(older, err);
        if (in_older >= 0 && at_newer <= at_older) in_newer = next_family(newer, err);
    }
    return in_older < 0 ? in_older : in_newer < 0 ? in_newer : HSD_OK;
}

static hsd_status go_down(const kin *k, hsd_error *err)
{
    gathering older = {.k = k, .sequence = k->older}, newer = {.k = k, .sequence = k->newer};
    hsd_status status = hsd_run_both((hsd_job){gather_kin, &older}, (hsd_job){gather_kin, &newer}, k->at_once, err);
    if (status == HSD_OK)
        status = walk_families(k, &(families){.sorter = older.out}, &(families){.sorter = newer.out}, err);
    hsd_sorter_free(older.out);
    hsd_sorter_free(newer.out);
    return status;
}

/* ---- up ---- */

static bool may_be_one(const hsd_element *a, const hsd_element *b)
{
    if (a->type != b->type || hsd_element_is_anchor(a) || hsd_element_is_anchor(b)) return false;
    return a->shape == b->shape || !(hsd_element_has_elements(a) || hsd_element_has_elements(b));
}

/* `at` of older has a partner: so may those that alone refer to the two. */
static hsd_status go_up_from(const kin *k, hsd_node at, hsd_error *err)
{
    const hsd_node owner = hsd_sequence_owner(k->older, at);
    if (owner == HSD_NO_POSITION || !is_free(k->older, owner) || !vouches(hsd_sequence_rung(k->older, at)))
        return HSD_OK;
    const hsd_node other = hsd_sequence_owner(k->newer, hsd_sequence_partner(k->older, at));
    if (other == HSD_NO_POSITION || !is_free(k->newer, other)) return HSD_OK;
    const bool may_be = may_be_one(hsd_sequence_at(k->older, owner), hsd_sequence_at(k->newer, other));
    return may_be ? propose(k, owner, other, err) : HSD_OK;
}

static hsd_status go_up(const kin *k, hsd_error *err)
{
    for (hsd_node at = 0; at < k->older->count; at++) {
        if ((at & ONE_IN) == 0) HSD_TRY(hsd_progress(k->config->reporter, STAGE, at, k->older->count, err));
        if (!is_free(k->older, at)) HSD_TRY(go_up_from(k, at, err));
    }
    HSD_TRY(hsd_sequence_check(k->older, err));
    return hsd_sequence_check(k->newer, err);
}

/* ---- judging: the newer side says which pairs are of this round, the older one which of them stay ---- */

/* The nearest neighbour that may speak for `at` of older: recognised before, and no kin. From `from` of `s` on by
 * `step`; its position in older, END, or NOBODY in sight. */
static int64_t neighbour(const kin *k, hsd_sequence *s, hsd_node from, int step, hsd_node at)
{
    int64_t next = (int64_t)from;
    for (unsigned i = 0; i < REACH; i++) {
        next += step;
        if (next < 0 || next >= (int64_t)s->count) return END;
        const hsd_node partner = hsd_sequence_partner(s, (hsd_node)next);
        if (partner == HSD_NO_PARTNER) continue;
        const bool is_older = s == k->older;
        const hsd_node in_older = is_older ? (hsd_node)next : partner, in_newer = is_older ? partner : (hsd_node)next;
        if (hsd_sequence_rung(k->newer, in_newer) == HSD_RUNG_CLAIMED || hsd_are_kin(k->older, in_older, at)) continue;
        return (int64_t)in_older;
    }
    return NOBODY;
}

static bool fits(const kin *k, hsd_node at, hsd_node partner, int step)
{
    const int64_t wanted = neighbour(k, k->older, at, step, at);
    return wanted != NOBODY && neighbour(k, k->newer, partner, step, at) == wanted;
}

static hsd_status judge_all(const kin *k, hsd_error *err)
{
    for (hsd_node at = 0; (at = hsd_next_with_rung(k->older, at, HSD_RUNG_CLAIMED)) < k->older->count; at++) {
        const hsd_node partner = hsd_sequence_partner(k->older, at);
        if (partner >= k->newer->count) break; /* an array failed: it says so below */
        const bool stays = fits(k, at, partner, -1) && fits(k, at, partner, 1);
        hsd_sequence_set_partner(k->older, at, partner, stays ? HSD_RUNG_PLACE : HSD_RUNG_NONE);
    }
    HSD_TRY(hsd_sequence_check(k->older, err));
    return hsd_sequence_check(k->newer, err);
}

static hsd_status judge_kin(const kin *k, uint64_t *pairs, hsd_error *err)
{
    HSD_TRY(judge_all(k, err));
    for (hsd_node at = 0; (at = hsd_next_with_rung(k->newer, at, HSD_RUNG_CLAIMED)) < k->newer->count; at++) {
        const hsd_node partner = hsd_sequence_partner(k->newer, at);
        if (partner >= k->older->count) break;
        if (hsd_sequence_rung(k->older, partner) == HSD_RUNG_PLACE) {
            hsd_sequence_set_partner(k->newer, at, partner, HSD_RUNG_PLACE);
            continue;
        }
        hsd_sequence_unpair(k->older, partner, k->newer, at);
        --*pairs;
    }
    HSD_TRY(hsd_sequence_check(k->older, err));
    return hsd_sequence_check(k->newer, err);
}

/* ---- rounds ---- */

static hsd_status run_round(kin *k, uint64_t *pairs, hsd_error *err)
{
    HSD_TRY(hsd_seed_sorter(k->config, 2, &k->proposals, err));
    hsd_status status = go_down(k, err);
    if (status == HSD_OK) status = go_up(k, err);
    if (status == HSD_OK)
        status = hsd_seeds_agree(k->older, k->newer, k->proposals, HSD_RUNG_CLAIMED, k->config, pairs, err);
    hsd_sorter_free(k->proposals);
    k->proposals = NULL;
    return status == HSD_OK ? judge_kin(k, pairs, err) : status;
}

hsd_status hsd_kin(hsd_sequence *older, hsd_sequence *newer, bool at_once, const hsd_seeds_config *config,
                   uint64_t *pairs, hsd_error *err)
{
    kin k = {.older = older, .newer = newer, .at_once = at_once, .config = config};
    *pairs = 0;
    if (older->owners.page_count == 0 || newer->owners.page_count == 0) return HSD_OK;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t found;
        HSD_TRY(run_round(&k, &found, err));
        *pairs += found;
        if (found <= older->count / ENOUGH) break;
    }
    return HSD_OK;
}
