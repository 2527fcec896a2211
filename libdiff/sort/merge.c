/*
 * The k-way merge. Memory is divided evenly:
 *
 *      | readers | tree | batch, block, slack of run 0 | … of run 1 | …
 *
 * A record is handed out where its reader decoded it, and replaced only when the next one is asked for:
 * nothing is copied.
 */
#include "sort/merge.h"

#include <string.h>

#include "base/assert.h"
#include "base/fail.h"

/* Loops over words are written once, and compiled for the numbers of words that are many. */
#define ALWAYS static inline __attribute__((always_inline))

#define BLOCK_LEAST_BYTES                                                                                              \
    ((size_t)4 << 10) /* a call of the system more often costs less than reading and writing all once more */
#define BLOCK_MOST_BYTES ((size_t)256 << 10)
#define BLOCK_STEP_BYTES ((size_t)4 << 10)

/* What one run costs besides its block. */
static size_t fixed_bytes(void) { return sizeof(hsd_run_reader) + hsd_losertree_bytes(1) + hsd_run_reader_bytes(0); }

uint32_t hsd_merge_fan_in(size_t memory_bytes, hsd_run_codec codec)
{
    const size_t block = codec == HSD_RUN_PACKED ? HSD_RUN_BLOCK_PACKED_BYTES : BLOCK_LEAST_BYTES;
    const size_t runs = memory_bytes / (fixed_bytes() + block);
    if (runs < 1) return 1;
    return runs < HSD_MERGE_FAN_IN_MAX ? (uint32_t)runs : HSD_MERGE_FAN_IN_MAX;
}

size_t hsd_merge_useful_bytes(uint32_t run_count) { return run_count * (fixed_bytes() + BLOCK_MOST_BYTES); }

static size_t block_bytes(size_t memory_bytes, uint32_t run_count)
{
    const size_t share = memory_bytes / run_count;
    const size_t block = share > fixed_bytes() ? share - fixed_bytes() : 0;
    if (block < BLOCK_STEP_BYTES) return 0;
    return block < BLOCK_MOST_BYTES ? block & ~(BLOCK_STEP_BYTES - 1) : BLOCK_MOST_BYTES;
}

/* The record after the last one of a run, or NULL. */
static hsd_status next_of(hsd_run_reader *reader, const uint64_t **record, hsd_error *err)
{
    const hsd_status status = hsd_run_reader_next(reader, record, err);
    if (status != HSD_END) return status;
    *record = NULL;
    return HSD_OK;
}

hsd_status hsd_merge_open(hsd_merge *merge, const hsd_sorted_run *runs, uint32_t run_count, unsigned words,
                          void *memory, size_t memory_bytes, hsd_error *err)
{
    HSD_ASSERT(words >= 1 && words <= HSD_SORT_MAX_WORDS);
    HSD_ASSERT(((uintptr_t)memory & 7) == 0);
    const size_t block = run_count > 0 ? block_bytes(memory_bytes, run_count) : 0;
    const bool is_packed = block > 0 && runs[0].unpack != NULL;
    if (block == 0 || (is_packed && block < HSD_RUN_BLOCK_PACKED_BYTES))
        return hsd_fail(err, HSD_E_MISUSE, "a merge of %u runs in %zu bytes", run_count, memory_bytes);
    uint8_t *at = memory;
    *merge = (hsd_merge){.readers = memory};
    at += run_count * sizeof *merge->readers;
    hsd_losertree_init(&merge->tree, run_count, words, at);
    at += hsd_losertree_bytes(run_count);
    for (uint32_t i = 0; i < run_count; i++, at += hsd_run_reader_bytes(block)) {
        const uint64_t *record = NULL;
        hsd_run_reader_init(&merge->readers[i], &runs[i], words, at, block);
        HSD_TRY(next_of(&merge->readers[i], &record, err));
        hsd_losertree_set(&merge->tree, i, record);
    }
    hsd_losertree_play(&merge->tree);
    return HSD_OK;
}

hsd_status hsd_merge_play(hsd_merge *merge, const uint64_t **record, hsd_error *err)
{
    HSD_ASSERT(merge->tree.leaf_count >= 1);
    uint32_t winner = hsd_losertree_winner(&merge->tree);
    if (merge->has_served) {
        const uint64_t *next = NULL;
        HSD_TRY(next_of(&merge->readers[winner], &next, err));
        hsd_losertree_replace(&merge->tree, next);
        winner = hsd_losertree_winner(&merge->tree);
    }
    *record = merge->tree.records[winner];
    merge->has_served = *record != NULL;
    merge->limit = merge->has_served ? hsd_losertree_second(&merge->tree) : 0;
    return *record != NULL ? HSD_OK : HSD_END;
}

/* ---- numbers that are dense */

typedef struct window {
    uint64_t *slots; /* a record a number */
    uint64_t first;  /* number */
    size_t most;
    unsigned shift;
    size_t placed;
    uint64_t is_there[HSD_MERGE_DENSE_MOST / 64]; /* one bit a slot */
} window;

/* The least number that any run offers; false if none does. */
static bool find_first(const hsd_merge *merge, window *w)
{
    bool is_any = false;
    for (uint32_t i = 0; i < merge->tree.leaf_count; i++) {
        const uint64_t *record = merge->tree.records[i];
        if (record == NULL || (is_any && record[0] >> w->shift >= w->first)) continue;
        w->first = record[0] >> w->shift;
        is_any = true;
    }
    return is_any;
}

/* Of records from `at` up to `end`, those within the window go to their slots; returns the first that does not. `words`
 * is a constant where many are moved. */
ALWAYS const uint64_t *place_some(window *w, const uint64_t *at, const uint64_t *end, const unsigned words)
{
    uint64_t *const slots = w->slots, first = w->first;
    const uint64_t *const begin = at;
    const unsigned shift = w->shift;
    const size_t most = w->most;
    uint64_t bits = 0;  /* of slots that are taken */
    size_t bits_of = 0; /* which 64 of them */
    for (; at != end; at += words) {
        const uint64_t slot = (at[0] >> shift) - first;
        if (slot >= most) break;
        for (unsigned i = 0; i < words; i++)
            slots[slot * words + i] = at[i];
        if (slot / 64 != bits_of) {
            w->is_there[bits_of] |= bits;
            bits_of = slot / 64;
            bits = 0;
        }
        bits |= UINT64_C(1) << slot % 64;
    }
    w->is_there[bits_of] |= bits;
    w->placed += (size_t)(at - begin) / words;
    return at;
}

/* What a run has within the window goes to its slots. */
ALWAYS hsd_status place_run(hsd_merge *merge, uint32_t run, const unsigned words, window *w, hsd_error *err)
{
    hsd_run_reader *reader = &merge->readers[run];
    const uint64_t *record = merge->tree.records[run];
    while (record != NULL) {
        const uint64_t *end = reader->batch + (size_t)reader->batch_count * words;
        record = place_some(w, record, end, words);
        if (record != end) {
            reader->batch_at = (uint32_t)((size_t)(record - reader->batch) / words) + 1;
            break;
        }
        reader->batch_at = reader->batch_count;
        HSD_TRY(next_of(reader, &record, err));
    }
    merge->tree.records[run] = record;
    return HSD_OK;
}

/* Behind a number that nobody has all move up. */
ALWAYS size_t close_gaps(const window *w, const unsigned words)
{
    size_t count = 0;
    for (size_t i = 0; i < (w->most + 63) / 64; i++) {
        if (w->is_there[i] == UINT64_MAX && count == i * 64) {
            count += 64;
            continue;
        }
        for (uint64_t bits = w->is_there[i]; bits != 0; bits &= bits - 1) {
            const size_t slot = i * 64 + (size_t)__builtin_ctzll(bits);
            for (unsigned word = 0; word < words; word++) /* onto itself in front of the first gap */
                w->slots[count * words + word] = w->slots[slot * words + word];
            count++;
        }
    }
    return count;
}

hsd_status hsd_merge_next_dense(hsd_merge *merge, unsigned shift, uint64_t *out, size_t most, size_t *count,
                                hsd_error *err)
{
    HSD_ASSERT(most >= 1 && most <= HSD_MERGE_DENSE_MOST && shift < 64);
    const unsigned words = merge->tree.words;
    window w = {.slots = out, .most = most, .shift = shift};
    if (!find_first(merge, &w)) return HSD_END;
    for (uint32_t i = 0; i < merge->tree.leaf_count; i++)
        HSD_TRY(words == 2   ? place_run(merge, i, 2, &w, err)
                : words == 3 ? place_run(merge, i, 3, &w, err)
                             : place_run(merge, i, words, &w, err));
    *count = words == 2 ? close_gaps(&w, 2) : words == 3 ? close_gaps(&w, 3) : close_gaps(&w, words);
    if (*count != w.placed) return hsd_fail(err, HSD_E_CORRUPT, "two sorted records have one number");
    return HSD_OK;
}
