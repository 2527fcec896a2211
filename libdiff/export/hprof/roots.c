/*
 * Roots, and threads, which are known by them:
 *
 *      of a JVM          as HotSpot writes them: by kind, stacks with thread and frame
 *      of another heap   one that says what it is ("main.cache") is a static field of a class "(globals)", so that tools show the name; what
 *                        is called by its kind ("(handles)"), and what threads hold, is a root
 *
 * Threads of another heap get a java.lang.Thread each, by which tools find the name and the stack.
 */
#include "export/hprof/hout.h"

#define STATICS_OF_CLASS 60000u
#define FIRST_HANDLE     (UINT64_C(1) << 56) /* no object's */

static const char *const class_names[HSC_ROOT_KIND_COUNT] = {
    [HSC_ROOT_UNKNOWN] = "(roots)",    [HSC_ROOT_GLOBAL] = "(globals)",    [HSC_ROOT_STATIC] = "(statics)",
    [HSC_ROOT_STACK] = "(stacks)",     [HSC_ROOT_THREAD] = "(threads)",    [HSC_ROOT_HANDLE] = "(handles)",
    [HSC_ROOT_CLASS] = "(classes)",    [HSC_ROOT_INTERNED] = "(interned)", [HSC_ROOT_FINALIZER] = "(finalizers)",
    [HSC_ROOT_MONITOR] = "(monitors)", [HSC_ROOT_RUNTIME] = "(runtime)",   [HSC_ROOT_REGISTER] = "(registers)"};

bool hsd_hout_is_named_root(const hout *h, uint32_t kind, uint32_t label, uint32_t thread)
{
    const hsd_bytes name = hsd_texts_get(&h->texts, label);
    return !h->is_jvm && kind < HSC_ROOT_KIND_COUNT && hsd_hout_thread(h, thread) == NULL && name.size > 0 &&
           name.data[0] != '(';
}

/* ---- roots with names ---- */

hsd_status hsd_hout_want_roots(hout *h, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    if (h->is_jvm) return HSD_OK; /* its labels are made of threads and kinds */
    HSD_TRY(hsd_record_reader_open(&reader, h->capture, HSD_RECORD_ROOT, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK)
        if ((status = hsd_texts_want(&h->texts, record.root.label, err)) != HSD_OK) break;
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status add_root_classes(hout *h, uint32_t kind, hsd_error *err)
{
    const uint64_t count = (h->named_roots[kind] + STATICS_OF_CLASS - 1) / STATICS_OF_CLASS;
    uint32_t name;
    HSD_TRY(hsd_hout_intern_word(h, class_names[kind], &name, err));
    h->root_classes[kind] = h->class_count + 1;
    for (uint64_t i = 0; i < count; i++) {
        HSD_TRY(hsd_hout_grow((void **)&h->classes, &h->class_capacity, h->class_count, sizeof *h->classes, err));
        h->classes[h->class_count++] = (hout_class){.id = hsd_hout_new_id(h), .name = name, .is_of_roots = true};
    }
    return HSD_OK;
}

hsd_status hsd_hout_make_root_classes(hout *h, hsd_error *err)
{
    hsd_joined_root root;
    hsd_status status;
    HSD_TRY(hsd_joined_rewind_roots(h->joined, err));
    while ((status = hsd_joined_next_root(h->joined, &root, err)) == HSD_OK) {
        uint32_t name;
        if (!hsd_hout_is_named_root(h, root.kind, root.label, root.thread)) continue;
        h->named_roots[root.kind]++;
        HSD_TRY(hsd_hout_intern_text(h, root.label, &name, err));
    }
    if (status != HSD_END) return status;
    for (uint32_t kind = 0; kind < HSC_ROOT_KIND_COUNT; kind++)
        if (h->named_roots[kind] > 0) HSD_TRY(add_root_classes(h, kind, err));
    return HSD_OK;
}

static hsd_status write_kind(hout *h, uint32_t kind, hsd_error *err)
{
    hsd_joined_root root;
    hsd_status status;
    const hout_class *of = &h->classes[h->root_classes[kind] - 1];
    h->static_count = 0; /* those of class objects are written */
    HSD_TRY(hsd_joined_rewind_roots(h->joined, err));
    while ((status = hsd_joined_next_root(h->joined, &root, err)) == HSD_OK) {
        hout_static entry = {.id = hsd_hout_id(h, root.target, root.target_id)};
        if (root.kind != kind || !hsd_hout_is_named_root(h, kind, root.label, root.thread)) continue;
        HSD_TRY(hsd_hout_intern_text(h, root.label, &entry.name, err));
        HSD_TRY(hsd_hout_grow((void **)&h->statics, &h->static_capacity, h->static_count, sizeof *h->statics, err));
        h->statics[h->static_count++] = entry;
        if (h->static_count < STATICS_OF_CLASS) continue;
        HSD_TRY(hsd_hout_write_class(h, of++, h->statics, h->static_count, err));
        h->static_count = 0;
    }
    if (status != HSD_END) return status;
    return h->static_count == 0 ? HSD_OK : hsd_hout_write_class(h, of, h->statics, h->static_count, err);
}

hsd_status hsd_hout_write_root_classes(hout *h, hsd_error *err)
{
    for (uint32_t kind = 0; kind < HSC_ROOT_KIND_COUNT; kind++)
        if (h->root_classes[kind] != 0) HSD_TRY(write_kind(h, kind, err));
    return HSD_OK;
}

/* ---- records ---- */

static hsd_status write_root(hout *h, uint8_t tag, uint64_t id, hsd_error *err)
{
    uint8_t *at;
    HSD_TRY(hsd_hout_sub(&h->out, 1 + HOUT_ID_BYTES, &at, err));
    hsd_hout_u8(hsd_hout_u1(at, tag), id);
    return HSD_OK;
}

/* `handle` is the id of the reference itself. */
static hsd_status write_handle(hout *h, uint64_t id, uint64_t handle, hsd_error *err)
{
    uint8_t *at;
    HSD_TRY(hsd_hout_sub(&h->out, 1 + 2 * HOUT_ID_BYTES, &at, err));
    at = hsd_hout_u8(hsd_hout_u1(at, HOUT_JNI_GLOBAL), id);
    hsd_hout_u8(at, handle);
    return HSD_OK;
}

static hsd_status write_in_thread(hout *h, uint8_t tag, uint64_t id, uint32_t thread, uint32_t frame, hsd_error *err)
{
    const bool has_frame = tag != HOUT_NATIVE_STACK && tag != HOUT_THREAD_BLOCK;
    uint8_t *at;
    HSD_TRY(hsd_hout_sub(&h->out, 5 + HOUT_ID_BYTES + (has_frame ? 4 : 0), &at, err));
    at = hsd_hout_u8(hsd_hout_u1(at, tag), id);
    at = hsd_hout_u4(at, thread);
    if (has_frame) hsd_hout_u4(at, frame);
    return HSD_OK;
}

static uint8_t tag_of(uint32_t kind)
{
    switch (kind) {
    case HSC_ROOT_CLASS: return HOUT_STICKY_CLASS;
    case HSC_ROOT_MONITOR: return HOUT_MONITOR;
    default: return HOUT_UNKNOWN;
    }
}

/* A thread that is not among the threads of the capture has a number and nothing else. */
static hsd_status write_of_thread(hout *h, const hsd_joined_root *root, uint64_t id, hsd_error *err)
{
    hout_thread *thread = hsd_hout_thread(h, root->thread);
    const uint32_t frame = root->frame == 0 ? UINT32_MAX : root->frame - 1;
    if (root->kind != HSC_ROOT_THREAD)
        return write_in_thread(h, root->kind == HSC_ROOT_HANDLE ? HOUT_JNI_LOCAL : HOUT_JAVA_FRAME, id, root->thread,
                               frame, err);
    if (!h->is_jvm || thread == NULL || thread->has_object)
        return write_in_thread(h, HOUT_THREAD_BLOCK, id, root->thread, 0, err);
    thread->has_object = true;
    return write_in_thread(h, HOUT_THREAD, id, root->thread, hsd_hout_thread_serial(h, thread), err);
}

static bool is_of_thread(const hsd_joined_root *root)
{
    return root->thread != 0 && (root->kind == HSC_ROOT_THREAD || root->kind == HSC_ROOT_STACK ||
                                 root->kind == HSC_ROOT_HANDLE || root->kind == HSC_ROOT_REGISTER);
}

/* Classes that go with the program are roots of a JVM's capture, and of a dump by their class loader. */
static bool is_implied(const hout *h, const hsd_joined_root *root)
{
    return h->is_jvm && root->kind == HSC_ROOT_STATIC;
}

/* The virtual machine's own. */
static bool is_of_vm(const hout *h, const hsd_joined_root *root) { return h->is_jvm && root->kind == HSC_ROOT_RUNTIME; }

/* As HotSpot writes them: handles like those of native code, behind them and side by side. */
static hsd_status write_of_vm(hout *h, hsd_error *err)
{
    hsd_joined_root root;
    hsd_status status;
    uint64_t handle = FIRST_HANDLE;
    HSD_TRY(hsd_joined_rewind_roots(h->joined, err));
    while ((status = hsd_joined_next_root(h->joined, &root, err)) == HSD_OK) {
        if (!is_of_vm(h, &root)) continue;
        HSD_TRY(write_handle(h, hsd_hout_id(h, root.target, root.target_id), handle, err));
        handle += HOUT_ID_BYTES;
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status write_captured(hout *h, hsd_error *err)
{
    hsd_joined_root root;
    hsd_status status;
    HSD_TRY(hsd_joined_rewind_roots(h->joined, err));
    while ((status = hsd_joined_next_root(h->joined, &root, err)) == HSD_OK) {
        const uint64_t id = hsd_hout_id(h, root.target, root.target_id);
        if (is_implied(h, &root) || is_of_vm(h, &root) || hsd_hout_is_named_root(h, root.kind, root.label, root.thread))
            continue;
        const bool is_stack =
            root.kind == HSC_ROOT_STACK || root.kind == HSC_ROOT_REGISTER || root.kind == HSC_ROOT_THREAD;
        if (is_of_thread(&root))
            HSD_TRY(write_of_thread(h, &root, id, err));
        else if (is_stack)
            HSD_TRY(write_in_thread(h, HOUT_NATIVE_STACK, id, 0, 0, err));
        else if (root.kind == HSC_ROOT_HANDLE)
            HSD_TRY(write_handle(h, id, id, err));
        else
            HSD_TRY(write_root(h, tag_of(root.kind), id, err));
    }
    return status == HSD_END ? write_of_vm(h, err) : status;
}

/* ---- threads of other heaps ---- */

static hsd_status write_thread(hout *h, const hout_thread *thread, hsd_error *err)
{
    const hout_class *of = hsd_hout_known(h, HOUT_K_THREAD);
    const hsd_bytes name = hsd_texts_get(&h->texts, thread->name);
    uint64_t id = hsd_hout_new_id(h), text;
    uint8_t *at;
    HSD_TRY(hsd_hout_write_string(h, name.data, name.size, &text, err));
    HSD_TRY(hsd_hout_sub(&h->out, HOUT_HEAD_BYTES + of->data_bytes, &at, err));
    memset(at, 0, HOUT_HEAD_BYTES + of->data_bytes);
    at = hsd_hout_u8(hsd_hout_u1(at, HOUT_INSTANCE), id);
    at = hsd_hout_u8(hsd_hout_u4(at, 1), of->id);
    at = hsd_hout_u4(at, of->data_bytes);
    hsd_hout_u8(at, text); /* its first field */
    return write_in_thread(h, HOUT_THREAD, id, thread->id, hsd_hout_thread_serial(h, thread), err);
}

hsd_status hsd_hout_write_roots(hout *h, hsd_error *err)
{
    for (uint32_t i = 0; i < h->class_count; i++)
        if (h->classes[i].mirror == 0) HSD_TRY(write_root(h, HOUT_STICKY_CLASS, h->classes[i].id, err));
    for (uint32_t i = 0; !h->is_jvm && i < h->stacks.thread_count; i++)
        HSD_TRY(write_thread(h, &h->stacks.threads[i], err));
    return write_captured(h, err);
}
