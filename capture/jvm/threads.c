/*
 * Threads and their frames. Before the walk all threads are tagged and named, since a thread's object may be met before
 * its stack. Frames are known in the walk alone, when nothing can be asked: they get numbers of strings, and the texts
 * afterwards.
 *
 *      thread "main"                                     the thread, its object, frames that there is no room for
 *      thread "main", demo.Cache.put(Cache.java:12)      a local of a frame
 *
 * Virtual threads are not listed by the JVM, have no names as a rule, and there may be as many as objects. They are met
 * in the walk, by the locals of their frames, and called by the place where they stand in the program's own code:
 *
 *      virtual threads in demo.Client.ask(Client.java:30)      the threads, and locals of that frame in all of them
 */
#include <stdio.h>
#include <string.h>

#include "jvm.h"
#include "jvm/known.h"

enum { MORE_THREADS = 1 << 17, PLACES = 1 << 14, ASKED_THREADS = 64 };

static const char virtual_threads[] = "virtual threads";

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
    char *text = hsa_arena_take(&capture->arena, strlen(label) + 1);
    if (text != NULL) memcpy(text, label, strlen(label) + 1);
    thread->text = text != NULL ? text : "thread";
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
    if (thread == NULL || thread->is_listed) return;
    name_thread(capture, object, thread);
    thread->is_listed = true;
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
    capture->places = hsa_arena_take(&capture->arena, PLACES * sizeof *capture->places);
    const bool is_good = capture->threads != NULL && capture->frames != NULL && capture->places != NULL;
    for (jint i = 0; i < count; i++) {
        if (is_good) read_thread(capture, found[i]);
        (*capture->jni)->DeleteLocalRef(capture->jni, found[i]);
    }
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)found);
    return is_good;
}

bool jvm_root_thread(jvm_capture *capture, jvm_thread *thread)
{
    const hsc_root_record root = {
        .kind = HSC_ROOT_THREAD, .target = (uint64_t)thread->tag, .label = thread->label, .thread = thread->number};
    if (thread->is_listed || thread->is_root) return true;
    thread->is_root = true;
    return hsc_root(capture->writer, &root) == HSC_OK;
}

/* ---- frames ---- */

/* NULL: there is no room. */
static jvm_place *place_of(jvm_capture *capture, jmethodID method, jlocation location)
{
    const uint64_t key = ((uint64_t)(uintptr_t)method ^ (uint64_t)location << 40) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(key >> 32) & (PLACES - 1);
    while (capture->places[at].label != 0 &&
           (capture->places[at].method != method || capture->places[at].location != location))
        at = (at + 1) & (PLACES - 1);
    if (capture->places[at].label == 0) {
        if (capture->place_count * 2 >= PLACES) return NULL;
        capture->place_count++;
        capture->places[at] =
            (jvm_place){.method = method, .location = location, .label = jvm_promise_string(&capture->output)};
    }
    return &capture->places[at];
}

static uint32_t new_frame_label(jvm_capture *capture, const jvm_thread *thread, const jvm_frame *frame,
                                const jvm_frame *last)
{
    if (last != NULL && last->method == frame->method && last->location == frame->location) return last->label;
    if (thread->is_listed) return jvm_promise_string(&capture->output);
    const jvm_place *place = place_of(capture, frame->method, frame->location);
    return place == NULL ? thread->label : place->label;
}

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
    frame->label = new_frame_label(capture, thread, frame, last);
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

/* Of frames that are compiled the JVM may not say where in the method they are, as if it were a native one. */
static bool is_native(jvm_capture *capture, const jvm_frame *frame)
{
    jboolean native = JNI_FALSE;
    return frame->location < 0 && frame->method != NULL &&
           (*capture->jvmti)->IsMethodNative(capture->jvmti, frame->method, &native) == JVMTI_ERROR_NONE && native;
}

/* "(Main.java:12)", "(Main.java)", "(Native Method)", "(Unknown Source)": as Java prints them. */
static void place_text(bool is_native, const char *file, uint32_t line, char *out, size_t size)
{
    if (is_native)
        snprintf(out, size, "(Native Method)");
    else if (file[0] == '\0')
        snprintf(out, size, "(Unknown Source)");
    else if (line > 0)
        snprintf(out, size, "(%s:%u)", file, (unsigned)line);
    else
        snprintf(out, size, "(%s)", file);
}

/* Whether the text of this frame's label is still to be written. */
static bool is_to_define(jvm_capture *capture, const jvm_thread *thread, const jvm_frame *frame,
                         const jvm_frame *before)
{
    if (thread->is_listed) return before == NULL || before->label != frame->label;
    if (frame->label == thread->label) return false;
    jvm_place *place = place_of(capture, frame->method, frame->location);
    const bool is_new = place != NULL && !place->is_defined;
    if (is_new) place->is_defined = true;
    return is_new;
}

static bool is_of_jdk(const char *function)
{
    static const char *const packages[] = {"java.", "javax.", "jdk.", "sun."};
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++)
        if (strncmp(function, packages[i], strlen(packages[i])) == 0) return true;
    return false;
}

typedef struct frame_text {
    char function[JVM_NAME_BYTES], file[JVM_NAME_BYTES], where[2 * JVM_NAME_BYTES + 32];
    uint32_t line;
} frame_text;

/* The class of a lambda has no source: "lambda in demo.Cache" of demo.Cache$$Lambda.run. False for all others. */
static bool call_lambda(const char *function, char *out, size_t size)
{
    const char *dot = strrchr(function, '.');
    const size_t length = dot == NULL ? 0 : (size_t)(dot - function);
    if (length == 0 || length + HSC_JAVA_LAMBDA_BYTES >= size) return false;
    memcpy(out, function, length);
    if (!hsc_java_is_lambda((hsc_java_name){(const uint8_t *)out, length})) return false;
    out[hsc_java_call_lambda((uint8_t *)out, length)] = '\0';
    return true;
}

/* `where`: "demo.Cache.put(Cache.java:12)", "" where the function is not known. */
static void read_frame(jvm_capture *capture, const jvm_frame *frame, frame_text *out)
{
    char place[JVM_NAME_BYTES + 32];
    read_method(capture, frame->method, out->function, out->file, sizeof out->file);
    out->line = line_of(capture->jvmti, frame->method, frame->location);
    if (call_lambda(out->function, out->where, sizeof out->where)) return;
    place_text(is_native(capture, frame), out->file, out->line, place, sizeof place);
    snprintf(out->where, sizeof out->where, "%s%s", out->function, out->function[0] == '\0' ? "" : place);
}

static void define_place(jvm_capture *capture, uint32_t label, const char *called, const char *joint, const char *where)
{
    char text[4 * JVM_NAME_BYTES];
    const int size = snprintf(text, sizeof text, "%s%s%s", called, where[0] == '\0' ? "" : joint, where);
    jvm_define(&capture->output, label, text, (size_t)size);
}

static void write_frame(jvm_capture *capture, const jvm_thread *thread, const jvm_frame *frame, const frame_text *told,
                        const jvm_frame *before, bool has_virtual)
{
    if (is_to_define(capture, thread, frame, before)) {
        if (thread->is_listed || !has_virtual)
            define_place(capture, frame->label, thread->is_listed ? thread->text : "thread", ", ", told->where);
        else
            define_place(capture, frame->label, virtual_threads, " in ", told->where);
    }
    hsc_frame(capture->writer, frame->thread, frame->depth,
              jvm_string(&capture->output, told->function, strlen(told->function)),
              jvm_string(&capture->output, told->file, strlen(told->file)), told->line);
}

/* ---- after the walk ---- */

static bool is_virtual(jvm_capture *capture, jobject object)
{
    char *signature = NULL;
    jclass class = (*capture->jni)->GetObjectClass(capture->jni, object);
    const bool is_known =
        (*capture->jvmti)->GetClassSignature(capture->jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE;
    const bool found = is_known && strcmp(signature, "Ljava/lang/VirtualThread;") == 0;
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)signature);
    (*capture->jni)->DeleteLocalRef(capture->jni, class);
    return found;
}

/*
 * Threads that the JVM did not list: those that were started while the capture began, which are named now if they still
 * are there, and virtual ones, which are none of the others. To ask for an object costs a look at every tag, so it is
 * done for few of them, and once.
 */
static bool name_new_threads(jvm_capture *capture)
{
    jlong asked[ASKED_THREADS];
    jint count = 0;
    jobject *objects = NULL;
    jlong *tags = NULL;
    bool has_virtual = false;
    for (uint32_t i = 0; i < capture->thread_slots && count < ASKED_THREADS; i++)
        if (capture->threads[i].tag != 0 && capture->threads[i].text == NULL) asked[count++] = capture->threads[i].tag;
    const jint found = count == 0 ? 0 : jvm_objects_of(capture, asked, count, &objects, &tags);
    for (jint i = 0; i < found; i++) {
        jvm_thread *thread = jvm_find_thread(capture, tags[i]);
        const bool is_light = is_virtual(capture, objects[i]);
        has_virtual = has_virtual || is_light;
        if (thread != NULL && !is_light) name_thread(capture, objects[i], thread);
        (*capture->jni)->DeleteLocalRef(capture->jni, objects[i]);
    }
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)objects);
    (*capture->jvmti)->Deallocate(capture->jvmti, (unsigned char *)tags);
    return has_virtual;
}

static void write_thread(jvm_capture *capture, const jvm_thread *thread, bool has_virtual)
{
    char own[sizeof((frame_text *)0)->where] = ""; /* where it stands in code that is not the library's */
    char text[JVM_NAME_BYTES + 16];
    hsc_define_thread(capture->writer, thread->number, thread->name);
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        const jvm_frame *frame = &capture->frames[thread->first_frame + i];
        frame_text told;
        read_frame(capture, frame, &told);
        if (own[0] == '\0' && !is_of_jdk(told.function)) memcpy(own, told.where, sizeof own);
        write_frame(capture, thread, frame, &told, i == 0 ? NULL : frame - 1, has_virtual);
    }
    if (thread->text != NULL) return;
    label_text("", thread->number, text, sizeof text);
    if (has_virtual)
        define_place(capture, thread->label, virtual_threads, " in ", own);
    else
        define_place(capture, thread->label, text, "", "");
}

void jvm_write_threads(jvm_capture *capture)
{
    const bool has_virtual = name_new_threads(capture);
    for (uint32_t i = 0; i < capture->thread_slots; i++)
        if (capture->threads[i].tag != 0) write_thread(capture, &capture->threads[i], has_virtual);
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
