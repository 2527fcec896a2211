/*
 * The gathering buffer of reports: passes bytes on in pieces of some 64 KiB, and remembers the
 * first failure so that the layouts above need not look at one.
 */
#include "report/write/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/words/address_names.h"
#include "report/words/shorten.h"
#include "report/words/utf8.h"
#include "report/words/width.h"

#define FLUSH_BYTES  ((size_t)64 << 10)
#define NAME_COLUMNS 120 /* in Markdown wider names are cut in the middle */
#define HEAD_BYTES   400 /* of a name longer than both, whatever columns it takes */
#define TAIL_BYTES   200
#define LINE_COLUMNS 80

void hsd_out_init(hsd_out *out, hsd_write_fn write, void *context, hsd_error *err)
{
    *out = (hsd_out){.write = write, .context = context, .err = err, .status = HSD_OK};
}

static void flush(hsd_out *out)
{
    if (out->in_paragraph) return;
    if (out->status == HSD_OK && out->buffer.size > 0)
        out->status = out->write(out->context, out->buffer.data, out->buffer.size, out->err);
    hsd_buffer_clear(&out->buffer);
}

void hsd_out_bytes(hsd_out *out, const void *data, size_t size)
{
    if (out->status != HSD_OK) return;
    out->status = hsd_buffer_append(&out->buffer, data, size, out->err);
    if (out->buffer.size >= FLUSH_BYTES) flush(out);
}

void hsd_out_text(hsd_out *out, const char *text) { hsd_out_bytes(out, text, strlen(text)); }

void hsd_out_repeat(hsd_out *out, char c, size_t count)
{
    char piece[64];
    memset(piece, c, sizeof piece);
    for (; count > sizeof piece; count -= sizeof piece)
        hsd_out_bytes(out, piece, sizeof piece);
    hsd_out_bytes(out, piece, count);
}

void hsd_out_format(hsd_out *out, const char *format, ...)
{
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof piece) {
        if (out->status == HSD_OK) out->status = hsd_fail(out->err, HSD_E_MISUSE, "a piece of a report is too long");
        return;
    }
    hsd_out_bytes(out, piece, (size_t)size);
}

void hsd_out_escaped(hsd_out *out, hsd_escape_form form, hsd_text text)
{
    if (out->status != HSD_OK) return;
    out->status = hsd_escape_append(&out->buffer, form, text.data, text.size, out->err);
    if (out->buffer.size >= FLUSH_BYTES) flush(out);
}

void hsd_out_said(hsd_out *out, hsd_escape_form form, hsd_text text)
{
    hsd_arena arena = {0};
    if (out->status == HSD_OK && hsd_has_address_names(text.data, text.size)) {
        char *plain = hsd_arena_take(&arena, text.size);
        if (plain == NULL) out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a name");
        if (plain != NULL) text = (hsd_text){plain, hsd_plain_address_names(text.data, text.size, false, plain)};
    }
    hsd_out_escaped(out, form, text);
    hsd_arena_release(&arena);
}

/* ---- names ---- */

/* The first byte of the character at `at`; a byte that is none is one by itself. */
static size_t start_of_character(const char *text, size_t at)
{
    size_t back = 0;
    while (back < 3 && back < at && ((unsigned char)text[at - back] & 0xC0u) == 0x80)
        back++;
    uint32_t code;
    return hsd_utf8_next(text + at - back, back + 1, &code) > back ? at - back : at;
}

/* Bounds what a name takes, be it made of characters without a width: head, an ellipsis, tail. */
static hsd_status cut_bytes(hsd_short_name *name, hsd_arena *arena, hsd_error *err)
{
    static const char mark[] = "\xE2\x80\xA6";
    if (name->full_size <= HEAD_BYTES + TAIL_BYTES) return HSD_OK;
    const size_t head = start_of_character(name->full, HEAD_BYTES),
                 tail = start_of_character(name->full, name->full_size - TAIL_BYTES),
                 tail_size = name->full_size - tail;
    char *cut = hsd_arena_take(arena, head + sizeof mark + tail_size);
    if (!cut) return hsd_fail(err, HSD_E_NOMEM, "no memory to shorten a name");
    memcpy(cut, name->full, head);
    memcpy(cut + head, mark, sizeof mark - 1);
    memcpy(cut + head + sizeof mark - 1, name->full + tail, tail_size);
    name->full = cut;
    name->full_size = head + sizeof mark - 1 + tail_size;
    return HSD_OK;
}

void hsd_out_name(hsd_out *out, hsd_escape_form form, hsd_text name)
{
    hsd_arena arena = {0};
    hsd_short_name part = {.full = name.data, .full_size = name.size};
    if (out->status != HSD_OK) return;
    if (name.size == 0) {
        hsd_out_text(out, "(no name)");
        return;
    }
    if (form != HSD_ESCAPE_MARKDOWN) {
        hsd_out_escaped(out, form, name);
        return;
    }
    out->status = cut_bytes(&part, &arena, out->err);
    if (out->status == HSD_OK) out->status = hsd_shorten_names(&part, 1, NAME_COLUMNS, true, &arena, out->err);
    if (out->status == HSD_OK) hsd_out_escaped(out, HSD_ESCAPE_MARKDOWN, (hsd_text){part.text, part.size});
    hsd_arena_release(&arena);
}

/* ---- paragraphs ---- */

void hsd_out_begin_paragraph(hsd_out *out)
{
    out->in_paragraph = true;
    out->paragraph_start = out->buffer.size;
}

/* "::" behind blanks: at the start of a line build servers take it for a command, so no break may bring it there. */
static bool is_command(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && text[at] == ' ')
        at++;
    return size - at >= 2 && text[at] == ':' && text[at + 1] == ':';
}

size_t hsd_out_columns(const hsd_out *out)
{
    return out->line_columns > 0 && out->line_columns < LINE_COLUMNS ? out->line_columns : LINE_COLUMNS;
}

/* Writes the words of `text` anew, with breaks. */
static void write_lines(hsd_out *out, const char *text, size_t size, size_t indent)
{
    const size_t columns = hsd_out_columns(out);
    size_t column = 0;
    bool has_word = false; /* a line of blanks alone is none */
    for (size_t at = 0; at < size;) {
        const char *blank = memchr(text + at + 1, ' ', size - at - 1); /* a piece is a blank and a word */
        const size_t end = blank ? (size_t)(blank - text) : size, width = hsd_width_of_text(text + at, end - at);
        if (column + width > columns && has_word && text[at] == ' ' && !is_command(text + at, size - at)) {
            hsd_out_text(out, "\n");
            hsd_out_repeat(out, ' ', indent);
            column = indent;
            at++; /* the blank that became a break */
            hsd_out_bytes(out, text + at, end - at);
            column += width - 1;
        } else {
            hsd_out_bytes(out, text + at, end - at);
            column += width;
        }
        has_word = has_word || width > 1 || text[end - 1] != ' ';
        at = end;
    }
    hsd_out_text(out, "\n");
}

void hsd_out_end_paragraph(hsd_out *out, size_t indent)
{
    hsd_buffer text = {0};
    out->in_paragraph = false;
    if (out->status != HSD_OK) return;
    const size_t size = out->buffer.size - out->paragraph_start;
    out->status = hsd_buffer_append(&text, out->buffer.data + out->paragraph_start, size, out->err);
    out->buffer.size = out->paragraph_start;
    if (out->status == HSD_OK) write_lines(out, (const char *)text.data, size, indent);
    hsd_buffer_release(&text);
}

hsd_status hsd_out_finish(hsd_out *out)
{
    flush(out);
    hsd_buffer_release(&out->buffer);
    return out->status;
}
