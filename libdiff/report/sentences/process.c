/*
 * Memory outside the heap.
 */
#include "report/sentences/process.h"

#include "base/unseen.h"
#include "report/words/number.h"
#include <hscapture/hscapture.h>

#define THREADS_LEAST 16
#define THREADS_SHARE 4

static hsd_measured measured_of(const hsd_side *side) { return (hsd_measured){side->metrics, side->metric_count}; }

bool hsd_process_measured(const hsd_side *side, const char *name, const char *unit, uint64_t *out)
{
    return hsd_measured_find(measured_of(side), name, unit, out);
}

/* Of both sides, reached and not. */
static int64_t captured_growth(const hsd_diff *diff)
{
    return hsd_change_bytes(&diff->total) + (int64_t)(diff->unreached_after.bytes - diff->unreached_before.bytes);
}

uint64_t hsd_process_unseen(const hsd_diff *diff)
{
    const hsd_measured before = measured_of(&diff->before), after = measured_of(&diff->after);
    const bool frees_at_once =
        diff->lost.is_known || (hsd_measured_frees_at_once(before) && hsd_measured_frees_at_once(after));
    hsd_unseen unseen;
    if (diff->is_partial || !frees_at_once || !hsd_capture_same_process(&diff->before.info, &diff->after.info) ||
        !hsd_unseen_between(before, after, captured_growth(diff), &unseen))
        return 0;
    return hsd_unseen_is_told(&unseen) ? (uint64_t)unseen.bytes : 0;
}

/* A thread that never ends is a leak that a heap shows little of: its stack is none of its objects. */
static void print_threads(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    char more[HSD_NUMBER_CHARS], a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS];
    uint64_t before, after;
    if (diff->is_partial || !hsd_capture_same_process(&diff->before.info, &diff->after.info) ||
        !hsd_process_measured(&diff->before, "threads", "count", &before) ||
        !hsd_process_measured(&diff->after, "threads", "count", &after) || after <= before)
        return;
    if (after - before < THREADS_LEAST || (after - before) < before / THREADS_SHARE) return;
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "%s more threads run in the process (%s -> %s).",
                   hsd_format_count(more, after - before), hsd_format_count(a, before), hsd_format_count(b, after));
    hsd_out_end_paragraph(&screen->out, 0);
}

void hsd_screen_process(hsd_screen *screen)
{
    print_threads(screen);
    const hsd_diff *diff = screen->diff;
    const uint64_t unseen = hsd_process_unseen(diff);
    char grown[HSD_NUMBER_CHARS], a[HSD_NUMBER_CHARS], b[HSD_NUMBER_CHARS], more[HSD_NUMBER_CHARS];
    uint64_t before = 0, after = 0;
    if (unseen == 0) return;
    hsd_process_measured(&diff->before, "process.rss", "bytes", &before);
    hsd_process_measured(&diff->after, "process.rss", "bytes", &after);
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "The process grew %s (resident memory, %s -> %s), %s more than its heap: ",
                   hsd_screen_size(screen, grown, after - before), hsd_screen_size(screen, a, before),
                   hsd_screen_size(screen, b, after), hsd_screen_size(screen, more, unseen));
    hsd_out_text(
        &screen->out,
        "that part is not in the captures (memory that is mapped directly, of libraries, or kept by an allocator).");
    hsd_out_end_paragraph(&screen->out, 0);
}

/* ---- external ---- */

#define EXTERNAL_SHARE 10 /* one part in so many of the growth */

static int64_t external_of(const hsd_type_row *row) { return (int64_t)(row->external_after - row->external_before); }

/* The type whose external bytes grew most, of those behind `before` in that order. Those of the runtime's own, which no
 * program knows (what stands behind an ArrayBuffer in V8), are not told: the holder is. */
static const hsd_type_row *next_external(const hsd_diff *diff, const hsd_type_row *before)
{
    const hsd_type_row *largest = NULL;
    for (size_t i = 0; i < diff->type_count; i++) {
        const hsd_type_row *row = &diff->types[i];
        const bool is_told = before && (external_of(row) > external_of(before) ||
                                        (external_of(row) == external_of(before) && row <= before));
        if (row->flags & HSC_TYPE_INTERNAL) continue;
        if (!is_told && external_of(row) > 0 && (!largest || external_of(row) > external_of(largest))) largest = row;
    }
    return largest;
}

static void print_external_type(hsd_screen *screen, const char *separator, const hsd_type_row *row)
{
    char size[HSD_NUMBER_CHARS];
    hsd_out_text(&screen->out, separator);
    hsd_out_escaped(&screen->out, screen->form, row->name);
    hsd_out_format(&screen->out, " %s", hsd_screen_growth_size(screen, size, external_of(row)));
}

void hsd_screen_external(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    const int64_t external = (int64_t)(diff->external_after - diff->external_before),
                  growth = hsd_change_bytes(&diff->total);
    char size[HSD_NUMBER_CHARS];
    if (external <= 0 || external < (int64_t)screen->noise_bytes || external < growth / EXTERNAL_SHARE ||
        diff->is_partial)
        return;
    const hsd_type_row *first = next_external(diff, NULL), *second = next_external(diff, first);
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_format(&screen->out, "%s of the growth is external, memory outside the heap",
                   hsd_screen_size(screen, size, (uint64_t)external));
    const int64_t told = (first ? external_of(first) : 0) + (second ? external_of(second) : 0);
    if (told < external / EXTERNAL_SHARE) first = second = NULL; /* the rest is the runtime's: types would mislead */
    if (first) print_external_type(screen, ": ", first);
    if (second) print_external_type(screen, ", ", second);
    hsd_out_text(&screen->out, ".");
    hsd_out_end_paragraph(&screen->out, 0);
}
