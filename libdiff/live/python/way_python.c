/*
 * Python with the agent in it: brought in at its start by a folder on PYTHONPATH, or because the program imports
 * hsdiff_agent. The agent's own thread takes the GIL and walks the heap.
 */
#include <stdio.h>

#include "live/facts.h"
#include "live/procfs.h"
#include "live/python/python_process.h"

/* ---- a process ---- */

static hsd_gate look(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    hsd_python_version version;
    const hsd_gate gate = hsd_live_find_agent(facts, "python", err);
    if (gate == HSD_GATE_NOT_MINE) return gate;
    hsd_python_look(facts, &version);
    hsd_python_runtime(&version, process->runtime, sizeof process->runtime);
    return gate;
}

static hsd_status capture_way_python(hsd_live *live, hsd_error *err)
{
    char options[64];
    snprintf(options, sizeof options, "compression=%d", live->options->compression);
    return hsd_live_ask(live, "python", options, err);
}

/* ---- a command ---- */

static bool is_python_name(const char *path)
{
    hsd_python_version version;
    size_t size = 0;
    const char *name = hsd_procfs_last_part(path, &size);
    return hsd_python_name(name, size, &version) == HSD_PYTHON_C;
}

static hsd_status prepare_environment(hsd_set_variable_fn set, void *context, hsd_error *err)
{
    char folder[4096];
    HSD_TRY(hsd_agent_folder(folder, sizeof folder, "python/bootstrap/sitecustomize.py", "PYTHONPATH", ":", err));
    return hsd_put_in_front("PYTHONPATH", folder, ':', set, context, err);
}

/* pytest, gunicorn, flask and their like are scripts. */
static bool prepare(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                    hsd_error *err)
{
    if (command[0] == NULL || !(is_python_name(command[0]) || hsd_command_is_script_of(command[0], "python")))
        return false;
    *status = prepare_environment(set, context, err);
    return true;
}

const hsd_way hsd_way_python = {
    .name = "python",
    .summary = "Python 3.8 to 3.14 with the agent loaded: walked under the GIL, on a thread of the agent's",
    .stored = "shapes only: no strings, bytes or numbers of the program",
    .look = look,
    .capture = capture_way_python,
    .prepare = prepare,
};
