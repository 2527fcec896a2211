/*
 * Sentences about one capture, for all formats that people read. The text is foreign: escape it as a whole, when it is
 * complete.
 */
#ifndef HSD_REPORT_MODEL_SAY_H
#define HSD_REPORT_MODEL_SAY_H

#include "report/model/model.h"
#include <hsdiff/top.h>

/* Appends text of ours. */
hsd_status hsd_say(hsd_buffer *text, const char *words, hsd_error *err);

/* "412.6 MiB", exact with --bytes. Returns out. */
char *hsd_said_size(const hsd_model *model, char out[HSD_NUMBER_CHARS], uint64_t bytes);

/* "Live heap: 412.6 MiB in 3,118,204 objects." */
hsd_status hsd_say_size(hsd_buffer *text, const hsd_model *model, const hsd_side *side, hsd_error *err);

/* "WORDS: 1.88 KiB in 20 objects."; nothing where there are none. */
hsd_status hsd_say_amount(hsd_buffer *text, const hsd_model *model, const char *words, hsd_amount amount,
                          hsd_error *err);

/* "heap.hs, 2026-11-20 09:14:02Z, checkout-api, pid 4121, V8 11.3, complete" */
hsd_status hsd_say_capture(hsd_buffer *text, const hsd_side *side, hsd_error *err);

/* "Session: 412,310 objects, 163.9 MiB, reached over 3 paths; 20 objects, 1.88 KiB, unreached: no root leads there over
 * strong references." */
hsd_status hsd_say_paths(hsd_buffer *text, const hsd_model *model, hsd_error *err);

/* An id as its heap writes it: "@123" where ids are the runtime's own numbers (V8), else "0x7f3c10". Returns out. */
char *hsd_format_id(char out[HSD_NUMBER_CHARS], const hsd_capture_info *info, uint64_t id);

#endif
