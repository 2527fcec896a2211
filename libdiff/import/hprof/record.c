/*
 * Records of HPROF files: where they begin and end, and what is done where the lengths in the file do
 * not say so:
 *
 *   a HEAP_DUMP of 4 GiB or more   its length stands modulo 2^32: if the rest of the input is as long
 *                                  modulo 2^32, the dump is the rest of the input
 *   length 0 of a segment          the dumper died before it filled the length in: up to the end
 *   a length past the end          the file was cut
 *   an unknown sub-record          has no length, so the rest of its segment is lost; the next
 *                                  segment begins where the length of this one says
 */
#include "import/hprof/record.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/check.h"
#include "import/importer.h"

#define MAGIC             "JAVA PROFILE "
#define MAGIC_BYTES       (sizeof MAGIC - 1)
#define HEADER_BYTES      31 /* magic, version, NUL, id size, time */
#define RECORD_HEAD_BYTES 9u
#define LENGTH_MODULUS    (UINT64_C(1) << 32)

const uint8_t hsd_hprof_width[HPROF_TYPE_COUNT] = {
    [HPROF_BOOLEAN] = 1, [HPROF_CHAR] = 2,  [HPROF_FLOAT] = 4, [HPROF_DOUBLE] = 8,
    [HPROF_BYTE] = 1,    [HPROF_SHORT] = 2, [HPROF_INT] = 4,   [HPROF_LONG] = 8};

/* ---- damage ---- */

hsd_status hsd_hprof_cut(hprof_reader *reader, hsd_error *err)
{
    if (reader->salvage) {
        reader->cut_offset = hsd_min_u64(reader->cut_offset, reader->last);
        return HSD_END;
    }
    hsd_fail_at(err, HSD_E_TRUNCATED, reader->last,
                "the heap dump was cut off: the record that begins here is not whole");
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

hsd_status hsd_hprof_damaged(hprof_reader *reader, const char *sentence, hsd_error *err)
{
    if (!reader->salvage) {
        hsd_fail_at(err, HSD_E_CORRUPT, reader->last, "%s", sentence);
        hsd_import_hint_partial(err);
        return HSD_E_CORRUPT;
    }
    const uint64_t offset = hsd_source_offset(reader->source);
    const uint64_t left = reader->segment_end - offset;
    reader->lost_bytes = hsd_add_saturating(reader->lost_bytes, reader->segment_end - reader->last);
    if (reader->segment_end == UINT64_MAX) return hsd_hprof_cut(reader, err);
    const hsd_status status = hsd_hprof_skip(reader, left, err);
    return status == HSD_OK ? HSD_END : status;
}

hsd_status hsd_hprof_reject(hprof_reader *reader, unsigned length, const hprof_sub *sub, hsd_error *err)
{
    char sentence[96];
    const uint64_t left = reader->segment_end - reader->last;
    const bool is_at_end = hsd_source_ahead(reader->source) < hsd_min_u64(left, HPROF_EDGE_BYTES);
    if (length != 0 && (reader->is_clamped || (is_at_end && length > hsd_source_ahead(reader->source))))
        return hsd_hprof_cut(reader, err);
    if (length != 0)
        snprintf(sentence, sizeof sentence, "a sub-record (tag 0x%02x) is longer than its heap segment", sub->tag);
    else
        snprintf(sentence, sizeof sentence, "there is no sub-record with the tag 0x%02x", sub->tag);
    return hsd_hprof_damaged(reader, sentence, err);
}

/* ---- moving ---- */

hsd_status hsd_hprof_fill(hprof_reader *reader, size_t want, hsd_error *err)
{
    const hsd_status status = hsd_source_fill(reader->source, want, err);
    const bool is_broken = status == HSD_E_TRUNCATED || status == HSD_E_CORRUPT;
    if (!is_broken) return status;
    if (reader->salvage) return hsd_hprof_cut(reader, err);
    hsd_import_hint_partial(err);
    return status;
}

hsd_status hsd_hprof_skip_far(hprof_reader *reader, uint64_t size, hsd_error *err)
{
    const hsd_status status = hsd_source_skip(reader->source, size, err);
    const bool is_broken = status == HSD_E_TRUNCATED || status == HSD_E_CORRUPT;
    return is_broken ? hsd_hprof_cut(reader, err) : status;
}

hsd_status hsd_hprof_leave(hprof_reader *reader, const hprof_record *record, hsd_error *err)
{
    const uint64_t offset = hsd_source_offset(reader->source);
    uint64_t end = 0;
    if (!hsd_add_u64(record->body, record->length, &end)) end = UINT64_MAX;
    return end <= offset ? HSD_OK : hsd_hprof_skip(reader, end - offset, err);
}

/* ---- the header ---- */

static hsd_status refuse_version(hsd_source *source, size_t ahead, hsd_error *err)
{
    const char *text = (const char *)source->at + MAGIC_BYTES;
    char version[12] = "";
    size_t size = 0;
    while (size + 1 < sizeof version && MAGIC_BYTES + size < ahead && text[size] > ' ' && text[size] <= '~' &&
           text[size] != ',')
        size++;
    memcpy(version, text, size);
    if (MAGIC_BYTES + size < ahead && text[size] == ',') {
        hsd_fail(err, HSD_E_UNSUPPORTED, "a Java profile in its text form");
        hsd_error_set_hint(err, "make the dump with format=b");
        return HSD_E_UNSUPPORTED;
    }
    if (strcmp(version, "1.0") == 0) return hsd_fail(err, HSD_E_UNSUPPORTED, "a Java profile of the trial version 1.0");
    return hsd_fail(err, HSD_E_TOO_NEW, "a Java profile of version \"%s\": only 1.0.1, 1.0.2 and 1.0.3 are known",
                    version);
}

hsd_status hsd_hprof_open(hprof_reader *reader, hsd_source *source, bool salvage, hsd_error *err)
{
    *reader = (hprof_reader){.source = source,
                             .salvage = salvage,
                             .limit = UINT64_MAX,
                             .cut_offset = UINT64_MAX,
                             .total_bytes = source->total_bytes};
    hsd_status status = hsd_source_peek(source, HEADER_BYTES, err);
    if (status < 0 && hsd_source_ahead(source) < HEADER_BYTES) return status;
    const size_t ahead = hsd_source_ahead(source);
    const uint8_t *at = source->at;
    if (ahead < MAGIC_BYTES || memcmp(at, MAGIC, MAGIC_BYTES) != 0)
        return hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, 0, "no HPROF dump: its first bytes are others");
    const bool is_known = ahead >= MAGIC_BYTES + 6 && memcmp(at + MAGIC_BYTES, "1.0.", 4) == 0 &&
                          at[MAGIC_BYTES + 4] >= '1' && at[MAGIC_BYTES + 4] <= '3' && at[MAGIC_BYTES + 5] == 0;
    if (!is_known) return refuse_version(source, ahead, err);
    if (ahead < HEADER_BYTES) return hsd_fail_at(err, HSD_E_TRUNCATED, ahead, "the heap dump ends inside its header");
    reader->version = at[MAGIC_BYTES + 4] - (unsigned)'0';
    const uint32_t id_bytes = hsd_hprof_u32(at + MAGIC_BYTES + 6);
    if (id_bytes != 4 && id_bytes != 8)
        return hsd_fail_at(err, HSD_E_CORRUPT, MAGIC_BYTES + 6, "ids of %" PRIu32 " bytes: they are 4 or 8", id_bytes);
    reader->id_bytes = id_bytes;
    reader->time_ms = hsd_hprof_u64(at + MAGIC_BYTES + 10);
    hsd_source_take(source, HEADER_BYTES);
    reader->first_record = hsd_source_offset(source);
    return HSD_OK;
}

/* ---- records ---- */

/* Finds the size of an input that does not know it, by reading to its end once. */
static hsd_status find_total(hprof_reader *reader, hsd_error *err)
{
    hsd_source *source = reader->source;
    const uint64_t offset = hsd_source_offset(source);
    if (source->ops == NULL || source->ops->seek == NULL) return HSD_OK;
    hsd_status status = HSD_OK;
    while (status == HSD_OK) {
        hsd_source_take(source, hsd_source_ahead(source));
        status = hsd_source_peek(source, 1, err);
    }
    const bool is_broken = status == HSD_E_TRUNCATED || status == HSD_E_CORRUPT;
    if (is_broken && !reader->salvage) hsd_import_hint_partial(err);
    if (status < 0 && !(is_broken && reader->salvage)) return status;
    reader->total_bytes = hsd_source_offset(source);
    return hsd_source_seek(source, offset, err);
}

/* Length 0 is right if the end mark, or the end of the input, follows at once. */
static hsd_status is_truly_empty(hprof_reader *reader, bool *out, hsd_error *err)
{
    const hsd_status status = hsd_hprof_peek(reader, RECORD_HEAD_BYTES, err);
    if (status < 0) return status;
    const uint8_t *at = reader->source->at;
    *out =
        hsd_source_ahead(reader->source) >= RECORD_HEAD_BYTES && at[0] == HPROF_DUMP_END && hsd_hprof_u32(at + 5) == 0;
    return HSD_OK;
}

static hsd_status take_to_end(hprof_reader *reader, hprof_record *record, hsd_error *err)
{
    reader->is_clamped = true;
    record->length = reader->total_bytes == 0 ? UINT64_MAX - record->body : reader->total_bytes - record->body;
    if (reader->salvage) return HSD_OK;
    return hsd_hprof_cut(reader, err);
}

/* The length of a heap dump or segment as it should be. */
static hsd_status repair_length(hprof_reader *reader, hprof_record *record, hsd_error *err)
{
    reader->is_clamped = false;
    if (record->tag == HPROF_HEAP_DUMP && reader->total_bytes == 0) HSD_TRY(find_total(reader, err));
    const bool is_known = reader->total_bytes >= record->body;
    const uint64_t left = is_known ? reader->total_bytes - record->body : UINT64_MAX;
    if (record->tag == HPROF_HEAP_DUMP && is_known && left >= LENGTH_MODULUS &&
        (left - record->length) % LENGTH_MODULUS == 0) {
        record->length = left;
        return HSD_OK;
    }
    if (record->length == 0) {
        bool is_empty = false;
        HSD_TRY(is_truly_empty(reader, &is_empty, err));
        return is_empty ? HSD_OK : take_to_end(reader, record, err);
    }
    return is_known && record->length > left ? take_to_end(reader, record, err) : HSD_OK;
}

/* A few bytes behind the last dump are no loss; anywhere else the input was cut. */
static hsd_status end_of_records(hprof_reader *reader, hsd_error *err)
{
    if (hsd_source_ahead(reader->source) == 0) return HSD_END;
    if (reader->dumps > 0 && !reader->is_dump_open) return HSD_END;
    return hsd_hprof_cut(reader, err);
}

/* Tags that are not known are skipped, but no dumper writes 0: a stretch of zeros is a hole that was
 * never filled. What stands behind it cannot be found. */
static hsd_status no_record(hprof_reader *reader, hsd_error *err)
{
    if (reader->dumps > 0 && !reader->is_dump_open) return HSD_END; /* padding */
    if (reader->salvage) return hsd_hprof_cut(reader, err);
    hsd_fail_at(err, HSD_E_CORRUPT, reader->last, "zeros stand where a record should begin");
    hsd_import_hint_partial(err);
    return HSD_E_CORRUPT;
}

static void count_dump(hprof_reader *reader, uint8_t tag)
{
    if (tag == HPROF_HEAP_DUMP || (tag == HPROF_SEGMENT && !reader->is_dump_open)) reader->dumps++;
    if (tag == HPROF_SEGMENT) reader->is_dump_open = true;
    if (tag == HPROF_HEAP_DUMP || tag == HPROF_DUMP_END) reader->is_dump_open = false;
}

hsd_status hsd_hprof_next_record(hprof_reader *reader, hprof_record *record, hsd_error *err)
{
    hsd_source *source = reader->source;
    reader->last = record->offset = hsd_source_offset(source);
    if (record->offset >= reader->limit) return HSD_END;
    const hsd_status status = hsd_hprof_peek(reader, RECORD_HEAD_BYTES, err);
    if (status == HSD_END) return end_of_records(reader, err);
    HSD_TRY(status);
    record->tag = source->at[0];
    record->length = hsd_hprof_u32(source->at + 5);
    record->body = record->offset + RECORD_HEAD_BYTES;
    if (record->tag == 0) return no_record(reader, err);
    hsd_source_take(source, RECORD_HEAD_BYTES);
    count_dump(reader, record->tag);
    if (record->tag != HPROF_HEAP_DUMP && record->tag != HPROF_SEGMENT) return HSD_OK;
    HSD_TRY(repair_length(reader, record, err));
    reader->segment_end = hsd_min_u64(record->body + record->length, reader->limit);
    return HSD_OK;
}

/* ---- sub-records ---- */

hsd_status hsd_hprof_near_edge(hprof_reader *reader, uint64_t left, const uint8_t **at, hsd_error *err)
{
    hsd_source *source = reader->source;
    if (left == 0) return HSD_END;
    const hsd_status status = hsd_hprof_peek(reader, (size_t)hsd_min_u64(left, HPROF_EDGE_BYTES), err);
    if (status < 0) return status;
    const size_t seen = (size_t)hsd_min_u64(left, hsd_source_ahead(source));
    if (seen == 0) return hsd_hprof_cut(reader, err);
    *at = source->at;
    if (seen >= HPROF_EDGE_BYTES) return HSD_OK;
    memset(reader->edge, 0, sizeof reader->edge);
    memcpy(reader->edge, source->at, seen);
    *at = reader->edge;
    return HSD_OK;
}

static unsigned decode_no_data(const uint8_t *rest, unsigned id_bytes, hprof_sub *sub)
{
    sub->stack = hsd_hprof_u32(rest);
    sub->count = hsd_hprof_u32(rest + 4);
    sub->element = rest[8];
    return hsd_hprof_is_primitive(sub->element) ? 10 + id_bytes : 0;
}

static unsigned decode_heap_info(const uint8_t *at, unsigned id_bytes, hprof_sub *sub)
{
    sub->id = hsd_hprof_u32(at + 1);
    sub->class_id = hsd_hprof_id(at + 5, id_bytes);
    return 5 + id_bytes;
}

unsigned hsd_hprof_decode_rare(const uint8_t *at, unsigned id_bytes, hprof_sub *sub)
{
    const uint8_t *rest = at + 1 + id_bytes;
    sub->body = sub->count = 0;
    sub->stack = sub->frame = 0;
    switch (at[0]) {
    case HPROF_UNKNOWN_ROOT:
    case HPROF_STICKY_CLASS:
    case HPROF_MONITOR_USED:
    case HPROF_INTERNED:
    case HPROF_FINALIZING:
    case HPROF_DEBUGGER:
    case HPROF_CLEANUP:
    case HPROF_VM_INTERNAL:
    case HPROF_UNREACHABLE:
    case HPROF_CLASS: return 1 + id_bytes;
    case HPROF_JNI_GLOBAL: sub->class_id = hsd_hprof_id(rest, id_bytes); return 1 + 2 * id_bytes;
    case HPROF_NATIVE_STACK:
    case HPROF_THREAD_BLOCK: sub->stack = hsd_hprof_u32(rest); return 5 + id_bytes;
    case HPROF_JNI_LOCAL:
    case HPROF_JAVA_FRAME:
    case HPROF_JNI_MONITOR:
    case HPROF_THREAD_OBJECT:
        sub->stack = hsd_hprof_u32(rest);
        sub->frame = hsd_hprof_u32(rest + 4);
        return 9 + id_bytes;
    case HPROF_NO_DATA_ARRAY: return decode_no_data(rest, id_bytes, sub);
    case HPROF_HEAP_INFO: return decode_heap_info(at, id_bytes, sub);
    default: return 0;
    }
}
