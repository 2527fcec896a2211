/*
 * Step 5 by windows: as in dominators/order.c, but what refers to no upper place has size 1, so arrays are as long as
 * there are upper places.
 */
#include "base/check.h"
#include "graph/dominators/windows.h"

typedef struct window_order {
    hsd_windows *w;
    hsd_dominators *d;
    hsd_paged sizes;  /* a number a rank: size - 1; then the next free one */
    hsd_paged firsts; /* a number a rank */
    hsd_dominators_teller teller;
    hsd_node node; /* that was told last */
} window_order;

static hsd_node dominator_rank(hsd_node stored, hsd_node rank)
{
    const hsd_node value = hsd_window_value(stored, rank);
    return value < rank ? value : 0;
}

/* From the last place to the first. */
static hsd_status add_window(window_order *o, uint32_t window, hsd_error *err)
{
    hsd_windows *w = o->w;
    const hsd_node begin = hsd_window_begin(w, window), end = hsd_window_begin(w, window + 1);
    hsd_tape_reader values;
    hsd_status status = HSD_OK;
    hsd_node rank = w->ranks[window + 1], stored;
    hsd_tape_read(&values, &w->values[window], HSD_TAPE_BACKWARD, false);
    for (hsd_node place = end; place-- > begin && place > 0 && status == HSD_OK;) {
        const bool is_upper = hsd_bit_get(w->upper, place);
        if (!hsd_tape_get_spread_back(&values, &stored)) break;
        rank -= is_upper;
        const hsd_node dominator = dominator_rank(stored, rank),
                       size = 1 + (is_upper ? hsd_paged_get_node(&o->sizes, rank) : 0);
        hsd_paged_set_node(&o->sizes, dominator, hsd_paged_get_node(&o->sizes, dominator) + size);
        if ((place & HSD_DOMINATORS_TICK) == 0)
            status = hsd_dominators_tick(o->d, 4, (w->places - place) / 2, w->places, err);
    }
    hsd_tape_close(&values);
    return status == HSD_OK ? hsd_reel_check(&o->d->reel, err) : status;
}

static hsd_status tell(window_order *o, hsd_node node, hsd_node dominator, hsd_node rank, bool is_upper, hsd_error *err)
{
    const hsd_node size = 1 + (is_upper ? hsd_paged_get_node(&o->sizes, rank) : 0);
    const hsd_node first = hsd_paged_get_node(&o->sizes, dominator);
    const hsd_interval told = {node, first, first + size, hsd_paged_get_node(&o->firsts, dominator)};
    hsd_paged_set_node(&o->sizes, dominator, first + size);
    if (is_upper) {
        hsd_paged_set_node(&o->sizes, rank, first + 1);
        hsd_paged_set_node(&o->firsts, rank, first);
    }
    return hsd_tell_place(&o->teller, &told, err);
}

static hsd_status tell_window(window_order *o, uint32_t window, hsd_tape_reader *nodes, hsd_error *err)
{
    hsd_windows *w = o->w;
    const hsd_node begin = hsd_window_begin(w, window), end = hsd_window_begin(w, window + 1);
    hsd_tape_reader values;
    hsd_status status = HSD_OK;
    hsd_node rank = w->ranks[window], stored;
    hsd_tape_read(&values, &w->values[window], HSD_TAPE_FORWARD, true);
    for (hsd_node place = begin; place < end && status == HSD_OK; place++) {
        const bool is_upper = hsd_bit_get(w->upper, place);
        if (!hsd_near_node_get(nodes, &o->node)) break;
        if (place > 0) {
            if (!hsd_tape_get_spread(&values, &stored)) break;
            status = tell(o, o->node, dominator_rank(stored, rank), rank, is_upper, err);
        }
        rank += is_upper;
        if ((place & HSD_DOMINATORS_TICK) == 0 && status == HSD_OK)
            status = hsd_dominators_tick(o->d, 4, w->places / 2 + place / 2, w->places, err);
    }
    hsd_tape_close(&values);
    return status == HSD_OK ? hsd_reel_check(&o->d->reel, err) : status;
}

static hsd_status tell_windows(window_order *o, hsd_error *err)
{
    hsd_tape_reader nodes;
    hsd_paged_set_node(&o->sizes, 0, 1);
    hsd_status status = hsd_teller_begin(&o->teller, o->d, err);
    hsd_tape_read(&nodes, &o->d->node_of, HSD_TAPE_FORWARD, true);
    for (uint32_t window = 0; window < o->w->count && status == HSD_OK; window++)
        status = tell_window(o, window, &nodes, err);
    hsd_tape_close(&nodes);
    return hsd_teller_end(&o->teller, status, err);
}

hsd_status hsd_windows_order(hsd_dominators *d, hsd_error *err)
{
    window_order o = {.w = d->windows, .d = d};
    const uint64_t half = hsd_dominators_spare(d, d->windows->upper_pages.size) / 2;
    const hsd_node ranks = d->windows->ranks[d->windows->count];
    hsd_status status = hsd_dominators_open(d, &o.sizes, ranks, HSD_NODE_BYTES, half, err);
    if (status == HSD_OK) status = hsd_dominators_open(d, &o.firsts, ranks, HSD_NODE_BYTES, half, err);
    for (uint32_t window = d->windows->count; window-- > 0 && status == HSD_OK;)
        status = add_window(&o, window, err);
    if (status == HSD_OK) status = tell_windows(&o, err);
    hsd_paged *arrays[] = {&o.sizes, &o.firsts};
    for (size_t i = 0; i < HSD_ARRAY_LEN(arrays); i++) {
        const hsd_status closed = hsd_dominators_close(d, arrays[i], status == HSD_OK ? err : NULL);
        if (status == HSD_OK) status = closed;
    }
    return status;
}
