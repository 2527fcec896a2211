/*
 * Threads and their frames. Before the walk all threads are tagged and named, since a thread's object may be met before
 * its stack. Frames are known in the walk alone, when nothing can be asked: they get numbers of strings, and the texts
 * afterwards.
 *
 *      thread "main"                                     the thread, its object, frames that there is no room for
 *      thread "main", demo.Cache.put(Cache.java:12)      a local of a frame
 */
#include <stdio.h>
#include <string.h>

#include "jvm.h"

enum { MORE_THREADS = 4096 };

/* ---- threads ---- */

static void label_text(const char *name, uint32_t number, char *out, size_t size)
{
    if (name[0] == '\0')
        snprintf(out, size, "thread %u", (unsigned)number);
    else
        snprintf(out, size, "thread \"%s\"", name);
}

static jvm_thread *slot_of(const jvm_capture *capture, jlong tag)
{
    uint32_t at = (uint32_t)((uint64_t)tag * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capture->thread_slots - 1);
    while (capture->threads[at].tag != 0 && capture->threads[at].tag != tag)
        at = (at + 1) & (capture->thread_slots - 1);
    return &capture->threads[at];
}

jvm_thread *jvm_find_thread(const jvm_capture *capture, jlong tag)
{
    jvm_thread *slot = slot_of(capture, tag);
    return slot->tag == 0 ? NULL : slot;
}

jvm_thread *jvm_thread_of(jvm_capture *capture, jlong tag)
{
    jvm_thread *slot = slot_of(capture, tag);
    if (slot->tag == 0) {
        if (capture->thread_count * 2 >= capture->thread_slots) return NULL;
        *slot = (jvm_thread){.tag = tag, .number = ++capture->thread_count};
        slot->label = jvm_promise_string(&capture->output);
    }
    return slot;
}

/* The name of a thread as text; "" where the JVM does not say. */
static void name_of(jvm_capture *capture, jthread object, char *out, size_t size)
{
    jvmtiThreadInfo info = {0};
    out[0] = '\0';
    if ((*capture->jvmti)->GetThreadInfo(capture->jvmti, object, &info) != JVMTI_ERROR_NONE) return;
    if (info.name != NULL) jvm_utf8(info.name, out, size);
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)info.name);
    if (info.thread_group != NULL) (*capture->jni)->DeleteLocalRef(capture->jni, info.thread_group);
    if (info.context_class_loader != NULL) (*capture->jni)->DeleteLocalRef(capture->jni, info.context_class_loader);
}

static void name_thread(jvm_capture *capture, jthread object, jvm_thread *thread)
{
    char name[JVM_NAME_BYTES], label[JVM_NAME_BYTES + 16];
    name_of(capture, object, name, sizeof name);
    label_text(name, thread->number, label, sizeof label);
    thread->name = jvm_string(&capture->output, name, strlen(name));
    jvm_define(&capture->output, thread->label, label, strlen(label));
    thread->is_named = true;
}

static void read_thread(jvm_capture *capture, jthread object)
{
    jlong tag = 0;
    if ((*capture->jvmti)->GetTag(capture->jvmti, object, &tag) != JVMTI_ERROR_NONE) return;
    if (tag == 0) {
        tag = (*capture->next_object)++;
        if ((*capture->jvmti)->SetTag(capture->jvmti, object, tag) != JVMTI_ERROR_NONE) return;
    }
    jvm_thread *thread = jvm_thread_of(capture, tag);
    if (thread != NULL && !thread->is_named) name_thread(capture, object, thread);
}

bool jvm_read_threads(jvm_capture *capture)
{
    jint count = 0;
    jthread *found = NULL;
    if ((*capture->jvmti)->GetAllThreads(capture->jvmti, &count, &found) != JVMTI_ERROR_NONE) return false;
    capture->thread_slots = 4096;
    while (capture->thread_slots / 2 < (uint32_t)count + MORE_THREADS)
        capture->thread_slots *= 2;
    capture->threads = hsa_arena_take(&capture->arena, capture->thread_slots * sizeof *capture->threads);
    capture->frames = hsa_arena_take(&capture->arena, JVM_FRAMES * sizeof *capture->frames);
    const bool is_good = capture->threads != NULL && capture->frames != NULL;
    for (jint i = 0; i < count; i++) {
        if (is_good) read_thread(capture, found[i]);
        (*capture->jni)->DeleteLocalRef(capture->jni, found[i]);
    }
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)found);
    return is_good;
}

/* ---- frames ---- */

/* Roots of one frame come one after the other, and frames of a recursion stand together: looking at the last one is
 * enough. */
uint32_t jvm_frame_label(jvm_capture *capture, jvm_thread *thread, uint32_t depth, jmethodID method, jlocation location)
{
    const jvm_frame *last = thread->frame_count == 0 ? NULL : &capture->frames[capture->frame_count - 1];
    /* JVMTI tells of one thread after the other */
    if (last != NULL && last->thread != thread->number) return thread->label;
    if (last != NULL && last->depth == depth) return last->label;
    if (capture->frame_count == JVM_FRAMES) {
        capture->lost_frames++;
        return thread->label;
    }
    if (last == NULL) thread->first_frame = capture->frame_count;
    thread->frame_count++;
    jvm_frame *frame = &capture->frames[capture->frame_count++];
    *frame = (jvm_frame){.method = method, .location = location, .thread = thread->number, .depth = depth};
    if (last != NULL && last->method == method && last->location == location)
        frame->label = last->label;
    else
        frame->label = jvm_promise_string(&capture->output);
    return frame->label;
}

static uint32_t line_of(jvmtiEnv *jvmti, jmethodID method, jlocation location)
{
    jint count = 0;
    jvmtiLineNumberEntry *lines = NULL;
    uint32_t line = 0;
    if (location < 0 || (*jvmti)->GetLineNumberTable(jvmti, method, &count, &lines) != JVMTI_ERROR_NONE) return 0;
    jlocation best = -1;
    for (jint i = 0; i < count; i++)
        if (lines[i].start_location <= location && lines[i].start_location > best) {
            best = lines[i].start_location;
            line = (uint32_t)lines[i].line_number;
        }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)lines);
    return line;
}

/* "demo.Cache.put" and the source file, "" where it is not known. */
static void read_method(jvm_capture *capture, jmethodID method, char *function, char *file, size_t size)
{
    jvmtiEnv *jvmti = capture->jvmti;
    char *name = NULL, *signature = NULL, *source = NULL;
    jclass class = NULL;
    bool is_hidden;
    size_t used = 0;
    function[0] = file[0] = '\0';
    if (method == NULL) return;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        used = jvm_class_name(signature, function, size - 1, &is_hidden);
        if ((*jvmti)->GetSourceFileName(jvmti, class, &source) == JVMTI_ERROR_NONE) jvm_utf8(source, file, size);
    }
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE) {
        if (used > 0) function[used++] = '.';
        jvm_utf8(name, function + used, size - used);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)source);
    if (class != NULL) (*capture->jni)->DeleteLocalRef(capture->jni, class);
}

/* "(Main.java:12)", "(Main.java)", "(Native Method)", "(Unknown Source)": as Java prints them. */
static void place_text(const jvm_frame *frame, const char *file, uint32_t line, char *out, size_t size)
{
    if (frame->location < 0)
        snprintf(out, size, "(Native Method)");
    else if (file[0] == '\0')
        snprintf(out, size, "(Unknown Source)");
    else if (line > 0)
        snprintf(out, size, "(%s:%u)", file, (unsigned)line);
    else
        snprintf(out, size, "(%s)", file);
}

static void write_frame(jvm_capture *capture, const jvm_frame *frame, const jvm_frame *before, const char *thread_text)
{
    char function[JVM_NAME_BYTES], file[JVM_NAME_BYTES], place[JVM_NAME_BYTES + 32], text[4 * JVM_NAME_BYTES];
    read_method(capture, frame->method, function, file, sizeof file);
    const uint32_t line = line_of(capture->jvmti, frame->method, frame->location);
    if (before == NULL || before->label != frame->label) {
        place_text(frame, file, line, place, sizeof place);
        const int size = function[0] == '\0' ? snprintf(text, sizeof text, "%s", thread_text)
                                             : snprintf(text, sizeof text, "%s, %s%s", thread_text, function, place);
        jvm_define(&capture->output, frame->label, text, (size_t)size);
    }
    hsc_frame(capture->writer, frame->thread, frame->depth, jvm_string(&capture->output, function, strlen(function)),
              jvm_string(&capture->output, file, strlen(file)), line);
}

/* ---- after the walk ---- */

/* A thread that was started while the capture began is named now, if it still is there. */
static void write_thread(jvm_capture *capture, jvm_thread *thread)
{
    char name[JVM_NAME_BYTES] = "", text[JVM_NAME_BYTES + 16];
    jobject *objects = NULL;
    jlong *tags = NULL;
    const jint found = jvm_objects_of(capture, &thread->tag, 1, &objects, &tags);
    if (found > 0) name_of(capture, objects[0], name, sizeof name);
    label_text(name, thread->number, text, sizeof text);
    if (!thread->is_named) {
        thread->name = jvm_string(&capture->output, name, strlen(name));
        jvm_define(&capture->output, thread->label, text, strlen(text));
    }
    hsc_define_thread(capture->writer, thread->number, thread->name);
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        const jvm_frame *frame = &capture->frames[thread->first_frame + i];
        write_frame(capture, frame, i == 0 ? NULL : frame - 1, text);
    }
    if (found > 0) (*capture->jni)->DeleteLocalRef(capture->jni, objects[0]);
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)objects);
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)tags);
}

void jvm_write_threads(jvm_capture *capture)
{
    for (uint32_t i = 0; i < capture->thread_slots; i++)
        if (capture->threads[i].tag != 0) write_thread(capture, &capture->threads[i]);
}

jint jvm_objects_of(jvm_capture *capture, const jlong *tags, jint count, jobject **objects, jlong **found)
{
    jint found_count = 0;
    *objects = NULL;
    *found = NULL;
    if ((*capture->jvmti)->GetObjectsWithTags(capture->jvmti, count, tags, &found_count, objects, found) !=
        JVMTI_ERROR_NONE)
        return 0;
    return found_count;
}
