/*
 * FastSerialization: numbers without padding, texts by their UTF-16 units, objects that begin with their kind. A kind
 * is written out where it is used first, and referred to by that place from then on.
 */
#include <inttypes.h>
#include <string.h>

#include "import/gcdump/gcdump.h"

hsd_status hsd_gcdump_fail(const gcdump_serial *in, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(in->source), "not a valid gcdump: %s", what);
}

hsd_status hsd_gcdump_number(gcdump_serial *in, unsigned bytes, uint64_t *value, hsd_error *err)
{
    uint8_t raw[8];
    HSD_TRY(hsd_source_copy(in->source, raw, bytes, err));
    *value = 0;
    for (unsigned i = 0; i < bytes; i++)
        *value |= (uint64_t)raw[i] << (8 * i);
    return HSD_OK;
}

hsd_status hsd_gcdump_i32(gcdump_serial *in, int32_t *value, hsd_error *err)
{
    uint64_t number;
    HSD_TRY(hsd_gcdump_number(in, 4, &number, err));
    *value = (int32_t)(uint32_t)number;
    return HSD_OK;
}

hsd_status hsd_gcdump_float(gcdump_serial *in, float *value, hsd_error *err)
{
    uint64_t number;
    HSD_TRY(hsd_gcdump_number(in, 4, &number, err));
    const uint32_t bits = (uint32_t)number;
    memcpy(value, &bits, sizeof *value);
    return HSD_OK;
}

hsd_status hsd_gcdump_count(gcdump_serial *in, uint32_t *count, hsd_error *err)
{
    int32_t number;
    HSD_TRY(hsd_gcdump_i32(in, &number, err));
    if (number < 0) return hsd_gcdump_fail(in, "a count is negative", err);
    *count = (uint32_t)number;
    return HSD_OK;
}

hsd_status hsd_gcdump_go(gcdump_serial *in, uint64_t offset, hsd_error *err)
{
    const uint64_t here = hsd_source_offset(in->source);
    return offset >= here ? hsd_source_skip(in->source, offset - here, err) : hsd_source_seek(in->source, offset, err);
}

/* ---- texts ---- */

/* One UTF-16 unit in one to three bytes. */
static hsd_status read_unit(gcdump_serial *in, uint32_t *unit, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(in->source, 3, err);
    if (status < 0) return status;
    const uint8_t *at = in->source->at;
    const size_t ahead = hsd_source_ahead(in->source);
    const size_t size = ahead == 0 ? 1 : at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : 3;
    if (ahead < size) return hsd_source_skip(in->source, size, err); /* says what is missing */
    if (size == 1)
        *unit = at[0];
    else if (size == 2)
        *unit = (uint32_t)(at[0] & 0x1f) << 6 | (at[1] & 0x3f);
    else
        *unit = (uint32_t)(at[0] & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3f);
    hsd_source_take(in->source, size);
    return HSD_OK;
}

static size_t encode(uint32_t c, uint8_t bytes[4])
{
    if (c < 0x80) {
        bytes[0] = (uint8_t)c;
        return 1;
    }
    const size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size - 1; i > 0; i--, c >>= 6)
        bytes[i] = (uint8_t)(0x80 | (c & 0x3f));
    bytes[0] = (uint8_t)(lead[size] | c);
    return size;
}

static bool is_lead(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
static bool is_trail(uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

static hsd_status append_serial(hsd_buffer *out, uint32_t c, size_t most, bool *is_full, hsd_error *err)
{
    uint8_t bytes[4];
    const size_t size = encode(is_lead(c) || is_trail(c) ? 0xfffd : c, bytes);
    *is_full = *is_full || out->size + size > most;
    return *is_full ? HSD_OK : hsd_buffer_append(out, bytes, size, err);
}

hsd_status hsd_gcdump_text(gcdump_serial *in, size_t most, hsd_buffer *out, hsd_error *err)
{
    int32_t units;
    uint32_t unit = 0, lead = 0;
    bool is_full = false;
    hsd_buffer_clear(out);
    HSD_TRY(hsd_gcdump_i32(in, &units, err));
    if (units < -1) return hsd_gcdump_fail(in, "a text of less than nothing", err);
    for (int32_t i = 0; i < units; i++) {
        HSD_TRY(read_unit(in, &unit, err));
        if (lead != 0 && is_trail(unit)) {
            unit = 0x10000 + ((lead - 0xd800) << 10) + (unit - 0xdc00);
            lead = 0;
        }
        if (lead != 0) HSD_TRY(append_serial(out, lead, most, &is_full, err));
        lead = is_lead(unit) ? unit : 0;
        if (lead == 0) HSD_TRY(append_serial(out, unit, most, &is_full, err));
    }
    return lead == 0 ? HSD_OK : append_serial(out, lead, most, &is_full, err);
}

hsd_status hsd_gcdump_pass_text(gcdump_serial *in, hsd_error *err)
{
    int32_t units;
    uint32_t unit = 0;
    HSD_TRY(hsd_gcdump_i32(in, &units, err));
    if (units < -1) return hsd_gcdump_fail(in, "a text of less than nothing", err);
    for (int32_t i = 0; i < units; i++)
        HSD_TRY(read_unit(in, &unit, err));
    return HSD_OK;
}

/* ---- objects ---- */

static hsd_status read_tag(gcdump_serial *in, uint8_t *tag, hsd_error *err)
{
    return hsd_source_copy(in->source, tag, 1, err);
}

static hsd_status expect_tag(gcdump_serial *in, uint8_t expected, const char *what, hsd_error *err)
{
    uint8_t tag;
    HSD_TRY(read_tag(in, &tag, err));
    return tag == expected ? HSD_OK : hsd_gcdump_fail(in, what, err);
}

static const gcdump_kind *kind_at(const gcdump_serial *in, uint64_t label)
{
    for (size_t i = 0; i < in->kind_count; i++)
        if (in->kinds[i].label == label) return &in->kinds[i];
    return NULL;
}

/* What a kind is at its first use, behind its tag: version, the oldest reader that may read it, its name. */
static hsd_status define_kind(gcdump_serial *in, uint64_t label, const gcdump_kind **out, hsd_error *err)
{
    uint64_t version, least;
    uint32_t size;
    if (in->kind_count == GCDUMP_KINDS_MAX) return hsd_gcdump_fail(in, "it holds objects of too many kinds", err);
    gcdump_kind *kind = &in->kinds[in->kind_count];
    HSD_TRY(expect_tag(in, GCDUMP_TAG_NULL, "a kind of objects that has a kind itself", err));
    HSD_TRY(hsd_gcdump_number(in, 4, &version, err));
    HSD_TRY(hsd_gcdump_number(in, 4, &least, err));
    HSD_TRY(hsd_gcdump_count(in, &size, err));
    if (size >= sizeof kind->name) return hsd_gcdump_fail(in, "a kind of objects with a long name", err);
    *kind = (gcdump_kind){.label = label, .version = (uint32_t)version, .least_reader = (uint32_t)least};
    HSD_TRY(hsd_source_copy(in->source, kind->name, size, err));
    HSD_TRY(expect_tag(in, GCDUMP_TAG_END, "a kind of objects without its end", err));
    in->kind_count++;
    *out = kind;
    return HSD_OK;
}

hsd_status hsd_gcdump_open(gcdump_serial *in, const gcdump_kind **kind, hsd_error *err)
{
    uint8_t tag;
    uint64_t label;
    *kind = NULL;
    in->object_offset = 0;
    const uint64_t offset = hsd_source_offset(in->source);
    HSD_TRY(read_tag(in, &tag, err));
    if (tag == GCDUMP_TAG_NULL) return HSD_OK;
    if (tag == GCDUMP_TAG_REFERENCE) return hsd_gcdump_number(in, in->label_bytes, &in->object_offset, err);
    if (tag != GCDUMP_TAG_OBJECT && tag != GCDUMP_TAG_PRIVATE)
        return hsd_gcdump_fail(in, "no object where one should be", err);
    in->object_offset = offset;
    label = hsd_source_offset(in->source);
    HSD_TRY(read_tag(in, &tag, err));
    if (tag == GCDUMP_TAG_OBJECT || tag == GCDUMP_TAG_PRIVATE) return define_kind(in, label, kind, err);
    if (tag != GCDUMP_TAG_REFERENCE) return hsd_gcdump_fail(in, "an object without its kind", err);
    HSD_TRY(hsd_gcdump_number(in, in->label_bytes, &label, err));
    *kind = kind_at(in, label);
    return *kind == NULL ? hsd_gcdump_fail(in, "an object of a kind that is not there", err) : HSD_OK;
}

hsd_status hsd_gcdump_close(gcdump_serial *in, hsd_error *err)
{
    static const uint8_t fixed[] = {[8] = 1, [9] = 2, [10] = 4, [11] = 8};
    for (;;) {
        uint8_t tag;
        uint32_t size = 0;
        HSD_TRY(read_tag(in, &tag, err));
        switch (tag) {
        case GCDUMP_TAG_END: return HSD_OK;
        case 8:
        case 9:
        case 10:
        case 11: HSD_TRY(hsd_source_skip(in->source, fixed[tag], err)); break;
        case GCDUMP_TAG_STRING: HSD_TRY(hsd_gcdump_pass_text(in, err)); break;
        case 14:
            HSD_TRY(hsd_gcdump_count(in, &size, err));
            HSD_TRY(hsd_source_skip(in->source, size, err));
            break;
        case GCDUMP_TAG_NULL: break;
        case GCDUMP_TAG_REFERENCE: HSD_TRY(hsd_source_skip(in->source, in->label_bytes, err)); break;
        default: return hsd_gcdump_fail(in, "something that this version of hsdiff cannot pass over", err);
        }
    }
}
