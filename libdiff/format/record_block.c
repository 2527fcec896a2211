/*
 * Decoding the blocks of tables, edges, roots and totals. See record_block.h.
 *
 * Each type of block has a row that says which columns it has, and a function that makes a record of the
 * i-th place of them. Texts are given out in place: the byte behind one becomes a NUL while it is borrowed.
 */
#include "format/record_block.h"

#include <stddef.h>

#define BUCKETS_MAX HSC_MAX_REFERENCES /* FORMAT.md 10.4 */

typedef struct record_row {
    uint8_t block_type;
    uint8_t narrow[HSD_RECORD_FIELDS + 2]; /* columns of 32 bits, one value a record; 0 = no more */
    uint8_t wide[HSD_RECORD_FIELDS];       /* columns of 64 bits */
    bool has_text, has_buckets;
    void (*make)(hsd_record_block *records, uint32_t i, hsd_record *out);
} record_row;

static uint32_t narrow(const hsd_record_block *records, unsigned field, uint32_t i)
{
    return hsd_u32s_get(records->narrow[field], i);
}

static uint64_t wide(const hsd_record_block *records, unsigned field, uint32_t i)
{
    return hsd_u64s_get(records->wide[field], i);
}

/* ---- texts ---- */

static void restore_text(hsd_record_block *records)
{
    if (records->restore_at != NULL) *records->restore_at = records->restore_byte;
    records->restore_at = NULL;
}

/* The next `size` bytes of TEXT, with a NUL behind them. The sum of all sizes was checked. */
static hsd_text take_text(hsd_record_block *records, uint32_t size)
{
    const hsd_text text = {size > 0 ? (const char *)records->text : "", size};
    if (size == 0) return text;
    records->text += size;
    records->restore_at = records->text;
    records->restore_byte = *records->text;
    *records->text = 0;
    return text;
}

/* ---- one function for each kind of record ---- */

static void make_string(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->string = (hsd_string){.id = narrow(r, 0, i), .text = take_text(r, narrow(r, 1, i))};
}

static void make_type(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->type = (hsd_type){
        .id = narrow(r, 0, i), .flags = narrow(r, 2, i), .name = take_text(r, narrow(r, 1, i))};
}

static void make_label(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    const uint32_t kind = narrow(r, 1, i);
    out->label = (hsd_label){.id = narrow(r, 0, i),
                             .kind = kind <= 7 ? kind : 0,
                             .flags = narrow(r, 2, i),
                             .name = narrow(r, 3, i)};
}

static void make_site(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->site = (hsd_site){.id = narrow(r, 0, i),
                           .function = narrow(r, 1, i),
                           .parent = narrow(r, 2, i),
                           .file = narrow(r, 3, i),
                           .line = narrow(r, 4, i),
                           .column = narrow(r, 5, i)};
}

static void make_edge(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->edge = (hsd_edge){.label = narrow(r, 0, i),
                           .target = wide(r, 0, i),
                           .index = wide(r, 1, i),
                           .source = wide(r, 2, i),
                           .source_is_ordinal = r->source_is_ordinal};
}

static void make_root(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    const uint32_t kind = narrow(r, 0, i);
    out->root = (hsd_root){.kind = kind <= 11 ? kind : 0,
                           .label = narrow(r, 1, i),
                           .thread = narrow(r, 2, i),
                           .frame = narrow(r, 3, i),
                           .flags = narrow(r, 4, i),
                           .target = wide(r, 0, i)};
}

static void make_thread(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->thread = (hsd_thread){.id = narrow(r, 0, i), .name = narrow(r, 1, i)};
}

static void make_frame(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->frame = (hsd_frame){.function = narrow(r, 0, i),
                             .thread = narrow(r, 1, i),
                             .file = narrow(r, 2, i),
                             .line = narrow(r, 3, i),
                             .depth = narrow(r, 4, i)};
}

static void make_metric(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    const uint32_t unit = narrow(r, 1, i);
    const hsd_text all = take_text(r, narrow(r, 0, i));
    const size_t name = all.size - unit; /* checked when the block was decoded */
    out->metric = (hsd_metric){
        .name = {all.data, name}, .unit = {all.data + name, unit}, .value = wide(r, 0, i)};
}

static void make_loss(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->loss = (hsd_loss){.what = take_text(r, narrow(r, 0, i)), .count = wide(r, 0, i)};
}

static void make_type_total(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    const uint32_t buckets = narrow(r, 1, i);
    for (uint32_t k = 0; k < buckets; k++)
        r->bucket_numbers[k] = (uint8_t)r->buckets[k];
    out->type_total = (hsd_type_total){.type = narrow(r, 0, i),
                                       .objects = wide(r, 0, i),
                                       .bytes = wide(r, 1, i),
                                       .native_bytes = wide(r, 2, i),
                                       .bucket_count = buckets,
                                       .buckets = r->bucket_numbers,
                                       .bucket_objects = r->bucket_objects,
                                       .bucket_bytes = r->bucket_bytes};
    if (buckets == 0) return;
    r->buckets += buckets;
    r->bucket_objects += buckets;
    r->bucket_bytes += buckets;
}

static void make_group_total(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->group_total = (hsd_group_total){.key = narrow(r, 0, i),
                                         .kind = narrow(r, 1, i),
                                         .count = wide(r, 0, i),
                                         .bytes = wide(r, 1, i)};
}

static void make_live_total(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->live_total = (hsd_live_total){.type = narrow(r, 0, i),
                                       .objects = wide(r, 0, i),
                                       .bytes = wide(r, 1, i),
                                       .retained_bytes = wide(r, 2, i),
                                       .unreached_objects = wide(r, 3, i),
                                       .unreached_bytes = wide(r, 4, i)};
}

static void make_root_total(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    const uint32_t kind = narrow(r, 1, i);
    out->root_total = (hsd_root_total){.name = narrow(r, 0, i),
                                       .kind = kind <= 11 ? kind : 0,
                                       .flags = narrow(r, 2, i),
                                       .objects = wide(r, 0, i),
                                       .bytes = wide(r, 1, i),
                                       .retained_bytes = wide(r, 2, i)};
}

static void make_place(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->place_total = (hsd_place_total){.number = r->first_place + i,
                                         .name = narrow(r, 0, i),
                                         .parent = narrow(r, 1, i),
                                         .edge = narrow(r, 2, i),
                                         .flags = narrow(r, 3, i),
                                         .objects = wide(r, 0, i),
                                         .bytes = wide(r, 1, i)};
}

static void make_site_total(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    out->site_total = (hsd_site_total){.type = narrow(r, 0, i),
                                       .site = narrow(r, 1, i),
                                       .objects = wide(r, 0, i),
                                       .bytes = wide(r, 1, i)};
}

/* ---- the table ---- */

static const record_row rows[HSD_RECORD_KINDS] = {
    [HSD_RECORD_STRING] =
        {HSC_BLOCK_STRINGS, {HSC_COL_KEY, HSC_COL_TEXT_BYTES}, {0}, true, false, make_string},
    [HSD_RECORD_TYPE] = {HSC_BLOCK_TYPES,
                         {HSC_COL_KEY, HSC_COL_TEXT_BYTES, HSC_COL_FLAGS},
                         {0},
                         true,
                         false,
                         make_type},
    [HSD_RECORD_LABEL] = {HSC_BLOCK_LABELS,
                          {HSC_COL_KEY, HSC_COL_KIND, HSC_COL_FLAGS, HSC_COL_TEXT_ID},
                          {0},
                          false,
                          false,
                          make_label},
    [HSD_RECORD_SITE] = {HSC_BLOCK_SITES,
                         {HSC_COL_KEY, HSC_COL_TEXT_ID, HSC_COL_PARENT, HSC_COL_FILE, HSC_COL_LINE,
                          HSC_COL_COLUMN_NUMBER},
                         {0},
                         false,
                         false,
                         make_site},
    [HSD_RECORD_EDGE] = {HSC_BLOCK_EDGES,
                         {HSC_COL_REF_LABEL},
                         {HSC_COL_REF_TARGET, HSC_COL_REF_INDEX, HSC_COL_EDGE_SOURCE},
                         false,
                         false,
                         make_edge},
    [HSD_RECORD_ROOT] = {HSC_BLOCK_ROOTS,
                         {HSC_COL_KIND, HSC_COL_TEXT_ID, HSC_COL_PARENT, HSC_COL_DEPTH,
                          HSC_COL_FLAGS},
                         {HSC_COL_TARGET},
                         false,
                         false,
                         make_root},
    [HSD_RECORD_THREAD] =
        {HSC_BLOCK_THREADS, {HSC_COL_KEY, HSC_COL_TEXT_ID}, {0}, false, false, make_thread},
    [HSD_RECORD_FRAME] = {HSC_BLOCK_FRAMES,
                          {HSC_COL_TEXT_ID, HSC_COL_PARENT, HSC_COL_FILE, HSC_COL_LINE,
                           HSC_COL_DEPTH},
                          {0},
                          false,
                          false,
                          make_frame},
    [HSD_RECORD_METRIC] = {HSC_BLOCK_METRICS,
                           {HSC_COL_TEXT_BYTES, HSC_COL_UNIT},
                           {HSC_COL_VALUE_U64},
                           true,
                           false,
                           make_metric},
    [HSD_RECORD_LOSS] =
        {HSC_BLOCK_LOSSES, {HSC_COL_TEXT_BYTES}, {HSC_COL_VALUE_U64}, true, false, make_loss},
    [HSD_RECORD_TYPE_TOTAL] = {HSC_BLOCK_TYPE_TOTALS,
                               {HSC_COL_KEY, HSC_COL_BUCKET_COUNT},
                               {HSC_COL_COUNT, HSC_COL_BYTES, HSC_COL_NATIVE_BYTES},
                               false,
                               true,
                               make_type_total},
    [HSD_RECORD_GROUP_TOTAL] = {HSC_BLOCK_GROUP_TOTALS,
                                {HSC_COL_KEY, HSC_COL_KIND},
                                {HSC_COL_COUNT, HSC_COL_BYTES},
                                false,
                                false,
                                make_group_total},
    [HSD_RECORD_LIVE_TOTAL] = {HSC_BLOCK_LIVE_TOTALS,
                               {HSC_COL_KEY},
                               {HSC_COL_COUNT, HSC_COL_BYTES, HSC_COL_RETAINED, HSC_COL_UNREACHED,
                                HSC_COL_UNREACHED_BYTES},
                               false,
                               false,
                               make_live_total},
    [HSD_RECORD_ROOT_TOTAL] = {HSC_BLOCK_ROOT_TOTALS,
                               {HSC_COL_KEY, HSC_COL_KIND, HSC_COL_FLAGS},
                               {HSC_COL_COUNT, HSC_COL_BYTES, HSC_COL_RETAINED},
                               false,
                               false,
                               make_root_total},
    [HSD_RECORD_PLACE] = {HSC_BLOCK_PLACES,
                          {HSC_COL_KEY, HSC_COL_PARENT, HSC_COL_TEXT_ID, HSC_COL_FLAGS},
                          {HSC_COL_COUNT, HSC_COL_BYTES},
                          false,
                          false,
                          make_place},
    [HSD_RECORD_SITE_TOTAL] = {HSC_BLOCK_SITE_TOTALS,
                               {HSC_COL_KEY, HSC_COL_SITE},
                               {HSC_COL_COUNT, HSC_COL_BYTES},
                               false,
                               false,
                               make_site_total},
};

uint8_t hsd_record_block_type(hsd_record_kind kind)
{
    return (unsigned)kind < HSD_RECORD_KINDS ? rows[kind].block_type : HSC_BLOCK_INFO;
}

hsd_record_kind hsd_record_block_kind(uint8_t block_type)
{
    for (unsigned kind = 0; kind < HSD_RECORD_KINDS; kind++) {
        if (rows[kind].block_type == block_type) return (hsd_record_kind)kind;
    }
    return HSD_RECORD_KINDS;
}

/* ---- decoding ---- */

static const record_row *row_of(const hsd_record_block *records)
{
    return &rows[hsd_record_block_kind(records->type)];
}

static hsd_status decode_fields(hsd_record_block *records, hsd_fault *fault)
{
    const record_row *row = row_of(records);
    for (unsigned i = 0; i < HSD_RECORD_FIELDS + 2 && row->narrow[i] != 0; i++) {
        HSD_TRY(hsd_column_u32(&records->columns, &records->store, row->narrow[i], records->records,
                               &records->narrow[i], fault));
    }
    for (unsigned i = 0; i < HSD_RECORD_FIELDS && row->wide[i] != 0; i++) {
        HSD_TRY(hsd_column_u64(&records->columns, &records->store, row->wide[i], records->records,
                               &records->wide[i], fault));
    }
    return HSD_OK;
}

/* Which narrow field has the lengths of the texts: the row's first or second. */
static hsd_u32s text_lengths(const hsd_record_block *records)
{
    return records->narrow[row_of(records)->narrow[0] == HSC_COL_TEXT_BYTES ? 0 : 1];
}

static hsd_status decode_text(hsd_record_block *records, hsd_fault *fault)
{
    const hsd_u32s lengths = text_lengths(records);
    const bool has_unit = records->type == HSC_BLOCK_METRICS;
    uint64_t sum = 0;
    hsd_bytes bytes;
    for (uint32_t i = 0; i < records->records; i++) {
        const uint32_t length = hsd_u32s_get(lengths, i);
        if (length > HSC_MAX_TEXT_BYTES)
            return hsd_fault_corrupt(fault, "10.5", "a text has %u bytes", (unsigned)length);
        if (has_unit && narrow(records, 1, i) > length) {
            return hsd_fault_corrupt(fault, "6.12", "the unit of a metric is longer than its text");
        }
        sum += length;
    }
    HSD_TRY(hsd_column_bytes(&records->columns, HSC_COL_TEXT, sum, &bytes, fault));
    records->text = (uint8_t *)bytes.data; /* the block's own buffer, with slack behind */
    return HSD_OK;
}

static hsd_status check_bucket_counts(const hsd_record_block *records, uint64_t *sum,
                                      hsd_fault *fault)
{
    *sum = 0;
    for (uint32_t i = 0; i < records->records; i++) {
        const uint32_t count = narrow(records, 1, i);
        if (count > HSC_HISTOGRAM_BUCKETS)
            return hsd_fault_corrupt(fault, "6.14", "a histogram has %u buckets", (unsigned)count);
        *sum += count;
    }
    if (*sum > BUCKETS_MAX)
        return hsd_fault_corrupt(fault, "10.4", "it has %llu buckets", (unsigned long long)*sum);
    return HSD_OK;
}

static hsd_status decode_buckets(hsd_record_block *r, hsd_fault *fault)
{
    uint64_t sum;
    HSD_TRY(check_bucket_counts(r, &sum, fault));
    HSD_TRY(hsd_column_u32_array(&r->columns, &r->store, HSC_COL_BUCKET, sum, &r->buckets, fault));
    HSD_TRY(hsd_column_u64_array(&r->columns, &r->store, HSC_COL_BUCKET_OBJECTS, sum,
                                 &r->bucket_objects, fault));
    HSD_TRY(hsd_column_u64_array(&r->columns, &r->store, HSC_COL_BUCKET_BYTES, sum,
                                 &r->bucket_bytes, fault));
    for (uint64_t k = 0; k < sum; k++) {
        if (r->buckets[k] >= HSC_HISTOGRAM_BUCKETS)
            return hsd_fault_corrupt(fault, "6.14", "a histogram has a bucket %u",
                                     (unsigned)r->buckets[k]);
    }
    return HSD_OK;
}

/* Targets of edges that are differences to their source. */
static hsd_status add_sources(hsd_record_block *records, const hsd_block_header *header,
                              hsd_fault *fault)
{
    const uint64_t *targets, *sources;
    if (!hsd_column_is_of_source(&records->columns, HSC_COL_REF_TARGET)) return HSD_OK;
    const bool target_is_ordinal = (header->flags & HSC_BLOCK_FLAG_TARGET_ORDINAL) != 0;
    if (target_is_ordinal != records->source_is_ordinal) {
        return hsd_fault_corrupt(fault, "5.7",
                                 "targets are differences to sources of another kind");
    }
    if (records->wide[0].mask == 0) {
        HSD_TRY(hsd_column_u64_array(&records->columns, &records->store, HSC_COL_REF_TARGET,
                                     records->records, &targets, fault));
    }
    sources = records->wide[2].at;
    if (records->wide[2].mask == 0) {
        HSD_TRY(hsd_column_u64_array(&records->columns, &records->store, HSC_COL_EDGE_SOURCE,
                                     records->records, &sources, fault));
    }
    uint64_t *values = records->store.slot[HSC_COL_REF_TARGET].array;
    records->store.slot[HSC_COL_REF_TARGET].fill_count = 0;
    hsd_column_add_sources(&records->columns, HSC_COL_REF_TARGET, sources, values);
    records->wide[0] = (hsd_u64s){values, UINT64_MAX};
    return HSD_OK;
}

static hsd_status decode_all(hsd_record_block *records, const hsd_block *block, hsd_fault *fault)
{
    const record_row *row = row_of(records);
    HSD_TRY(hsd_columns_parse(block, &records->columns, fault));
    HSD_TRY(decode_fields(records, fault));
    if (row->has_text) HSD_TRY(decode_text(records, fault));
    if (row->has_buckets) HSD_TRY(decode_buckets(records, fault));
    return records->type == HSC_BLOCK_EDGES ? add_sources(records, &block->header, fault) : HSD_OK;
}

hsd_status hsd_record_block_decode(hsd_record_block *records, const hsd_block *block,
                                   hsd_fault *fault)
{
    records->type = block->header.type;
    records->records = block->header.record_count;
    records->next = 0;
    records->restore_at = NULL;
    records->text = NULL;
    records->first_place =
        block->header.type == HSC_BLOCK_PLACES ? (uint32_t)block->header.first_ordinal : 0;
    records->source_is_ordinal = (block->header.flags & HSC_BLOCK_FLAG_SOURCE_ORDINAL) != 0;
    const hsd_status status = decode_all(records, block, fault);
    if (status != HSD_OK) records->records = 0; /* nothing of it may be looked at */
    return status;
}

bool hsd_record_block_next(hsd_record_block *records, hsd_record *out)
{
    restore_text(records);
    /* Totals of kinds that a later version adds are not for us (6.15). */
    while (records->type == HSC_BLOCK_GROUP_TOTALS && records->next < records->records &&
           narrow(records, 1, records->next) > 1) {
        records->next++;
    }
    if (records->next >= records->records) return false;
    row_of(records)->make(records, records->next, out);
    records->next++;
    return true;
}

void hsd_record_block_release(hsd_record_block *records)
{
    hsd_column_store_release(&records->store);
    *records = (hsd_record_block){0};
}
