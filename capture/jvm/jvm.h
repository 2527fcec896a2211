/*
 * The JVM agent: loaded into HotSpot over its attach protocol for each capture, stays loaded, keeps the tags.
 *
 *      agent.c     what is asked, the socket, the environment that the tags live in, metrics
 *      names.c     texts to numbers; how the JVM writes a class and how reports show it
 *      classes.c   before the walk: classes with the labels of their fields
 *      threads.c   before the walk: threads; after it: what its stack frames are called
 *      walk.c      the walk: the JVM stands still and says every reference once
 *      late.c      after the walk: objects of classes that were loaded while it began
 *      outside.c   after the walk: objects that own memory outside the heap
 *      locals.c    before the walk: ThreadLocals in static fields; in it: what their values are called
 *      values.c    before the walk: what ClassValues keep of each class
 *
 * A tag is the object's id, for life: 1 .. JVM_CLASS_TAGS - 1 are class objects, so a tag finds its class in an array;
 * all others count up from there. In the walk no Java runs: nothing but hsc_* and memory of the arena is used there.
 */
#ifndef HSD_CAPTURE_JVM_H
#define HSD_CAPTURE_JVM_H

#include <jvmti.h>

#include "agent/agent.h"

#define JVM_CLASS_TAGS ((jlong)1 << 24)

/* ---- names.c ---- */

/* Texts to numbers from 1. Owned by the arena. */
typedef struct jvm_text {
    const char *data;
    uint32_t size, number; /* number 0 = the slot is free */
    uint64_t hash;
} jvm_text;

typedef struct jvm_names {
    jvm_text *slots;
    uint32_t slot_count, used;
} jvm_names;

typedef struct jvm_output {
    hsc_writer *writer;
    hsa_arena *arena;
    jvm_names strings, types, labels;
    uint32_t string_count; /* numbers given out, also to texts that come later */
    bool is_out_of_memory;
} jvm_output;

/* The number of a text, written when it is new. Empty = 0. Cut at 65,536 bytes. */
uint32_t jvm_string(jvm_output *output, const char *text, size_t size);
/* A number whose text comes later, by jvm_define. */
uint32_t jvm_promise_string(jvm_output *output);
void jvm_define(jvm_output *output, uint32_t number, const char *text, size_t size);
/* By the name as reports show it; what is known of types of that name goes with it. */
uint32_t jvm_type(jvm_output *output, const char *name, size_t size);
uint32_t jvm_label(jvm_output *output, hsc_label_kind kind, uint32_t flags, const char *name);

/* "Ljava/lang/String;", "[I" as "java.lang.String", "int[]", in UTF-8 and without the address of a hidden class.
 * Returns the bytes used of `size`, NUL excluded; *is_hidden: there was one. */
size_t jvm_class_name(const char *signature, char *out, size_t size, bool *is_hidden);
/* Modified UTF-8 as UTF-8, cut to `size` with its NUL. */
size_t jvm_utf8(const char *text, char *out, size_t size);

/* ---- classes.c ---- */

typedef enum jvm_kind { JVM_PLAIN, JVM_ARRAY, JVM_MIRROR, JVM_THREAD, JVM_FINAL, JVM_LOCAL } jvm_kind;

/* A class as that of class loaders. */
typedef enum jvm_as_loader { JVM_LOADER_UNSEEN, JVM_LOADER_LASTING, JVM_LOADER_PASSING } jvm_as_loader;

/* What a field means beyond its label. */
typedef enum jvm_field_role {
    JVM_FIELD,
    JVM_STATIC,
    JVM_REFERENT,
    JVM_LOCALS,
    JVM_INHERITABLE,
    JVM_NEXT,
    JVM_VIEW,
    JVM_OUTSIDE,
    JVM_ADDRESS,
    JVM_CLEANER,
    JVM_VALUE,
    JVM_ACTION
} jvm_field_role;

typedef struct jvm_field {
    uint32_t label; /* 0: no reference */
    uint32_t role;
} jvm_field;

typedef struct jvm_class {
    jvm_field *fields;    /* own ones, as GetClassFields says them */
    uint32_t *interfaces; /* direct ones, by number */
    uint32_t field_count, interface_count;
    uint32_t super;          /* number, 0 = none */
    uint32_t first_field;    /* fields of all superclasses together */
    uint32_t above;          /* fields of all interfaces together: JVMTI counts them before */
    uint32_t name, type;     /* string; type of its instances */
    uint32_t instance_bytes; /* 0 = none was seen */
    uint32_t mirror_bytes;   /* of the class object, 0 = it was not met */
    jlong values;            /* tag of what ClassValues keep of the class, 0 = nothing (values.c) */
    uint8_t kind;            /* jvm_kind */
    uint8_t strength;        /* of a Reference's referent */
    bool is_owner;           /* its objects own memory outside the heap */
    bool is_cleanable;       /* they live as long as their referent does */
    bool is_action;          /* some of its objects are what a Cleaner will call */
    bool is_known;           /* described; else only its class object was seen */
    bool is_sticky;          /* of the boot loader: lives for ever */
    bool is_lasting;         /* of that or another loader that goes with the program: its statics are roots */
    bool is_permanent;       /* of another such loader, and not hidden: it is a root, too */
    uint8_t as_loader;       /* jvm_as_loader: what instances of this class are */
    bool is_counted;
} jvm_class;

/* ---- threads.c ---- */

typedef struct jvm_thread {
    jlong tag; /* 0 = the slot is free */
    uint32_t number;
    uint32_t label;                    /* string `thread "main"` */
    uint32_t name;                     /* string */
    uint32_t first_frame, frame_count; /* stand together */
    const char *text;                  /* of the label, NULL = it comes after the walk */
    bool is_listed;                    /* by the JVM, before the walk */
    bool is_root;                      /* was made one here */
} jvm_thread;

/* A place in code where threads stand that the JVM did not list: they share the label, for there are thousands. */
typedef struct jvm_place {
    jmethodID method;
    jlocation location;
    uint32_t label; /* 0 = the slot is free */
    bool is_defined;
} jvm_place;

typedef struct jvm_frame {
    jmethodID method;
    jlocation location;
    uint32_t thread, depth;
    uint32_t label; /* string: thread "main", demo.Cache.put(Cache.java:12) */
} jvm_frame;

/* ---- one capture ---- */

typedef struct jvm_late { /* an object whose class was not known in the walk */
    jlong tag;
    uint64_t size_bytes;
    int32_t elements;
} jvm_late;

enum { JVM_LATE_OBJECTS = 65536, JVM_FRAMES = 1 << 20, JVM_NAME_BYTES = 4096 };

/* An object with references that start owners of their own: those stand with it, so it waits until they were all told.
 */
typedef struct jvm_pending {
    jlong tag; /* 0 = none */
    uint32_t class_number, count, room;
    uint64_t *targets;
    uint32_t *labels;
    uint64_t referent; /* of a Finalizer, of the value of a ThreadLocal */
    uint64_t value;    /* of that */
    bool is_queued;    /* the Finalizer is */
} jvm_pending;

/* ---- locals.c ---- */

typedef struct jvm_local { /* a ThreadLocal that a static field holds */
    jlong tag;
    uint32_t name; /* string: ThreadLocal com.x.Srv.CTX */
} jvm_local;

typedef struct jvm_locals {
    jvm_local *items;
    uint32_t count;
    uint32_t collected;   /* string: ThreadLocal (collected) */
    uint32_t value_label; /* of a value that starts an owner of its own */
} jvm_locals;

/* ---- outside.c ---- */

typedef struct jvm_owner { /* of memory outside the heap; not written yet */
    jlong tag;
    uint64_t size_bytes, native_bytes;
    uint32_t class_number;
    bool is_view;                  /* the memory is another's */
    bool begins_page, has_cleaner; /* a mapping that native code made has no cleaner: capture/jvm/known.h */
} jvm_owner;

enum { JVM_OWNER_CLASSES = 8 };

typedef struct jvm_outside {
    jvm_owner *owners;
    jlong *views; /* tags of owners that are none */
    uint32_t count, view_count, class_count;
    uint32_t classes[JVM_OWNER_CLASSES]; /* numbers */
    uint64_t lost;                       /* owners that there was no room for */
} jvm_outside;

/* ---- cleaners.c ---- */

typedef struct jvm_cleanable {
    jlong action, referent, cleanable; /* tags; action 0 = the slot is free */
} jvm_cleanable;

typedef struct jvm_cleaners {
    jvm_cleanable *slots;  /* by their actions */
    jvm_cleanable current; /* whose references are being told */
    uint32_t count;
} jvm_cleaners;

typedef struct jvm_capture {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    jlong *next_class, *next_object; /* tags to give, for life */
    hsc_writer *writer;
    hsa_metrics measured; /* before the capture took memory */
    hsa_arena arena;      /* tables and the writer */
    hsa_arena bits;       /* one bit for each tag: written */
    jvm_output output;
    jvm_class *classes; /* by tag */
    uint32_t class_capacity;
    uint32_t *marks, *stack; /* scratch of classes.c, by number */
    uint32_t mark;
    jvm_thread *threads;
    uint32_t thread_slots, thread_count;
    jvm_frame *frames;
    uint32_t frame_count;
    jvm_place *places;
    uint32_t place_count;
    jvm_late *late;
    uint32_t late_count;
    jvm_pending pending;
    jvm_outside outside;
    jvm_cleaners cleaners;
    jvm_locals locals;
    jobject held_values; /* an array of what ClassValues keep, a local reference; its tag */
    jlong all_values;
    uint32_t weak_element_label, element_label, class_label, super_label, loader_label, signers_label, domain_label,
        constant_label, interface_label, values_label;
    uint32_t referent_labels[4], cleanable_label, named_locals, named_inheritable;
    uint32_t finalizer_queue, plain_roots[32];
    uint32_t mirror_class; /* number of java.lang.Class */
    uint64_t objects, references, bytes, lost_objects, lost_frames;
    bool has_failed;
    uint64_t pause_ns;
} jvm_capture;

/* Tags and describes all classes, and makes labels. False: out of memory, or the JVM refuses. */
bool jvm_read_classes(jvm_capture *capture);
/* One class that has a number and no description yet. */
bool jvm_describe_class(jvm_capture *capture, jclass class, uint32_t number);
/* Number of a class object's tag; 0 = it is none. */
static inline uint32_t jvm_class_number(const jvm_capture *capture, jlong tag)
{
    return tag > 0 && tag < (jlong)capture->class_capacity ? (uint32_t)tag : 0;
}

/* The number of a class object, given if it has none. 0: no more room. */
uint32_t jvm_number_of(jvm_capture *capture, jobject class);
/* The tag of an object, given if it has none; 0: the JVM refuses. Before the walk. */
jlong jvm_tag_of(jvm_capture *capture, jobject object);
/* Of all loaded classes, when they are described. */
void jvm_read_values(jvm_capture *capture, const jclass *loaded, jint count);

bool jvm_read_threads(jvm_capture *capture);
/* The thread with this tag, made if it is new; NULL when the table is full. In the walk. */
jvm_thread *jvm_thread_of(jvm_capture *capture, jlong tag);
/* The thread with this tag if it is known. */
jvm_thread *jvm_find_thread(const jvm_capture *capture, jlong tag);
/* Of a thread that the JVM does not list, which are virtual ones: makes it a root, once. False: the writer failed. In
 * the walk. */
bool jvm_root_thread(jvm_capture *capture, jvm_thread *thread);
/* String of a frame's root; the thread's where there is no room. In the walk. */
uint32_t jvm_frame_label(jvm_capture *capture, jvm_thread *thread, uint32_t depth, jmethodID method,
                         jlocation location);
/* Writes threads and frames and keeps all promises. */
void jvm_write_threads(jvm_capture *capture);

/* False: the writer failed or memory ran out; the capture is then over. */
bool jvm_walk(jvm_capture *capture);
/* The field with this index of JVMTI (classes.c); NULL = not known. */
const jvm_field *jvm_find_field(const jvm_capture *capture, const jvm_class *of, jint index);
/* Writes an object, once. In the walk and after it. */
void jvm_put_object(jvm_capture *capture, const hsc_object *object);
void jvm_write_object(jvm_capture *capture, const jvm_class *of, jlong tag, uint64_t size_bytes, int32_t elements);
void jvm_write_late(jvm_capture *capture);

bool jvm_open_locals(jvm_capture *capture);
/* Before the walk: a static field of that class whose type is a ThreadLocal. */
void jvm_read_local(jvm_capture *capture, jclass class, const char *class_name, jfieldID field, const char *field_name);
/* Behind all of them. */
void jvm_sort_locals(jvm_capture *capture);
/* String of the values of the ThreadLocal with this tag, 0 = nobody knows its name; tag 0: it was collected. In the
 * walk. */
uint32_t jvm_name_of_local(const jvm_capture *capture, jlong tag);

bool jvm_open_cleaners(jvm_capture *capture);
/* In the walk: what a cleanable waits for, and what it will call. */
void jvm_note_waited_for(jvm_capture *capture, jlong cleanable, jlong referent);
void jvm_note_action(jvm_capture *capture, jlong cleanable, jlong action);
/* In the walk, of each reference of what will be called. False: the writer failed. */
bool jvm_look_at_action(jvm_capture *capture, jlong action, jlong target);

bool jvm_open_outside(jvm_capture *capture);
/* In the walk: an object of such a class, written later. False: there is no room, it is written now. */
bool jvm_keep_owner(jvm_capture *capture, uint32_t class_number, jlong tag, jlong size);
/* In the walk: that object looks into another's memory. */
void jvm_note_view(jvm_capture *capture, jlong tag);
void jvm_note_cleaner(jvm_capture *capture, jlong tag);
void jvm_write_owners(jvm_capture *capture);

/* Objects by tags; the caller deletes the local references and Deallocates both. */
jint jvm_objects_of(jvm_capture *capture, const jlong *tags, jint count, jobject **objects, jlong **found);

static inline bool jvm_is_written(jvm_capture *capture, jlong tag)
{
    const uint64_t at = (uint64_t)tag;
    return at / 8 < capture->bits.size && (capture->bits.start[at / 8] >> (at % 8) & 1) != 0;
}

static inline void jvm_note_written(jvm_capture *capture, jlong tag)
{
    const uint64_t at = (uint64_t)tag;
    if (at / 8 < capture->bits.size)
        capture->bits.start[at / 8] |= (unsigned char)(1u << (at % 8));
    else
        capture->has_failed = true; /* more objects than a heap of this limit can have */
}

#endif
