/*
 * Python with the agent in it: brought in at its start by a folder on PYTHONPATH, or because the program imports hsdiff_agent. The agent's own thread takes
 * the GIL and walks the heap.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/elf_file.h"
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

static hsd_status capture(hsd_live *live, hsd_error *err)
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

/* pytest, gunicorn, flask and their like are scripts: their first line says in what they run. */
static bool is_python_script(const char *command)
{
    char path[4096], line[256];
    if (!hsd_elf_resolve(command, path, sizeof path)) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    const ssize_t got = read(fd, line, sizeof line - 1);
    close(fd);
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return strncmp(line, "#!", 2) == 0 && strstr(line, "python") != NULL;
}

static hsd_status prepare_environment(hsd_set_variable_fn set, void *context, hsd_error *err)
{
    char folder[4096], value[8192];
    const char *before = getenv("PYTHONPATH");
    HSD_TRY(hsd_agent_path(folder, sizeof folder, "python/bootstrap/sitecustomize.py", err));
    char *slash = strrchr(folder, '/');
    if (slash != NULL) *slash = '\0';
    if (strchr(folder, ':') != NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "PYTHONPATH cannot name %s: it has a colon in it", folder);
        hsd_error_set_hint(err, "copy the agents elsewhere and let HSDIFF_AGENTS name that folder");
        return HSD_E_UNSUPPORTED;
    }
    const bool has_before = before != NULL && *before != '\0';
    const int size = snprintf(value, sizeof value, "%s%s%s", folder, has_before ? ":" : "", has_before ? before : "");
    if (size < 0 || (size_t)size >= sizeof value) return hsd_fail(err, HSD_E_UNSUPPORTED, "PYTHONPATH would be too long");
    set(context, "PYTHONPATH", value);
    return HSD_OK;
}

static bool prepare(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status, hsd_error *err)
{
    if (command[0] == NULL || !(is_python_name(command[0]) || is_python_script(command[0]))) return false;
    *status = prepare_environment(set, context, err);
    return true;
}

const hsd_way hsd_way_python = {
    .name = "python",
    .summary = "Python 3.8 to 3.14 with the agent loaded: walked under the GIL, on a thread of the agent's",
    .stored = "shapes only: no strings, bytes or numbers of the program",
    .look = look,
    .capture = capture,
    .prepare = prepare,
};
