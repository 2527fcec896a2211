/*
 * Masks climb where groups do not fit in memory. Bits do not depend on each other once the mark of the first round has
 * climbed, so they climb in *windows*: as many bits of all groups at a time as memory holds. Nothing else is read at
 * random.
 *
 *      mark      one bit a group climbs, where some roots are secondary
 *      join      where more than one window is to be expected, groups that tell each other become one
 *                (by/joined.h), so that there are fewer groups, and fewer windows
 *      sow       what a place leaves is sorted by top, and goes to the groups in order
 *      windows   bits of the masks into a column, up until nothing changes, and back; groups in order. Bits that no mask
 *                has take no room there
 *
 * With four bytes a group two windows do. Where there are more, bits of each go to a tape in one pass over the groups,
 * from there into the column and back, and in one more pass into the masks.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/tape.h"
#include "holders/by/joined.h"
#include "holders/by/waiting.h"

#define PROGRESS_STEPS 0xffffu
#define BIT_SHIFT      8u /* of a seed: top << 8 | number of the bit, in a word (HSD_BY_NUMBER_BITS) */
#define SCATTERED      UINT32_MAX
#define MOST_WINDOWS   8u /* of 8 bits each */
#define MOST_EXCHANGES 2u
#define COLUMN_CHUNK   (UINT32_C(16) << 10)

_Static_assert(HSD_BY_NUMBER_BITS + BIT_SHIFT <= 64, "a seed must fit");

typedef struct column_climb {
    hsd_by_search *s;
    hsd_by_told *told;
    hsd_by_joined joined;
    hsd_by_waiting list;
    hsd_pages pages; /* bits of the window, `width` bytes a slot */
    uint32_t width, shift;
    uint64_t used;                              /* bits that any mask has */
    uint64_t bits;                              /* of the window */
    uint64_t out_of_closed;                     /* as in the column */
    uint8_t place_of_bit[64], bit_of_place[64]; /* in the column, where bits of the window do not lie side by side */
    hsd_sorter *seeds;
} column_climb;

static inline uint64_t get_slot(const column_climb *c, hsd_node slot)
{
    switch (c->width) {
    case 1: return ((const uint8_t *)c->pages.data)[slot];
    case 2: return ((const uint16_t *)c->pages.data)[slot];
    case 4: return ((const uint32_t *)c->pages.data)[slot];
    default: return ((const uint64_t *)c->pages.data)[slot];
    }
}

static inline void put_slot(column_climb *c, hsd_node slot, uint64_t bits)
{
    switch (c->width) {
    case 1: ((uint8_t *)c->pages.data)[slot] = (uint8_t)bits; break;
    case 2: ((uint16_t *)c->pages.data)[slot] = (uint16_t)bits; break;
    case 4: ((uint32_t *)c->pages.data)[slot] = (uint32_t)bits; break;
    default: ((uint64_t *)c->pages.data)[slot] = bits; break;
    }
}

static void take_target(column_climb *c, hsd_node word, uint64_t bits, bool is_primary)
{
    const hsd_node top = HSD_BY_GROUP(word);
    const hsd_node slot = hsd_by_joined_slot(&c->joined, top);
    const uint64_t here = get_slot(c, slot);
    if ((here | bits) == here) return;
    if ((word & HSD_BY_FOR_MARK_ALONE) || hsd_bit_get(c->s->closed, top)) return;
    if (!is_primary && hsd_by_has_mark(c->s, top)) return;
    put_slot(c, slot, here | bits);
    hsd_by_waiting_add(&c->list, top);
}

static void take_targets(column_climb *c, hsd_node group)
{
    const bool is_closed = hsd_bit_get(c->s->closed, group), is_primary = hsd_by_has_mark(c->s, group);
    const uint64_t bits =
        get_slot(c, hsd_by_joined_slot(&c->joined, group)) & (is_closed ? c->out_of_closed : ~UINT64_C(0));
    if (bits == 0 || !hsd_by_told_find(c->told, group)) return;
    do {
        for (uint32_t i = 0; i < c->told->count; i++)
            take_target(c, c->told->words[i], bits, is_primary);
    } while (hsd_by_told_next(c->told));
}

/* The mark goes into and out of everything, and tells itself. */
static void mark_targets(column_climb *c, hsd_node group)
{
    if (!hsd_by_told_find(c->told, group)) return;
    do {
        for (uint32_t i = 0; i < c->told->count; i++) {
            const hsd_node top = HSD_BY_GROUP(c->told->words[i]);
            if (hsd_bit_get(c->s->primary, top)) continue;
            hsd_bit_set(c->s->primary, top);
            hsd_by_waiting_add(&c->list, top);
        }
    } while (hsd_by_told_next(c->told));
}

static hsd_status climb_column(column_climb *c, void (*tell)(column_climb *c, hsd_node group), hsd_error *err)
{
    hsd_by_search *s = c->s;
    uint64_t steps = 0;
    for (size_t at = 0;;) {
        size_t group = hsd_by_waiting_next(&c->list, at);
        if (group == SIZE_MAX && at > 0) group = hsd_by_waiting_next(&c->list, 0);
        if (group == SIZE_MAX) break;
        hsd_by_waiting_remove(&c->list, group);
        tell(c, (hsd_node)group);
        if ((++steps & PROGRESS_STEPS) == 0) {
            HSD_TRY(hsd_progress(s->growth->pair->reporter, "finding what holds it together", group, s->group_count,
                                 err));
        }
        at = group + 1;
    }
    return hsd_by_told_check(c->told, err);
}

static hsd_status climb_mark(column_climb *c, hsd_error *err)
{
    hsd_by_search *s = c->s;
    for (hsd_node i = 1; i <= s->group_count; i++)
        if (hsd_bit_get(s->primary, i)) hsd_by_waiting_add(&c->list, i);
    return climb_column(c, mark_targets, err);
}

/* ---- sowing ---- */

static hsd_status put_seed(column_climb *c, hsd_by_sower *from, hsd_node place, hsd_node top, hsd_error *err)
{
    const uint8_t look = hsd_by_look(c->s, top);
    if (hsd_bit_get(c->s->closed, top)) return HSD_OK;
    hsd_by_find_sower(c->s, place, look & HSD_BY_LOOK_FORK, from);
    if ((look & HSD_BY_LOOK_PRIMARY) && !from->is_primary) return HSD_OK;
    const uint64_t record = (uint64_t)top << BIT_SHIFT | (uint32_t)__builtin_ctzll(from->bit);
    return hsd_sorter_put(c->seeds, &record, err);
}

static hsd_status put_seeds(column_climb *c, hsd_error *err)
{
    hsd_by_search *s = c->s;
    const uint64_t *seed;
    hsd_two last = hsd_two_of(HSD_NODE_MAX, HSD_NODE_MAX);
    hsd_by_sower from = {.number = 0};
    hsd_status status;
    while ((status = hsd_sorter_next(s->seeds, &seed, err)) == HSD_OK) {
        const hsd_node place = hsd_words_first(seed), top = hsd_words_second(seed);
        if (hsd_two_of(place, top) != last) HSD_TRY(put_seed(c, &from, place, top, err));
        last = hsd_two_of(place, top);
    }
    if (status != HSD_END) return status;
    HSD_TRY(hsd_paged_check(&s->places, err));
    hsd_by_close_forks(s);
    return hsd_by_settle_marks(s, err);
}

static void sow_direct(hsd_by_search *s, hsd_node top, uint8_t flags, uint64_t bits)
{
    if ((flags & HSD_BY_IS_PSEUDO) == 0) hsd_by_top_write(s, top)->direct |= bits;
}

static void sow_bits(hsd_by_search *s, hsd_node top, uint64_t bits)
{
    hsd_by_group *group = hsd_by_group_write(s, top);
    group->mask |= bits;
    sow_direct(s, top, group->flags, bits);
}

static hsd_status sow_by_top(column_climb *c, hsd_error *err)
{
    hsd_by_search *s = c->s;
    const uint64_t *seed;
    hsd_status status = hsd_sorter_finish(c->seeds, 0, err);
    while (status == HSD_OK && (status = hsd_sorter_next(c->seeds, &seed, err)) == HSD_OK) {
        const uint64_t bit = UINT64_C(1) << (*seed & ((1u << BIT_SHIFT) - 1));
        sow_bits(s, (hsd_node)(*seed >> BIT_SHIFT), bit);
        c->used |= bit;
    }
    hsd_sorter_free(c->seeds);
    c->seeds = NULL;
    return status == HSD_END ? hsd_by_groups_check(s, err) : status;
}

/* ---- windows ---- */

/* Bits of the mask that are of the window, side by side. */
static inline uint64_t to_window(const column_climb *c, uint64_t mask)
{
    if (c->shift != SCATTERED) return (mask & c->bits) >> c->shift;
    uint64_t out = 0, left = mask & c->bits;
    for (; left != 0; left &= left - 1)
        out |= UINT64_C(1) << c->place_of_bit[__builtin_ctzll(left)];
    return out;
}

static inline uint64_t from_window(const column_climb *c, uint64_t column)
{
    if (c->shift != SCATTERED) return column << c->shift;
    uint64_t out = 0;
    for (; column != 0; column &= column - 1)
        out |= UINT64_C(1) << c->bit_of_place[__builtin_ctzll(column)];
    return out;
}

/* Groups that are one have the bits of all of them, and one of them waits. */
static void begin_joined(column_climb *c, const uint64_t *bits)
{
    if (c->joined.bits == NULL) return;
    for (uint32_t set = 0; set < HSD_BY_SETS; set++) {
        put_slot(c, set, bits[set]);
        if (bits[set] != 0) hsd_by_waiting_add(&c->list, c->joined.first[set]);
    }
}

/* What climbed goes back, and the bits of the next window come, in one pass over the groups. */
static hsd_status exchange_windows(column_climb *c, const column_climb *last, bool has_next, hsd_error *err)
{
    hsd_by_search *s = c->s;
    uint64_t of_joined[HSD_BY_SETS] = {0};
    for (hsd_node i = 1; i <= s->group_count; i++) {
        const hsd_by_group *group = hsd_by_group_at(s, i);
        const bool is_joined = hsd_by_is_joined(&c->joined, i);
        const hsd_node slot = is_joined ? group->fork : hsd_by_joined_slot(&c->joined, i);
        const uint64_t back = last != NULL ? from_window(last, get_slot(c, slot)) : 0;
        uint64_t mask = group->mask;
        if ((mask & back) != back) hsd_by_group_write(s, i)->mask = mask |= back;
        if (!has_next) continue;
        const uint64_t bits = to_window(c, mask);
        if (is_joined) {
            of_joined[slot] |= bits;
            continue;
        }
        put_slot(c, slot, bits);
        if (bits != 0) hsd_by_waiting_add(&c->list, i);
    }
    if (has_next) begin_joined(c, of_joined);
    return hsd_by_groups_check(s, err);
}

/* As many of the bits that are left as a column holds. */
static void choose_window(column_climb *c, uint64_t left)
{
    const uint32_t room = c->width * 8;
    c->bits = 0;
    c->shift = SCATTERED;
    for (uint32_t i = 0; i < room && left != 0; i++, left &= left - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(left);
        c->bits |= UINT64_C(1) << bit;
        c->place_of_bit[bit] = (uint8_t)i;
        c->bit_of_place[i] = (uint8_t)bit;
    }
    const uint32_t first = (uint32_t)__builtin_ctzll(c->bits);
    if (room == 64 || (c->bits >> first) >> room == 0) c->shift = room == 64 ? 0 : first;
    c->out_of_closed = to_window(c, HSD_BY_SELF);
}

/* What is left beside bits of groups: what is closed, what waits, the mark of the first round, which are of a set, and
 * while seeds are read forks; or, at another time, what comes to a set and from it. */
static uint64_t memory_for_columns(const column_climb *c)
{
    const hsd_by_search *s = c->s;
    const uint64_t eighths = 2u + (s->primary != NULL ? 1u : 0u) + (c->joined.bits != NULL ? 2u : 0u);
    const uint64_t used = (uint64_t)s->group_count / 8 * eighths;
    return s->memory_bytes > used ? s->memory_bytes - used : 0;
}

/* Three quarters of that, but one byte a slot whatever it takes. */
static uint32_t width_for(const column_climb *c)
{
    const uint64_t slots = hsd_by_joined_slots(&c->joined, c->s->group_count);
    uint32_t width = 8;
    while (width > 1 && slots * width > memory_for_columns(c) / 4 * 3)
        width /= 2;
    return width;
}

static hsd_status open_column(column_climb *c, hsd_error *err)
{
    const uint64_t slots = hsd_by_joined_slots(&c->joined, c->s->group_count);
    c->width = width_for(c);
    return hsd_pages_take(&c->pages, (size_t)(slots * c->width)) ? HSD_OK : hsd_fail_nomem(err, "what holds together");
}

static void note_windows(const column_climb *c, uint32_t windows)
{
    hsd_note(c->s->growth->pair->reporter, HSD_NOTE_DETAIL,
             "what holds together: %" HSD_PRI_NODE
             " groups do not fit in memory, %u bytes of each of %llu do: %u windows",
             c->s->group_count, c->width, (unsigned long long)hsd_by_joined_slots(&c->joined, c->s->group_count) - 1,
             windows);
}

/* Where one window has all bits, seeds and masks go into it at once; masks are written when they come back. */
static hsd_status sow_into_window(column_climb *c, hsd_error *err)
{
    hsd_by_search *s = c->s;
    uint64_t of_joined[HSD_BY_SETS] = {0};
    const uint64_t *seed;
    HSD_TRY(hsd_sorter_finish(c->seeds, 0, err));
    hsd_status have = hsd_sorter_next(c->seeds, &seed, err);
    for (hsd_node i = 1; i <= s->group_count; i++) {
        uint64_t bits = 0;
        for (; have == HSD_OK && *seed >> BIT_SHIFT == i; have = hsd_sorter_next(c->seeds, &seed, err))
            bits |= UINT64_C(1) << (*seed & ((1u << BIT_SHIFT) - 1));
        if (have != HSD_OK && have != HSD_END) return have;
        const hsd_by_group *group = hsd_by_group_at(s, i);
        if (bits != 0) sow_direct(s, i, group->flags, bits);
        bits = to_window(c, group->mask | bits);
        if (hsd_by_is_joined(&c->joined, i)) {
            of_joined[group->fork] |= bits;
            continue;
        }
        put_slot(c, hsd_by_joined_slot(&c->joined, i), bits);
        if (bits != 0) hsd_by_waiting_add(&c->list, i);
    }
    begin_joined(c, of_joined);
    return hsd_by_groups_check(s, err);
}

static hsd_status sow_and_climb(column_climb *c, hsd_error *err)
{
    HSD_TRY(open_column(c, err));
    choose_window(c, ~HSD_BY_PRIMARY);
    HSD_TRY(sow_into_window(c, err));
    HSD_TRY(climb_column(c, take_targets, err));
    note_windows(c, 1);
    return exchange_windows(c, c, false, err);
}

static hsd_status exchange_and_climb(column_climb *c, uint64_t left, hsd_error *err)
{
    uint32_t windows = 0;
    column_climb last;
    for (; left != 0; left &= ~c->bits, windows++) {
        choose_window(c, left);
        HSD_TRY(exchange_windows(c, windows > 0 ? &last : NULL, true, err));
        HSD_TRY(climb_column(c, take_targets, err));
        last = *c;
    }
    return windows > 0 ? exchange_windows(c, &last, false, err) : HSD_OK;
}

/* ---- many windows: a tape for each ---- */

typedef struct window_tape {
    uint64_t left;                   /* bits of this window and those behind it */
    uint64_t of_joined[HSD_BY_SETS]; /* of groups that are one */
    hsd_tape tape;                   /* bits of each other group in the column, as numbers of variable length */
} window_tape;

typedef struct window_tapes {
    column_climb *c;
    hsd_reel reel;
    window_tape windows[MOST_WINDOWS];
    uint32_t count;
} window_tapes;

static void put_column(hsd_tape *tape, uint64_t bits)
{
    tape->at = hsd_varint_put(hsd_tape_room(tape, HSD_VARINT_MOST), bits);
}

static uint64_t get_column(hsd_tape_reader *reader)
{
    uint64_t bits = 0;
    if (hsd_tape_has_more(reader)) reader->at = hsd_varint_get(reader->at, &bits);
    return bits;
}

/* Bits of the masks into each window. */
static hsd_status split_masks(window_tapes *t, hsd_error *err)
{
    hsd_by_search *s = t->c->s;
    column_climb of[MOST_WINDOWS];
    for (uint32_t w = 0; w < t->count; w++) {
        of[w].width = t->c->width;
        choose_window(&of[w], t->windows[w].left);
    }
    for (hsd_node i = 1; i <= s->group_count; i++) {
        const hsd_by_group *group = hsd_by_group_at(s, i);
        const bool is_joined = hsd_by_is_joined(&t->c->joined, i);
        for (uint32_t w = 0; w < t->count; w++) {
            const uint64_t bits = to_window(&of[w], group->mask);
            if (is_joined)
                t->windows[w].of_joined[group->fork] |= bits;
            else
                put_column(&t->windows[w].tape, bits);
        }
    }
    for (uint32_t w = 0; w < t->count; w++)
        hsd_tape_finish(&t->windows[w].tape);
    HSD_TRY(hsd_reel_check(&t->reel, err));
    return hsd_by_groups_check(s, err);
}

static hsd_status climb_window(window_tapes *t, uint32_t w, hsd_error *err)
{
    column_climb *c = t->c;
    hsd_tape *tape = &t->windows[w].tape, out;
    hsd_tape_reader reader;
    hsd_tape_read(&reader, tape, HSD_TAPE_FORWARD, true);
    choose_window(c, t->windows[w].left);
    for (hsd_node i = 1; i <= c->s->group_count; i++) {
        if (hsd_by_is_joined(&c->joined, i)) continue;
        const uint64_t bits = get_column(&reader);
        put_slot(c, hsd_by_joined_slot(&c->joined, i), bits);
        if (bits != 0) hsd_by_waiting_add(&c->list, i);
    }
    begin_joined(c, t->windows[w].of_joined);
    hsd_tape_close(&reader);
    hsd_tape_release(tape);
    HSD_TRY(climb_column(c, take_targets, err));
    hsd_tape_init(&out, &t->reel);
    for (hsd_node i = 1; i <= c->s->group_count; i++)
        if (!hsd_by_is_joined(&c->joined, i)) put_column(&out, get_slot(c, hsd_by_joined_slot(&c->joined, i)));
    for (uint32_t set = 0; set < HSD_BY_SETS && c->joined.bits != NULL; set++)
        t->windows[w].of_joined[set] = get_slot(c, set);
    hsd_tape_finish(&out);
    *tape = out;
    return hsd_reel_check(&t->reel, err);
}

static hsd_status join_masks(window_tapes *t, hsd_error *err)
{
    hsd_by_search *s = t->c->s;
    column_climb of[MOST_WINDOWS];
    hsd_tape_reader readers[MOST_WINDOWS];
    for (uint32_t w = 0; w < t->count; w++) {
        of[w].width = t->c->width;
        choose_window(&of[w], t->windows[w].left);
        hsd_tape_read(&readers[w], &t->windows[w].tape, HSD_TAPE_FORWARD, true);
    }
    for (hsd_node i = 1; i <= s->group_count; i++) {
        const hsd_by_group group = *hsd_by_group_at(s, i);
        const bool is_joined = hsd_by_is_joined(&t->c->joined, i);
        uint64_t back = 0;
        for (uint32_t w = 0; w < t->count; w++)
            back |= from_window(&of[w], is_joined ? t->windows[w].of_joined[group.fork] : get_column(&readers[w]));
        if ((group.mask & back) != back) hsd_by_group_write(s, i)->mask |= back;
    }
    for (uint32_t w = 0; w < t->count; w++)
        hsd_tape_close(&readers[w]);
    HSD_TRY(hsd_reel_check(&t->reel, err));
    return hsd_by_groups_check(s, err);
}

static hsd_status climb_tapes(window_tapes *t, hsd_error *err)
{
    HSD_TRY(split_masks(t, err));
    for (uint32_t w = 0; w < t->count; w++)
        HSD_TRY(climb_window(t, w, err));
    return join_masks(t, err);
}

static hsd_status climb_windows(column_climb *c, hsd_error *err)
{
    window_tapes t = {.c = c};
    HSD_TRY(sow_by_top(c, err));
    HSD_TRY(open_column(c, err));
    hsd_reel_init(&t.reel, false, COLUMN_CHUNK, &c->s->growth->pair->space);
    for (uint64_t left = c->used & ~HSD_BY_PRIMARY; left != 0; left &= ~c->bits) {
        choose_window(c, left);
        hsd_tape_init(&t.windows[t.count].tape, &t.reel);
        t.windows[t.count++].left = left;
    }
    hsd_status status = HSD_OK;
    if (t.count > MOST_EXCHANGES)
        status = climb_tapes(&t, err);
    else if (t.count > 0)
        status = exchange_and_climb(c, t.windows[0].left, err);
    for (uint32_t w = 0; w < t.count; w++)
        hsd_tape_release(&t.windows[w].tape);
    hsd_reel_release(&t.reel);
    if (status == HSD_OK) note_windows(c, t.count);
    return status;
}

/* All bits of all slots, and the sorter of what is sown. */
static bool fits_beside_seeds(const column_climb *c)
{
    return hsd_by_joined_slots(&c->joined, c->s->group_count) * sizeof(uint64_t) <= memory_for_columns(c) / 2;
}

/* There is a bit for each candidate of the fork that has most, and two for the rest. */
static uint32_t windows_expected(const column_climb *c)
{
    uint32_t bits = 0;
    for (uint32_t fork = 0; fork < c->s->fork_count; fork++)
        bits = (uint32_t)hsd_max_u64(bits, c->s->candidates[fork].count);
    return (bits + 2 - 1) / (width_for(c) * 8) + 1;
}

hsd_status hsd_by_spread_by_columns(hsd_by_search *s, hsd_error *err)
{
    column_climb c = {.s = s, .told = s->told, .used = s->has_self ? HSD_BY_SELF : 0};
    hsd_status status = hsd_by_waiting_open(&c.list, s->group_count, err);
    if (status == HSD_OK && s->has_secondary) status = climb_mark(&c, err);
    if (status == HSD_OK && windows_expected(&c) > 1) status = hsd_by_join(&c.joined, s, err);
    if (status == HSD_OK) status = hsd_by_sorter(s, 1, HSD_BY_SORTER, &c.seeds, err);
    if (status == HSD_OK) status = put_seeds(&c, err);
    hsd_sorter_free(s->seeds); /* nobody asks for them again, and columns need the room */
    s->seeds = NULL;
    if (status == HSD_OK) status = fits_beside_seeds(&c) ? sow_and_climb(&c, err) : climb_windows(&c, err);
    hsd_by_waiting_close(&c.list);
    hsd_sorter_free(c.seeds);
    hsd_pages_give(&c.pages);
    hsd_by_joined_release(&c.joined);
    hsd_by_close_columns(s);
    return status;
}
