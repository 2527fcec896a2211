/*
 * Two tapes a window, of references and of sums, on one reel. A source is told by how far it is behind the one before,
 * a target by where it is in its window.
 */
#include "match/around.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/tape.h"

#define REFERENCE_BYTES (HSD_VARINT_MOST + HSD_TAPE_MOST_FAR)
#define SUM_BYTES       (HSD_VARINT_MOST + 8u)
#define PROGRESS_MASK   0xfffffu
#define NO_SOURCE       HSD_NODE_MAX

typedef struct window {
    hsd_tape references, sums;
    hsd_tape_reader reader; /* of sums */
    hsd_node last;          /* source that was written last; of sums, the one that comes next */
    uint64_t sum;           /* of the source that comes next */
} window;

struct hsd_around {
    hsd_around_config config;
    hsd_node window_nodes;
    uint32_t count;
    window *windows;
    hsd_node *next; /* by window: the source that comes next; NO_SOURCE = none */
    hsd_reel reel;
};

/* ---- windows ---- */

static hsd_status open_windows(hsd_around *a, hsd_error *err)
{
    const hsd_around_config *c = &a->config;
    const hsd_tape_windows windows = hsd_tape_windows_of(c->node_count, c->window_bytes / c->item_bytes, c->tape_bytes);
    a->window_nodes = windows.each;
    a->count = windows.count;
    hsd_reel_init(&a->reel, false, windows.chunk_bytes, c->space);
    a->windows = calloc(a->count, sizeof *a->windows);
    a->next = calloc(a->count, sizeof *a->next);
    if (a->windows == NULL || a->next == NULL) return hsd_fail_nomem(err, "references by their targets");
    for (uint32_t i = 0; i < a->count; i++) {
        hsd_tape_init(&a->windows[i].references, &a->reel);
        hsd_tape_init(&a->windows[i].sums, &a->reel);
    }
    return HSD_OK;
}

hsd_status hsd_around_new(hsd_around **out, const hsd_around_config *config, hsd_error *err)
{
    HSD_ASSERT(config->item_bytes > 0);
    hsd_around *a = *out = calloc(1, sizeof *a);
    if (a == NULL) return hsd_fail_nomem(err, "references by their targets");
    a->config = *config;
    return open_windows(a, err);
}

void hsd_around_free(hsd_around *a)
{
    if (a == NULL) return;
    for (uint32_t i = 0; i < a->count && a->windows != NULL; i++) {
        hsd_tape_close(&a->windows[i].reader);
        hsd_tape_release(&a->windows[i].references);
        hsd_tape_release(&a->windows[i].sums);
    }
    hsd_reel_release(&a->reel);
    free(a->windows);
    free(a->next);
    free(a);
}

hsd_node hsd_around_window(const hsd_around *a) { return a->window_nodes; }

hsd_status hsd_around_check(const hsd_around *a, hsd_error *err) { return hsd_reel_check(&a->reel, err); }

/* ---- references ---- */

void hsd_around_put(hsd_around *a, hsd_node source, hsd_node target)
{
    HSD_ASSERT(source < a->config.node_count && target < a->config.node_count);
    window *w = &a->windows[target / a->window_nodes];
    HSD_ASSERT(source >= w->last);
    uint8_t *at = hsd_tape_room(&w->references, REFERENCE_BYTES);
    at = hsd_varint_put(at, source - w->last);
    w->references.at = hsd_tape_far_put(at, target % a->window_nodes);
    w->last = source;
}

hsd_status hsd_around_finish(hsd_around *a, hsd_error *err)
{
    for (uint32_t i = 0; i < a->count; i++)
        hsd_tape_finish(&a->windows[i].references);
    return hsd_around_check(a, err);
}

/* ---- a round ---- */

/* `*last` is the source of the sum before. */
static void put_sum(hsd_tape *tape, hsd_node *last, hsd_node source, uint64_t sum)
{
    uint8_t *at = hsd_tape_room(tape, SUM_BYTES);
    at = hsd_varint_put(at, source - *last);
    memcpy(at, &sum, sizeof sum);
    tape->at = at + sizeof sum;
    *last = source;
}

static hsd_status add_up(hsd_around *a, window *w, const hsd_around_round *round, hsd_tape_reader *reader,
                         hsd_error *err)
{
    hsd_node source = 0, written = 0;
    uint64_t sum = 0, seen = 0;
    bool has_sum = false;
    while (hsd_tape_has_more(reader)) {
        hsd_node difference, at;
        reader->at = hsd_tape_far(hsd_tape_varint(reader->at, &difference), &at);
        if (difference > 0 && has_sum) put_sum(&w->sums, &written, source, sum);
        if (difference > 0) sum = 0;
        source += difference;
        sum += round->see(round->context, source, at);
        has_sum = true;
        if ((++seen & PROGRESS_MASK) == 0)
            HSD_TRY(hsd_progress(a->config.reporter, round->name, source, a->config.node_count, err));
    }
    if (has_sum) put_sum(&w->sums, &written, source, sum);
    hsd_tape_finish(&w->sums);
    return hsd_around_check(a, err);
}

static hsd_status run_window(hsd_around *a, uint32_t number, const hsd_around_round *round, hsd_error *err)
{
    window *w = &a->windows[number];
    const hsd_node first = number * a->window_nodes;
    const hsd_node count = (hsd_node)hsd_min_u64(a->window_nodes, a->config.node_count - first);
    hsd_tape_reader reader;
    HSD_TRY(round->begin(round->context, first, count, err));
    hsd_tape_release(&w->sums);
    hsd_tape_init(&w->sums, &a->reel);
    hsd_tape_read(&reader, &w->references, HSD_TAPE_FORWARD, round->is_last);
    const hsd_status status = add_up(a, w, round, &reader, err);
    hsd_tape_close(&reader);
    if (status != HSD_OK || round->end == NULL) return status;
    return round->end(round->context, first, count, err);
}

/* The sum behind the last one of this window. */
static void advance_sum(hsd_around *a, uint32_t number)
{
    window *w = &a->windows[number];
    hsd_node difference;
    if (!hsd_tape_has_more(&w->reader)) {
        a->next[number] = NO_SOURCE;
        return;
    }
    const uint8_t *at = hsd_tape_varint(w->reader.at, &difference);
    memcpy(&w->sum, at, sizeof w->sum);
    w->reader.at = at + sizeof w->sum;
    a->next[number] += difference;
}

static void begin_sums(hsd_around *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        hsd_tape_close(&a->windows[i].reader);
        hsd_tape_read(&a->windows[i].reader, &a->windows[i].sums, HSD_TAPE_FORWARD, true);
        a->next[i] = 0;
        advance_sum(a, i);
    }
}

hsd_status hsd_around_run(hsd_around *a, const hsd_around_round *round, hsd_error *err)
{
    for (uint32_t i = 0; i < a->count && a->config.node_count > 0; i++)
        HSD_TRY(run_window(a, i, round, err));
    begin_sums(a);
    return hsd_around_check(a, err);
}

uint64_t hsd_around_next_sum(hsd_around *a, hsd_node source)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        while (a->next[i] < source)
            advance_sum(a, i);
        if (a->next[i] != source) continue;
        sum += a->windows[i].sum;
        advance_sum(a, i);
    }
    return sum;
}
