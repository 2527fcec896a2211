/*
 * Any model as a page: what is said first, of what, warnings, tables that add up, and other paragraphs. All of it is
 * HTML and readable as it is; no script has more to show of it, so the page carries none, nor records.
 */
#include "report/write/cells.h"
#include "report/write/html/parts.h"
#include "report/write/write.h"

static void put_sentence(hsd_html *page, const hsd_model *model, const hsd_part *part, const char *before,
                         const char *after)
{
    hsd_buffer text = {0};
    if (page->out.status == HSD_OK) page->out.status = part->say(&text, model, page->out.err);
    if (text.size > 0) hsd_out_text(&page->out, before);
    const bool is_said = text.size > 0;
    hsd_html_raw(page, &text);
    if (is_said) hsd_out_text(&page->out, after);
}

/* ---- tables ---- */

static void put_cells(hsd_html *page, const hsd_cells *cells, const hsd_scope *scope)
{
    char number[HSD_CELL_CHARS];
    for (size_t i = 1; i < cells->count; i++) {
        hsd_buffer text = {0};
        if (!hsd_cell_is_text(cells->columns[i])) {
            hsd_html_cell(page, hsd_cell_number(number, cells->columns[i], scope, page->options->exact_bytes));
            continue;
        }
        if (page->out.status == HSD_OK)
            page->out.status = hsd_cell_append(&text, cells->columns[i], scope, page->out.err);
        hsd_out_text(&page->out, "<td>");
        hsd_html_raw(page, &text);
        hsd_out_text(&page->out, "</td>");
    }
    hsd_html_end_row(page);
}

static void put_row(hsd_html *page, const hsd_cells *cells, const hsd_scope *scope)
{
    hsd_buffer name = {0};
    if (page->out.status == HSD_OK) page->out.status = hsd_cell_append(&name, cells->columns[0], scope, page->out.err);
    hsd_html_begin_row(page, NULL, (hsd_text){(const char *)name.data, name.size});
    hsd_buffer_release(&name);
    put_cells(page, cells, scope);
}

static void put_sum(hsd_html *page, const hsd_model *model, const hsd_cells *cells, const char *class_name,
                    const char *name, const void *row)
{
    const hsd_scope scope = {.result = model->result, .row = row, .is_rest = true};
    hsd_html_begin_sum(page, class_name, name);
    put_cells(page, cells, &scope);
}

static void put_table(hsd_html *page, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    const hsd_cells cells = hsd_cells_of(model, part);
    const char *headings[HSD_CELLS_MOST];
    char name[HSD_OTHERS_CHARS];
    if (sheet->is_unknown) return;
    for (size_t i = 0; i < cells.count; i++)
        headings[i] = cells.columns[i]->title;
    hsd_html_begin(page, part->member, part->title);
    hsd_html_begin_table(page, headings, cells.count);
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(model, sheet, i);
        put_row(page, &cells, &scope);
    }
    if (sheet->other_count > 0) put_sum(page, model, &cells, "others", hsd_others_name(name, part), sheet->others);
    if (sheet->total) put_sum(page, model, &cells, "total", "TOTAL", sheet->total);
    hsd_html_end_table(page);
    hsd_html_end(page);
}

/* ---- the page ---- */

/* The first section, whose heading is the title of the page. */
static void put_answer(hsd_html *page, const hsd_model *model)
{
    hsd_out_text(&page->out, "<title>");
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < model->part_count; i++)
            if (model->parts[i].kind == HSD_PART_ANSWER) put_sentence(page, model, &model->parts[i], "", "");
        if (pass == 0) hsd_html_begin_body(page, "one");
    }
    hsd_out_text(&page->out, "</h1>\n");
    for (size_t i = 0; i < model->part_count; i++)
        if (model->parts[i].kind == HSD_PART_RELATION)
            put_sentence(page, model, &model->parts[i], "<p class=\"relation\">", "</p>\n");
    hsd_html_end_answer(page);
}

static void put_page(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    hsd_html page = {.out = *out, .options = options};
    hsd_html_begin_head(&page);
    put_answer(&page, model);
    for (size_t i = 0; i < model->part_count; i++) {
        const hsd_part *part = &model->parts[i];
        if (part->kind == HSD_PART_TABLE)
            put_table(&page, model, part);
        else if (part->kind == HSD_PART_TEXTS)
            hsd_html_warnings(&page, part->texts, part->text_count, NULL, 0);
        else if (part->kind == HSD_PART_SENTENCE)
            put_sentence(&page, model, part, "<p>", "</p>\n");
    }
    hsd_html_close_static(&page);
    *out = page.out;
}

HSD_WRITES_ONE(top, html, HSD_IN_PEOPLE, put_page)
HSD_WRITES_ONE(paths, html, HSD_IN_PEOPLE, put_page)
