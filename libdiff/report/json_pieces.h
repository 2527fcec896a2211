/*
 * The pieces that every JSON report is made of. Each writes the key it is given, separators and all, and then
 * the value: the code above reads like the line it prints.
 */
#ifndef HSD_REPORT_JSON_PIECES_H
#define HSD_REPORT_JSON_PIECES_H

#include "report/out.h"
#include <hsdiff/diff.h>

void hsd_json_string(hsd_out *out, const char *key, hsd_text text);
void hsd_json_text(hsd_out *out, const char *key, const char *text); /* NULL is "" */
void hsd_json_count(hsd_out *out, const char *key, uint64_t value);
void hsd_json_signed(hsd_out *out, const char *key, int64_t value);
void hsd_json_bool(hsd_out *out, const char *key, bool value);
void hsd_json_id(hsd_out *out, const char *key, uint64_t id); /* "0x1f" */
void hsd_json_amount(hsd_out *out, const char *key, hsd_amount amount);

/* An amount, or null where it cannot be known. */
void hsd_json_known(hsd_out *out, bool is_known, const char *key, hsd_amount amount);

/* ", "external": {"before": 0, "after": 6144000}": of the bytes those outside the heap; nothing where there are none. */
void hsd_json_external(hsd_out *out, uint64_t before, uint64_t after);

/* An array of strings. */
void hsd_json_texts(hsd_out *out, const char *key, const hsd_text *texts, size_t count);

/* The steps of a path: [{"edge": ".map", "type": "Map"}, ...]; "repeat" where it is more than one. */
void hsd_json_steps(hsd_out *out, const char *key, const hsd_step *steps, size_t count);

/* "kind": the word for an hsc_root_kind. */
void hsd_json_root_kind(hsd_out *out, const char *key, uint32_t kind);

/* A capture as a run saw it: path, runtime, identity, process, live, unreached, what is missing. */
void hsd_json_side(hsd_out *out, const hsd_side *side, bool has_soft);

/* Its fields alone; `key` stands before the path. */
void hsd_json_side_fields(hsd_out *out, const char *key, const hsd_side *side, bool has_soft);

#endif
