/*
 * Portable heap dumps (.phd) of OpenJ9 and of IBM's JVMs before it: big-endian records, an address as its distance from
 * the record before, references as distances from their object.
 *
 *      "portable heap dump", version 4, 5 or 6, flags, header records
 *      objects     short (one of the last 4 classes), medium, long: class, references
 *      arrays      of primitives: kind, length; of objects: class of the elements, references, length; from 6 on bytes
 *      classes     bytes of an instance, superclass, name, references: its loader, what is in its statics, classes
 *
 *      record  record.c   one record after another; references in batches
 *      learn   learn.c    classes, which stand at the end; threads and loaders (instances.c)
 *      marks   marks.c    what is referred to, and what can be reached
 *      write   write.c    objects with their references
 *
 * A dump has no roots, no names of fields, and no null references. So classes, threads and class loaders are roots, and
 * what refers to one of them does not hold it; what nothing refers to is a root, too, a secondary one: it hangs from a
 * stack or from the JVM. So does what these do not reach, objects that refer to each other in a circle: of them each
 * is a secondary root that no object before it in the file reaches. Two bits for each 8 bytes of the heap tell that.
 * They are found in a few passes over the file, in each of which an object that is reached reaches what it refers to;
 * where long chains run against the order of the file, an object may be taken for one of a circle. A secondary root
 * owns nothing that others hold (FORMAT.md 7.8), so that does no harm.
 *
 * Elements of arrays stand in reverse order. Their class is not in the cache of the last 4.
 */
#ifndef HSD_IMPORT_PHD_H
#define HSD_IMPORT_PHD_H

#include "base/names.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "import/texts.h"

enum { PHD_LABEL_ELEMENT = 1, PHD_LABEL_ENTRY, PHD_LABEL_ROOTED };
enum { PHD_BATCH = 512, PHD_NAME_BYTES = 65536, PHD_VERSION_BYTES = 256, PHD_MAGIC_BYTES = 20 };

typedef enum phd_kind { PHD_OBJECT, PHD_PRIMITIVES, PHD_ARRAY, PHD_CLASS } phd_kind;

typedef struct phd_record {
    phd_kind kind;
    uint64_t offset; /* of its tag */
    uint64_t address;
    uint64_t class_address; /* of an array: of its elements; of a class: its superclass */
    uint64_t length, size_bytes;
    uint32_t instance_bytes;    /* of a class */
    unsigned primitive;         /* 0 boolean, 1 char, 2 float … */
    hsd_bytes name;             /* of a class: in phd.name, until the next record */
    uint32_t references, taken; /* how many, and how many were read */
    unsigned width;             /* bytes of a reference */
    bool has_size, has_length;
} phd_record;

#define PHD_IS_THREAD 0x1u
#define PHD_IS_LOADER 0x2u
#define PHD_IS_KNOWN  0x4u /* its superclasses were looked at */
typedef struct phd_class {
    uint64_t address, super;
    uint32_t instance_bytes, name; /* of `names` */
    uint32_t type, array_type;     /* of the capture; 0 = not yet */
    uint32_t flags;
} phd_class;

/* Which addresses are referred to, and which can be reached from a root: pages of bits, in order of arrival. */
enum { PHD_PAGE_SHIFT = 18, PHD_PAGE_WORDS = 1 << (PHD_PAGE_SHIFT - 9), PHD_MOST_REACHES = 2, PHD_REACH_SHARE = 256 };
typedef struct phd_marks {
    hsd_id_table table; /* address >> PHD_PAGE_SHIFT -> page + 1 */
    uint64_t **pages;
    uint32_t page_room;
    uint64_t last_key; /* the page asked for last */
    uint64_t *last_page;
    uint64_t reached; /* addresses */
    bool is_all;      /* every object of the dump is reached */
} phd_marks;

/* The first instances of each class, by its address: what they are is known when its record has come. */
enum { PHD_FEW_INSTANCES = 1024 };
typedef struct phd_few {
    uint64_t *instances;
    uint32_t count, room;
    bool has_more;
} phd_few;
typedef struct phd_instances {
    hsd_id_table table; /* class -> row + 1 */
    phd_few *rows;
    uint32_t row_room;
    uint64_t bytes; /* of all instances */
} phd_instances;

typedef struct phd {
    hsd_import *import;
    hsd_source *source;
    uint32_t version;
    bool is_64, is_j9, has_short_hashes;
    unsigned shift; /* of distances */
    char vm[PHD_VERSION_BYTES];
    uint64_t last_address, cache[4];
    unsigned cache_next;
    uint8_t *name;
    uint64_t targets[PHD_BATCH], indexes[PHD_BATCH];
    uint32_t labels[PHD_BATCH];

    hsd_names names, types; /* of classes as they stand there; of types */
    hsd_id_table classes;   /* address -> row + 1 */
    phd_class *class_rows;
    uint32_t class_room;
    hsd_id_table rooted; /* addresses of classes, threads and loaders */
    phd_marks marks;
    phd_instances instances;
    hsd_import_texts texts;
    uint32_t class_type, unknown_type, primitive_types[8];
    uint64_t records, unknown_class, end_offset; /* end: where the first pass ended */
    bool is_cut;
} phd;

/* ---- record.c ---- */

/* The header, from byte 0. */
hsd_status hsd_phd_header(phd *p, hsd_error *err);
/* The next record up to its references. HSD_END at the end of the dump; HSD_E_CORRUPT; HSD_E_TRUNCATED. */
hsd_status hsd_phd_next(phd *p, phd_record *record, hsd_error *err);
/* The next references, *count up to PHD_BATCH, into p->targets; 0 behind the last. */
hsd_status hsd_phd_targets(phd *p, phd_record *record, size_t *count, hsd_error *err);
/* Passes over references that are left, and reads what stands behind them. */
hsd_status hsd_phd_finish_record(phd *p, phd_record *record, hsd_error *err);
/* Reads what stands behind the references; the source stays where it is. */
hsd_status hsd_phd_look_behind(phd *p, phd_record *record, hsd_error *err);

/* ---- learn.c ---- */

/* The passes in front of the one that writes. */
hsd_status hsd_phd_learn(phd *p, hsd_error *err);
/* NULL: it is not in the dump. */
static inline phd_class *hsd_phd_class_of(const phd *p, uint64_t address)
{
    const uint32_t row = hsd_id_table_find(&p->classes, address);
    return row == 0 ? NULL : &p->class_rows[row - 1];
}
/* PHD_IS_THREAD, PHD_IS_LOADER by the superclasses of a class. */
uint32_t hsd_phd_flags_of(const phd *p, phd_class *of);
hsd_status hsd_phd_check_memory(const phd *p, hsd_error *err);

/* ---- marks.c ---- */

/* An object refers to this address. */
hsd_status hsd_phd_mark(phd *p, uint64_t address, hsd_error *err);
/* It can be reached from a root. */
hsd_status hsd_phd_reach(phd *p, uint64_t address, hsd_error *err);
/* An object that nothing refers to can be. */
bool hsd_phd_is_reached(phd *p, uint64_t address);
bool hsd_phd_is_referred_to(phd *p, uint64_t address);
/* When classes are known: passes over the file until all is reached, or too little more. */
hsd_status hsd_phd_spread(phd *p, hsd_error *err);
void hsd_phd_release_marks(phd_marks *marks);

/* ---- instances.c ---- */

/* An object of a class that may not be known yet. */
hsd_status hsd_phd_add_instance(phd *p, uint64_t class_address, uint64_t address, hsd_error *err);
/* When classes are known: threads and loaders into `rooted`. *is_enough false: there are more than were kept. */
hsd_status hsd_phd_root_instances(phd *p, bool *is_enough, hsd_error *err);
void hsd_phd_release_instances(phd_instances *instances);

/* ---- write.c ---- */

/* Behind hsd_import_begin. */
hsd_status hsd_phd_write(phd *p, hsd_error *err);

#endif
