/*
 * hspy_capture: finds the interpreter, has its collector stand still, walks, and says how it went.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "python_agent.h"

enum { READER_MS = 30000 }; /* of a descriptor that does not block */

const char *hspy_version(void) { return HSC_VERSION; }

static int fail(char *error, size_t size, const char *sentence)
{
    if (error != NULL && size > 0) snprintf(error, size, "%s", sentence);
    return -1;
}

static int fail_to_write(char *error, size_t size)
{
    char why[128];
    if (error != NULL && size > 0)
        snprintf(error, size, "the capture could not be written: %s", strerror_r(errno, why, sizeof why));
    return -1;
}

/* ---- where the bytes go ---- */

/* A socket says by itself that nobody listens; for a pipe the signal that says so is taken back. */
static ptrdiff_t write_pipe(int fd, const void *data, size_t size)
{
    sigset_t pipe_alone, before, pending;
    const struct timespec now = {0};
    sigemptyset(&pipe_alone);
    sigaddset(&pipe_alone, SIGPIPE);
    sigpending(&pending);
    const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_alone, &before);
    const ssize_t written = write(fd, data, size);
    const int failed = errno;
    if (written < 0 && failed == EPIPE && !was_pending) (void)sigtimedwait(&pipe_alone, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failed;
    return written;
}

static ptrdiff_t write_out(void *context, const void *data, size_t size)
{
    const int fd = *(const int *)context;
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write_pipe(fd, data, size) : sent;
}

static int wait_for_reader(void *context)
{
    struct pollfd one = {.fd = *(const int *)context, .events = POLLOUT};
    return poll(&one, 1, READER_MS) > 0 ? 0 : -1;
}

/* ---- a capture ---- */

static hsc_status open_writer(walk *w, const hsc_sink *sink, const hspy_options *asked)
{
    static char runtime[64];
    hsc_options options;
    hsc_options_init(&options);
    hsa_measure(&w->measured);
    hsa_know_self(&w->self);
    hsa_keep_domain(&w->self); /* the next capture may be that of another copy of this agent */
    hsa_describe(&options, &w->self);
    snprintf(runtime, sizeof runtime, "CPython %.*s", (int)strcspn(w->py.version, " "), w->py.version);
    options.producer = "hsdiff " HSC_VERSION " python agent";
    options.runtime = runtime;
    options.identity = HSC_IDENTITY_ADDRESS;
    options.compression = asked->is_stored ? 0 : asked->compression == 0 ? 1 : asked->compression;
    return hsc_open(&w->writer, sink, &options);
}

static int *collector_switch(const walk *w, void *interpreter)
{
    const layout *at = w->py.at;
    char *state = at->interp_gc != 0 ? (char *)interpreter + at->interp_gc : w->py.runtime + at->runtime_gc;
    return (int *)(void *)(state + at->gc_enabled);
}

static void metrics(walk *w)
{
    hsa_write_metrics(w->writer, &w->measured);
    if (w->allocated_blocks > 0) hsc_metric(w->writer, "python.allocated_blocks", "count", w->allocated_blocks);
    arena_counts arenas;
    count_arenas(w, &arenas);
    if (arenas.arenas > 0) {
        hsc_metric(w->writer, "python.arenas", "count", arenas.arenas);
        hsc_metric(w->writer, "python.arenas_most", "count", arenas.most_arenas);
        hsc_metric(w->writer, "python.arena_bytes", "bytes", arenas.bytes);
        hsc_metric(w->writer, "python.arena_used", "bytes", arenas.used_bytes);
    }
    hsc_metric(w->writer, "python.gc_tracked", "count", w->tracked);
    if (w->is_collector_off) hsc_metric(w->writer, "python.gc_disabled", "count", 1);
    hsc_metric(w->writer, "python.held_by_c", "count", w->held_objects);
    hsc_metric(w->writer, "python.references_of_c", "count", w->held_references);
    hsc_metric(w->writer, "capture.pause", "ns", hsa_now_ns() - w->started_ns);
    if (w->other_interpreters > 0) hsc_loss(w->writer, "interpreters with a lock of their own", w->other_interpreters);
}

static int walk_and_finish(walk *w, char *error, size_t error_size)
{
    int *collector = collector_switch(w, w->py.current_interpreter());
    const int was_on = *collector;
    *collector = 0;
    walk_all(w);
    *collector = was_on;
    if (w->failure == NULL && (w->names.failed || w->plans.failed)) w->failure = "no memory for names";
    metrics(w);
    if (w->failure != NULL) hsc_mark_incomplete(w->writer, w->failure);
    /* says more than w->failure */
    if (hsc_finish(w->writer) != HSC_OK) return fail(error, error_size, hsc_error_text(w->writer));
    return w->failure == NULL ? 0 : fail(error, error_size, w->failure);
}

static void release_agent(walk *w)
{
    hsc_close(w->writer);
    names_close(&w->names);
    plans_close(&w->plans);
    visited_close(&w->seen);
    if (w->queue != NULL) munmap(w->queue, w->queue_room * sizeof *w->queue);
    munmap(w, sizeof *w);
}

/* sys.getallocatedblocks(), a function of C; 0 if it is not there. Objects are fewer: lists and dicts have more than
 * one block. */
static uint64_t allocated_blocks(const walk *w)
{
    const py_object *sys = py_object_at(w->py.current_interpreter(), w->py.at->interp_sysdict),
                    *function = py_dict_find(&w->py, sys, "getallocatedblocks");
    if (function == NULL || function->type != w->py.types.builtin_function) return 0;
    const py_builtin *builtin = (const py_builtin *)function;
    if ((builtin->method->flags & PY_METHOD_KINDS) != PY_METHOD_NOARGS) return 0;
    py_object *answer = builtin->method->call(builtin->self, NULL);
    if (answer == NULL) {
        w->py.clear_error();
        return 0;
    }
    const intptr_t blocks = w->py.long_value(answer);
    w->py.release(answer);
    return blocks > 0 ? (uint64_t)blocks : 0;
}

/* gc.isenabled(), a function of C; a program that never loaded gc has its collector on. */
static bool is_collector_off(const walk *w)
{
    const py_object *gc = py_module_dict(&w->py, w->py.current_interpreter(), "gc"),
                    *function = gc == NULL ? NULL : py_dict_find(&w->py, gc, "isenabled");
    if (function == NULL || function->type != w->py.types.builtin_function) return false;
    const py_builtin *builtin = (const py_builtin *)function;
    if ((builtin->method->flags & PY_METHOD_KINDS) != PY_METHOD_NOARGS) return false;
    py_object *answer = builtin->method->call(builtin->self, NULL);
    if (answer == NULL) {
        w->py.clear_error();
        return false;
    }
    const bool is_on = w->py.long_value(answer) != 0;
    w->py.release(answer);
    return !is_on;
}

static int capture_agent(walk *w, int descriptor, const hspy_options *asked, char *error, size_t error_size)
{
    const hsc_sink sink = {.write = write_out, .wait = wait_for_reader, .context = &descriptor};
    w->allocated_blocks = allocated_blocks(w);
    w->is_collector_off = is_collector_off(w);
    if (!visited_open(&w->seen, w->allocated_blocks) || !plans_open(&w->plans))
        return fail(error, error_size, "no memory for the set of objects that were met");
    const hsc_status opened = open_writer(w, &sink, asked);
    if (opened == HSC_E_IO) return fail_to_write(error, error_size);
    if (opened != HSC_OK)
        return fail(error, error_size,
                    opened == HSC_E_NOMEM ? "no memory to write a capture" : "the compression must be from -7 to 19");
    if (!names_open(&w->names, w->writer)) return fail(error, error_size, "no memory for names");
    return walk_and_finish(w, error, error_size);
}

int hspy_capture(int descriptor, const struct hspy_options *options, char *error, size_t error_size)
{
    hspy_options asked = {.struct_bytes = sizeof asked};
    if (options != NULL)
        memcpy(&asked, options, options->struct_bytes < sizeof asked ? options->struct_bytes : sizeof asked);
    walk *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w == MAP_FAILED) return fail(error, error_size, "no memory for a capture");
    w->started_ns = hsa_now_ns();
    int result = -1;
    if (python_find(&w->py, error, error_size)) {
        if (!w->py.has_lock())
            (void)fail(error, error_size, "the calling thread does not hold the interpreter's lock");
        else if (python_fit(&w->py, error, error_size))
            result = capture_agent(w, descriptor, &asked, error, error_size);
    }
    release_agent(w);
    return result;
}
