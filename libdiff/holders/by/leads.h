/*
 * References that lead to what is asked for, a batch ahead: who holds what together is asked of these alone, a part of
 * all. A second thread, with a view of the graph of its own, goes through the lists of sources, leaves out what leads
 * to what is plain, and looks up where numbers of the others stand.
 *
 *      lists ──is_source, is_plain──► | batch being filled |    | batch being read | ──► next
 *                                       └── they change places when both are done ──┘
 */
#ifndef HSD_HOLDERS_BY_LEADS_H
#define HSD_HOLDERS_BY_LEADS_H

#include "base/worker.h"
#include "graph/adjacency.h"
#include "holders/by/by.h"

typedef struct hsd_by_lead {
    hsd_node target, slot;
} hsd_by_lead;

typedef struct hsd_by_leads_part { /* of a list; leads follow */
    hsd_node source;
    uint32_t count;
    bool has_more; /* the next part is of the same list */
} hsd_by_leads_part;

typedef struct hsd_by_leads { /* stays where it is from begin to end */
    const hsd_by_search *s;
    hsd_adjacency *view;
    uint8_t *batches[2];
    size_t sizes[2];
    unsigned filling; /* of the batches */
    size_t at;        /* in the one that is read */
    hsd_node node;    /* whose list comes next */
    hsd_targets targets;
    bool is_within; /* a part of the node's list was put */
    bool is_at_end;
    hsd_worker worker;
} hsd_by_leads;

/* Memory of both batches. */
#define HSD_BY_LEADS_BYTES ((size_t)512 << 10)

/* Nobody writes bits of nodes and slots until the end. */
hsd_status hsd_by_leads_begin(hsd_by_leads *leads, const hsd_by_search *s, hsd_error *err);

/* The next part, in the order of sources, borrowed until the next call, with its leads behind it. Sources of which
 * nothing leads to what is asked for are left out. HSD_END after the last. */
hsd_status hsd_by_leads_next(hsd_by_leads *leads, const hsd_by_leads_part **part, hsd_error *err);

static inline const hsd_by_lead *hsd_by_leads_of(const hsd_by_leads_part *part)
{
    return (const hsd_by_lead *)(const void *)(part + 1);
}

/* Also after a failure; a zeroed one is accepted. */
void hsd_by_leads_end(hsd_by_leads *leads);

#endif
