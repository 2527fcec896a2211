/*
 * The frame of the report's page and of the viewer's: head, policy, style, records, script.
 */
#include "report/write/html/page.h"

#include <string.h>

#include "report/write/html/base64.h"
#include "report/write/html/bundle.h"
#include "report/write/html/html.h"
#include "report/write/html/parts.h"

#define POLICY(script, style, connect)                                                                                 \
    "default-src 'none'; script-src " script "; style-src " style "; img-src data:; " connect                          \
    "base-uri 'none'; form-action 'none'"

static const char report_policy[] = POLICY(HSD_REPORT_SCRIPT_SOURCE, HSD_REPORT_STYLE_SOURCE, "");
const char hsd_html_view_policy[] = POLICY(HSD_VIEW_SCRIPT_SOURCE, HSD_VIEW_STYLE_SOURCE, "connect-src 'self'; ");

/* ---- head and end, of both pages ---- */

static void put_head(hsd_out *out, const char *policy)
{
    hsd_out_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                      "http-equiv=\"Content-Security-Policy\" content=\"");
    hsd_out_text(out, policy);
    hsd_out_text(
        out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" "
             "content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n");
}

static void put_style(hsd_out *out, hsd_bytes style)
{
    hsd_out_text(out, "<style>");
    hsd_out_bytes(out, style.data, style.size);
    hsd_out_text(out, "</style>\n</head>\n");
}

static void put_script(hsd_out *out, hsd_bytes script)
{
    hsd_out_text(out, "<script>");
    hsd_out_bytes(out, script.data, script.size);
    hsd_out_text(out, "</script>\n</body>\n</html>\n");
}

hsd_status hsd_html_view_page(hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_out out;
    hsd_out_init(&out, write, context, err);
    put_head(&out, hsd_html_view_policy);
    /* or browsers ask for /favicon.ico */
    hsd_out_text(&out, "<title>hsdiff</title>\n<link rel=\"icon\" href=\"data:,\">\n");
    put_style(&out, hsd_html_view_css);
    hsd_out_text(
        &out,
        "<body data-kind=\"view\">\n<a class=\"skip\" href=\"#main\">To the content</a>\n<main "
        "id=\"main\">\n<noscript><p>The viewer "
        "needs JavaScript; hsdiff BEFORE AFTER --html FILE writes a report that does not.</p></noscript>\n</main>\n");
    put_script(&out, hsd_html_view_js);
    return hsd_out_finish(&out);
}

/* ---- the report ---- */

void hsd_html_begin_head(hsd_html *page) { put_head(&page->out, report_policy); }

void hsd_html_begin_body(hsd_html *page, const char *kind)
{
    hsd_out *out = &page->out;
    hsd_out_text(out, "</title>\n");
    put_style(out, hsd_html_report_css);
    hsd_out_format(out, "<body data-kind=\"%s\">\n", kind);
    hsd_out_text(out, "<a class=\"skip\" href=\"#main\">To the content</a>\n<header><p>hsdiff: what grew in a heap, "
                      "and what keeps it "
                      "alive</p></header>\n<main id=\"main\">\n<section id=\"answer\" "
                      "aria-labelledby=\"answer-title\">\n<h1 id=\"answer-title\">");
}

void hsd_html_open(hsd_html *page, const char *kind, hsd_buffer *answer)
{
    hsd_html_begin_head(page);
    hsd_out_text(&page->out, "<title>");
    hsd_html_prose(page, answer);
    hsd_html_begin_body(page, kind);
    hsd_html_prose(page, answer);
    hsd_out_text(&page->out, "</h1>\n");
    hsd_buffer_release(answer);
}

void hsd_html_relation(hsd_html *page, hsd_buffer *text)
{
    hsd_out_text(&page->out, "<p class=\"relation\">");
    hsd_html_prose(page, text);
    hsd_out_text(&page->out, "</p>\n");
    hsd_buffer_release(text);
}

void hsd_html_end_answer(hsd_html *page) { hsd_out_text(&page->out, "</section>\n"); }

void hsd_html_close_static(hsd_html *page) { hsd_out_text(&page->out, "</main>\n</body>\n</html>\n"); }

void hsd_html_close(hsd_html *page, const hsd_buffer *packed)
{
    hsd_out_text(&page->out, "</main>\n<script type=\"application/octet-stream\" id=\"data\">\n");
    hsd_base64(&page->out, packed->data, packed->size);
    hsd_out_text(&page->out, "</script>\n");
    put_script(&page->out, hsd_html_report_js);
}

/* ---- sections ---- */

void hsd_html_begin(hsd_html *page, const char *id, const char *heading)
{
    hsd_out_format(
        &page->out,
        "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n<div class=\"static\">\n", id,
        id, id, heading);
}

void hsd_html_end(hsd_html *page) { hsd_out_text(&page->out, "</div>\n</section>\n"); }

void hsd_html_empty(hsd_html *page, const char *id, const char *heading, const char *what)
{
    hsd_html_begin(page, id, heading);
    hsd_out_format(&page->out, "<p class=\"noscript\">JavaScript draws %s.</p>\n", what);
    hsd_html_end(page);
}

/* ---- the whole ---- */

hsd_status hsd_html_write(const hsd_html_subject *subject, void (*put)(hsd_html *page, const hsd_html_subject *subject),
                          const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_html page = {.options = options};
    hsd_buffer packed = {0};
    hsd_status status = hsd_html_pack(&packed, subject, options, err);
    if (status == HSD_OK) {
        hsd_out_init(&page.out, write, context, err);
        put(&page, subject);
        hsd_html_close(&page, &packed);
        status = hsd_out_finish(&page.out);
    }
    hsd_buffer_release(&packed);
    return status;
}
