/*
 * Parts of a SARIF log that speak of foreign things: where something is, and what makes a finding the same one
 * tomorrow.
 */
#ifndef HSD_REPORT_SARIF_PARTS_H
#define HSD_REPORT_SARIF_PARTS_H

#include "report/write/json_writer.h"
#include <hsdiff/check.h>

/*
 * A path or URL as a URI reference: "src/my%20file.js", "file:///srv/app.js". Absolute paths get the
 * scheme file; what a URI may not hold is percent-encoded byte by byte.
 */
void hsd_sarif_uri(hsd_json_writer *json, const char *key, hsd_text path);

/*
 * Sixteen hexadecimal digits of the rule, its subject, and the finding's name, root and path (NULL: of the rule alone).
 * Neither numbers nor order nor the rule's line or limit go into it, so a finding keeps its fingerprint from run to
 * run. FNV-1a, 64 bits.
 */
#define HSD_FINGERPRINT_CHARS 17
char *hsd_sarif_fingerprint(char out[HSD_FINGERPRINT_CHARS], const hsd_rule *rule, const hsd_finding *finding);

#endif
