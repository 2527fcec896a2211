/*
 * The hash of an object's primitive content: what structure matching compares where ids say nothing.
 * Only the hash goes into the capture, never the bytes. It depends on the bytes and their order,
 * not on how they are cut into pieces. Not stable between releases.
 */
#ifndef HSD_IMPORT_HPROF_CONTENT_H
#define HSD_IMPORT_HPROF_CONTENT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mix.h"

#define HPROF_CONTENT_START UINT64_C(0x8cb92ba72f3d8dd7)

static inline uint64_t hsd_hprof_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The last `size` < 8 bytes, with their number. */
static inline uint64_t hsd_hprof_mix_tail(uint64_t state, const uint8_t *at, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)at[i] << (8 * i);
    return hsd_mix(state, word + ((uint64_t)size << 56));
}

/* A run of bytes of an instance. */
static inline uint64_t hsd_hprof_mix_bytes(uint64_t state, const uint8_t *at, size_t size)
{
    for (; size >= 8; at += 8, size -= 8)
        state = hsd_mix(state, hsd_hprof_word(at));
    return size == 0 ? state : hsd_hprof_mix_tail(state, at, size);
}

/* Elements of a long array, 32 bytes at a time in four independent states. */
typedef struct hprof_content {
    uint64_t lanes[4];
} hprof_content;

static inline void hsd_hprof_content_begin(hprof_content *content)
{
    for (unsigned i = 0; i < 4; i++)
        content->lanes[i] = HPROF_CONTENT_START + i;
}

/* `size` is a multiple of 32 in all calls but the last, which is hsd_hprof_content_finish's. */
static inline void hsd_hprof_content_add(hprof_content *content, const uint8_t *at, size_t size)
{
    uint64_t a = content->lanes[0], b = content->lanes[1], c = content->lanes[2], d = content->lanes[3];
    for (; size >= 32; at += 32, size -= 32) {
        a = hsd_mix(a, hsd_hprof_word(at));
        b = hsd_mix(b, hsd_hprof_word(at + 8));
        c = hsd_mix(c, hsd_hprof_word(at + 16));
        d = hsd_mix(d, hsd_hprof_word(at + 24));
    }
    content->lanes[0] = a;
    content->lanes[1] = b;
    content->lanes[2] = c;
    content->lanes[3] = d;
}

/* The hash; never 0, which means none. `at` are the last bytes, fewer than 32. */
static inline uint64_t hsd_hprof_content_finish(const hprof_content *content, const uint8_t *at, size_t size)
{
    uint64_t state = hsd_mix(content->lanes[0], content->lanes[1]);
    state = hsd_mix(state, hsd_mix(content->lanes[2], content->lanes[3]));
    state = hsd_hprof_mix_bytes(state, at, size);
    return state == 0 ? 1 : state;
}

#endif
