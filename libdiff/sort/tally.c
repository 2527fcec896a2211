/*
 * Records lie where the sorter fills, one behind the other as their keys first came: key words, objects, bytes. The
 * table beside them is open addressing over their numbers, with a part of the hash that tells most strangers apart
 * without touching a record, and is all that moves when it grows:
 *
 *      table     | hash, 2 |         | hash, 0 |         | hash, 1 |
 *      sorter    | record 0 | record 1 | record 2 |  room for others  |
 *
 * When the sorter is full it takes its records away, and when the table is full it forgets them. A key that comes after
 * that gets another record, and next() adds them up.
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
#define SORTER_SHARE 4u /* parts of the memory, of which the table has one */
#define MOST_PLACES  (UINT32_C(1) << 31)
#define MAX_WORDS    (HSD_TALLY_MAX_KEY_WORDS + 2)

typedef struct place {
    uint32_t hash;
    uint32_t number; /* of the record, from 1 on; 0 = nobody stands here */
} place;

struct hsd_tally {
    unsigned key_words, words;
    uint64_t *records; /* in the sorter: those that the table knows, and their number */
    uint32_t used;
    place *places;
    uint32_t place_count; /* a power of two; 0 = no table yet */
    uint32_t most_places;
    hsd_sorter *sorter;
    uint64_t current[MAX_WORDS]; /* what next() lends */
    const uint64_t *ahead;       /* the record that comes next, lent by the sorter; NULL = none */
};

/* The words are multiplied side by side, so that none waits for the one before it. */
static inline uint32_t hash_key(const uint64_t *key, unsigned words)
{
    static const uint64_t factors[HSD_TALLY_MAX_KEY_WORDS] = {
        UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd1b54a32d192ed03), UINT64_C(0xbf58476d1ce4e5b9),
        UINT64_C(0x94d049bb133111eb), UINT64_C(0xff51afd7ed558ccd), UINT64_C(0xc4ceb9fe1a85ec53)};
    uint64_t hash = words;
    for (unsigned i = 0; i < words; i++)
        hash += (key[i] ^ key[i] >> 32) * factors[i];
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(hash ^ hash >> 32);
}

static inline bool is_same_key(const uint64_t *a, const uint64_t *b, unsigned words)
{
    uint64_t differs = 0;
    for (unsigned i = 0; i < words; i++)
        differs |= a[i] ^ b[i];
    return differs == 0;
}

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
    const uint64_t table_bytes =
        hsd_min_u64(memory_bytes / SORTER_SHARE, memory_bytes - HSD_SORT_MIN_BYTES); /* half of it while it grows */
    const uint64_t sorter_bytes = memory_bytes - table_bytes;
    t->most_places = 1;
    while (t->most_places < MOST_PLACES && t->most_places * UINT64_C(3) * sizeof(place) <= table_bytes)
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
static inline place *find_tally(const hsd_tally *t, const uint64_t *key, uint32_t hash)
{
    const uint32_t mask = t->place_count - 1;
    uint32_t at = hash & mask;
    for (; t->places[at].number != 0; at = (at + 1) & mask) {
        const uint64_t *record = t->records + (size_t)(t->places[at].number - 1) * t->words;
        if (t->places[at].hash == hash && is_same_key(record, key, t->key_words)) break;
    }
    return &t->places[at];
}

/* The records stay where they are, and are not found any more. */
static void empty_table(hsd_tally *t)
{
    if (t->used > 0) memset(t->places, 0, t->place_count * sizeof *t->places);
    t->used = 0;
}

/* Twice the table. */
static hsd_status grow_tally(hsd_tally *t, hsd_error *err)
{
    const uint32_t count =
        t->place_count == 0 ? (uint32_t)hsd_min_u64(FIRST_PLACES, t->most_places) : t->place_count * 2;
    place *places = calloc(count, sizeof *places);
    if (places == NULL) return hsd_fail_nomem(err, "adding up what hangs where");
    for (uint32_t from = 0; from < t->place_count; from++) {
        uint32_t at = t->places[from].hash & (count - 1);
        if (t->places[from].number == 0) continue;
        while (places[at].number != 0)
            at = (at + 1) & (count - 1);
        places[at] = t->places[from];
    }
    free(t->places);
    t->places = places;
    t->place_count = count;
    return HSD_OK;
}

/* A record of a key that the table does not know. */
static hsd_status put_tally(hsd_tally *t, const uint64_t *key, uint32_t hash, uint64_t **record, hsd_error *err)
{
    uint64_t fresh[MAX_WORDS];
    if (hsd_sorter_is_full(t->sorter)) empty_table(t);
    if (t->used >= t->place_count / 4 * 3) {
        if (t->place_count < t->most_places)
            HSD_TRY(grow_tally(t, err));
        else
            empty_table(t);
    }
    memcpy(fresh, key, t->key_words * sizeof *key);
    fresh[t->key_words] = fresh[t->key_words + 1] = 0;
    HSD_TRY(hsd_sorter_put(t->sorter, fresh, err));
    *record = hsd_sorter_last(t->sorter);
    if (t->used == 0) t->records = *record;
    *find_tally(t, key, hash) = (place){hash, ++t->used};
    return HSD_OK;
}

hsd_status hsd_tally_add(hsd_tally *t, const uint64_t *key, uint64_t objects, uint64_t bytes, hsd_error *err)
{
    const uint32_t hash = hash_key(key, t->key_words);
    const place *found = t->used > 0 ? find_tally(t, key, hash) : NULL;
    uint64_t *record;
    if (found != NULL && found->number != 0)
        record = t->records + (size_t)(found->number - 1) * t->words;
    else
        HSD_TRY(put_tally(t, key, hash, &record, err));
    record[t->key_words] += objects;
    record[t->key_words + 1] += bytes;
    return HSD_OK;
}

void hsd_tally_fetch(const hsd_tally *t, const uint64_t *key)
{
    if (t->place_count > 0) __builtin_prefetch(&t->places[hash_key(key, t->key_words) & (t->place_count - 1)]);
}

static void drop_table(hsd_tally *t)
{
    free(t->places);
    t->places = NULL;
    t->place_count = t->used = 0;
}

static hsd_status look_ahead(hsd_tally *t, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(t->sorter, &t->ahead, err);
    if (status != HSD_OK) t->ahead = NULL;
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_tally_finish(hsd_tally *t, uint64_t serve_bytes, hsd_error *err)
{
    drop_table(t);
    if (serve_bytes != 0) serve_bytes = hsd_max_u64(serve_bytes, HSD_SORT_MIN_BYTES);
    HSD_TRY(hsd_sorter_finish(t->sorter, (size_t)serve_bytes, err));
    return look_ahead(t, err);
}

hsd_status hsd_tally_next(hsd_tally *t, const uint64_t **key, hsd_amount *sum, hsd_error *err)
{
    HSD_ASSERT(t->sorter != NULL);
    if (t->ahead == NULL) return HSD_END;
    for (unsigned i = 0; i < t->key_words; i++)
        t->current[i] = t->ahead[i];
    *key = t->current;
    *sum = (hsd_amount){0, 0};
    do {
        sum->objects += t->ahead[t->key_words];
        sum->bytes += t->ahead[t->key_words + 1];
        HSD_TRY(look_ahead(t, err));
    } while (t->ahead != NULL && is_same_key(t->ahead, t->current, t->key_words));
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
