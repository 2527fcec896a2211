/*
 * The file up to the shot that is wanted: earlier ones and moves for the ids of objects, then its objects and roots
 * into the capture.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mix.h"
#include "import/mlpd/mlpd.h"

enum { GC_END = 5, HEADER_WORDS_OF_ARRAY = 4 };

/* ---- the capture ---- */

static void draw_domain(const mlpd *m, uint8_t domain[16])
{
    const uint64_t first = hsd_mix(hsd_mix(hsd_mix(1, m->started_ms), m->started_ns), m->pid),
                   second = hsd_mix(first, 7);
    hsd_import_set_domain(domain, first, second);
}

static hsd_status begin_capture(mlpd *m, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "Mono";
    options.source_format = "Mono log profiler";
    options.pid = m->pid;
    options.started_unix_ns = m->started_ms * 1000000;
    options.taken_unix_ns = m->major >= 3 && m->time_ns >= m->started_ns
                                ? options.started_unix_ns + (m->time_ns - m->started_ns)
                                : UINT64_MAX;
    options.pointer_bytes = m->pointer_bytes;
    options.facts = HSC_FACT_COLLECTED;
    if (m->import->options->summary_only) options.facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    options.identity = m->tells_moves && !m->ids.is_given_up ? HSC_IDENTITY_ADDRESS : HSC_IDENTITY_MOVING;
    draw_domain(m, options.domain);
    HSD_TRY(hsd_import_begin(m->import, &options, err));
    return hsd_mlpd_begin_tables(m, err);
}

static bool is_wanted_mlpd_write(const mlpd *m) { return m->shot == m->wanted; }

static hsd_status begin_shot(mlpd *m, hsd_error *err)
{
    m->shot++;
    return is_wanted_mlpd_write(m) ? begin_capture(m, err) : HSD_OK;
}

static hsd_status end_shot(mlpd *m, hsd_error *err)
{
    (void)err;
    m->is_over = is_wanted_mlpd_write(m);
    return HSD_OK;
}

/* ---- objects ---- */

static hsd_status end_object(mlpd *m, hsd_error *err)
{
    if (m->is_open) HSD_WRITE(m->import, hsc_end_object(m->import->writer), err);
    m->is_open = false;
    return HSD_OK;
}

static void count_mlpd_write(mlpd *m, const mlpd_object *told)
{
    hsd_import_result *result = m->import->result;
    result->objects++;
    result->bytes = hsd_add_saturating(result->bytes, told->size);
    uint64_t *generation = told->generation == 0 ? &m->young_bytes : &m->old_bytes;
    *generation = hsd_add_saturating(*generation, told->size);
}

static hsd_status begin_object(mlpd *m, const mlpd_object *told, hsd_error *err)
{
    HSD_TRY(end_object(m, err));
    const mlpd_known *known;
    HSD_TRY(hsd_mlpd_put_type(m, told->vtable, &known, err));
    hsc_object object = {
        .id = hsd_mlpd_id_of(&m->ids, told->address, m->shot), .size_bytes = told->size, .type = known->type};
    count_mlpd_write(m, told);
    if (m->import->options->summary_only) {
        HSD_WRITE(m->import, hsc_count(m->import->writer, object.type, 1, object.size_bytes), err);
        return HSD_OK;
    }
    if (m->version >= MLPD_GENERATIONS)
        object.category = told->generation == 0 ? MLPD_STRING_NURSERY : MLPD_STRING_MAJOR;
    HSD_WRITE(m->import, hsc_begin_object(m->import->writer, &object), err);
    m->is_open = true;
    m->is_array = known->is_array;
    m->open_id = object.id;
    m->open_address = told->address;
    return HSD_OK;
}

/* More references of an object stand behind it, and behind nothing else; elsewhere they are edges of their own. */
static hsd_status see_object(mlpd *m, const mlpd_object *told, hsd_error *err)
{
    if (!is_wanted_mlpd_write(m))
        return told->size != 0 ? hsd_mlpd_ids_see(&m->ids, told->address, m->shot, err) : HSD_OK;
    if (told->size != 0) return begin_object(m, told, err);
    if (m->is_open && m->open_address == told->address) return HSD_OK;
    HSD_TRY(end_object(m, err));
    const mlpd_class *class = hsd_mlpd_class_of(m, told->vtable);
    m->is_array = class != NULL && class->is_array;
    m->open_address = told->address;
    m->open_id = hsd_mlpd_id_of(&m->ids, told->address, m->shot);
    return HSD_OK;
}

static hsd_status see_reference(mlpd *m, uint64_t offset, uint64_t target, hsd_error *err)
{
    const uint64_t first = HEADER_WORDS_OF_ARRAY * (uint64_t)m->pointer_bytes;
    uint32_t label = MLPD_LABEL_ELEMENT;
    uint64_t index = 0;
    if (!is_wanted_mlpd_write(m) || target == 0 || m->import->options->summary_only) return HSD_OK;
    if (m->is_array && offset >= first)
        index = (offset - first) / m->pointer_bytes;
    else
        HSD_TRY(hsd_mlpd_put_label(m, offset, &label, err));
    const uint64_t id = hsd_mlpd_id_of(&m->ids, target, m->shot);
    m->import->result->references++;
    if (m->is_open)
        HSD_WRITE(m->import, hsc_reference(m->import->writer, id, label, index), err);
    else
        HSD_WRITE(m->import, hsc_edge(m->import->writer, m->open_id, id, label, index), err);
    return HSD_OK;
}

/* ---- roots ---- */

static hsd_status see_root(mlpd *m, uint64_t place, uint64_t object, uint32_t source, hsd_error *err)
{
    if (!m->is_in_shot || !is_wanted_mlpd_write(m) || object == 0 || m->import->options->summary_only) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&m->roots, &m->root_room, m->root_count, sizeof *m->roots, err));
    m->roots[m->root_count++] = (mlpd_root){place, object, source};
    return hsd_mlpd_check_memory(m, err);
}

typedef struct source_row {
    hsc_root_kind kind;
    uint32_t flags; /* SECONDARY: the runtime's own hold, or no more than a word on a stack that may be one */
    const char *words;
} source_row;

/* As the agent for Mono has them. */
static const source_row sources[MLPD_SOURCES] = {
    [MLPD_EXTERNAL] = {HSC_ROOT_GLOBAL, 0, "(roots of the embedding program)"},
    [MLPD_STACK] = {HSC_ROOT_STACK, HSC_ROOT_SECONDARY, "(stacks)"},
    [MLPD_FINALIZERS] = {HSC_ROOT_FINALIZER, 0, "(finalizer queue)"},
    [MLPD_STATIC] = {HSC_ROOT_STATIC, 0, "(statics)"},
    [MLPD_THREAD_STATIC] = {HSC_ROOT_STATIC, 0, "(thread statics)"},
    [MLPD_CONTEXT_STATIC] = {HSC_ROOT_STATIC, 0, "(context statics)"},
    [MLPD_GC_HANDLE] = {HSC_ROOT_HANDLE, 0, "(GC handles)"},
    [MLPD_JIT] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(JIT)"},
    [MLPD_THREADING] = {HSC_ROOT_THREAD, 0, "(threads)"},
    [MLPD_DOMAIN] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(application domain)"},
    [MLPD_REFLECTION] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(reflection)"},
    [MLPD_MARSHAL] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(marshalling)"},
    [MLPD_THREAD_POOL] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(thread pool)"},
    [MLPD_DEBUGGER] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(debugger)"},
    [MLPD_HANDLE] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(runtime handles)"},
    [MLPD_EPHEMERON] = {HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "(ephemerons)"},
    [MLPD_TOGGLEREF] = {HSC_ROOT_HANDLE, 0, "(toggle references)"},
};

/* The queues of the runtime have numbers for addresses. */
static uint32_t source_of(const mlpd_root *root, const mlpd_range *range)
{
    static const uint8_t by_number[] = {
        [1] = MLPD_FINALIZERS, [2] = MLPD_FINALIZERS, [3] = MLPD_EPHEMERON, [4] = MLPD_TOGGLEREF};
    if (root->source != MLPD_SOURCES) return root->source;
    if (root->place >= 1 && root->place < sizeof by_number) return by_number[root->place];
    return range == NULL ? MLPD_SOURCES : range->source;
}

/* `thread "main"`, or `thread 5` for the fifth that began and has no name: as a label, and as a thread of the capture.
 */
static hsd_status put_thread_label(mlpd *m, const mlpd_range *range, const char *what, hsc_root_record *root,
                                   hsd_error *err)
{
    const uint32_t row = hsd_id_table_find(&m->threads, range->key);
    if (row == 0) return hsd_mlpd_put_string(m, &root->label, err, "%s(a thread)", what);
    const hsd_bytes name = m->thread_names[row - 1] == 0 ? (hsd_bytes){(const uint8_t *)"", 0}
                                                         : hsd_names_get(&m->texts, m->thread_names[row - 1] - 1);
    if (name.size > 0)
        HSD_TRY(hsd_mlpd_put_string(m, &root->label, err, "%sthread \"%.*s\"", what, (int)name.size,
                                    (const char *)name.data));
    else
        HSD_TRY(hsd_mlpd_put_string(m, &root->label, err, "%sthread %u", what, row));
    if (root->kind != HSC_ROOT_STACK) return HSD_OK;
    root->thread = row;
    HSD_TRY(hsd_import_grow((void **)&m->defined_threads, &m->defined_room, row - 1, sizeof *m->defined_threads, err));
    if (m->defined_threads[row - 1]) return HSD_OK;
    m->defined_threads[row - 1] = true;
    uint32_t string = root->label;
    if (name.size > 0) HSD_TRY(hsd_mlpd_put_string(m, &string, err, "%.*s", (int)name.size, (const char *)name.data));
    HSD_WRITE(m->import, hsc_define_thread(m->import->writer, row, string), err);
    return HSD_OK;
}

static hsd_status put_static_label(mlpd *m, const mlpd_range *range, uint64_t place, uint32_t *label, hsd_error *err)
{
    const mlpd_class *class = hsd_mlpd_class_of(m, range->key);
    if (class == NULL || class->name == 0) return hsd_mlpd_put_string(m, label, err, "(statics)");
    const hsd_bytes name = hsd_names_get(&m->class_names, class->name - 1);
    return hsd_mlpd_put_string(m, label, err, "static %.*s+0x%llx", (int)name.size, (const char *)name.data,
                               (unsigned long long)(place - range->start));
}

static hsd_status write_root(mlpd *m, const mlpd_root *seen, hsd_error *err)
{
    const mlpd_range *range = hsd_mlpd_range_of(m, seen->place);
    const uint32_t source = source_of(seen, range);
    hsc_root_record root = {.kind = HSC_ROOT_UNKNOWN, .target = hsd_mlpd_id_of(&m->ids, seen->object, m->shot)};
    if (source < MLPD_SOURCES) {
        root.kind = sources[source].kind;
        root.flags = sources[source].flags;
    }
    if (source >= MLPD_SOURCES)
        HSD_TRY(hsd_mlpd_put_string(m, &root.label, err, "(roots of no known range)"));
    else if (source == MLPD_STATIC && range != NULL)
        HSD_TRY(put_static_label(m, range, seen->place, &root.label, err));
    else if (source == MLPD_STACK && range != NULL)
        HSD_TRY(put_thread_label(m, range, "", &root, err));
    else if (source == MLPD_THREAD_STATIC && range != NULL)
        HSD_TRY(put_thread_label(m, range, "thread statics of ", &root, err));
    else
        HSD_TRY(hsd_mlpd_put_string(m, &root.label, err, "%s", sources[source].words));
    HSD_WRITE(m->import, hsc_root(m->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status write_roots(mlpd *m, hsd_error *err)
{
    HSD_TRY(hsd_mlpd_find_ranges(m, m->shots[m->wanted - 1].time_ns, err));
    for (uint32_t i = 0; i < m->root_count; i++)
        HSD_TRY(write_root(m, &m->roots[i], err));
    return HSD_OK;
}

/* ---- collections ---- */

static hsd_status see_move(mlpd *m, uint64_t from, uint64_t to, hsd_error *err)
{
    return hsd_mlpd_ids_move(&m->ids, from, to, err);
}

static void see_collection(mlpd *m, uint8_t event) { m->gc_count += event == GC_END; }
static void see_resize(mlpd *m, uint64_t bytes) { m->heap_bytes = bytes; }

static hsd_status write_metrics(mlpd *m, hsd_error *err)
{
    hsc_writer *writer = m->import->writer;
    HSD_WRITE(m->import, hsc_metric(writer, "heap.used", "bytes", m->import->result->bytes), err);
    if (m->version >= MLPD_GENERATIONS) {
        HSD_WRITE(m->import, hsc_metric(writer, "heap.young", "bytes", m->young_bytes), err);
        HSD_WRITE(m->import, hsc_metric(writer, "heap.old", "bytes", m->old_bytes), err);
    }
    if (m->heap_bytes > 0) HSD_WRITE(m->import, hsc_metric(writer, "heap.committed", "bytes", m->heap_bytes), err);
    if (m->gc_count > 0) HSD_WRITE(m->import, hsc_metric(writer, "gc.count", "count", m->gc_count), err);
    return HSD_OK;
}

hsd_status hsd_mlpd_write(mlpd *m, hsd_error *err)
{
    static const mlpd_visit visit = {.begin_shot = begin_shot,
                                     .end_shot = end_shot,
                                     .object = see_object,
                                     .reference = see_reference,
                                     .root = see_root,
                                     .move = see_move,
                                     .collection = see_collection,
                                     .resize = see_resize};
    HSD_TRY(hsd_mlpd_read_all(m, &visit, "importing", err));
    HSD_TRY(end_object(m, err));
    if (m->import->options->summary_only) return write_metrics(m, err);
    HSD_TRY(write_roots(m, err));
    return write_metrics(m, err);
}
