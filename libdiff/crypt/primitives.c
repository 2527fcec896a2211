/* The primitives by libsodium, of whose header this is the only includer. See primitives.h. */
#include "crypt/primitives.h"
#include "crypt/signature.h"

#include <string.h>

#include <sodium.h>

#include "base/assert.h"

_Static_assert(sizeof(crypto_auth_hmacsha256_state) <= sizeof(hsd_hmac), "a keyed hash must fit");
_Static_assert(sizeof(crypto_generichash_blake2b_state) + 63 <= sizeof(hsd_blake2b), "a hash must fit, aligned to 64");
_Static_assert(HSD_SEAL_TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES, "tags are of 16 bytes");

bool hsd_primitives_begin(void) { return sodium_init() >= 0; }

/* ---- keyed hashes ---- */

void hsd_hmac_init(hsd_hmac *hmac, const void *key, size_t size)
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, key, size);
    memcpy(hmac->state, &state, sizeof state);
    sodium_memzero(&state, sizeof state);
}

void hsd_hmac_of(const hsd_hmac *hmac, const void *data, size_t size, uint8_t out[HSD_HMAC_BYTES])
{
    crypto_auth_hmacsha256_state state;
    memcpy(&state, hmac->state, sizeof state);
    crypto_auth_hmacsha256_update(&state, data, size);
    crypto_auth_hmacsha256_final(&state, out);
}

void hsd_hkdf(const void *secret, size_t secret_size, const void *salt, size_t salt_size, const char *info,
              uint8_t out[HSD_KEY_BYTES])
{
    static const uint8_t first = 1; /* one block is all that a key of 32 bytes needs */
    crypto_auth_hmacsha256_state state;
    uint8_t key[HSD_HMAC_BYTES];
    crypto_auth_hmacsha256_init(&state, salt, salt_size);
    crypto_auth_hmacsha256_update(&state, secret, secret_size);
    crypto_auth_hmacsha256_final(&state, key);
    crypto_auth_hmacsha256_init(&state, key, sizeof key);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)info, strlen(info));
    crypto_auth_hmacsha256_update(&state, &first, 1);
    crypto_auth_hmacsha256_final(&state, out);
    sodium_memzero(key, sizeof key);
    sodium_memzero(&state, sizeof state);
}

uint64_t hsd_siphash_u64(const uint8_t key[16], uint64_t value)
{
    uint8_t in[8], out[8];
    uint64_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        in[i] = (uint8_t)(value >> (8 * i));
    crypto_shorthash(out, in, sizeof in, key);
    for (unsigned i = 0; i < 8; i++)
        result |= (uint64_t)out[i] << (8 * i);
    return result;
}

/* ---- keys ---- */

bool hsd_x25519_public(uint8_t out[HSD_KEY_BYTES], const uint8_t secret[HSD_KEY_BYTES])
{
    return crypto_scalarmult_base(out, secret) == 0;
}

bool hsd_x25519_shared(uint8_t out[HSD_KEY_BYTES], const uint8_t secret[HSD_KEY_BYTES],
                       const uint8_t other[HSD_KEY_BYTES])
{
    return crypto_scalarmult(out, secret, other) == 0;
}

/* ---- sealing ---- */

void hsd_seal(uint8_t *out, const uint8_t *data, size_t size, const uint8_t nonce[HSD_SEAL_NONCE],
              const uint8_t key[HSD_KEY_BYTES])
{
    crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, data, size, NULL, 0, NULL, nonce, key);
}

bool hsd_unseal(uint8_t *out, const uint8_t *data, size_t size, const uint8_t nonce[HSD_SEAL_NONCE],
                const uint8_t key[HSD_KEY_BYTES])
{
    return crypto_aead_chacha20poly1305_ietf_decrypt(out, NULL, NULL, data, size, NULL, 0, nonce, key) == 0;
}

/* ---- a stream ---- */

enum { STREAM_BLOCK = 64 };

void hsd_stream_turn(uint8_t *out, const uint8_t *data, size_t size, uint64_t offset, const uint8_t key[HSD_KEY_BYTES])
{
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
    uint8_t block[STREAM_BLOCK] = {0};
    const size_t from = (size_t)(offset % STREAM_BLOCK);
    const size_t first = from == 0 ? 0 : size < STREAM_BLOCK - from ? size : STREAM_BLOCK - from;
    if (first > 0) {
        memcpy(block + from, data, first);
        crypto_stream_chacha20_xor_ic(block, block, sizeof block, nonce, offset / STREAM_BLOCK, key);
        memcpy(out, block + from, first);
        sodium_memzero(block, sizeof block);
    }
    if (size > first)
        crypto_stream_chacha20_xor_ic(out + first, data + first, size - first, nonce, (offset + first) / STREAM_BLOCK,
                                      key);
}

/* ---- signatures ---- */

bool hsd_ed25519_is_signed(const uint8_t signature[HSD_SIGNATURE_BYTES], const void *data, size_t size,
                           const uint8_t key[HSD_KEY_BYTES])
{
    return crypto_sign_verify_detached(signature, data, size, key) == 0;
}

void hsd_ed25519_make(uint8_t public[HSD_KEY_BYTES], uint8_t secret[HSD_SIGNATURE_BYTES])
{
    crypto_sign_keypair(public, secret);
}

void hsd_ed25519_sign(uint8_t signature[HSD_SIGNATURE_BYTES], const void *data, size_t size,
                      const uint8_t secret[HSD_SIGNATURE_BYTES])
{
    crypto_sign_detached(signature, NULL, data, size, secret);
}

bool hsd_scrypt(uint8_t *out, size_t out_size, const char *password, size_t size, const uint8_t salt[32],
                uint64_t operations, uint64_t memory_bytes)
{
    return crypto_pwhash_scryptsalsa208sha256(out, out_size, password, size, salt, operations, (size_t)memory_bytes) ==
           0;
}

void hsd_blake2b_short(uint8_t out[32], const void *data, size_t size)
{
    crypto_generichash_blake2b(out, 32, data, size, NULL, 0);
}

/* libsodium wants its state at a multiple of 64. */
static crypto_generichash_blake2b_state *state_of(hsd_blake2b *hash)
{
    return (void *)(((uintptr_t)hash->room + 63) & ~(uintptr_t)63);
}

void hsd_blake2b_begin(hsd_blake2b *hash)
{
    crypto_generichash_blake2b_init(state_of(hash), NULL, 0, HSD_BLAKE2B_BYTES);
}

void hsd_blake2b_add(hsd_blake2b *hash, const void *data, size_t size)
{
    crypto_generichash_blake2b_update(state_of(hash), data, size);
}

void hsd_blake2b_finish(hsd_blake2b *hash, uint8_t out[HSD_BLAKE2B_BYTES])
{
    crypto_generichash_blake2b_final(state_of(hash), out, HSD_BLAKE2B_BYTES);
}

/* ---- the rest ---- */

bool hsd_base64_decode(void *out, size_t out_size, const char *text, size_t size, bool is_padded)
{
    const int variant = is_padded ? sodium_base64_VARIANT_ORIGINAL : sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
    size_t got = 0;
    const char *end = NULL;
    return sodium_base642bin(out, out_size, text, size, NULL, &got, &end, variant) == 0 && got == out_size &&
           end == text + size;
}

void hsd_base64_encode(char *text, size_t capacity, const void *data, size_t size)
{
    HSD_ASSERT(capacity >= HSD_BASE64_CHARS(size));
    sodium_bin2base64(text, capacity, data, size, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

void hsd_base64_encode_padded(char *text, size_t capacity, const void *data, size_t size)
{
    HSD_ASSERT(capacity >= HSD_BASE64_CHARS(size));
    sodium_bin2base64(text, capacity, data, size, sodium_base64_VARIANT_ORIGINAL);
}

bool hsd_is_same_secret(const void *a, const void *b, size_t size) { return sodium_memcmp(a, b, size) == 0; }

void hsd_random_bytes(void *out, size_t size) { randombytes_buf(out, size); }

void hsd_forget_secret(void *data, size_t size)
{
    if (size > 0) sodium_memzero(data, size);
}
