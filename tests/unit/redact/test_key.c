/* Key files: what is one, what is refused and where, who may read it; and that no key is ever replaced. */
#include "redact/key.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char digits[] = "00112233445566778899aabbccddeeffFFEEDDCCBBAA99887766554433221100";

static void expect_refused(const char *text, size_t size, uint64_t offset_bytes, const char *why)
{
    hsd_redact_key key;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_redact_key_parse(&key, text, size, &err), HSD_E_NOT_THIS_FORMAT, "%.40s", text);
    cr_expect_eq(err.offset_bytes, offset_bytes, "%.40s: %llu", text, (unsigned long long)err.offset_bytes);
    cr_expect(strstr(err.text, why), "%s", err.text);
    cr_expect(strstr(err.hint, "--new-key"));
    if (size > 20) cr_expect_null(strstr(err.text, "0011"), "the key is told: %s", err.text);
}

Test(key, is_64_hexadecimal_digits)
{
    char text[80];
    hsd_redact_key key;
    snprintf(text, sizeof text, " \n%s\r\n", digits);
    cr_assert_eq(hsd_redact_key_parse(&key, text, strlen(text), NULL), HSD_OK);
    for (unsigned i = 0; i < 16; i++) {
        cr_expect_eq(key.bytes[i], 0x11 * i);
        cr_expect_eq(key.bytes[31 - i], 0x11 * i);
    }
}

Test(key, nothing_else_is_one)
{
    char text[200];
    expect_refused("", 0, 0, "empty");
    expect_refused(" \n", 2, 2, "empty");
    expect_refused(digits, 63, 63, "too short");
    expect_refused("correct horse battery staple", 28, 1, "something else");
    expect_refused("secret", 6, 0, "something else");
    snprintf(text, sizeof text, "%s0", digits);
    expect_refused(text, 65, 64, "too long");
    snprintf(text, sizeof text, "%s x", digits);
    expect_refused(text, 66, 65, "follows");
    expect_refused(digits, 0, 0, "empty");
}

Test(key, is_made_once_and_for_its_owner_alone)
{
    char folder[] = "/tmp/hsdiff-key-XXXXXX", path[64];
    hsd_redact_key key, again, other;
    hsd_error err;
    struct stat what;
    hsd_error_init(&err);
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/key", folder);
    cr_assert_eq(hsd_redact_key_read(&key, path, &err), HSD_E_IO);
    cr_expect_eq(err.sys_errno, ENOENT);
    cr_expect(strstr(err.hint, "--new-key"));
    cr_assert_eq(hsd_redact_key_make(path, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(stat(path, &what), 0);
    cr_expect_eq(what.st_mode & 0777, 0600);
    cr_assert_eq(hsd_redact_key_read(&key, path, &err), HSD_OK, "%s", err.text);
    cr_expect_not(key.is_exposed);
    cr_assert_eq(hsd_redact_key_make(path, &err), HSD_E_IO);
    cr_expect_eq(err.sys_errno, EEXIST);
    cr_assert_eq(chmod(path, 0640), 0);
    cr_assert_eq(hsd_redact_key_read(&again, path, &err), HSD_OK);
    cr_expect(again.is_exposed);
    cr_expect_arr_eq(key.bytes, again.bytes, sizeof key.bytes);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(hsd_redact_key_make(path, &err), HSD_OK);
    cr_assert_eq(hsd_redact_key_read(&other, path, &err), HSD_OK);
    cr_expect_neq(memcmp(key.bytes, other.bytes, sizeof key.bytes), 0);
    unlink(path);
    rmdir(folder);
}

Test(key, a_file_of_any_length_is_read_only_so_far)
{
    hsd_redact_key key;
    hsd_error err;
    hsd_error_init(&err);
    cr_expect_eq(hsd_redact_key_read(&key, "/dev/zero", &err), HSD_E_NOT_THIS_FORMAT);
    cr_expect_eq(err.offset_bytes, HSD_KEY_FILE_BYTES);
}
