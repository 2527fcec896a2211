/* Keys of redaction: files of 64 hexadecimal digits. See key.h. */
#include "redact/key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crypt/primitives.h"
#include "io/output.h"

#define KEY_DIGITS (2 * HSD_REDACT_KEY_BYTES)

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static hsd_status refuse_key(hsd_error *err, uint64_t offset_bytes, const char *why)
{
    const hsd_status status = hsd_fail_at(err, HSD_E_NOT_THIS_FORMAT, offset_bytes,
                                          "is no key: %s; a key is %d hexadecimal digits", why, KEY_DIGITS);
    hsd_error_set_hint(err, "hsdiff redact --new-key FILE makes one");
    return status;
}

hsd_status hsd_redact_key_parse(hsd_redact_key *out, const char *text, size_t size, hsd_error *err)
{
    size_t at = 0, digits = 0;
    *out = (hsd_redact_key){.is_exposed = false};
    while (at < size && is_space(text[at]))
        at++;
    for (; at < size && !is_space(text[at]); at++, digits++) {
        const int digit = digit_of(text[at]);
        if (digit < 0) return refuse_key(err, at, "there is something else in it");
        if (digits == KEY_DIGITS) return refuse_key(err, at, "it is too long");
        out->bytes[digits / 2] = (unsigned char)(out->bytes[digits / 2] << 4 | digit);
    }
    if (digits < KEY_DIGITS) return refuse_key(err, at, digits == 0 ? "it is empty" : "it is too short");
    for (; at < size; at++)
        if (!is_space(text[at])) return refuse_key(err, at, "something follows it");
    return HSD_OK;
}

static hsd_status read_key(hsd_redact_key *out, int fd, hsd_error *err)
{
    char text[HSD_KEY_FILE_BYTES + 1];
    size_t size = 0;
    struct stat what;
    if (fstat(fd, &what) != 0) return hsd_fail_errno(err, errno, "cannot be read");
    while (size < sizeof text) {
        const ssize_t got = read(fd, text + size, sizeof text - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return hsd_fail_errno(err, errno, "cannot be read");
        if (got == 0) break;
        size += (size_t)got;
    }
    if (size == sizeof text) return refuse_key(err, HSD_KEY_FILE_BYTES, "it is too long");
    const hsd_status status = hsd_redact_key_parse(out, text, size, err);
    hsd_forget_secret(text, sizeof text);
    if (status != HSD_OK) return status;
    out->is_exposed = S_ISREG(what.st_mode) && (what.st_mode & (S_IRWXG | S_IRWXO)) != 0;
    return HSD_OK;
}

hsd_status hsd_redact_key_read(hsd_redact_key *out, const char *path, hsd_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    hsd_status status = fd < 0 ? hsd_fail_errno(err, errno, "the key cannot be opened") : read_key(out, fd, err);
    if (fd < 0 && err != NULL && err->sys_errno == ENOENT)
        hsd_error_set_hint(err, "hsdiff redact --new-key FILE makes one");
    if (fd >= 0) close(fd);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

void hsd_redact_key_forget(hsd_redact_key *key) { hsd_forget_secret(key, sizeof *key); }

static hsd_status write_key(hsd_output *output, hsd_error *err)
{
    unsigned char bytes[HSD_REDACT_KEY_BYTES];
    char text[KEY_DIGITS + 1];
    size_t have = 0;
    while (have < sizeof bytes) {
        const ssize_t got = getrandom(bytes + have, sizeof bytes - have, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return hsd_fail_errno(err, errno, "no random bytes for a key");
        have += (size_t)got;
    }
    for (size_t i = 0; i < KEY_DIGITS; i++)
        text[i] = "0123456789abcdef"[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
    text[KEY_DIGITS] = '\n';
    HSD_TRY(hsd_output_write(output, text, sizeof text, err));
    hsd_forget_secret(bytes, sizeof bytes);
    hsd_forget_secret(text, sizeof text);
    return hsd_output_finish(output, err);
}

hsd_status hsd_redact_key_make(const char *path, hsd_error *err)
{
    hsd_output output;
    hsd_status status = hsd_output_open(&output, path, false, err);
    if (status != HSD_OK && err != NULL && err->sys_errno == EEXIST)
        hsd_error_set_hint(err, "a key is never replaced: captures of the old one could not be read again");
    if (status != HSD_OK) return status;
    status = write_key(&output, err);
    hsd_output_close(&output);
    return status;
}
