/*
 * Dominators from lists of predecessors by windows: dominators/windows.h. As in dominators/raise.c a pass only ever
 * raises places, never past a dominator; what rises leaves marks on what it was below, and from the third pass on only
 * what stands right below a mark is looked at. A place that is looked at window for window of its predecessors may miss
 * what rises meanwhile; that leaves a mark, and it is looked at again.
 *
 * As many windows of sources as fit have their starts in memory at a time, a *group*. The first two passes go along all
 * places of a window of targets, beside the lists of a group; what few places are looked at afterwards have their
 * dominators in memory, where these fit, and tapes are written once a pass.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/windows.h"

#define CLIMB_FACTOR 3u /* of the limit of steps, for each reference and place */
#define MOST_PASSES  40u
#define LONG_WAY     64u
#define MOST_SEEN    4096u

typedef enum raise_pass { PASS_FIRST, PASS_LATER, PASS_LEAVES } raise_pass;

/* Bits that are set before a place, as places ascend. */
typedef struct bit_count {
    hsd_node place, count;
} bit_count;

typedef struct window_raise {
    hsd_windows *w;
    hsd_dominators *d;
    hsd_paged up; /* a number by rank */
    hsd_pages room_pages;
    uint64_t room;        /* bytes of starts, and of dominators that are wanted */
    uint8_t *starts;      /* of the places of the group, `start_bytes` each */
    uint32_t start_bytes; /* as many as ranks need, 3 at least */
    hsd_node start_mask;
    uint32_t from, from_end, to;
    hsd_node first_source, end_source;
    raise_pass pass;
    hsd_pages wanted_pages;
    uint8_t *wanted;        /* one bit a place; NULL = all */
    hsd_node *wanted_value; /* of each of them, where there is room; else NULL */
    hsd_node wanted_count;
    uint64_t wanted_room; /* numbers of `room`: beside one window at least, and no more than half */
    bool has_wanted;      /* it is known already what the next pass looks at */
    hsd_pages seen_pages;
    uint8_t *seen; /* one bit a rank: on a way up from the place at hand that was climbed */
    hsd_node seen_count, seen_list[MOST_SEEN];
    hsd_node steps; /* of the place at hand */
    uint64_t steps_left, changes;
    hsd_pages mark_pages;
    uint8_t *marks, *new_marks; /* one bit a rank, of the pass before and of this one */
    hsd_window_reader *lists;   /* of the group */
    uint32_t list_count;
    hsd_node next_place; /* the least of any of them */
    hsd_tape_reader values;
} window_raise;

/* ---- where climbs begin ---- */

static inline hsd_node get_start(const window_raise *r, hsd_node at)
{
    hsd_node start;
    memcpy(&start, r->starts + (size_t)at * r->start_bytes, sizeof start);
    return start & r->start_mask;
}

static inline void put_start(window_raise *r, hsd_node at, hsd_node start)
{
    uint8_t *to = r->starts + (size_t)at * r->start_bytes;
    const uint16_t low = (uint16_t)start;
    memcpy(to, &low, sizeof low);
    to[2] = (uint8_t)(start >> 16);
    for (uint32_t i = 3; i < r->start_bytes; i++)
        to[i] = (uint8_t)(start >> 8 * i);
}

/* Places of which so many bytes hold the starts. */
static uint64_t starts_in(const window_raise *r, uint64_t bytes) { return bytes / r->start_bytes; }

/* Dominators that are wanted, behind the starts. */
static hsd_node *wanted_values(const window_raise *r)
{
    return (hsd_node *)(void *)((uint8_t *)r->room_pages.data + r->room) - r->wanted_room;
}

/* ---- climbing, as in dominators/raise.c, by ranks ---- */

static bool was_seen(window_raise *r, hsd_node rank)
{
    if (hsd_bit_get(r->seen, rank)) return true;
    hsd_bit_set(r->seen, rank);
    if (r->seen_count < MOST_SEEN) r->seen_list[r->seen_count] = rank;
    r->seen_count++;
    return false;
}

static void forget_seen(window_raise *r)
{
    if (r->seen_count > MOST_SEEN) memset(r->seen, 0, r->seen_pages.size);
    for (uint32_t i = 0; i < r->seen_count && r->seen_count <= MOST_SEEN; i++)
        hsd_bit_clear(r->seen, r->seen_list[i]);
    r->seen_count = 0;
}

static inline __attribute__((always_inline)) hsd_node meet(window_raise *r, hsd_node to, hsd_node from, bool is_flat)
{
    while (from != to) {
        if (from > to) {
            if (++r->steps > LONG_WAY && was_seen(r, from)) return to;
            from = hsd_flat_get_node(&r->up, from, is_flat);
        } else {
            r->steps++;
            to = hsd_flat_get_node(&r->up, to, is_flat);
        }
    }
    return to;
}

/* What was right below `from` is below `to` now. */
static void mark_way(window_raise *r, hsd_node from, hsd_node to)
{
    for (hsd_node at = from; at != to; at = hsd_paged_get_node(&r->up, at), r->steps++)
        hsd_bit_set(r->new_marks, at);
}

static void end_place(window_raise *r)
{
    if (r->seen_count > 0) forget_seen(r);
    r->steps_left -= hsd_min_u64(r->steps, r->steps_left);
    r->steps = 0;
}

/* ---- one place ---- */

/* In the first pass only what comes before a place has its dominator. */
static inline __attribute__((always_inline)) hsd_node raise_by_list(window_raise *r, const hsd_window_reader *list,
                                                                    hsd_node value, bool is_flat)
{
    const hsd_node end = r->pass == PASS_FIRST ? (hsd_node)hsd_min_u64(list->place, r->end_source) : r->end_source;
    for (uint32_t i = 0; i < list->count && value != 0; i++) {
        const hsd_node source = list->sources[i];
        if (source < r->first_source || source >= end) continue;
        const hsd_node start = get_start(r, source - r->first_source);
        value = value == HSD_WINDOW_UNKNOWN ? start : meet(r, value, start, is_flat);
    }
    return value;
}

/* A root node is right below the super-root. */
static hsd_node known(hsd_node value) { return value == HSD_WINDOW_UNKNOWN ? 0 : value; }

static void settle_place(window_raise *r, hsd_node place, hsd_node rank, bool is_upper, hsd_node value)
{
    if (is_upper) hsd_paged_set_node(&r->up, rank, known(value));
    if (place >= r->first_source && place < r->end_source)
        put_start(r, place - r->first_source, is_upper ? rank : known(value));
}

static void note_change(window_raise *r, hsd_node before, hsd_node value)
{
    r->changes++;
    mark_way(r, before, value);
}

/* ---- lists of a group of sources, along all places of one window ---- */

static void find_next_place(window_raise *r)
{
    r->next_place = HSD_NODE_MAX;
    for (uint32_t i = 0; i < r->list_count; i++)
        r->next_place = (hsd_node)hsd_min_u64(r->next_place, r->lists[i].place);
}

/* All records of a place. */
static inline __attribute__((always_inline)) hsd_node raise_place(window_raise *r, hsd_node place, hsd_node before,
                                                                  bool is_flat)
{
    hsd_node value = before;
    const bool is_settled = r->pass == PASS_LATER &&
                            (before == HSD_WINDOW_UNKNOWN || (r->wanted != NULL && !hsd_bit_get(r->wanted, place)));
    for (uint32_t i = 0; i < r->list_count; i++) {
        while (r->lists[i].place == place) {
            if (!is_settled) value = raise_by_list(r, &r->lists[i], value, is_flat);
            hsd_window_next(&r->lists[i]);
        }
    }
    find_next_place(r);
    if (r->pass == PASS_LATER && value != before) note_change(r, before, value);
    end_place(r);
    return value;
}

static hsd_node next_value(window_raise *r, hsd_node rank)
{
    hsd_node stored;
    if (r->values.tape == NULL || !hsd_tape_get_spread(&r->values, &stored)) return HSD_WINDOW_UNKNOWN;
    return hsd_window_value(stored, rank);
}

static inline __attribute__((always_inline)) hsd_status raise_window(window_raise *r, hsd_tape *out, bool is_flat,
                                                                     hsd_error *err)
{
    hsd_windows *w = r->w;
    const hsd_node end = hsd_window_begin(w, r->to + 1);
    const bool settles = r->pass == PASS_FIRST && r->to < r->from_end;
    hsd_node place = hsd_window_begin(w, r->to), rank = w->ranks[r->to];
    hsd_status status = HSD_OK;
    if (place == 0) { /* the super-root */
        if (r->from == 0) put_start(r, 0, 0);
        place = rank = 1;
    }
    for (; place < end && status == HSD_OK; place++) {
        const bool is_upper = hsd_bit_get(w->upper, place);
        const hsd_node before = next_value(r, rank);
        const hsd_node value = r->next_place == place ? raise_place(r, place, before, is_flat) : before;
        hsd_window_value_put(out, rank, value);
        if (settles || (r->pass == PASS_LATER && value != before)) settle_place(r, place, rank, is_upper, value);
        rank += is_upper;
        if (r->steps_left == 0) status = HSD_END;
        if ((place & HSD_DOMINATORS_TICK) == 0 && status == HSD_OK)
            status = hsd_dominators_tick(r->d, 2, place, w->places, err);
    }
    return status;
}

static hsd_window_lists *lists_of(const window_raise *r, uint32_t from, uint32_t to)
{
    return r->pass == PASS_LEAVES ? hsd_window_leaves(r->w, from, to) : hsd_window_inner(r->w, from, to);
}

/* What comes later is not looked at in the first pass. */
static void open_lists(window_raise *r)
{
    r->list_count = 0;
    for (uint32_t from = r->from; from < r->from_end; from++) {
        hsd_window_lists *lists = lists_of(r, from, r->to);
        if ((r->pass == PASS_FIRST && from > r->to) || !hsd_window_has_wanted(lists, r->wanted)) continue;
        hsd_window_read(&r->lists[r->list_count++], r->w, lists, r->to, r->wanted, r->pass == PASS_LEAVES);
    }
    find_next_place(r);
}

static void close_lists(window_raise *r)
{
    for (uint32_t i = 0; i < r->list_count; i++) {
        hsd_window_lists *lists = r->lists[i].lists;
        hsd_window_close(&r->lists[i]);
        if (r->pass == PASS_LEAVES) hsd_window_lists_release(lists);
    }
    r->list_count = 0;
}

static hsd_status raise_along(window_raise *r, hsd_error *err)
{
    hsd_tape *values = &r->w->values[r->to], out;
    hsd_tape_init(&out, &r->d->reel);
    memset(&r->values, 0, sizeof r->values);
    if (values->chunk_count > 0) hsd_tape_read(&r->values, values, HSD_TAPE_FORWARD, true);
    const hsd_status status =
        r->up.is_flat && r->d->limits.uses_flat ? raise_window(r, &out, true, err) : raise_window(r, &out, false, err);
    hsd_tape_close(&r->values);
    hsd_tape_finish(&out);
    hsd_tape_release(values);
    *values = out;
    return status;
}

/* ---- lists of a group of sources, of what is wanted alone ---- */

static hsd_node count_bits(bit_count *c, const uint8_t *bits, hsd_node place)
{
    while (c->place < place) {
        if ((c->place & 7) == 0 && place - c->place >= 8) {
            c->count += hsd_count_bits_u32(bits[c->place >> 3]);
            c->place += 8;
        } else {
            c->count += hsd_bit_get(bits, c->place++);
        }
    }
    return c->count;
}

static void raise_wanted(window_raise *r, hsd_window_reader *list, bit_count wanted, bit_count upper)
{
    for (; list->place != HSD_NODE_MAX; hsd_window_next(list)) {
        const hsd_node place = list->place;
        if (!hsd_bit_get(r->wanted, place)) continue;
        hsd_node *value = &r->wanted_value[count_bits(&wanted, r->wanted, place)];
        const hsd_node before = *value;
        *value = raise_by_list(r, list, before, false);
        if (*value != before) {
            note_change(r, before, *value);
            settle_place(r, place, count_bits(&upper, r->w->upper, place), hsd_bit_get(r->w->upper, place), *value);
        }
        end_place(r);
    }
}

static hsd_status raise_some(window_raise *r, bit_count wanted, hsd_error *err)
{
    const bit_count upper = {hsd_window_begin(r->w, r->to), r->w->ranks[r->to]};
    for (uint32_t i = 0; i < r->list_count; i++)
        raise_wanted(r, &r->lists[i], wanted, upper);
    return r->steps_left == 0 ? HSD_END : hsd_dominators_tick(r->d, 2, upper.place, r->w->places, err);
}

/* Whether a place is wanted in the next pass: it is right below a mark. Its dominator is kept if there is room. */
static void want_next(window_raise *r, const uint8_t *marks, hsd_node place, hsd_node value, hsd_node *kept)
{
    hsd_bit_clear(r->wanted, place);
    if (place == 0 || !hsd_bit_get(marks, value)) return;
    hsd_bit_set(r->wanted, place);
    if (r->wanted_count < r->wanted_room) kept[r->wanted_count] = value;
    r->wanted_count++;
}

/* What rose goes to the tapes, and what is wanted next is known: its dominators wait where the starts were. */
static hsd_status put_wanted(window_raise *r, hsd_error *err)
{
    hsd_windows *w = r->w;
    hsd_node *const kept = r->room_pages.data;
    hsd_node index = 0;
    r->wanted_count = 0;
    for (uint32_t window = 0; window < w->count; window++) {
        const hsd_node end = hsd_window_begin(w, window + 1);
        hsd_node rank = w->ranks[window], place = hsd_window_begin(w, window);
        hsd_tape out;
        hsd_tape_init(&out, &r->d->reel);
        hsd_tape_read(&r->values, &w->values[window], HSD_TAPE_FORWARD, true);
        for (; place < end; place++) {
            hsd_node value = place == 0 ? 0 : next_value(r, rank);
            if (hsd_bit_get(r->wanted, place)) value = r->wanted_value[index++];
            if (place > 0) hsd_window_value_put(&out, rank, value);
            want_next(r, r->new_marks, place, known(value), kept);
            rank += hsd_bit_get(w->upper, place);
        }
        hsd_tape_close(&r->values);
        hsd_tape_finish(&out);
        hsd_tape_release(&w->values[window]);
        w->values[window] = out;
    }
    r->has_wanted = true;
    if (r->wanted_count <= r->wanted_room)
        memmove(r->wanted_value, kept, (size_t)r->wanted_count * sizeof *kept);
    else
        r->wanted_value = NULL;
    return hsd_reel_check(&r->d->reel, err);
}

/* ---- passes ---- */

/* As many windows as there is room for. */
static void begin_group(window_raise *r, uint32_t from, uint64_t room)
{
    const uint64_t most = hsd_max_u64(room / r->w->window, 1);
    r->from = from;
    r->from_end = (uint32_t)hsd_min_u64(from + most, r->w->count);
    r->first_source = hsd_window_begin(r->w, r->from);
    r->end_source = hsd_window_begin(r->w, r->from_end);
}

/* Where climbs from the places of the group begin. */
static hsd_status load_starts(window_raise *r, hsd_error *err)
{
    hsd_windows *w = r->w;
    hsd_node rank = w->ranks[r->from], place = r->first_source;
    for (uint32_t window = r->from; window < r->from_end; window++) {
        hsd_tape_read(&r->values, &w->values[window], HSD_TAPE_FORWARD, false);
        for (const hsd_node end = hsd_window_begin(w, window + 1); place < end; place++) {
            const bool is_upper = hsd_bit_get(w->upper, place);
            const hsd_node value = place == 0 ? 0 : known(next_value(r, rank));
            put_start(r, place - r->first_source, is_upper ? rank : value);
            rank += is_upper;
        }
        hsd_tape_close(&r->values);
    }
    return hsd_reel_check(&r->d->reel, err);
}

static bool has_lists(const window_raise *r)
{
    for (uint32_t from = r->from; from < r->from_end; from++)
        for (uint32_t to = 0; to < r->w->count; to++)
            if (hsd_window_has_wanted(lists_of(r, from, to), r->wanted)) return true;
    return false;
}

/* The group, all windows of targets. */
static hsd_status pass_group(window_raise *r, hsd_error *err)
{
    hsd_windows *w = r->w;
    bit_count wanted = {0, 0};
    hsd_status status = HSD_OK;
    for (r->to = r->pass == PASS_FIRST ? r->from : 0; r->to < w->count && status == HSD_OK; r->to++) {
        if (r->wanted_value != NULL) count_bits(&wanted, r->wanted, hsd_window_begin(w, r->to));
        open_lists(r);
        const bool settles = r->pass == PASS_FIRST && r->to < r->from_end;
        if (r->list_count > 0 || settles)
            status = r->wanted_value != NULL ? raise_some(r, wanted, err) : raise_along(r, err);
        close_lists(r);
    }
    return status == HSD_OK ? hsd_reel_check(&r->d->reel, err) : status;
}

static hsd_status pass_all(window_raise *r, uint64_t room, hsd_error *err)
{
    for (uint32_t from = 0; from < r->w->count; from = r->from_end) {
        begin_group(r, from, room);
        if (r->pass != PASS_FIRST && !has_lists(r)) continue;
        if (r->pass != PASS_FIRST) HSD_TRY(load_starts(r, err));
        HSD_TRY(pass_group(r, err));
    }
    return HSD_OK;
}

/* Places right below a mark, from the tapes. */
static hsd_status find_wanted_places(window_raise *r, hsd_error *err)
{
    hsd_windows *w = r->w;
    hsd_node *const values = wanted_values(r);
    r->wanted = r->wanted_pages.data;
    r->wanted_count = 0;
    for (uint32_t window = 0; window < w->count; window++) {
        const hsd_node end = hsd_window_begin(w, window + 1);
        hsd_node rank = w->ranks[window], place = hsd_window_begin(w, window);
        hsd_tape_read(&r->values, &w->values[window], HSD_TAPE_FORWARD, false);
        for (; place < end; place++) {
            want_next(r, r->marks, place, place == 0 ? 0 : known(next_value(r, rank)), values);
            rank += hsd_bit_get(w->upper, place);
        }
        hsd_tape_close(&r->values);
    }
    r->wanted_value = r->wanted_count <= r->wanted_room ? values : NULL;
    return hsd_reel_check(&r->d->reel, err);
}

static hsd_status pass_wanted(window_raise *r, hsd_error *err)
{
    if (!r->has_wanted) HSD_TRY(find_wanted_places(r, err));
    r->has_wanted = false;
    if (r->wanted_count > 0)
        HSD_TRY(pass_all(r, starts_in(r, r->wanted_value != NULL ? r->room - HSD_NODE_BYTES * r->wanted_room : r->room),
                         err));
    return r->wanted_value != NULL && r->changes > 0 ? put_wanted(r, err) : HSD_OK;
}

static void turn_marks(window_raise *r, size_t bytes)
{
    uint8_t *first = r->mark_pages.data, *second = first + bytes;
    r->marks = r->new_marks;
    r->new_marks = r->new_marks == first ? second : first;
    memset(r->new_marks, 0, bytes);
}

static hsd_status pass_until_done(window_raise *r, hsd_error *err)
{
    hsd_windows *w = r->w;
    const size_t bytes = w->ranks[w->count] / 8 + 1;
    r->pass = PASS_FIRST;
    HSD_TRY(pass_all(r, starts_in(r, r->room), err));
    r->pass = PASS_LATER;
    r->d->stats.passes = 1;
    do {
        if (++r->d->stats.passes == MOST_PASSES) return HSD_END;
        turn_marks(r, bytes);
        r->changes = 0;
        HSD_TRY(r->marks != NULL ? pass_wanted(r, err) : pass_all(r, starts_in(r, r->room), err));
    } while (r->changes > 0);
    for (size_t i = 0; i < (size_t)w->count * w->count; i++)
        hsd_window_lists_release(&w->inner[i]);
    r->pass = PASS_LEAVES;
    r->wanted = NULL;
    r->wanted_value = NULL;
    return pass_all(r, starts_in(r, r->room), err);
}

/* Bytes of a number below `ranks`, and of one at least that is none of them; three at least. */
static uint32_t start_bytes(uint64_t ranks)
{
    uint32_t bytes = 3;
    while (bytes < HSD_NODE_BYTES && ranks >> 8 * bytes != 0)
        bytes++;
    return bytes;
}

/* Upper places have what they need, one window of starts what it needs at least; the rest goes to starts. */
static hsd_status take_memory(window_raise *r, hsd_error *err)
{
    hsd_windows *w = r->w;
    const uint64_t ranks = w->ranks[w->count], chunk = r->d->limits.chunk_bytes;
    r->lists = calloc(w->count, sizeof *r->lists);
    if (r->lists == NULL || !hsd_pages_take(&r->wanted_pages, (size_t)w->places / 8 + 1) ||
        !hsd_pages_take(&r->seen_pages, ranks / 8 + 1) || !hsd_pages_take(&r->mark_pages, 2 * (ranks / 8 + 1)))
        return hsd_fail_nomem(err, "the windows of the dominators");
    r->seen = r->seen_pages.data;
    const uint64_t used =
        w->upper_pages.size + r->wanted_pages.size + r->seen_pages.size + r->mark_pages.size + w->count * chunk;
    r->start_bytes = r->d->limits.has_wide_starts ? HSD_NODE_BYTES : start_bytes(ranks);
    r->start_mask = HSD_NODE_MAX >> 8 * (HSD_NODE_BYTES - r->start_bytes);
    const uint64_t spare = hsd_dominators_scan_spare(r->d, used), window = (uint64_t)w->window * r->start_bytes;
    const uint64_t array = hsd_min_u64(hsd_dominators_array_bytes(ranks), spare > window ? spare - window : 0);
    const uint64_t most = r->d->limits.window_room != 0 ? r->d->limits.window_room : UINT64_C(3) * w->places / 2;
    r->room = (hsd_max_u64(hsd_min_u64(spare - array, most * r->start_bytes), window) + HSD_NODE_BYTES - 1) /
              HSD_NODE_BYTES * HSD_NODE_BYTES;
    r->wanted_room = (r->room - hsd_max_u64(r->room - r->room / 2, window)) / HSD_NODE_BYTES;
    if (!hsd_pages_take(&r->room_pages, (size_t)r->room + sizeof(hsd_node)))
        return hsd_fail_nomem(err, "the windows of the dominators");
    hsd_pages_expect_random(&r->room_pages);
    r->starts = r->room_pages.data;
    r->steps_left = CLIMB_FACTOR * r->d->limits.climb_steps * (hsd_adjacency_edge_count(r->d->adjacency) + r->d->count);
    return hsd_dominators_open(r->d, &r->up, ranks, HSD_NODE_BYTES, array, err);
}

hsd_status hsd_windows_raise(hsd_dominators *d, hsd_error *err)
{
    window_raise *r = calloc(1, sizeof *r);
    if (r == NULL) return hsd_fail_nomem(err, "the dominators");
    r->d = d;
    r->w = d->windows;
    hsd_status status = take_memory(r, err);
    if (status == HSD_OK) status = pass_until_done(r, err);
    close_lists(r);
    const hsd_status closed = hsd_dominators_close(d, &r->up, status == HSD_OK ? err : NULL);
    hsd_pages *pages[] = {&r->room_pages, &r->wanted_pages, &r->seen_pages, &r->mark_pages};
    for (size_t i = 0; i < HSD_ARRAY_LEN(pages); i++)
        hsd_pages_give(pages[i]);
    free(r->lists);
    free(r);
    return status == HSD_OK ? closed : status;
}
