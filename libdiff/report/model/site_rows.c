/*
 * Rows of growth by allocation site.
 */
#include "report/model/site_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/allocators.h"
#include "base/check.h"
#include "report/words/number.h"

static uint64_t change_of(const hsd_site_row *row) { return hsd_magnitude(hsd_change_bytes(&row->change)); }

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

/* ---- as one ---- */

static bool is_same_text(hsd_text a, hsd_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool looks_same(const hsd_site_row *a, const hsd_site_row *b)
{
    const size_t count = a->frame_count - a->wanted;
    if (count != b->frame_count - b->wanted) return false;
    for (size_t i = 0; i < count; i++) {
        const hsd_site_frame *one = &a->frames[a->wanted + i], *other = &b->frames[b->wanted + i];
        if (one->line != other->line || !is_same_text(one->function, other->function) ||
            !is_same_text(one->file, other->file))
            return false;
    }
    return true;
}

static void sort_by_growth(hsd_site_row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const hsd_site_row row = rows[i];
        size_t to = i;
        for (; to > 0 && hsd_change_bytes(&rows[to - 1].change) < hsd_change_bytes(&row.change); to--)
            rows[to] = rows[to - 1];
        rows[to] = row;
    }
}

size_t hsd_sites_merge(const hsd_site_row *rows, size_t count, hsd_site_row *out)
{
    size_t merged = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        while (same < merged && !looks_same(&out[same], &rows[i]))
            same++;
        if (same == merged) {
            out[merged++] = rows[i];
            continue;
        }
        add_amount(&out[same].change.before, rows[i].change.before);
        add_amount(&out[same].change.after, rows[i].change.after);
    }
    sort_by_growth(out, merged);
    return merged;
}

/* ---- which ---- */

static void add_row(hsd_site_pick *pick, const hsd_site_row *row)
{
    add_amount(&pick->others.before, row->change.before);
    add_amount(&pick->others.after, row->change.after);
    pick->other_count++;
    pick->has_folded = pick->has_folded || change_of(row) > 0;
}

hsd_site_pick hsd_sites_pick(const hsd_diff *diff, size_t most, uint64_t least_bytes)
{
    hsd_site_pick pick = {
        .diff = diff, .last = diff->site_count, .other_count = diff->other_site_count, .others = diff->other_sites};
    while (pick.count < most && pick.first < pick.last) {
        const uint64_t growth = change_of(&diff->sites[pick.first]), shrinkage = change_of(&diff->sites[pick.last - 1]);
        if (growth < least_bytes && shrinkage < least_bytes) break;
        if (growth >= shrinkage)
            pick.first++;
        else
            pick.last--;
        pick.count++;
    }
    for (size_t i = pick.first; i < pick.last; i++)
        add_row(&pick, &diff->sites[i]);
    return pick;
}

const hsd_site_row *hsd_site_pick_row(const hsd_site_pick *pick, size_t i)
{
    return &pick->diff->sites[i < pick->first ? i : i - pick->first + pick->last];
}

/* ---- callers ---- */

static bool starts(const hsd_site_frame *frame)
{
    return hsd_function_starts(frame->function.data, frame->function.size, frame->file.data, frame->file.size);
}

/* What Rust's library has around main and around the first function of a thread. */
static bool starts_rust(const hsd_site_frame *frame)
{
    static const char *const begins[] = {"std::rt::lang_start",
                                         "std::sys::backtrace::__rust_begin_short_backtrace",
                                         "std::sys_common::backtrace::__rust_begin_short_backtrace",
                                         "std::panicking::",
                                         "std::panic::catch_unwind",
                                         "std::thread::",
                                         "std::sys::thread::",
                                         "std::sys::pal::unix::thread::",
                                         "core::ops::function::FnOnce::call_once",
                                         "<&dyn core::ops::function::Fn<()",
                                         "<alloc::boxed::Box<F,A> as core::ops::function::FnOnce"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(begins); i++) {
        const size_t size = strlen(begins[i]);
        if (frame->function.size >= size && memcmp(frame->function.data, begins[i], size) == 0) return true;
    }
    return false;
}

/* The main that the linker knows calls that of the library of Rust, and has no source. */
static bool is_main_of_rust(const hsd_site_frame *frame)
{
    return frame->file.size == 0 && frame->function.size == 4 && memcmp(frame->function.data, "main", 4) == 0 &&
           starts_rust(frame - 1);
}

hsd_callers hsd_site_callers(const hsd_site_frame *frames, size_t count, size_t wanted, size_t most)
{
    hsd_callers callers = {0};
    while (count > wanted + 1 &&
           (starts(&frames[count - 1]) || starts_rust(&frames[count - 1]) || is_main_of_rust(&frames[count - 1])))
        count--;
    const size_t all = count > wanted ? count - wanted - 1 : 0, own = hsd_frames_own(frames, count, wanted);
    callers.first = all < most ? all : most;
    if (own < count && own > wanted + callers.first) {
        callers.first = most > 2 ? most - 2 : 1;
        callers.own = own;
        callers.before = own - wanted - 1 - callers.first;
    }
    callers.more = all - callers.first - (callers.own > 0);
    return callers;
}

/* ---- words ---- */

static hsd_text base_name(hsd_text path)
{
    size_t from = path.size;
    while (from > 0 && path.data[from - 1] != '/')
        from--;
    return (hsd_text){path.data + from, path.size - from};
}

static hsd_status append_site_row(hsd_buffer *text, const char *words, hsd_error *err)
{
    return hsd_buffer_append(text, words, strlen(words), err);
}

hsd_status hsd_site_frame_append(hsd_buffer *text, const hsd_site_frame *frame, hsd_error *err)
{
    const hsd_text file = base_name(frame->file);
    char line[24];
    if (frame->function.size > 0)
        HSD_TRY(hsd_buffer_append(text, frame->function.data, frame->function.size, err));
    else
        HSD_TRY(append_site_row(text, "(no name)", err));
    if (file.size == 0) return HSD_OK;
    HSD_TRY(append_site_row(text, " (", err));
    HSD_TRY(hsd_buffer_append(text, file.data, file.size, err));
    if (frame->line == 0) return append_site_row(text, ")", err);
    snprintf(line, sizeof line, ":%u)", frame->line);
    return append_site_row(text, line, err);
}

hsd_status hsd_site_append(hsd_buffer *text, const hsd_site_row *row, hsd_error *err)
{
    return row->frame_count > 0 ? hsd_site_frame_append(text, &row->frames[row->wanted], err)
                                : append_site_row(text, "(no stack)", err);
}
