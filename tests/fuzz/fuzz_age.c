/*
 * Encrypted files: any bytes as a file for a known identity, as files of keys, and as a signature; and what was sealed
 * with one byte of it changed, or cut, which must be refused. The last byte chooses.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "crypt/minisign.h"
#include "crypt/signing.h"
#include "io/sealed.h"
#include "support/age_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hsd_crypt *keys(void)
{
    static hsd_crypt *crypt;
    hsd_error err;
    if (crypt != NULL) return crypt;
    if (hsd_crypt_new(&crypt, &err) != HSD_OK ||
        hsd_crypt_take_identities(crypt, AGE_IDENTITY, strlen(AGE_IDENTITY), &err) != HSD_OK ||
        hsd_crypt_take_recipients(crypt, AGE_RECIPIENT, strlen(AGE_RECIPIENT), &err) != HSD_OK)
        abort();
    return crypt;
}

static hsd_status read_bytes(void *context, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    const hsd_buffer *file = context;
    if (offset > file->size || size > file->size - offset) abort(); /* it was told how much there is */
    (void)err;
    if (size > 0) memcpy(data, file->data + offset, size);
    return HSD_OK;
}

static hsd_status write_bytes(void *context, const void *data, size_t size, hsd_error *err)
{
    return hsd_buffer_append(context, data, size, err);
}

/* Reads all of it in pieces of odd sizes, into `out` if that is not NULL. */
static hsd_status read_file(hsd_buffer *file, hsd_buffer *out, hsd_error *err)
{
    hsd_unsealed *unsealed = NULL;
    uint8_t piece[3001];
    hsd_status status = hsd_unsealed_open(&unsealed, read_bytes, file, file->size, keys(), err);
    if (status != HSD_OK) return status;
    const uint64_t size = hsd_unsealed_size(unsealed);
    if (size > file->size) abort();
    for (uint64_t at = 0; status == HSD_OK && at < size; at += sizeof piece) {
        const size_t step = size - at < sizeof piece ? (size_t)(size - at) : sizeof piece;
        status = hsd_unsealed_read(unsealed, at, piece, step, err);
        if (status == HSD_OK && out != NULL && hsd_buffer_append(out, piece, step, err) != HSD_OK) abort();
    }
    if (hsd_unsealed_read(unsealed, size, piece, 1, err) == HSD_OK) abort();
    hsd_unsealed_close(unsealed);
    return status;
}

static void read_any(const uint8_t *data, size_t size)
{
    hsd_error err;
    hsd_error_init(&err);
    hsd_buffer file = {0};
    if (hsd_buffer_append(&file, data, size, NULL) != HSD_OK) abort();
    if (read_file(&file, NULL, &err) != HSD_OK && err.text[0] == 0) abort();
    hsd_buffer_release(&file);
}

static void read_keys(const uint8_t *data, size_t size)
{
    static hsd_crypt *crypt;
    hsd_error err;
    hsd_error_init(&err);
    if (crypt == NULL && hsd_crypt_new(&crypt, &err) != HSD_OK) abort();
    crypt->identity_count = crypt->recipient_count = 0;
    if (hsd_crypt_take_identities(crypt, (const char *)data, size, &err) != HSD_OK && err.text[0] == 0) abort();
    if (hsd_crypt_take_recipients(crypt, (const char *)data, size, &err) != HSD_OK && err.text[0] == 0) abort();
}

/* The bytes, so often that there are several chunks, sealed; then as the first bytes say. */
static void damage_sealed(const uint8_t *data, size_t size)
{
    hsd_sealing sealing;
    hsd_error err;
    hsd_buffer file = {0}, plain = {0}, seen = {0};
    const size_t copies = 1 + (size > 0 ? data[0] % 3 : 0) * (70000 / (size + 1));
    if (hsd_sealing_begin(&sealing, keys(), false, write_bytes, &file, &err) != HSD_OK) abort();
    for (size_t i = 0; i < copies; i++) {
        if (hsd_buffer_append(&plain, data, size, &err) != HSD_OK) abort();
        if (hsd_sealing_add(&sealing, data, size, &err) != HSD_OK) abort();
    }
    if (hsd_sealing_finish(&sealing, &err) != HSD_OK) abort();
    hsd_sealing_release(&sealing);
    if (read_file(&file, &seen, &err) != HSD_OK || seen.size != plain.size ||
        (plain.size > 0 && memcmp(seen.data, plain.data, plain.size) != 0))
        abort();
    uint64_t place = 0;
    for (size_t i = 0; i < size && i < 4; i++)
        place = place << 8 | data[i];
    keys()->made_count = 0; /* as if another had written it */
    if (place % 2 == 0)
        file.data[place % file.size] ^= (uint8_t)(1 + place % 255);
    else
        file.size = place % file.size;
    if (read_file(&file, NULL, &err) == HSD_OK) abort();
    hsd_buffer_release(&file);
    hsd_buffer_release(&plain);
    hsd_buffer_release(&seen);
}

static void read_signature(const uint8_t *data, size_t size)
{
    hsd_error err;
    hsd_public_key key;
    hsd_signature signature;
    const uint8_t hash[HSD_BLAKE2B_BYTES] = {1};
    hsd_error_init(&err);
    if (hsd_public_key_parse(&key, (const char *)data, size, &err) != HSD_OK) memset(&key, 1, sizeof key);
    if (hsd_signature_parse(&signature, (const char *)data, size, &err) != HSD_OK) return;
    if (hsd_signature_judge(&signature, &key, hash, &err) == HSD_OK) abort();
}

/* What a key without a password signs, a parser reads; one with a password takes what it asks for, which is not tried.
 */
static void read_signing_key(const uint8_t *data, size_t size)
{
    hsd_error err;
    hsd_signing_text text;
    hsd_signing_key key;
    hsd_signature signature;
    char written[HSD_SIGNATURE_TEXT_MAX];
    const uint8_t hash[HSD_BLAKE2B_BYTES] = {1};
    hsd_error_init(&err);
    const hsd_status status = hsd_signing_text_parse(&text, (const char *)data, size, &err);
    if (status != HSD_OK && err.text[0] == 0) abort();
    if (status != HSD_OK || hsd_signing_text_is_locked(&text)) return;
    if (hsd_signing_text_open(&key, &text, "", 0, &err) != HSD_OK) return;
    hsd_signing_write(written, &key, hash, "a comment");
    if (hsd_signature_parse(&signature, written, strlen(written), &err) != HSD_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t chosen = size == 0 ? 0 : data[size - 1];
    read_any(data, size);
    read_keys(data, size);
    read_signature(data, size);
    read_signing_key(data, size);
    if (chosen % 8 == 0) damage_sealed(data, size);
    return 0;
}
