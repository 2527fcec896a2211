/* Files of keys: what is taken, and what is said of what is not, without a word of a key. */
#include "crypt/keys.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crypt/bech32.h"
#include "support/age_samples.h"

static hsd_crypt *crypt;
static hsd_error err;

static void set_up(void)
{
    hsd_error_init(&err);
    cr_assert_eq(hsd_crypt_new(&crypt, &err), HSD_OK);
}

static void tear_down(void) { hsd_crypt_free(crypt); }

TestSuite(keys, .init = set_up, .fini = tear_down);

static hsd_status take(const char *text)
{
    hsd_error_init(&err);
    return hsd_crypt_take_identities(crypt, text, strlen(text), &err);
}

static void expect_refusal(const char *text, hsd_status status, uint64_t offset, const char *words)
{
    cr_expect_eq(take(text), status, "%s", text);
    cr_expect_eq(err.offset_bytes, offset, "%llu", (unsigned long long)err.offset_bytes);
    cr_expect_neq(strstr(err.text, words), NULL, "%s", err.text);
    cr_expect_eq(strstr(err.text, "1C8XHZ"), NULL, "a key is told");
}

Test(keys, are_read_with_comments_and_either_end_of_line)
{
    cr_assert_eq(take("# created by age-keygen\n\n" AGE_IDENTITY "\r\n#\n" AGE_IDENTITY), HSD_OK);
    cr_expect_eq(crypt->identity_count, 2);
    cr_expect_arr_eq(crypt->identities[0].secret, crypt->identities[1].secret, HSD_KEY_BYTES);
    cr_assert_eq(hsd_crypt_take_recipients(crypt, AGE_RECIPIENT "\n", strlen(AGE_RECIPIENT) + 1, &err), HSD_OK);
    cr_expect_arr_eq(crypt->recipients[0], crypt->identities[0].public, HSD_KEY_BYTES, "the two belong together");
    cr_expect(hsd_crypt_has_recipients(crypt));
    cr_expect_not(hsd_crypt_has_recipients(NULL));
}

Test(keys, what_is_none_is_named)
{
    char text[128] = AGE_IDENTITY;
    expect_refusal("", HSD_E_NOT_THIS_FORMAT, HSD_NO_OFFSET, "no identity");
    expect_refusal("# none\n", HSD_E_NOT_THIS_FORMAT, HSD_NO_OFFSET, "no identity");
    expect_refusal("#\nhello\n", HSD_E_NOT_THIS_FORMAT, 2, "does not begin as one");
    expect_refusal(AGE_RECIPIENT, HSD_E_NOT_THIS_FORMAT, 0, "does not begin as one");
    expect_refusal("age-encryption.org/v1\n", HSD_E_UNSUPPORTED, 0, "itself encrypted");
    expect_refusal("-----BEGIN OPENSSH PRIVATE KEY-----\n", HSD_E_UNSUPPORTED, 0, "SSH");
    expect_refusal("AGE-PLUGIN-YUBIKEY-1QQ\n", HSD_E_UNSUPPORTED, 0, "plugins");
    text[30] = text[30] == 'Q' ? 'P' : 'Q';
    expect_refusal(text, HSD_E_NOT_THIS_FORMAT, 0, "mistyped");
    text[30] = 'B';
    expect_refusal(text, HSD_E_NOT_THIS_FORMAT, 0, "letter");
    text[30] = 'q';
    expect_refusal(text, HSD_E_NOT_THIS_FORMAT, 0, "small and capital");
    expect_refusal("AGE-SECRET-KEY-1QQ\n", HSD_E_NOT_THIS_FORMAT, 0, "too short");
}

Test(keys, every_letter_counts)
{
    uint8_t key[HSD_KEY_BYTES];
    char text[] = AGE_RECIPIENT;
    cr_assert_null(hsd_bech32_decode(key, sizeof key, "age", text, strlen(text)));
    for (size_t i = 0; i < strlen(text); i++) {
        const char was = text[i];
        text[i] = was == 'q' ? 'p' : 'q';
        cr_expect_not_null(hsd_bech32_decode(key, sizeof key, "age", text, strlen(text)), "letter %zu", i);
        text[i] = was;
    }
    for (size_t size = 0; size < strlen(text); size++)
        cr_expect_not_null(hsd_bech32_decode(key, sizeof key, "age", text, size), "cut to %zu", size);
    /* BIP 173 has these: all of it right, and of another length than a key's */
    cr_expect_not_null(hsd_bech32_decode(key, sizeof key, "abcdef", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
                                         45));
    cr_expect_not_null(hsd_bech32_decode(key, sizeof key, "a", "a12uel5l", 8));
    cr_expect_null(hsd_bech32_decode(key, 0, "a", "A12UEL5L", 8));
}

Test(keys, are_not_taken_without_end)
{
    for (size_t i = 0; i < HSD_IDENTITIES_MAX; i++)
        cr_assert_eq(take(AGE_IDENTITY), HSD_OK);
    expect_refusal("\n" AGE_IDENTITY, HSD_E_UNSUPPORTED, 1, "more than 64");
    for (size_t i = 0; i < HSD_RECIPIENTS_MAX; i++)
        cr_assert_eq(hsd_crypt_add_recipients(crypt, AGE_RECIPIENT, &err), HSD_OK);
    cr_expect_eq(hsd_crypt_add_recipients(crypt, AGE_RECIPIENT, &err), HSD_E_UNSUPPORTED);
}

Test(keys, a_file_that_others_can_read_is_told)
{
    char path[] = "/tmp/hsdiff-keys-XXXXXX";
    bool is_exposed = true;
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, AGE_IDENTITY "\n", sizeof AGE_IDENTITY) == sizeof AGE_IDENTITY);
    cr_assert_eq(hsd_crypt_add_identities(crypt, path, &is_exposed, &err), HSD_OK);
    cr_expect_not(is_exposed);
    cr_assert_eq(fchmod(fd, 0640), 0);
    cr_assert_eq(hsd_crypt_add_identities(crypt, path, &is_exposed, &err), HSD_OK);
    cr_expect(is_exposed);
    cr_assert_eq(ftruncate(fd, HSD_KEYS_FILE_MAX), 0);
    cr_expect_eq(hsd_crypt_add_identities(crypt, path, NULL, &err), HSD_E_NOT_THIS_FORMAT);
    cr_expect_str_eq(err.file, path);
    close(fd);
    unlink(path);
    cr_expect_eq(hsd_crypt_add_identities(crypt, path, NULL, &err), HSD_E_IO);
}

Test(keys, a_secret_is_no_recipient)
{
    cr_expect_eq(hsd_crypt_add_recipients(crypt, AGE_IDENTITY, &err), HSD_E_NOT_THIS_FORMAT);
    cr_expect_neq(strstr(err.text, "command line"), NULL);
    cr_expect_eq(hsd_crypt_take_recipients(crypt, AGE_IDENTITY, strlen(AGE_IDENTITY), &err), HSD_E_NOT_THIS_FORMAT);
    cr_expect_neq(strstr(err.text, "age-keygen -y"), NULL, "%s", err.text);
    cr_expect_eq(hsd_crypt_add_recipients(crypt, "age1qqqq", &err), HSD_E_NOT_THIS_FORMAT);
    cr_expect_eq(hsd_crypt_add_recipients(crypt, "/nowhere/age1", &err), HSD_E_IO);
}
