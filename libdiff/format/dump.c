/* The text form of a capture: FORMAT.md, Appendix A. One function for each kind of line. */
#include <hsdiff/dump.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "format/capture_state.h"
#include "format/object_block.h"

#define TEXT_BYTES  ((size_t)64 << 10)
#define PIECE_BYTES 64 /* the longest thing that put() writes in one go */

/* Text on its way out. The first failure sticks, so that lines need not look at every write. */
typedef struct printer {
    hsd_capture *capture;
    hsd_dump_fn write;
    void *context;
    hsd_error *err;
    hsd_status status;
    size_t used;
    uint64_t objects, references, edges, roots, bytes; /* for the last line */
    char text[TEXT_BYTES];
} printer;

static void flush(printer *p)
{
    if (p->status == HSD_OK && p->used > 0)
        p->status = p->write(p->context, p->text, p->used, p->err);
    p->used = 0;
}

__attribute__((format(printf, 2, 3))) static void put(printer *p, const char *format, ...)
{
    va_list args;
    if (TEXT_BYTES - p->used < PIECE_BYTES) flush(p);
    va_start(args, format);
    const int size = vsnprintf(p->text + p->used, PIECE_BYTES, format, args);
    va_end(args);
    if (size > 0) p->used += (size_t)size < PIECE_BYTES ? (size_t)size : PIECE_BYTES - 1;
}

static void put_char(printer *p, char c)
{
    if (p->used == TEXT_BYTES) flush(p);
    p->text[p->used++] = c;
}

static void put_quoted(printer *p, hsd_text text)
{
    put_char(p, '"');
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c > 0x7e) {
            put(p, "\\x%02x", c);
        } else {
            if (c == '"' || c == '\\') put_char(p, '\\');
            put_char(p, (char)c);
        }
    }
    put_char(p, '"');
}

/* Fields that are left out when they are 0. */
static void put_number(printer *p, const char *name, uint64_t value)
{
    if (value != 0) put(p, " %s=%" PRIu64, name, value);
}

static void put_hex(printer *p, const char *name, uint64_t value)
{
    if (value != 0) put(p, " %s=0x%" PRIx64, name, value);
}

static void put_id_bytes(printer *p, const void *id)
{
    const uint8_t *bytes = id;
    for (size_t i = 0; i < 16; i++)
        put(p, "%02x", bytes[i]);
}

static void put_target(printer *p, uint64_t target, bool is_ordinal)
{
    if (is_ordinal) {
        put(p, " %" PRIu64, target);
    } else {
        put(p, " 0x%" PRIx64, target);
    }
}

/* ---- head and end ---- */

/* One line an entry of INFO or END that is known and not 0 or empty. */
static void dump_facts(printer *p, uint8_t type, unsigned first, const uint64_t *numbers,
                       const hsd_text *texts)
{
    static const char zero_id[16];
    const char *word = type == HSC_BLOCK_END ? "end" : "info";
    for (unsigned key = first; key < HSD_FACT_KEYS; key++) {
        const hsd_text text = texts[key];
        switch (hsd_fact_kind_of(type, key)) {
        case HSD_FACT_TEXT:
            if (text.size == 0) continue;
            put(p, "%s %u ", word, key);
            put_quoted(p, text);
            break;
        case HSD_FACT_ID:
            if (text.size == 0 || memcmp(text.data, zero_id, sizeof zero_id) == 0) continue;
            put(p, "%s %u ", word, key);
            put_id_bytes(p, text.data);
            break;
        case HSD_FACT_NUMBER:
            if (numbers[key] == 0) continue;
            put(p, "%s %u ", word, key);
            if (type == HSC_BLOCK_INFO && (key == HSC_INFO_FACTS || key == HSC_INFO_SUMS))
                put(p, "0x%" PRIx64, numbers[key]);
            else
                put(p, "%" PRIu64, numbers[key]);
            break;
        case HSD_FACT_UNKNOWN: continue;
        }
        put_char(p, '\n');
    }
}

static void dump_head(printer *p)
{
    const hsd_capture *capture = p->capture;
    const hsd_capture_info *info = &capture->info;
    put(p, "capture %u.%u ", info->version_major, info->version_minor);
    put_id_bytes(p, info->capture_id);
    put(p, " targets=%s complete=%s\n", info->targets_are_ordinals ? "ordinals" : "ids",
        info->is_complete ? "yes" : "no");
    dump_facts(p, HSC_BLOCK_INFO, HSC_INFO_PRODUCER, capture->info_number, capture->info_text);
}

static void dump_end(printer *p)
{
    const hsd_capture *capture = p->capture;
    dump_facts(p, HSC_BLOCK_END, HSC_END_STATE, capture->end_number, capture->end_text);
    put(p, "read objects=%" PRIu64, p->objects);
    put(p, " references=%" PRIu64, p->references);
    put(p, " edges=%" PRIu64, p->edges);
    put(p, " roots=%" PRIu64, p->roots);
    put(p, " bytes=%" PRIu64, p->bytes);
    put(p, " blocks=%" PRIu64 "\n", capture->info.blocks);
}

/* ---- objects ---- */

static void dump_object(printer *p, const hsd_object *object)
{
    put(p, "object %" PRIu64 " 0x%" PRIx64, object->ordinal, object->id);
    put_number(p, "type", object->type);
    put_number(p, "size", object->size_bytes);
    put_number(p, "native", object->native_bytes);
    put_number(p, "elements", object->elements);
    put_number(p, "site", object->site);
    put_number(p, "age", object->age);
    put_hex(p, "flags", object->flags);
    put_number(p, "name", object->name);
    put_number(p, "category", object->category);
    put_hex(p, "identity", object->identity);
    put_hex(p, "content", object->content);
    if (object->value.size > 0) {
        put(p, " value=");
        put_quoted(p, object->value);
    }
    put_char(p, '\n');
    p->objects++;
    if ((object->flags & HSD_OBJECT_PSEUDO) == 0)
        p->bytes = hsd_add_saturating(p->bytes, object->size_bytes);
}

static void dump_references(printer *p, const hsd_object *object)
{
    for (uint32_t i = 0; i < object->reference_count; i++) {
        put(p, " ref");
        put_target(p, object->targets[i], p->capture->info.targets_are_ordinals);
        put_number(p, "label", object->labels[i]);
        put_number(p, "index", object->indexes[i]);
        put_char(p, '\n');
    }
    p->references += object->reference_count;
}

static hsd_status dump_objects(printer *p)
{
    hsd_object_reader *reader;
    hsd_object object;
    HSD_TRY(hsd_object_reader_open(&reader, p->capture, HSD_WANT_ALL, p->err));
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, p->err)) == HSD_OK &&
           p->status == HSD_OK) {
        if (!object.is_continuation) dump_object(p, &object);
        dump_references(p, &object);
    }
    hsd_object_reader_close(reader);
    return status < 0 ? status : p->status;
}

/* ---- the other records ---- */

static void dump_string(printer *p, const hsd_record *record)
{
    put(p, "string %u ", (unsigned)record->string.id);
    put_quoted(p, record->string.text);
}

static void dump_type(printer *p, const hsd_record *record)
{
    put(p, "type %u", (unsigned)record->type.id);
    put_hex(p, "flags", record->type.flags);
    put_char(p, ' ');
    put_quoted(p, record->type.name);
}

static void dump_label(printer *p, const hsd_record *record)
{
    put(p, "label %u", (unsigned)record->label.id);
    put_number(p, "kind", record->label.kind);
    put_hex(p, "flags", record->label.flags);
    put_number(p, "name", record->label.name);
}

static void dump_site(printer *p, const hsd_record *record)
{
    put(p, "site %u", (unsigned)record->site.id);
    put_number(p, "parent", record->site.parent);
    put_number(p, "function", record->site.function);
    put_number(p, "file", record->site.file);
    put_number(p, "line", record->site.line);
    put_number(p, "column", record->site.column);
}

static void dump_edge(printer *p, const hsd_record *record)
{
    put(p, "edge");
    put_target(p, record->edge.source, record->edge.source_is_ordinal);
    put_target(p, record->edge.target, p->capture->info.targets_are_ordinals);
    put_number(p, "label", record->edge.label);
    put_number(p, "index", record->edge.index);
    p->edges++;
}

static void dump_root(printer *p, const hsd_record *record)
{
    put(p, "root");
    put_number(p, "kind", record->root.kind);
    put_hex(p, "flags", record->root.flags);
    put_number(p, "label", record->root.label);
    put_target(p, record->root.target, p->capture->info.targets_are_ordinals);
    put_number(p, "thread", record->root.thread);
    put_number(p, "frame", record->root.frame);
    p->roots++;
}

static void dump_thread(printer *p, const hsd_record *record)
{
    put(p, "thread %u", (unsigned)record->thread.id);
    put_number(p, "name", record->thread.name);
}

static void dump_frame(printer *p, const hsd_record *record)
{
    put(p, "frame %u %u", (unsigned)record->frame.thread, (unsigned)record->frame.depth);
    put_number(p, "function", record->frame.function);
    put_number(p, "file", record->frame.file);
    put_number(p, "line", record->frame.line);
}

static void dump_metric(printer *p, const hsd_record *record)
{
    put(p, "metric ");
    put_quoted(p, record->metric.name);
    put_char(p, ' ');
    put_quoted(p, record->metric.unit);
    put(p, " %" PRIu64, record->metric.value);
}

static void dump_loss(printer *p, const hsd_record *record)
{
    put(p, "loss ");
    put_quoted(p, record->loss.what);
    put(p, " %" PRIu64, record->loss.count);
}

static void dump_type_total(printer *p, const hsd_record *record)
{
    const hsd_type_total *total = &record->type_total;
    put(p, "total type %u", (unsigned)total->type);
    put_number(p, "objects", total->objects);
    put_number(p, "bytes", total->bytes);
    put_number(p, "native", total->native_bytes);
    for (uint32_t i = 0; i < total->bucket_count; i++) {
        put(p, "\n bucket %u", total->buckets[i]);
        put_number(p, "objects", total->bucket_objects[i]);
        put_number(p, "bytes", total->bucket_bytes[i]);
    }
}

static void dump_group_total(printer *p, const hsd_record *record)
{
    put(p, "total %s %u", record->group_total.kind == 0 ? "category" : "root",
        (unsigned)record->group_total.key);
    put_number(p, "count", record->group_total.count);
    put_number(p, "bytes", record->group_total.bytes);
}

static void dump_live_total(printer *p, const hsd_record *record)
{
    const hsd_live_total *total = &record->live_total;
    put(p, "live %u", (unsigned)total->type);
    put_number(p, "objects", total->objects);
    put_number(p, "bytes", total->bytes);
    put_number(p, "retained", total->retained_bytes);
    put_number(p, "unreached", total->unreached_objects);
    put_number(p, "unreached_bytes", total->unreached_bytes);
}

static void dump_root_total(printer *p, const hsd_record *record)
{
    const hsd_root_total *total = &record->root_total;
    put(p, "owned %u", (unsigned)total->name);
    put_number(p, "kind", total->kind);
    put_hex(p, "flags", total->flags);
    put_number(p, "objects", total->objects);
    put_number(p, "bytes", total->bytes);
    put_number(p, "retained", total->retained_bytes);
}

static void dump_place(printer *p, const hsd_record *record)
{
    const hsd_place_total *place = &record->place_total;
    put(p, "place %u %u", (unsigned)place->number, (unsigned)place->name);
    put_number(p, "parent", place->parent);
    put_number(p, "edge", place->edge);
    put_hex(p, "flags", place->flags);
    put_number(p, "objects", place->objects);
    put_number(p, "bytes", place->bytes);
}

static void dump_site_total(printer *p, const hsd_record *record)
{
    const hsd_site_total *total = &record->site_total;
    put(p, "allocated %u %u", (unsigned)total->type, (unsigned)total->site);
    put_number(p, "objects", total->objects);
    put_number(p, "bytes", total->bytes);
}

typedef void (*line_fn)(printer *p, const hsd_record *record);

static hsd_status dump_records(printer *p, hsd_record_kind kind, line_fn line)
{
    hsd_record_reader *reader;
    hsd_record record;
    HSD_TRY(hsd_record_reader_open(&reader, p->capture, kind, p->err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, p->err)) == HSD_OK &&
           p->status == HSD_OK) {
        line(p, &record);
        put_char(p, '\n');
    }
    hsd_record_reader_close(reader);
    return status < 0 ? status : p->status;
}

static hsd_status dump_all(printer *p)
{
    dump_head(p);
    HSD_TRY(dump_records(p, HSD_RECORD_STRING, dump_string));
    HSD_TRY(dump_records(p, HSD_RECORD_TYPE, dump_type));
    HSD_TRY(dump_records(p, HSD_RECORD_LABEL, dump_label));
    HSD_TRY(dump_records(p, HSD_RECORD_SITE, dump_site));
    HSD_TRY(dump_objects(p));
    HSD_TRY(dump_records(p, HSD_RECORD_EDGE, dump_edge));
    HSD_TRY(dump_records(p, HSD_RECORD_ROOT, dump_root));
    HSD_TRY(dump_records(p, HSD_RECORD_THREAD, dump_thread));
    HSD_TRY(dump_records(p, HSD_RECORD_FRAME, dump_frame));
    HSD_TRY(dump_records(p, HSD_RECORD_METRIC, dump_metric));
    HSD_TRY(dump_records(p, HSD_RECORD_LOSS, dump_loss));
    HSD_TRY(dump_records(p, HSD_RECORD_TYPE_TOTAL, dump_type_total));
    HSD_TRY(dump_records(p, HSD_RECORD_GROUP_TOTAL, dump_group_total));
    HSD_TRY(dump_records(p, HSD_RECORD_LIVE_TOTAL, dump_live_total));
    HSD_TRY(dump_records(p, HSD_RECORD_ROOT_TOTAL, dump_root_total));
    HSD_TRY(dump_records(p, HSD_RECORD_PLACE, dump_place));
    HSD_TRY(dump_records(p, HSD_RECORD_SITE_TOTAL, dump_site_total));
    dump_end(p);
    flush(p);
    return p->status;
}

hsd_status hsd_capture_dump(hsd_capture *capture, hsd_dump_fn write, void *context, hsd_error *err)
{
    printer *p = malloc(sizeof *p);
    if (p == NULL) return hsd_fail(err, HSD_E_NOMEM, "no memory to write the text of a capture");
    p->capture = capture;
    p->write = write;
    p->context = context;
    p->err = err;
    p->status = HSD_OK;
    p->used = 0;
    p->objects = p->references = p->edges = p->roots = p->bytes = 0;
    const hsd_status status = dump_all(p);
    free(p);
    return status;
}
