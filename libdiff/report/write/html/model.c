/*
 * Any table of a model as HTML, for every page; and a model of top or paths as a page: what is said first, of what,
 * warnings, tables that add up, and other paragraphs. All of that is HTML and readable as it is; no script has more to
 * show of it, so such a page carries none, nor records.
 */
#include <string.h>

#include "report/words/sparkline.h"
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

static void put_headings(hsd_html *page, const hsd_model *model, const hsd_cells *cells)
{
    hsd_buffer titles[HSD_CELLS_MOST] = {{0}};
    const char *headings[HSD_CELLS_MOST];
    hsd_out *out = &page->out;
    for (size_t i = 0; i < cells->count; i++) {
        if (out->status == HSD_OK) out->status = hsd_cell_title(&titles[i], cells->columns[i], model, out->err);
        if (out->status == HSD_OK) out->status = hsd_buffer_append(&titles[i], "", 1, out->err);
        headings[i] = titles[i].size > 0 ? (const char *)titles[i].data : "";
    }
    hsd_html_begin_table(page, headings, cells->count);
    for (size_t i = 0; i < cells->count; i++)
        hsd_buffer_release(&titles[i]);
}

/* "up", "down", "same" for an amount with a sign; NULL for what is none, or not known. */
static const char *paint_of(const hsd_column *column, const hsd_scope *scope)
{
    const hsd_value value = hsd_column_value(column, scope);
    const bool is_signed = value.kind == HSD_KIND_GROWTH || value.kind == HSD_KIND_SIGNED;
    if (!is_signed || !column->sign || (column->instead && column->instead(scope))) return NULL;
    return hsd_html_sign(column->sign(scope));
}

static void put_cell(hsd_html *page, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    hsd_out *out = &page->out;
    if (hsd_cell_is_text(column)) {
        if (out->status == HSD_OK) out->status = hsd_cell_append(&text, column, scope, out->err);
        hsd_out_text(out, "<td>");
        hsd_html_raw(page, &text);
        hsd_out_text(out, "</td>");
        return;
    }
    if (out->status == HSD_OK)
        out->status = hsd_cell_own(&text, column, scope, HSD_SPARKLINE_COLUMNS_MAX, true, out->err);
    hsd_html_cell_text(page, paint_of(column, scope),
                       (hsd_text){text.size > 0 ? (const char *)text.data : "", text.size});
    hsd_buffer_release(&text);
}

static void put_cells(hsd_html *page, const hsd_cells *cells, const hsd_scope *scope)
{
    for (size_t i = 1; i < cells->count; i++)
        put_cell(page, cells->columns[i], scope);
    hsd_html_end_row(page);
}

static void put_name(hsd_html *page, const hsd_sheet *sheet, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer name = {0};
    if (page->out.status == HSD_OK) page->out.status = hsd_cell_append(&name, column, scope, page->out.err);
    if (sheet->is_said && sheet->is_said(scope)) {
        hsd_html_raw(page, &name);
        return;
    }
    hsd_html_name(page, (hsd_text){(const char *)name.data, name.size});
    hsd_buffer_release(&name);
}

/* Row i, and in its name, as a list, those that are deeper. Returns how many rows that is. */
static size_t put_rows(hsd_html *page, const hsd_model *model, const hsd_sheet *sheet, const hsd_cells *cells, size_t i)
{
    const hsd_scope scope = hsd_sheet_row(model, sheet, i);
    size_t below = 0;
    hsd_out_text(&page->out, "<tr><th scope=\"row\" class=\"name\">");
    put_name(page, sheet, cells->columns[0], &scope);
    for (size_t k = i + 1; sheet->depth && k < sheet->rows.count; k++) {
        const hsd_scope line = hsd_sheet_row(model, sheet, k);
        if (sheet->depth(&line) == 0) break;
        hsd_out_text(&page->out, below++ == 0 ? "<ol class=\"frames\"><li>" : "<li>");
        put_name(page, sheet, cells->columns[0], &line);
        hsd_out_text(&page->out, "</li>");
    }
    if (below > 0) hsd_out_text(&page->out, "</ol>");
    hsd_out_text(&page->out, "</th>");
    put_cells(page, cells, &scope);
    return 1 + below;
}

static void put_sum(hsd_html *page, const hsd_cells *cells, const char *class_name, const char *name,
                    const hsd_scope *scope)
{
    hsd_html_begin_sum(page, class_name, name);
    put_cells(page, cells, scope);
}

void hsd_html_table(hsd_html *page, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    const hsd_cells cells = hsd_cells_of(model, part);
    const hsd_scope others = hsd_sheet_others(model, sheet);
    hsd_scope total = others;
    char name[HSD_OTHERS_CHARS];
    total.row = sheet->total;
    put_headings(page, model, &cells);
    for (size_t i = 0; i < sheet->rows.count;)
        i += put_rows(page, model, sheet, &cells, i);
    if (sheet->other_count > 0) put_sum(page, &cells, "others", hsd_others_name(name, part), &others);
    if (sheet->total) put_sum(page, &cells, "total", "TOTAL", &total);
    hsd_html_end_table(page);
}

static void put_section(hsd_html *page, const hsd_model *model, const hsd_part *part)
{
    if (part->sheet.is_unknown) return;
    hsd_html_begin(page, part->member, part->title);
    hsd_html_table(page, model, part);
    hsd_html_end(page);
}

const hsd_part *hsd_html_part(const hsd_model *model, const char *member)
{
    for (size_t i = 0; i < model->part_count; i++)
        if (model->parts[i].kind == HSD_PART_TABLE && strcmp(model->parts[i].member, member) == 0)
            return &model->parts[i];
    return NULL;
}

bool hsd_html_section(hsd_html *page, const hsd_model *model, const char *member)
{
    const hsd_part *part = hsd_html_part(model, member);
    if (part) put_section(page, model, part);
    return part != NULL;
}

hsd_model *hsd_html_model(hsd_html *page, const hsd_reported *subject)
{
    const hsd_most most = hsd_most_of(page->options, HSD_AS_HTML);
    hsd_model *model = NULL;
    hsd_out *out = &page->out;
    if (out->status == HSD_OK)
        out->status = hsd_model_open(&model, subject, page->options, &most, HSD_AS_HTML, out->err);
    return model;
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
            put_section(&page, model, part);
        else if (part->kind == HSD_PART_TEXTS)
            hsd_html_warnings(&page, part->texts, part->text_count, NULL, 0);
        else if (part->kind == HSD_PART_SENTENCE)
            put_sentence(&page, model, part, "<p>", "</p>\n");
    }
    hsd_html_close_static(&page);
    *out = page.out;
}

HSD_WRITES_ONE(top, html, HSD_AS_HTML, put_page)
HSD_WRITES_ONE(paths, html, HSD_AS_HTML, put_page)
