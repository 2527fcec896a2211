/*
 * Values in .debug_info, by all forms that DWARF 2 to 5 know (§7.5.5 of version 5), and GNU's of split files, which are
 * stepped over.
 */
#include <string.h>

#include "base/check.h"
#include "go/dwarf/info.h"

enum {
    FORM_ADDR = 0x01,
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0a,
    FORM_DATA1 = 0x0b,
    FORM_FLAG = 0x0c,
    FORM_SDATA = 0x0d,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_REF_ADDR = 0x10,
    FORM_REF1 = 0x11,
    FORM_REF2 = 0x12,
    FORM_REF4 = 0x13,
    FORM_REF8 = 0x14,
    FORM_REF_UDATA = 0x15,
    FORM_INDIRECT = 0x16,
    FORM_SEC_OFFSET = 0x17,
    FORM_EXPRLOC = 0x18,
    FORM_FLAG_PRESENT = 0x19,
    FORM_STRX = 0x1a,
    FORM_ADDRX = 0x1b,
    FORM_REF_SUP4 = 0x1c,
    FORM_STRP_SUP = 0x1d,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f,
    FORM_REF_SIG8 = 0x20,
    FORM_IMPLICIT_CONST = 0x21,
    FORM_LOCLISTX = 0x22,
    FORM_RNGLISTX = 0x23,
    FORM_REF_SUP8 = 0x24,
    FORM_STRX1 = 0x25,
    FORM_STRX2 = 0x26,
    FORM_STRX3 = 0x27,
    FORM_STRX4 = 0x28,
    FORM_ADDRX1 = 0x29,
    FORM_ADDRX2 = 0x2a,
    FORM_ADDRX3 = 0x2b,
    FORM_ADDRX4 = 0x2c
};

bool hsd_info_number(hsd_bytes bytes, uint64_t *at, unsigned size, uint64_t *out)
{
    if (*at > bytes.size || size > bytes.size - *at) return false;
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes.data[*at + i] << 8 * i;
    *at += size;
    *out = value;
    return true;
}

bool hsd_info_uleb(hsd_bytes bytes, uint64_t *at, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < bytes.size && shift < 70; shift += 7) {
        const uint8_t byte = bytes.data[(*at)++];
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        *out = value;
        if ((byte & 0x80) == 0) return true;
    }
    return false;
}

bool hsd_info_sleb(hsd_bytes bytes, uint64_t *at, int64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < bytes.size && shift < 70; shift += 7) {
        const uint8_t byte = bytes.data[(*at)++];
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) != 0) continue;
        if (shift + 7 < 64 && (byte & 0x40) != 0) value |= UINT64_MAX << (shift + 7);
        *out = (int64_t)value;
        return true;
    }
    return false;
}

bool hsd_info_address(const hsd_info *info, uint64_t index, uint64_t *out)
{
    uint64_t at;
    if (!hsd_mul_u64(index, info->address_bytes, &at) || !hsd_add_u64(at, info->address_base, &at)) return false;
    return hsd_info_number(info->sections.addresses, &at, info->address_bytes, out);
}

/* ---- kinds of values ---- */

static hsd_bytes unit_bytes(const hsd_info *info)
{
    return (hsd_bytes){info->sections.info.data, (size_t)info->unit_end};
}

static bool read_number(hsd_info *info, unsigned size, uint64_t *out)
{
    return hsd_info_number(unit_bytes(info), &info->at, size, out);
}

static bool read_block(hsd_info *info, uint64_t size, hsd_form_value *out)
{
    if (size > info->unit_end - info->at) return false;
    out->block = (hsd_bytes){info->sections.info.data + info->at, (size_t)size};
    info->at += size;
    return true;
}

static bool read_sized_block(hsd_info *info, unsigned size, hsd_form_value *out)
{
    uint64_t bytes;
    return read_number(info, size, &bytes) && read_block(info, bytes, out);
}

static const char *text_at(hsd_bytes texts, uint64_t at)
{
    if (at >= texts.size || memchr(texts.data + at, 0, texts.size - (size_t)at) == NULL) return NULL;
    return (const char *)texts.data + at;
}

static bool read_text(hsd_info *info, hsd_form_value *out)
{
    out->text = text_at(unit_bytes(info), info->at);
    if (out->text == NULL) return false;
    info->at += strlen(out->text) + 1;
    return true;
}

/* A text elsewhere may be missing: then the entry has no name. */
static bool read_text_there(hsd_info *info, hsd_bytes texts, hsd_form_value *out)
{
    uint64_t at;
    if (!read_number(info, info->offset_bytes, &at)) return false;
    out->text = text_at(texts, at);
    return true;
}

static bool find_text(const hsd_info *info, uint64_t index, hsd_form_value *out)
{
    uint64_t at, where;
    if (hsd_mul_u64(index, info->offset_bytes, &at) && hsd_add_u64(at, info->text_base, &at) &&
        hsd_info_number(info->sections.text_offsets, &at, info->offset_bytes, &where))
        out->text = text_at(info->sections.texts, where);
    return true;
}

static bool find_address(const hsd_info *info, uint64_t index, hsd_form_value *out)
{
    if (!hsd_info_address(info, index, &out->number)) out->number = 0;
    return true;
}

static bool read_reference(hsd_info *info, unsigned size, hsd_form_value *out)
{
    return read_number(info, size, &out->number) && hsd_add_u64(out->number, info->unit_begin, &out->number);
}

bool hsd_info_value(hsd_info *info, uint64_t form, int64_t constant, hsd_form_value *out)
{
    int64_t with_sign;
    *out = (hsd_form_value){0};
    if (form == FORM_INDIRECT && (!hsd_info_uleb(unit_bytes(info), &info->at, &form) || form == FORM_INDIRECT))
        return false;
    switch (form) {
    case FORM_ADDR: return read_number(info, info->address_bytes, &out->number);
    case FORM_FLAG:
    case FORM_DATA1: return read_number(info, 1, &out->number);
    case FORM_DATA2: return read_number(info, 2, &out->number);
    case FORM_REF_SUP4:
    case FORM_DATA4: out->is_list = info->version < 4; return read_number(info, 4, &out->number);
    case FORM_REF_SUP8:
    case FORM_REF_SIG8:
    case FORM_DATA8: return read_number(info, 8, &out->number);
    case FORM_DATA16: return read_block(info, 16, out);
    case FORM_SDATA:
        if (!hsd_info_sleb(unit_bytes(info), &info->at, &with_sign)) return false;
        out->number = (uint64_t)with_sign;
        return true;
    case FORM_LOCLISTX:
    case FORM_RNGLISTX:
    case FORM_UDATA: return hsd_info_uleb(unit_bytes(info), &info->at, &out->number);
    case FORM_STRING: return read_text(info, out);
    case FORM_STRP: return read_text_there(info, info->sections.texts, out);
    case FORM_LINE_STRP: return read_text_there(info, info->sections.line_texts, out);
    case FORM_STRP_SUP: return read_number(info, info->offset_bytes, &out->number);
    case FORM_SEC_OFFSET: out->is_list = true; return read_number(info, info->offset_bytes, &out->number);
    case FORM_REF_ADDR:
        return read_number(info, info->version < 3 ? info->address_bytes : info->offset_bytes, &out->number);
    case FORM_REF1: return read_reference(info, 1, out);
    case FORM_REF2: return read_reference(info, 2, out);
    case FORM_REF4: return read_reference(info, 4, out);
    case FORM_REF8: return read_reference(info, 8, out);
    case FORM_REF_UDATA:
        return hsd_info_uleb(unit_bytes(info), &info->at, &out->number) &&
               hsd_add_u64(out->number, info->unit_begin, &out->number);
    case FORM_BLOCK1: return read_sized_block(info, 1, out);
    case FORM_BLOCK2: return read_sized_block(info, 2, out);
    case FORM_BLOCK4: return read_sized_block(info, 4, out);
    case FORM_EXPRLOC:
    case FORM_BLOCK:
        return hsd_info_uleb(unit_bytes(info), &info->at, &out->number) && read_block(info, out->number, out);
    case FORM_FLAG_PRESENT: out->number = 1; return true;
    case FORM_IMPLICIT_CONST: out->number = (uint64_t)constant; return true;
    case FORM_STRX:
        return hsd_info_uleb(unit_bytes(info), &info->at, &out->number) && find_text(info, out->number, out);
    case FORM_STRX1:
    case FORM_STRX2:
    case FORM_STRX3:
    case FORM_STRX4:
        return read_number(info, (unsigned)(form - FORM_STRX1) + 1, &out->number) && find_text(info, out->number, out);
    case FORM_ADDRX:
        return hsd_info_uleb(unit_bytes(info), &info->at, &out->number) && find_address(info, out->number, out);
    case FORM_ADDRX1:
    case FORM_ADDRX2:
    case FORM_ADDRX3:
    case FORM_ADDRX4:
        return read_number(info, (unsigned)(form - FORM_ADDRX1) + 1, &out->number) &&
               find_address(info, out->number, out);
    default: return false;
    }
}
