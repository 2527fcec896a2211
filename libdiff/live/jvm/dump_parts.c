/*
 * See dump_parts.h. What the JVM writes of both parts at a time is read at a time: it waits for neither. The last thing
 * that it does is to open the second pipe for reading, for which it needs a writer: us.
 */
#include "live/jvm/dump_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/fd.h"
#include "live/wait.h"

#define PIECE_BYTES ((size_t)256 << 10)
enum { END_BYTES = 9, END_TAG = 0x2C }; /* of the record HEAP_DUMP_END: tag, time, length 0 */

typedef struct part {
    int fd;
    hsd_temp *to;
    bool is_over;
} part;

typedef struct collector {
    hsd_live *live;
    const hsd_dump_parts *from;
    part names, objects;
    int set_fd;    /* an epoll of all that is waited for */
    int writer_fd; /* of the second pipe, once it has been read to its end */
    bool is_answered;
    uint8_t *piece;
} collector;

/* ---- reading ---- */

static hsd_status read_part(collector *c, part *of, hsd_error *err)
{
    const ssize_t got = read(of->fd, c->piece, PIECE_BYTES);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return HSD_OK;
    if (got < 0) return hsd_fail_errno(err, errno, "cannot read from process %ld", c->live->facts->pid);
    if (got == 0) {
        of->is_over = true;
        epoll_ctl(c->set_fd, EPOLL_CTL_DEL, of->fd, NULL);
        return HSD_OK;
    }
    c->live->received_bytes += (uint64_t)got;
    return hsd_temp_write(of->to, of->to->size_bytes, c->piece, (size_t)got, err);
}

/* What poll says: there is something, or nobody writes any more. A pipe that nobody has opened yet says nothing. */
static bool is_ready(const part *of)
{
    struct pollfd one = {.fd = of->fd, .events = POLLIN};
    return !of->is_over && poll(&one, 1, 0) > 0;
}

static void look_for_answer(collector *c)
{
    struct pollfd one = {.fd = c->from->attach_fd};
    if (c->is_answered || poll(&one, 1, 0) <= 0) return;
    c->is_answered = true;
    epoll_ctl(c->set_fd, EPOLL_CTL_DEL, c->from->attach_fd, NULL);
}

/* Nothing waits for the second part once the first is over: a JVM that writes all into one file does not open it. */
static hsd_status collect_dump_part(collector *c, bool *is_refused, hsd_error *err)
{
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, c->live);
    while (!c->names.is_over) {
        HSD_TRY(hsd_wait_fd(&waiting, c->set_fd, POLLIN, -1, err));
        look_for_answer(c); /* before the pipes: what it wrote is there when it has answered */
        if (is_ready(&c->names)) HSD_TRY(read_part(c, &c->names, err));
        if (is_ready(&c->objects)) HSD_TRY(read_part(c, &c->objects, err));
        if (c->objects.is_over && c->writer_fd < 0)
            c->writer_fd = open(c->from->objects_path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
        *is_refused = c->is_answered && c->names.to->size_bytes + c->objects.to->size_bytes == 0;
        if (*is_refused) return HSD_OK;
    }
    return HSD_OK;
}

static bool watch(const collector *c, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(c->set_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static hsd_status collect_both(collector *c, bool *is_refused, hsd_error *err)
{
    c->set_fd = epoll_create1(EPOLL_CLOEXEC);
    c->piece = malloc(PIECE_BYTES);
    hsd_status status = HSD_OK;
    if (c->piece == NULL)
        status = hsd_fail_nomem(err, "a buffer for the dump");
    else if (c->set_fd < 0 || !watch(c, c->names.fd, EPOLLIN) || !watch(c, c->objects.fd, EPOLLIN) ||
             !watch(c, c->from->attach_fd, 0))
        status = hsd_fail_errno(err, errno, "cannot wait for process %ld", c->live->facts->pid);
    else
        status = collect_dump_part(c, is_refused, err);
    if (c->writer_fd >= 0) close(c->writer_fd);
    if (c->set_fd >= 0) close(c->set_fd);
    return status;
}

/* ---- one dump ---- */

static bool is_end(const uint8_t *record)
{
    for (int i = 5; i < END_BYTES; i++)
        if (record[i] != 0) return false;
    return record[0] == END_TAG;
}

/* The objects go before the record that ends the dump. */
static hsd_status put_together(collector *c, hsd_error *err)
{
    hsd_temp *out = c->names.to, *objects = c->objects.to;
    uint8_t end[END_BYTES] = {0};
    uint64_t at = out->size_bytes;
    if (at >= END_BYTES) HSD_TRY(hsd_temp_read(out, at - END_BYTES, end, END_BYTES, err));
    if (!is_end(end))
        return hsd_fail(err, HSD_E_TRUNCATED, "the JVM of process %ld ended, or gave up, in the middle of its dump",
                        c->live->facts->pid);
    at -= END_BYTES;
    for (uint64_t done = 0; done < objects->size_bytes;) {
        const size_t size = (size_t)hsd_min_u64(PIECE_BYTES, objects->size_bytes - done);
        HSD_TRY(hsd_temp_read(objects, done, c->piece, size, err));
        HSD_TRY(hsd_temp_write(out, at + done, c->piece, size, err));
        done += size;
    }
    return hsd_temp_write(out, at + objects->size_bytes, end, END_BYTES, err);
}

hsd_status hsd_dump_parts_collect(hsd_live *live, const hsd_dump_parts *parts, hsd_temp *out, bool *is_refused,
                                  hsd_error *err)
{
    hsd_temp objects;
    HSD_TRY(hsd_temp_open(&objects, live->space, err));
    collector c = {.live = live,
                   .from = parts,
                   .names = {parts->names_fd, out, false},
                   .objects = {parts->objects_fd, &objects, false},
                   .set_fd = -1,
                   .writer_fd = -1};
    *is_refused = false;
    hsd_status status = collect_both(&c, is_refused, err);
    if (status == HSD_OK && !*is_refused) status = put_together(&c, err);
    free(c.piece);
    hsd_temp_close(&objects);
    return status;
}
