/*
 * Profiles of pprof: gzip over one message of profile.proto, written field by field as a stream.
 *
 *      sample     locations, innermost first; objects and bytes; labels process, root, type
 *      location   one a frame        function   one a name and file       string   first those of the format, then all texts
 *
 * Functions have no system name: where it equals the name, pprof takes both for mangled C++ and drops what stands in
 * angle brackets. Growth has the values after - before, negative where it shrank, as the tool's own -diff_base makes
 * them.
 */
#include <string.h>

#include <hscapture/hscapture.h>
#include <hsdiff/report.h>

#include "export/pprof/pprof.h"
#include "export/pprof/wire.h"
#include "export/stacks.h"
#include "io/zip.h"

#define MAPPING 1u /* the id of the one that there is: it says that nothing is left to be resolved */

/* Texts of the format: the first numbers of the string table. Those of the stacks follow. */
enum {
    TEXT_EMPTY,
    TEXT_OBJECTS,
    TEXT_COUNT,
    TEXT_SPACE,
    TEXT_BYTES,
    TEXT_PERIOD,
    TEXT_PROCESS,
    TEXT_ROOT,
    TEXT_TYPE,
    TEXT_OF_SITES,
    TEXT_OF_PATHS,
    TEXT_GROWTH,
    TEXT_PROCESS_NAME,
    TEXT_RUNTIME,
    TEXT_FIRST
};
static const char *const texts_of_format[] = {
    [TEXT_EMPTY] = "",
    [TEXT_OBJECTS] = "inuse_objects",
    [TEXT_COUNT] = "count",
    [TEXT_SPACE] = "inuse_space",
    [TEXT_BYTES] = "bytes",
    [TEXT_PERIOD] = "space",
    [TEXT_PROCESS] = "process",
    [TEXT_ROOT] = "root",
    [TEXT_TYPE] = "type",
    [TEXT_OF_SITES] = "stacks: where the objects were allocated",
    [TEXT_OF_PATHS] = "stacks: what holds the objects, from a root by type",
    [TEXT_GROWTH] = "growth between two captures",
};

typedef struct writing {
    hsd_export *x;
    const hsd_stacks *stacks;
    const hsd_capture_info *info;
    hsd_zip *zip;
    hsd_buffer message, part, list; /* being made; a part is within the message */
} writing;

static hsd_status to_file(void *context, const void *data, size_t size, hsd_error *err)
{
    return hsd_export_write(context, data, size, err);
}

/* Puts the message that was made into the profile, and begins a new one. */
static hsd_status put_message(writing *w, uint32_t field, hsd_error *err)
{
    hsd_buffer_clear(&w->list);
    HSD_TRY(hsd_wire_bytes(&w->list, field, w->message.data, w->message.size, err));
    hsd_buffer_clear(&w->message);
    return hsd_zip_write(w->zip, w->list.data, w->list.size, err);
}

static hsd_status put_number(writing *w, uint32_t field, uint64_t value, hsd_error *err)
{
    hsd_buffer_clear(&w->list);
    HSD_TRY(hsd_wire_number(&w->list, field, value, err));
    return hsd_zip_write(w->zip, w->list.data, w->list.size, err);
}

static uint32_t number_of(uint32_t text) { return text == 0 ? TEXT_EMPTY : TEXT_FIRST - 1 + text; }

/* ---- head ---- */

static hsd_status put_value_type(writing *w, uint32_t field, uint32_t type, uint32_t unit, hsd_error *err)
{
    HSD_TRY(hsd_wire_number(&w->message, VALUE_TYPE, type, err));
    HSD_TRY(hsd_wire_number(&w->message, VALUE_UNIT, unit, err));
    return put_message(w, field, err);
}

static uint64_t duration_ns(const writing *w)
{
    if (!w->stacks->is_growth) return 0;
    const uint64_t before = hsd_capture_get_info(w->x->before)->taken_unix_ns, after = w->info->taken_unix_ns;
    return before != 0 && before < after ? after - before : 0;
}

static hsd_status put_head(writing *w, hsd_error *err)
{
    HSD_TRY(put_value_type(w, PROFILE_SAMPLE_TYPE, TEXT_OBJECTS, TEXT_COUNT, err));
    HSD_TRY(put_value_type(w, PROFILE_SAMPLE_TYPE, TEXT_SPACE, TEXT_BYTES, err));
    HSD_TRY(put_number(w, PROFILE_TIME, w->info->taken_unix_ns, err));
    HSD_TRY(put_number(w, PROFILE_DURATION, duration_ns(w), err));
    if ((w->info->facts & HSC_FACT_SAMPLED) == 0) { /* every byte was counted: one in one */
        HSD_TRY(put_value_type(w, PROFILE_PERIOD_TYPE, TEXT_PERIOD, TEXT_BYTES, err));
        HSD_TRY(put_number(w, PROFILE_PERIOD, 1, err));
    }
    HSD_TRY(put_number(w, PROFILE_COMMENT, w->stacks->are_paths ? TEXT_OF_PATHS : TEXT_OF_SITES, err));
    if (w->stacks->is_growth) HSD_TRY(put_number(w, PROFILE_COMMENT, TEXT_GROWTH, err));
    if (w->info->runtime[0] != '\0') HSD_TRY(put_number(w, PROFILE_COMMENT, TEXT_RUNTIME, err));
    return put_number(w, PROFILE_DEFAULT_SAMPLE_TYPE, TEXT_SPACE, err);
}

/* ---- samples ---- */

static hsd_status put_label(writing *w, uint32_t key, uint32_t text, hsd_error *err)
{
    hsd_buffer_clear(&w->part);
    HSD_TRY(hsd_wire_number(&w->part, LABEL_KEY, key, err));
    HSD_TRY(hsd_wire_number(&w->part, LABEL_TEXT, text, err));
    return hsd_wire_bytes(&w->message, SAMPLE_LABEL, w->part.data, w->part.size, err);
}

static hsd_status put_labels(writing *w, const hsd_stack_sample *sample, hsd_error *err)
{
    if (w->info->process_name[0] != '\0') HSD_TRY(put_label(w, TEXT_PROCESS, TEXT_PROCESS_NAME, err));
    if (sample->root != 0) HSD_TRY(put_label(w, TEXT_ROOT, number_of(sample->root), err));
    return sample->type == 0 ? HSD_OK : put_label(w, TEXT_TYPE, number_of(sample->type), err);
}

static hsd_status put_locations(writing *w, uint32_t node, hsd_error *err)
{
    uint32_t frames[HSD_STACK_DEPTH_MOST];
    uint32_t left = hsd_stack_unwind(w->stacks, node, frames);
    hsd_buffer_clear(&w->part);
    while (left-- > 0)
        HSD_TRY(hsd_wire_varint(&w->part, (uint64_t)frames[left] + 1, err));
    return w->part.size == 0 ? HSD_OK : hsd_wire_bytes(&w->message, SAMPLE_LOCATIONS, w->part.data, w->part.size, err);
}

static hsd_status put_sample(writing *w, const hsd_stack_sample *sample, hsd_error *err)
{
    HSD_TRY(put_locations(w, sample->node, err));
    hsd_buffer_clear(&w->part);
    HSD_TRY(hsd_wire_varint(&w->part, (uint64_t)hsd_stack_growth(sample->before.objects, sample->after.objects), err));
    HSD_TRY(hsd_wire_varint(&w->part, (uint64_t)hsd_stack_growth(sample->before.bytes, sample->after.bytes), err));
    HSD_TRY(hsd_wire_bytes(&w->message, SAMPLE_VALUES, w->part.data, w->part.size, err));
    HSD_TRY(put_labels(w, sample, err));
    return put_message(w, PROFILE_SAMPLE, err);
}

/* ---- tables ---- */

static hsd_status put_mapping(writing *w, hsd_error *err)
{
    HSD_TRY(hsd_wire_number(&w->message, MAPPING_ID, MAPPING, err));
    HSD_TRY(hsd_wire_number(&w->message, MAPPING_FILE, TEXT_PROCESS_NAME, err));
    HSD_TRY(hsd_wire_number(&w->message, MAPPING_HAS_FUNCTIONS, 1, err));
    HSD_TRY(hsd_wire_number(&w->message, MAPPING_HAS_FILES, 1, err));
    HSD_TRY(hsd_wire_number(&w->message, MAPPING_HAS_LINES, 1, err));
    return put_message(w, PROFILE_MAPPING, err);
}

static bool begins_function(const hsd_stacks *stacks, uint32_t frame)
{
    const hsd_stack_frame *f = &stacks->frames[frame];
    return frame == 0 || f->function != f[-1].function || f->file != f[-1].file;
}

/* Frames of one function stand together, so functions are counted along. */
static hsd_status put_locations_table(writing *w, hsd_error *err)
{
    uint64_t function = 0;
    for (uint32_t i = 0; i < w->stacks->frame_count; i++) {
        const hsd_stack_frame *frame = &w->stacks->frames[i];
        function += begins_function(w->stacks, i);
        hsd_buffer_clear(&w->part);
        HSD_TRY(hsd_wire_number(&w->part, LINE_FUNCTION, function, err));
        HSD_TRY(hsd_wire_number(&w->part, LINE_LINE, frame->line, err));
        HSD_TRY(hsd_wire_number(&w->part, LINE_COLUMN, frame->column, err));
        HSD_TRY(hsd_wire_number(&w->message, LOCATION_ID, (uint64_t)i + 1, err));
        HSD_TRY(hsd_wire_number(&w->message, LOCATION_MAPPING, MAPPING, err));
        HSD_TRY(hsd_wire_bytes(&w->message, LOCATION_LINE, w->part.data, w->part.size, err));
        HSD_TRY(put_message(w, PROFILE_LOCATION, err));
    }
    return HSD_OK;
}

static hsd_status put_functions(writing *w, hsd_error *err)
{
    uint64_t function = 0;
    for (uint32_t i = 0; i < w->stacks->frame_count; i++) {
        const hsd_stack_frame *frame = &w->stacks->frames[i];
        if (!begins_function(w->stacks, i)) continue;
        HSD_TRY(hsd_wire_number(&w->message, FUNCTION_ID, ++function, err));
        HSD_TRY(hsd_wire_number(&w->message, FUNCTION_NAME, number_of(frame->function), err));
        HSD_TRY(hsd_wire_number(&w->message, FUNCTION_FILE, number_of(frame->file), err));
        HSD_TRY(put_message(w, PROFILE_FUNCTION, err));
    }
    return HSD_OK;
}

static hsd_status put_text(writing *w, const void *data, size_t size, hsd_error *err)
{
    hsd_buffer_clear(&w->message);
    HSD_TRY(hsd_buffer_append(&w->message, data, size, err));
    return put_message(w, PROFILE_STRING, err);
}

/* A text of the capture, marked as the stacks' are. */
static hsd_status put_foreign(writing *w, const char *text, hsd_error *err)
{
    char marked[4096];
    const size_t size = hsd_escape_terminal(marked, sizeof marked, text, strlen(text));
    return put_text(w, marked, size < sizeof marked ? size : sizeof marked - 1, err);
}

static hsd_status put_texts(writing *w, hsd_error *err)
{
    for (uint32_t i = 0; i < TEXT_PROCESS_NAME; i++)
        HSD_TRY(put_text(w, texts_of_format[i], strlen(texts_of_format[i]), err));
    HSD_TRY(put_foreign(w, w->info->process_name, err));
    HSD_TRY(put_foreign(w, w->info->runtime, err));
    for (uint32_t i = 1; i < w->stacks->text_count; i++)
        HSD_TRY(put_text(w, w->stacks->texts[i].data, w->stacks->texts[i].size, err));
    return HSD_OK;
}

/* ---- all ---- */

static hsd_status put_samples(writing *w, hsd_error *err)
{
    for (uint32_t i = 0; i < w->stacks->sample_count; i++) {
        HSD_TRY(put_sample(w, &w->stacks->samples[i], err));
        if (i % 4096 == 0) HSD_TRY(hsd_progress(w->x->reporter, "writing samples", i, w->stacks->sample_count, err));
    }
    return HSD_OK;
}

static hsd_status put_whole_pprof(writing *w, hsd_error *err)
{
    HSD_TRY(put_head(w, err));
    HSD_TRY(put_samples(w, err));
    HSD_TRY(put_mapping(w, err));
    HSD_TRY(put_locations_table(w, err));
    HSD_TRY(put_functions(w, err));
    HSD_TRY(put_texts(w, err));
    return hsd_zip_finish(w->zip, err);
}

static hsd_status write_stacks(hsd_export *x, const hsd_stacks *stacks, hsd_error *err)
{
    writing w = {.x = x, .stacks = stacks, .info = hsd_capture_get_info(x->after)};
    hsd_status status = hsd_zip_new(&w.zip, HSD_ZIP_GZIP, to_file, x, err);
    if (status == HSD_OK) status = put_whole_pprof(&w, err);
    hsd_zip_free(w.zip);
    hsd_buffer_release(&w.message);
    hsd_buffer_release(&w.part);
    hsd_buffer_release(&w.list);
    return status;
}

static hsd_status run_pprof_export(hsd_export *x, hsd_error *err)
{
    static const hsd_stacks_form form = {0};
    hsd_stacks *stacks;
    HSD_TRY(hsd_stacks_make(&stacks, x, &form, err));
    const hsd_status status = write_stacks(x, stacks, err);
    hsd_stacks_tell(stacks->sample_count, x->result);
    hsd_stacks_free(stacks);
    return status;
}

const hsd_exporter hsd_export_pprof = {
    .info = {.name = "pprof",
             .summary = "profile of pprof, by allocation site or by path from a root",
             .suffix = ".pb.gz",
             .opened_by = "go tool pprof, Speedscope",
             .carries = {.always = HSD_CARRIES_TYPES, .sometimes = HSD_CARRIES_SITES | HSD_CARRIES_ROOTS},
             .lacks = "objects and references: it has sums of stacks",
             .takes_pair = true},
    .run = run_pprof_export,
};
