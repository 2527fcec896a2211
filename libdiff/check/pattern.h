/*
 * A pattern over names, compiled once: a glob that the whole name must match (* any number of characters, ? one, all
 * else itself), or /regex/ (POSIX extended), found anywhere in it.
 *
 * Characters are those of UTF-8; a byte that is none counts as one. Regular expressions work on bytes, in the "C"
 * locale whatever the process has. They are refused when their machine would grow past bounds: repetitions multiply
 * (a{1000}{1000}), and so do nested plus signs. Back-references are not POSIX extended and are refused too.
 */
#ifndef HSD_CHECK_PATTERN_H
#define HSD_CHECK_PATTERN_H

#include <regex.h>

#include "base/buffer.h"
#include "check/store.h"

#define HSD_PATTERN_MOST 2000u /* bytes */

typedef struct hsd_pattern {
    hsd_text glob;
    bool is_regex;
    regex_t regex;
} hsd_pattern;

/*
 * `text` is borrowed until release. With `is_old_form` a text that begins with ^ or ends with $ is a regex too.
 * HSD_E_CORRUPT: err->text is a clause that follows a name ("is empty", "is no regular expression: …"), with a hint;
 * HSD_E_NOMEM. After a failure nothing is to be released.
 */
hsd_status hsd_pattern_make(hsd_pattern *out, hsd_text text, bool is_old_form, hsd_error *err);
void hsd_pattern_release(hsd_pattern *pattern);

/* A NUL in a name is a blank for a regex. `scratch` is reused from call to call. HSD_E_NOMEM. */
hsd_status hsd_pattern_match(const hsd_pattern *pattern, hsd_text name, hsd_buffer *scratch, bool *out, hsd_error *err);

#endif
