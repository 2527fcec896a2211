/*
 * Tables that are kinds of records: one row a record, as it stands in the capture.
 */
#include <hscapture/hscapture.h>

#include "base/check.h"
#include "export/tables/fill.h"

static void put_string(hsd_inserter *in, const hsd_record *r)
{
    hsd_put_count(in, r->string.id);
    hsd_put_text(in, r->string.text);
}

static void put_label(hsd_inserter *in, const hsd_record *r)
{
    static const char *const kinds[] = {"field", "element", "variable", "static", "key", "value", "internal", "class"};
    const uint32_t kind = r->label.kind, strength = r->label.flags & HSC_STRENGTH_MASK;
    hsd_put_count(in, r->label.id);
    hsd_put_word(in, kind < HSD_ARRAY_LEN(kinds) ? kinds[kind] : "field");
    hsd_put_word(in, (strength & HSC_STRENGTH_WEAK) != 0 ? "weak" : strength == HSC_STRENGTH_SOFT ? "soft" : "strong");
    hsd_put_some(in, r->label.name);
    hsd_put_count(in, (r->label.flags & HSC_LABEL_NAMED_ROOT) != 0);
    hsd_put_count(in, (r->label.flags & HSC_LABEL_FOLD) != 0);
}

static void put_site(hsd_inserter *in, const hsd_record *r)
{
    hsd_put_count(in, r->site.id);
    hsd_put_some(in, r->site.parent);
    hsd_put_some(in, r->site.function);
    hsd_put_some(in, r->site.file);
    hsd_put_some(in, r->site.line);
    hsd_put_some(in, r->site.column);
}

static void put_thread(hsd_inserter *in, const hsd_record *r)
{
    hsd_put_count(in, r->thread.id);
    hsd_put_some(in, r->thread.name);
}

static void put_frame(hsd_inserter *in, const hsd_record *r)
{
    hsd_put_count(in, r->frame.thread);
    hsd_put_count(in, r->frame.depth);
    hsd_put_some(in, r->frame.function);
    hsd_put_some(in, r->frame.file);
    hsd_put_some(in, r->frame.line);
}

static void put_metric(hsd_inserter *in, const hsd_record *r)
{
    hsd_put_count(in, in->count);
    hsd_put_text(in, r->metric.name);
    hsd_put_text_or_null(in, r->metric.unit);
    hsd_put_count(in, r->metric.value);
}

static void put_loss(hsd_inserter *in, const hsd_record *r)
{
    hsd_put_count(in, in->count);
    hsd_put_text(in, r->loss.what);
    hsd_put_count(in, r->loss.count);
}

typedef struct record_table {
    hsd_table table;
    hsd_record_kind kind;
    void (*put)(hsd_inserter *in, const hsd_record *record);
} record_table;

static const record_table tables[] = {
    {HSD_TABLE_OF_STRINGS, HSD_RECORD_STRING, put_string}, {HSD_TABLE_OF_LABELS, HSD_RECORD_LABEL, put_label},
    {HSD_TABLE_OF_SITES, HSD_RECORD_SITE, put_site},       {HSD_TABLE_OF_THREADS, HSD_RECORD_THREAD, put_thread},
    {HSD_TABLE_OF_FRAMES, HSD_RECORD_FRAME, put_frame},    {HSD_TABLE_OF_METRICS, HSD_RECORD_METRIC, put_metric},
    {HSD_TABLE_OF_LOSSES, HSD_RECORD_LOSS, put_loss},
};

static hsd_status copy_table_record(hsd_inserter *in, hsd_record_reader *reader, const record_table *table,
                                    hsd_error *err)
{
    for (;;) {
        hsd_record record;
        const hsd_status status = hsd_record_reader_next(reader, &record, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        table->put(in, &record);
        HSD_TRY(hsd_put_row(in, err));
    }
}

static hsd_status fill_one(hsd_filling *f, unsigned side, const record_table *table, hsd_error *err)
{
    hsd_record_reader *reader = NULL;
    hsd_inserter in;
    hsd_status status = hsd_fill_open(&in, f, side, table->table, 0, err);
    if (status == HSD_OK) status = hsd_record_reader_open(&reader, f->captures[side], table->kind, err);
    if (status == HSD_OK) status = copy_table_record(&in, reader, table, err);
    hsd_record_reader_close(reader);
    return hsd_fill_close(&in, f, status, err);
}

hsd_status hsd_fill_records(hsd_filling *f, unsigned side, const bool *wanted, hsd_error *err)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        if (wanted[tables[i].table]) HSD_TRY(fill_one(f, side, &tables[i], err));
    return HSD_OK;
}
