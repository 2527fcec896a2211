/*
 * The screen of hsdiff top: what is in a heap by type and by root, and the single objects that would take most with
 * them. What is retained overlaps and has no total; bytes and objects add up.
 */
#include <stdio.h>

#include "report/number.h"
#include "report/page.h"
#include "report/top_formats.h"
#include "report/top_rows.h"

#define TYPES_SHOWN   20
#define ROOTS_SHOWN   10
#define OBJECTS_SHOWN 3 /* however small */

enum column { NAME, BYTES, OBJECTS, RETAINED, PERCENT, COLUMNS };

static void put_share(hsd_page *page, hsd_table *table, size_t column, uint64_t part,
                      uint64_t whole)
{
    char text[HSD_NUMBER_CHARS];
    const unsigned percent = hsd_percent_of((int64_t)part, (int64_t)whole);
    if (percent == 0 && part > 0)
        snprintf(text, sizeof text, "<1%%");
    else
        snprintf(text, sizeof text, "%u%%", percent);
    hsd_page_put(page, table, column, text, HSD_PAINT_NONE);
}

static void put_amount(hsd_page *page, hsd_table *table, hsd_amount amount)
{
    hsd_page_put_size(page, table, BYTES, amount.bytes);
    hsd_page_put_count(page, table, OBJECTS, amount.objects);
}

static void put_row(hsd_page *page, hsd_table *table, const hsd_top *top, const hsd_top_row *row)
{
    hsd_table_add_row(table);
    hsd_page_put_name(page, table, NAME, row->name);
    put_amount(page, table, row->live);
    if (!hsd_top_row_retains(top, row)) return;
    hsd_page_put_size(page, table, RETAINED, row->retained_bytes);
    put_share(page, table, PERCENT, row->retained_bytes, top->side.live.bytes);
}

static void put_sums(hsd_page *page, hsd_table *table, const hsd_top *top,
                     const hsd_top_ranking *ranking, const char *noun)
{
    const size_t folded = ranking->count - ranking->shown;
    char count[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (folded > 0) {
        snprintf(text, sizeof text, "%s other %s%s", hsd_format_count(count, folded), noun,
                 folded == 1 ? "" : "s");
        hsd_table_add_row(table);
        hsd_page_put(page, table, NAME, text, HSD_PAINT_NONE);
        put_amount(page, table, ranking->others);
    }
    hsd_table_add_row(table);
    hsd_page_put(page, table, NAME, "TOTAL", HSD_PAINT_HEADING);
    put_amount(page, table, top->side.live);
}

/* True if rows with live objects were folded. */
static bool print_table(hsd_page *page, const hsd_top *top, bool is_types)
{
    const char *const headings[] = {is_types ? "TYPE" : "ROOT", "BYTES", "OBJECTS", "RETAINED",
                                    "OF HEAP"};
    const size_t most = page->options->top ? page->options->top
                        : is_types         ? TYPES_SHOWN
                                           : ROOTS_SHOWN;
    hsd_top_ranking ranking = {0};
    hsd_table table;
    if ((is_types ? top->type_count : top->root_count) == 0 || page->out.status != HSD_OK)
        return false;
    page->out.status =
        hsd_top_ranking_init(&ranking, top, is_types, page->options->sort_by, most, page->out.err);
    if (page->out.status == HSD_OK &&
        hsd_page_begin_table(page, &table, top->has_retained ? COLUMNS : RETAINED,
                             ranking.shown + 3)) {
        hsd_page_headings(page, &table, headings);
        for (size_t i = 0; i < ranking.shown; i++)
            put_row(page, &table, top, &ranking.rows[i]);
        put_sums(page, &table, top, &ranking, is_types ? "type" : "root");
        hsd_page_end_table(page, &table);
    }
    const bool is_folded = ranking.others.objects > 0;
    hsd_top_ranking_release(&ranking);
    return is_folded;
}

/* ---- the objects that hold most ---- */

enum { PLACE, OBJECT_RETAINED, OBJECT_PERCENT, OBJECT_COUNT, OBJECT_ID, OBJECT_COLUMNS };

static void put_object(hsd_page *page, hsd_table *table, const hsd_top *top,
                       const hsd_top_object *object)
{
    char id[HSD_NUMBER_CHARS];
    hsd_buffer place = {0};
    hsd_table_add_row(table);
    if (page->out.status == HSD_OK)
        page->out.status = hsd_top_object_append(&place, object, page->out.err);
    hsd_page_put_name(page, table, PLACE, (hsd_text){(char *)place.data, place.size});
    hsd_buffer_release(&place);
    hsd_page_put_size(page, table, OBJECT_RETAINED, object->retained_bytes);
    put_share(page, table, OBJECT_PERCENT, object->retained_bytes, top->side.live.bytes);
    hsd_page_put_count(page, table, OBJECT_COUNT, object->retained_objects);
    hsd_page_put(page, table, OBJECT_ID, hsd_format_id(id, &top->side.info, object->id),
                 HSD_PAINT_NONE);
}

/* With --top all of them; else those that retain a hundredth of the heap, and a few in any case. */
static size_t objects_shown(const hsd_page *page, const hsd_top *top)
{
    const uint64_t least = top->side.live.bytes / 100;
    size_t shown = 0;
    if (page->options->top > 0) return top->object_count;
    while (shown < top->object_count &&
           (shown < OBJECTS_SHOWN || top->objects[shown].retained_bytes >= least))
        shown++;
    return shown;
}

static void print_objects(hsd_page *page, const hsd_top *top)
{
    static const char *const headings[] = {"BIGGEST OBJECT", "RETAINED", "OF HEAP", "OBJECTS",
                                           "ID"};
    const size_t shown = objects_shown(page, top);
    hsd_table table;
    if (shown == 0 || !hsd_page_begin_table(page, &table, OBJECT_COLUMNS, shown + 1)) return;
    table.has_ids = true;
    hsd_page_headings(page, &table, headings);
    for (size_t i = 0; i < shown; i++)
        put_object(page, &table, top, &top->objects[i]);
    hsd_page_end_table(page, &table);
}

/* ---- the foot ---- */

static void print_why(hsd_page *page, const hsd_top *top)
{
    if (top->has_retained) return;
    hsd_page_part(page);
    hsd_out_begin_paragraph(&page->out);
    hsd_out_text(&page->out, "What is retained is not known: ");
    hsd_out_escaped(&page->out, page->form, top->why_no_retained);
    hsd_out_text(&page->out, ".");
    hsd_out_end_paragraph(&page->out, 0);
}

/* Of the types with several objects the one that retains most: one object has its path above. */
static hsd_text type_to_look_at(const hsd_top *top)
{
    for (size_t i = 0; i < top->type_count; i++)
        if (top->types[i].live.objects > 1) return top->types[i].name;
    return top->type_count > 0 ? top->types[0].name : (hsd_text){"", 0};
}

static void print_next(hsd_page *page, const hsd_top *top, bool is_folded)
{
    hsd_next list[4];
    size_t count = 0;
    const hsd_text type = type_to_look_at(top);
    if (top->side.has_roots && type.size > 0)
        list[count++] = (hsd_next){"hsdiff paths", "", type, "how they are reached"};
    if (is_folded)
        list[count++] = (hsd_next){"hsdiff top", "--top all", {"", 0}, "every type and root"};
    if (top->has_retained)
        list[count++] =
            (hsd_next){"hsdiff top", "--retained objects.csv", {"", 0}, "what each object retains"};
    if (page->options->is_foreign && page->options->command && page->options->command[0] != '-')
        list[count++] =
            (hsd_next){"hsdiff import", "-o heap.hs", {"", 0}, "to read the dump only once"};
    hsd_page_next(page, list, count);
}

static void print(hsd_page *page, const hsd_top *top)
{
    hsd_out_warnings(&page->out, page->form, top->warnings, top->warning_count);
    hsd_page_capture(page, &top->side);
    const bool types_folded = print_table(page, top, true),
               roots_folded = print_table(page, top, false);
    print_objects(page, top);
    print_why(page, top);
    hsd_page_left_out(page, &top->side, top->has_retained);
    print_next(page, top, types_folded || roots_folded);
}

/* ---- plain: one record a line ---- */

static void plain_row(hsd_page *page, const hsd_top *top, const char *kind, const hsd_top_row *row)
{
    hsd_out_text(&page->out, kind);
    hsd_page_field(page, row->name);
    hsd_page_field_count(page, row->live.bytes);
    hsd_page_field_count(page, row->live.objects);
    hsd_page_field_count(page, row->unreached.bytes);
    hsd_page_field_count(page, row->unreached.objects);
    if (hsd_top_row_retains(top, row) && row->name.data)
        hsd_page_field_count(page, row->retained_bytes);
    else
        hsd_out_text(&page->out, "\t");
    hsd_out_text(&page->out, "\n");
}

static void plain_table(hsd_page *page, const hsd_top *top, bool is_types)
{
    const size_t most = page->options->top ? page->options->top : HSD_TOP_ALL;
    hsd_top_ranking ranking;
    if (page->out.status != HSD_OK) return;
    page->out.status =
        hsd_top_ranking_init(&ranking, top, is_types, page->options->sort_by, most, page->out.err);
    if (page->out.status != HSD_OK) return;
    for (size_t i = 0; i < ranking.shown; i++)
        plain_row(page, top, is_types ? "type" : "root", &ranking.rows[i]);
    const hsd_top_row others = {.live = ranking.others, .unreached = ranking.others_unreached};
    if (ranking.shown < ranking.count)
        plain_row(page, top, is_types ? "others-type" : "others-root", &others);
    hsd_top_ranking_release(&ranking);
}

static void plain_object(hsd_page *page, const hsd_top *top, const hsd_top_object *object)
{
    char id[HSD_NUMBER_CHARS];
    hsd_buffer place = {0};
    if (page->out.status == HSD_OK)
        page->out.status = hsd_top_object_append(&place, object, page->out.err);
    hsd_out_format(&page->out, "object\t%s", hsd_format_id(id, &top->side.info, object->id));
    hsd_page_field(page, object->type);
    hsd_page_field_count(page, object->bytes);
    hsd_page_field_count(page, object->retained_bytes);
    hsd_page_field_count(page, object->retained_objects);
    hsd_page_field(page, (hsd_text){(char *)place.data, place.size});
    hsd_out_text(&page->out, "\n");
    hsd_buffer_release(&place);
}

static void print_plain(hsd_page *page, const hsd_top *top)
{
    hsd_page_plain_head(page, &top->side, top->warnings, top->warning_count);
    if (!top->has_retained) {
        hsd_out_text(&page->out, "no-retained");
        hsd_page_field(page, top->why_no_retained);
        hsd_out_text(&page->out, "\n");
    }
    hsd_out_text(&page->out, "# type, root\tname\tbytes\tobjects\tunreached_bytes"
                             "\tunreached_objects\tretained_bytes\n");
    plain_table(page, top, true);
    plain_table(page, top, false);
    if (top->object_count > 0)
        hsd_out_text(&page->out,
                     "# object\tid\ttype\tbytes\tretained_bytes\tretained_objects\tplace\n");
    for (size_t i = 0; i < top->object_count; i++)
        plain_object(page, top, &top->objects[i]);
}

hsd_status hsd_top_write_text(const hsd_top *top, const hsd_single_options *options,
                              hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_page page;
    hsd_page_init(&page, options, write, context, err);
    if (options->plain)
        print_plain(&page, top);
    else
        print(&page, top);
    return hsd_out_finish(&page.out);
}
