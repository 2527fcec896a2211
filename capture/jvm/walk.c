/*
 * The walk. The JVM stands still and calls back once for every reference, from the roots on; an object is written when
 * it is met first, its references one by one as they are told. Nothing is kept but a bit for each tag.
 *
 * Left out are references of objects to classes of the boot loader, half of all: those live for ever and hold nothing
 * that is not held anyway. What a Reference refers to is told like any other field, and its label says how strongly it
 * holds.
 *
 * References that start owners of their own (statics, thread locals) stand with their object in a capture, and how
 * strongly a Finalizer holds depends on whether it is queued. So class objects, threads and Finalizers are written when
 * the JVM has told what they refer to, which it does in one go; class objects of which it tells nothing, behind the
 * walk.
 */
#include "jvm.h"

/* ---- objects ---- */

static void take_number(jvm_capture *capture, jlong class_tag, jlong *tag)
{
    const uint32_t of = jvm_class_number(capture, class_tag);
    if (of != 0 && capture->classes[of].kind == JVM_MIRROR && *capture->next_class < (jlong)capture->class_capacity)
        *tag = (*capture->next_class)++; /* a class that was loaded just now */
    else
        *tag = (*capture->next_object)++;
}

static uint32_t object_name(const jvm_capture *capture, const jvm_class *of, jlong tag)
{
    if (of->kind == JVM_THREAD) {
        const jvm_thread *thread = jvm_find_thread(capture, tag);
        return thread == NULL ? 0 : thread->label;
    }
    if (of->kind != JVM_MIRROR) return 0;
    const uint32_t mirrored = jvm_class_number(capture, tag);
    return mirrored == 0 ? 0 : capture->classes[mirrored].name;
}

void jvm_put_object(jvm_capture *capture, const hsc_object *object)
{
    capture->objects++;
    capture->bytes += object->size_bytes;
    if (hsc_begin_object(capture->writer, object) != HSC_OK || hsc_end_object(capture->writer) != HSC_OK)
        capture->has_failed = true;
}

void jvm_write_object(jvm_capture *capture, const jvm_class *of, jlong tag, uint64_t size_bytes, int32_t elements)
{
    const hsc_object object = {.id = (uint64_t)tag,
                               .type = of->type,
                               .size_bytes = size_bytes,
                               .elements = elements > 0 ? (uint64_t)elements : 0,
                               .name = object_name(capture, of, tag)};
    jvm_put_object(capture, &object);
}

static void keep_late(jvm_capture *capture, jlong tag, jlong size, jint elements)
{
    if (capture->late_count == JVM_LATE_OBJECTS) {
        capture->lost_objects++;
        return;
    }
    capture->late[capture->late_count++] = (jvm_late){.tag = tag, .size_bytes = (uint64_t)size, .elements = elements};
}

static void meet_object(jvm_capture *capture, jlong class_tag, jlong tag, jlong size, jint elements)
{
    jvm_class *of = &capture->classes[jvm_class_number(capture, class_tag)];
    const uint32_t mirrored = of->kind == JVM_MIRROR ? jvm_class_number(capture, tag) : 0;
    if (of->kind >= JVM_MIRROR && (of->kind != JVM_MIRROR || mirrored != 0)) {
        of->instance_bytes = (uint32_t)size;
        if (mirrored != 0) capture->classes[mirrored].mirror_bytes = (uint32_t)size;
        capture->mirror_class = of->kind == JVM_MIRROR ? (uint32_t)class_tag : capture->mirror_class;
        return; /* written when its references are told */
    }
    jvm_note_written(capture, tag);
    if (of->is_owner && jvm_keep_owner(capture, jvm_class_number(capture, class_tag), tag, size)) return;
    if (of->is_known)
        jvm_write_object(capture, of, tag, (uint64_t)size, elements);
    else
        keep_late(capture, tag, size, elements);
}

/* ---- objects that wait ---- */

static uint32_t pending_name(const jvm_capture *capture, const jvm_class *of)
{
    const jvm_pending *pending = &capture->pending;
    if (of->kind == JVM_LOCAL) return jvm_name_of_local(capture, (jlong)pending->referent);
    return pending->is_queued ? capture->finalizer_queue : object_name(capture, of, pending->tag);
}

/* The value of a ThreadLocal starts an owner of its own where a static field holds that. What one that was collected
 * left behind is its thread's. */
static void write_value(jvm_capture *capture, bool is_named)
{
    const jvm_pending *pending = &capture->pending;
    if (pending->value != 0)
        hsc_reference(capture->writer, pending->value, is_named ? capture->locals.value_label : pending->labels[0], 0);
}

static void write_pending(jvm_capture *capture)
{
    jvm_pending *pending = &capture->pending;
    if (pending->tag == 0) return;
    const jvm_class *of = &capture->classes[pending->class_number];
    const uint32_t bytes = of->kind == JVM_MIRROR
                               ? capture->classes[jvm_class_number(capture, pending->tag)].mirror_bytes
                               : of->instance_bytes;
    const hsc_object object = {
        .id = (uint64_t)pending->tag, .type = of->type, .size_bytes = bytes, .name = pending_name(capture, of)};
    capture->objects++;
    capture->bytes += bytes;
    hsc_begin_object(capture->writer, &object);
    write_value(capture, object.name != 0 && object.name != capture->locals.collected);
    hsc_references(capture->writer, pending->targets, pending->labels, NULL, pending->count);
    if (pending->referent != 0)
        hsc_reference(capture->writer, pending->referent,
                      capture->referent_labels[pending->is_queued ? HSC_STRENGTH_STRONG : of->strength], 0);
    if (hsc_end_object(capture->writer) != HSC_OK) capture->has_failed = true;
    pending->tag = 0;
}

/* What ClassValues keep of a class hangs from it like a static. */
static void begin_class(jvm_capture *capture)
{
    jvm_pending *pending = &capture->pending;
    const jvm_class *of = &capture->classes[jvm_class_number(capture, pending->tag)];
    if (of->values == 0) return;
    capture->references++;
    pending->targets[0] = (uint64_t)of->values;
    pending->labels[0] = capture->values_label;
    pending->count = 1;
}

/* Does the object with this tag wait? It does from its first reference to the last one. */
static bool waits(jvm_capture *capture, uint32_t class_number, jlong tag)
{
    jvm_pending *pending = &capture->pending;
    if (pending->tag == tag) return true;
    if (jvm_is_written(capture, tag)) return false;
    write_pending(capture);
    jvm_note_written(capture, tag);
    pending->tag = tag;
    pending->class_number = class_number;
    pending->count = 0;
    pending->referent = 0;
    pending->value = 0;
    pending->is_queued = false;
    if (capture->classes[class_number].kind == JVM_MIRROR) begin_class(capture);
    return true;
}

/* False: the reference is an ordinary one. */
static bool keep_pending(jvm_capture *capture, const jvm_class *of, uint32_t class_number, jlong referrer, jlong target,
                         uint32_t label, uint32_t role)
{
    jvm_pending *pending = &capture->pending;
    if (!waits(capture, class_number, referrer)) return false;
    if (of->kind == JVM_FINAL && role == JVM_NEXT) pending->is_queued = true;
    if (of->kind == JVM_LOCAL && role == JVM_VALUE) {
        capture->references++;
        pending->value = (uint64_t)target;
        pending->labels[0] = label; /* an entry has no other that is kept */
        return true;
    }
    if ((of->kind == JVM_FINAL || of->kind == JVM_LOCAL) && role == JVM_REFERENT) {
        capture->references++;
        pending->referent = (uint64_t)target;
        return true;
    }
    if (role != JVM_STATIC && role != JVM_LOCALS && role != JVM_INHERITABLE) return false;
    if (pending->count == pending->room) return false;
    capture->references++;
    pending->targets[pending->count] = (uint64_t)target;
    pending->labels[pending->count++] = label;
    return true;
}

/* Class objects that the JVM met and told nothing of: of arrays, primitives, classes that were never used. */
static void write_silent_classes(jvm_capture *capture)
{
    for (jlong tag = 1; tag < *capture->next_class && tag < (jlong)capture->class_capacity; tag++)
        if (capture->classes[tag].mirror_bytes > 0 && !jvm_is_written(capture, tag))
            waits(capture, capture->mirror_class, tag);
    write_pending(capture);
}

/* ---- references ---- */

const jvm_field *jvm_find_field(const jvm_capture *capture, const jvm_class *of, jint index)
{
    if (!of->is_counted || index < 0 || (uint32_t)index < of->above) return NULL;
    const uint32_t place = (uint32_t)index - of->above;
    while (place < of->first_field && of->super != 0)
        of = &capture->classes[of->super];
    return place >= of->first_field && place - of->first_field < of->field_count ? &of->fields[place - of->first_field]
                                                                                 : NULL;
}

static uint32_t field_label(const jvm_capture *capture, const jvm_class *of, const jvm_field *field, jlong referrer)
{
    if (field->role == JVM_REFERENT) return capture->referent_labels[of->strength];
    if (field->role < JVM_LOCALS || field->role > JVM_INHERITABLE || jvm_find_thread(capture, referrer) == NULL)
        return field->label;
    return field->role == JVM_LOCALS ? capture->named_locals : capture->named_inheritable;
}

static void write_edge(jvm_capture *capture, jlong source, jlong target, uint32_t label, uint64_t index)
{
    capture->references++;
    if (hsc_edge(capture->writer, (uint64_t)source, (uint64_t)target, label, index) != HSC_OK)
        capture->has_failed = true;
}

/* A class that is a root anyway: references of its instances to it change nothing, and are most of all. */
static bool is_root_class(const jvm_capture *capture, jlong tag)
{
    const uint32_t number = jvm_class_number(capture, tag);
    return number != 0 && (capture->classes[number].is_sticky || capture->classes[number].is_permanent);
}

static uint32_t plain_label(const jvm_capture *capture, jvmtiHeapReferenceKind kind)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_CLASS: return capture->class_label;
    case JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT: return capture->element_label;
    case JVMTI_HEAP_REFERENCE_CLASS_LOADER: return capture->loader_label;
    case JVMTI_HEAP_REFERENCE_SIGNERS: return capture->signers_label;
    case JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN: return capture->domain_label;
    case JVMTI_HEAP_REFERENCE_INTERFACE: return capture->interface_label;
    case JVMTI_HEAP_REFERENCE_CONSTANT_POOL: return capture->constant_label;
    case JVMTI_HEAP_REFERENCE_SUPERCLASS: return capture->super_label;
    default: return 0;
    }
}

static bool is_left_out(const jvm_capture *capture, jvmtiHeapReferenceKind kind, jlong target)
{
    const bool is_of_class = kind == JVMTI_HEAP_REFERENCE_CLASS || kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL;
    return is_of_class && is_root_class(capture, target);
}

static void on_reference(jvm_capture *capture, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                         jlong referrer_class, jlong referrer, jlong target_class, jlong target)
{
    const uint32_t number = jvm_class_number(capture, referrer_class);
    const jvm_class *of = &capture->classes[number];
    uint32_t label = plain_label(capture, kind), role = JVM_FIELD;
    const jvm_field *field = NULL;
    if (kind == JVMTI_HEAP_REFERENCE_FIELD) field = jvm_find_field(capture, of, info->field.index);
    if (kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD)
        field = jvm_find_field(capture, &capture->classes[jvm_class_number(capture, referrer)], info->field.index);
    if (field != NULL) {
        label = field_label(capture, of, field, referrer);
        role = field->role;
    }
    if (role == JVM_VIEW && of->is_owner) jvm_note_view(capture, referrer);
    if (role == JVM_CLEANER && of->is_owner) jvm_note_cleaner(capture, referrer);
    if (role == JVM_REFERENT && of->is_cleanable) {
        write_edge(capture, target, referrer, capture->cleanable_label, 0);
        jvm_note_waited_for(capture, referrer, target);
    }
    if (role == JVM_ACTION) {
        jvm_note_action(capture, referrer, target);
        capture->classes[jvm_class_number(capture, target_class)].is_action = true;
    }
    if (of->is_action && !jvm_look_at_action(capture, referrer, target)) capture->has_failed = true;
    const bool is_dropped = is_left_out(capture, kind, target);
    if (of->kind >= JVM_MIRROR && keep_pending(capture, of, number, referrer, target, label, role)) return;
    if (kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT && is_root_class(capture, target))
        label = capture->weak_element_label;
    if (!is_dropped)
        write_edge(capture, referrer, target, label,
                   kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT ? (uint64_t)info->array.index : 0);
}

/* ---- roots ---- */

typedef struct root_kind {
    hsc_root_kind kind;
    const char *label; /* NULL = from the thread */
    uint32_t flags;
} root_kind;

static root_kind kind_of_root(jvmtiHeapReferenceKind kind)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL: return (root_kind){HSC_ROOT_HANDLE, "(JNI globals)", 0};
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS: return (root_kind){HSC_ROOT_CLASS, "(system classes)", 0};
    case JVMTI_HEAP_REFERENCE_MONITOR: return (root_kind){HSC_ROOT_MONITOR, "(monitors)", 0};
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL: return (root_kind){HSC_ROOT_STACK, NULL, HSC_ROOT_SECONDARY};
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL: return (root_kind){HSC_ROOT_HANDLE, NULL, HSC_ROOT_SECONDARY};
    case JVMTI_HEAP_REFERENCE_THREAD: return (root_kind){HSC_ROOT_THREAD, NULL, 0};
    default: return (root_kind){HSC_ROOT_RUNTIME, "(VM internals)", HSC_ROOT_SECONDARY};
    }
}

static uint32_t plain_root(jvm_capture *capture, const root_kind *kind)
{
    uint32_t *label = &capture->plain_roots[kind->kind];
    if (*label == 0) {
        size_t size = 0;
        while (kind->label[size] != '\0')
            size++;
        *label = jvm_string(&capture->output, kind->label, size);
    }
    return *label;
}

static void on_root(jvm_capture *capture, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong target)
{
    const root_kind of = kind_of_root(kind);
    hsc_root_record root = {.kind = of.kind, .target = (uint64_t)target, .flags = of.flags};
    if (of.label != NULL) root.label = plain_root(capture, &of);
    if (kind == JVMTI_HEAP_REFERENCE_THREAD) {
        const jvm_thread *thread = jvm_thread_of(capture, target);
        if (thread != NULL) root.thread = thread->number, root.label = thread->label;
    } else if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL || kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
        const bool is_stack = kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL;
        const jlong tag = is_stack ? info->stack_local.thread_tag : info->jni_local.thread_tag;
        const jint depth = is_stack ? info->stack_local.depth : info->jni_local.depth;
        const jmethodID method = is_stack ? info->stack_local.method : info->jni_local.method;
        jvm_thread *thread = tag == 0 ? NULL : jvm_thread_of(capture, tag);
        if (thread != NULL) {
            if (!jvm_root_thread(capture, thread)) capture->has_failed = true;
            root.thread = thread->number;
            root.label = thread->label;
            if (method != NULL && depth >= 0) {
                root.label = jvm_frame_label(capture, thread, (uint32_t)depth, method,
                                             is_stack ? info->stack_local.location : -1);
                root.frame = (uint32_t)depth + 1;
            }
        }
    }
    if (hsc_root(capture->writer, &root) != HSC_OK) capture->has_failed = true;
}

/* ---- the walk ---- */

static jint JNICALL on_call(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                            jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length,
                            void *context)
{
    jvm_capture *capture = context;
    const bool is_of_values = referrer_tag != NULL && *referrer_tag == capture->all_values && *referrer_tag != 0;
    if (capture->all_values != 0 && *tag == capture->all_values) return JVMTI_VISIT_OBJECTS;
    if (*tag == 0) take_number(capture, class_tag, tag);
    if (referrer_tag != NULL && *referrer_tag == 0) take_number(capture, referrer_class_tag, referrer_tag);
    /* A thread's object that is first met as a root is to be called so. */
    if (kind == JVMTI_HEAP_REFERENCE_THREAD) jvm_thread_of(capture, *tag);
    if (!jvm_is_written(capture, *tag)) meet_object(capture, class_tag, *tag, size, length);
    if (is_of_values) return JVMTI_VISIT_OBJECTS;
    if (referrer_tag == NULL)
        on_root(capture, kind, info, *tag);
    else
        on_reference(capture, kind, info, referrer_class_tag, *referrer_tag, class_tag, *tag);
    return capture->has_failed || capture->output.is_out_of_memory ? JVMTI_VISIT_ABORT : JVMTI_VISIT_OBJECTS;
}

bool jvm_walk(jvm_capture *capture)
{
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_call};
    const uint64_t start = hsa_now_ns();
    const jvmtiError error = (*capture->jvmti)->FollowReferences(capture->jvmti, 0, NULL, NULL, &callbacks, capture);
    capture->pause_ns += hsa_now_ns() - start;
    if (capture->held_values != NULL) (*capture->jni)->DeleteLocalRef(capture->jni, capture->held_values);
    if (error == JVMTI_ERROR_NONE && !capture->has_failed) write_silent_classes(capture);
    return error == JVMTI_ERROR_NONE && !capture->has_failed && !capture->output.is_out_of_memory;
}
