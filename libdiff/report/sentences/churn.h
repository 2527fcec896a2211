/*
 * What two captures say of one process, and whether what came and what went can be told apart from what only was not
 * recognised.
 */
#ifndef HSD_REPORT_CHURN_H
#define HSD_REPORT_CHURN_H

#include <hsdiff/diff.h>

/* One process, whose runtime began anew with the ids of its objects in between: V8 does where a session of its
 * inspector ends. */
bool hsd_process_numbered_anew(const hsd_capture_info *before, const hsd_capture_info *after);

/*
 * False where sums of what is new and what is freed would mostly tell of objects that stayed: objects were numbered
 * anew, and most of those without a partner have an equal without one on the other side. Growth is right all the same.
 */
bool hsd_churn_is_told(const hsd_diff *diff);

#endif
