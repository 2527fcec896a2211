/*
 * The numbers of the capture format: magics, block types, column numbers, codings, flags, limits.
 * Shared by the writer (capture/core) and the reader (libdiff/format), and nothing else: it holds
 * no code. FORMAT.md is normative; where this file and FORMAT.md differ, this file is wrong.
 */
#ifndef HSC_LAYOUT_H
#define HSC_LAYOUT_H

#include <stdint.h>

/* ---- file header, 64 bytes, at offset 0 (FORMAT.md §3) ----
 *  0  magic[8]            89 'H' 'S' 'C' 0D 0A 1A 0A
 *  8  u16 major           1
 * 10  u16 minor           2 with site totals, 1 in a baseline, else 0
 * 12  u32 header_bytes    64 (a reader skips what a later minor adds)
 * 16  u64 required        feature bits: an unknown one must be refused
 * 24  u64 optional        feature bits: an unknown one is ignored
 * 32  u8  capture_id[16]  random
 * 48  u64 reserved        0
 * 56  u64 checksum        XXH3-64 of bytes 0..55
 */
#define HSC_FILE_MAGIC                "\x89HSC\r\n\x1a\n"
#define HSC_FILE_MAGIC_BYTES          8
#define HSC_FILE_HEADER_BYTES         64
#define HSC_VERSION_MAJOR             1
#define HSC_VERSION_MINOR             0
#define HSC_VERSION_MINOR_BASELINE    1
#define HSC_VERSION_MINOR_SITE_TOTALS 2
#define HSC_CAPTURE_ID_BYTES          16

/* ---- block header, 56 bytes (FORMAT.md §4) ----
 *  0  u8  magic[4]        'H' 'S' 'B' 'K'
 *  4  u8  type            HSC_BLOCK_*
 *  5  u8  codec           HSC_CODEC_*
 *  6  u16 flags           HSC_BLOCK_FLAG_*, by type
 *  8  u32 record_count
 * 12  u32 reserved        0
 * 16  u64 number          0, 1, 2 … in file order
 * 24  u64 first_ordinal   object blocks: ordinal of the first object; places: number of the first; others 0
 * 32  u32 raw_bytes       payload after decompression
 * 36  u32 stored_bytes    payload as stored
 * 40  u64 check_payload   XXH3-64 of the stored payload, seed = check_header
 * 48  u64 check_header    XXH3-64 of header bytes 0..39, seed = XXH3-64 of capture_id
 * 56  payload[stored_bytes]
 */
#define HSC_BLOCK_MAGIC        "HSBK"
#define HSC_BLOCK_MAGIC_BYTES  4
#define HSC_BLOCK_HEADER_BYTES 56

enum hsc_block_type {
    HSC_BLOCK_INFO = 1,    /* key/value facts of the capture; always block 0 */
    HSC_BLOCK_STRINGS = 2, /* string id -> bytes */
    HSC_BLOCK_TYPES = 3,   /* type id -> name, flags */
    HSC_BLOCK_LABELS = 4,  /* reference label id -> kind, name */
    HSC_BLOCK_SITES = 5,   /* site id -> frame, parent site */
    HSC_BLOCK_OBJECTS = 6, /* objects with their inline references */
    HSC_BLOCK_EDGES = 7,   /* references apart from their source objects */
    HSC_BLOCK_ROOTS = 8,
    HSC_BLOCK_THREADS = 9,
    HSC_BLOCK_FRAMES = 10, /* stack frames of threads */
    HSC_BLOCK_METRICS = 11,
    HSC_BLOCK_LOSSES = 12,       /* what the producer could not capture */
    HSC_BLOCK_TYPE_TOTALS = 13,  /* summary: count, bytes, size histogram by type */
    HSC_BLOCK_GROUP_TOTALS = 14, /* summary: the same by category, by root kind */
    HSC_BLOCK_INDEX = 15,        /* one record for each block before it */
    HSC_BLOCK_END = 16,          /* the end record; then the trailer */
    /* 17..127 unknown: refuse. */
    HSC_BLOCK_LIVE_TOTALS = 128, /* baselines: what is live by type … */
    HSC_BLOCK_ROOT_TOTALS = 129, /* … by root … */
    HSC_BLOCK_PLACES = 130,      /* … and by place: a tree in preorder */
    HSC_BLOCK_SITE_TOTALS = 131  /* of what stands in the type totals alone: count, bytes by type and site */
    /* 132..255 unknown: skip. */
};

enum hsc_codec { HSC_CODEC_NONE = 0, HSC_CODEC_ZSTD = 1 };

/* flags of object, edge and root blocks */
#define HSC_BLOCK_FLAG_TARGET_ORDINAL 0x0001 /* targets are ordinals, not object ids; all blocks alike */
#define HSC_BLOCK_FLAG_SOURCE_ORDINAL 0x0002 /* edge blocks: sources are ordinals */

/* ---- trailer, 32 bytes, the last of a complete file (FORMAT.md §9) ----
 *  0  u64 index_offset    of the first index block
 *  8  u64 end_offset      of the end block
 * 16  u8  magic[8]        'H' 'S' 'C' 'T' 'A' 'I' 'L' 0A
 * 24  u64 checksum        XXH3-64 of bytes 0..23, seed = XXH3-64 of capture_id
 */
#define HSC_TRAILER_MAGIC "HSCTAIL\n"
#define HSC_TRAILER_BYTES 32

/* ---- columns: payload of every block but INFO and END is a run of columns (FORMAT.md §5) ----
 *  0  u8  column          HSC_COL_*
 *  1  u8  coding          low nibble HSC_CODING_*, high nibble HSC_TRANSFORM_*
 *  2  u8  shift           values (NONE) or differences were shifted right by this many bits, 0..63
 *  3  u8  reserved        0
 *  4  u32 count           values in the column
 *  8  u32 bytes           length of the data that follows
 * 12  data
 * Columns ascend by number. An absent column means 0 (or "none") for every record. Column 128..255
 * unknown: skip.
 */
#define HSC_COLUMN_HEADER_BYTES 12

enum hsc_coding {
    HSC_CODING_CONSTANT = 0, /* data: u64; every coded value is this */
    HSC_CODING_PACKED = 1,   /* data: ceil(count/4) control bytes, then the value bytes; 2 bits a
                              * value, lowest first: 0 = 1, 1 = 2, 2 = 4, 3 = 8 bytes, little-endian */
    HSC_CODING_BYTES = 2     /* data: raw bytes; count is their number (bodies of strings) */
};

enum hsc_transform {
    HSC_TRANSFORM_NONE = 0,
    HSC_TRANSFORM_DELTA = 1, /* zigzag of the difference to the value before in the column, first: to 0 */
    HSC_TRANSFORM_SOURCE = 2 /* references: zigzag of the difference to the source's id or ordinal */
};

enum hsc_column {
    /* objects (one value a record unless said) */
    HSC_COL_ID = 1,
    HSC_COL_TYPE = 2,
    HSC_COL_SIZE = 3,
    HSC_COL_NATIVE_SIZE = 4,
    HSC_COL_ELEMENTS = 5,
    HSC_COL_SITE = 6,
    HSC_COL_AGE = 7,
    HSC_COL_FLAGS = 8,        /* HSC_OBJECT_*; types, labels, roots: theirs */
    HSC_COL_NAME = 9,         /* string id */
    HSC_COL_CATEGORY = 10,    /* string id */
    HSC_COL_IDENTITY = 11,    /* stored identity hash */
    HSC_COL_CONTENT = 12,     /* 64-bit hash of primitive content, 0 = none (for structure matching) */
    HSC_COL_VALUE_BYTES = 13, /* length of the value preview */
    HSC_COL_VALUE = 14,       /* CODING_BYTES: the previews, one after the other */
    HSC_COL_REF_COUNT = 16,
    /* references, in order of objects (REF_COUNT of them each) */
    HSC_COL_REF_TARGET = 17,
    HSC_COL_REF_LABEL = 18,
    HSC_COL_REF_INDEX = 19, /* one value for each reference; 0 where the label has no index */

    /* edges */
    HSC_COL_EDGE_SOURCE = 20, /* then REF_TARGET, REF_LABEL, REF_INDEX, one a record */

    /* tables */
    HSC_COL_KEY = 32,        /* id of the string, type, label, site, thread */
    HSC_COL_TEXT_BYTES = 33, /* length of the text */
    HSC_COL_TEXT = 34,       /* CODING_BYTES: the texts, one after the other */
    HSC_COL_KIND = 35,       /* labels, roots, group totals: the kind */
    HSC_COL_TEXT_ID = 36,    /* string id */
    /* sites: parent site id, 0 = none; frames: thread id; roots: thread id; places: the place above */
    HSC_COL_PARENT = 37,
    HSC_COL_FILE = 38, /* sites, frames: string id */
    HSC_COL_LINE = 39,
    HSC_COL_TARGET = 40,        /* roots: object id or ordinal */
    HSC_COL_DEPTH = 41,         /* frames: 0 = innermost; roots: frame + 1, 0 = none */
    HSC_COL_UNIT = 42,          /* metrics: how many bytes at the end of the text are the unit */
    HSC_COL_VALUE_U64 = 43,     /* metrics, losses */
    HSC_COL_COLUMN_NUMBER = 44, /* sites: source column */

    /* totals */
    HSC_COL_COUNT = 48,
    HSC_COL_BYTES = 49,
    HSC_COL_NATIVE_BYTES = 50,
    HSC_COL_BUCKET_COUNT = 51, /* number of histogram buckets of the record */
    HSC_COL_BUCKET = 52,       /* log2 bucket number */
    HSC_COL_BUCKET_OBJECTS = 53,
    HSC_COL_BUCKET_BYTES = 54,
    HSC_COL_RETAINED = 55, /* live totals, root totals: bytes */

    /* index */
    HSC_COL_OFFSET = 56,
    HSC_COL_BLOCK_TYPE = 57,
    HSC_COL_RECORDS = 58,
    HSC_COL_ORDINAL = 59,
    HSC_COL_STORED = 60,
    HSC_COL_NUMBER = 61, /* of the block; only in salvaged captures */

    /* live totals */
    HSC_COL_UNREACHED = 62,
    HSC_COL_UNREACHED_BYTES = 63
};

/* ---- INFO and END: lists of entries (FORMAT.md §8) ----
 *  0  u16 key             strictly ascending; an unknown one is ignored
 *  2  u16 reserved        0
 *  4  u32 length          8 for numbers
 *  8  value
 */
#define HSC_ENTRY_HEADER_BYTES 8

enum hsc_info_key {
    HSC_INFO_CAPTURE_ID = 1, /* 16 bytes, always first: at bytes 128..143 of the file */
    HSC_INFO_PRODUCER = 2,
    HSC_INFO_RUNTIME = 3,
    HSC_INFO_PROCESS_NAME = 4,
    HSC_INFO_SOURCE_FORMAT = 5,
    HSC_INFO_PID = 6,
    HSC_INFO_STARTED_UNIX_NS = 7,
    HSC_INFO_TAKEN_UNIX_NS = 8,
    HSC_INFO_FACTS = 9,     /* HSC_FACT_* of hscapture.h */
    HSC_INFO_IDENTITY = 10, /* hsc_identity */
    HSC_INFO_DOMAIN = 11,   /* 16 bytes */
    HSC_INFO_POINTER_BYTES = 12,
    HSC_INFO_TARGETS = 13, /* 1: ordinals, 0: ids */
    /* of baselines */
    HSC_INFO_SUMS = 14, /* HSC_SUMS_* of hscapture.h */
    HSC_INFO_WHY_NO_PLACES = 15,
    HSC_INFO_PLACE_LEAST_BYTES = 16,
    HSC_INFO_SOFT_OBJECTS = 17,
    HSC_INFO_SOFT_BYTES = 18,
    HSC_INFO_DANGLING = 19
};

enum hsc_end_key {
    HSC_END_STATE = 1, /* HSC_STATE_* */
    HSC_END_REASON = 2,
    HSC_END_OBJECTS = 3,
    HSC_END_PSEUDO = 4,
    HSC_END_REFERENCES = 5,
    HSC_END_EDGES = 6,
    HSC_END_ROOTS = 7,
    HSC_END_BYTES = 8,
    HSC_END_NATIVE_BYTES = 9,
    HSC_END_BLOCKS = 10,
    HSC_END_STRINGS = 11,
    HSC_END_TYPES = 12,
    HSC_END_LABELS = 13,
    HSC_END_SITES = 14,
    HSC_END_THREADS = 15,
    HSC_END_FRAMES = 16,
    HSC_END_METRICS = 17,
    HSC_END_LOSSES = 18,
    HSC_END_LOST = 19,
    HSC_END_COUNTED_OBJECTS = 20, /* of hsc_count: in the type totals, without records */
    HSC_END_COUNTED_BYTES = 21
};

enum hsc_end_state { HSC_STATE_COMPLETE = 1, HSC_STATE_INCOMPLETE = 2, HSC_STATE_SALVAGED = 3 };

/* kinds of group totals */
enum hsc_group_kind { HSC_GROUP_CATEGORY = 0, HSC_GROUP_ROOT_KIND = 1 };

/* ---- limits: a reader refuses what passes them, a writer never does (FORMAT.md §10) ---- */
#define HSC_MAX_RAW_BYTES         (UINT32_C(4) << 20)
#define HSC_MAX_STORED_BYTES      (HSC_MAX_RAW_BYTES + (UINT32_C(64) << 10))
#define HSC_MAX_RECORDS           (UINT32_C(1) << 16)       /* records in a block */
#define HSC_MAX_REFERENCES        (UINT32_C(1) << 18)       /* references, or buckets, in a block */
#define HSC_MAX_TEXT_BYTES        (UINT32_C(1) << 16)       /* one string, name, metric, loss */
#define HSC_MAX_FACT_TEXT_BYTES   4096u                     /* one text of INFO or END */
#define HSC_MAX_VALUE_BYTES       4096u                     /* one value preview */
#define HSC_MAX_FILE_HEADER_BYTES 4096u                     /* what a later minor may write */
#define HSC_MAX_TABLE_ID          ((UINT32_C(1) << 31) - 1) /* string, type, label, site, thread ids */
#define HSC_MAX_OBJECTS           (UINT64_C(1) << 40)
#define HSC_MAX_SITE_DEPTH        512
#define HSC_MAX_PLACES            (UINT32_C(1) << 20)
#define HSC_MAX_PLACE_DEPTH       255u
#define HSC_HISTOGRAM_BUCKETS     65 /* bucket b: sizes in [2^(b-1), 2^b), bucket 0: size 0 */

#endif
