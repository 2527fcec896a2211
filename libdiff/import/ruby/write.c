/*
 * Objects as their lines are read, and the roots at the end: a category may have several lines, and names an object
 * many times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "import/ruby/ruby.h"

/* Sorts up to this many by insertion: most objects have few references. */
enum { FEW = 16 };

static int compare_targets(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *targets, size_t count)
{
    if (count > FEW) {
        qsort(targets, count, sizeof *targets, compare_targets);
    } else {
        for (size_t i = 1; i < count; i++) {
            const uint64_t target = targets[i];
            size_t k = i;
            for (; k > 0 && targets[k - 1] > target; k--)
                targets[k] = targets[k - 1];
            targets[k] = target;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || targets[i] != targets[i - 1]) targets[kept++] = targets[i];
    return kept;
}

/* What a named class or module holds has its name as an owner. */
static bool is_named_class(const ruby_line *line)
{
    return (line->kind == RUBY_CLASS || line->kind == RUBY_MODULE) && line->name != 0 && !line->is_singleton;
}

/* ---- references ---- */

static uint32_t label_of(const ruby *rb)
{
    if (is_named_class(&rb->line)) return RUBY_LABEL_STATE;
    if (rb->line.detail == 0) return 0;
    if (rb->line.kind == RUBY_IMEMO && rb->line.detail == rb->constant_cache) return RUBY_LABEL_CACHE;
    return rb->line.kind == RUBY_DATA && rb->line.detail == rb->thread ? RUBY_LABEL_STACK : 0;
}

static hsd_bytes category_name(const ruby *rb, uint32_t category)
{
    return category != 0 ? hsd_names_get(&rb->strings.names, category - 1) : (hsd_bytes){0};
}

static hsd_status add_root(ruby *rb, uint32_t category, uint64_t target, hsd_error *err)
{
    if (rb->root_count == rb->root_room) {
        HSD_TRY(HSD_ARRAY_GROW(rb->roots, rb->root_room, rb->root_count + 1, 1024, "roots", err));
        HSD_TRY(hsd_ruby_check_memory(rb, err));
    }
    rb->roots[rb->root_count++] = (ruby_root){category, target};
    return HSD_OK;
}

/* Of references that are weak because something else holds their targets, or nothing does. */
static hsd_status add_secondary_roots(ruby *rb, uint32_t label, size_t count, hsd_error *err)
{
    if (label != RUBY_LABEL_CACHE && label != RUBY_LABEL_STACK) return HSD_OK;
    for (size_t i = 0; i < count; i++)
        HSD_TRY(add_root(rb, label == RUBY_LABEL_CACHE ? rb->cache_root : rb->thread_root, rb->targets[i], err));
    return HSD_OK;
}

/* References past the room for them, in front of their object. */
static hsd_status spill_ruby_write(ruby *rb, hsd_error *err)
{
    const uint32_t label = label_of(rb);
    const size_t count = sort_unique(rb->targets, rb->target_count);
    for (size_t i = 0; i < count; i++)
        HSD_WRITE(rb->import, hsc_edge(rb->import->writer, rb->line.address, rb->targets[i], label, 0), err);
    HSD_TRY(add_secondary_roots(rb, label, count, err));
    rb->import->result->references += count;
    rb->line.is_spilled = true;
    rb->target_count = 0;
    return HSD_OK;
}

static hsd_status grow_ruby_write(ruby *rb, hsd_error *err)
{
    if (rb->target_room == rb->target_most) return spill_ruby_write(rb, err);
    const size_t room = rb->target_room == 0 ? 512 : rb->target_room * 2;
    rb->target_room = room < rb->target_most ? room : rb->target_most;
    uint64_t *wider = realloc(rb->targets, rb->target_room * sizeof *wider);
    if (wider == NULL) return hsd_fail_nomem(err, "the references of an object");
    rb->targets = wider;
    return HSD_OK;
}

hsd_status hsd_ruby_add_target(ruby *rb, uint64_t target, hsd_error *err)
{
    if (rb->import->options->summary_only && rb->line.kind != RUBY_ROOT) return HSD_OK;
    if (rb->line.kind == RUBY_ROOT) {
        const hsd_bytes category = category_name(rb, rb->line.root);
        if (rb->instance == 0 && category.size == 2 && memcmp(category.data, "vm", 2) == 0) rb->instance = target;
        return add_root(rb, rb->line.root, target, err);
    }
    if (target == rb->line.address || !rb->line.has_address || rb->import->writer == NULL) return HSD_OK;
    if (rb->target_count == rb->target_room) HSD_TRY(grow_ruby_write(rb, err));
    rb->targets[rb->target_count++] = target;
    return HSD_OK;
}

/* ---- objects ---- */

static hsd_status write_references(ruby *rb, hsd_error *err)
{
    const ruby_line *line = &rb->line;
    hsc_writer *writer = rb->import->writer;
    const uint32_t label = label_of(rb);
    const size_t count = sort_unique(rb->targets, rb->target_count);
    if (line->class_address >= RUBY_LEAST_ADDRESS && line->class_address != line->address &&
        !hsd_ruby_is_internal(line)) {
        HSD_WRITE(rb->import, hsc_reference(writer, line->class_address, RUBY_LABEL_CLASS, 0), err);
        rb->import->result->references++;
    }
    if (label == 0 && count > 0) HSD_WRITE(rb->import, hsc_references(writer, rb->targets, NULL, NULL, count), err);
    for (size_t i = 0; label != 0 && i < count; i++)
        HSD_WRITE(rb->import, hsc_reference(writer, rb->targets[i], label, 0), err);
    HSD_TRY(add_secondary_roots(rb, label, count, err));
    rb->import->result->references += count;
    return HSD_OK;
}

/* What collects the places of allocation: its table grows with every object, and is none of the program's. */
static bool is_tracer(const ruby *rb)
{
    static const char prefix[] = "ObjectTracing/";
    if (rb->line.kind != RUBY_DATA || rb->line.detail == 0) return false;
    const hsd_bytes name = hsd_names_get(&rb->strings.names, rb->line.detail - 1);
    return name.size >= sizeof prefix - 1 && memcmp(name.data, prefix, sizeof prefix - 1) == 0;
}

static uint64_t size_of(ruby *rb)
{
    const ruby_line *line = &rb->line;
    if (is_tracer(rb)) {
        rb->tracer_bytes = hsd_add_saturating(rb->tracer_bytes, line->memsize);
        return RUBY_SLOT_BYTES;
    }
    if (line->memsize != 0) return line->memsize;
    return line->slot_size != 0 ? line->slot_size : RUBY_SLOT_BYTES;
}

static hsd_status write_whole(ruby *rb, const hsc_object *object, hsd_error *err)
{
    hsc_writer *writer = rb->import->writer;
    HSD_WRITE(rb->import, hsc_begin_object(writer, object), err);
    if (rb->line.has_value && rb->import->options->with_values)
        HSD_WRITE(rb->import, hsc_value(writer, rb->value.data, rb->value.size), err);
    HSD_TRY(write_references(rb, err));
    HSD_WRITE(rb->import, hsc_end_object(writer), err);
    return HSD_OK;
}

hsd_status hsd_ruby_write_object(ruby *rb, hsd_error *err)
{
    const ruby_line *line = &rb->line;
    hsc_object object = {.id = line->address, .size_bytes = size_of(rb), .elements = line->elements};
    if (hsd_ruby_is_module(line)) HSD_TRY(hsd_ruby_put_class(rb, err));
    HSD_TRY(hsd_ruby_put_type(rb, &object.type, err));
    rb->objects++;
    rb->import->result->objects++;
    rb->import->result->bytes = hsd_add_saturating(rb->import->result->bytes, object.size_bytes);
    if (rb->import->options->summary_only) {
        HSD_WRITE(rb->import, hsc_count(rb->import->writer, object.type, 1, object.size_bytes), err);
        return HSD_OK;
    }
    HSD_TRY(hsd_ruby_put_site(rb, &object.site, err));
    object.age = (uint32_t)hsd_min_u64(line->generation, UINT32_MAX);
    object.content = line->has_value ? rb->value.hash : 0;
    object.name = is_named_class(line) ? line->name : 0;
    object.flags = line->is_cut ? HSC_OBJECT_CUT : 0;
    return write_whole(rb, &object, err);
}

/* ---- roots ---- */

static int compare_roots(const void *a, const void *b)
{
    const ruby_root *x = a, *y = b;
    if (x->category != y->category) return x->category < y->category ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

static hsc_root_record describe_ruby_write(hsd_bytes category)
{
    static const struct {
        const char *name;
        hsc_root_kind kind;
        uint32_t flags;
    } known[] = {
        {"vm", HSC_ROOT_RUNTIME, 0},
        {"machine_context", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
        {"global_list", HSC_ROOT_GLOBAL, 0},
        {"global_tbl", HSC_ROOT_GLOBAL, 0},
        {"global_symbols", HSC_ROOT_INTERNED, 0},
        {"finalizers", HSC_ROOT_FINALIZER, HSC_ROOT_SECONDARY},
        {"end_proc", HSC_ROOT_RUNTIME, 0},
        {"object_id", HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY},
        {"(caches of constants)", HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY},
        {"threads", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (category.size == strlen(known[i].name) && memcmp(category.data, known[i].name, category.size) == 0)
            return (hsc_root_record){.kind = known[i].kind, .flags = known[i].flags};
    return (hsc_root_record){.kind = HSC_ROOT_UNKNOWN};
}

hsd_status hsd_ruby_write_roots(ruby *rb, hsd_error *err)
{
    hsc_root_record root = {0};
    if (rb->import->options->summary_only) return HSD_OK;
    if (rb->root_count > 0) qsort(rb->roots, rb->root_count, sizeof *rb->roots, compare_roots);
    for (size_t i = 0; i < rb->root_count; i++) {
        const ruby_root *at = &rb->roots[i];
        if (i > 0 && compare_roots(at, at - 1) == 0) continue;
        if (i == 0 || at->category != at[-1].category) root = describe_ruby_write(category_name(rb, at->category));
        root.label = at->category;
        root.target = at->target;
        HSD_WRITE(rb->import, hsc_root(rb->import->writer, &root), err);
    }
    return HSD_OK;
}
