/*
 * Python, of which nothing need be prepared: the agent is brought into the process from outside, and taken out again
 * behind the capture.
 */
#include <stdio.h>
#include <string.h>

#include "live/facts.h"
#include "live/python/inject.h"
#include "live/python/python_process.h"

static const char agent_file[] = "libhsdiff-python.so";

static hsd_gate look(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    hsd_python_version version;
    char path[4096];
    hsd_python_look(facts, &version);
    if (version.kind == HSD_PYTHON_NOT) return HSD_GATE_NOT_MINE;
    hsd_python_runtime(&version, process->runtime, sizeof process->runtime);
    /* its malloc, which the user asked for */
    if (hsd_live_find_agent(facts, "native", NULL) == HSD_GATE_OPEN) return HSD_GATE_NOT_MINE;
    if (hsd_python_gate_of_version(facts, &version, err) != HSD_OK ||
        hsd_python_gate_of_injection(facts, err) != HSD_OK)
        return HSD_GATE_CLOSED;
    return hsd_agent_path(path, sizeof path, agent_file, err) == HSD_OK ? HSD_GATE_OPEN : HSD_GATE_CLOSED;
}

static hsd_status capture_way_python_inject(hsd_live *live, hsd_error *err)
{
    char path[4096];
    HSD_TRY(hsd_agent_path(path, sizeof path, agent_file, err));
    return hsd_python_inject(live, path, err);
}

const hsd_way hsd_way_python_inject = {
    .name = "python-inject",
    .summary = "Python 3.8 to 3.14, nothing prepared: the agent is brought in as by a debugger, and leaves",
    .stored = "shapes only: no strings, bytes or numbers of the program",
    .look = look,
    .capture = capture_way_python_inject,
};
