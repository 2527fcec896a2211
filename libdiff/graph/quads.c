/*
 * Sorting of the levels of a shortest-path search. In memory: nothing for records already in order, insertion for a
 * few, else a radix sort that passes only over the bytes that vary. Beyond memory: stable runs, merged by
 * a tournament; more runs than can be read side by side are merged in passes over neighbours, so that equal keys
 * stay in the order in which they came.
 *
 *      record of a run    lengths            word 0: what it is   word 1   word 2   word 3
 *                         2 or 3 bits each   above the last one   1 … HSD_NODE_BYTES bytes each, lowest first
 *
 * Words are as long as they must be: 7 to 10 bytes a record, of 16 where numbers have 32 bits.
 */
#include "graph/quads.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

#define INSERTION_MAX      40u
#define READER_MIN_RECORDS ((size_t)256)
#define LENGTH_BITS        (HSD_NODE_BITS == 32 ? 2u : 3u)
#define LENGTHS_BYTES      (HSD_NODE_BITS == 32 ? 1u : 2u)
/* Bytes of a record, and what is written or read behind it. */
#define CODED_MOST (LENGTHS_BYTES + 4 * (size_t)HSD_NODE_BYTES + HSD_NODE_BYTES - 1)

typedef struct hsd_quad_run {
    uint64_t offset_bytes, size_bytes;
    uint64_t count;
} hsd_quad_run;

typedef struct hsd_quad_reader {
    uint8_t *buffer;
    size_t capacity;
    const uint8_t *at, *end;
    uint64_t next_bytes, end_bytes; /* of the file, not read yet */
    uint64_t left;                  /* records behind the one that serves */
    hsd_quad now;                   /* serves next */
    bool is_drained;
} hsd_quad_reader;

typedef struct quad_writer { /* into the scratch area, and from there behind the runs of the file */
    hsd_quads *quads;
    uint8_t *at, *full;
    hsd_node last;
    hsd_quad_run run;
} quad_writer;

/* ---- in memory ---- */

static inline int compare_quad(const hsd_quad *a, const hsd_quad *b, unsigned key_words)
{
    for (unsigned i = 0; i < key_words; i++) {
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    }
    return 0;
}

static bool is_sorted(const hsd_quad *items, size_t count, unsigned key_words)
{
    for (size_t i = 1; i < count; i++)
        if (compare_quad(&items[i - 1], &items[i], key_words) > 0) return false;
    return true;
}

static void insertion_sort(hsd_quad *items, size_t count, unsigned key_words)
{
    for (size_t i = 1; i < count; i++) {
        const hsd_quad item = items[i];
        size_t j = i;
        for (; j > 0 && compare_quad(&items[j - 1], &item, key_words) > 0; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

/* One stable pass by eight bits of one word. */
static void radix_pass(const hsd_quad *from, hsd_quad *to, size_t count, unsigned word, unsigned shift)
{
    size_t at[256] = {0};
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        at[from[i].word[word] >> shift & 0xff]++;
    for (unsigned digit = 0; digit < 256; digit++) {
        const size_t here = at[digit];
        at[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[at[from[i].word[word] >> shift & 0xff]++] = from[i];
}

static void radix_sort(hsd_quads *q)
{
    hsd_node varying[4] = {0};
    hsd_quad *from = q->items, *to = q->scratch;
    for (size_t i = 1; i < q->count; i++)
        for (unsigned word = 0; word < q->key_words; word++)
            varying[word] |= q->items[i].word[word] ^ q->items[0].word[word];
    for (unsigned word = q->key_words; word-- > 0;) {
        for (unsigned shift = 0; shift < HSD_NODE_BITS; shift += 8) {
            if ((varying[word] >> shift & 0xff) == 0) continue;
            radix_pass(from, to, q->count, word, shift);
            hsd_quad *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != q->items) memcpy(q->items, from, q->count * sizeof *from);
}

static void sort_in_memory(hsd_quads *q)
{
    if (is_sorted(q->items, q->count, q->key_words)) return;
    if (q->count <= INSERTION_MAX)
        insertion_sort(q->items, q->count, q->key_words);
    else
        radix_sort(q);
}

/* ---- coding ---- */

/* Of a number that is not 0. */
static inline uint32_t bytes_of(hsd_node word)
{
    const int zeros = HSD_NODE_BITS == 32 ? __builtin_clz((unsigned)word) : __builtin_clzll(word);
    return (HSD_NODE_BITS + 7 - (uint32_t)zeros) >> 3;
}

static inline uint8_t *put_word(uint8_t *at, hsd_node word, uint32_t *lengths, unsigned which)
{
    const uint32_t length = word == 0 ? 1 : bytes_of(word);
    for (unsigned i = 0; i < HSD_NODE_BYTES; i++)
        at[i] = (uint8_t)(word >> 8 * i);
    *lengths |= (length - 1) << LENGTH_BITS * which;
    return at + length;
}

static inline uint32_t get_4(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline const uint8_t *get_word(const uint8_t *at, hsd_node *word, uint32_t lengths, unsigned which)
{
    const uint32_t length = (lengths >> LENGTH_BITS * which & (HSD_NODE_BYTES - 1)) + 1;
    hsd_node all = get_4(at);
    if (HSD_NODE_BITS == 64) all |= (hsd_node)((uint64_t)get_4(at + 4) << 32);
    *word = all & (HSD_NODE_MAX >> (HSD_NODE_BITS - 8 * length));
    return at + length;
}

static uint8_t *encode_quad(uint8_t *at, const hsd_quad *quad, hsd_node last)
{
    uint8_t *head = at;
    uint32_t lengths = 0;
    at = put_word(at + LENGTHS_BYTES, quad->word[0] - last, &lengths, 0);
    for (unsigned i = 1; i < 4; i++)
        at = put_word(at, quad->word[i], &lengths, i);
    for (unsigned i = 0; i < LENGTHS_BYTES; i++)
        head[i] = (uint8_t)(lengths >> 8 * i);
    return at;
}

/* `quad` holds the one before. */
static const uint8_t *decode_quad(const uint8_t *at, hsd_quad *quad)
{
    const uint32_t lengths = LENGTHS_BYTES == 1 ? at[0] : at[0] | (uint32_t)at[1] << 8;
    hsd_node above;
    at = get_word(at + LENGTHS_BYTES, &above, lengths, 0);
    quad->word[0] += above;
    for (unsigned i = 1; i < 4; i++)
        at = get_word(at, &quad->word[i], lengths, i);
    return at;
}

/* ---- runs ---- */

static hsd_status add_run(hsd_quads *q, const hsd_quad_run *run, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(q->runs, q->run_capacity, q->run_count + 1, 16, "sorting a level of the reference graph",
                           err));
    q->runs[q->run_count++] = *run;
    return HSD_OK;
}

static void begin_run(quad_writer *w, hsd_quads *q)
{
    uint8_t *scratch = (uint8_t *)q->scratch;
    *w = (quad_writer){.quads = q,
                       .at = scratch,
                       .full = scratch + q->capacity * sizeof *q->scratch - CODED_MOST,
                       .run = {.offset_bytes = q->end_bytes}};
}

static hsd_status flush_quads(quad_writer *w, hsd_error *err)
{
    hsd_quads *q = w->quads;
    const size_t bytes = (size_t)(w->at - (uint8_t *)q->scratch);
    if (q->file.fd < 0) HSD_TRY(hsd_temp_open(&q->file, q->space, err));
    HSD_TRY(hsd_temp_write(&q->file, q->end_bytes, q->scratch, bytes, err));
    q->end_bytes += bytes;
    q->spilled += bytes;
    w->run.size_bytes += bytes;
    w->at = (uint8_t *)q->scratch;
    return HSD_OK;
}

static inline hsd_status write_quad(quad_writer *w, const hsd_quad *quad, hsd_error *err)
{
    if (w->at > w->full) HSD_TRY(flush_quads(w, err));
    w->at = encode_quad(w->at, quad, w->last);
    w->last = quad->word[0];
    w->run.count++;
    return HSD_OK;
}

hsd_status hsd_quads_spill(hsd_quads *q, hsd_error *err)
{
    HSD_ASSERT(q->count > 0 && q->count <= q->capacity);
    quad_writer writer;
    if (q->count == 0) return HSD_OK;
    sort_in_memory(q);
    begin_run(&writer, q);
    for (size_t i = 0; i < q->count; i++)
        HSD_TRY(write_quad(&writer, &q->items[i], err));
    HSD_TRY(flush_quads(&writer, err));
    q->count = 0;
    return add_run(q, &writer.run, err);
}

/* ---- reading runs side by side ---- */

/* Moves what is left to the front and reads on behind it. */
static hsd_status refill(hsd_quads *q, hsd_quad_reader *r, hsd_error *err)
{
    const size_t ahead = (size_t)(r->end - r->at);
    const size_t bytes = (size_t)hsd_min_u64(r->end_bytes - r->next_bytes, r->capacity - ahead);
    memmove(r->buffer, r->at, ahead);
    r->at = r->buffer;
    r->end = r->buffer + ahead + bytes;
    HSD_TRY(hsd_temp_read(&q->file, r->next_bytes, r->buffer + ahead, bytes, err));
    r->next_bytes += bytes;
    return HSD_OK;
}

static hsd_status advance_reader(hsd_quads *q, hsd_quad_reader *r, hsd_error *err)
{
    r->is_drained = r->left == 0;
    if (r->is_drained) return HSD_OK;
    if ((size_t)(r->end - r->at) < CODED_MOST && r->next_bytes < r->end_bytes) HSD_TRY(refill(q, r, err));
    r->at = decode_quad(r->at, &r->now);
    r->left--;
    return HSD_OK;
}

/* The one of two readers that serves first; of equal keys the earlier run, and who is drained comes last. */
static uint32_t better(const hsd_quads *q, uint32_t a, uint32_t b)
{
    const hsd_quad_reader *x = &q->readers[a], *y = &q->readers[b];
    if (y->is_drained) return a;
    if (x->is_drained) return b;
    const int order = compare_quad(&x->now, &y->now, q->key_words);
    if (order != 0) return order < 0 ? a : b;
    return a < b ? a : b;
}

static uint32_t winner_at(const hsd_quads *q, size_t node)
{
    return node >= q->reader_count ? (uint32_t)(node - q->reader_count) : q->winners[node];
}

static void play(hsd_quads *q, size_t node)
{
    q->winners[node] = better(q, winner_at(q, 2 * node), winner_at(q, 2 * node + 1));
}

static void close_readers(hsd_quads *q)
{
    free(q->readers);
    free(q->winners);
    q->readers = NULL;
    q->winners = NULL;
    q->reader_count = 0;
}

/* Reads `count` neighbouring runs side by side, in the area of the records. */
static hsd_status open_readers(hsd_quads *q, const hsd_quad_run *runs, size_t count, hsd_error *err)
{
    const size_t share = q->capacity * sizeof *q->items / count;
    q->readers = calloc(count, sizeof *q->readers);
    q->winners = calloc(count, sizeof *q->winners);
    if (q->readers == NULL || q->winners == NULL) {
        close_readers(q);
        return hsd_fail_nomem(err, "sorting a level of the reference graph");
    }
    q->reader_count = count;
    for (size_t i = 0; i < count; i++) {
        hsd_quad_reader *r = &q->readers[i];
        r->buffer = (uint8_t *)q->items + i * share;
        r->capacity = share - CODED_MOST; /* a word is read as if it had all bytes */
        r->at = r->end = r->buffer;
        r->next_bytes = runs[i].offset_bytes;
        r->end_bytes = runs[i].offset_bytes + runs[i].size_bytes;
        r->left = runs[i].count;
        HSD_TRY(advance_reader(q, r, err));
    }
    for (size_t node = count; node-- > 1;)
        play(q, node);
    return HSD_OK;
}

hsd_status hsd_quads_merge_next(hsd_quads *q, const hsd_quad **out, hsd_error *err)
{
    HSD_ASSERT(q->reader_count > 0);
    const uint32_t first = q->reader_count == 1 ? 0 : q->winners[1];
    hsd_quad_reader *r = &q->readers[first];
    if (r->is_drained) return HSD_END;
    q->served = r->now;
    HSD_TRY(advance_reader(q, r, err));
    for (size_t node = (first + q->reader_count) / 2; node >= 1; node /= 2)
        play(q, node);
    *out = &q->served;
    return HSD_OK;
}

/* ---- fewer runs ---- */

/* Merges some neighbouring runs into one behind the others in the file, through the scratch area. */
static hsd_status merge_group(hsd_quads *q, const hsd_quad_run *runs, size_t count, hsd_quad_run *out, hsd_error *err)
{
    quad_writer writer;
    begin_run(&writer, q);
    HSD_TRY(open_readers(q, runs, count, err));
    for (;;) {
        const hsd_quad *record;
        const hsd_status status = hsd_quads_merge_next(q, &record, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        HSD_TRY(write_quad(&writer, record, err));
    }
    HSD_TRY(flush_quads(&writer, err));
    *out = writer.run;
    close_readers(q);
    return HSD_OK;
}

/* One pass over all runs: every `fan_in` neighbours become one. */
static hsd_status merge_pass(hsd_quads *q, size_t fan_in, hsd_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < q->run_count; i += fan_in) {
        const size_t group = (size_t)hsd_min_u64(fan_in, q->run_count - i);
        hsd_quad_run merged = q->runs[i];
        if (group > 1) HSD_TRY(merge_group(q, &q->runs[i], group, &merged, err));
        q->runs[kept++] = merged;
    }
    q->run_count = kept;
    return HSD_OK;
}

/* ---- the whole ---- */

void hsd_quads_init(hsd_quads *q, hsd_quad *items, hsd_quad *scratch, size_t capacity, hsd_temp_space *space)
{
    HSD_ASSERT(items == NULL || capacity >= HSD_QUADS_MIN_RECORDS);
    HSD_ASSERT(items == NULL || items != scratch);
    memset(q, 0, sizeof *q);
    q->items = items;
    q->scratch = scratch;
    q->capacity = capacity;
    q->space = space;
    q->file.fd = -1;
    q->key_words = 1;
}

void hsd_quads_begin(hsd_quads *q, unsigned key_words)
{
    HSD_ASSERT(key_words >= 1 && key_words <= 3);
    if (q->reader_count > 0) close_readers(q);
    q->count = q->at = 0;
    q->run_count = 0;
    q->end_bytes = 0;
    q->key_words = key_words;
}

hsd_status hsd_quads_sort(hsd_quads *q, hsd_error *err)
{
    const size_t fan_in = q->capacity / READER_MIN_RECORDS;
    q->at = 0;
    if (q->run_count == 0) {
        sort_in_memory(q);
        return HSD_OK;
    }
    HSD_TRY(hsd_quads_spill(q, err));
    while (q->run_count > fan_in)
        HSD_TRY(merge_pass(q, fan_in, err));
    return open_readers(q, q->runs, q->run_count, err);
}

void hsd_quads_release(hsd_quads *q)
{
    close_readers(q);
    free(q->runs);
    hsd_temp_close(&q->file);
    hsd_quads_init(q, NULL, NULL, 0, NULL);
}
