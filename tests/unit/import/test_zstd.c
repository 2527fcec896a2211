/*
 * The zstd filter: frames that follow one another, places that are gone back to, cuts and damage. What it unpacks was
 * packed by the library itself, at several levels.
 */
#include "import/zstd.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "support/random.h"

enum { PLAIN = 300000, ROOM = 400000 };

typedef struct packed {
    uint8_t plain[2 * PLAIN], data[2 * ROOM];
    size_t plain_size, size;
} packed;

static packed *make(size_t frames, int level)
{
    test_random random = {test_seed(23)};
    packed *p = calloc(1, sizeof *p);
    for (size_t i = 0; i < frames; i++) {
        uint8_t *from = p->plain + p->plain_size;
        for (size_t at = 0; at < PLAIN; at++)
            from[at] = (uint8_t)(at % 97 < 40 ? 'a' + at % 26 : test_below(&random, 30));
        const size_t size = ZSTD_compress(p->data + p->size, sizeof p->data - p->size, from, PLAIN, level);
        cr_assert(!ZSTD_isError(size));
        p->size += size;
        p->plain_size += PLAIN;
    }
    return p;
}

static hsd_status drain(const packed *p, size_t size, size_t *got, hsd_error *err)
{
    hsd_source below, source;
    hsd_error_init(err);
    cr_assert(hsd_source_open_memory(&below, (hsd_bytes){p->data, size}, "a.zst", err) == HSD_OK);
    cr_assert(hsd_zstd_open(&source, &below, 4096, true, err) == HSD_OK);
    hsd_status status;
    *got = 0;
    while ((status = hsd_source_peek(&source, 1, err)) == HSD_OK) {
        const size_t ahead = hsd_source_ahead(&source);
        cr_assert(*got + ahead <= p->plain_size && memcmp(source.at, p->plain + *got, ahead) == 0, "at %zu", *got);
        hsd_source_take(&source, ahead);
        *got += ahead;
    }
    hsd_source_close(&source);
    hsd_source_close(&below);
    return status;
}

Test(zstd, unpacks_one_frame_and_several)
{
    for (size_t frames = 1; frames <= 2; frames++)
        for (int level = 1; level <= 19; level += 9) {
            packed *p = make(frames, level);
            hsd_error err;
            size_t got;
            cr_assert(hsd_zstd_probe(p->data, p->size));
            cr_assert(drain(p, p->size, &got, &err) == HSD_END && got == p->plain_size, "%zu: %s", got, err.text);
            free(p);
        }
}

Test(zstd, goes_back_to_any_place)
{
    packed *p = make(2, 3);
    hsd_source below, source;
    hsd_error err;
    cr_assert(hsd_source_open_memory(&below, (hsd_bytes){p->data, p->size}, "a.zst", &err) == HSD_OK);
    cr_assert(hsd_zstd_open(&source, &below, 4096, true, &err) == HSD_OK);
    for (size_t at = p->plain_size - 1; at > 40000; at -= 39999) {
        cr_assert(hsd_source_seek(&source, at, &err) == HSD_OK && hsd_source_peek(&source, 1, &err) == HSD_OK);
        cr_assert(*source.at == p->plain[at]);
    }
    cr_assert(hsd_source_seek(&source, p->plain_size + 1, &err) == HSD_E_TRUNCATED);
    hsd_source_close(&source);
    hsd_source_close(&below);
    free(p);
}

Test(zstd, cut_anywhere_delivers_what_came_before)
{
    packed *p = make(1, 3);
    hsd_error err;
    size_t got;
    for (size_t size = 5; size < p->size; size += 1 + p->size / 200) {
        const hsd_status status = drain(p, size, &got, &err);
        cr_assert(status == HSD_E_TRUNCATED && strstr(err.text, "ends in the middle") != NULL, "%zu: %d %s", size,
                  status, err.text);
    }
    free(p);
}

static void expect_fault(const packed *p, hsd_status wanted, const char *word)
{
    hsd_error err;
    size_t got;
    const hsd_status status = drain(p, p->size, &got, &err);
    cr_assert(status == wanted && strstr(err.text, word) != NULL, "%d: %s", status, err.text);
}

Test(zstd, finds_damage)
{
    packed *p = make(1, 3);
    memcpy(p->data + p->size, "junk", 4);
    p->size += 4;
    expect_fault(p, HSD_E_CORRUPT, "the zstd data is damaged");
    /* a window of 2^31 bytes */
    static const uint8_t wide[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00};
    memcpy(p->data, wide, sizeof wide);
    p->size = sizeof wide;
    expect_fault(p, HSD_E_UNSUPPORTED, "cannot be unpacked here");
    free(p);
}

Test(zstd, unpacks_a_prefix)
{
    packed *p = make(1, 3);
    char out[5000];
    cr_assert(hsd_source_unpack_prefix(hsd_zstd_open, p->data, 200000, out, sizeof out) == sizeof out);
    cr_assert(memcmp(out, p->plain, sizeof out) == 0);
    cr_assert(hsd_source_unpack_prefix(hsd_zstd_open, "(\xb5/\xfe....", 8, out, sizeof out) == 0);
    free(p);
}
