/*
 * See python_process.h. A version is read off a file's name: nothing of the process is executed or trusted for it.
 */
#include "live/python/python_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/facts.h"
#include "live/procfs.h"

enum { OLDEST = 8, NEWEST = 14, STATUS_BYTES = 16 * 1024, SYS_PTRACE = 19 };
static const char otherwise[] =
    "start it with the agent: hsdiff capture -- python app.py; or read a core of it, which gdb writes: "
    "gcore PID, hsdiff top core.PID";

/* ---- which ---- */

static bool take_version(const char *at, const char *end, hsd_python_version *out)
{
    unsigned minor = 0, digits = 0;
    if (end - at < 3 || at[0] < '2' || at[0] > '9' || at[1] != '.') return false;
    const unsigned major = (unsigned)(at[0] - '0');
    for (at += 2; at < end && *at >= '0' && *at <= '9' && digits < 3; at++, digits++)
        minor = minor * 10 + (unsigned)(*at - '0');
    if (digits == 0) return false;
    out->major = major;
    out->minor = minor;
    if (at < end && *at == 't' && out->kind == HSD_PYTHON_C) out->kind = HSD_PYTHON_FREE_THREADED;
    return true;
}

hsd_python_kind hsd_python_name(const char *name, size_t size, hsd_python_version *out)
{
    *out = (hsd_python_version){0};
    if (size >= 4 && memcmp(name, "pypy", 4) == 0) return out->kind = HSD_PYTHON_PYPY;
    if (size < 6 || memcmp(name, "python", 6) != 0) return HSD_PYTHON_NOT;
    const char *at = name + 6, *const end = name + size;
    if (at == end || *at == '-' || (*at >= '0' && *at <= '9')) {
        out->kind = HSD_PYTHON_C;
        (void)take_version(at, end, out);
    }
    return out->kind;
}

/* libpython3.11.so.1.0 among the mapped files: of which minor version? A name is asked for each, newest first. */
static void look_for_library(const hsd_process_facts *facts, hsd_python_version *out)
{
    char name[32];
    if (!hsd_process_maps(facts, "libpython", true)) return;
    out->kind = HSD_PYTHON_C;
    for (unsigned minor = NEWEST + 8; minor > 0; minor--) {
        snprintf(name, sizeof name, "libpython3.%u", minor);
        const size_t length = strlen(name);
        memcpy(name + length, "t.so", 5);
        const bool is_free = hsd_process_maps(facts, name, true);
        memcpy(name + length, ".so", 4);
        if (!is_free && !hsd_process_maps(facts, name, true)) continue;
        *out = (hsd_python_version){is_free ? HSD_PYTHON_FREE_THREADED : HSD_PYTHON_C, 3, minor};
        return;
    }
}

void hsd_python_look(const hsd_process_facts *facts, hsd_python_version *out)
{
    size_t size = 0;
    const char *name = hsd_procfs_last_part(facts->executable, &size);
    (void)hsd_python_name(name, size, out);
    if (out->kind == HSD_PYTHON_PYPY || out->minor != 0) return;
    const hsd_python_version by_name = *out;
    look_for_library(facts, out);
    if (out->kind == HSD_PYTHON_NOT) *out = by_name;
}

void hsd_python_runtime(const hsd_python_version *version, char *out, size_t size)
{
    if (version->kind == HSD_PYTHON_PYPY)
        snprintf(out, size, "PyPy");
    else if (version->major == 0)
        snprintf(out, size, "Python");
    else
        snprintf(out, size, "Python %u.%u%s", version->major, version->minor,
                 version->kind == HSD_PYTHON_FREE_THREADED ? "t" : "");
}

hsd_status hsd_python_gate_of_version(const hsd_process_facts *facts, const hsd_python_version *version, hsd_error *err)
{
    if (version->kind == HSD_PYTHON_PYPY) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is PyPy, whose heap is not CPython's: there is no agent for it",
                 facts->pid);
        hsd_error_set_hint(err, "let it write its own dump, gc.dump_rpy_heap(), or run the program on CPython");
        return HSD_E_UNSUPPORTED;
    }
    if (version->kind == HSD_PYTHON_FREE_THREADED) {
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "process %ld is a free-threaded Python: without the GIL its heap does not stand still for a walk",
                 facts->pid);
        hsd_error_set_hint(err, "run the program on a Python with the GIL: python3.%u, without the t", version->minor);
        return HSD_E_UNSUPPORTED;
    }
    if (version->major == 0 || (version->major == 3 && version->minor >= OLDEST && version->minor <= NEWEST))
        return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is Python %u.%u, and there is an agent for 3.%d to 3.%d", facts->pid,
             version->major, version->minor, OLDEST, NEWEST);
    return HSD_E_UNSUPPORTED;
}

/* ---- may it be held ---- */

static uint64_t number_of(const char *status, const char *key, int base)
{
    const char *value = hsd_procfs_status_value(status, key);
    return value == NULL ? 0 : strtoull(value, NULL, base);
}

/* More filters than this one has: what they let through is not known. A container's are the same for both. */
static hsd_status pass_seccomp(const hsd_process_facts *facts, const char *status, const char *own, hsd_error *err)
{
    if (number_of(status, "Seccomp", 10) == 0 ||
        number_of(status, "Seccomp_filters", 10) <= number_of(own, "Seccomp_filters", 10))
        return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "process %ld is confined by seccomp: what it may not do, an agent brought into it may not do either, and "
             "it could be "
             "killed for trying",
             facts->pid);
    hsd_error_set_hint(err, "%s; in a container run hsdiff inside, docker exec CONTAINER hsdiff capture %ld", otherwise,
                       facts->inner_pid);
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_python_gate_of_yama(const hsd_process_facts *facts, char scope, bool has_right, hsd_error *err)
{
    if (scope == '0' || (scope != '3' && has_right)) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld may not be held as by a debugger: kernel.yama.ptrace_scope is %c",
             facts->pid, scope);
    if (scope == '3')
        hsd_error_set_hint(err, "it cannot be changed until the machine starts anew; %s", otherwise);
    else
        hsd_error_set_hint(err,
                           "%s; or give hsdiff the right, in a container by --cap-add=SYS_PTRACE, else as root; or "
                           "allow it to your user until the "
                           "next start of the machine: sysctl kernel.yama.ptrace_scope=0",
                           otherwise);
    return HSD_E_UNSUPPORTED;
}

static hsd_status pass_yama(const hsd_process_facts *facts, const char *own, hsd_error *err)
{
    size_t size = 0;
    char *text = hsd_procfs_read("/proc/sys/kernel/yama/ptrace_scope", 16, &size);
    const char scope = text == NULL ? '0' : text[0];
    free(text);
    return hsd_python_gate_of_yama(facts, scope, (number_of(own, "CapEff", 16) >> SYS_PTRACE & 1) != 0, err);
}

static hsd_status pass_state(const hsd_process_facts *facts, const char *status, hsd_error *err)
{
    const char *state = hsd_procfs_status_value(status, "State");
    if (facts->is_traced) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is being traced (gdb, strace), and nobody else can hold it",
                 facts->pid);
        hsd_error_set_hint(err, "end the debugger first, or %s", otherwise);
        return HSD_E_UNSUPPORTED;
    }
    if (state != NULL && (*state == 'T' || *state == 't')) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is stopped by a signal, and runs nothing", facts->pid);
        hsd_error_set_hint(err, "let it go on: kill -CONT %ld", facts->pid);
        return HSD_E_UNSUPPORTED;
    }
    const char *features = hsd_procfs_status_value(status, "x86_Thread_features");
    if (features == NULL || strncmp(features, "shstk", 5) != 0) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld has a shadow stack, which forbids to make it call anything",
             facts->pid);
    hsd_error_set_hint(err, "%s", otherwise);
    return HSD_E_UNSUPPORTED;
}

static hsd_status pass_library(const hsd_process_facts *facts, hsd_error *err)
{
    if (hsd_process_maps(facts, "ld-musl-", true) || hsd_process_maps(facts, "libc.so", false)) {
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "process %ld runs on the C library musl, and the agent is of glibc: it cannot be loaded into it",
                 facts->pid);
        hsd_error_set_hint(
            err,
            "run it on a system with glibc, as an image of Debian or Ubuntu (python:3.12, not python:3.12-alpine)");
        return HSD_E_UNSUPPORTED;
    }
    if (hsd_process_maps(facts, "libc.so.6", false) || hsd_process_maps(facts, "libc-2.", true)) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is linked statically: no agent can be loaded into it", facts->pid);
    hsd_error_set_hint(err, "run the program on a Python that is linked dynamically");
    return HSD_E_UNSUPPORTED;
}

static hsd_status pass_status(const hsd_process_facts *facts, const char *status, const char *own, bool is_held,
                              hsd_error *err)
{
    if (status == NULL || own == NULL) return hsd_fail(err, HSD_E_NOT_FOUND, "process %ld has ended", facts->pid);
    if (is_held) HSD_TRY(pass_state(facts, status, err));
    HSD_TRY(pass_seccomp(facts, status, own, err));
    HSD_TRY(pass_yama(facts, own, err));
    return pass_library(facts, err);
}

static hsd_status gate(const hsd_process_facts *facts, bool is_held, hsd_error *err)
{
    char path[48];
    size_t size = 0;
    if (!facts->is_readable) {
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "process %ld may not be looked at from here, and so no agent can be brought into it", facts->pid);
        hsd_gate_hint_rights(facts, err, otherwise);
        return HSD_E_UNSUPPORTED;
    }
    snprintf(path, sizeof path, "/proc/%ld/status", facts->pid);
    char *status = hsd_procfs_read(path, STATUS_BYTES, &size),
         *own = hsd_procfs_read("/proc/self/status", STATUS_BYTES, &size);
    const hsd_status result = pass_status(facts, status, own, is_held, err);
    free(status);
    free(own);
    return result;
}

hsd_status hsd_python_gate_of_injection(const hsd_process_facts *facts, hsd_error *err)
{
    return gate(facts, true, err);
}

hsd_status hsd_python_gate_of_script(const hsd_process_facts *facts, hsd_error *err)
{
    if (facts->is_same_mounts) return gate(facts, false, err);
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld sees other files than hsdiff: no script can be named to it",
             facts->pid);
    hsd_error_set_hint(err, "run hsdiff inside, docker exec CONTAINER hsdiff capture %ld; or %s", facts->inner_pid,
                       otherwise);
    return HSD_E_UNSUPPORTED;
}
