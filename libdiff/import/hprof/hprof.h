/*
 * The HPROF importer: what its stages share. One import goes through them in this order:
 *
 *      scan      scan.c     all records once, bodies skipped: classes, threads, where things
 *                                 stand, counts of objects by class, traces of how big they are
 *      names     names.c    the strings that classes, fields, frames and threads need
 *      sizes     model.c    how this JVM lays out objects, so their shallow sizes (size.c)
 *      lookup    lookup.c   a few objects by id: names of threads, version of the JVM
 *      write     write.c    all objects with their references, roots, threads
 *
 * A summary stops behind the sizes: the scan has counted all it needs (summary.c).
 */
#ifndef HSD_IMPORT_HPROF_H
#define HSD_IMPORT_HPROF_H

#include "import/hprof/class.h"
#include "import/hprof/record.h"
#include "import/hprof/stack.h"
#include "import/importer.h"

/* ---- where objects stand ---- */

/* A stretch of the heap with the smallest and largest id in it: finding an object by id reads only
 * the stretches that can hold it. */
typedef struct hprof_chunk {
    uint64_t offset;      /* of a sub-record */
    uint64_t segment_end; /* of the heap segment that it lies in */
    uint64_t least, most; /* ids */
    bool is_clamped;
} hprof_chunk;

typedef struct hprof_chunks {
    hprof_chunk *items;
    uint32_t count, capacity;
    uint64_t chunk_bytes; /* grows when there are too many */
} hprof_chunks;

/* ---- how big objects are ---- */

/* What the scan sees of the layout, from the addresses of neighbours in the file (size.c). The
 * alignment of objects is known at the end alone, so votes are counted for 8, 16 and 32 bytes. */
#define HPROF_ALIGNMENTS 3
#define HPROF_ARRAY_HEADERS                                                                                            \
    {                                                                                                                  \
        16, 12, 24, 20                                                                                                 \
    }

typedef struct hprof_votes {
    uint64_t headers[4]; /* arrays of primitives whose elements begin at HPROF_ARRAY_HEADERS */
    uint64_t narrow;     /* object arrays that fit with references of 4 bytes alone */
    uint64_t wide;       /* … of 8 bytes alone */
} hprof_votes;

typedef struct hprof_traces {
    hprof_votes votes[HPROF_ALIGNMENTS];
    uint64_t objects;     /* that were seen */
    uint64_t ids_or;      /* all their ids or-ed: their alignment */
    uint64_t least, most; /* object id */
} hprof_traces;

typedef enum hprof_flavour {
    HPROF_HOTSPOT, /* ids are addresses of a moving collector */
    HPROF_AGENT,   /* the hprof agent of JDK 1.2 to 8: ids are tags */
    HPROF_ANDROID
} hprof_flavour;

typedef struct hprof_model {
    unsigned header;       /* bytes before the fields of an object */
    unsigned array_header; /* bytes before the elements of an array */
    unsigned reference;    /* bytes of a reference in the heap */
    unsigned alignment;    /* of objects */
    bool fills_gaps;       /* fields of a class may go into gaps of its superclass: JDK 15 and later */
    bool is_given;         /* CLASS_DUMP says the true size: Android */
} hprof_model;

/* Where the fields of a class end, with those of its superclasses, and what they leave open. */
#define HPROF_MAX_GAPS 6u

typedef struct hprof_layout {
    uint64_t end; /* offset behind the last field */
    uint32_t gap_offset[HPROF_MAX_GAPS];
    uint8_t gap_size[HPROF_MAX_GAPS];
    uint8_t gap_count;
    uint8_t state; /* HPROF_NEW … */
} hprof_layout;

enum { HPROF_NEW, HPROF_BUSY, HPROF_LAID_OUT };

/* ---- the importer ---- */

typedef struct hprof {
    hsd_import *import;
    hprof_reader reader; /* of the scan; afterwards what it found out about the file */
    hprof_classes classes;
    hprof_names names;
    hprof_stacks stacks;
    hprof_chunks chunks;
    hprof_traces traces;
    hprof_model model;
    hprof_layout *layouts; /* by class number, once the model is chosen */
    uint64_t class_size;   /* of a class object without its statics */
    bool has_bare_classes; /* up to JDK 6 statics do not live in class objects */
    hprof_flavour flavour;
    unsigned dump;                                  /* number of the dump that is imported */
    bool keeps_values;                              /* of some objects at least: the capture says so at its beginning */
    bool is_agent;                                  /* a record was seen that only the hprof agent writes */
    bool is_complete;                               /* the dump has its end, and nothing of it was lost */
    uint64_t heap_end;                              /* offset behind the last segment of the dump */
    uint64_t live_bytes;                            /* of HEAP_SUMMARY */
    hprof_array_tally primitives[HPROF_TYPE_COUNT]; /* arrays of primitives */
    char runtime[160];                              /* "HotSpot 17.0.15" */
} hprof;

/* First pass over the whole input. */
hsd_status hsd_hprof_scan(hprof *self, hsd_error *err);

/* Lays out all classes by a model. `layouts` is zeroed, one for each class number. Takes as long as
 * there are fields, whatever the hierarchy. */
void hsd_hprof_lay_out(const hprof *self, const hprof_model *model, hprof_layout *layouts);

/* Size of the instances of a class that was laid out. */
uint64_t hsd_hprof_laid_out_size(const hprof_model *model, const hprof_layout *layout);

/* Decides flavour and layout from what the scan saw and from the names. */
hsd_status hsd_hprof_choose_model(hprof *self, hsd_error *err);

/* Shallow size of the instances of a class, by the model. */
uint64_t hsd_hprof_instance_size(const hprof *self, const hprof_class *of);

/* Shallow size of the class object itself: its statics live in it. */
uint64_t hsd_hprof_class_object_size(const hprof *self, const hprof_class *of);

/* Shallow size of an array of `count` elements of `width` bytes. Saturates. */
uint64_t hsd_hprof_array_size(const hprof_model *model, uint64_t count, unsigned width);

/* Sum of the shallow sizes of all arrays of a tally. */
uint64_t hsd_hprof_arrays_size(const hprof_model *model, const hprof_array_tally *tally, unsigned width);

/* Width of an element in the heap. */
static inline unsigned hsd_hprof_element_width(const hprof_model *model, uint8_t type)
{
    return hsd_hprof_is_reference(type) ? model->reference : hsd_hprof_width[type];
}

/* Name of the array type of primitives: "int[]". */
const char *hsd_hprof_prim_array_name(uint8_t element);

/* Finds out the names of the threads and the version of the JVM from the objects themselves. */
hsd_status hsd_hprof_look_up(hprof *self, hsd_error *err);

/* Fills the options of the writer: runtime, identity, times. Called once. */
hsd_status hsd_hprof_describe(hprof *self, hsc_options *options, hsd_error *err);

/* Marks what is not whole and finishes the writer. */
hsd_status hsd_hprof_finish(const hprof *self, hsd_error *err);

/* Type totals alone, from the tallies of the scan. */
hsd_status hsd_hprof_summarise(hprof *self, hsd_error *err);

/* The second pass: everything into the writer. */
hsd_status hsd_hprof_write(hprof *self, hsd_error *err);

/* Fails with HSD_E_OVER_BUDGET when the tables have outgrown the memory of the import. */
hsd_status hsd_hprof_check_memory(const hprof *self, uint64_t more, hsd_error *err);

#endif
