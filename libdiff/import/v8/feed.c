/*
 * The window of feed.h. It holds some thousand edges, which is what stays in the first levels of
 * the cache, and grows only for a node with more.
 */
#include "import/v8/feed.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_EDGES ((size_t)4096)
/* type, name, to_node */
#define SPOOLED_BYTES ((size_t)13)

static hsd_status make_room_for_v8_feed(hsd_v8_feed *feed, size_t edges, hsd_error *err)
{
    const size_t wanted = edges * feed->layout->edge_width;
    if (feed->capacity >= wanted) return HSD_OK;
    uint64_t *grown = realloc(feed->items, wanted * sizeof *grown);
    if (grown == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for %zu edges of one node", edges);
    memset(grown + feed->capacity, 0, (wanted - feed->capacity) * sizeof *grown);
    feed->items = grown;
    feed->capacity = wanted;
    return HSD_OK;
}

hsd_status hsd_v8_feed_open(hsd_v8_feed *feed, const hsd_v8_layout *layout, hsd_v8_numbers *numbers, hsd_error *err)
{
    *feed = (hsd_v8_feed){.numbers = numbers, .layout = layout};
    return make_room_for_v8_feed(feed, FIRST_EDGES, err);
}

void hsd_v8_feed_switch(hsd_v8_feed *feed, hsd_v8_spool *spool)
{
    feed->spool = spool;
    feed->at = feed->end = 0;
    feed->is_at_end = false;
}

hsd_status hsd_v8_feed_put_away(hsd_v8_spool *spool, const hsd_v8_layout *layout, const uint64_t *edge, hsd_error *err)
{
    const uint32_t name = (uint32_t)edge[layout->edge_name];
    HSD_TRY(hsd_v8_spool_room(spool, SPOOLED_BYTES, err));
    *spool->at = (uint8_t)(edge[layout->edge_type] > UINT8_MAX ? UINT8_MAX : edge[layout->edge_type]);
    memcpy(spool->at + 1, &name, sizeof name);
    memcpy(spool->at + 5, &edge[layout->to_node], sizeof edge[0]);
    spool->at += SPOOLED_BYTES;
    return HSD_OK;
}

static hsd_status fill_from_spool(hsd_v8_feed *feed, hsd_error *err)
{
    const hsd_v8_layout *layout = feed->layout;
    while (feed->capacity - feed->end >= layout->edge_width) {
        const hsd_status status = hsd_v8_spool_next(feed->spool, err);
        feed->is_at_end = status == HSD_END;
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        uint32_t name;
        uint64_t *edge = &feed->items[feed->end];
        memcpy(&name, feed->spool->at + 1, sizeof name);
        edge[layout->edge_type] = *feed->spool->at;
        edge[layout->edge_name] = name;
        memcpy(&edge[layout->to_node], feed->spool->at + 5, sizeof edge[0]);
        feed->spool->at += SPOOLED_BYTES;
        feed->end += layout->edge_width;
    }
    return HSD_OK;
}

static hsd_status fill_from_numbers(hsd_v8_feed *feed, hsd_error *err)
{
    size_t got = 0;
    const hsd_status status =
        hsd_v8_numbers_read(feed->numbers, feed->items + feed->end, feed->capacity - feed->end, &got, err);
    feed->end += got;
    feed->is_at_end = feed->numbers->is_at_end;
    if (status != HSD_E_TRUNCATED) return status;
    feed->is_at_end = true;
    feed->failure = status;
    if (err != NULL) feed->error = *err;
    return HSD_OK;
}

hsd_status hsd_v8_feed_fill(hsd_v8_feed *feed, size_t edges, hsd_error *err)
{
    const size_t left = feed->end - feed->at;
    HSD_TRY(make_room_for_v8_feed(feed, edges, err));
    memmove(feed->items, feed->items + feed->at, left * sizeof *feed->items);
    feed->at = 0;
    feed->end = left;
    return feed->spool == NULL ? fill_from_numbers(feed, err) : fill_from_spool(feed, err);
}

void hsd_v8_feed_close(hsd_v8_feed *feed)
{
    free(feed->items);
    *feed = (hsd_v8_feed){0};
}
