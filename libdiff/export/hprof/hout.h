/*
 * A capture as an HPROF 1.0.2 heap dump: what the stages share. One export goes through them in this order:
 *
 *      tables     tables.c     types, labels; what the roots, threads and sites of the capture are called (stacks.c)
 *      survey     survey.c     all objects with their references once: rows (rows.h), class objects of a JVM, huge objects
 *      ids        ids.c        the capture's, or by order: then the survey is made again, with those
 *      classes    classes.c    a class of the dump for each row; layout.c gives them fields and sizes
 *      head       head.c       strings, classes, stack frames and traces
 *      dump       class_dump.c, objects.c, roots.c: classes, objects, roots
 *
 * Memory grows with types, labels, class objects, threads and sites, never with objects or references.
 */
#ifndef HSD_EXPORT_HPROF_HOUT_H
#define HSD_EXPORT_HPROF_HOUT_H

#include <hscapture/hscapture.h>

#include "base/check.h"
#include "export/hprof/rows.h"
#include "export/hprof/stream.h"
#include "export/joined.h"
#include "format/tables.h"

#define HOUT_HELD        32768u /* references of one object that are held; one with more is huge */
#define HOUT_NO_FIELD    UINT32_MAX
#define HOUT_CHUNK_BYTES ((size_t)65536)

typedef struct hout_label { /* of references, by place in the label table; the last one stands for labels that were
                               never defined */
    uint32_t name;          /* number of the string of the dump */
    uint8_t kind;           /* hsc_label_kind */
    bool is_weak, is_soft;
    bool is_left_out; /* a weak one of no JVM's, or one that readers make again */
    /* "cleaner", from what a Cleaner waits for to what it will call: no field, made of the cleanable's referent */
    bool is_made_again;
} hout_label;

typedef struct hout_reference {
    uint64_t ordinal, id; /* of the target */
    uint64_t index;
    uint32_t place; /* of the label */
    uint32_t nth;   /* among those of this name */
} hout_reference;

typedef struct hout_references { /* of one object */
    /* the first HOUT_HELD; references of a JVM's objects to their classes are not among them */
    hout_reference *items;
    uint32_t count;
    uint64_t all, elements;
    uint64_t widest;   /* greatest index of an element + 1 */
    bool is_ascending; /* indexes of elements */
    bool has_class;
    hout_reference to_class;
} hout_references;

typedef struct hout_huge { /* an object with more than HOUT_HELD references, in ascending order */
    uint64_t ordinal, all, elements, widest, class_ordinal;
    bool is_ascending;
} hout_huge;

typedef struct hout_static {
    uint64_t id; /* of the target */
    uint64_t index;
    uint32_t place;   /* of the label */
    uint32_t name;    /* string of the dump, once its strings are written */
    bool is_constant; /* of the constant pool */
} hout_static;

typedef struct hout_mirror { /* a class object of a JVM's capture */
    uint64_t ordinal, id, size_bytes;
    uint64_t super_ordinal;           /* + 1; 0 = none */
    uint64_t loader, signers, domain; /* ids */
    uint32_t name;                    /* string of the capture */
    uint32_t first_static, static_count;
    uint32_t class_number;
    bool is_root;
} hout_mirror;

typedef struct hout_class {
    uint64_t id;
    uint32_t name;                     /* string of the dump */
    uint32_t row;                      /* + 1; 0 = it has no instances */
    uint32_t mirror;                   /* + 1; 0 = made up */
    uint32_t super;                    /* number + 1; 0 = none */
    uint32_t first_field, field_count; /* references, in `fields` */
    uint32_t long_count, int_count;    /* fields that stand for what is not captured */
    uint32_t reference_count;          /* with those of the superclasses */
    uint32_t primitive_bytes;          /* likewise */
    uint32_t data_bytes;               /* likewise, of an instance in the dump */
    uint32_t own_bytes;                /* in the data of an instance */
    uint64_t size_bytes;
    uint8_t state;    /* of laying out */
    bool is_of_roots; /* its statics are roots */
} hout_class;

enum { HOUT_NEW, HOUT_BUSY, HOUT_LAID_OUT };

/* Classes that every dump has, made up unless the capture has them. */
typedef enum hout_known {
    HOUT_K_OBJECT,
    HOUT_K_CLASS,
    HOUT_K_LOADER,
    HOUT_K_STRING,
    HOUT_K_THREAD,
    HOUT_K_REFERENCE,
    HOUT_K_WEAK,
    HOUT_K_SOFT,
    HOUT_K_PHANTOM,
    HOUT_K_FINAL,
    HOUT_K_CHARS,
    HOUT_K_BYTES,
    HOUT_K_INSIDES,
    HOUT_KNOWN_COUNT
} hout_known;

enum { HOUT_CLEANABLE_COUNT = 3 }; /* jdk.internal.ref.PhantomCleanable and its like */

/* texts: strings of the capture */
typedef struct hout_frame {
    uint32_t thread, depth, function, file, line;
} hout_frame;
/* parent: place + 1 */
typedef struct hout_site {
    uint32_t id, parent, function, file, line, serial;
    bool is_used;
} hout_site;
typedef struct hout_thread {
    uint32_t id, name, first_frame, frame_count;
    bool has_object;
} hout_thread;

typedef struct hout_thread_name { /* of a JVM's thread, on the way to the array of its characters */
    uint64_t key;                 /* ordinal of the thread; then what its array is called in the capture */
    uint64_t next;                /* ordinal of its String; UINT64_MAX = not known */
    uint32_t name;                /* string of the capture */
} hout_thread_name;

typedef struct hout_stacks {
    hout_frame *frames;
    hout_site *sites;
    hout_thread *threads;
    uint32_t frame_count, frame_capacity, site_count, site_capacity, thread_count, thread_capacity;
    hsd_id_map site_index, thread_index; /* number in the capture -> place */
    uint32_t trace_count;
} hout_stacks;

typedef struct hout_ids { /* of all objects */
    uint64_t most, last;
    bool has_zero, has_descended;
} hout_ids;

typedef struct hout_left { /* what did not go in as it was */
    uint64_t weak, soft, unnamed, indexes, cut;
} hout_left;

typedef struct hout {
    hsd_export *x;
    hsd_capture *capture;
    const hsd_capture_info *info;
    hsd_joined *joined;
    hout_stream out;
    /* what the capture is */
    bool is_jvm;     /* it has class objects: type java.lang.Class */
    bool is_moving;  /* … and its ids are addresses of HotSpot's */
    bool by_ordinal; /* ids of the dump are made of ordinals */
    bool keeps_sizes;
    unsigned header, reference; /* bytes of an object's header and of a reference, as tools count them */
    uint64_t wide, narrow;      /* arrays that say so */
    uint64_t next_id;           /* for what is made up */
    hout_ids ids;
    /* by ordinal, where that spares joining targets with their ids; filled by the survey; NULL = not kept */
    uint64_t *id_of;
    /* tables */
    hsd_type_names type_names;
    hsd_type_table types;
    hsd_label_table label_table;
    hout_label *labels;
    hsd_texts texts;                                                   /* of the capture */
    hsd_names strings;                                                 /* of the dump; number + 1 is the id */
    uint32_t class_type;                                               /* common number of java.lang.Class */
    uint32_t class_word, bytes_word, inside_word, value_word, no_word; /* strings */
    hout_stacks stacks;
    /* what the survey found */
    hout_rows rows;
    hout_references held;
    uint32_t *seen_at, *seen; /* by string: the object that had it last, and how often */
    uint32_t stamp;
    uint32_t name_count; /* entries of the two */
    hout_huge *huge;
    uint32_t huge_count, huge_capacity;
    hout_thread_name *thread_names; /* by key */
    uint32_t thread_name_count, thread_name_capacity;
    hout_mirror *mirrors; /* by ordinal */
    uint32_t mirror_count, mirror_capacity;
    hout_static *statics;
    uint32_t static_count, static_capacity;
    /* classes */
    hout_class *classes;
    uint32_t class_count, class_capacity;
    uint32_t *fields; /* strings */
    uint32_t field_count, field_capacity;
    uint32_t known[HOUT_KNOWN_COUNT];                 /* number of the class + 1 */
    uint32_t cleanable_classes[HOUT_CLEANABLE_COUNT]; /* strings of the dump */
    uint32_t *class_of_name;                          /* by string: number of the first class + 1 */
    uint32_t class_name_count;                        /* entries of it */
    uint32_t root_classes[HSC_ROOT_KIND_COUNT];       /* number of the first class of named roots + 1 */
    uint64_t named_roots[HSC_ROOT_KIND_COUNT];
    uint8_t *chunk; /* HOUT_CHUNK_BYTES: elements of a large array on their way */
    bool with_values;
    uint32_t next_huge; /* in the second pass */
    hsd_buffer text;    /* scratch */
    hout_left left;
} hout;

/* The id that an object has in the dump. */
static inline uint64_t hsd_hout_id(const hout *h, uint64_t ordinal, uint64_t id)
{
    if (h->by_ordinal) return (ordinal + 1) << 3;
    return h->id_of != NULL ? h->id_of[ordinal] : id;
}

static inline uint64_t hsd_hout_new_id(hout *h)
{
    const uint64_t id = h->next_id;
    h->next_id += 8;
    return id;
}

/* Decides by_ordinal and next_id, by what the survey saw. */
hsd_status hsd_hout_choose_ids(hout *h, hsd_error *err);

/* Types, labels, what to call them. */
hsd_status hsd_hout_load_tables(hout *h, hsd_error *err);

/* The number of a string of the dump. */
hsd_status hsd_hout_intern(hout *h, const void *text, size_t size, uint32_t *number, hsd_error *err);
hsd_status hsd_hout_intern_word(hout *h, const char *word, uint32_t *number, hsd_error *err);

/* A text of the capture as a string of the dump. */
hsd_status hsd_hout_intern_text(hout *h, uint32_t string, uint32_t *number, hsd_error *err);

/* The name of a class from that of a type or class object. */
hsd_status hsd_hout_class_name(hout *h, hsd_bytes name, uint32_t *number, hsd_error *err);

/* Threads, frames and sites. */
hsd_status hsd_hout_load_stacks(hout *h, hsd_error *err);
void hsd_hout_use_site(hout *h, uint32_t site);

/* The number of the stack trace for a site: 1, which has no frames, for none. */
uint32_t hsd_hout_site_serial(const hout *h, uint32_t site);
hout_thread *hsd_hout_thread(const hout *h, uint32_t thread);              /* NULL = there is none */
uint32_t hsd_hout_thread_serial(const hout *h, const hout_thread *thread); /* of its trace */
hsd_status hsd_hout_write_stacks(hout *h, hsd_error *err);

/* Takes the references of the object that was told last; of a huge one with `to_end` false the rest stays in joined. */
hsd_status hsd_hout_gather(hout *h, bool is_class_object, bool to_end, hsd_error *err);
hsd_status hsd_hout_survey(hout *h, hsd_error *err);

/* Names of the threads of a JVM (thread_names.c): before, during and after the survey; into h->text, if the object is
 * such an array. */
hsd_status hsd_hout_find_threads(hout *h, hsd_error *err);
void hsd_hout_meet_thread(hout *h, uint64_t ordinal);
hsd_status hsd_hout_follow_threads(hout *h, hsd_error *err);
hsd_status hsd_hout_thread_text(hout *h, const hsd_object *object, uint8_t element, hsd_error *err);

/* The class object with this ordinal; NULL = it is none. */
hout_mirror *hsd_hout_mirror(const hout *h, uint64_t ordinal);

/* The class of every row, and those that there must be. */
hsd_status hsd_hout_make_classes(hout *h, hsd_error *err);
hsd_status hsd_hout_lay_out(hout *h, hsd_error *err);

static inline hout_class *hsd_hout_known(const hout *h, hout_known which) { return &h->classes[h->known[which] - 1]; }

/* Everything in front of the heap. */
hsd_status hsd_hout_write_head(hout *h, hsd_error *err);

/* CLASS_DUMP of all classes, and roots that hold those that are made up. */
hsd_status hsd_hout_write_classes(hout *h, hsd_error *err);

/* CLASS_DUMP of one, with these statics. */
hsd_status hsd_hout_write_class(hout *h, const hout_class *of, const hout_static *statics, uint32_t count,
                                hsd_error *err);

hsd_status hsd_hout_write_objects(hout *h, hsd_error *err);
hsd_status hsd_hout_write_roots(hout *h, hsd_error *err);

/* True if a root stands as a static field of a class that is made up for its kind. */
bool hsd_hout_is_named_root(const hout *h, uint32_t kind, uint32_t label, uint32_t thread);

/* Wants the texts of root labels; then, once classes exist, writes those classes. */
hsd_status hsd_hout_want_roots(hout *h, hsd_error *err);
hsd_status hsd_hout_make_root_classes(hout *h, hsd_error *err);
hsd_status hsd_hout_write_root_classes(hout *h, hsd_error *err);

/* An array of primitives with the bytes in h->text, then zeros. How many elements an object of that size has. */
hsd_status hsd_hout_write_primitives(hout *h, uint64_t id, uint32_t serial, uint8_t element, uint64_t count,
                                     hsd_error *err);
uint64_t hsd_hout_primitive_count(const hout *h, uint8_t element, uint64_t elements, uint64_t size);

/* A made-up char[] of a text in UTF-8, and a byte[] of this size for what was not captured. */
hsd_status hsd_hout_write_chars(hout *h, uint64_t id, const void *text, size_t size, hsd_error *err);
hsd_status hsd_hout_write_bytes(hout *h, uint64_t id, uint64_t bytes, hsd_error *err);

/* A java.lang.String with its char[]. */
hsd_status hsd_hout_write_string(hout *h, const void *text, size_t size, uint64_t *id, hsd_error *err);

/* UTF-8 as code units of 1 or 2 bytes. */
hsd_status hsd_hout_to_units(hsd_buffer *out, const void *text, size_t size, unsigned width, hsd_error *err);

/* What a preview says of the elements of an array of primitives, as they stand in the dump: appended to h->text. */
hsd_status hsd_hout_decode_preview(hout *h, uint8_t element, hsd_text preview, uint64_t elements, hsd_error *err);

/* HSD_E_OVER_BUDGET when the tables have outgrown their memory. */
hsd_status hsd_hout_check_memory(const hout *h, hsd_error *err);

#endif
