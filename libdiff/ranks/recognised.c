/*
 * Objects recognised by structure, which is a matter of the order of all: rank 0 has the sequence of after, and gets
 * that of before, what each object looks like and what it can be joined by (match/sequence.h), some 50 bytes an object.
 * It recognises as one process does, and tells rank 1 each partner.
 *
 *      rank 1   sequence of before ──elements, addresses, owners, anchors──► rank 0 ──partners, rungs──► rank 1
 *      then both count their objects, with the position before as the identity of both
 */
#include "match/recognise.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/stopwatch.h"
#include "ranks/ranked.h"

/* What can be joined, in words: which of them, hash, position. */
enum { NAME, KEY, PLACE, WHOLE, ANCHORS };
enum {
    LOOK_WORDS = 4, /* address, element, element, owner */
    ANCHOR_WORDS = 3,
    PARTNER_WORDS = HSD_TWO_WORDS /* rung, partner */
};

typedef struct sequence_numbers {
    uint64_t count, has_owners, has[ANCHORS];
} sequence_numbers;

typedef struct moving { /* of a sequence from rank 1 to rank 0 and back */
    hsd_ranked *r;
    hsd_side_walk *side;
    hsd_sequence *sequence;
    hsd_scatter scatter;
    sequence_numbers numbers;
    hsd_node next; /* position of what comes next */
} moving;

static hsd_sorter **anchors_of(hsd_sequence *s, unsigned which)
{
    return which == NAME ? &s->names : which == KEY ? &s->keys : &s->places;
}

static bool is_sender(const moving *m) { return hsd_ranked_is(m->r, hsd_ranked_walker(BEFORE)); }
static bool is_receiver(const moving *m) { return hsd_ranked_is(m->r, 0); }

/* ---- numbers ---- */

static hsd_status tell_numbers(moving *m, hsd_error *err)
{
    hsd_sequence *s = m->sequence;
    if (is_sender(m)) {
        m->numbers = (sequence_numbers){.count = s->count, .has_owners = s->owners.page_count > 0};
        for (unsigned which = NAME; which <= PLACE; which++)
            m->numbers.has[which] = *anchors_of(s, which) != NULL;
        m->numbers.has[WHOLE] = hsd_wholes_are_open(&s->wholes);
    }
    return hsd_together_tell_bytes(&m->r->together, hsd_ranked_walker(BEFORE), &m->numbers, sizeof m->numbers, err);
}

/* ---- what comes to rank 0 ---- */

static hsd_status open_array(const moving *m, hsd_paged *array, uint64_t item_bytes, hsd_error *err)
{
    const uint64_t bytes = m->numbers.count * item_bytes;
    return hsd_paged_open(array, bytes, hsd_paged_least_bytes(bytes), m->side->request->space, err);
}

static hsd_status open_sequence(moving *m, hsd_error *err)
{
    hsd_sequence *s = m->sequence;
    const uint64_t sort_bytes = m->side->request->plan.structure_serve_bytes / ANCHORS;
    if (!is_receiver(m)) return HSD_OK;
    s->count = (hsd_node)m->numbers.count;
    HSD_TRY(open_array(m, &s->elements, sizeof(hsd_element), err));
    HSD_TRY(open_array(m, &s->addresses, sizeof(uint64_t), err));
    if (m->numbers.has_owners != 0) HSD_TRY(open_array(m, &s->owners, HSD_NODE_BYTES, err));
    for (unsigned which = NAME; which <= PLACE; which++)
        if (m->numbers.has[which] != 0) HSD_TRY(hsd_side_sorter(m->side, 2, 1, sort_bytes, anchors_of(s, which), err));
    return m->numbers.has[WHOLE] != 0 ? hsd_wholes_open(&s->wholes, m->side->request->space, err) : HSD_OK;
}

static hsd_status take_look(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    moving *m = context;
    const hsd_node at = m->next++;
    const hsd_element element = {.shape = (uint32_t)record[1],
                                 .structure = (uint32_t)(record[1] >> 32),
                                 .referrer = (uint32_t)record[2],
                                 .type = (uint32_t)(record[2] >> 32)};
    (void)from;
    (void)err;
    hsd_paged_set_u64(&m->sequence->addresses, at, record[0]);
    hsd_sequence_write(m->sequence, at, &element);
    if (m->numbers.has_owners != 0) hsd_paged_set_node(&m->sequence->owners, at, (hsd_node)record[3]);
    return HSD_OK;
}

static hsd_status take_anchor(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    moving *m = context;
    (void)from;
    if (record[0] == WHOLE) return hsd_wholes_put(&m->sequence->wholes, record[1], (hsd_node)record[2], err);
    return hsd_sorter_put(*anchors_of(m->sequence, (unsigned)record[0]), record + 1, err);
}

static hsd_status close_sequence(moving *m, hsd_error *err)
{
    hsd_sequence *s = m->sequence;
    if (!is_receiver(m)) return HSD_OK;
    for (unsigned which = NAME; which <= PLACE; which++)
        if (m->numbers.has[which] != 0) HSD_TRY(hsd_side_serve(*anchors_of(s, which), 0, err));
    if (m->numbers.has[WHOLE] != 0) HSD_TRY(hsd_wholes_finish(&s->wholes, err));
    return hsd_sequence_check(s, err);
}

/* ---- what rank 1 sends ---- */

static hsd_status send_looks(moving *m, hsd_error *err)
{
    hsd_sequence *s = m->sequence;
    for (hsd_node at = 0; at < s->count; at++) {
        hsd_element e;
        hsd_sequence_read(s, at, 1, &e);
        const uint64_t record[LOOK_WORDS] = {hsd_paged_get_u64(&s->addresses, at),
                                             (uint64_t)e.structure << 32 | e.shape, (uint64_t)e.type << 32 | e.referrer,
                                             m->numbers.has_owners != 0 ? hsd_paged_get_node(&s->owners, at) : 0};
        HSD_TRY(hsd_scatter_put(&m->scatter, 0, record, err));
    }
    return hsd_sequence_check(s, err);
}

static hsd_status send_whole(void *context, uint64_t whole, hsd_node position, hsd_error *err)
{
    moving *m = context;
    const uint64_t record[ANCHOR_WORDS] = {WHOLE, whole, position};
    return hsd_scatter_put(&m->scatter, 0, record, err);
}

static hsd_status send_anchors(moving *m, hsd_error *err)
{
    for (unsigned which = NAME; which <= PLACE; which++) {
        hsd_sorter *sorter = *anchors_of(m->sequence, which);
        const uint64_t *anchor;
        hsd_status status = sorter == NULL ? HSD_END : HSD_OK;
        while (status == HSD_OK && (status = hsd_sorter_next(sorter, &anchor, err)) == HSD_OK) {
            const uint64_t record[ANCHOR_WORDS] = {which, anchor[0], anchor[1]};
            HSD_TRY(hsd_scatter_put(&m->scatter, 0, record, err));
        }
        if (status != HSD_END) return status;
    }
    return m->numbers.has[WHOLE] != 0 ? hsd_wholes_each(&m->sequence->wholes, send_whole, m, err) : HSD_OK;
}

static hsd_status move_records(moving *m, unsigned words, hsd_scatter_fn take,
                               hsd_status (*send)(moving *, hsd_error *), bool sends, hsd_error *err)
{
    m->next = 0;
    hsd_status status = hsd_scatter_open(&m->scatter, &m->r->together, words, take, m, err);
    if (status == HSD_OK && sends) status = send(m, err);
    return hsd_scatter_finish(&m->scatter, status, err);
}

static hsd_status move_sequence(moving *m, hsd_error *err)
{
    HSD_TRY(tell_numbers(m, err));
    HSD_TRY(hsd_together_agree(&m->r->together, open_sequence(m, err), err));
    HSD_TRY(move_records(m, LOOK_WORDS, take_look, send_looks, is_sender(m), err));
    HSD_TRY(move_records(m, ANCHOR_WORDS, take_anchor, send_anchors, is_sender(m), err));
    return hsd_together_agree(&m->r->together, close_sequence(m, err), err);
}

/* ---- partners go back ---- */

static hsd_status send_partners(moving *m, hsd_error *err)
{
    hsd_sequence *s = m->sequence;
    for (hsd_node at = 0; at < s->count; at++) {
        const uint64_t record[PARTNER_WORDS] = {HSD_TWO(hsd_sequence_rung(s, at), hsd_sequence_partner(s, at))};
        HSD_TRY(hsd_scatter_put(&m->scatter, hsd_ranked_walker(BEFORE), record, err));
    }
    return hsd_sequence_check(s, err);
}

static hsd_status take_partner(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    moving *m = context;
    (void)from;
    (void)err;
    hsd_sequence_set_partner(m->sequence, m->next++, hsd_words_second(record), (hsd_rung)hsd_words_first(record));
    return HSD_OK;
}

/* Positions alone are asked for besides: what it recognised by is of no more use. */
static hsd_status open_partners(moving *m, hsd_error *err)
{
    hsd_sequence *s = m->sequence;
    if (!is_sender(m)) return HSD_OK;
    for (unsigned which = NAME; which <= PLACE; which++) {
        hsd_sorter_free(*anchors_of(s, which));
        *anchors_of(s, which) = NULL;
    }
    hsd_wholes_close(&s->wholes);
    hsd_paged_close(&s->elements);
    hsd_paged_close(&s->addresses);
    if (s->owners.page_count > 0) hsd_paged_close(&s->owners);
    HSD_TRY(open_array(m, &s->partners, HSD_NODE_BYTES, err));
    return open_array(m, &s->rungs, 1, err);
}

static hsd_status move_partners(moving *m, hsd_error *err)
{
    HSD_TRY(hsd_together_agree(&m->r->together, open_partners(m, err), err));
    HSD_TRY(move_records(m, PARTNER_WORDS, take_partner, send_partners, is_receiver(m), err));
    if (is_receiver(m)) hsd_sequence_release(m->sequence);
    return HSD_OK;
}

/* ---- the whole ---- */

static hsd_status recognise_here(hsd_ranked *r, hsd_error *err)
{
    hsd_comparison *c = r->c;
    if (!hsd_ranked_is(r, 0)) return HSD_OK;
    hsd_stopwatch watch = hsd_stopwatch_start(&c->pair.space);
    const hsd_recognise_config config = {.memory_bytes = c->pair.plan.recognise_bytes,
                                         .space = &c->pair.space,
                                         .reporter = c->pair.reporter,
                                         .is_reversed = c->ladder.is_reversed};
    HSD_TRY(hsd_recognise(&c->pair.sides[BEFORE].graph->sequence, &c->pair.sides[AFTER].graph->sequence, &config,
                          &c->recognised, err));
    hsd_stopwatch_note(&watch, c->pair.reporter, "both captures", "recognising objects");
    return HSD_OK;
}

hsd_status hsd_ranked_recognise(hsd_ranked *r, hsd_error *err)
{
    hsd_side_walk *side = &r->c->pair.sides[BEFORE];
    moving m = {.r = r, .side = side, .sequence = &side->graph->sequence};
    HSD_TRY(move_sequence(&m, err));
    HSD_TRY(hsd_together_agree(&r->together, recognise_here(r, err), err));
    return move_partners(&m, err);
}
