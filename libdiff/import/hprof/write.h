/*
 * The second pass while it runs, for the files that it is made of: write.c (records, instances,
 * arrays) and write_class.c (class objects and their statics).
 */
#ifndef HSD_IMPORT_HPROF_WRITE_H
#define HSD_IMPORT_HPROF_WRITE_H

#include "base/check.h"
#include "import/hprof/plan.h"
#include "import/hprof/root.h"

typedef struct hprof_statics { /* by what they refer to: made when the first one is asked for */
    hsd_id_table table;        /* object -> number in places, from 1 */
    uint64_t *places;          /* class number << 32 | static of the class */
    uint32_t capacity;
    uint32_t collected; /* string of those that were, 0 = there is none */
    bool is_made;
} hprof_statics;

typedef struct hprof_writing {
    hprof *self;
    hsd_import *import;
    hsc_writer *out;
    hprof_reader reader;
    hprof_output output;
    hprof_plans plans;
    hprof_roots roots;
    hprof_statics statics;
    hsd_buffer value; /* scratch for previews */
    uint32_t element_label, weak_element_label, cleanable_label, class_label, super_label, loader_label, signers_label,
        domain_label, constant_label;
    uint32_t class_type; /* java.lang.Class */
    uint32_t primitive_type[HPROF_TYPE_COUNT];
    uint8_t *written;  /* bit by class number: its class object was written */
    uint32_t category; /* Android heap of the objects that follow */
    uint64_t references, bytes;
    uint64_t unknown_class; /* instances without CLASS_DUMP */
    uint64_t short_instances;
    uint64_t next_progress;
    bool has_sites;
} hprof_writing;

/* A reference of the object that was begun; null is left out. */
static inline hsd_status hsd_hprof_refer(hprof_writing *w, uint64_t target, uint32_t label, uint64_t index,
                                         hsd_error *err)
{
    if (target == 0) return HSD_OK;
    w->references++;
    HSD_WRITE(w->import, hsc_reference(w->out, target, label, index), err);
    return HSD_OK;
}

static inline hsd_status hsd_hprof_begin_object(hprof_writing *w, hsc_object *object, uint32_t stack, hsd_error *err)
{
    if (w->has_sites) HSD_TRY(hsd_hprof_site(&w->roots, stack, &object->site, err));
    object->category = w->category;
    w->bytes = hsd_add_saturating(w->bytes, object->size_bytes);
    HSD_WRITE(w->import, hsc_begin_object(w->out, object), err);
    return HSD_OK;
}

static inline hsd_status hsd_hprof_end_object(hprof_writing *w, hsd_error *err)
{
    HSD_WRITE(w->import, hsc_end_object(w->out), err);
    return HSD_OK;
}

/* CLASS_DUMP behind the class id: the class object, the first time that its class is met. */
hsd_status hsd_hprof_write_class(hprof_writing *w, uint64_t id, hsd_error *err);

/* The string "ThreadLocal com.x.Srv.CTX" for the ThreadLocal with this id, by the static field that holds it; 0 where
 * none does (locals.c). 0 for an id: it was collected, and what it left behind in its threads is told so. */
hsd_status hsd_hprof_name_local(hprof_writing *w, uint64_t id, uint32_t *string, hsd_error *err);

uint64_t hsd_hprof_statics_memory(const hprof_statics *statics);
void hsd_hprof_statics_release(hprof_statics *statics);

#endif
