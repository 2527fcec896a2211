/*
 * ssh://[user@]host[:port][/name]. User and host become words of ssh's command line, which fills them into commands of
 * the user's configuration (ProxyCommand): no dash in front, and nothing that a shell knows. The name becomes a word of
 * the other machine's shell: it is quoted, and so may hold anything but control characters.
 */
#include "live/ssh/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEME "ssh://"

bool hsd_remote_is(const char *word) { return strncmp(word, SCHEME, sizeof SCHEME - 1) == 0; }

/* ---- percent signs ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool hsd_percent_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        const int high = digit(from[1]), low = high < 0 ? -1 : digit(from[2]);
        if (low < 0 || high + low == 0) return false;
        *to++ = (char)(high * 16 + low);
        from += 2;
    }
    *to = '\0';
    return true;
}

static bool is_control(char c) { return (unsigned char)c < 0x20 || c == 0x7f; }

void hsd_percent_encode(char *out, size_t size, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = 0;
    for (; *text != '\0'; text++) {
        const bool is_plain = !is_control(*text) && *text != '%';
        if (used + (is_plain ? 1 : 3) >= size) break;
        if (is_plain) {
            out[used++] = *text;
            continue;
        }
        out[used++] = '%';
        out[used++] = digits[(unsigned char)*text >> 4];
        out[used++] = digits[(unsigned char)*text & 15];
    }
    if (size > 0) out[used] = '\0';
}

/* ---- parts ---- */

static bool is_safe(const char *text, const char *also)
{
    if (*text == '-') return false;
    for (; *text != '\0'; text++) {
        const bool is_word = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || digit(*text) >= 0;
        if (!is_word && strchr(also, *text) == NULL) return false;
    }
    return true;
}

static bool is_name(const char *text)
{
    if (*text == '-') return false;
    for (; *text != '\0'; text++)
        if (is_control(*text)) return false;
    return true;
}

static bool copy_ssh_address(char *out, size_t room, const char *from, size_t size)
{
    if (size >= room || memchr(from, '\0', size) != NULL) return false;
    memcpy(out, from, size);
    out[size] = '\0';
    return true;
}

static bool read_port(const char *text, size_t size, unsigned *port)
{
    *port = 0;
    if (size == 0 || size > 5) return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        *port = *port * 10 + (unsigned)(text[i] - '0');
    }
    return *port > 0 && *port <= 65535;
}

/* "host", "host:22", "[::1]", "[::1]:22". */
static bool read_host(hsd_remote *out, const char *text, size_t size)
{
    const bool has_brackets = size > 0 && text[0] == '[';
    const char *end = memchr(text, has_brackets ? ']' : ':', size);
    if (has_brackets && end == NULL) return false;
    const char *host = has_brackets ? text + 1 : text;
    const size_t length = end == NULL ? size : (size_t)(end - host);
    if (length == 0 || !copy_ssh_address(out->host, sizeof out->host, host, length)) return false;
    if (!is_safe(out->host, has_brackets ? ".-_:%" : ".-_")) return false;
    const char *behind = end == NULL ? text + size : has_brackets ? end + 1 : end;
    const size_t left = size - (size_t)(behind - text);
    return left == 0 || (behind[0] == ':' && read_port(behind + 1, left - 1, &out->port));
}

static const char *read_parts(hsd_remote *out, const char *text)
{
    const size_t size = strcspn(text, "/");
    const char *at = memchr(text, '@', size), *host = at == NULL ? text : at + 1;
    if (at != NULL && (at == text || !copy_ssh_address(out->user, sizeof out->user, text, (size_t)(at - text)) ||
                       !is_safe(out->user, "._-+")))
        return "the name of the user has letters, digits, '.', '_', '-' and '+', and no dash in front";
    if (!read_host(out, host, size - (size_t)(host - text)))
        return "a host has letters, digits, '.', '_' and '-', no dash in front, and behind a ':' its port";
    const char *name = text[size] == '/' ? text + size + 1 : text + size;
    if (!copy_ssh_address(out->name, sizeof out->name, name, strlen(name)))
        return "the name of the program is too long";
    if (!hsd_percent_decode(out->name) || !is_name(out->name))
        return "the name of a program has no dash in front and no control characters, and a '%' is written %25";
    return NULL;
}

hsd_status hsd_remote_parse(hsd_remote *out, const char *word, hsd_error *err)
{
    *out = (hsd_remote){.port = 0};
    const char *wrong =
        hsd_remote_is(word) ? read_parts(out, word + sizeof SCHEME - 1) : "it does not begin with ssh://";
    if (wrong == NULL) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "'%.200s' is no address: %s", word, wrong);
    hsd_error_set_hint(err, "hsdiff capture ssh://[USER@]HOST[:PORT]/PID or /NAME");
    return HSD_E_UNSUPPORTED;
}

/* ---- command lines ---- */

static size_t quoted_size(const char *word)
{
    size_t size = 3; /* a space and two quotes */
    for (; *word != '\0'; word++)
        size += *word == '\'' ? 4 : 1;
    return size;
}

static char *put_quoted(char *to, const char *word)
{
    *to++ = ' ';
    *to++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *word;
        }
    }
    *to++ = '\'';
    return to;
}

char *hsd_remote_line(const char *command, const char *const *words, size_t count)
{
    size_t size = strlen(command) + 1;
    for (size_t i = 0; i < count; i++)
        size += quoted_size(words[i]);
    char *line = malloc(size);
    if (line == NULL) return NULL;
    char *to = line + strlen(command);
    memcpy(line, command, strlen(command));
    for (size_t i = 0; i < count; i++)
        to = put_quoted(to, words[i]);
    *to = '\0';
    return line;
}

void hsd_remote_call(const hsd_remote *at, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", at->user, at->user[0] == '\0' ? "" : "@", at->host);
}
