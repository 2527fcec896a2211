/* The keyed functions against the vectors that were published with them, and in pieces of every size. */
#include "redact/hmac.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect_hex(const uint8_t hash[HSD_SHA256_BYTES], const char *hex)
{
    char text[2 * HSD_SHA256_BYTES + 1];
    for (size_t i = 0; i < HSD_SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    cr_assert_str_eq(text, hex);
}

static void hash_text(const char *text, size_t size, size_t piece, uint8_t out[HSD_SHA256_BYTES])
{
    hsd_sha256 hash;
    hsd_sha256_begin(&hash);
    for (size_t at = 0; at < size; at += piece)
        hsd_sha256_add(&hash, text + at, size - at < piece ? size - at : piece);
    hsd_sha256_finish(&hash, out);
}

Test(hmac, hashes_what_fips_180_4_hashes)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t hash[HSD_SHA256_BYTES];
    hash_text("", 0, 1, hash);
    expect_hex(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_text("abc", 3, 1, hash);
    expect_hex(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_text(two, sizeof two - 1, 7, hash);
    expect_hex(hash, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

Test(hmac, does_not_care_about_pieces)
{
    char text[300];
    memset(text, 'x', sizeof text);
    for (size_t size = 0; size <= sizeof text; size++) {
        uint8_t whole[HSD_SHA256_BYTES], parts[HSD_SHA256_BYTES];
        hash_text(text, size, sizeof text, whole);
        for (size_t piece = 1; piece < 130; piece += 13) {
            hash_text(text, size, piece, parts);
            cr_assert_arr_eq(whole, parts, sizeof whole, "%zu bytes in pieces of %zu", size, piece);
        }
    }
}

Test(hmac, keys_as_rfc_4231_does)
{
    static const char hi[] = "Hi There", jefe[] = "what do ya want for nothing?",
                      large[] = "Test Using Larger Than Block-Size Key - Hash Key First";
    uint8_t key[131], hash[HSD_SHA256_BYTES];
    hsd_hmac hmac;
    memset(key, 0x0b, 20);
    hsd_hmac_init(&hmac, key, 20);
    hsd_hmac_of(&hmac, hi, sizeof hi - 1, hash);
    expect_hex(hash, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    hsd_hmac_init(&hmac, (const uint8_t *)"Jefe", 4);
    for (int again = 0; again < 2; again++) { /* a key is used for any number of texts */
        hsd_hmac_of(&hmac, jefe, sizeof jefe - 1, hash);
        expect_hex(hash, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
    memset(key, 0xaa, sizeof key);
    hsd_hmac_init(&hmac, key, sizeof key);
    hsd_hmac_of(&hmac, large, sizeof large - 1, hash);
    expect_hex(hash, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

Test(hmac, siphash_is_that_of_its_authors)
{
    uint8_t key[16];
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    cr_expect_eq(hsd_siphash_u64(key, UINT64_C(0x0706050403020100)), UINT64_C(0x93f5f5799a932462));
}
