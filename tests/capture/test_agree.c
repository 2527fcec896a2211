/*
 * The library's reader and the second reader, which share no code, say the same of every reference capture, byte for
 * byte: whole, and cut off at many places. Where they differ, FORMAT.md is unclear or one of them is wrong.
 */
#include <criterion/criterion.h>
#include <hsdiff/dump.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/reading.h"
#include "support/make_samples.h"

static char path[64];

static void set_up(void) { snprintf(path, sizeof path, "/tmp/hsc-agree-%d.hs", (int)getpid()); }
static void tear_down(void) { unlink(path); }

TestSuite(agree, .init = set_up, .fini = tear_down);

static hsd_status collect(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)err;
    return fwrite(bytes, 1, size, context) == size ? HSD_OK : HSD_E_IO;
}

/* READ_COMPLETE, READ_INCOMPLETE, or READ_REFUSED where the library does not open the file at all. */
static int library(char **text, size_t *size)
{
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    *text = NULL;
    if (hsd_capture_open(&capture, path, HSD_DAMAGE_SKIP, NULL, &err) != HSD_OK) return READ_REFUSED;
    FILE *out = open_memstream(text, size);
    cr_assert_eq(hsd_capture_dump(capture, collect, out, &err), HSD_OK, "%s", err.text);
    fclose(out);
    const int result = hsd_capture_get_info(capture)->is_complete ? READ_COMPLETE : READ_INCOMPLETE;
    hsd_capture_close(capture);
    return result;
}

static void expect_same(const char *name, size_t length)
{
    char *ours = NULL, *theirs, what[80];
    size_t our_bytes = 0, their_bytes;
    const int result = library(&ours, &our_bytes), other = second_reader(path, &theirs, &their_bytes);
    snprintf(what, sizeof what, "%s, %zu bytes of it", name, length);
    cr_assert_eq(result, other, "%s: the library says %d, the second reader %d", what, result, other);
    if (result != READ_REFUSED) expect_same_text(what, ours, our_bytes, theirs, their_bytes);
    free(ours);
    free(theirs);
}

Test(agree, on_every_sample)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        unlink(path);
        cr_assert_eq(hsd_sample_write(i, path), HSC_OK);
        expect_same(hsd_sample_name(i), SIZE_MAX);
    }
}

/* Cut off everywhere in the first blocks, then in steps. */
static void expect_same_prefixes(size_t sample)
{
    size_t size;
    unlink(path);
    cr_assert_eq(hsd_sample_write(sample, path), HSC_OK);
    char *bytes = read_whole(path, &size);
    for (size_t length = 64; length < size; length += length < 300 ? 17 : 1 + size / 40) {
        FILE *out = fopen(path, "wb");
        cr_assert_eq(fwrite(bytes, 1, length, out), length);
        fclose(out);
        expect_same(hsd_sample_name(sample), length);
    }
    free(bytes);
}

Test(agree, on_captures_that_are_cut_off)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        const char *name = hsd_sample_name(i);
        if (strcmp(name, "everything") == 0 || strcmp(name, "continuation") == 0 || strcmp(name, "tiny") == 0)
            expect_same_prefixes(i);
    }
}
