/*
 * Who holds it, in JSON: the holders, what the rest of them adds up to, and the type-path tree.
 */
#ifndef HSD_REPORT_JSON_HOLDERS_H
#define HSD_REPORT_JSON_HOLDERS_H

#include "report/out.h"
#include <hsdiff/report.h>

/* "holders": the first `shown`, or null and "why_no_holders". */
void hsd_json_holders(hsd_out *out, const hsd_diff *diff, size_t shown);

/* "holders" of "others": all but the first `shown`. */
void hsd_json_other_holders(hsd_out *out, const hsd_diff *diff, size_t shown);

/* The fields of one holder, of the sum of all but the first `shown`, of row i of the tree; the caller writes the braces. */
void hsd_json_holder(hsd_out *out, const hsd_diff *diff, const hsd_holder *holder);

/* KEY and a list of holders: who each is and its growth_bytes, without what hangs below. Nothing where there are none. */
void hsd_json_held(hsd_out *out, const char *key, const hsd_holder *const *holders, size_t count);
void hsd_json_holder_rest(hsd_out *out, const hsd_diff *diff, size_t shown);
void hsd_json_place(hsd_out *out, const hsd_diff *diff, size_t i);

/* "tree": one line a row, parents before children; null without holders. */
void hsd_json_tree(hsd_out *out, const hsd_diff *diff);

#endif
