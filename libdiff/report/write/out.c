/*
 * The gathering buffer of reports: passes bytes on in pieces of some 64 KiB, and remembers the
 * first failure so that the layouts above need not look at one.
 */
#include "report/write/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/words/width.h"

#define FLUSH_BYTES  ((size_t)64 << 10)
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

/* Writes the words of `text` anew, with breaks. */
static void write_lines(hsd_out *out, const char *text, size_t size, size_t indent)
{
    size_t column = 0;
    bool has_word = false; /* a line of blanks alone is none */
    for (size_t at = 0; at < size;) {
        const char *blank = memchr(text + at + 1, ' ', size - at - 1); /* a piece is a blank and a word */
        const size_t end = blank ? (size_t)(blank - text) : size, width = hsd_width_of_text(text + at, end - at);
        if (column + width > LINE_COLUMNS && has_word && text[at] == ' ' && !is_command(text + at, size - at)) {
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

void hsd_out_warnings(hsd_out *out, hsd_escape_form form, const hsd_text *warnings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hsd_out_begin_paragraph(out);
        hsd_out_text(out, "! ");
        hsd_out_escaped(out, form, warnings[i]);
        hsd_out_end_paragraph(out, 2);
    }
    if (count > 0) hsd_out_text(out, "\n");
}

hsd_status hsd_out_finish(hsd_out *out)
{
    flush(out);
    hsd_buffer_release(&out->buffer);
    return out->status;
}
