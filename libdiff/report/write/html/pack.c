/*
 * The records of a page, packed. They are made again with fewer rows as long as they do not fit: that takes a few
 * passes in the worst case and no memory but for what fits.
 */
#include <string.h>

#include "io/zip.h"
#include "report/write/html/html.h"
#include "report/write/html/parts.h"
#include "report/write/ndjson.h"

/* Of a table, before rows of the next go. A site has up to 32 frames. */
#define FEW_ROWS  ((size_t)1000)
#define FEW_SITES ((size_t)100)

typedef struct packing {
    const hsd_html_subject *subject;
    const hsd_report_options *options;
    hsd_zip *zip;
    hsd_buffer *packed;
    bool is_full;
} packing;

static hsd_status take_pack_writer(void *context, const void *data, size_t size, hsd_error *err)
{
    packing *p = context;
    if (size > HSD_HTML_PACKED_MOST - p->packed->size) {
        p->is_full = true;
        return hsd_fail(err, HSD_E_UNSUPPORTED,
                        "the names of this heap are too long for a page of HTML: its records take more than 7 MiB");
    }
    return hsd_buffer_append(p->packed, data, size, err);
}

static hsd_status zip(void *context, const void *data, size_t size, hsd_error *err)
{
    return hsd_zip_write(context, data, size, err);
}

/* ---- records ---- */

static const char *kind_of(const hsd_html_subject *subject)
{
    return subject->check ? "check" : subject->diff ? "diff" : "series";
}

static void put_made(hsd_json_writer *json, const packing *p)
{
    hsd_html_made made = {0};
    hsd_out *out = json->out;
    if (out->status == HSD_OK) out->status = hsd_html_made_of(&made, p->subject, p->options, out->err);
    hsd_json_open_list(json, "made", HSD_JSON_INLINE);
    for (size_t i = 0; i < made.count; i++) {
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_string(json, "label", made.labels[i]);
        hsd_json_put_text(json, "text", (hsd_text){(const char *)made.texts[i].data, made.texts[i].size});
        hsd_json_close(json);
    }
    hsd_json_close(json);
    hsd_html_made_release(&made);
}

static void put_page(hsd_out *out, const packing *p)
{
    hsd_json_writer json;
    hsd_ndjson_begin(&json, out, "hsdiff.page/1", "page");
    hsd_json_put_string(&json, "kind", kind_of(p->subject));
    hsd_json_put_string(&json, "of", p->subject->diff ? "diff" : "series");
    hsd_json_put_string(&json, "version", HSDIFF_VERSION);
    hsd_json_put_string(&json, "generated_by", "hsdiff " HSDIFF_VERSION);
    hsd_json_put_count(&json, "noise_bytes", hsd_html_noise(p->subject, p->options));
    hsd_json_put_flag(&json, "exact_bytes", p->options->exact_bytes);
    put_made(&json, p);
    hsd_ndjson_end(&json);
}

static hsd_status pack_once(packing *p, const hsd_most *most, hsd_error *err)
{
    const hsd_html_subject *subject = p->subject;
    hsd_out out;
    p->is_full = false;
    hsd_buffer_clear(p->packed);
    HSD_TRY(hsd_zip_new(&p->zip, HSD_ZIP_GZIP, take_pack_writer, p, err));
    hsd_out_init(&out, zip, p->zip, err);
    put_page(&out, p);
    if (subject->check) hsd_ndjson_put_result(&out, &(hsd_reported){.check = subject->check}, p->options, most);
    if (subject->diff) hsd_ndjson_put_result(&out, &(hsd_reported){.diff = subject->diff}, p->options, most);
    if (subject->series) hsd_ndjson_put_result(&out, &(hsd_reported){.series = subject->series}, p->options, most);
    hsd_status status = hsd_out_finish(&out);
    if (status == HSD_OK) status = hsd_zip_finish(p->zip, err);
    hsd_zip_free(p->zip);
    return status;
}

/* ---- fitting ---- */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static hsd_most most_of(const packing *p)
{
    const hsd_diff *diff = p->subject->diff;
    const hsd_series *series = p->subject->series;
    const size_t top = least(p->options->top > 0 ? p->options->top : HSD_TOP_ALL, HSD_HTML_ROWS_MOST);
    return (hsd_most){.types = least(top, diff ? diff->type_count : series->types.row_count),
                      .roots = least(top, diff ? diff->root_count : series->roots.row_count),
                      .holders = least(top, diff ? diff->holder_count : series->holders.row_count),
                      .sites = diff ? least(top, diff->site_count) : 0,
                      .tree = diff ? least(HSD_HTML_ROWS_MOST, diff->tree_count) : 0,
                      .sizes = diff ? least(top, diff->size_count) : 0,
                      .ages = series ? least(top, series->cohorts.type_count) : 0};
}

/* Half as many rows of the first table that has more than few, else of the first that has any. False when none has. */
static bool reduce(hsd_most *most)
{
    const struct {
        size_t *rows, few;
    } tables[] = {{&most->types, FEW_ROWS}, {&most->tree, FEW_ROWS},   {&most->ages, FEW_ROWS},
                  {&most->roots, FEW_ROWS}, {&most->sites, FEW_SITES}, {&most->holders, FEW_ROWS},
                  {&most->sizes, FEW_ROWS}};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
            if (*tables[i].rows <= (round == 0 ? tables[i].few : 0)) continue;
            *tables[i].rows /= 2;
            return true;
        }
    return false;
}

hsd_status hsd_html_pack(hsd_buffer *packed, const hsd_html_subject *subject, const hsd_report_options *options,
                         hsd_error *err)
{
    packing p = {.subject = subject, .options = options, .packed = packed};
    hsd_most most = most_of(&p);
    hsd_status status =
        hsd_zip_is_known() ? HSD_OK
                           : hsd_fail(err, HSD_E_UNSUPPORTED, "this build cannot write HTML: it was made without zlib");
    if (status != HSD_OK) hsd_error_set_hint(err, "--format json or markdown holds the same figures");
    while (status == HSD_OK) {
        status = pack_once(&p, &most, err);
        if (!p.is_full || !reduce(&most)) return status;
        status = HSD_OK;
    }
    return status;
}

/* ---- for the viewer ---- */

static hsd_status pack_to(const hsd_html_subject *subject, const hsd_report_options *options, hsd_write_fn write,
                          void *context, hsd_error *err)
{
    hsd_buffer packed = {0};
    hsd_status status = hsd_html_pack(&packed, subject, options, err);
    if (status == HSD_OK) status = write(context, packed.data, packed.size, err);
    hsd_buffer_release(&packed);
    return status;
}

hsd_status hsd_html_pack_diff(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write,
                              void *context, hsd_error *err)
{
    return pack_to(&(hsd_html_subject){.diff = diff}, options, write, context, err);
}

hsd_status hsd_html_pack_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                                void *context, hsd_error *err)
{
    return pack_to(&(hsd_html_subject){.series = series}, options, write, context, err);
}
