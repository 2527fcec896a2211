/*
 * .gcdump: the graph of a .NET heap (or of a page's scripts) as PerfView, dotnet-gcdump and Visual Studio write it,
 * with their library FastSerialization.
 *
 *      GCHeapDump { MemoryGraph { types | nodes: offset of each record | blob of records | address of each node } process, time, segments … }
 *
 * or a MemoryGraph alone. What is said of the process stands behind the graph, and the nodes apart from their records
 * and addresses, so the file is gone through more than once; what cannot go back is copied first.
 *
 *      serial    serial.c    numbers, texts, objects and their types
 *      graph     graph.c     where the tables are
 *      facts     facts.c     what stands behind the graph
 *      types     types.c     names, without what the producers put into them
 *      records   records.c   the blob: in memory, or in a temporary file behind some pages
 *      census    census.c    first walk: which nodes are no objects
 *      write     write.c     second walk: objects in the order of their numbers, so that a reference to a node is one to an ordinal
 *
 * Memory: types and their names, a bit for each node, and the blob as far as a half of what there is allows.
 */
#ifndef HSD_IMPORT_GCDUMP_H
#define HSD_IMPORT_GCDUMP_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/names.h"
#include "import/importer.h"

enum {
    GCDUMP_NAME_BYTES = 16384, /* kept of a name */
    GCDUMP_KINDS_MAX = 32,     /* kinds of serialised objects in one file */
    GCDUMP_NEWEST = 10,        /* version of GCHeapDump */
    GCDUMP_NEWEST_GRAPH = 1,
    GCDUMP_STRING_TYPES =
        16 /* strings of the capture below are fixed; a root that is type N is called by string 16 + N */
};

/* ---- serial.c: everything at the source's place. HSD_E_TRUNCATED, HSD_E_CORRUPT with the offset ---- */

enum {
    GCDUMP_TAG_NULL = 1,
    GCDUMP_TAG_REFERENCE = 2,
    GCDUMP_TAG_OBJECT = 4,
    GCDUMP_TAG_PRIVATE = 5,
    GCDUMP_TAG_END = 6,
    GCDUMP_TAG_BYTE = 8,
    GCDUMP_TAG_SKIP = 12,
    GCDUMP_TAG_STRING = 13
};

typedef struct gcdump_kind { /* of a serialised object */
    uint64_t label;          /* offset of its definition */
    char name[48];
    uint32_t version, least_reader;
} gcdump_kind;

typedef struct gcdump_serial {
    hsd_source *source;
    unsigned label_bytes;
    gcdump_kind kinds[GCDUMP_KINDS_MAX];
    size_t kind_count;
    /* of the tag of the object that was opened last, or of the one that was referred to */
    uint64_t object_offset;
} gcdump_serial;

hsd_status hsd_gcdump_fail(const gcdump_serial *in, const char *what, hsd_error *err);
hsd_status hsd_gcdump_number(gcdump_serial *in, unsigned bytes, uint64_t *value, hsd_error *err);
hsd_status hsd_gcdump_i32(gcdump_serial *in, int32_t *value, hsd_error *err);
hsd_status hsd_gcdump_float(gcdump_serial *in, float *value, hsd_error *err);

/* How many of something follow: HSD_E_CORRUPT below 0. */
hsd_status hsd_gcdump_count(gcdump_serial *in, uint32_t *count, hsd_error *err);

/* A text as UTF-8 into `out`, which is emptied first: its first `most` bytes of whole characters. None is an empty one.
 */
hsd_status hsd_gcdump_text(gcdump_serial *in, size_t most, hsd_buffer *out, hsd_error *err);
hsd_status hsd_gcdump_pass_text(gcdump_serial *in, hsd_error *err);

/* The begin of an object and its kind, borrowed; NULL for a null reference or one to an object before
 * (in->object_offset, else 0). */
hsd_status hsd_gcdump_open(gcdump_serial *in, const gcdump_kind **kind, hsd_error *err);

/* Past tagged values that a newer version has added, and the end of the object. */
hsd_status hsd_gcdump_close(gcdump_serial *in, hsd_error *err);

/* To an offset of the file. */
hsd_status hsd_gcdump_go(gcdump_serial *in, uint64_t offset, hsd_error *err);

/* ---- types.c ---- */

typedef struct gcdump_type { /* of the file */
    /* of the capture: types whose names differ in what producers put into them are one */
    uint32_t number;
    int32_t size;               /* of objects that do not say theirs; -1 = none */
    bool is_bracketed, is_root; /* "[static vars]"; and some node of it is no object */
    hsc_root_kind root_kind;    /* of what such a node holds */
    uint32_t root_flags;
} gcdump_type;

typedef struct gcdump_types {
    gcdump_type *types;
    uint32_t count, capacity;
    hsd_names names; /* number - 1 */
    /* for a summary, by number */
    struct gcdump_total {
        uint64_t objects, bytes;
        double scaled_objects, scaled_bytes;
    } * totals;
    uint64_t memory_bytes; /* for all of it */
    hsd_buffer scratch;
} gcdump_types;

hsd_status hsd_gcdump_types_add(gcdump_types *types, hsd_bytes name, int32_t size, hsd_error *err);

/* The name of a type that had none. */
hsd_status hsd_gcdump_types_rename(gcdump_types *types, uint32_t type, hsd_bytes name, hsd_error *err);
hsd_bytes hsd_gcdump_types_name(const gcdump_types *types, uint32_t type);
uint64_t hsd_gcdump_types_memory(const gcdump_types *types);

/* Types, what roots are called, and the totals of a summary: with `is_sampled` the estimated ones. */
hsd_status hsd_gcdump_types_write(gcdump_types *types, hsd_import *import, bool is_sampled, hsd_error *err);
void hsd_gcdump_types_release(gcdump_types *types);

/* The name without "(Bytes > 1K)" and "(NoPtrs,ElemSize=1)" behind it: with them a growing array would change its type.
 */
hsd_bytes hsd_gcdump_plain_name(hsd_bytes name);

/* ---- graph.c ---- */

typedef struct gcdump_graph {
    uint64_t total_bytes; /* sum of all sizes, as the file says it */
    uint32_t root;        /* a node */
    uint64_t node_count;
    uint64_t nodes_offset, blob_offset, addresses_offset;
    uint32_t blob_bytes;
    uint64_t blob_known, address_count; /* how much is there: less than should be in a file that was cut off */
    unsigned pointer_bytes;             /* 0 = not said */
} gcdump_graph;

/* The fields of a MemoryGraph whose begin was read, up to its end. With `salvages` a file that ends behind the table of
 * nodes gives what is there and HSD_E_TRUNCATED, for which *is_usable is set. */
hsd_status hsd_gcdump_graph_read(gcdump_graph *graph, gcdump_serial *in, gcdump_types *types, const gcdump_kind *kind,
                                 bool *is_usable, hsd_error *err);

/* ---- facts.c ---- */

typedef struct gcdump_segment {
    uint64_t start, end, generation_end[5];
} gcdump_segment;

typedef struct gcdump_facts {
    unsigned pointer_bytes;
    float count_multiplier, size_multiplier; /* of samples; 1 = all is there */
    float *multipliers;                      /* of each type of the file, for counts */
    uint32_t multiplier_count;
    gcdump_segment *segments; /* by address */
    uint32_t segment_count;
    uint64_t segment_bytes, taken_unix_ns, commit_bytes, resident_bytes;
    uint32_t pid;
    char process[256], tool[64];
} gcdump_facts;

/* What stands behind the graph of a GCHeapDump of this version. `memory_bytes` is for segments and multipliers. */
hsd_status hsd_gcdump_facts_read(gcdump_facts *facts, gcdump_serial *in, uint32_t version, uint64_t memory_bytes,
                                 hsd_error *err);
bool hsd_gcdump_is_sampled(const gcdump_facts *facts);

/* The generation of an address, 0 to 4 (3: large objects, 4: pinned ones), -1 = not known. *hint is a segment, at first
 * 0. */
int hsd_gcdump_generation(const gcdump_facts *facts, uint64_t address, uint32_t *hint);
void hsd_gcdump_facts_release(gcdump_facts *facts);

/* ---- records.c ---- */

typedef struct gcdump_records {
    uint8_t *bytes; /* all of them, or NULL */
    uint64_t size;
    hsd_temp temp;
    uint8_t *pages;         /* of the file */
    uint64_t *page_numbers; /* + 1; 0 = none */
    uint32_t page_count;    /* a power of two */
} gcdump_records;

/* Takes the blob in: into memory if it has room in `memory_bytes`. */
hsd_status hsd_gcdump_records_open(gcdump_records *records, gcdump_serial *in, const gcdump_graph *graph,
                                   hsd_temp_space *space, uint64_t memory_bytes, hsd_error *err);

/* Bytes from `offset` on, one at least; to the end, or to the end of a page. Borrowed until the next call. HSD_END at
 * the end. */
hsd_status hsd_gcdump_records_view(gcdump_records *records, uint64_t offset, hsd_bytes *view, hsd_error *err);
void hsd_gcdump_records_release(gcdump_records *records);

typedef struct gcdump_record { /* one that is being read */
    gcdump_records *records;
    const uint8_t *at, *end;
    uint64_t end_offset; /* of `end` in the blob */
    uint64_t first;      /* where it begins */
    uint32_t type;
    uint64_t size;
    uint32_t children; /* that follow */
} gcdump_record;

/* HSD_END: there is no such record; HSD_E_CORRUPT: it contradicts itself or the types. */
hsd_status hsd_gcdump_record_open(gcdump_record *record, gcdump_records *records, const gcdump_types *types,
                                  uint64_t offset, hsd_error *err);

/* Up to `most` of its next children as node numbers (any values) into `out`. HSD_END: the blob ends in it. */
hsd_status hsd_gcdump_record_children(gcdump_record *record, uint64_t node, uint64_t *out, size_t most, hsd_error *err);
static inline uint64_t hsd_gcdump_record_bytes(const gcdump_record *record)
{
    return record->end_offset - (uint64_t)(record->end - record->at) - record->first;
}

/* ---- census.c, write.c, roots.c ---- */

enum { GCDUMP_CHUNK_NODES = 65536 };

typedef struct gcdump {
    hsd_import *import;
    gcdump_serial in;
    hsd_source copy; /* of a source that cannot seek */
    hsd_temp copied;
    gcdump_types types;
    gcdump_graph graph;
    gcdump_facts facts;
    gcdump_records records;
    uint8_t *no_objects;                                   /* a bit for each node */
    uint64_t no_object_count, least_address, last_address; /* without 0; UINT64_MAX, 0 = none */
    bool is_cut, has_net, has_scripts;
    uint64_t dropped;    /* nodes whose records are cut off, or were never told */
    uint64_t read_bytes; /* of records with children */

    uint32_t *offsets;   /* of a chunk of nodes */
    uint64_t *addresses; /* 0 where it is not known */
} gcdump;

/* Nodes `first` and on into self->offsets and self->addresses; *count, at most GCDUMP_CHUNK_NODES, 0 = no more. */
hsd_status hsd_gcdump_chunk(gcdump *self, uint64_t first, bool with_addresses, size_t *count, hsd_error *err);

/* Finds the nodes that are no objects. For a summary adds up the others. */
hsd_status hsd_gcdump_census(gcdump *self, hsd_error *err);
static inline bool hsd_gcdump_is_object(const gcdump *self, uint64_t node)
{
    return (self->no_objects[node / 8] >> (node % 8) & 1) == 0;
}

hsd_status hsd_gcdump_write_nodes(gcdump *self, hsd_error *err);

/* Sets what kind of roots a type shows by its name. */
void hsd_gcdump_judge_root(gcdump_type *type, hsd_bytes name);

#endif
