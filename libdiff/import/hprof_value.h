/*
 * Previews of values, only for imports that ask for them: a few characters or numbers of an array, the
 * primitive fields of an instance. Shape alone is the default, so nothing else calls this.
 */
#ifndef HSD_IMPORT_HPROF_VALUE_H
#define HSD_IMPORT_HPROF_VALUE_H

#include "import/hprof.h"

#define HPROF_PREVIEW_BYTES 256u /* of the dump that are looked at */

/* Appends a preview of an array's first `size` bytes: text of bytes and chars that are text, else
 * "1, 2, 3, ...". `is_whole`: there are no others. */
hsd_status hsd_hprof_preview_array(uint8_t element, const uint8_t *data, size_t size, bool is_whole,
                                   hsd_buffer *out, hsd_error *err);

/* Appends "id=17 age=3": the primitive fields of an instance, its own first. */
hsd_status hsd_hprof_preview_instance(const hprof *self, const hprof_class *of, const uint8_t *data,
                                      size_t size, hsd_buffer *out, hsd_error *err);

#endif
