/* The text form of a capture: FORMAT.md, Appendix A. What stands in the line of a record is the table of forms.h. */
#include <hsdiff/dump.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "format/capture_state.h"
#include "format/forms.h"
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

static void flush_dump(printer *p)
{
    if (p->status == HSD_OK && p->used > 0) p->status = p->write(p->context, p->text, p->used, p->err);
    p->used = 0;
}

__attribute__((format(printf, 2, 3))) static void put(printer *p, const char *format, ...)
{
    va_list args;
    if (TEXT_BYTES - p->used < PIECE_BYTES) flush_dump(p);
    va_start(args, format);
    const int size = vsnprintf(p->text + p->used, PIECE_BYTES, format, args);
    va_end(args);
    if (size > 0) p->used += (size_t)size < PIECE_BYTES ? (size_t)size : PIECE_BYTES - 1;
}

static void put_char(printer *p, char c)
{
    if (p->used == TEXT_BYTES) flush_dump(p);
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
static void dump_facts(printer *p, uint8_t type, unsigned first, const uint64_t *numbers, const hsd_text *texts)
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

/* ---- fields ---- */

static uint64_t number_in(const hsd_field *field, const uint8_t *record)
{
    uint32_t narrow;
    uint64_t wide;
    if (field->member_bytes == sizeof wide) {
        memcpy(&wide, record + field->offset, sizeof wide);
        return wide;
    }
    memcpy(&narrow, record + field->offset, sizeof narrow);
    return narrow;
}

static void put_text(printer *p, const char *name, hsd_text text)
{
    if (name != NULL && text.size == 0) return;
    if (name != NULL)
        put(p, " %s=", name);
    else
        put_char(p, ' ');
    put_quoted(p, text);
}

static void put_field(printer *p, const hsd_field *field, const uint8_t *record, bool source_is_ordinal)
{
    const bool is_text = field->print == HSD_PRINT_TEXT;
    const uint64_t number = is_text ? 0 : number_in(field, record);
    hsd_text text = {"", 0};
    if (is_text) memcpy(&text, record + field->offset, sizeof text);
    switch ((hsd_field_print)field->print) {
    case HSD_PRINT_NOT: break;
    case HSD_PRINT_ALWAYS: put(p, " %" PRIu64, number); break;
    case HSD_PRINT_ID: put(p, " 0x%" PRIx64, number); break;
    case HSD_PRINT_NUMBER: put_number(p, field->name, number); break;
    case HSD_PRINT_HEX: put_hex(p, field->name, number); break;
    case HSD_PRINT_TEXT: put_text(p, field->name, text); break;
    case HSD_PRINT_TARGET: put_target(p, number, p->capture->info.targets_are_ordinals); break;
    case HSD_PRINT_SOURCE: put_target(p, number, source_is_ordinal); break;
    case HSD_PRINT_GROUP: put(p, number == 0 ? " category" : " root"); break;
    }
}

/* One line, but for its end. */
static void put_record(printer *p, const hsd_form *form, const void *record, bool source_is_ordinal)
{
    put(p, "%s", form->word);
    for (const hsd_field *field = form->fields; field->kind != 0; field++)
        if (field->print != HSD_PRINT_NOT) put_field(p, field, record, source_is_ordinal);
}

/* ---- objects ---- */

static void dump_object(printer *p, const hsd_object *object)
{
    put_record(p, &hsd_forms[HSD_FORM_OBJECT], object, false);
    put_char(p, '\n');
    p->objects++;
    if ((object->flags & HSD_OBJECT_PSEUDO) == 0) p->bytes = hsd_add_saturating(p->bytes, object->size_bytes);
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
    while ((status = hsd_object_reader_next(reader, &object, p->err)) == HSD_OK && p->status == HSD_OK) {
        if (!object.is_continuation) dump_object(p, &object);
        dump_references(p, &object);
    }
    hsd_object_reader_close(reader);
    return status < 0 ? status : p->status;
}

/* ---- the other records ---- */

static void dump_buckets(printer *p, const hsd_type_total *total)
{
    for (uint32_t i = 0; i < total->bucket_count; i++) {
        put(p, "\n bucket %u", total->buckets[i]);
        put_number(p, "objects", total->bucket_objects[i]);
        put_number(p, "bytes", total->bucket_bytes[i]);
    }
}

static hsd_status dump_records(printer *p, hsd_record_kind kind)
{
    hsd_record_reader *reader;
    hsd_record record;
    HSD_TRY(hsd_record_reader_open(&reader, p->capture, kind, p->err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, p->err)) == HSD_OK && p->status == HSD_OK) {
        put_record(p, &hsd_forms[kind], &record, kind == HSD_RECORD_EDGE && record.edge.source_is_ordinal);
        if (kind == HSD_RECORD_TYPE_TOTAL) dump_buckets(p, &record.type_total);
        p->edges += kind == HSD_RECORD_EDGE;
        p->roots += kind == HSD_RECORD_ROOT;
        put_char(p, '\n');
    }
    hsd_record_reader_close(reader);
    return status < 0 ? status : p->status;
}

static hsd_status dump_all(printer *p)
{
    dump_head(p);
    for (unsigned kind = 0; kind < HSD_FORM_OBJECT; kind++) {
        if (kind == HSD_RECORD_EDGE) HSD_TRY(dump_objects(p)); /* behind the tables that they refer to */
        HSD_TRY(dump_records(p, (hsd_record_kind)kind));
    }
    dump_end(p);
    flush_dump(p);
    return p->status;
}

hsd_status hsd_capture_dump(hsd_capture *capture, hsd_dump_fn write, void *context, hsd_error *err)
{
    printer *p = malloc(sizeof *p);
    if (p == NULL) return hsd_fail_nomem(err, "writing the text of a capture");
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
