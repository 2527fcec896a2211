/*
 * list_processes and take_capture, where the server was allowed to: as hsdiff ps and hsdiff capture do it, in a process
 * of their own. A process of this machine by its number, and a new file beneath an allowed folder: nothing else can be
 * said, so no host, no way and no value of the program.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spawn.h"
#include "tools.h"

#define PIDS_MOST 4194304u

/* Without the name of the program at the front of each line. */
static void put_said(mcp_text *text, const mcp_text *said)
{
    static const char own[] = "hsdiff: ";
    for (const char *at = said->data ? said->data : ""; *at;) {
        const size_t size = strcspn(at, "\n");
        const size_t skipped = strncmp(at, own, sizeof own - 1) == 0 ? sizeof own - 1 : 0;
        if (strncmp(at + skipped, "Next:", 5) != 0) {
            mcp_put_name(text, (hsd_text){at + skipped, size - skipped}, 600);
            mcp_put(text, "\n");
        }
        at += size + (at[size] == '\n');
    }
}

static hsd_status refuse_said(mcp_call *call, const mcp_text *said, const char *what, hsd_error *err)
{
    put_said(&call->notes_of_error, said);
    return hsd_fail(err, HSD_E_UNSUPPORTED, "%s", what);
}

/* ---- list_processes */

static const char *const list_arguments[] = {"text", NULL};

static hsd_status run_list_processes(mcp_call *call, hsd_error *err)
{
    const char *text;
    mcp_text said = {0};
    int exit_status = 0;
    HSD_TRY(mcp_take_text(call, "text", false, &text, err));
    if (text && (strstr(text, "://") || strlen(text) > 200))
        return hsd_fail(err, HSD_E_MISUSE, "text is a part of a name, of a process of this machine");
    const char *const words[] = {"hsdiff", "ps", "--color", "never", "--no-progress", text ? "--" : NULL, text, NULL};
    hsd_status status = mcp_spawn(call, words, -1, "looking at processes", &said, &exit_status, err);
    if (status == HSD_OK && exit_status != 0) status = refuse_said(call, &said, "processes cannot be listed", err);
    if (status == HSD_OK) {
        mcp_put(&call->text, "Programs that can be captured now (a dash: no way works, see below the table).\n\n");
        put_said(&call->text, &said);
        mcp_put(&call->next, "Next: take_capture {\"pid\":PID,\"file\":\"before.hs\"}  now, and again as after.hs when "
                             "the program has done more of the same work\n");
    }
    mcp_text_release(&said);
    return status;
}

const mcp_tool mcp_tool_list_processes = {
    .name = "list_processes",
    .title = "List programs that can be captured",
    .description =
        "Lists running programs (JVM, .NET, Python, Node, Go, Ruby, C and C++ with an agent, ...) whose heap "
        "take_capture can take, with their pid.",
    .schema = "\"text\":{\"type\":\"string\",\"description\":\"a part of the name of the program, script or main "
              "class\"}}",
    .arguments = list_arguments,
    .next = "list_processes {}",
    .captures = true,
    .run = run_list_processes,
};

/* ---- take_capture */

static void put_next_capture(mcp_call *call, const char *file)
{
    mcp_text arguments = {.most = 600};
    mcp_put_captures(&arguments, &file, 1);
    if (!arguments.is_cut)
        mcp_put_next(call, "look", &arguments, "its types; or work the program, capture again, compare");
    mcp_text_release(&arguments);
}

static hsd_status refuse_file(const char *file, const char *why, hsd_error *err)
{
    hsd_fail(err, HSD_E_MISUSE, "%s", why);
    hsd_error_set_file(err, file);
    hsd_error_set_hint(err, "give a new name that ends with .hs, such as after.hs, below an allowed folder");
    return HSD_E_MISUSE;
}

static hsd_status capture_into(mcp_call *call, uint64_t pid, int folder, const char *name, const char *file,
                               hsd_error *err)
{
    char number[24];
    struct stat what;
    mcp_text said = {0};
    int exit_status = 0;
    if (fstatat(folder, name, &what, AT_SYMLINK_NOFOLLOW) == 0)
        return refuse_file(file, "is there already, and was not touched", err);
    snprintf(number, sizeof number, "%llu", (unsigned long long)pid);
    const char *const words[] = {"hsdiff",        "capture",   "-o",  name,   "--color", "never",
                                 "--no-progress", "--timeout", "60s", number, NULL};
    hsd_status status = mcp_spawn(call, words, folder, "capturing", &said, &exit_status, err);
    if (status == HSD_OK && exit_status != 0) status = refuse_said(call, &said, "it could not be captured", err);
    if (status == HSD_OK) put_said(&call->text, &said);
    if (status == HSD_OK) put_next_capture(call, file);
    mcp_text_release(&said);
    return status;
}

static const char *const capture_arguments[] = {"pid", "file", NULL};

static hsd_status run_take_capture(mcp_call *call, hsd_error *err)
{
    const char *file, *name;
    uint64_t pid = 0;
    int folder;
    HSD_TRY(mcp_take_count(call, "pid", PIDS_MOST, &pid, err));
    HSD_TRY(mcp_take_text(call, "file", true, &file, err));
    if (pid == 0) return hsd_fail(err, HSD_E_MISUSE, "the argument pid is missing");
    const size_t size = strlen(file);
    if (size < 4 || strcmp(file + size - 3, ".hs") != 0) return refuse_file(file, "is no name of a capture", err);
    HSD_TRY(mcp_folders_open_parent(&call->state->folders, file, &folder, &name, err));
    const hsd_status status = capture_into(call, pid, folder, name, file, err);
    close(folder);
    return status;
}

const mcp_tool mcp_tool_take_capture = {
    .name = "take_capture",
    .title = "Capture a running program",
    .description =
        "Captures the heap of a running program into a new file: types, sizes and references, no values. The program "
        "stands still for some milliseconds to seconds. Take one, let the program do its work some more times, take "
        "another, and compare.",
    .schema = "\"pid\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"of list_processes\"},"
              "\"file\":{\"type\":\"string\",\"description\":\"a new file, such as before.hs\"}},"
              "\"required\":[\"pid\",\"file\"]",
    .arguments = capture_arguments,
    .next = "list_processes {} says what can be captured, and what is missing",
    .captures = true,
    .changes = true,
    .run = run_take_capture,
};
