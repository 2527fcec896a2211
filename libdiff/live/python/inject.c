#define _GNU_SOURCE /* MAP_ANONYMOUS */
/*
 * See inject.h. What went wrong there is a number and a sentence in the page that both sides share; the capture itself
 * comes through a pipe, whose end is opened by /proc/PID/fd: no name, no socket, and no namespace stands between.
 */
#include "live/python/inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/note.h"
#include "io/fd.h"
#include "live/ended.h"
#include "live/procfs.h"
#include "live/python/held.h"
#include "live/python/remote.h"
#include "live/python/stub.h"

enum {
    OFFER_NAP_NS = 100 * 1000,
    END_MS = 5000,
    CANCELLED_MS = 2000,
    TRIES = 5,
    STATUS_BYTES = 16 * 1024,
    PIPE_BYTES = 1024 * 1024,
    LEAVING_NS = 100 * 1000 * 1000
};

typedef struct injection {
    hsd_live *live;
    hsd_remote remote;
    hsd_held_place place;
    uint64_t region, data_at; /* 0 = nothing is mapped */
    hsd_stub_data data;       /* as it is to be, and as it was read last */
} injection;

/* ---- what is there ---- */

static const char *const interpreters[] = {"libpython", "python"};

/* The object that defines PyGILState_Ensure. */
static size_t find_interpreter(const injection *in)
{
    for (size_t k = 0; k < HSD_ARRAY_LEN(interpreters); k++)
        for (size_t i = 0; (i = hsd_remote_object(&in->remote, interpreters[k], i)) != SIZE_MAX; i++)
            if (hsd_remote_symbol(&in->remote, i, "PyGILState_Ensure") != 0) return i;
    size_t size = 0;
    const char *name = hsd_procfs_last_part(in->live->facts->executable, &size);
    char own[HSD_REMOTE_NAME_BYTES] = "";
    if (size == 0 || size >= sizeof own) return SIZE_MAX;
    memcpy(own, name, size);
    const size_t i = hsd_remote_object(&in->remote, own, 0);
    return i != SIZE_MAX && hsd_remote_symbol(&in->remote, i, "PyGILState_Ensure") != 0 ? i : SIZE_MAX;
}

static size_t find_library(const hsd_remote *remote, const char *name, const char *old_name)
{
    const size_t i = hsd_remote_object(remote, name, 0);
    return i != SIZE_MAX ? i : hsd_remote_object(remote, old_name, 0);
}

/* In the first of these objects that has it. */
static uint64_t find_symbol(const injection *in, const char *name, const size_t *objects, size_t count)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count && found == 0; i++)
        if (objects[i] != SIZE_MAX) found = hsd_remote_symbol(&in->remote, objects[i], name);
    return found;
}

static bool find_functions(injection *in, const char **missing)
{
    const size_t libdl = find_library(&in->remote, "libdl.so.2", "libdl-2.");
    const size_t objects[] = {in->place.interpreter, in->place.libc, in->place.libpthread, libdl};
    hsd_stub_data *d = &in->data;
    const struct {
        const char *name;
        void *to;
    } functions[] = {
        {"__errno_location", &d->errno_location},
        {"pthread_attr_init", &d->attributes_init},
        {"pthread_attr_setstack", &d->attributes_set_stack},
        {"pthread_attr_setdetachstate", &d->attributes_set_detached},
        {"pthread_create", &d->create},
        {"dlopen", &d->open},
        {"dlsym", &d->symbol},
        {"dlclose", &d->close},
        {"dlerror", &d->why},
        {"Py_IsInitialized", &d->is_initialized},
        {"PyGILState_Ensure", &d->take_gil},
        {"PyGILState_Release", &d->release_gil},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(functions); i++) {
        const uint64_t address = find_symbol(in, functions[i].name, objects, HSD_ARRAY_LEN(objects));
        memcpy(functions[i].to, &address, sizeof address);
        *missing = functions[i].name;
        if (address == 0) return false;
    }
    return true;
}

/* What the name of the file does not say. */
static hsd_status refuse_kind(const injection *in, hsd_error *err)
{
    const size_t object = in->place.interpreter;
    const long pid = in->live->facts->pid;
    if (hsd_remote_symbol(&in->remote, object, "_Py_MergeZeroLocalRefcount") != 0)
        return hsd_fail(
            err, HSD_E_UNSUPPORTED,
            "process %ld is a free-threaded Python: without the GIL its heap does not stand still for a walk", pid);
    return HSD_OK;
}

static hsd_status look_around(injection *in, hsd_error *err)
{
    const long pid = in->live->facts->pid;
    const char *missing = "";
    HSD_TRY(hsd_remote_open(&in->remote, pid, err));
    in->place = (hsd_held_place){.remote = &in->remote,
                                 .interpreter = find_interpreter(in),
                                 .libc = find_library(&in->remote, "libc.so.6", "libc-2."),
                                 .libpthread = find_library(&in->remote, "libpthread.so.0", "libpthread-2.")};
    if (in->place.interpreter == SIZE_MAX || in->place.libc == SIZE_MAX) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld has no %s that an agent could be brought in by", pid,
                 in->place.libc == SIZE_MAX ? "glibc" : "CPython");
        hsd_error_set_hint(err, "start it with the agent: hsdiff capture -- python app.py");
        return HSD_E_UNSUPPORTED;
    }
    in->place.has_own_malloc = hsd_remote_symbol(&in->remote, in->place.interpreter, "malloc") != 0;
    HSD_TRY(refuse_kind(in, err));
    if (!find_functions(in, &missing))
        return hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld has no function %s, by which an agent is brought in", pid,
                        missing);
    return hsd_held_place_open(&in->place, err);
}

/* ---- the thread there ---- */

/* The last number of "NSpid:\t4711\t12": as the process itself counts. */
static long inner_number(const char *status)
{
    const char *at = hsd_procfs_status_value(status, "NSpid");
    long number = 0;
    while (at != NULL && *at >= '0' && *at <= '9') {
        char *end;
        number = strtol(at, &end, 10);
        at = end + strspn(end, " \t");
    }
    return number;
}

static bool is_inner_task(long pid, const char *task, long inner)
{
    char path[64 + sizeof((struct dirent *)0)->d_name];
    size_t size = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%s/status", pid, task);
    char *status = hsd_procfs_read(path, STATUS_BYTES, &size);
    const bool is_it = status != NULL && inner_number(status) == inner;
    free(status);
    return is_it;
}

/* Is there still a thread of this number, as the process itself counts? */
static bool has_task(long pid, long inner)
{
    char path[48];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *tasks = opendir(path);
    for (const struct dirent *one; inner > 0 && tasks != NULL && !found && (one = readdir(tasks)) != NULL;)
        found = one->d_name[0] != '.' && is_inner_task(pid, one->d_name, inner);
    if (tasks != NULL) closedir(tasks);
    return found;
}

static bool read_data(injection *in) { return hsd_remote_read(&in->remote, in->data_at, &in->data, sizeof in->data); }

/* Until the thread has ended; false: it has not. */
static bool wait_for_end(injection *in, unsigned patience_ms)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)patience_ms * 1000000;
    const long pid = in->live->facts->pid;
    while (read_data(in) && in->data.create_failed == 0 &&
           (in->data.tid == 0 ? in->data.state != HSD_STUB_DONE : has_task(pid, in->data.tid))) {
        if (hsd_now_ns() >= end) return false;
        nanosleep(&(struct timespec){.tv_nsec = OFFER_NAP_NS}, NULL);
    }
    return true;
}

/* ---- regions ---- */

static hsd_status unmap(injection *in, uint64_t region, uint64_t bytes, hsd_error *err)
{
    hsd_held held;
    int64_t result = 0;
    HSD_TRY(hsd_held_take(&held, in->live->facts, &in->place, false, err));
    const hsd_status status = hsd_held_call(&held, SYS_munmap, (const uint64_t[6]){region, bytes}, &result, err);
    hsd_held_release(&held);
    return status;
}

static bool begins_with_magic(const hsd_remote *remote, const hsd_remote_mapping *one)
{
    char magic[HSD_STUB_MAGIC_BYTES];
    if (!one->is_anonymous || !one->is_executable || one->is_writable || one->end - one->begin != HSD_STUB_PAGE)
        return false;
    return hsd_remote_read(remote, one->begin, magic, sizeof magic) && memcmp(magic, HSD_STUB_MAGIC, sizeof magic) == 0;
}

static hsd_status refuse_second(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_fail(err, HSD_E_IO,
             "another capture of process %ld is under way, or was given up while C code of the program kept the GIL",
             facts->pid);
    hsd_error_set_hint(err, "try again when the program has gone on");
    return HSD_E_IO;
}

/* Nobody runs in a region, or will: it was never begun, or who began it is through, and the thread that was made is
 * gone. */
static bool is_left(const injection *in, const hsd_stub_data *other)
{
    const bool has_thread = other->tid != 0 ? has_task(in->live->facts->pid, other->tid)
                                            : other->state != HSD_STUB_DONE && other->create_failed == 0;
    return other->is_begun == 0 || (other->has_begun != 0 && !has_thread);
}

/* One whose end nobody knows stays: it is address space, and no more. */
static hsd_status wait_for_other(injection *in, uint64_t region, bool *is_free, hsd_error *err)
{
    const uint64_t end = hsd_now_ns() + (uint64_t)END_MS * 1000000;
    hsd_stub_data other;
    do {
        if (!hsd_remote_read(&in->remote, region + HSD_STUB_PAGE, &other, sizeof other)) return HSD_OK;
        if (other.region != region || other.region_bytes != HSD_STUB_REGION_BYTES) return HSD_OK;
        *is_free = is_left(in, &other);
        /* who is through has some instructions to go */
        nanosleep(&(struct timespec){.tv_nsec = LEAVING_NS}, NULL);
    } while (!*is_free && hsd_now_ns() < end);
    return !*is_free && other.tid != 0 && has_task(in->live->facts->pid, other.tid)
               ? refuse_second(in->live->facts, err)
               : HSD_OK;
}

/* What a capture whose hsdiff was killed has left. */
static hsd_status remove_others(injection *in, hsd_error *err)
{
    for (size_t i = 0; i < in->remote.count; i++) {
        const hsd_remote_mapping *one = &in->remote.mappings[i];
        bool is_free = false;
        if (!begins_with_magic(&in->remote, one)) continue;
        HSD_TRY(wait_for_other(in, one->begin, &is_free, err));
        if (is_free) HSD_TRY(unmap(in, one->begin, HSD_STUB_REGION_BYTES, err));
    }
    return HSD_OK;
}

static void set_address(void *to, uint64_t address) { memcpy(to, &address, sizeof address); }

static hsd_status fill_inject(injection *in, hsd_error *err)
{
    hsd_stub_data *d = &in->data;
    uint8_t code[HSD_STUB_PAGE] = {0};
    if (hsd_stub_code_bytes() > sizeof code)
        return hsd_fail(err, HSD_E_MISUSE, "the code that is brought into Python has outgrown its page");
    memcpy(code, hsd_stub_code(), hsd_stub_code_bytes());
    d->region = in->region;
    d->region_bytes = HSD_STUB_REGION_BYTES;
    set_address(&d->thread_main, in->region + hsd_stub_thread_at());
    set_address(&d->program.first, in->data_at + offsetof(hsd_stub_data, filter));
    if (hsd_remote_write(&in->remote, in->region, code, sizeof code) &&
        hsd_remote_write(&in->remote, in->data_at, d, sizeof *d))
        return HSD_OK;
    return hsd_fail(err, HSD_E_IO, "cannot write to the memory of process %ld", in->remote.pid);
}

static hsd_status map(injection *in, hsd_held *held, hsd_error *err)
{
    int64_t result = 0;
    const uint64_t pages[6] = {0, HSD_STUB_REGION_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, UINT64_MAX};
    HSD_TRY(hsd_held_call(held, SYS_mmap, pages, &result, err));
    if (result < 0 && result > -4096)
        return hsd_fail_errno(err, (int)-result, "process %ld has no room for an agent", in->remote.pid);
    in->region = (uint64_t)result;
    in->data_at = in->region + HSD_STUB_PAGE;
    HSD_TRY(fill_inject(in, err));
    HSD_TRY(hsd_held_call(held, SYS_mprotect, (const uint64_t[6]){in->region, HSD_STUB_PAGE, PROT_READ | PROT_EXEC},
                          &result, err));
    if (result == 0) return HSD_OK;
    hsd_fail_errno(
        err, (int)-result,
        "process %ld may not have code that no file holds (SELinux, a hardened kernel): no agent can be brought in",
        in->remote.pid);
    hsd_error_set_hint(err, "start it with the agent: hsdiff capture -- python app.py");
    return HSD_E_IO;
}

/* ---- the agent, where its file is not seen ---- */

static hsd_status copy_file(int from, int to, hsd_error *err)
{
    char piece[16 * 1024];
    size_t got = 0;
    for (off_t at = 0;; at += (off_t)got) {
        int error = hsd_fd_read(from, piece, sizeof piece, at, &got);
        if (error == 0 && got == 0) return HSD_OK;
        if (error == 0) error = hsd_fd_write(to, piece, got, at);
        if (error != 0) return hsd_fail_errno(err, error, "cannot copy the agent");
    }
}

static hsd_status fill_file(const injection *in, const char *agent, hsd_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", in->remote.pid, in->data.agent_fd);
    const int from = open(agent, O_RDONLY | O_CLOEXEC), to = open(path, O_WRONLY | O_CLOEXEC);
    const hsd_status status =
        from < 0 || to < 0 ? hsd_fail_errno(err, errno, "cannot bring %s into process %ld", agent, in->remote.pid)
                           : copy_file(from, to, err);
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    return status;
}

/* In another mount namespace the process does not see the agent's file: it gets one in its memory, without a name. */
static hsd_status bring_file(injection *in, hsd_held *held, const char *agent, hsd_error *err)
{
    int64_t fd = 0;
    if (in->live->facts->is_same_mounts) return HSD_OK;
    HSD_TRY(hsd_held_call(held, SYS_memfd_create,
                          (const uint64_t[6]){in->data_at + offsetof(hsd_stub_data, name), MFD_CLOEXEC}, &fd, err));
    if (fd < 0) return hsd_fail_errno(err, (int)-fd, "process %ld can open no file for the agent", in->remote.pid);
    in->data.agent_fd = (int32_t)fd;
    snprintf(in->data.path, sizeof in->data.path, "/proc/self/fd/%d", (int)fd);
    HSD_TRY(fill_file(in, agent, err));
    if (hsd_remote_write(&in->remote, in->data_at, &in->data, sizeof in->data)) return HSD_OK;
    return hsd_fail(err, HSD_E_IO, "cannot write to the memory of process %ld", in->remote.pid);
}

/* ---- one capture ---- */

/* From here on the region is in use, until what runs in it says otherwise. */
static hsd_status tell_begun(injection *in, hsd_error *err)
{
    const uint32_t yes = 1;
    in->data.is_begun = yes;
    if (hsd_remote_write(&in->remote, in->data_at + offsetof(hsd_stub_data, is_begun), &yes, sizeof yes)) return HSD_OK;
    return hsd_fail(err, HSD_E_IO, "cannot write to the memory of process %ld", in->remote.pid);
}

static hsd_status begin_there(injection *in, const char *agent, hsd_error *err)
{
    hsd_held held;
    HSD_TRY(hsd_held_take(&held, in->live->facts, &in->place, true, err));
    hsd_status status = map(in, &held, err);
    if (status == HSD_OK) status = bring_file(in, &held, agent, err);
    if (status == HSD_OK) status = tell_begun(in, err);
    if (status == HSD_OK)
        status =
            hsd_held_run(&held, in->region + hsd_stub_begin_at(), in->data_at, in->region + HSD_STUB_STACK_AT, err);
    hsd_held_release(&held);
    if (status != HSD_OK || !read_data(in) || in->data.create_failed == 0) return status;
    return hsd_fail_errno(err, in->data.create_failed, "process %ld can start no thread for the agent", in->remote.pid);
}

/* The thread waits for the GIL, which C code may keep for long. */
static hsd_status wait_for_offer(injection *in, hsd_error *err)
{
    const unsigned seconds = in->live->options->timeout_seconds == 0 ? 60 : in->live->options->timeout_seconds;
    const uint64_t end = hsd_now_ns() + (uint64_t)seconds * 1000000000;
    const struct timespec pause = {.tv_nsec = OFFER_NAP_NS};
    for (unsigned rounds = 0;; rounds++) {
        if (!read_data(in)) return hsd_fail(err, HSD_E_TRUNCATED, "process %ld ended", in->remote.pid);
        if (in->data.state >= HSD_STUB_OFFERS) return HSD_OK;
        if (rounds % 100 == 99) {
            HSD_TRY(hsd_progress(in->live->reporter, "waiting for Python's lock (GIL)", 0, 0, err));
            if (in->data.tid != 0 && !has_task(in->remote.pid, in->data.tid) && read_data(in) &&
                in->data.state != HSD_STUB_DONE)
                return hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is ending: its Python lets no thread in any more",
                                in->remote.pid);
        }
        if (hsd_now_ns() >= end) break;
        nanosleep(&pause, NULL);
    }
    hsd_fail(err, HSD_E_IO, "C code in process %ld has kept Python's lock (GIL) for %u s", in->remote.pid, seconds);
    hsd_error_set_hint(
        err, "try again later, or wait longer: --timeout; the agent goes away by itself when it gets the lock");
    return HSD_E_IO;
}

static hsd_status open_pipe(injection *in, int *out, hsd_error *err)
{
    char path[64];
    const uint32_t yes = 1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", in->remote.pid, in->data.fds[0]);
    *out = in->data.state == HSD_STUB_OFFERS ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (*out < 0 && in->data.state == HSD_STUB_OFFERS)
        return hsd_fail_errno(err, errno, "cannot open the pipe of the agent in process %ld", in->remote.pid);
    if (*out >= 0) (void)fcntl(*out, F_SETPIPE_SZ, PIPE_BYTES); /* as much as the user may have */
    if (*out >= 0 && !hsd_remote_write(&in->remote, in->data_at + offsetof(hsd_stub_data, go), &yes, sizeof yes))
        return hsd_fail(err, HSD_E_IO, "process %ld ended", in->remote.pid);
    return HSD_OK;
}

/* What came of it, in words. HSD_END: the other side did not wait; once more. */
static hsd_status tell_outcome(const injection *in, hsd_error *err)
{
    const long pid = in->remote.pid;
    const hsd_stub_data *d = &in->data;
    switch ((hsd_stub_outcome)d->outcome) {
    case HSD_STUB_WHOLE: return HSD_OK;
    case HSD_STUB_NO_PYTHON:
        return hsd_fail(err, HSD_E_UNSUPPORTED, "Python in process %ld is not up yet, or is ending", pid);
    case HSD_STUB_NO_PIPE: return hsd_fail_errno(err, d->number, "process %ld can open no pipe for the agent", pid);
    case HSD_STUB_NOT_LOADED:
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the agent cannot be loaded into process %ld: %.400s", pid, d->error);
    case HSD_STUB_NOBODY: return HSD_END;
    case HSD_STUB_FAILED:
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the agent in process %ld refuses: %.400s", pid, d->error);
    }
    return hsd_fail(err, HSD_E_CORRUPT, "the agent in process %ld was overwritten", pid);
}

static hsd_status receive(injection *in, hsd_error *err)
{
    hsd_error why;
    int fd = -1;
    hsd_error_init(&why);
    HSD_TRY(wait_for_offer(in, err));
    HSD_TRY(open_pipe(in, &fd, err));
    const hsd_status copied = fd < 0 ? HSD_END : hsd_live_copy(in->live, fd, &why);
    if (fd >= 0) close(fd);
    if (copied == HSD_E_CANCELLED || copied == HSD_E_IO || !wait_for_end(in, END_MS)) {
        if (err != NULL) *err = why;
        return copied == HSD_OK ? HSD_OK : copied;
    }
    in->data.error[sizeof in->data.error - 1] = '\0';
    const hsd_status outcome = tell_outcome(in, err);
    if (outcome != HSD_OK || copied == HSD_OK) return outcome;
    if (err != NULL) *err = why;
    return copied;
}

/* The region goes when nobody runs in it any more; else the next capture takes it. */
static void clean_up(injection *in)
{
    hsd_error unwanted;
    hsd_error_init(&unwanted);
    if (in->region == 0 || hsd_has_ended(in->live->facts, 0)) return;
    const bool is_free = in->data.is_begun == 0 || (wait_for_end(in, CANCELLED_MS) && is_left(in, &in->data));
    if (!is_free || unmap(in, in->region, HSD_STUB_REGION_BYTES, &unwanted) != HSD_OK)
        hsd_note(in->live->reporter, HSD_NOTE_WARNING,
                 "the agent is still in %s: it leaves when Python lets it go on, and the next capture takes away the "
                 "memory it had",
                 in->live->process->name);
    in->region = 0;
}

static hsd_status inject_once(hsd_live *live, const char *agent, hsd_error *err)
{
    injection *in = calloc(1, sizeof *in);
    if (in == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: bringing in an agent");
    in->live = live;
    hsd_stub_prepare(&in->data);
    snprintf(in->data.path, sizeof in->data.path, "%s", agent);
    in->data.options.compression = live->options->compression;
    in->data.options.is_stored = live->options->compression == 0;
    hsd_status status = look_around(in, err);
    if (status == HSD_OK) status = remove_others(in, err);
    if (status == HSD_OK) status = begin_there(in, agent, err);
    if (status == HSD_OK) status = receive(in, err);
    clean_up(in);
    hsd_remote_close(&in->remote);
    free(in);
    return status;
}

hsd_status hsd_python_inject(hsd_live *live, const char *agent, hsd_error *err)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        const hsd_status status = inject_once(live, agent, err);
        if (status != HSD_END) return status;
    }
    hsd_fail(err, HSD_E_IO, "process %ld did not wait for its capture to be taken: this machine is too busy",
             live->facts->pid);
    hsd_error_set_hint(err, "try again");
    return HSD_E_IO;
}
