/*
 * The addon of the helper of Node: a copy of the process, in which V8 builds its snapshot while the process goes on.
 * Beside hsdiff.cjs as hsdiff.node; without it the helper takes the heap inside the process, which stands still
 * meanwhile. Functions of numbers:
 *
 *      copy(fd, n)    makes a copy: its pid; 0 in the copy, which keeps fd alone; a negative errno. n = 1: V8 numbers all objects before,
 *                     and none is made in between; -ENOSYS where it cannot
 *      busy()         other threads that run just now; they may hold a lock, which the copy would have for ever
 *      status(pid)    of a copy: -1 while it lives, else the exit status, or 128 and the signal; it is gone then
 *      exit(status)   of the copy, at once: handlers of the program do not run
 *      put(i, n)      numbers that a copy and the process tell each other, 0 when a copy is made
 *      get(i)
 *
 * The copy shares memory with the process until one of both writes to it.
 */
#include "addon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node_api.h"

#define ADDON_EXPORT __attribute__((visibility("default")))

enum { ALIVE = -1, SIGNALLED = 128, ARGUMENTS = 2, TOLD = 2 };

static _Atomic uint64_t *told; /* shared by the process and its copies: TOLD numbers */

typedef struct arguments {
    double of[ARGUMENTS]; /* -1 where there is none */
} arguments;

static arguments arguments_of(napi_env env, napi_callback_info info)
{
    napi_value values[ARGUMENTS];
    size_t count = ARGUMENTS;
    arguments all = {{-1, -1}};
    if (napi_get_cb_info(env, info, &count, values, NULL, NULL) != 0) return all;
    for (size_t i = 0; i < count && i < ARGUMENTS; i++)
        (void)napi_get_value_double(env, values[i], &all.of[i]);
    return all;
}

static int first_of(napi_env env, napi_callback_info info) { return (int)arguments_of(env, info).of[0]; }

static napi_value addon_number(napi_env env, double of)
{
    napi_value value = NULL;
    return napi_create_double(env, of, &value) == 0 ? value : NULL;
}

/* Between the two calls of madvise there is nothing but the copying of page tables. */
static long make_copy(int fd, bool is_numbered)
{
    hidden_memory memory;
    const pid_t parent = getpid();
    if (is_numbered && !number_objects()) return -ENOSYS;
    const int failed = hidden_find(&memory);
    if (failed != 0) return -failed;
    hidden_show(&memory);
    const pid_t child = child_make();
    const int refused = errno;
    if (child == 0) {
        child_part(fd, parent);
        return 0;
    }
    hidden_hide(&memory);
    hidden_release(&memory);
    return child < 0 ? -refused : child;
}

static napi_value copy_addon(napi_env env, napi_callback_info info)
{
    for (size_t i = 0; i < TOLD; i++)
        told[i] = 0;
    const arguments all = arguments_of(env, info);
    return addon_number(env, (double)make_copy((int)all.of[0], all.of[1] > 0));
}

static bool is_running(int folder, const char *thread)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "%.20s/stat", thread);
    const int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    if (size <= 0) return false;
    text[size] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") R", 3) == 0;
}

static napi_value busy(napi_env env, napi_callback_info info)
{
    (void)info;
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL) return addon_number(env, 0);
    const pid_t mine = getpid(); /* the main thread, which asks */
    int count = 0;
    for (struct dirent *one = readdir(folder); one != NULL; one = readdir(folder))
        if (one->d_name[0] != '.' && strtol(one->d_name, NULL, 10) != mine && is_running(dirfd(folder), one->d_name))
            count++;
    closedir(folder);
    return addon_number(env, count);
}

/* One that is not there is gone: somebody else has waited for it. */
static napi_value status(napi_env env, napi_callback_info info)
{
    int of = 0;
    const pid_t pid = first_of(env, info);
    const pid_t ended = pid > 0 ? waitpid(pid, &of, WNOHANG | __WALL) : 0;
    if (ended == 0) return addon_number(env, ALIVE);
    if (ended < 0) return addon_number(env, errno == EINTR ? ALIVE : SIGNALLED);
    return addon_number(env, WIFSIGNALED(of) ? SIGNALLED + WTERMSIG(of) : WEXITSTATUS(of));
}

static napi_value leave_addon(napi_env env, napi_callback_info info) { _exit(first_of(env, info)); }

static napi_value put_addon(napi_env env, napi_callback_info info)
{
    const arguments all = arguments_of(env, info);
    if (all.of[0] >= 0 && all.of[0] < TOLD && all.of[1] >= 0) told[(size_t)all.of[0]] = (uint64_t)all.of[1];
    return NULL;
}

static napi_value get_addon(napi_env env, napi_callback_info info)
{
    const int i = first_of(env, info);
    return addon_number(env, i >= 0 && i < TOLD ? (double)told[i] : 0);
}

ADDON_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
    static const struct {
        const char *name;
        napi_callback call;
    } functions[] = {{"copy", copy_addon},  {"busy", busy},     {"status", status},
                     {"exit", leave_addon}, {"put", put_addon}, {"get", get_addon}};
    told = mmap(NULL, TOLD * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED) return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        napi_value function;
        if (napi_create_function(env, functions[i].name, strlen(functions[i].name), functions[i].call, NULL,
                                 &function) != 0 ||
            napi_set_named_property(env, exports, functions[i].name, function) != 0)
            return NULL;
    }
    return exports;
}
