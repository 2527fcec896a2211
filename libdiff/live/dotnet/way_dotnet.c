/*
 * .NET Core 3.1 and later: the runtime itself tells its heap, over the diagnostics socket that it makes at its start.
 * No agent, nothing is loaded into the process; it stands still for one full collection, in which the heap is told, and
 * goes on.
 *
 *      connection 1   ask for the heap ──► answer: session ──► events … ──► rest ──► end
 *      connection 2                         when the importer has seen the end of the collection: end the session
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/dotnet/dotnet_session.h"
#include "live/procfs.h"

#define MAPS_BYTES ((size_t)4 << 20)

enum { STARTED_MS = 5000, LOOK_AGAIN_MS = 20, SILENT_MS = 30000 };

/* ---- whose way it is ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The folder of the runtime is called by its version: ".../Microsoft.NETCore.App/8.0.1/libcoreclr.so". */
static void name_runtime(const hsd_process_facts *facts, hsd_process *process)
{
    static const char folder[] = "/Microsoft.NETCore.App/";
    char path[64];
    size_t size, length = 0;
    snprintf(process->runtime, sizeof process->runtime, ".NET");
    snprintf(path, sizeof path, "/proc/%ld/maps", facts->pid);
    char *maps = hsd_procfs_read(path, MAPS_BYTES, &size);
    const char *version = maps == NULL ? NULL : strstr(maps, folder);
    if (version != NULL) {
        version += sizeof folder - 1;
        while (is_digit(version[length]) || version[length] == '.')
            length++;
    }
    if (length > 0 && length < 32)
        snprintf(process->runtime, sizeof process->runtime, ".NET %s%.*s",
                 version[0] < '5' && version[1] == '.' ? "Core " : "", (int)length, version);
    free(maps);
}

/* `dotnet app.dll`, `dotnet exec app.dll`: known by the assembly. What is an executable of its own keeps its name. */
static void name_process(const hsd_process_facts *facts, hsd_process *process)
{
    size_t size = 0;
    const char *host = hsd_procfs_last_part(facts->executable, &size);
    if (size != 6 || memcmp(host, "dotnet", 6) != 0) return;
    for (const char *word = facts->arguments; *word != '\0'; word += strlen(word) + 1) {
        const char *name = hsd_procfs_last_part(word, &size);
        if (size <= 4 || memcmp(name + size - 4, ".dll", 4) != 0) continue;
        snprintf(process->name, sizeof process->name, "%.*s",
                 (int)(size < sizeof process->name ? size : sizeof process->name - 1), name);
        return;
    }
}

static bool is_off(const hsd_process_facts *facts, const char **variable)
{
    static const char *const names[] = {"DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics",
                                        "DOTNET_EnableDiagnostics_IPC", "COMPlus_EnableDiagnostics_IPC"};
    char value[16];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *variable = names[i];
        if (hsd_process_variable(facts, names[i], value, sizeof value) && strtol(value, NULL, 16) == 0 &&
            value[0] == '0')
            return true;
    }
    return false;
}

static bool is_young(const hsd_process_facts *facts, unsigned milliseconds)
{
    return hsd_unix_now_ns() - facts->started_unix_ns < milliseconds * UINT64_C(1000000);
}

static hsd_gate refuse_dotnet_way(const hsd_process_facts *facts, const hsd_process *process, hsd_error *err)
{
    const char *variable;
    char folder[256];
    if (is_off(facts, &variable)) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld (%s) was started with %s=0, so its runtime listens to nobody",
                 facts->pid, process->name, variable);
        hsd_error_set_hint(err, "start it without %s", variable);
        return HSD_GATE_CLOSED;
    }
    if (!hsd_process_variable(facts, "TMPDIR", folder, sizeof folder)) snprintf(folder, sizeof folder, "/tmp");
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld (%s) has no diagnostics socket in its %s", facts->pid, process->name,
             folder);
    if (is_young(facts, STARTED_MS))
        hsd_error_set_hint(err,
                           "the program has only just started, and makes one while it does: once more in a moment");
    else
        hsd_error_set_hint(
            err,
            "it is made when the program starts: start it anew, with a TMPDIR that it can write to and nobody cleans");
    return HSD_GATE_CLOSED;
}

static hsd_gate look_dotnet_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    const bool has_runtime = hsd_process_maps(facts, "libcoreclr.so", false);
    const hsd_gate gate = hsd_dotnet_find(facts, err);
    if (!has_runtime && gate == HSD_GATE_NOT_MINE) return gate;
    name_runtime(facts, process);
    name_process(facts, process);
    return gate == HSD_GATE_NOT_MINE ? refuse_dotnet_way(facts, process, err) : gate;
}

/* ---- a capture ---- */

/* Called from within the import, while the runtime still writes: only asks, for the rest is read behind this call. */
static void end_session(void *context) { hsd_dotnet_session_end(context); }

/*
 * A runtime listens before it has started. Asked in between it takes the question and makes no collection, so that
 * nobody is ever told a heap, or it ends the program. The program's own code is on when its first assembly has loaded
 * the one that all refer to; a program that is one file has none, and is given time. The moment between is short, so a
 * young process that stays silent is asked again.
 */
static hsd_status wait_for_runtime(hsd_live *live, hsd_error *err)
{
    hsd_process_facts now = *live->facts;
    now.has_mapped = false; /* looks anew */
    for (int looks = 0; looks < STARTED_MS / LOOK_AGAIN_MS && is_young(&now, STARTED_MS); looks++) {
        if (hsd_process_maps(&now, "System.Runtime.dll", false)) break;
        HSD_TRY(hsd_progress(live->reporter, "waiting until the runtime has started", 0, 0, err));
        poll(NULL, 0, LOOK_AGAIN_MS);
    }
    return HSD_OK;
}

static hsd_status open_session(hsd_dotnet_session *session, hsd_live *live, hsd_error *err)
{
    HSD_TRY(wait_for_runtime(live, err));
    for (;;) {
        HSD_TRY(hsd_dotnet_session_open(session, live, err));
        if (!is_young(live->facts, SILENT_MS)) return HSD_OK;
        const hsd_status status = hsd_dotnet_session_listen(session, live, err);
        if (status == HSD_OK) return HSD_OK;
        hsd_dotnet_session_close(session);
        if (status != HSD_E_NOT_FOUND) return status;
    }
}

static hsd_status capture_dotnet_way(hsd_live *live, hsd_error *err)
{
    hsd_dotnet_session session;
    HSD_TRY(open_session(&session, live, err));
    const hsd_import_origin origin = {.heap_end = end_session, .context = &session};
    const hsd_import_options options = {
        .origin = &origin, .compression = live->options->compression, .salvage = live->options->keep_cut};
    const hsd_status status = hsd_live_import(live, session.fd, "nettrace", &options, err);
    hsd_dotnet_session_close(&session);
    return status;
}

const hsd_way hsd_way_dotnet = {
    .name = "dotnet",
    .summary = ".NET Core 3.1 and later, through the diagnostics socket of the runtime",
    .stored = "shapes only: no strings, keys or field values",
    .look = look_dotnet_way,
    .capture = capture_dotnet_way,
};
