/*
 * Tells the address sanitizer of a program's global variables at once, before its own constructors run. gcc tells them
 * file by file, and each time the runtime keeps from where it was called: a page touched for each file of the program,
 * which is a quarter of what a start of the command takes. At the end of a program nothing is taken back. The linker
 * leads the calls here (--wrap, cmake/HsdBuild.cmake).
 */
#include <stddef.h>

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
