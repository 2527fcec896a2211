/* Copies record after record; targets become ordinals, so that only ids of objects change. */
#include "exact.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hscapture/hscapture.h>

typedef struct copying {
    const heap *h;
    const truth *t;
    hsc_writer *out;
    uint64_t *targets;
    size_t target_capacity;
    bool is_open; /* an object was begun */
} copying;

static void check(hsc_status status)
{
    if (status != HSC_OK) heap_fail("cannot write the capture with true ids");
}

/* Ordinals stay as they are; what is not there lies past every object. */
static uint64_t ordinal_of(const copying *c, uint64_t target)
{
    if (hsd_capture_get_info(c->h->capture)->targets_are_ordinals) return target;
    return heap_find(c->h, target);
}

static void copy_references(copying *c, const hsd_object *o)
{
    if (o->reference_count > c->target_capacity) {
        free(c->targets);
        c->target_capacity = (size_t)o->reference_count * 2;
        c->targets = heap_new(c->target_capacity, sizeof *c->targets);
    }
    for (uint32_t i = 0; i < o->reference_count; i++)
        c->targets[i] = ordinal_of(c, o->targets[i]);
    check(hsc_references(c->out, c->targets, o->labels, o->indexes, o->reference_count));
}

static void begin_object(copying *c, const hsd_object *o)
{
    const hsc_object object = {.id = c->t->ids[o->ordinal],
                               .size_bytes = o->size_bytes,
                               .native_bytes = o->native_bytes,
                               .elements = o->elements,
                               .content = o->content,
                               .type = o->type,
                               .site = o->site,
                               .age = o->age,
                               .flags = o->flags & ~HSC_OBJECT_CONTINUES,
                               .name = o->name,
                               .category = o->category};
    if (c->is_open) check(hsc_end_object(c->out));
    check(hsc_begin_object(c->out, &object));
    c->is_open = true;
}

static void copy_objects(copying *c)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_error err;
    hsd_error_init(&err);
    heap_check(hsd_object_reader_open(&reader, c->h->capture, HSD_WANT_ALL, &err), &err);
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, &err)) == HSD_OK) {
        if (!object.is_continuation) begin_object(c, &object);
        copy_references(c, &object);
    }
    heap_check(status, &err);
    if (c->is_open) check(hsc_end_object(c->out));
    hsd_object_reader_close(reader);
}

static hsc_status copy_record(copying *c, hsd_record_kind kind, const hsd_record *r)
{
    switch (kind) {
    case HSD_RECORD_STRING: return hsc_define_string(c->out, r->string.id, r->string.text.data, r->string.text.size);
    case HSD_RECORD_TYPE:
        return hsc_define_type(c->out, r->type.id, r->type.name.data, r->type.name.size, r->type.flags);
    case HSD_RECORD_LABEL:
        return hsc_define_label(c->out, r->label.id, (hsc_label_kind)r->label.kind, r->label.flags, r->label.name);
    case HSD_RECORD_THREAD: return hsc_define_thread(c->out, r->thread.id, r->thread.name);
    case HSD_RECORD_FRAME:
        return hsc_frame(c->out, r->frame.thread, r->frame.depth, r->frame.function, r->frame.file, r->frame.line);
    case HSD_RECORD_ROOT:
        return hsc_root(c->out, &(hsc_root_record){.kind = (hsc_root_kind)r->root.kind,
                                                   .label = r->root.label,
                                                   .target = ordinal_of(c, r->root.target),
                                                   .thread = r->root.thread,
                                                   .frame = r->root.frame,
                                                   .flags = r->root.flags});
    case HSD_RECORD_SITE:
    case HSD_RECORD_EDGE:
    case HSD_RECORD_METRIC:
    case HSD_RECORD_LOSS:
    case HSD_RECORD_TYPE_TOTAL:
    case HSD_RECORD_GROUP_TOTAL:
    case HSD_RECORD_LIVE_TOTAL:
    case HSD_RECORD_ROOT_TOTAL:
    case HSD_RECORD_PLACE:
    case HSD_RECORD_SITE_TOTAL: break; /* not in such captures, or nothing to the diff */
    }
    return HSC_OK;
}

static void copy_records(copying *c, hsd_record_kind kind)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    hsd_error_init(&err);
    heap_check(hsd_record_reader_open(&reader, c->h->capture, kind, &err), &err);
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, &err)) == HSD_OK)
        check(copy_record(c, kind, &record));
    heap_check(status, &err);
    hsd_record_reader_close(reader);
}

static void open_writer(copying *c, const char *path)
{
    const hsd_capture_info *info = hsd_capture_get_info(c->h->capture);
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "hsd_measure";
    options.runtime = info->runtime;
    options.taken_unix_ns = info->taken_unix_ns;
    options.facts = info->facts;
    options.pointer_bytes = info->pointer_bytes;
    options.identity = HSC_IDENTITY_EXACT;
    memcpy(options.domain, "true identities.", 16);
    options.targets_are_ordinals = true;
    unlink(path);
    check(hsc_open_file(&c->out, path, &options));
}

void exact_write(const heap *h, const truth *t, const char *path)
{
    static const hsd_record_kind tables[] = {HSD_RECORD_STRING, HSD_RECORD_TYPE, HSD_RECORD_LABEL, HSD_RECORD_THREAD,
                                             HSD_RECORD_FRAME};
    copying c = {.h = h, .t = t};
    open_writer(&c, path);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        copy_records(&c, tables[i]);
    copy_objects(&c);
    copy_records(&c, HSD_RECORD_ROOT);
    check(hsc_finish(c.out));
    hsc_close(c.out);
    free(c.targets);
}
