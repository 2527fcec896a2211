/*
 * Two batches that take turns. A part has room in a batch or begins the next one, so none lies in two.
 */
#include "holders/by/leads.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"

#define BATCH_BYTES (HSD_BY_LEADS_BYTES / 2)
#define PART_MOST   (sizeof(hsd_by_leads_part) + HSD_ADJACENCY_PART_ITEMS * sizeof(hsd_by_lead))

_Static_assert(sizeof(hsd_by_leads_part) % _Alignof(hsd_by_lead) == 0, "leads follow their part");
_Static_assert(sizeof(hsd_by_lead) % _Alignof(hsd_by_leads_part) == 0, "a part follows leads");
_Static_assert(PART_MOST <= BATCH_BYTES, "a part must fit");

/* The list at hand, or the next one that is asked about; false at the end. */
static bool find_list(hsd_by_leads *l)
{
    const hsd_by_search *s = l->s;
    if (l->is_within) {
        hsd_adjacency_more(l->view, &l->targets);
        return true;
    }
    for (; l->node < s->side->node_count; l->node++) {
        if (l->node % 64 == 0 && s->slot_bits[l->node / 64] == 0) { /* a source has a slot */
            l->node += 63;
            continue;
        }
        if (!hsd_bit_get(s->is_source, l->node) || hsd_adjacency_is_leaf(l->view, l->node)) continue;
        hsd_adjacency_get(l->view, l->node, &l->targets);
        return true;
    }
    return false;
}

/* What is left of a part of the list goes to `out`; the bytes that it takes. A list of one part is left out where
 * nothing of it is. */
static size_t put_part(hsd_by_leads *l, uint8_t *out)
{
    const hsd_by_search *s = l->s;
    hsd_by_leads_part *part = (hsd_by_leads_part *)(void *)out;
    hsd_by_lead *leads = (hsd_by_lead *)(void *)(part + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->targets.count; i++) {
        const hsd_node target = l->targets.items[i];
        if (hsd_bit_get(s->is_plain, target)) continue;
        leads[count++] = (hsd_by_lead){target, hsd_by_slot(s, target)};
    }
    *part = (hsd_by_leads_part){.source = l->node, .count = count, .has_more = l->targets.has_more};
    const bool is_left_out = count == 0 && !l->is_within && !l->targets.has_more;
    l->is_within = l->targets.has_more;
    if (!l->is_within) l->node++;
    return is_left_out ? 0 : sizeof *part + count * sizeof *leads;
}

static hsd_status fill_leads(void *context, hsd_error *err)
{
    hsd_by_leads *l = context;
    uint8_t *batch = l->batches[l->filling];
    size_t size = 0;
    while (BATCH_BYTES - size >= PART_MOST && find_list(l))
        size += put_part(l, batch + size);
    l->sizes[l->filling] = size;
    return hsd_adjacency_check(l->view, err);
}

hsd_status hsd_by_leads_begin(hsd_by_leads *l, const hsd_by_search *s, hsd_error *err)
{
    *l = (hsd_by_leads){.s = s};
    for (size_t i = 0; i < 2; i++) {
        l->batches[i] = malloc(BATCH_BYTES);
        if (l->batches[i] == NULL) return hsd_fail_nomem(err, "what holds together");
    }
    HSD_TRY(hsd_adjacency_view(s->side->adjacency, &l->view, err));
    hsd_worker_begin_again(&l->worker, fill_leads, l);
    return HSD_OK;
}

/* The batch that was filled, while the other one is. */
static hsd_status turn_leads(hsd_by_leads *l, hsd_error *err)
{
    if (l->is_at_end) return HSD_END;
    HSD_TRY(hsd_worker_finish(&l->worker, err));
    l->is_at_end = l->sizes[l->filling] == 0;
    if (l->is_at_end) return HSD_END;
    l->filling ^= 1u;
    l->at = 0;
    hsd_worker_begin_again(&l->worker, fill_leads, l);
    return HSD_OK;
}

hsd_status hsd_by_leads_next(hsd_by_leads *l, const hsd_by_leads_part **part, hsd_error *err)
{
    const unsigned reading = l->filling ^ 1u;
    if (l->at == l->sizes[reading]) HSD_TRY(turn_leads(l, err));
    *part = (const hsd_by_leads_part *)(const void *)(l->batches[l->filling ^ 1u] + l->at);
    l->at += sizeof **part + (*part)->count * sizeof(hsd_by_lead);
    return HSD_OK;
}

void hsd_by_leads_end(hsd_by_leads *l)
{
    if (l->worker.is_running)
        (void)hsd_worker_finish(&l->worker, NULL); /* nobody asks for what it may have failed at */
    hsd_worker_end(&l->worker);
    if (l->view != NULL) hsd_adjacency_free(l->view);
    for (size_t i = 0; i < 2; i++)
        free(l->batches[i]);
    *l = (hsd_by_leads){.s = NULL};
}
