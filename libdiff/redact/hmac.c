/* HMAC-SHA-256 and SipHash-2-4. See hmac.h. */
#include "redact/hmac.h"

#include <string.h>

/* ---- SHA-256 ---- */

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn_right(uint32_t x, unsigned by) { return x >> by | x << (32 - by); }

static uint32_t get_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_big(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void expand(uint32_t w[64], const uint8_t block[HSD_SHA256_BLOCK])
{
    for (unsigned i = 0; i < 16; i++)
        w[i] = get_big(block + 4 * i);
    for (unsigned i = 16; i < 64; i++) {
        const uint32_t a = turn_right(w[i - 15], 7) ^ turn_right(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t b = turn_right(w[i - 2], 17) ^ turn_right(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
}

static void take_block(uint32_t state[8], const uint8_t block[HSD_SHA256_BLOCK])
{
    uint32_t w[64], v[8];
    expand(w, block);
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        const uint32_t e = turn_right(v[4], 6) ^ turn_right(v[4], 11) ^ turn_right(v[4], 25);
        const uint32_t a = turn_right(v[0], 2) ^ turn_right(v[0], 13) ^ turn_right(v[0], 22);
        const uint32_t one = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constants[i] + w[i];
        const uint32_t two = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void hsd_sha256_begin(hsd_sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->size_bytes = 0;
}

void hsd_sha256_add(hsd_sha256 *hash, const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size > 0) {
        const size_t used = (size_t)(hash->size_bytes % HSD_SHA256_BLOCK), room = HSD_SHA256_BLOCK - used;
        const size_t taken = size < room ? size : room;
        memcpy(hash->block + used, at, taken);
        hash->size_bytes += taken;
        at += taken;
        size -= taken;
        if (taken == room) take_block(hash->state, hash->block);
    }
}

void hsd_sha256_finish(hsd_sha256 *hash, uint8_t out[HSD_SHA256_BYTES])
{
    static const uint8_t padding[HSD_SHA256_BLOCK] = {0x80};
    const uint64_t bits = hash->size_bytes * 8;
    const size_t used = (size_t)(hash->size_bytes % HSD_SHA256_BLOCK);
    uint8_t length[8];
    put_big(length, (uint32_t)(bits >> 32));
    put_big(length + 4, (uint32_t)bits);
    hsd_sha256_add(hash, padding, (used < 56 ? 56 : 120) - used);
    hsd_sha256_add(hash, length, sizeof length);
    for (unsigned i = 0; i < 8; i++)
        put_big(out + 4 * i, hash->state[i]);
}

/* ---- HMAC ---- */

static void begin_padded(hsd_sha256 *hash, const uint8_t key[HSD_SHA256_BLOCK], uint8_t pad)
{
    uint8_t block[HSD_SHA256_BLOCK];
    for (unsigned i = 0; i < HSD_SHA256_BLOCK; i++)
        block[i] = key[i] ^ pad;
    hsd_sha256_begin(hash);
    hsd_sha256_add(hash, block, sizeof block);
}

void hsd_hmac_init(hsd_hmac *hmac, const uint8_t *key, size_t size)
{
    uint8_t block[HSD_SHA256_BLOCK] = {0};
    if (size > sizeof block) {
        hsd_sha256 hash;
        hsd_sha256_begin(&hash);
        hsd_sha256_add(&hash, key, size);
        hsd_sha256_finish(&hash, block);
    } else if (size > 0) {
        memcpy(block, key, size);
    }
    begin_padded(&hmac->inner, block, 0x36);
    begin_padded(&hmac->outer, block, 0x5c);
}

void hsd_hmac_of(const hsd_hmac *hmac, const void *data, size_t size, uint8_t out[HSD_SHA256_BYTES])
{
    uint8_t inner[HSD_SHA256_BYTES];
    hsd_sha256 hash = hmac->inner;
    hsd_sha256_add(&hash, data, size);
    hsd_sha256_finish(&hash, inner);
    hash = hmac->outer;
    hsd_sha256_add(&hash, inner, sizeof inner);
    hsd_sha256_finish(&hash, out);
}

/* ---- SipHash ---- */

static uint64_t turn_left(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

static uint64_t get_little(const uint8_t *at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static void mix_siphash(uint64_t v[4], unsigned rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[1] = turn_left(v[1], 13) ^ v[0];
        v[0] = turn_left(v[0], 32);
        v[2] += v[3];
        v[3] = turn_left(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = turn_left(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = turn_left(v[1], 17) ^ v[2];
        v[2] = turn_left(v[2], 32);
    }
}

uint64_t hsd_siphash_u64(const uint8_t key[16], uint64_t value)
{
    const uint64_t k0 = get_little(key), k1 = get_little(key + 8), end = UINT64_C(8) << 56;
    uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                     k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    v[3] ^= value;
    mix_siphash(v, 2);
    v[0] ^= value;
    v[3] ^= end;
    mix_siphash(v, 2);
    v[0] ^= end;
    v[2] ^= 0xff;
    mix_siphash(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
