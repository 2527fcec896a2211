/*
 * The entries of .debug_info, one after the other: a cursor that reads forward once and keeps nothing but the
 * abbreviations of the unit. Written for Go's compilers, whose entries are few kinds with few attributes; what else a
 * unit may hold (C in programs with cgo) is stepped over, by all forms of DWARF 2 to 5. The bytes are hostile: every
 * read is checked, and every entry takes at least one byte. libdw is not used: its reader of locations refuses Go's (a
 * block in DWARF 4), and reads past the end of sections that lie.
 */
#ifndef HSD_GO_DWARF_INFO_H
#define HSD_GO_DWARF_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include <hsdiff/status.h>

enum {
    HSD_TAG_ARRAY = 0x01,
    HSD_TAG_MEMBER = 0x0d,
    HSD_TAG_POINTER = 0x0f,
    HSD_TAG_UNIT = 0x11,
    HSD_TAG_STRUCTURE = 0x13,
    HSD_TAG_SUBROUTINE_TYPE = 0x15,
    HSD_TAG_TYPEDEF = 0x16,
    HSD_TAG_INLINED = 0x1d,
    HSD_TAG_SUBRANGE = 0x21,
    HSD_TAG_BASE = 0x24,
    HSD_TAG_SUBPROGRAM = 0x2e,
    HSD_TAG_VARIABLE = 0x34,
    HSD_TAG_PARAMETER = 0x05,
    HSD_TAG_UNSPECIFIED = 0x3b
};
enum { HSD_LANGUAGE_GO = 0x16 };

/* One entry: the attributes that say something about types and variables; others are stepped over. 0 or NULL = not
 * there. */
typedef struct hsd_die {
    uint64_t offset; /* in .debug_info: what references mean */
    unsigned tag, depth;
    bool has_children;
    bool is_trampoline; /* a function that the compiler made to call another one */
    const char *name;   /* borrowed from the sections */
    uint64_t size, type, member_offset, count;
    uint64_t address; /* of a variable at a fixed place */
    uint64_t low_pc, high_pc;
    hsd_bytes location;    /* an expression … */
    uint64_t locations;    /* … or where the list of them begins + 1 */
    uint64_t runtime_type; /* of Go: address, or offset from runtime.types */
    unsigned go_kind, language;
    uint64_t origin;         /* of a copy of a function's code: the entry that has its name */
    uint64_t closure_offset; /* of Go: where a captured variable stands in its closure, 0 = it is none */
} hsd_die;

/* Sections that texts and addresses stand in; empty where there are none. Borrowed. */
typedef struct hsd_info_sections {
    hsd_bytes info, abbreviations, texts, line_texts, text_offsets, addresses;
} hsd_info_sections;

typedef struct hsd_abbreviation {
    uint32_t tag;
    uint32_t at; /* of its attributes, in the section; 0 = there is no such */
    bool has_children;
} hsd_abbreviation;

typedef struct hsd_info {
    hsd_info_sections sections;
    uint64_t at, unit_begin, unit_end;
    unsigned depth, version, address_bytes, offset_bytes;
    uint64_t text_base, address_base; /* of the unit */
    unsigned language;                /* of the unit, once its first entry is read */
    hsd_abbreviation *abbreviations;  /* by code */
    size_t abbreviation_room;
    uint64_t abbreviations_at; /* whose they are, + 1 */
    uint64_t work_left;        /* for them: tables that are read for each unit anew */
} hsd_info;

void hsd_info_open(hsd_info *info, const hsd_info_sections *sections);

/* The next entry, of any unit. HSD_END behind the last; HSD_E_CORRUPT; HSD_E_NOMEM. */
hsd_status hsd_info_next(hsd_info *info, hsd_die *die, hsd_error *err);

/* Steps over the rest of the unit. */
void hsd_info_skip_unit(hsd_info *info);
void hsd_info_close(hsd_info *info);

/* ---- forms.c: values of attributes ---- */

typedef struct hsd_form_value {
    uint64_t number; /* of numbers, references (in .debug_info), addresses, offsets */
    const char *text;
    hsd_bytes block;
    bool is_list; /* an offset into a section of lists */
} hsd_form_value;

/* Reads a value at info->at. False when the bytes are no valid DWARF. */
bool hsd_info_value(hsd_info *info, uint64_t form, int64_t constant, hsd_form_value *out);

bool hsd_info_number(hsd_bytes bytes, uint64_t *at, unsigned size, uint64_t *out);
bool hsd_info_uleb(hsd_bytes bytes, uint64_t *at, uint64_t *out);
bool hsd_info_sleb(hsd_bytes bytes, uint64_t *at, int64_t *out);

/* The address of this index in the unit's table; false if it has none. */
bool hsd_info_address(const hsd_info *info, uint64_t index, uint64_t *out);

#endif
