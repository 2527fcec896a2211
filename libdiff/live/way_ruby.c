/*
 * Ruby: an extension that is in the process from its start, by RUBYLIB and RUBYOPT. A signal that nobody else uses has
 * Ruby's main thread walk the heap, and the agent's own thread answers over its socket.
 */
#include <stdio.h>
#include <string.h>

#include "live/facts.h"
#include "live/procfs.h"

static bool is_ruby_name(const char *path)
{
    size_t size = 0;
    const char *name = hsd_procfs_last_part(path, &size);
    return size >= 4 && memcmp(name, "ruby", 4) == 0 &&
           (size == 4 || (name[4] >= '0' && name[4] <= '9') || name[4] == '-');
}

/* ---- a process ---- */

static hsd_gate look_ruby_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    const bool is_ruby = is_ruby_name(facts->executable) || hsd_process_maps(facts, "libruby", true);
    const hsd_gate gate = hsd_live_find_agent(facts, "ruby", err);
    if (gate == HSD_GATE_NOT_MINE && !is_ruby) return gate;
    snprintf(process->runtime, sizeof process->runtime, "Ruby");
    if (gate != HSD_GATE_NOT_MINE) return gate;
    /* its malloc, then */
    if (hsd_live_find_agent(facts, "native", NULL) == HSD_GATE_OPEN) return HSD_GATE_NOT_MINE;
    hsd_fail(err, HSD_E_UNSUPPORTED, "no agent is loaded in process %ld (%s), and Ruby loads none later", facts->pid,
             process->name);
    hsd_error_set_hint(
        err, "start it with one: hsdiff capture -- ruby app.rb; or with RUBYLIB and RUBYOPT (doc/capture.md)");
    return HSD_GATE_CLOSED;
}

static hsd_status capture_ruby_way(hsd_live *live, hsd_error *err)
{
    char options[64];
    snprintf(options, sizeof options, "compression=%d", live->options->compression);
    return hsd_live_ask(live, "ruby", options, err);
}

/* ---- a command ---- */

static hsd_status prepare_environment(hsd_set_variable_fn set, void *context, hsd_error *err)
{
    char folder[4096];
    HSD_TRY(hsd_agent_folder(folder, sizeof folder, "ruby/hsdiff.rb", "RUBYLIB", ":", err));
    HSD_TRY(hsd_put_in_front("RUBYLIB", folder, ':', set, context, err));
    return hsd_put_in_front("RUBYOPT", "-rhsdiff", ' ', set, context, err);
}

/* rails, rake, bundle and their like are scripts. */
static bool prepare_ruby_way(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                             hsd_error *err)
{
    if (command[0] == NULL || !(is_ruby_name(command[0]) || hsd_command_is_script_of(command[0], "ruby"))) return false;
    *status = prepare_environment(set, context, err);
    return true;
}

const hsd_way hsd_way_ruby = {
    .name = "ruby",
    .summary = "Ruby with the agent loaded: walked by its main thread between two instructions",
    .stored = "shapes only: no strings, keys or numbers of the program",
    .look = look_ruby_way,
    .capture = capture_ruby_way,
    .prepare = prepare_ruby_way,
};
