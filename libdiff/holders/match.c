/*
 * Credits of the two sides meet. Objects of before and after have nothing in common but their identity, so the
 * censuses are merged once more, and of all pairs of kept objects only those go on that were credited on either
 * side or have another size. Two joins by sorting follow:
 *
 *      pairs by ordinal before  ──┬── freed by ordinal before
 *                                 ▼
 *      pairs, freed by ordinal after ──── new by ordinal after      ──►  one holder each
 */
#include "holders/growth.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "sort/tandem.h"

#define ONE_IN 0x3fffu

enum { CREDIT_PLACES = 3 };

/* Words of a line, behind its ordinals after and before. */
enum {
    LINE_ID = HSD_TWO_WORDS,
    LINE_DIFFERENCE, /* in bytes */
    LINE_FREED,      /* objects, and the type */
    LINE_FREED_BYTES = LINE_FREED + HSD_TWO_WORDS,
    LINE_PLACE,
    LINE_POOL_PLACE,
    LINE_KIN,
    LINE_WORDS
};

typedef struct match {
    hsd_growth *growth;
    hsd_temp kept[SIDE_COUNT];
    hsd_sorter *pairs; /* HSD_GROWTH_PAIR_… */
    hsd_sorter *lines; /* LINE_… */
} match;

static hsd_status open_sorter(match *m, unsigned words, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config config = {.record_words = words,
                                      .key_words = HSD_TWO_WORDS,
                                      .space = &m->growth->pair->space,
                                      .memory_bytes = hsd_max_u64(m->growth->memory_bytes / 8, HSD_SORT_MIN_BYTES),
                                      .reporter = m->growth->pair->reporter};
    return hsd_sorter_new(out, &config, err);
}

/* ---- one bit an object: who was credited ---- */

static size_t bits_size(const match *m, int side) { return (size_t)m->growth->pair->sides[side].object_count / 8 + 1; }

/* The memory of is_kept serves meanwhile, and what was in it waits in a file. */
static hsd_status lend_bits(match *m, int side, hsd_error *err)
{
    uint8_t *bits = m->growth->pair->is_kept[side];
    hsd_sorter *credits = m->growth->credits[side];
    const uint64_t *credit;
    hsd_status status;
    HSD_TRY(hsd_temp_open(&m->kept[side], &m->growth->pair->space, err));
    HSD_TRY(hsd_temp_write(&m->kept[side], 0, bits, bits_size(m, side), err));
    memset(bits, 0, bits_size(m, side));
    while ((status = hsd_sorter_next(credits, &credit, err)) == HSD_OK)
        hsd_bit_set(bits, credit[0]);
    return status == HSD_END ? hsd_sorter_rewind(credits, err) : status;
}

static hsd_status give_back_bits(match *m, int side, hsd_error *err)
{
    HSD_TRY(hsd_temp_read(&m->kept[side], 0, m->growth->pair->is_kept[side], bits_size(m, side), err));
    hsd_temp_close(&m->kept[side]);
    return HSD_OK;
}

/* ---- the merge ---- */

typedef struct finding { /* pairs */
    const hsd_pair *pair;
    uint8_t *const *is_part;
    hsd_growth_pair_fn put;
    void *context;
} finding;

static bool is_credited(const finding *f, int side, hsd_node ordinal)
{
    return hsd_bit_get(f->pair->is_kept[side], ordinal);
}

/* What holds a part of a container has the bytes of that, on each side by itself. */
static uint64_t difference_of(const finding *f, const uint64_t *before, const uint64_t *after)
{
    const uint64_t x = hsd_census_bytes(before), y = hsd_census_bytes(after);
    if (x == y || f->is_part[BEFORE] == NULL) return y - x;
    return (hsd_bit_get(f->is_part[AFTER], hsd_census_ordinal(after)) ? 0 : y) -
           (hsd_bit_get(f->is_part[BEFORE], hsd_census_ordinal(before)) ? 0 : x);
}

static hsd_status take_pair(const finding *f, const uint64_t *before, const uint64_t *after, hsd_error *err)
{
    const hsd_side_walk *side = &f->pair->sides[AFTER];
    if (before == NULL || after == NULL || !hsd_census_is_live(before) || !hsd_census_is_live(after)) return HSD_OK;
    if (side->request->marks != NULL && hsd_marks_differ(hsd_census_mark(before), hsd_census_mark(after)))
        return HSD_OK; /* an address that was used again */
    const hsd_node x = hsd_census_ordinal(before), y = hsd_census_ordinal(after);
    const uint64_t difference = difference_of(f, before, after);
    if (difference == 0 && !is_credited(f, BEFORE, x) && !is_credited(f, AFTER, y)) return HSD_OK;
    const uint64_t pair[HSD_GROWTH_PAIR_WORDS] = {HSD_TWO(x, y), hsd_census_id(side, after), difference,
                                                  hsd_census_type(after)};
    return f->put(f->context, pair, err);
}

static hsd_status take_pairs(const finding *f, hsd_tandem *tandem, hsd_error *err)
{
    const uint64_t *const *records;
    const uint64_t total = hsd_sorter_count(f->pair->sides[AFTER].census);
    hsd_status status;
    for (uint64_t done = 0; (status = hsd_tandem_next(tandem, &records, err)) == HSD_OK; done++) {
        HSD_TRY(take_pair(f, records[BEFORE], records[AFTER], err));
        if ((done & ONE_IN) == 0) HSD_TRY(hsd_progress(f->pair->reporter, "matching holders", done, total, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_growth_pairs(const hsd_pair *pair, uint8_t *const is_part[SIDE_COUNT], hsd_growth_pair_fn put,
                            void *context, hsd_error *err)
{
    hsd_sorter *const streams[SIDE_COUNT] = {pair->sides[BEFORE].census, pair->sides[AFTER].census};
    const finding f = {.pair = pair, .is_part = is_part, .put = put, .context = context};
    hsd_tandem *tandem;
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(hsd_sorter_rewind(streams[side], err));
    HSD_TRY(hsd_tandem_new(&tandem, streams, SIDE_COUNT, false, err));
    const hsd_status status = take_pairs(&f, tandem, err);
    hsd_tandem_free(tandem);
    return status;
}

static hsd_status put_pair(void *sorter, const uint64_t *pair, hsd_error *err)
{
    return hsd_sorter_put(sorter, pair, err);
}

static hsd_status merge_again(match *m, hsd_error *err)
{
    const hsd_pair *pair = m->growth->pair;
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(lend_bits(m, side, err));
    HSD_TRY(open_sorter(m, HSD_GROWTH_PAIR_WORDS, &m->pairs, err));
    HSD_TRY(pair->parts != NULL ? pair->parts->find_pairs(pair->parts->context, m->growth->is_part, m->pairs, err)
                                : hsd_growth_pairs(pair, m->growth->is_part, put_pair, m->pairs, err));
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(give_back_bits(m, side, err));
    return hsd_sorter_finish(m->pairs, 0, err);
}

/* ---- joins ---- */

typedef struct credits { /* a stream of credits beside which another one is walked */
    hsd_sorter *sorter;
    const uint64_t *next; /* NULL at the end */
} credits;

static hsd_status advance_holder_match(credits *c, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(c->sorter, &c->next, err);
    if (status == HSD_END) c->next = NULL;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status open_credits(credits *c, hsd_sorter *sorter, hsd_error *err)
{
    c->sorter = sorter;
    return advance_holder_match(c, err);
}

/* What the object with this ordinal is credited with, and its places, if there is something; ordinals ascend from call
 * to call. */
static hsd_status credit_of(credits *c, uint64_t ordinal, hsd_credit *out, uint64_t places[CREDIT_PLACES],
                            hsd_error *err)
{
    *out = (hsd_credit){.parts_bytes = 0};
    while (c->next != NULL && c->next[0] < ordinal)
        HSD_TRY(advance_holder_match(c, err));
    if (c->next == NULL || c->next[0] != ordinal) return HSD_OK;
    *out = (hsd_credit){{c->next[1], c->next[2]}, c->next[6]};
    places[0] = c->next[3];
    places[1] = c->next[4];
    places[2] = c->next[5];
    return HSD_OK;
}

static hsd_status join_freed(match *m, hsd_error *err)
{
    credits freed;
    const uint64_t *pair;
    hsd_status status;
    HSD_TRY(open_credits(&freed, m->growth->credits[BEFORE], err));
    HSD_TRY(open_sorter(m, LINE_WORDS, &m->lines, err));
    while ((status = hsd_sorter_next(m->pairs, &pair, err)) == HSD_OK) {
        hsd_credit credit;
        uint64_t places[CREDIT_PLACES] = {0, 0, 0};
        HSD_TRY(credit_of(&freed, hsd_words_first(pair), &credit, places, err));
        const uint64_t line[LINE_WORDS] = {HSD_TWO(hsd_words_second(pair), hsd_words_first(pair)),
                                           pair[HSD_GROWTH_PAIR_ID],
                                           pair[HSD_GROWTH_PAIR_DIFFERENCE] - credit.parts_bytes,
                                           HSD_TWO((hsd_node)credit.amount.objects, pair[HSD_GROWTH_PAIR_TYPE]),
                                           credit.amount.bytes,
                                           places[0],
                                           places[1],
                                           places[2]};
        HSD_TRY(hsd_sorter_put(m->lines, line, err));
    }
    if (status != HSD_END) return status;
    hsd_sorter_free(m->pairs);
    m->pairs = NULL;
    return hsd_sorter_finish(m->lines, 0, err);
}

/* Where it stands on each side, if that is not the same place: so the mirror image of a diff has the same crowds. */
static hsd_status count_in_places(hsd_growth *growth, const hsd_choice *choice, hsd_error *err)
{
    const uint64_t bytes = hsd_choice_change(choice);
    for (int side = 0; side < SIDE_COUNT && bytes != 0; side++) {
        const uint64_t place[2] = {0, choice->place[side]}, kin[2] = {1, choice->kin[side]};
        if (place[1] != 0 && !(side == AFTER && place[1] == choice->place[BEFORE]))
            HSD_TRY(hsd_tally_add(growth->crowds, place, 1, bytes, err));
        if (kin[1] != 0 && !(side == AFTER && kin[1] == choice->kin[BEFORE]))
            HSD_TRY(hsd_tally_add(growth->crowds, kin, 1, bytes, err));
    }
    return HSD_OK;
}

/* One that went from one thread to another is of none. */
static uint64_t pool_place_of(bool is_before, uint64_t before, bool is_after, uint64_t after)
{
    if (is_before && is_after) return before == after ? after : 0;
    return is_after ? after : before;
}

static hsd_status join_new(match *m, hsd_error *err)
{
    credits new_;
    const uint64_t *line;
    hsd_status status;
    HSD_TRY(open_credits(&new_, m->growth->credits[AFTER], err));
    while ((status = hsd_sorter_next(m->lines, &line, err)) == HSD_OK) {
        hsd_choice choice = {
            .by = HSD_HELD_BY_OBJECT,
            .type = (uint32_t)hsd_words_second(line + LINE_FREED),
            .id = line[LINE_ID],
            .resized_bytes = line[LINE_DIFFERENCE],
            .node = {[BEFORE] = hsd_words_second(line), [AFTER] = hsd_words_first(line)},
            .freed = {hsd_words_first(line + LINE_FREED), line[LINE_FREED_BYTES]},
        };
        hsd_credit credit;
        uint64_t places[CREDIT_PLACES] = {0, 0, 0};
        HSD_TRY(credit_of(&new_, hsd_words_first(line), &credit, places, err));
        choice.new_ = credit.amount;
        choice.resized_bytes += credit.parts_bytes;
        choice.place[BEFORE] = line[LINE_PLACE];
        choice.place[AFTER] = places[0];
        choice.kin[BEFORE] = line[LINE_KIN];
        choice.kin[AFTER] = places[2];
        choice.pool_place = pool_place_of(line[LINE_PLACE] != 0, line[LINE_POOL_PLACE], places[0] != 0, places[1]);
        HSD_TRY(count_in_places(m->growth, &choice, err));
        hsd_growth_offer(m->growth, &choice);
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status run_holder_match(match *m, hsd_error *err)
{
    HSD_TRY(merge_again(m, err));
    HSD_TRY(join_freed(m, err));
    return join_new(m, err);
}

hsd_status hsd_growth_match(hsd_growth *growth, hsd_error *err)
{
    HSD_ASSERT(growth->has_identity && growth->pair->is_kept[BEFORE] != NULL && growth->pair->is_kept[AFTER] != NULL);
    match m = {.growth = growth};
    const hsd_status status = run_holder_match(&m, err);
    hsd_sorter_free(m.pairs);
    hsd_sorter_free(m.lines);
    for (int side = 0; side < SIDE_COUNT; side++)
        hsd_temp_close(&m.kept[side]);
    return status;
}
