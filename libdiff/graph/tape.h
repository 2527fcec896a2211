/*
 * Tapes: sequences of small records that a stage of the graph writes from front to end and reads in one
 * sweep, forwards or backwards, many at a time. They share one *reel* of chunks of equal size: pieces of
 * memory, where the reel has room, or of one temporary file. What was read for the last time gives its chunks back at
 * once, so a stage that turns one tape into others needs the room of one.
 *
 *      tape     chunk 7 | chunk 12 | chunk 3 | …      the reel's chunks, in order; the last one may be short
 *
 * A record never lies across two chunks: the writer asks for room for the whole of it. Failures stick to the
 * reel, as with paged arrays: writing goes on into nothing, reading ends early, hsd_reel_check tells.
 *
 * Several threads may write and read at once, each a tape or chunks of its own.
 */
#ifndef HSD_GRAPH_TAPE_H
#define HSD_GRAPH_TAPE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/node.h"
#include "graph/varint.h"
#include "io/temp.h"
#include <hsdiff/status.h>

#define HSD_TAPE_MIN_CHUNK  (64u * HSD_NODE_BYTES) /* bytes */
#define HSD_TAPE_MAX_RECORD (60u * HSD_NODE_BYTES)

typedef struct hsd_reel_chunks { /* of memory, or of the file */
    uint32_t count;              /* ever taken */
    uint32_t *idle;              /* that were given back */
    uint32_t idle_count, idle_capacity;
} hsd_reel_chunks;

typedef struct hsd_reel {
    bool is_resident; /* no chunk is in the file, or will be */
    bool is_trimmed;
    uint32_t chunk_bytes;
    uint32_t room;        /* chunks that may be in memory */
    pthread_mutex_t lock; /* of what follows, up to `memory`, of opening the file and of failing */
    hsd_reel_chunks resident, filed;
    uint32_t memory_capacity;
    uint8_t **memory;           /* chunk of memory -> its bytes, in slabs */
    _Atomic uint64_t transfers; /* chunks written to and read from the file */
    hsd_temp file;
    hsd_temp_space *space;
    _Atomic hsd_status status;
    hsd_error error;
    uint8_t nowhere[HSD_TAPE_MIN_CHUNK]; /* what is written after a failure */
} hsd_reel;

/* Items that are told in any order, on a tape for each window of them, so that one window after the other is in memory.
 */
typedef struct hsd_tape_windows {
    hsd_node each; /* items of a window; the last one may have fewer */
    uint32_t count, chunk_bytes;
} hsd_tape_windows;

/* `fit`: items that have room in memory; there may be more in a window, as there are 65,536 windows at most.
 * `tape_bytes`: for chunks, where all tapes have one each; no more than they must have. */
hsd_tape_windows hsd_tape_windows_of(hsd_node items, uint64_t fit, uint64_t tape_bytes);

/* `chunk_bytes`: a multiple of 16, at least HSD_TAPE_MIN_CHUNK. A reel that is not resident costs memory for chunks
 * that are being written or read, and for those that it is given room for. */
void hsd_reel_init(hsd_reel *reel, bool is_resident, uint32_t chunk_bytes, hsd_temp_space *space);
hsd_status hsd_reel_check(const hsd_reel *reel, hsd_error *err);

/* Gives the memory of chunks that no tape has, or will have given back, to the system, unless it is little. */
void hsd_reel_trim(hsd_reel *reel);

/* So many bytes of chunks that will be taken may be in memory, and the reel is not resident. False if more are there
 * already: tapes of the caller's choice have to leave. */
bool hsd_reel_set_room(hsd_reel *reel, uint64_t bytes);
void hsd_reel_release(hsd_reel *reel);

typedef struct hsd_tape_chunk {
    uint8_t *bytes; /* NULL = it is in the file */
    uint32_t number, used;
} hsd_tape_chunk;

typedef struct hsd_tape { /* a zeroed one may be released */
    hsd_reel *reel;
    hsd_tape_chunk *chunks;
    uint32_t chunk_count, chunk_capacity;
    uint8_t *buffer; /* the chunk that is being written */
    uint8_t *at, *end;
    uint8_t *filed;     /* its memory, where it goes to the file */
    bool spares_memory; /* what is written goes to the file, of a reel that is not resident, and leaves the room to
                           others */
} hsd_tape;

void hsd_tape_init(hsd_tape *tape, hsd_reel *reel);

/* Slow path of hsd_tape_room. */
uint8_t *hsd_tape_turn(hsd_tape *tape);

/* Room for a record of at most `bytes` (up to HSD_TAPE_MAX_RECORD); set tape->at behind what was written. */
static inline uint8_t *hsd_tape_room(hsd_tape *tape, uint32_t bytes)
{
    HSD_ASSERT(bytes <= HSD_TAPE_MAX_RECORD);
    if (__builtin_expect((size_t)(tape->end - tape->at) < bytes, 0)) return hsd_tape_turn(tape);
    return tape->at;
}

static inline void hsd_tape_put_node(hsd_tape *tape, hsd_node value)
{
    uint8_t *at = hsd_tape_room(tape, HSD_NODE_BYTES);
    memcpy(at, &value, HSD_NODE_BYTES);
    tape->at = at + HSD_NODE_BYTES;
}

static inline void hsd_tape_put_two(hsd_tape *tape, hsd_two value)
{
    uint8_t *at = hsd_tape_room(tape, HSD_TWO_BYTES);
    memcpy(at, &value, HSD_TWO_BYTES);
    tape->at = at + HSD_TWO_BYTES;
}

/* Nothing follows; the tape may be read. */
void hsd_tape_finish(hsd_tape *tape);

/* What stands on `more`, of the same reel, follows what stands on `tape`; both are finished, and `more` is empty then.
 */
void hsd_tape_append(hsd_tape *tape, hsd_tape *more);

/* A finished tape that nobody reads, or one that was released, goes to the file until the reel has no more in memory
 * than it has room for, its end first. Failures stick. */
void hsd_tape_leave_memory(hsd_tape *tape);

/* Gives all chunks back. */
void hsd_tape_release(hsd_tape *tape);

typedef enum hsd_tape_order { HSD_TAPE_FORWARD, HSD_TAPE_BACKWARD } hsd_tape_order;

typedef struct hsd_tape_reader { /* a zeroed one may be closed */
    hsd_tape *tape;
    hsd_tape_order order;
    bool is_last;         /* chunks are given back behind the reader */
    uint32_t turned;      /* chunks begun, in this order, and those before the first that is read */
    uint32_t from, until; /* chunks that are read, in this order */
    uint64_t first;       /* of hsd_tape_seek_node: the number with which the chunk begins */
    uint8_t *buffer;      /* owned; of chunks that are in the file */
    const uint8_t *at, *begin, *end;
} hsd_tape_reader;

/* Reads a finished tape. `is_last`: nobody reads it again. */
void hsd_tape_read(hsd_tape_reader *reader, hsd_tape *tape, hsd_tape_order order, bool is_last);

/* The same forwards, the chunks `from` … `until` - 1 alone. */
void hsd_tape_read_chunks(hsd_tape_reader *reader, hsd_tape *tape, uint32_t from, uint32_t until, bool is_last);

/* Slow path: the next chunk in order; false at the end, or after a failure. */
bool hsd_tape_next_chunk(hsd_tape_reader *reader);

void hsd_tape_close(hsd_tape_reader *reader);

/* True if a record begins at reader->at. */
static inline bool hsd_tape_has_more(hsd_tape_reader *reader)
{
    return __builtin_expect(reader->at != reader->end, 1) || hsd_tape_next_chunk(reader);
}

static inline bool hsd_tape_get_node(hsd_tape_reader *reader, hsd_node *value)
{
    if (!hsd_tape_has_more(reader)) return false;
    memcpy(value, reader->at, HSD_NODE_BYTES);
    reader->at += HSD_NODE_BYTES;
    return true;
}

/* The number that comes `ahead` numbers later, of a tape of single numbers that is read forwards; false if it is not at
 * hand. */
static inline bool hsd_tape_peek_node(const hsd_tape_reader *reader, uint32_t ahead, hsd_node *value)
{
    if ((size_t)(reader->end - reader->at) < ((size_t)ahead + 1) * HSD_NODE_BYTES) return false;
    memcpy(value, reader->at + (size_t)ahead * HSD_NODE_BYTES, HSD_NODE_BYTES);
    return true;
}

/* Slow path of hsd_tape_seek_node: the chunk with number `index`; false behind the end, or after a failure. */
bool hsd_tape_seek_chunk(hsd_tape_reader *reader, uint64_t index);

/* Number `index` of a tape of single numbers that is read forwards: not before the one that was asked for last. Chunks
 * in between are not read, and none is given back. */
static inline bool hsd_tape_seek_node(hsd_tape_reader *reader, uint64_t index, hsd_node *value)
{
    HSD_ASSERT(!reader->is_last && index >= reader->first);
    if (__builtin_expect((uint64_t)(reader->end - reader->begin) <= (index - reader->first) * HSD_NODE_BYTES, 0) &&
        !hsd_tape_seek_chunk(reader, index))
        return false;
    memcpy(value, reader->begin + (index - reader->first) * HSD_NODE_BYTES, HSD_NODE_BYTES);
    return true;
}

/* True if nothing of a finished tape is in the file. */
bool hsd_tape_is_in_memory(const hsd_tape *tape);

/* Item i of a finished tape of single numbers that is in memory. */
static inline hsd_node hsd_tape_at_node(const hsd_tape *tape, hsd_node i)
{
    HSD_ASSERT(tape->buffer == NULL);
    const uint32_t items = tape->reel->chunk_bytes / HSD_NODE_BYTES;
    HSD_ASSERT(i / items < tape->chunk_count && i % items * HSD_NODE_BYTES < tape->chunks[i / items].used);
    HSD_ASSERT(tape->chunks[i / items].bytes != NULL);
    hsd_node value;
    memcpy(&value, tape->chunks[i / items].bytes + (size_t)(i % items) * HSD_NODE_BYTES, HSD_NODE_BYTES);
    return value;
}

static inline bool hsd_tape_get_two(hsd_tape_reader *reader, hsd_two *value)
{
    if (!hsd_tape_has_more(reader)) return false;
    memcpy(value, reader->at, HSD_TWO_BYTES);
    reader->at += HSD_TWO_BYTES;
    return true;
}

/* The same from the end, of a tape of single numbers, opened with HSD_TAPE_BACKWARD. */
static inline bool hsd_tape_get_node_back(hsd_tape_reader *reader, hsd_node *value)
{
    if (__builtin_expect(reader->at == reader->begin, 0) && !hsd_tape_next_chunk(reader)) return false;
    reader->at -= HSD_NODE_BYTES;
    memcpy(value, reader->at, HSD_NODE_BYTES);
    return true;
}

/* ---- numbers that are small as a rule, to be read from both ends ---- */

/* A byte below HSD_TAPE_SMALL; else 2, 3 … HSD_NODE_BYTES bytes between two marks that say how many. */
#define HSD_TAPE_SMALL       (0x101u - HSD_NODE_BYTES)
#define HSD_TAPE_MARK(bytes) (HSD_TAPE_SMALL - 2 + (bytes))
#define HSD_TAPE_MOST_SMALL  (HSD_NODE_BYTES + 2)

/* What a number takes. */
static inline uint32_t hsd_tape_small_bytes(uint64_t value)
{
    if (value < HSD_TAPE_SMALL) return 1;
    if (HSD_NODE_BITS == 32 || value >> 32 == 0)
        return value < UINT64_C(1) << 16 ? 4 : value < UINT64_C(1) << 24 ? 5 : 6;
    return 2 + (71 - (uint32_t)__builtin_clzll(value)) / 8;
}

static inline void hsd_tape_put_small(hsd_tape *tape, hsd_node value)
{
    uint8_t *at = hsd_tape_room(tape, HSD_TAPE_MOST_SMALL);
    *at = (uint8_t)value;
    tape->at = at + 1;
    if (value < HSD_TAPE_SMALL) return;
    const uint32_t bytes = hsd_tape_small_bytes(value) - 2;
    *at++ = (uint8_t)HSD_TAPE_MARK(bytes);
    for (uint32_t i = 0; i < bytes; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    *at++ = (uint8_t)HSD_TAPE_MARK(bytes);
    tape->at = at;
}

/* A number of so many bytes. */
static inline hsd_node hsd_tape_between(const uint8_t *at, uint32_t bytes)
{
    hsd_node value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value |= (hsd_node)at[i] << 8 * i;
    return value;
}

static inline bool hsd_tape_get_small(hsd_tape_reader *reader, hsd_node *value)
{
    if (!hsd_tape_has_more(reader)) return false;
    *value = *reader->at++;
    if (*value < HSD_TAPE_SMALL) return true;
    const uint32_t bytes = (uint32_t)*value - HSD_TAPE_MARK(0);
    *value = hsd_tape_between(reader->at, bytes);
    reader->at += bytes + 1;
    return true;
}

/* The same from the end, of a tape of such numbers alone, opened with HSD_TAPE_BACKWARD. */
static inline bool hsd_tape_get_small_back(hsd_tape_reader *reader, hsd_node *value)
{
    if (__builtin_expect(reader->at == reader->begin, 0) && !hsd_tape_next_chunk(reader)) return false;
    *value = *--reader->at;
    if (*value < HSD_TAPE_SMALL) return true;
    const uint32_t bytes = (uint32_t)*value - HSD_TAPE_MARK(0);
    reader->at -= bytes;
    *value = hsd_tape_between(reader->at, bytes);
    reader->at--;
    return true;
}

/* ---- numbers of as many bytes as the largest of a tape needs ---- */

static inline void hsd_tape_put_wide(hsd_tape *tape, hsd_node value, uint32_t bytes)
{
    uint8_t *at = hsd_tape_room(tape, sizeof value);
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    tape->at = at + bytes;
}

static inline bool hsd_tape_get_wide(hsd_tape_reader *reader, hsd_node *value, uint32_t bytes)
{
    if (!hsd_tape_has_more(reader)) return false;
    *value = hsd_tape_between(reader->at, bytes);
    reader->at += bytes;
    return true;
}

/* ---- numbers of any size, to be read from both ends ---- */

/* The first byte and the last one have how many bytes there are in their two lowest bits, or three: 1, 3, 4, 5, …; the
 * others are of the number, and what lies between has eight. */
#define HSD_TAPE_SPREAD_TAG  (HSD_NODE_BITS == 32 ? 2u : 3u) /* bits */
#define HSD_TAPE_SPREAD_END  (8 - HSD_TAPE_SPREAD_TAG)
#define HSD_TAPE_MOST_SPREAD (HSD_NODE_BYTES + 1)
#define HSD_TAPE_SPREAD_ONE  (UINT32_C(1) << HSD_TAPE_SPREAD_END) /* numbers below take one byte */

/* What a number takes. */
static inline uint32_t hsd_tape_spread_bytes(uint64_t value)
{
    if (value < HSD_TAPE_SPREAD_ONE) return 1;
    if (HSD_NODE_BITS == 32)
        return value < UINT64_C(1) << 20 ? 3 : value < UINT64_C(1) << 28 ? 4 : HSD_TAPE_MOST_SPREAD;
    uint32_t bytes = 3;
    for (value >>= 2 * HSD_TAPE_SPREAD_END + 8; value != 0; value >>= 8)
        bytes++;
    return bytes;
}

static inline void hsd_tape_put_spread(hsd_tape *tape, hsd_node value)
{
    uint8_t *at = hsd_tape_room(tape, HSD_TAPE_MOST_SPREAD);
    const uint32_t bytes = hsd_tape_spread_bytes(value), tag = bytes == 1 ? 0 : bytes - 2;
    *at++ = (uint8_t)(value << HSD_TAPE_SPREAD_TAG | tag);
    value >>= HSD_TAPE_SPREAD_END;
    if (bytes > 1) {
        for (uint32_t i = 2; i < bytes; i++, value >>= 8)
            *at++ = (uint8_t)value;
        *at++ = (uint8_t)(value << HSD_TAPE_SPREAD_TAG | tag);
    }
    tape->at = at;
}

/* Of a number that takes more than one byte. */
static inline hsd_node hsd_tape_spread_at(const uint8_t *at, uint32_t bytes)
{
    hsd_node value = at[bytes - 1] >> HSD_TAPE_SPREAD_TAG;
    for (uint32_t i = bytes - 2; i > 0; i--)
        value = value << 8 | at[i];
    return value << HSD_TAPE_SPREAD_END | at[0] >> HSD_TAPE_SPREAD_TAG;
}

static inline bool hsd_tape_get_spread(hsd_tape_reader *reader, hsd_node *value)
{
    if (!hsd_tape_has_more(reader)) return false;
    const uint32_t tag = *reader->at & ((1u << HSD_TAPE_SPREAD_TAG) - 1);
    *value = tag == 0 ? (hsd_node)*reader->at >> HSD_TAPE_SPREAD_TAG : hsd_tape_spread_at(reader->at, tag + 2);
    reader->at += tag == 0 ? 1 : tag + 2;
    return true;
}

/* The same from the end, of a tape of such numbers alone, opened with HSD_TAPE_BACKWARD. */
static inline bool hsd_tape_get_spread_back(hsd_tape_reader *reader, hsd_node *value)
{
    if (__builtin_expect(reader->at == reader->begin, 0) && !hsd_tape_next_chunk(reader)) return false;
    const uint32_t tag = reader->at[-1] & ((1u << HSD_TAPE_SPREAD_TAG) - 1);
    reader->at -= tag == 0 ? 1 : tag + 2;
    *value = tag == 0 ? (hsd_node)*reader->at >> HSD_TAPE_SPREAD_TAG : hsd_tape_spread_at(reader->at, tag + 2);
    return true;
}

/* ---- numbers of variable length within a record ---- */

static inline const uint8_t *hsd_tape_varint(const uint8_t *in, hsd_node *value)
{
    uint64_t wide;
    in = hsd_varint_get(in, &wide);
    *value = (hsd_node)wide;
    return in;
}

/* ---- numbers of which many take three bytes ---- */

/* Where seven bits a byte hold 2 million in three bytes these hold 8.9: the first byte says how many follow, and has
 * the highest bits. References of some million nodes that lie anywhere take a fifth less. */
#define HSD_TAPE_FAR_TWO   0x60u /* first bytes of two bytes, of three, of four; numbers below take one */
#define HSD_TAPE_FAR_THREE 0x70u
#define HSD_TAPE_FAR_FOUR  0xf8u
#define HSD_TAPE_FAR_ALL   0xffu /* all bytes of a number follow */
#define HSD_TAPE_MOST_FAR  (HSD_NODE_BYTES + 1)

_Static_assert(HSD_TAPE_MOST_FAR <= HSD_VARINT_MOST, "room for one is room for the other");

static inline uint8_t *hsd_tape_far_put(uint8_t *out, hsd_node value)
{
    const hsd_node twos = HSD_TAPE_FAR_TWO, threes = twos + ((HSD_TAPE_FAR_THREE - HSD_TAPE_FAR_TWO) << 8),
                   fours = threes + ((HSD_TAPE_FAR_FOUR - HSD_TAPE_FAR_THREE) << 16),
                   alls = fours + ((HSD_TAPE_FAR_ALL - HSD_TAPE_FAR_FOUR) << 24);
    uint32_t follow = 0;
    if (value < twos) {
        *out++ = (uint8_t)value;
        return out;
    }
    if (value < threes) {
        follow = 1;
        value -= twos;
        *out++ = (uint8_t)(HSD_TAPE_FAR_TWO + (value >> 8));
    } else if (value < fours) {
        follow = 2;
        value -= threes;
        *out++ = (uint8_t)(HSD_TAPE_FAR_THREE + (value >> 16));
    } else if (value < alls) {
        follow = 3;
        value -= fours;
        *out++ = (uint8_t)(HSD_TAPE_FAR_FOUR + (value >> 24));
    } else {
        follow = HSD_NODE_BYTES;
        *out++ = HSD_TAPE_FAR_ALL;
    }
    for (uint32_t i = 0; i < follow; i++)
        *out++ = (uint8_t)(value >> 8 * i);
    return out;
}

static inline const uint8_t *hsd_tape_far(const uint8_t *in, hsd_node *value)
{
    const hsd_node head = *in, twos = HSD_TAPE_FAR_TWO, threes = twos + ((HSD_TAPE_FAR_THREE - HSD_TAPE_FAR_TWO) << 8),
                   fours = threes + ((HSD_TAPE_FAR_FOUR - HSD_TAPE_FAR_THREE) << 16);
    if (head >= HSD_TAPE_FAR_THREE && head < HSD_TAPE_FAR_FOUR) {
        *value = threes + ((head - HSD_TAPE_FAR_THREE) << 16 | (hsd_node)in[2] << 8 | in[1]);
        return in + 3;
    }
    if (head < HSD_TAPE_FAR_TWO) {
        *value = head;
        return in + 1;
    }
    if (head < HSD_TAPE_FAR_THREE) {
        *value = twos + ((head - HSD_TAPE_FAR_TWO) << 8 | in[1]);
        return in + 2;
    }
    if (head < HSD_TAPE_FAR_ALL) {
        *value = fours + ((head - HSD_TAPE_FAR_FOUR) << 24 | (hsd_node)in[3] << 16 | (hsd_node)in[2] << 8 | in[1]);
        return in + 4;
    }
    *value = hsd_tape_between(in + 1, HSD_NODE_BYTES);
    return in + 1 + HSD_NODE_BYTES;
}

/* The difference of two numbers modulo 2^HSD_NODE_BITS, small whichever is the larger. */
static inline hsd_node hsd_fold_difference(hsd_node value, hsd_node base)
{
    const hsd_node difference = value - base;
    return (difference << 1) ^ (0 - (difference >> (HSD_NODE_BITS - 1)));
}

static inline hsd_node hsd_unfold_difference(hsd_node folded, hsd_node base)
{
    return base + ((folded >> 1) ^ (0 - (folded & 1)));
}

#endif
