/*
 * The rung of order: between two objects that were recognised, what lies between them in address order on one side is
 * brought into line with what lies between them on the other.
 *
 *      before   … A  p q r s  B …             A, B recognised
 *      after    … A' p' r' s' B' …            p p', r r', s s'; q is freed
 *
 * A gap is *closed* when both its ends are neighbours on both sides; else (a region was moved elsewhere) elements are
 * only followed from one end as long as most of them agree. The beginning and the end of both sequences count as
 * recognised neighbours.
 */
#ifndef HSD_MATCH_SWEEP_H
#define HSD_MATCH_SWEEP_H

#include "base/note.h"
#include "match/sequence.h"

/*
 * Elements that a walk from a recognised neighbour may leave out before the pairs behind them are HSD_RUNG_TWINS. In a
 * heap of many alike objects in a repeating pattern, a whole period can go without a trace; that happens about once in
 * 2,000 of those that go, and behind it everything is out by one, up to the next type that was not met for long.
 */
#define HSD_SWEEP_SURE 512u

typedef struct hsd_sweep_pairs {
    uint64_t order, changed, twins;
} hsd_sweep_pairs;

/*
 * A pass over all gaps in the order of `before` for what is alike, and one over closed gaps for what is of one type,
 * which ends with doubt (match/doubt.h). Each reads elements, partners and is_shared of both in order, but for gaps
 * whose other side lies elsewhere; every gap a fixed number of times. Adds the pairs to `made`. Some 900 KiB of its
 * own. HSD_E_NOMEM, HSD_E_IO, HSD_E_CANCELLED.
 */
hsd_status hsd_sweep_alike(hsd_sequence *before, hsd_sequence *after, hsd_reporter *reporter, hsd_sweep_pairs *made,
                           hsd_error *err);
hsd_status hsd_sweep_types(hsd_sequence *before, hsd_sequence *after, hsd_reporter *reporter, hsd_sweep_pairs *made,
                           hsd_error *err);

#endif
