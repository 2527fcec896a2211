/*
 * The fold over the tandem merge. Each step brings one identity with its record on either side; its
 * state (absent, unreached, live) on both sides decides into which sums it goes:
 *
 *                     after: absent      unreached        live
 *      before: absent        -           (unreached)      new
 *              unreached     (unreached) -                new, revived
 *              live          freed       freed, dropped   kept, resized if the size differs
 */
#include "diff/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include "io/stopwatch.h"
#include "sort/tandem.h"

#define AHEAD_LEAST (UINT64_C(64) << 20) /* of the memory: records that are read ahead are little of it */

typedef struct place { /* one object on one side */
    uint8_t state;
    uint32_t root; /* common number */
    uint64_t bytes;
} place;

enum { ABSENT, UNREACHED, LIVE };

static hsd_status number_roots(hsd_comparison *c, int side, hsd_error *err)
{
    const hsd_root_names *names = &c->pair.sides[side].roots;
    c->pair.root_number[side] = calloc((size_t)names->names.count + 1, sizeof **c->pair.root_number);
    if (c->pair.root_number[side] == NULL) return hsd_fail_nomem(err, "the names of roots");
    for (uint32_t i = 0; i < names->names.count; i++) {
        HSD_TRY(hsd_names_put(&c->pair.roots, hsd_names_get(&names->names, i), &c->pair.root_number[side][i], err));
    }
    return HSD_OK;
}

hsd_status hsd_compare_prepare(hsd_comparison *c, hsd_error *err)
{
    HSD_ASSERT(c->by_type == NULL && c->pair.root_number[BEFORE] == NULL);
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(number_roots(c, side, err));
    c->pair.root_kinds = calloc((size_t)c->pair.roots.count + 1, 1);
    c->by_type = calloc((size_t)c->pair.types.names.count + 1, sizeof *c->by_type);
    c->by_root = calloc((size_t)c->pair.roots.count + 1, sizeof *c->by_root);
    const bool has_examples = c->ladder.basis != HSD_BASIS_COUNTS;
    if (has_examples) c->examples = calloc((size_t)c->pair.types.names.count + 1, sizeof *c->examples);
    if (c->pair.root_kinds == NULL || c->by_type == NULL || c->by_root == NULL ||
        (has_examples && c->examples == NULL)) {
        return hsd_fail_nomem(err, "the tables of the diff");
    }
    for (int side = SIDE_COUNT - 1; side >= 0; side--) { /* before comes last and decides */
        const hsd_root_names *names = &c->pair.sides[side].roots;
        for (uint32_t i = 0; i < names->names.count; i++) {
            c->pair.root_kinds[c->pair.root_number[side][i]] = names->kinds[i];
        }
    }
    return HSD_OK;
}

static place place_of(const hsd_comparison *c, int side, const uint64_t *record)
{
    if (record == NULL) return (place){.state = ABSENT};
    return (place){
        .state = hsd_census_is_live(record) ? LIVE : UNREACHED,
        .root = c->pair.root_number[side][hsd_census_root(record)],
        .bytes = hsd_census_bytes(record),
    };
}

static void fold_type(hsd_fold_change *type, const place *before, const place *after)
{
    if (after->state == LIVE && before->state == LIVE) {
        hsd_amount_add(&type->kept, before->bytes);
        type->resized_bytes += (int64_t)(after->bytes - before->bytes);
        type->resized_objects += after->bytes != before->bytes;
    } else if (after->state == LIVE) {
        hsd_amount_add(&type->new_, after->bytes);
        if (before->state == UNREACHED) hsd_amount_add(&type->revived, after->bytes);
    } else if (before->state == LIVE) {
        hsd_amount_add(&type->freed, before->bytes);
        if (after->state == UNREACHED) hsd_amount_add(&type->dropped, before->bytes);
    }
}

static void fold_root(hsd_root_change *by_root, const place *before, const place *after)
{
    if (after->state == LIVE && before->state == LIVE) {
        if (before->root == after->root) {
            hsd_root_change *root = &by_root[before->root];
            hsd_amount_add(&root->kept, before->bytes);
            root->resized_bytes += (int64_t)(after->bytes - before->bytes);
            root->resized_objects += after->bytes != before->bytes;
        } else {
            hsd_amount_add(&by_root[before->root].moved_out, before->bytes);
            hsd_amount_add(&by_root[after->root].moved_in, after->bytes);
        }
    } else if (after->state == LIVE) {
        hsd_amount_add(&by_root[after->root].new_, after->bytes);
    } else if (before->state == LIVE) {
        hsd_amount_add(&by_root[before->root].freed, before->bytes);
    }
}

enum { FIRM, WEAK };
#define STRENGTH(rung, name, words, strength) [HSD_MATCH_##rung] = strength,
static const uint8_t strengths[HSD_MATCH_RUNG_COUNT] = {HSD_MATCH_RUNGS(STRENGTH)};

static hsd_match_rung rung_of(const hsd_comparison *c, const uint64_t *after)
{
    if (c->ladder.basis == HSD_BASIS_EXACT) return HSD_MATCH_EXACT;
    if (c->ladder.basis == HSD_BASIS_ADDRESS) return HSD_MATCH_ADDRESS;
    return hsd_rung_of_match(hsd_census_rung(after));
}

static hsd_status tell_matched(const hsd_comparison *c, const uint64_t *const *records, hsd_match_rung rung,
                               hsd_error *err)
{
    if (c->keep != NULL && c->keep->pair != NULL && c->pair.has_holders) {
        HSD_TRY(c->keep->pair(c->keep->pair_context, hsd_census_ordinal(records[BEFORE]),
                              hsd_census_ordinal(records[AFTER]), err));
    }
    if (c->options->matched == NULL) return HSD_OK;
    return c->options->matched(c->options->matched_context, hsd_census_id(&c->pair.sides[BEFORE], records[BEFORE]),
                               hsd_census_id(&c->pair.sides[AFTER], records[AFTER]), rung, err);
}

static hsd_status count_match(hsd_comparison *c, const uint64_t *const *records, const place *before,
                              const place *after, hsd_error *err)
{
    hsd_match *match = &c->match;
    if (after->state == ABSENT) match->unmatched_before++;
    if (before->state == ABSENT) match->unmatched_after++;
    if (after->state == ABSENT || before->state == ABSENT) return HSD_OK;
    const hsd_match_rung rung = rung_of(c, records[AFTER]);
    if (rung == HSD_MATCH_EXACT)
        match->exact++;
    else if (rung == HSD_MATCH_ADDRESS)
        match->address++;
    else
        match->structure++;
    match->ambiguous += rung == HSD_MATCH_TWINS;
    if (before->state == LIVE && after->state == LIVE) {
        hsd_amount_add(&match->rungs[rung], after->bytes);
        if (strengths[rung] == WEAK) hsd_amount_add(&match->weak, after->bytes);
    }
    return tell_matched(c, records, rung, err);
}

static hsd_status tell_changed(const hsd_comparison *c, int side, const uint64_t *record, const place *before,
                               const place *after, hsd_error *err)
{
    if (c->options->changed == NULL) return HSD_OK;
    if (before->state == after->state && before->bytes == after->bytes) return HSD_OK;
    const hsd_bytes name = hsd_names_get(&c->pair.types.names, hsd_census_type(record));
    const hsd_changed_object object = {
        .id = hsd_census_id(&c->pair.sides[side], record),
        .type = {.data = (const char *)name.data, .size = name.size},
        .bytes_before = before->bytes,
        .bytes_after = after->bytes,
        .state_before = before->state,
        .state_after = after->state,
    };
    return c->options->changed(c->options->changed_context, &object, err);
}

static hsd_status take_bits(const hsd_side_walk *side, uint8_t **out, hsd_error *err)
{
    *out = calloc((size_t)side->object_count / 8 + 1, 1);
    return *out == NULL ? hsd_fail_nomem(err, "one bit an object") : HSD_OK;
}

/* Live in both: what growth can hang from. */
static hsd_status note_kept(hsd_comparison *c, const uint64_t *const *records, const place *before, const place *after,
                            hsd_error *err)
{
    if (!c->pair.has_holders || before->state != LIVE || after->state != LIVE) return HSD_OK;
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_bit_set(c->pair.is_kept[side], hsd_census_ordinal(records[side]));
        if (before->bytes == after->bytes) continue;
        if (c->pair.is_resized[side] == NULL) HSD_TRY(take_bits(&c->pair.sides[side], &c->pair.is_resized[side], err));
        hsd_bit_set(c->pair.is_resized[side], hsd_census_ordinal(records[side]));
    }
    return HSD_OK;
}

/* Before it is folded: the new ones counted so far are those that were offered. */
static void offer_example(hsd_comparison *c, const uint64_t *const *records, const place *before, const place *after)
{
    if (after->state != LIVE || before->state == LIVE) return;
    const uint32_t type = hsd_census_type(records[AFTER]);
    hsd_examples_offer(&c->examples[type], c->by_type[type].new_.objects,
                       hsd_census_id(&c->pair.sides[AFTER], records[AFTER]));
}

/* One of the two is absent. */
static hsd_status take_undecided(hsd_comparison *c, int side, const uint64_t *record, const place *at, hsd_error *err)
{
    if (c->ladder.basis != HSD_BASIS_STRUCTURE || at->state != LIVE || hsd_census_rung(record) != HSD_RUNG_UNDECIDED)
        return HSD_OK;
    return hsd_undecided_take(&c->undecided, (unsigned)side, hsd_census_type(record), at->root, at->bytes, err);
}

static void fold_undecided(hsd_comparison *c)
{
    for (uint32_t i = 0; i < c->undecided.capacity; i++) {
        const hsd_undecided_kind *kind = &c->undecided.kinds[i];
        const hsd_amount amount = hsd_undecided_of(kind);
        if (amount.objects == 0) continue;
        hsd_amount *const sums[] = {&c->by_type[kind->type].undecided, &c->by_root[kind->root].undecided};
        for (size_t s = 0; s < sizeof sums / sizeof *sums; s++) {
            sums[s]->objects += amount.objects;
            sums[s]->bytes += amount.bytes;
        }
    }
    hsd_undecided_release(&c->undecided);
}

static hsd_status fold_one(hsd_comparison *c, const uint64_t *const *records, hsd_error *err)
{
    const int side = records[AFTER] != NULL ? AFTER : BEFORE;
    const uint64_t *any = records[side];
    const place before = place_of(c, BEFORE, records[BEFORE]);
    const place after = place_of(c, AFTER, records[AFTER]);
    offer_example(c, records, &before, &after);
    fold_type(&c->by_type[hsd_census_type(any)], &before, &after);
    fold_root(c->by_root, &before, &after);
    HSD_TRY(count_match(c, records, &before, &after, err));
    HSD_TRY(note_kept(c, records, &before, &after, err));
    if (records[BEFORE] == NULL || records[AFTER] == NULL)
        HSD_TRY(take_undecided(c, side, any, side == AFTER ? &after : &before, err));
    return tell_changed(c, side, any, &before, &after, err);
}

/* What the records of one address tell of its reuse. */
static hsd_status take_reuse(hsd_comparison *c, const uint64_t *const *records, bool *is_one, hsd_error *err)
{
    hsd_reuse_object objects[SIDE_COUNT];
    const hsd_reuse_object *found[SIDE_COUNT] = {NULL, NULL};
    uint64_t id = 0;
    *is_one = true;
    if (c->reuse == NULL) return HSD_OK;
    for (int side = 0; side < SIDE_COUNT; side++) {
        const uint64_t *record = records[side];
        if (record == NULL) continue;
        id = record[0];
        objects[side] = (hsd_reuse_object){hsd_census_bytes(record), hsd_census_type(record), hsd_census_mark(record)};
        found[side] = &objects[side];
    }
    if (found[BEFORE] != NULL && found[AFTER] != NULL) *is_one = hsd_reuse_is_alike(found[BEFORE], found[AFTER]);
    if (hsd_replaced_next(&c->replaced, c, records)) {
        *is_one = false;
        hsd_reuse_tell(c->reuse);
    }
    return hsd_reuse_take(c->reuse, id, found[BEFORE], found[AFTER], err);
}

static hsd_status fold_pair(hsd_comparison *c, const uint64_t *const *records, hsd_error *err)
{
    bool is_one;
    HSD_TRY(take_reuse(c, records, &is_one, err));
    if (is_one) return fold_one(c, records, err);
    const uint64_t *const freed[SIDE_COUNT] = {[BEFORE] = records[BEFORE]}, *const come[SIDE_COUNT] = {
                                                                                [AFTER] = records[AFTER]};
    HSD_TRY(fold_one(c, freed, err));
    return fold_one(c, come, err);
}

typedef struct merging {
    hsd_comparison *c;
    hsd_tandem *tandem;
} merging;

static const uint64_t *any_of(const uint64_t *const *records)
{
    return records[records[AFTER] != NULL ? AFTER : BEFORE];
}

static void take_turn(hsd_comparison *c, const uint64_t *const *records)
{
    const uint64_t id = *any_of(records);
    const bool is_before = records[BEFORE] != NULL, is_after = records[AFTER] != NULL;
    if (c->turn_lasts == NULL)
        hsd_turn_take(&c->turn, id, is_before, is_after);
    else
        hsd_turn_take_part(&c->turn, c->turn_lasts, id, is_before, is_after);
}

static hsd_status merge(void *context, hsd_error *err)
{
    const merging *m = context;
    hsd_comparison *c = m->c;
    hsd_tandem *tandem = m->tandem;
    const uint64_t total =
        hsd_max_u64(hsd_sorter_count(c->pair.sides[BEFORE].census), hsd_sorter_count(c->pair.sides[AFTER].census));
    const bool asks_turn =
        c->ladder.basis == HSD_BASIS_EXACT && hsd_turn_is_asked(c->pair.sides[BEFORE].info, c->pair.sides[AFTER].info);
    for (uint64_t done = 0;; done++) {
        const uint64_t *const *records;
        const hsd_status status = hsd_tandem_next(tandem, &records, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        HSD_TRY(fold_pair(c, records, err));
        if (asks_turn) take_turn(c, records);
        if ((done & 0x3fff) == 0) HSD_TRY(hsd_progress(c->pair.reporter, "comparing objects", done, total, err));
    }
}

/* The graph of after comes back for who holds the growth. */
static hsd_status load_graph(void *context, hsd_error *err)
{
    hsd_side_walk *after = context;
    HSD_TRY(hsd_adjacency_set_memory(after->adjacency, after->request->plan.adjacency_bytes, err));
    hsd_adjacency_load(after->adjacency);
    return hsd_adjacency_check(after->adjacency, err);
}

/* Merging is one thread's work. */
static hsd_status merge_and_load(hsd_comparison *c, hsd_tandem *tandem, hsd_error *err)
{
    hsd_pair *pair = &c->pair;
    hsd_side_walk *after = &pair->sides[AFTER];
    merging m = {c, tandem};
    const bool loads =
        pair->has_holders && pair->plan.is_side_by_side && after->request->keeper == NULL && c->parting == NULL;
    if (!loads) return merge(&m, err);
    return hsd_run_both((hsd_job){load_graph, after}, (hsd_job){merge, &m}, true, err);
}

static hsd_status estimate_reuse(hsd_comparison *c, hsd_error *err)
{
    HSD_TRY(hsd_reuse_estimate(c->reuse, &c->reused, err));
    c->match.reused = c->reused.seen;
    c->match.reuse_estimate = c->reused.unseen;
    hsd_reuse_free(c->reuse);
    c->reuse = NULL;
    return HSD_OK;
}

hsd_status hsd_compare_settle(hsd_comparison *c, hsd_error *err)
{
    if (c->reuse != NULL) HSD_TRY(estimate_reuse(c, err));
    fold_undecided(c);
    c->match.ambiguous += c->recognised.undecidable[BEFORE] + c->recognised.undecidable[AFTER];
    return HSD_OK;
}

/* For the cost model: each record is read and looked at with both sums that it goes into, and sets a bit. */
static void count_merge(const hsd_comparison *c)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        const hsd_side_walk *walk = &c->pair.sides[side];
        const uint64_t records = hsd_sorter_count(walk->census);
        hsd_work_did(HSD_COST_READ, records * hsd_census_words(walk) * sizeof(uint64_t));
        hsd_work_did(HSD_COST_NEAR, records * 4);
        if (c->pair.has_holders) hsd_work_at_random(records, walk->object_count / 8);
    }
}

/* Folding takes as long as both censuses take to come. */
static bool merges_ahead(const hsd_comparison *c)
{
    return c->pair.plan.is_side_by_side && c->pair.plan.memory_bytes >= AHEAD_LEAST;
}

hsd_status hsd_compare_merge(hsd_comparison *c, hsd_error *err)
{
    HSD_ASSERT(c->ladder.basis != HSD_BASIS_COUNTS && c->pair.sides[BEFORE].census != NULL &&
               c->pair.sides[AFTER].census != NULL);
    hsd_sorter *const streams[SIDE_COUNT] = {c->pair.sides[BEFORE].census, c->pair.sides[AFTER].census};
    hsd_tandem *tandem;
    for (int side = 0; side < SIDE_COUNT && c->pair.has_holders; side++)
        HSD_TRY(take_bits(&c->pair.sides[side], &c->pair.is_kept[side], err));
    if (c->ladder.basis == HSD_BASIS_ADDRESS) HSD_TRY(hsd_reuse_new(&c->reuse, err));
    HSD_TRY(c->parting != NULL ? c->parting->find_replaced(c->parting->context, c, err)
                               : hsd_replaced_find(&c->replaced, c, err));
    hsd_side_drop_graph(&c->pair.sides[BEFORE]);
    HSD_TRY(hsd_tandem_new(&tandem, streams, SIDE_COUNT, merges_ahead(c), err));
    hsd_stopwatch watch = hsd_stopwatch_start(&c->pair.space);
    const hsd_status status = merge_and_load(c, tandem, err);
    count_merge(c);
    hsd_stopwatch_note(&watch, c->pair.reporter, "both captures", "merging by identity");
    hsd_tandem_free(tandem);
    hsd_replaced_release(&c->replaced);
    return status != HSD_OK || c->parting != NULL ? status : hsd_compare_settle(c, err);
}

void hsd_compare_release(hsd_comparison *c)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        free(c->key_counts[side]);
        hsd_marks_release(&c->marks[side]);
    }
    hsd_pair_release(&c->pair);
    hsd_user_keys_release(&c->user_keys);
    hsd_reuse_free(c->reuse);
    hsd_replaced_release(&c->replaced);
    hsd_undecided_release(&c->undecided);
    free(c->by_type);
    free(c->examples);
    free(c->by_root);
}
