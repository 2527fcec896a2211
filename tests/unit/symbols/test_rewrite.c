/*
 * Copies with other texts, held against the text form of the original with the same change made to it by hand; blocks
 * that grow past the limits; every prefix; damage.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hscapture/hscapture.h>

#include "support/make_samples.h"
#include "unit/format/legal.h"
#include "unit/symbols/rewritten.h"

#define LONG_TEXTS 64

/* ---- callbacks ---- */

static hsd_status keep(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    (void)context, (void)type, (void)key, (void)text, (void)out, (void)err;
    return HSD_OK;
}

/* Puts "*" in front, where there is room. */
static hsd_status mark(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    static char marked[HSC_MAX_TEXT_BYTES + 1];
    (void)context, (void)key, (void)err;
    cr_assert(type == HSC_BLOCK_STRINGS || type == HSC_BLOCK_TYPES);
    if (text.size == HSC_MAX_TEXT_BYTES) return HSD_OK;
    marked[0] = '*';
    if (text.size > 0) memcpy(marked + 1, text.data, text.size);
    *out = (hsd_text){marked, text.size + 1};
    return HSD_OK;
}

static char long_text[HSC_MAX_TEXT_BYTES + 1];

/* Strings of the greatest length, the key in front. */
static hsd_status make_long(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    const size_t *size = context;
    (void)text, (void)err;
    if (type != HSC_BLOCK_STRINGS) return HSD_OK;
    memset(long_text, 'x', sizeof long_text);
    snprintf(long_text, 32, "%u", (unsigned)key);
    *out = (hsd_text){long_text, *size};
    return HSD_OK;
}

/* One string alone. */
static hsd_status change_one(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    const uint32_t *changed = context;
    (void)text, (void)err;
    if (type == HSC_BLOCK_STRINGS && key == *changed) *out = (hsd_text){"changed", 7};
    return HSD_OK;
}

static hsd_status refuse(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    (void)context, (void)type, (void)key, (void)text, (void)out;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "not today");
}

/* ---- what is there stays ---- */

static void expect_marked(const void *bytes, size_t size, const char *name)
{
    char *before = text_of_capture(bytes, size, HSD_DAMAGE_SKIP);
    char *expected = mark_names(before, "*");
    rewritten r = rewritten_of(bytes, size, mark, NULL);
    cr_assert_eq(r.status, HSD_OK, "%s: %s", name, r.err.text);
    char *after = text_of_capture(r.bytes, r.size, HSD_DAMAGE_SKIP);
    char *plain = mark_names(after, "");
    cr_assert_str_eq(plain, expected, "%s", name);
    cr_assert_eq(faults_of_capture(r.bytes, r.size), faults_of_capture(bytes, size), "%s", name);
    cr_assert_eq(r.result.bytes, r.size);
    free(plain);
    free(after);
    rewritten_free(&r);
    free(expected);
    free(before);
}

Test(rewrite, changes_texts_of_strings_and_types_and_nothing_else)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        uint8_t *bytes = memfile_sample(i, &size);
        expect_marked(bytes, size, hsd_sample_name(i));
        free(bytes);
    }
}

/* Every other label folded, and back. */
static void fold(void *context, hsd_rewritten_label *label)
{
    unsigned *seen = context;
    if ((*seen)++ % 2 == 0) label->flags ^= HSC_LABEL_FOLD;
}

/* Without its end. Each call of strchr() and the like on a text costs as much as it is long where sanitizers look for
 * its end. */
static size_t bytes_of_line(const char *at, const char *end)
{
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((line_end != NULL ? line_end : end) - at);
}

/* Lines that differ; all of them are those of labels, but for the number of blocks. */
static unsigned differing_labels(const char *a, const char *b)
{
    const char *const end_a = a + strlen(a), *const end_b = b + strlen(b);
    unsigned count = 0;
    while (*a != '\0' && *b != '\0') {
        const size_t size = bytes_of_line(a, end_a), other = bytes_of_line(b, end_b);
        if (strncmp(a, "end 10 ", 7) != 0 && strncmp(a, "read ", 5) != 0 &&
            (size != other || memcmp(a, b, size) != 0)) {
            cr_assert(strncmp(a, "label ", 6) == 0 && strncmp(b, "label ", 6) == 0, "%.*s", (int)size, a);
            count++;
        }
        a += size + (a[size] == '\n');
        b += other + (b[other] == '\n');
    }
    cr_assert(*a == *b);
    return count;
}

Test(rewrite, changes_labels_and_nothing_else)
{
    unsigned changed = 0;
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        unsigned seen = 0, again = 0;
        uint8_t *bytes = memfile_sample(i, &size);
        rewritten r = rewritten_labels_of(bytes, size, keep, fold, &seen);
        cr_assert_eq(r.status, HSD_OK, "%s", r.err.text);
        rewritten back = rewritten_labels_of(r.bytes, r.size, keep, fold, &again);
        cr_assert(back.status == HSD_OK && seen == again, "%s", back.err.text);
        char *before = text_of_capture(bytes, size, HSD_DAMAGE_SKIP);
        char *folded = text_of_capture(r.bytes, r.size, HSD_DAMAGE_SKIP);
        char *after = text_of_capture(back.bytes, back.size, HSD_DAMAGE_SKIP);
        cr_assert_eq(differing_labels(before, folded), (seen + 1) / 2, "%s", hsd_sample_name(i));
        cr_assert_eq(differing_labels(before, after), 0, "%s", hsd_sample_name(i));
        cr_assert_eq(faults_of_capture(r.bytes, r.size), faults_of_capture(bytes, size));
        changed += (seen + 1) / 2;
        free(before);
        free(folded);
        free(after);
        rewritten_free(&back);
        rewritten_free(&r);
        free(bytes);
    }
    cr_assert_gt(changed, 0);
}

Test(rewrite, keeps_blocks_as_they_are_stored_where_no_text_changes)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        uint8_t *bytes = memfile_sample(i, &size);
        rewritten r = rewritten_of(bytes, size, keep, NULL);
        cr_assert_eq(r.status, HSD_OK, "%s", r.err.text);
        cr_assert_eq(r.result.changed, 0);
        cr_assert_eq(r.result.is_whole, true);
        /* Up to the INDEX not a byte differs. */
        uint64_t index;
        memcpy(&index, bytes + size - HSC_TRAILER_BYTES, sizeof index);
        cr_assert(r.size > index && memcmp(r.bytes, bytes, (size_t)index) == 0, "%s", hsd_sample_name(i));
        rewritten_free(&r);
        free(bytes);
    }
}

/* ---- blocks that grow ---- */

/* A legal capture with so many strings of `bytes` bytes each in one block. */
static forge with_long_strings(uint32_t count, size_t bytes)
{
    forge f = forge_begin();
    char *text = malloc(count * bytes + 1);
    uint64_t *keys = malloc(2 * count * sizeof *keys);
    cr_assert(text != NULL && keys != NULL);
    memset(text, 'a', count * bytes);
    text[count * bytes] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = 1000 + i;
        keys[count + i] = bytes;
    }
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    forge_column(&f, HSC_COL_KEY, keys, count);
    forge_column(&f, HSC_COL_TEXT_BYTES, keys + count, count);
    if (bytes > 0) forge_text(&f, HSC_COL_TEXT, text);
    forge_block(&f, HSC_BLOCK_STRINGS, 0, count, 0);
    f.end[HSC_END_STRINGS] += count;
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    free(keys);
    free(text);
    return f;
}

static hsd_capture *open_bytes(memfile *file, const uint8_t *bytes, size_t size)
{
    hsd_capture *capture;
    hsd_error err;
    *file = memfile_of(bytes, size);
    cr_assert_eq(hsd_capture_open(&capture, file->path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

/* Number of strings from 1000 on whose text is `size` bytes and begins with `begin`, or with the key where that is
 * NULL. */
static unsigned count_strings(const uint8_t *bytes, size_t file_size, size_t size, const char *begin)
{
    memfile file;
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    unsigned count = 0;
    hsd_capture *capture = open_bytes(&file, bytes, file_size);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_STRING, &err), HSD_OK);
    while (hsd_record_reader_next(reader, &record, &err) == HSD_OK) {
        char key[32];
        const hsd_string *s = &record.string;
        snprintf(key, sizeof key, "%u", (unsigned)s->id);
        const char *wanted = begin != NULL ? begin : key;
        count += s->id >= 1000 && s->text.size == size && strncmp(s->text.data, wanted, strlen(wanted)) == 0;
    }
    hsd_record_reader_close(reader);
    hsd_capture_close(capture);
    memfile_close(&file);
    return count;
}

Test(rewrite, splits_blocks_that_would_pass_the_limits)
{
    for (size_t size = HSC_MAX_TEXT_BYTES - 4000; size <= HSC_MAX_TEXT_BYTES; size += 2000) {
        forge f = with_long_strings(LONG_TEXTS * 2, 3);
        rewritten r = rewritten_of(f.bytes.data, f.bytes.size, make_long, &size);
        cr_assert_eq(r.status, HSD_OK, "%s", r.err.text);
        cr_assert_gt(r.result.blocks, f.blocks.count + 1, "it was not split");
        cr_assert_eq(faults_of_capture(r.bytes, r.size), 0);
        cr_assert_eq(count_strings(r.bytes, r.size, size, NULL), LONG_TEXTS * 2);
        rewritten_free(&r);
        forge_free(&f);
    }
}

/* A block near the limit, of which nothing, the first, one in the middle, or the last text changes. */
Test(rewrite, splits_full_blocks_wherever_a_text_changes)
{
    const uint32_t keys[] = {1, 1000, 1030, 1062};
    const uint32_t count = 63;
    const size_t size = HSC_MAX_TEXT_BYTES - 8;
    forge f = with_long_strings(count, size);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        uint32_t key = keys[i];
        rewritten r = rewritten_of(f.bytes.data, f.bytes.size, change_one, &key);
        cr_assert_eq(r.status, HSD_OK, "%s", r.err.text);
        cr_assert_eq(faults_of_capture(r.bytes, r.size), 0, "key %u", (unsigned)key);
        cr_assert_eq(count_strings(r.bytes, r.size, size, "aaaa"), count - (key >= 1000));
        cr_assert_eq(count_strings(r.bytes, r.size, 7, "changed"), key >= 1000);
        rewritten_free(&r);
    }
    forge_free(&f);
}

Test(rewrite, writes_texts_of_no_bytes)
{
    size_t none = 0;
    forge f = with_long_strings(3, 5);
    rewritten r = rewritten_of(f.bytes.data, f.bytes.size, make_long, &none);
    cr_assert_eq(r.status, HSD_OK, "%s", r.err.text);
    cr_assert_eq(faults_of_capture(r.bytes, r.size), 0);
    cr_assert_eq(count_strings(r.bytes, r.size, 0, ""), 3);
    rewritten_free(&r);
    forge_free(&f);
}

Test(rewrite, refuses_texts_that_are_too_long_and_tells_what_the_callback_says)
{
    size_t too_long = HSC_MAX_TEXT_BYTES + 1;
    forge f = legal_capture();
    rewritten r = rewritten_of(f.bytes.data, f.bytes.size, make_long, &too_long);
    cr_assert_eq(r.status, HSD_E_MISUSE);
    rewritten_free(&r);
    r = rewritten_of(f.bytes.data, f.bytes.size, refuse, NULL);
    cr_assert_eq(r.status, HSD_E_UNSUPPORTED);
    cr_assert_str_eq(r.err.text, "not today");
    rewritten_free(&r);
    forge_free(&f);
}

/* ---- what is not whole ---- */

Test(rewrite, copies_every_prefix_as_far_as_it_goes)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("tiny"), &size);
    for (size_t cut = 0; cut < size; cut++) {
        rewritten r = rewritten_of(bytes, cut, mark, NULL);
        if (cut < HSC_FILE_HEADER_BYTES) {
            cr_assert_eq(r.status, cut < 8 ? r.status : HSD_E_TRUNCATED, "byte %zu: %s", cut, r.err.text);
            cr_assert(r.status != HSD_OK && r.size == 0, "byte %zu", cut);
            rewritten_free(&r);
            continue;
        }
        cr_assert_eq(r.status, HSD_OK, "byte %zu: %s", cut, r.err.text);
        cr_assert(!r.result.is_whole, "byte %zu", cut);
        char *before = text_of_capture(bytes, cut, HSD_DAMAGE_SKIP),
             *after = text_of_capture(r.bytes, r.size, HSD_DAMAGE_SKIP);
        cr_assert_eq(before == NULL, after == NULL, "byte %zu", cut);
        cr_assert_null(text_of_capture(r.bytes, r.size, HSD_DAMAGE_REFUSE), "byte %zu: it became complete", cut);
        if (before != NULL) {
            char *expected = mark_names(before, "*"), *plain = mark_names(after, "");
            cr_assert_str_eq(plain, expected, "byte %zu", cut);
            free(expected);
            free(plain);
        }
        free(before);
        free(after);
        rewritten_free(&r);
    }
    free(bytes);
}

Test(rewrite, refuses_what_is_damaged)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("tiny"), &size);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x10;
        rewritten r = rewritten_of(bytes, size, mark, NULL);
        cr_assert_neq(r.status, HSD_OK, "byte %zu", at);
        cr_assert(r.err.text[0] != '\0', "byte %zu", at);
        if (at >= HSC_FILE_HEADER_BYTES && r.status == HSD_E_CORRUPT) cr_assert(r.err.hint[0] != '\0', "byte %zu", at);
        rewritten_free(&r);
        bytes[at] ^= 0x10;
    }
    free(bytes);
}

Test(rewrite, refuses_what_follows_the_end)
{
    forge f = legal_capture();
    cr_assert_eq(hsd_buffer_append(&f.bytes, "more", 4, NULL), HSD_OK);
    rewritten r = rewritten_of(f.bytes.data, f.bytes.size, mark, NULL);
    cr_assert_eq(r.status, HSD_E_CORRUPT);
    rewritten_free(&r);
    forge_free(&f);
}

/* The numbers of a salvaged capture keep their gaps, moved by the blocks that were split. */
Test(rewrite, keeps_the_gaps_of_what_was_salvaged)
{
    char path[64];
    size_t size, long_size = HSC_MAX_TEXT_BYTES;
    hsd_error err;
    forge f = with_long_strings(LONG_TEXTS * 2, 3);
    for (size_t lost = 1; lost + 2 < f.blocks.count; lost++) {
        uint8_t *at = f.bytes.data + f.blocks.refs[lost].offset_bytes + HSC_BLOCK_HEADER_BYTES + 4;
        *at ^= 1;
        memfile file = memfile_of(f.bytes.data, f.bytes.size);
        snprintf(path, sizeof path, "/tmp/hsdiff-rewrite-%d.hs", (int)getpid());
        cr_assert_eq(hsd_capture_salvage(file.path, path, true, NULL, NULL, &err), HSD_OK, "%s", err.text);
        memfile_close(&file);
        *at ^= 1;
        uint8_t *salvaged = memfile_read_all(path, &size);
        unlink(path);
        expect_marked(salvaged, size, "salvaged");
        rewritten r = rewritten_of(salvaged, size, make_long, &long_size);
        cr_assert_eq(r.status, HSD_OK, "block %zu lost: %s", lost, r.err.text);
        cr_assert_eq(faults_of_capture(r.bytes, r.size), 0, "block %zu lost", lost);
        rewritten_free(&r);
        free(salvaged);
    }
    forge_free(&f);
}

Test(rewrite, tells_that_the_disk_is_full)
{
    hsd_error err;
    forge f = legal_capture();
    memfile in = forge_file(&f);
    const int in_fd = open(in.path, O_RDONLY | O_CLOEXEC), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    cr_assert_eq(hsd_rewrite(in_fd, full, keep, NULL, NULL, NULL, &err), HSD_E_IO);
    cr_assert(strstr(err.text, "No space left") != NULL, "%s", err.text);
    close(full);
    close(in_fd);
    memfile_close(&in);
    forge_free(&f);
}

/* From a pipe, and to one. */
Test(rewrite, reads_and_writes_pipes)
{
    int in[2], out[2];
    hsd_error err;
    static uint8_t got[65536];
    forge f = legal_capture();
    rewritten expected = rewritten_of(f.bytes.data, f.bytes.size, mark, NULL);
    cr_assert(pipe(in) == 0 && pipe(out) == 0);
    cr_assert_eq(write(in[1], f.bytes.data, f.bytes.size), (ssize_t)f.bytes.size);
    close(in[1]);
    cr_assert_eq(hsd_rewrite(in[0], out[1], mark, NULL, NULL, NULL, &err), HSD_OK, "%s", err.text);
    close(out[1]);
    const ssize_t size = read(out[0], got, sizeof got);
    cr_assert(size == (ssize_t)expected.size && memcmp(got, expected.bytes, expected.size) == 0);
    close(in[0]);
    close(out[0]);
    rewritten_free(&expected);
    forge_free(&f);
}
