/*
 * The screen of hsdiff top: what is in a heap by type and by root, and the single objects that would take most with
 * them. What is retained overlaps and has no total; bytes and objects add up.
 */
#include "report/model/top_rows.h"
#include "report/text/page.h"
#include "report/write/plain.h"
#include "report/write/text_table.h"
#include "report/write/write.h"

/* ---- the foot ---- */

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
    if (is_folded) list[count++] = (hsd_next){"hsdiff top", "--top all", {"", 0}, "every type and root"};
    if (top->has_retained)
        list[count++] = (hsd_next){"hsdiff top", "--retained objects.csv", {"", 0}, "what each object retains"};
    if (page->options->before_is_foreign && page->options->before_command && page->options->before_command[0] != '-')
        list[count++] = (hsd_next){"hsdiff import", "-o heap.hs", {"", 0}, "to read the dump only once"};
    hsd_page_next(page, list, count);
}

/* True if rows with live objects are folded. */
static bool is_folded(const hsd_part *part)
{
    return part->kind == HSD_PART_TABLE && part->sheet.others &&
           ((const hsd_top_row *)part->sheet.others)->live.objects > 0;
}

static void put_screen(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    const hsd_top *top = model->result;
    hsd_page page;
    bool has_folded = false;
    hsd_page_begin(&page, options, out);
    hsd_out_warnings(&page.out, page.form, top->warnings, top->warning_count);
    hsd_page_capture(&page, &top->side);
    for (size_t i = 0; i < model->part_count; i++) {
        if (model->parts[i].kind != HSD_PART_TEXTS) hsd_text_put_part(&page, model, &model->parts[i]);
        has_folded |= is_folded(&model->parts[i]);
    }
    print_next(&page, top, has_folded);
    hsd_page_finish(&page, out);
}

hsd_status hsd_text_top(const hsd_top *top, const hsd_report_options *options, hsd_write_fn write, void *context,
                        hsd_error *err)
{
    const hsd_reported result = {.top = top};
    if (options->plain) return hsd_plain_write(&result, options, write, context, err);
    return hsd_write_model(&result, HSD_AS_TEXT, put_screen, options, write, context, err);
}
