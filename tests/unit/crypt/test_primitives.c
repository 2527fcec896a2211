/* What cryptography is made of, against the vectors that were published with it. */
#include "crypt/primitives.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static size_t read_hex(uint8_t *out, const char *hex)
{
    size_t size = 0;
    for (; hex[2 * size] != '\0'; size++) {
        unsigned byte = 0;
        cr_assert_eq(sscanf(hex + 2 * size, "%2x", &byte), 1);
        out[size] = (uint8_t)byte;
    }
    return size;
}

static void expect_hex(const uint8_t *bytes, const char *hex)
{
    uint8_t wanted[256];
    const size_t size = read_hex(wanted, hex);
    cr_expect_arr_eq(bytes, wanted, size, "not %s", hex);
}

Test(primitives, keys_as_rfc_4231_does)
{
    static const char hi[] = "Hi There", jefe[] = "what do ya want for nothing?",
                      large[] = "Test Using Larger Than Block-Size Key - Hash Key First";
    uint8_t key[131], hash[HSD_HMAC_BYTES];
    hsd_hmac hmac;
    memset(key, 0x0b, 20);
    hsd_hmac_init(&hmac, key, 20);
    hsd_hmac_of(&hmac, hi, sizeof hi - 1, hash);
    expect_hex(hash, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    hsd_hmac_init(&hmac, "Jefe", 4);
    for (int again = 0; again < 2; again++) { /* a key is used for any number of texts */
        hsd_hmac_of(&hmac, jefe, sizeof jefe - 1, hash);
        expect_hex(hash, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
    memset(key, 0xaa, sizeof key);
    hsd_hmac_init(&hmac, key, sizeof key);
    hsd_hmac_of(&hmac, large, sizeof large - 1, hash);
    expect_hex(hash, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

Test(primitives, siphash_is_that_of_its_authors)
{
    uint8_t key[16];
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    cr_expect_eq(hsd_siphash_u64(key, UINT64_C(0x0706050403020100)), UINT64_C(0x93f5f5799a932462));
}

Test(primitives, keys_are_derived_as_rfc_5869_does)
{
    uint8_t salt[13], secret[22], key[HSD_KEY_BYTES];
    const char info[] = {'\xf0', '\xf1', '\xf2', '\xf3', '\xf4', '\xf5', '\xf6', '\xf7', '\xf8', '\xf9', 0};
    memset(secret, 0x0b, sizeof secret);
    for (unsigned i = 0; i < sizeof salt; i++)
        salt[i] = (uint8_t)i;
    hsd_hkdf(secret, sizeof secret, salt, sizeof salt, info, key);
    expect_hex(key, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
}

Test(primitives, two_halves_meet_as_in_rfc_7748)
{
    uint8_t alice[32], bob[32], public[32], shared[32], of_order_8[32] = {0};
    read_hex(alice, "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
    read_hex(bob, "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
    cr_assert(hsd_x25519_shared(shared, alice, bob));
    expect_hex(shared, "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    cr_assert(hsd_x25519_public(public, alice));
    cr_assert(hsd_x25519_public(bob, shared));
    uint8_t one[32], other[32];
    cr_assert(hsd_x25519_shared(one, alice, bob));
    cr_assert(hsd_x25519_shared(other, shared, public));
    cr_expect_arr_eq(one, other, sizeof one);
    cr_expect_not(hsd_x25519_shared(one, alice, of_order_8), "a point of small order gives a secret that all know");
}

Test(primitives, seals_as_rfc_8439_does)
{
    /* Section 2.8.2 has additional data, which nothing here has; the first block of the key stream, and what is sealed
     * opens again. */
    uint8_t key[HSD_KEY_BYTES] = {0}, sealed[64 + HSD_SEAL_TAG_BYTES], text[64] = {0};
    const uint8_t nonce[HSD_SEAL_NONCE] = {0};
    hsd_seal(sealed, text, sizeof text, nonce, key);
    expect_hex(sealed, "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
                       "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"); /* appendix A.1, vector 2 */
    cr_expect(hsd_unseal(text, sealed, sizeof sealed, nonce, key));
    for (size_t i = 0; i < sizeof sealed; i++) {
        sealed[i] ^= 1;
        cr_expect_not(hsd_unseal(text, sealed, sizeof sealed, nonce, key), "byte %zu", i);
        sealed[i] ^= 1;
    }
}

Test(primitives, a_stream_is_the_same_in_any_pieces)
{
    uint8_t key[HSD_KEY_BYTES] = {0}, zeros[300] = {0}, whole[300], piece[300];
    hsd_stream_turn(whole, zeros, sizeof whole, 0, key);
    expect_hex(whole, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                      "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
                      "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"); /* RFC 8439, A.1, 1 and 2 */
    for (size_t at = 0; at < sizeof whole; at++)
        for (size_t size = 0; size <= sizeof whole - at; size += 1 + size / 3) {
            hsd_stream_turn(piece, zeros, size, at, key);
            cr_assert_arr_eq(piece, whole + at, size, "%zu bytes from %zu on", size, at);
        }
}

Test(primitives, signatures_are_those_of_rfc_8032)
{
    uint8_t key[32], signature[64], text[1] = {0x72};
    read_hex(key, "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    read_hex(signature, "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    cr_expect(hsd_ed25519_is_signed(signature, text, 1, key));
    text[0]++;
    cr_expect_not(hsd_ed25519_is_signed(signature, text, 1, key));
}

Test(primitives, blake2b_is_that_of_rfc_7693)
{
    hsd_blake2b hash;
    uint8_t out[HSD_BLAKE2B_BYTES];
    hsd_blake2b_begin(&hash);
    hsd_blake2b_add(&hash, "a", 1);
    hsd_blake2b_add(&hash, "bc", 2);
    hsd_blake2b_finish(&hash, out);
    expect_hex(out, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

Test(primitives, base64_has_one_form)
{
    uint8_t out[4];
    char text[HSD_BASE64_CHARS(4)];
    cr_expect(hsd_base64_decode(out, 4, "/+8BAg", 6, false));
    expect_hex(out, "ffef0102");
    hsd_base64_encode(text, sizeof text, out, 4);
    cr_expect_str_eq(text, "/+8BAg");
    cr_expect(hsd_base64_decode(out, 4, "/+8BAg==", 8, true));
    cr_expect_not(hsd_base64_decode(out, 4, "/+8BAg==", 8, false), "padding that is not the format's");
    cr_expect_not(hsd_base64_decode(out, 4, "/+8BAh", 6, false), "bits that are thrown away");
    cr_expect_not(hsd_base64_decode(out, 4, "/+8BAgM", 7, false), "a byte more");
    cr_expect_not(hsd_base64_decode(out, 4, "/+8BA", 5, false), "a byte less");
    cr_expect_not(hsd_base64_decode(out, 4, "/+8B g", 6, false), "something else");
}
