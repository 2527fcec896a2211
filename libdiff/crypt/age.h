/*
 * The format of age, version 1 (age-encryption.org/v1, C2SP), over bytes:
 *
 *      age-encryption.org/v1                         header: lines
 *      -> X25519 SHARE                               one stanza a recipient: the file key, sealed to him
 *      SEALED FILE KEY
 *      --- MAC                                       of all before it, by the file key
 *      nonce (16 bytes)                              payload: its key comes of the file key and this
 *      chunk 0 | chunk 1 | … | last                  64 KiB each and a tag of 16 bytes; the last may be shorter, and
 *                                                    is sealed as the last, so that nothing can be cut off behind it
 *
 * Chunks are sealed each by itself, by its number: any of them can be read without those before it.
 */
#ifndef HSD_CRYPT_AGE_H
#define HSD_CRYPT_AGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crypt/keys.h"

#define HSD_AGE_CHUNK_BYTES    65536
#define HSD_AGE_SEALED_BYTES   (HSD_AGE_CHUNK_BYTES + HSD_SEAL_TAG_BYTES)
#define HSD_AGE_NONCE_BYTES    16
#define HSD_AGE_FILE_KEY_BYTES 16
#define HSD_AGE_HEADER_MAX     65536 /* room for more than 600 recipients */
#define HSD_AGE_STANZAS_MAX    1024

/* True if the bytes, eight at least, begin such a file. */
bool hsd_age_probe(const void *prefix, size_t size);

typedef struct hsd_age_stanza { /* of the kind X25519 */
    uint8_t share[HSD_KEY_BYTES], body[HSD_AGE_FILE_KEY_BYTES + HSD_SEAL_TAG_BYTES];
    uint64_t offset;
} hsd_age_stanza;

typedef struct hsd_age_header {
    hsd_age_stanza *stanzas; /* room is the caller's */
    size_t stanza_count;
    size_t other_count; /* stanzas of kinds that are not read here */
    bool has_passphrase;
    uint8_t mac[HSD_HMAC_BYTES];
    size_t signed_bytes; /* what the MAC is of */
    size_t bytes;        /* up to the payload */
} hsd_age_header;

/*
 * Reads a header.
 *
 *   stanzas  room for HSD_AGE_STANZAS_MAX, kept in *out
 *
 * HSD_END: it does not end within `size` bytes. HSD_E_CORRUPT, HSD_E_TOO_NEW (another version), with the offset.
 */
hsd_status hsd_age_parse(hsd_age_header *out, hsd_age_stanza *stanzas, const uint8_t *data, size_t size,
                         hsd_error *err);

/*
 * The key of the payload whose nonce stands behind the header.
 *
 *   data   header->bytes + HSD_AGE_NONCE_BYTES
 *   crypt  NULL = no identity was given
 *
 * A payload that the operation wrote itself needs no identity. HSD_E_UNSUPPORTED: no identity, or none that fits.
 * HSD_E_CORRUPT: the MAC is wrong, or a share is one that no honest program makes.
 */
hsd_status hsd_age_unlock(uint8_t key[HSD_KEY_BYTES], const hsd_age_header *header, const uint8_t *data,
                          hsd_crypt *crypt, hsd_error *err);

/*
 * A new file: header and nonce into `out`, and the key of its payload.
 *
 *   is_own  to the identity of the operation itself, and not to the recipients
 *
 * HSD_E_NOMEM. HSD_E_CORRUPT: a recipient that no honest program makes.
 */
hsd_status hsd_age_begin(hsd_buffer *out, uint8_t key[HSD_KEY_BYTES], hsd_crypt *crypt, bool is_own, hsd_error *err);

/* Seals `size` bytes in place: HSD_SEAL_TAG_BYTES more. */
void hsd_age_seal(uint8_t *data, size_t size, uint64_t number, bool is_last, const uint8_t key[HSD_KEY_BYTES]);

/* Opens `size` bytes, with the tag, in place. False: they are not what was sealed. */
bool hsd_age_unseal(uint8_t *out, const uint8_t *data, size_t size, uint64_t number, bool is_last,
                    const uint8_t key[HSD_KEY_BYTES]);

#endif
