/*
 * Any model as Markdown: what is said first, of what, warnings, tables that add up, and other paragraphs.
 */
#include "report/write/cells.h"
#include "report/write/markdown.h"
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
    if (out->status == HSD_OK) out->status = part->say(&text, model, out->err);
    if (text.size > 0) {
        hsd_out_text(out, mark);
        hsd_out_escaped(out, HSD_ESCAPE_MARKDOWN_PROSE, (hsd_text){(const char *)text.data, text.size});
        hsd_out_text(out, mark);
        hsd_out_text(out, "\n\n");
    }
    hsd_buffer_release(&text);
}

static void put_texts(hsd_markdown *doc, const hsd_part *part)
{
    if (part->text_count == 0) return;
    hsd_markdown_begin_list(doc, part->one, part->many);
    for (size_t i = 0; i < part->text_count; i++) {
        if (!hsd_markdown_item(doc)) continue;
        hsd_out_text(&doc->out, "- ");
        hsd_out_escaped(&doc->out, HSD_ESCAPE_MARKDOWN_PROSE, part->texts[i]);
        hsd_out_text(&doc->out, "\n");
    }
    hsd_markdown_end(doc);
}

/* ---- tables ---- */

static void put_cell(hsd_markdown *doc, const hsd_column *column, const hsd_scope *scope, bool is_exact)
{
    char number[HSD_CELL_CHARS];
    hsd_buffer text = {0};
    if (!hsd_cell_is_text(column)) {
        hsd_markdown_cell(doc, hsd_cell_number(number, column, scope, is_exact));
        return;
    }
    if (doc->out.status == HSD_OK) doc->out.status = hsd_cell_append(&text, column, scope, doc->out.err);
    hsd_markdown_cell_name(doc, (hsd_text){(const char *)text.data, text.size});
    hsd_buffer_release(&text);
}

static void put_cells(hsd_markdown *doc, const hsd_model *model, const hsd_cells *cells, size_t from,
                      const hsd_scope *scope)
{
    for (size_t i = from; i < cells->count; i++)
        put_cell(doc, cells->columns[i], scope, model->options->exact_bytes);
}

/* The others, the total: always there. */
static void put_sum(hsd_markdown *doc, const hsd_model *model, const hsd_cells *cells, const char *name,
                    const void *row)
{
    const hsd_scope scope = {.result = model->result, .row = row, .is_rest = true};
    hsd_markdown_last_row(doc);
    hsd_markdown_cell(doc, name);
    put_cells(doc, model, cells, 1, &scope);
}

static void put_table(hsd_markdown *doc, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    const hsd_cells cells = hsd_cells_of(model, part);
    hsd_markdown_column columns[HSD_CELLS_MOST];
    char name[HSD_OTHERS_CHARS];
    if (sheet->is_unknown) return;
    for (size_t i = 0; i < cells.count; i++)
        columns[i] = (hsd_markdown_column){cells.columns[i]->title, !hsd_cell_is_text(cells.columns[i])};
    hsd_markdown_begin_table(doc, columns, cells.count, part->one, part->many);
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(model, sheet, i);
        if (hsd_markdown_row(doc)) put_cells(doc, model, &cells, 0, &scope);
    }
    if (sheet->other_count > 0) put_sum(doc, model, &cells, hsd_others_name(name, part), sheet->others);
    if (sheet->total) put_sum(doc, model, &cells, "**TOTAL**", sheet->total);
    hsd_markdown_end(doc);
}

static void put_document(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    hsd_markdown doc;
    hsd_markdown_init(&doc, options->max_bytes, out->err);
    for (size_t i = 0; i < model->part_count; i++) {
        const hsd_part *part = &model->parts[i];
        if (part->kind == HSD_PART_TABLE)
            put_table(&doc, model, part);
        else if (part->kind == HSD_PART_TEXTS)
            put_texts(&doc, part);
        else if (part->say)
            put_sentence(&doc, model, part);
    }
    const hsd_status status = hsd_markdown_finish(&doc, pass_on, out, out->err);
    if (out->status == HSD_OK) out->status = status;
}

HSD_WRITES_ONE(top, markdown, HSD_IN_PEOPLE, put_document)
HSD_WRITES_ONE(paths, markdown, HSD_IN_PEOPLE, put_document)
