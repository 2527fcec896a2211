/*
 * Memory outside the heap. Objects of a few classes say in a number how much they own (known.h), and the walk tells
 * references alone:
 *
 *      in the walk   an owner is kept until the end; a reference that makes it a view of another's memory is noted
 *      behind it     one look through the heap for the numbers of the owners' classes, if there are owners at all; then they are written
 *
 * The look visits no references and calls back for objects of those classes alone.
 */
#include <stdlib.h>

#include "jvm.h"
#include "jvm/known.h"

enum { MOST_OWNERS = 1 << 20 };

bool jvm_open_outside(jvm_capture *capture)
{
    jvm_outside *outside = &capture->outside;
    outside->owners = hsa_arena_take(&capture->arena, MOST_OWNERS * sizeof *outside->owners);
    outside->views = hsa_arena_take(&capture->arena, MOST_OWNERS * sizeof *outside->views);
    return outside->owners != NULL && outside->views != NULL;
}

bool jvm_keep_owner(jvm_capture *capture, uint32_t class_number, jlong tag, jlong size)
{
    jvm_outside *outside = &capture->outside;
    if (outside->count == MOST_OWNERS) {
        outside->lost++;
        return false;
    }
    outside->owners[outside->count++] =
        (jvm_owner){.tag = tag, .size_bytes = (uint64_t)size, .class_number = class_number};
    return true;
}

/* An object has at most one such reference that is set, or two: of buffers that look into a segment. */
void jvm_note_view(jvm_capture *capture, jlong tag)
{
    jvm_outside *outside = &capture->outside;
    if (outside->view_count < MOST_OWNERS)
        outside->views[outside->view_count++] = tag;
    else
        outside->lost++;
}

/* Among the views, as a negative tag. */
void jvm_note_cleaner(jvm_capture *capture, jlong tag) { jvm_note_view(capture, -tag); }

/* ---- behind the walk ---- */

static int by_tag(const void *a, const void *b)
{
    const jlong x = ((const jvm_owner *)a)->tag, y = ((const jvm_owner *)b)->tag;
    return (x > y) - (x < y);
}

static jvm_owner *find_owner(const jvm_capture *capture, jlong tag)
{
    const jvm_owner key = {.tag = tag};
    return bsearch(&key, capture->outside.owners, capture->outside.count, sizeof key, by_tag);
}

static void mark_views(jvm_capture *capture)
{
    for (uint32_t i = 0; i < capture->outside.view_count; i++) {
        const jlong noted = capture->outside.views[i];
        jvm_owner *owner = find_owner(capture, noted < 0 ? -noted : noted);
        if (owner != NULL) *(noted < 0 ? &owner->has_cleaner : &owner->is_view) = true;
    }
}

static jint JNICALL on_number(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                              jlong *tag, jvalue value, jvmtiPrimitiveType type, void *context)
{
    jvm_capture *capture = context;
    const uint32_t number = jvm_class_number(capture, class_tag);
    if (kind != JVMTI_HEAP_REFERENCE_FIELD || number == 0) return JVMTI_VISIT_OBJECTS;
    const jvm_field *field = jvm_find_field(capture, &capture->classes[number], info->field.index);
    if (field == NULL || (field->role != JVM_OUTSIDE && field->role != JVM_ADDRESS)) return JVMTI_VISIT_OBJECTS;
    jvm_owner *owner = find_owner(capture, *tag);
    if (field->role == JVM_ADDRESS) {
        if (owner != NULL) owner->begins_page = hsc_java_is_page((uint64_t)value.j);
        return JVMTI_VISIT_OBJECTS;
    }
    const jlong bytes = type == JVMTI_PRIMITIVE_TYPE_LONG ? value.j : type == JVMTI_PRIMITIVE_TYPE_INT ? value.i : 0;
    if (owner != NULL && !owner->is_view && bytes > 0) owner->native_bytes = (uint64_t)bytes;
    return JVMTI_VISIT_OBJECTS;
}

/* The number of the class, NULL where it has no owner that is no view. */
static const jvm_class *class_of_owners(const jvm_capture *capture, uint32_t number)
{
    for (uint32_t i = 0; i < capture->outside.count; i++)
        if (capture->outside.owners[i].class_number == number && !capture->outside.owners[i].is_view)
            return &capture->classes[number];
    return NULL;
}

static void read_numbers(jvm_capture *capture)
{
    const jvmtiHeapCallbacks callbacks = {.primitive_field_callback = on_number};
    for (uint32_t i = 0; i < capture->outside.class_count; i++) {
        jlong class_tag = capture->outside.classes[i], *found = NULL;
        jobject *classes = NULL;
        if (class_of_owners(capture, (uint32_t)class_tag) == NULL) continue;
        if (jvm_objects_of(capture, &class_tag, 1, &classes, &found) == 1) {
            (*capture->jvmti)
                ->IterateThroughHeap(capture->jvmti, JVMTI_HEAP_FILTER_UNTAGGED, classes[0], &callbacks, capture);
            (*capture->jni)->DeleteLocalRef(capture->jni, classes[0]);
        }
        (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)classes);
        (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)found);
    }
}

void jvm_write_owners(jvm_capture *capture)
{
    jvm_outside *outside = &capture->outside;
    if (outside->count == 0) return;
    qsort(outside->owners, outside->count, sizeof *outside->owners, by_tag);
    mark_views(capture);
    read_numbers(capture);
    for (uint32_t i = 0; i < outside->count && !capture->has_failed; i++) {
        const jvm_owner *owner = &outside->owners[i];
        jvm_put_object(capture, &(hsc_object){.id = (uint64_t)owner->tag,
                                              .type = capture->classes[owner->class_number].type,
                                              .size_bytes = owner->size_bytes,
                                              .native_bytes =
                                                  owner->begins_page && !owner->has_cleaner ? 0 : owner->native_bytes});
    }
}
