/*
 * Previews of values, only for imports that ask for them: a few characters or numbers of an array, the
 * primitive fields of an instance. Shape alone is the default, so nothing else calls this.
 *
 * A preview that does not hold everything ends in "...". References have no value: what they lead to stands
 * elsewhere in the dump, and one pass over it cannot bring the text of a String back to who refers to it.
 */
#ifndef HSD_IMPORT_HPROF_VALUE_H
#define HSD_IMPORT_HPROF_VALUE_H

#include "import/hprof/hprof.h"

#define HPROF_PREVIEW_BYTES 256u /* of the dump that are looked at */

/* Appends a preview of an array's first `size` bytes: text of bytes and chars that are text, else
 * "1, 2, 3, ...". `is_whole`: there are no others. */
hsd_status hsd_hprof_preview_array(uint8_t element, const uint8_t *data, size_t size, bool is_whole, hsd_buffer *out,
                                   hsd_error *err);

/* Appends "id=17 age=3": the primitive fields of an instance, its own first. Whole fields alone, none in
 * more than `limit` bytes of text; " ..." for others. `limit` is at most HPROF_LONG_PREVIEW_BYTES. */
hsd_status hsd_hprof_preview_instance(const hprof *self, const hprof_class *of, const uint8_t *data, size_t size,
                                      size_t limit, hsd_buffer *out, hsd_error *err);

/* What a preview of an instance may take: of any, and of those whose type was asked for by name. */
#define HPROF_SHORT_PREVIEW_BYTES 240u
#define HPROF_LONG_PREVIEW_BYTES  4000u

/* True if values of this type were asked for by its name. */
bool hsd_hprof_wants_values(const hsd_import_options *options, hsd_bytes type);

/* *keeps: some value may be kept, for all were asked for, or the dump has instances of a type that was. */
hsd_status hsd_hprof_keeps_values(const hprof *self, bool *keeps, hsd_error *err);

#endif
