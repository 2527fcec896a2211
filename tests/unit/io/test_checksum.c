/* Digests: those of other programs, whatever the pieces and wherever in memory. (Checksums: test_checks.c of format/.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"

static const char *digits_of(const uint8_t digest[HSD_DIGEST_BYTES])
{
    static char digits[2 * HSD_DIGEST_BYTES + 1];
    for (size_t i = 0; i < HSD_DIGEST_BYTES; i++)
        snprintf(digits + 2 * i, 3, "%02x", digest[i]);
    return digits;
}

static const char *digest_of(const void *data, size_t size)
{
    hsd_digest digest;
    uint8_t out[HSD_DIGEST_BYTES];
    hsd_digest_begin(&digest);
    hsd_digest_add(&digest, data, size);
    hsd_digest_get(&digest, out);
    return digits_of(out);
}

Test(digest, is_what_xxh128sum_prints)
{
    cr_expect_str_eq(digest_of("", 0), "99aa06d3014798d86001c324468d497f");
    cr_expect_str_eq(digest_of("a", 1), "a96faf705af16834e6c632b61e964e1f");
}

Test(digest, does_not_depend_on_the_pieces)
{
    static uint8_t data[3000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    for (size_t piece = 1; piece < sizeof data; piece = piece * 3 + 1) {
        hsd_digest digest;
        uint8_t out[HSD_DIGEST_BYTES];
        hsd_digest_begin(&digest);
        for (size_t at = 0; at < sizeof data; at += piece) {
            hsd_digest_add(&digest, data + at, sizeof data - at < piece ? sizeof data - at : piece);
            hsd_digest_get(&digest, out); /* more may follow */
        }
        char whole[2 * HSD_DIGEST_BYTES + 1];
        snprintf(whole, sizeof whole, "%s", digest_of(data, sizeof data));
        cr_expect_str_eq(digits_of(out), whole, "pieces of %zu bytes", piece);
    }
}

Test(digest, does_not_depend_on_where_it_stands)
{
    uint8_t *room = malloc(sizeof(hsd_digest) + 64);
    cr_assert_not_null(room);
    for (size_t i = 0; i < 64; i++) {
        hsd_digest *digest = (hsd_digest *)(void *)(room + i);
        uint8_t out[HSD_DIGEST_BYTES];
        hsd_digest_begin(digest);
        hsd_digest_add(digest, "a", 1);
        hsd_digest_get(digest, out);
        cr_expect_str_eq(digits_of(out), "a96faf705af16834e6c632b61e964e1f");
    }
    free(room);
}
