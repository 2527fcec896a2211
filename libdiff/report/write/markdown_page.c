/*
 * The document is one run of bytes with a mark where each part ends. Parts are of three kinds: text that stays,
 * entries, and the end of a list, where the line about what was left out goes. To fit, entries go one by one, the last
 * first.
 */
#include "report/write/markdown_page.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES 160

typedef enum piece_kind { PIECE_TEXT, PIECE_ENTRY, PIECE_END } piece_kind;

typedef struct piece {
    size_t size;
    piece_kind kind;
    bool is_left_out;
    bool is_table; /* of PIECE_END, as all that follows */
    const char *one, *many;
    uint64_t left; /* entries that are not there */
} piece;

static hsd_status gather_markdown_page_writer(void *context, const void *data, size_t size, hsd_error *err)
{
    hsd_markdown *doc = context;
    return hsd_buffer_append(&doc->text, data, size, err);
}

void hsd_markdown_init(hsd_markdown *doc, size_t max_bytes, hsd_error *err)
{
    *doc = (hsd_markdown){.max_bytes = max_bytes > 0 ? max_bytes : HSD_MARKDOWN_USUAL_BYTES};
    hsd_out_init(&doc->out, gather_markdown_page_writer, doc, err);
}

void hsd_markdown_release(hsd_markdown *doc)
{
    hsd_buffer_release(&doc->out.buffer);
    hsd_buffer_release(&doc->text);
    hsd_buffer_release(&doc->pieces);
}

/* ---- parts ---- */

/* What was written since the last piece becomes one. */
static void close_piece(hsd_markdown *doc, piece_kind kind)
{
    piece part = {.size = doc->text.size + doc->out.buffer.size - doc->closed_bytes, .kind = kind};
    if (doc->out.status != HSD_OK) return;
    if (kind == PIECE_ENTRY) doc->entry_bytes += part.size;
    if (kind == PIECE_END) {
        part.is_table = doc->is_table;
        part.one = doc->one;
        part.many = doc->many;
        part.left = doc->left;
    }
    doc->closed_bytes += part.size;
    doc->out.status = hsd_buffer_append(&doc->pieces, &part, sizeof part, doc->out.err);
}

void hsd_markdown_begin_list(hsd_markdown *doc, const char *one, const char *many)
{
    close_piece(doc, PIECE_TEXT);
    doc->one = one;
    doc->many = many;
    doc->is_table = doc->has_entry = false;
    doc->entry_bytes = 0;
    doc->left = 0;
}

void hsd_markdown_begin_rows(hsd_markdown *doc, const char *one, const char *many)
{
    hsd_markdown_begin_list(doc, one, many);
    doc->is_table = true;
}

static void end_entry(hsd_markdown *doc)
{
    if (!doc->has_entry) return;
    if (doc->is_table) hsd_out_text(&doc->out, "|\n");
    close_piece(doc, doc->stays ? PIECE_TEXT : PIECE_ENTRY);
    doc->has_entry = doc->stays = false;
}

bool hsd_markdown_item(hsd_markdown *doc)
{
    end_entry(doc);
    if (doc->entry_bytes > doc->max_bytes) { /* and with it all that follow */
        doc->left++;
        return false;
    }
    doc->has_entry = true;
    return true;
}

bool hsd_markdown_row(hsd_markdown *doc) { return hsd_markdown_item(doc); }

void hsd_markdown_last_row(hsd_markdown *doc)
{
    end_entry(doc);
    doc->has_entry = doc->stays = true;
}

void hsd_markdown_end(hsd_markdown *doc)
{
    end_entry(doc);
    close_piece(doc, PIECE_END);
    hsd_out_text(&doc->out, "\n");
}

/* ---- names ---- */

void hsd_markdown_cell(hsd_markdown *doc, const char *text) { hsd_out_format(&doc->out, "| %s ", text); }

void hsd_markdown_cell_name(hsd_markdown *doc, hsd_text name)
{
    hsd_out_text(&doc->out, "| ");
    hsd_out_name(&doc->out, HSD_ESCAPE_MARKDOWN, name);
    hsd_out_text(&doc->out, " ");
}

/* ---- fitting ---- */

static piece *pieces_of(const hsd_markdown *doc) { return (piece *)(void *)doc->pieces.data; }
static size_t count_of(const hsd_markdown *doc) { return doc->pieces.size / sizeof(piece); }

/* The line about what is left out, at the end of a list; "" where nothing is. Returns its length. */
static size_t line_of(const piece *end, char line[LINE_BYTES])
{
    char count[HSD_NUMBER_CHARS];
    line[0] = 0;
    if (end->left == 0) return 0;
    snprintf(line, LINE_BYTES, "%s%s more %s %s left out here.\n", end->is_table ? "\n" : "- ",
             hsd_format_count(count, end->left), end->left == 1 ? end->one : end->many, end->left == 1 ? "is" : "are");
    return strlen(line);
}

/* Leaves out entries from the end until all of it has at most max_bytes; returns how many it has then. */
static size_t fit(hsd_markdown *doc)
{
    char line[LINE_BYTES];
    piece *pieces = pieces_of(doc), *end = NULL;
    size_t size = doc->closed_bytes;
    for (size_t i = 0; i < count_of(doc); i++)
        if (pieces[i].kind == PIECE_END) size += line_of(&pieces[i], line);
    for (size_t i = count_of(doc); i > 0 && size > doc->max_bytes; i--) {
        piece *part = &pieces[i - 1];
        if (part->kind == PIECE_END) end = part;
        if (part->kind != PIECE_ENTRY) continue;
        size -= part->size + line_of(end, line);
        part->is_left_out = true;
        end->left++;
        size += line_of(end, line);
    }
    return size;
}

static void print(const hsd_markdown *doc, hsd_out *out)
{
    char line[LINE_BYTES];
    const piece *pieces = pieces_of(doc);
    size_t at = 0;
    for (size_t i = 0; i < count_of(doc); i++) {
        if (!pieces[i].is_left_out && pieces[i].size > 0) hsd_out_bytes(out, doc->text.data + at, pieces[i].size);
        if (pieces[i].kind == PIECE_END && line_of(&pieces[i], line) > 0) hsd_out_text(out, line);
        at += pieces[i].size;
    }
}

/* Passes on what `out` still has, so that doc->text is complete. */
static hsd_status gather_rest(hsd_markdown *doc)
{
    hsd_out *out = &doc->out;
    close_piece(doc, PIECE_TEXT);
    if (out->status == HSD_OK && out->buffer.size > 0)
        out->status = hsd_buffer_append(&doc->text, out->buffer.data, out->buffer.size, out->err);
    hsd_buffer_clear(&out->buffer);
    return out->status;
}

hsd_status hsd_markdown_finish(hsd_markdown *doc, hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_status status = gather_rest(doc);
    if (status == HSD_OK) {
        const size_t size = fit(doc);
        if (size > doc->max_bytes)
            status = hsd_fail(err, HSD_E_MISUSE, "%zu bytes are too few for this report; %zu suffice for its head",
                              doc->max_bytes, size);
    }
    if (status == HSD_OK) {
        hsd_out out;
        hsd_out_init(&out, write, context, err);
        print(doc, &out);
        status = hsd_out_finish(&out);
    }
    hsd_markdown_release(doc);
    return status;
}
