/*
 * Captures that nobody asked for: where the environment says that they go, and when.
 *
 *      HSDIFF_TO    unix:PATH | tcp:127.0.0.1:PORT | tcp:[::1]:PORT | dir:FOLDER
 *
 * A receiver that is not there is tried again when the next is due. A file has no name until it is whole (O_TMPFILE,
 * linkat); where the file system has no nameless files it begins under a name with a dot in front. Whole is what ends
 * in a trailer (FORMAT.md 9.2).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/layout.h"
#include "parts.h"

enum { CONNECT_MS = 5000, PATH_BYTES = 512, NUMBER_MAX = 999999 };
#define SECOND_NS UINT64_C(1000000000)

/* ---- the plan ---- */

/* "60" or "0.25" seconds. False if it is no such thing. */
static bool parse_seconds(const char *text, uint64_t *ns)
{
    uint64_t seconds = 0, part = 0, unit = SECOND_NS;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if ((seconds = seconds * 10 + (uint64_t)(*at - '0')) > 100000000u) return false;
    if (at == text) return false;
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && unit > 1; at++)
            part += (uint64_t)(*at - '0') * (unit /= 10);
    *ns = seconds * SECOND_NS + part;
    return *at == '\0';
}

static bool parse_count(const char *text, uint64_t most, uint64_t *count)
{
    *count = 0;
    if (*text == '\0') return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if ((*count = *count * 10 + (uint64_t)(*text - '0')) > most) return false;
    return *text == '\0';
}

static const char *plan_path(hsa_push *push, hsa_push_kind kind, const char *path, size_t most)
{
    const size_t length = strlen(path);
    if (length == 0 || length >= most) return "the path in HSDIFF_TO is empty or too long";
    memcpy(push->path, path, length + 1);
    push->kind = kind;
    return NULL;
}

static const char *plan_tcp(hsa_push *push, const char *where)
{
    static const char wrong[] =
        "HSDIFF_TO has an address that is not of this machine: tcp:127.0.0.1:PORT or tcp:[::1]:PORT";
    static const uint8_t loopback6[16] = {[15] = 1};
    char host[64];
    uint64_t port = 0;
    const char *colon = strrchr(where, ':');
    const bool is_six = *where == '[';
    if (colon == NULL || !parse_count(colon + 1, 65535, &port) || port == 0) return wrong;
    const char *first = where + is_six, *last = colon - is_six;
    if (last < first || (size_t)(last - first) >= sizeof host || (is_six && *last != ']')) return wrong;
    memcpy(host, first, (size_t)(last - first));
    host[last - first] = '\0';
    if (inet_pton(is_six ? AF_INET6 : AF_INET, host, push->address) != 1) return wrong;
    if (is_six ? memcmp(push->address, loopback6, 16) != 0 : push->address[0] != 127) return wrong;
    push->port = (unsigned)port;
    push->kind = is_six ? HSA_PUSH_TCP6 : HSA_PUSH_TCP4;
    return NULL;
}

static const char *plan_target(hsa_push *push, const char *to)
{
    if (strncmp(to, "unix:", 5) == 0)
        return plan_path(push, HSA_PUSH_UNIX, to + 5, sizeof((struct sockaddr_un *)NULL)->sun_path);
    if (strncmp(to, "dir:", 4) == 0) return plan_path(push, HSA_PUSH_FOLDER, to + 4, sizeof push->path);
    if (strncmp(to, "tcp:", 4) == 0) return plan_tcp(push, to + 4);
    return "HSDIFF_TO is none of unix:PATH, tcp:127.0.0.1:PORT, tcp:[::1]:PORT and dir:FOLDER";
}

const char *hsa_push_plan(hsa_push *push, const char *to, const char *every, const char *count)
{
    uint64_t left = 0, period = 0;
    *push = (hsa_push){0};
    if (to == NULL || *to == '\0' || every == NULL || *every == '\0') return NULL;
    if (!parse_seconds(every, &period)) return "HSDIFF_EVERY is no number of seconds";
    if (count != NULL && *count != '\0' && !parse_count(count, UINT64_C(1) << 40, &left))
        return "HSDIFF_COUNT is no number";
    if (period == 0) return NULL;
    const char *why = plan_target(push, to);
    if (why != NULL) {
        push->kind = HSA_PUSH_NEVER;
        return why;
    }
    push->every_ns = period;
    push->next_ns = hsa_now_ns() + period;
    push->left = left == 0 ? UINT64_MAX : left;
    return NULL;
}

int hsa_push_wait_ms(const hsa_push *push, uint64_t now_ns)
{
    if (push->kind == HSA_PUSH_NEVER || push->left == 0) return -1;
    if (now_ns >= push->next_ns) return 0;
    const uint64_t ms = (push->next_ns - now_ns + 999999) / 1000000;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* ---- sockets ---- */

static socklen_t make_address(const hsa_push *push, struct sockaddr_storage *out)
{
    *out = (struct sockaddr_storage){0};
    if (push->kind == HSA_PUSH_UNIX) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        memcpy(name.sun_path, push->path, strlen(push->path) + 1);
        memcpy(out, &name, sizeof name);
        return sizeof name;
    }
    if (push->kind == HSA_PUSH_TCP4) {
        struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)push->port)};
        memcpy(&name.sin_addr, push->address, sizeof name.sin_addr);
        memcpy(out, &name, sizeof name);
        return sizeof name;
    }
    struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)push->port)};
    memcpy(&name.sin6_addr, push->address, sizeof name.sin6_addr);
    memcpy(out, &name, sizeof name);
    return sizeof name;
}

/* A connection that is made later tells then whether it was. */
static bool is_connected(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return hsa_wait(fd, POLLOUT, CONNECT_MS) && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

static int open_socket(const hsa_push *push)
{
    struct sockaddr_storage address;
    const socklen_t size = make_address(push, &address);
    const int fd = hsa_move_up(socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd < 0) return -1;
    if (connect(fd, (struct sockaddr *)&address, size) == 0) return fd;
    if (errno == EINPROGRESS && is_connected(fd)) return fd;
    close(fd);
    return -1;
}

/* ---- files ---- */

static size_t add_text(char *out, size_t used, const char *text)
{
    const size_t length = strlen(text);
    if (used + length >= PATH_BYTES) return used;
    memcpy(out + used, text, length + 1);
    return used + length;
}

static size_t add_number(char *out, size_t used, uint64_t number, int digits)
{
    char text[24];
    size_t at = sizeof text - 1;
    for (text[at] = '\0'; number > 0 || digits > 0; number /= 10, digits--)
        text[--at] = (char)('0' + number % 10);
    return add_text(out, used, text + at);
}

/* FOLDER/NAME-PID- in front of the number. Only letters that a file name is safe with. */
static size_t make_stem(const hsa_push *push, const char *mark, char path[PATH_BYTES])
{
    hsa_self self;
    hsa_know_self(&self);
    for (char *at = self.name; *at != '\0'; at++) {
        const bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                              *at == '_' || *at == '-' || (*at == '.' && at > self.name);
        if (!is_plain) *at = '_';
    }
    size_t used = add_text(path, 0, push->path);
    used = add_text(path, used, "/");
    used = add_text(path, used, mark);
    used = add_text(path, used, self.name[0] == '\0' ? "process" : self.name);
    used = add_text(path, used, "-");
    used = add_number(path, used, self.pid, 1);
    return add_text(path, used, "-");
}

static void make_unfinished_name(const hsa_push *push, char path[PATH_BYTES])
{
    add_text(path, make_stem(push, ".", path), "unfinished");
}

static int open_file(const hsa_push *push)
{
    int fd = open(push->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        char path[PATH_BYTES];
        make_unfinished_name(push, path);
        unlink(path); /* of a process of this name and number that was killed */
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    return hsa_move_up(fd);
}

static bool is_whole(int fd)
{
    unsigned char trailer[HSC_TRAILER_BYTES];
    const off_t size = lseek(fd, 0, SEEK_END);
    return size >= HSC_FILE_HEADER_BYTES + HSC_TRAILER_BYTES &&
           pread(fd, trailer, sizeof trailer, size - HSC_TRAILER_BYTES) == (ssize_t)sizeof trailer &&
           memcmp(trailer + 16, HSC_TRAILER_MAGIC, 8) == 0;
}

/* Under the next number that is free. 0 or an errno. */
static int name_file(hsa_push *push, const char *from)
{
    char path[PATH_BYTES];
    const size_t stem = make_stem(push, "", path);
    while (push->number < NUMBER_MAX) {
        push->number++;
        const size_t used = add_number(path, stem, push->number, 4);
        add_text(path, used, ".hs");
        if (linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) return 0;
        if (errno != EEXIST) return errno;
    }
    return EEXIST;
}

static void close_file(hsa_push *push, int fd)
{
    char from[PATH_BYTES] = "/proc/self/fd/";
    struct stat info;
    const bool is_unnamed = fstat(fd, &info) == 0 && info.st_nlink == 0;
    if (is_unnamed)
        add_number(from, strlen(from), (uint64_t)fd, 1);
    else
        make_unfinished_name(push, from);
    if (is_whole(fd) && fsync(fd) == 0) name_file(push, from);
    if (!is_unnamed) unlink(from);
    close(fd);
}

/* ---- one ---- */

int hsa_push_open(hsa_push *push, uint64_t now_ns)
{
    const uint64_t behind = now_ns - push->next_ns;
    push->next_ns += push->every_ns * (behind / push->every_ns + 1);
    const int fd = push->kind == HSA_PUSH_FOLDER ? open_file(push) : open_socket(push);
    if (fd >= 0 && push->left != UINT64_MAX) push->left--;
    return fd;
}

void hsa_push_close(hsa_push *push, int fd)
{
    if (push->kind == HSA_PUSH_FOLDER)
        close_file(push, fd);
    else
        hsa_hang_up(fd);
}
