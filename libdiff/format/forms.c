/* The table of all fields. See forms.h. */
#include "format/forms.h"

#include <stddef.h>

#include "base/assert.h"

/* clang-format off */
/* Read as a table. */
#define MEMBER(record, member)        .member_bytes = sizeof(((hsd_##record *)0)->member), .offset = offsetof(hsd_##record, member)
#define U64(number, record, m)        .column = HSC_COL_##number, .kind = HSD_FIELD_U64, MEMBER(record, m)
#define U32(number, record, m)        .column = HSC_COL_##number, .kind = HSD_FIELD_U32, MEMBER(record, m)
#define ENTRY(number, record, m)      .column = HSC_COL_##number, .kind = HSD_FIELD_ENTRY, MEMBER(record, m)
#define DERIVED(record, m)            .kind = HSD_FIELD_NONE, MEMBER(record, m)
#define TEXT_OF(record, m)            .column = HSC_COL_TEXT_BYTES, .kind = HSD_FIELD_U32, MEMBER(record, m), .print = HSD_PRINT_TEXT
#define BYTES(number)                 .column = HSC_COL_##number, .kind = HSD_FIELD_BYTES, .is_many = true
#define COUNTED(number, coded)        .column = HSC_COL_##number, .kind = HSD_FIELD_##coded, .is_many = true
#define UNNAMED(number, coded)        .column = HSC_COL_##number, .kind = HSD_FIELD_##coded
#define DEFINES(which)                .role = HSD_FIELD_DEFINES, .table = HSD_TABLE_##which + 1, .print = HSD_PRINT_ALWAYS
#define USES(which)                   .role = HSD_FIELD_USES, .table = HSD_TABLE_##which + 1
#define ALWAYS                        .print = HSD_PRINT_ALWAYS
#define NUMBER(word)                  .print = HSD_PRINT_NUMBER, .name = word
#define HEX(word)                     .print = HSD_PRINT_HEX, .name = word

enum { LABEL_KINDS = 7, ROOT_KINDS = 11 }; /* the greatest of each */

const hsd_form hsd_forms[HSD_FORMS] = {
    [HSD_RECORD_STRING] = {HSC_BLOCK_STRINGS, "string", {
        {ENTRY(KEY, string, id), DEFINES(STRING)},
        {TEXT_OF(string, text)},
        {BYTES(TEXT)}}},
    [HSD_RECORD_TYPE] = {HSC_BLOCK_TYPES, "type", {
        {ENTRY(KEY, type, id), DEFINES(TYPE)},
        {U32(FLAGS, type, flags), HEX("flags")},
        {TEXT_OF(type, name)},
        {BYTES(TEXT)}}},
    [HSD_RECORD_LABEL] = {HSC_BLOCK_LABELS, "label", {
        {ENTRY(KEY, label, id), DEFINES(LABEL)},
        {U32(KIND, label, kind), NUMBER("kind"), .known = LABEL_KINDS},
        {U32(FLAGS, label, flags), HEX("flags")},
        {ENTRY(TEXT_ID, label, name), USES(STRING), NUMBER("name")}}},
    [HSD_RECORD_SITE] = {HSC_BLOCK_SITES, "site", {
        {ENTRY(KEY, site, id), DEFINES(SITE)},
        {ENTRY(PARENT, site, parent), USES(SITE), NUMBER("parent")},
        {ENTRY(TEXT_ID, site, function), USES(STRING), NUMBER("function")},
        {ENTRY(FILE, site, file), USES(STRING), NUMBER("file")},
        {U32(LINE, site, line), NUMBER("line")},
        {U32(COLUMN_NUMBER, site, column), NUMBER("column")}}},
    [HSD_RECORD_EDGE] = {HSC_BLOCK_EDGES, "edge", {
        {U64(EDGE_SOURCE, edge, source), .print = HSD_PRINT_SOURCE},
        {U64(REF_TARGET, edge, target), .print = HSD_PRINT_TARGET},
        {ENTRY(REF_LABEL, edge, label), USES(LABEL), NUMBER("label")},
        {U64(REF_INDEX, edge, index), NUMBER("index")}}},
    [HSD_RECORD_ROOT] = {HSC_BLOCK_ROOTS, "root", {
        {U32(KIND, root, kind), NUMBER("kind"), .known = ROOT_KINDS},
        {U32(FLAGS, root, flags), HEX("flags")},
        {ENTRY(TEXT_ID, root, label), USES(STRING), NUMBER("label")},
        {U64(TARGET, root, target), .print = HSD_PRINT_TARGET},
        {ENTRY(PARENT, root, thread), USES(THREAD), NUMBER("thread")},
        {U32(DEPTH, root, frame), NUMBER("frame")}}},
    [HSD_RECORD_THREAD] = {HSC_BLOCK_THREADS, "thread", {
        {ENTRY(KEY, thread, id), DEFINES(THREAD)},
        {ENTRY(TEXT_ID, thread, name), USES(STRING), NUMBER("name")}}},
    [HSD_RECORD_FRAME] = {HSC_BLOCK_FRAMES, "frame", {
        {ENTRY(PARENT, frame, thread), USES(THREAD), ALWAYS},
        {U32(DEPTH, frame, depth), ALWAYS},
        {ENTRY(TEXT_ID, frame, function), USES(STRING), NUMBER("function")},
        {ENTRY(FILE, frame, file), USES(STRING), NUMBER("file")},
        {U32(LINE, frame, line), NUMBER("line")}}},
    [HSD_RECORD_METRIC] = {HSC_BLOCK_METRICS, "metric", {
        {TEXT_OF(metric, name)}, /* with the unit behind it, until that is cut off */
        {U32(UNIT, metric, unit), .print = HSD_PRINT_TEXT},
        {U64(VALUE_U64, metric, value), ALWAYS},
        {BYTES(TEXT)}}},
    [HSD_RECORD_LOSS] = {HSC_BLOCK_LOSSES, "loss", {
        {TEXT_OF(loss, what)},
        {U64(VALUE_U64, loss, count), ALWAYS},
        {BYTES(TEXT)}}},
    [HSD_RECORD_TYPE_TOTAL] = {HSC_BLOCK_TYPE_TOTALS, "total type", {
        {ENTRY(KEY, type_total, type), USES(TYPE), ALWAYS},
        {U64(COUNT, type_total, objects), NUMBER("objects")},
        {U64(BYTES, type_total, bytes), NUMBER("bytes")},
        {U64(NATIVE_BYTES, type_total, native_bytes), NUMBER("native")},
        {U32(BUCKET_COUNT, type_total, bucket_count)},
        {COUNTED(BUCKET, U32)},
        {COUNTED(BUCKET_OBJECTS, U64)},
        {COUNTED(BUCKET_BYTES, U64)}}},
    [HSD_RECORD_GROUP_TOTAL] = {HSC_BLOCK_GROUP_TOTALS, "total", {
        {U32(KIND, group_total, kind), .print = HSD_PRINT_GROUP},
        {ENTRY(KEY, group_total, key), ALWAYS},
        {U64(COUNT, group_total, count), NUMBER("count")},
        {U64(BYTES, group_total, bytes), NUMBER("bytes")}}},
    [HSD_RECORD_LIVE_TOTAL] = {HSC_BLOCK_LIVE_TOTALS, "live", {
        {ENTRY(KEY, live_total, type), USES(TYPE), ALWAYS},
        {U64(COUNT, live_total, objects), NUMBER("objects")},
        {U64(BYTES, live_total, bytes), NUMBER("bytes")},
        {U64(RETAINED, live_total, retained_bytes), NUMBER("retained")},
        {U64(UNREACHED, live_total, unreached_objects), NUMBER("unreached")},
        {U64(UNREACHED_BYTES, live_total, unreached_bytes), NUMBER("unreached_bytes")}}},
    [HSD_RECORD_ROOT_TOTAL] = {HSC_BLOCK_ROOT_TOTALS, "owned", {
        {ENTRY(KEY, root_total, name), USES(STRING), ALWAYS},
        {U32(KIND, root_total, kind), NUMBER("kind"), .known = ROOT_KINDS},
        {U32(FLAGS, root_total, flags), HEX("flags")},
        {U64(COUNT, root_total, objects), NUMBER("objects")},
        {U64(BYTES, root_total, bytes), NUMBER("bytes")},
        {U64(RETAINED, root_total, retained_bytes), NUMBER("retained")}}},
    [HSD_RECORD_PLACE] = {HSC_BLOCK_PLACES, "place", {
        {DERIVED(place_total, number), ALWAYS},
        {ENTRY(KEY, place_total, name), ALWAYS}, /* a type, or of a root a string */
        {ENTRY(PARENT, place_total, parent), NUMBER("parent")},
        {ENTRY(TEXT_ID, place_total, edge), USES(STRING), NUMBER("edge")},
        {U32(FLAGS, place_total, flags), HEX("flags")},
        {U64(COUNT, place_total, objects), NUMBER("objects")},
        {U64(BYTES, place_total, bytes), NUMBER("bytes")}}},
    [HSD_RECORD_SITE_TOTAL] = {HSC_BLOCK_SITE_TOTALS, "allocated", {
        {ENTRY(KEY, site_total, type), USES(TYPE), ALWAYS},
        {ENTRY(SITE, site_total, site), USES(SITE), ALWAYS},
        {U64(COUNT, site_total, objects), NUMBER("objects")},
        {U64(BYTES, site_total, bytes), NUMBER("bytes")}}},
    [HSD_FORM_OBJECT] = {HSC_BLOCK_OBJECTS, "object", {
        {DERIVED(object, ordinal), ALWAYS},
        {U64(ID, object, id), .print = HSD_PRINT_ID},
        {ENTRY(TYPE, object, type), USES(TYPE), NUMBER("type")},
        {U64(SIZE, object, size_bytes), NUMBER("size")},
        {U64(NATIVE_SIZE, object, native_bytes), NUMBER("native")},
        {U64(ELEMENTS, object, elements), NUMBER("elements")},
        {ENTRY(SITE, object, site), USES(SITE), NUMBER("site")},
        {U32(AGE, object, age), NUMBER("age")},
        {U32(FLAGS, object, flags), HEX("flags")},
        {ENTRY(NAME, object, name), USES(STRING), NUMBER("name")},
        {ENTRY(CATEGORY, object, category), USES(STRING), NUMBER("category")},
        {U64(IDENTITY, object, identity), HEX("identity")},
        {U64(CONTENT, object, content), HEX("content")},
        {U32(VALUE_BYTES, object, value), .print = HSD_PRINT_TEXT, .name = "value"},
        {BYTES(VALUE)},
        {UNNAMED(REF_COUNT, U32)},
        {COUNTED(REF_TARGET, U64)},
        {COUNTED(REF_LABEL, ENTRY), USES(LABEL)},
        {COUNTED(REF_INDEX, U64)}}},
    [HSD_FORM_INDEX] = {HSC_BLOCK_INDEX, NULL, {
        {UNNAMED(OFFSET, U64)},
        {UNNAMED(BLOCK_TYPE, U32)},
        {UNNAMED(RECORDS, U32)},
        {UNNAMED(ORDINAL, U64)},
        {UNNAMED(STORED, U32)},
        {UNNAMED(NUMBER, U64)}}},
};

const hsd_form *hsd_form_of_block(uint8_t block_type)
{
    for (unsigned i = 0; i < HSD_FORMS; i++)
        if (hsd_forms[i].block_type == block_type) return &hsd_forms[i];
    return NULL;
}

const hsd_field *hsd_form_field(const hsd_form *form, unsigned column)
{
    HSD_ASSERT(form != NULL);
    for (const hsd_field *field = form->fields; field->kind != 0; field++)
        if (field->column == column && field->kind != HSD_FIELD_NONE) return field;
    return NULL;
}
