/* The text side of the recorder: appendix A once more, from the side of the calls. */
#include "capture/recorder.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

static void quoted(FILE *out, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    fputc('"', out);
    for (size_t i = 0; i < size; i++) {
        if (at[i] == '"' || at[i] == '\\') fputc('\\', out);
        if (at[i] < 0x20 || at[i] > 0x7e)
            fprintf(out, "\\x%02x", at[i]);
        else
            fputc(at[i], out);
    }
    fputc('"', out);
}

static void field(FILE *out, const char *name, uint64_t value)
{
    if (value != 0) fprintf(out, " %s=%" PRIu64, name, value);
}

static void hex_field(FILE *out, const char *name, uint64_t value)
{
    if (value != 0) fprintf(out, " %s=0x%" PRIx64, name, value);
}

static void name_object(const recorder *r, FILE *out, uint64_t id_or_ordinal)
{
    fprintf(out, r->options.targets_are_ordinals ? " %" PRIu64 : " 0x%" PRIx64, id_or_ordinal);
}

static void write_info(recorder *r)
{
    FILE *out = r->section[SECTION_INFO];
    const char *const texts[] = {r->options.producer, r->options.runtime, r->options.process_name,
                                 r->options.source_format};
    for (unsigned i = 0; i < 4; i++) {
        if (texts[i] == NULL || texts[i][0] == '\0') continue;
        fprintf(out, "info %u ", i + 2);
        quoted(out, texts[i], strlen(texts[i]));
        fputc('\n', out);
    }
    const uint64_t numbers[] = {[6] = r->options.pid,
                                [7] = r->options.started_unix_ns,
                                [8] = r->options.taken_unix_ns,
                                [9] = r->options.facts,
                                [10] = (uint64_t)r->options.identity,
                                [12] = r->options.pointer_bytes,
                                [13] = r->options.targets_are_ordinals};
    for (unsigned key = 6; key <= 13; key++) {
        static const uint8_t none[16];
        if (key == 11 && memcmp(r->options.domain, none, 16) != 0) {
            fprintf(out, "info 11 ");
            for (size_t i = 0; i < 16; i++)
                fprintf(out, "%02x", r->options.domain[i]);
            fputc('\n', out);
        } else if (key != 11 && numbers[key] != 0) {
            fprintf(out, key == 9 ? "info %u 0x%" PRIx64 "\n" : "info %u %" PRIu64 "\n", key, numbers[key]);
        }
    }
}

void recorder_open(recorder *r, const char *path, const hsc_options *options)
{
    *r = (recorder){.options = *options};
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        r->section[i] = open_memstream(&r->text[i], &r->text_bytes[i]);
        cr_assert_not_null(r->section[i]);
    }
    cr_assert_eq(hsc_open_file(&r->writer, path, options), HSC_OK);
    write_info(r);
}

void recorder_string(recorder *r, uint32_t id, const void *bytes, size_t size)
{
    FILE *out = r->section[SECTION_STRINGS];
    r->tables[SECTION_STRINGS]++;
    hsc_define_string(r->writer, id, bytes, size);
    fprintf(out, "string %" PRIu32 " ", id);
    quoted(out, bytes, size);
    fputc('\n', out);
}

void recorder_type(recorder *r, uint32_t id, const void *name, size_t size, uint32_t flags)
{
    FILE *out = r->section[SECTION_TYPES];
    r->tables[SECTION_TYPES]++;
    hsc_define_type(r->writer, id, name, size, flags);
    fprintf(out, "type %" PRIu32, id);
    hex_field(out, "flags", flags);
    fputc(' ', out);
    quoted(out, name, size);
    fputc('\n', out);
}

void recorder_label(recorder *r, uint32_t id, hsc_label_kind kind, uint32_t flags, uint32_t name)
{
    FILE *out = r->section[SECTION_LABELS];
    r->tables[SECTION_LABELS]++;
    hsc_define_label(r->writer, id, kind, flags, name);
    fprintf(out, "label %" PRIu32, id);
    field(out, "kind", (uint64_t)kind);
    hex_field(out, "flags", flags);
    field(out, "name", name);
    fputc('\n', out);
}

void recorder_site(recorder *r, uint32_t id, uint32_t parent, uint32_t function, uint32_t file, uint32_t line,
                   uint32_t column)
{
    FILE *out = r->section[SECTION_SITES];
    r->tables[SECTION_SITES]++;
    hsc_define_site(r->writer, id, parent, function, file, line, column);
    fprintf(out, "site %" PRIu32, id);
    field(out, "parent", parent);
    field(out, "function", function);
    field(out, "file", file);
    field(out, "line", line);
    field(out, "column", column);
    fputc('\n', out);
}

void recorder_thread(recorder *r, uint32_t id, uint32_t name)
{
    FILE *out = r->section[SECTION_THREADS];
    r->tables[SECTION_THREADS]++;
    hsc_define_thread(r->writer, id, name);
    fprintf(out, "thread %" PRIu32, id);
    field(out, "name", name);
    fputc('\n', out);
}

void recorder_frame(recorder *r, uint32_t thread, uint32_t depth, uint32_t function, uint32_t file, uint32_t line)
{
    FILE *out = r->section[SECTION_FRAMES];
    r->tables[SECTION_FRAMES]++;
    hsc_frame(r->writer, thread, depth, function, file, line);
    fprintf(out, "frame %" PRIu32 " %" PRIu32, thread, depth);
    field(out, "function", function);
    field(out, "file", file);
    field(out, "line", line);
    fputc('\n', out);
}

static void add(uint64_t *sum, uint64_t more) { *sum = *sum > UINT64_MAX - more ? UINT64_MAX : *sum + more; }

static void count_object(recorder *r, const hsc_object *object)
{
    if (r->counted_objects == r->counted_capacity) {
        r->counted_capacity = r->counted_capacity * 2 + 64;
        r->counted = realloc(r->counted, r->counted_capacity * sizeof *r->counted);
        cr_assert_not_null(r->counted);
    }
    r->counted[r->counted_objects++] =
        (recorded_object){object->type, object->category, object->size_bytes, object->native_bytes};
    add(&r->bytes, object->size_bytes);
    add(&r->native_bytes, object->native_bytes);
}

void recorder_object(recorder *r, const hsc_object *object, const void *value, size_t value_bytes)
{
    FILE *out = r->section[SECTION_OBJECTS];
    hsc_begin_object(r->writer, object);
    if (value_bytes > 0) hsc_value(r->writer, value, value_bytes);
    fprintf(out, "object %" PRIu64 " 0x%" PRIx64, r->objects++, object->id);
    field(out, "type", object->type);
    field(out, "size", object->size_bytes);
    field(out, "native", object->native_bytes);
    field(out, "elements", object->elements);
    field(out, "site", object->site);
    field(out, "age", object->age);
    hex_field(out, "flags", object->flags);
    field(out, "name", object->name);
    field(out, "category", object->category);
    hex_field(out, "identity", object->identity);
    hex_field(out, "content", object->content);
    if (value_bytes > 0) {
        fputs(" value=", out);
        quoted(out, value, value_bytes);
    }
    fputc('\n', out);
    if ((object->flags & HSC_OBJECT_PSEUDO) == 0) count_object(r, object);
}

void recorder_references(recorder *r, const uint64_t *targets, const uint32_t *labels, const uint64_t *indexes,
                         size_t count, bool at_once)
{
    FILE *out = r->section[SECTION_OBJECTS];
    if (at_once) hsc_references(r->writer, targets, labels, indexes, count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t label = labels != NULL ? labels[i] : 0;
        const uint64_t index = indexes != NULL ? indexes[i] : 0;
        if (!at_once) hsc_reference(r->writer, targets[i], label, index);
        fputs(" ref", out);
        name_object(r, out, targets[i]);
        field(out, "label", label);
        field(out, "index", index);
        fputc('\n', out);
    }
    r->references += count;
}

void recorder_end(recorder *r) { hsc_end_object(r->writer); }

void recorder_edge(recorder *r, uint64_t source, uint64_t target, uint32_t label, uint64_t index)
{
    FILE *out = r->section[SECTION_EDGES];
    hsc_edge(r->writer, source, target, label, index);
    fputs("edge", out);
    name_object(r, out, source);
    name_object(r, out, target);
    field(out, "label", label);
    field(out, "index", index);
    fputc('\n', out);
    r->edges++;
}

void recorder_root(recorder *r, const hsc_root_record *root)
{
    FILE *out = r->section[SECTION_ROOTS];
    hsc_root(r->writer, root);
    fputs("root", out);
    field(out, "kind", (uint64_t)root->kind);
    hex_field(out, "flags", root->flags);
    field(out, "label", root->label);
    name_object(r, out, root->target);
    field(out, "thread", root->thread);
    field(out, "frame", root->frame);
    fputc('\n', out);
    r->roots++;
    r->root_kinds[root->kind]++;
}

void recorder_metric(recorder *r, const char *name, const char *unit, uint64_t value)
{
    FILE *out = r->section[SECTION_METRICS];
    r->tables[SECTION_METRICS]++;
    hsc_metric(r->writer, name, unit, value);
    fputs("metric ", out);
    quoted(out, name, strlen(name));
    fputc(' ', out);
    quoted(out, unit, strlen(unit));
    fprintf(out, " %" PRIu64 "\n", value);
}

void recorder_loss(recorder *r, const char *what, uint64_t count)
{
    FILE *out = r->section[SECTION_LOSSES];
    r->tables[SECTION_LOSSES]++;
    hsc_loss(r->writer, what, count);
    fputs("loss ", out);
    quoted(out, what, strlen(what));
    fprintf(out, " %" PRIu64 "\n", count);
    add(&r->lost, count);
}

/* ---- totals ---- */

static int by_type_and_size(const void *a, const void *b)
{
    const recorded_object *x = a, *y = b;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return x->size_bytes < y->size_bytes ? -1 : x->size_bytes > y->size_bytes;
}

static int by_category(const void *a, const void *b)
{
    const recorded_object *x = a, *y = b;
    return x->category < y->category ? -1 : x->category > y->category;
}

/* 0 for 0, else one more than the highest bit: 1, 2-3, 4-7 … */
static unsigned bucket_of(uint64_t size)
{
    unsigned bucket = 0;
    for (; size != 0; size >>= 1)
        bucket++;
    return bucket;
}

static void write_type_totals(recorder *r, FILE *out)
{
    const recorded_object *o = r->counted;
    if (r->counted_objects > 0) qsort(r->counted, r->counted_objects, sizeof *o, by_type_and_size);
    for (size_t i = 0, end; i < r->counted_objects; i = end) {
        uint64_t bytes = 0, native = 0;
        for (end = i; end < r->counted_objects && o[end].type == o[i].type; end++) {
            add(&bytes, o[end].size_bytes);
            add(&native, o[end].native_bytes);
        }
        fprintf(out, "total type %" PRIu32 " objects=%zu", o[i].type, end - i);
        field(out, "bytes", bytes);
        field(out, "native", native);
        fputc('\n', out);
        for (size_t k = i, to; k < end; k = to) {
            uint64_t in_bucket = 0;
            for (to = k; to < end && bucket_of(o[to].size_bytes) == bucket_of(o[k].size_bytes); to++)
                add(&in_bucket, o[to].size_bytes);
            fprintf(out, " bucket %u objects=%zu", bucket_of(o[k].size_bytes), to - k);
            field(out, "bytes", in_bucket);
            fputc('\n', out);
        }
    }
}

static void write_group_totals(recorder *r, FILE *out)
{
    const recorded_object *o = r->counted;
    if (r->counted_objects > 0) qsort(r->counted, r->counted_objects, sizeof *o, by_category);
    for (size_t i = 0, end; i < r->counted_objects; i = end) {
        uint64_t bytes = 0;
        for (end = i; end < r->counted_objects && o[end].category == o[i].category; end++)
            add(&bytes, o[end].size_bytes);
        if (o[i].category == 0) continue;
        fprintf(out, "total category %" PRIu32 " count=%zu", o[i].category, end - i);
        field(out, "bytes", bytes);
        fputc('\n', out);
    }
    for (unsigned kind = 0; kind < HSC_ROOT_KIND_COUNT; kind++) {
        if (r->root_kinds[kind] != 0) fprintf(out, "total root %u count=%" PRIu64 "\n", kind, r->root_kinds[kind]);
    }
}

static void write_end(const recorder *r, uint64_t blocks, FILE *out)
{
    const uint64_t *tables = r->tables;
    const uint64_t values[] = {[1] = 1,
                               [3] = r->objects,
                               [4] = r->objects - r->counted_objects,
                               [5] = r->references,
                               [6] = r->edges,
                               [7] = r->roots,
                               [8] = r->bytes,
                               [9] = r->native_bytes,
                               [10] = blocks,
                               [11] = tables[SECTION_STRINGS],
                               [12] = tables[SECTION_TYPES],
                               [13] = tables[SECTION_LABELS],
                               [14] = tables[SECTION_SITES],
                               [15] = tables[SECTION_THREADS],
                               [16] = tables[SECTION_FRAMES],
                               [17] = tables[SECTION_METRICS],
                               [18] = tables[SECTION_LOSSES],
                               [19] = r->lost};
    for (unsigned key = 1; key <= 19; key++) {
        if (values[key] != 0) fprintf(out, "end %u %" PRIu64 "\n", key, values[key]);
    }
}

void recorder_close(recorder *r)
{
    const hsc_status status = hsc_finish(r->writer);
    cr_assert_eq(status, HSC_OK, "%s", hsc_error_text(r->writer));
    hsc_close(r->writer);
}

void recorder_write_text(recorder *r, uint64_t blocks, FILE *out)
{
    fprintf(out, "capture 1.0 ");
    for (size_t i = 0; i < 16; i++)
        fprintf(out, "%02x", r->options.capture_id[i]);
    fprintf(out, " targets=%s complete=yes\n", r->options.targets_are_ordinals ? "ordinals" : "ids");
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        fclose(r->section[i]);
        fwrite(r->text[i], 1, r->text_bytes[i], out);
        free(r->text[i]);
    }
    write_type_totals(r, out);
    write_group_totals(r, out);
    write_end(r, blocks, out);
    fprintf(out,
            "read objects=%" PRIu64 " references=%" PRIu64 " edges=%" PRIu64 " roots=%" PRIu64 " bytes=%" PRIu64
            " blocks=%" PRIu64 "\n",
            r->objects, r->references, r->edges, r->roots, r->bytes, blocks + 1);
    free(r->counted);
}
