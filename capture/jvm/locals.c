/*
 * What a ThreadLocal is called: by the static field that holds it. The walk meets its values before the class that has
 * the field, so the fields are read before, as Java reads them; classes of which nothing was run have null there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jvm.h"

enum { MOST_LOCALS = 65536 };

bool jvm_open_locals(jvm_capture *capture)
{
    static const char collected[] = "ThreadLocal (collected)";
    jvm_locals *locals = &capture->locals;
    locals->items = hsa_arena_take(&capture->arena, MOST_LOCALS * sizeof *locals->items);
    locals->collected = jvm_string(&capture->output, collected, strlen(collected));
    locals->value_label = jvm_label(&capture->output, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, "value");
    return locals->items != NULL;
}

jlong jvm_tag_of(jvm_capture *capture, jobject object)
{
    jlong tag = 0;
    if ((*capture->jvmti)->GetTag(capture->jvmti, object, &tag) != JVMTI_ERROR_NONE) return 0;
    if (tag != 0) return tag;
    tag = (*capture->next_object)++;
    return (*capture->jvmti)->SetTag(capture->jvmti, object, tag) == JVMTI_ERROR_NONE ? tag : 0;
}

static bool is_initialized(jvm_capture *capture, jclass class)
{
    jint status = 0;
    return (*capture->jvmti)->GetClassStatus(capture->jvmti, class, &status) == JVMTI_ERROR_NONE &&
           (status & JVMTI_CLASS_STATUS_INITIALIZED) != 0;
}

void jvm_read_local(jvm_capture *capture, jclass class, const char *class_name, jfieldID field, const char *field_name)
{
    char text[2 * JVM_NAME_BYTES + 16];
    jvm_locals *locals = &capture->locals;
    if (locals->count == MOST_LOCALS || !is_initialized(capture, class)) return;
    jobject object = (*capture->jni)->GetStaticObjectField(capture->jni, class, field);
    if (object == NULL) return;
    const jlong tag = jvm_tag_of(capture, object);
    (*capture->jni)->DeleteLocalRef(capture->jni, object);
    const int size = snprintf(text, sizeof text, "ThreadLocal %s.%s", class_name, field_name);
    if (tag != 0) locals->items[locals->count++] = (jvm_local){tag, jvm_string(&capture->output, text, (size_t)size)};
}

/* Of several fields that hold one the first that was read. */
static int by_tag(const void *a, const void *b)
{
    const jvm_local *x = a, *y = b;
    return x->tag != y->tag ? (x->tag > y->tag) - (x->tag < y->tag) : (x->name > y->name) - (x->name < y->name);
}

void jvm_sort_locals(jvm_capture *capture)
{
    if (capture->locals.count > 0)
        qsort(capture->locals.items, capture->locals.count, sizeof *capture->locals.items, by_tag);
}

uint32_t jvm_name_of_local(const jvm_capture *capture, jlong tag)
{
    const jvm_locals *locals = &capture->locals;
    uint32_t low = 0, high = locals->count;
    if (tag == 0) return locals->collected;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (locals->items[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < locals->count && locals->items[low].tag == tag ? locals->items[low].name : 0;
}
