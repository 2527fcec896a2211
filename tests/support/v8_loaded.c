/*
 * Reads captures back through the public interface. Ends the program where that fails: what is tested
 * here is the importer.
 */
#include "support/v8_loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memfile.h"
#include <hscapture/hscapture.h>

typedef struct entry {
    uint32_t id, kind, flags, name;
    const char *text;
} entry;

typedef struct table {
    entry *entries;
    size_t count;
} table;

typedef struct tables {
    loaded *out;
    table strings, types, labels;
} tables;

static void need(bool is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "v8_loaded: cannot read the capture back: %s\n", what);
    abort();
}

static void *grow(void *items, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0) return items;
    void *grown = realloc(items, (count == 0 ? 1 : count * 2) * size);
    need(grown != NULL, "memory");
    return grown;
}

static const char *keep(loaded *out, hsd_text text)
{
    char *copy = calloc(text.size + 1, 1);
    need(copy != NULL, "memory");
    if (text.size > 0) memcpy(copy, text.data, text.size);
    out->texts = grow(out->texts, out->text_count, sizeof *out->texts);
    out->texts[out->text_count++] = copy;
    return copy;
}

static void put(table *t, entry item)
{
    t->entries = grow(t->entries, t->count, sizeof *t->entries);
    t->entries[t->count++] = item;
}

static const entry *find(tables *t, const table *in, uint32_t id)
{
    static const entry none = {.text = ""};
    if (id == 0) return &none;
    for (size_t i = 0; i < in->count; i++)
        if (in->entries[i].id == id) return &in->entries[i];
    t->out->has_undefined = true;
    return &none;
}

static void take_record(tables *t, hsd_record_kind kind, const hsd_record *r)
{
    loaded *out = t->out;
    switch ((unsigned)kind) {
    case HSD_RECORD_STRING: put(&t->strings, (entry){.id = r->string.id, .text = keep(out, r->string.text)}); break;
    case HSD_RECORD_TYPE:
        put(&t->types, (entry){.id = r->type.id, .flags = r->type.flags, .text = keep(out, r->type.name)});
        break;
    case HSD_RECORD_LABEL:
        put(&t->labels, (entry){.id = r->label.id,
                                .kind = r->label.kind,
                                .flags = r->label.flags,
                                .text = find(t, &t->strings, r->label.name)->text});
        break;
    case HSD_RECORD_ROOT:
        out->roots = grow(out->roots, out->root_count, sizeof *out->roots);
        out->roots[out->root_count++] = (loaded_root){.kind = r->root.kind,
                                                      .flags = r->root.flags,
                                                      .label = find(t, &t->strings, r->root.label)->text,
                                                      .target = r->root.target};
        break;
    case HSD_RECORD_METRIC:
        keep(out, r->metric.name);
        out->native_used = r->metric.value;
        break;
    case HSD_RECORD_LOSS:
        keep(out, r->loss.what);
        out->lost += r->loss.count;
        break;
    default: need(false, "kind of record");
    }
}

static void read_records(tables *t, hsd_capture *capture, hsd_record_kind kind)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    need(hsd_record_reader_open(&reader, capture, kind, &err) == HSD_OK, "open records");
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, &err)) == HSD_OK)
        take_record(t, kind, &record);
    need(status == HSD_END, "records");
    hsd_record_reader_close(reader);
}

static void take_references(tables *t, loaded_object *into, const hsd_object *object)
{
    for (uint32_t i = 0; i < object->reference_count; i++) {
        const entry *label = find(t, &t->labels, object->labels[i]);
        into->references = grow(into->references, into->reference_count, sizeof *into->references);
        into->references[into->reference_count++] = (loaded_reference){.target = object->targets[i],
                                                                       .index = object->indexes[i],
                                                                       .kind = label->kind,
                                                                       .flags = label->flags,
                                                                       .name = label->text};
    }
}

static void read_objects(tables *t, hsd_capture *capture)
{
    loaded *out = t->out;
    hsd_object_reader *reader;
    hsd_object object;
    hsd_error err;
    need(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err) == HSD_OK, "open objects");
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, &err)) == HSD_OK) {
        if (!object.is_continuation) {
            const entry *type = find(t, &t->types, object.type);
            out->objects = grow(out->objects, out->object_count, sizeof *out->objects);
            out->objects[out->object_count++] = (loaded_object){.id = object.id,
                                                                .size = object.size_bytes + object.native_bytes,
                                                                .flags = object.flags,
                                                                .type = type->text,
                                                                .type_flags = type->flags,
                                                                .name = find(t, &t->strings, object.name)->text};
        }
        take_references(t, &out->objects[out->object_count - 1], &object);
    }
    need(status == HSD_END, "objects");
    hsd_object_reader_close(reader);
}

static void read_all(loaded *out, hsd_capture *capture)
{
    static const hsd_record_kind kinds[] = {HSD_RECORD_STRING, HSD_RECORD_TYPE,   HSD_RECORD_LABEL,
                                            HSD_RECORD_ROOT,   HSD_RECORD_METRIC, HSD_RECORD_LOSS};
    tables t = {.out = out};
    out->info = *hsd_capture_get_info(capture);
    out->info.incomplete_reason =
        keep(out, (hsd_text){out->info.incomplete_reason, strlen(out->info.incomplete_reason)});
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        read_records(&t, capture, kinds[i]);
    read_objects(&t, capture);
    free(t.strings.entries);
    free(t.types.entries);
    free(t.labels.entries);
}

hsd_status loaded_import(loaded *out, const void *bytes, size_t size, const hsd_import_options *options,
                         const hsd_run *run, hsd_error *err)
{
    int fd = -1;
    hsd_capture *capture;
    hsd_error broken;
    memfile file = memfile_of(bytes, size);
    *out = (loaded){0};
    const hsd_status status = hsd_import_temp(file.path, options, run, &fd, &out->result, err);
    memfile_close(&file);
    if (status != HSD_OK) return status;
    need(hsd_capture_open_fd(&capture, fd, "import", HSD_DAMAGE_SKIP, NULL, &broken) == HSD_OK, "open");
    read_all(out, capture);
    hsd_capture_close(capture);
    return HSD_OK;
}

void loaded_release(loaded *capture)
{
    for (size_t i = 0; i < capture->object_count; i++)
        free(capture->objects[i].references);
    for (size_t i = 0; i < capture->text_count; i++)
        free(capture->texts[i]);
    free(capture->objects);
    free(capture->roots);
    free(capture->texts);
    *capture = (loaded){0};
}

const loaded_reference *loaded_find(const loaded *capture, uint64_t object, const char *name)
{
    const loaded_object *from = &capture->objects[object];
    for (size_t i = 0; i < from->reference_count; i++)
        if (strcmp(from->references[i].name, name) == 0) return &from->references[i];
    return NULL;
}

bool loaded_has_root(const loaded *capture, uint32_t kind, const char *label, uint64_t target)
{
    for (size_t i = 0; i < capture->root_count; i++) {
        const loaded_root *root = &capture->roots[i];
        if (root->kind == kind && root->target == target && strcmp(root->label, label) == 0) return true;
    }
    return false;
}

bool loaded_mentions(const loaded *capture, const char *text)
{
    for (size_t i = 0; i < capture->text_count; i++)
        if (strstr(capture->texts[i], text) != NULL) return true;
    return false;
}
