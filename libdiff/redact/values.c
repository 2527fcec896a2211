/* Previews of values with pseudonyms. See values.h. */
#include "redact/values.h"

#include <string.h>

#include "core/layout.h"

#define CUT      " ..."
#define CUT_SIZE 4

static bool is_cut_mark(hsd_text preview, size_t at)
{
    return preview.size - at == 3 && memcmp(preview.data + at, "...", 3) == 0;
}

/* Behind the value that begins at `at`: at a space or the end; 0 where it is none. */
static size_t value_end(hsd_text preview, size_t at)
{
    if (at == preview.size || preview.data[at] != '"') {
        while (at < preview.size && preview.data[at] != ' ')
            at++;
        return at;
    }
    for (at++; at < preview.size && preview.data[at] != '"'; at++)
        if (preview.data[at] == '\\') at++;
    if (at >= preview.size) return 0;
    return at + 1 == preview.size || preview.data[at + 1] == ' ' ? at + 1 : 0;
}

/* Where the `=` of the field that begins at `at` stands; 0 where there is none, as no name is empty. */
static size_t name_end_of_field(hsd_text preview, size_t at)
{
    if (at == preview.size || preview.data[at] == ' ' || preview.data[at] == '=') return 0;
    const char *is = memchr(preview.data + at, '=', preview.size - at);
    return is == NULL ? 0 : (size_t)(is - preview.data);
}

static bool is_of_fields(hsd_text preview)
{
    for (size_t at = 0; at < preview.size;) {
        if (at > 0 && is_cut_mark(preview, at)) return true;
        const size_t is = name_end_of_field(preview, at), end = is == 0 ? 0 : value_end(preview, is + 1);
        if (end == 0) return false;
        at = end + 1;
        if (at == preview.size) return false; /* a space at the end */
    }
    return preview.size > 0;
}

static hsd_status put_value_part(hsd_buffer *out, hsd_text part, hsd_error *err)
{
    return part.size == 0 ? HSD_OK : hsd_buffer_append(out, part.data, part.size, err);
}

/* One field, a space in front of all but the first. */
static hsd_status put_field(hsd_renamer *r, hsd_text name, hsd_text value, bool is_first, hsd_buffer *out,
                            hsd_error *err)
{
    hsd_text made;
    if (!is_first) HSD_TRY(hsd_buffer_append(out, " ", 1, err));
    HSD_TRY(hsd_rename_text(r, name, &made, err));
    HSD_TRY(put_value_part(out, made, err));
    HSD_TRY(hsd_buffer_append(out, "=", 1, err));
    HSD_TRY(hsd_rename_whole(r, value, &made, err));
    return put_value_part(out, made, err);
}

hsd_status hsd_rename_preview(hsd_renamer *r, hsd_text preview, hsd_buffer *out, hsd_error *err)
{
    const size_t begin = out->size;
    if (!is_of_fields(preview)) {
        hsd_text made;
        HSD_TRY(hsd_rename_whole(r, preview, &made, err));
        return put_value_part(out, made, err);
    }
    for (size_t at = 0; at < preview.size && !is_cut_mark(preview, at);) {
        const size_t is = name_end_of_field(preview, at), end = value_end(preview, is + 1), before = out->size;
        const hsd_text name = {preview.data + at, is - at}, value = {preview.data + is + 1, end - is - 1};
        HSD_TRY(put_field(r, name, value, at == 0, out, err));
        if (out->size - begin > HSC_MAX_VALUE_BYTES - CUT_SIZE) {
            out->size = before;
            return hsd_buffer_append(out, before == begin ? CUT + 1 : CUT, before == begin ? 3 : CUT_SIZE, err);
        }
        at = end + 1;
    }
    /* a preview of the greatest length may be cut behind any byte */
    const bool is_cut = preview.size == HSC_MAX_VALUE_BYTES ||
                        (preview.size > CUT_SIZE && memcmp(preview.data + preview.size - CUT_SIZE, CUT, CUT_SIZE) == 0);
    return is_cut ? hsd_buffer_append(out, CUT, CUT_SIZE, err) : HSD_OK;
}
