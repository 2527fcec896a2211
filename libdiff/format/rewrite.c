/*
 * A capture copied block by block with other texts. See rewrite.h.
 *
 *      in    | header | INFO | STRINGS        | OBJECTS | TYPES | totals | INDEX | END | trailer |
 *      out   | header | INFO | STRINGS STRINGS| OBJECTS | TYPES | totals | INDEX | END | trailer |
 *                              ^ longer texts   ^ one number more, so new checksums; the same payload
 *
 * One walk over the file (scan.h) reads, checks and writes. Only INDEX and the trailer are made of what was written; of
 * END one number changes by as many blocks as there are more or less, so that whatever else it says, right or wrong,
 * stays what it is.
 */
#include "format/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/note.h"
#include "format/bytes.h"
#include "format/columns.h"
#include "format/encode.h"
#include "format/scan.h"
#include "io/fd.h"

/* the other columns fit into what is left */
#define TEXT_BYTES_A_BLOCK (HSC_MAX_RAW_BYTES - (UINT32_C(1) << 20))
#define RECORDS_A_BLOCK    8192u /* of INDEX */
#define COLUMNS            3     /* FLAGS, KEY, TEXT_BYTES */

typedef struct rewrite {
    int out_fd;
    hsd_rewrite_fn replace;
    hsd_rewrite_label_fn replace_label; /* NULL: they stay */
    hsd_rewrite_block_fn replace_block; /* NULL: all but texts stays */
    void *context;
    hsd_compressor compressor; /* with replace_block */
    hsd_buffer packed;
    hsd_file file;
    hsd_reporter reporter;
    hsd_block block;
    hsd_column_store store;
    hsd_block_list written;
    hsd_buffer packet, text;       /* a block as it is written; texts of the block that is being built */
    uint64_t *column[COLUMNS + 3]; /* its other columns; all six for a block of INDEX */
    uint64_t shift;                /* what the number of a block grows by, modulo 2^64 */
    uint64_t read_count;           /* blocks of the input, up to END */
    uint64_t size_bytes;           /* written */
    uint64_t index_offset, end_offset;
    uint64_t old_index_offset, old_end_offset; /* 0: not seen */
    bool has_gaps, is_salvaged;
    hsd_rewrite_result result;
} rewrite;

/* ---- writing ---- */

static hsd_status put_rewritten_block(rewrite *r, const void *data, size_t size, hsd_error *err)
{
    const int error = r->out_fd < 0 ? 0 : hsd_fd_write(r->out_fd, data, size, HSD_FD_HERE);
    if (error != 0) return hsd_fail_errno(err, error, "cannot write the copy");
    r->size_bytes += size;
    return HSD_OK;
}

/* A block as `bytes` holds it: room for its header, then its payload. */
static hsd_status put_block(rewrite *r, uint8_t *bytes, hsd_block_header *header, hsd_error *err)
{
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    hsd_block_header_build(bytes, header, r->file.header.seed, bytes + HSC_BLOCK_HEADER_BYTES);
    const hsd_block_ref ref = hsd_block_ref_of(header, r->size_bytes);
    if (hsd_block_list_add(&r->written, &ref, &fault) != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    return put_rewritten_block(r, bytes, HSC_BLOCK_HEADER_BYTES + (size_t)header->stored_bytes, err);
}

/* An empty packet: room for a header. */
static hsd_status begin_packet(rewrite *r, hsd_error *err)
{
    static const uint8_t room[HSC_BLOCK_HEADER_BYTES];
    hsd_buffer_clear(&r->packet);
    return hsd_buffer_append(&r->packet, room, sizeof room, err);
}

/* The packet as a block; all that is not its payload's comes from `like`. */
static hsd_status put_packet_like(rewrite *r, const hsd_block_header *like, uint32_t records, uint64_t number,
                                  hsd_error *err)
{
    const uint32_t size = (uint32_t)(r->packet.size - HSC_BLOCK_HEADER_BYTES);
    hsd_block_header header = {.type = like->type,
                               .flags = like->flags,
                               .codec = HSC_CODEC_NONE,
                               .record_count = records,
                               .number = number,
                               .first_ordinal = like->first_ordinal,
                               .raw_bytes = size,
                               .stored_bytes = size};
    const bool is_plain = like->type == HSC_BLOCK_INFO || like->type == HSC_BLOCK_INDEX || like->type == HSC_BLOCK_END;
    if (r->replace_block == NULL || is_plain) return put_block(r, r->packet.data, &header, err);
    hsd_buffer_clear(&r->packed);
    HSD_TRY(hsd_buffer_append(&r->packed, r->packet.data, HSC_BLOCK_HEADER_BYTES, err));
    HSD_TRY(hsd_compress(&r->compressor, &r->packed, r->packet.data + HSC_BLOCK_HEADER_BYTES, size, err));
    if (r->packed.size >= r->packet.size) return put_block(r, r->packet.data, &header, err);
    header.codec = HSC_CODEC_ZSTD;
    header.stored_bytes = (uint32_t)(r->packed.size - HSC_BLOCK_HEADER_BYTES);
    return put_block(r, r->packed.data, &header, err);
}

static hsd_status put_packet(rewrite *r, uint8_t type, uint32_t records, uint64_t number, hsd_error *err)
{
    return put_packet_like(r, &(hsd_block_header){.type = type}, records, number, err);
}

/* The block that was read, as it is but for its number. */
static hsd_status keep_block(rewrite *r, hsd_error *err)
{
    hsd_block_header header = r->block.header;
    header.number += r->shift;
    return put_block(r, r->block.stored_buffer, &header, err);
}

/* ---- blocks of texts ---- */

typedef struct text_block {
    hsd_u32s flags, key;
    const uint32_t *size;
    hsd_bytes text;
    uint32_t records;
} text_block;

static hsd_status decode_texts(rewrite *r, text_block *t, hsd_fault *fault)
{
    hsd_columns columns;
    uint64_t bytes = 0;
    t->records = r->block.header.record_count;
    HSD_TRY(hsd_block_unfold(&r->block, fault));
    HSD_TRY(hsd_columns_parse(&r->block, &columns, fault));
    HSD_TRY(hsd_column_u32(&columns, &r->store, HSC_COL_FLAGS, t->records, &t->flags, fault));
    HSD_TRY(hsd_column_u32(&columns, &r->store, HSC_COL_KEY, t->records, &t->key, fault));
    HSD_TRY(hsd_column_u32_array(&columns, &r->store, HSC_COL_TEXT_BYTES, t->records, &t->size, fault));
    for (uint32_t i = 0; i < t->records; i++) {
        if (t->size[i] > HSC_MAX_TEXT_BYTES)
            return hsd_fault_corrupt(fault, "10.5", "a text has %u bytes", (unsigned)t->size[i]);
        bytes += t->size[i];
    }
    return hsd_column_bytes(&columns, HSC_COL_TEXT, bytes, &t->text, fault);
}

/* Writes records `first` to `end` of what was gathered, whose texts are these, as one block. */
static hsd_status put_texts(rewrite *r, uint32_t first, uint32_t end, hsd_bytes text, uint64_t number, hsd_error *err)
{
    static const uint8_t ids[COLUMNS] = {HSC_COL_FLAGS, HSC_COL_KEY, HSC_COL_TEXT_BYTES};
    uint8_t header[HSC_COLUMN_HEADER_BYTES] = {HSC_COL_TEXT, HSC_CODING_BYTES};
    HSD_TRY(begin_packet(r, err));
    for (unsigned n = 0; n < COLUMNS; n++)
        HSD_TRY(hsd_encode_column(&r->packet, ids[n], r->column[n] + first, end - first, err));
    if (text.size > 0) {
        hsd_put_u32(header + 4, (uint32_t)text.size);
        hsd_put_u32(header + 8, (uint32_t)text.size);
        HSD_TRY(hsd_buffer_append(&r->packet, header, sizeof header, err));
        HSD_TRY(hsd_buffer_append(&r->packet, text.data, text.size, err));
    }
    if (r->packet.size == HSC_BLOCK_HEADER_BYTES) /* all is 0, and a payload may not be empty (4.9) */
        HSD_TRY(hsd_encode_column_always(&r->packet, HSC_COL_KEY, r->column[1] + first, end - first, err));
    return put_packet(r, r->block.header.type, end - first, number, err);
}

/* Writes all that was gathered, in as many blocks as it takes. */
static hsd_status put_gathered(rewrite *r, uint32_t records, uint32_t *blocks, hsd_error *err)
{
    size_t offset = 0;
    for (uint32_t first = 0, end = 0; first < records; first = end) {
        size_t size = 0;
        while (end < records && size + r->column[2][end] <= TEXT_BYTES_A_BLOCK)
            size += (size_t)r->column[2][end++];
        const uint64_t number = r->block.header.number + r->shift + (*blocks)++;
        HSD_TRY(put_texts(r, first, end, (hsd_bytes){r->text.data + offset, size}, number, err));
        offset += size;
    }
    hsd_buffer_clear(&r->text);
    return HSD_OK;
}

static hsd_status replace_text(rewrite *r, const text_block *t, uint32_t i, size_t offset, hsd_text *out,
                               bool *is_changed, hsd_error *err)
{
    const hsd_text text = {t->size[i] > 0 ? (const char *)t->text.data + offset : "", t->size[i]};
    *out = text;
    HSD_TRY(r->replace(r->context, r->block.header.type, hsd_u32s_get(t->key, i), text, out, err));
    if (out->size > HSC_MAX_TEXT_BYTES)
        return hsd_fail(err, HSD_E_MISUSE, "a text of %zu bytes was to be put into a capture", out->size);
    *is_changed = out->size != text.size || (out->size > 0 && memcmp(out->data, text.data, out->size) != 0);
    return HSD_OK;
}

/* All records with their new texts, in *blocks blocks; none where no text changes, unless all of it is made anew. Until
 * one does, what is gathered are texts as they were, which fit into memory as they fitted into the block. */
static hsd_status build_texts(rewrite *r, const text_block *t, uint64_t *changed, uint32_t *blocks, hsd_error *err)
{
    size_t offset = 0;
    uint32_t records = 0;
    hsd_buffer_clear(&r->text);
    for (uint32_t i = 0; i < t->records; i++) {
        hsd_text text;
        bool is_changed = false;
        HSD_TRY(replace_text(r, t, i, offset, &text, &is_changed, err));
        *changed += is_changed;
        if ((*changed > 0 || r->replace_block != NULL) && r->text.size + text.size > TEXT_BYTES_A_BLOCK) {
            HSD_TRY(put_gathered(r, records, blocks, err));
            records = 0;
        }
        r->column[0][records] = hsd_u32s_get(t->flags, i);
        r->column[1][records] = hsd_u32s_get(t->key, i);
        r->column[2][records++] = text.size;
        HSD_TRY(hsd_buffer_append(&r->text, text.data, text.size, err));
        offset += t->size[i];
    }
    return *changed == 0 && r->replace_block == NULL ? HSD_OK : put_gathered(r, records, blocks, err);
}

static hsd_status copy_texts(rewrite *r, hsd_error *err)
{
    hsd_fault fault = {.block = r->block.header.number, .offset_bytes = r->block.offset_bytes};
    text_block t;
    uint64_t changed = 0;
    uint32_t blocks = 0;
    hsd_error_init(&fault.error);
    if (decode_texts(r, &t, &fault) != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    HSD_TRY(build_texts(r, &t, &changed, &blocks, err));
    r->result.texts += t.records;
    r->result.changed += changed;
    if (changed == 0 && r->replace_block == NULL) return keep_block(r, err);
    r->shift += blocks - 1;
    return HSD_OK;
}

/* ---- blocks of labels ---- */

enum { LABEL_FLAGS, LABEL_KEY, LABEL_KIND, LABEL_NAME, LABEL_COLUMNS };

static const uint8_t label_columns[LABEL_COLUMNS] = {HSC_COL_FLAGS, HSC_COL_KEY, HSC_COL_KIND, HSC_COL_TEXT_ID};

/* All entries as they shall be, in r->column; how many are other than before. */
static hsd_status build_labels(rewrite *r, uint32_t *changed, hsd_fault *fault)
{
    hsd_columns columns;
    hsd_u32s of[LABEL_COLUMNS];
    HSD_TRY(hsd_block_unfold(&r->block, fault));
    HSD_TRY(hsd_columns_parse(&r->block, &columns, fault));
    for (int n = 0; n < LABEL_COLUMNS; n++)
        HSD_TRY(hsd_column_u32(&columns, &r->store, label_columns[n], columns.records, &of[n], fault));
    *changed = 0;
    for (uint32_t i = 0; i < columns.records; i++) {
        const hsd_rewritten_label before = {.name = hsd_u32s_get(of[LABEL_NAME], i),
                                            .kind = hsd_u32s_get(of[LABEL_KIND], i),
                                            .flags = hsd_u32s_get(of[LABEL_FLAGS], i)};
        hsd_rewritten_label label = before;
        r->replace_label(r->context, &label);
        *changed += label.name != before.name || label.kind != before.kind || label.flags != before.flags;
        r->column[LABEL_FLAGS][i] = label.flags;
        r->column[LABEL_KEY][i] = hsd_u32s_get(of[LABEL_KEY], i);
        r->column[LABEL_KIND][i] = label.kind;
        r->column[LABEL_NAME][i] = label.name;
    }
    return HSD_OK;
}

static hsd_status copy_labels(rewrite *r, hsd_error *err)
{
    hsd_fault fault = {.block = r->block.header.number, .offset_bytes = r->block.offset_bytes};
    const uint32_t records = r->block.header.record_count;
    uint32_t changed;
    hsd_error_init(&fault.error);
    if (build_labels(r, &changed, &fault) != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    if (changed == 0) return keep_block(r, err);
    HSD_TRY(begin_packet(r, err));
    for (int n = 0; n < LABEL_COLUMNS; n++)
        HSD_TRY(hsd_encode_column(&r->packet, label_columns[n], r->column[n], records, err));
    return put_packet_like(r, &r->block.header, records, r->block.header.number + r->shift, err);
}

/* ---- other blocks ---- */

/* The packet holds what the callback makes of the block that was read. */
static hsd_status ask_for_block(rewrite *r, hsd_rewritten_block *out, hsd_error *err)
{
    hsd_fault fault = {.block = r->block.header.number, .offset_bytes = r->block.offset_bytes};
    hsd_error_init(&fault.error);
    *out = (hsd_rewritten_block){.what = HSD_REWRITE_KEEP, .records = r->block.header.record_count};
    HSD_TRY(begin_packet(r, err));
    hsd_status status = hsd_block_unfold(&r->block, &fault);
    if (status != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    status = r->replace_block(r->context, &r->block, &r->packet, out, &fault, err);
    if (status != HSD_OK && fault.status != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    if (status != HSD_OK) return status;
    if (r->packet.size - HSC_BLOCK_HEADER_BYTES > HSC_MAX_RAW_BYTES)
        return hsd_fail(err, HSD_E_MISUSE, "a block of %zu bytes was to be put into a capture", r->packet.size);
    return HSD_OK;
}

static hsd_status copy_other(rewrite *r, hsd_error *err)
{
    hsd_rewritten_block made;
    if (r->replace_block == NULL) return keep_block(r, err);
    HSD_TRY(ask_for_block(r, &made, err));
    if (made.what == HSD_REWRITE_KEEP) return keep_block(r, err);
    if (made.what == HSD_REWRITE_CHANGE)
        return put_packet_like(r, &r->block.header, made.records, r->block.header.number + r->shift, err);
    r->shift--;
    r->result.dropped++;
    return HSD_OK;
}

/* ---- what is made of what was written ---- */

static hsd_status put_index_block(rewrite *r, size_t first, uint32_t count, uint64_t number, hsd_error *err)
{
    static const uint8_t ids[] = {HSC_COL_OFFSET, HSC_COL_BLOCK_TYPE, HSC_COL_RECORDS, HSC_COL_ORDINAL, HSC_COL_STORED};
    for (uint32_t i = 0; i < count; i++) {
        const hsd_block_ref *ref = &r->written.refs[first + i];
        r->column[0][i] = ref->offset_bytes;
        r->column[1][i] = ref->type;
        r->column[2][i] = ref->record_count;
        r->column[3][i] = ref->first_ordinal;
        r->column[4][i] = ref->stored_bytes;
        r->column[5][i] = ref->number;
    }
    HSD_TRY(begin_packet(r, err));
    for (unsigned n = 0; n < HSD_ARRAY_LEN(ids); n++)
        HSD_TRY(hsd_encode_column(&r->packet, ids[n], r->column[n], count, err));
    if (r->is_salvaged) HSD_TRY(hsd_encode_column_always(&r->packet, HSC_COL_NUMBER, r->column[5], count, err));
    return put_packet(r, HSC_BLOCK_INDEX, count, number, err);
}

static uint64_t next_number(const rewrite *r)
{
    return r->written.count == 0 ? 0 : r->written.refs[r->written.count - 1].number + 1;
}

static hsd_status put_index(rewrite *r, hsd_error *err)
{
    const size_t blocks = r->written.count; /* the list grows by the INDEX blocks meanwhile */
    r->index_offset = r->size_bytes;
    for (size_t first = 0; first < blocks; first += RECORDS_A_BLOCK) {
        const uint32_t count = (uint32_t)hsd_min_u64(RECORDS_A_BLOCK, blocks - first);
        HSD_TRY(put_index_block(r, first, count, next_number(r), err));
    }
    return HSD_OK;
}

/* The count of blocks in the entries of END, which stand in the packet, grows by as many as there are more. */
static hsd_status count_blocks(rewrite *r, uint32_t records, uint64_t more, hsd_error *err)
{
    hsd_fault fault = {.block = r->block.header.number, .offset_bytes = r->block.offset_bytes};
    hsd_facts facts;
    const hsd_block made = {.header = {.type = HSC_BLOCK_END,
                                       .record_count = records,
                                       .raw_bytes = (uint32_t)(r->packet.size - HSC_BLOCK_HEADER_BYTES)},
                            .payload = r->packet.data + HSC_BLOCK_HEADER_BYTES};
    hsd_error_init(&fault.error);
    if (hsd_facts_parse(&made, &facts, &fault) != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    if (hsd_facts_has(&facts, HSC_END_BLOCKS)) {
        const size_t at = (size_t)(facts.bytes[HSC_END_BLOCKS].data - made.payload);
        hsd_put_u64(made.payload + at, facts.number[HSC_END_BLOCKS] + more);
    }
    return HSD_OK;
}

/* END is in r->block. */
static hsd_status copy_end(rewrite *r, hsd_error *err)
{
    hsd_fault fault = {.block = r->block.header.number, .offset_bytes = r->block.offset_bytes};
    hsd_facts facts;
    hsd_error_init(&fault.error);
    hsd_status status = hsd_block_unfold(&r->block, &fault);
    if (status == HSD_OK) status = hsd_facts_parse(&r->block, &facts, &fault);
    if (status != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    r->is_salvaged = facts.number[HSC_END_STATE] == HSC_STATE_SALVAGED;
    HSD_TRY(put_index(r, err));
    const uint64_t more = (uint64_t)r->written.count - r->read_count;
    r->end_offset = r->size_bytes;
    hsd_rewritten_block made = {.what = HSD_REWRITE_KEEP, .records = r->block.header.record_count};
    if (r->replace_block != NULL) HSD_TRY(ask_for_block(r, &made, err));
    if (made.what != HSD_REWRITE_CHANGE) {
        HSD_TRY(begin_packet(r, err));
        HSD_TRY(hsd_buffer_append(&r->packet, r->block.payload, r->block.header.raw_bytes, err));
    }
    HSD_TRY(count_blocks(r, made.records, more, err));
    return put_packet(r, HSC_BLOCK_END, made.records, next_number(r), err);
}

static hsd_status put_trailer(rewrite *r, hsd_error *err)
{
    uint8_t bytes[HSC_TRAILER_BYTES];
    const hsd_trailer trailer = {.index_offset = r->index_offset, .end_offset = r->end_offset};
    hsd_trailer_build(bytes, r->file.header.seed, &trailer);
    return put_rewritten_block(r, bytes, sizeof bytes, err);
}

/* ---- the walk ---- */

/* The file header, with whatever a later minor put behind its first 64 bytes, unless all is to be known. */
static hsd_status copy_header(rewrite *r, hsd_error *err)
{
    uint8_t bytes[HSC_MAX_FILE_HEADER_BYTES];
    hsd_fault fault;
    if (hsd_file_read_header(&r->file, &fault) != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    if (r->replace_block != NULL) {
        hsd_file_header_build(bytes, r->file.header.capture_id, r->file.header.minor);
        return put_rewritten_block(r, bytes, HSC_FILE_HEADER_BYTES, err);
    }
    const size_t size = (size_t)hsd_min_u64(r->file.header.header_bytes, r->file.input.size_bytes);
    HSD_TRY(hsd_input_read(&r->file.input, 0, bytes, size, err));
    return put_rewritten_block(r, bytes, size, err);
}

static hsd_status copy_block(rewrite *r, const hsd_scan_step *step, hsd_error *err)
{
    hsd_fault fault = step->fault;
    const uint8_t type = step->header.type;
    if (!step->is_usable) return hsd_fault_raise(&fault, NULL, err);
    if (step->missing > 0) r->has_gaps = true;
    if (step->header.number > UINT64_MAX / 2) {
        hsd_fault_corrupt(&fault, "4.5", "no capture has so many blocks before it");
        return hsd_fault_raise(&fault, NULL, err);
    }
    if (type == HSC_BLOCK_INDEX && r->old_index_offset == 0) r->old_index_offset = step->offset_bytes;
    if (type == HSC_BLOCK_END) r->old_end_offset = step->offset_bytes;
    if (hsd_block_read(&r->block, &r->file.input, &step->ref, r->file.header.seed, &fault) != HSD_OK)
        return hsd_fault_raise(&fault, NULL, err);
    HSD_TRY(hsd_progress(&r->reporter, "copying", step->offset_bytes, r->file.input.size_bytes, err));
    if (type == HSC_BLOCK_END) return copy_end(r, err);
    r->read_count++;
    if (type == HSC_BLOCK_INDEX) return HSD_OK;
    if (type == HSC_BLOCK_STRINGS || type == HSC_BLOCK_TYPES) return copy_texts(r, err);
    if (type == HSC_BLOCK_LABELS && r->replace_label != NULL) return copy_labels(r, err);
    return copy_other(r, err);
}

/* The end of the walk, behind END: the trailer, if it is there, must be right. */
static hsd_status copy_trailer(rewrite *r, const hsd_scan_step *step, hsd_error *err)
{
    char digits[HSD_DIGITS_BYTES];
    hsd_trailer trailer;
    hsd_fault fault = step->fault;
    if (step->bytes < HSC_TRAILER_BYTES) return HSD_OK;
    hsd_status status = HSD_OK;
    if (step->bytes > HSC_TRAILER_BYTES) {
        status = hsd_fault_corrupt(&fault, "9.4", "%s bytes follow the end of the capture",
                                   hsd_group_digits(digits, step->bytes - HSC_TRAILER_BYTES));
    } else {
        status = hsd_file_read_trailer(&r->file, &trailer, &fault);
    }
    if (status == HSD_OK && (trailer.index_offset != r->old_index_offset || trailer.end_offset != r->old_end_offset))
        status = hsd_fault_corrupt(&fault, "9.2", "the places that the trailer tells of cannot be");
    if (status != HSD_OK) return hsd_fault_raise(&fault, NULL, err);
    r->result.is_whole = true;
    return put_trailer(r, err);
}

static hsd_status end_walk(rewrite *r, const hsd_scan_step *step, hsd_error *err)
{
    hsd_fault fault = step->fault;
    if (step->kind == HSD_SCAN_DAMAGE) return hsd_fault_raise(&fault, NULL, err);
    if (r->has_gaps && !r->is_salvaged) {
        hsd_fault_corrupt(&fault, "4.5", "blocks are missing");
        return hsd_fault_raise(&fault, NULL, err);
    }
    if (step->kind == HSD_SCAN_END && r->old_end_offset != 0) return copy_trailer(r, step, err);
    return HSD_OK;
}

static hsd_status walk_rewritten_block(rewrite *r, hsd_error *err)
{
    hsd_scan scan;
    hsd_scan_step step;
    hsd_status status;
    HSD_TRY(copy_header(r, err));
    hsd_scan_begin(&scan, &r->file);
    do {
        status = hsd_scan_next(&scan, &step);
        if (status != HSD_OK) status = hsd_fault_raise(&step.fault, NULL, err);
        if (status == HSD_OK && step.kind == HSD_SCAN_BLOCK) status = copy_block(r, &step, err);
    } while (status == HSD_OK && step.kind == HSD_SCAN_BLOCK);
    hsd_scan_finish(&scan);
    return status == HSD_OK ? end_walk(r, &step, err) : status;
}

static hsd_status set_up(rewrite *r, int in_fd, const hsd_run *run, hsd_error *err)
{
    const uint64_t memory = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    const int fd = fcntl(in_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return hsd_fail_errno(err, errno, "cannot be opened");
    r->written.memory_bytes = memory / 2;
    HSD_TRY(hsd_input_open_fd(&r->file.input, fd, "", run, err));
    r->column[0] = malloc(sizeof r->column / sizeof r->column[0] * HSC_MAX_RECORDS * sizeof(uint64_t));
    if (r->column[0] == NULL) return hsd_fail_nomem(err, "copying a capture");
    for (size_t n = 1; n < HSD_ARRAY_LEN(r->column); n++)
        r->column[n] = r->column[n - 1] + HSC_MAX_RECORDS;
    return HSD_OK;
}

static hsd_status rewrite_capture(rewrite *r, int in_fd, const hsd_run *run, hsd_rewrite_result *result, hsd_error *err)
{
    hsd_reporter_init(&r->reporter, run);
    hsd_status status = set_up(r, in_fd, run, err);
    if (status == HSD_OK) status = walk_rewritten_block(r, err);
    r->result.blocks = r->written.count;
    r->result.bytes = r->size_bytes;
    if (status == HSD_OK && result != NULL) *result = r->result;
    free(r->column[0]);
    hsd_compressor_release(&r->compressor);
    hsd_buffer_release(&r->packed);
    hsd_buffer_release(&r->packet);
    hsd_buffer_release(&r->text);
    hsd_block_list_release(&r->written);
    hsd_column_store_release(&r->store);
    hsd_block_release(&r->block);
    hsd_input_close(&r->file.input);
    hsd_reporter_release(&r->reporter);
    return status;
}

hsd_status hsd_rewrite(int in_fd, int out_fd, hsd_rewrite_fn replace, void *context, const hsd_run *run,
                       hsd_rewrite_result *result, hsd_error *err)
{
    return hsd_rewrite_labels(in_fd, out_fd, replace, NULL, context, run, result, err);
}

hsd_status hsd_rewrite_labels(int in_fd, int out_fd, hsd_rewrite_fn replace, hsd_rewrite_label_fn label, void *context,
                              const hsd_run *run, hsd_rewrite_result *result, hsd_error *err)
{
    rewrite r = {.out_fd = out_fd,
                 .replace = replace,
                 .replace_label = label,
                 .context = context,
                 .file = {.input = {.fd = -1}}};
    return rewrite_capture(&r, in_fd, run, result, err);
}

hsd_status hsd_rewrite_all(int in_fd, int out_fd, hsd_rewrite_fn replace, hsd_rewrite_block_fn block, void *context,
                           const hsd_run *run, hsd_rewrite_result *result, hsd_error *err)
{
    rewrite r = {.out_fd = out_fd,
                 .replace = replace,
                 .replace_block = block,
                 .context = context,
                 .file = {.input = {.fd = -1}}};
    return rewrite_capture(&r, in_fd, run, result, err);
}
