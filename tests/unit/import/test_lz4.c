/*
 * The LZ4 filter: blocks that are stored, packed, linked; frames that follow one another; checksums; and what is
 * damaged or cut off. Expected bytes are written by hand from the format's description.
 */
#include "import/lz4.h"

#include <criterion/criterion.h>
#include <string.h>

#include "io/checksum.h"

typedef struct frame {
    uint8_t data[4096];
    size_t size;
} frame;

static void put(frame *f, const void *bytes, size_t size)
{
    cr_assert(f->size + size <= sizeof f->data);
    memcpy(f->data + f->size, bytes, size);
    f->size += size;
}

static void put_u32(frame *f, uint32_t word)
{
    put(f, (uint8_t[]){(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)}, 4);
}

static void put_head(frame *f, unsigned flags)
{
    const size_t begin = f->size + 4;
    put_u32(f, 0x184D2204);
    put(f, (uint8_t[]){(uint8_t)flags, 0x40}, 2);
    if ((flags & 8) != 0) put(f, "\0\0\0\0\0\0\0\0", 8);
    put(f, &(uint8_t){(uint8_t)(hsd_xxh32(f->data + begin, f->size - begin) >> 8)}, 1);
}

static void put_block(frame *f, unsigned flags, bool is_stored, const char *bytes, size_t size)
{
    put_u32(f, (uint32_t)size | (is_stored ? 0x80000000 : 0));
    put(f, bytes, size);
    if ((flags & 0x10) != 0) put_u32(f, hsd_xxh32(bytes, size));
}

static void put_end(frame *f, unsigned flags, const char *content)
{
    put_u32(f, 0);
    if ((flags & 4) != 0) put_u32(f, hsd_xxh32(content, strlen(content)));
}

/* "abc", and nine bytes from three back; then literals that end the block. */
#define PACKED                                                                                                         \
    "\x35"                                                                                                             \
    "abc"                                                                                                              \
    "\x03\x00"                                                                                                         \
    "\x20"                                                                                                             \
    "xy"
#define LINKED                                                                                                         \
    "\x10"                                                                                                             \
    "-"                                                                                                                \
    "\x06\x00"                                                                                                         \
    "\x10"                                                                                                             \
    "!" /* a literal, and four bytes from six back: of the block before */
static const char unpacked[] = "abcabcabcabcxy-abcx!";

static hsd_status drain(const frame *f, size_t size, char *out, size_t room, size_t *got, hsd_error *err)
{
    hsd_source below, source;
    hsd_error_init(err);
    cr_assert(hsd_source_open_memory(&below, (hsd_bytes){f->data, size}, "a.lz4", err) == HSD_OK);
    cr_assert(hsd_lz4_open(&source, &below, 4096, true, err) == HSD_OK);
    hsd_status status;
    *got = 0;
    while ((status = hsd_source_peek(&source, 1, err)) == HSD_OK && *got < room) {
        out[(*got)++] = (char)*source.at;
        hsd_source_take(&source, 1);
    }
    hsd_source_close(&source);
    hsd_source_close(&below);
    return status;
}

static void make(frame *f, unsigned flags)
{
    *f = (frame){0};
    put_head(f, flags);
    put_block(f, flags, false, PACKED, sizeof PACKED - 1);
    if ((flags & 0x20) == 0)
        put_block(f, flags, false, LINKED, sizeof LINKED - 1);
    else
        put_block(f, flags, true, unpacked + 14, sizeof unpacked - 15);
    put_end(f, flags, unpacked);
}

static void expect_text(const frame *f, const char *text)
{
    char out[256];
    size_t got;
    hsd_error err;
    const hsd_status status = drain(f, f->size, out, sizeof out, &got, &err);
    cr_assert(status == HSD_END, "%d: %s", status, err.text);
    cr_assert(got == strlen(text) && memcmp(out, text, got) == 0, "%.*s", (int)got, out);
}

Test(lz4, unpacks_frames_of_each_kind)
{
    static const unsigned kinds[] = {0x40, 0x44, 0x50, 0x60, 0x74, 0x48, 0x7c};
    frame f;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        make(&f, kinds[i]);
        cr_expect(hsd_lz4_probe(f.data, f.size));
        expect_text(&f, unpacked);
    }
}

Test(lz4, reads_frames_one_behind_another_and_passes_over_those_of_others)
{
    frame f, other;
    make(&f, 0x40);
    put_u32(&f, 0x184D2A53), put_u32(&f, 5), put(&f, "other", 5);
    make(&other, 0x60);
    put(&f, other.data, other.size);
    expect_text(&f, "abcabcabcabcxy-abcx!abcabcabcabcxy-abcx!");
}

Test(lz4, goes_back_to_any_place)
{
    frame f;
    hsd_source below, source;
    hsd_error err;
    make(&f, 0x40);
    cr_assert(hsd_source_open_memory(&below, (hsd_bytes){f.data, f.size}, "a.lz4", &err) == HSD_OK);
    cr_assert(hsd_lz4_open(&source, &below, 4096, true, &err) == HSD_OK);
    for (size_t at = sizeof unpacked - 1; at-- > 0;) {
        cr_assert(hsd_source_seek(&source, at, &err) == HSD_OK && hsd_source_peek(&source, 1, &err) == HSD_OK);
        cr_assert(*source.at == (uint8_t)unpacked[at]);
    }
    hsd_source_close(&source);
    hsd_source_close(&below);
}

Test(lz4, cut_anywhere_delivers_what_came_before)
{
    frame f;
    char out[64];
    size_t got;
    hsd_error err;
    make(&f, 0x54);
    for (size_t size = 1; size < f.size; size++) {
        const hsd_status status = drain(&f, size, out, sizeof out, &got, &err);
        cr_assert(status == HSD_E_TRUNCATED, "%zu: %d %s", size, status, err.text);
        cr_assert(memcmp(out, unpacked, got) == 0);
    }
}

static void expect_fault(const frame *f, hsd_status wanted, const char *word)
{
    char out[64];
    size_t got;
    hsd_error err;
    const hsd_status status = drain(f, f->size, out, sizeof out, &got, &err);
    cr_assert(status == wanted && strstr(err.text, word) != NULL, "%d: %s", status, err.text);
}

/* One byte of a block, of a checksum, of the head. */
Test(lz4, finds_damage)
{
    frame f;
    make(&f, 0x54);
    for (size_t at = 11; at < f.size; at++) {
        char out[64];
        size_t got;
        hsd_error err;
        f.data[at] ^= 1;
        const hsd_status status = drain(&f, f.size, out, sizeof out, &got, &err);
        cr_assert(status == HSD_E_CORRUPT || status == HSD_E_TRUNCATED, "%zu: %d", at, status);
        f.data[at] ^= 1;
    }
    f.data[6] ^= 1;
    expect_fault(&f, HSD_E_CORRUPT, "head");
    make(&f, 0x40);
    put(&f, "junk", 4);
    expect_fault(&f, HSD_E_CORRUPT, "bytes that are not LZ4");
    f = (frame){0};
    put_u32(&f, 0x184D2204), put(&f, "\x41\x40\0\0\0\0", 6);
    put(&f, &(uint8_t){(uint8_t)(hsd_xxh32(f.data + 4, 6) >> 8)}, 1);
    expect_fault(&f, HSD_E_UNSUPPORTED, "dictionary");
}

#define EXPECT_BAD_BLOCK(block)                                                                                        \
    do {                                                                                                               \
        f = (frame){0};                                                                                                \
        put_head(&f, 0x60);                                                                                            \
        put_block(&f, 0x60, false, block, sizeof(block) - 1);                                                          \
        put_end(&f, 0x60, "");                                                                                         \
        expect_fault(&f, HSD_E_CORRUPT, "damaged");                                                                    \
    } while (0)

Test(lz4, refuses_blocks_that_reach_outside)
{
    frame f;
    EXPECT_BAD_BLOCK("\x35"
                     "abc"
                     "\x04\x00"); /* further back than there is */
    EXPECT_BAD_BLOCK("\x35"
                     "abc"
                     "\x00\x00"); /* no distance */
    EXPECT_BAD_BLOCK("\x35"
                     "abc"
                     "\x01"); /* half a distance */
    EXPECT_BAD_BLOCK("\x50"
                     "abc");      /* fewer literals than it says */
    EXPECT_BAD_BLOCK("\xf0\xff"); /* a length without its end */
    EXPECT_BAD_BLOCK("\x1f"
                     "a"
                     "\x01\x00\xff\xff");
    static char large[300];
    memcpy(large,
           "\x1f"
           "a"
           "\x01\x00",
           4);
    memset(large + 4, 0xff, sizeof large - 4); /* 75,000 bytes, more than a block holds */
    large[sizeof large - 1] = 0;
    EXPECT_BAD_BLOCK(large);
    f = (frame){0};
    put_head(&f, 0x60);
    put_u32(&f, 65537);
    expect_fault(&f, HSD_E_CORRUPT, "damaged");
}

Test(lz4, shows_its_beginning)
{
    frame f;
    char out[64];
    make(&f, 0x40);
    cr_assert(hsd_source_unpack_prefix(hsd_lz4_open, f.data, f.size, out, 10) == 10 && memcmp(out, unpacked, 10) == 0);
    cr_assert(hsd_source_unpack_prefix(hsd_lz4_open, f.data, f.size - 20, out, sizeof out) <= sizeof unpacked);
    cr_assert(hsd_source_unpack_prefix(hsd_lz4_open, "not LZ4", 7, out, 10) == 0);
}
