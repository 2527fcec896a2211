/*
 * A capture many times over: hsd_tile IN.hs OUT.hs COPIES
 *
 * Writes COPIES copies of a capture's objects, references and roots side by side into one, with the targets as ordinals
 * and ids that go on counting, so that a heap of any size keeps the shape of a real one. Types, labels, strings and
 * names of roots are those of the original: every copy hangs from the same root names. A tool for benchmarks: it keeps
 * the ids of the original in memory, and reads it once for each copy.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>
#include <hsdiff/capture.h>

typedef struct ids { /* id -> ordinal, open addressing */
    uint64_t *keys;
    uint32_t *ordinals; /* + 1; 0 = empty */
    uint64_t mask;
} ids;

typedef struct tiling {
    hsd_capture *in;
    hsc_writer *out;
    ids map;
    uint64_t objects; /* of one copy */
    uint64_t *targets;
    size_t target_capacity;
} tiling;

static void fail(const char *what)
{
    fprintf(stderr, "hsd_tile: %s\n", what);
    exit(1);
}

static void check_in(hsd_status status, const hsd_error *err)
{
    if (status < 0) fail(err->text);
}

static void check_out(hsc_status status)
{
    if (status != HSC_OK) fail("cannot write");
}

static uint64_t slot_of(const ids *map, uint64_t id)
{
    uint64_t slot = (id * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & map->mask;
    while (map->ordinals[slot] != 0 && map->keys[slot] != id)
        slot = (slot + 1) & map->mask;
    return slot;
}

static void note_ids(tiling *t)
{
    hsd_object_reader *reader;
    hsd_error err;
    hsd_error_init(&err);
    uint64_t capacity = 1024;
    while (capacity < 2 * t->objects)
        capacity *= 2;
    t->map = (ids){calloc(capacity, sizeof(uint64_t)), calloc(capacity, sizeof(uint32_t)), capacity - 1};
    if (t->map.keys == NULL || t->map.ordinals == NULL) fail("out of memory");
    check_in(hsd_object_reader_open(&reader, t->in, HSD_WANT_IDS, &err), &err);
    hsd_object object;
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, &err)) == HSD_OK) {
        const uint64_t slot = slot_of(&t->map, object.id);
        t->map.keys[slot] = object.id;
        t->map.ordinals[slot] = (uint32_t)object.ordinal + 1;
    }
    check_in(status, &err);
    hsd_object_reader_close(reader);
}

/* The ordinal in copy `copy` of what the original calls `target`; past every object if it is not there. */
static uint64_t target_in(const tiling *t, uint64_t copy, uint64_t target)
{
    const bool by_ordinal = hsd_capture_get_info(t->in)->targets_are_ordinals;
    const uint64_t slot = by_ordinal ? 0 : slot_of(&t->map, target);
    const uint64_t ordinal = by_ordinal ? target : t->map.ordinals[slot] - UINT64_C(1);
    return ordinal < t->objects ? copy * t->objects + ordinal : UINT32_MAX;
}

static void copy_references(tiling *t, uint64_t copy, const hsd_object *object)
{
    if (object->reference_count > t->target_capacity) {
        t->target_capacity = (size_t)object->reference_count * 2;
        t->targets = realloc(t->targets, t->target_capacity * sizeof *t->targets);
        if (t->targets == NULL) fail("out of memory");
    }
    for (uint32_t i = 0; i < object->reference_count; i++)
        t->targets[i] = target_in(t, copy, object->targets[i]);
    check_out(hsc_references(t->out, t->targets, object->labels, object->indexes, object->reference_count));
}

static void copy_objects(tiling *t, uint64_t copy)
{
    hsd_object_reader *reader;
    hsd_error err;
    hsd_error_init(&err);
    check_in(hsd_object_reader_open(&reader, t->in, HSD_WANT_ALL, &err), &err);
    hsd_object o;
    hsd_status status;
    bool is_open = false;
    while ((status = hsd_object_reader_next(reader, &o, &err)) == HSD_OK) {
        if (!o.is_continuation) {
            if (is_open) check_out(hsc_end_object(t->out));
            const hsc_object object = {.id = copy * t->objects + o.ordinal + 1,
                                       .size_bytes = o.size_bytes,
                                       .type = o.type,
                                       .native_bytes = o.native_bytes,
                                       .elements = o.elements,
                                       .flags = o.flags,
                                       .name = o.name};
            check_out(hsc_begin_object(t->out, &object));
            is_open = true;
        }
        copy_references(t, copy, &o);
    }
    check_in(status, &err);
    if (is_open) check_out(hsc_end_object(t->out));
    hsd_object_reader_close(reader);
}

static void copy_record(tiling *t, hsd_record_kind kind, const hsd_record *r, uint64_t copies)
{
    if (kind == HSD_RECORD_STRING) {
        check_out(hsc_define_string(t->out, r->string.id, r->string.text.data, r->string.text.size));
    } else if (kind == HSD_RECORD_TYPE) {
        check_out(hsc_define_type(t->out, r->type.id, r->type.name.data, r->type.name.size, r->type.flags));
    } else if (kind == HSD_RECORD_LABEL) {
        check_out(hsc_define_label(t->out, r->label.id, (hsc_label_kind)r->label.kind, r->label.flags, r->label.name));
    } else {
        for (uint64_t copy = 0; copy < copies; copy++) {
            const hsc_root_record root = {.kind = (hsc_root_kind)r->root.kind,
                                          .label = r->root.label,
                                          .target = target_in(t, copy, r->root.target),
                                          .flags = r->root.flags};
            check_out(hsc_root(t->out, &root));
        }
    }
}

static void copy_records(tiling *t, hsd_record_kind kind, uint64_t copies)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    hsd_error_init(&err);
    check_in(hsd_record_reader_open(&reader, t->in, kind, &err), &err);
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, &err)) == HSD_OK)
        copy_record(t, kind, &record, copies);
    check_in(status, &err);
    hsd_record_reader_close(reader);
}

int main(int argc, char **argv)
{
    tiling t = {0};
    hsd_error err;
    hsd_error_init(&err);
    if (argc != 4) {
        fprintf(stderr, "usage: hsd_tile IN.hs OUT.hs COPIES\n");
        return 2;
    }
    const uint64_t copies = strtoull(argv[3], NULL, 10);
    check_in(hsd_capture_open(&t.in, argv[1], HSD_DAMAGE_REFUSE, NULL, &err), &err);
    const hsd_capture_info *info = hsd_capture_get_info(t.in);
    t.objects = info->objects;
    if (t.objects * copies > UINT32_MAX - 256) fail("more objects than a capture can have");
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "hsd_tile";
    options.runtime = info->runtime;
    options.identity = HSC_IDENTITY_EXACT;
    memcpy(options.domain, "tiled heap 16 by", 16); /* two of them are of one process: a pair to compare */
    options.targets_are_ordinals = true;
    check_out(hsc_open_file(&t.out, argv[2], &options));
    note_ids(&t);
    copy_records(&t, HSD_RECORD_STRING, copies);
    copy_records(&t, HSD_RECORD_TYPE, copies);
    copy_records(&t, HSD_RECORD_LABEL, copies);
    for (uint64_t copy = 0; copy < copies; copy++)
        copy_objects(&t, copy);
    copy_records(&t, HSD_RECORD_ROOT, copies);
    check_out(hsc_finish(t.out));
    hsc_close(t.out);
    printf("%" PRIu64 " objects, %" PRIu64 " references, %" PRIu64 " roots\n", copies * t.objects,
           copies * info->references, copies * info->roots);
    hsd_capture_close(t.in);
    free(t.map.keys);
    free(t.map.ordinals);
    free(t.targets);
    return 0;
}
