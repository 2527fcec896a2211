/*
 * The rows that a rule tells of: chosen by how far they are over, the largest first, and filled with what holds them.
 * A shortlist keeps the best of any number of candidates in fixed memory; ties go by name, root, path, place in the
 * table.
 */
#ifndef HSD_CHECK_FINDINGS_H
#define HSD_CHECK_FINDINGS_H

#include "check/facts.h"
#include "check/grown.h"

#define HSD_FINDINGS_MOST    100u
#define HSD_CARRIERS_MOST    20u
#define HSD_CARRIERS_PERCENT 90u

typedef struct hsd_candidate {
    hsd_fact_table table;
    size_t row;
    int64_t excess, growth;
    const hsd_allowance *allowed;
    bool is_levelled;
} hsd_candidate;

typedef struct hsd_shortlist {
    const hsd_facts *facts;
    hsd_candidate items[HSD_FINDINGS_MOST];
    size_t count, most;
    uint64_t total;  /* candidates, kept or not */
    uint64_t growth; /* their sum */
} hsd_shortlist;

void hsd_shortlist_put(hsd_shortlist *list, const hsd_candidate *candidate);

/* Best first; no more can be put. */
void hsd_shortlist_sort(hsd_shortlist *list);

/* Leaves those that make up HSD_CARRIERS_PERCENT of the growth of all. After sorting. */
void hsd_shortlist_cut(hsd_shortlist *list);

/* Names, path and sites of a finding. Numbers are `grown`'s. */
void hsd_finding_fill(hsd_finding *finding, const hsd_facts *facts, const hsd_candidate *candidate,
                      const hsd_fact *fact, const hsd_grown *grown, hsd_subject subject);

/* The type that says where a finding was allocated: its own, or what its holder got most of; empty = not known. */
hsd_text hsd_finding_type(const hsd_finding *finding, hsd_subject subject);

#endif
