/*
 * Heap graphs of the Android Runtime (data source android.java_hprof) in traces of Perfetto.
 *
 *      trace ──packets.c──► heap graphs alone, unpacked, in a temporary file ──dumps.c──► which packets make which dump
 *                                     ├──tables.c──►  types, names of fields, roots: names come last, so they are read first
 *                                     └──objects.c──► objects with their references, straight into the capture
 *
 * Memory grows with types, fields and packets, and with the references of one object.
 */
#ifndef HSD_IMPORT_PERFETTO_PERFETTO_H
#define HSD_IMPORT_PERFETTO_PERFETTO_H

#include "base/names.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "import/protobuf.h"

#define PERFETTO_PROCESSES 65536u /* whose names are kept; more are nameless */

enum { PERFETTO_OBJECTS = 2 }; /* the field of a heap graph that nearly all of it is */

typedef struct perfetto_packet { /* one HeapGraph message, in the temporary file */
    uint64_t offset, size;
    uint64_t sequence, time_ns;
    uint32_t dump;   /* from 1 */
    bool has_tables; /* something besides objects: types, names of fields, roots */
} perfetto_packet;

typedef struct perfetto_dump {
    uint64_t sequence, pid, time_ns, next_index;
    bool is_open;  /* its last packet says that there is more */
    bool has_lost; /* an index is missing */
} perfetto_dump;

typedef struct perfetto_type {
    uint64_t object_bytes, superclass; /* superclass: id */
    uint32_t first_field, field_count; /* in type_fields */
    uint8_t kind;                      /* PERFETTO_KIND_* */
    bool is_defined, is_class_object;
} perfetto_type;

typedef struct perfetto_field {
    bool is_defined, is_referent; /* is_referent: java.lang.ref.Reference.referent */
    /* declared by java.lang.Class or Object: what a class object has besides its statics */
    bool is_of_class;
    uint8_t labels; /* bits of PERFETTO_LABEL_*: defined in the capture */
} perfetto_field;

typedef struct perfetto_list { /* of numbers of one object */
    uint64_t *items;
    uint32_t capacity;
    uint64_t count;
} perfetto_list;

typedef struct perfetto {
    hsd_import *import;
    hsd_temp temp;
    hsd_source graphs;         /* over temp */
    bool is_cut;               /* the trace ends inside a packet */
    uint64_t boot_ns, real_ns; /* one moment by both clocks; 0 = not told */

    perfetto_packet *packets;
    uint32_t packet_count, packet_capacity;
    perfetto_dump *dumps;
    uint32_t dump_count, dump_capacity, dump; /* dump: the chosen one, from 1 */
    hsd_id_table process_rows;                /* pid -> row in process_names */
    uint32_t *process_names;                  /* numbers in texts */
    uint32_t process_capacity;
    hsd_names texts;

    hsd_id_table type_rows, field_rows;
    perfetto_type *types;   /* by number, from 1 */
    perfetto_field *fields; /* likewise */
    uint32_t *type_fields;  /* numbers of fields */
    uint32_t type_capacity, field_capacity, type_field_count, type_field_capacity;

    perfetto_list field_ids, targets;
    uint64_t last_id, malformed;
    uint32_t last_heap;
} perfetto;

enum {
    PERFETTO_KIND_NORMAL = 1,
    PERFETTO_KIND_ARRAY = 4,
    PERFETTO_KIND_SOFT = 8,
    PERFETTO_KIND_WEAK = 9,
    PERFETTO_KIND_FINALIZER = 10,
    PERFETTO_KIND_PHANTOM = 11
};

/* Labels of a field: its number times 4, and one of these. */
enum { PERFETTO_LABEL_STRONG = 0, PERFETTO_LABEL_WEAK = 1, PERFETTO_LABEL_SOFT = 2, PERFETTO_LABEL_STATIC = 3 };
#define PERFETTO_LABEL_NAMELESS 1u
#define PERFETTO_LABEL_ELEMENT  2u

/* Strings of the capture: 1 to 3 are the names of heaps; behind them fields have odd numbers, and what class objects
 * are of even ones. */
static inline uint32_t perfetto_field_string(uint32_t field) { return 2 * field + 3; }
static inline uint32_t perfetto_class_string(uint32_t type) { return 2 * type + 2; }

unsigned hsd_perfetto_probe(const uint8_t *prefix, size_t size);

/* Copies the heap graphs of the trace into the temporary file, one packet of the list each, and reads names of
 * processes and clocks. */
hsd_status hsd_perfetto_read_packets(perfetto *self, hsd_error *err);

/* Which packets make which dump, and which dump is wanted. HSD_E_UNSUPPORTED when there are several and none was named,
 * with a list. */
hsd_status hsd_perfetto_find_dumps(perfetto *self, hsd_error *err);
hsd_status hsd_perfetto_choose_dump(perfetto *self, hsd_error *err);

/* The name of a process; "" if it is not known. */
const char *hsd_perfetto_process(const perfetto *self, uint64_t pid);

/* A moment by the clock since boot, in Unix time; 0 = not known. */
uint64_t hsd_perfetto_unix_ns(const perfetto *self, uint64_t boot_ns);

/* Types, fields and roots of the dump, into tables and into the capture. */
hsd_status hsd_perfetto_read_tables(perfetto *self, hsd_error *err);

/* Objects of the dump. */
hsd_status hsd_perfetto_read_objects(perfetto *self, hsd_error *err);

/* Calls `take` for each packet of the dump, as a message; of those with tables alone. */
typedef hsd_status (*perfetto_packet_fn)(perfetto *self, hsd_proto_message *graph, hsd_error *err);
hsd_status hsd_perfetto_each_packet(perfetto *self, perfetto_packet_fn take, bool with_tables, hsd_error *err);

/* Appends; `most_bytes` of memory at most. */
hsd_status hsd_perfetto_append(perfetto *self, perfetto_list *list, uint64_t value, hsd_error *err);

/* The numbers of a type and a field; new ones get an empty row. */
hsd_status hsd_perfetto_type(perfetto *self, uint64_t id, uint32_t *number, hsd_error *err);
hsd_status hsd_perfetto_field(perfetto *self, uint64_t id, uint32_t *number, hsd_error *err);

/* HSD_E_OVER_BUDGET with what suffices, when tables take more than the import has. */
hsd_status hsd_perfetto_check_memory(const perfetto *self, hsd_error *err);

#endif
