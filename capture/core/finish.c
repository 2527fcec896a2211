/*
 * The end of a capture: type and group totals from the counters, the index from the list of blocks, the end
 * record, the trailer (FORMAT.md 6.14, 6.15, §9). The staging area of the objects, empty by now, holds the
 * columns that are put together here.
 */
#include "bytes.h"
#include "column.h"
#include "hash.h"
#include "layout.h"
#include "writer.h"

/* Columns of 8 bytes a value in the staging area. */
typedef struct sheet {
    uint64_t *memory;
    size_t cells;
} sheet;

static sheet blank_sheet(const hsc_writer *w)
{
    return (sheet){(uint64_t *)(void *)w->objects.memory, w->objects.memory_bytes / sizeof(uint64_t)};
}

static unsigned char *put_column(unsigned char *out, unsigned column, const uint64_t *values, size_t count)
{
    return hsc_column_put(out, column, (hsc_values){values, 8}, count, NULL);
}

static hsc_status send_capture_end(hsc_writer *w, unsigned type, uint32_t records, unsigned first_column,
                                   unsigned char *end)
{
    if (end == w->blocks.raw) end = hsc_column_put_zeros(end, first_column, records);
    const hsc_block block = {.type = type, .records = records};
    return hsc_block_write(w, &block, (size_t)(end - w->blocks.raw),
                           (hsc_room){w->objects.memory, w->objects.memory_bytes});
}

/* ---- type totals ---- */

enum { TYPE_COLUMNS = 5, BUCKET_COLUMNS = 3, BUCKETS_PER_TYPE = 3 };

/* A block of type totals in progress: `types` rows and `buckets` rows of room in the sheet. */
typedef struct type_page {
    uint64_t *key, *count, *bytes, *native, *bucket_count;
    uint64_t *bucket, *bucket_objects, *bucket_bytes;
    size_t types, buckets;
    size_t type_room, bucket_room;
} type_page;

static type_page blank_type_page(sheet s)
{
    type_page p = {.type_room = (s.cells - HSC_HISTOGRAM_BUCKETS * BUCKET_COLUMNS) /
                                (TYPE_COLUMNS + BUCKET_COLUMNS * BUCKETS_PER_TYPE)};
    if (p.type_room > HSC_MAX_RECORDS) p.type_room = HSC_MAX_RECORDS;
    p.bucket_room = p.type_room * BUCKETS_PER_TYPE + HSC_HISTOGRAM_BUCKETS;
    uint64_t **const type_columns[] = {&p.key, &p.count, &p.bytes, &p.native, &p.bucket_count};
    uint64_t **const bucket_columns[] = {&p.bucket, &p.bucket_objects, &p.bucket_bytes};
    uint64_t *at = s.memory;
    for (size_t i = 0; i < TYPE_COLUMNS; i++, at += p.type_room)
        *type_columns[i] = at;
    for (size_t i = 0; i < BUCKET_COLUMNS; i++, at += p.bucket_room)
        *bucket_columns[i] = at;
    return p;
}

static hsc_status send_type_page(hsc_writer *w, const type_page *p)
{
    unsigned char *end = w->blocks.raw;
    end = put_column(end, HSC_COL_KEY, p->key, p->types);
    end = put_column(end, HSC_COL_COUNT, p->count, p->types);
    end = put_column(end, HSC_COL_BYTES, p->bytes, p->types);
    end = put_column(end, HSC_COL_NATIVE_BYTES, p->native, p->types);
    end = put_column(end, HSC_COL_BUCKET_COUNT, p->bucket_count, p->types);
    end = put_column(end, HSC_COL_BUCKET, p->bucket, p->buckets);
    end = put_column(end, HSC_COL_BUCKET_OBJECTS, p->bucket_objects, p->buckets);
    end = put_column(end, HSC_COL_BUCKET_BYTES, p->bucket_bytes, p->buckets);
    return send_capture_end(w, HSC_BLOCK_TYPE_TOTALS, (uint32_t)p->types, HSC_COL_KEY, end);
}

/* Adds the entries of one type, which lie one behind the other; returns the entry behind them. */
static const hsc_total *add_type(type_page *p, const hsc_total *at, const hsc_total *end)
{
    const uint32_t type = hsc_total_id(at->key);
    const size_t row = p->types++;
    p->key[row] = type;
    p->count[row] = p->bytes[row] = p->native[row] = p->bucket_count[row] = 0;
    for (; at < end && hsc_total_axis(at->key) == HSC_AXIS_TYPE && hsc_total_id(at->key) == type; at++) {
        hsc_add(&p->count[row], at->count);
        hsc_add(&p->bytes[row], at->bytes);
        hsc_add(&p->native[row], at->native_bytes);
        if (hsc_total_bucket(at->key) == HSC_NO_BUCKET) continue;
        p->bucket[p->buckets] = hsc_total_bucket(at->key);
        p->bucket_objects[p->buckets] = at->count;
        p->bucket_bytes[p->buckets++] = at->bytes;
        p->bucket_count[row]++;
    }
    return at;
}

/* ---- group totals ---- */

typedef struct group_page {
    uint64_t *kind, *key, *count, *bytes;
    size_t used, room;
} group_page;

static hsc_status send_group_page(hsc_writer *w, const group_page *p)
{
    unsigned char *end = w->blocks.raw;
    end = put_column(end, HSC_COL_KEY, p->key, p->used);
    end = put_column(end, HSC_COL_KIND, p->kind, p->used);
    end = put_column(end, HSC_COL_COUNT, p->count, p->used);
    end = put_column(end, HSC_COL_BYTES, p->bytes, p->used);
    return send_capture_end(w, HSC_BLOCK_GROUP_TOTALS, (uint32_t)p->used, HSC_COL_KEY, end);
}

static hsc_status write_groups(hsc_writer *w, const hsc_total *at, const hsc_total *end)
{
    const sheet s = blank_sheet(w);
    group_page p = {.room = s.cells / 4 < HSC_MAX_RECORDS ? s.cells / 4 : HSC_MAX_RECORDS};
    p.kind = s.memory;
    p.key = p.kind + p.room;
    p.count = p.key + p.room;
    p.bytes = p.count + p.room;
    for (; at < end; at++) {
        p.kind[p.used] = hsc_total_axis(at->key) == HSC_AXIS_CATEGORY ? HSC_GROUP_CATEGORY : HSC_GROUP_ROOT_KIND;
        p.key[p.used] = hsc_total_id(at->key);
        p.count[p.used] = at->count;
        p.bytes[p.used] = at->bytes;
        if (++p.used < p.room && at + 1 < end) continue;
        const hsc_status status = send_group_page(w, &p);
        if (status != HSC_OK) return status;
        p.used = 0;
    }
    return HSC_OK;
}

hsc_status hsc_write_summaries(hsc_writer *w)
{
    hsc_totals_sort(&w->totals);
    const hsc_total *at = w->totals.entries, *const end = at + w->totals.used;
    type_page p = blank_type_page(blank_sheet(w));
    while (at < end && hsc_total_axis(at->key) == HSC_AXIS_TYPE) {
        at = add_type(&p, at, end);
        const bool is_last = at == end || hsc_total_axis(at->key) != HSC_AXIS_TYPE;
        if (!is_last && p.types < p.type_room && p.buckets + HSC_HISTOGRAM_BUCKETS <= p.bucket_room) continue;
        const hsc_status status = send_type_page(w, &p);
        if (status != HSC_OK) return status;
        p.types = p.buckets = 0;
    }
    return write_groups(w, at, end);
}

/* ---- index ---- */

enum { INDEX_COLUMNS = 5 };

typedef struct index_page {
    uint64_t *column[INDEX_COLUMNS]; /* offset, type, records, ordinal, stored */
    size_t used, room;
} index_page;

static hsc_status send_index_page(hsc_writer *w, const index_page *p)
{
    unsigned char *end = w->blocks.raw;
    for (unsigned i = 0; i < INDEX_COLUMNS; i++)
        end = put_column(end, HSC_COL_OFFSET + i, p->column[i], p->used);
    return send_capture_end(w, HSC_BLOCK_INDEX, (uint32_t)p->used, HSC_COL_OFFSET, end);
}

static hsc_status write_index(hsc_writer *w)
{
    const sheet s = blank_sheet(w);
    const size_t fit = s.cells / INDEX_COLUMNS;
    index_page p = {.room = fit < HSC_MAX_RECORDS ? fit : HSC_MAX_RECORDS};
    for (size_t i = 0; i < INDEX_COLUMNS; i++)
        p.column[i] = s.memory + i * p.room;
    uint64_t offset = HSC_FILE_HEADER_BYTES, ordinal = 0, places = 0, left = w->blocks.index.count;
    const hsc_index_piece *piece = w->blocks.index.first;
    for (size_t i = 0; left > 0; left--) {
        const hsc_index_entry *e = &piece->entries[i];
        const unsigned type = e->type_records >> 24;
        p.column[0][p.used] = offset;
        p.column[1][p.used] = type;
        p.column[2][p.used] = e->type_records & 0xFFFFFF;
        p.column[3][p.used] = type == HSC_BLOCK_OBJECTS ? ordinal : type == HSC_BLOCK_PLACES ? places : 0;
        p.column[4][p.used] = e->stored_bytes;
        p.used++;
        offset += HSC_BLOCK_HEADER_BYTES + (uint64_t)e->stored_bytes;
        ordinal += e->objects;
        if (type == HSC_BLOCK_PLACES) places += e->type_records & 0xFFFFFF;
        if (++i == HSC_INDEX_PIECE) {
            i = 0;
            piece = piece->next;
        }
        if (p.used < p.room && left > 1) continue;
        const hsc_status status = send_index_page(w, &p);
        if (status != HSC_OK) return status;
        p.used = 0;
    }
    return HSC_OK;
}

/* ---- end record and trailer ---- */

static hsc_status write_end(hsc_writer *w)
{
    const hsc_stage *o = &w->objects;
    hsc_entries e = {w->blocks.raw, w->blocks.raw, 0};
    hsc_entry_number(&e, HSC_END_STATE, w->is_incomplete ? HSC_STATE_INCOMPLETE : HSC_STATE_COMPLETE);
    hsc_entry_text(&e, HSC_END_REASON, w->reason);
    hsc_entry_number(&e, HSC_END_OBJECTS, o->ordinal);
    hsc_entry_number(&e, HSC_END_PSEUDO, o->pseudo);
    hsc_entry_number(&e, HSC_END_REFERENCES, o->references);
    hsc_entry_number(&e, HSC_END_EDGES, w->tables[HSC_TABLE_EDGES].total);
    hsc_entry_number(&e, HSC_END_ROOTS, w->tables[HSC_TABLE_ROOTS].total);
    hsc_entry_number(&e, HSC_END_BYTES, o->bytes);
    hsc_entry_number(&e, HSC_END_NATIVE_BYTES, o->native_bytes);
    hsc_entry_number(&e, HSC_END_BLOCKS, w->blocks.count);
    hsc_entry_number(&e, HSC_END_STRINGS, w->tables[HSC_TABLE_STRINGS].total);
    hsc_entry_number(&e, HSC_END_TYPES, w->tables[HSC_TABLE_TYPES].total);
    hsc_entry_number(&e, HSC_END_LABELS, w->tables[HSC_TABLE_LABELS].total);
    hsc_entry_number(&e, HSC_END_SITES, w->tables[HSC_TABLE_SITES].total);
    hsc_entry_number(&e, HSC_END_THREADS, w->tables[HSC_TABLE_THREADS].total);
    hsc_entry_number(&e, HSC_END_FRAMES, w->tables[HSC_TABLE_FRAMES].total);
    hsc_entry_number(&e, HSC_END_METRICS, w->tables[HSC_TABLE_METRICS].total);
    hsc_entry_number(&e, HSC_END_LOSSES, w->tables[HSC_TABLE_LOSSES].total);
    hsc_entry_number(&e, HSC_END_LOST, w->lost);
    hsc_entry_number(&e, HSC_END_COUNTED_OBJECTS, w->counted_objects);
    hsc_entry_number(&e, HSC_END_COUNTED_BYTES, w->counted_bytes);
    const hsc_block block = {.type = HSC_BLOCK_END, .records = e.count};
    return hsc_block_write_stored(w, &block, (size_t)(e.end - e.start));
}

hsc_status hsc_write_ending(hsc_writer *w)
{
    unsigned char trailer[HSC_TRAILER_BYTES];
    hsc_put_u64(trailer, w->blocks.output.written);
    hsc_status status = write_index(w);
    if (status != HSC_OK) return status;
    hsc_put_u64(trailer + 8, w->blocks.output.written);
    status = write_end(w);
    if (status != HSC_OK) return status;
    memcpy(trailer + 16, HSC_TRAILER_MAGIC, 8);
    hsc_put_u64(trailer + 24, hsc_hash(trailer, 24, w->blocks.seed));
    if (!hsc_output_write(&w->blocks.output, trailer, sizeof trailer))
        return hsc_fail_errno(w, w->blocks.output.system_error, "cannot write the capture");
    return HSC_OK;
}
