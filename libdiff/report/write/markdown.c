/*
 * Any model as Markdown: what is said first, of what, warnings, tables that add up, and other paragraphs.
 */
#include "report/words/sparkline.h"
#include "report/write/cells.h"
#include "report/write/markdown_page.h"
#include "report/write/write.h"

static hsd_status pass_on(void *out, const void *data, size_t size, hsd_error *err)
{
    (void)err;
    hsd_out_bytes(out, data, size);
    return HSD_OK;
}

static void put_sentence(hsd_markdown *doc, const hsd_model *model, const hsd_part *part)
{
    const char *mark = part->kind == HSD_PART_ANSWER ? "**" : "";
    hsd_buffer text = {0};
    hsd_out *out = &doc->out;
    if (out->status == HSD_OK) out->status = hsd_part_words(&text, model, part, HSD_ESCAPE_MARKDOWN, out->err);
    if (text.size > 0) {
        hsd_out_text(out, mark);
        hsd_out_bytes(out, text.data, text.size);
        hsd_out_text(out, mark);
        hsd_out_text(out, "\n\n");
    }
    hsd_buffer_release(&text);
}

static void put_texts(hsd_markdown *doc, const hsd_part *part)
{
    if (part->text_count == 0) return;
    if (part->title) hsd_out_format(&doc->out, "%s:\n\n", part->title);
    hsd_markdown_begin_list(doc, part->one, part->many);
    for (size_t i = 0; i < part->text_count; i++) {
        if (!hsd_markdown_item(doc)) continue;
        hsd_out_format(&doc->out, "- %s", part->mark ? part->mark : "");
        hsd_out_escaped(&doc->out, HSD_ESCAPE_MARKDOWN_PROSE, part->texts[i]);
        hsd_out_text(&doc->out, "\n");
    }
    hsd_markdown_end(doc);
}

/* ---- tables ---- */

/* Text of ours; "~" alone would begin what is struck out. */
static void put_own(hsd_markdown *doc, hsd_text text)
{
    const bool is_tilde = text.size == 1 && text.data[0] == '~';
    hsd_out_text(&doc->out, is_tilde ? "| \\" : "| ");
    hsd_out_bytes(&doc->out, text.data, text.size);
    hsd_out_text(&doc->out, " ");
}

static void put_cell(hsd_markdown *doc, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    hsd_out *out = &doc->out;
    const bool is_name = hsd_cell_is_text(column);
    if (column->kind == HSD_KIND_TOLD) {
        hsd_out_text(out, "| ");
        column->tell(out, scope, HSD_ESCAPE_MARKDOWN);
        hsd_out_text(out, " ");
        return;
    }
    if (out->status == HSD_OK)
        out->status = is_name ? hsd_cell_append(&text, column, scope, out->err)
                              : hsd_cell_own(&text, column, scope, HSD_SPARKLINE_COLUMNS_MAX, true, out->err);
    const hsd_text cell = {text.size > 0 ? (const char *)text.data : "", text.size};
    if (is_name)
        hsd_markdown_cell_name(doc, cell);
    else
        put_own(doc, cell);
    hsd_buffer_release(&text);
}

static void put_cells(hsd_markdown *doc, const hsd_cells *cells, size_t from, const hsd_scope *scope)
{
    for (size_t i = from; i < cells->count; i++)
        put_cell(doc, cells->columns[i], scope);
}

/* The others, the total: always there, or else as other rows. */
static void put_sum(hsd_markdown *doc, const hsd_cells *cells, const char *name, bool stays, const hsd_scope *scope)
{
    if (stays)
        hsd_markdown_last_row(doc);
    else if (!hsd_markdown_row(doc))
        return;
    hsd_markdown_cell(doc, name);
    put_cells(doc, cells, 1, scope);
}

static void put_aside(hsd_markdown *doc, const hsd_model *model, const hsd_sheet *sheet, const hsd_cells *cells)
{
    hsd_scope scope = hsd_sheet_others(model, sheet);
    scope.row = sheet->aside;
    hsd_markdown_last_row(doc);
    if (sheet->aside_name) hsd_markdown_cell(doc, sheet->aside_name);
    put_cells(doc, cells, sheet->aside_name ? 1 : 0, &scope);
}

static void put_headings(hsd_markdown *doc, const hsd_model *model, const hsd_part *part, const hsd_cells *cells)
{
    hsd_out *out = &doc->out;
    for (size_t i = 0; i < cells->count; i++) {
        hsd_buffer title = {0};
        if (out->status == HSD_OK) out->status = hsd_cell_title(&title, cells->columns[i], model, out->err);
        put_own(doc, (hsd_text){title.size > 0 ? (const char *)title.data : "", title.size});
        hsd_buffer_release(&title);
    }
    hsd_out_text(out, "|\n");
    for (size_t i = 0; i < cells->count; i++)
        hsd_out_text(out, hsd_cell_is_left(cells->columns[i]) ? "| --- " : "| ---: ");
    hsd_out_text(out, "|\n");
    hsd_markdown_begin_rows(doc, part->one, part->many);
}

static void put_table(hsd_markdown *doc, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    const hsd_cells cells = hsd_cells_of(model, part);
    const hsd_scope others = hsd_sheet_others(model, sheet);
    hsd_scope total = others;
    char name[HSD_OTHERS_CHARS];
    if (sheet->is_unknown) return;
    total.row = sheet->total;
    put_headings(doc, model, part, &cells);
    if (sheet->total && sheet->is_total_first) put_sum(doc, &cells, "**Total**", false, &total);
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(model, sheet, i);
        if (hsd_markdown_row(doc)) put_cells(doc, &cells, 0, &scope);
    }
    if (sheet->other_count > 0) put_sum(doc, &cells, hsd_others_name(name, part), !sheet->is_total_first, &others);
    if (sheet->aside) put_aside(doc, model, sheet, &cells);
    if (sheet->total && !sheet->is_total_first) put_sum(doc, &cells, "**TOTAL**", true, &total);
    doc->left += sheet->unlisted_count;
    hsd_markdown_end(doc);
}

/* An entry is a row with all that is deeper; the line about the rest names rows. */
static void put_list(hsd_markdown *doc, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    const hsd_column *column = hsd_cells_of(model, part).columns[0];
    bool is_shown = false;
    if (part->title) hsd_out_format(&doc->out, "%s:\n\n", part->title);
    hsd_markdown_begin_list(doc, part->one, part->many);
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(model, sheet, i);
        const size_t depth = sheet->depth ? sheet->depth(&scope) : 0;
        if (depth == 0) is_shown = hsd_markdown_item(doc);
        if (!is_shown) continue;
        hsd_out_repeat(&doc->out, ' ', 2 * depth);
        hsd_out_text(&doc->out, "- ");
        column->tell(&doc->out, &scope, HSD_ESCAPE_MARKDOWN);
        hsd_out_text(&doc->out, "\n");
    }
    hsd_markdown_end(doc);
}

static void put_document(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    hsd_markdown doc;
    hsd_markdown_init(&doc, options->max_bytes, out->err);
    for (size_t i = 0; i < model->part_count; i++) {
        const hsd_part *part = &model->parts[i];
        if (part->kind == HSD_PART_TABLE && part->is_list)
            put_list(&doc, model, part);
        else if (part->kind == HSD_PART_TABLE)
            put_table(&doc, model, part);
        else if (part->kind == HSD_PART_TEXTS)
            put_texts(&doc, part);
        else if (part->kind == HSD_PART_LINES)
            part->tell(&doc.out, model, HSD_ESCAPE_MARKDOWN);
        else if (part->say || part->tell)
            put_sentence(&doc, model, part);
    }
    const hsd_status status = hsd_markdown_finish(&doc, pass_on, out, out->err);
    if (out->status == HSD_OK) out->status = status;
}

HSD_WRITES_EVERY_RESULT(markdown, HSD_AS_MARKDOWN, put_document)
