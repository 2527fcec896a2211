/*
 * The digest of a capture: what FORMAT.md 11.8 says, computed here from the bytes alone; the same for the same capture
 * however it is opened, another one for any other, none where a capture is not complete.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "support/fault.h"
#include "support/make_samples.h"
#include "support/reseal.h"
#include "unit/format/legal.h"

#define BLOCKS_MOST 4096
#define OBJECTS     6
#define EDGES       7
#define STRINGS     2

typedef struct known {
    bool is_known;
    uint8_t digest[16];
} known;

static known digest_of(const void *bytes, size_t size, hsd_damage damage)
{
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    memfile file = memfile_of(bytes, size);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", damage, NULL, &err), HSD_OK, "%s", err.text);
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    known found = {.is_known = info->has_digest};
    memcpy(found.digest, info->digest, sizeof found.digest);
    hsd_capture_close(capture);
    return found;
}

static known by_the_document(const uint8_t *bytes, size_t size)
{
    static size_t offsets[BLOCKS_MOST];
    const size_t count = block_offsets(bytes, size, offsets, BLOCKS_MOST);
    uint8_t *all = malloc(64 + 16 * count);
    size_t used = 64;
    known found = {.is_known = true};
    cr_assert_not_null(all);
    memcpy(all, bytes, 64);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *header = bytes + offsets[i];
        if (header[4] == OBJECTS || header[4] == EDGES) continue;
        memcpy(all + used, header + 40, 16);
        used += 16;
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(all, used));
    memcpy(found.digest, canonical.digest, sizeof found.digest);
    free(all);
    return found;
}

static void expect_equal(const known *a, const known *b, const char *what)
{
    cr_assert(a->is_known && b->is_known, "%s", what);
    cr_assert_arr_eq(a->digest, b->digest, sizeof a->digest, "%s", what);
}

Test(digest, is_what_the_document_says)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        uint8_t *bytes = memfile_sample(i, &size);
        hsd_capture *capture;
        memfile file = memfile_of(bytes, size);
        if (hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, NULL) == HSD_OK) {
            const bool is_complete = hsd_capture_get_info(capture)->is_complete;
            const known refusing = digest_of(bytes, size, HSD_DAMAGE_REFUSE),
                        skipping = digest_of(bytes, size, HSD_DAMAGE_SKIP);
            const known wanted = by_the_document(bytes, size);
            if (is_complete) expect_equal(&refusing, &wanted, hsd_sample_name(i));
            if (is_complete) expect_equal(&skipping, &wanted, hsd_sample_name(i));
            cr_assert_eq(refusing.is_known, is_complete);
            hsd_capture_close(capture);
        }
        free(bytes);
    }
}

/* ---- other captures ---- */

Test(digest, differs_where_anything_does)
{
    static size_t offsets[BLOCKS_MOST];
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    const size_t count = block_offsets(bytes, size, offsets, BLOCKS_MOST);
    const known first = digest_of(bytes, size, HSD_DAMAGE_REFUSE);
    for (size_t i = 0; i < count; i++) { /* a text of the same length, as who symbolizes a capture may write */
        if (bytes[offsets[i] + 4] != STRINGS) continue;
        bytes[offsets[i] + block_bytes(bytes, offsets[i]) - 1] ^= 1;
        break;
    }
    reseal(bytes, size);
    const known second = digest_of(bytes, size, HSD_DAMAGE_REFUSE);
    cr_assert(second.is_known && memcmp(first.digest, second.digest, 16) != 0, "a text");
    bytes[32] ^= 1; /* the capture id, in the header and in INFO */
    bytes[128] ^= 1;
    reseal(bytes, size);
    const known third = digest_of(bytes, size, HSD_DAMAGE_REFUSE);
    cr_assert(third.is_known && memcmp(second.digest, third.digest, 16) != 0, "the capture id");
    free(bytes);
}

/* ---- none ---- */

Test(digest, is_not_known_of_what_is_not_complete)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    cr_assert(!digest_of(bytes, size - 1, HSD_DAMAGE_SKIP).is_known, "cut off");
    free(bytes);
    for (uint64_t state = 2; state < 4; state++) {
        forge f = forge_begin();
        f.with_numbers = state == 3;
        forge_info(&f, 0, 0);
        forge_finish(&f, state);
        cr_assert(!digest_of(f.bytes.data, f.bytes.size, HSD_DAMAGE_REFUSE).is_known, "state %d", (int)state);
        forge_free(&f);
    }
}

Test(digest, is_not_known_where_a_header_is_damaged)
{
    static size_t offsets[BLOCKS_MOST];
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    const size_t count = block_offsets(bytes, size, offsets, BLOCKS_MOST);
    for (size_t i = 0; i < count; i++)
        if (bytes[offsets[i] + 4] == STRINGS) bytes[offsets[i] + 9] ^= 1;
    /* and it opens: whoever reads the block says what is wrong */
    cr_assert(!digest_of(bytes, size, HSD_DAMAGE_REFUSE).is_known);
    free(bytes);
}

/* ---- of an import ---- */

Test(digest, of_an_import_is_what_it_is_told)
{
    static const uint8_t told[16] = "digest of a dump";
    size_t size;
    hsd_capture *capture;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        memfile file = memfile_of(bytes, size - (size_t)is_cut);
        cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_SKIP, NULL, NULL), HSD_OK);
        hsd_capture_set_digest(capture, told);
        const hsd_capture_info *info = hsd_capture_get_info(capture);
        cr_assert_eq(info->has_digest, !is_cut);
        if (!is_cut) cr_assert_arr_eq(info->digest, told, 16);
        hsd_capture_set_digest(capture, NULL);
        cr_assert(!info->has_digest);
        hsd_capture_close(capture);
    }
    free(bytes);
}

/* ---- what goes wrong ---- */

/* The last reads of opening are those of the digest: that each of them is told, and none forgotten. */
Test(digest, every_failed_read_is_told)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    bool is_done = false;
    for (uint64_t at = 1; !is_done; at++) {
        hsd_capture *capture = NULL;
        hsd_error err;
        hsd_error_init(&err);
        memfile file = memfile_of(bytes, size);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_PREAD, at, false, EIO);
        const hsd_status status = hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err);
        is_done = hsd_fault_strikes() == 0;
        hsd_fault_reset();
        cr_assert_eq(status, is_done ? HSD_OK : HSD_E_IO, "read %d: %s", (int)at, err.text);
        if (!is_done) cr_assert_eq(err.sys_errno, EIO);
        hsd_capture_close(capture);
    }
    free(bytes);
}
