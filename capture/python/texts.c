/*
 * A str as it lies in memory: compact ones have their characters, 1, 2 or 4 bytes each, behind their head; those that C
 * once made in the old way have them elsewhere.
 */
#include "python.h"

static bool has_state(const python *py, const py_object *text, uint32_t mask)
{
    return (((const py_text *)text)->state & mask) != 0;
}

const char *py_ascii(const python *py, const py_object *text, size_t *size)
{
    if (text == NULL || !py_is(text->type, PY_IS_TEXT) || !has_state(py, text, py->at->text_compact_mask) ||
        !has_state(py, text, py->at->text_ascii_mask))
        return NULL;
    *size = (size_t)((const py_text *)text)->length;
    return (const char *)text + py->at->text_ascii;
}

bool py_is_interned(const python *py, const py_object *text) { return has_state(py, text, py->at->text_interned_mask); }

static size_t put_character(uint32_t c, char *out, size_t room)
{
    const size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (size > room) return 0;
    for (size_t i = size; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(marks[size] | c);
    return size;
}

static uint32_t character(const void *data, unsigned kind, size_t i)
{
    if (kind == 1) return ((const uint8_t *)data)[i];
    return kind == 2 ? ((const uint16_t *)data)[i] : ((const uint32_t *)data)[i];
}

size_t py_utf8(const python *py, const py_object *text, char *out, size_t room)
{
    if (text == NULL || !py_is(text->type, PY_IS_TEXT)) return 0;
    const bool is_compact = has_state(py, text, py->at->text_compact_mask);
    const uint32_t offset = has_state(py, text, py->at->text_ascii_mask) ? py->at->text_ascii : py->at->text_compact;
    const void *data = is_compact ? (const char *)text + offset : py_at(text, py->at->text_data);
    const unsigned kind = (((const py_text *)text)->state >> py->at->text_kind_shift) & 7;
    size_t size = 0;
    if (data == NULL || (kind != 1 && kind != 2 && kind != 4)) return 0;
    for (intptr_t i = 0; i < ((const py_text *)text)->length; i++) {
        const size_t more = put_character(character(data, kind, (size_t)i), out + size, room - size);
        if (more == 0) break;
        size += more;
    }
    return size;
}
