/*
 * How instances of a class are written: a plan made once for each class that has some, from its fields
 * and those of its superclasses, in the order of the dump:
 *
 *      data of an instance   | ref | int | long | ref | byte | ref |
 *      slots                   .a                 .b           .next     offset and label of references
 *      runs                        [------------]      [----]            primitive bytes, for the hash
 */
#ifndef HSD_IMPORT_HPROF_PLAN_H
#define HSD_IMPORT_HPROF_PLAN_H

#include "import/hprof/hprof.h"
#include "import/hprof/output.h"

typedef struct hprof_reference {
    uint32_t offset; /* in the data of the instance */
    uint32_t label;
    uint32_t named_label; /* where the instance is called something (hprof_plan.kind) */
} hprof_reference;

typedef struct hprof_run {
    uint32_t offset, size; /* of primitive bytes that lie together */
} hprof_run;

/* Instances that may be called something, and then have references that start owners of their own. */
typedef enum hprof_plan_kind {
    HPROF_PLAN_PLAIN,
    HPROF_PLAN_CLASS,  /* java.lang.Class */
    HPROF_PLAN_THREAD, /* java.lang.Thread or below, called as thread "main": its threadLocals */
    HPROF_PLAN_FINAL,  /* java.lang.ref.Finalizer: while it is queued it holds its referent */
    HPROF_PLAN_VALUES, /* java.lang.ClassValue$ClassValueMap: a root */
    HPROF_PLAN_STACK,  /* jdk.internal.vm.StackChunk: a piece of a virtual thread's stack stands behind its fields */
    HPROF_PLAN_LOCAL /* the value of a ThreadLocal in one thread, called as the static field that holds the ThreadLocal
                      */
} hprof_plan_kind;

/* What is kept of the values of the instances (value.h). */
typedef enum hprof_plan_values { HPROF_VALUES_NONE, HPROF_VALUES_SHORT, HPROF_VALUES_LONG } hprof_plan_values;

/* Where an instance says how much memory it owns outside the heap. */
#define HPROF_MOST_VIEWS 3u

typedef struct hprof_outside {
    uint32_t size_offset;                    /* of the number of bytes */
    uint32_t view_offsets[HPROF_MOST_VIEWS]; /* of references: where one is set, the memory is another's */
    uint8_t size_width, view_count;          /* size_width 0 = it owns none */
    uint32_t address_offset, cleaner_offset; /* of a buffer (known.h) */
    bool has_address, has_cleaner;           /* else there are no such fields */
} hprof_outside;

typedef struct hprof_plan {
    uint64_t size_bytes;   /* shallow */
    uint64_t class_target; /* id of the class object that the instance refers to; 0 = none written */
    uint32_t type;
    uint32_t first_slot, slot_count;
    uint32_t first_run, run_count;
    uint32_t data_bytes;      /* that the fields take; an instance may have more or less */
    uint32_t next_offset;     /* of Reference.next; UINT32_MAX = there is none */
    uint32_t referent_offset; /* of Reference.referent, likewise */
    uint32_t words_offset;    /* of StackChunk.size, likewise */
    hprof_outside outside;
    bool is_built;
    uint8_t kind;      /* hprof_plan_kind */
    uint8_t values;    /* hprof_plan_values */
    bool is_cleanable; /* known.h */
    bool has_no_dump;  /* CLASS_DUMP is missing: size_bytes is the header's */
} hprof_plan;

typedef struct hprof_plans {
    hprof_plan *items; /* by number of the class */
    uint32_t count;
    hprof_reference *slots;
    hprof_run *runs;
    uint64_t slot_count, run_count;
    uint32_t slot_capacity, run_capacity;
} hprof_plans;

/* Room for the plans of all classes. */
hsd_status hsd_hprof_begin_plans(hprof_plans *plans, const hprof *self, hsd_error *err);

/* Makes the plan of a class. */
hsd_status hsd_hprof_build_plan(hprof_plans *plans, const hprof *self, hprof_output *output, uint32_t class_number,
                                hsd_error *err);

/* What the instances of a class are. */
hprof_plan_kind hsd_hprof_plan_kind_of(const hprof *self, const hprof_class *of);

/* Behind the fields of a StackChunk stand as many words as its `size` says, and a bit for each place among them that
 * may be a reference. Where that field is (UINT32_MAX = there is none), and how many bytes these are. */
uint32_t hsd_hprof_words_offset(const hprof *self, const hprof_class *of);
uint64_t hsd_hprof_stack_bytes(const hprof *self, uint32_t words_offset, const uint8_t *data, size_t size);

/* Appends the name of a class as reports show it. */
hsd_status hsd_hprof_name_of_class(const hprof *self, const hprof_class *of, hsd_buffer *name, hsd_error *err);

/* The number of the type of a class. */
hsd_status hsd_hprof_type_of_class(const hprof *self, hprof_output *output, const hprof_class *of, uint32_t *type,
                                   hsd_error *err);

uint64_t hsd_hprof_plans_memory(const hprof_plans *plans);
void hsd_hprof_plans_release(hprof_plans *plans);

#endif
