/*
 * JSON that is right by construction: the writer knows what is open, so it puts the commas, the indentation and the
 * closing brackets, and nobody else does. A key is text of ours and stands in an object alone; in a list it is NULL.
 *
 *      hsd_json_begin(&json, &out);
 *      hsd_json_open_object(&json, NULL, HSD_JSON_LINES);
 *      hsd_json_put_string(&json, "schema", "hsdiff.diff/1");
 *      hsd_json_open_list(&json, "types", HSD_JSON_LINES);
 *      hsd_json_open_object(&json, NULL, HSD_JSON_INLINE);
 *      hsd_json_put_count(&json, "bytes", 12);
 *      hsd_json_close(&json), hsd_json_close(&json), hsd_json_close(&json);
 *
 *      {
 *        "schema": "hsdiff.diff/1",
 *        "types": [
 *          {"bytes": 12}
 *        ]
 *      }
 */
#ifndef HSD_REPORT_WRITE_JSON_WRITER_H
#define HSD_REPORT_WRITE_JSON_WRITER_H

#include "report/write/out.h"

/* How what is between two brackets is laid out. */
typedef enum hsd_json_layout {
    HSD_JSON_INLINE, /* on the line that it begins on */
    /* each member on a line of its own, and the closing bracket, too; "[]" where there is none */
    HSD_JSON_LINES,
    HSD_JSON_DEEP, /* the same, the members two blanks further in */
    /* the first member on the line of the opening bracket, each other on a line of its own, the closing bracket behind
       the last */
    HSD_JSON_HANGING,
    HSD_JSON_BELOW /* the same, but the first member has a line of its own, too */
} hsd_json_layout;

#define HSD_JSON_DEPTH_MOST 16u

typedef struct hsd_json_level {
    hsd_json_layout layout;
    bool is_list, has_any;
    enum { HSD_JSON_BREAKS, HSD_JSON_BREAKS_ONCE, HSD_JSON_STAYS } line; /* hsd_json_one_line */
} hsd_json_level;

typedef struct hsd_json_writer {
    hsd_out *out;
    size_t depth;  /* of what is open */
    size_t indent; /* of these, what is not inline */
    hsd_json_level levels[HSD_JSON_DEPTH_MOST];
} hsd_json_writer;

void hsd_json_begin(hsd_json_writer *json, hsd_out *out);

/* Opens what stands until hsd_json_close. More than HSD_JSON_DEPTH_MOST at once: the status of `out` becomes
 * HSD_E_MISUSE. */
void hsd_json_open_object(hsd_json_writer *json, const char *key, hsd_json_layout layout);
void hsd_json_open_list(hsd_json_writer *json, const char *key, hsd_json_layout layout);
void hsd_json_close(hsd_json_writer *json);

/* Between the two the members of what is open stand on one line, whatever its layout. */
void hsd_json_one_line(hsd_json_writer *json);
void hsd_json_own_lines(hsd_json_writer *json);

/* Values. A string that is NULL is "". */
void hsd_json_put_text(hsd_json_writer *json, const char *key, hsd_text text);
void hsd_json_put_string(hsd_json_writer *json, const char *key, const char *text);
void hsd_json_put_count(hsd_json_writer *json, const char *key, uint64_t value);
void hsd_json_put_signed(hsd_json_writer *json, const char *key, int64_t value);
void hsd_json_put_flag(hsd_json_writer *json, const char *key, bool value);
void hsd_json_put_id(hsd_json_writer *json, const char *key, uint64_t id);            /* "0x1f" */
void hsd_json_put_millionths(hsd_json_writer *json, const char *key, uint32_t value); /* 0.047300 */
void hsd_json_put_null(hsd_json_writer *json, const char *key);
/* {"objects": 2, "bytes": 96} */
void hsd_json_put_amount(hsd_json_writer *json, const char *key, hsd_amount amount);
void hsd_json_put_net(hsd_json_writer *json, const char *key, int64_t objects, int64_t bytes);

/* A count under a key that is foreign, in an object. */
void hsd_json_put_count_of(hsd_json_writer *json, hsd_text key, uint64_t value);

#endif
