/*
 * Foreign text, numbers and tables as HTML. Foreign text gets the visible marks of a terminal and then the entities of
 * XML, so it can neither be markup nor turn the direction of what stands around it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/words/address_names.h"
#include "report/words/number.h"
#include "report/words/utf8.h"
#include "report/write/html/page.h"

#define NAME_BYTES  300 /* of a longer name head and tail */
#define RAW_BYTES   1500
#define PROSE_BYTES 4000

hsd_status hsd_html_gather(void *buffer, const void *data, size_t size, hsd_error *err)
{
    return hsd_buffer_append(buffer, data, size, err);
}

/* ---- text ---- */

/* The first byte of the character at `at`; a byte that is none is one by itself. */
static size_t start_of_character(hsd_text text, size_t at)
{
    size_t back = 0;
    uint32_t code;
    while (back < 3 && back < at && ((unsigned char)text.data[at - back] & 0xC0u) == 0x80)
        back++;
    return hsd_utf8_next(text.data + at - back, back + 1, &code) > back ? at - back : at;
}

/* Two thirds of `most` from its head, one from its tail. */
static void put_cut(hsd_out *out, hsd_text text, size_t most)
{
    if (text.size <= most) {
        hsd_out_escaped(out, HSD_ESCAPE_XML, text);
        return;
    }
    const size_t head = start_of_character(text, most / 3 * 2), tail = start_of_character(text, text.size - most / 3);
    hsd_out_escaped(out, HSD_ESCAPE_XML, (hsd_text){text.data, head});
    hsd_out_text(out, "\xE2\x80\xA6");
    hsd_out_escaped(out, HSD_ESCAPE_XML, (hsd_text){text.data + tail, text.size - tail});
}

/* What people read of addresses that nobody has named; the whole, by which two builds differ, is its title. */
static void put_addresses(hsd_out *out, hsd_text name)
{
    char *plain = malloc(name.size);
    if (plain == NULL) {
        out->status = hsd_fail_nomem(out->err, "a name");
        return;
    }
    const hsd_text said = {plain, hsd_plain_address_names(name.data, name.size, true, plain)};
    hsd_out_text(out, "<span title=\"");
    put_cut(out, name, NAME_BYTES);
    hsd_out_text(out, "\">");
    put_cut(out, said, NAME_BYTES);
    hsd_out_text(out, "</span>");
    free(plain);
}

void hsd_html_name(hsd_html *page, hsd_text name)
{
    if (page->out.status != HSD_OK) return;
    if (name.size == 0)
        hsd_out_text(&page->out, "(no name)");
    else if (hsd_has_address_names(name.data, name.size))
        put_addresses(&page->out, name);
    else
        put_cut(&page->out, name, NAME_BYTES);
}

void hsd_html_raw(hsd_html *page, hsd_buffer *raw)
{
    put_cut(&page->out, (hsd_text){(const char *)raw->data, raw->size}, RAW_BYTES);
    hsd_buffer_release(raw);
}

static void put_character(hsd_out *out, const char *at)
{
    switch (*at) {
    case '&': hsd_out_text(out, "&amp;"); break;
    case '<': hsd_out_text(out, "&lt;"); break;
    case '>': hsd_out_text(out, "&gt;"); break;
    case '"': hsd_out_text(out, "&quot;"); break;
    case '\'': hsd_out_text(out, "&#39;"); break;
    default: hsd_out_bytes(out, at, 1);
    }
}

static bool is_blank(char c) { return c == ' ' || c == '\n'; }

void hsd_html_prose(hsd_html *page, const hsd_buffer *text)
{
    const char *at = (const char *)text->data;
    const size_t size =
        text->size > PROSE_BYTES ? start_of_character((hsd_text){at, text->size}, PROSE_BYTES) : text->size;
    bool has_word = false;
    for (size_t i = 0; i < size; i++) {
        if (is_blank(at[i])) continue;
        if (has_word && is_blank(at[i - 1])) hsd_out_text(&page->out, " ");
        put_character(&page->out, at + i);
        has_word = true;
    }
    if (size < text->size) hsd_out_text(&page->out, "\xE2\x80\xA6");
}

void hsd_html_paragraph(hsd_html *page, hsd_buffer *text)
{
    if (text->size > 0) {
        hsd_out_text(&page->out, "<p>");
        hsd_html_prose(page, text);
        hsd_out_text(&page->out, "</p>\n");
    }
    hsd_buffer_release(text);
}

/* ---- numbers ---- */

char *hsd_html_size(const hsd_html *page, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return page->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

char *hsd_html_growth(const hsd_html *page, char out[HSD_NUMBER_CHARS], int64_t bytes)
{
    return page->options->exact_bytes ? hsd_format_exact_signed(out, bytes) : hsd_format_bytes_signed(out, bytes);
}

const char *hsd_html_sign(int64_t growth) { return growth > 0 ? "up" : growth < 0 ? "down" : "same"; }

/* ---- tables ---- */

void hsd_html_begin_table(hsd_html *page, const char *const *headings, size_t count)
{
    hsd_out_text(&page->out, "<div class=\"scroll\"><table>\n<thead><tr>");
    for (size_t i = 0; i < count; i++)
        hsd_out_format(&page->out, "<th scope=\"col\"%s>%s</th>", i > 0 ? " class=\"n\"" : "", headings[i]);
    hsd_out_text(&page->out, "</tr></thead>\n<tbody>\n");
}

void hsd_html_begin_row(hsd_html *page, const char *class_name, hsd_text name)
{
    hsd_out_format(&page->out, "<tr%s%s%s>", class_name ? " class=\"" : "", class_name ? class_name : "",
                   class_name ? "\"" : "");
    hsd_out_text(&page->out, "<th scope=\"row\" class=\"name\">");
    hsd_html_name(page, name);
    hsd_out_text(&page->out, "</th>");
}

void hsd_html_begin_sum(hsd_html *page, const char *class_name, const char *name)
{
    hsd_html_begin_row(page, class_name, (hsd_text){name, strlen(name)});
}

void hsd_html_cell_text(hsd_html *page, const char *class_name, hsd_text number)
{
    hsd_out_format(&page->out, "<td class=\"n%s%s\">", class_name ? " " : "", class_name ? class_name : "");
    hsd_out_escaped(&page->out, HSD_ESCAPE_XML, number);
    hsd_out_text(&page->out, "</td>");
}

void hsd_html_cell(hsd_html *page, const char *number)
{
    hsd_html_cell_text(page, NULL, (hsd_text){number, strlen(number)});
}

void hsd_html_end_row(hsd_html *page) { hsd_out_text(&page->out, "</tr>\n"); }

void hsd_html_end_table(hsd_html *page) { hsd_out_text(&page->out, "</tbody>\n</table></div>\n"); }

void hsd_html_begin_fact(hsd_html *page, const char *label)
{
    hsd_out_format(&page->out, "<div><dt>%s</dt><dd>", label);
}

void hsd_html_end_fact(hsd_html *page) { hsd_out_text(&page->out, "</dd></div>\n"); }
