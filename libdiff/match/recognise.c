/*
 * The rungs in their order, and what is resident in each: where pairs are made at random (seeds) partners have the
 * memory, where neighbours are looked at elements have it. A rung is a row of `steps`, at the end.
 */
#include "match/recognise.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include "match/confirm.h"
#include "match/islands.h"
#include "match/kin.h"
#include "match/moved.h"
#include "match/seeds/seeds.h"
#include "match/seeds/wholes.h"
#include "match/strand.h"
#include "match/sweep.h"
#include "match/undecided.h"

enum { OLDER, NEWER, SIDES };

typedef struct recognising {
    hsd_sequence *sequences[SIDES]; /* whoever is before */
    const hsd_recognise_config *config;
    hsd_recognised *out;
    bool is_swapped;     /* OLDER is after */
    bool has_moved;      /* pairs by address were taken back */
    bool has_hashes;     /* both have objects that are known by their hashes */
    hsd_islands islands; /* held out while order is asked */
    hsd_sweep_pairs swept;
} recognising;

typedef struct shares { /* of the memory, in sixteenths, of each side */
    unsigned elements, partners, rungs, addresses, owners;
} shares;

typedef enum when { ALWAYS, WITH_HASHES, WITHOUT_HASHES } when;

typedef struct step { /* of the recognition */
    hsd_rung rung;    /* of the pairs that it makes; NONE = it takes some back, or looks at what is left */
    /* it works on these of both sides, and they are used up: where in hsd_sequence; 0 = on what objects look like */
    size_t records;
    const shares *memory;
    when asked;
    hsd_status (*run)(recognising *r, hsd_rung rung, hsd_error *err);
} step;

/* ---- memory ---- */

static hsd_status open_pairs(const recognising *r, hsd_sequence *s, hsd_error *err)
{
    const uint64_t partner_bytes = (uint64_t)s->count * HSD_NODE_BYTES;
    HSD_TRY(hsd_paged_open(&s->partners, partner_bytes, hsd_paged_least_bytes(partner_bytes), r->config->space, err));
    HSD_TRY(hsd_paged_open(&s->rungs, s->count, hsd_paged_least_bytes(s->count), r->config->space, err));
    s->is_shared = calloc((size_t)s->count / 8 + 1, 1);
    return s->is_shared == NULL ? hsd_fail_nomem(err, "one bit an object") : HSD_OK;
}

/* Gives an array its part of `memory_bytes`, or what it can use. */
static hsd_status give_recognised(hsd_paged *array, uint64_t bytes, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t full = hsd_paged_full_bytes(bytes);
    HSD_TRY(hsd_paged_shrink(array, hsd_min_u64(full, memory_bytes), err));
    HSD_TRY(hsd_paged_grow(array, hsd_min_u64(full, memory_bytes), err));
    hsd_paged_load(array);
    return HSD_OK;
}

static const shares none = {0, 0, 0, 0, 0};

/* What arrays may have: three eighths are for sorters. */
static uint64_t for_arrays(const recognising *r) { return r->config->memory_bytes / 8 * 5; }

/* What nearly every step looks at: elements, partners and rungs of both sides. */
static uint64_t core_bytes(const recognising *r)
{
    uint64_t bytes = 0;
    for (int i = 0; i < SIDES; i++) {
        const uint64_t count = r->sequences[i]->count;
        bytes += hsd_paged_full_bytes(count * sizeof(hsd_element)) + hsd_paged_full_bytes(count * HSD_NODE_BYTES) +
                 hsd_paged_full_bytes(count);
    }
    return bytes;
}

/* Addresses and owners of both sides. */
static uint64_t outer_bytes(const recognising *r)
{
    uint64_t bytes = 0;
    for (int i = 0; i < SIDES; i++) {
        const uint64_t count = r->sequences[i]->count;
        bytes += hsd_paged_full_bytes(count * 8) + hsd_paged_full_bytes(count * HSD_NODE_BYTES);
    }
    return bytes;
}

typedef struct amounts { /* of memory, of each side */
    uint64_t elements, partners, rungs, addresses, owners;
} amounts;

/* Where the core fits it never leaves the memory between the steps, and of what it leaves one of the others has a part:
 * both are gone through in order, and owners lie near. Where these fit too nothing leaves it. */
static amounts amounts_of(const recognising *r, const shares *share)
{
    const uint64_t part = r->config->memory_bytes / 32, core = core_bytes(r);
    if (share == &none || core > for_arrays(r))
        return (amounts){part * share->elements, part * share->partners, part * share->rungs, part * share->addresses,
                         part * share->owners};
    const uint64_t left = for_arrays(r) - core,
                   outer = left >= outer_bytes(r) ? UINT64_MAX : hsd_min_u64(left / SIDES, part);
    const bool has_all = outer == UINT64_MAX;
    return (amounts){UINT64_MAX, UINT64_MAX, UINT64_MAX, has_all || share->addresses > 0 ? outer : 0,
                     has_all || share->owners > 0 ? outer : 0};
}

typedef struct dividing { /* the memory of one side */
    hsd_sequence *sequence;
    amounts each;
} dividing;

static hsd_status divide_side(void *context, hsd_error *err)
{
    const dividing *d = context;
    hsd_sequence *const s = d->sequence;
    HSD_TRY(give_recognised(&s->addresses, (uint64_t)s->count * 8, d->each.addresses, err));
    HSD_TRY(give_recognised(&s->elements, (uint64_t)s->count * sizeof(hsd_element), d->each.elements, err));
    HSD_TRY(give_recognised(&s->partners, (uint64_t)s->count * HSD_NODE_BYTES, d->each.partners, err));
    HSD_TRY(give_recognised(&s->rungs, s->count, d->each.rungs, err));
    if (s->owners.page_count == 0) return HSD_OK;
    return give_recognised(&s->owners, (uint64_t)s->count * HSD_NODE_BYTES, d->each.owners, err);
}

/* Both sides at once: the most of it is reading and writing. */
static hsd_status divide_recognised(const recognising *r, const shares *share, hsd_error *err)
{
    dividing older = {r->sequences[OLDER], amounts_of(r, share)}, newer = {r->sequences[NEWER], older.each};
    return hsd_run_both((hsd_job){divide_side, &older}, (hsd_job){divide_side, &newer}, r->config->at_once, err);
}

static const shares for_stayed = {6, 5, 1, 0, 0};
static const shares for_addresses = {5, 4, 1, 2, 0};
static const shares for_seeds = {2, 7, 2, 0, 0};
static const shares for_wholes = {0, 7, 2, 0, 0};
static const shares for_sweep = {9, 5, 1, 0, 0};
static const shares for_kin = {4, 4, 1, 0, 3};
static const shares for_sums = {2, 2, 0, 0, 0};

/* ---- seeds ---- */

static hsd_seeds_config seeds_config(const recognising *r)
{
    return (hsd_seeds_config){
        .memory_bytes = hsd_max_u64(r->config->memory_bytes / 8, 8 * HSD_SORT_MIN_BYTES),
        .space = r->config->space,
        .reporter = r->config->reporter,
    };
}

static hsd_sorter **records_of(hsd_sequence *s, size_t records)
{
    return (hsd_sorter **)(void *)((uint8_t *)s + records);
}

/* The only ones on both sides with a hash. */
static hsd_status seed_unique(recognising *r, hsd_rung rung, size_t records, bool mark_shared, hsd_error *err)
{
    const hsd_seeds_config config = seeds_config(r);
    hsd_sequence *older = r->sequences[OLDER], *newer = r->sequences[NEWER];
    return hsd_seeds_unique(older, newer, *records_of(older, records), *records_of(newer, records), rung, mark_shared,
                            &config, &r->out->pairs[rung], err);
}

static hsd_status seed_keys(recognising *r, hsd_rung rung, hsd_error *err)
{
    return seed_unique(r, rung, offsetof(hsd_sequence, keys), false, err);
}

static hsd_status seed_hashes(recognising *r, hsd_rung rung, hsd_error *err)
{
    r->has_hashes = true;
    return seed_unique(r, rung, offsetof(hsd_sequence, hashes), false, err);
}

static hsd_status seed_names(recognising *r, hsd_rung rung, hsd_error *err)
{
    return seed_unique(r, rung, offsetof(hsd_sequence, names), false, err);
}

/* The sorters of both sides take what elements leave. */
static hsd_seeds_config wholes_config(const recognising *r)
{
    hsd_seeds_config config = seeds_config(r);
    config.memory_bytes = hsd_max_u64(r->config->memory_bytes / 8 * 3, 16 * HSD_SORT_MIN_BYTES);
    return config;
}

static hsd_status seed_wholes(recognising *r, hsd_rung rung, hsd_error *err)
{
    const hsd_seeds_config config = wholes_config(r);
    return hsd_seeds_wholes(r->sequences[OLDER], r->sequences[NEWER], r->config->at_once, &config, &r->out->pairs[rung],
                            err);
}

static hsd_status seed_addresses(recognising *r, hsd_rung rung, hsd_error *err)
{
    const hsd_seeds_config config = seeds_config(r);
    return hsd_seeds_addresses(r->sequences[OLDER], r->sequences[NEWER], r->config->at_once, &config,
                               &r->out->pairs[rung], err);
}

static hsd_status seed_places(recognising *r, hsd_rung rung, hsd_error *err)
{
    const hsd_seeds_config config = seeds_config(r);
    uint64_t pairs = 0;
    HSD_TRY(hsd_seeds_places(r->sequences[OLDER], r->sequences[NEWER], &config, &pairs, err));
    r->out->pairs[rung] += pairs;
    return HSD_OK;
}

/* ---- what is taken back ---- */

static hsd_status follow_moved(recognising *r, hsd_rung none_of, hsd_error *err)
{
    uint64_t dropped;
    (void)none_of;
    HSD_TRY(hsd_moved(r->sequences[OLDER], r->sequences[NEWER], r->config->reporter, &dropped, err));
    r->out->pairs[HSD_RUNG_SAME_ADDRESS] -= dropped;
    hsd_note(r->config->reporter, HSD_NOTE_DETAIL, "recognising: %llu pairs by address had moved",
             (unsigned long long)dropped);
    r->has_moved = dropped > 0;
    return HSD_OK;
}

static hsd_status find_islands(recognising *r, hsd_rung none_of, hsd_error *err)
{
    (void)none_of;
    return hsd_islands_find(&r->islands, r->sequences[OLDER], r->sequences[NEWER], r->config->reporter, err);
}

/* Of those that had moved nobody asked whether their wholes are on the other side. Wholes are of no more use. */
static hsd_status share_moved(recognising *r, hsd_rung none_of, hsd_error *err)
{
    const hsd_seeds_config config = wholes_config(r);
    (void)none_of;
    if (r->has_moved)
        HSD_TRY(hsd_seeds_share_again(r->sequences[OLDER], r->sequences[NEWER], r->config->at_once, &config, err));
    for (int i = 0; i < SIDES; i++)
        hsd_wholes_close(&r->sequences[i]->wholes);
    return HSD_OK;
}

static hsd_status confirm(recognising *r, hsd_rung none_of, hsd_error *err)
{
    uint64_t dropped;
    (void)none_of;
    HSD_TRY(hsd_confirm(r->sequences[OLDER], r->sequences[NEWER], r->config->reporter, &dropped, err));
    r->out->pairs[HSD_RUNG_STRUCTURE] -= dropped;
    hsd_note(r->config->reporter, HSD_NOTE_DETAIL, "recognising: %llu pairs stood alone", (unsigned long long)dropped);
    return HSD_OK;
}

/* ---- neighbours and owners ---- */

static void hold_islands(recognising *r)
{
    const uint32_t held = hsd_islands_hold(&r->islands, r->sequences[OLDER], r->sequences[NEWER]);
    hsd_note(r->config->reporter, HSD_NOTE_DETAIL, "recognising: %u stayed where all around them moved",
             (unsigned)held);
}

/* But for those that order took for others: these lay among their like. */
static void return_islands(recognising *r)
{
    uint64_t lost[HSD_RUNG_COUNT] = {0};
    hsd_islands_return(&r->islands, r->sequences[OLDER], r->sequences[NEWER], lost);
    for (int rung = HSD_RUNG_NONE + 1; rung < HSD_RUNG_COUNT; rung++)
        r->out->pairs[rung] -= lost[rung];
}

/* Some of those that are alike are twins. */
static hsd_status sweep_alike(recognising *r, hsd_rung rung, hsd_error *err)
{
    hold_islands(r);
    HSD_TRY(hsd_sweep_alike(r->sequences[OLDER], r->sequences[NEWER], r->config->reporter, &r->swept, err));
    return_islands(r);
    r->out->pairs[rung] = r->swept.order;
    return HSD_OK;
}

/* Ends with doubt: some of those by order become twins. */
static hsd_status sweep_types(recognising *r, hsd_rung rung, hsd_error *err)
{
    HSD_TRY(hsd_sweep_types(r->sequences[OLDER], r->sequences[NEWER], r->config->reporter, &r->swept, err));
    r->out->pairs[rung] = r->swept.changed;
    r->out->pairs[HSD_RUNG_ORDER] = r->swept.order;
    r->out->pairs[HSD_RUNG_TWINS] = r->swept.twins;
    return HSD_OK;
}

static hsd_status follow_owners(recognising *r, hsd_rung rung, hsd_error *err)
{
    const hsd_seeds_config config = seeds_config(r);
    uint64_t pairs;
    HSD_TRY(hsd_kin(r->sequences[OLDER], r->sequences[NEWER], r->config->at_once, &config, &pairs, err));
    r->out->pairs[rung] += pairs;
    hsd_note(r->config->reporter, HSD_NOTE_DETAIL, "recognising: %llu pairs by their owners",
             (unsigned long long)pairs);
    return HSD_OK;
}

/* ---- what is left ---- */

/* Those without a partner, by what they look like. */
static hsd_status gather_left(const recognising *r, hsd_sequence *s, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config config = {.record_words = 2,
                                      .key_words = 2,
                                      .space = r->config->space,
                                      .memory_bytes = hsd_max_u64(r->config->memory_bytes / 4, HSD_SORT_MIN_BYTES),
                                      .reporter = r->config->reporter};
    HSD_TRY(hsd_sorter_new(out, &config, err));
    for (hsd_node at = hsd_next_unpaired(s, 0); at < s->count; at = hsd_next_unpaired(s, at + 1)) {
        const hsd_element *e = hsd_sequence_at(s, at);
        const uint64_t record[2] = {hsd_element_key(e), (uint64_t)e->shape << 32 | e->type};
        HSD_TRY(hsd_sorter_put(*out, record, err));
    }
    return hsd_sorter_finish(*out, hsd_max_u64(r->config->memory_bytes / 16, HSD_SORT_MIN_BYTES), err);
}

typedef struct run { /* equal records at the head of a sorted stream */
    uint64_t record[2];
    uint64_t count; /* 0 = the stream is at its end */
} run;

typedef struct runs {
    hsd_sorter *sorter;
    const uint64_t *next;
} runs;

static hsd_status advance_recognised(runs *in, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(in->sorter, &in->next, err);
    if (status == HSD_END) in->next = NULL;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status next_run(runs *in, run *out, hsd_error *err)
{
    out->count = 0;
    if (in->next == NULL) return HSD_OK;
    memcpy(out->record, in->next, sizeof out->record);
    while (in->next != NULL && memcmp(in->next, out->record, sizeof out->record) == 0) {
        out->count++;
        HSD_TRY(advance_recognised(in, err));
    }
    return HSD_OK;
}

static int compare_runs(const run *a, const run *b)
{
    for (int i = 0; i < 2; i++) {
        if (a->record[i] != b->record[i]) return a->record[i] < b->record[i] ? -1 : 1;
    }
    return 0;
}

static hsd_status count_equals(hsd_sorter *const left[SIDES], uint64_t undecidable[SIDES], hsd_error *err)
{
    runs in[SIDES] = {{left[OLDER], NULL}, {left[NEWER], NULL}};
    run now[SIDES];
    for (int i = 0; i < SIDES; i++) {
        HSD_TRY(advance_recognised(&in[i], err));
        HSD_TRY(next_run(&in[i], &now[i], err));
    }
    while (now[OLDER].count > 0 && now[NEWER].count > 0) {
        const int order = compare_runs(&now[OLDER], &now[NEWER]);
        for (int i = 0; i < SIDES && order == 0; i++)
            undecidable[i] += now[i].count;
        if (order <= 0) HSD_TRY(next_run(&in[OLDER], &now[OLDER], err));
        if (order >= 0) HSD_TRY(next_run(&in[NEWER], &now[NEWER], err));
    }
    return HSD_OK;
}

static hsd_status count_undecidable(recognising *r, hsd_rung none_of, hsd_error *err)
{
    hsd_sorter *left[SIDES] = {NULL, NULL};
    uint64_t undecidable[SIDES] = {0, 0};
    (void)none_of;
    hsd_status status = gather_left(r, r->sequences[OLDER], &left[OLDER], err);
    if (status == HSD_OK) status = gather_left(r, r->sequences[NEWER], &left[NEWER], err);
    if (status == HSD_OK) status = count_equals(left, undecidable, err);
    for (int i = 0; i < SIDES; i++) {
        r->out->undecidable[r->is_swapped ? 1 - i : i] = undecidable[i];
        hsd_sorter_free(left[i]);
    }
    return status;
}

static hsd_status mark_undecided(recognising *r, hsd_rung none_of, hsd_error *err)
{
    (void)none_of;
    return hsd_undecided(r->sequences[OLDER], r->sequences[NEWER], r->config->reporter, err);
}

/* ---- the whole ---- */

/* Where hashes tell which owner is which, owners know more than order, and addresses, which are taken for ids, nothing.
 */
static const step steps[] = {
    {HSD_RUNG_KEY, offsetof(hsd_sequence, keys), &for_seeds, ALWAYS, seed_keys},
    {HSD_RUNG_EXACT, offsetof(hsd_sequence, hashes), &for_seeds, ALWAYS, seed_hashes},
    {HSD_RUNG_NAME, offsetof(hsd_sequence, names), &for_seeds, ALWAYS, seed_names},
    {HSD_RUNG_SAME_ADDRESS, 0, &for_stayed, WITHOUT_HASHES, seed_addresses}, /* asks how many stayed */
    {HSD_RUNG_STRUCTURE, 0, &for_wholes, ALWAYS, seed_wholes},
    {HSD_RUNG_NONE, 0, &for_addresses, ALWAYS, follow_moved},
    {HSD_RUNG_NONE, 0, &for_addresses, WITHOUT_HASHES, find_islands},
    {HSD_RUNG_NONE, 0, &for_wholes, ALWAYS, share_moved},
    {HSD_RUNG_NONE, 0, &for_seeds, ALWAYS, confirm},
    {HSD_RUNG_PLACE, 0, &for_kin, WITH_HASHES, follow_owners},
    {HSD_RUNG_ORDER, 0, &for_sweep, ALWAYS, sweep_alike},
    {HSD_RUNG_PLACE, 0, &for_kin, ALWAYS, follow_owners},
    {HSD_RUNG_CHANGED, 0, &for_sweep, ALWAYS, sweep_types},
    {HSD_RUNG_PLACE, offsetof(hsd_sequence, places), &for_seeds, ALWAYS, seed_places},
    {HSD_RUNG_NONE, 0, &for_sweep, ALWAYS, mark_undecided},
    {HSD_RUNG_NONE, 0, &for_sums, ALWAYS, count_undecidable},
};

static bool has_records(recognising *r, size_t records)
{
    return *records_of(r->sequences[OLDER], records) != NULL && *records_of(r->sequences[NEWER], records) != NULL;
}

static void drop_records(recognising *r, size_t records)
{
    for (int i = 0; i < SIDES; i++) {
        hsd_sorter **sorter = records_of(r->sequences[i], records);
        hsd_sorter_free(*sorter);
        *sorter = NULL;
    }
}

static hsd_status run_rungs(recognising *r, hsd_error *err)
{
    hsd_status status = HSD_OK;
    for (int i = 0; i < SIDES; i++)
        HSD_TRY(open_pairs(r, r->sequences[i], err));
    for (size_t i = 0; i < HSD_ARRAY_LEN(steps) && status == HSD_OK; i++) {
        const step *at = &steps[i];
        if (at->asked != ALWAYS && (at->asked == WITH_HASHES) != r->has_hashes) continue;
        status = divide_recognised(r, at->memory, err);
        if (status == HSD_OK && (at->records == 0 || has_records(r, at->records))) status = at->run(r, at->rung, err);
        if (at->records != 0) drop_records(r, at->records);
    }
    return status;
}

static hsd_status leave_recognised(const recognising *r, hsd_error *err)
{
    HSD_TRY(divide_recognised(r, &none, err));
    for (int i = 0; i < SIDES; i++) {
        hsd_sequence *s = r->sequences[i];
        HSD_TRY(hsd_sequence_check(s, err));
        hsd_paged_close(&s->elements);
        hsd_paged_close(&s->addresses);
        if (s->owners.page_count > 0) hsd_paged_close(&s->owners);
        free(s->is_shared);
        s->is_shared = NULL;
    }
    return HSD_OK;
}

hsd_status hsd_recognise(hsd_sequence *before, hsd_sequence *after, const hsd_recognise_config *config,
                         hsd_recognised *out, hsd_error *err)
{
    recognising r = {.config = config, .out = out, .is_swapped = config->is_reversed};
    memset(out, 0, sizeof *out);
    r.sequences[config->is_reversed ? NEWER : OLDER] = before;
    r.sequences[config->is_reversed ? OLDER : NEWER] = after;
    const hsd_status status = run_rungs(&r, err);
    hsd_islands_free(&r.islands); /* of a failure */
    return status == HSD_OK ? leave_recognised(&r, err) : status;
}
