/* Keys and signatures that are made here, those of minisign, and what is said of files that were changed. */
#include "crypt/signing.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

#include "crypt/signature.h"

static hsd_error err;

static void setup(void)
{
    hsd_error_init(&err);
    cr_assert(hsd_primitives_begin());
}

TestSuite(signing, .init = setup);

static hsd_status no_password(void *context, char *password, size_t *size, hsd_error *error)
{
    (void)context, (void)password, (void)size;
    return hsd_fail(error, HSD_E_MISUSE, "asked for a password");
}

static hsd_status open_text(hsd_signing_key *key, const char *text, const char *password)
{
    hsd_signing_text parsed;
    HSD_TRY(hsd_signing_text_parse(&parsed, text, strlen(text), &err));
    return hsd_signing_text_open(key, &parsed, password, strlen(password), &err);
}

static void hash_of(uint8_t out[HSD_BLAKE2B_BYTES], const char *text)
{
    hsd_blake2b state;
    hsd_blake2b_begin(&state);
    hsd_blake2b_add(&state, text, strlen(text));
    hsd_blake2b_finish(&state, out);
}

Test(signing, what_a_new_key_signs_its_public_half_knows)
{
    char secret[HSD_SIGNATURE_TEXT_MAX], public_text[HSD_SIGNATURE_TEXT_MAX], text[HSD_SIGNATURE_TEXT_MAX];
    uint8_t hash[HSD_BLAKE2B_BYTES], other[HSD_BLAKE2B_BYTES];
    hsd_signing_key key;
    hsd_public_key public;
    hsd_signature signature;
    cr_assert_eq(hsd_signing_key_make(secret, public_text, &err), HSD_OK);
    cr_assert_eq(open_text(&key, secret, ""), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_public_key_parse(&public, public_text, strlen(public_text), &err), HSD_OK, "%s", err.text);
    hash_of(hash, "hello");
    hash_of(other, "Hello");
    hsd_signing_write(text, &key, hash, "a comment");
    cr_assert_eq(hsd_signature_parse(&signature, text, strlen(text), &err), HSD_OK, "%s", err.text);
    cr_expect_eq(hsd_signature_judge(&signature, &public, hash, &err), HSD_OK, "%s", err.text);
    cr_expect_eq(hsd_signature_judge(&signature, &public, other, &err), HSD_E_CORRUPT);
    cr_expect_eq(signature.comment.size, strlen("a comment"));
}

Test(signing, a_changed_key_is_refused)
{
    char secret[HSD_SIGNATURE_TEXT_MAX], public_text[HSD_SIGNATURE_TEXT_MAX];
    hsd_signing_key key;
    cr_assert_eq(hsd_signing_key_make(secret, public_text, &err), HSD_OK);
    const size_t first = strcspn(secret, "\n") + 1;
    for (size_t i = first; secret[i] != '\n'; i++) {
        const char was = secret[i];
        const size_t at = i - first;
        if (at >= 8 && at < 72) continue; /* salt and costs of a password, which it does not have */
        secret[i] = was == 'A' ? 'B' : 'A';
        cr_expect_lt(open_text(&key, secret, "wrong"), 0, "letter %zu", at);
        secret[i] = was;
    }
    cr_expect_eq(open_text(&key, secret, ""), HSD_OK);
    cr_expect_eq(open_text(&key, "", ""), HSD_E_NOT_THIS_FORMAT);
    cr_expect_eq(open_text(&key, "untrusted comment: nothing\n", ""), HSD_E_NOT_THIS_FORMAT);
    cr_expect_eq(open_text(&key, public_text, ""), HSD_E_NOT_THIS_FORMAT);
}

/* As minisign locks a key, with the least that scrypt takes. */
static void lock(hsd_signing_text *text, const char *password, uint64_t operations, uint64_t memory)
{
    uint8_t stream[HSD_KEY_NUMBER_BYTES + HSD_SIGNING_SECRET_BYTES + HSD_SIGNING_CHECK_BYTES] = {0};
    uint8_t *locked = (uint8_t *)text + offsetof(hsd_signing_text, number);
    memcpy(text->derives, "Sc", 2);
    memset(text->salt, 7, sizeof text->salt);
    for (unsigned i = 0; i < 8; i++) {
        text->operations[i] = (uint8_t)(operations >> 8 * i);
        text->memory[i] = (uint8_t)(memory >> 8 * i);
    }
    if (memory < UINT64_C(1) << 30)
        cr_assert(hsd_scrypt(stream, sizeof stream, password, strlen(password), text->salt, operations, memory));
    for (size_t i = 0; i < sizeof stream; i++)
        locked[i] ^= stream[i];
}

Test(signing, a_key_with_a_password_opens_with_it_alone)
{
    hsd_signing_text made, text;
    hsd_public_key public;
    hsd_signing_key plain, key;
    hsd_signing_make(&made, &public);
    text = made;
    cr_assert_eq(hsd_signing_text_open(&plain, &text, "", 0, &err), HSD_OK);
    lock(&made, "sesame", 32768, 1 << 20);
    text = made;
    cr_expect(hsd_signing_text_is_locked(&text));
    cr_expect_eq(hsd_signing_text_open(&key, &text, "sesame", 6, &err), HSD_OK, "%s", err.text);
    cr_expect_arr_eq(&key, &plain, sizeof key);
    text = made;
    cr_expect_eq(hsd_signing_text_open(&key, &text, "Sesame", 6, &err), HSD_E_CORRUPT);
    cr_expect_neq(strstr(err.text, "the password is wrong"), NULL);
}

Test(signing, costs_that_are_claimed_are_bounded)
{
    hsd_signing_text text;
    hsd_public_key public;
    hsd_signing_key key;
    hsd_signing_make(&text, &public);
    lock(&text, "", 32768, UINT64_C(1) << 40);
    cr_expect_eq(hsd_signing_text_open(&key, &text, "", 0, &err), HSD_E_UNSUPPORTED);
    hsd_signing_make(&text, &public);
    lock(&text, "x", 32768, 1 << 20);
    memset(text.operations, 0xff, sizeof text.operations);
    cr_expect_eq(hsd_signing_text_open(&key, &text, "x", 1, &err), HSD_E_UNSUPPORTED);
}

Test(signing, files_are_named_where_they_fail)
{
    hsd_signing_key *key;
    bool is_exposed;
    cr_expect_eq(hsd_signing_key_read(&key, "/nowhere/key", no_password, NULL, &is_exposed, &err), HSD_E_IO);
    cr_expect_str_eq(err.file, "/nowhere/key");
    cr_expect_eq(hsd_signing_key_read(&key, "/dev/null", no_password, NULL, &is_exposed, &err), HSD_E_NOT_THIS_FORMAT);
    cr_expect_null(key);
    hsd_signing_key_free(NULL);
}
