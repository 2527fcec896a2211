/*
 * Salvage: a new capture of all that is intact in a damaged one (FORMAT.md 2.6).
 *
 *      damaged   | header | INFO | blk 1 | ????? | blk 3 | blk 4 … cut off
 *      salvaged  | header | INFO | blk 1 |       | blk 3 | new totals | new INDEX | new END, state 3 | trailer
 *
 * The survey of HSD_DAMAGE_SKIP says which blocks are intact; they are copied byte for byte, so their checksums are
 * still those that the producer computed. Totals are computed anew from the records that are there; those by type stay
 * when no object is lost. A capture that is sound is copied as it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/fail.h"
#include "format/capture_state.h"
#include "format/content.h"
#include "format/encode.h"
#include "format/totals.h"

#define COPY_BYTES      ((size_t)1 << 20)
#define TYPES_A_BLOCK   512 /* with all their buckets they stay below the limits of FORMAT.md 10 */
#define RECORDS_A_BLOCK 8192
#define FACT_VALUES     4u /* FORMAT.md 8.2, key 9 */

typedef struct salvage {
    hsd_capture *capture;
    hsd_output output;
    hsd_crypt *crypt;
    hsd_block block;
    hsd_content content;
    hsd_totals totals;
    hsd_block_list written;
    hsd_buffer payload;
    uint64_t *columns;      /* room for the columns of a block that is being built */
    bool keeps_type_totals; /* those of the damaged capture are right */
    uint64_t next_number;
    uint64_t index_offset, end_offset;
    hsd_fault fault; /* why a totals table could not grow, told by a callback */
} salvage;

/* ---- what is kept ---- */

static bool is_rebuilt(const salvage *s, uint8_t type)
{
    if (type == HSC_BLOCK_TYPE_TOTALS) return !s->keeps_type_totals;
    return type == HSC_BLOCK_GROUP_TOTALS || type == HSC_BLOCK_INDEX || type == HSC_BLOCK_END;
}

static void add_to_totals(void *context, const hsd_block_header *header, const hsd_object *object,
                          const hsd_record *record)
{
    salvage *s = context;
    if (s->fault.status != HSD_OK) return;
    if (object != NULL) {
        hsd_totals_add_object(&s->totals, object, &s->fault);
    } else if (header->type == HSC_BLOCK_ROOTS) {
        hsd_totals_add_root(&s->totals, &record->root);
    }
}

static hsd_status count_block(salvage *s, hsd_fault *fault)
{
    const uint8_t type = s->block.header.type;
    if (!hsd_content_is_counted(type) || !hsd_capture_reads(s->capture, type)) return HSD_OK;
    HSD_TRY(hsd_block_unfold(&s->block, fault));
    HSD_TRY(hsd_content_take(&s->content, &s->block, true, add_to_totals, s, fault));
    if (s->fault.status == HSD_OK) return HSD_OK;
    *fault = s->fault;
    return fault->status;
}

static hsd_status note_written(salvage *s, const hsd_block_ref *ref, hsd_error *err)
{
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    s->next_number = ref->number + 1;
    if (hsd_block_list_add(&s->written, ref, &fault) == HSD_OK) return HSD_OK;
    return hsd_fault_raise(&fault, NULL, err);
}

static hsd_status keep_block(salvage *s, const hsd_block_ref *ref, hsd_error *err)
{
    const hsd_file *file = &s->capture->file;
    hsd_block_ref place = *ref;
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    place.offset_bytes = s->output.size_bytes;
    if (hsd_block_read(&s->block, &file->input, ref, file->header.seed, &fault) != HSD_OK) {
        return hsd_fault_raise(&fault, file->input.name, err);
    }
    /* Before its records are looked at: that writes into the buffer. */
    HSD_TRY(hsd_output_write(&s->output, s->block.stored, HSC_BLOCK_HEADER_BYTES + (size_t)ref->stored_bytes, err));
    if (count_block(s, &fault) != HSD_OK) return hsd_fault_raise(&fault, file->input.name, err);
    return note_written(s, &place, err);
}

/* ---- what is new ---- */

static hsd_status write_block(salvage *s, uint8_t type, uint32_t records, hsd_error *err)
{
    hsd_block_ref ref;
    HSD_TRY(hsd_encode_block(&s->output, type, s->next_number, records, s->capture->file.header.seed, &s->payload, &ref,
                             err));
    hsd_buffer_clear(&s->payload);
    return note_written(s, &ref, err);
}

static hsd_status write_header(salvage *s, hsd_error *err)
{
    uint8_t bytes[HSC_FILE_HEADER_BYTES];
    hsd_file_header_build(bytes, s->capture->file.header.capture_id, s->capture->file.header.minor);
    return hsd_output_write(&s->output, bytes, sizeof bytes, err);
}

/*
 * INFO is lost: the capture id, what targets are, and that it was a baseline is what is known. Whether values of user
 * data are inside is not, so it says that they are.
 */
static hsd_status write_info(salvage *s, hsd_error *err)
{
    const hsd_capture *capture = s->capture;
    const hsd_bytes id = {capture->file.header.capture_id, HSC_CAPTURE_ID_BYTES};
    const bool are_ordinals = capture->info.targets_are_ordinals;
    const uint64_t sums = capture->info.sums, facts = FACT_VALUES | capture->info.facts;
    HSD_TRY(hsd_fact_put_bytes(&s->payload, HSC_INFO_CAPTURE_ID, id, err));
    HSD_TRY(hsd_fact_put_number(&s->payload, HSC_INFO_FACTS, facts, err));
    if (are_ordinals) HSD_TRY(hsd_fact_put_number(&s->payload, HSC_INFO_TARGETS, 1, err));
    if (sums != 0) HSD_TRY(hsd_fact_put_number(&s->payload, HSC_INFO_SUMS, sums, err));
    return write_block(s, HSC_BLOCK_INFO, 2u + are_ordinals + (sums != 0), err);
}

/* A column of the block that is being built: `count` values at s->columns + n * RECORDS_A_BLOCK. */
static uint64_t *column(const salvage *s, unsigned n)
{
    return s->columns + (size_t)n * (RECORDS_A_BLOCK + TYPES_A_BLOCK * HSC_HISTOGRAM_BUCKETS);
}

/* The entries of up to TYPES_A_BLOCK types from `first` on; returns one past the last. */
static size_t gather_types(const salvage *s, size_t first, size_t end, uint32_t *types, uint32_t *buckets)
{
    size_t at = first;
    *types = *buckets = 0;
    for (; at < end; at++) {
        const hsd_total *total = &s->totals.entries[at];
        const bool is_new = at == first || hsd_total_id(total) != hsd_total_id(total - 1);
        if (is_new && *types == TYPES_A_BLOCK) break;
        const uint32_t t = is_new ? (*types)++ : *types - 1;
        const uint32_t b = (*buckets)++;
        if (is_new) {
            column(s, 0)[t] = hsd_total_id(total);
            for (unsigned n = 1; n <= 4; n++)
                column(s, n)[t] = 0;
        }
        column(s, 1)[t] += total->objects;
        column(s, 2)[t] = hsd_add_saturating(column(s, 2)[t], total->bytes);
        column(s, 3)[t] = hsd_add_saturating(column(s, 3)[t], total->native_bytes);
        column(s, 4)[t]++;
        column(s, 5)[b] = hsd_total_bucket(total);
        column(s, 6)[b] = total->objects;
        column(s, 7)[b] = total->bytes;
    }
    return at;
}

static hsd_status write_type_totals(salvage *s, size_t end, hsd_error *err)
{
    static const uint8_t of_types[] = {HSC_COL_KEY, HSC_COL_COUNT, HSC_COL_BYTES, HSC_COL_NATIVE_BYTES,
                                       HSC_COL_BUCKET_COUNT};
    static const uint8_t of_buckets[] = {HSC_COL_BUCKET, HSC_COL_BUCKET_OBJECTS, HSC_COL_BUCKET_BYTES};
    for (size_t at = 0; at < end;) {
        uint32_t types, buckets;
        at = gather_types(s, at, end, &types, &buckets);
        for (unsigned n = 0; n < HSD_ARRAY_LEN(of_types); n++) {
            HSD_TRY(hsd_encode_column(&s->payload, of_types[n], column(s, n), types, err));
        }
        for (unsigned n = 0; n < HSD_ARRAY_LEN(of_buckets); n++) {
            HSD_TRY(hsd_encode_column(&s->payload, of_buckets[n], column(s, 5 + n), buckets, err));
        }
        HSD_TRY(write_block(s, HSC_BLOCK_TYPE_TOTALS, types, err));
    }
    return HSD_OK;
}

/* KEY, KIND, COUNT, BYTES of `count` groups gathered so far. */
static hsd_status write_groups(salvage *s, uint32_t *count, hsd_error *err)
{
    static const uint8_t ids[] = {HSC_COL_KEY, HSC_COL_KIND, HSC_COL_COUNT, HSC_COL_BYTES};
    if (*count == 0) return HSD_OK;
    for (unsigned n = 0; n < HSD_ARRAY_LEN(ids); n++)
        HSD_TRY(hsd_encode_column(&s->payload, ids[n], column(s, n), *count, err));
    const uint32_t groups = *count;
    *count = 0;
    return write_block(s, HSC_BLOCK_GROUP_TOTALS, groups, err);
}

static hsd_status put_group(salvage *s, uint32_t *count, uint32_t kind, uint32_t key, uint64_t objects, uint64_t bytes,
                            hsd_error *err)
{
    if (*count == RECORDS_A_BLOCK) HSD_TRY(write_groups(s, count, err));
    column(s, 0)[*count] = key;
    column(s, 1)[*count] = kind;
    column(s, 2)[*count] = objects;
    column(s, 3)[*count] = bytes;
    (*count)++;
    return HSD_OK;
}

static hsd_status write_group_totals(salvage *s, size_t first, hsd_error *err)
{
    uint32_t count = 0;
    for (size_t at = first; at < s->totals.used; at++) {
        const hsd_total *total = &s->totals.entries[at];
        HSD_TRY(put_group(s, &count, 0, hsd_total_id(total), total->objects, total->bytes, err));
    }
    for (uint32_t kind = 0; kind < HSD_ROOT_KINDS; kind++) {
        if (s->totals.roots[kind] != 0) HSD_TRY(put_group(s, &count, 1, kind, s->totals.roots[kind], 0, err));
    }
    return write_groups(s, &count, err);
}

static hsd_status write_totals(salvage *s, hsd_error *err)
{
    size_t types = 0;
    hsd_totals_sort(&s->totals);
    while (types < s->totals.used && !hsd_total_is_category(&s->totals.entries[types]))
        types++;
    if (!s->keeps_type_totals) HSD_TRY(write_type_totals(s, types, err));
    return write_group_totals(s, types, err);
}

static hsd_status write_index(salvage *s, hsd_error *err)
{
    static const uint8_t ids[] = {HSC_COL_OFFSET, HSC_COL_BLOCK_TYPE, HSC_COL_RECORDS, HSC_COL_ORDINAL, HSC_COL_STORED};
    const size_t blocks = s->written.count; /* the list grows by the INDEX blocks meanwhile */
    s->index_offset = s->output.size_bytes;
    for (size_t first = 0; first < blocks; first += RECORDS_A_BLOCK) {
        const uint32_t count = (uint32_t)hsd_min_u64(RECORDS_A_BLOCK, blocks - first);
        for (uint32_t i = 0; i < count; i++) {
            const hsd_block_ref *ref = &s->written.refs[first + i];
            column(s, 0)[i] = ref->offset_bytes;
            column(s, 1)[i] = ref->type;
            column(s, 2)[i] = ref->record_count;
            column(s, 3)[i] = ref->first_ordinal;
            column(s, 4)[i] = ref->stored_bytes;
            column(s, 5)[i] = ref->number;
        }
        for (unsigned n = 0; n < HSD_ARRAY_LEN(ids); n++)
            HSD_TRY(hsd_encode_column(&s->payload, ids[n], column(s, n), count, err));
        HSD_TRY(hsd_encode_column_always(&s->payload, HSC_COL_NUMBER, column(s, 5), count, err));
        HSD_TRY(write_block(s, HSC_BLOCK_INDEX, count, err));
    }
    return HSD_OK;
}

static hsd_status write_end(salvage *s, hsd_error *err)
{
    const hsd_counts *counts = &s->content.counts;
    const hsd_capture *capture = s->capture;
    const char *reason = capture->info.incomplete_reason;
    const uint64_t numbers[] = {
        [HSC_END_OBJECTS] = counts->objects,
        [HSC_END_PSEUDO] = counts->pseudo_objects,
        [HSC_END_REFERENCES] = counts->references,
        [HSC_END_EDGES] = counts->edges,
        [HSC_END_ROOTS] = counts->roots,
        [HSC_END_BYTES] = counts->bytes,
        [HSC_END_NATIVE_BYTES] = counts->native_bytes,
        [HSC_END_BLOCKS] = s->written.count,
        [HSC_END_STRINGS] = counts->strings,
        [HSC_END_TYPES] = counts->types,
        [HSC_END_LABELS] = counts->labels,
        [HSC_END_SITES] = counts->sites,
        [HSC_END_THREADS] = counts->threads,
        [HSC_END_FRAMES] = counts->frames,
        [HSC_END_METRICS] = counts->metrics,
        [HSC_END_LOSSES] = counts->losses,
        [HSC_END_LOST] = counts->lost,
        [HSC_END_COUNTED_OBJECTS] = s->keeps_type_totals ? capture->info.summary_objects : 0,
        [HSC_END_COUNTED_BYTES] = s->keeps_type_totals ? capture->info.summary_bytes : 0,
    };
    const hsd_bytes text = {(const uint8_t *)reason, strnlen(reason, HSC_MAX_FACT_TEXT_BYTES)};
    uint32_t entries = 2;
    s->end_offset = s->output.size_bytes;
    HSD_TRY(hsd_fact_put_number(&s->payload, HSC_END_STATE, HSC_STATE_SALVAGED, err));
    HSD_TRY(hsd_fact_put_bytes(&s->payload, HSC_END_REASON, text, err));
    for (unsigned key = HSC_END_OBJECTS; key < HSD_ARRAY_LEN(numbers); key++) {
        if (numbers[key] == 0) continue;
        HSD_TRY(hsd_fact_put_number(&s->payload, key, numbers[key], err));
        entries++;
    }
    return write_block(s, HSC_BLOCK_END, entries, err);
}

static hsd_status write_trailer(salvage *s, hsd_error *err)
{
    uint8_t bytes[HSC_TRAILER_BYTES];
    const hsd_trailer trailer = {.index_offset = s->index_offset, .end_offset = s->end_offset};
    hsd_trailer_build(bytes, s->capture->file.header.seed, &trailer);
    return hsd_output_write(&s->output, bytes, sizeof bytes, err);
}

/* ---- the whole ---- */

static hsd_status tell_progress(salvage *s, uint64_t done, hsd_error *err)
{
    return hsd_progress(&s->capture->reporter, "salvaging", done, s->capture->file.input.size_bytes, err);
}

static hsd_status write_whole_salvage(salvage *s, hsd_error *err)
{
    const hsd_block_list *list = &s->capture->list;
    HSD_TRY(write_header(s, err));
    if (!s->capture->has_info) HSD_TRY(write_info(s, err));
    for (size_t i = 0; i < list->count; i++) {
        if (is_rebuilt(s, list->refs[i].type)) continue;
        HSD_TRY(keep_block(s, &list->refs[i], err));
        HSD_TRY(tell_progress(s, list->refs[i].offset_bytes, err));
    }
    HSD_TRY(write_totals(s, err));
    HSD_TRY(write_index(s, err));
    HSD_TRY(write_end(s, err));
    return write_trailer(s, err);
}

static hsd_status copy_all(salvage *s, hsd_error *err)
{
    const hsd_input *input = &s->capture->file.input;
    for (uint64_t at = 0; at < input->size_bytes;) {
        const size_t size = (size_t)hsd_min_u64(COPY_BYTES, input->size_bytes - at);
        HSD_TRY(hsd_input_read(input, at, s->columns, size, err));
        HSD_TRY(hsd_output_write(&s->output, s->columns, size, err));
        HSD_TRY(tell_progress(s, at, err));
        at += size;
    }
    return HSD_OK;
}

/* The input must not be written over: what cannot be read today may be wanted tomorrow. */
static hsd_status check_other_file(const salvage *s, const char *out_path, hsd_error *err)
{
    struct stat in, out;
    if (strcmp(out_path, "-") == 0 || stat(out_path, &out) != 0) return HSD_OK;
    if (fstat(s->capture->file.input.fd, &in) != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino) return HSD_OK;
    hsd_fail(err, HSD_E_MISUSE, "is the damaged capture itself");
    hsd_error_set_hint(err, "choose another name for the salvaged capture with -o FILE");
    return HSD_E_MISUSE;
}

/* True if no object is lost that the old type totals count, and none of them. Objects that only stand in type
 * totals (summaries) can be saved no other way. */
static bool has_right_type_totals(const hsd_capture *capture)
{
    const hsd_capture_info *info = &capture->info;
    const uint64_t *end = capture->end_number;
    if (!capture->has_end) return info->objects == 0 && info->summary_objects > 0;
    return info->objects == end[HSC_END_OBJECTS] && info->pseudo_objects == end[HSC_END_PSEUDO] &&
           info->bytes == end[HSC_END_BYTES] && info->native_bytes == end[HSC_END_NATIVE_BYTES] &&
           capture->total_objects == hsd_add_saturating(info->objects - info->pseudo_objects, info->summary_objects) &&
           capture->total_bytes == hsd_add_saturating(info->bytes, info->summary_bytes);
}

static hsd_status run_salvage(salvage *s, const char *out_path, bool force, hsd_error *err)
{
    const hsd_capture *capture = s->capture;
    hsd_status status = check_other_file(s, out_path, err);
    if (status == HSD_OK) status = hsd_output_open(&s->output, out_path, force, err);
    if (status != HSD_OK) {
        hsd_error_set_file(err, out_path);
        return status;
    }
    HSD_TRY(hsd_output_encrypt(&s->output, s->crypt, err));
    s->columns = malloc(8 * sizeof(uint64_t) * (RECORDS_A_BLOCK + TYPES_A_BLOCK * HSC_HISTOGRAM_BUCKETS));
    if (s->columns == NULL) return hsd_fail_nomem(err, "salvaging a capture");
    s->keeps_type_totals = has_right_type_totals(capture);
    s->totals.memory_bytes = s->written.memory_bytes = capture->list.memory_bytes;
    HSD_TRY(capture->is_sound ? copy_all(s, err) : write_whole_salvage(s, err));
    return hsd_output_finish(&s->output, err);
}

static void tell_result(const salvage *s, hsd_salvage_result *result)
{
    const hsd_capture_info *info = &s->capture->info;
    uint64_t kept = 0;
    for (size_t i = 0; i < s->capture->list.count; i++)
        kept += HSC_BLOCK_HEADER_BYTES + (uint64_t)s->capture->list.refs[i].stored_bytes;
    const uint64_t frame = s->capture->file.header.header_bytes + (uint64_t)HSC_TRAILER_BYTES;
    *result = (hsd_salvage_result){
        .blocks_kept = info->blocks,
        .blocks_lost = info->damaged_blocks,
        .bytes_skipped = info->file_bytes > kept + frame ? info->file_bytes - kept - frame : 0,
        .objects = info->objects,
        .bytes = info->bytes,
        .was_complete = info->is_complete,
    };
}

hsd_status hsd_capture_salvage(const char *path, const char *out_path, bool force, const hsd_run *run,
                               hsd_salvage_result *result, hsd_error *err)
{
    salvage s = {.output = {.fd = -1}, .crypt = run == NULL ? NULL : run->crypt};
    HSD_TRY(hsd_capture_open(&s.capture, path, HSD_DAMAGE_SKIP, run, err));
    const hsd_status status = run_salvage(&s, out_path, force, err);
    if (status == HSD_OK && result != NULL) tell_result(&s, result);
    hsd_output_close(&s.output);
    free(s.columns);
    hsd_buffer_release(&s.payload);
    hsd_block_list_release(&s.written);
    hsd_totals_release(&s.totals);
    hsd_content_release(&s.content);
    hsd_block_release(&s.block);
    hsd_capture_close(s.capture);
    return status;
}
