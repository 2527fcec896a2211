/*
 * Threads, stack traces and frames of an HPROF dump, and the names that roots get from them:
 *
 *      thread "main", com.x.Main.run(Main.java:12)      a local of a frame
 *      thread "worker-1"                                a thread object
 *
 * Grows with the number of threads and frames, never with objects.
 */
#ifndef HSD_IMPORT_HPROF_STACK_H
#define HSD_IMPORT_HPROF_STACK_H

#include "import/hprof/class.h"

typedef struct hprof_frame {
    uint32_t method, file; /* numbers of strings */
    uint32_t class_serial;
    int32_t line; /* > 0, or 0 none, -1 unknown, -2 compiled, -3 native */
} hprof_frame;

typedef struct hprof_trace {
    uint32_t thread_serial;
    uint32_t frame_count;
    uint64_t first_frame; /* in frame_ids, innermost first */
    uint32_t site;        /* number in the capture, 0 = not made yet */
    bool has_site;
} hprof_trace;

typedef struct hprof_thread {
    uint64_t object; /* the java.lang.Thread, 0 = none */
    uint32_t serial;
    uint32_t trace;      /* serial of the stack trace it stands in */
    uint32_t start_name; /* of START_THREAD: number of the string */
    uint32_t label;      /* string of the capture: thread "main"; 0 = not made yet */
    hsd_bytes name;      /* found by the lookup; data NULL = not known */
    bool is_virtual;
    uint32_t own; /* of a virtual one: the frame of its trace in the program's own code, from 1 on; 0 = none */
} hprof_thread;

typedef struct hprof_stacks {
    hsd_id_table frame_table; /* frame id -> number */
    hprof_frame *frames;
    uint32_t frame_capacity;
    hsd_id_table trace_table; /* trace serial -> number */
    hprof_trace *traces;
    uint32_t trace_capacity;
    uint64_t *frame_ids;
    uint32_t *frame_labels; /* strings of the capture for roots of that frame; 0 = not made yet */
    uint64_t frame_id_count;
    uint32_t frame_id_capacity, frame_label_capacity;
    hsd_id_table thread_table; /* thread serial -> number */
    hprof_thread *threads;
    uint32_t thread_capacity;
    hsd_id_table object_table; /* thread object -> number in object_thread */
    uint32_t *object_thread;
    uint32_t object_capacity;
    hsd_arena arena;  /* of names that were looked up */
    bool has_virtual; /* threads: those are roots in this dump */
} hprof_stacks;

/* STACK_FRAME, STACK_TRACE, START_THREAD; the source stands at the body of `length` bytes, which must
 * be left afterwards with hsd_hprof_leave. */
hsd_status hsd_hprof_read_frame(hprof_stacks *stacks, hprof_names *names, hprof_reader *reader, uint64_t length,
                                hsd_error *err);
hsd_status hsd_hprof_read_trace(hprof_stacks *stacks, hprof_reader *reader, uint64_t length, hsd_error *err);
hsd_status hsd_hprof_read_start(hprof_stacks *stacks, hprof_names *names, hprof_reader *reader, uint64_t length,
                                hsd_error *err);

/* ROOT THREAD_OBJECT. */
hsd_status hsd_hprof_note_thread(hprof_stacks *stacks, uint32_t serial, uint64_t object, uint32_t trace,
                                 hsd_error *err);

/* By serial, or by the id of the java.lang.Thread; NULL = unknown. */
hprof_thread *hsd_hprof_thread(const hprof_stacks *stacks, uint32_t serial);
hprof_thread *hsd_hprof_thread_of_object(const hprof_stacks *stacks, uint64_t object);

/* NULL = unknown. */
hprof_trace *hsd_hprof_trace(const hprof_stacks *stacks, uint32_t serial);
const hprof_frame *hsd_hprof_frame(const hprof_stacks *stacks, uint64_t id);

/* Finds out which threads are virtual, by where their stacks begin, and where they stand. */
void hsd_hprof_find_virtual(hprof_stacks *stacks, const hprof_classes *classes, const hprof_names *names);

/* True if the frame is of the JDK's own code. */
bool hsd_hprof_frame_is_of_jdk(const hprof_frame *frame, const hprof_classes *classes, const hprof_names *names);

/* Name of a thread; empty when it is not known. */
hsd_bytes hsd_hprof_thread_name(const hprof_thread *thread, const hprof_names *names);

/* Appends `thread "main"`, or `thread 7` where the name is not known. */
hsd_status hsd_hprof_thread_text(const hprof_thread *thread, uint32_t serial, const hprof_names *names, hsd_buffer *out,
                                 hsd_error *err);

/* Appends "com.x.Main.run", and with `with_place` "(Main.java:12)". */
hsd_status hsd_hprof_frame_text(const hprof_frame *frame, const hprof_classes *classes, const hprof_names *names,
                                bool with_place, hsd_buffer *out, hsd_error *err);

uint64_t hsd_hprof_stacks_memory(const hprof_stacks *stacks);
void hsd_hprof_stacks_release(hprof_stacks *stacks);

#endif
