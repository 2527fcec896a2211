/*
 * Staged tables. Each kind is a row of `kinds`: its block type and its columns in the order in which they
 * stand in the block. Adding a record is a store for each field; when records or texts are full, the columns go
 * through the encoder into the raw region and out as a block.
 */
#include "table.h"

#include "bytes.h"
#include "column.h"
#include "layout.h"
#include "writer.h"

typedef struct table_kind {
    unsigned block;
    unsigned share;
    unsigned field_count;
    uint8_t columns[HSC_TABLE_FIELDS];
    bool has_text;
} table_kind;

static const table_kind kinds[HSC_TABLE_COUNT] = {
    [HSC_TABLE_STRINGS] = {HSC_BLOCK_STRINGS, 6, 2, {HSC_COL_KEY, HSC_COL_TEXT_BYTES}, true},
    [HSC_TABLE_TYPES] = {HSC_BLOCK_TYPES, 3, 3, {HSC_COL_FLAGS, HSC_COL_KEY, HSC_COL_TEXT_BYTES}, true},
    [HSC_TABLE_LABELS] = {HSC_BLOCK_LABELS, 2, 4, {HSC_COL_FLAGS, HSC_COL_KEY, HSC_COL_KIND, HSC_COL_TEXT_ID}, false},
    [HSC_TABLE_SITES] = {HSC_BLOCK_SITES,
                         3,
                         6,
                         {HSC_COL_KEY, HSC_COL_TEXT_ID, HSC_COL_PARENT, HSC_COL_FILE, HSC_COL_LINE,
                          HSC_COL_COLUMN_NUMBER},
                         false},
    [HSC_TABLE_EDGES] = {HSC_BLOCK_EDGES,
                         12,
                         4,
                         {HSC_COL_REF_TARGET, HSC_COL_REF_LABEL, HSC_COL_REF_INDEX, HSC_COL_EDGE_SOURCE},
                         false},
    [HSC_TABLE_ROOTS] = {HSC_BLOCK_ROOTS,
                         2,
                         6,
                         {HSC_COL_FLAGS, HSC_COL_KIND, HSC_COL_TEXT_ID, HSC_COL_PARENT, HSC_COL_TARGET, HSC_COL_DEPTH},
                         false},
    [HSC_TABLE_THREADS] = {HSC_BLOCK_THREADS, 1, 2, {HSC_COL_KEY, HSC_COL_TEXT_ID}, false},
    [HSC_TABLE_FRAMES] =
        {HSC_BLOCK_FRAMES, 2, 5, {HSC_COL_TEXT_ID, HSC_COL_PARENT, HSC_COL_FILE, HSC_COL_LINE, HSC_COL_DEPTH}, false},
    [HSC_TABLE_METRICS] = {HSC_BLOCK_METRICS, 1, 3, {HSC_COL_TEXT_BYTES, HSC_COL_UNIT, HSC_COL_VALUE_U64}, true},
    [HSC_TABLE_LOSSES] = {HSC_BLOCK_LOSSES, 1, 2, {HSC_COL_TEXT_BYTES, HSC_COL_VALUE_U64}, true},
    [HSC_TABLE_SITE_TOTALS] =
        {HSC_BLOCK_SITE_TOTALS, 2, 4, {HSC_COL_SITE, HSC_COL_KEY, HSC_COL_COUNT, HSC_COL_BYTES}, false},
    [HSC_TABLE_LIVE_TOTALS] = {HSC_BLOCK_LIVE_TOTALS,
                               4,
                               6,
                               {HSC_COL_KEY, HSC_COL_COUNT, HSC_COL_BYTES, HSC_COL_RETAINED, HSC_COL_UNREACHED,
                                HSC_COL_UNREACHED_BYTES},
                               false},
    [HSC_TABLE_ROOT_TOTALS] = {HSC_BLOCK_ROOT_TOTALS,
                               2,
                               6,
                               {HSC_COL_FLAGS, HSC_COL_KEY, HSC_COL_KIND, HSC_COL_COUNT, HSC_COL_BYTES,
                                HSC_COL_RETAINED},
                               false},
    [HSC_TABLE_PLACES] = {HSC_BLOCK_PLACES,
                          6,
                          6,
                          {HSC_COL_FLAGS, HSC_COL_KEY, HSC_COL_TEXT_ID, HSC_COL_PARENT, HSC_COL_COUNT, HSC_COL_BYTES},
                          false},
};

enum { TEXT_PER_RECORD = 24 }; /* what a name takes; only divides the staging area */

unsigned hsc_table_share(enum hsc_table_kind kind) { return kinds[kind].share; }

void hsc_table_init(hsc_table *table, enum hsc_table_kind kind, unsigned char *memory, size_t bytes)
{
    const size_t fields = kinds[kind].field_count * sizeof(uint64_t);
    const size_t text = kinds[kind].has_text ? TEXT_PER_RECORD : 0;
    size_t capacity = bytes / (fields + text);
    if (capacity > HSC_MAX_RECORDS) capacity = HSC_MAX_RECORDS;
    *table = (hsc_table){.memory = memory,
                         .capacity = (uint32_t)capacity,
                         .text_capacity = (uint32_t)(text != 0 ? bytes - capacity * fields : 0)};
}

static uint64_t *field_column(const hsc_table *table, unsigned field)
{
    return (uint64_t *)(void *)table->memory + (size_t)field * table->capacity;
}

static unsigned char *text_of(const hsc_table *table, enum hsc_table_kind kind)
{
    return (unsigned char *)field_column(table, kinds[kind].field_count);
}

static unsigned flags_of(const hsc_writer *w, enum hsc_table_kind kind)
{
    if (!w->targets_are_ordinals) return 0;
    if (kind == HSC_TABLE_EDGES) return HSC_BLOCK_FLAG_TARGET_ORDINAL | HSC_BLOCK_FLAG_SOURCE_ORDINAL;
    return kind == HSC_TABLE_ROOTS ? HSC_BLOCK_FLAG_TARGET_ORDINAL : 0;
}

/* The columns of `count` records from the staging area or, for a record on its own, from an array. */
typedef struct record_run {
    const uint64_t *fields;
    size_t stride; /* from one field's values to the next's */
    uint32_t count;
} record_run;

static unsigned char *put_fields(unsigned char *out, enum hsc_table_kind kind, const record_run *run, unsigned from,
                                 unsigned to)
{
    const uint8_t *columns = kinds[kind].columns;
    const hsc_sources sources = {.ids = {run->fields + 3 * run->stride, 8}}; /* EDGE_SOURCE */
    for (unsigned f = from; f < to; f++) {
        const hsc_values values = {run->fields + f * run->stride, 8};
        out = hsc_column_put(out, columns[f], values, run->count, columns[f] == HSC_COL_REF_TARGET ? &sources : NULL);
    }
    return out;
}

/* How many fields stand before TEXT: columns ascend. */
static unsigned fields_before_text(enum hsc_table_kind kind)
{
    unsigned f = 0;
    while (f < kinds[kind].field_count && kinds[kind].columns[f] < HSC_COL_TEXT)
        f++;
    return f;
}

static hsc_block block_of(const hsc_writer *w, enum hsc_table_kind kind, uint32_t count)
{
    const uint64_t first = kind == HSC_TABLE_PLACES ? w->tables[kind].total - count : 0;
    return (hsc_block){.type = kinds[kind].block, .flags = flags_of(w, kind), .records = count, .first_ordinal = first};
}

hsc_status hsc_table_flush(hsc_writer *w, enum hsc_table_kind kind)
{
    hsc_table *table = &w->tables[kind];
    if (table->count == 0) return HSC_OK;
    const record_run run = {field_column(table, 0), table->capacity, table->count};
    const unsigned middle = fields_before_text(kind);
    unsigned char *raw = w->blocks.raw;
    unsigned char *end = put_fields(raw, kind, &run, 0, middle);
    end = hsc_column_put_bytes(end, HSC_COL_TEXT, text_of(table, kind), table->text_used);
    end = put_fields(end, kind, &run, middle, kinds[kind].field_count);
    if (end == raw) /* all fields 0, and a payload is never empty */
        end = hsc_column_put_zeros(end, kinds[kind].columns[0], table->count);
    const hsc_block block = block_of(w, kind, table->count);
    table->count = 0;
    table->text_used = 0;
    return hsc_block_write(w, &block, (size_t)(end - raw), (hsc_room){NULL, 0});
}

/* A record whose text is larger than the staging area: the text goes out from where the caller has it. */
static hsc_status write_alone(hsc_writer *w, enum hsc_table_kind kind, const uint64_t *fields, const hsc_piece text[2])
{
    const record_run run = {fields, 1, 1};
    const unsigned middle = fields_before_text(kind);
    unsigned char *raw = w->blocks.raw;
    unsigned char *end = put_fields(raw, kind, &run, 0, middle);
    end = hsc_column_put_bytes_header(end, HSC_COL_TEXT, text[0].size + text[1].size);
    unsigned char *tail = put_fields(end, kind, &run, middle, kinds[kind].field_count);
    const hsc_piece pieces[] = {text[0], text[1], {end, (size_t)(tail - end)}};
    const hsc_block block = block_of(w, kind, 1);
    return hsc_block_write_pieces(w, &block, (size_t)(end - raw), pieces, 3);
}

static void stage(hsc_table *table, enum hsc_table_kind kind, const uint64_t *fields, const hsc_piece text[2])
{
    for (unsigned f = 0; f < kinds[kind].field_count; f++)
        field_column(table, f)[table->count] = fields[f];
    table->count++;
    for (size_t i = 0; i < 2; i++) {
        if (text[i].size > 0) memcpy(text_of(table, kind) + table->text_used, text[i].bytes, text[i].size);
        table->text_used += (uint32_t)text[i].size;
    }
}

hsc_status hsc_table_add(hsc_writer *w, enum hsc_table_kind kind, const uint64_t *fields, const hsc_piece text[2])
{
    static const hsc_piece none[2] = {{NULL, 0}, {NULL, 0}};
    if (text == NULL) text = none;
    hsc_table *table = &w->tables[kind];
    const size_t size = text[0].size + text[1].size;
    if (table->count == table->capacity || size > table->text_capacity - table->text_used) {
        const hsc_status status = hsc_table_flush(w, kind);
        if (status != HSC_OK) return status;
    }
    table->total++;
    if (size > table->text_capacity) return write_alone(w, kind, fields, text);
    stage(table, kind, fields, text);
    return HSC_OK;
}
