/*
 * What ClassValues keep of a class: a map in a hidden field of its class object. JVMTI tells a class object's statics
 * and none of its own fields, so what hangs there would be met by nobody, and count as not yet collected: in a program
 * with Groovy most of the heap. The maps are read before the walk, as Java reads a field. An array that holds them
 * all is a local reference in the walk, so the JVM goes through them, too; the array itself is not told.
 */
#include "jvm.h"
#include "jvm/known.h"

typedef struct values_reading {
    jvm_capture *capture;
    jfieldID field;
    jobjectArray all;
    jint count;
} values_reading;

static jobject map_of(values_reading *reading, jclass class)
{
    return (*reading->capture->jni)->GetObjectField(reading->capture->jni, class, reading->field);
}

static void read_map(values_reading *reading, jclass class, jvm_class *of)
{
    JNIEnv *jni = reading->capture->jni;
    jobject map = map_of(reading, class);
    if (map == NULL) return;
    of->values = jvm_tag_of(reading->capture, map);
    if (of->values != 0) (*jni)->SetObjectArrayElement(jni, reading->all, reading->count++, map);
    (*jni)->DeleteLocalRef(jni, map);
}

/* NULL: this JVM has no such field. */
static jfieldID find_field_of_maps(JNIEnv *jni, jclass mirror)
{
    const jfieldID field = (*jni)->GetFieldID(jni, mirror, "classValueMap", "Ljava/lang/ClassValue$ClassValueMap;");
    if (field == NULL) (*jni)->ExceptionClear(jni);
    return field;
}

static jint count_maps(values_reading *reading, const jclass *loaded, jint count)
{
    jint found = 0;
    for (jint i = 0; i < count; i++) {
        jobject map = map_of(reading, loaded[i]);
        if (map == NULL) continue;
        found++;
        (*reading->capture->jni)->DeleteLocalRef(reading->capture->jni, map);
    }
    return found;
}

static void read_maps(values_reading *reading, jclass object, const jclass *loaded, jint count)
{
    jvm_capture *capture = reading->capture;
    JNIEnv *jni = capture->jni;
    /* a class that gets its first value meanwhile is one more */
    const jint most = count_maps(reading, loaded, count) + 16;
    reading->all = (*jni)->NewObjectArray(jni, most, object, NULL);
    if (reading->all == NULL) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    for (jint i = 0; i < count && reading->count < most; i++) {
        const uint32_t number = jvm_number_of(capture, loaded[i]);
        if (number != 0) read_map(reading, loaded[i], &capture->classes[number]);
    }
    capture->all_values = jvm_tag_of(capture, reading->all);
    capture->held_values = reading->all;
}

void jvm_read_values(jvm_capture *capture, const jclass *loaded, jint count)
{
    JNIEnv *jni = capture->jni;
    jclass object = (*jni)->FindClass(jni, "java/lang/Object"), mirror = (*jni)->FindClass(jni, "java/lang/Class");
    values_reading reading = {.capture = capture};
    if (object != NULL && mirror != NULL) reading.field = find_field_of_maps(jni, mirror);
    if (reading.field != NULL) read_maps(&reading, object, loaded, count);
    (*jni)->ExceptionClear(jni);
    if (mirror != NULL) (*jni)->DeleteLocalRef(jni, mirror);
    if (object != NULL) (*jni)->DeleteLocalRef(jni, object);
}
