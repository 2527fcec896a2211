/*
 * The library's reader and the second reader, which share no code, say the same of every reference capture, byte for byte: whole,
 * and cut off at many places. Where they differ, FORMAT.md is unclear or one of them is wrong.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <hsdiff/dump.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/make_samples.h"

extern char **environ;

enum { COMPLETE = 0, INCOMPLETE = 1, REFUSED = 2 };

static char path[64], text_path[80];

static void set_up(void)
{
    snprintf(path, sizeof path, "/tmp/hsc-agree-%d.hs", (int)getpid());
    snprintf(text_path, sizeof text_path, "%s.txt", path);
}

static void tear_down(void)
{
    unlink(path);
    unlink(text_path);
}

TestSuite(agree, .init = set_up, .fini = tear_down);

static char *slurp(const char *from, size_t *size)
{
    FILE *in = fopen(from, "rb");
    cr_assert_not_null(in);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(*size + 1);
    cr_assert_eq(fread(bytes, 1, *size, in), *size);
    bytes[*size] = '\0';
    fclose(in);
    return bytes;
}

static int second_reader(char **text, size_t *size)
{
    posix_spawn_file_actions_t actions;
    char *arguments[] = {(char *)HSD_SECOND_READER, path, NULL};
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, text_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    cr_assert_eq(posix_spawn(&child, HSD_SECOND_READER, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    waitpid(child, &status, 0);
    *text = slurp(text_path, size);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static hsd_status collect(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)err;
    return fwrite(bytes, 1, size, context) == size ? HSD_OK : HSD_E_IO;
}

/* COMPLETE, INCOMPLETE, or REFUSED where the library does not open the file at all. */
static int library(char **text, size_t *size)
{
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    *text = NULL;
    if (hsd_capture_open(&capture, path, HSD_DAMAGE_SKIP, NULL, &err) != HSD_OK) return REFUSED;
    FILE *out = open_memstream(text, size);
    cr_assert_eq(hsd_capture_dump(capture, collect, out, &err), HSD_OK, "%s", err.text);
    fclose(out);
    const int result = hsd_capture_get_info(capture)->is_complete ? COMPLETE : INCOMPLETE;
    hsd_capture_close(capture);
    return result;
}

static void expect_same(const char *name, size_t length)
{
    char *ours = NULL, *theirs;
    size_t our_bytes = 0, their_bytes;
    const int result = library(&ours, &our_bytes), other = second_reader(&theirs, &their_bytes);
    cr_assert_eq(result, other, "%s, %zu bytes: the library says %d, the second reader %d", name, length, result, other);
    if (result != REFUSED && (our_bytes != their_bytes || memcmp(ours, theirs, our_bytes) != 0)) {
        size_t line = 0, at = 0;
        for (; ours[at] != '\0' && ours[at] == theirs[at]; at++) {
            if (ours[at] == '\n') line = at + 1;
        }
        cr_assert_fail("%s, %zu bytes\nlibrary: %.*s\nsecond:  %.*s", name, length, (int)strcspn(ours + line, "\n"), ours + line,
                       (int)strcspn(theirs + line, "\n"), theirs + line);
    }
    free(ours);
    free(theirs);
}

Test(agree, on_every_sample)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        unlink(path);
        cr_assert_eq(hsd_sample_write(i, path), HSC_OK);
        expect_same(hsd_sample_name(i), 0);
    }
}

/* Cut off everywhere in the first blocks, then in steps. */
static void expect_same_prefixes(size_t sample)
{
    size_t size;
    unlink(path);
    cr_assert_eq(hsd_sample_write(sample, path), HSC_OK);
    char *bytes = slurp(path, &size);
    for (size_t length = 64; length < size; length += length < 300 ? 13 : 1 + size / 60) {
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
