/*
 * A small Java heap whose every object is known, as HPROF bytes in any form that a dumper may choose:
 * version, id size, order of classes and objects, segments, names with slashes or dots, several dumps.
 * The same heap each time, so that imports of all forms must agree.
 *
 * What is in it:
 *
 *   class com.x.Cache: static map -> HashMap -> Node[4] -> three Nodes (one chain) -> String, Value
 *                      static count (int), static <resolved_references> -> Object[2]
 *   thread "main" (serial 1) in com.x.Main.run(Main.java:12) with a local: a Derived
 *   thread "worker-1" (serial 2) without frames: threadLocals -> Object[1] -> a Value
 *   Derived extends Base: { byte z; Object own; double d } and { boolean b; Object ref; long l }
 *   a WeakReference, a SoftReference, a PhantomReference and a FinalReference, each to its own Value
 *   an instance of com.x.Main$$Lambda+0x00007f0011223344, held by a JNI global
 *   one array of each primitive type, held by an Object[8] that is a sticky root of kind unknown
 *   one Value that nothing holds
 */
#ifndef HSD_TESTS_HPROF_HEAP_H
#define HSD_TESTS_HPROF_HEAP_H

#include <stdbool.h>

#include "support/hprof_writer.h"

typedef struct heap_form {
    const char *version; /* NULL = "1.0.2" */
    unsigned id_bytes;   /* 0 = 8 */
    unsigned dump_tag;   /* 0x0C, or 0 = 0x1C */
    bool classes_last;   /* CLASS_DUMPs behind the objects */
    bool roots_first;
    bool is_agent;          /* records that only the hprof agent writes, names with dots, ids are tags */
    bool is_android;        /* heaps, Android roots, true sizes, names with dots */
    bool dotted;            /* names with dots without being either */
    unsigned segment_every; /* a new segment after so many sub-records; 0 = one segment */
    unsigned dumps;         /* 0 = 1; the second one has one Value more */
    bool no_end;            /* without HEAP_DUMP_END */
    bool is_queued;         /* the references stand in their queues, each the last of its own */
    bool cleans;            /* the phantom reference is what a Cleaner made */
} heap_form;

/* Ids that tests ask for. The same in every form with addresses; tags in those of the agent. */
enum heap_object {
    HEAP_MAP,
    HEAP_TABLE,
    HEAP_NODE_1,
    HEAP_NODE_2,
    HEAP_NODE_3,
    HEAP_KEY_1,
    HEAP_KEY_2,
    HEAP_KEY_3,
    HEAP_VALUE_1,
    HEAP_VALUE_2,
    HEAP_VALUE_3,
    HEAP_RESOLVED,
    HEAP_THREAD_MAIN,
    HEAP_THREAD_WORKER,
    HEAP_NAME_MAIN,
    HEAP_NAME_WORKER,
    HEAP_CHARS_MAIN,
    HEAP_CHARS_WORKER,
    HEAP_CHARS_KEY,
    HEAP_LOCALS,
    HEAP_LOCAL_VALUE,
    HEAP_DERIVED,
    HEAP_OWN,
    HEAP_REF,
    HEAP_WEAK,
    HEAP_SOFT,
    HEAP_PHANTOM,
    HEAP_FINAL,
    HEAP_WEAK_VALUE,
    HEAP_SOFT_VALUE,
    HEAP_PHANTOM_VALUE,
    HEAP_FINAL_VALUE,
    HEAP_LAMBDA,
    HEAP_ARRAYS,
    HEAP_BOOLEANS,
    HEAP_CHARS,
    HEAP_FLOATS,
    HEAP_DOUBLES,
    HEAP_BYTES,
    HEAP_SHORTS,
    HEAP_INTS,
    HEAP_LONGS,
    HEAP_LOST,
    HEAP_VERSION,
    HEAP_CHARS_VERSION,
    HEAP_LOADER,
    HEAP_EXTRA,
    HEAP_OBJECT_COUNT
};

enum heap_class {
    HEAP_C_OBJECT,
    HEAP_C_CLASS,
    HEAP_C_STRING,
    HEAP_C_THREAD,
    HEAP_C_REFERENCE,
    HEAP_C_WEAK,
    HEAP_C_SOFT,
    HEAP_C_PHANTOM,
    HEAP_C_FINAL,
    HEAP_C_MAP,
    HEAP_C_NODE,
    HEAP_C_NODES,
    HEAP_C_OBJECTS,
    HEAP_C_CACHE,
    HEAP_C_MAIN,
    HEAP_C_BASE,
    HEAP_C_DERIVED,
    HEAP_C_VALUE,
    HEAP_C_LAMBDA,
    HEAP_C_VERSION,
    HEAP_C_LOADER,
    HEAP_CLASS_COUNT
};

uint64_t heap_id(const heap_form *form, enum heap_object object);
uint64_t heap_class_id(const heap_form *form, enum heap_class class);

/* Objects of one dump (1 or 2): instances and arrays, without class objects. */
unsigned heap_object_count(unsigned dump);

/* Writes the whole file; free with hw_free. */
void heap_write(hprof_writer *w, const heap_form *form);

/* The forms that are worth a sample: name for a file, form; NULL past the last. */
const char *heap_sample(size_t index, heap_form *form);

#endif
