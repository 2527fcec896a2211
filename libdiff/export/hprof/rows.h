/*
 * Rows: what the first pass finds out about the objects that will share a class of the dump. Without classes in the
 * capture a row is a type; in the capture of a JVM it is a type and the class object that its objects refer to, since
 * two loaders may have a class of the same name.
 *
 *      slots      (name, nth) of the references that its objects have: "next", "owner", a second "owner" of the same object …
 *      sizes      all alike, or how many are small and what these sum up to
 */
#ifndef HSD_EXPORT_HPROF_ROWS_H
#define HSD_EXPORT_HPROF_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

#define HOUT_SMALL_BYTES 512u   /* objects below differ in size without being told apart */
#define HOUT_EQUAL_BYTES 16384u /* up to here objects that are all of one size are instances of that size */
#define HOUT_MOST_SLOTS  1024u  /* names of a row: others lose theirs */

typedef struct hout_slot {
    uint32_t name;   /* number of the string of the dump */
    uint32_t nth;    /* among the references of that name of one object, from 0 */
    uint32_t offset; /* in the data of an instance, once classes are laid out; UINT32_MAX = without a field */
    uint64_t uses;
} hout_slot;

typedef enum hout_form { HOUT_AS_INSTANCE, HOUT_AS_ARRAY, HOUT_AS_PRIMITIVES } hout_form;

typedef struct hout_row {
    uint64_t class_ordinal; /* of the class object + 1; 0 = none */
    uint32_t type;          /* of the names of types */
    uint32_t class_number;  /* of the class of the dump, once they are made */
    uint32_t slot_count, slot_capacity;
    hout_slot *slots;
    uint32_t *slot_table; /* number + 1 by hash, of a row with many; a power of two, at most half full */
    uint32_t slot_table_size;
    uint64_t objects;
    uint64_t named, elements; /* references */
    uint64_t unnamed;         /* of `named`: that found no slot */
    uint64_t least, most;     /* size */
    uint64_t small_objects, small_bytes;
    /* greatest number of elements of one object, or of references if it has an index */
    uint64_t widest;
    bool has_values;
    /* instances have a field for elements and references without a slot; for bytes and texts */
    bool has_inside, has_text;
    bool is_even;    /* all of one size, which fields can make up */
    uint8_t form;    /* hout_form */
    uint8_t element; /* hout_type of HOUT_AS_PRIMITIVES */
    /* of instances, once classes are laid out */
    uint64_t size_bytes; /* as the class says; what an object has beyond is in its inside */
    uint32_t data_bytes;
    /* of the field for elements and for references without a slot; UINT32_MAX = none */
    uint32_t inside_offset;
    uint32_t text_offset; /* of the field for bytes and texts */
} hout_row;

typedef struct hout_rows {
    hout_row *items;
    uint32_t count, capacity;
    uint32_t *table; /* number + 1; 0 = empty; a power of two, at most half full */
    uint32_t table_size;
    uint64_t slot_bytes; /* memory of all slots */
} hout_rows;

/* The row of a type and a class, made if it is new. */
hsd_status hsd_hout_row(hout_rows *rows, uint32_t type, uint64_t class_ordinal, uint32_t *number, hsd_error *err);

/* Slow path of hsd_hout_find_slot. */
uint32_t hsd_hout_search_slot(const hout_row *row, uint32_t name, uint32_t nth);

/* The slot of a name in a row; UINT32_MAX = there is none. `hint` is where to look first: the slot behind the last one
 * found. */
static inline uint32_t hsd_hout_find_slot(const hout_row *row, uint32_t name, uint32_t nth, uint32_t hint)
{
    if (hint < row->slot_count && row->slots[hint].name == name && row->slots[hint].nth == nth) return hint;
    return hsd_hout_search_slot(row, name, nth);
}

/* The order or number of slots was changed: the table is gone. */
void hsd_hout_forget_slots(hout_row *row);

/* The same, made if it is new and there is room; UINT32_MAX = there was none. */
hsd_status hsd_hout_put_slot(hout_rows *rows, hout_row *row, uint32_t name, uint32_t nth, uint32_t most, uint32_t *slot,
                             hsd_error *err);

/* Adds what is known of `from` to `to`; `from` keeps its slots. */
hsd_status hsd_hout_join_rows(hout_rows *rows, hout_row *to, const hout_row *from, hsd_error *err);

uint64_t hsd_hout_rows_memory(const hout_rows *rows);
void hsd_hout_rows_release(hout_rows *rows);

/* Makes room in a growing array of items of `size` bytes for index `count`; new items are zero. */
hsd_status hsd_hout_grow(void **items, uint32_t *capacity, uint64_t count, size_t size, hsd_error *err);

#endif
