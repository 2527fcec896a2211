/*
 * What is needed to bring an agent into a Python: names of interpreters; symbols of another process, here of this one;
 * the code that is copied there, run from another place with functions that are not those of a process.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "live/python/python_process.h"
#include "live/python/remote.h"
#include "live/python/stub.h"

/* ---- names ---- */

static void expect_name(const char *name, hsd_python_kind kind, unsigned major, unsigned minor)
{
    hsd_python_version version;
    const hsd_python_kind got = hsd_python_name(name, strlen(name), &version);
    cr_assert(got == kind && version.kind == kind && version.major == major && version.minor == minor, "%s: %d %u.%u",
              name, got, version.major, version.minor);
}

Test(python_process, knows_names_of_interpreters)
{
    expect_name("python", HSD_PYTHON_C, 0, 0);
    expect_name("python3", HSD_PYTHON_C, 0, 0);
    expect_name("python3.11", HSD_PYTHON_C, 3, 11);
    expect_name("python3.11-dbg", HSD_PYTHON_C, 3, 11);
    expect_name("python3.13t", HSD_PYTHON_FREE_THREADED, 3, 13);
    expect_name("python2.7", HSD_PYTHON_C, 2, 7);
    expect_name("pypy3.10", HSD_PYTHON_PYPY, 0, 0);
    expect_name("pythonista", HSD_PYTHON_NOT, 0, 0);
    expect_name("pytho", HSD_PYTHON_NOT, 0, 0);
    expect_name("node", HSD_PYTHON_NOT, 0, 0);
}

static void expect_refused(hsd_python_version version, const char *word)
{
    const hsd_process_facts facts = {.pid = 77};
    hsd_error err;
    hsd_error_init(&err);
    cr_assert(hsd_python_gate_of_version(&facts, &version, &err) == HSD_E_UNSUPPORTED && strstr(err.text, word) != NULL,
              "%s", err.text);
}

Test(python_process, refuses_kinds_and_versions_without_agent)
{
    const hsd_process_facts facts = {.pid = 77};
    expect_refused((hsd_python_version){HSD_PYTHON_PYPY, 0, 0}, "PyPy");
    expect_refused((hsd_python_version){HSD_PYTHON_FREE_THREADED, 3, 13}, "free-threaded");
    expect_refused((hsd_python_version){HSD_PYTHON_C, 2, 7}, "2.7");
    expect_refused((hsd_python_version){HSD_PYTHON_C, 3, 7}, "3.7");
    cr_assert(hsd_python_gate_of_version(&facts, &(hsd_python_version){HSD_PYTHON_C, 3, 8}, NULL) == HSD_OK);
    cr_assert(hsd_python_gate_of_version(&facts, &(hsd_python_version){HSD_PYTHON_C, 0, 0}, NULL) == HSD_OK,
              "what no name says the agent finds out");
}

/* No machine of a test may change the switch; what is said for each of its values is asked here. */
Test(python_process, says_what_yama_forbids_and_what_opens_it)
{
    const hsd_process_facts facts = {.pid = 77};
    hsd_error err;
    cr_assert(hsd_python_gate_of_yama(&facts, '0', false, NULL) == HSD_OK);
    cr_assert(hsd_python_gate_of_yama(&facts, '1', true, NULL) == HSD_OK);
    cr_assert(hsd_python_gate_of_yama(&facts, '2', true, NULL) == HSD_OK);
    for (char scope = '1'; scope <= '3'; scope++) {
        const char wanted[] = {'s', 'c', 'o', 'p', 'e', ' ', 'i', 's', ' ', scope, 0};
        hsd_error_init(&err);
        cr_assert(hsd_python_gate_of_yama(&facts, scope, scope == '3', &err) == HSD_E_UNSUPPORTED);
        cr_assert(strstr(err.text, "process 77") != NULL && strstr(err.text, wanted) != NULL, "%s", err.text);
        cr_assert(strstr(err.hint, scope == '3' ? "starts anew" : "--cap-add=SYS_PTRACE") != NULL, "%s", err.hint);
        cr_assert(scope == '3' || strstr(err.hint, "sysctl kernel.yama.ptrace_scope=0") != NULL, "%s", err.hint);
    }
}

/* ---- another process ---- */

static hsd_remote own;

static void open_own(void) { cr_assert(hsd_remote_open(&own, getpid(), NULL) == HSD_OK); }
static void close_own(void) { hsd_remote_close(&own); }

Test(python_remote, finds_functions_of_libc, .init = open_own, .fini = close_own)
{
    const size_t libc = hsd_remote_object(&own, "libc.so.6", 0);
    void *const handle = dlopen("libc.so.6", RTLD_LAZY);
    cr_assert(libc != SIZE_MAX && handle != NULL);
    for (const char *const *name =
             (const char *const[]){"pthread_attr_init", "dlerror", "__errno_location", "getpid", "qsort", NULL};
         *name != NULL; name++)
        cr_assert(hsd_remote_symbol(&own, libc, *name) == (uintptr_t)dlsym(handle, *name), "%s", *name);
    cr_assert(hsd_remote_symbol(&own, libc, "no_such_function") == 0);
    cr_assert(hsd_remote_symbol(&own, SIZE_MAX, "getpid") == 0);
    dlclose(handle);
}

Test(python_remote, reads_and_writes_what_is_mapped_alone, .init = open_own, .fini = close_own)
{
    uint64_t number = 5, copy = 0;
    cr_assert(hsd_remote_read(&own, (uintptr_t)&number, &copy, sizeof copy) && copy == 5);
    copy = 6;
    cr_assert(hsd_remote_write(&own, (uintptr_t)&number, &copy, sizeof copy) && number == 6);
    cr_assert(!hsd_remote_read(&own, 8, &copy, sizeof copy) && !hsd_remote_write(&own, 8, &copy, sizeof copy));
    cr_assert(hsd_remote_find(&own, 8) == NULL);
    const hsd_remote_mapping *code = hsd_remote_find(&own, (uintptr_t)open_own);
    cr_assert(code != NULL && code->is_executable && !code->is_anonymous);
}

/* An object of one page, as hostile as may be: each byte of its head is changed in turn, and nothing happens. */
Test(python_remote, trusts_no_byte_of_an_object, .init = open_own, .fini = close_own)
{
    const size_t libc = hsd_remote_object(&own, "libc.so.6", 0);
    uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hsd_remote_mapping one = {
        .begin = (uintptr_t)page, .end = (uintptr_t)page + 8192, .is_readable = true, .name = "hostile.so"};
    hsd_remote hostile = {.pid = getpid(), .mappings = &one, .count = 1};
    cr_assert(hsd_remote_read(&own, own.mappings[libc].begin, page, 4096));
    for (size_t i = 0; i < 1024; i++) {
        const uint8_t before = page[i];
        for (unsigned change = 1; change < 256; change += 127) {
            page[i] = (uint8_t)(before ^ change);
            (void)hsd_remote_symbol(&hostile, 0, "getpid");
        }
        page[i] = before;
    }
    munmap(page, 8192);
}

/* ---- the code that is copied ---- */

typedef struct there {
    uint8_t *region;
    hsd_stub_data *data;
} there;

static int opened, closed, taken, released, captured_fd;
static bool may_open, may_capture, is_up;

static void *fake_open(const char *path, int mode)
{
    cr_assert(strcmp(path, "/agent.so") == 0 && mode == RTLD_NOW);
    opened += may_open;
    return may_open ? &opened : NULL;
}

static int fake_capture(int descriptor, const void *options, char *error, uint64_t error_size)
{
    (void)options;
    captured_fd = descriptor;
    if (!may_capture) snprintf(error, error_size, "not today");
    return may_capture && write(descriptor, "heap", 4) == 4 ? 0 : -1;
}

static void *fake_symbol(void *agent, const char *name)
{
    void *address = NULL;
    int (*capture)(int, const void *, char *, uint64_t) = fake_capture;
    if (agent == &opened && strcmp(name, "hspy_capture") == 0) memcpy(&address, &capture, sizeof address);
    return address;
}

static int fake_close(void *agent) { return closed += agent == &opened; }
static char *fake_why(void)
{
    static char why[] = "cannot open shared object file";
    return why;
}
static int fake_is_up(void) { return is_up; }
static int fake_take(void) { return taken += 1; }
static void fake_release(int before) { released += before; }
static int *own_errno(void) { return &errno; }

static void bring_in(there *t)
{
    opened = closed = taken = released = captured_fd = 0;
    may_open = may_capture = is_up = true;
    t->region = mmap(NULL, HSD_STUB_REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    t->data = (hsd_stub_data *)(void *)(t->region + HSD_STUB_PAGE);
    cr_assert(t->region != MAP_FAILED && hsd_stub_code_bytes() < HSD_STUB_PAGE);
    memcpy(t->region, hsd_stub_code(), hsd_stub_code_bytes());
    cr_assert(memcmp(t->region, HSD_STUB_MAGIC, HSD_STUB_MAGIC_BYTES) == 0);
    cr_assert(mprotect(t->region, HSD_STUB_PAGE, PROT_READ | PROT_EXEC) == 0);
    hsd_stub_prepare(t->data);
    t->data->region = (uintptr_t)t->region;
    t->data->region_bytes = HSD_STUB_REGION_BYTES;
    t->data->offer_ns = 100000000;
    t->data->program.first = t->data->filter;
    snprintf(t->data->path, sizeof t->data->path, "/agent.so");
    const uintptr_t thread = (uintptr_t)t->region + hsd_stub_thread_at();
    memcpy(&t->data->thread_main, &thread, sizeof thread);
    t->data->errno_location = own_errno;
    t->data->open = fake_open, t->data->symbol = fake_symbol, t->data->close = fake_close, t->data->why = fake_why;
    t->data->is_initialized = fake_is_up, t->data->take_gil = fake_take, t->data->release_gil = fake_release;
    int (*init)(pthread_attr_t *) = pthread_attr_init,
                               (*stack)(pthread_attr_t *, void *, size_t) = pthread_attr_setstack;
    int (*detached)(pthread_attr_t *, int) = pthread_attr_setdetachstate;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
    memcpy(&t->data->attributes_init, &init, sizeof init);
    memcpy(&t->data->attributes_set_stack, &stack, sizeof stack);
    memcpy(&t->data->attributes_set_detached, &detached, sizeof detached);
    memcpy(&t->data->create, &create, sizeof create);
}

static void begin(const there *t)
{
    void (*function)(hsd_stub_data *);
    const uintptr_t address = (uintptr_t)t->region + hsd_stub_begin_at();
    memcpy(&function, &address, sizeof function);
    errno = 77;
    function(t->data);
    cr_assert(errno == 77 && t->data->has_begun == 1, "what libc has set is as before, and it is through");
}

static void wait_for(const there *t, uint32_t state)
{
    for (int i = 0; i < 20000 && t->data->state < state; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cr_assert(t->data->state >= state, "state %u", t->data->state);
}

static void expect_outcome(const there *t, hsd_stub_outcome outcome, int times)
{
    wait_for(t, HSD_STUB_DONE);
    cr_assert(t->data->outcome == outcome, "%u: %s", t->data->outcome, t->data->error);
    cr_assert(taken == times && released == times, "the lock was taken %d times, given back %d times", taken, released);
    cr_assert(opened == closed, "loaded %d times, unloaded %d times", opened, closed);
}

Test(python_stub, captures_into_the_pipe_and_leaves)
{
    there t;
    char got[8];
    bring_in(&t);
    begin(&t);
    wait_for(&t, HSD_STUB_OFFERS);
    const int fd = dup(t.data->fds[0]);
    t.data->go = 1;
    cr_assert(read(fd, got, sizeof got) == 4 && memcmp(got, "heap", 4) == 0 && read(fd, got, sizeof got) == 0);
    expect_outcome(&t, HSD_STUB_WHOLE, 1);
    cr_assert(fcntl(captured_fd, F_GETFD) < 0 && errno == EBADF, "the pipe is closed");
    close(fd);
}

Test(python_stub, gives_the_lock_back_when_nobody_takes_the_pipe)
{
    there t;
    bring_in(&t);
    begin(&t);
    expect_outcome(&t, HSD_STUB_NOBODY, 1);
    cr_assert(captured_fd == 0);
}

Test(python_stub, tells_why_the_agent_is_not_loaded)
{
    there t;
    bring_in(&t);
    may_open = false;
    begin(&t);
    expect_outcome(&t, HSD_STUB_NOT_LOADED, 0);
    cr_assert(strcmp(t.data->error, fake_why()) == 0 && t.data->tid == 0);
}

Test(python_stub, tells_what_the_agent_says)
{
    there t;
    bring_in(&t);
    may_capture = false;
    t.data->go = 1;
    begin(&t);
    expect_outcome(&t, HSD_STUB_FAILED, 1);
    cr_assert(strcmp(t.data->error, "not today") == 0);
}

Test(python_stub, lets_a_python_that_is_not_up_alone)
{
    there t;
    bring_in(&t);
    is_up = false;
    begin(&t);
    expect_outcome(&t, HSD_STUB_NO_PYTHON, 0);
}
