/*
 * What each rank folded comes to rank 0. Everything adds (walk/fold.h), bits are united, and of the new objects of a
 * type the lowest ids of all are among the lowest of each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "ranks/ranked.h"

/* Tables of sums are words and nothing else. */
#define WORDS_OF(type, count) ((uint64_t)(count) * (sizeof(type) / sizeof(uint64_t)))
_Static_assert(sizeof(hsd_fold_change) % sizeof(uint64_t) == 0 && sizeof(hsd_root_change) % sizeof(uint64_t) == 0 &&
                   sizeof(hsd_match) % sizeof(uint64_t) == 0 && sizeof(hsd_turn) % sizeof(uint64_t) == 0,
               "sums are words");

/* ---- examples ---- */

typedef struct lowest {
    hsd_examples *examples;
    uint32_t *offered; /* of each type; NULL where nothing comes */
} lowest;

static hsd_status take_example(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    const lowest *l = context;
    (void)from;
    (void)err;
    hsd_examples_offer(&l->examples[record[0]], l->offered[record[0]], record[1]);
    l->offered[record[0]] += l->offered[record[0]] < HSD_EXAMPLES;
    return HSD_OK;
}

static hsd_status send_examples(hsd_scatter *scatter, const hsd_comparison *c, hsd_error *err)
{
    for (uint32_t type = 0; type < c->pair.types.names.count; type++) {
        for (uint32_t i = 0; i < hsd_examples_count(c->by_type[type].new_.objects); i++) {
            const uint64_t record[2] = {type, c->examples[type].ids[i]};
            HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
        }
    }
    return HSD_OK;
}

static hsd_status meet_examples(hsd_ranked *r, hsd_error *err)
{
    hsd_comparison *c = r->c;
    const size_t types = (size_t)c->pair.types.names.count + 1;
    lowest l = {0};
    hsd_scatter scatter;
    hsd_status status = hsd_scatter_open(&scatter, &r->together, 2, take_example, &l, err);
    if (status == HSD_OK && hsd_ranked_is(r, 0)) {
        l = (lowest){calloc(types, sizeof *l.examples), calloc(types, sizeof *l.offered)};
        if (l.examples == NULL || l.offered == NULL) status = hsd_fail_nomem(err, "the tables of the diff");
    }
    if (status == HSD_OK) status = send_examples(&scatter, c, err);
    status = hsd_scatter_finish(&scatter, status, err);
    free(l.offered);
    if (status == HSD_OK && l.examples != NULL) {
        free(c->examples);
        c->examples = l.examples;
    } else {
        free(l.examples);
    }
    return status;
}

/* ---- bits ---- */

/* True in all ranks if it is in one. */
static hsd_status any(hsd_ranked *r, bool is_here, bool *is_there, hsd_error *err)
{
    const hsd_ranks *ranks = hsd_ranked_ranks(r);
    *is_there = false;
    for (unsigned i = 0; i < ranks->count; i++)
        r->together.out[i] = is_here;
    HSD_TRY(ranks->all_to_all(ranks->context, r->together.out, r->together.in, 1, err));
    for (unsigned i = 0; i < ranks->count; i++)
        *is_there = *is_there || r->together.in[i] != 0;
    return HSD_OK;
}

static hsd_status meet_resized(hsd_ranked *r, int side, uint64_t bytes, hsd_error *err)
{
    uint8_t **bits = &r->c->pair.is_resized[side];
    bool is_there;
    HSD_TRY(any(r, *bits != NULL, &is_there, err));
    if (!is_there) return HSD_OK;
    if (*bits == NULL) *bits = calloc(bytes, 1);
    const hsd_status status = *bits == NULL ? hsd_fail_nomem(err, "one bit an object") : HSD_OK;
    HSD_TRY(hsd_together_agree(&r->together, status, err));
    HSD_TRY(hsd_together_unite(&r->together, *bits, bytes, err));
    if (hsd_ranked_is(r, 0)) return HSD_OK;
    free(*bits); /* rank 0 alone asks for them */
    *bits = NULL;
    return HSD_OK;
}

static hsd_status meet_bits(hsd_ranked *r, hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        const uint64_t bytes = (uint64_t)r->c->pair.sides[side].object_count / 8 + 1;
        HSD_TRY(hsd_together_unite(&r->together, r->c->pair.is_kept[side], bytes, err));
        HSD_TRY(meet_resized(r, side, bytes, err));
    }
    return HSD_OK;
}

/* ---- what is undecided ---- */

static hsd_status take_kind(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    const hsd_undecided_kind kind = {.type = (uint32_t)(record[0] >> 32),
                                     .root = (uint32_t)record[0],
                                     .bytes = record[1],
                                     .objects = {record[2], record[3]}};
    (void)from;
    return hsd_undecided_add(context, &kind, err);
}

static hsd_status send_kinds(hsd_scatter *scatter, const hsd_undecided_table *table, hsd_error *err)
{
    for (uint32_t i = 0; i < table->capacity; i++) {
        const hsd_undecided_kind *kind = &table->kinds[i];
        if ((kind->objects[0] | kind->objects[1]) == 0) continue;
        const uint64_t record[4] = {(uint64_t)kind->type << 32 | kind->root, kind->bytes, kind->objects[0],
                                    kind->objects[1]};
        HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
    }
    return HSD_OK;
}

/* Too many kinds in one part are too many in all. Rank 0 has all of them in a table that is new. */
static hsd_status meet_undecided(hsd_ranked *r, hsd_error *err)
{
    hsd_undecided_table all = {0}, *own = &r->c->undecided;
    hsd_scatter scatter;
    bool is_full;
    HSD_TRY(any(r, own->is_full, &is_full, err));
    hsd_status status = hsd_scatter_open(&scatter, &r->together, 4, take_kind, &all, err);
    if (status == HSD_OK && !is_full) status = send_kinds(&scatter, own, err);
    status = hsd_scatter_finish(&scatter, status, err);
    if (is_full) hsd_undecided_give_up(&all);
    hsd_undecided_release(own);
    *own = all;
    return status;
}

/* ---- addresses that were used again ---- */

#define KIND_WORDS ((unsigned)(sizeof(hsd_reuse_kind) / sizeof(uint64_t)))

typedef struct reuse_kinds {
    hsd_reuse_kind *list;
    uint32_t count, capacity;
} reuse_kinds;

static hsd_status take_reuse_kind(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    reuse_kinds *kinds = context;
    (void)from;
    HSD_TRY(HSD_ARRAY_GROW(kinds->list, kinds->capacity, kinds->count + 1, 256, "the kinds of objects", err));
    memcpy(&kinds->list[kinds->count++], record, sizeof *kinds->list);
    return HSD_OK;
}

static hsd_status send_reuse_kinds(hsd_scatter *scatter, const hsd_reuse *reuse, hsd_error *err)
{
    for (uint32_t i = 0; i < hsd_reuse_kind_count(reuse); i++) {
        const hsd_reuse_kind kind = hsd_reuse_kind_get(reuse, i);
        uint64_t record[KIND_WORDS];
        memcpy(record, &kind, sizeof kind);
        HSD_TRY(hsd_scatter_put(scatter, 0, record, err));
    }
    return HSD_OK;
}

static hsd_status meet_reuse(hsd_ranked *r, hsd_error *err)
{
    hsd_reuse *reuse = r->c->reuse;
    hsd_reuse_table tables[HSD_REUSE_TABLES];
    reuse_kinds kinds = {0};
    hsd_scatter scatter;
    HSD_TRY(hsd_together_agree(&r->together, hsd_reuse_settle(reuse, err), err));
    hsd_reuse_tables(reuse, tables);
    for (unsigned i = 0; i < HSD_REUSE_TABLES; i++)
        HSD_TRY(hsd_together_add_up(&r->together, tables[i].words, tables[i].count, err));
    hsd_status status = hsd_scatter_open(&scatter, &r->together, KIND_WORDS, take_reuse_kind, &kinds, err);
    if (status == HSD_OK) status = send_reuse_kinds(&scatter, reuse, err);
    status = hsd_scatter_finish(&scatter, status, err);
    if (status == HSD_OK) {
        status = hsd_ranked_is(r, 0) ? hsd_reuse_join_kinds(reuse, kinds.list, kinds.count, err) : HSD_OK;
        status = hsd_together_agree(&r->together, status, err);
    }
    free(kinds.list);
    return status;
}

/* ---- the whole ---- */

static hsd_status meet_sums(hsd_ranked *r, hsd_error *err)
{
    hsd_comparison *c = r->c;
    hsd_together *t = &r->together;
    HSD_TRY(hsd_together_add_up(t, (uint64_t *)(void *)c->by_type, WORDS_OF(hsd_fold_change, c->pair.types.names.count),
                                err));
    HSD_TRY(hsd_together_add_up(t, (uint64_t *)(void *)c->by_root, WORDS_OF(hsd_root_change, c->pair.roots.count),
                                err));
    HSD_TRY(hsd_together_add_up(t, (uint64_t *)(void *)&c->match, WORDS_OF(hsd_match, 1), err));
    return c->turn_lasts == NULL ? HSD_OK
                                 : hsd_together_add_up(t, (uint64_t *)(void *)&c->turn, WORDS_OF(hsd_turn, 1), err);
}

hsd_status hsd_ranked_meet(hsd_ranked *r, hsd_error *err)
{
    HSD_TRY(hsd_together_agree(&r->together, HSD_OK, err));
    if (r->c->ladder.basis == HSD_BASIS_COUNTS) return HSD_OK;
    HSD_TRY(meet_examples(r, err));
    HSD_TRY(meet_sums(r, err));
    HSD_TRY(meet_undecided(r, err));
    if (r->c->reuse != NULL) HSD_TRY(meet_reuse(r, err));
    if (r->c->pair.has_holders) HSD_TRY(meet_bits(r, err));
    const hsd_status status = hsd_ranked_is(r, 0) ? hsd_compare_settle(r->c, err) : HSD_OK;
    return hsd_together_agree(&r->together, status, err);
}
