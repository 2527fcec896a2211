/* The rules that make a capture a baseline (FORMAT.md 6.17, 7.11). See verify_state.h. */
#include "base/check.h"
#include "format/capture_state.h"
#include "format/verify_state.h"

#define FACT_BASELINE 0x40u /* FORMAT.md 8.2, key 9 */

static bool is_baseline(const hsd_verifier *v) { return v->has_info && (v->facts & FACT_BASELINE) != 0; }

bool hsd_verify_reads(hsd_verifier *v, uint8_t type)
{
    if (!hsd_block_is_of_sums(type)) return !hsd_block_is_skipped(type);
    if (!v->has_info || is_baseline(v)) return true;
    if (!v->is_locating)
        hsd_verify_tell(v, "7.11", "%s stand in a capture that is no baseline", hsd_block_type_name(type));
    return false;
}

void hsd_verify_baseline_object(hsd_verifier *v, const hsd_object *object)
{
    if (!is_baseline(v)) return;
    if (object->reference_count > 0)
        hsd_verify_tell(v, "7.11", "object 0x%llx of a baseline has references", (unsigned long long)object->id);
    if (v->has_object && object->id < v->last_object)
        hsd_verify_tell(v, "7.11", "object 0x%llx of a baseline stands behind a greater id",
                        (unsigned long long)object->id);
    v->last_object = object->id;
    v->has_object = true;
}

/* The live totals, with what is unreached, against the type totals. */
static void check_sums(hsd_verifier *v)
{
    const hsd_counts *counts = &v->content.counts;
    if (counts->sum_objects == counts->total_objects && counts->sum_bytes == counts->total_bytes) return;
    hsd_verify_tell(v, "6.17",
                    "the live totals sum up to %llu objects with %llu bytes, the type totals to %llu with %llu",
                    (unsigned long long)counts->sum_objects, (unsigned long long)counts->sum_bytes,
                    (unsigned long long)counts->total_objects, (unsigned long long)counts->total_bytes);
}

void hsd_verify_baseline(hsd_verifier *v)
{
    const hsd_counts *counts = &v->content.counts;
    if (!is_baseline(v)) return;
    hsd_verify_at(v, v->blocks.refs[0].offset_bytes, v->blocks.refs[0].number);
    if ((v->facts & HSD_FACTS_OF_BASELINE) != HSD_FACTS_OF_BASELINE)
        hsd_verify_tell(v, "7.11", "it is a baseline, and does not say that it has no roots and references");
    if ((counts->roots | counts->edges) != 0)
        hsd_verify_tell(v, "7.11", "it is a baseline, and has %llu roots and %llu edges",
                        (unsigned long long)counts->roots, (unsigned long long)counts->edges);
    if (v->file.header.minor < HSC_VERSION_MINOR_BASELINE && !v->is_salvaged) /* a reader of 1.0 salvages as 1.0 */
        hsd_verify_tell(v, "3.4", "it is a baseline, and says that it is of version %u.%u", v->file.header.major,
                        v->file.header.minor);
    if (!v->has_lost && v->end[HSC_END_STATE] == HSC_STATE_COMPLETE) check_sums(v);
}
