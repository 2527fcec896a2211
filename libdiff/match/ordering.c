/* A tape for each window, and one window in memory at a time. */
#include "match/ordering.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/tape.h"

#define WINDOW_LEAST (UINT64_C(64) << 10)
#define RECORD_BYTES (2 * HSD_NODE_BYTES + (uint32_t)sizeof(hsd_element) + 8u)
#define NAME         "ordering elements"

_Static_assert(RECORD_BYTES <= HSD_TAPE_MAX_RECORD, "a record must fit");

struct hsd_ordering {
    hsd_ordering_config config;
    hsd_node window; /* positions */
    uint32_t count;
    hsd_tape *tapes;
    hsd_reel reel;
    hsd_ordered *now; /* of the window at hand */
};

static hsd_status open_tapes(hsd_ordering *o, hsd_error *err)
{
    const uint64_t bytes = hsd_max_u64(o->config.window_bytes, WINDOW_LEAST);
    const hsd_tape_windows windows =
        hsd_tape_windows_of(o->config.sequence->count, bytes / sizeof(hsd_ordered), o->config.tape_bytes);
    o->window = windows.each;
    o->count = windows.count;
    hsd_reel_init(&o->reel, false, windows.chunk_bytes, o->config.space);
    o->tapes = calloc(o->count, sizeof *o->tapes);
    if (o->tapes == NULL) return hsd_fail_nomem(err, "what objects look like");
    for (uint32_t i = 0; i < o->count; i++)
        hsd_tape_init(&o->tapes[i], &o->reel);
    return HSD_OK;
}

hsd_status hsd_ordering_new(hsd_ordering **out, const hsd_ordering_config *config, hsd_error *err)
{
    hsd_ordering *o = *out = calloc(1, sizeof *o);
    if (o == NULL) return hsd_fail_nomem(err, "what objects look like");
    o->config = *config;
    return open_tapes(o, err);
}

void hsd_ordering_free(hsd_ordering *o)
{
    if (o == NULL) return;
    for (uint32_t i = 0; i < o->count && o->tapes != NULL; i++)
        hsd_tape_release(&o->tapes[i]);
    hsd_reel_release(&o->reel);
    free(o->tapes);
    free(o->now);
    free(o);
}

static uint8_t *put_part(uint8_t *to, const void *part, size_t size)
{
    memcpy(to, part, size);
    return to + size;
}

void hsd_ordering_put(hsd_ordering *o, hsd_node position, const hsd_ordered *told)
{
    HSD_ASSERT(position < o->config.sequence->count);
    hsd_tape *tape = &o->tapes[position / o->window];
    const hsd_node at = position % o->window;
    uint8_t *to = hsd_tape_room(tape, RECORD_BYTES);
    to = put_part(to, &at, sizeof at);
    to = put_part(to, &told->element, sizeof told->element);
    to = put_part(to, &told->owner, sizeof told->owner);
    tape->at = put_part(to, &told->whole, sizeof told->whole);
}

static const uint8_t *get_part(const uint8_t *from, void *part, size_t size)
{
    memcpy(part, from, size);
    return from + size;
}

static hsd_status read_window(hsd_ordering *o, uint32_t number, hsd_error *err)
{
    hsd_tape_reader reader;
    hsd_tape_read(&reader, &o->tapes[number], HSD_TAPE_FORWARD, true);
    while (hsd_tape_has_more(&reader)) {
        hsd_node at;
        const uint8_t *from = get_part(reader.at, &at, sizeof at);
        hsd_ordered *told = &o->now[at];
        from = get_part(from, &told->element, sizeof told->element);
        from = get_part(from, &told->owner, sizeof told->owner);
        reader.at = get_part(from, &told->whole, sizeof told->whole);
    }
    hsd_tape_close(&reader);
    return hsd_reel_check(&o->reel, err);
}

static hsd_status write_window(hsd_ordering *o, hsd_node first, hsd_node count, hsd_error *err)
{
    hsd_sequence *s = o->config.sequence;
    const bool has_owners = s->owners.page_count > 0;
    for (hsd_node i = 0; i < count; i++) {
        const hsd_ordered *told = &o->now[i];
        hsd_sequence_write(s, first + i, &told->element);
        if (has_owners) hsd_paged_set_node(&s->owners, first + i, told->owner);
        if (told->whole != HSD_NO_WHOLE) HSD_TRY(hsd_wholes_put(&s->wholes, told->whole, first + i, err));
    }
    return hsd_sequence_check(s, err);
}

static hsd_status order_windows(hsd_ordering *o, hsd_error *err)
{
    const hsd_node positions = o->config.sequence->count;
    for (uint32_t i = 0; i < o->count && positions > 0; i++) {
        const hsd_node first = i * o->window, count = (hsd_node)hsd_min_u64(o->window, positions - first);
        HSD_TRY(hsd_progress(o->config.reporter, NAME, first, positions, err));
        memset(o->now, 0, (size_t)count * sizeof *o->now);
        HSD_TRY(read_window(o, i, err));
        HSD_TRY(write_window(o, first, count, err));
    }
    return HSD_OK;
}

hsd_status hsd_ordering_finish(hsd_ordering *o, hsd_error *err)
{
    for (uint32_t i = 0; i < o->count; i++)
        hsd_tape_finish(&o->tapes[i]);
    HSD_TRY(hsd_reel_check(&o->reel, err));
    o->now = malloc((size_t)o->window * sizeof *o->now);
    if (o->now == NULL) return hsd_fail_nomem(err, "what objects look like");
    return order_windows(o, err);
}
