/*
 * Collapsed stacks, what flamegraph.pl reads: a line a stack, frames from the outermost on, then bytes.
 *
 *      main;serve;new Session;Session 4096
 *
 * The type is the innermost frame. A semicolon in a name is written \x3b. Lines cannot be negative: of a pair there is
 * what grew.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/stacks.h"

typedef struct writing {
    hsd_export *x;
    const hsd_stacks *stacks;
    hsd_buffer line, name;
    uint64_t lines, shrunk, shrunk_bytes, empty;
} writing;

static hsd_status add_name(writing *w, uint32_t frame, hsd_error *err)
{
    static const char mark[] = "\\x3b";
    hsd_buffer_clear(&w->name);
    HSD_TRY(hsd_stack_frame_name(w->stacks, frame, &w->name, err));
    for (size_t at = 0; at < w->name.size;) {
        const uint8_t *from = w->name.data + at, *semicolon = memchr(from, ';', w->name.size - at);
        const size_t plain = semicolon == NULL ? w->name.size - at : (size_t)(semicolon - from);
        HSD_TRY(hsd_buffer_append(&w->line, from, plain, err));
        if (semicolon != NULL) HSD_TRY(hsd_buffer_append(&w->line, mark, sizeof mark - 1, err));
        at += plain + (semicolon != NULL);
    }
    return HSD_OK;
}

static hsd_status put_line(writing *w, uint32_t node, int64_t bytes, hsd_error *err)
{
    uint32_t frames[HSD_STACK_DEPTH_MOST];
    char weight[32];
    const uint32_t count = hsd_stack_unwind(w->stacks, node, frames);
    hsd_buffer_clear(&w->line);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) HSD_TRY(hsd_buffer_append(&w->line, ";", 1, err));
        HSD_TRY(add_name(w, frames[i], err));
    }
    const int size = snprintf(weight, sizeof weight, " %" PRId64 "\n", bytes);
    HSD_TRY(hsd_buffer_append(&w->line, weight, (size_t)size, err));
    w->lines++;
    return hsd_export_write(w->x, w->line.data, w->line.size, err);
}

static hsd_status put_sample(writing *w, const hsd_stack_sample *sample, hsd_error *err)
{
    const int64_t bytes = hsd_stack_growth(sample->before.bytes, sample->after.bytes);
    if (bytes > 0) return put_line(w, sample->node, bytes, err);
    w->shrunk += bytes < 0;
    w->shrunk_bytes += (uint64_t)-bytes;
    w->empty += bytes == 0;
    return HSD_OK;
}

static void note_left_out(const writing *w)
{
    if (w->shrunk > 0)
        hsd_note(w->x->reporter, HSD_NOTE_WARNING,
                 "%" PRIu64 " stack%s that shrank, by %" PRIu64 " byte%s in all, %s left out: %s", w->shrunk,
                 w->shrunk == 1 ? "" : "s", w->shrunk_bytes, w->shrunk_bytes == 1 ? "" : "s",
                 w->shrunk == 1 ? "is" : "are", "collapsed stacks hold growth alone (--to pprof holds both)");
    if (w->empty > 0)
        hsd_note(w->x->reporter, HSD_NOTE_WARNING, "%" PRIu64 " stack%s with objects and no byte %s left out", w->empty,
                 w->empty == 1 ? "" : "s", w->empty == 1 ? "is" : "are");
}

static hsd_status put_all_collapsed_stacks(writing *w, hsd_error *err)
{
    for (uint32_t i = 0; i < w->stacks->sample_count; i++) {
        HSD_TRY(put_sample(w, &w->stacks->samples[i], err));
        if (i % 4096 == 0) HSD_TRY(hsd_progress(w->x->reporter, "writing stacks", i, w->stacks->sample_count, err));
    }
    note_left_out(w);
    return HSD_OK;
}

static hsd_status run_collapsed_stack(hsd_export *x, hsd_error *err)
{
    static const hsd_stacks_form form = {.functions_only = true, .types_are_frames = true};
    hsd_stacks *stacks;
    HSD_TRY(hsd_stacks_make(&stacks, x, &form, err));
    writing w = {.x = x, .stacks = stacks};
    const hsd_status status = put_all_collapsed_stacks(&w, err);
    hsd_stacks_tell(w.lines, x->result);
    hsd_buffer_release(&w.line);
    hsd_buffer_release(&w.name);
    hsd_stacks_free(stacks);
    return status;
}

const hsd_exporter hsd_export_collapsed = {
    .info = {.name = "collapsed",
             .summary = "collapsed stacks of flame graphs, by allocation site or by path from a root",
             .suffix = ".collapsed",
             .opened_by = "flamegraph.pl, inferno, Speedscope",
             .carries = {.always = HSD_CARRIES_TYPES, .sometimes = HSD_CARRIES_SITES | HSD_CARRIES_ROOTS},
             .lacks = "counts, lines and what shrank: it has bytes of stacks",
             .takes_pair = true},
    .run = run_collapsed_stack,
};
