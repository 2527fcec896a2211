/* Bytes as text that stands anywhere in HTML (RFC 4648, with padding), in lines of 1,024 characters. */
#ifndef HSD_REPORT_HTML_BASE64_H
#define HSD_REPORT_HTML_BASE64_H

#include "report/write/out.h"

void hsd_base64(hsd_out *out, const uint8_t *data, size_t size);

#endif
