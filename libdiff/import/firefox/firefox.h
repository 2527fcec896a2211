/*
 * Firefox's heap snapshots (.fxsnapshot): protobuf messages one behind another, mostly within gzip. First what the
 * snapshot says of itself, then a message a node; the first node is the list of roots.
 *
 *      names    names.c    the two tables of texts, and what of them the capture needs
 *      stack    stack.c    allocation stacks
 *      edge     edge.c     references of a node, kept until its class is known, which stands behind them
 *      node     node.c     one message
 *      write    write.c    objects, types, roots
 *
 * One pass, so a pipe is read as it comes. A node may be of any length, and has its references as edges once there is
 * no room for more.
 *
 * A text is written out where it is met first, and referred to by its number from then on: in one table those of two
 * bytes a character, in another those of one. Numbers follow the order in which the writer met them. In a frame that is
 * source, function, parent, while the message has the parent first: it is read last.
 *
 * Ids are addresses of a heap that is compacted now and then: identity "moving", with addresses as a sign among others.
 */
#ifndef HSD_IMPORT_FIREFOX_H
#define HSD_IMPORT_FIREFOX_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/names.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "import/protobuf.h"

enum {
    FIREFOX_NAME_BYTES = 2048,     /* kept of a text: twice that fits into any window */
    FIREFOX_STACK_BYTES = 1 << 20, /* of one allocation stack, at most */
    FIREFOX_EDGES_MOST = 65536,    /* that wait for the class of their node */
    FIREFOX_BATCH = 1024           /* that go to the writer at once */
};

/* What a reference with some name is, by where it is from. A label is 8 * name + one of these + 1. */
typedef enum firefox_label {
    FIREFOX_INTERNAL,
    FIREFOX_FIELD,
    FIREFOX_VARIABLE,
    FIREFOX_GLOBAL,
    FIREFOX_KEY,
    FIREFOX_VALUE,
    FIREFOX_WEAK,
    FIREFOX_LABELS
} firefox_label;

#define FIREFOX_NONE          UINT32_MAX          /* instead of a name */
#define FIREFOX_IS_ELEMENT    (UINT64_C(1) << 63) /* in the table of texts: objectElements[N], the rest is N */
#define FIREFOX_LABEL_ELEMENT 8u                  /* between the labels of the first text and of the second */

typedef struct firefox_names {
    hsd_names texts;
    uint8_t *uses; /* of each text: a bit for each label, and one for the string */
    /* of each text: what it is as a name of references + 1, FIREFOX_LABELS + 1 = a field; 0 = not known yet */
    uint8_t *labels;
    uint32_t uses_capacity, labels_capacity;
    uint64_t *wide; /* two bytes a character: number of a text, or an element */
    uint32_t wide_count, wide_capacity;
    uint32_t *narrow;
    uint32_t narrow_count, narrow_capacity;
    bool in_roots; /* addresses in texts are left out */
    hsd_buffer scratch;
} firefox_names;

typedef struct firefox_edge {
    uint64_t target, index;
    uint32_t name;
} firefox_edge;

typedef struct firefox_node {
    uint64_t id, size, coarse;
    uint32_t type, class_name, script, description; /* texts */
    uint32_t site;
    bool is_object; /* typeName is JSObject */
    bool is_spilled;
} firefox_node;

typedef struct firefox_totals {
    uint64_t objects, bytes;
} firefox_totals;

typedef struct firefox {
    hsd_import *import;
    hsd_source *source;
    firefox_names names;
    firefox_node node;
    firefox_edge *edges;
    size_t edge_count, edge_most;
    uint64_t *targets, *indexes; /* what goes to the writer */
    uint32_t *labels;
    hsd_id_table sites; /* frames */
    hsd_id_table types; /* name of the type << 32 | name of the class, or of the DOM node */
    firefox_totals *totals;
    uint32_t totals_capacity;
    hsd_buffer stack; /* one allocation stack */
    uint64_t nodes;
    bool is_cut, has_elements;
    uint32_t js_object;     /* a text */
    uint32_t categories[5]; /* strings, by coarse type */
} firefox;

/* ---- names.c ---- */

/* A text of two bytes a character, or of one: the next of its table. Borrowed; *name is its number. */
hsd_status hsd_firefox_add_wide(firefox *fx, hsd_bytes text, uint64_t *entry, hsd_error *err);
hsd_status hsd_firefox_add_narrow(firefox *fx, hsd_bytes text, uint32_t *name, hsd_error *err);

/* What a field holds: a text, or the number of one (`is_number`). Elements are told apart in edges alone: else as a
 * text. */
hsd_status hsd_firefox_read_wide(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field, uint64_t *entry,
                                 hsd_error *err);
hsd_status hsd_firefox_read_wide_name(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field,
                                      uint32_t *name, hsd_error *err);
hsd_status hsd_firefox_read_narrow(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field,
                                   uint32_t *name, hsd_error *err);

/* An entry of the table by its number. HSD_E_CORRUPT for one that is not there. */
static inline hsd_status hsd_firefox_wide_at(const firefox *fx, uint64_t number, uint64_t *entry, hsd_error *err)
{
    if (__builtin_expect(number >= fx->names.wide_count, 0))
        return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(fx->source),
                           "not a valid Firefox snapshot: text %llu of %u", (unsigned long long)number,
                           fx->names.wide_count);
    *entry = fx->names.wide[number];
    return HSD_OK;
}

hsd_status hsd_firefox_put(firefox *fx, const char *text, uint32_t *name, hsd_error *err);
static inline hsd_bytes hsd_firefox_text(const firefox *fx, uint32_t name)
{
    return name != FIREFOX_NONE ? hsd_names_get(&fx->names.texts, name) : (hsd_bytes){0};
}

/* Numbers of the capture; what they stand for is written at the end. */
static inline uint32_t hsd_firefox_string(firefox *fx, uint32_t name)
{
    if (name == FIREFOX_NONE) return 0;
    fx->names.uses[name] = (uint8_t)(fx->names.uses[name] | 1u << FIREFOX_LABELS);
    return name + 1;
}
static inline uint32_t hsd_firefox_label(firefox *fx, uint32_t name, firefox_label label)
{
    fx->names.uses[name] = (uint8_t)(fx->names.uses[name] | 1u << label);
    return name * 8 + (uint32_t)label + 1;
}
hsd_status hsd_firefox_write_names(firefox *fx, hsd_error *err);

/* HSD_E_OVER_BUDGET when all tables take more than a half of the memory for the import. */
hsd_status hsd_firefox_check_memory(const firefox *fx, hsd_error *err);

/* ---- stack.c ---- */

/* The field of an allocation stack: *site is the number of its innermost frame, 0 = none. */
hsd_status hsd_firefox_read_stack(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field, uint32_t *site,
                                  hsd_error *err);

/* ---- edge.c ---- */

hsd_status hsd_firefox_read_edge(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field, hsd_error *err);

/* ---- node.c ---- */

/* One message whose length was read. */
hsd_status hsd_firefox_read_node(firefox *fx, uint64_t size, hsd_error *err);

/* ---- write.c ---- */

hsd_status hsd_firefox_write_root(firefox *fx, const firefox_edge *edge, hsd_error *err);

/* The node that was read, with the references that wait. */
hsd_status hsd_firefox_write_node(firefox *fx, hsd_error *err);

/* There is no room for more references: those that wait become edges. */
hsd_status hsd_firefox_spill(firefox *fx, hsd_error *err);
hsd_status hsd_firefox_write_totals(firefox *fx, hsd_error *err);

#endif
