/*
 * Tokens: made by the kernel, compared in constant time.
 */
#include "view/token.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

enum { TOKEN_BYTES = HSD_VIEW_TOKEN_CHARS / 2 };

hsd_status hsd_view_token_make(char token[HSD_VIEW_TOKEN_CHARS + 1], hsd_error *err)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t random[TOKEN_BYTES];
    ssize_t got;
    do {
        got = getrandom(random, sizeof random, 0); /* 16 bytes come at once or not at all */
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof random)
        return hsd_fail_errno(err, got < 0 ? errno : EIO, "no random bytes for the token of the viewer");
    for (size_t i = 0; i < sizeof random; i++) {
        token[2 * i] = digits[random[i] >> 4];
        token[2 * i + 1] = digits[random[i] & 15];
    }
    token[HSD_VIEW_TOKEN_CHARS] = 0;
    return HSD_OK;
}

bool hsd_view_token_is(const char token[HSD_VIEW_TOKEN_CHARS + 1], const char *said)
{
    /* its length is no secret */
    if (strnlen(said, HSD_VIEW_TOKEN_CHARS + 1) != HSD_VIEW_TOKEN_CHARS) return false;
    volatile unsigned difference = 0;
    for (size_t i = 0; i < HSD_VIEW_TOKEN_CHARS; i++)
        difference |= (unsigned)(token[i] ^ said[i]);
    return difference == 0;
}
