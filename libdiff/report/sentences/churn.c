/*
 * What two captures of one process, numbered anew in between, can say of what came and went.
 */
#include "report/sentences/churn.h"

#include <string.h>

bool hsd_process_numbered_anew(const hsd_capture_info *before, const hsd_capture_info *after)
{
    return hsd_capture_same_process(before, after) && memcmp(before->domain, after->domain, sizeof before->domain) != 0;
}

bool hsd_churn_is_told(const hsd_diff *diff)
{
    const uint64_t twins = diff->match.rungs[HSD_MATCH_TWINS].objects;
    const uint64_t without = diff->match.unmatched_before + diff->match.unmatched_after;
    const uint64_t undecidable = diff->match.ambiguous > twins ? diff->match.ambiguous - twins : 0;
    if (!diff->is_by_structure || !hsd_process_numbered_anew(&diff->before.info, &diff->after.info)) return true;
    return undecidable <= without / 2;
}
