/* The order of a baseline's sums. See sums.h. */
#include "format/sums.h"

hsd_status hsd_sum_begin(const hsd_sum_walk *walk, const hsd_block_header *header, hsd_fault *fault)
{
    if (header->type != HSC_BLOCK_PLACES || header->first_ordinal == walk->places) return HSD_OK;
    return hsd_fault_corrupt(fault, "4.10", "its first place is number %llu, and %u places stand before it",
                             (unsigned long long)header->first_ordinal, (unsigned)walk->places);
}

static hsd_status step_type(hsd_sum_walk *walk, const hsd_live_total *total, hsd_fault *fault)
{
    if (total->type <= walk->last_type) {
        return hsd_fault_corrupt(fault, "6.17", "the live total of type %u stands behind that of type %u",
                                 (unsigned)total->type, (unsigned)walk->last_type);
    }
    walk->last_type = total->type;
    return HSD_OK;
}

static hsd_status step_root(hsd_sum_walk *walk, const hsd_root_total *total, hsd_fault *fault)
{
    if (total->name <= walk->last_root) {
        return hsd_fault_corrupt(fault, "6.18", "the root total of string %u stands behind that of string %u",
                                 (unsigned)total->name, (unsigned)walk->last_root);
    }
    walk->last_root = total->name;
    return HSD_OK;
}

static hsd_status step_heap(const hsd_place_total *place, hsd_fault *fault)
{
    if ((place->name | place->parent) == 0) return HSD_OK;
    return hsd_fault_corrupt(fault, "6.19", "place 0 is not the heap");
}

static hsd_status step_place(hsd_sum_walk *walk, hsd_place_total *place, hsd_fault *fault)
{
    uint32_t depth = walk->depth;
    if (walk->places == HSC_MAX_PLACES)
        return hsd_fault_corrupt(fault, "10.10", "it has more than %u places", (unsigned)HSC_MAX_PLACES);
    if (walk->places == 0) {
        walk->places = 1;
        return step_heap(place, fault);
    }
    if (place->name == 0) return hsd_fault_corrupt(fault, "6.19", "place %u has no name", (unsigned)walk->places);
    while (depth > 0 && walk->way[depth] != place->parent)
        depth--;
    if (walk->way[depth] != place->parent) {
        return hsd_fault_corrupt(fault, "6.19", "place %u hangs from place %u, which is not on the way to it",
                                 (unsigned)walk->places, (unsigned)place->parent);
    }
    if (depth == HSC_MAX_PLACE_DEPTH)
        return hsd_fault_corrupt(fault, "10.11", "place %u is deeper than %u", (unsigned)walk->places,
                                 HSC_MAX_PLACE_DEPTH);
    walk->depth = place->depth = depth + 1;
    walk->way[walk->depth] = walk->places++;
    return HSD_OK;
}

hsd_status hsd_sum_step(hsd_sum_walk *walk, uint8_t type, hsd_record *record, hsd_fault *fault)
{
    switch (type) {
    case HSC_BLOCK_LIVE_TOTALS: return step_type(walk, &record->live_total, fault);
    case HSC_BLOCK_ROOT_TOTALS: return step_root(walk, &record->root_total, fault);
    default: return step_place(walk, &record->place_total, fault);
    }
}
