/*
 * The formats of answers about one capture, a function for each file that implements one.
 */
#ifndef HSD_REPORT_TOP_FORMATS_H
#define HSD_REPORT_TOP_FORMATS_H

#include <hsdiff/top_report.h>

hsd_status hsd_top_write_text(const hsd_top *top, const hsd_single_options *options,
                              hsd_write_fn write, void *context, hsd_error *err);
hsd_status hsd_top_write_json(const hsd_top *top, const hsd_single_options *options,
                              hsd_write_fn write, void *context, hsd_error *err);
hsd_status hsd_top_write_csv(const hsd_top *top, const hsd_single_options *options,
                             hsd_write_fn write, void *context, hsd_error *err);

hsd_status hsd_paths_write_text(const hsd_paths *paths, const hsd_single_options *options,
                                hsd_write_fn write, void *context, hsd_error *err);
hsd_status hsd_paths_write_json(const hsd_paths *paths, const hsd_single_options *options,
                                hsd_write_fn write, void *context, hsd_error *err);
hsd_status hsd_paths_write_csv(const hsd_paths *paths, const hsd_single_options *options,
                               hsd_write_fn write, void *context, hsd_error *err);

/* An id as its heap writes it: "@123" where ids are the runtime's own numbers (V8), else "0x7f3c10". Returns out. */
char *hsd_format_id(char out[HSD_NUMBER_CHARS], const hsd_capture_info *info, uint64_t id);

#endif
