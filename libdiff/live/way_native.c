/*
 * The way of C, C++ and whatever else calls malloc: an agent that is in the process from its start, by LD_PRELOAD or
 * because the program was linked with it. It cannot be brought in later: blocks that were allocated without it are not
 * known. It fits every program, so this is the last row of the table, and what it says of a closed gate is what the
 * user reads of a plain program.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "live/command.h"
#include "live/dumped.h"
#include "live/facts.h"

static const char agent_file[] = "libhsdiff-native.so";

/* ---- a process ---- */

static hsd_status refuse_go(hsd_error *err, const char *which)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "%s is a program of Go: no agent can be loaded into it", which);
    hsd_error_set_hint(
        err,
        "take a core of it, gcore PID, and give that to hsdiff; or let it write its heap: runtime/debug.WriteHeapDump "
        "(doc/capture-go.md)");
    return HSD_E_UNSUPPORTED;
}

static bool is_python(const hsd_process_facts *facts)
{
    const char *slash = strrchr(facts->executable, '/');
    return strncmp(slash == NULL ? facts->executable : slash + 1, "python", 6) == 0 ||
           hsd_process_maps(facts, "libpython", true);
}

/* It maps its library by the name that a linker finds it by; glibc's is libc.so.6. */
static bool is_of_musl(const hsd_process_facts *facts)
{
    return facts->is_readable &&
           (hsd_process_maps(facts, "ld-musl-", true) || hsd_process_maps(facts, "libc.so", false));
}

static const char other_library[] = "run it on a system with glibc, as an image of Debian or Ubuntu";

/* "" = it is nowhere. */
static void find_agent(const hsd_process_facts *facts, char *out, size_t size)
{
    hsd_shared_facts *shared = facts->shared;
    if (shared != NULL && shared->has_agent) {
        snprintf(out, size, "%s", shared->agent);
        return;
    }
    if (hsd_agent_path(out, size, agent_file, NULL) != HSD_OK) *out = '\0';
    if (shared == NULL) return;
    snprintf(shared->agent, sizeof shared->agent, "%s", out);
    shared->has_agent = true;
}

/* The first child of a process; 0 = none, or it cannot be seen. */
static long first_child(long pid)
{
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    const bool is_read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    return is_read ? strtol(text, NULL, 10) : 0;
}

/* `hsdiff capture -- COMMAND &` and then the number that the shell says: that of hsdiff. */
static bool is_hsdiff(const hsd_process_facts *facts)
{
    char own[sizeof facts->executable];
    const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size <= 0) return false;
    own[size] = '\0';
    return strcmp(own, facts->executable) == 0;
}

static void refuse_hsdiff(const hsd_process_facts *facts, hsd_error *err)
{
    const long child = first_child(facts->pid);
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is hsdiff, which started the program that you mean", facts->pid);
    if (child > 0)
        hsd_error_set_hint(err, "capture that one: hsdiff capture %ld, or by its name", child);
    else
        hsd_error_set_hint(err, "capture that one by its name; hsdiff ps lists it");
}

static hsd_gate refuse_native_way(const hsd_process_facts *facts, const hsd_process *process, hsd_error *err)
{
    char path[sizeof((hsd_shared_facts *)0)->agent];
    const bool is_loaded = hsd_process_maps(facts, agent_file, false);
    if (is_loaded) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "the native agent is in process %ld (%s) and does not listen", facts->pid,
                 process->name);
        hsd_error_set_hint(
            err, "it may be starting or ending: try again; the child of a fork listens when it waits for work or "
                 "allocates, and at once if the program is started with HSDIFF_NATIVE=fork=now");
        return HSD_GATE_CLOSED;
    }
    if (is_hsdiff(facts)) {
        refuse_hsdiff(facts, err);
        return HSD_GATE_CLOSED;
    }
    if (hsd_facts_is_go(facts)) {
        char which[96];
        snprintf(which, sizeof which, "process %ld (%s)", facts->pid, process->name);
        refuse_go(err, which);
        return HSD_GATE_CLOSED;
    }
    if (is_of_musl(facts)) {
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "process %ld (%s) runs on the C library musl, and the agent is of glibc: it cannot be loaded into it",
                 facts->pid, process->name);
        hsd_error_set_hint(err, "%s", other_library);
        return HSD_GATE_CLOSED;
    }
    if (facts->is_readable && facts->executable[0] != '\0' && !hsd_process_maps(facts, "ld-", true)) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld (%s) is linked statically: no agent can be loaded into it",
                 facts->pid, process->name);
        hsd_error_set_hint(err, "link the program dynamically, or with the agent, and start it again");
        return HSD_GATE_CLOSED;
    }
    if (!facts->is_readable) { /* what it is cannot be seen, and so no other way either */
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "no agent answers in process %ld (%s), and what else it is may not be looked at from here", facts->pid,
                 process->name);
        hsd_gate_hint_rights(facts, err, "start it with its agent: hsdiff capture -- COMMAND");
        return HSD_GATE_CLOSED;
    }
    const hsd_dumped *dumped = hsd_dumped_of(facts);
    if (dumped != NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld (%s) is %s, for which hsdiff has no agent", facts->pid,
                 process->name, dumped->runtime);
        hsd_error_set_hint(err, "%s", dumped->how);
        return HSD_GATE_CLOSED;
    }
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "no agent is loaded in process %ld (%s), and one that came now would not know the blocks that are there",
             facts->pid, process->name);
    find_agent(facts, path, sizeof path);
    if (*path != '\0')
        hsd_error_set_hint(err,
                           "start it with one: hsdiff capture -- COMMAND, or LD_PRELOAD=%s COMMAND; where a script "
                           "starts it: hsdiff capture --follow -- SCRIPT, or HSDIFF_NATIVE=follow=1 with LD_PRELOAD",
                           path);
    else
        hsd_error_set_hint(err, "start it with one: hsdiff capture -- COMMAND");
    return HSD_GATE_CLOSED;
}

/* Programs whose runtime has its own memory, of which the native agent sees blocks at most: their names help in a list.
 */
static const char *runtime_of(const hsd_process_facts *facts, bool has_agent)
{
    const char *slash = strrchr(facts->executable, '/'), *name = slash == NULL ? facts->executable : slash + 1;
    const hsd_dumped *dumped = hsd_dumped_of(facts);
    if (is_python(facts)) return "Python";
    if (dumped != NULL) return dumped->runtime;
    if (strncmp(name, "ruby", 4) == 0) return "Ruby";
    return !has_agent && hsd_facts_is_go(facts) ? "Go" : "native";
}

static hsd_gate look_native_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    const hsd_gate gate = hsd_live_find_agent(facts, "native", err);
    snprintf(process->runtime, sizeof process->runtime, "%s", runtime_of(facts, gate == HSD_GATE_OPEN));
    return gate == HSD_GATE_NOT_MINE ? refuse_native_way(facts, process, err) : gate;
}

/* Its small objects lie in memory that it maps itself, unless it was told to take them from malloc. */
static void warn_of_arenas(hsd_live *live)
{
    char allocator[32] = "";
    hsd_process_variable(live->facts, "PYTHONMALLOC", allocator, sizeof allocator);
    if (!is_python(live->facts) || strncmp(allocator, "malloc", 6) == 0) return;
    hsd_note(live->reporter, HSD_NOTE_WARNING,
             "%s is Python, whose objects lie in arenas that malloc knows nothing of: they are not in this capture. "
             "With PYTHONMALLOC=malloc in its "
             "environment they are, as blocks without classes",
             live->process->name);
}

/* Likewise, where hsdiff reads dumps of the runtime's own. */
static void warn_of_dumped(hsd_live *live)
{
    char name[32] = "", value[32] = "";
    const hsd_dumped *one = hsd_dumped_of(live->facts);
    if (one == NULL) return;
    const char *equals = one->malloc == NULL ? NULL : strchr(one->malloc, '=');
    if (equals != NULL) snprintf(name, sizeof name, "%.*s", (int)(equals - one->malloc), one->malloc);
    if (equals != NULL) hsd_process_variable(live->facts, name, value, sizeof value);
    if (equals != NULL && strcmp(value, equals + 1) == 0) return;
    hsd_note(live->reporter, HSD_NOTE_WARNING,
             "%s is %s, whose objects lie in memory that malloc knows nothing of: they are not in this capture. For "
             "these, %s%s%s%s",
             live->process->name, one->runtime, one->how, equals != NULL ? "; with " : "",
             equals != NULL ? one->malloc : "",
             equals != NULL ? " in its environment they are blocks without classes" : "");
}

/* A program of C that runs scripts: what they hold hangs from the state of Lua, in blocks that nothing tells apart. */
static void warn_of_lua(hsd_live *live)
{
    if (!hsd_process_maps(live->facts, "liblua", true)) return; /* liblua5.4.so.0, libluajit-5.1.so.2 */
    hsd_note(
        live->reporter, HSD_NOTE_WARNING,
        "%s runs Lua, whose tables, functions and coroutines are blocks without names in this capture. If a script "
        "of it calls require(\"hsdiff\").listen(), they are told by name (doc/tutorials/lua.md)",
        live->process->name);
}

/* Nobody may trace what is traced, and then the agent has to stop threads by a signal (capture/native/stop.h). */
static void warn_of_signals(hsd_live *live)
{
    if (!live->facts->is_traced) return;
    hsd_note(live->reporter, HSD_NOTE_WARNING,
             "%s is being traced (gdb, strace), so its threads are stopped by a signal: calls in which they wait, as "
             "sleep and poll, return early with EINTR",
             live->process->name);
}

static hsd_status capture_native_way(hsd_live *live, hsd_error *err)
{
    char options[64];
    warn_of_arenas(live);
    warn_of_dumped(live);
    warn_of_lua(live);
    warn_of_signals(live);
    snprintf(options, sizeof options, "compression=%d", live->options->compression);
    return hsd_live_ask(live, "native", options, err);
}

/* ---- a command ---- */

/* In front of what is there: the first library that is preloaded is the one that malloc is found in. */
static hsd_status preload(const char *agent, hsd_set_variable_fn set, void *context, hsd_error *err)
{
    const char *before = getenv("LD_PRELOAD");
    if (strpbrk(agent, " :") != NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "LD_PRELOAD cannot name %s: it has a space or a colon in it", agent);
        hsd_error_set_hint(err, "copy the agents elsewhere and let HSDIFF_AGENTS name that folder");
        return HSD_E_UNSUPPORTED;
    }
    if (before == NULL || *before == '\0') {
        set(context, "LD_PRELOAD", agent);
        return HSD_OK;
    }
    const size_t size = strlen(agent) + strlen(before) + 2;
    char *both = malloc(size);
    if (both == NULL) return hsd_fail_nomem(err, "a variable of the environment");
    snprintf(both, size, "%s:%s", agent, before);
    set(context, "LD_PRELOAD", both);
    free(both);
    return HSD_OK;
}

/* GLib before 2.76 has an allocator of its own, whose pages hold many structures each: what one of them refers to would
 * look held by all that share its page, and none could be lost. */
static void prepare_glib(hsd_set_variable_fn set, void *context)
{
    if (getenv("G_SLICE") == NULL) set(context, "G_SLICE", "always-malloc");
}

static hsd_status prepare_command(const char *command, hsd_set_variable_fn set, void *context, hsd_error *err)
{
    char agent[4096];
    switch (hsd_command_look(command)) {
    case HSD_COMMAND_GO: return refuse_go(err, command);
    case HSD_COMMAND_STATIC:
        hsd_fail(err, HSD_E_UNSUPPORTED, "%s is linked statically: no agent can be loaded into it", command);
        hsd_error_set_hint(err, "link it dynamically, or with the agent");
        return HSD_E_UNSUPPORTED;
    case HSD_COMMAND_MUSL:
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "%s runs on the C library musl, and the agent is of glibc: it cannot be loaded into it", command);
        hsd_error_set_hint(err, "%s", other_library);
        return HSD_E_UNSUPPORTED;
    case HSD_COMMAND_ASAN:
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "%s is built with GCC's AddressSanitizer, which ends a program where another library comes first",
                 command);
        hsd_error_set_hint(err, "build it without -fsanitize=address for captures, or with clang");
        return HSD_E_UNSUPPORTED;
    case HSD_COMMAND_SECURE:
        hsd_fail(err, HSD_E_UNSUPPORTED,
                 "%s runs with rights of its own (setuid, setgid): no agent can be loaded into it", command);
        hsd_error_set_hint(err, "start a copy of it without these rights");
        return HSD_E_UNSUPPORTED;
    case HSD_COMMAND_DYNAMIC:
    case HSD_COMMAND_NO_ELF: break;
    }
    HSD_TRY(hsd_agent_path(agent, sizeof agent, agent_file, err));
    prepare_glib(set, context);
    return preload(agent, set, context, err);
}

static bool prepare_native_way(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                               hsd_error *err)
{
    *status = prepare_command(command[0], set, context, err);
    return true;
}

const hsd_way hsd_way_native = {
    .name = "native",
    .summary = "C, C++ and anything with malloc, with the agent in the process from its start",
    .stored = "shapes only: sizes, references, types and places of allocation, no contents of memory",
    .look = look_native_way,
    .capture = capture_native_way,
    .prepare = prepare_native_way,
    .leaves_names = true,
};
