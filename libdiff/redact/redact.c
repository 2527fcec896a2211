/*
 * A capture with pseudonyms. Every block goes through here (format/rewrite.h): what may hold a word of the program is
 * made anew, and what this version does not know is left out.
 *
 *      STRINGS TYPES      each text                       rename.h
 *      METRICS LOSSES     each text                       here
 *      INFO END           the texts that name a program   here
 *      OBJECTS            CONTENT, VALUE                  here, values.h
 *      OBJECTS TYPE_TOTALS GROUP_TOTALS, sums of END      where sizes are to be blurred: blur.h
 *      all others         numbers alone: as they are stored
 */
#include <hsdiff/redact.h>

#include <stdlib.h>
#include <string.h>

#include <hsdiff/capture.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "format/bytes.h"
#include "format/columns.h"
#include "format/encode.h"
#include "format/facts.h"
#include "format/rewrite.h"
#include "io/output.h"
#include "io/pump.h"
#include "redact/public.h"
#include "redact/redacting.h"
#include "redact/values.h"

#define FIRST_LATER    128u                                      /* columns that a later minor may add */
#define TEXT_A_BLOCK   (HSC_MAX_RAW_BYTES - (UINT32_C(1) << 20)) /* the other columns fit into what is left */
#define FACT_REDACTED  0x200u                                    /* FORMAT.md 8.2, key 9 */
#define FACTS_BLURRED  0x500u                                    /* likewise: BLURRED and ESTIMATED */
#define FACT_BASELINE  0x40u
#define PAYLOAD_MARGIN 256u /* headers of the columns that are made anew */

/* ---- columns ---- */

typedef struct new_column { /* numbers, or bytes where `numbers` is NULL */
    uint8_t id;
    const uint64_t *numbers;
    hsd_bytes bytes;
    uint32_t count; /* of numbers; 0 = one a record */
} new_column;

static hsd_status put_new_column(hsd_buffer *payload, const new_column *column, uint32_t records, hsd_error *err)
{
    uint8_t header[HSC_COLUMN_HEADER_BYTES] = {column->id, HSC_CODING_BYTES};
    const uint32_t count = column->count > 0 ? column->count : records;
    if (column->numbers != NULL) return hsd_encode_column(payload, column->id, column->numbers, count, err);
    if (column->bytes.size == 0) return HSD_OK;
    hsd_put_u32(header + 4, (uint32_t)column->bytes.size);
    hsd_put_u32(header + 8, (uint32_t)column->bytes.size);
    HSD_TRY(hsd_buffer_append(payload, header, sizeof header, err));
    return hsd_buffer_append(payload, column->bytes.data, column->bytes.size, err);
}

/* A column that a block of this type may have, for one that would have none (FORMAT.md 4.9). */
static unsigned some_column(uint8_t type)
{
    if (type == HSC_BLOCK_OBJECTS) return HSC_COL_ID;
    if (type == HSC_BLOCK_EDGES) return HSC_COL_REF_TARGET;
    if (type == HSC_BLOCK_ROOTS) return HSC_COL_TARGET;
    if (type == HSC_BLOCK_FRAMES) return HSC_COL_DEPTH;
    return type == HSC_BLOCK_METRICS || type == HSC_BLOCK_LOSSES ? HSC_COL_VALUE_U64 : HSC_COL_KEY;
}

/* The columns of a block that hsd_columns_parse found to be right: the new ones in place of those of their numbers, all
 * others byte for byte, and none of a later version. */
static hsd_status put_columns(redacting *x, const hsd_block *block, const new_column *made, size_t count,
                              hsd_buffer *payload, hsd_error *err)
{
    const uint32_t records = block->header.record_count;
    const uint8_t *at = block->payload, *end = at + block->header.raw_bytes;
    const size_t before = payload->size;
    size_t next = 0;
    while (at < end) {
        const uint8_t id = *at;
        const size_t size = HSC_COLUMN_HEADER_BYTES + (size_t)hsd_get_u32(at + 8);
        while (next < count && made[next].id < id)
            HSD_TRY(put_new_column(payload, &made[next++], records, err));
        if (next < count && made[next].id == id)
            HSD_TRY(put_new_column(payload, &made[next++], records, err));
        else if (id < FIRST_LATER)
            HSD_TRY(hsd_buffer_append(payload, at, size, err));
        else
            x->result.left_out++;
        at += size;
    }
    while (next < count)
        HSD_TRY(put_new_column(payload, &made[next++], records, err));
    if (payload->size > before) return HSD_OK;
    memset(x->numbers[0], 0, records * sizeof *x->numbers[0]);
    return hsd_encode_column_always(payload, some_column(block->header.type), x->numbers[0], records, err);
}

static bool has_later_columns(const hsd_block *block)
{
    const uint8_t *at = block->payload, *end = at + block->header.raw_bytes;
    while (at < end) {
        if (*at >= FIRST_LATER) return true;
        at += HSC_COLUMN_HEADER_BYTES + (size_t)hsd_get_u32(at + 8);
    }
    return false;
}

/* ---- objects ---- */

static hsd_status key_contents(redacting *x, const hsd_columns *columns, hsd_fault *fault)
{
    const uint64_t *contents;
    HSD_TRY(hsd_column_u64_array(columns, &x->store, HSC_COL_CONTENT, columns->records, &contents, fault));
    for (uint32_t i = 0; i < columns->records; i++) {
        x->numbers[0][i] = hsd_rename_content(&x->renamer, contents[i]);
        x->result.contents += contents[i] != 0;
    }
    return HSD_OK;
}

/* Previews and their lengths, those that `room` is too little for left out. */
static hsd_status rename_previews(redacting *x, const uint32_t *sizes, uint32_t records, hsd_bytes text, size_t room,
                                  hsd_error *err)
{
    size_t offset = 0;
    hsd_buffer_clear(&x->text);
    for (uint32_t i = 0; i < records; i++) {
        const size_t before = x->text.size;
        if (sizes[i] > 0) {
            const hsd_text preview = {(const char *)text.data + offset, sizes[i]};
            HSD_TRY(hsd_rename_preview(&x->renamer, preview, &x->text, err));
            x->result.values++;
        }
        if (x->text.size > room) {
            x->text.size = before;
            x->result.values_lost++;
        }
        x->numbers[1][i] = x->text.size - before;
        offset += sizes[i];
    }
    return HSD_OK;
}

static hsd_status read_sizes(redacting *x, const hsd_columns *columns, unsigned of_sizes, unsigned of_text,
                             const uint32_t **sizes, hsd_bytes *text, hsd_fault *fault)
{
    uint64_t bytes = 0;
    HSD_TRY(hsd_column_u32_array(columns, &x->store, of_sizes, columns->records, sizes, fault));
    for (uint32_t i = 0; i < columns->records; i++)
        bytes += (*sizes)[i];
    return hsd_column_bytes(columns, of_text, bytes, text, fault);
}

/* Sizes that were coded as differences may take more room as classes. No producer fills a block so far. */
static hsd_status check_room(const hsd_block *block, const hsd_buffer *payload, hsd_error *err)
{
    const size_t headers = HSC_BLOCK_HEADER_BYTES;
    if (payload->size <= headers + HSC_MAX_RAW_BYTES) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "block %llu is so full that its sizes cannot be blurred",
             (unsigned long long)block->header.number);
    hsd_error_set_hint(err, "redact it with its sizes as they are");
    return HSD_E_UNSUPPORTED;
}

static hsd_status redact_objects(redacting *x, const hsd_block *block, const hsd_columns *columns, hsd_buffer *payload,
                                 hsd_fault *fault, hsd_error *err)
{
    const uint32_t *sizes;
    hsd_bytes text;
    new_column made[6];
    size_t count = 0;
    if (x->blurs) {
        HSD_TRY(hsd_blur_objects(&x->blur, columns, &x->store, x->numbers + 2, fault));
        made[count++] = (new_column){.id = HSC_COL_SIZE, .numbers = x->numbers[2]};
        made[count++] = (new_column){.id = HSC_COL_NATIVE_SIZE, .numbers = x->numbers[3]};
        made[count++] = (new_column){.id = HSC_COL_ELEMENTS, .numbers = x->numbers[4]};
    }
    if (hsd_columns_has(columns, HSC_COL_CONTENT)) {
        HSD_TRY(key_contents(x, columns, fault));
        made[count++] = (new_column){.id = HSC_COL_CONTENT, .numbers = x->numbers[0]};
    }
    if (hsd_columns_has(columns, HSC_COL_VALUE_BYTES) || hsd_columns_has(columns, HSC_COL_VALUE)) {
        HSD_TRY(read_sizes(x, columns, HSC_COL_VALUE_BYTES, HSC_COL_VALUE, &sizes, &text, fault));
        /* what the other columns may grow to: each length to two bytes, each hash and size to nine */
        const size_t others =
            block->header.raw_bytes - text.size + (size_t)columns->records * (x->blurs ? 38 : 11) + PAYLOAD_MARGIN;
        const size_t room = others < HSC_MAX_RAW_BYTES ? HSC_MAX_RAW_BYTES - others : 0;
        HSD_TRY(rename_previews(x, sizes, columns->records, text, room, err));
        made[count++] = (new_column){.id = HSC_COL_VALUE_BYTES, .numbers = x->numbers[1]};
        made[count++] = (new_column){.id = HSC_COL_VALUE, .bytes = {x->text.data, x->text.size}};
    }
    HSD_TRY(put_columns(x, block, made, count, payload, err));
    return x->blurs ? check_room(block, payload, err) : HSD_OK;
}

/* ---- totals of blurred objects ---- */

static hsd_status blur_type_totals(redacting *x, const hsd_block *block, const hsd_columns *columns,
                                   hsd_buffer *payload, hsd_fault *fault, hsd_error *err)
{
    const uint64_t *buckets;
    uint64_t count;
    HSD_TRY(hsd_blur_type_totals(&x->blur, columns, &x->store, x->numbers, &buckets, &count, fault));
    const new_column made[] = {{.id = HSC_COL_BYTES, .numbers = x->numbers[0]},
                               {.id = HSC_COL_NATIVE_BYTES, .numbers = x->numbers[1]},
                               {.id = HSC_COL_BUCKET_BYTES, .numbers = buckets, .count = (uint32_t)count}};
    HSD_TRY(put_columns(x, block, made, count > 0 ? 3 : 2, payload, err));
    return check_room(block, payload, err);
}

static hsd_status blur_group_totals(redacting *x, const hsd_block *block, const hsd_columns *columns,
                                    hsd_buffer *payload, hsd_fault *fault, hsd_error *err)
{
    HSD_TRY(hsd_blur_group_totals(&x->blur, columns, &x->store, x->numbers[0], fault));
    const new_column made = {.id = HSC_COL_BYTES, .numbers = x->numbers[0]};
    HSD_TRY(put_columns(x, block, &made, 1, payload, err));
    return check_room(block, payload, err);
}

/* ---- metrics and losses ---- */

typedef hsd_status (*rename_fn)(hsd_renamer *renamer, hsd_text text, hsd_text *out, hsd_error *err);

static hsd_status put_named(redacting *x, rename_fn rename, hsd_text text, hsd_error *err)
{
    hsd_text made;
    HSD_TRY(rename(&x->renamer, text, &made, err));
    x->result.texts++;
    return made.size == 0 ? HSD_OK : hsd_buffer_append(&x->text, made.data, made.size, err);
}

/* Name and unit of each record, one behind the other; a loss has no unit. */
static hsd_status rename_records(redacting *x, rename_fn rename, const uint32_t *sizes, hsd_u32s units,
                                 uint32_t records, hsd_bytes text, hsd_fault *fault, hsd_error *err)
{
    const char *at = (const char *)text.data;
    hsd_buffer_clear(&x->text);
    for (uint32_t i = 0; i < records; at += sizes[i++]) {
        const uint32_t unit = hsd_u32s_get(units, i);
        const size_t before = x->text.size;
        if (unit > sizes[i] || sizes[i] > HSC_MAX_TEXT_BYTES)
            return hsd_fault_corrupt(fault, "6.12", "a text of %u bytes has a unit of %u", (unsigned)sizes[i],
                                     (unsigned)unit);
        HSD_TRY(put_named(x, rename, (hsd_text){at, sizes[i] - unit}, err));
        const size_t name = x->text.size - before;
        HSD_TRY(put_named(x, rename, (hsd_text){at + sizes[i] - unit, unit}, err));
        x->numbers[0][i] = x->text.size - before;
        x->numbers[1][i] = x->text.size - before - name;
    }
    return HSD_OK;
}

static hsd_status redact_records(redacting *x, const hsd_block *block, const hsd_columns *columns, hsd_buffer *payload,
                                 hsd_fault *fault, hsd_error *err)
{
    const uint32_t *sizes;
    hsd_bytes text;
    hsd_u32s units;
    HSD_TRY(read_sizes(x, columns, HSC_COL_TEXT_BYTES, HSC_COL_TEXT, &sizes, &text, fault));
    HSD_TRY(hsd_column_u32(columns, &x->store, HSC_COL_UNIT, columns->records, &units, fault));
    HSD_TRY(rename_records(x, hsd_rename_text, sizes, units, columns->records, text, fault, err));
    if (x->text.size > TEXT_A_BLOCK) /* thousands of names that nobody reads: each one pseudonym */
        HSD_TRY(rename_records(x, hsd_rename_whole, sizes, units, columns->records, text, fault, err));
    const new_column made[] = {{.id = HSC_COL_TEXT_BYTES, .numbers = x->numbers[0]},
                               {.id = HSC_COL_TEXT, .bytes = {x->text.data, x->text.size}},
                               {.id = HSC_COL_UNIT, .numbers = x->numbers[1]}};
    const bool has_units = block->header.type == HSC_BLOCK_METRICS;
    return put_columns(x, block, made, has_units ? 3 : 2, payload, err);
}

/* ---- facts ---- */

/* Producer, runtime and format are products' names; the name of the process and reasons may name anything. */
static hsd_status rename_fact(redacting *x, uint8_t type, unsigned key, hsd_bytes value, hsd_text *out, hsd_error *err)
{
    const hsd_text text = {(const char *)value.data, value.size};
    const bool is_product = type == HSC_BLOCK_INFO &&
                            (key == HSC_INFO_PRODUCER || key == HSC_INFO_RUNTIME || key == HSC_INFO_SOURCE_FORMAT);
    x->result.texts++;
    HSD_TRY(is_product ? hsd_rename_product(&x->renamer, text, out, err)
                       : hsd_rename_text(&x->renamer, text, out, err));
    return out->size > HSC_MAX_FACT_TEXT_BYTES ? hsd_rename_whole(&x->renamer, text, out, err) : HSD_OK;
}

static hsd_status redact_fact(redacting *x, uint8_t type, unsigned key, const hsd_facts *facts, hsd_buffer *payload,
                              hsd_error *err)
{
    hsd_text text;
    if (hsd_fact_kind_of(type, key) == HSD_FACT_ID) return hsd_fact_put_bytes(payload, key, facts->bytes[key], err);
    if (hsd_fact_kind_of(type, key) == HSD_FACT_NUMBER)
        return hsd_fact_put_number(payload, key, facts->number[key], err);
    HSD_TRY(rename_fact(x, type, key, facts->bytes[key], &text, err));
    return hsd_fact_put_bytes(payload, key, (hsd_bytes){(const uint8_t *)text.data, text.size}, err);
}

static hsd_status refuse_baseline(hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "a baseline holds sums, and sums of exact sizes");
    hsd_error_set_hint(err, "blur the sizes of the captures, and make a baseline of the copies");
    return HSD_E_UNSUPPORTED;
}

static void take_off(uint64_t *sum, uint64_t lost)
{
    if (*sum != UINT64_MAX) *sum -= lost < *sum ? lost : *sum;
}

static hsd_status redact_facts(redacting *x, const hsd_block *block, hsd_buffer *payload, hsd_rewritten_block *out,
                               hsd_fault *fault, hsd_error *err)
{
    hsd_facts facts;
    const uint8_t type = block->header.type;
    HSD_TRY(hsd_facts_parse(block, &facts, fault));
    x->result.left_out += block->header.record_count - (uint32_t)__builtin_popcount(facts.present);
    if (type == HSC_BLOCK_INFO) {
        facts.present |= UINT32_C(1) << HSC_INFO_FACTS;
        if (x->blurs && (facts.number[HSC_INFO_FACTS] & FACT_BASELINE) != 0) return refuse_baseline(err);
        facts.number[HSC_INFO_FACTS] |= FACT_REDACTED | (x->blurs ? FACTS_BLURRED : 0);
    }
    if (type == HSC_BLOCK_END) {
        take_off(&facts.number[HSC_END_BYTES], x->blur.lost_bytes);
        take_off(&facts.number[HSC_END_NATIVE_BYTES], x->blur.lost_native_bytes);
    }
    out->records = 0;
    for (unsigned key = 0; key < HSD_FACT_KEYS; key++) {
        if (!hsd_facts_has(&facts, key)) continue;
        HSD_TRY(redact_fact(x, type, key, &facts, payload, err));
        out->records++;
    }
    return HSD_OK;
}

/* ---- the callbacks of the copy ---- */

hsd_status hsd_redacting_text(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    redacting *x = context;
    (void)type, (void)key;
    x->result.texts++;
    return hsd_rename_text(&x->renamer, text, out, err);
}

hsd_status hsd_redacting_block(void *context, const hsd_block *block, hsd_buffer *payload, hsd_rewritten_block *out,
                               hsd_fault *fault, hsd_error *err)
{
    redacting *x = context;
    hsd_columns columns;
    const uint8_t type = block->header.type;
    out->what = HSD_REWRITE_CHANGE;
    if (type == HSC_BLOCK_INFO || type == HSC_BLOCK_END) return redact_facts(x, block, payload, out, fault, err);
    if (hsd_block_is_skipped(type)) {
        out->what = HSD_REWRITE_DROP;
        x->result.left_out++;
        return HSD_OK;
    }
    HSD_TRY(hsd_columns_parse(block, &columns, fault));
    if (type == HSC_BLOCK_METRICS || type == HSC_BLOCK_LOSSES)
        return redact_records(x, block, &columns, payload, fault, err);
    const uint64_t of_content =
        UINT64_C(1) << HSC_COL_CONTENT | UINT64_C(1) << HSC_COL_VALUE_BYTES | UINT64_C(1) << HSC_COL_VALUE;
    if (type == HSC_BLOCK_OBJECTS && (x->blurs || (columns.present & of_content) != 0))
        return redact_objects(x, block, &columns, payload, fault, err);
    if (type == HSC_BLOCK_TYPE_TOTALS && x->blurs) return blur_type_totals(x, block, &columns, payload, fault, err);
    if (type == HSC_BLOCK_GROUP_TOTALS && x->blurs) return blur_group_totals(x, block, &columns, payload, fault, err);
    if (has_later_columns(block)) return put_columns(x, block, NULL, 0, payload, err);
    out->what = HSD_REWRITE_KEEP;
    return HSD_OK;
}

hsd_status hsd_redacting_begin(redacting *x, const hsd_redact_key *key, const char *const *keep, size_t keep_count,
                               hsd_error *err)
{
    *x = (redacting){.result = {.is_whole = false}};
    hsd_renamer_init(&x->renamer, key, keep, keep_count);
    for (size_t i = 0; i < HSD_ARRAY_LEN(x->numbers); i++) {
        x->numbers[i] = malloc(HSC_MAX_RECORDS * sizeof *x->numbers[i]);
        if (x->numbers[i] == NULL) return hsd_fail_nomem(err, "redacting");
    }
    return HSD_OK;
}

void hsd_redacting_end(redacting *x)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(x->numbers); i++)
        free(x->numbers[i]);
    hsd_renamer_release(&x->renamer);
    hsd_blur_release(&x->blur);
    hsd_column_store_release(&x->store);
    hsd_buffer_release(&x->text);
}

/* ---- what is readable ---- */

typedef struct readable_name {
    uint64_t count;
    uint32_t number;
} readable_name;

static int compare_readable(const void *a, const void *b)
{
    const readable_name *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static hsd_status tell_readable(const hsd_renamer *r, const hsd_redact_options *options, hsd_error *err)
{
    if (options->readable == NULL || r->readable.count == 0) return HSD_OK;
    readable_name *names = malloc(r->readable.count * sizeof *names);
    if (names == NULL) return hsd_fail_nomem(err, "the list of readable names");
    for (uint32_t i = 0; i < r->readable.count; i++)
        names[i] = (readable_name){.count = r->readable_counts[i], .number = i};
    qsort(names, r->readable.count, sizeof *names, compare_readable);
    for (uint32_t i = 0; i < r->readable.count; i++) {
        const hsd_bytes name = hsd_names_get(&r->readable, names[i].number);
        options->readable(options->readable_context, (hsd_redact_why)(name.data[0] - '0'), (const char *)name.data + 1,
                          name.size - 1, names[i].count);
    }
    free(names);
    return HSD_OK;
}

/* ---- */

hsd_status hsd_redact(int in_fd, int out_fd, const hsd_redact_key *key, const hsd_redact_options *options,
                      const hsd_run *run, hsd_redact_result *result, hsd_error *err)
{
    hsd_redact_options own;
    hsd_rewrite_result copied = {0};
    redacting x;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_redact_options, readable_context, &own, options, err));
    hsd_status status = hsd_redacting_begin(&x, key, own.keep, own.keep_count, err);
    x.renamer.lists_readable = own.readable != NULL;
    x.blurs = own.blur_sizes;
    if (status == HSD_OK)
        status = hsd_rewrite_all(in_fd, out_fd, hsd_redacting_text, hsd_redacting_block, &x, run, &copied, err);
    if (status == HSD_OK) status = tell_readable(&x.renamer, &own, err);
    if (status == HSD_OK && result != NULL) {
        *result = x.result;
        result->replaced = x.renamer.replaced;
        memcpy(result->kept, x.renamer.kept, sizeof result->kept);
        result->readable = x.renamer.readable.count;
        result->readable_more = x.renamer.readable_more;
        result->blurred = x.blur.objects;
        result->is_whole = copied.is_whole;
    }
    hsd_redacting_end(&x);
    return status;
}

hsd_status hsd_redact_file(int in_fd, const char *out_path, bool force, const hsd_redact_key *key,
                           const hsd_redact_options *options, const hsd_run *run, hsd_redact_result *result,
                           hsd_error *err)
{
    hsd_output output;
    HSD_TRY(hsd_output_open(&output, out_path, force, err));
    hsd_pump pump = {0};
    hsd_status status = hsd_output_encrypt_descriptor(&output, &pump, run == NULL ? NULL : run->crypt, err);
    if (status == HSD_OK)
        status = hsd_redact(in_fd, pump.is_running ? pump.fd : output.fd, key, options, run, result, err);
    if (status == HSD_OK) status = hsd_pump_finish(&pump, err);
    hsd_pump_finish(&pump, NULL);
    if (status == HSD_OK) status = hsd_output_finish(&output, err);
    hsd_output_close(&output);
    return status;
}
