/*
 * Opening whatever is left of a capture (HSD_DAMAGE_SKIP): every block is found by walking the file, read, decoded
 * whole and counted. What holds goes on the list that readers use; what does not is noted once and is for nobody. So
 * the counts are those of what will be read, and no reader meets damage later.
 */
#include "format/capture_state.h"

#include <string.h>

#include "format/content.h"
#include "format/end_counts.h"
#include "format/scan.h"

#define ID_OFFSET 128 /* of the capture id in INFO, when the file header is the normal one (11.6) */

typedef struct survey {
    hsd_capture *capture;
    hsd_scan scan;
    hsd_block block;
    hsd_content content;
    uint64_t bad, missing; /* blocks whose content is damaged; numbers that are not there */
    uint64_t end_offset;   /* of the END block */
    uint64_t state;        /* of END; 0 while it was not seen */
    hsd_fault last_fault;  /* why the file ends where it ends */
    bool is_header_damaged, is_cut;
    bool has_lost;      /* something that is no intact block was met */
    bool knows_targets; /* some block that has targets was taken */
} survey;

hsd_status hsd_file_rescue_header(hsd_file *file, hsd_fault *fault)
{
    uint8_t bytes[ID_OFFSET + HSC_CAPTURE_ID_BYTES];
    hsd_file_header header = {
        .major = HSC_VERSION_MAJOR, .minor = HSC_VERSION_MINOR, .header_bytes = HSC_FILE_HEADER_BYTES};
    hsd_block_header first;
    hsd_block block = {0};
    hsd_fault attempt = {.block = HSD_NO_BLOCK};
    if (file->input.size_bytes < sizeof bytes) return fault->status;
    if (hsd_input_read(&file->input, 0, bytes, sizeof bytes, &attempt.error) != HSD_OK) return fault->status;
    memcpy(header.capture_id, bytes + ID_OFFSET, HSC_CAPTURE_ID_BYTES);
    header.seed = hsd_capture_seed(header.capture_id);
    if (hsd_block_header_parse(bytes + HSC_FILE_HEADER_BYTES, header.seed, &first, &attempt) != HSD_OK)
        return fault->status;
    const hsd_block_ref ref = hsd_block_ref_of(&first, HSC_FILE_HEADER_BYTES);
    const hsd_status status = hsd_block_read(&block, &file->input, &ref, header.seed, &attempt);
    hsd_block_release(&block);
    if (status != HSD_OK || first.type != HSC_BLOCK_INFO) return fault->status;
    file->header = header;
    return HSD_OK;
}

/* ---- notes ---- */

static void note_block(survey *s, const hsd_block_ref *ref, const hsd_fault *fault)
{
    char digits[HSD_DIGITS_BYTES];
    hsd_note(&s->capture->reporter, HSD_NOTE_DAMAGE, "%s: block %llu (%s) at byte %s is left out: %s",
             s->capture->file.input.name, (unsigned long long)ref->number, hsd_block_type_name(ref->type),
             hsd_group_digits(digits, ref->offset_bytes), fault->text);
}

static void note_damage(survey *s, const hsd_scan_step *step)
{
    char offset[HSD_DIGITS_BYTES], bytes[HSD_DIGITS_BYTES];
    hsd_note(&s->capture->reporter, HSD_NOTE_DAMAGE, "%s: %s bytes at byte %s are no block: %s",
             s->capture->file.input.name, hsd_group_digits(bytes, step->bytes),
             hsd_group_digits(offset, step->offset_bytes), step->fault.text);
}

/* ---- blocks ---- */

/*
 * Where nothing is lost, the numbers of END are those of the content, or END is damaged: who opens the capture by its
 * index believes them.
 */
static hsd_status check_end_of_format_survey(const survey *s, const uint64_t *end, hsd_fault *fault)
{
    const bool is_salvaged = end[HSC_END_STATE] == HSC_STATE_SALVAGED;
    if (s->has_lost || (!is_salvaged && (s->missing > 0 || s->content.orphans > 0))) return HSD_OK;
    for (unsigned i = 0; i < HSD_END_RULES; i++)
        HSD_TRY(hsd_end_check(i, &s->content.counts, s->capture->list.count, end, fault));
    return HSD_OK;
}

static hsd_status take_facts(survey *s, hsd_fault *fault)
{
    hsd_facts facts;
    HSD_TRY(hsd_facts_parse(&s->block, &facts, fault));
    if (s->block.header.type == HSC_BLOCK_INFO) {
        if (s->capture->has_info || s->block.header.number != 0)
            return hsd_fault_corrupt(fault, "2.3", "an info block stands in the middle");
        return hsd_capture_take_info(s->capture, &facts, fault);
    }
    HSD_TRY(check_end_of_format_survey(s, facts.number, fault));
    HSD_TRY(hsd_capture_take_end(s->capture, &facts, fault));
    s->state = facts.number[HSC_END_STATE];
    return HSD_OK;
}

static bool has_targets(uint8_t type)
{
    return type == HSC_BLOCK_OBJECTS || type == HSC_BLOCK_EDGES || type == HSC_BLOCK_ROOTS;
}

/* Without INFO the first intact block that has targets says what they are. */
static hsd_status take_records(survey *s, hsd_fault *fault)
{
    const hsd_block_header *header = &s->block.header;
    if (has_targets(header->type) && !s->capture->has_info && !s->knows_targets) {
        s->capture->info.targets_are_ordinals = (header->flags & HSC_BLOCK_FLAG_TARGET_ORDINAL) != 0;
    }
    HSD_TRY(hsd_capture_check_targets(s->capture, header, fault));
    HSD_TRY(hsd_content_take(&s->content, &s->block, true, NULL, NULL, fault));
    s->knows_targets |= has_targets(header->type);
    return HSD_OK;
}

static hsd_status take_content(survey *s, hsd_fault *fault)
{
    const uint8_t type = s->block.header.type;
    if (type == HSC_BLOCK_INDEX) return HSD_OK;
    if (type == HSC_BLOCK_INFO || type == HSC_BLOCK_END) return take_facts(s, fault);
    return take_records(s, fault);
}

static hsd_status load_format_survey(survey *s, const hsd_block_ref *ref, hsd_fault *fault)
{
    const hsd_file *file = &s->capture->file;
    if (ref->number == 0 && ref->type != HSC_BLOCK_INFO)
        return hsd_fault_corrupt(fault, "2.3", "the first block must be an info block");
    if (!hsd_capture_reads(s->capture, ref->type))
        return hsd_block_read(&s->block, &file->input, ref, file->header.seed, fault);
    HSD_TRY(hsd_block_load(&s->block, &file->input, ref, file->header.seed, fault));
    return take_content(s, fault);
}

static hsd_status take_block(survey *s, const hsd_scan_step *step, hsd_fault *fault)
{
    hsd_fault found = step->fault;
    hsd_status status = step->is_usable ? load_format_survey(s, &step->ref, &found) : step->fault.status;
    if (status == HSD_OK) return hsd_block_list_add(&s->capture->list, &step->ref, fault);
    if (!hsd_fault_is_of_bytes(&found)) {
        *fault = found;
        return status;
    }
    s->has_lost = true;
    s->bad += step->is_usable; /* an unusable one is missed by the number of the next */
    note_block(s, &step->ref, &found);
    return HSD_OK;
}

static hsd_status walk_format_survey(survey *s, hsd_fault *fault)
{
    hsd_capture *capture = s->capture;
    hsd_scan_step step;
    for (;;) {
        if (hsd_scan_next(&s->scan, &step) != HSD_OK) {
            *fault = step.fault;
            return fault->status;
        }
        s->missing += step.missing;
        if (step.kind == HSD_SCAN_END || step.kind == HSD_SCAN_CUT) break;
        if (step.kind == HSD_SCAN_DAMAGE) {
            note_damage(s, &step);
            s->has_lost = true;
        }
        if (step.kind == HSD_SCAN_BLOCK) HSD_TRY(take_block(s, &step, fault));
        const hsd_status status = hsd_progress(&capture->reporter, "checking every block", s->scan.offset_bytes,
                                               capture->file.input.size_bytes, &fault->error);
        if (status != HSD_OK) return hsd_fault_set(fault, status, NULL, "%s", fault->error.text);
    }
    s->is_cut = step.kind == HSD_SCAN_CUT;
    s->last_fault = step.fault;
    if (s->scan.has_end && step.bytes < HSC_TRAILER_BYTES) {
        char digits[HSD_DIGITS_BYTES];
        s->is_cut = true;
        hsd_fault_set(&s->last_fault, HSD_E_TRUNCATED, "2.1", "was cut off at byte %s, inside the trailer",
                      hsd_group_digits(digits, capture->file.input.size_bytes));
    }
    s->end_offset = step.offset_bytes;
    return HSD_OK;
}

/* ---- what it comes to ---- */

/* Without INFO sums say that the capture is a baseline, and what is there of them what there was. */
static void take_sums(survey *s)
{
    hsd_capture_info *info = &s->capture->info;
    const hsd_counts *counts = &s->content.counts;
    const bool has_sums = (counts->live_totals | counts->root_totals | counts->places) != 0;
    if (!s->capture->has_info && has_sums) {
        info->is_baseline = true;
        info->facts |= HSD_FACTS_OF_BASELINE;
        info->sums = (counts->root_totals > 0 ? HSD_SUMS_OF_ROOTS : 0) | (counts->places > 0 ? HSD_SUMS_OF_PLACES : 0);
    }
    if (s->is_header_damaged && counts->site_totals > 0) s->capture->file.header.minor = HSC_VERSION_MINOR_SITE_TOTALS;
    if (!info->is_baseline) return;
    info->live_totals = counts->live_totals;
    info->root_totals = counts->root_totals;
    info->places = counts->places;
    if (s->is_header_damaged) s->capture->file.header.minor = HSC_VERSION_MINOR_BASELINE;
}

static void take_counts(survey *s)
{
    hsd_capture_info *info = &s->capture->info;
    const hsd_counts *counts = &s->content.counts;
    info->objects = counts->objects;
    info->ordinals = s->content.has_last ? s->content.last_ordinal + 1 : 0;
    info->pseudo_objects = counts->pseudo_objects;
    info->references = counts->references;
    info->bytes = counts->bytes;
    info->native_bytes = counts->native_bytes;
    info->edges = counts->edges;
    info->roots = counts->roots;
    info->strings = counts->strings;
    info->types = counts->types;
    info->labels = counts->labels;
    info->sites = counts->sites;
    info->threads = counts->threads;
    info->frames = counts->frames;
    info->metrics = counts->metrics;
    info->losses = counts->losses;
    info->site_totals = counts->site_totals;
    info->lost = counts->lost;
    info->has_parts = s->content.has_parts;
    if (s->state == 0 && counts->objects == 0) { /* a summary alone, and its end is lost */
        info->summary_objects = counts->total_objects;
        info->summary_bytes = counts->total_bytes;
    }
    info->blocks = s->capture->list.count;
    info->damaged_blocks = s->bad + (info->is_salvaged ? 0 : s->missing);
}

/* What the machine refuses says nothing of the file. */
static bool is_of_machine(hsd_status status)
{
    return status == HSD_E_IO || status == HSD_E_NOMEM || status == HSD_E_OVER_BUDGET;
}

static bool lists_are_equal(const hsd_block_list *a, const hsd_block_list *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!hsd_block_ref_equals(&a->refs[i], &b->refs[i])) return false;
    return true;
}

/* Whether the trailer follows END and ends the file, and the index says what the walk has found. */
static hsd_status find_whole_end(survey *s, bool *is_whole, hsd_fault *fault)
{
    hsd_capture *capture = s->capture;
    hsd_block_list list = {.memory_bytes = capture->list.memory_bytes};
    hsd_trailer trailer;
    hsd_facts end;
    hsd_fault why = {.block = HSD_NO_BLOCK};
    *is_whole = false;
    if (s->state == 0 || s->end_offset + HSC_TRAILER_BYTES != capture->file.input.size_bytes) return HSD_OK;
    hsd_status status = hsd_file_read_trailer(&capture->file, &trailer, &why);
    if (status == HSD_OK) status = hsd_index_read(&capture->file, &trailer, &s->block, &list, &end, &why);
    *is_whole = status == HSD_OK && lists_are_equal(&list, &capture->list);
    hsd_block_list_release(&list);
    if (!is_of_machine(status)) return HSD_OK;
    *fault = why;
    return status;
}

static hsd_status give_reason(survey *s, bool has_end, hsd_fault *fault)
{
    hsd_capture *capture = s->capture;
    char digits[HSD_DIGITS_BYTES];
    const unsigned long long damaged = capture->info.damaged_blocks;
    const hsd_text *reason = &capture->end_text[HSC_END_REASON];
    if (s->is_cut) return hsd_capture_set_reason(capture, fault, "it %s", s->last_fault.text);
    if (s->state == 0 && s->scan.has_end) return hsd_capture_set_reason(capture, fault, "its end record is damaged");
    if (s->state == 0) {
        return hsd_capture_set_reason(capture, fault, "it ends at byte %s without an end record",
                                      hsd_group_digits(digits, s->end_offset));
    }
    if (damaged > 0)
        return hsd_capture_set_reason(capture, fault, "%llu of its blocks %s damaged", damaged,
                                      damaged == 1 ? "is" : "are");
    if (s->is_header_damaged) return hsd_capture_set_reason(capture, fault, "its file header is damaged");
    if (!has_end) return hsd_capture_set_reason(capture, fault, "its index or trailer is damaged");
    if (!capture->has_info) return hsd_capture_set_reason(capture, fault, "its info block is missing");
    if (s->state == HSC_STATE_COMPLETE)
        return hsd_capture_set_reason(capture, fault, "records of its objects are missing");
    return hsd_capture_set_reason(capture, fault, "%s%s%s",
                                  s->state == HSC_STATE_SALVAGED ? "it was salvaged" : "the producer stopped",
                                  reason->size > 0 ? ": " : "", reason->size > 0 ? reason->data : "");
}

/* Nothing damaged, nothing missing, and ordinals without gaps but where they may have some (2.6). */
static bool is_sound(const survey *s, bool has_end)
{
    const hsd_capture_info *info = &s->capture->info;
    const bool is_gapless = s->content.orphans == 0 && info->ordinals == info->objects;
    return has_end && info->damaged_blocks == 0 && !s->is_header_damaged && s->capture->has_info &&
           (is_gapless || info->is_salvaged);
}

static hsd_status conclude(survey *s, hsd_fault *fault)
{
    hsd_capture *capture = s->capture;
    take_counts(s);
    take_sums(s);
    bool has_end;
    HSD_TRY(find_whole_end(s, &has_end, fault));
    capture->info.has_index = has_end;
    capture->total_objects = s->content.counts.total_objects;
    capture->total_bytes = s->content.counts.total_bytes;
    capture->is_sound = is_sound(s, has_end);
    capture->info.is_complete = capture->is_sound && s->state == HSC_STATE_COMPLETE;
    if (capture->info.is_complete) return HSD_OK;
    HSD_TRY(give_reason(s, has_end, fault));
    hsd_note(&capture->reporter, HSD_NOTE_DAMAGE, "%s is not complete: %s", capture->file.input.name,
             capture->info.incomplete_reason);
    return HSD_OK;
}

static hsd_status read_header(survey *s, hsd_fault *fault)
{
    hsd_status status = hsd_file_read_header(&s->capture->file, fault);
    if (status != HSD_E_CORRUPT && status != HSD_E_NOT_THIS_FORMAT) return status;
    status = hsd_file_rescue_header(&s->capture->file, fault);
    if (status != HSD_OK) return status;
    s->is_header_damaged = true;
    hsd_note(&s->capture->reporter, HSD_NOTE_DAMAGE,
             "%s: the file header is damaged; the capture id was found in block 0", s->capture->file.input.name);
    return HSD_OK;
}

hsd_status hsd_capture_survey(hsd_capture *capture, hsd_fault *fault)
{
    survey s = {.capture = capture};
    HSD_TRY(read_header(&s, fault));
    hsd_scan_begin(&s.scan, &capture->file);
    hsd_status status = walk_format_survey(&s, fault);
    if (status == HSD_OK) status = conclude(&s, fault);
    hsd_scan_finish(&s.scan);
    hsd_content_release(&s.content);
    hsd_block_release(&s.block);
    return status;
}
