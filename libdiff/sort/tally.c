/*
 * The table is open addressing over whole records: key words, objects, bytes. A tag of the hash beside each
 * record tells most strangers apart without touching them; 0 is an empty place.
 */
#include "sort/tally.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "sort/sorter.h"

#define FIRST_PLACES 256u
#define MAX_WORDS    (HSD_TALLY_MAX_KEY_WORDS + 2)

struct hsd_tally {
    unsigned key_words, words;
    uint64_t *records;    /* place_count of `words` words */
    uint32_t *tags;       /* 0 = empty */
    uint64_t place_count; /* a power of two; 0 = no table yet */
    uint64_t most_places;
    uint64_t used;
    hsd_sorter *sorter;
    uint64_t current[MAX_WORDS]; /* what next() lends */
    uint64_t ahead[MAX_WORDS];
    bool has_ahead;
};

/* The words are multiplied side by side, so that none waits for the one before it. */
static inline uint64_t hash_key(const uint64_t *key, unsigned words)
{
    static const uint64_t factors[HSD_TALLY_MAX_KEY_WORDS] = {
        UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd1b54a32d192ed03), UINT64_C(0xbf58476d1ce4e5b9),
        UINT64_C(0x94d049bb133111eb), UINT64_C(0xff51afd7ed558ccd), UINT64_C(0xc4ceb9fe1a85ec53)};
    uint64_t hash = words;
    for (unsigned i = 0; i < words; i++)
        hash += (key[i] ^ key[i] >> 32) * factors[i];
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

static inline bool is_same_key(const uint64_t *a, const uint64_t *b, unsigned words)
{
    uint64_t differs = 0;
    for (unsigned i = 0; i < words; i++)
        differs |= a[i] ^ b[i];
    return differs == 0;
}

static inline uint32_t tag_of(uint64_t hash) { return (uint32_t)(hash >> 32) | 1u; }

static uint64_t place_bytes(unsigned words) { return words * sizeof(uint64_t) + sizeof(uint32_t); }

hsd_status hsd_tally_new(hsd_tally **out, unsigned key_words, uint64_t memory_bytes, hsd_temp_space *space,
                         hsd_reporter *reporter, hsd_error *err)
{
    HSD_ASSERT(key_words >= 1 && key_words <= HSD_TALLY_MAX_KEY_WORDS);
    hsd_tally *t = calloc(1, sizeof *t);
    *out = t;
    if (t == NULL) return hsd_fail_nomem(err, "adding up what hangs where");
    if (memory_bytes < HSD_TALLY_LEAST_BYTES) memory_bytes = HSD_TALLY_LEAST_BYTES;
    t->key_words = key_words;
    t->words = key_words + 2;
    const uint64_t sorter_bytes = hsd_max_u64(HSD_SORT_MIN_BYTES, memory_bytes / 2);
    t->most_places = 1;
    while (t->most_places * 2 * place_bytes(t->words) <= memory_bytes - sorter_bytes)
        t->most_places *= 2;
    const hsd_sorter_config config = {.record_words = t->words,
                                      .key_words = key_words,
                                      .memory_bytes = sorter_bytes,
                                      .space = space,
                                      .reporter = reporter};
    const hsd_status status = hsd_sorter_new(&t->sorter, &config, err);
    if (status != HSD_OK) {
        hsd_tally_free(t);
        *out = NULL;
    }
    return status;
}

/* The place of a key: where it stands, or the empty place where it belongs. */
static inline uint64_t find_tally(const hsd_tally *t, const uint64_t *key, uint64_t hash)
{
    const uint64_t mask = t->place_count - 1;
    uint64_t at = hash & mask;
    while (t->tags[at] != 0) {
        if (t->tags[at] == tag_of(hash) && is_same_key(t->records + at * t->words, key, t->key_words)) break;
        at = (at + 1) & mask;
    }
    return at;
}

static hsd_status empty_table(hsd_tally *t, hsd_error *err)
{
    for (uint64_t at = 0; at < t->place_count; at++) {
        if (t->tags[at] != 0) HSD_TRY(hsd_sorter_put(t->sorter, t->records + at * t->words, err));
    }
    if (t->place_count > 0) memset(t->tags, 0, t->place_count * sizeof *t->tags);
    t->used = 0;
    return HSD_OK;
}

static void move_records(hsd_tally *t, const hsd_tally *old)
{
    for (uint64_t at = 0; at < old->place_count; at++) {
        if (old->tags[at] == 0) continue;
        const uint64_t *record = old->records + at * old->words;
        const uint64_t hash = hash_key(record, t->key_words), to = find_tally(t, record, hash);
        memcpy(t->records + to * t->words, record, t->words * sizeof *record);
        t->tags[to] = tag_of(hash);
    }
}

/* Twice the table; while it grows the old one stands beside, so it stops at half of what it may have. */
static hsd_status grow_tally(hsd_tally *t, hsd_error *err)
{
    const hsd_tally old = *t;
    t->place_count = old.place_count == 0 ? hsd_min_u64(FIRST_PLACES, t->most_places) : old.place_count * 2;
    t->records = malloc(t->place_count * t->words * sizeof *t->records);
    t->tags = calloc(t->place_count, sizeof *t->tags);
    if (t->records != NULL && t->tags != NULL) move_records(t, &old);
    free(old.records);
    free(old.tags);
    if (t->records != NULL && t->tags != NULL) return HSD_OK;
    t->place_count = 0;
    return hsd_fail_nomem(err, "adding up what hangs where");
}

static hsd_status make_room_for_tally(hsd_tally *t, hsd_error *err)
{
    if (t->used < t->place_count / 4 * 3) return HSD_OK;
    return t->place_count < t->most_places ? grow_tally(t, err) : empty_table(t, err);
}

hsd_status hsd_tally_add(hsd_tally *t, const uint64_t *key, uint64_t objects, uint64_t bytes, hsd_error *err)
{
    HSD_ASSERT(t->used <= t->most_places);
    const uint64_t hash = hash_key(key, t->key_words);
    HSD_TRY(make_room_for_tally(t, err));
    const uint64_t at = find_tally(t, key, hash);
    uint64_t *record = t->records + at * t->words;
    if (t->tags[at] == 0) {
        memcpy(record, key, t->key_words * sizeof *key);
        record[t->key_words] = record[t->key_words + 1] = 0;
        t->tags[at] = tag_of(hash);
        t->used++;
    }
    record[t->key_words] += objects;
    record[t->key_words + 1] += bytes;
    return HSD_OK;
}

void hsd_tally_fetch(const hsd_tally *t, const uint64_t *key)
{
    if (t->place_count == 0) return;
    const uint64_t at = hash_key(key, t->key_words) & (t->place_count - 1);
    __builtin_prefetch(&t->tags[at]);
    __builtin_prefetch(t->records + at * t->words, 1);
}

static void drop_table(hsd_tally *t)
{
    free(t->records);
    free(t->tags);
    t->records = NULL;
    t->tags = NULL;
    t->place_count = 0;
}

static hsd_status look_ahead(hsd_tally *t, hsd_error *err)
{
    const uint64_t *record;
    const hsd_status status = hsd_sorter_next(t->sorter, &record, err);
    t->has_ahead = status == HSD_OK;
    if (t->has_ahead) memcpy(t->ahead, record, t->words * sizeof *record);
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_tally_finish(hsd_tally *t, uint64_t serve_bytes, hsd_error *err)
{
    HSD_TRY(empty_table(t, err));
    drop_table(t);
    if (serve_bytes != 0) serve_bytes = hsd_max_u64(serve_bytes, HSD_SORT_MIN_BYTES);
    HSD_TRY(hsd_sorter_finish(t->sorter, (size_t)serve_bytes, err));
    return look_ahead(t, err);
}

hsd_status hsd_tally_next(hsd_tally *t, const uint64_t **key, hsd_amount *sum, hsd_error *err)
{
    HSD_ASSERT(t->sorter != NULL);
    if (!t->has_ahead) return HSD_END;
    memcpy(t->current, t->ahead, t->words * sizeof *t->current);
    *key = t->current;
    *sum = (hsd_amount){0, 0};
    do {
        sum->objects += t->ahead[t->key_words];
        sum->bytes += t->ahead[t->key_words + 1];
        HSD_TRY(look_ahead(t, err));
    } while (t->has_ahead && is_same_key(t->ahead, t->current, t->key_words));
    return HSD_OK;
}

hsd_status hsd_tally_absorb(hsd_tally *t, hsd_tally *other, hsd_error *err)
{
    HSD_ASSERT(t != other && t->key_words == other->key_words);
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status;
    HSD_TRY(hsd_tally_finish(other, 0, err));
    while ((status = hsd_tally_next(other, &key, &sum, err)) == HSD_OK) {
        HSD_TRY(hsd_tally_add(t, key, sum.objects, sum.bytes, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_tally_rewind(hsd_tally *t, hsd_error *err)
{
    HSD_ASSERT(t->sorter != NULL);
    HSD_TRY(hsd_sorter_rewind(t->sorter, err));
    return look_ahead(t, err);
}

void hsd_tally_free(hsd_tally *t)
{
    if (t == NULL) return;
    drop_table(t);
    hsd_sorter_free(t->sorter);
    free(t);
}
