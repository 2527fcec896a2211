/* Raw conversations with agents: see the header. */
#define _GNU_SOURCE
#include "unit/agent/talk.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <hsdiff/capture.h>

int talk_connect(const char *name, pid_t pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "hsdiff/1/%s/%ld", name, (long)pid);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0)
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

_Bool talk_send(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        at += sent;
        size -= (size_t)sent;
    }
    return 1;
}

char *talk_read(int fd, size_t *size)
{
    size_t used = 0, room = 1 << 16;
    char *data = malloc(room);
    for (;;) {
        cr_assert_not_null(data);
        const ssize_t got = recv(fd, data + used, room - 1 - used, 0);
        if (got <= 0) break;
        used += (size_t)got;
        if (used == room - 1) data = realloc(data, room *= 2);
    }
    data[used] = '\0';
    if (size != NULL) *size = used;
    return data;
}

char *talk_ask(const char *name, const char *request, size_t *size)
{
    const int fd = talk_connect(name, getpid());
    cr_assert(fd >= 0, "%s does not listen: errno %d", name, errno);
    talk_send(fd, request, strlen(request));
    char *answer = talk_read(fd, size);
    close(fd);
    return answer;
}

long talk_objects(const void *data, size_t size)
{
    hsd_capture *capture = NULL;
    const int fd = memfd_create("capture", MFD_CLOEXEC);
    cr_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    if (hsd_capture_open_fd(&capture, fd, "capture", HSD_DAMAGE_REFUSE, NULL, NULL) != HSD_OK) return -1;
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    const long objects = info->is_complete ? (long)info->objects : -1;
    hsd_capture_close(capture);
    return objects;
}
