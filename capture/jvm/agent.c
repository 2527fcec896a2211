/*
 * Loading, asking, answering. The asker loads this library over HotSpot's attach protocol, each time anew; the JVM
 * calls Agent_OnAttach of the one that is already there, on its thread for attaching:
 *
 *      load libhsdiff-jvm.so "capture to=@NAME|PATH KEY=VALUE …"     connects to the asker's socket, answers there, streams the capture
 *      load libhsdiff-jvm.so "forget"                                gives all tags back
 *
 * @NAME is an abstract socket. Keys: gc=1 collects before; level=N zstd level; name=, version= of the process;
 * metric.X=N numbers that the asker knows from outside. An agent that was named with -agentpath at the start does
 * nothing until it is asked.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "jvm.h"

#define EXPORTED __attribute__((visibility("default")))

/* What stays between captures. Agent_OnAttach runs on one thread alone. */
static struct {
    jvmtiEnv *jvmti; /* holds the tags; NULL = none were given or all were given back */
    uint64_t generation;
    jlong next_class, next_object;
} kept = {.next_class = 1, .next_object = JVM_CLASS_TAGS};

/* ---- the asker ---- */

/* The other end must be ours or root's: a name that anybody can take is no proof. */
static bool is_trusted(int fd)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

static int connect_to(const char *to)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(to);
    if (length < 2 || length >= sizeof address.sun_path) return -1;
    memcpy(address.sun_path, to, length);
    if (to[0] == '@') address.sun_path[0] = '\0';
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (to[0] != '@'));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (connect(fd, (const struct sockaddr *)&address, size) == 0 && is_trusted(fd)) {
        fcntl(fd, F_SETFL, O_NONBLOCK); /* so that a reader who does not read is not waited for without end */
        return fd;
    }
    close(fd);
    return -1;
}

/* ---- the environment ---- */

static bool get_environment(JavaVM *vm)
{
    jvmtiCapabilities wanted;
    if (kept.jvmti != NULL) return true;
    if ((*vm)->GetEnv(vm, (void **)&kept.jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        kept.jvmti = NULL;
        return false;
    }
    memset(&wanted, 0, sizeof wanted);
    wanted.can_tag_objects = 1;
    if ((*kept.jvmti)->AddCapabilities(kept.jvmti, &wanted) != JVMTI_ERROR_NONE) {
        (*kept.jvmti)->DisposeEnvironment(kept.jvmti);
        kept.jvmti = NULL;
        return false;
    }
    memset(&wanted, 0, sizeof wanted); /* names of source files and lines: nice to have */
    wanted.can_get_source_file_name = 1;
    wanted.can_get_line_numbers = 1;
    (*kept.jvmti)->AddCapabilities(kept.jvmti, &wanted);
    kept.generation++;
    return true;
}

extern int malloc_trim(size_t pad) __attribute__((weak));

/* A tag in an environment that is disposed of with it. Blocks of handles that were full when the tags of captures went
 * are looked at only when another block becomes empty: this one's. */
static void tag_for_a_moment(JNIEnv *jni, jvmtiEnv *jvmti)
{
    const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    jclass class = (*jni)->FindClass(jni, "java/lang/Object");
    if (class != NULL && (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE)
        (*jvmti)->SetTag(jvmti, class, 1);
}

/* HotSpot gives the handles of tags back behind a safepoint, at most twice a second and on a thread of its own. */
static void stand_still(JavaVM *vm)
{
    JNIEnv *jni = NULL;
    jvmtiEnv *jvmti = NULL;
    jvmtiStackInfo *stacks = NULL;
    jint count = 0;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK || (*jni)->PushLocalFrame(jni, 64) != 0) return;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) return;
    tag_for_a_moment(jni, jvmti);
    if ((*jvmti)->GetAllStackTraces(jvmti, 1, &stacks, &count) == JVMTI_ERROR_NONE)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
    (*jvmti)->DisposeEnvironment(jvmti);
    (*jni)->PopLocalFrame(jni, NULL);
}

static void forget_jvm_agent(JavaVM *vm)
{
    const struct timespec while_it_frees = {.tv_nsec = 550000000};
    if (kept.jvmti == NULL) return;
    (*kept.jvmti)->DisposeEnvironment(kept.jvmti);
    kept.jvmti = NULL;
    for (int i = 0; i < 2; i++) {
        nanosleep(&while_it_frees, NULL);
        stand_still(vm);
    }
    nanosleep(&while_it_frees, NULL);
    if (malloc_trim != NULL) malloc_trim(0);
}

/* ---- metrics ---- */

static jlong ask_runtime(JNIEnv *jni, jclass class, jobject runtime, const char *method)
{
    const jmethodID id = (*jni)->GetMethodID(jni, class, method, "()J");
    return id == NULL ? -1 : (*jni)->CallLongMethod(jni, runtime, id);
}

typedef struct heap_sizes {
    jlong used, committed, limit; /* -1 = not known */
} heap_sizes;

/* Three static natives: no Java object is made by asking. */
static heap_sizes ask_heap(JNIEnv *jni)
{
    heap_sizes sizes = {-1, -1, -1};
    if ((*jni)->PushLocalFrame(jni, 16) != 0) return sizes;
    jclass class = (*jni)->FindClass(jni, "java/lang/Runtime");
    const jmethodID get =
        class == NULL ? NULL : (*jni)->GetStaticMethodID(jni, class, "getRuntime", "()Ljava/lang/Runtime;");
    jobject runtime = get == NULL ? NULL : (*jni)->CallStaticObjectMethod(jni, class, get);
    if (runtime != NULL && !(*jni)->ExceptionCheck(jni)) {
        sizes.committed = ask_runtime(jni, class, runtime, "totalMemory");
        sizes.limit = ask_runtime(jni, class, runtime, "maxMemory");
        const jlong left = ask_runtime(jni, class, runtime, "freeMemory");
        if (sizes.committed >= 0 && left >= 0) sizes.used = sizes.committed - left;
    }
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return sizes;
}

static void write_size(hsc_writer *writer, const char *name, jlong value)
{
    if (value >= 0) hsc_metric(writer, name, "bytes", (uint64_t)value);
}

static void write_metrics(jvm_capture *capture, const hsa_request *request, const heap_sizes *heap)
{
    static const struct {
        const char *name, *unit;
    } told[] = {{"heap.young", "bytes"},
                {"heap.old", "bytes"},
                {"heap.metadata", "bytes"},
                {"gc.count", "count"},
                {"gc.pause", "ns"}};
    char key[48];
    write_size(capture->writer, "heap.used", heap->used);
    write_size(capture->writer, "heap.committed", heap->committed);
    write_size(capture->writer, "heap.limit", heap->limit);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        snprintf(key, sizeof key, "metric.%s", told[i].name);
        const uint64_t value = hsa_option_number(request, key, UINT64_MAX);
        if (value != UINT64_MAX) hsc_metric(capture->writer, told[i].name, told[i].unit, value);
    }
    hsa_write_metrics(capture->writer, &capture->measured);
    hsc_metric(capture->writer, "capture.pause", "ns", capture->pause_ns);
}

/* ---- a capture ---- */

static bool open_writer(jvm_capture *capture, const hsa_request *request, const hsa_self *self, const hsc_sink *sink,
                        const hsc_allocator *allocator)
{
    char name[64], version[64], runtime[80] = "HotSpot";
    hsc_options options;
    hsc_options_init(&options);
    hsa_describe(&options, self);
    if (hsa_option_text(request, "name", name, sizeof name)) options.process_name = name;
    if (hsa_option_text(request, "version", version, sizeof version))
        snprintf(runtime, sizeof runtime, "HotSpot %s", version);
    options.producer = "hsdiff jvm agent";
    options.runtime = runtime;
    options.identity = HSC_IDENTITY_EXACT;
    /* tags that were given back name other objects than those that come */
    options.domain[0] ^= (uint8_t)kept.generation;
    options.domain[1] ^= (uint8_t)(kept.generation >> 8);
    options.compression = (int)hsa_option_number(request, "level", 1);
    if (hsa_option_number(request, "gc", 0) != 0) options.facts |= HSC_FACT_COLLECTED;
    options.allocator = allocator;
    return hsc_open(&capture->writer, sink, &options) == HSC_OK;
}

/* Behind the walk, whatever came of it: what was promised, what is missing, the end. */
static void finish_jvm_agent(jvm_capture *capture, const hsa_request *request, const heap_sizes *heap, bool is_whole)
{
    hsc_writer *writer = capture->writer;
    jvm_write_late(capture);
    jvm_write_owners(capture);
    jvm_write_threads(capture);
    write_metrics(capture, request, heap);
    if (capture->lost_objects > 0)
        hsc_loss(writer, "objects of classes that were loaded while the capture began", capture->lost_objects);
    if (capture->outside.lost > 0)
        hsc_loss(writer, "objects whose memory outside the heap was not counted", capture->outside.lost);
    if (capture->lost_frames > 0) hsc_loss(writer, "stack frames that there was no room for", capture->lost_frames);
    if (!is_whole)
        hsc_mark_incomplete(writer, capture->output.is_out_of_memory ? "the agent ran out of memory"
                                                                     : "the JVM ended the walk");
    hsc_finish(writer);
}

/* One bit for each tag there can be: the ones given, and as many as the heap has room for objects. */
static bool open_memory(jvm_capture *capture, const heap_sizes *heap)
{
    static const size_t table_bytes = sizeof(void *) == 8 ? (size_t)1 << 31 : (size_t)1 << 28;
    const uint64_t limit = heap->limit > 0 && heap->limit < (jlong)1 << 46 ? (uint64_t)heap->limit : UINT64_C(1) << 40;
    const uint64_t most = limit / 16 * 2 + (uint64_t)kept.next_object + ((uint64_t)1 << 24);
    return hsa_arena_open(&capture->arena, table_bytes) && hsa_arena_open(&capture->bits, (size_t)(most / 8));
}

static const char *prepare_jvm_agent(jvm_capture *capture, const hsa_request *request)
{
    const uint64_t start = hsa_now_ns();
    if (hsa_option_number(request, "gc", 0) != 0) (*capture->jvmti)->ForceGarbageCollection(capture->jvmti);
    capture->pause_ns = hsa_now_ns() - start; /* at most: some collectors let the program go on */
    capture->late = hsa_arena_take(&capture->arena, JVM_LATE_OBJECTS * sizeof *capture->late);
    if (!jvm_open_cleaners(capture)) return "out of memory: the list of what waits for a Cleaner";
    if (!jvm_open_outside(capture)) return "out of memory: the list of objects that own memory outside the heap";
    if (capture->late == NULL) return "out of memory: the list of late objects";
    /* All local references go before the walk: else they are roots. */
    if ((*capture->jni)->PushLocalFrame(capture->jni, 1024) != 0) return "the JVM has no room for local references";
    const bool is_good = jvm_read_classes(capture) && jvm_read_threads(capture);
    capture->held_values = (*capture->jni)->PopLocalFrame(capture->jni, capture->held_values);
    return is_good ? NULL : "the JVM does not tell its classes and threads, or memory ran out";
}

static void run_jvm_agent(jvm_capture *capture, const hsa_request *request)
{
    const heap_sizes heap = ask_heap(capture->jni);
    const hsc_sink sink = hsa_sink(request);
    hsa_self self;
    hsa_measure(&capture->measured);
    if (!open_memory(capture, &heap)) {
        hsa_refuse(request, "the JVM's process has no address space left for a capture");
        return;
    }
    const hsc_allocator allocator = hsa_arena_allocator(&capture->arena);
    hsa_know_self(&self);
    if (!hsa_accept(request)) return;
    if (!open_writer(capture, request, &self, &sink, &allocator)) return;
    capture->output = (jvm_output){.writer = capture->writer, .arena = &capture->arena};
    const char *why_not = prepare_jvm_agent(capture, request);
    if (why_not != NULL) {
        hsc_mark_incomplete(capture->writer, why_not);
        hsc_finish(capture->writer);
    } else {
        const bool is_whole = jvm_walk(capture);
        finish_jvm_agent(capture, request, &heap, is_whole);
    }
    hsc_close(capture->writer);
}

static jint serve_capture(JavaVM *vm, hsa_request *request)
{
    char to[128];
    jvm_capture capture = {.next_class = &kept.next_class, .next_object = &kept.next_object};
    if (!hsa_option_text(request, "to", to, sizeof to)) return 2;
    request->fd = connect_to(to);
    if (request->fd < 0) return 3;
    if (!get_environment(vm))
        hsa_refuse(request, "the JVM gives no environment for tags: another agent may have it");
    else if ((*vm)->GetEnv(vm, (void **)&capture.jni, JNI_VERSION_1_6) != JNI_OK)
        hsa_refuse(request, "the JVM gives no JNI environment");
    else {
        capture.jvmti = kept.jvmti;
        run_jvm_agent(&capture, request);
    }
    hsa_arena_close(&capture.arena);
    hsa_arena_close(&capture.bits);
    close(request->fd);
    return 0;
}

EXPORTED JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    static const char capture[] = "capture ";
    hsa_request request = {.verb = HSA_CAPTURE, .fd = -1};
    if (options == NULL) return 2;
    if (strcmp(options, "forget") == 0) {
        forget_jvm_agent(vm);
        return 0;
    }
    if (strncmp(options, capture, sizeof capture - 1) != 0) return 2;
    snprintf(request.options, sizeof request.options, "%s", options + sizeof capture - 1);
    return serve_capture(vm, &request);
}

EXPORTED JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) { return JNI_OK; }
