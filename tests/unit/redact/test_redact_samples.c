/*
 * Every sample of the format, redacted: still a capture without a fault, with the same numbers in the same order, and
 * another time redacted with the same key the same bytes. Each prefix and each damaged byte ends with an error or a
 * copy, never otherwise. What a later version put there is left out.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/redact.h>

#include "support/make_samples.h"
#include "unit/symbols/rewritten.h"

static const hsd_redact_key key = {.bytes = {5, 4, 3}};

typedef struct copied {
    hsd_status status;
    hsd_redact_result result;
    hsd_error err;
    uint8_t *bytes;
    size_t size;
} copied;

static copied copy_as(const uint8_t *bytes, size_t size, const hsd_redact_options *options)
{
    copied c = {.bytes = NULL};
    memfile in = memfile_of(bytes, size), out = memfile_of("", 0);
    const int in_fd = open(in.path, O_RDONLY | O_CLOEXEC), out_fd = open(out.path, O_WRONLY | O_CLOEXEC);
    hsd_error_init(&c.err);
    c.status = hsd_redact(in_fd, out_fd, &key, options, NULL, &c.result, &c.err);
    close(in_fd);
    close(out_fd);
    c.bytes = memfile_read_all(out.path, &c.size);
    memfile_close(&in);
    memfile_close(&out);
    return c;
}

static copied copy_redacted(const uint8_t *bytes, size_t size) { return copy_as(bytes, size, NULL); }

static copied copy_blurred(const uint8_t *bytes, size_t size)
{
    const hsd_redact_options options = {.struct_bytes = sizeof options, .blur_sizes = true};
    return copy_as(bytes, size, &options);
}

/* The text form without what redaction may change: what stands in quotes, hashes of contents, the facts, and the count
 * of blocks. */
static char *numbers_of(const uint8_t *bytes, size_t size)
{
    char *text = text_of_capture(bytes, size, HSD_DAMAGE_SKIP);
    size_t used = 0;
    bool is_quoted = false;
    if (text == NULL) return NULL;
    for (size_t at = 0; text[at] != '\0'; at++) {
        const bool begins = at == 0 || text[at - 1] == '\n';
        if (begins && (strncmp(text + at, "info 9 ", 7) == 0 || strncmp(text + at, "end 10 ", 7) == 0 ||
                       strncmp(text + at, "read ", 5) == 0)) {
            at += strcspn(text + at, "\n");
            if (text[at] == '\0') break;
            continue;
        }
        if (!is_quoted && strncmp(text + at, " content=", 9) == 0) at += 1 + strcspn(text + at + 1, " \n");
        if (text[at] == '\\' && is_quoted) {
            at++;
            continue;
        }
        if (text[at] == '"') is_quoted = !is_quoted;
        if (!is_quoted) text[used++] = text[at];
    }
    text[used] = '\0';
    return text;
}

Test(redact_samples, keep_their_numbers)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        uint8_t *bytes = memfile_sample(i, &size);
        copied c = copy_redacted(bytes, size), again = copy_redacted(bytes, size);
        cr_assert_eq(c.status, HSD_OK, "%s: %s", hsd_sample_name(i), c.err.text);
        cr_expect_eq(c.size, again.size);
        cr_expect(c.size == again.size && memcmp(c.bytes, again.bytes, c.size) == 0, "%s", hsd_sample_name(i));
        cr_expect_eq(faults_of_capture(c.bytes, c.size), faults_of_capture(bytes, size), "%s", hsd_sample_name(i));
        char *before = numbers_of(bytes, size), *after = numbers_of(c.bytes, c.size);
        cr_assert((before == NULL) == (after == NULL), "%s", hsd_sample_name(i));
        if (before != NULL) cr_expect_str_eq(before, after, "%s", hsd_sample_name(i));
        free(before);
        free(after);
        free(c.bytes);
        free(again.bytes);
        free(bytes);
    }
}

/* Totals and sums are those of the sizes that the copy tells, or the verifier would say so; classes are their own
 * classes, so a copy of the copy tells the same. */
Test(redact_samples, with_blurred_sizes_add_up)
{
    size_t blurred = 0, refused = 0;
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        uint8_t *bytes = memfile_sample(i, &size);
        copied c = copy_blurred(bytes, size);
        refused += c.status == HSD_E_UNSUPPORTED;
        cr_assert(c.status == HSD_OK || strstr(c.err.text, "baseline") != NULL, "%s: %s", hsd_sample_name(i),
                  c.err.text);
        if (c.status == HSD_OK) {
            blurred += c.result.blurred > 0;
            cr_expect_eq(faults_of_capture(c.bytes, c.size), faults_of_capture(bytes, size), "%s", hsd_sample_name(i));
            copied again = copy_blurred(c.bytes, c.size);
            cr_expect_eq(again.result.blurred, 0, "%s", hsd_sample_name(i));
            char *once = numbers_of(c.bytes, c.size), *twice = numbers_of(again.bytes, again.size);
            cr_assert((once == NULL) == (twice == NULL), "%s", hsd_sample_name(i));
            if (once != NULL) cr_expect_str_eq(once, twice, "%s", hsd_sample_name(i));
            free(once);
            free(twice);
            free(again.bytes);
        }
        free(c.bytes);
        free(bytes);
    }
    cr_expect_gt(blurred, 3u);
    cr_expect_gt(refused, 0u);
}

Test(redact_samples, of_any_prefix_are_a_copy_or_an_error)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("tiny"), &size);
    for (size_t cut = 0; cut < size; cut += 5) {
        copied c = copy_redacted(bytes, cut);
        cr_assert(c.status == HSD_OK || c.err.text[0] != '\0');
        cr_assert_not(c.status == HSD_OK && c.result.is_whole, "%zu bytes of %zu are whole", cut, size);
        free(c.bytes);
    }
    free(bytes);
}

Test(redact_samples, of_a_damaged_byte_are_no_capture)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("tiny"), &size);
    for (size_t at = 0; at < size; at += 7) {
        bytes[at] ^= 0x10;
        copied c = copy_redacted(bytes, size);
        cr_assert_neq(c.status, HSD_OK, "byte %zu", at);
        free(c.bytes);
        bytes[at] ^= 0x10;
    }
    free(bytes);
}
