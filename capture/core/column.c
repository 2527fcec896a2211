/*
 * The column encoder. It looks at the values twice, in tiles that stay in the first cache: once to learn
 * what they have in common, once to write them.
 *
 *      values      1000 1016 1032 1040           ids of objects
 *      DELTA       1000   16   16    8           to the value before
 *      shift 3      125    2    2    1           what all of them are multiples of
 *      zigzag       250    4    4    2           sign into the lowest bit
 *      PACKED      one control byte 00 00 00 00, then FA 04 04 02
 *
 * Which transform is best is asked of a sample: the one whose coded values have the fewest bits. That
 * counts what zstd has to code, not only the packed bytes, and costs one part in forty of the encoding.
 */
#include "column.h"

#include <stdbool.h>

#include "bytes.h"
#include "layout.h"
#include "narrow.h"

enum { TILE = 128, SPREAD = 8, SAMPLE_TILES = 4, SAMPLE_VALUES = 64 };

/* One walk over a column: its differences (or, without a transform, its values), tile by tile. */
typedef struct column_walk {
    hsc_values values;
    size_t count;
    unsigned transform;
    const hsc_sources *sources;
    size_t record; /* SOURCE: the record at the next value … */
    uint64_t left; /* … and how many of its references are still to come */
} column_walk;

/* Of a difference that is a multiple of 2^s, zigzag(d) >> s is the zigzag of d >> s: shift at the end. */
static inline uint64_t zigzag(uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }

static void load_column(hsc_values values, size_t at, size_t n, uint64_t *out)
{
    if (values.width_bytes == 8) {
        memcpy(out, (const uint64_t *)values.data + at, n * sizeof *out);
        return;
    }
    const uint32_t *from = (const uint32_t *)values.data + at;
    for (size_t i = 0; i < n; i++)
        out[i] = from[i];
}

static uint64_t value_at(hsc_values values, size_t at)
{
    uint64_t value;
    load_column(values, at, 1, &value);
    return value;
}

static uint64_t source_at(const hsc_sources *sources, size_t record)
{
    return sources->ids.data != NULL ? value_at(sources->ids, record) : sources->first + record;
}

/* Subtracts from each reference its source. Objects have few references, of a number that no branch predictor can
 * guess: a source is written to several places at once, and the next one over what was too much. */
static void subtract_sources(column_walk *walk, size_t n, uint64_t *tile)
{
    const hsc_sources *sources = walk->sources;
    uint64_t spread[TILE + SPREAD];
    size_t record = walk->record;
    uint64_t left = walk->left;
    for (size_t i = 0; i < n;) {
        const uint64_t source = source_at(sources, record);
        const size_t run = left < n - i ? (size_t)left : n - i;
        for (size_t j = 0; j < SPREAD; j++)
            spread[i + j] = source;
        for (size_t j = SPREAD; j < run; j++)
            spread[i + j] = source;
        i += run;
        left -= run;
        if (left > 0) break; /* the tile is full */
        if (i == n) break;
        record++;
        left = sources->counts != NULL ? sources->counts[record] : 1;
    }
    walk->record = record;
    walk->left = left;
    for (size_t i = 0; i < n; i++)
        tile[i] -= spread[i];
}

static column_walk begin_walk(hsc_values values, size_t count, unsigned transform, const hsc_sources *sources)
{
    column_walk w = {values, count, transform, sources, 0, 0};
    if (transform == HSC_TRANSFORM_SOURCE) w.left = sources->counts != NULL ? sources->counts[0] : 1;
    return w;
}

/* Each value less the one before it, straight from the staged values: loops that the compiler widens. */
static void load_deltas(hsc_values values, size_t at, size_t n, uint64_t *out)
{
    out[0] = value_at(values, at) - (at > 0 ? value_at(values, at - 1) : 0);
    if (values.width_bytes == 8) {
        const uint64_t *from = (const uint64_t *)values.data + at;
        for (size_t i = 1; i < n; i++)
            out[i] = from[i] - from[i - 1];
        return;
    }
    const uint32_t *from = (const uint32_t *)values.data + at;
    for (size_t i = 1; i < n; i++)
        out[i] = (uint64_t)from[i] - from[i - 1];
}

/* Differences of `n` values from `at` on. SOURCE must be walked from the start. */
static void load_tile(column_walk *walk, size_t at, size_t n, uint64_t *tile)
{
    if (walk->transform == HSC_TRANSFORM_DELTA) {
        load_deltas(walk->values, at, n, tile);
        return;
    }
    load_column(walk->values, at, n, tile);
    if (walk->transform == HSC_TRANSFORM_SOURCE) subtract_sources(walk, n, tile);
}

/* ---- choosing ---- */

static unsigned bits_of(uint64_t value) { return 64u - (unsigned)__builtin_clzll(value | 1); }

/* Adds up the bits of the coded values of one stretch. */
static uint64_t stretch_cost(const uint64_t *tile, size_t n, unsigned transform)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < n; i++)
        cost += bits_of(transform == HSC_TRANSFORM_NONE ? tile[i] : zigzag(tile[i]));
    return cost;
}

/* A sample for NONE and DELTA: stretches spread over the column. */
static uint64_t sample_cost(hsc_values values, size_t count, unsigned transform)
{
    uint64_t tile[SAMPLE_VALUES], cost = 0;
    column_walk w = begin_walk(values, count, transform, NULL);
    const size_t n = count < SAMPLE_VALUES ? count : SAMPLE_VALUES;
    for (size_t s = 0; s < SAMPLE_TILES; s++) {
        load_tile(&w, (count - n) * s / (SAMPLE_TILES - 1), n, tile);
        cost += stretch_cost(tile, n, transform);
    }
    return cost;
}

/* References for SOURCE, the same stretches: the walk skips from record to record between them. */
static uint64_t sample_source_cost(hsc_values values, size_t count, const hsc_sources *sources)
{
    uint64_t tile[SAMPLE_VALUES], cost = 0;
    column_walk w = begin_walk(values, count, HSC_TRANSFORM_SOURCE, sources);
    const size_t n = count < SAMPLE_VALUES ? count : SAMPLE_VALUES;
    size_t at = 0;
    for (size_t s = 0; s < SAMPLE_TILES; s++) {
        const size_t to = (count - n) * s / (SAMPLE_TILES - 1);
        if (to < at) continue; /* stretches of a short column overlap */
        for (size_t skip = to - at; skip > 0;) {
            if (w.left == 0) {
                w.record++;
                w.left = sources->counts != NULL ? sources->counts[w.record] : 1;
                continue;
            }
            const size_t step = w.left < skip ? (size_t)w.left : skip;
            w.left -= step;
            skip -= step;
        }
        load_tile(&w, to, n, tile);
        at = to + n;
        cost += stretch_cost(tile, n, HSC_TRANSFORM_SOURCE);
    }
    return cost;
}

static unsigned choose_transform(hsc_values values, size_t count, const hsc_sources *sources)
{
    unsigned best = HSC_TRANSFORM_NONE;
    uint64_t best_cost = sample_cost(values, count, HSC_TRANSFORM_NONE);
    const uint64_t delta = sample_cost(values, count, HSC_TRANSFORM_DELTA);
    if (delta < best_cost) {
        best = HSC_TRANSFORM_DELTA;
        best_cost = delta;
    }
    if (sources != NULL && count >= SAMPLE_TILES * SAMPLE_VALUES &&
        sample_source_cost(values, count, sources) < best_cost)
        best = HSC_TRANSFORM_SOURCE;
    return best;
}

/* ---- measuring ---- */

static hsc_traits measure_wide(hsc_values values, size_t count, unsigned transform, const hsc_sources *sources)
{
    uint64_t tile[TILE];
    column_walk w = begin_walk(values, count, transform, sources);
    uint64_t any = 0, any_coded = 0, unlike = 0, first = 0;
    for (size_t at = 0; at < count; at += TILE) {
        const size_t n = count - at < TILE ? count - at : TILE;
        load_tile(&w, at, n, tile);
        if (at == 0) first = tile[0];
        for (size_t i = 0; i < n; i++) {
            any |= tile[i];
            any_coded |= zigzag(tile[i]);
            unlike |= tile[i] ^ first;
        }
    }
    if (transform == HSC_TRANSFORM_NONE) any_coded = any;
    return (hsc_traits){any, any_coded, first, unlike == 0};
}

/* *is_narrow: measured by narrow.h, and to be packed by it; not asked where `is_wide`. */
static hsc_traits measure_column(hsc_values values, size_t count, unsigned transform, const hsc_sources *sources,
                                 bool is_wide, bool *is_narrow)
{
    hsc_traits t;
    *is_narrow = !is_wide && hsc_narrow_measure(values, count, transform, sources, &t);
    return *is_narrow ? t : measure_wide(values, count, transform, sources);
}

/* ---- writing ---- */

typedef struct column_pen {
    unsigned char *control;
    unsigned char *data;
} column_pen;

/* Writes 1 to 4 values under one control byte. */
static inline unsigned char *pack_group(unsigned char *control, unsigned char *data, const uint64_t *coded, size_t n)
{
    unsigned sizes = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t v = coded[i];
        const unsigned size = (unsigned)(v > 0xFF) + (v > 0xFFFF) + (v > 0xFFFFFFFF);
        hsc_put_u64(data, v);
        data += (size_t)1 << size;
        sizes |= size << (2 * i);
    }
    *control = (unsigned char)sizes;
    return data;
}

/* Coded values at 1, 2, 4 or 8 bytes each; only the last tile of a column may end inside of a group. */
static void pack(column_pen *pen, const uint64_t *coded, size_t n)
{
    unsigned char *data = pen->data;
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        data = pack_group(pen->control++, data, coded + i, 4);
    if (i < n) data = pack_group(pen->control++, data, coded + i, n - i);
    pen->data = data;
}

/* The same where all values fit a byte: half of all columns, and a loop that the compiler widens. */
static void pack_bytes(column_pen *pen, const uint64_t *coded, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pen->data[i] = (unsigned char)coded[i];
    pen->data += n;
    memset(pen->control, 0, (n + 3) / 4);
    pen->control += (n + 3) / 4;
}

static unsigned char *put_header(unsigned char *out, unsigned column, unsigned coding, unsigned shift, size_t count,
                                 size_t bytes)
{
    out[0] = (unsigned char)column;
    out[1] = (unsigned char)coding;
    out[2] = (unsigned char)shift;
    out[3] = 0;
    hsc_put_u32(out + 4, (uint32_t)count);
    hsc_put_u32(out + 8, (uint32_t)bytes);
    return out + HSC_COLUMN_HEADER_BYTES;
}

static void shift_tile(uint64_t *tile, size_t n, unsigned transform, unsigned shift)
{
    if (transform == HSC_TRANSFORM_NONE) {
        for (size_t i = 0; i < n; i++)
            tile[i] >>= shift;
        return;
    }
    for (size_t i = 0; i < n; i++)
        tile[i] = zigzag(tile[i]) >> shift;
}

static unsigned char *put_packed(unsigned char *out, unsigned column, column_walk w, unsigned shift, unsigned bits)
{
    uint64_t tile[TILE];
    unsigned char *body = out + HSC_COLUMN_HEADER_BYTES;
    column_pen pen = {body, body + (w.count + 3) / 4};
    for (size_t at = 0; at < w.count; at += TILE) {
        const size_t n = w.count - at < TILE ? w.count - at : TILE;
        load_tile(&w, at, n, tile);
        shift_tile(tile, n, w.transform, shift);
        if (bits <= 8)
            pack_bytes(&pen, tile, n);
        else
            pack(&pen, tile, n);
    }
    put_header(out, column, HSC_CODING_PACKED | w.transform << 4, shift, w.count, (size_t)(pen.data - body));
    return pen.data;
}

static unsigned char *put_narrow(unsigned char *out, unsigned column, column_walk w, unsigned shift, unsigned bits)
{
    unsigned char *body = out + HSC_COLUMN_HEADER_BYTES;
    unsigned char *end = hsc_narrow_pack(body, w.values, w.count, w.transform, w.sources, shift, bits);
    if (end != NULL)
        put_header(out, column, HSC_CODING_PACKED | w.transform << 4, shift, w.count, (size_t)(end - body));
    return end;
}

size_t hsc_column_bound(size_t count, unsigned width_bytes)
{
    return HSC_COLUMN_HEADER_BYTES + (count + 3) / 4 + count * width_bytes + 8;
}

/* As hsc_column_put; NULL unless `is_wide`: some differences turn out not to be narrow. */
static unsigned char *put_column(unsigned char *out, unsigned column, hsc_values values, size_t count,
                                 const hsc_sources *sources, bool is_wide)
{
    unsigned transform = HSC_TRANSFORM_NONE;
    hsc_traits t = {0, 0, 0, false};
    bool is_narrow = false;
    const bool may_be_constant = value_at(values, 0) == value_at(values, count / 2);
    if (may_be_constant) t = measure_column(values, count, transform, NULL, is_wide, &is_narrow);
    if (!t.is_constant) {
        transform = choose_transform(values, count, sources);
        if (transform != HSC_TRANSFORM_NONE || !may_be_constant)
            t = measure_column(values, count, transform, sources, is_wide, &is_narrow);
    }
    const unsigned wide = values.width_bytes * 8;
    if (transform != HSC_TRANSFORM_NONE && bits_of(t.any_coded) > wide) {
        transform = HSC_TRANSFORM_NONE; /* differences of 4-byte values may need 8: hold the bound */
        t = measure_column(values, count, transform, NULL, is_wide, &is_narrow);
    }
    if (t.any == 0 && transform != HSC_TRANSFORM_SOURCE) return out;
    const unsigned shift = t.any == 0 ? 0 : (unsigned)__builtin_ctzll(t.any);
    if (t.is_constant) {
        shift_tile(&t.first, 1, transform, shift);
        out = put_header(out, column, HSC_CODING_CONSTANT | transform << 4, shift, count, 8);
        hsc_put_u64(out, t.first);
        return out + 8;
    }
    const unsigned bits = bits_of(t.any_coded) > shift ? bits_of(t.any_coded) - shift : 1;
    const column_walk walk = begin_walk(values, count, transform, sources);
    return is_narrow ? put_narrow(out, column, walk, shift, bits) : put_packed(out, column, walk, shift, bits);
}

unsigned char *hsc_column_put(unsigned char *out, unsigned column, hsc_values values, size_t count,
                              const hsc_sources *sources)
{
    if (count == 0) return out;
    unsigned char *end = put_column(out, column, values, count, sources, false);
    return end != NULL ? end : put_column(out, column, values, count, sources, true);
}

unsigned char *hsc_column_put_zeros(unsigned char *out, unsigned column, size_t count)
{
    out = put_header(out, column, HSC_CODING_CONSTANT, 0, count, 8);
    hsc_put_u64(out, 0);
    return out + 8;
}

unsigned char *hsc_column_put_bytes_header(unsigned char *out, unsigned column, size_t size)
{
    return put_header(out, column, HSC_CODING_BYTES, 0, size, size);
}

unsigned char *hsc_column_put_bytes(unsigned char *out, unsigned column, const void *bytes, size_t size)
{
    if (size == 0) return out;
    out = hsc_column_put_bytes_header(out, column, size);
    memcpy(out, bytes, size);
    return out + size;
}
