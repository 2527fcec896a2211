/*
 * Mono: a profiler module that is in the process from its start, by `mono --profile=hsdiff` or MONO_ENV_OPTIONS. The
 * runtime finds it where the dynamic loader looks, so LD_LIBRARY_PATH names its folder. It cannot be brought in later.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/facts.h"
#include "live/procfs.h"

static const char agent_file[] = "libmono-profiler-hsdiff.so";
static const char profile_option[] = "--profile=hsdiff";

/* mono, mono-sgen, mono-sgen64 … but not monodevelop. */
static bool is_mono_name(const char *name, size_t size)
{
    static const char *const names[] = {"mono", "mono-sgen", "mono64", "mono32"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == size && memcmp(name, names[i], size) == 0) return true;
    return size > 9 && memcmp(name, "mono-sgen", 9) == 0;
}

/* ---- a process ---- */

static bool is_mono(const hsd_process_facts *facts)
{
    size_t size = 0;
    const char *name = hsd_procfs_last_part(facts->executable, &size);
    return is_mono_name(name, size) || hsd_process_maps(facts, "libmonosgen-2.0.so", true);
}

static hsd_gate refuse_mono_way(const hsd_process_facts *facts, const hsd_process *process, bool is_loaded,
                                hsd_error *err)
{
    if (is_loaded) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "the Mono agent is in process %ld (%s) and does not listen", facts->pid,
                 process->name);
        hsd_error_set_hint(
            err,
            "the program may be starting or ending: try again; else start it anew: hsdiff capture -- mono PROGRAM.exe");
        return HSD_GATE_CLOSED;
    }
    hsd_fail(err, HSD_E_UNSUPPORTED, "the Mono agent is not loaded in process %ld (%s), and Mono loads none later",
             facts->pid, process->name);
    hsd_error_set_hint(err, "start it with the agent: hsdiff capture -- mono PROGRAM.exe");
    return HSD_GATE_CLOSED;
}

static hsd_gate look_mono_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    const bool is_loaded = hsd_process_maps(facts, agent_file, false);
    if (!is_loaded && !is_mono(facts)) return HSD_GATE_NOT_MINE;
    snprintf(process->runtime, sizeof process->runtime, "Mono");
    const hsd_gate gate = hsd_live_find_agent(facts, "mono", err);
    return gate == HSD_GATE_NOT_MINE ? refuse_mono_way(facts, process, is_loaded, err) : gate;
}

static hsd_status capture_mono_way(hsd_live *live, hsd_error *err)
{
    char options[64];
    snprintf(options, sizeof options, "compression=%d", live->options->compression);
    return hsd_live_ask(live, "mono", options, err);
}

static hsd_status forget_mono_way(const hsd_process_facts *facts, const hsd_run *run, hsd_error *err)
{
    return hsd_live_ask_forget(facts, run, "mono", err);
}

/* ---- a command ---- */

static bool has_suffix(const char *text, size_t size, const char *suffix)
{
    const size_t length = strlen(suffix);
    return size > length && memcmp(text + size - length, suffix, length) == 0;
}

static bool is_mine(const char *command)
{
    size_t size = 0;
    const char *name = hsd_procfs_last_part(command, &size);
    return is_mono_name(name, size) || has_suffix(name, size, ".exe");
}

static hsd_status prepare_environment(hsd_set_variable_fn set, void *context, hsd_error *err)
{
    char folder[4096];
    HSD_TRY(hsd_agent_folder(folder, sizeof folder, agent_file, "LD_LIBRARY_PATH", ":;", err));
    HSD_TRY(hsd_put_in_front("LD_LIBRARY_PATH", folder, ':', set, context, err));
    const char *options = getenv("MONO_ENV_OPTIONS");
    if (options != NULL && strstr(options, profile_option) != NULL) return HSD_OK;
    return hsd_put_in_front("MONO_ENV_OPTIONS", profile_option, ' ', set, context, err);
}

static bool prepare_mono_way(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                             hsd_error *err)
{
    if (!is_mine(command[0])) return false;
    *status = prepare_environment(set, context, err);
    return true;
}

const hsd_way hsd_way_mono = {
    .name = "mono",
    .summary = "Mono, with the profiler module in the process from its start",
    .stored = "shapes only: no strings, keys or field values",
    .look = look_mono_way,
    .capture = capture_mono_way,
    .forget = forget_mono_way,
    .prepare = prepare_mono_way,
};
