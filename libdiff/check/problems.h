/*
 * Whether the captures themselves can be judged: what makes any answer a guess is a problem (status 3), what shifts it
 * a note.
 */
#ifndef HSD_CHECK_PROBLEMS_H
#define HSD_CHECK_PROBLEMS_H

#include "check/store.h"

typedef struct hsd_problem_lists {
    hsd_check_store *store;
    hsd_check_list problems, notes;
} hsd_problem_lists;

/*
 *      incomplete, salvaged, partial         a problem, with allow_incomplete a note
 *      losses: more than 1 in 1,000 objects  likewise; fewer: a note
 *      other runtime, format, pointer width  a problem: sizes and names of the same objects differ
 *      redacted, and not redacted            a problem: names do not compare
 *      one process, the later one first      a problem: growth looks like shrinking
 *      a series of one process and another   a problem: what the first one leaked is gone
 *      one capture twice                     a problem: nothing happened in between
 *      other version of the runtime          a note
 * Else two processes are none: sums compare, and so does each capture of a run of its own. Of a series all captures are
 * held against the first. At most 16.
 */
hsd_status hsd_problems_of_diff(hsd_problem_lists *lists, const hsd_diff *diff, bool allow_incomplete, hsd_error *err);
hsd_status hsd_problems_of_series(hsd_problem_lists *lists, const hsd_series *series, bool allow_incomplete,
                                  hsd_error *err);

#endif
