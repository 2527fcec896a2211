/*
 * Previews of values (FORMAT.md 7.10) with pseudonyms: of a preview of fields the names are identifiers like any other
 * and each value is one as a whole, so that who knows objects again by a field (--key TYPE:FIELD) knows the same ones;
 * any other preview is one identifier.
 *
 *      id=17 owner="Ann \"A\" Lee" ...        k2m…=k7f… k1x…=k9c… ...
 */
#ifndef HSD_REDACT_VALUES_H
#define HSD_REDACT_VALUES_H

#include "redact/rename.h"

/* Appends what stands for the preview to `out`, at most HSC_MAX_VALUE_BYTES: where that is too little, it is cut in
 * front of a field and says so. */
hsd_status hsd_rename_preview(hsd_renamer *renamer, hsd_text preview, hsd_buffer *out, hsd_error *err);

#endif
