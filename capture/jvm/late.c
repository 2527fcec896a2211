/*
 * Objects of classes that were loaded between the list of classes and the walk. In the walk only their tag and size
 * were known; now the JVM can be asked for them by their tags.
 */
#include <string.h>

#include "jvm.h"

enum { AT_ONCE = 256 };

/* Number of the class of an object, described if it is not yet. */
static uint32_t class_of(jvm_capture *capture, jobject object)
{
    JNIEnv *jni = capture->jni;
    jclass class = (*jni)->GetObjectClass(jni, object);
    jlong tag = 0;
    (*capture->jvmti)->GetTag(capture->jvmti, class, &tag);
    const uint32_t number = jvm_class_number(capture, tag);
    if (number != 0) jvm_describe_class(capture, class, number);
    (*jni)->DeleteLocalRef(jni, class);
    return number;
}

static void write_one_late_name(jvm_capture *capture, const jvm_late *late, const jvm_class *of)
{
    static const char unknown[] = "(unknown class)";
    jvm_class nameless = {0};
    if (of == NULL || !of->is_known) {
        nameless.type = jvm_type(&capture->output, unknown, strlen(unknown));
        of = &nameless;
    }
    jvm_write_object(capture, of, late->tag, late->size_bytes, late->elements);
}

static void write_some(jvm_capture *capture, const jvm_late *late, uint32_t count)
{
    jlong tags[AT_ONCE], *found = NULL;
    jobject *objects = NULL;
    uint32_t numbers[AT_ONCE] = {0};
    for (uint32_t i = 0; i < count; i++)
        tags[i] = late[i].tag;
    const jint found_count = jvm_objects_of(capture, tags, (jint)count, &objects, &found);
    for (jint i = 0; i < found_count; i++) {
        const uint32_t number = class_of(capture, objects[i]);
        for (uint32_t k = 0; k < count; k++)
            if (tags[k] == found[i]) numbers[k] = number;
        (*capture->jni)->DeleteLocalRef(capture->jni, objects[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        write_one_late_name(capture, &late[i], numbers[i] == 0 ? NULL : &capture->classes[numbers[i]]);
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)objects);
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)found);
}

void jvm_write_late(jvm_capture *capture)
{
    for (uint32_t i = 0; i < capture->late_count && !capture->has_failed; i += AT_ONCE) {
        const uint32_t left = capture->late_count - i;
        write_some(capture, &capture->late[i], left < AT_ONCE ? left : AT_ONCE);
    }
}
