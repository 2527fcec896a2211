/* Which groups a group tells, on a tape: by/told.h. */
#include "holders/by/told.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"

#define CHUNK (UINT32_C(16) << 10)

/* ---- writing ---- */

static hsd_status note_chunk(hsd_by_told *told, hsd_error *err)
{
    if (told->chunk_count >= told->tape.chunk_count) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(told->chunk_of, told->chunk_capacity, (uint64_t)told->chunk_count + 1, 64,
                           "what holds together", err));
    told->chunk_of[told->chunk_count++] = told->last;
    return HSD_OK;
}

/* Numbers are below HSD_BY_MOST_NUMBER. */
static uint8_t *put_word(uint8_t *at, hsd_node before, hsd_node word)
{
    const hsd_node difference = hsd_fold_difference(HSD_BY_GROUP(word), before);
    return hsd_tape_far_put(at, difference << 1 | (word & HSD_BY_FOR_MARK_ALONE ? 1 : 0));
}

hsd_status hsd_by_told_put(hsd_by_told *told, hsd_node group, const hsd_node *words, uint32_t count, hsd_error *err)
{
    HSD_ASSERT(count <= HSD_BY_TOLD_ITEMS && group >= told->last);
    uint8_t *at = hsd_tape_room(&told->tape, (count + 2) * HSD_VARINT_MOST);
    HSD_TRY(note_chunk(told, err));
    at = hsd_varint_put(at, group - told->last);
    at = hsd_varint_put(at, count);
    for (uint32_t i = 0; i < count; i++)
        at = put_word(at, i == 0 ? group : HSD_BY_GROUP(words[i - 1]), words[i]);
    told->tape.at = at;
    told->last = group;
    return HSD_OK;
}

/* Of those that tell the most the first is on top. */
static void note_many(hsd_by_told_many *many, hsd_node group, uint64_t count)
{
    uint32_t at = HSD_BY_TOLD_MANY;
    while (at > 0 && many[at - 1].count < count)
        at--;
    if (at == HSD_BY_TOLD_MANY) return;
    memmove(&many[at + 1], &many[at], (HSD_BY_TOLD_MANY - 1 - at) * sizeof *many);
    many[at] = (hsd_by_told_many){.group = group, .count = count};
}

/* Which are told themselves. */
static void keep_told(hsd_by_told *told, const uint8_t *is_told)
{
    for (uint32_t fork = 0; fork < HSD_BY_FORKS; fork++)
        for (uint32_t i = 0; i < HSD_BY_TOLD_MANY; i++)
            if (!hsd_bit_get(is_told, told->many[fork][i].group)) told->many[fork][i].group = 0;
}

/* What one group tells, from the first pair of it on: `pair` becomes the first one of the next. `at` is where its words
 * stand in the array. */
static hsd_status put_group(hsd_by_told *told, hsd_by_search *s, const uint64_t **pair, uint64_t *at, uint8_t *is_told,
                            hsd_error *err)
{
    const hsd_node group = hsd_words_first(*pair);
    hsd_node words[HSD_BY_TOLD_ITEMS], last = HSD_NODE_MAX; /* no word is that: HSD_BY_MOST_NUMBER */
    uint32_t count = 0;
    uint64_t all = 0;
    hsd_status status = HSD_OK;
    for (; status == HSD_OK && hsd_words_first(*pair) == group; status = hsd_sorter_next(s->pairs, pair, err)) {
        if (hsd_words_second(*pair) == last) continue;
        last = hsd_words_second(*pair);
        if (count == HSD_BY_TOLD_ITEMS) {
            HSD_TRY(hsd_by_told_put(told, group, words, count, err));
            count = 0;
        }
        words[count++] = last;
        hsd_paged_set_node(&s->targets, (*at)++, last);
        hsd_bit_set(is_told, HSD_BY_GROUP(last));
        all++;
    }
    if (status != HSD_OK && status != HSD_END) return status;
    note_many(told->many[hsd_by_fork_of(s, group)], group, all);
    HSD_TRY(hsd_by_told_put(told, group, words, count, err));
    return status;
}

/* Pairs come in the order of their first group; equal ones are one. */
static hsd_status put_groups(hsd_by_told *told, hsd_by_search *s, hsd_error *err)
{
    uint8_t *is_told = calloc((size_t)s->group_count / 8 + 1, 1);
    const uint64_t *pair;
    if (is_told == NULL) return hsd_fail_nomem(err, "what holds together");
    uint64_t at = 0;
    hsd_node next = 0; /* group without a start */
    hsd_status status = hsd_sorter_next(s->pairs, &pair, err);
    while (status == HSD_OK) {
        while (next <= hsd_words_first(pair))
            hsd_paged_set_u64(&s->starts, next++, at);
        status = put_group(told, s, &pair, &at, is_told, err);
    }
    while (next <= s->group_count + 1)
        hsd_paged_set_u64(&s->starts, next++, at);
    if (status == HSD_END) keep_told(told, is_told);
    free(is_told);
    if (status != HSD_END) return status;
    HSD_TRY(hsd_paged_check(&s->starts, err));
    return hsd_paged_check(&s->targets, err);
}

void hsd_by_told_begin(hsd_by_told *told, hsd_temp_space *space)
{
    memset(told, 0, sizeof *told);
    hsd_reel_init(&told->reel, false, CHUNK, space);
    hsd_tape_init(&told->tape, &told->reel);
}

hsd_status hsd_by_told_end(hsd_by_told *told, hsd_error *err)
{
    hsd_tape_finish(&told->tape);
    hsd_tape_read(&told->reader, &told->tape, HSD_TAPE_FORWARD, false);
    told->group = 0; /* nothing is at hand */
    told->asked = HSD_NODE_MAX;
    return hsd_reel_check(&told->reel, err);
}

hsd_status hsd_by_told_open(hsd_by_told *told, hsd_by_search *s, hsd_error *err)
{
    hsd_by_told_begin(told, &s->growth->pair->space);
    HSD_TRY(put_groups(told, s, err));
    return hsd_by_told_end(told, err);
}

static void set_places(hsd_by_told *told)
{
    told->tape.reel = &told->reel;
    told->reader.tape = &told->tape;
}

void hsd_by_told_swap(hsd_by_told *a, hsd_by_told *b)
{
    const hsd_by_told was = *a;
    *a = *b;
    *b = was;
    set_places(a);
    set_places(b);
}

void hsd_by_told_close(hsd_by_told *told)
{
    hsd_tape_close(&told->reader);
    hsd_tape_release(&told->tape);
    if (told->reel.space != NULL) hsd_reel_release(&told->reel);
    free(told->chunk_of);
    memset(told, 0, sizeof *told);
}

/* ---- reading ---- */

static void read_record(hsd_by_told *told, hsd_node before)
{
    hsd_node step, count;
    if (!hsd_tape_has_more(&told->reader)) {
        told->group = HSD_NODE_MAX;
        return;
    }
    const uint8_t *at = hsd_tape_varint(hsd_tape_varint(told->reader.at, &step), &count);
    told->group = before + step;
    told->count = (uint32_t)hsd_min_u64(count, HSD_BY_TOLD_ITEMS);
    hsd_node last = told->group;
    for (uint32_t i = 0; i < told->count; i++) {
        hsd_node word;
        at = hsd_tape_far(at, &word);
        last = hsd_unfold_difference(word >> 1, last);
        told->words[i] = last | ((word & 1) != 0 ? HSD_BY_FOR_MARK_ALONE : 0);
    }
    told->reader.at = at;
}

static hsd_node last_of_chunk(const hsd_by_told *told, uint32_t chunk)
{
    return chunk + 1 < told->chunk_count ? told->chunk_of[chunk + 1] : told->last;
}

/* The first chunk that may have the group. */
static uint32_t chunk_with(const hsd_by_told *told, hsd_node group)
{
    uint32_t low = 0, high = told->chunk_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (last_of_chunk(told, middle) < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void go_to_chunk(hsd_by_told *told, uint32_t chunk)
{
    told->reader.turned = chunk;
    told->reader.at = told->reader.end; /* what is read next is the chunk's beginning */
    if (chunk < told->chunk_count)
        read_record(told, told->chunk_of[chunk]);
    else
        told->group = HSD_NODE_MAX;
}

void hsd_by_told_rewind(hsd_by_told *told)
{
    told->asked = HSD_NODE_MAX;
    go_to_chunk(told, 0);
}

/* Between what was asked for last, whose records are read already, and the record at hand there is none. */
bool hsd_by_told_find(hsd_by_told *told, hsd_node group)
{
    const hsd_node asked = told->asked;
    const uint32_t turned = told->reader.turned;
    told->asked = group;
    if (asked < group && group < told->group) return false;
    const bool is_ahead = turned > 0 && told->group <= group && last_of_chunk(told, turned - 1) >= group;
    if (!is_ahead) go_to_chunk(told, chunk_with(told, group));
    while (told->group < group)
        read_record(told, told->group);
    return told->group == group;
}

bool hsd_by_told_next(hsd_by_told *told)
{
    const hsd_node group = told->group;
    read_record(told, group);
    return told->group == group;
}

hsd_status hsd_by_told_check(const hsd_by_told *told, hsd_error *err) { return hsd_reel_check(&told->reel, err); }
