/*
 * Files of Mono's log profiler (.mlpd, data versions 14 to 17): buffers of events, each of one thread, as they became
 * full. Heap shots are runs of events between a start and an end. Two passes:
 *
 *      scan     scan.c     everything once: names of classes and threads, which root ranges came and went and when, the heap shots
 *      write    write.c    up to the shot that is wanted: which objects moved, then its objects and roots
 *
 *      read     read.c     numbers and texts of a buffer, straight from the window of the source
 *      events   events.c   one event after the other; those that nobody wants are passed over
 *      ids      ids.c      ids that objects keep while the collector moves them
 *      ranges   ranges.c   what a place in memory belongs to at the moment of a shot
 *      tables   tables.c   strings, types and labels of the capture
 *
 * Buffers of several threads interleave, and what names a class or a range may stand behind what needs the name: all
 * names come from the scan, and ranges are told by the times of their events. A program that was killed leaves a last
 * buffer that is cut off: it is read as far as it goes.
 *
 * Fields have no names in such a file, only places: `.+0x18`. In arrays the place counts words.
 */
#ifndef HSD_IMPORT_MLPD_H
#define HSD_IMPORT_MLPD_H

#include <string.h>

#include "base/buffer.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "import/texts.h"

#define MLPD_MAGIC        UINT32_C(0x4D505A01)
#define MLPD_BUFFER_MAGIC UINT32_C(0x4D504C01)

enum {
    /* data versions that brought them */
    MLPD_FIRST_VERSION = 14,
    MLPD_LAST_VERSION = 17,
    MLPD_VTABLES = 15,
    MLPD_GENERATIONS = 16,
    MLPD_TEXT_BYTES = 4096, /* kept of any text */
    MLPD_LABELS_MOST = 65536,
    MLPD_KNOWN = 1024,
    MLPD_NEAR = 64,
    MLPD_LABEL_ELEMENT = 1,
    MLPD_LABEL_FIRST = 2,
    MLPD_STRING_NURSERY = 1,
    MLPD_STRING_MAJOR = 2,
    MLPD_STRING_FIRST = 3
};

/* Of MonoGCRootSource. Versions without ranges tell kinds of roots instead, which are mapped to these. */
typedef enum mlpd_source {
    MLPD_EXTERNAL,
    MLPD_STACK,
    MLPD_FINALIZERS,
    MLPD_STATIC,
    MLPD_THREAD_STATIC,
    MLPD_CONTEXT_STATIC,
    MLPD_GC_HANDLE,
    MLPD_JIT,
    MLPD_THREADING,
    MLPD_DOMAIN,
    MLPD_REFLECTION,
    MLPD_MARSHAL,
    MLPD_THREAD_POOL,
    MLPD_DEBUGGER,
    MLPD_HANDLE,
    MLPD_EPHEMERON,
    MLPD_TOGGLEREF,
    MLPD_SOURCES
} mlpd_source;

typedef struct mlpd_class {
    uint32_t name; /* number in m->class_names, + 1; 0 = not told */
    bool is_array;
} mlpd_class;

/* A range comes or goes. */
typedef struct mlpd_change {
    uint64_t time_ns, order; /* order: in the file */
    uint64_t start, size, key;
    uint32_t name; /* in m->texts, + 1 */
    uint8_t source;
    bool is_gone;
} mlpd_change;

typedef struct mlpd_range {
    uint64_t start, size, key;
    uint32_t name;
    uint32_t source;
} mlpd_range;

typedef struct mlpd_shot {
    uint64_t time_ns, objects;
    bool is_whole;
} mlpd_shot;

typedef struct mlpd_root {
    uint64_t place, object;
    uint32_t source; /* MLPD_SOURCES: by place */
} mlpd_root;

/* Ids of objects that moved since a shot saw them, like those of the agent for Mono: a byte for each place where one
 * may begin. */
typedef struct mlpd_ids {
    hsd_id_table chunks; /* number of the chunk -> row + 1 */
    /* by which shot the object that begins there was seen first; 0 = by none, MOVED = its id is in moved_ids */
    uint8_t **rows;
    uint32_t room, moved_room;
    hsd_id_table moved; /* address -> row + 1; holds what the bytes say that is here, and what once was */
    uint64_t *moved_ids;
    uint64_t most_bytes;
    unsigned shift;   /* 2^shift bytes of heap a place */
    bool is_given_up; /* no room: ids are addresses */
} mlpd_ids;

/* What was found out of a vtable, or before version 15 of a class. */
typedef struct mlpd_known {
    uint64_t vtable; /* 0 = nothing */
    uint32_t type;
    bool is_array;
} mlpd_known;

typedef struct mlpd {
    hsd_import *import;
    hsd_source *source;

    /* header */
    unsigned version, major, pointer_bytes;
    uint64_t started_ms, started_ns;
    uint32_t pid;
    bool tells_moves;

    /* the buffer that is being read */
    const uint8_t *at, *end; /* what is visible of it */
    uint64_t buffer_end;     /* offset in the input */
    bool has_overrun;        /* an event went on where the buffer ended: its numbers are none */
    uint64_t time_ns, pointer_base, object_base, thread, method_base;

    /* scan */
    hsd_names class_names, texts;
    hsd_id_table classes, vtables, threads; /* pointer -> row + 1 */
    mlpd_class *class_rows;
    uint64_t *vtable_classes;
    uint32_t *thread_names; /* in m->texts, + 1; 0 = none */
    mlpd_change *changes;
    mlpd_shot *shots;
    uint32_t class_room, vtable_room, thread_room, change_room, change_count, shot_room, shot_count;
    uint64_t unread_buffers, gc_count;
    bool is_cut, is_in_shot, is_shot_damaged; /* damaged: a buffer of it could not be read to its end */
    uint64_t shot_thread;

    /* write */
    unsigned wanted; /* number of the shot, from 1 */
    unsigned shot;   /* the one that is being read, or was read last */
    bool is_over;
    mlpd_ids ids;
    mlpd_range *ranges; /* by ascending start */
    uint32_t range_count;
    mlpd_root *roots;
    uint32_t root_room, root_count;
    hsd_import_texts strings;
    hsd_id_table types;    /* vtable or class -> type */
    hsd_id_table labels;   /* offset -> label - MLPD_LABEL_FIRST + 1 */
    bool *defined_threads; /* by their row */
    uint32_t defined_room;
    mlpd_known known[MLPD_KNOWN];    /* by what pointers end in */
    uint32_t near_labels[MLPD_NEAR]; /* of offsets in words, 0 = not defined */
    bool is_open, is_array;
    uint64_t open_id, open_address;
    uint64_t young_bytes, old_bytes, heap_bytes;
} mlpd;

/* ---- read.c ---- */

/* Header of the file. HSD_E_TOO_NEW, HSD_E_UNSUPPORTED for versions that are not known. */
hsd_status hsd_mlpd_read_header(mlpd *m, hsd_error *err);

/* The next buffer, behind the one that is being read. HSD_END behind the last, and sets is_cut if that is not whole. */
hsd_status hsd_mlpd_next_buffer(mlpd *m, hsd_error *err);

/* `want` bytes are visible, if the buffer has as many. */
hsd_status hsd_mlpd_more(mlpd *m, size_t want, hsd_error *err);
static inline hsd_status hsd_mlpd_look(mlpd *m, size_t want, hsd_error *err)
{
    return (size_t)(m->end - m->at) >= want ? HSD_OK : hsd_mlpd_more(m, want, err);
}

/* In what is visible; 0 behind its end, and has_overrun is set. */
static inline uint8_t hsd_mlpd_byte(mlpd *m)
{
    if (m->at < m->end) return *m->at++;
    m->has_overrun = true;
    return 0;
}
/* Numbers of up to 8 bytes that are visible: others are read byte by byte. */
uint64_t hsd_mlpd_long_unsigned(mlpd *m);
int64_t hsd_mlpd_long_signed(mlpd *m);

/* A number of up to 8 bytes, all of which are visible: where it ends, or NULL if it is longer. */
static inline const uint8_t *hsd_mlpd_short(const uint8_t *at, uint64_t *number, unsigned *bits)
{
    uint64_t value = *at & 0x7f;
    unsigned shift = 7;
    for (; (*at++ & 0x80) != 0; shift += 7) {
        if (shift == 56) return NULL;
        value |= (uint64_t)(*at & 0x7f) << shift;
    }
    *number = value;
    *bits = shift;
    return at;
}

static inline uint64_t hsd_mlpd_unsigned(mlpd *m)
{
    uint64_t number;
    unsigned bits;
    const uint8_t *behind = m->end - m->at < 8 ? NULL : hsd_mlpd_short(m->at, &number, &bits);
    if (behind == NULL) return hsd_mlpd_long_unsigned(m);
    m->at = behind;
    return number;
}

static inline int64_t hsd_mlpd_signed(mlpd *m)
{
    uint64_t number;
    unsigned bits;
    const uint8_t *behind = m->end - m->at < 8 ? NULL : hsd_mlpd_short(m->at, &number, &bits);
    if (behind == NULL) return hsd_mlpd_long_signed(m);
    m->at = behind;
    return (int64_t)(number << (64 - bits)) >> (64 - bits);
}

static inline uint64_t hsd_mlpd_pointer(mlpd *m) { return m->pointer_base + (uint64_t)hsd_mlpd_signed(m); }
static inline uint64_t hsd_mlpd_object(mlpd *m) { return (m->object_base + (uint64_t)hsd_mlpd_signed(m)) << 3; }

/* Up to its NUL; HSD_END where the buffer ends before. `into` NULL: past it. */
hsd_status hsd_mlpd_text(mlpd *m, uint8_t into[MLPD_TEXT_BYTES], hsd_bytes *text, hsd_error *err);

/* ---- events.c ---- */

typedef struct mlpd_object {
    /* vtable: the class before version 15; size 0: more references of one that was told */
    uint64_t address, vtable, size, references;
    uint8_t generation;
} mlpd_object;

typedef enum mlpd_metadata {
    MLPD_CLASS = 1,
    MLPD_IMAGE,
    MLPD_ASSEMBLY,
    MLPD_DOMAIN_KIND,
    MLPD_THREAD,
    MLPD_CONTEXT,
    MLPD_VTABLE,
    MLPD_AOT_ID
} mlpd_metadata;

/* Who reads events. All but begin_shot and end_shot may be NULL. Without `reference`, addresses and vtables of objects
 * are 0. */
typedef struct mlpd_visit {
    /* classes and threads */
    hsd_status (*named)(mlpd *m, mlpd_metadata kind, uint64_t pointer, hsd_bytes name, hsd_error *err);
    hsd_status (*vtable)(mlpd *m, uint64_t pointer, uint64_t class_pointer, hsd_error *err);
    hsd_status (*begin_shot)(mlpd *m, hsd_error *err);
    hsd_status (*end_shot)(mlpd *m, hsd_error *err);
    hsd_status (*object)(mlpd *m, const mlpd_object *object, hsd_error *err);
    hsd_status (*reference)(mlpd *m, uint64_t offset, uint64_t target, hsd_error *err);
    hsd_status (*root)(mlpd *m, uint64_t place, uint64_t object, uint32_t source, hsd_error *err);
    hsd_status (*range)(mlpd *m, const mlpd_change *change, hsd_bytes name, hsd_error *err);
    hsd_status (*move)(mlpd *m, uint64_t from, uint64_t to, hsd_error *err);
    void (*collection)(mlpd *m, uint8_t event);
    void (*resize)(mlpd *m, uint64_t bytes);
} mlpd_visit;

/* All events of all buffers, until m->is_over. */
hsd_status hsd_mlpd_read_all(mlpd *m, const mlpd_visit *visit, const char *doing, hsd_error *err);

/* ---- scan.c, ids.c, ranges.c ---- */

hsd_status hsd_mlpd_scan(mlpd *m, hsd_error *err);
const mlpd_class *hsd_mlpd_class_of(const mlpd *m, uint64_t vtable);

/* The object at this address was seen by this shot. */
hsd_status hsd_mlpd_ids_see(mlpd_ids *ids, uint64_t address, unsigned shot, hsd_error *err);
hsd_status hsd_mlpd_ids_move(mlpd_ids *ids, uint64_t from, uint64_t to, hsd_error *err);
/* Its id in this shot. */
uint64_t hsd_mlpd_find_id(const mlpd_ids *ids, uint64_t address, unsigned shot);
static inline uint64_t hsd_mlpd_id_of(const mlpd_ids *ids, uint64_t address, unsigned shot)
{
    return shot == 1 && ids->chunks.count == 0 ? address : hsd_mlpd_find_id(ids, address, shot);
}
void hsd_mlpd_ids_release(mlpd_ids *ids);

/* m->ranges, as they were at this time. */
hsd_status hsd_mlpd_find_ranges(mlpd *m, uint64_t time_ns, hsd_error *err);
const mlpd_range *hsd_mlpd_range_of(const mlpd *m, uint64_t place);

/* ---- tables.c ---- */

hsd_status hsd_mlpd_check_memory(const mlpd *m, hsd_error *err);
hsd_status hsd_mlpd_put_string(mlpd *m, uint32_t *number, hsd_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
hsd_status hsd_mlpd_put_type(mlpd *m, uint64_t vtable, const mlpd_known **out, hsd_error *err);
hsd_status hsd_mlpd_put_label(mlpd *m, uint64_t offset, uint32_t *label, hsd_error *err);
hsd_status hsd_mlpd_begin_tables(mlpd *m, hsd_error *err);

/* ---- write.c ---- */

hsd_status hsd_mlpd_write(mlpd *m, hsd_error *err);

#endif
