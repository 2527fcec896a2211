/* The checksum: the values of the xxHash library, and the same in pieces as in one. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <xxhash.h>

#include "core/hash.h"

Test(hash, is_that_of_the_library)
{
    unsigned char bytes[2000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37);
    for (size_t size = 0; size <= sizeof bytes; size += 1 + size / 7) {
        cr_assert_eq(hsc_hash(bytes, size, 0), XXH3_64bits(bytes, size));
        cr_assert_eq(hsc_hash(bytes, size, 12345), XXH3_64bits_withSeed(bytes, size, 12345));
    }
}

Test(hash, is_the_same_in_pieces)
{
    unsigned char bytes[3000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 101 >> 3);
    for (size_t piece = 1; piece < sizeof bytes; piece = piece * 3 + 1) {
        hsc_hash_stream stream;
        hsc_hash_begin(&stream, 77);
        for (size_t at = 0; at < sizeof bytes; at += piece)
            hsc_hash_add(&stream, bytes + at, sizeof bytes - at < piece ? sizeof bytes - at : piece);
        cr_assert_eq(hsc_hash_end(&stream), hsc_hash(bytes, sizeof bytes, 77));
    }
}
