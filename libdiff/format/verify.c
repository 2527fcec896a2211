/*
 * Verify: every rule of FORMAT.md held against a file. This part walks the file from its start, damage or not, and
 * holds the rules about structure: headers, order, ordinals, index, trailer. Records are for verify_records.c.
 *
 * What cannot be true any more once a block is lost (sums, ordinals that follow one another) is not held then: each
 * fault is told once, where it is.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "format/capture_state.h"
#include "format/verify_state.h"

/* ---- telling ---- */

static void tell_repeats(hsd_verifier *v)
{
    char text[64];
    for (unsigned i = 0; i < HSD_RULES_A_BLOCK; i++) {
        if (v->told[i].repeats > 0 && v->tell != NULL) {
            snprintf(text, sizeof text, "the same %llu more times in this block",
                     (unsigned long long)v->told[i].repeats);
            v->tell(v->context, v->told[i].rule, v->offset, v->number, text);
        }
        v->told[i].rule = NULL;
        v->told[i].repeats = 0;
    }
}

void hsd_verify_at(hsd_verifier *v, uint64_t offset, uint64_t number)
{
    tell_repeats(v);
    v->offset = offset;
    v->number = number;
}

/* True the first time in a block. */
static bool is_first_of_rule(hsd_verifier *v, const char *rule)
{
    for (unsigned i = 0; i < HSD_RULES_A_BLOCK; i++) {
        if (v->told[i].rule == NULL) {
            v->told[i].rule = rule;
            return true;
        }
        if (strcmp(v->told[i].rule, rule) == 0) {
            v->told[i].repeats++;
            return false;
        }
    }
    return false;
}

void hsd_verify_tell(hsd_verifier *v, const char *rule, const char *format, ...)
{
    char text[256];
    va_list args;
    v->result.faults++;
    if (!is_first_of_rule(v, rule) || v->tell == NULL) return;
    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) < 0) text[0] = '\0';
    va_end(args);
    v->tell(v->context, rule, v->offset, v->number, text);
}

static void tell_fault(hsd_verifier *v, const hsd_fault *fault) { hsd_verify_tell(v, fault->rule, "%s", fault->text); }

/* ---- one block ---- */

/* Place of a type of block in the order of 2.3. */
static int phase_of(uint8_t type)
{
    switch (type) {
    case HSC_BLOCK_INFO: return 0;
    case HSC_BLOCK_TYPE_TOTALS: return 2;
    case HSC_BLOCK_GROUP_TOTALS: return 3;
    case HSC_BLOCK_INDEX: return 4;
    case HSC_BLOCK_END: return 5;
    default: return 1;
    }
}

static void check_phase(hsd_verifier *v, uint8_t type)
{
    const int phase = phase_of(type);
    if (hsd_block_is_skipped(type)) return;
    if (type == HSC_BLOCK_INFO && v->blocks.count > 0) {
        hsd_verify_tell(v, "2.3", "an info block stands in the middle");
    } else if (type != HSC_BLOCK_INFO && v->blocks.count == 0 && !v->has_lost) {
        hsd_verify_tell(v, "2.3", "the first block is %s, not info", hsd_block_type_name(type));
    } else if (phase < v->phase) {
        hsd_verify_tell(v, "2.3", "%s stand behind blocks that must follow them", hsd_block_type_name(type));
    }
    if (phase > v->phase) v->phase = phase;
}

static void check_targets(hsd_verifier *v)
{
    const hsd_block_header *header = &v->block.header;
    const bool are_ordinals = (header->flags & HSC_BLOCK_FLAG_TARGET_ORDINAL) != 0;
    if (header->type != HSC_BLOCK_OBJECTS && header->type != HSC_BLOCK_EDGES && header->type != HSC_BLOCK_ROOTS) return;
    if (v->has_info && are_ordinals != v->targets_are_ordinals) {
        hsd_verify_tell(v, "4.8", "its targets are %s, unlike those of the capture", are_ordinals ? "ordinals" : "ids");
    }
}

static hsd_status take_info(hsd_verifier *v, hsd_fault *fault)
{
    hsd_facts facts;
    HSD_TRY(hsd_facts_parse(&v->block, &facts, fault));
    if (memcmp(facts.bytes[HSC_INFO_CAPTURE_ID].data, v->file.header.capture_id, HSC_CAPTURE_ID_BYTES) != 0) {
        hsd_verify_tell(v, "8.2", "the capture id is not that of the file header");
    }
    v->has_info = true;
    v->facts = facts.number[HSC_INFO_FACTS];
    v->targets_are_ordinals = facts.number[HSC_INFO_TARGETS] == 1;
    return HSD_OK;
}

static hsd_status take_end(hsd_verifier *v, hsd_fault *fault)
{
    hsd_facts facts;
    HSD_TRY(hsd_facts_parse(&v->block, &facts, fault));
    memcpy(v->end, facts.number, sizeof v->end);
    v->end_offset = v->block.offset_bytes;
    return HSD_OK;
}

static hsd_status take_index(hsd_verifier *v, hsd_fault *fault)
{
    if (v->index_offset == 0) v->index_offset = v->block.offset_bytes;
    if (hsd_index_has_numbers(&v->block) != v->is_salvaged) {
        hsd_verify_tell(v, "9.1", "the index %s the numbers of the blocks", v->is_salvaged ? "lacks" : "has");
    }
    return hsd_index_decode(&v->block, v->index.count, &v->index, fault);
}

static hsd_status take_content(hsd_verifier *v, hsd_fault *fault)
{
    switch (v->block.header.type) {
    case HSC_BLOCK_INFO: return take_info(v, fault);
    case HSC_BLOCK_END: return take_end(v, fault);
    case HSC_BLOCK_INDEX: return take_index(v, fault);
    default: break;
    }
    check_targets(v);
    HSD_TRY(hsd_content_take(&v->content, &v->block, v->is_salvaged || v->has_lost, hsd_verify_record, v, fault));
    if (v->failure.status == HSD_OK) return HSD_OK;
    *fault = v->failure;
    return fault->status;
}

static hsd_status load_verifier(hsd_verifier *v, const hsd_block_ref *ref, hsd_fault *fault)
{
    const hsd_input *input = &v->file.input;
    if (!hsd_verify_reads(v, ref->type)) return hsd_block_read(&v->block, input, ref, v->file.header.seed, fault);
    HSD_TRY(hsd_block_load(&v->block, input, ref, v->file.header.seed, fault));
    return take_content(v, fault);
}

static hsd_status take_block(hsd_verifier *v, const hsd_scan_step *step, hsd_fault *fault)
{
    hsd_fault found = {.block = HSD_NO_BLOCK};
    hsd_verify_at(v, step->offset_bytes, step->header.number);
    if (!step->is_usable) {
        tell_fault(v, &step->fault);
        v->has_lost = true;
        return HSD_OK;
    }
    if (step->missing > 0 && !v->is_salvaged) {
        if (!v->has_lost)
            hsd_verify_tell(v, "4.5", "%llu blocks are missing before it", (unsigned long long)step->missing);
        v->has_lost = true;
    }
    check_phase(v, step->ref.type);
    const hsd_status status = load_verifier(v, &step->ref, &found);
    if (status == HSD_OK) {
        v->result.blocks++;
        v->result.records += step->ref.record_count;
        return hsd_block_list_add(&v->blocks, &step->ref, fault);
    }
    if (!hsd_fault_is_of_bytes(&found)) {
        *fault = found;
        return status;
    }
    /* Places behind those that are lost are told of with these. */
    if (!v->has_lost || step->ref.type != HSC_BLOCK_PLACES || strcmp(found.rule, "4.10") != 0) tell_fault(v, &found);
    v->has_lost = true;
    return HSD_OK;
}

/* ---- behind the last block ---- */

static void check_trailer(hsd_verifier *v, const hsd_scan_step *step)
{
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    hsd_trailer trailer;
    uint8_t bytes[HSC_TRAILER_BYTES];
    const uint64_t size = v->file.input.size_bytes;
    hsd_verify_at(v, step->offset_bytes, HSD_NO_BLOCK);
    if (step->bytes < sizeof bytes) {
        hsd_verify_at(v, size, HSD_NO_BLOCK);
        hsd_verify_tell(v, "2.1", "the file was cut off inside the trailer");
        return;
    }
    if (hsd_input_read(&v->file.input, step->offset_bytes, bytes, sizeof bytes, &fault.error) != HSD_OK) {
        hsd_verify_tell(v, "9.2", "the trailer cannot be read: %s", fault.error.text);
        return;
    }
    if (hsd_trailer_parse(bytes, v->file.header.seed, &trailer, &fault) != HSD_OK) {
        tell_fault(v, &fault);
    } else if (v->index_offset != 0 && trailer.index_offset != v->index_offset) {
        hsd_verify_tell(v, "9.3", "the trailer says that the index is at byte %llu",
                        (unsigned long long)trailer.index_offset);
    } else if (v->end_offset != 0 && trailer.end_offset != v->end_offset) {
        hsd_verify_tell(v, "9.3", "the trailer says that the end record is at byte %llu",
                        (unsigned long long)trailer.end_offset);
    }
    if (step->bytes > sizeof bytes) {
        hsd_verify_at(v, step->offset_bytes + sizeof bytes, HSD_NO_BLOCK);
        hsd_verify_tell(v, "9.4", "%llu bytes follow the trailer", (unsigned long long)(step->bytes - sizeof bytes));
    }
}

static void check_index(hsd_verifier *v)
{
    size_t at = 0;
    if (v->end[HSC_END_STATE] == 0 || v->has_lost) return;
    while (at < v->blocks.count && v->blocks.refs[at].type != HSC_BLOCK_INDEX)
        at++;
    hsd_verify_at(v, v->index_offset, HSD_NO_BLOCK);
    if (at == v->blocks.count) {
        hsd_verify_at(v, v->end_offset, HSD_NO_BLOCK);
        hsd_verify_tell(v, "2.3", "there is no index");
        return;
    }
    if (v->index.count != at) {
        hsd_verify_tell(v, "9.1", "the index has %zu records for %zu blocks", v->index.count, at);
        return;
    }
    for (size_t i = 0; i < at; i++) {
        if (!hsd_block_ref_equals(&v->index.refs[i], &v->blocks.refs[i])) {
            hsd_verify_tell(v, "9.1", "record %zu of the index is not what stands in the file", i);
        }
    }
}

/* ---- the walk ---- */

static hsd_status tell_progress(hsd_verifier *v, hsd_fault *fault)
{
    const hsd_status status =
        hsd_progress(&v->reporter, "verifying", v->scan.offset_bytes, v->file.input.size_bytes, &fault->error);
    return status == HSD_OK ? HSD_OK : hsd_fault_set(fault, status, NULL, "%s", fault->error.text);
}

static hsd_status walk_verifier(hsd_verifier *v, hsd_fault *fault)
{
    hsd_scan_step step;
    for (;;) {
        if (hsd_scan_next(&v->scan, &step) != HSD_OK) {
            *fault = step.fault;
            return fault->status;
        }
        HSD_TRY(tell_progress(v, fault));
        if (step.kind == HSD_SCAN_END) break;
        if (step.kind == HSD_SCAN_BLOCK) {
            HSD_TRY(take_block(v, &step, fault));
            continue;
        }
        hsd_verify_at(v, step.fault.offset_bytes, step.fault.block);
        tell_fault(v, &step.fault);
        v->has_lost = true;
        if (step.kind == HSD_SCAN_CUT) return HSD_OK;
    }
    if (v->scan.has_end) {
        check_trailer(v, &step);
    } else {
        hsd_verify_at(v, step.offset_bytes, HSD_NO_BLOCK);
        hsd_verify_tell(v, "2.1", "the file ends without an end record");
    }
    return HSD_OK;
}

static hsd_status load_end(hsd_verifier *v, hsd_facts *end, hsd_fault *fault)
{
    hsd_trailer trailer;
    hsd_block_header header;
    HSD_TRY(hsd_file_read_trailer(&v->file, &trailer, fault));
    HSD_TRY(hsd_file_read_block_header(&v->file, trailer.end_offset, &header, fault));
    if (header.type != HSC_BLOCK_END) return HSD_END;
    const hsd_block_ref ref = hsd_block_ref_of(&header, trailer.end_offset);
    HSD_TRY(hsd_block_load(&v->block, &v->file.input, &ref, v->file.header.seed, fault));
    return hsd_facts_parse(&v->block, end, fault);
}

/* Whether gaps are allowed must be known before the walk comes to END, which says so. They are not where it cannot be
 * read; only without the memory to read it nothing is known. */
static hsd_status find_salvaged(hsd_verifier *v, hsd_fault *fault)
{
    hsd_facts end;
    hsd_fault found = {.block = HSD_NO_BLOCK};
    const hsd_status status = load_end(v, &end, &found);
    v->is_salvaged = status == HSD_OK && end.number[HSC_END_STATE] == HSC_STATE_SALVAGED;
    if (status != HSD_E_NOMEM) return HSD_OK;
    *fault = found;
    return status;
}

static hsd_status read_header(hsd_verifier *v, hsd_fault *fault)
{
    const hsd_status status = hsd_file_read_header(&v->file, fault);
    if (status != HSD_E_CORRUPT && status != HSD_E_NOT_THIS_FORMAT) return status;
    HSD_TRY(hsd_file_rescue_header(&v->file, fault));
    hsd_verify_at(v, 0, HSD_NO_BLOCK);
    tell_fault(v, fault);
    return HSD_OK;
}

static hsd_status verify(hsd_verifier *v, hsd_fault *fault)
{
    HSD_TRY(read_header(v, fault));
    HSD_TRY(find_salvaged(v, fault));
    hsd_scan_begin(&v->scan, &v->file);
    HSD_TRY(walk_verifier(v, fault));
    check_index(v);
    HSD_TRY(hsd_verify_sums(v, fault));
    hsd_verify_baseline(v);
    HSD_TRY(hsd_verify_object_ids(v, fault));
    tell_repeats(v);
    return HSD_OK;
}

static void release_verifier(hsd_verifier *v)
{
    for (unsigned i = 0; i < HSD_TABLES; i++) {
        hsd_id_set_release(&v->defined[i]);
        hsd_id_set_release(&v->used[i]);
    }
    hsd_totals_release(&v->totals);
    hsd_block_list_release(&v->blocks);
    hsd_block_list_release(&v->index);
    hsd_content_release(&v->content);
    hsd_block_release(&v->block);
    hsd_scan_finish(&v->scan);
    hsd_input_close(&v->file.input);
    hsd_reporter_release(&v->reporter);
    free(v);
}

hsd_status hsd_capture_verify(const char *path, const hsd_run *run, hsd_fault_fn fault_fn, void *context,
                              hsd_verify_result *result, hsd_error *err)
{
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    hsd_verifier *v = calloc(1, sizeof *v);
    if (v == NULL) return hsd_fail_nomem(err, "verifying a capture");
    v->tell = fault_fn;
    v->context = context;
    v->failure.block = HSD_NO_BLOCK;
    v->memory_bytes = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    v->totals.memory_bytes = v->memory_bytes / 8;
    v->blocks.memory_bytes = v->index.memory_bytes = v->memory_bytes / 4;
    hsd_reporter_init(&v->reporter, run);
    hsd_status status = hsd_input_open(&v->file.input, path, run, err);
    if (status == HSD_OK) {
        status = verify(v, &fault);
        v->result.bytes = v->file.input.size_bytes;
        if (status != HSD_OK) hsd_fault_raise(&fault, path, err);
    }
    if (result != NULL) *result = v->result;
    release_verifier(v);
    return status;
}
