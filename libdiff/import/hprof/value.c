/*
 * Previews of values as text.
 */
#include "import/hprof/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "import/hprof/plan.h"

#define PREVIEW_TEXT_BYTES 240u /* of an array */
#define NUMBER_CHARS       40u

static float to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* With as many digits as tell the value from all others: it may be the key that an object is known by. */
static void write_exactly(double value, bool is_float, char *text, size_t size)
{
    static const int digits[] = {6, 9, 15, 17};
    for (size_t i = 0; i < HSD_ARRAY_LEN(digits); i++) {
        snprintf(text, size, "%.*g", digits[i], value);
        const double read = strtod(text, NULL);
        const bool is_same = is_float ? (float)read == (float)value : read == value;
        if (is_same || value != value) return;
    }
}

/* snprintf writes the locale's decimal point: whatever it is, it becomes a dot. */
static void write_real(double value, bool is_float, char *text, size_t size)
{
    char raw[NUMBER_CHARS];
    size_t used = 0;
    write_exactly(value, is_float, raw, sizeof raw);
    for (const char *at = raw; *at != '\0' && used + 1 < size; at++) {
        const bool is_plain = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || *at == '+' || *at == '-';
        if (is_plain)
            text[used++] = *at;
        else if (used == 0 || text[used - 1] != '.')
            text[used++] = '.';
    }
    text[used] = '\0';
}

static hsd_status append_number(uint8_t type, const uint8_t *at, hsd_buffer *out, hsd_error *err)
{
    char text[NUMBER_CHARS] = "";
    switch (type) {
    case HPROF_BOOLEAN: snprintf(text, sizeof text, "%s", at[0] ? "true" : "false"); break;
    case HPROF_BYTE: snprintf(text, sizeof text, "%d", (int8_t)at[0]); break;
    case HPROF_CHAR: snprintf(text, sizeof text, "%u", hsd_hprof_u16(at)); break;
    case HPROF_SHORT: snprintf(text, sizeof text, "%d", (int16_t)hsd_hprof_u16(at)); break;
    case HPROF_INT: snprintf(text, sizeof text, "%" PRId32, (int32_t)hsd_hprof_u32(at)); break;
    case HPROF_LONG: snprintf(text, sizeof text, "%" PRId64, (int64_t)hsd_hprof_u64(at)); break;
    case HPROF_FLOAT: write_real((double)to_float(hsd_hprof_u32(at)), true, text, sizeof text); break;
    case HPROF_DOUBLE: write_real(to_double(hsd_hprof_u64(at)), false, text, sizeof text); break;
    default: break;
    }
    return hsd_buffer_append(out, text, strlen(text), err);
}

static hsd_status append_character(uint32_t unit, hsd_buffer *out, hsd_error *err)
{
    const uint8_t one[1] = {(uint8_t)unit};
    const uint8_t two[2] = {(uint8_t)(0xc0 | unit >> 6), (uint8_t)(0x80 | (unit & 0x3f))};
    const uint8_t three[3] = {(uint8_t)(0xe0 | unit >> 12), (uint8_t)(0x80 | (unit >> 6 & 0x3f)),
                              (uint8_t)(0x80 | (unit & 0x3f))};
    if (unit < 0x80) return hsd_buffer_append(out, one, 1, err);
    return unit < 0x800 ? hsd_buffer_append(out, two, 2, err) : hsd_buffer_append(out, three, 3, err);
}

static bool is_printable(uint32_t unit)
{
    return unit == '\t' || unit == '\n' || unit == '\r' || (unit >= 0x20 && unit < 0x7f) || unit >= 0xa0;
}

/* Text if all of it can be shown; *is_text says so, and nothing is appended otherwise. */
static hsd_status append_text(unsigned width, const uint8_t *data, size_t size, bool *is_text, hsd_buffer *out,
                              hsd_error *err)
{
    const size_t start = out->size;
    *is_text = true;
    for (size_t i = 0; i + width <= size && out->size - start < PREVIEW_TEXT_BYTES; i += width) {
        const uint32_t unit = width == 2 ? hsd_hprof_u16(data + i) : data[i];
        *is_text = is_printable(unit);
        if (!*is_text) {
            out->size = start;
            return HSD_OK;
        }
        HSD_TRY(append_character(unit, out, err));
    }
    out->size = start + hsd_hprof_to_utf8(out->data + start, out->size - start, out->data + start);
    return HSD_OK;
}

hsd_status hsd_hprof_preview_array(uint8_t element, const uint8_t *data, size_t size, bool is_whole, hsd_buffer *out,
                                   hsd_error *err)
{
    const unsigned width = hsd_hprof_width[element];
    bool is_text = false;
    size_t at = 0;
    if (size < width) return HSD_OK;
    if (element == HPROF_BYTE || element == HPROF_CHAR) HSD_TRY(append_text(width, data, size, &is_text, out, err));
    for (; !is_text && at + width <= size && out->size < PREVIEW_TEXT_BYTES; at += width) {
        if (at > 0) HSD_TRY(hsd_buffer_append(out, ", ", 2, err));
        HSD_TRY(append_number(element, data + at, out, err));
    }
    const bool is_cut = !is_whole || (!is_text && at + width <= size);
    return is_cut ? hsd_buffer_append(out, "...", 3, err) : HSD_OK;
}

/* ---- instances ---- */

/* Appends " name=value", or nothing of it when it does not fit. */
static hsd_status append_field(const hprof *self, const hprof_field *field, const uint8_t *at, size_t limit, bool *fits,
                               hsd_buffer *out, hsd_error *err)
{
    const hsd_bytes name = hsd_hprof_name(&self->names, field->name);
    const size_t start = out->size;
    *fits = name.size < limit;
    if (!*fits) return HSD_OK;
    if (start > 0) HSD_TRY(hsd_buffer_append(out, " ", 1, err));
    HSD_TRY(hsd_buffer_append(out, name.data, name.size, err));
    HSD_TRY(hsd_buffer_append(out, "=", 1, err));
    HSD_TRY(append_number(field->type, at, out, err));
    *fits = out->size <= limit;
    if (!*fits) out->size = start;
    return HSD_OK;
}

static hsd_status append_mark(hsd_buffer *out, hsd_error *err)
{
    static const char mark[] = " ...";
    const size_t skip = out->size == 0 ? 1 : 0;
    return hsd_buffer_append(out, mark + skip, sizeof mark - 1 - skip, err);
}

hsd_status hsd_hprof_preview_instance(const hprof *self, const hprof_class *of, const uint8_t *data, size_t size,
                                      size_t limit, hsd_buffer *out, hsd_error *err)
{
    size_t at = 0;
    bool fits = true;
    for (unsigned depth = 0; of != NULL && depth < HPROF_MAX_DEPTH; depth++) {
        for (uint32_t i = 0; i < of->field_count; i++) {
            const hprof_field *field = &self->classes.fields[of->first_field + i];
            const bool is_reference = hsd_hprof_is_reference(field->type);
            const size_t width = is_reference ? self->reader.id_bytes : hsd_hprof_width[field->type];
            if (at + width > size) return append_mark(out, err);
            if (!is_reference) HSD_TRY(append_field(self, field, data + at, limit, &fits, out, err));
            if (!fits) return append_mark(out, err);
            at += width;
        }
        of = hsd_hprof_super(&self->classes, of);
    }
    return HSD_OK;
}

/* ---- whose values are wanted ---- */

bool hsd_hprof_wants_values(const hsd_import_options *options, hsd_bytes type)
{
    for (size_t i = 0; i < options->value_type_count; i++)
        if (hsd_hprof_equals(type, options->value_types[i])) return true;
    return false;
}

hsd_status hsd_hprof_keeps_values(const hprof *self, bool *keeps, hsd_error *err)
{
    const hsd_import_options *options = self->import->options;
    const bool has_types = options->value_type_count > 0 && !options->summary_only;
    hsd_buffer name = {0};
    hsd_status status = HSD_OK;
    *keeps = options->with_values;
    for (uint32_t i = 1; has_types && !*keeps && status == HSD_OK && i <= self->classes.table.count; i++) {
        if (self->classes.tallies[i].objects == 0) continue;
        hsd_buffer_clear(&name);
        status = hsd_hprof_name_of_class(self, &self->classes.items[i], &name, err);
        *keeps = hsd_hprof_wants_values(options, (hsd_bytes){name.data, name.size});
    }
    hsd_buffer_release(&name);
    return status;
}
