/*
 * Reads a capture into memory for tests; see capture_view.h.
 */
#include "support/capture_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *items, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0 && count >= 16) return items;
    void *grown = realloc(items, (count < 16 ? 16 : count * 2) * size);
    if (grown == NULL) abort();
    return grown;
}

#define APPEND(items, count, ...)                                                                                      \
    do {                                                                                                               \
        (items) = grow((items), (count), sizeof *(items));                                                             \
        (items)[(count)++] = (__VA_ARGS__);                                                                            \
    } while (0)

static char *copy(hsd_text text)
{
    char *out = malloc(text.size + 1);
    if (out == NULL) abort();
    if (text.size > 0) memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    return out;
}

/* Makes room for index `key` in an array by number; new items are zero. */
static void *room(void *items, uint32_t *limit, uint32_t key, size_t size)
{
    if (key < *limit) return items;
    const uint32_t wanted = key + 64;
    uint8_t *grown = realloc(items, wanted * size);
    if (grown == NULL) abort();
    memset(grown + *limit * size, 0, (wanted - *limit) * size);
    *limit = wanted;
    return grown;
}

/* Where a string stands: numbers that are counted down from the greatest lie behind a million others. */
static uint32_t place_of_string(uint32_t number)
{
    return number < UINT32_C(1) << 30 ? number : (UINT32_C(1) << 20) + (INT32_MAX - number);
}

static void take_record(capture_view *view, hsd_record_kind kind, const hsd_record *r)
{
    uint32_t limit = view->type_limit;
    switch (kind) {
    case HSD_RECORD_STRING:
        view->strings = room(view->strings, &view->string_limit, place_of_string(r->string.id), sizeof(char *));
        view->strings[place_of_string(r->string.id)] = copy(r->string.text);
        break;
    case HSD_RECORD_TYPE:
        view->types = room(view->types, &limit, r->type.id, sizeof(char *));
        view->type_flags = room(view->type_flags, &view->type_limit, r->type.id, sizeof *view->type_flags);
        view->types[r->type.id] = copy(r->type.name);
        view->type_flags[r->type.id] = r->type.flags;
        break;
    case HSD_RECORD_LABEL:
        view->labels = room(view->labels, &view->label_limit, r->label.id, sizeof *view->labels);
        view->labels[r->label.id] = (view_label){r->label.kind, r->label.flags, r->label.name};
        break;
    case HSD_RECORD_SITE:
        view->sites = room(view->sites, &view->site_limit, r->site.id, sizeof *view->sites);
        view->sites[r->site.id] = r->site;
        break;
    case HSD_RECORD_ROOT: APPEND(view->roots, view->root_count, r->root); break;
    case HSD_RECORD_THREAD: APPEND(view->threads, view->thread_count, r->thread); break;
    case HSD_RECORD_FRAME: APPEND(view->frames, view->frame_count, r->frame); break;
    case HSD_RECORD_TYPE_TOTAL: APPEND(view->totals, view->total_count, r->type_total); break;
    case HSD_RECORD_LOSS:
        APPEND(view->losses, view->loss_count, (hsd_loss){{copy(r->loss.what), r->loss.what.size}, r->loss.count});
        break;
    case HSD_RECORD_EDGE: APPEND(view->edges, view->edge_count, r->edge); break;
    case HSD_RECORD_METRIC:
    case HSD_RECORD_GROUP_TOTAL:
    case HSD_RECORD_LIVE_TOTAL:
    case HSD_RECORD_ROOT_TOTAL:
    case HSD_RECORD_PLACE: break;
    case HSD_RECORD_SITE_TOTAL: APPEND(view->site_totals, view->site_total_count, r->site_total); break;
    }
}

static bool read_records(capture_view *view, hsd_record_kind kind, hsd_error *err)
{
    hsd_record_reader *reader = NULL;
    hsd_record record;
    if (hsd_record_reader_open(&reader, view->capture, kind, err) != HSD_OK) return false;
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK)
        take_record(view, kind, &record);
    hsd_record_reader_close(reader);
    return status == HSD_END;
}

static void take_object(capture_view *view, const hsd_object *o)
{
    if (!o->is_continuation)
        APPEND(view->objects, view->object_count,
               (view_object){.id = o->id,
                             .size_bytes = o->size_bytes,
                             .native_bytes = o->native_bytes,
                             .elements = o->elements,
                             .identity = o->identity,
                             .content = o->content,
                             .type = o->type,
                             .name = o->name,
                             .flags = o->flags,
                             .category = o->category,
                             .site = o->site,
                             .value = o->value.size == 0 ? NULL : copy(o->value),
                             .first = view->reference_count});
    for (uint32_t i = 0; i < o->reference_count; i++)
        APPEND(view->references, view->reference_count, (view_reference){o->targets[i], o->indexes[i], o->labels[i]});
    view->objects[view->object_count - 1].count += o->reference_count;
}

static bool read_objects(capture_view *view, hsd_error *err)
{
    hsd_object_reader *reader = NULL;
    hsd_object object;
    if (hsd_object_reader_open(&reader, view->capture, HSD_WANT_ALL, err) != HSD_OK) return false;
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, err)) == HSD_OK)
        take_object(view, &object);
    hsd_object_reader_close(reader);
    return status == HSD_END;
}

static bool read_all(capture_view *view, hsd_status status, hsd_error *err)
{
    static const hsd_record_kind kinds[] = {HSD_RECORD_STRING,     HSD_RECORD_TYPE,       HSD_RECORD_LABEL,
                                            HSD_RECORD_SITE,       HSD_RECORD_ROOT,       HSD_RECORD_THREAD,
                                            HSD_RECORD_FRAME,      HSD_RECORD_TYPE_TOTAL, HSD_RECORD_LOSS,
                                            HSD_RECORD_SITE_TOTAL, HSD_RECORD_EDGE};
    bool is_read = status == HSD_OK;
    if (is_read) view->info = hsd_capture_get_info(view->capture);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && is_read; i++)
        is_read = read_records(view, kinds[i], err);
    is_read = is_read && read_objects(view, err);
    if (!is_read) fprintf(stderr, "the capture cannot be read: %s\n", err->text);
    return is_read;
}

bool view_open(capture_view *view, const char *path)
{
    hsd_error err;
    hsd_error_init(&err);
    *view = (capture_view){0};
    return read_all(view, hsd_capture_open(&view->capture, path, HSD_DAMAGE_SKIP, NULL, &err), &err);
}

bool view_open_fd(capture_view *view, int fd)
{
    hsd_error err;
    hsd_error_init(&err);
    *view = (capture_view){0};
    return read_all(view, hsd_capture_open_fd(&view->capture, fd, "capture", HSD_DAMAGE_SKIP, NULL, &err), &err);
}

void view_close(capture_view *view)
{
    for (size_t i = 0; i < view->object_count; i++)
        free(view->objects[i].value);
    for (uint32_t i = 0; i < view->string_limit; i++)
        free(view->strings[i]);
    for (uint32_t i = 0; i < view->type_limit; i++)
        free(view->types[i]);
    for (size_t i = 0; i < view->loss_count; i++)
        free((char *)(uintptr_t)view->losses[i].what.data);
    free(view->objects);
    free(view->references);
    free(view->roots);
    free(view->edges);
    free(view->totals);
    free(view->losses);
    free(view->site_totals);
    free(view->strings);
    free(view->types);
    free(view->type_flags);
    free(view->labels);
    free(view->sites);
    free(view->threads);
    free(view->frames);
    hsd_capture_close(view->capture);
    *view = (capture_view){0};
}

const view_object *view_find(const capture_view *view, uint64_t id)
{
    for (size_t i = 0; i < view->object_count; i++)
        if (view->objects[i].id == id) return &view->objects[i];
    return NULL;
}

const char *view_string(const capture_view *view, uint32_t string)
{
    const uint32_t place = place_of_string(string);
    const bool is_known = string != 0 && place < view->string_limit && view->strings[place] != NULL;
    return is_known ? view->strings[place] : "";
}

const char *view_type(const capture_view *view, uint32_t type)
{
    const bool is_known = type != 0 && type < view->type_limit && view->types[type] != NULL;
    return is_known ? view->types[type] : "";
}

view_label view_label_of(const capture_view *view, const view_reference *reference)
{
    return reference->label < view->label_limit ? view->labels[reference->label] : (view_label){0};
}

const view_reference *view_reference_of(const capture_view *view, const view_object *object, const char *label,
                                        uint64_t index)
{
    for (size_t i = 0; object != NULL && i < object->count; i++) {
        const view_reference *r = &view->references[object->first + i];
        const char *name = view_string(view, view_label_of(view, r).name);
        if (strcmp(name, label == NULL ? "" : label) == 0 && r->index == index) return r;
    }
    return NULL;
}

size_t view_count_edges(const capture_view *view, const char *label, uint64_t source, uint64_t target)
{
    size_t count = 0;
    for (size_t i = 0; i < view->edge_count; i++) {
        const hsd_edge *edge = &view->edges[i];
        if (edge->source != source || edge->target != target || edge->label >= view->label_limit) continue;
        count += strcmp(view_string(view, view->labels[edge->label].name), label) == 0;
    }
    return count;
}

size_t view_count_roots(const capture_view *view, uint32_t kind, const char *label, uint64_t target)
{
    size_t count = 0;
    for (size_t i = 0; i < view->root_count; i++)
        count += view->roots[i].kind == kind && view->roots[i].target == target &&
                 strcmp(view_string(view, view->roots[i].label), label) == 0;
    return count;
}

void view_total(const capture_view *view, const char *type, uint64_t *objects, uint64_t *bytes)
{
    *objects = *bytes = 0;
    for (size_t i = 0; i < view->total_count; i++) {
        if (strcmp(view_type(view, view->totals[i].type), type) != 0) continue;
        *objects += view->totals[i].objects;
        *bytes += view->totals[i].bytes;
    }
}

uint64_t view_loss(const capture_view *view, const char *what)
{
    uint64_t count = 0;
    for (size_t i = 0; i < view->loss_count; i++)
        if (strcmp(view->losses[i].what.data, what) == 0) count += view->losses[i].count;
    return count;
}
