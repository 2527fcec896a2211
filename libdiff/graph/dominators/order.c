/*
 * Step 5: an interval for each subtree, in two sweeps over the immediate dominators.
 *
 *      backwards   sizes[dominator] += sizes[place]
 *      forwards    firsts[place] = next free number of the dominator, which grows by the size of the place;
 *                  the place's own next free number, its first + 1, takes the place of its size
 *
 * So children lie side by side behind their dominator, in the order of places.
 *
 * Where places are in no order of a walk depth first (dominators/scan.c) dominators lie anywhere, and numbers of those
 * that dominate anything are in memory (dominators/order_upper.c). Where these do not fit, and behind a walk where
 * memory has no room for both arrays, one at a time is: `firsts` and sizes go to tapes, and a third sweep tells places,
 * with the firsts of their dominators.
 */
#include "base/check.h"
#include "graph/dominators/parts.h"

typedef struct order {
    hsd_dominators *d;
    hsd_paged sizes;  /* a number a place; then the next free one */
    hsd_paged firsts; /* a number a place */
    uint32_t width;   /* bytes of a place on tapes */
    hsd_dominators_teller teller;
} order;

/* Bytes that hold any place, three at least. */
static uint32_t width_of(const hsd_dominators *d)
{
    uint32_t width = 3;
    while (width < HSD_NODE_BYTES && (d->count - 1) >> 8 * width != 0)
        width++;
    return width;
}

/* Where most are neither near nor the super-root all take so many bytes as the largest needs. */
static void put_by_place(hsd_dominators *d, const hsd_node *above)
{
    const uint32_t width = width_of(d);
    uint64_t bytes = 0;
    for (hsd_node place = 0; place < d->count; place++)
        bytes += hsd_tape_small_bytes(place - above[place]);
    d->dominator_width = bytes > (uint64_t)d->count * width ? width : 0;
    for (hsd_node place = 0; place < d->count; place++) {
        if (d->dominator_width == 0)
            hsd_dominator_put(d, place, above[place]);
        else
            hsd_tape_put_wide(&d->dominator_of, above[place], width);
    }
    hsd_tape_finish(&d->dominator_of);
}

hsd_status hsd_dominators_put(hsd_dominators *d, hsd_node *above, hsd_error *err)
{
    const hsd_status status = hsd_dominators_put_upper(d, above, err);
    if (status == HSD_END) put_by_place(d, above);
    return status == HSD_OK || status == HSD_END ? hsd_reel_check(&d->reel, err) : status;
}

static bool get_dominator(const hsd_dominators *d, hsd_tape_reader *reader, hsd_node place, hsd_node *dominator)
{
    if (d->dominator_width != 0) return hsd_tape_get_wide(reader, dominator, d->dominator_width);
    return hsd_dominator_get(reader, place, dominator);
}

static bool get_dominator_back(const hsd_dominators *d, hsd_tape_reader *reader, hsd_node place, hsd_node *dominator)
{
    if (d->dominator_width == 0) return hsd_dominator_get_back(reader, place, dominator);
    if (reader->at == reader->begin && !hsd_tape_next_chunk(reader)) return false;
    reader->at -= d->dominator_width;
    *dominator = hsd_tape_between(reader->at, d->dominator_width);
    return true;
}

/* What the array holds is the size less 1, so that it begins with zeros. */
static inline __attribute__((always_inline)) hsd_status add_sizes(order *o, bool is_flat, hsd_error *err)
{
    hsd_dominators *d = o->d;
    hsd_status status = HSD_OK;
    hsd_tape_reader reader;
    hsd_tape_read(&reader, &d->dominator_of, HSD_TAPE_BACKWARD, false);
    for (hsd_node place = d->count - 1; place > 0 && status == HSD_OK; place--) {
        hsd_node dominator;
        if (!get_dominator_back(d, &reader, place, &dominator)) break;
        const hsd_node size = hsd_flat_get_node(&o->sizes, place, is_flat) + 1;
        const hsd_node sum = hsd_flat_get_node(&o->sizes, dominator, is_flat) + size;
        hsd_flat_set_node(&o->sizes, dominator, sum, is_flat);
        if ((place & HSD_DOMINATORS_TICK) == 0) {
            status = hsd_dominators_tick(d, 4, (d->count - place) / 2, d->count, err);
        }
    }
    hsd_tape_close(&reader);
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

static inline __attribute__((always_inline)) hsd_status tell(order *o, hsd_node place, hsd_node node,
                                                             hsd_node dominator, bool is_flat, hsd_error *err)
{
    const hsd_node size = hsd_flat_get_node(&o->sizes, place, is_flat) + 1;
    const hsd_node first = hsd_flat_get_node(&o->sizes, dominator, is_flat);
    const hsd_interval told = {node, first, first + size, hsd_flat_get_node(&o->firsts, dominator, is_flat)};
    hsd_flat_set_node(&o->sizes, dominator, first + size, is_flat);
    hsd_flat_set_node(&o->sizes, place, first + 1, is_flat);
    hsd_flat_set_node(&o->firsts, place, first, is_flat);
    return hsd_tell_place(&o->teller, &told, err);
}

static inline __attribute__((always_inline)) hsd_status tell_all(order *o, bool is_flat, hsd_error *err)
{
    hsd_dominators *d = o->d;
    hsd_tape_reader dominators, nodes;
    hsd_tape_read(&dominators, &d->dominator_of, HSD_TAPE_FORWARD, true);
    hsd_tape_read(&nodes, &d->node_of, HSD_TAPE_FORWARD, true);
    hsd_flat_set_node(&o->sizes, 0, 1, is_flat);
    hsd_status status = hsd_teller_begin(&o->teller, d, err);
    for (hsd_node place = 0; place < d->count && status == HSD_OK; place++) {
        hsd_node dominator, node;
        if (!hsd_dominator_get(&dominators, place, &dominator) || !hsd_tape_get_node(&nodes, &node)) break;
        if ((place & HSD_DOMINATORS_TICK) == 0) {
            status = hsd_dominators_tick(d, 4, d->count / 2 + place / 2, d->count, err);
        }
        if (status == HSD_OK && place > 0) status = tell(o, place, node, dominator, is_flat, err);
    }
    status = hsd_teller_end(&o->teller, status, err);
    hsd_tape_close(&dominators);
    hsd_tape_close(&nodes);
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

static hsd_status sweep_flat(order *o, hsd_error *err)
{
    HSD_TRY(add_sizes(o, true, err));
    return tell_all(o, true, err);
}

static hsd_status sweep_paged(order *o, hsd_error *err)
{
    HSD_TRY(add_sizes(o, false, err));
    return tell_all(o, false, err);
}

/* True if one array fits where two do not. */
static bool has_one_array(const hsd_dominators *d, uint64_t half)
{
    const uint64_t bytes = hsd_dominators_array_bytes(d->count);
    return d->limits.uses_flat && bytes > half && bytes <= 2 * half;
}

static hsd_status order_by_tapes(hsd_dominators *d, hsd_error *err)
{
    hsd_dominators_make_room(d, hsd_dominators_array_bytes(d->count), true);
    hsd_tape_init(&d->parent_of, &d->reel); /* what the walk wrote there is used up */
    return hsd_dominators_order_by_scans(d, err);
}

hsd_status hsd_dominators_order(hsd_dominators *d, hsd_error *err)
{
    order o = {.d = d};
    const uint64_t half = hsd_dominators_spare(d, hsd_teller_bytes(d)) / 2;
    if (has_one_array(d, half)) return order_by_tapes(d, err);
    hsd_status status = hsd_dominators_open(d, &o.sizes, d->count, HSD_NODE_BYTES, half, err);
    if (status == HSD_OK) status = hsd_dominators_open(d, &o.firsts, d->count, HSD_NODE_BYTES, half, err);
    if (status == HSD_OK) {
        hsd_dominators_make_room(d, 0, true);
        hsd_paged_touch(&o.sizes);
        hsd_paged_touch(&o.firsts);
        const bool is_flat = d->limits.uses_flat && o.sizes.is_flat && o.firsts.is_flat;
        status = is_flat ? sweep_flat(&o, err) : sweep_paged(&o, err);
    }
    hsd_paged *arrays[] = {&o.sizes, &o.firsts};
    for (size_t i = 0; i < HSD_ARRAY_LEN(arrays); i++) {
        const hsd_status closed = hsd_dominators_close(d, arrays[i], status == HSD_OK ? err : NULL);
        if (status == HSD_OK) status = closed;
    }
    return status;
}

/* ---- one array at a time ---- */

static hsd_status put_firsts(order *o, hsd_error *err)
{
    hsd_dominators *d = o->d;
    hsd_tape_reader dominators;
    hsd_status status = HSD_OK;
    hsd_node dominator;
    hsd_tape_read(&dominators, &d->dominator_of, HSD_TAPE_FORWARD, false);
    hsd_flat_set_node(&o->sizes, 0, 1, true);
    for (hsd_node place = 0; status == HSD_OK && get_dominator(d, &dominators, place, &dominator); place++) {
        if ((place & HSD_DOMINATORS_TICK) == 0)
            status = hsd_dominators_tick(d, 4, d->count / 3 + place / 3, d->count, err);
        if (place == 0) continue;
        const hsd_node size = hsd_flat_get_node(&o->sizes, place, true) + 1;
        const hsd_node first = hsd_flat_get_node(&o->sizes, dominator, true);
        hsd_flat_set_node(&o->sizes, dominator, first + size, true);
        hsd_flat_set_node(&o->sizes, place, first + 1, true);
        hsd_tape_put_wide(&d->first_of, first, o->width);
        hsd_tape_put_small(&d->size_of, size);
    }
    hsd_tape_close(&dominators);
    hsd_tape_finish(&d->first_of);
    hsd_tape_finish(&d->size_of);
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

/* What was sizes becomes firsts. */
static hsd_status put_parents(order *o, hsd_error *err)
{
    hsd_dominators *d = o->d;
    hsd_tape_reader dominators, firsts;
    hsd_node dominator, first;
    hsd_tape_read(&dominators, &d->dominator_of, HSD_TAPE_FORWARD, true);
    hsd_tape_read(&firsts, &d->first_of, HSD_TAPE_FORWARD, false);
    hsd_flat_set_node(&o->sizes, 0, 0, true);
    get_dominator(d, &dominators, 0, &dominator); /* of the super-root */
    for (hsd_node place = 1;
         get_dominator(d, &dominators, place, &dominator) && hsd_tape_get_wide(&firsts, &first, o->width); place++) {
        hsd_tape_put_wide(&d->parent_of, hsd_flat_get_node(&o->sizes, dominator, true), o->width);
        hsd_flat_set_node(&o->sizes, place, first, true);
    }
    hsd_tape_close(&dominators);
    hsd_tape_close(&firsts);
    hsd_tape_finish(&d->parent_of);
    return hsd_reel_check(&d->reel, err);
}

enum { NODES, FIRSTS, SIZES, PARENTS, TAPES };

/* `node` holds the one before. */
static bool next_node(const hsd_dominators *d, hsd_tape_reader *reader, hsd_node *node)
{
    return d->has_near_nodes ? hsd_near_node_get(reader, node) : hsd_tape_get_node(reader, node);
}

static bool get_told(order *o, hsd_tape_reader *readers, hsd_interval *told)
{
    hsd_node first, size, parent;
    if (!next_node(o->d, &readers[NODES], &told->node) || !hsd_tape_get_wide(&readers[FIRSTS], &first, o->width) ||
        !hsd_tape_get_small(&readers[SIZES], &size) || !hsd_tape_get_wide(&readers[PARENTS], &parent, o->width))
        return false;
    *told = (hsd_interval){told->node, first, first + size, parent};
    return true;
}

static hsd_status tell_tapes(order *o, hsd_error *err)
{
    hsd_dominators *d = o->d;
    hsd_tape *tapes[TAPES] = {&d->node_of, &d->first_of, &d->size_of, &d->parent_of};
    hsd_tape_reader readers[TAPES];
    hsd_status status = hsd_teller_begin(&o->teller, d, err);
    hsd_interval told = {0};
    for (int i = 0; i < TAPES; i++)
        hsd_tape_read(&readers[i], tapes[i], HSD_TAPE_FORWARD, true);
    next_node(d, &readers[NODES], &told.node); /* the super-root */
    for (hsd_node place = 1; place < d->count && status == HSD_OK; place++) {
        if (!get_told(o, readers, &told)) break;
        status = hsd_tell_place(&o->teller, &told, err);
        if (status == HSD_OK && (place & HSD_DOMINATORS_TICK) == 0)
            status = hsd_dominators_tick(d, 4, d->count / 3 * 2 + place / 3, d->count, err);
    }
    status = hsd_teller_end(&o->teller, status, err);
    for (int i = 0; i < TAPES; i++)
        hsd_tape_close(&readers[i]);
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

hsd_status hsd_dominators_order_by_scans(hsd_dominators *d, hsd_error *err)
{
    order o = {.d = d, .width = width_of(d)};
    if (d->upper_pages.data != NULL) return hsd_dominators_order_upper(d, err);
    HSD_TRY(hsd_dominators_open(d, &o.sizes, d->count, HSD_NODE_BYTES,
                                hsd_paged_full_bytes((uint64_t)d->count * HSD_NODE_BYTES), err));
    hsd_status status = add_sizes(&o, true, err);
    if (status == HSD_OK) status = put_firsts(&o, err);
    if (status == HSD_OK) status = put_parents(&o, err);
    const hsd_status closed = hsd_dominators_close(d, &o.sizes, status == HSD_OK ? err : NULL);
    if (status == HSD_OK) status = closed;
    return status == HSD_OK ? tell_tapes(&o, err) : status;
}
