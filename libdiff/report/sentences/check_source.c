/*
 * Where in the code of the program a finding is: for annotations, which show it beside the line.
 */
#include "report/sentences/check_words.h"

#include <string.h>

#include "base/allocators.h"

/* Of the program: none of a runtime, of a library's header (<vector.hpp>), of what stands below main. */
static bool is_in_a_file(const hsd_site_frame *frame)
{
    static const char node[] = "node:";
    const bool is_of_runtime = frame->file.size >= 5 && memcmp(frame->file.data, node, 5) == 0;
    return frame->file.size > 0 && frame->line > 0 && !is_of_runtime &&
           !hsd_file_is_of_library(frame->file.data, frame->file.size) &&
           !hsd_function_starts(frame->function.data, frame->function.size, frame->file.data, frame->file.size);
}

/* strdup wants nothing for itself, and neither does operator new: base/allocators.h. */
static bool allocates_for_others(hsd_text function)
{
    char name[128];
    if (function.size == 0 || function.size >= sizeof name) return false;
    memcpy(name, function.data, function.size);
    name[function.size] = '\0';
    return hsd_function_allocates(name);
}

static const hsd_site_frame *find_frame(const hsd_site_growth *site, bool any)
{
    for (size_t i = 0; i < site->frame_count; i++)
        if (is_in_a_file(&site->frames[i]) && (any || !allocates_for_others(site->frames[i].function)))
            return &site->frames[i];
    return NULL;
}

const hsd_site_frame *hsd_finding_frame(const hsd_finding *finding)
{
    for (size_t i = 0; i < 2 * finding->site_count; i++) {
        const hsd_site_frame *frame = find_frame(&finding->sites[i % finding->site_count], i >= finding->site_count);
        if (frame) return frame;
    }
    return NULL;
}

/* ---- in a name ---- */

#define LINE_DIGITS 9 /* no file has more lines */

static size_t digits_at_end(hsd_text text)
{
    size_t count = 0;
    while (count < text.size && text.data[text.size - count - 1] >= '0' && text.data[text.size - count - 1] <= '9')
        count++;
    return count;
}

/* "server.js:6" in parts. */
static bool split_place(hsd_text place, hsd_site_frame *out)
{
    const size_t digits = digits_at_end(place);
    if (digits == 0 || digits > LINE_DIGITS || place.size < digits + 2 || place.data[place.size - digits - 1] != ':')
        return false;
    hsd_site_frame found = {.function = {"", 0}, .file = {place.data, place.size - digits - 1}};
    for (size_t i = place.size - digits; i < place.size; i++)
        found.line = 10 * found.line + (uint32_t)(place.data[i] - '0');
    if (!is_in_a_file(&found)) return false;
    *out = found;
    return true;
}

/* "Function onChange (server.js:6)": what stands in the brackets at the end. */
static bool find_in_name(hsd_text name, hsd_site_frame *out)
{
    size_t from = name.size;
    if (name.size < 2 || name.data[name.size - 1] != ')') return false;
    while (from > 0 && name.data[from - 1] != '(')
        from--;
    return from > 0 && split_place((hsd_text){name.data + from, name.size - 1 - from}, out);
}

/* Of the types that it got, those that it got most of first. */
static bool find_in_holder(const hsd_holder *holder, hsd_site_frame *out)
{
    for (size_t i = 0; i < holder->type_count && holder->types[i].net_bytes > 0; i++)
        if (find_in_name(holder->types[i].type, out)) return true;
    return false;
}

/* ---- */

bool hsd_finding_source(const hsd_finding *finding, hsd_site_frame *out)
{
    const hsd_site_frame *frame = hsd_finding_frame(finding);
    if (frame) {
        *out = *frame;
        return true;
    }
    if (find_in_name(finding->name, out)) return true;
    for (size_t i = 0; i < finding->held_count; i++)
        if (find_in_holder(finding->held[i], out)) return true;
    return finding->holder && find_in_holder(finding->holder, out);
}

bool hsd_row_source(const hsd_check_row *row, hsd_site_frame *out)
{
    for (size_t i = 0; i < row->held_count; i++)
        if (find_in_holder(row->held[i], out)) return true;
    for (size_t i = 0; i < row->finding_count; i++)
        if (!row->findings[i].allowed && !row->findings[i].is_levelled && hsd_finding_source(&row->findings[i], out))
            return true;
    return false;
}
