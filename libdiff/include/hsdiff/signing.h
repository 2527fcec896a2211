/*
 * Keys that write: secret keys of signatures (minisign), with what they sign; and encrypted captures that who wrote
 * them reads again. What only reads is in hsdiff/crypt.h.
 */
#ifndef HSDIFF_SIGNING_H
#define HSDIFF_SIGNING_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/crypt.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSD_PASSWORD_MAX       1024
#define HSD_SIGNATURE_TEXT_MAX 2048

/* A secret key of minisign. */
typedef struct hsd_signing_key hsd_signing_key;

/* Puts the password of a key into `password`, which has room for HSD_PASSWORD_MAX bytes and a 0. */
typedef hsd_status (*hsd_password_fn)(void *context, char *password, size_t *size, hsd_error *err);

/*
 * A new pair of keys, without a password, as the texts of two files; each has room for HSD_SIGNATURE_TEXT_MAX. Only the
 * owner may read the file of the first one.
 *
 * Returns HSD_OK; HSD_E_IO where the system has no random bytes.
 */
HSD_API hsd_status hsd_signing_key_make(char *secret_text, char *public_text, hsd_error *err);

/*
 * Reads a secret key that minisign or hsd_signing_key_make made.
 *
 *   ask         is called where the key has a password
 *   is_exposed  whether others than its owner can read the file: worth a warning; may be NULL
 *
 * Returns HSD_OK; HSD_E_IO; HSD_E_NOT_THIS_FORMAT; HSD_E_CORRUPT: the password is wrong, or the file was changed;
 * HSD_E_UNSUPPORTED: it asks for more than 1 GiB of memory; HSD_E_NOMEM; what `ask` returns. A password takes the time
 * and the memory that the key asks for: 1 GiB for those of minisign.
 */
HSD_API hsd_status hsd_signing_key_read(hsd_signing_key **out, const char *path, hsd_password_fn ask, void *context,
                                        bool *is_exposed, hsd_error *err);

/*
 * The signature of a file, which belongs into path.minisig. What it says besides, its trusted comment, is the time and
 * the name of the file, as minisign has it.
 *
 *   text     gets the signature, with a 0 behind it: room for HSD_SIGNATURE_TEXT_MAX bytes
 *
 * Returns HSD_OK; HSD_E_IO; HSD_E_NOMEM; Reads the file once.
 */
HSD_API hsd_status hsd_signature_make(const char *path, const hsd_signing_key *key, char *text, hsd_error *err);

/* Overwrites a secret, such as the text of a key that was written. */
HSD_API void hsd_secret_forget(void *data, size_t size);

/* Overwrites the key and releases it. NULL is accepted. */
HSD_API void hsd_signing_key_free(hsd_signing_key *key);

/*
 * What is encrypted from now on can be read again with this hsd_crypt, for as long as it lives: by a key that is in
 * memory alone, and stands in each file as one recipient more. For who writes captures and compares them later. NULL is
 * accepted, and where nothing is encrypted nothing happens.
 */
HSD_API void hsd_crypt_read_again(hsd_crypt *crypt);

#ifdef __cplusplus
}
#endif
#endif
