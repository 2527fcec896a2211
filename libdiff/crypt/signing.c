/* Signatures as minisign makes them. See signing.h, and hsdiff/crypt.h for files. */
#include "crypt/signing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "crypt/signature.h"
#include <hsdiff/signing.h>

#define LARGEST_MEMORY     (UINT64_C(1) << 30) /* what minisign takes */
#define LARGEST_OPERATIONS (UINT64_C(1) << 26)

/* ---- a key as text ---- */

hsd_status hsd_signing_text_parse(hsd_signing_text *out, const char *text, size_t size, hsd_error *err)
{
    static const char comment[] = "untrusted comment: ";
    const char *at = text, *end = memchr(text, '\n', size);
    if (size >= strlen(comment) && memcmp(text, comment, strlen(comment)) == 0 && end != NULL) {
        at = end + 1;
        end = memchr(at, '\n', size - (size_t)(at - text));
    }
    size_t length = end == NULL ? size - (size_t)(at - text) : (size_t)(end - at);
    if (length > 0 && at[length - 1] == '\r') length--;
    if (hsd_base64_decode(out, sizeof *out, at, length, true) && memcmp(out->signs, "Ed", 2) == 0 &&
        memcmp(out->checks, "B2", 2) == 0 &&
        (memcmp(out->derives, "Sc", 2) == 0 || memcmp(out->derives, "\0\0", 2) == 0))
        return HSD_OK;
    hsd_forget_secret(out, sizeof *out);
    const hsd_status status =
        hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, (uint64_t)(at - text), "is no secret key of minisign");
    hsd_error_set_hint(err, "hsdiff sign --new-key FILE makes one, and so does minisign -G");
    return status;
}

bool hsd_signing_text_is_locked(const hsd_signing_text *text) { return text->derives[0] != 0; }

static uint64_t number_of(const uint8_t bytes[8])
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static hsd_status turn_by_password(hsd_signing_text *text, const char *password, size_t size, hsd_error *err)
{
    uint8_t stream[HSD_KEY_NUMBER_BYTES + HSD_SIGNING_SECRET_BYTES + HSD_SIGNING_CHECK_BYTES];
    uint8_t *locked = (uint8_t *)text + offsetof(hsd_signing_text, number); /* to the end of it */
    const uint64_t operations = number_of(text->operations), memory = number_of(text->memory);
    if (operations > LARGEST_OPERATIONS || memory > LARGEST_MEMORY)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "asks for more than 1 GiB to open it, which no minisign writes");
    if (!hsd_scrypt(stream, sizeof stream, password, size, text->salt, operations, memory))
        return hsd_fail_nomem(err, "the key of a password");
    for (size_t i = 0; i < sizeof stream; i++)
        locked[i] ^= stream[i];
    hsd_forget_secret(stream, sizeof stream);
    return HSD_OK;
}

static void find_check(uint8_t out[HSD_SIGNING_CHECK_BYTES], const hsd_signing_text *text)
{
    uint8_t all[2 + HSD_KEY_NUMBER_BYTES + HSD_SIGNING_SECRET_BYTES];
    memcpy(all, text->signs, 2);
    memcpy(all + 2, text->number, HSD_KEY_NUMBER_BYTES);
    memcpy(all + 2 + HSD_KEY_NUMBER_BYTES, text->secret, HSD_SIGNING_SECRET_BYTES);
    hsd_blake2b_short(out, all, sizeof all);
    hsd_forget_secret(all, sizeof all);
}

hsd_status hsd_signing_text_open(hsd_signing_key *out, hsd_signing_text *text, const char *password, size_t size,
                                 hsd_error *err)
{
    static const uint8_t none[HSD_SIGNING_CHECK_BYTES];
    uint8_t check[HSD_SIGNING_CHECK_BYTES];
    const bool is_locked = hsd_signing_text_is_locked(text);
    if (is_locked) HSD_TRY(turn_by_password(text, password, size, err));
    find_check(check, text);
    /* minisign leaves the check of a key without a password out in some versions */
    const bool is_unchecked = !is_locked && memcmp(text->check, none, sizeof none) == 0;
    if (!is_unchecked && !hsd_is_same_secret(check, text->check, sizeof check))
        return hsd_fail(err, HSD_E_CORRUPT,
                        is_locked ? "cannot be opened: the password is wrong, or the file was changed"
                                  : "is not what was written there: the file was changed");
    memcpy(out->number, text->number, sizeof out->number);
    memcpy(out->secret, text->secret, sizeof out->secret);
    return HSD_OK;
}

void hsd_signing_make(hsd_signing_text *out, hsd_public_key *public)
{
    *out = (hsd_signing_text){.signs = {'E', 'd'}, .checks = {'B', '2'}};
    hsd_random_bytes(out->number, sizeof out->number);
    hsd_ed25519_make(public->key, out->secret);
    memcpy(public->number, out->number, sizeof public->number);
    find_check(out->check, out);
}

/* ---- a signature ---- */

void hsd_signing_write(char out[HSD_SIGNATURE_TEXT_MAX], const hsd_signing_key *key,
                       const uint8_t hash[HSD_BLAKE2B_BYTES], const char *comment)
{
    struct {
        uint8_t kind[2], number[HSD_KEY_NUMBER_BYTES], signature[HSD_SIGNATURE_BYTES];
    } raw = {.kind = {'E', 'D'}};
    uint8_t both[HSD_SIGNATURE_BYTES + HSD_COMMENT_MAX], of_comment[HSD_SIGNATURE_BYTES];
    char first[HSD_BASE64_CHARS(sizeof raw)], second[HSD_BASE64_CHARS(sizeof of_comment)];
    const size_t size = strnlen(comment, HSD_COMMENT_MAX);
    memcpy(raw.number, key->number, sizeof raw.number);
    hsd_ed25519_sign(raw.signature, hash, HSD_BLAKE2B_BYTES, key->secret);
    memcpy(both, raw.signature, HSD_SIGNATURE_BYTES);
    memcpy(both + HSD_SIGNATURE_BYTES, comment, size);
    hsd_ed25519_sign(of_comment, both, HSD_SIGNATURE_BYTES + size, key->secret);
    hsd_base64_encode_padded(first, sizeof first, &raw, sizeof raw);
    hsd_base64_encode_padded(second, sizeof second, of_comment, sizeof of_comment);
    snprintf(out, HSD_SIGNATURE_TEXT_MAX, "untrusted comment: signature from hsdiff\n%s\ntrusted comment: %.*s\n%s\n",
             first, (int)size, comment, second);
}

/* ---- files ---- */

static hsd_status fail_key(const char *path, hsd_status status, hsd_error *err)
{
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

static hsd_status open_key(hsd_signing_key *key, hsd_signing_text *text, hsd_password_fn ask, void *context,
                           hsd_error *err)
{
    char password[HSD_PASSWORD_MAX + 1] = "";
    size_t size = 0;
    hsd_status status = HSD_OK;
    if (hsd_signing_text_is_locked(text)) status = ask(context, password, &size, err);
    if (status == HSD_OK) status = hsd_signing_text_open(key, text, password, size, err);
    hsd_forget_secret(password, sizeof password);
    return status;
}

static hsd_status read_signing_key(hsd_signing_key *key, const char *path, hsd_password_fn ask, void *context,
                                   bool *is_exposed, hsd_error *err)
{
    char text[HSD_SIGNATURE_FILE_MAX];
    hsd_signing_text parsed;
    size_t size = 0;
    struct stat what;
    HSD_TRY(hsd_signature_read_text(path, text, &size, err));
    if (is_exposed != NULL)
        *is_exposed = stat(path, &what) == 0 && S_ISREG(what.st_mode) && (what.st_mode & (S_IRWXG | S_IRWXO)) != 0;
    hsd_status status = hsd_signing_text_parse(&parsed, text, size, err);
    hsd_forget_secret(text, sizeof text);
    if (status == HSD_OK) status = open_key(key, &parsed, ask, context, err);
    hsd_forget_secret(&parsed, sizeof parsed);
    return fail_key(path, status, err);
}

hsd_status hsd_signing_key_read(hsd_signing_key **out, const char *path, hsd_password_fn ask, void *context,
                                bool *is_exposed, hsd_error *err)
{
    *out = NULL;
    if (!hsd_primitives_begin()) return hsd_fail(err, HSD_E_IO, "the system has no random bytes");
    hsd_signing_key *key = calloc(1, sizeof *key);
    if (key == NULL) return hsd_fail_nomem(err, "a key");
    const hsd_status status = read_signing_key(key, path, ask, context, is_exposed, err);
    if (status == HSD_OK)
        *out = key;
    else
        hsd_signing_key_free(key);
    return status;
}

void hsd_secret_forget(void *data, size_t size) { hsd_forget_secret(data, size); }

void hsd_signing_key_free(hsd_signing_key *key)
{
    if (key != NULL) hsd_forget_secret(key, sizeof *key);
    free(key);
}

/* A name can hold anything, and the comment is a line. */
static void write_comment(char out[HSD_COMMENT_MAX], const char *path)
{
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    snprintf(out, HSD_COMMENT_MAX, "timestamp:%lld\tfile:%s\thashed", (long long)time(NULL), name);
    for (char *at = out; *at != '\0'; at++)
        if (*at == '\n' || *at == '\r') *at = '?';
}

hsd_status hsd_signature_make(const char *path, const hsd_signing_key *key, char *text, hsd_error *err)
{
    uint8_t hash[HSD_BLAKE2B_BYTES];
    char comment[HSD_COMMENT_MAX];
    HSD_TRY(hsd_signature_hash_file(path, hash, err));
    write_comment(comment, path);
    hsd_signing_write(text, key, hash, comment);
    return HSD_OK;
}

hsd_status hsd_signing_key_make(char *secret_text, char *public_text, hsd_error *err)
{
    struct {
        uint8_t kind[2];
        hsd_public_key key;
    } public = {.kind = {'E', 'd'}};
    hsd_signing_text secret;
    char number[2 * HSD_KEY_NUMBER_BYTES + 1], line[HSD_BASE64_CHARS(sizeof secret)];
    if (!hsd_primitives_begin()) return hsd_fail(err, HSD_E_IO, "the system has no random bytes");
    hsd_signing_make(&secret, &public.key);
    for (size_t i = 0; i < HSD_KEY_NUMBER_BYTES; i++) /* as minisign tells it: the last byte first */
        snprintf(number + 2 * i, 3, "%02X", public.key.number[HSD_KEY_NUMBER_BYTES - 1 - i]);
    hsd_base64_encode_padded(line, sizeof line, &secret, sizeof secret);
    snprintf(secret_text, HSD_SIGNATURE_TEXT_MAX, "untrusted comment: hsdiff secret key, without a password\n%s\n",
             line);
    hsd_base64_encode_padded(line, sizeof line, &public, sizeof public);
    snprintf(public_text, HSD_SIGNATURE_TEXT_MAX, "untrusted comment: minisign public key %s\n%s\n", number, line);
    hsd_forget_secret(&secret, sizeof secret);
    return HSD_OK;
}
