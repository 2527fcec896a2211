/*
 * What is asked, and the line that answers it:
 *
 *      hsdiff 1 capture garbage=1 name=shop\n        verb, then KEY=VALUE, each behind one space
 *
 * An asker who says nothing is not waited for: others stand behind him.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "parts.h"

enum { REQUEST_MS = 5000, SENTENCE_BYTES = 512 };

/* ---- reading ---- */

static const char *take_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] != ' ' && text[length] != '\0')) return NULL;
    return text + length + (text[length] == ' ');
}

const char *hsa_parse_request(hsa_request *request, char *line)
{
    for (const char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at < ' ') return "a request is one line of text";
    const char *rest = take_word(line, "hsdiff");
    if (rest == NULL) return "a request begins with hsdiff";
    if ((rest = take_word(rest, "1")) == NULL)
        return "this agent speaks version 1 of the protocol: use the hsdiff that it came with";
    const char *options = take_word(rest, "capture");
    request->verb = HSA_CAPTURE;
    if (options == NULL) {
        options = take_word(rest, "forget");
        request->verb = HSA_FORGET;
    }
    if (options == NULL) return "this agent knows capture and forget, and nothing else";
    memmove(request->options, options, strlen(options) + 1);
    return NULL;
}

/* A whole line into `line`, its line feed replaced by NUL. NULL, or why not; "" when the asker is gone. */
static const char *read_line(int fd, char line[HSA_REQUEST_BYTES])
{
    const uint64_t end = hsa_now_ns() + (uint64_t)REQUEST_MS * 1000000u;
    size_t used = 0;
    for (;;) {
        const uint64_t now = hsa_now_ns();
        if (now >= end || !hsa_wait(fd, POLLIN, (int)((end - now) / 1000000u) + 1))
            return "no request came in 5 seconds";
        const ssize_t got = recv(fd, line + used, HSA_REQUEST_BYTES - used, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return "";
        if (got < 0) continue;
        char *feed = memchr(line + used, '\n', (size_t)got);
        used += (size_t)got;
        if (feed != NULL) {
            if (memchr(line, '\0', (size_t)(feed - line)) != NULL) return "a request is one line of text";
            *feed = '\0';
            return NULL;
        }
        if (used == HSA_REQUEST_BYTES) return "a request has at most 1,024 bytes";
    }
}

bool hsa_read_request(hsa_request *request)
{
    char line[HSA_REQUEST_BYTES];
    const char *why = read_line(request->fd, line);
    if (why == NULL) why = hsa_parse_request(request, line);
    if (why != NULL && *why != '\0') hsa_refuse(request, why);
    return why == NULL;
}

/* ---- options ---- */

/* What stands behind KEY=, and how long it is; NULL if it is not there. */
static const char *find_option(const hsa_request *request, const char *key, size_t *size)
{
    const size_t length = strlen(key);
    const char *at = request->options;
    while (*at != '\0') {
        const size_t word = strcspn(at, " ");
        if (word > length && at[length] == '=' && strncmp(at, key, length) == 0) {
            *size = word - length - 1;
            return at + length + 1;
        }
        at += word;
        at += strspn(at, " ");
    }
    return NULL;
}

uint64_t hsa_option_number(const hsa_request *request, const char *key, uint64_t fallback)
{
    size_t size = 0;
    const char *text = find_option(request, key, &size);
    if (text == NULL || size == 0) return fallback;
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return fallback;
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text[i] - '0'), &number))
            return fallback;
    }
    return number;
}

bool hsa_option_text(const hsa_request *request, const char *key, char *out, size_t size)
{
    size_t length = 0;
    const char *text = find_option(request, key, &length);
    if (text == NULL || size == 0) return false;
    if (length > size - 1) length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

/* ---- answers ---- */

bool hsa_accept(const hsa_request *request) { return request->is_push || hsa_send_text(request->fd, "ok\n", 3); }

void hsa_refuse(const hsa_request *request, const char *sentence)
{
    static const char before[] = "error ";
    char line[sizeof before + SENTENCE_BYTES];
    if (request->is_push) return;
    size_t used = sizeof before - 1;
    memcpy(line, before, used);
    for (; *sentence != '\0' && used < sizeof before - 1 + SENTENCE_BYTES; sentence++)
        line[used++] = (unsigned char)*sentence < ' ' ? ' ' : *sentence;
    line[used++] = '\n';
    hsa_send_text(request->fd, line, used);
}
