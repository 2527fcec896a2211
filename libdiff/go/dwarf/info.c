/*
 * Units, abbreviations and entries of .debug_info. See info.h.
 */
#include "go/dwarf/info.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"

enum {
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_BYTE_SIZE = 0x0b,
    AT_LOW_PC = 0x11,
    AT_HIGH_PC = 0x12,
    AT_LANGUAGE = 0x13,
    AT_UPPER_BOUND = 0x2f,
    AT_ORIGIN = 0x31,
    AT_COUNT = 0x37,
    AT_MEMBER_LOCATION = 0x38,
    AT_TYPE = 0x49,
    AT_TRAMPOLINE = 0x56,
    AT_TEXT_BASE = 0x72,
    AT_ADDRESS_BASE = 0x73,
    AT_GO_KIND = 0x2900,
    AT_GO_RUNTIME_TYPE = 0x2904,
    AT_GO_CLOSURE_OFFSET = 0x2907
};
enum { FORM_ADDR = 0x01, FORM_ADDRX = 0x1b, FORM_IMPLICIT_CONST = 0x21, FORM_ADDRX1 = 0x29, FORM_ADDRX4 = 0x2c };
enum { OP_ADDRESS = 0x03, OP_PLUS = 0x23, OP_ADDRESS_BY_INDEX = 0xa1 };
enum {
    UNIT_TYPE = 2,
    UNIT_SKELETON = 4,
    UNIT_SPLIT = 5,
    UNIT_SPLIT_TYPE = 6,
    MOST_CODES = 1 << 16,
    MOST_DEPTH = 1 << 16,
    MOST_ATTRIBUTES = 256
};

static hsd_status corrupt(const hsd_info *info, const char *what, hsd_error *err)
{
    return hsd_fail(err, HSD_E_CORRUPT, "no valid DWARF: %s at 0x%llx of .debug_info", what,
                    (unsigned long long)info->at);
}

void hsd_info_open(hsd_info *info, const hsd_info_sections *sections)
{
    *info = (hsd_info){.sections = *sections};
    info->work_left = 64 * (uint64_t)sections->abbreviations.size + 16 * (uint64_t)sections->info.size + 65536;
}

void hsd_info_skip_unit(hsd_info *info) { info->at = info->unit_end; }

void hsd_info_close(hsd_info *info)
{
    free(info->abbreviations);
    *info = (hsd_info){0};
}

/* ---- abbreviations ---- */

static hsd_status make_room(hsd_info *info, uint64_t code, hsd_error *err)
{
    return HSD_ARRAY_GROW_ZEROED(info->abbreviations, info->abbreviation_room, code + 1, 512, "DWARF", err);
}

/* One attribute of an abbreviation; *is_last for the pair of zeros. */
static bool next_attribute(hsd_bytes bytes, uint64_t *at, uint64_t *attribute, uint64_t *form, int64_t *constant,
                           bool *is_last)
{
    *constant = 0;
    if (!hsd_info_uleb(bytes, at, attribute) || !hsd_info_uleb(bytes, at, form)) return false;
    *is_last = *attribute == 0 && *form == 0;
    return *form != FORM_IMPLICIT_CONST || hsd_info_sleb(bytes, at, constant);
}

static hsd_status read_abbreviations(hsd_info *info, uint64_t at, hsd_error *err)
{
    const hsd_bytes bytes = info->sections.abbreviations;
    uint64_t code, tag, attribute, form;
    int64_t constant;
    if (info->abbreviations_at == at + 1) return HSD_OK;
    if (bytes.size > UINT32_MAX) return corrupt(info, "abbreviations without end", err);
    if (info->work_left < info->abbreviation_room) return corrupt(info, "tables of abbreviations without end", err);
    info->work_left -= info->abbreviation_room;
    if (info->abbreviations != NULL)
        memset(info->abbreviations, 0, info->abbreviation_room * sizeof *info->abbreviations);
    info->abbreviations_at = at + 1;
    while (hsd_info_uleb(bytes, &at, &code) && code != 0) {
        uint64_t children = 0;
        unsigned attributes = 0;
        bool is_last = false;
        if (code >= MOST_CODES || !hsd_info_uleb(bytes, &at, &tag) || !hsd_info_number(bytes, &at, 1, &children))
            return corrupt(info, "an abbreviation", err);
        HSD_TRY(make_room(info, code, err));
        info->abbreviations[code] =
            (hsd_abbreviation){.tag = (uint32_t)tag, .at = (uint32_t)at, .has_children = children != 0};
        while (!is_last)
            if (info->work_left-- == 0 || ++attributes > MOST_ATTRIBUTES ||
                !next_attribute(bytes, &at, &attribute, &form, &constant, &is_last))
                return corrupt(info, "an abbreviation", err);
    }
    return HSD_OK;
}

/* ---- units ---- */

static bool has_entries(uint64_t type)
{
    return type < UNIT_SPLIT_TYPE && type != UNIT_TYPE && type != UNIT_SPLIT && type != UNIT_SKELETON;
}

static hsd_status open_unit(hsd_info *info, hsd_error *err)
{
    const hsd_bytes all = info->sections.info;
    uint64_t length = 0, version = 0, type = 1, abbreviations = 0, address_bytes = 0;
    info->unit_begin = info->at;
    info->unit_end = all.size;
    info->offset_bytes = 4;
    bool is_valid = hsd_info_number(all, &info->at, 4, &length);
    if (is_valid && length == UINT32_MAX) {
        info->offset_bytes = 8;
        is_valid = hsd_info_number(all, &info->at, 8, &length);
    }
    if (!is_valid || length > all.size - info->at) return corrupt(info, "a unit that is longer than the section", err);
    info->unit_end = info->at + length;
    is_valid = hsd_info_number(all, &info->at, 2, &version);
    if (is_valid && version >= 5)
        is_valid = hsd_info_number(all, &info->at, 1, &type) && hsd_info_number(all, &info->at, 1, &address_bytes) &&
                   hsd_info_number(all, &info->at, info->offset_bytes, &abbreviations);
    else if (is_valid)
        is_valid = hsd_info_number(all, &info->at, info->offset_bytes, &abbreviations) &&
                   hsd_info_number(all, &info->at, 1, &address_bytes);
    if (!is_valid || info->at > info->unit_end || version < 2 || version > 5 || address_bytes > 8)
        return corrupt(info, "a unit", err);
    info->version = (unsigned)version;
    info->address_bytes = (unsigned)address_bytes;
    info->depth = info->language = 0;
    info->address_base = info->text_base = info->offset_bytes == 4 ? 8 : 16;
    if (has_entries(type)) return read_abbreviations(info, abbreviations, err);
    info->at = info->unit_end;
    return HSD_OK;
}

/* ---- entries ---- */

/* Where a variable stands, if its place is fixed: the one operation of an address. */
static uint64_t fixed_address(const hsd_info *info, hsd_bytes expression)
{
    uint64_t at = 1, value = 0;
    if (expression.size == 0) return 0;
    if (expression.data[0] == OP_ADDRESS)
        return hsd_info_number(expression, &at, info->address_bytes, &value) && at == expression.size ? value : 0;
    if (expression.data[0] != OP_ADDRESS_BY_INDEX || !hsd_info_uleb(expression, &at, &value) || at != expression.size)
        return 0;
    return hsd_info_address(info, value, &value) ? value : 0;
}

/* Where a member stands: a number, or in DWARF 2 an expression that adds one. */
static uint64_t member_offset(const hsd_form_value *value)
{
    uint64_t at = 1, offset = 0;
    if (value->block.size == 0) return value->number;
    return value->block.data[0] == OP_PLUS && hsd_info_uleb(value->block, &at, &offset) ? offset : UINT64_MAX;
}

static bool is_address_form(uint64_t form)
{
    return form == FORM_ADDR || form == FORM_ADDRX || (form >= FORM_ADDRX1 && form <= FORM_ADDRX4);
}

static void take_die(hsd_info *info, hsd_die *die, uint64_t attribute, uint64_t form, const hsd_form_value *value)
{
    switch (attribute) {
    case AT_NAME: die->name = value->text; break;
    case AT_BYTE_SIZE: die->size = value->number; break;
    case AT_TYPE: die->type = value->number; break;
    case AT_ORIGIN: die->origin = value->number; break;
    case AT_COUNT: die->count = value->number; break;
    case AT_UPPER_BOUND: die->count = value->number == UINT64_MAX ? 0 : value->number + 1; break;
    case AT_MEMBER_LOCATION: die->member_offset = member_offset(value); break;
    case AT_LOCATION:
        die->location = value->block;
        die->address = fixed_address(info, value->block);
        if (value->is_list && value->number < UINT64_MAX) die->locations = value->number + 1;
        break;
    case AT_LOW_PC: die->low_pc = value->number; break;
    case AT_HIGH_PC:
        die->high_pc = is_address_form(form) ? value->number : hsd_add_saturating(die->low_pc, value->number);
        break;
    case AT_TRAMPOLINE: die->is_trampoline = true; break;
    case AT_LANGUAGE: die->language = (unsigned)value->number; break;
    case AT_TEXT_BASE: info->text_base = value->number; break;
    case AT_ADDRESS_BASE: info->address_base = value->number; break;
    case AT_GO_KIND: die->go_kind = (unsigned)value->number; break;
    case AT_GO_CLOSURE_OFFSET: die->closure_offset = value->number; break;
    case AT_GO_RUNTIME_TYPE: die->runtime_type = value->number; break;
    default: break;
    }
}

static hsd_status read_entry(hsd_info *info, const hsd_abbreviation *kind, hsd_die *die, hsd_error *err)
{
    uint64_t at = kind->at, attribute, form;
    int64_t constant;
    bool is_last = false;
    hsd_form_value value;
    die->tag = kind->tag;
    die->has_children = kind->has_children;
    die->depth = info->depth;
    for (;;) {
        if (!next_attribute(info->sections.abbreviations, &at, &attribute, &form, &constant, &is_last))
            return corrupt(info, "an abbreviation", err);
        if (is_last) break;
        if (!hsd_info_value(info, form, constant, &value)) return corrupt(info, "a value", err);
        take_die(info, die, attribute, form, &value);
    }
    if (die->tag == HSD_TAG_UNIT) info->language = die->language;
    if (kind->has_children && ++info->depth > MOST_DEPTH) return corrupt(info, "entries in entries without end", err);
    return HSD_OK;
}

hsd_status hsd_info_next(hsd_info *info, hsd_die *die, hsd_error *err)
{
    uint64_t code;
    for (;;) {
        if (info->at >= info->sections.info.size) return HSD_END;
        if (info->at >= info->unit_end) {
            HSD_TRY(open_unit(info, err));
            continue;
        }
        *die = (hsd_die){.offset = info->at};
        const hsd_bytes unit = {info->sections.info.data, (size_t)info->unit_end};
        if (!hsd_info_uleb(unit, &info->at, &code)) return corrupt(info, "an entry", err);
        if (code != 0) break;
        if (info->depth > 0) info->depth--;
    }
    if (code >= info->abbreviation_room || info->abbreviations[code].at == 0)
        return corrupt(info, "an entry of no known kind", err);
    return read_entry(info, &info->abbreviations[code], die, err);
}
