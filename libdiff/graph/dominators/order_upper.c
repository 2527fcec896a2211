/*
 * Step 5 by scans, behind dominators/raise.c: as in dominators/order.c, but what nothing stands right below has size 1,
 * and numbers are of *upper* places alone, of which a heap has few. So sizes and firsts of these fit in memory where
 * those of all places do not, and places are told in one sweep, from two tapes:
 *
 *      raise, at its end   upper         a bit a place
 *                          dominator_of  for each place the rank of the upper one right above it; ranks count upper
 *                                        places in the order of places, the super-root is rank 0
 *                          sizes         by rank, from the last place to the first: here, where there is room for them
 *                                        beside the places, else from dominator_of
 *      order               dominator_of and node_of, from the first place to the last
 */
#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/windows.h"

#define RANK_SHIFT 9u /* places for each of which it is known how many upper ones come before */

typedef struct ranks {
    const uint64_t *bits; /* upper places */
    hsd_pages pages;
    hsd_node *before; /* upper places in front of each 2^RANK_SHIFT */
} ranks;

static size_t upper_words(const hsd_dominators *d) { return (size_t)d->count / 64 + 1; }

static bool is_upper(const uint64_t *bits, hsd_node place) { return (bits[place / 64] >> place % 64 & 1) != 0; }

static hsd_node rank_of(const ranks *r, hsd_node place)
{
    hsd_node rank = r->before[place >> RANK_SHIFT];
    for (hsd_node word = place >> RANK_SHIFT << (RANK_SHIFT - 6); word < place / 64; word++)
        rank += hsd_count_bits_u64(r->bits[word]);
    return rank + hsd_count_bits_u64(r->bits[place / 64] & ((UINT64_C(1) << place % 64) - 1));
}

/* How many there are. */
static hsd_node count_ranks(ranks *r, size_t words)
{
    hsd_node rank = 0;
    for (size_t word = 0; word < words; word++) {
        if (word % (1u << (RANK_SHIFT - 6)) == 0) r->before[word >> (RANK_SHIFT - 6)] = rank;
        rank += hsd_count_bits_u64(r->bits[word]);
    }
    return rank;
}

static uint64_t array_bytes(const hsd_dominators *d) { return (uint64_t)d->upper_count * HSD_NODE_BYTES; }

/* Both arrays, while places are told. */
static bool upper_places_fit(const hsd_dominators *d)
{
    if (d->limits.order_way == HSD_ORDER_ALL_BY_TAPES) return false;
    return 2 * array_bytes(d) <= hsd_dominators_spare(d, hsd_teller_bytes(d) + d->upper_pages.size);
}

/* ---- at the end of raise ---- */

/* Bytes that hold any rank. */
static uint32_t width_of_rank(const hsd_dominators *d)
{
    uint32_t width = 1;
    while (width < HSD_NODE_BYTES && (d->upper_count - 1) >> 8 * width != 0)
        width++;
    return width;
}

static uint32_t bytes_of(hsd_node rank, hsd_node value)
{
    const hsd_node below = rank - value;
    return hsd_tape_spread_bytes((uint64_t)(value < below ? value : below) << 1 | (value < below ? 0 : 1));
}

/* `above` has ranks; near ones take a byte, and where most are far all take what the largest takes. */
static void put_ranks(hsd_dominators *d, const uint64_t *bits, const hsd_node *above)
{
    const uint32_t width = width_of_rank(d);
    uint64_t bytes = 0;
    hsd_node rank = 1;
    for (hsd_node place = 1; place < d->count; rank += is_upper(bits, place++))
        bytes += bytes_of(rank, above[place]);
    d->dominator_width = bytes > (uint64_t)d->count * width ? width : 0;
    rank = 1;
    for (hsd_node place = 1; place < d->count; rank += is_upper(bits, place++)) {
        if (d->dominator_width == 0)
            hsd_window_value_put(&d->dominator_of, rank, above[place]);
        else
            hsd_tape_put_wide(&d->dominator_of, above[place], width);
    }
    hsd_tape_finish(&d->dominator_of);
}

/* What the array holds is the size less 1, so that it begins with zeros. */
static void add_sizes(const hsd_dominators *d, const uint64_t *bits, const hsd_node *above, hsd_node *sizes)
{
    hsd_node rank = d->upper_count;
    for (hsd_node place = d->count; --place > 0;) {
        const bool has_size = is_upper(bits, place);
        rank -= has_size;
        sizes[above[place]] += 1 + (has_size ? sizes[rank] : 0);
    }
}

static void mark_upper(const hsd_dominators *d, uint64_t *bits, const hsd_node *above)
{
    bits[0] = 1; /* the super-root, be it alone */
    for (hsd_node place = 1; place < d->count; place++)
        bits[above[place] / 64] |= UINT64_C(1) << above[place] % 64;
}

static hsd_status rank_all(hsd_dominators *d, ranks *r, hsd_node *above, hsd_error *err)
{
    const size_t bytes = ((size_t)(d->count >> RANK_SHIFT) + 1) * sizeof *r->before;
    if (!hsd_pages_take(&r->pages, bytes)) return hsd_fail_nomem(err, "the order of dominators");
    r->before = r->pages.data;
    d->upper_count = count_ranks(r, upper_words(d));
    if (!upper_places_fit(d)) return HSD_END;
    for (hsd_node place = 1; place < d->count; place++)
        above[place] = rank_of(r, above[place]);
    return HSD_OK;
}

/* Sizes where there is room for them beside the array of all places. */
static hsd_status take_sizes_early(hsd_dominators *d, const uint64_t *bits, const hsd_node *above, hsd_error *err)
{
    const uint64_t used = hsd_dominators_array_bytes(d->count) + d->upper_pages.size;
    const bool has_room = hsd_dominators_scan_spare(d, used) >= array_bytes(d);
    if (d->limits.order_way == HSD_ORDER_UPPER_FROM_TAPE || !has_room) return HSD_OK;
    if (!hsd_pages_take(&d->size_pages, (size_t)array_bytes(d))) return hsd_fail_nomem(err, "the order of dominators");
    add_sizes(d, bits, above, d->size_pages.data);
    return HSD_OK;
}

hsd_status hsd_dominators_put_upper(hsd_dominators *d, hsd_node *above, hsd_error *err)
{
    if (!hsd_pages_take(&d->upper_pages, upper_words(d) * sizeof(uint64_t)))
        return hsd_fail_nomem(err, "the order of dominators");
    uint64_t *bits = d->upper_pages.data;
    ranks r = {.bits = bits};
    mark_upper(d, bits, above);
    hsd_status status = rank_all(d, &r, above, err);
    hsd_pages_give(&r.pages);
    if (status == HSD_END) hsd_pages_give(&d->upper_pages);
    if (status != HSD_OK) return status;
    put_ranks(d, bits, above);
    return take_sizes_early(d, bits, above, err);
}

/* ---- order ---- */

typedef struct upper_order {
    hsd_dominators *d;
    const uint64_t *bits;
    hsd_node *sizes;  /* by rank: size - 1; then the next free one */
    hsd_node *firsts; /* by rank */
    hsd_dominators_teller teller;
} upper_order;

/* The rank right above a place before which there are `rank` upper ones; 0 of what cannot be. */
static hsd_node dominator_rank(const upper_order *o, hsd_node stored, hsd_node rank)
{
    const hsd_node value = o->d->dominator_width != 0 ? stored : hsd_window_value(stored, rank);
    return value < rank ? value : 0;
}

static bool get_back(const upper_order *o, hsd_tape_reader *reader, hsd_node *stored)
{
    const uint32_t width = o->d->dominator_width;
    if (width == 0) return hsd_tape_get_spread_back(reader, stored);
    if (reader->at == reader->begin && !hsd_tape_next_chunk(reader)) return false;
    reader->at -= width;
    *stored = hsd_tape_between(reader->at, width);
    return true;
}

/* From the last place to the first, where that was not done before. */
static hsd_status add_sizes_of_tape(upper_order *o, hsd_error *err)
{
    hsd_dominators *d = o->d;
    hsd_tape_reader reader;
    hsd_status status = HSD_OK;
    hsd_node rank = d->upper_count, stored;
    hsd_tape_read(&reader, &d->dominator_of, HSD_TAPE_BACKWARD, false);
    for (hsd_node place = d->count; --place > 0 && status == HSD_OK;) {
        const bool has_size = is_upper(o->bits, place);
        if (!get_back(o, &reader, &stored)) break;
        rank -= has_size;
        o->sizes[dominator_rank(o, stored, rank)] += 1 + (has_size ? o->sizes[rank] : 0);
        if ((place & HSD_DOMINATORS_TICK) == 0)
            status = hsd_dominators_tick(d, 4, (d->count - place) / 2, d->count, err);
    }
    hsd_tape_close(&reader);
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

static hsd_status tell_upper(upper_order *o, hsd_node node, hsd_node dominator, hsd_node rank, bool has_size,
                             hsd_error *err)
{
    const hsd_node first = o->sizes[dominator], end = first + 1 + (has_size ? o->sizes[rank] : 0);
    const hsd_interval told = {node, first, end, o->firsts[dominator]};
    o->sizes[dominator] = end;
    if (has_size) {
        o->sizes[rank] = first + 1;
        o->firsts[rank] = first;
    }
    return hsd_tell_place(&o->teller, &told, err);
}

static hsd_status tell_in_order(upper_order *o, hsd_tape_reader *nodes, hsd_tape_reader *dominators, hsd_error *err)
{
    hsd_dominators *d = o->d;
    const uint32_t width = d->dominator_width;
    hsd_status status = HSD_OK;
    hsd_node rank = 1, node = 0, stored;
    hsd_near_node_get(nodes, &node); /* the super-root */
    for (hsd_node place = 1; place < d->count && status == HSD_OK; place++) {
        const bool has_size = is_upper(o->bits, place);
        const bool is_there =
            width != 0 ? hsd_tape_get_wide(dominators, &stored, width) : hsd_tape_get_spread(dominators, &stored);
        if (!is_there || !hsd_near_node_get(nodes, &node)) break;
        status = tell_upper(o, node, dominator_rank(o, stored, rank), rank, has_size, err);
        rank += has_size;
        if ((place & HSD_DOMINATORS_TICK) == 0 && status == HSD_OK)
            status = hsd_dominators_tick(d, 4, d->count / 2 + place / 2, d->count, err);
    }
    return status;
}

static hsd_status tell_all_upper(upper_order *o, hsd_error *err)
{
    hsd_dominators *d = o->d;
    hsd_tape_reader nodes, dominators;
    o->sizes[0] = 1;
    hsd_tape_read(&nodes, &d->node_of, HSD_TAPE_FORWARD, true);
    hsd_tape_read(&dominators, &d->dominator_of, HSD_TAPE_FORWARD, true);
    hsd_status status = hsd_teller_begin(&o->teller, d, err);
    if (status == HSD_OK) status = tell_in_order(o, &nodes, &dominators, err);
    status = hsd_teller_end(&o->teller, status, err);
    hsd_tape_close(&nodes);
    hsd_tape_close(&dominators);
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

hsd_status hsd_dominators_order_upper(hsd_dominators *d, hsd_error *err)
{
    HSD_ASSERT(d->upper_pages.data != NULL && d->has_near_nodes);
    upper_order o = {.d = d, .bits = d->upper_pages.data};
    const bool has_sizes = d->size_pages.data != NULL;
    hsd_pages firsts;
    if (!has_sizes && !hsd_pages_take(&d->size_pages, (size_t)array_bytes(d)))
        return hsd_fail_nomem(err, "the order of dominators");
    if (!hsd_pages_take(&firsts, (size_t)array_bytes(d))) return hsd_fail_nomem(err, "the order of dominators");
    o.sizes = d->size_pages.data;
    o.firsts = firsts.data;
    hsd_status status = has_sizes ? HSD_OK : add_sizes_of_tape(&o, err);
    if (status == HSD_OK) status = tell_all_upper(&o, err);
    hsd_pages_give(&firsts);
    return status;
}
