/*
 * How a program with the address sanitizer starts and ends sooner.
 *
 * Its global variables are told of at once, before its own constructors run. gcc tells them file by file, and each time
 * the runtime keeps from where it was called: a page touched for each file of the program, which is a quarter of what a
 * start of the command takes. At the end of a program nothing is taken back. The linker leads the calls here (--wrap,
 * cmake/HsdBuild.cmake).
 *
 * At the end of each process the runtime looks for pointers in all global variables that dl_iterate_phdr() tells of,
 * its own among them: 5.4 MB, most of them tables that were never written, of which it touches each page, half of all
 * page faults of a start of the command. They hold no pointer to a block that is the program's. The runtime finds the
 * function here before it finds that of libc, and is told of itself without what is zero at the start.
 */
#define _GNU_SOURCE /* RTLD_NEXT, dl_iterate_phdr() */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

void __real___asan_register_globals(void *globals, size_t count);
void __wrap___asan_register_globals(void *globals, size_t count);
void __wrap___asan_unregister_globals(void *globals, size_t count);

static struct {
    void *globals;
    size_t count;
} files[4096];
static size_t waiting;

void __wrap___asan_register_globals(void *globals, size_t count)
{
    if (waiting == sizeof files / sizeof *files) { /* what is more is told as ever */
        __real___asan_register_globals(globals, count);
        return;
    }
    files[waiting].globals = globals;
    files[waiting].count = count;
    waiting++;
}

void __wrap___asan_unregister_globals(void *globals, size_t count)
{
    (void)globals;
    (void)count;
}

__attribute__((constructor(101))) static void tell_of_all(void) /* those of the files have 99 */
{
    for (size_t i = 0; i < waiting; i++)
        __real___asan_register_globals(files[i].globals, files[i].count);
}

typedef int asked(struct dl_phdr_info *info, size_t size, void *data);
typedef int iterate(asked *ask, void *data);

struct question {
    asked *ask;
    void *data;
};

/* The runtime's headers as they are told: whoever asked may keep where they are. */
static struct {
    const ElfW(Phdr) * true_ones;
    ElfW(Phdr) headers[32];
} runtime;

static asked note_runtime, ask_on;

static int note_runtime(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (strstr(info->dlpi_name, "/libasan.so") == NULL) return 0;
    if (info->dlpi_phnum > sizeof runtime.headers / sizeof *runtime.headers) return 1;
    memcpy(runtime.headers, info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        ElfW(Phdr) *header = &runtime.headers[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0) header->p_memsz = header->p_filesz;
    }
    runtime.true_ones = info->dlpi_phdr;
    return 1;
}

static int ask_on(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct question *question = data;
    struct dl_phdr_info told;
    if (runtime.true_ones == NULL || info->dlpi_phdr != runtime.true_ones)
        return question->ask(info, size, question->data);
    told = *info;
    told.dlpi_phdr = runtime.headers;
    return question->ask(&told, size, question->data);
}

__attribute__((visibility("default"))) int dl_iterate_phdr(asked *ask, void *data)
{
    static iterate *of_libc;
    if (of_libc == NULL) {
        void *found = dlsym(RTLD_NEXT, "dl_iterate_phdr");
        memcpy(&of_libc, &found, sizeof of_libc);
        of_libc(note_runtime, NULL);
    }
    return of_libc(ask_on, &(struct question){ask, data});
}
