/*
 * What two captures of one process, numbered anew in between, can say of what came and went.
 */
#include "report/churn.h"

#include <string.h>

bool hsd_process_numbered_anew(const hsd_capture_info *before, const hsd_capture_info *after)
{
    const bool is_same = before->pid > 0 && before->pid == after->pid && before->started_unix_ns > 0 &&
                         before->started_unix_ns == after->started_unix_ns;
    return is_same && memcmp(before->domain, after->domain, sizeof before->domain) != 0;
}

bool hsd_churn_is_told(const hsd_diff *diff)
{
    const uint64_t twins = diff->match.rungs[HSD_MATCH_TWINS].objects;
    const uint64_t without = diff->match.unmatched_before + diff->match.unmatched_after;
    const uint64_t undecidable = diff->match.ambiguous > twins ? diff->match.ambiguous - twins : 0;
    if (!diff->is_by_structure || !hsd_process_numbered_anew(&diff->before.info, &diff->after.info)) return true;
    return undecidable <= without / 2;
}
