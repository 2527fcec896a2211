/*
 * Which names of properties the code of the program mentions. Others may be data: keys of an object that a program uses
 * as a dictionary look like names of fields, too.
 *
 *      function  ->  "(constant pool)"  ->  string "sessions"        code says .sessions
 *      code's cache  ->  string "alice"                              it met a key; that says nothing
 *
 * Constants are strings among the nodes, and hang from nodes of code by internal references, or (V8 of Node 22) by
 * hidden ones. By hidden ones hang also what caches and compiled code have met. Which is which is told by the name of
 * the node that refers, which comes last, as all names do. So what code refers to waits here as pairs of a string's
 * node and of who refers to it; and the texts of fields wait until all names came.
 */
#ifndef HSD_IMPORT_V8_DECLARED_H
#define HSD_IMPORT_V8_DECLARED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "import/v8/names.h"

/* A name that as many objects have is no data. */
#define HSD_V8_COMMON_FIELD 16u
/* Kinds of nodes of code that refer to strings by hidden references. */
#define HSD_V8_CODE_KINDS 1024u

typedef struct hsd_v8_mention {
    uint32_t node;  /* of the string; later the entry of the field */
    uint32_t proof; /* entry of the name of what refers to it, or HSD_V8_NO_ENTRY: a constant for certain */
} hsd_v8_mention;

typedef struct hsd_v8_code_kind {
    uint32_t name, proof;
} hsd_v8_code_kind;

typedef struct hsd_v8_held_text {
    uint32_t number; /* of the string in the snapshot */
    uint32_t size;
    size_t offset;
} hsd_v8_held_text;

typedef struct hsd_v8_declared {
    hsd_v8_mention *mentions;
    uint32_t count, capacity, limit;
    hsd_v8_code_kind kinds[HSD_V8_CODE_KINDS];
    uint32_t kind_count;
    uint64_t pools; /* nodes of code with several constants for certain */
    hsd_v8_held_text *held;
    uint32_t held_count, held_capacity;
    hsd_buffer texts;
    size_t text_limit;
    bool is_known; /* the snapshot says what code mentions */
} hsd_v8_declared;

void hsd_v8_declared_init(hsd_v8_declared *declared, uint64_t memory_bytes);

/* A node of code called `name` refers to these strings: `sure` of them by internal references, which come first. */
hsd_status hsd_v8_declared_mention(hsd_v8_declared *declared, hsd_v8_names *names, uint32_t name,
                                   const uint32_t *strings, uint32_t sure, uint32_t count, hsd_error *err);

/* All edges were seen: mentions in ascending order of nodes, each once. */
void hsd_v8_declared_sort(hsd_v8_declared *declared);

/* A text that may turn out to be a name. HSD_END: there is no room for more. */
hsd_status hsd_v8_declared_hold(hsd_v8_declared *declared, uint32_t number, hsd_bytes text, hsd_error *err);

/* All names came: marks the fields that code mentions, and finds out whether that is known. */
void hsd_v8_declared_resolve(hsd_v8_declared *declared, hsd_v8_names *names);

/* The name of this field, or of this part of a module, is the program's. */
bool hsd_v8_is_declared(const hsd_v8_declared *declared, const hsd_v8_names *names, const hsd_v8_entry *entry);

void hsd_v8_declared_release(hsd_v8_declared *declared);

#endif
