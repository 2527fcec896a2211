/* Predecessors by windows, and which places are upper ones: dominators/windows.h. */
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "graph/dominators/windows.h"

#define MOST_WINDOWS   32u
#define WINDOW_SHARE   32u /* of the memory, in places: some tenth */
#define LEAST_SPARE    (UINT64_C(1) << 20)
#define FORCED_WINDOWS 64u

bool hsd_windows_fit(const hsd_dominators *d)
{
    const uint64_t places = (uint64_t)d->nodes + 1;
    const uint64_t bits = 3 * (places / 8 + 4096), window = places / MOST_WINDOWS * HSD_NODE_BYTES;
    return hsd_dominators_scan_spare(d, 0) >= bits + window + LEAST_SPARE;
}

static hsd_node places_of_window(const hsd_dominators *d)
{
    const uint64_t fit = hsd_dominators_scan_spare(d, 0) / WINDOW_SHARE;
    const hsd_node forced = d->limits.window_places;
    if (forced != 0) return forced > d->count / FORCED_WINDOWS ? forced : d->count / FORCED_WINDOWS + 1;
    return (hsd_node)hsd_max_u64(hsd_min_u64(fit, d->count), d->count / MOST_WINDOWS + 1);
}

static hsd_status take_memory(hsd_windows *w, hsd_error *err)
{
    const size_t square = (size_t)w->count * w->count;
    w->inner = calloc(square, sizeof *w->inner);
    w->leaves = calloc(square, sizeof *w->leaves);
    w->values = calloc(w->count, sizeof *w->values);
    w->ranks = calloc((size_t)w->count + 1, sizeof *w->ranks);
    if (w->inner == NULL || w->leaves == NULL || w->values == NULL || w->ranks == NULL ||
        !hsd_pages_take(&w->upper_pages, (size_t)w->places / 8 + 1))
        return hsd_fail_nomem(err, "the windows of the dominators");
    w->upper = w->upper_pages.data;
    return HSD_OK;
}

static void begin_lists(hsd_windows *w, hsd_window_lists *lists, uint32_t to)
{
    hsd_tape_init(&lists->tape, &w->d->reel);
    lists->last = hsd_window_begin(w, to);
    lists->has_bases = true;
}

hsd_status hsd_windows_begin(hsd_dominators *d, hsd_error *err)
{
    hsd_windows *w = calloc(1, sizeof *w);
    if (w == NULL) return hsd_fail_nomem(err, "the windows of the dominators");
    d->windows = w;
    w->d = d;
    w->places = d->count;
    w->window = places_of_window(d);
    w->count = (uint32_t)((w->places - 1) / w->window) + 1;
    HSD_TRY(take_memory(w, err));
    for (uint32_t from = 0; from < w->count; from++) {
        hsd_tape_init(&w->values[from], &d->reel);
        for (uint32_t to = 0; to < w->count; to++) {
            begin_lists(w, hsd_window_inner(w, from, to), to);
            begin_lists(w, hsd_window_leaves(w, from, to), to);
        }
    }
    hsd_bit_set(w->upper, 0);
    return HSD_OK;
}

/* ---- writing ---- */

static void note_base(hsd_window_lists *lists)
{
    if (!lists->has_bases || lists->base_count >= lists->tape.chunk_count) return;
    if (HSD_ARRAY_GROW(lists->bases, lists->base_capacity, (uint64_t)lists->base_count + 1, 16, "dominators", NULL) ==
        HSD_OK)
        lists->bases[lists->base_count++] = lists->last;
    else
        lists->has_bases = false;
}

static void put_record(hsd_window_lists *lists, hsd_node place, const hsd_node *sources, uint32_t count)
{
    uint8_t *at = hsd_tape_room(&lists->tape, (count + 2) * HSD_VARINT_MOST);
    note_base(lists);
    at = hsd_varint_put(at, (uint64_t)(place - lists->last) << 1 | (count > 1 ? 1 : 0));
    if (count > 1) at = hsd_varint_put(at, count);
    at = hsd_varint_put(at, hsd_fold_difference(sources[0], place));
    for (uint32_t i = 1; i < count; i++)
        at = hsd_varint_put(at, sources[i] - sources[i - 1]);
    lists->tape.at = at;
    lists->last = place;
}

/* The one before the place that refers to it, if there is only one. */
static void note_upper(hsd_windows *w, hsd_node place, const hsd_node *sources, uint32_t count)
{
    uint32_t i = 1;
    if (sources[0] >= place) return;
    while (i < count && sources[i] == sources[0])
        i++;
    if (i == count || sources[i] >= place) hsd_bit_set(w->upper, sources[0]);
}

static void finish_window(hsd_windows *w)
{
    for (uint32_t from = 0; from < w->count; from++) {
        hsd_tape_finish(&hsd_window_inner(w, from, w->now)->tape);
        hsd_tape_finish(&hsd_window_leaves(w, from, w->now)->tape);
    }
    w->now++;
}

void hsd_windows_put(hsd_windows *w, hsd_node place, bool is_leaf, const hsd_node *sources, uint32_t count)
{
    if (place == 0 || count == 0) return; /* the super-root, a root node */
    const uint32_t to = (uint32_t)(place / w->window);
    while (w->now < to)
        finish_window(w);
    note_upper(w, place, sources, count);
    for (uint32_t i = 0; i < count;) {
        const uint32_t from = (uint32_t)(sources[i] / w->window), first = i;
        const hsd_node end = hsd_window_begin(w, from + 1);
        while (i < count && i - first < HSD_WINDOW_LIST_ITEMS && sources[i] < end)
            i++;
        put_record(is_leaf ? hsd_window_leaves(w, from, to) : hsd_window_inner(w, from, to), place, sources + first,
                   i - first);
    }
}

void hsd_windows_end(hsd_windows *w)
{
    hsd_node rank = 0;
    while (w->now < w->count)
        finish_window(w);
    for (uint32_t window = 0; window <= w->count; window++) {
        w->ranks[window] = rank;
        const hsd_node end = hsd_window_begin(w, window + 1);
        for (hsd_node place = hsd_window_begin(w, window); place < end; place++)
            rank += hsd_bit_get(w->upper, place);
    }
}

void hsd_window_lists_release(hsd_window_lists *lists)
{
    hsd_tape_release(&lists->tape);
    free(lists->bases);
    lists->bases = NULL;
}

void hsd_windows_free(hsd_windows *w)
{
    if (w == NULL) return;
    const size_t square = (size_t)w->count * w->count;
    for (size_t i = 0; i < square && w->inner != NULL && w->leaves != NULL; i++) {
        hsd_window_lists_release(&w->inner[i]);
        hsd_window_lists_release(&w->leaves[i]);
    }
    for (uint32_t i = 0; i < w->count && w->values != NULL; i++)
        hsd_tape_release(&w->values[i]);
    free(w->inner);
    free(w->leaves);
    free(w->values);
    free(w->ranks);
    hsd_pages_give(&w->upper_pages);
    free(w);
}

/* ---- reading ---- */

static bool has_bit(const uint8_t *bits, hsd_node first, hsd_node last)
{
    for (hsd_node at = first; at <= last; at++) {
        if ((at & 7) == 0 && bits[at >> 3] == 0) {
            at |= 7;
            continue;
        }
        if (hsd_bit_get(bits, at)) return true;
    }
    return false;
}

/* A list may go on across the end of a chunk. */
static bool is_chunk_wanted(const hsd_window_lists *lists, const uint8_t *wanted, uint32_t chunk)
{
    if (wanted == NULL || !lists->has_bases || chunk >= lists->base_count) return true;
    return has_bit(wanted, lists->bases[chunk], chunk + 1 < lists->base_count ? lists->bases[chunk + 1] : lists->last);
}

bool hsd_window_has_wanted(const hsd_window_lists *lists, const uint8_t *wanted)
{
    for (uint32_t chunk = 0; chunk < lists->tape.chunk_count; chunk++)
        if (is_chunk_wanted(lists, wanted, chunk)) return true;
    return false;
}

void hsd_window_read(hsd_window_reader *r, hsd_windows *w, hsd_window_lists *lists, uint32_t to, const uint8_t *wanted,
                     bool is_last)
{
    memset(r, 0, sizeof *r);
    r->lists = lists;
    r->wanted = wanted;
    r->place = hsd_window_begin(w, to);
    hsd_tape_read(&r->tape, &lists->tape, HSD_TAPE_FORWARD, is_last);
    hsd_window_next(r);
}

static void pass_unwanted(hsd_window_reader *r)
{
    hsd_tape_reader *tape = &r->tape;
    if (r->wanted == NULL || tape->at != tape->end) return;
    while (tape->turned < tape->tape->chunk_count && !is_chunk_wanted(r->lists, r->wanted, tape->turned)) {
        tape->turned++;
        r->place = tape->turned < r->lists->base_count ? r->lists->bases[tape->turned] : r->lists->last;
    }
}

void hsd_window_next(hsd_window_reader *r)
{
    uint64_t head;
    hsd_node step, count = 1, folded;
    pass_unwanted(r);
    if (!hsd_tape_has_more(&r->tape)) {
        r->place = HSD_NODE_MAX;
        r->count = 0;
        return;
    }
    const uint8_t *at = hsd_varint_get(r->tape.at, &head);
    if ((head & 1) != 0) at = hsd_tape_varint(at, &count);
    at = hsd_tape_varint(at, &folded);
    r->place += (hsd_node)(head >> 1);
    r->count = (uint32_t)hsd_min_u64(count, HSD_WINDOW_LIST_ITEMS);
    r->sources[0] = hsd_unfold_difference(folded, r->place);
    for (uint32_t i = 1; i < r->count; i++) {
        at = hsd_tape_varint(at, &step);
        r->sources[i] = r->sources[i - 1] + step;
    }
    r->tape.at = at;
}

void hsd_window_close(hsd_window_reader *r) { hsd_tape_close(&r->tape); }
