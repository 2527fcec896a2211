/*
 * Files of Speedscope (https://www.speedscope.app/file-format-schema.json): one JSON object with the frames of all, and
 * profiles of sampled stacks with a weight each.
 *
 *      one capture   bytes, objects
 *      a pair        bytes that grew, objects that grew, bytes that shrank, objects that shrank: weights cannot be negative
 *
 * The type is the innermost frame.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hsdiff/report.h>

#include "export/stacks.h"

#define EXACT_MOST (INT64_C(1) << 53) /* of whole numbers, in the arithmetic of JavaScript */

typedef enum measure { BYTES, OBJECTS } measure;

typedef struct view { /* one profile */
    const char *name;
    measure measure;
    bool is_shrinkage;
} view;

static const view of_one[] = {{"bytes", BYTES, false}, {"objects", OBJECTS, false}};
static const view of_pair[] = {{"bytes that grew", BYTES, false},
                               {"objects that grew", OBJECTS, false},
                               {"bytes that shrank", BYTES, true},
                               {"objects that shrank", OBJECTS, true}};

typedef struct writing {
    hsd_export *x;
    const hsd_stacks *stacks;
    hsd_buffer text, name;
} writing;

__attribute__((format(printf, 3, 4))) static hsd_status put(writing *w, hsd_error *err, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hsd_export_write(w->x, text, (size_t)size, err);
}

static hsd_status put_text(writing *w, const void *data, size_t size, hsd_error *err)
{
    const size_t needed = hsd_escape(HSD_ESCAPE_JSON, data, size, NULL, 0);
    hsd_buffer_clear(&w->text);
    HSD_TRY(hsd_buffer_reserve(&w->text, needed + 1, err));
    hsd_escape(HSD_ESCAPE_JSON, data, size, (char *)w->text.data, needed + 1);
    HSD_TRY(put(w, err, "\""));
    HSD_TRY(hsd_export_write(w->x, w->text.data, needed, err));
    return put(w, err, "\"");
}

/* ---- frames ---- */

static hsd_status put_frame(writing *w, uint32_t number, hsd_error *err)
{
    const hsd_stack_frame *frame = &w->stacks->frames[number];
    const hsd_bytes file = w->stacks->texts[frame->file];
    hsd_buffer_clear(&w->name);
    HSD_TRY(hsd_stack_frame_name(w->stacks, number, &w->name, err));
    HSD_TRY(put(w, err, "%s\n{\"name\":", number == 0 ? "" : ","));
    HSD_TRY(put_text(w, w->name.data, w->name.size, err));
    if (file.size > 0) {
        HSD_TRY(put(w, err, ",\"file\":"));
        HSD_TRY(put_text(w, file.data, file.size, err));
    }
    if (frame->line > 0) HSD_TRY(put(w, err, ",\"line\":%" PRIu32, frame->line));
    if (frame->column > 0) HSD_TRY(put(w, err, ",\"col\":%" PRIu32, frame->column));
    return put(w, err, "}");
}

static hsd_status put_frames(writing *w, hsd_error *err)
{
    HSD_TRY(put(w, err, "\"shared\":{\"frames\":["));
    for (uint32_t i = 0; i < w->stacks->frame_count; i++)
        HSD_TRY(put_frame(w, i, err));
    return put(w, err, "]},\n");
}

/* ---- profiles ---- */

/* 0 = the sample has nothing of this view. */
static int64_t weight_of(const view *v, const hsd_stack_sample *sample)
{
    const int64_t growth = v->measure == BYTES ? hsd_stack_growth(sample->before.bytes, sample->after.bytes)
                                               : hsd_stack_growth(sample->before.objects, sample->after.objects);
    const int64_t weight = v->is_shrinkage ? -growth : growth;
    return weight < 0 ? 0 : weight < EXACT_MOST ? weight : EXACT_MOST;
}

static hsd_status put_stack(writing *w, uint32_t node, hsd_error *err)
{
    uint32_t frames[HSD_STACK_DEPTH_MOST];
    const uint32_t count = hsd_stack_unwind(w->stacks, node, frames);
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(put(w, err, "%s%" PRIu32, i == 0 ? "[" : ",", frames[i]));
    return put(w, err, count == 0 ? "[]" : "]");
}

static hsd_status put_samples(writing *w, const view *v, int64_t *sum, hsd_error *err)
{
    bool is_first = true;
    for (uint32_t i = 0; i < w->stacks->sample_count; i++) {
        const int64_t weight = weight_of(v, &w->stacks->samples[i]);
        if (weight == 0) continue;
        *sum = *sum > EXACT_MOST - weight ? EXACT_MOST : *sum + weight;
        HSD_TRY(put(w, err, is_first ? "\n" : ",\n"));
        HSD_TRY(put_stack(w, w->stacks->samples[i].node, err));
        if (i % 4096 == 0) HSD_TRY(hsd_progress(w->x->reporter, "writing stacks", i, w->stacks->sample_count, err));
        is_first = false;
    }
    return HSD_OK;
}

static hsd_status put_weights(writing *w, const view *v, hsd_error *err)
{
    bool is_first = true;
    for (uint32_t i = 0; i < w->stacks->sample_count; i++) {
        const int64_t weight = weight_of(v, &w->stacks->samples[i]);
        if (weight == 0) continue;
        HSD_TRY(put(w, err, "%s%" PRId64, is_first ? "" : ",", weight));
        is_first = false;
    }
    return HSD_OK;
}

static hsd_status put_profile(writing *w, const view *v, hsd_error *err)
{
    int64_t sum = 0;
    HSD_TRY(put(w, err, "\n{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\",\"samples\":[", v->name,
                v->measure == BYTES ? "bytes" : "none"));
    HSD_TRY(put_samples(w, v, &sum, err));
    HSD_TRY(put(w, err, "],\n\"weights\":["));
    HSD_TRY(put_weights(w, v, err));
    return put(w, err, "],\n\"startValue\":0,\"endValue\":%" PRId64 "}", sum);
}

static hsd_status put_profiles(writing *w, hsd_error *err)
{
    const view *views = w->stacks->is_growth ? of_pair : of_one;
    const size_t count = w->stacks->is_growth ? sizeof of_pair / sizeof *of_pair : sizeof of_one / sizeof *of_one;
    HSD_TRY(put(w, err, "\"profiles\":["));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) HSD_TRY(put(w, err, ","));
        HSD_TRY(put_profile(w, &views[i], err));
    }
    return put(w, err, "]}\n");
}

/* ---- all ---- */

static hsd_status put_head(writing *w, hsd_error *err)
{
    const char *process = hsd_capture_get_info(w->x->after)->process_name;
    HSD_TRY(put(
        w, err,
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"hsdiff\",\n\"name\":"));
    HSD_TRY(process[0] == '\0' ? put_text(w, "heap", 4, err) : put_text(w, process, strlen(process), err));
    return put(w, err, ",\n\"activeProfileIndex\":0,\n");
}

static hsd_status put_all_of_speedscope(writing *w, hsd_error *err)
{
    HSD_TRY(put_head(w, err));
    HSD_TRY(put_frames(w, err));
    return put_profiles(w, err);
}

static hsd_status run_speedscope(hsd_export *x, hsd_error *err)
{
    static const hsd_stacks_form form = {.types_are_frames = true};
    hsd_stacks *stacks;
    HSD_TRY(hsd_stacks_make(&stacks, x, &form, err));
    writing w = {.x = x, .stacks = stacks};
    const hsd_status status = put_all_of_speedscope(&w, err);
    hsd_stacks_tell(stacks->sample_count, x->result);
    hsd_buffer_release(&w.text);
    hsd_buffer_release(&w.name);
    hsd_stacks_free(stacks);
    return status;
}

const hsd_exporter hsd_export_speedscope = {
    .info = {.name = "speedscope",
             .summary = "file of Speedscope, by allocation site or by path from a root",
             .suffix = ".speedscope.json",
             .opened_by = "Speedscope",
             .carries = {.always = HSD_CARRIES_TYPES, .sometimes = HSD_CARRIES_SITES | HSD_CARRIES_ROOTS},
             .lacks = "objects and references: it has sums of stacks",
             .takes_pair = true},
    .run = run_speedscope,
};
