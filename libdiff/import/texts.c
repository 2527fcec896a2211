/*
 * Names of strings and types, written once each. See texts.h.
 */
#include "import/texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

hsd_status hsd_import_define_texts(hsd_import *import, hsd_import_texts *texts, hsd_error *err)
{
    for (; texts->defined < texts->names.count; texts->defined++) {
        const hsd_bytes text = hsd_names_get(&texts->names, texts->defined);
        HSD_WRITE(import, hsc_define_string(import->writer, texts->before + texts->defined + 1, text.data, text.size),
                  err);
    }
    return HSD_OK;
}

hsd_status hsd_import_put_text(hsd_import *import, hsd_import_texts *texts, hsd_bytes text, uint32_t *number,
                               bool *is_new, hsd_error *err)
{
    const uint32_t before = texts->names.count;
    HSD_TRY(hsd_names_put(&texts->names, text, number, err));
    *number += texts->before + 1;
    *is_new = texts->names.count > before;
    if (texts->defined == texts->names.count || import->writer == NULL) return HSD_OK;
    return hsd_import_define_texts(import, texts, err);
}

hsd_status hsd_import_put_type(hsd_import *import, hsd_names *types, hsd_bytes name, uint32_t flags, uint32_t *number,
                               bool *is_new, hsd_error *err)
{
    const uint32_t before = types->count;
    HSD_TRY(hsd_names_put(types, name, number, err));
    ++*number;
    *is_new = types->count > before;
    if (*is_new) HSD_WRITE(import, hsc_define_type(import->writer, *number, name.data, name.size, flags), err);
    return HSD_OK;
}

hsd_bytes hsd_import_format(char *out, size_t room, const char *format, va_list arguments)
{
    const int size = vsnprintf(out, room, format, arguments);
    const size_t kept = size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
    return (hsd_bytes){(const uint8_t *)out, kept};
}

size_t hsd_import_name_place(hsd_bytes path, uint32_t line, char *out)
{
    size_t from = path.size, parts = 0;
    while (from > 0 && (path.data[from - 1] != '/' || ++parts < 2))
        from--;
    const size_t size = path.size - from;
    memcpy(out, path.data + from, size);
    return line == 0 ? size : size + (size_t)snprintf(out + size, 16, ":%" PRIu32, line);
}
