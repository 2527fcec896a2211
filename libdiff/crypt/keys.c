/*
 * Files of keys, as age-keygen writes them: a key a line, comments behind #. What else people have in such files (keys
 * of SSH, of plugins, files behind a passphrase) is told by name; a key itself is never told.
 */
#include "crypt/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "crypt/bech32.h"
#include <hsdiff/signing.h>

static const char identity_prefix[] = "age-secret-key-", recipient_prefix[] = "age";

hsd_status hsd_crypt_new(hsd_crypt **out, hsd_error *err)
{
    *out = NULL;
    if (!hsd_primitives_begin()) return hsd_fail(err, HSD_E_IO, "the system has no random bytes");
    hsd_crypt *crypt = calloc(1, sizeof *crypt);
    if (crypt == NULL) return hsd_fail_nomem(err, "keys");
    pthread_mutex_init(&crypt->lock, NULL);
    do {
        hsd_random_bytes(crypt->own.secret, sizeof crypt->own.secret);
    } while (!hsd_x25519_public(crypt->own.public, crypt->own.secret));
    *out = crypt;
    return HSD_OK;
}

void hsd_crypt_free(hsd_crypt *crypt)
{
    if (crypt == NULL) return;
    pthread_mutex_destroy(&crypt->lock);
    hsd_forget_secret(crypt, sizeof *crypt);
    free(crypt);
}

bool hsd_crypt_has_recipients(hsd_crypt *crypt) { return crypt != NULL && crypt->recipient_count > 0; }

void hsd_crypt_read_again(hsd_crypt *crypt)
{
    if (!hsd_crypt_has_recipients(crypt) || crypt->recipient_count == HSD_RECIPIENTS_MAX) return;
    memcpy(crypt->recipients[crypt->recipient_count++], crypt->own.public, HSD_KEY_BYTES);
}

bool hsd_crypt_is_secret(const hsd_crypt *crypt)
{
    return crypt != NULL && (crypt->has_opened || crypt->recipient_count > 0);
}

/* ---- what was made ---- */

void hsd_crypt_remember(hsd_crypt *crypt, const uint8_t nonce[HSD_MADE_NONCE], const uint8_t key[HSD_KEY_BYTES])
{
    pthread_mutex_lock(&crypt->lock);
    hsd_made_key *made = &crypt->made[crypt->made_count++ % HSD_MADE_KEYS];
    memcpy(made->nonce, nonce, HSD_MADE_NONCE);
    memcpy(made->key, key, HSD_KEY_BYTES);
    pthread_mutex_unlock(&crypt->lock);
}

bool hsd_crypt_recall(hsd_crypt *crypt, const uint8_t nonce[HSD_MADE_NONCE], uint8_t key[HSD_KEY_BYTES])
{
    bool found = false;
    pthread_mutex_lock(&crypt->lock);
    for (size_t i = 0; !found && i < HSD_MADE_KEYS && i < crypt->made_count; i++) {
        found = memcmp(crypt->made[i].nonce, nonce, HSD_MADE_NONCE) == 0;
        if (found) memcpy(key, crypt->made[i].key, HSD_KEY_BYTES);
    }
    pthread_mutex_unlock(&crypt->lock);
    return found;
}

/* ---- one key ---- */

static bool has_start(const char *text, size_t size, const char *word)
{
    return size >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* What a line is, that is no key of this kind; NULL: nothing that is known. */
static const char *name_of_line(const char *line, size_t size)
{
    static const struct {
        const char *start, *name;
    } known[] = {{"age-encryption.org/", "the file is itself encrypted: decrypt it first (age -d)"},
                 {"-----BEGIN AGE", "the file is itself encrypted: decrypt it first (age -d)"},
                 {"-----BEGIN", "keys of SSH are not taken: age-keygen makes one that is"},
                 {"ssh-", "keys of SSH are not taken: age-keygen makes one that is"},
                 {"AGE-PLUGIN-", "identities of plugins are not taken: age-keygen makes one that is"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (has_start(line, size, known[i].start)) return known[i].name;
    return NULL;
}

static hsd_status refuse_line(const char *line, size_t size, uint64_t offset, const char *kind, const char *why,
                              hsd_error *err)
{
    const char *name = name_of_line(line, size);
    if (name != NULL) return hsd_fail_at(err, HSD_E_UNSUPPORTED, offset, "%s", name);
    return hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, offset, "this line is no %s of age: %s", kind, why);
}

static hsd_status take_identity(hsd_crypt *crypt, const char *line, size_t size, uint64_t offset, hsd_error *err)
{
    if (crypt->identity_count == HSD_IDENTITIES_MAX)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, offset, "these are more than %d identities", HSD_IDENTITIES_MAX);
    hsd_age_identity *identity = &crypt->identities[crypt->identity_count];
    const char *why = hsd_bech32_decode(identity->secret, HSD_KEY_BYTES, identity_prefix, line, size);
    if (why != NULL) return refuse_line(line, size, offset, "identity", why, err);
    if (!hsd_x25519_public(identity->public, identity->secret))
        return refuse_line(line, size, offset, "identity", "it has no public half", err);
    crypt->identity_count++;
    return HSD_OK;
}

static hsd_status take_recipient(hsd_crypt *crypt, const char *line, size_t size, uint64_t offset, hsd_error *err)
{
    if (crypt->recipient_count == HSD_RECIPIENTS_MAX)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, offset, "these are more than %d recipients", HSD_RECIPIENTS_MAX);
    uint8_t *key = crypt->recipients[crypt->recipient_count];
    const char *why = hsd_bech32_decode(key, HSD_KEY_BYTES, recipient_prefix, line, size);
    if (why != NULL && has_start(line, size, "AGE-SECRET-KEY-"))
        why =
            "it is a secret key; its public half is in the comment that age-keygen wrote, and age-keygen -y prints it";
    if (why != NULL) return refuse_line(line, size, offset, "recipient", why, err);
    crypt->recipient_count++;
    return HSD_OK;
}

/* ---- a file of them ---- */

typedef hsd_status (*take_fn)(hsd_crypt *crypt, const char *line, size_t size, uint64_t offset, hsd_error *err);

static hsd_status take_lines(hsd_crypt *crypt, const char *text, size_t size, take_fn take, size_t *count,
                             hsd_error *err)
{
    *count = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - text) - at;
        size_t used = length;
        while (used > 0 && (text[at + used - 1] == '\r' || text[at + used - 1] == ' '))
            used--;
        if (used > 0 && text[at] != '#') {
            HSD_TRY(take(crypt, text + at, used, at, err));
            *count += 1;
        }
        at += length + 1;
    }
    return HSD_OK;
}

hsd_status hsd_crypt_take_identities(hsd_crypt *crypt, const char *text, size_t size, hsd_error *err)
{
    size_t count = 0;
    HSD_TRY(take_lines(crypt, text, size, take_identity, &count, err));
    if (count > 0) return HSD_OK;
    return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "has no identity: age-keygen -o FILE writes one");
}

hsd_status hsd_crypt_take_recipients(hsd_crypt *crypt, const char *text, size_t size, hsd_error *err)
{
    size_t count = 0;
    HSD_TRY(take_lines(crypt, text, size, take_recipient, &count, err));
    if (count > 0) return HSD_OK;
    return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "has no recipient: a line is age1…");
}

static hsd_status read_keys(int fd, char *text, size_t capacity, size_t *size, bool *is_exposed, hsd_error *err)
{
    struct stat what;
    *size = 0;
    if (fstat(fd, &what) != 0) return hsd_fail_errno(err, errno, "cannot be read");
    *is_exposed = S_ISREG(what.st_mode) && (what.st_mode & (S_IRWXG | S_IRWXO)) != 0;
    while (*size < capacity) {
        const ssize_t got = read(fd, text + *size, capacity - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return hsd_fail_errno(err, errno, "cannot be read");
        if (got == 0) return HSD_OK;
        *size += (size_t)got;
    }
    return hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, capacity, "is longer than any file of keys");
}

typedef hsd_status (*take_file_fn)(hsd_crypt *crypt, const char *text, size_t size, hsd_error *err);

static hsd_status add_file(hsd_crypt *crypt, const char *path, take_file_fn take, bool *is_exposed, hsd_error *err)
{
    size_t size = 0;
    char *text = malloc(HSD_KEYS_FILE_MAX);
    if (text == NULL) return hsd_fail_nomem(err, "a file of keys");
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    hsd_status status = fd < 0 ? hsd_fail_errno(err, errno, "the file of keys cannot be opened")
                               : read_keys(fd, text, HSD_KEYS_FILE_MAX, &size, is_exposed, err);
    if (status == HSD_OK) status = take(crypt, text, size, err);
    if (fd >= 0) close(fd);
    hsd_forget_secret(text, HSD_KEYS_FILE_MAX);
    free(text);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

hsd_status hsd_crypt_add_identities(hsd_crypt *crypt, const char *path, bool *is_exposed, hsd_error *err)
{
    bool unwanted = false;
    return add_file(crypt, path, hsd_crypt_take_identities, is_exposed == NULL ? &unwanted : is_exposed, err);
}

hsd_status hsd_crypt_add_recipients(hsd_crypt *crypt, const char *word, hsd_error *err)
{
    bool unwanted = false;
    const size_t size = strlen(word);
    if (has_start(word, size, "AGE-SECRET-KEY-"))
        return hsd_fail(err, HSD_E_NOT_THIS_FORMAT,
                        "a secret key is no recipient, and does not belong on a command line: others can read those");
    if (has_start(word, size, "age1") && strchr(word, '/') == NULL && access(word, F_OK) != 0)
        return take_recipient(crypt, word, size, HSD_NO_OFFSET, err);
    return add_file(crypt, word, hsd_crypt_take_recipients, &unwanted, err);
}
