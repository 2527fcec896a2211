/*
 * The records of a Java HPROF file, as they stand in the bytes: the header, the records at the top
 * level, the sub-records of a heap dump. Knows lengths and damage and nothing of what things mean.
 *
 *      header | record | record | HEAP_DUMP_SEGMENT [ sub-record | sub-record | … ] | record | …
 *
 * All integers are big-endian. "id" is 4 or 8 bytes, as the header says; 0 is null everywhere.
 */
#ifndef HSD_IMPORT_HPROF_RECORD_H
#define HSD_IMPORT_HPROF_RECORD_H

#include <stdbool.h>
#include <string.h>

#include "io/source.h"

enum hprof_tag { /* records at the top level */
                 HPROF_STRING = 0x01,
                 HPROF_LOAD_CLASS = 0x02,
                 HPROF_UNLOAD_CLASS = 0x03,
                 HPROF_STACK_FRAME = 0x04,
                 HPROF_STACK_TRACE = 0x05,
                 HPROF_ALLOC_SITES = 0x06,
                 HPROF_HEAP_SUMMARY = 0x07,
                 HPROF_START_THREAD = 0x0A,
                 HPROF_END_THREAD = 0x0B,
                 HPROF_HEAP_DUMP = 0x0C,
                 HPROF_CPU_SAMPLES = 0x0D,
                 HPROF_CONTROL_SETTINGS = 0x0E,
                 HPROF_SEGMENT = 0x1C,
                 HPROF_DUMP_END = 0x2C
};

enum hprof_sub_tag { /* sub-records of a heap dump */
                     HPROF_JNI_GLOBAL = 0x01,
                     HPROF_JNI_LOCAL = 0x02,
                     HPROF_JAVA_FRAME = 0x03,
                     HPROF_NATIVE_STACK = 0x04,
                     HPROF_STICKY_CLASS = 0x05,
                     HPROF_THREAD_BLOCK = 0x06,
                     HPROF_MONITOR_USED = 0x07,
                     HPROF_THREAD_OBJECT = 0x08,
                     HPROF_CLASS = 0x20,
                     HPROF_INSTANCE = 0x21,
                     HPROF_OBJECT_ARRAY = 0x22,
                     HPROF_PRIM_ARRAY = 0x23,
                     HPROF_INTERNED = 0x89,
                     HPROF_FINALIZING = 0x8A,
                     HPROF_DEBUGGER = 0x8B,
                     HPROF_CLEANUP = 0x8C,
                     HPROF_VM_INTERNAL = 0x8D,
                     HPROF_JNI_MONITOR = 0x8E,
                     HPROF_UNREACHABLE = 0x90,
                     HPROF_NO_DATA_ARRAY = 0xC3,
                     HPROF_HEAP_INFO = 0xFE,
                     HPROF_UNKNOWN_ROOT = 0xFF
};

enum hprof_type { /* of fields and elements */
                  HPROF_OLD_ARRAY = 1,
                  HPROF_OBJECT = 2,
                  HPROF_BOOLEAN = 4,
                  HPROF_CHAR = 5,
                  HPROF_FLOAT = 6,
                  HPROF_DOUBLE = 7,
                  HPROF_BYTE = 8,
                  HPROF_SHORT = 9,
                  HPROF_INT = 10,
                  HPROF_LONG = 11,
                  HPROF_TYPE_COUNT = 12
};

/* Widths of the types; references and what is no type are 0. */
extern const uint8_t hsd_hprof_width[HPROF_TYPE_COUNT];

static inline bool hsd_hprof_is_reference(uint8_t type) { return type == HPROF_OBJECT || type == HPROF_OLD_ARRAY; }

static inline bool hsd_hprof_is_primitive(uint8_t type)
{
    return type < HPROF_TYPE_COUNT && hsd_hprof_width[type] != 0;
}

/* ---- big-endian ---- */

static inline uint16_t hsd_hprof_u16(const uint8_t *at) { return (uint16_t)((unsigned)at[0] << 8 | at[1]); }

static inline uint32_t hsd_hprof_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    return value;
}

static inline uint64_t hsd_hprof_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static inline uint64_t hsd_hprof_id(const uint8_t *at, unsigned id_bytes)
{
    return id_bytes == 8 ? hsd_hprof_u64(at) : hsd_hprof_u32(at);
}

/* ---- the reader ---- */

#define HPROF_EDGE_BYTES 32u /* no header of a sub-record is longer */

typedef struct hprof_reader {
    hsd_source *source;
    unsigned id_bytes;
    unsigned version;               /* 1, 2, 3: of JAVA PROFILE 1.0.x */
    uint64_t time_ms;               /* of the header: milliseconds since 1970 */
    uint64_t first_record;          /* offset behind the header */
    bool salvage;                   /* damage is skipped and counted instead of being an error */
    unsigned dumps;                 /* heap dumps begun so far */
    bool is_dump_open;              /* segments were seen, their end mark was not */
    uint64_t segment_end;           /* offset where the open heap segment ends */
    uint64_t limit;                 /* the input is taken to end here; UINT64_MAX = where it does */
    uint64_t lost_bytes;            /* of heap segments that could not be read */
    uint64_t cut_offset;            /* where the input turned out to be cut; UINT64_MAX = it was not */
    uint64_t total_bytes;           /* size of the input, 0 = not known yet */
    uint64_t last;                  /* offset of the record or sub-record begun last: what a cut loses */
    bool is_clamped;                /* the open segment ends where the input does, not where it should */
    uint8_t edge[HPROF_EDGE_BYTES]; /* the last bytes of the input, with zeros behind */
} hprof_reader;

typedef struct hprof_record {
    uint8_t tag;
    uint64_t offset; /* of the tag */
    uint64_t body;   /* offset of the body */
    uint64_t length; /* of the body, repaired where it overflowed or was never filled in */
} hprof_record;

/* Reads the header of the file. HSD_E_NOT_THIS_FORMAT, HSD_E_UNSUPPORTED for an old or textual form,
 * HSD_E_TOO_NEW for a later one, HSD_E_CORRUPT for another id size than 4 and 8. */
hsd_status hsd_hprof_open(hprof_reader *reader, hsd_source *source, bool salvage, hsd_error *err);

/* The next record of the top level; the source stands at its body. The caller must have left the body
 * of the record before. HSD_END at the end of the input. Counts dumps. */
hsd_status hsd_hprof_next_record(hprof_reader *reader, hprof_record *record, hsd_error *err);

/* Moves to the end of a record, wherever in its body the source stands. */
hsd_status hsd_hprof_leave(hprof_reader *reader, const hprof_record *record, hsd_error *err);

/* At least `want` bytes ahead. HSD_END: there are fewer; the input ends, or broke and salvage is on. */
hsd_status hsd_hprof_fill(hprof_reader *reader, size_t want, hsd_error *err);

static inline hsd_status hsd_hprof_peek(hprof_reader *reader, size_t want, hsd_error *err)
{
    return hsd_source_ahead(reader->source) >= want ? HSD_OK : hsd_hprof_fill(reader, want, err);
}

/* Moves over `size` bytes. HSD_END and cut_offset if the input ends before. */
hsd_status hsd_hprof_skip_far(hprof_reader *reader, uint64_t size, hsd_error *err);

static inline hsd_status hsd_hprof_skip(hprof_reader *reader, uint64_t size, hsd_error *err)
{
    if (__builtin_expect(size > hsd_source_ahead(reader->source), 0)) return hsd_hprof_skip_far(reader, size, err);
    hsd_source_take(reader->source, (size_t)size);
    return HSD_OK;
}

/* The input ends inside what was begun last: HSD_END and cut_offset with salvage, else
 * HSD_E_TRUNCATED. */
hsd_status hsd_hprof_cut(hprof_reader *reader, hsd_error *err);

/* What was begun last is not what it should be: with salvage the rest of the segment is counted as
 * lost and left (HSD_END), else HSD_E_CORRUPT with this sentence. */
hsd_status hsd_hprof_damaged(hprof_reader *reader, const char *sentence, hsd_error *err);

/* ---- sub-records ---- */

typedef struct hprof_sub {
    uint64_t offset;   /* of the tag */
    uint64_t id;       /* the object; heap id of HEAP_INFO */
    uint64_t class_id; /* of an instance or object array; name string of HEAP_INFO; handle of JNI_GLOBAL */
    uint64_t count;    /* elements of an array, bytes of an instance */
    uint64_t body;     /* bytes behind the header that were not taken; a class has 0: see below */
    uint32_t stack;    /* stack trace serial of an object; thread serial of a root */
    uint32_t frame;    /* frame number of a root; stack trace serial of THREAD_OBJECT */
    uint8_t tag;
    uint8_t element; /* type of elements of an array of primitives */
} hprof_sub;

/* Header of the rarer kinds, see hsd_hprof_decode. */
unsigned hsd_hprof_decode_rare(const uint8_t *at, unsigned id_bytes, hprof_sub *sub);

/*
 * Decodes the header of the sub-record at `at`, of which HPROF_EDGE_BYTES can be read. Returns its
 * length, 0 if it is none. For HPROF_CLASS only tag and id: its body is read by class.h.
 */
static inline __attribute__((always_inline)) unsigned hsd_hprof_decode(const uint8_t *at, const unsigned id_bytes,
                                                                       hprof_sub *sub)
{
    sub->tag = at[0];
    sub->id = hsd_hprof_id(at + 1, id_bytes);
    const uint8_t *rest = at + 1 + id_bytes;
    switch (at[0]) {
    case HPROF_INSTANCE:
        sub->stack = hsd_hprof_u32(rest);
        sub->class_id = hsd_hprof_id(rest + 4, id_bytes);
        sub->count = sub->body = hsd_hprof_u32(rest + 4 + id_bytes);
        return 9 + 2 * id_bytes;
    case HPROF_OBJECT_ARRAY:
        sub->stack = hsd_hprof_u32(rest);
        sub->count = hsd_hprof_u32(rest + 4);
        sub->body = sub->count * id_bytes;
        sub->class_id = hsd_hprof_id(rest + 8, id_bytes);
        return 9 + 2 * id_bytes;
    case HPROF_PRIM_ARRAY:
        sub->stack = hsd_hprof_u32(rest);
        sub->count = hsd_hprof_u32(rest + 4);
        sub->element = rest[8];
        if (__builtin_expect(!hsd_hprof_is_primitive(sub->element), 0)) return 0;
        sub->body = sub->count * hsd_hprof_width[sub->element];
        return 10 + id_bytes;
    default: return hsd_hprof_decode_rare(at, id_bytes, sub);
    }
}

/* Slow path of hsd_hprof_next_sub: the last bytes of a segment or of the window. */
hsd_status hsd_hprof_near_edge(hprof_reader *reader, uint64_t left, const uint8_t **at, hsd_error *err);

/* A sub-record whose header does not fit or that is none. */
hsd_status hsd_hprof_reject(hprof_reader *reader, unsigned length, const hprof_sub *sub, hsd_error *err);

/*
 * The next sub-record of the open segment, its header taken; the caller takes or skips the body.
 * HSD_END at the end of the segment, also where the rest of it is damaged or not there (salvage).
 */
static inline __attribute__((always_inline)) hsd_status hsd_hprof_next_sub(hprof_reader *reader,
                                                                           const unsigned id_bytes, hprof_sub *sub,
                                                                           hsd_error *err)
{
    hsd_source *source = reader->source;
    const uint64_t offset = hsd_source_offset(source);
    const uint64_t left = reader->segment_end - offset;
    const uint8_t *at = source->at;
    reader->last = offset;
    if (__builtin_expect(hsd_source_ahead(source) < HPROF_EDGE_BYTES || left < HPROF_EDGE_BYTES, 0)) {
        const hsd_status status = hsd_hprof_near_edge(reader, left, &at, err);
        if (status != HSD_OK) return status;
    }
    const unsigned length = hsd_hprof_decode(at, id_bytes, sub);
    sub->offset = offset;
    if (__builtin_expect(length == 0 || length > left || sub->body > left - length || length > hsd_source_ahead(source),
                         0))
        return hsd_hprof_reject(reader, length, sub, err);
    hsd_source_take(source, length);
    return HSD_OK;
}

#endif
