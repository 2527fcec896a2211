/*
 * Opens what files.h says. A path comes from a snapshot or a script, so what it leads to is looked at before it is
 * read: regular files alone, and none that grows while it is read.
 */
#include "import/sourcemap/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

#define WINDOW_BYTES ((size_t)1 << 16)

/* The descriptor of a regular file and its size; -1 = there is none. */
static int open_regular(const char *path, const hsd_import_options *options, uint64_t *size)
{
    struct stat what;
    int fd;
    do {
        fd = options->open_file != NULL ? options->open_file(options->open_context, path)
                                        : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return -1;
    if (fstat(fd, &what) != 0 || !S_ISREG(what.st_mode) || what.st_size <= 0) {
        close(fd);
        return -1;
    }
    *size = (uint64_t)what.st_size;
    return fd;
}

static hsd_status read_whole(hsd_buffer *out, int fd, size_t size, hsd_error *err)
{
    hsd_buffer_clear(out);
    HSD_TRY(hsd_buffer_reserve(out, size, err));
    while (out->size < size) {
        const ssize_t got = read(fd, out->data + out->size, size - out->size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return hsd_fail_errno(err, errno, "cannot read a script");
        if (got == 0) break;
        out->size += (size_t)got;
    }
    return HSD_OK;
}

hsd_status hsd_sourcemap_read_script(hsd_buffer *out, const char *path, uint64_t limit,
                                     const hsd_import_options *options, hsd_error *err)
{
    uint64_t size = 0;
    const int fd = open_regular(path, options, &size);
    if (fd < 0) return HSD_END;
    const hsd_status status =
        size > limit ? hsd_fail(err, HSD_E_UNSUPPORTED, "it is larger than %llu MiB", (unsigned long long)limit >> 20)
                     : read_whole(out, fd, (size_t)size, err);
    close(fd);
    return status;
}

/* ---- paths ---- */

/* One more part of a path; ".." takes the last away. */
static bool add_part(char *out, size_t *size, hsd_bytes part)
{
    if (part.size == 0 || (part.size == 1 && part.data[0] == '.')) return true;
    if (part.size == 2 && part.data[0] == '.' && part.data[1] == '.') {
        while (*size > 0 && out[*size - 1] != '/')
            --*size;
        if (*size > 0) --*size;
        return true;
    }
    if (*size + 1 + part.size >= HSD_SOURCEMAP_PATH_BYTES) return false;
    out[(*size)++] = '/';
    memcpy(out + *size, part.data, part.size);
    *size += part.size;
    return true;
}

static bool add_parts(char *out, size_t *size, hsd_bytes path)
{
    while (path.size > 0) {
        const uint8_t *slash = memchr(path.data, '/', path.size);
        const size_t part = slash == NULL ? path.size : (size_t)(slash - path.data);
        if (!add_part(out, size, (hsd_bytes){path.data, part})) return false;
        const size_t taken = slash == NULL ? part : part + 1;
        path.data += taken;
        path.size -= taken;
    }
    return true;
}

/* Behind "scheme://host", "file://"; the size of that. */
static size_t measure_scheme(hsd_bytes name)
{
    size_t at = 0;
    while (at < name.size && ((name.data[at] | 0x20) >= 'a' && (name.data[at] | 0x20) <= 'z'))
        at++;
    if (at < 2 || name.size - at < 3 || memcmp(name.data + at, "://", 3) != 0) return 0;
    at += 3;
    while (at < name.size && name.data[at] != '/')
        at++;
    return at;
}

static bool take_folder(char *out, size_t *size, const char *base)
{
    const char *slash = strrchr(base, '/');
    return slash == NULL || add_parts(out, size, (hsd_bytes){(const uint8_t *)base, (size_t)(slash - base)});
}

bool hsd_sourcemap_resolve(char out[HSD_SOURCEMAP_PATH_BYTES], const char *base, hsd_bytes name)
{
    size_t size = 0;
    const size_t scheme = measure_scheme(name);
    if (name.size == 0) return false;
    const uint8_t *query = memchr(name.data, '?', name.size);
    if (query != NULL) name.size = (size_t)(query - name.data);
    if (scheme > name.size || memchr(name.data, 0, name.size) != NULL) return false;
    if (scheme == 0 && !hsd_bytes_begin(name, "/") && !take_folder(out, &size, base)) return false;
    if (!add_parts(out, &size, (hsd_bytes){name.data + scheme, name.size - scheme})) return false;
    out[size] = '\0';
    return size > 0;
}

/* ---- the comment ---- */

hsd_bytes hsd_sourcemap_url(hsd_bytes script)
{
    static const char word[] = "# sourceMappingURL=";
    const size_t length = sizeof word - 1;
    for (size_t at = script.size; at >= length + 2; at--) {
        const uint8_t *here = script.data + at - length;
        if (here[0] != '#' || memcmp(here, word, length) != 0 || here[-1] != '/' || here[-2] != '/') continue;
        hsd_bytes url = {here + length, script.size - at};
        for (size_t i = 0; i < url.size; i++)
            if (url.data[i] <= ' ') url.size = i;
        return url;
    }
    return (hsd_bytes){NULL, 0};
}

/* ---- data: URLs ---- */

static int base64_digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static hsd_status decode_base64(hsd_buffer *out, hsd_bytes text, hsd_error *err)
{
    uint32_t bits = 0;
    unsigned count = 0;
    hsd_buffer_clear(out);
    HSD_TRY(hsd_buffer_reserve(out, text.size / 4 * 3 + 3, err));
    for (size_t i = 0; i < text.size; i++) {
        const int digit = base64_digit(text.data[i]);
        if (digit < 0) break; /* padding, or no base64: then what comes out is no map */
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        out->data[out->size++] = (uint8_t)(bits >> count);
    }
    return HSD_OK;
}

static hsd_status open_data(hsd_sourcemap_file *out, hsd_bytes url, hsd_error *err)
{
    static const char mark[] = ";base64,";
    const uint8_t *comma = memchr(url.data, ',', url.size);
    const size_t length = sizeof mark - 1;
    const size_t head = comma == NULL ? 0 : (size_t)(comma + 1 - url.data);
    if (head < length || memcmp(comma + 1 - length, mark, length) != 0) return HSD_END;
    HSD_TRY(decode_base64(&out->text, (hsd_bytes){url.data + head, url.size - head}, err));
    return hsd_source_open_memory(&out->source, (hsd_bytes){out->text.data, out->text.size}, out->path, err);
}

/* ---- the map ---- */

static hsd_status open_beside(hsd_sourcemap_file *out, const hsd_import_options *options, hsd_error *err)
{
    uint64_t size = 0;
    out->fd = open_regular(out->path, options, &size);
    if (out->fd < 0) return HSD_END;
    if (size > HSD_SOURCEMAP_MAP_BYTES)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "its source map is larger than %llu MiB",
                        (unsigned long long)HSD_SOURCEMAP_MAP_BYTES >> 20);
    return hsd_source_open_fd(&out->source, out->fd, out->path, WINDOW_BYTES, err);
}

static bool name_map(char out[HSD_SOURCEMAP_PATH_BYTES], hsd_bytes url, const char *path)
{
    if (url.size > 0 && (!hsd_bytes_begin(url, "file://") && measure_scheme(url) > 0)) return false; /* no network */
    if (url.size > 0) return hsd_sourcemap_resolve(out, path, url);
    const size_t size = strlen(path);
    if (size + sizeof ".map" > HSD_SOURCEMAP_PATH_BYTES) return false;
    memcpy(out, path, size);
    memcpy(out + size, ".map", sizeof ".map");
    return true;
}

hsd_status hsd_sourcemap_open(hsd_sourcemap_file *out, hsd_bytes script, const char *path,
                              const hsd_import_options *options, hsd_error *err)
{
    const hsd_bytes url = hsd_sourcemap_url(script);
    *out = (hsd_sourcemap_file){.fd = -1};
    if (hsd_bytes_begin(url, "data:")) {
        if (strlen(path) >= sizeof out->path) return HSD_END;
        memcpy(out->path, path, strlen(path) + 1);
        return open_data(out, url, err);
    }
    return name_map(out->path, url, path) ? open_beside(out, options, err) : HSD_END;
}

void hsd_sourcemap_close(hsd_sourcemap_file *file)
{
    hsd_source_close(&file->source);
    hsd_buffer_release(&file->text);
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}
