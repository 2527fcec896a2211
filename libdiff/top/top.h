/*
 * The biggest of one capture, for who keeps what was walked (libdiff/browse).
 */
#ifndef HSD_TOP_TOP_H
#define HSD_TOP_TOP_H

#include "walk/keep.h"
#include "walk/single.h"
#include <hsdiff/top.h>

/* hsd_top_run that keeps its walk, which was initialised and is to be released by the caller. There with has_tree. */
hsd_status hsd_top_run_kept(hsd_top **out, hsd_single *single, const hsd_keep *keep, hsd_capture *capture,
                            const hsd_top_options *options, hsd_error *err);

#endif
