/*
 * Heap snapshots of the Dart VM ("dartheap"): what DevTools exports, NativeRuntime.writeHeapSnapshotToFile writes, and
 * the service sends in pieces. Numbers are ULEB128:
 *
 *      header       magic, flags, name of the isolate, sums
 *      classes      name, library, fields: the place of a reference in an object, and what it is called
 *      objects      class, bytes, what is no reference (a text, a number, a length, a name), references by the object's
 *                   number, from 1; object 1 is the root
 *      externals    object, bytes outside the heap
 *      hashes       the identity hash of each object; older VMs end before them
 *
 * What an object is said to be comes behind all objects, so there are two passes:
 *
 *      skim.c ────► classes.c, names.c    types and labels
 *        │    └───► statics.c             whose static field is at which place of the isolate
 *        │    └───► owners.c              of which class and library a field or a function is
 *        │    └───► externals, and hashes in a temporary file
 *      write.c      objects with their references, straight into the capture
 *
 * The root, the isolates and the read-only pages are nodes and no objects: what they refer to are roots of the capture.
 * DevTools writes a snapshot anew when it exports one: texts as names, or no data at all, and zeros behind it all. So
 * what is a value and what an array is told by its class, too.
 *
 * Small numbers are written as objects of no bytes, behind all others: they and null, true and false are values, so
 * references to them are left out. Memory grows with classes, fields, static fields, names of functions and classes,
 * and objects that own memory outside.
 */
#ifndef HSD_IMPORT_DART_DART_H
#define HSD_IMPORT_DART_DART_H

#include "base/names.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "import/texts.h"

enum { DART_NAME_BYTES = 512, DART_CHARACTER_BYTES = 4096, DART_BATCH = 256, DART_MOST_VALUES = 8, DART_NO_FIELD = -1 };

typedef enum dart_tag { /* of what is no reference */
                        DART_DATA_NONE,
                        DART_DATA_NULL,
                        DART_DATA_BOOL,
                        DART_DATA_INTEGER,
                        DART_DATA_DOUBLE,
                        DART_DATA_LATIN1,
                        DART_DATA_UTF16,
                        DART_DATA_LENGTH,
                        DART_DATA_NAME
} dart_tag;

typedef enum dart_kind { /* of a class, by its name */
                         DART_PLAIN,
                         DART_VALUE, /* null, true, false */
                         DART_SMALL, /* small integers */
                         DART_ARRAY,
                         DART_MAP,     /* its length is of keys and values */
                         DART_CONTEXT, /* variables of closures */
                         DART_CLOSURE,
                         DART_PROGRAM, /* what the VM makes of a program */
                         DART_ISOLATE,
                         DART_PAGES, /* read-only ones */
                         /* of these some say whose a static field or a function is */
                         DART_CLASS,
                         DART_PATCH, /* a part of a class that stands elsewhere */
                         DART_LIBRARY,
                         DART_FIELD,
                         DART_FUNCTION,
                         DART_CLOSURE_DATA /* of a function inside another one */
} dart_kind;

typedef struct dart_class {
    uint32_t type;                     /* number in the capture, 0 = not yet */
    uint32_t name, library;            /* of `words` */
    uint32_t first_field, field_count; /* in `fields`: one past the greatest place */
    uint8_t kind;
    bool has_names; /* its objects are functions, classes, libraries … */
} dart_class;

typedef struct dart_field {
    uint32_t name;  /* of `words`; 0 = has none */
    uint32_t label; /* in the capture, 0 = not yet */
} dart_field;

/* One object, without its references. */
typedef struct dart_object {
    uint64_t number, bytes, references;
    uint64_t class_number;
    dart_tag tag;
    uint64_t length;  /* of LENGTH, of a text */
    uint64_t content; /* hash of a number or a text */
    uint64_t offset;  /* where it begins */
    char name[DART_NAME_BYTES];
    size_t name_size;
} dart_object;

/* A static field as the VM describes it: its name, and, by the numbers of objects, what it belongs to and its place. */
typedef struct dart_described {
    uint32_t name, next; /* next: row + 1 of another one with the same place */
    uint64_t owner;
} dart_described;

typedef struct dart_owner { /* a class, a part of one, a library, a function, or what says in which function one is */
    uint64_t above;         /* the object that this one belongs to: a library, a class, a function */
    uint32_t name;          /* of `words` */
    uint32_t type;          /* of closures of a function, 0 = not yet */
    uint8_t kind;
} dart_owner;

/* Places of references in objects of the VM, DART_NO_FIELD where there is none. */
typedef struct dart_places {
    int field_owner, field_place, class_library, patch_whole, function_owner, function_data, data_parent,
        closure_function;
} dart_places;

typedef struct dart_static { /* by its place in the isolate */
    uint32_t row;            /* of `described`, + 1; 0 = none is known */
    bool is_ambiguous;
} dart_static;

typedef struct dart_total {
    uint64_t objects, bytes;
    uint64_t first, numbers; /* so many of them are small numbers from the object `first` on */
} dart_total;

typedef struct dart {
    hsd_import *import;
    hsd_source *source;

    uint64_t class_count, object_count, objects_offset, live_bytes, capacity_bytes;
    uint64_t told_count;    /* objects that are there; fewer than object_count where the file was cut off */
    hsd_names words;        /* names of the snapshot; 0 is the empty one */
    hsd_import_texts texts; /* strings of the capture */
    hsd_names types;
    dart_class *classes; /* by number; 0 is that of a root in older files */
    dart_field *fields;
    uint32_t class_room, field_room, field_total;
    hsd_id_table labels; /* (name, kind, strength) -> number */

    uint64_t domain;       /* the port of the first isolate, 0 = not known */
    uint64_t first_number; /* from this object on there are small numbers alone; UINT64_MAX = none are */
    uint64_t values[DART_MOST_VALUES], least_value, greatest_value;
    unsigned value_count;

    dart_places at;
    uint32_t isolate;           /* its class, 0 = there is none */
    hsd_id_table isolate_names; /* word + 1 -> any: names of static fields */
    hsd_id_table places;        /* object of a small number -> row of place_heads */
    uint32_t *place_heads;      /* first row + 1 of `described` */
    dart_described *described;
    uint32_t place_room, described_room, described_count;
    dart_static *statics;
    hsd_id_table owners; /* object -> row of owner_rows */
    dart_owner *owner_rows;
    uint32_t owner_room;

    hsd_id_table external; /* object -> row of external_bytes */
    uint64_t *external_bytes;
    uint32_t external_room;

    hsd_temp hashes; /* u32 by object */
    uint32_t *hash_page;
    uint64_t hash_first, hash_count; /* of hash_page; hash_count 0 = there are none */
    bool has_hashes;

    dart_total *totals; /* summary: by class */
    uint32_t total_room;
    uint8_t characters[DART_CHARACTER_BYTES]; /* of a text; the VM writes 128 of them */
    uint64_t targets[DART_BATCH], indexes[DART_BATCH];
    uint32_t target_labels[DART_BATCH], target_count;
    bool is_cut;
} dart;

/* ---- read.c ---- */

hsd_status hsd_dart_slow_number(dart *d, uint64_t *out, hsd_error *err);

/* HSD_E_TRUNCATED where the file ends in it, HSD_E_CORRUPT where it has more than 64 bits. */
static inline hsd_status hsd_dart_number(dart *d, uint64_t *out, hsd_error *err)
{
    hsd_source *s = d->source;
    const uint8_t *at = s->at;
    if (__builtin_expect(s->end - at >= 4, 1)) {
        uint64_t value = at[0] & 0x7f;
        if (at[0] < 0x80) return *out = value, s->at = at + 1, HSD_OK;
        value |= (uint64_t)(at[1] & 0x7f) << 7;
        if (at[1] < 0x80) return *out = value, s->at = at + 2, HSD_OK;
        value |= (uint64_t)(at[2] & 0x7f) << 14;
        if (at[2] < 0x80) return *out = value, s->at = at + 3, HSD_OK;
        value |= (uint64_t)(at[3] & 0x7f) << 21;
        if (at[3] < 0x80) return *out = value, s->at = at + 4, HSD_OK;
    }
    return hsd_dart_slow_number(d, out, err);
}

/* A text: the first `room` bytes of it. */
hsd_status hsd_dart_text(dart *d, char *out, size_t room, size_t *size, hsd_error *err);
/* The same as a word. */
hsd_status hsd_dart_word(dart *d, uint32_t *word, hsd_error *err);
hsd_status hsd_dart_header(dart *d, hsd_error *err);
/* The next object, up to its references. With its content, if that is wanted. */
hsd_status hsd_dart_object(dart *d, uint64_t number, bool wants_content, dart_object *out, hsd_error *err);
/* Passes over so many numbers. */
hsd_status hsd_dart_skip_numbers(dart *d, uint64_t count, hsd_error *err);
/* HSD_E_OVER_BUDGET when tables take more than they may. */
hsd_status hsd_dart_check_memory(const dart *d, hsd_error *err);

/* ---- classes.c ---- */

hsd_status hsd_dart_classes(dart *d, hsd_error *err);

static inline dart_class *hsd_dart_class_of(const dart *d, const dart_object *o)
{
    return &d->classes[o->class_number];
}

/* The root, an isolate, the read-only pages: no object. */
static inline bool hsd_dart_is_node(const dart *d, const dart_object *o)
{
    const uint8_t kind = d->classes[o->class_number].kind;
    return o->number == 1 || ((kind == DART_ISOLATE || kind == DART_PAGES) && o->bytes == 0);
}

/* ---- names.c ---- */

dart_kind hsd_dart_kind(hsd_bytes name, hsd_bytes library);
/* What people call a class: "List", "Session (shop/cart.dart)". In `out`, which has room for 2 * DART_NAME_BYTES. */
hsd_bytes hsd_dart_spell(hsd_bytes name, hsd_bytes library, char *out);
/* HSC_TYPE_* */
uint32_t hsd_dart_type_flags(dart_kind kind, hsd_bytes name, hsd_bytes library);
/* "shop/cart.dart" of package:shop/cart.dart; "" of the libraries of the VM and of Dart itself. */
hsd_bytes hsd_dart_place(hsd_bytes library);

typedef struct dart_label {
    hsc_label_kind kind;
    uint32_t flags;
    hsd_bytes name;
} dart_label;
dart_label hsd_dart_judge_field(hsd_bytes class_name, hsd_bytes library, hsd_bytes field);

/* ---- statics.c ---- */

/* An object of the VM's class Field. `first` are its first references. */
hsd_status hsd_dart_note_field(dart *d, const dart_object *o, const uint64_t *first, size_t count, hsd_error *err);
/* A small number was met. */
hsd_status hsd_dart_note_number(dart *d, const dart_object *o, uint64_t value, hsd_error *err);
/* "static Cache.entries (shop/cart.dart)". */
hsd_bytes hsd_dart_name_static(const dart *d, uint32_t place, char *out);

/* ---- owners.c ---- */

typedef struct dart_whose {
    hsd_bytes function, class_name, place; /* empty where there is none */
    bool is_inside;                        /* a function without a name in `function` */
} dart_whose;

static inline bool hsd_dart_has_notes(dart_kind kind) { return kind >= DART_CLASS && kind <= DART_CLOSURE_DATA; }
static inline uint64_t hsd_dart_reference(const uint64_t *first, size_t count, int place)
{
    return place >= 0 && (size_t)place < count ? first[place] : 0;
}
/* Takes notes of such an object; `first` are its first references. */
hsd_status hsd_dart_note(dart *d, const dart_object *o, const uint64_t *first, size_t count, hsd_error *err);
dart_whose hsd_dart_whose(const dart *d, uint64_t object);
/* The row of an object, NULL if it is no owner. */
dart_owner *hsd_dart_owner(const dart *d, uint64_t object);
/* "Closure _HomePageState._onEvent (shop/ui/home.dart)", by the number of its function; in `out`, which has room for 4
 * * DART_NAME_BYTES. */
hsd_bytes hsd_dart_name_closure(const dart *d, uint64_t function, char *out);

/* ---- skim.c ---- */

hsd_status hsd_dart_skim(dart *d, hsd_error *err);
/* The identity hash of an object, 0 = it has none. Cheap in order. */
hsd_status hsd_dart_hash(dart *d, uint64_t number, uint32_t *hash, hsd_error *err);

/* ---- write.c ---- */

hsd_status hsd_dart_write(dart *d, hsd_error *err);

#endif
