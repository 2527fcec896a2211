/*
 * The calls of hscapture.h that add one record of a table: each checks its arguments, puts them in the order of the
 * table's columns (table.c) and hands them over.
 */
#include <string.h>

#include "layout.h"
#include "writer.h"

static hsc_status bad_number(hsc_writer *w, const char *what)
{
    return hsc_fail(w, HSC_E_LIMIT, "the number of a %s must be 1 to 2,147,483,647", what);
}

static bool is_number(uint32_t id) { return id != 0 && id <= HSC_MAX_TABLE_ID; }
static bool is_number_or_none(uint32_t id) { return id <= HSC_MAX_TABLE_ID; }

/* Open, and the number and text of a definition within their limits. */
static hsc_status check_capture_record(hsc_writer *w, const char *what, uint32_t id, size_t text_bytes)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (!is_number(id)) return bad_number(w, what);
    if (text_bytes > HSC_MAX_TEXT_BYTES)
        return hsc_fail(w, HSC_E_LIMIT, "the text of a %s is longer than 65,536 bytes", what);
    return HSC_OK;
}

hsc_status hsc_define_string(hsc_writer *w, uint32_t string, const void *bytes, size_t size)
{
    const hsc_status status = check_capture_record(w, "string", string, size);
    if (status != HSC_OK) return status;
    const uint64_t fields[] = {string, size};
    const hsc_piece text[2] = {{bytes, size}, {NULL, 0}};
    return hsc_table_add(w, HSC_TABLE_STRINGS, fields, text);
}

hsc_status hsc_define_type(hsc_writer *w, uint32_t type, const void *name, size_t size, uint32_t flags)
{
    const hsc_status status = check_capture_record(w, "type", type, size);
    if (status != HSC_OK) return status;
    const uint64_t fields[] = {flags, type, size};
    const hsc_piece text[2] = {{name, size}, {NULL, 0}};
    return hsc_table_add(w, HSC_TABLE_TYPES, fields, text);
}

hsc_status hsc_define_label(hsc_writer *w, uint32_t label, hsc_label_kind kind, uint32_t flags, uint32_t name_string)
{
    const hsc_status status = check_capture_record(w, "label", label, 0);
    if (status != HSC_OK) return status;
    if (!is_number_or_none(name_string)) return bad_number(w, "string");
    if ((unsigned)kind > HSC_LABEL_CLASS || (flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_MASK)
        return hsc_fail(w, HSC_E_MISUSE, "a label of unknown kind or strength");
    const uint64_t fields[] = {flags, label, (uint64_t)kind, name_string};
    return hsc_table_add(w, HSC_TABLE_LABELS, fields, NULL);
}

hsc_status hsc_define_site(hsc_writer *w, uint32_t site, uint32_t parent, uint32_t function_string,
                           uint32_t file_string, uint32_t line, uint32_t column)
{
    const hsc_status status = check_capture_record(w, "site", site, 0);
    if (status != HSC_OK) return status;
    if (!is_number_or_none(parent)) return bad_number(w, "site");
    if (!is_number_or_none(function_string | file_string)) return bad_number(w, "string");
    const uint64_t fields[] = {site, function_string, parent, file_string, line, column};
    return hsc_table_add(w, HSC_TABLE_SITES, fields, NULL);
}

hsc_status hsc_define_thread(hsc_writer *w, uint32_t thread, uint32_t name_string)
{
    const hsc_status status = check_capture_record(w, "thread", thread, 0);
    if (status != HSC_OK) return status;
    if (!is_number_or_none(name_string)) return bad_number(w, "string");
    const uint64_t fields[] = {thread, name_string};
    return hsc_table_add(w, HSC_TABLE_THREADS, fields, NULL);
}

hsc_status hsc_frame(hsc_writer *w, uint32_t thread, uint32_t depth, uint32_t function_string, uint32_t file_string,
                     uint32_t line)
{
    const hsc_status status = check_capture_record(w, "thread", thread, 0);
    if (status != HSC_OK) return status;
    if (!is_number_or_none(function_string | file_string)) return bad_number(w, "string");
    const uint64_t fields[] = {function_string, thread, file_string, line, depth};
    return hsc_table_add(w, HSC_TABLE_FRAMES, fields, NULL);
}

hsc_status hsc_edge(hsc_writer *w, uint64_t source, uint64_t target, uint32_t label, uint64_t index)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (w->objects.is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_edge inside an object");
    if (w->sums != NULL) return hsc_fail(w, HSC_E_MISUSE, "an edge in a baseline");
    if (!is_number_or_none(label)) return bad_number(w, "label");
    const uint64_t fields[] = {target, label, index, source};
    return hsc_table_add(w, HSC_TABLE_EDGES, fields, NULL);
}

hsc_status hsc_root(hsc_writer *w, const hsc_root_record *root)
{
    hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if ((unsigned)root->kind >= HSC_ROOT_KIND_COUNT) return hsc_fail(w, HSC_E_MISUSE, "a root of unknown kind");
    if (w->sums != NULL) return hsc_fail(w, HSC_E_MISUSE, "a root in a baseline");
    if (!is_number_or_none(root->label)) return bad_number(w, "string");
    if (!is_number_or_none(root->thread)) return bad_number(w, "thread");
    const uint64_t key = hsc_total_key(HSC_AXIS_ROOT_KIND, (uint32_t)root->kind, HSC_NO_BUCKET);
    status = hsc_add_total(w, key, 1, 0, 0);
    if (status != HSC_OK) return status;
    const uint64_t fields[] = {root->flags, (uint64_t)root->kind, root->label, root->thread, root->target, root->frame};
    return hsc_table_add(w, HSC_TABLE_ROOTS, fields, NULL);
}

hsc_status hsc_metric(hsc_writer *w, const char *name, const char *unit, uint64_t value)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    const hsc_piece text[2] = {{name, strlen(name)}, {unit, strlen(unit)}};
    if (text[0].size > HSC_MAX_TEXT_BYTES || text[1].size > HSC_MAX_TEXT_BYTES - text[0].size)
        return hsc_fail(w, HSC_E_LIMIT, "a metric's name and unit are longer than 65,536 bytes");
    const uint64_t fields[] = {text[0].size + text[1].size, text[1].size, value};
    return hsc_table_add(w, HSC_TABLE_METRICS, fields, text);
}

hsc_status hsc_loss(hsc_writer *w, const char *what, uint64_t count)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    const hsc_piece text[2] = {{what, strlen(what)}, {NULL, 0}};
    if (text[0].size > HSC_MAX_TEXT_BYTES)
        return hsc_fail(w, HSC_E_LIMIT, "the text of a loss is longer than 65,536 bytes");
    hsc_add(&w->lost, count);
    const uint64_t fields[] = {text[0].size, count};
    return hsc_table_add(w, HSC_TABLE_LOSSES, fields, text);
}

hsc_status hsc_count(hsc_writer *w, uint32_t type, uint64_t objects, uint64_t bytes)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (!is_number_or_none(type)) return bad_number(w, "type");
    hsc_add(&w->counted_objects, objects);
    hsc_add(&w->counted_bytes, bytes);
    return hsc_add_total(w, hsc_total_key(HSC_AXIS_TYPE, type, HSC_NO_BUCKET), objects, bytes, 0);
}

hsc_status hsc_count_site(hsc_writer *w, uint32_t type, uint32_t site, uint64_t objects, uint64_t bytes)
{
    hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (!w->has_site_totals)
        return hsc_fail(w, HSC_E_MISUSE, "a site total, and the options do not say that there are some");
    if (!is_number(site)) return bad_number(w, "site");
    status = hsc_count(w, type, objects, bytes);
    if (status != HSC_OK) return status;
    const uint64_t fields[] = {site, type, objects, bytes};
    return hsc_table_add(w, HSC_TABLE_SITE_TOTALS, fields, NULL);
}
