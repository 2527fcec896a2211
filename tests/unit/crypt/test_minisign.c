/* Signatures that minisign wrote, and what is said of those that were changed. */
#include "crypt/minisign.h"

#include <criterion/criterion.h>
#include <string.h>

#define KEY       "RWQl5uwRTDh6eNpg9fpg7SEOf8NJaksBDgslkgrz6JI1iGldmY12s10d"
#define OTHER_KEY "RWQfehpE+tGyLSAQCxG717WnsVVai9HwF6O7VUTB6opZMRLilP6TyAWH"
#define KEY_FILE  "untrusted comment: minisign public key 787A384C11ECE625\n" KEY "\n"
/* of the five bytes "hello" */
#define SIGNATURE                                                                                                      \
    "untrusted comment: signature from minisign secret key\n"                                                          \
    "RUQl5uwRTDh6eGuPbGLB8V9MBJqddAqPYuCjJo2v4wc/ZME+dU4UELNpWFDk/DxNIwoQRDlMDBI4F3BsAtvoBZKPKPd7XZd3nAo=\n"           \
    "trusted comment: a trusted comment\n"                                                                             \
    "n6EUtSwOQFZuN6OW4j8DnyVYtqflRtTu5hgSoHWY5leNRczzM49cfLq0YwsGKahm6e/ULRGFew3xhLSrLS6JBw==\n"

static hsd_error err;

static hsd_status judge(const char *key_text, const char *text, const char *file)
{
    hsd_public_key key;
    hsd_signature signature;
    hsd_blake2b state;
    uint8_t hash[HSD_BLAKE2B_BYTES];
    hsd_error_init(&err);
    HSD_TRY(hsd_public_key_parse(&key, key_text, strlen(key_text), &err));
    HSD_TRY(hsd_signature_parse(&signature, text, strlen(text), &err));
    hsd_blake2b_begin(&state);
    hsd_blake2b_add(&state, file, strlen(file));
    hsd_blake2b_finish(&state, hash);
    return hsd_signature_judge(&signature, &key, hash, &err);
}

Test(minisign, what_was_signed_is_known)
{
    cr_expect_eq(judge(KEY, SIGNATURE, "hello"), HSD_OK, "%s", err.text);
    cr_expect_eq(judge(KEY_FILE, SIGNATURE, "hello"), HSD_OK, "%s", err.text);
    cr_expect_eq(judge(KEY, SIGNATURE, "Hello"), HSD_E_CORRUPT);
    cr_expect_neq(strstr(err.text, "not what was signed"), NULL);
    cr_expect_eq(judge(OTHER_KEY, SIGNATURE, "hello"), HSD_E_CORRUPT);
    cr_expect_neq(strstr(err.text, "by another key"), NULL);
}

Test(minisign, no_letter_of_it_can_be_changed)
{
    char text[] = SIGNATURE;
    const size_t first = strcspn(text, "\n") + 1; /* the untrusted comment is nobody's */
    for (size_t i = first; text[i] != '\0'; i++) {
        const char was = text[i];
        if (i + 1 == sizeof text - 1) break; /* the end of the last line */
        text[i] = was == 'A' ? 'B' : 'A';
        cr_expect_lt(judge(KEY, text, "hello"), 0, "letter %zu", i);
        cr_expect_neq(err.text[0], 0);
        text[i] = was;
    }
    char key[] = KEY;
    for (size_t i = 0; key[i] != '\0'; i++) {
        const char was = key[i];
        key[i] = was == 'A' ? 'B' : 'A';
        cr_expect_lt(judge(key, SIGNATURE, "hello"), 0, "letter %zu of the key", i);
        key[i] = was;
    }
}

Test(minisign, what_is_none_is_told_with_its_place)
{
    static const struct {
        const char *text, *words;
        uint64_t offset;
    } cases[] = {{"", "first line", 0},
                 {"hello\n", "first line", 0},
                 {"untrusted comment: x\n", "second line", 0},
                 {"untrusted comment: x\nAAAA\n", "second line", 21}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(judge(KEY, cases[i].text, "hello"), HSD_E_NOT_THIS_FORMAT);
        cr_expect_neq(strstr(err.text, cases[i].words), NULL, "%s", err.text);
        cr_expect_eq(err.offset_bytes, cases[i].offset);
    }
    char cut[] = SIGNATURE;
    *strstr(cut, "n6EU") = '\0';
    cr_expect_eq(judge(KEY, cut, "hello"), HSD_E_NOT_THIS_FORMAT);
    cr_expect_neq(strstr(err.text, "fourth line"), NULL);
    *strstr(cut, "trusted comment: a") = '\0';
    cr_expect_eq(judge(KEY, cut, "hello"), HSD_E_NOT_THIS_FORMAT);
    char old[] = SIGNATURE;
    memcpy(strstr(old, "RUQl"), "RWQl", 4);
    cr_expect_eq(judge(KEY, old, "hello"), HSD_E_UNSUPPORTED);
    cr_expect_neq(strstr(err.text, "-H"), NULL);
    cr_expect_eq(judge("RW", SIGNATURE, "hello"), HSD_E_NOT_THIS_FORMAT);
    cr_expect_eq(judge("", SIGNATURE, "hello"), HSD_E_NOT_THIS_FORMAT);
}
