/*
 * FORMAT.md 6 as data: what a record of each kind is made of. A field stands here once, with its column, how its values
 * are coded, the member of the record that has it, how the text form prints it, and the table whose numbers it defines
 * or uses. Decoding (columns.c, record_block.c), the text form (dump.c) and the checks (verify_records.c) read it;
 * tests/unit/format/test_forms.py holds it against FORMAT.md.
 *
 * A new column is a line here, a member in hsdiff/capture.h, a number in capture/core/layout.h and its sentence in
 * FORMAT.md.
 */
#ifndef HSD_FORMAT_FORMS_H
#define HSD_FORMAT_FORMS_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/capture.h>

#include "core/layout.h"

/* Tables whose numbers are used elsewhere. */
typedef enum hsd_table {
    HSD_TABLE_STRING,
    HSD_TABLE_TYPE,
    HSD_TABLE_LABEL,
    HSD_TABLE_SITE,
    HSD_TABLE_THREAD,
    HSD_TABLES
} hsd_table;

typedef enum hsd_field_kind {
    HSD_FIELD_U64 = 1,
    HSD_FIELD_U32,
    HSD_FIELD_ENTRY, /* number of a table entry: below 2^31 */
    HSD_FIELD_BYTES,
    HSD_FIELD_NONE /* no column: a member that follows from others */
} hsd_field_kind;

typedef enum hsd_field_role { HSD_FIELD_PLAIN, HSD_FIELD_DEFINES, HSD_FIELD_USES } hsd_field_role;

/* In the text form, FORMAT.md Appendix A. Those with a name are left out where they are 0 or empty. */
typedef enum hsd_field_print {
    HSD_PRINT_NOT,
    HSD_PRINT_ALWAYS, /* " 17" */
    HSD_PRINT_ID,     /* " 0x11" */
    HSD_PRINT_NUMBER, /* " line=17" */
    HSD_PRINT_HEX,    /* " flags=0x11" */
    HSD_PRINT_TEXT,   /* ' "text"', with a name ' value="text"' */
    HSD_PRINT_TARGET, /* as the capture's targets: number or id */
    HSD_PRINT_SOURCE, /* as the edge's source */
    HSD_PRINT_GROUP   /* " category" or " root" */
} hsd_field_print;

#define HSD_FORM_FIELDS 20

typedef struct hsd_field {
    uint8_t column;       /* HSC_COL_*; 0 with HSD_FIELD_NONE */
    uint8_t kind;         /* hsd_field_kind; 0 = no more fields */
    uint8_t role, table;  /* hsd_field_role; hsd_table + 1 */
    uint8_t print;        /* hsd_field_print */
    uint8_t member_bytes; /* 4, 8 or those of hsd_text; 0 = no member by itself */
    uint16_t offset;      /* in hsd_record, or in hsd_object */
    const char *name;     /* in the text form */
    uint32_t known;       /* greatest value that means something, others read as 0; 0 = all do */
    bool is_many;         /* values are counted by another column, and not one a record */
} hsd_field;

typedef struct hsd_form {
    uint8_t block_type;
    const char *word; /* the first of its line; NULL = it has none */
    /* in the order of the text form; behind the last one stands a zeroed one */
    hsd_field fields[HSD_FORM_FIELDS];
} hsd_form;

/* One for each hsd_record_kind, then two that are no records of a table. */
enum { HSD_FORM_OBJECT = HSD_RECORD_SITE_TOTAL + 1, HSD_FORM_INDEX, HSD_FORMS };

extern const hsd_form hsd_forms[HSD_FORMS];

/* The form of the records of a type of block; NULL = it has no columns that this version knows. */
const hsd_form *hsd_form_of_block(uint8_t block_type);

/* The field of a column, and its place among the fields; NULL = the form has no such column. */
const hsd_field *hsd_form_field(const hsd_form *form, unsigned column);

#endif
