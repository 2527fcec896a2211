/* The keys of an operation, as the format sees them. What is outside: hsdiff/crypt.h. */
#ifndef HSD_CRYPT_KEYS_H
#define HSD_CRYPT_KEYS_H

#include <pthread.h>
#include <stdint.h>

#include "crypt/primitives.h"
#include <hsdiff/crypt.h>

#define HSD_IDENTITIES_MAX 64
#define HSD_RECIPIENTS_MAX 256
#define HSD_KEYS_FILE_MAX  65536 /* no file of keys is longer */

typedef struct hsd_age_identity {
    uint8_t secret[HSD_KEY_BYTES], public[HSD_KEY_BYTES];
} hsd_age_identity;

enum { HSD_MADE_KEYS = 4, HSD_MADE_NONCE = 16 };

/* A key of a payload that this operation wrote. */
typedef struct hsd_made_key {
    uint8_t nonce[HSD_MADE_NONCE], key[HSD_KEY_BYTES];
} hsd_made_key;

struct hsd_crypt {
    pthread_mutex_t lock;             /* of what was made */
    hsd_made_key made[HSD_MADE_KEYS]; /* the last ones */
    uint64_t made_count;
    _Atomic bool has_opened; /* something encrypted was read: temporary data is a secret from now on */
    hsd_age_identity own;    /* of this operation alone, for temporary data; never written anywhere */
    hsd_age_identity identities[HSD_IDENTITIES_MAX];
    size_t identity_count;
    uint8_t recipients[HSD_RECIPIENTS_MAX][HSD_KEY_BYTES];
    size_t recipient_count;
};

/* The lines of a file that was read. Fail as their public names do. */
hsd_status hsd_crypt_take_identities(hsd_crypt *crypt, const char *text, size_t size, hsd_error *err);
hsd_status hsd_crypt_take_recipients(hsd_crypt *crypt, const char *text, size_t size, hsd_error *err);

/* Whether what an operation keeps for a while must not be in clear: it encrypts, or something encrypted was read. */
bool hsd_crypt_is_secret(const hsd_crypt *crypt);

/* What was written can be read again by the operation that wrote it, as long as few others were written since. */
void hsd_crypt_remember(hsd_crypt *crypt, const uint8_t nonce[HSD_MADE_NONCE], const uint8_t key[HSD_KEY_BYTES]);
bool hsd_crypt_recall(hsd_crypt *crypt, const uint8_t nonce[HSD_MADE_NONCE], uint8_t key[HSD_KEY_BYTES]);

#endif
