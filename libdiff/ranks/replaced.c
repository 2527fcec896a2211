/*
 * Objects at one address that are two (diff/replaced.h), where the pairs lie in parts. Each rank has the first suspects
 * of its part; rank 0 has the first of all, in the order of the merge. Who walked a side looks around them there, rank
 * 0 judges, and each rank knows of its own.
 *
 *      suspects ──► rank 0: the first of each sort ──► all
 *      rank 1: company before ──► rank 0: company after ──► judged ──► all
 */
#include "diff/replaced.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "ranks/ranked.h"

enum { ID, WHY, NODES, SUSPECT_WORDS = NODES + HSD_TWO_WORDS };

#define MOST_GATHERED (UINT32_C(1) << 18) /* more than are chosen */

typedef struct suspects { /* of all ranks, at rank 0 in the order of the merge; from there everywhere */
    hsd_replaced all;
    uint32_t *from; /* rank of each */
    uint32_t from_capacity;
    bool has_many;
} suspects;

/* ---- gathering ---- */

static hsd_status send_suspects(hsd_scatter *scatter, const hsd_replaced *own, hsd_error *err)
{
    for (uint32_t i = 0; i < own->count; i++) {
        const hsd_suspect *s = &own->suspects[i];
        const uint64_t record[SUSPECT_WORDS] = {s->id, (uint64_t)s->type << 8 | (unsigned)s->why,
                                                HSD_TWO(s->nodes[BEFORE], s->nodes[AFTER])};
        HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
    }
    return HSD_OK;
}

static hsd_status add(suspects *s, const hsd_suspect *suspect, uint32_t from, hsd_error *err)
{
    hsd_replaced *all = &s->all;
    HSD_TRY(HSD_ARRAY_GROW(all->suspects, all->capacity, all->count + 1, 256, "objects at one address", err));
    HSD_TRY(HSD_ARRAY_GROW(s->from, s->from_capacity, all->count + 1, 256, "objects at one address", err));
    s->from[all->count] = from;
    all->suspects[all->count++] = *suspect;
    return HSD_OK;
}

typedef struct placed { /* for sorting */
    hsd_suspect suspect;
    uint32_t from, at;
} placed;

/* Those of one identity are of one rank, and came in their order. */
static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->suspect.id != y->suspect.id) return x->suspect.id < y->suspect.id ? -1 : 1;
    if (x->suspect.type != y->suspect.type) return x->suspect.type < y->suspect.type ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static hsd_status sort_suspects(suspects *s, hsd_error *err)
{
    const uint32_t count = s->all.count;
    placed *list = malloc(((size_t)count + 1) * sizeof *list);
    if (list == NULL) return hsd_fail_nomem(err, "objects at one address");
    for (uint32_t i = 0; i < count; i++)
        list[i] = (placed){s->all.suspects[i], s->from[i], i};
    if (count > 0) qsort(list, count, sizeof *list, compare_placed);
    for (uint32_t i = 0; i < count; i++) {
        s->all.suspects[i] = list[i].suspect;
        s->from[i] = list[i].from;
    }
    free(list);
    return HSD_OK;
}

/* The first of each sort; of those that stayed all, or none. */
static void choose_suspects(suspects *s)
{
    uint32_t counts[HSD_SUSPICIONS] = {0}, left = 0;
    for (uint32_t i = 0; i < s->all.count; i++)
        counts[s->all.suspects[i].why]++;
    s->has_many |= counts[HSD_SUSPECT_STAYED] > HSD_REPLACED_SUSPECTS;
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < s->all.count; i++) {
        const hsd_suspicion why = s->all.suspects[i].why;
        if (counts[why] == HSD_REPLACED_SUSPECTS || (why == HSD_SUSPECT_STAYED && s->has_many)) continue;
        counts[why]++;
        s->from[left] = s->from[i];
        s->all.suspects[left++] = s->all.suspects[i];
    }
    s->all.count = left;
}

static hsd_status take_suspect(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    const hsd_suspect suspect = {.id = record[ID],
                                 .type = (uint32_t)(record[WHY] >> 8),
                                 .why = (hsd_suspicion)(record[WHY] & 0xff),
                                 .nodes = {hsd_words_first(record + NODES), hsd_words_second(record + NODES)}};
    suspects *s = context;
    if (s->all.count == MOST_GATHERED) { /* those that are not the first now are not the first of all either */
        HSD_TRY(sort_suspects(s, err));
        choose_suspects(s);
    }
    return add(s, &suspect, from, err);
}

static hsd_status any_many(hsd_ranked *r, bool *has_many, hsd_error *err)
{
    const hsd_ranks *ranks = hsd_ranked_ranks(r);
    for (unsigned i = 0; i < ranks->count; i++)
        r->together.out[i] = *has_many;
    HSD_TRY(ranks->all_to_all(ranks->context, r->together.out, r->together.in, 1, err));
    for (unsigned i = 0; i < ranks->count; i++)
        *has_many |= r->together.in[i] != 0;
    return HSD_OK;
}

static hsd_status gather_all(hsd_ranked *r, suspects *s, hsd_error *err)
{
    hsd_replaced *own = &r->c->replaced;
    hsd_scatter scatter;
    HSD_TRY(hsd_together_agree(&r->together, hsd_replaced_gather(own, r->c, err), err));
    s->has_many = own->has_many;
    HSD_TRY(any_many(r, &s->has_many, err));
    hsd_status status = hsd_scatter_open(&scatter, &r->together, SUSPECT_WORDS, take_suspect, s, err);
    if (status == HSD_OK) status = send_suspects(&scatter, own, err);
    HSD_TRY(hsd_scatter_finish(&scatter, status, err));
    status = hsd_ranked_is(r, 0) ? sort_suspects(s, err) : HSD_OK;
    HSD_TRY(hsd_together_agree(&r->together, status, err));
    if (hsd_ranked_is(r, 0)) choose_suspects(s);
    return HSD_OK;
}

/* ---- the same in all ranks ---- */

/* What `from` has of each. */
static hsd_status tell_suspects(hsd_ranked *r, unsigned from, hsd_replaced *of, hsd_error *err)
{
    return hsd_together_tell_bytes(&r->together, from, of->suspects, of->count * sizeof *of->suspects, err);
}

static hsd_status make_room_for_suspects(suspects *s, uint64_t count, hsd_error *err)
{
    hsd_replaced *all = &s->all;
    HSD_TRY(HSD_ARRAY_GROW(all->suspects, all->capacity, count, 256, "objects at one address", err));
    HSD_TRY(HSD_ARRAY_GROW(s->from, s->from_capacity, count, 256, "objects at one address", err));
    all->count = (uint32_t)count;
    return HSD_OK;
}

static hsd_status share_suspects(hsd_ranked *r, suspects *s, hsd_error *err)
{
    uint64_t numbers[2] = {s->all.count, s->has_many};
    HSD_TRY(hsd_together_tell_bytes(&r->together, 0, numbers, sizeof numbers, err));
    s->has_many = numbers[1] != 0;
    HSD_TRY(hsd_together_agree(&r->together, make_room_for_suspects(s, numbers[0], err), err));
    HSD_TRY(tell_suspects(r, 0, &s->all, err));
    return hsd_together_tell_bytes(&r->together, 0, s->from, s->all.count * sizeof *s->from, err);
}

/* ---- looking ---- */

static hsd_status take_company(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    (void)from;
    return hsd_sorter_put(context, record, err);
}

static hsd_status send_company(hsd_scatter *scatter, hsd_sorter *company, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    HSD_TRY(hsd_side_serve(company, 0, err));
    while ((status = hsd_sorter_next(company, &record, err)) == HSD_OK)
        HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status look_own(hsd_ranked *r, suspects *s, hsd_sorter *company, hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT; side++)
        if (hsd_ranked_is(r, hsd_ranked_walker(side))) return hsd_replaced_look(&s->all, r->c, side, company, err);
    return HSD_OK;
}

/* What rank 1 saw before joins what rank 0 saw after. */
static void join_looks(suspects *s, const hsd_suspect *before)
{
    for (uint32_t i = 0; i < s->all.count; i++) {
        hsd_suspect *suspect = &s->all.suspects[i];
        memcpy(suspect->counts[BEFORE], before[i].counts[BEFORE], sizeof suspect->counts[BEFORE]);
        suspect->has_own[BEFORE] = before[i].has_own[BEFORE];
        suspect->is_one |= before[i].is_one;
    }
}

static hsd_status bring_looks(hsd_ranked *r, suspects *s, hsd_error *err)
{
    const size_t bytes = s->all.count * sizeof *s->all.suspects;
    hsd_replaced told = {.suspects = malloc(bytes + 1), .count = s->all.count};
    hsd_status status = told.suspects == NULL ? hsd_fail_nomem(err, "objects at one address") : HSD_OK;
    status = hsd_together_agree(&r->together, status, err);
    if (status == HSD_OK) {
        memcpy(told.suspects, s->all.suspects, bytes);
        status = tell_suspects(r, hsd_ranked_walker(BEFORE), &told, err);
    }
    if (status == HSD_OK && hsd_ranked_is(r, 0)) join_looks(s, told.suspects);
    free(told.suspects);
    return status;
}

static hsd_status look_and_judge(hsd_ranked *r, suspects *s, hsd_sorter *company, hsd_error *err)
{
    hsd_scatter scatter;
    const bool sends = hsd_ranked_is(r, hsd_ranked_walker(BEFORE));
    HSD_TRY(hsd_together_agree(&r->together, look_own(r, s, company, err), err));
    HSD_TRY(bring_looks(r, s, err));
    hsd_status status =
        hsd_scatter_open(&scatter, &r->together, HSD_REPLACED_COMPANY_WORDS, take_company, company, err);
    if (status == HSD_OK && sends) status = send_company(&scatter, company, err);
    HSD_TRY(hsd_scatter_finish(&scatter, status, err));
    status = hsd_ranked_is(r, 0) ? hsd_replaced_judge(&s->all, company, err) : HSD_OK;
    HSD_TRY(hsd_together_agree(&r->together, status, err));
    return tell_suspects(r, 0, &s->all, err);
}

static hsd_status look_at_all(hsd_ranked *r, suspects *s, hsd_error *err)
{
    const hsd_side_walk *side = &r->c->pair.sides[AFTER];
    hsd_sorter *company = NULL;
    hsd_status status = hsd_side_sorter(side, HSD_REPLACED_COMPANY_WORDS, HSD_REPLACED_COMPANY_WORDS,
                                        HSD_SORT_MIN_BYTES, &company, err);
    status = hsd_together_agree(&r->together, status, err);
    if (status == HSD_OK) status = look_and_judge(r, s, company, err);
    hsd_sorter_free(company);
    return status;
}

/* ---- the whole ---- */

/* Its own suspects are those of all that came from here, in the same order, and so many of each sort. */
static void keep_own(hsd_ranked *r, const suspects *s)
{
    hsd_replaced *own = &r->c->replaced;
    own->count = 0;
    own->has_many = s->has_many;
    memset(own->most, 0, sizeof own->most);
    for (uint32_t i = 0; i < s->all.count; i++) {
        if (s->from[i] != hsd_ranked_ranks(r)->rank) continue;
        own->most[s->all.suspects[i].why]++;
        own->suspects[own->count++] = s->all.suspects[i];
    }
}

hsd_status hsd_ranked_find_replaced(hsd_ranked *r, hsd_error *err)
{
    suspects s = {0};
    hsd_status status = gather_all(r, &s, err);
    if (status == HSD_OK) status = share_suspects(r, &s, err);
    if (status == HSD_OK && s.all.count > 0) status = look_at_all(r, &s, err);
    if (status == HSD_OK) keep_own(r, &s);
    hsd_replaced_release(&s.all);
    free(s.from);
    return status;
}
