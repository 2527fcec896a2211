/*
 * The header of age, and its chunks. See age.h. The reader takes what the format allows and nothing else: each line has
 * one form, and what is not understood is refused or, where it is a recipient of another kind, passed over.
 */
#include "crypt/age.h"

#include <string.h>

#include "base/check.h"

enum { LINE_MAX_BYTES = 1024, BODY_COLUMNS = 64, SHARE_CHARS = 43, MAC_CHARS = 43 };

static const char start[] = "age-encryption.org/v1\n";
static const char purpose_of_share[] = "age-encryption.org/v1/X25519";

bool hsd_age_probe(const void *prefix, size_t size)
{
    return size >= 8 && memcmp(prefix, start, hsd_min_u64(size, strlen("age-encryption.org/"))) == 0;
}

/* ---- lines ---- */

typedef struct line_reader {
    const uint8_t *data;
    size_t size, at;
} line_reader;

typedef struct age_line {
    const char *text;
    size_t size;
    uint64_t offset;
} age_line;

static hsd_status next_line(line_reader *reader, age_line *line, hsd_error *err)
{
    const size_t ahead = reader->size - reader->at;
    const uint8_t *from = reader->data + reader->at;
    const uint8_t *end = memchr(from, '\n', hsd_min_u64(ahead, LINE_MAX_BYTES));
    if (end == NULL && ahead >= LINE_MAX_BYTES)
        return hsd_fail_at(err, HSD_E_CORRUPT, reader->at, "the header of age has a line without an end");
    if (end == NULL) return HSD_END;
    *line = (age_line){(const char *)from, (size_t)(end - from), reader->at};
    reader->at += line->size + 1;
    for (size_t i = 0; i < line->size; i++)
        if ((uint8_t)line->text[i] < ' ' || (uint8_t)line->text[i] > '~')
            return hsd_fail_at(err, HSD_E_CORRUPT, line->offset + i, "the header of age has a byte that is no text");
    return HSD_OK;
}

static hsd_status refuse_header(const age_line *line, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, line->offset, "the header of age is damaged: %s", what);
}

static bool line_begins(const age_line *line, const char *word)
{
    return line->size >= strlen(word) && memcmp(line->text, word, strlen(word)) == 0;
}

/* ---- stanzas ---- */

/* The lines of a body: full ones, then one that is not. Up to `capacity` bytes of it are kept. */
static hsd_status read_body(line_reader *reader, uint8_t *out, size_t capacity, size_t *size, hsd_error *err)
{
    age_line line;
    *size = 0;
    do {
        uint8_t piece[BODY_COLUMNS / 4 * 3];
        HSD_TRY(next_line(reader, &line, err));
        const size_t bytes = line.size * 3 / 4;
        if (line.size > BODY_COLUMNS || !hsd_base64_decode(piece, bytes, line.text, line.size, false))
            return refuse_header(&line, "the body of a stanza is no base64", err);
        if (*size < capacity) memcpy(out + *size, piece, hsd_min_u64(bytes, capacity - *size));
        *size += bytes;
    } while (line.size == BODY_COLUMNS);
    return HSD_OK;
}

/* Single spaces between words, and none at the end. */
static bool has_good_words(const char *text, size_t size)
{
    if (size == 0 || text[0] == ' ' || text[size - 1] == ' ') return false;
    for (size_t i = 1; i < size; i++)
        if (text[i] == ' ' && text[i - 1] == ' ') return false;
    return true;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return size >= strlen(word) && memcmp(text, word, strlen(word)) == 0 &&
           (size == strlen(word) || text[strlen(word)] == ' ');
}

static hsd_status read_stanza(hsd_age_header *out, line_reader *reader, const age_line *line, hsd_error *err)
{
    static const char kind[] = "X25519";
    hsd_age_stanza stanza = {.offset = line->offset};
    const char *words = line->text + strlen("-> ");
    const size_t size = line->size - strlen("-> ");
    size_t body = 0;
    if (!has_good_words(words, size)) return refuse_header(line, "a stanza without words", err);
    if (out->stanza_count + out->other_count == HSD_AGE_STANZAS_MAX)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, line->offset, "the file has more than %d recipients",
                           HSD_AGE_STANZAS_MAX);
    const bool is_ours = is_word(words, size, kind);
    if (is_ours && (size != sizeof kind + SHARE_CHARS ||
                    !hsd_base64_decode(stanza.share, sizeof stanza.share, words + sizeof kind, SHARE_CHARS, false)))
        return refuse_header(line, "a stanza X25519 without a share of 32 bytes", err);
    HSD_TRY(read_body(reader, stanza.body, sizeof stanza.body, &body, err));
    if (is_ours && body != sizeof stanza.body)
        return refuse_header(line, "a stanza X25519 whose body has not 32 bytes", err);
    if (is_ours)
        out->stanzas[out->stanza_count++] = stanza;
    else
        out->other_count++;
    out->has_passphrase = out->has_passphrase || is_word(words, size, "scrypt");
    return HSD_OK;
}

static hsd_status read_start(line_reader *reader, hsd_error *err)
{
    age_line line;
    HSD_TRY(next_line(reader, &line, err));
    if (line.size == strlen(start) - 1 && line_begins(&line, "age-encryption.org/v1")) return HSD_OK;
    if (line_begins(&line, "age-encryption.org/"))
        return hsd_fail_at(err, HSD_E_TOO_NEW, line.offset, "is of another version of age than 1");
    return refuse_header(&line, "its first line", err);
}

hsd_status hsd_age_parse(hsd_age_header *out, hsd_age_stanza *stanzas, const uint8_t *data, size_t size, hsd_error *err)
{
    line_reader reader = {.data = data, .size = size};
    age_line line;
    *out = (hsd_age_header){.stanzas = stanzas};
    HSD_TRY(read_start(&reader, err));
    for (;;) {
        HSD_TRY(next_line(&reader, &line, err));
        if (!line_begins(&line, "-> ")) break;
        HSD_TRY(read_stanza(out, &reader, &line, err));
    }
    if (line.size != strlen("--- ") + MAC_CHARS || !line_begins(&line, "--- ") ||
        !hsd_base64_decode(out->mac, sizeof out->mac, line.text + strlen("--- "), MAC_CHARS, false))
        return refuse_header(&line, "neither a stanza nor the line of the MAC", err);
    if (out->stanza_count + out->other_count == 0) return refuse_header(&line, "it has no recipient", err);
    if (out->has_passphrase && out->stanza_count + out->other_count > 1)
        return refuse_header(&line, "a passphrase and other recipients", err);
    out->signed_bytes = (size_t)line.offset + strlen("---");
    out->bytes = reader.at;
    return HSD_OK;
}

/* ---- keys ---- */

static void find_mac(uint8_t mac[HSD_HMAC_BYTES], const uint8_t *file_key, const uint8_t *data, size_t size)
{
    uint8_t key[HSD_KEY_BYTES];
    hsd_hmac hmac;
    hsd_hkdf(file_key, HSD_AGE_FILE_KEY_BYTES, "", 0, "header", key); /* no salt */
    hsd_hmac_init(&hmac, key, sizeof key);
    hsd_hmac_of(&hmac, data, size, mac);
    hsd_forget_secret(key, sizeof key);
    hsd_forget_secret(&hmac, sizeof hmac);
}

/* The key that a file key is sealed with, of what two halves share. */
static void find_wrap_key(uint8_t key[HSD_KEY_BYTES], const uint8_t *shared, const uint8_t *share,
                          const uint8_t *recipient)
{
    uint8_t salt[2 * HSD_KEY_BYTES];
    memcpy(salt, share, HSD_KEY_BYTES);
    memcpy(salt + HSD_KEY_BYTES, recipient, HSD_KEY_BYTES);
    hsd_hkdf(shared, HSD_KEY_BYTES, salt, sizeof salt, purpose_of_share, key);
}

static const uint8_t no_nonce[HSD_SEAL_NONCE];

/* HSD_END: not to this identity. */
static hsd_status try_stanza(uint8_t *file_key, const hsd_age_stanza *stanza, const hsd_age_identity *identity,
                             hsd_error *err)
{
    uint8_t shared[HSD_KEY_BYTES], key[HSD_KEY_BYTES];
    if (!hsd_x25519_shared(shared, identity->secret, stanza->share))
        return hsd_fail_at(err, HSD_E_CORRUPT, stanza->offset, "a stanza has a share that gives its key away");
    find_wrap_key(key, shared, stanza->share, identity->public);
    const bool fits = hsd_unseal(file_key, stanza->body, sizeof stanza->body, no_nonce, key);
    hsd_forget_secret(shared, sizeof shared);
    hsd_forget_secret(key, sizeof key);
    return fits ? HSD_OK : HSD_END;
}

static hsd_status try_identities(uint8_t *file_key, const hsd_age_stanza *stanza, hsd_crypt *crypt, hsd_error *err)
{
    hsd_status status = try_stanza(file_key, stanza, &crypt->own, err);
    for (size_t i = 0; status == HSD_END && i < crypt->identity_count; i++)
        status = try_stanza(file_key, stanza, &crypt->identities[i], err);
    return status;
}

static hsd_status fail_locked(const hsd_age_header *header, hsd_crypt *crypt, hsd_error *err)
{
    const size_t all = header->stanza_count + header->other_count;
    if (header->has_passphrase)
        hsd_fail(err, HSD_E_UNSUPPORTED, "is encrypted with a passphrase, and hsdiff takes keys alone");
    else if (header->stanza_count == 0)
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "is encrypted to recipients of kinds that hsdiff does not take (SSH, plugins)");
    else if (crypt == NULL || crypt->identity_count == 0)
        hsd_fail(err, HSD_E_UNSUPPORTED, "is encrypted (age), and no identity was given");
    else
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "is encrypted, and to none of the identities that were given (%zu; recipients: %zu)",
                 crypt->identity_count, all);
    if (header->stanza_count == 0)
        hsd_error_set_hint(err, "decrypt it on the way: age -d FILE | hsdiff import - -o OUT.hs");
    else
        hsd_error_set_hint(err, "give the file of your identity, as age-keygen wrote it: --identity FILE, or "
                                "HSDIFF_IDENTITY=FILE");
    return HSD_E_UNSUPPORTED;
}

static hsd_status find_file_key(uint8_t *file_key, const hsd_age_header *header, hsd_crypt *crypt, hsd_error *err)
{
    if (crypt == NULL) return fail_locked(header, crypt, err);
    for (size_t i = 0; i < header->stanza_count; i++) {
        const hsd_status status = try_identities(file_key, &header->stanzas[i], crypt, err);
        if (status != HSD_END) return status;
    }
    return fail_locked(header, crypt, err);
}

hsd_status hsd_age_unlock(uint8_t key[HSD_KEY_BYTES], const hsd_age_header *header, const uint8_t *data,
                          hsd_crypt *crypt, hsd_error *err)
{
    uint8_t file_key[HSD_AGE_FILE_KEY_BYTES], mac[HSD_HMAC_BYTES];
    if (crypt != NULL && hsd_crypt_recall(crypt, data + header->bytes, key)) return HSD_OK;
    HSD_TRY(find_file_key(file_key, header, crypt, err));
    find_mac(mac, file_key, data, header->signed_bytes);
    const bool is_right = hsd_is_same_secret(mac, header->mac, sizeof mac);
    hsd_hkdf(file_key, sizeof file_key, data + header->bytes, HSD_AGE_NONCE_BYTES, "payload", key);
    hsd_forget_secret(file_key, sizeof file_key);
    if (is_right) {
        crypt->has_opened = true;
        return HSD_OK;
    }
    hsd_forget_secret(key, HSD_KEY_BYTES);
    return hsd_fail_at(err, HSD_E_CORRUPT, header->signed_bytes,
                       "the header of age is damaged, or was changed: its MAC is wrong");
}

/* ---- writing ---- */

static hsd_status put_words(hsd_buffer *out, const char *before, const void *data, size_t size, hsd_error *err)
{
    char text[HSD_BASE64_CHARS(HSD_KEY_BYTES)];
    hsd_base64_encode(text, sizeof text, data, size);
    HSD_TRY(hsd_buffer_append(out, before, strlen(before), err));
    HSD_TRY(hsd_buffer_append(out, text, strlen(text), err));
    return hsd_buffer_append(out, "\n", 1, err);
}

static hsd_status put_stanza(hsd_buffer *out, const uint8_t *file_key, const uint8_t *recipient, hsd_error *err)
{
    uint8_t secret[HSD_KEY_BYTES], share[HSD_KEY_BYTES], shared[HSD_KEY_BYTES], key[HSD_KEY_BYTES];
    uint8_t body[HSD_AGE_FILE_KEY_BYTES + HSD_SEAL_TAG_BYTES];
    hsd_random_bytes(secret, sizeof secret);
    if (!hsd_x25519_public(share, secret) || !hsd_x25519_shared(shared, secret, recipient))
        return hsd_fail(err, HSD_E_CORRUPT, "a recipient is one to which nothing can be kept secret");
    find_wrap_key(key, shared, share, recipient);
    hsd_seal(body, file_key, HSD_AGE_FILE_KEY_BYTES, no_nonce, key);
    hsd_forget_secret(secret, sizeof secret);
    hsd_forget_secret(shared, sizeof shared);
    hsd_forget_secret(key, sizeof key);
    HSD_TRY(put_words(out, "-> X25519 ", share, sizeof share, err));
    return put_words(out, "", body, sizeof body, err);
}

static hsd_status put_header(hsd_buffer *out, const uint8_t *file_key, hsd_crypt *crypt, bool is_own, hsd_error *err)
{
    uint8_t mac[HSD_HMAC_BYTES];
    HSD_TRY(hsd_buffer_append(out, start, strlen(start), err));
    if (is_own) HSD_TRY(put_stanza(out, file_key, crypt->own.public, err));
    for (size_t i = 0; !is_own && i < crypt->recipient_count; i++)
        HSD_TRY(put_stanza(out, file_key, crypt->recipients[i], err));
    HSD_TRY(hsd_buffer_append(out, "---", 3, err));
    find_mac(mac, file_key, out->data, out->size);
    return put_words(out, " ", mac, sizeof mac, err);
}

hsd_status hsd_age_begin(hsd_buffer *out, uint8_t key[HSD_KEY_BYTES], hsd_crypt *crypt, bool is_own, hsd_error *err)
{
    uint8_t file_key[HSD_AGE_FILE_KEY_BYTES], nonce[HSD_AGE_NONCE_BYTES];
    hsd_random_bytes(file_key, sizeof file_key);
    hsd_random_bytes(nonce, sizeof nonce);
    hsd_status status = put_header(out, file_key, crypt, is_own, err);
    if (status == HSD_OK) status = hsd_buffer_append(out, nonce, sizeof nonce, err);
    if (status == HSD_OK) hsd_hkdf(file_key, sizeof file_key, nonce, sizeof nonce, "payload", key);
    if (status == HSD_OK && !is_own) hsd_crypt_remember(crypt, nonce, key);
    hsd_forget_secret(file_key, sizeof file_key);
    return status;
}

/* ---- chunks ---- */

/* Eleven bytes of number, the highest first, and whether it is the last. */
static void make_nonce(uint8_t nonce[HSD_SEAL_NONCE], uint64_t number, bool is_last)
{
    memset(nonce, 0, HSD_SEAL_NONCE);
    for (unsigned i = 0; i < 8; i++)
        nonce[10 - i] = (uint8_t)(number >> (8 * i));
    nonce[11] = is_last;
}

void hsd_age_seal(uint8_t *data, size_t size, uint64_t number, bool is_last, const uint8_t key[HSD_KEY_BYTES])
{
    uint8_t nonce[HSD_SEAL_NONCE];
    make_nonce(nonce, number, is_last);
    hsd_seal(data, data, size, nonce, key);
}

bool hsd_age_unseal(uint8_t *out, const uint8_t *data, size_t size, uint64_t number, bool is_last,
                    const uint8_t key[HSD_KEY_BYTES])
{
    uint8_t nonce[HSD_SEAL_NONCE];
    make_nonce(nonce, number, is_last);
    return hsd_unseal(out, data, size, nonce, key);
}
