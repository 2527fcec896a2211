/* The numbers of END against the content. See end_counts.h. */
#include "format/end_counts.h"

#include "base/check.h"

static hsd_status check_totals(const hsd_counts *counts, const uint64_t *end, hsd_fault *fault)
{
    const uint64_t objects =
        hsd_add_saturating(end[HSC_END_OBJECTS] - end[HSC_END_PSEUDO], end[HSC_END_COUNTED_OBJECTS]);
    const uint64_t bytes = hsd_add_saturating(end[HSC_END_BYTES], end[HSC_END_COUNTED_BYTES]);
    if (counts->total_objects == objects && counts->total_bytes == bytes) return HSD_OK;
    return hsd_fault_corrupt(fault, "8.5",
                             "the type totals sum up to %llu objects with %llu bytes, the end record to "
                             "%llu with %llu",
                             (unsigned long long)counts->total_objects, (unsigned long long)counts->total_bytes,
                             (unsigned long long)objects, (unsigned long long)bytes);
}

hsd_status hsd_end_check(unsigned i, const hsd_counts *counts, uint64_t blocks, const uint64_t *end, hsd_fault *fault)
{
    const struct {
        unsigned key;
        uint64_t found;
        const char *what;
    } rules[HSD_END_COUNTS] = {
        {HSC_END_OBJECTS, counts->objects, "objects"},
        {HSC_END_PSEUDO, counts->pseudo_objects, "pseudo objects"},
        {HSC_END_REFERENCES, counts->references, "references"},
        {HSC_END_EDGES, counts->edges, "edges"},
        {HSC_END_ROOTS, counts->roots, "roots"},
        {HSC_END_BYTES, counts->bytes, "bytes"},
        {HSC_END_NATIVE_BYTES, counts->native_bytes, "native bytes"},
        {HSC_END_BLOCKS, blocks, "blocks before it"},
        {HSC_END_STRINGS, counts->strings, "strings"},
        {HSC_END_TYPES, counts->types, "types"},
        {HSC_END_LABELS, counts->labels, "labels"},
        {HSC_END_SITES, counts->sites, "sites"},
        {HSC_END_THREADS, counts->threads, "threads"},
        {HSC_END_FRAMES, counts->frames, "frames"},
        {HSC_END_METRICS, counts->metrics, "metrics"},
        {HSC_END_LOSSES, counts->losses, "losses"},
        {HSC_END_LOST, counts->lost, "lost things"},
    };
    if (i >= HSD_END_COUNTS) return check_totals(counts, end, fault);
    if (end[rules[i].key] == rules[i].found) return HSD_OK;
    return hsd_fault_corrupt(fault, "8.4", "the end record says %llu %s, and there are %llu",
                             (unsigned long long)end[rules[i].key], rules[i].what, (unsigned long long)rules[i].found);
}
