/*
 * Names that go into a capture: each gets a number when it is first met, from 1, and is written when the writer is
 * open. What is met before that waits (hsd_import_define_texts).
 */
#ifndef HSD_IMPORT_TEXTS_H
#define HSD_IMPORT_TEXTS_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/names.h"
#include "import/importer.h"

typedef struct hsd_import_texts {
    hsd_names names;  /* its numbers are from 0 */
    uint32_t before;  /* numbers that are taken by texts of the importer's own */
    uint32_t defined; /* how many of the names are written */
} hsd_import_texts;

/* The number of a text as a string of the capture. *is_new: look at the memory that names take. */
hsd_status hsd_import_put_text(hsd_import *import, hsd_import_texts *texts, hsd_bytes text, uint32_t *number,
                               bool *is_new, hsd_error *err);

/* Writes those that wait. */
hsd_status hsd_import_define_texts(hsd_import *import, hsd_import_texts *texts, hsd_error *err);

/* The number of a type, which is written when it is new. */
hsd_status hsd_import_put_type(hsd_import *import, hsd_names *types, hsd_bytes name, uint32_t flags, uint32_t *number,
                               bool *is_new, hsd_error *err);

/* A text by a format, cut to `room` - 1 bytes. */
hsd_bytes hsd_import_format(char *out, size_t room, const char *format, va_list arguments);

#define HSD_IMPORT_PLACE_MORE 64 /* bytes that a place has beside its path, and words before it */

/* "shop/cache.py:31", or without its line 0 "shop/cache.py": the file with its folder, since many are called
 * __init__.py. Its size; at most that of the path and HSD_IMPORT_PLACE_MORE. */
size_t hsd_import_name_place(hsd_bytes path, uint32_t line, char *out);

#endif
