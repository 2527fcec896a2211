/* Signatures of minisign, verified. See minisign.h, and hsdiff/crypt.h for files. */
#include "crypt/minisign.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include <hsdiff/crypt.h>

#define PIECE_BYTES ((size_t)256 << 10)

static const char untrusted[] = "untrusted comment: ", trusted[] = "trusted comment: ";

/* ---- lines ---- */

typedef struct text_line {
    const char *text;
    size_t size;
    uint64_t offset;
} text_line;

/* The next line, without its end; false behind the last. */
static bool take_line(const char *text, size_t size, size_t *at, text_line *line)
{
    if (*at >= size) return false;
    const char *end = memchr(text + *at, '\n', size - *at);
    const size_t length = (end == NULL ? size : (size_t)(end - text)) - *at;
    *line = (text_line){text + *at, length, *at};
    *at += length + 1;
    if (line->size > 0 && line->text[line->size - 1] == '\r') line->size--;
    return true;
}

static bool starts(const text_line *line, const char *word)
{
    return line->size >= strlen(word) && memcmp(line->text, word, strlen(word)) == 0;
}

/* ---- keys ---- */

hsd_status hsd_public_key_parse(hsd_public_key *out, const char *text, size_t size, hsd_error *err)
{
    struct {
        uint8_t kind[2];
        hsd_public_key key;
    } raw;
    text_line line = {.text = text};
    size_t at = 0;
    const bool is_there =
        take_line(text, size, &at, &line) && (!starts(&line, untrusted) || take_line(text, size, &at, &line));
    if (is_there && hsd_base64_decode(&raw, sizeof raw, line.text, line.size, true) && memcmp(raw.kind, "Ed", 2) == 0) {
        *out = raw.key;
        return HSD_OK;
    }
    return hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, line.offset,
                       "is no public key of minisign: that is RW… and has 56 letters");
}

/* ---- signatures ---- */

static hsd_status refuse_signature(uint64_t offset, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, offset, "is no signature of minisign: %s", what);
}

hsd_status hsd_signature_parse(hsd_signature *out, const char *text, size_t size, hsd_error *err)
{
    struct {
        uint8_t kind[2], number[HSD_KEY_NUMBER_BYTES], signature[HSD_SIGNATURE_BYTES];
    } raw;
    text_line line = {.text = text};
    size_t at = 0;
    if (!take_line(text, size, &at, &line) || !starts(&line, untrusted))
        return refuse_signature(line.offset, "its first line is no untrusted comment", err);
    if (!take_line(text, size, &at, &line) || !hsd_base64_decode(&raw, sizeof raw, line.text, line.size, true))
        return refuse_signature(line.offset, "its second line is no signature", err);
    if (memcmp(raw.kind, "Ed", 2) == 0)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, line.offset,
                           "is a signature of minisign's old form: sign the file again (minisign -S -H)");
    if (memcmp(raw.kind, "ED", 2) != 0) return refuse_signature(line.offset, "it is of another kind", err);
    memcpy(out->number, raw.number, sizeof out->number);
    memcpy(out->of_file, raw.signature, sizeof out->of_file);
    if (!take_line(text, size, &at, &line) || !starts(&line, trusted))
        return refuse_signature(line.offset, "its third line is no trusted comment", err);
    out->comment = (hsd_bytes){(const uint8_t *)line.text + strlen(trusted), line.size - strlen(trusted)};
    if (!take_line(text, size, &at, &line) ||
        !hsd_base64_decode(out->of_comment, sizeof out->of_comment, line.text, line.size, true))
        return refuse_signature(line.offset, "its fourth line is no signature", err);
    return HSD_OK;
}

hsd_status hsd_signature_judge(const hsd_signature *signature, const hsd_public_key *key,
                               const uint8_t hash[HSD_BLAKE2B_BYTES], hsd_error *err)
{
    uint8_t both[HSD_SIGNATURE_BYTES + HSD_SIGNATURE_FILE_MAX];
    if (memcmp(signature->number, key->number, sizeof key->number) != 0)
        return hsd_fail(err, HSD_E_CORRUPT, "is signed by another key");
    if (!hsd_ed25519_is_signed(signature->of_file, hash, HSD_BLAKE2B_BYTES, key->key))
        return hsd_fail(err, HSD_E_CORRUPT, "is not what was signed: it was changed, or the signature was");
    if (signature->comment.size > HSD_SIGNATURE_FILE_MAX) return refuse_signature(HSD_NO_OFFSET, "it is too long", err);
    memcpy(both, signature->of_file, HSD_SIGNATURE_BYTES);
    if (signature->comment.size > 0)
        memcpy(both + HSD_SIGNATURE_BYTES, signature->comment.data, signature->comment.size);
    if (hsd_ed25519_is_signed(signature->of_comment, both, HSD_SIGNATURE_BYTES + signature->comment.size, key->key))
        return HSD_OK;
    return hsd_fail(err, HSD_E_CORRUPT, "has a signature whose trusted comment was changed");
}

/* ---- files ---- */

hsd_status hsd_signature_read_text(const char *path, char *text, size_t *size, hsd_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    hsd_status status = fd < 0 ? hsd_fail_errno(err, errno, "cannot be opened") : HSD_OK;
    for (*size = 0; status == HSD_OK;) {
        const ssize_t got = read(fd, text + *size, HSD_SIGNATURE_FILE_MAX - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = hsd_fail_errno(err, errno, "cannot be read");
        if (got <= 0) break;
        *size += (size_t)got;
        if (*size == HSD_SIGNATURE_FILE_MAX)
            status = hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, *size, "is longer than what minisign writes");
    }
    if (fd >= 0) close(fd);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

hsd_status hsd_signature_hash_file(const char *path, uint8_t hash[HSD_BLAKE2B_BYTES], hsd_error *err)
{
    hsd_blake2b state;
    uint8_t *piece = malloc(PIECE_BYTES);
    if (piece == NULL) return hsd_fail_nomem(err, "reading what is signed");
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    hsd_status status = fd < 0 ? hsd_fail_errno(err, errno, "cannot be opened") : HSD_OK;
    hsd_blake2b_begin(&state);
    while (status == HSD_OK) {
        const ssize_t got = read(fd, piece, PIECE_BYTES);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = hsd_fail_errno(err, errno, "cannot be read");
        if (got <= 0) break;
        hsd_blake2b_add(&state, piece, (size_t)got);
    }
    hsd_blake2b_finish(&state, hash);
    if (fd >= 0) close(fd);
    free(piece);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

static hsd_status read_public_key(hsd_public_key *out, const char *word, char *text, hsd_error *err)
{
    size_t size = 0;
    if (strncmp(word, "RW", 2) == 0 && strchr(word, '.') == NULL && access(word, F_OK) != 0)
        return hsd_public_key_parse(out, word, strlen(word), err);
    HSD_TRY(hsd_signature_read_text(word, text, &size, err));
    const hsd_status status = hsd_public_key_parse(out, text, size, err);
    if (status != HSD_OK) hsd_error_set_file(err, word);
    return status;
}

static hsd_status read_signature(hsd_signature *out, const char *path, char *text, hsd_error *err)
{
    char name[PATH_MAX];
    size_t size = 0;
    if (snprintf(name, sizeof name, "%s.minisig", path) >= (int)sizeof name)
        return hsd_fail_errno(err, ENAMETOOLONG, "cannot be opened");
    hsd_status status = hsd_signature_read_text(name, text, &size, err);
    if (status == HSD_E_IO && access(name, F_OK) != 0 && errno == ENOENT) {
        if (err != NULL) err->file[0] = '\0';
        hsd_fail(err, HSD_E_NOT_FOUND, "is not signed: there is no %.300s", name);
        hsd_error_set_hint(err, "hsdiff sign FILE --key SECRET signs it, and so does minisign -Sm FILE");
        hsd_error_set_file(err, path);
        return HSD_E_NOT_FOUND;
    }
    if (status == HSD_OK) status = hsd_signature_parse(out, text, size, err);
    if (status != HSD_OK) hsd_error_set_file(err, name);
    return status;
}

static hsd_status check_signature(const char *path, const char *key, char *texts, hsd_error *err)
{
    hsd_public_key of;
    hsd_signature signature;
    uint8_t hash[HSD_BLAKE2B_BYTES];
    HSD_TRY(read_public_key(&of, key, texts, err));
    HSD_TRY(read_signature(&signature, path, texts + HSD_SIGNATURE_FILE_MAX, err));
    HSD_TRY(hsd_signature_hash_file(path, hash, err));
    const hsd_status status = hsd_signature_judge(&signature, &of, hash, err);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

hsd_status hsd_signature_check(const char *path, const char *key, hsd_error *err)
{
    if (!hsd_primitives_begin()) return hsd_fail(err, HSD_E_IO, "the system has no random bytes");
    char *texts = malloc(2 * (size_t)HSD_SIGNATURE_FILE_MAX);
    if (texts == NULL) return hsd_fail_nomem(err, "a signature");
    const hsd_status status = check_signature(path, key, texts, err);
    free(texts);
    return status;
}
