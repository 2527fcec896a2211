/*
 * Encrypted captures and dumps: files of age (age-encryption.org/v1) for X25519 keys. hsd_run.crypt holds the keys of
 * an operation: what it opens it decrypts by the identities, and where there are recipients the capture that it writes
 * is encrypted to them. Signatures of files are those of minisign.
 */
#ifndef HSDIFF_CRYPT_H
#define HSDIFF_CRYPT_H

#include <stdbool.h>
#include <stddef.h>

#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keys: identities, which decrypt, and recipients, which are encrypted to. May be used by several threads once it is
 * filled. */
typedef struct hsd_crypt hsd_crypt;

/* Returns HSD_OK; HSD_E_NOMEM; HSD_E_IO where the system has no random bytes. */
HSD_API hsd_status hsd_crypt_new(hsd_crypt **out, hsd_error *err);

/*
 * Adds the identities of a file that age-keygen wrote: lines AGE-SECRET-KEY-1…, empty ones, and comments (#).
 *
 *   is_exposed  whether others than its owner can read the file: worth a warning; may be NULL
 *
 * Returns HSD_OK; HSD_E_IO; HSD_E_NOT_THIS_FORMAT with the offset of what is no identity; HSD_E_UNSUPPORTED for one
 * that hsdiff cannot use (a plugin's, an SSH key, an encrypted file); HSD_E_NOMEM. No text of an error has anything of
 * a key.
 */
HSD_API hsd_status hsd_crypt_add_identities(hsd_crypt *crypt, const char *path, bool *is_exposed, hsd_error *err);

/*
 * Adds a recipient, or those of a file.
 *
 *   word  age1…, or the path of a file with one on each line, empty lines and comments (#)
 *
 * Fails as hsd_crypt_add_identities does.
 */
HSD_API hsd_status hsd_crypt_add_recipients(hsd_crypt *crypt, const char *word, hsd_error *err);

/* Whether captures are to be encrypted. NULL: they are not. */
HSD_API bool hsd_crypt_has_recipients(hsd_crypt *crypt);

/*
 * Whether a file is what somebody has signed (minisign).
 *
 *   path  the file; its signature is path.minisig
 *   key   the public key: RW…, or the path of its file
 *
 * Returns HSD_OK; HSD_E_NOT_FOUND: there is no signature. HSD_E_CORRUPT: it is by another key, or the file or its
 * trusted comment is not what was signed. HSD_E_NOT_THIS_FORMAT: no key, or no signature. HSD_E_UNSUPPORTED: one of
 * minisign's old form. HSD_E_IO; HSD_E_NOMEM. Reads the file once.
 */
HSD_API hsd_status hsd_signature_check(const char *path, const char *key, hsd_error *err);

/* Overwrites the keys and releases them. NULL is accepted. */
HSD_API void hsd_crypt_free(hsd_crypt *crypt);

#ifdef __cplusplus
}
#endif
#endif
