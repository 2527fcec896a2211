/*
 * What the copy of the process does before V8 builds its snapshot there. It has one thread, and must not be seen by
 * anyone:
 *
 * - Signals that others send are ignored, since handlers of the program would work on what is its alone. It ends with
 * the program.
 * - Descriptors are closed, or a connection that the program closes would stay open as long as the copy lives. What
 * wakes its
 *   event loop (eventfd) is replaced by one that nobody reads, since libuv aborts where it cannot write there.
 * - V8 posts its work to threads which are not there, and then does it itself. glibc's condition variables count who
 * waits; the waiting
 *   threads are gone, and pthread_cond_signal would wait for them for ever. Nobody is to be woken, so the copy calls a
 * function that
 *   does nothing instead.
 * - Whoever looks for memory to free finds it first, and it yields to the program where both want a processor.
 */
#include "addon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NICE = 10, CPU_SECONDS = 3600, LAST_SIGNAL = 64, DYNAMIC_TAGS = 64 };

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT };
#else
#error "the addon of Node knows x86-64 and arm64"
#endif

/*
 * Not fork(): its end would be signalled, its handlers are the program's, and a copy is given up if it stands still
 * because another thread held a lock of malloc just then.
 */
pid_t child_make(void) { return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL); }

/* ---- signals ---- */

static bool is_left_alone(int number)
{
    static const int kept[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGSEGV,
                               SIGBUS,  SIGABRT, SIGILL,  SIGFPE,  SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (kept[i] == number) return true;
    return false;
}

static void ignore_signals(void)
{
    for (int number = 1; number <= LAST_SIGNAL; number++)
        if (!is_left_alone(number)) signal(number, SIG_IGN);
}

/* ---- descriptors ---- */

static bool is_eventfd(const char *number)
{
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/self/fd/%.20s", number);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return false;
    target[length] = '\0';
    return strcmp(target, "anon_inode:[eventfd]") == 0;
}

static void part_from(const char *number, int kept, int folder, int idle)
{
    const int fd = (int)strtol(number, NULL, 10);
    if (fd <= STDERR_FILENO || fd == kept || fd == folder || fd == idle) return;
    if (!is_eventfd(number))
        close(fd);
    else if (dup2(idle, fd) < 0)
        _exit(EXIT_FAILURE);
}

/* What goes wrong here ends the copy: the program has what it would have written to. */
static void part_from_descriptors(int kept)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), idle = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    DIR *folder = opendir("/proc/self/fd");
    if (nothing < 0 || idle < 0 || folder == NULL) _exit(EXIT_FAILURE);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fd != kept) dup2(nothing, fd);
    for (struct dirent *one = readdir(folder); one != NULL; one = readdir(folder))
        if (one->d_name[0] != '.') part_from(one->d_name, kept, dirfd(folder), idle);
    closedir(folder);
}

/* ---- condition variables ---- */

static int wake_nobody(void *condition)
{
    (void)condition;
    return 0;
}

static bool is_waking(const char *name)
{
    return strcmp(name, "pthread_cond_signal") == 0 || strcmp(name, "pthread_cond_broadcast") == 0;
}

static void redirect(void **slot, size_t page_bytes)
{
    void *page = (void *)((uintptr_t)slot & ~(uintptr_t)(page_bytes - 1));
    if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
    int (*const nobody)(void *) = wake_nobody;
    memcpy(slot, &nobody, sizeof nobody);
}

/* What the loader has told an object of its own. Values of the C library are addresses; others' are offsets. */
typedef struct object {
    uintptr_t base, values[DYNAMIC_TAGS];
} object;

static uintptr_t address_of(const object *o, int tag)
{
    return o->values[tag] < o->base ? o->base + o->values[tag] : o->values[tag];
}

static void redirect_table(const object *o, int table, int size, size_t page_bytes)
{
    if (o->values[table] == 0 || o->values[DT_SYMTAB] == 0 || o->values[DT_STRTAB] == 0) return;
    const ElfW(Rela) *rows = (const ElfW(Rela) *)address_of(o, table);
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)address_of(o, DT_SYMTAB);
    const char *names = (const char *)address_of(o, DT_STRTAB);
    for (size_t i = 0; i < o->values[size] / sizeof *rows; i++) {
        const unsigned type = ELF64_R_TYPE(rows[i].r_info);
        if (type != JUMP_SLOT && type != GLOB_DAT) continue;
        if (is_waking(names + symbols[ELF64_R_SYM(rows[i].r_info)].st_name))
            redirect((void **)(o->base + rows[i].r_offset), page_bytes);
    }
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *context)
{
    const size_t *page_bytes = context;
    object o = {.base = info->dlpi_addr};
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *tag = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; tag->d_tag != DT_NULL; tag++)
            if (tag->d_tag > 0 && tag->d_tag < DYNAMIC_TAGS) o.values[tag->d_tag] = tag->d_un.d_ptr;
    }
    redirect_table(&o, DT_JMPREL, DT_PLTRELSZ, *page_bytes);
    redirect_table(&o, DT_RELA, DT_RELASZ, *page_bytes);
    return 0;
}

static void wake_no_threads(void)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(redirect_object, &page_bytes);
}

/* ---- its place in the system ---- */

static void write_text(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t written = write(fd, text, strlen(text));
    (void)written;
    close(fd);
}

/* A core limit of 1 byte: no core of a copy that V8 gives up, nor one through a pipe, for which the kernel takes 0 as
 * no limit. */
static void yield_to_others(void)
{
    write_text("/proc/self/oom_score_adj", "1000");
    setpriority(PRIO_PROCESS, 0, NICE);
    setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
    setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_SECONDS, CPU_SECONDS});
}

void child_part(int fd, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_FAILURE);
    ignore_signals();
    part_from_descriptors(fd);
    wake_no_threads();
    yield_to_others();
}
