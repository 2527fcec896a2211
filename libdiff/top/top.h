/*
 * hsd_top_run for a caller that goes on with what was walked: libdiff/browse builds its index from it.
 */
#ifndef HSD_TOP_TOP_H
#define HSD_TOP_TOP_H

#include "walk/keep.h"
#include "walk/single.h"
#include <hsdiff/top.h>

/* hsd_top_run over `single`, which the caller has initialised and releases; the dominator tree is in it if
 * single->has_tree. `keep` is told each node. Fails as hsd_top_run does. */
hsd_status hsd_top_run_kept(hsd_top **out, hsd_single *single, const hsd_keep *keep, hsd_capture *capture,
                            const hsd_top_options *options, hsd_error *err);

#endif
