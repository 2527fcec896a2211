/*
 * See stub.h. Everything in the section hsd_stub is copied into the other process: it calls its own functions and those
 * of the page, has no constants elsewhere, and is compiled without what a compiler adds (CMakeLists.txt).
 *
 * The thread must leave nothing behind. glibc gives each thread that allocates an arena of its own, which stays for
 * ever: so a filter of seccomp, which holds for this one thread, refuses it the address space for one, and glibc then
 * maps what the thread allocates piece by piece. Its stack is not glibc's, which would keep it for later threads. ld.so
 * keeps tables of what is loaded, so it is not this thread that has it loaded: they come from where those of the
 * program do.
 *
 * A child of a fork meanwhile has the region too: glibc looks through the stacks of all threads there, so it cannot be
 * kept from it.
 */
#include "live/python/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#define IN_STUB __attribute__((section("hsd_stub"), used, noinline))
#define INLINE  static inline __attribute__((always_inline))

extern const char __start_hsd_stub[], __stop_hsd_stub[]; /* made by the linker */

enum { LOAD_NOW = 2, HIGH_DESCRIPTOR = 512, NAP_NS = 200 * 1000, DETACHED = 1 };
enum { SET_NAME = 15, SET_NO_NEW_PRIVILEGES = 38, SECCOMP_FILTER = 1, SECCOMP_FAST = 4, MONOTONIC = 1 };

/* ---- in the other process ---- */

#if defined(__x86_64__)

/* The magic, in front of all code. */
__asm__(".pushsection hsd_stub, \"ax\", @progbits\n"
        ".ascii \"" HSD_STUB_MAGIC "\"\n"
        ".popsection\n");

INLINE long call(long number, long a, long b, long c, long d)
{
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

INLINE void copy_text(char *to, const char *from, uint64_t size)
{
    uint64_t i = 0;
    for (; from != NULL && i + 1 < size && from[i] != '\0'; i++)
        ((volatile char *)to)[i] = from[i];
    to[i] = '\0';
}

INLINE uint64_t now_ns(void)
{
    long time[2] = {0, 0};
    call(SYS_clock_gettime, MONOTONIC, (long)time, 0, 0);
    return (uint64_t)time[0] * 1000000000u + (uint64_t)time[1];
}

INLINE void become_traceless(hsd_stub_data *d)
{
    if (call(SYS_prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0) == 0)
        call(SYS_seccomp, SECCOMP_FILTER, SECCOMP_FAST, (long)&d->program, 0);
    call(SYS_prctl, SET_NAME, (long)d->name, 0, 0);
}

/* Under a number that programs do not count on, if there is one. */
INLINE void move_up(int32_t *fd)
{
    const long higher = call(SYS_fcntl, *fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR, 0);
    if (higher < 0) return;
    call(SYS_close, *fd, 0, 0, 0);
    *fd = (int32_t)higher;
}

INLINE void finish(hsd_stub_data *d, hsd_stub_outcome outcome, long number)
{
    d->outcome = outcome;
    d->number = (int32_t)number;
}

/* Until the other side has opened the pipe; false if it does not come. */
INLINE int wait_for_go(hsd_stub_data *d)
{
    const uint64_t end = now_ns() + d->offer_ns;
    long nap[2] = {0, NAP_NS};
    while (d->go == 0) {
        if (now_ns() > end) return 0;
        call(SYS_nanosleep, (long)nap, 0, 0, 0);
    }
    return 1;
}

INLINE void use(hsd_stub_data *d)
{
    const hsd_stub_entry entry = (hsd_stub_entry)d->symbol(d->agent, d->entry);
    if (entry == NULL) {
        copy_text(d->error, d->why(), sizeof d->error);
        finish(d, HSD_STUB_NOT_LOADED, 0);
        return;
    }
    if (!wait_for_go(d)) {
        finish(d, HSD_STUB_NOBODY, 0);
        return;
    }
    call(SYS_close, d->fds[0], 0, 0, 0);
    d->fds[0] = -1;
    d->state = HSD_STUB_WALKS;
    finish(d, entry(d->fds[1], &d->options, d->error, sizeof d->error) == 0 ? HSD_STUB_WHOLE : HSD_STUB_FAILED, 0);
}

INLINE void offer_and_use(hsd_stub_data *d)
{
    const long failed = call(SYS_pipe2, (long)d->fds, O_CLOEXEC, 0, 0);
    if (failed != 0) {
        finish(d, HSD_STUB_NO_PIPE, -failed);
        return;
    }
    move_up(&d->fds[0]);
    move_up(&d->fds[1]);
    d->state = HSD_STUB_OFFERS;
    use(d);
    if (d->fds[0] >= 0) call(SYS_close, d->fds[0], 0, 0, 0);
    call(SYS_close, d->fds[1], 0, 0, 0);
}

IN_STUB static void *thread_main(void *context)
{
    hsd_stub_data *d = context;
    d->tid = (int32_t)call(SYS_gettid, 0, 0, 0, 0);
    become_traceless(d);
    d->state = HSD_STUB_RUNS;
    if (d->is_initialized() == 0) {
        finish(d, HSD_STUB_NO_PYTHON, 0);
    } else {
        const int before = d->take_gil();
        offer_and_use(d);
        d->release_gil(before);
    }
    d->close(d->agent);
    d->state = HSD_STUB_DONE;
    return NULL;
}

INLINE int start(hsd_stub_data *d)
{
    int failed = d->attributes_init(d->attributes);
    if (failed == 0)
        failed = d->attributes_set_stack(d->attributes, (void *)(d->region + HSD_STUB_STACK_AT), HSD_STUB_STACK_BYTES);
    if (failed == 0) failed = d->attributes_set_detached(d->attributes, DETACHED);
    return failed != 0 ? failed : d->create(&d->thread, d->attributes, d->thread_main, d);
}

IN_STUB static void begin(hsd_stub_data *d)
{
    int *error = d->errno_location(), before = *error;
    d->agent = d->open(d->path, LOAD_NOW);
    if (d->agent_fd >= 0) call(SYS_close, d->agent_fd, 0, 0, 0);
    if (d->agent == NULL) {
        copy_text(d->error, d->why(), sizeof d->error);
        finish(d, HSD_STUB_NOT_LOADED, 0);
        d->state = HSD_STUB_DONE;
    } else {
        d->create_failed = start(d);
        if (d->create_failed != 0) d->close(d->agent);
    }
    *error = before;
    d->has_begun = 1;
}

/* ---- here ---- */

const void *hsd_stub_code(void) { return __start_hsd_stub; }
uint64_t hsd_stub_code_bytes(void) { return (uint64_t)(__stop_hsd_stub - __start_hsd_stub); }
uint64_t hsd_stub_begin_at(void) { return (uint64_t)((uintptr_t)begin - (uintptr_t)__start_hsd_stub); }
uint64_t hsd_stub_thread_at(void) { return (uint64_t)((uintptr_t)thread_main - (uintptr_t)__start_hsd_stub); }

#else

const void *hsd_stub_code(void) { return ""; }
uint64_t hsd_stub_code_bytes(void) { return 0; }
uint64_t hsd_stub_begin_at(void) { return 0; }
uint64_t hsd_stub_thread_at(void) { return 0; }

#endif

/* Of struct seccomp_data: the number of the call, and the low words of its second and third argument. */
enum { AT_NUMBER = 0, AT_SIZE_LOW = 24, AT_RIGHTS = 32 };
enum { LOAD = 0x20, IF_EQUAL = 0x15, IF_AT_LEAST = 0x35, RETURN = 0x06 };
static const uint32_t ALLOW = 0x7fff0000, REFUSE = 0x00050000;
enum { ARENA_BYTES = 32 * 1024 * 1024 };

void hsd_stub_prepare(hsd_stub_data *data)
{
    const hsd_stub_instruction filter[HSD_STUB_FILTER] = {
        {LOAD, 0, 0, AT_NUMBER},
        {IF_EQUAL, 0, 5, SYS_mmap},
        /* may neither be read nor written: kept for later */
        {LOAD, 0, 0, AT_RIGHTS},
        {IF_EQUAL, 0, 3, 0},
        {LOAD, 0, 0, AT_SIZE_LOW},
        {IF_AT_LEAST, 0, 1, ARENA_BYTES},
        {RETURN, 0, 0, REFUSE | ENOMEM},
        {RETURN, 0, 0, ALLOW},
        {RETURN, 0, 0, ALLOW},
    };
    *data = (hsd_stub_data){
        .fds = {-1, -1}, .agent_fd = -1, .offer_ns = 500u * 1000 * 1000, .name = "hsdiff", .entry = HSD_STUB_ENTRY};
    data->options.struct_bytes = sizeof data->options;
    memcpy(data->filter, filter, sizeof filter);
    data->program.count = HSD_STUB_FILTER;
}
